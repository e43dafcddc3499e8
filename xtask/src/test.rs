//! `cargo xtask test`: runs every check and test, then reports how long each part took and one line with the counts.

mod changes;
mod count;
mod programs;

use std::process::Command;
use std::thread;

use self::count::{Counts, number_before};
use crate::documents;
use crate::minimal;
use crate::python::Environment;
use crate::shell::{cargo, output, run, target, tee};
use crate::tools;

/// The options of the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Test only what was changed.
    quick: bool,
    /// Recompute the results of peers, and compare them with the stored ones.
    peers: bool,
    /// Allow a browser and Java to be installed.
    install: bool,
}

impl Options {
    pub fn parse(words: &[&str]) -> Result<Options, String> {
        let mut options = Options { install: std::env::var_os("CI").is_some(), ..Options::default() };
        for word in words {
            match *word {
                "--quick" => options.quick = true,
                "--peers" => options.peers = true,
                "--install" => options.install = true,
                other => return Err(format!("'{other}' is not an option of cargo xtask test")),
            }
        }
        Ok(options)
    }
}

/// Runs all tests, or those of what was changed.
pub fn all(words: &[&str]) -> Result<(), String> {
    let options = Options::parse(words)?;
    let counts = Counts::default();
    counts
        .timed("all of it", || if options.quick { quick(&counts) } else { everything(&options, &counts) })?;
    counts.conclude()
}

fn everything(options: &Options, counts: &Counts) -> Result<(), String> {
    thread::scope(|scope| {
        // Packages are downloaded while Rust compiles.
        let environment = scope.spawn(|| {
            tools::prepare(options.install);
            counts.timed("the Python environment", test_environment)
        });
        check("format", cargo().args(["fmt", "--all", "--check"]), counts);
        let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"];
        check("lints", cargo().args(lints), counts);
        let docs = ["doc", "--workspace", "--no-deps", "--quiet"];
        check("documentation", cargo().env("RUSTDOCFLAGS", "--deny warnings").args(docs), counts);
        book(counts);
        let smallest = counts.timed("the smallest build", minimal::build)?;
        counts.one("the smallest build", minimal::check(&smallest));
        let mut programs = counts.timed("building the Rust tests", || programs::build(&["--workspace"]))?;
        counts.timed("the command", build_command)?;
        let golden = programs.iter().find(|program| program.name == "clmatch-data golden");
        let golden = golden.ok_or("there are no golden values")?;
        let golden = INSTRUCTIONS.map(|set| golden.with("CLMATCH_SIMD", set));
        programs.extend(golden);
        // It takes longest, and would otherwise run alone at the end.
        programs.sort_by_key(|program| program.name != "clmatch-data shared_datasets");
        // Builds from here on leave a core to the tests.
        let rust = scope.spawn(move || counts.timed("the Rust tests", || programs::run(&programs, counts)));
        let environment = environment.join().map_err(|_| "the Python environment was not made")??;
        let wheel = counts.timed("the wheel", || environment.install_package("dev"))?;
        let python = scope.spawn(move || {
            counts.timed("the Python tests", || {
                python(&environment, &wheel, &["python/tests"], options, counts)
            })
        });
        counts.timed("the examples in the documentation", || {
            programs::documentation(&["--workspace"], counts)
        })?;
        rust.join().map_err(|_| "the Rust tests did not run")?;
        python.join().map_err(|_| "the Python tests did not run")?
    })
}

/// The package of the command.
const COMMAND: &str = "clmatch-cli";

/// Tests the packages and Python tests that were changed.
fn quick(counts: &Counts) -> Result<(), String> {
    let changes = changes::find()?;
    check("format", cargo().args(["fmt", "--all", "--check"]), counts);
    let packages: Vec<&str> = changes.packages.iter().flat_map(|name| ["--package", name]).collect();
    println!("changed: {}", [&changes.packages[..], &changes.python_tests[..]].concat().join(", "));
    if !packages.is_empty() {
        let mut lints = cargo();
        lints.arg("clippy").args(&packages).args(["--all-targets", "--quiet", "--", "--deny", "warnings"]);
        check("lints", &mut lints, counts);
        // Together with the command, packages have the features that a build of the whole workspace gives them, and are not
        // rebuilt.
        let packages = [&packages[..], &["--package", COMMAND]].concat();
        let mut programs = counts.timed("building the Rust tests", || programs::build(&packages))?;
        let asked = changes.packages.iter().any(|name| name == COMMAND);
        programs.retain(|program| asked || !program.folder.ends_with(COMMAND));
        counts.timed("the Rust tests", || programs::run(&programs, counts));
    }
    if !changes.python_tests.is_empty() {
        let environment = test_environment()?;
        counts.timed("the command", build_command)?;
        let wheel = counts.timed("the wheel", || environment.install_package("dev"))?;
        let files: Vec<&str> = changes.python_tests.iter().map(String::as_str).collect();
        counts.timed("the Python tests", || {
            python(&environment, &wheel, &files, &Options::default(), counts)
        })?;
    }
    Ok(())
}

