//! `cargo xtask test`: every check and test, then one line that counts them.

use std::process::Command;
use std::thread;
use std::time::Instant;

use crate::browser;
use crate::documents;
use crate::minimal;
use crate::python::Environment;
use crate::shell::{cargo, output, run, target, tee};

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    skipped: usize,
}

fn count_all() -> Result<Count, String> {
    let mut count = Count::default();
    // Packages are fetched while Rust compiles.
    let environment = thread::spawn(test_environment);
    check("format", cargo().args(["fmt", "--all", "--check"]), &mut count);
    let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"];
    check("lints", cargo().args(lints), &mut count);
    let docs = ["doc", "--workspace", "--no-deps", "--quiet"];
    check("documentation", cargo().env("RUSTDOCFLAGS", "--deny warnings").args(docs), &mut count);
    book(&mut count);
    timed("the Rust tests", || rust(&mut count))?;
    for set in INSTRUCTIONS {
        timed(&format!("the golden values with {set} instructions"), || golden(set, &mut count))?;
    }
    timed("the smallest build", || one("the smallest build", minimal::check(), &mut count));
    timed("the Python tests", || {
        let environment = environment.join().map_err(|_| "the Python environment was not made")??;
        python(&environment, &mut count)
    })?;
    Ok(count)
}

/// Tells how long something took.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let outcome = work();
    println!("{what} took {} s", start.elapsed().as_secs());
    outcome
}

/// The book is built where there is a program for it; its links and generated pages are tested anyway.
fn book(count: &mut Count) {
    match documents::build() {
        None => {
            println!("skipped: there is no mdbook to build the book with (cargo install mdbook)");
            count.skipped += 1;
        }
        Some(Ok(())) => count.passed += 1,
        Some(Err(error)) => {
            eprintln!("{error}");
            count.failed += 1;
        }
    }
}

pub fn everything() -> Result<(), String> {
    conclude(&count_all()?)
}

fn conclude(count: &Count) -> Result<(), String> {
    println!("\ntests: {} passed, {} failed, {} skipped", count.passed, count.failed, count.skipped);
    if count.failed > 0 { Err(format!("{} tests failed", count.failed)) } else { Ok(()) }
}

/// A check that counts as one test. A toolchain without the component skips it, and says so.
fn check(name: &str, command: &mut Command, count: &mut Count) {
    println!("checking the {name}");
    let tool = match name {
        "format" => "fmt",
        "lints" => "clippy",
        _ => "doc",
    };
    // Every toolchain has rustdoc.
    let there =
        tool == "doc" || output(cargo().args([tool, "--version"]), false).is_ok_and(|ended| ended.success);
    if !there {
        println!("skipped: this toolchain has no cargo {tool}");
        count.skipped += 1;
    } else if let Err(error) = timed(&format!("the {name}"), || run(command)) {
        eprintln!("{error}");
        count.failed += 1;
    } else {
        count.passed += 1;
    }
}

/// Something that counts as one test.
fn one(name: &str, outcome: Result<(), String>, count: &mut Count) {
    match outcome {
        Ok(()) => count.passed += 1,
        Err(error) => {
            eprintln!("{name}: {error}");
            count.failed += 1;
        }
    }
}

/// Sets of instructions that most processors have, or all: what runs on the best one must run on them, too.
const INSTRUCTIONS: [&str; 2] = ["portable", "avx2"];

/// All Rust tests, as on a lesser processor.
pub fn with_instructions(set: &str) -> Result<(), String> {
    if !INSTRUCTIONS.contains(&set) {
        return Err(format!("'{set}' is not one of {}", INSTRUCTIONS.join(", ")));
    }
    let mut count = Count::default();
    rust_tests(cargo().args(["test", "--workspace", "--no-fail-fast"]).env("CLMATCH_SIMD", set), &mut count)?;
    conclude(&count)
}

/// The golden values of all measures, as on a lesser processor.
fn golden(set: &str, count: &mut Count) -> Result<(), String> {
    // Of the whole workspace, as it was built before: a package alone has other features, and is built anew with all below it.
    let golden = ["test", "--workspace", "--test", "golden"];
    rust_tests(cargo().args(golden).env("CLMATCH_SIMD", set), count)
}

fn rust(count: &mut Count) -> Result<(), String> {
    println!("running the Rust tests");
    rust_tests(cargo().args(["test", "--workspace", "--no-fail-fast"]), count)
}

/// Runs tests of cargo, and counts them.
fn rust_tests(command: &mut Command, count: &mut Count) -> Result<(), String> {
    let failed = count.failed;
    let (text, succeeded) = tee(command)?;
    for line in text.lines().filter(|line| line.starts_with("test result:")) {
        count.passed += number_before(line, "passed");
        count.failed += number_before(line, "failed");
        count.skipped += number_before(line, "ignored");
    }
    if !succeeded && count.failed == failed {
        return Err("the Rust tests did not build or run".into());
    }
    Ok(())
}

fn test_environment() -> Result<Environment, String> {
    Environment::prepare("python-tests", "python/requirements-test.txt", &["pyivm==0.1.0"])
}

/// Independent implementations in Python check what the command computes; the Rust tests have built it.
fn python(environment: &Environment, count: &mut Count) -> Result<(), String> {
    println!("running the Python tests");
    // As the Rust tests were built, not optimised for release.
    let wheel = environment.install_package("dev")?;
    browser::prepare();
    let built = target().join("debug");
    let mut pytest = environment.python();
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    // Most of them use one thread, or wait for a browser. A file stays in one process; more processes than slow files wait.
    pytest.args(["-n", "logical", "--maxprocesses", "4", "--dist", "loadfile", "python/tests"]);
    pytest.env("CLMATCH", built.join("clmatch")).env("CLMATCH_WHEEL", wheel);
    for (variable, example) in [("CLMATCH_PARTITION", "partition"), ("CLMATCH_CLASSIFY", "classify_peer")] {
        pytest.env(variable, built.join("examples").join(example));
    }
    let (text, succeeded) = tee(&mut pytest)?;
    let last = text.lines().last().unwrap_or_default();
    count.passed += number_before(last, "passed");
    count.failed += number_before(last, "failed") + number_before(last, "error");
    count.skipped += number_before(last, "skipped");
    if !succeeded && number_before(last, "failed") + number_before(last, "error") == 0 {
        return Err("the Python tests did not run".into());
    }
    Ok(())
}

/// The number in front of a word that starts so: `3` in `3 passed; 0 failed`.
fn number_before(line: &str, word: &str) -> usize {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|found| found.starts_with(word));
    at.and_then(|at| words.get(at.checked_sub(1)?)).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::number_before;

    #[test]
    fn closing_lines_are_understood() {
        let rust =
            "test result: ok. 20 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.10s";
        assert_eq!(["passed", "failed", "ignored"].map(|word| number_before(rust, word)), [20, 1, 2]);
        let python = "2 failed, 31 passed, 4 skipped in 2.31s";
        assert_eq!(
            ["passed", "failed", "skipped", "error"].map(|word| number_before(python, word)),
            [31, 2, 4, 0]
        );
    }
}