/// Builds the book if mdbook is installed; its links and generated pages are tested anyway.
fn book(counts: &Counts) {
    match documents::build() {
        None => counts.skipped("there is no mdbook to build the book with (cargo install mdbook)"),
        Some(outcome) => counts.one("the book", outcome),
    }
}

/// Runs a check that counts as one test. If the toolchain lacks the component, the check is reported as skipped.
fn check(name: &str, command: &mut Command, counts: &Counts) {
    println!("checking the {name}");
    let tool = match name {
        "format" => "fmt",
        "lints" => "clippy",
        _ => "doc",
    };
    // Every toolchain has rustdoc.
    let there =
        tool == "doc" || output(cargo().args([tool, "--version"]), false).is_ok_and(|ended| ended.success);
    if there {
        let outcome = counts.timed(&format!("the {name}"), || run(command));
        counts.one(&format!("the {name}"), outcome);
    } else {
        counts.skipped(&format!("this toolchain has no cargo {tool}"));
    }
}

/// Instruction sets that most processors have, or all of them (`portable`): what runs on the best processor must also run with
/// these.
const INSTRUCTIONS: [&str; 2] = ["portable", "avx2"];

/// Runs all Rust tests as on a processor with fewer instructions.
pub fn with_instructions(set: &str) -> Result<(), String> {
    if !INSTRUCTIONS.contains(&set) {
        return Err(format!("'{set}' is not one of {}", INSTRUCTIONS.join(", ")));
    }
    let counts = Counts::default();
    let programs = programs::build(&["--workspace"])?;
    let programs: Vec<_> = programs.iter().map(|program| program.with("CLMATCH_SIMD", set)).collect();
    programs::run(&programs, &counts);
    counts.conclude()
}

fn test_environment() -> Result<Environment, String> {
    Environment::prepare("python-tests", "python/requirements-test.txt", &["pyivm==0.1.0"])
}

/// Examples through which Python tests reach what the command does not offer, and the variables that name them.
const EXAMPLES: [(&str, &str); 2] =
    [("CLMATCH_PARTITION", "partition"), ("CLMATCH_CLASSIFY", "classify_peer")];

/// Builds the programs that the Python tests run. The lints ensure that all other examples compile.
fn build_command() -> Result<(), String> {
    let examples = EXAMPLES.map(|(_, example)| ["--example", example]);
    run(cargo().args(["build", "--workspace", "--bin", "clmatch"]).args(examples.as_flattened()))
}

/// Checks what the command computes against independent implementations in Python.
fn python(
    environment: &Environment,
    wheel: &std::path::Path,
    files: &[&str],
    options: &Options,
    counts: &Counts,
) -> Result<(), String> {
    println!("running the Python tests");
    let built = target().join("debug");
    let mut pytest = environment.python();
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    // Most tests use one thread, or wait for a browser. A file stays in one process; with more processes than slow files, some
    // would only wait.
    pytest.args(["-n", "logical", "--maxprocesses", "4", "--dist", "loadfile"]);
    // Files run in the order of `conftest.py`, slow ones first.
    pytest.arg("--no-loadscope-reorder").args(["--durations", "40", "--durations-min", "2"]).args(files);
    pytest.env("CLMATCH", built.join("clmatch")).env("CLMATCH_WHEEL", wheel);
    if options.peers {
        pytest.env("CLMATCH_PEERS", "1");
    }
    for (variable, example) in EXAMPLES {
        pytest.env(variable, built.join("examples").join(example));
    }
    let (text, succeeded) = tee(&mut pytest)?;
    let last = text.lines().last().unwrap_or_default();
    let failed = number_before(last, "failed") + number_before(last, "error");
    counts.add(number_before(last, "passed"), failed, number_before(last, "skipped"));
    if failed > 0 {
        counts.broke("the Python tests");
    }
    if succeeded || failed > 0 { Ok(()) } else { Err("the Python tests did not run".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_understood() {
        let found = Options::parse(&["--quick", "--peers", "--install"]);
        assert_eq!(found, Ok(Options { quick: true, peers: true, install: true }));
        assert!(Options::parse(&["--fast"]).is_err_and(|error| error.contains("--fast")));
    }
}
