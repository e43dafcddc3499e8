//! The Rust tests: cargo builds their programs, which run side by side here. Cargo itself would run them one after the other,
//! although most of them use a single core most of the time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use super::count::{Counts, number_before};
use crate::shell::{cargo, output, tee};

/// A test program.
pub struct Program {
    pub name: String,
    file: PathBuf,
    /// The folder of its package, in which it runs.
    pub folder: PathBuf,
    /// Environment variables that are set for it.
    variables: Vec<(String, String)>,
}

impl Program {
    /// Adds an environment variable to the program.
    pub fn with(&self, name: &str, value: &str) -> Program {
        let variables = vec![(name.to_owned(), value.to_owned())];
        let name = format!("{} with {name}={value}", self.name);
        Program { name, file: self.file.clone(), folder: self.folder.clone(), variables }
    }

    fn run(&self, counts: &Counts) {
        let mut command = Command::new(&self.file);
        // As cargo does it.
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let start = Instant::now();
        let outcome = output(&mut command, false);
        let (success, text) = match outcome {
            Ok(ended) => (ended.success, String::from_utf8_lossy(&ended.out).into_owned() + &ended.err),
            Err(error) => (false, error),
        };
        println!("{}: {:.0?}\n{}", self.name, start.elapsed(), text.trim_end());
        if !count(&text, success, counts) {
            counts.one(&self.name, Err("it did not run to its end".to_owned()));
        } else if !success {
            counts.broke(&self.name);
        }
    }
}

/// Builds the tests of some packages, given as cargo arguments, without examples and benchmarks.
pub fn build(packages: &[&str]) -> Result<Vec<Program>, String> {
    let mut command = cargo();
    command
        .args(["test", "--no-run", "--tests", "--message-format", "json-render-diagnostics"])
        .args(packages);
    let ended = output(&mut command, true)?;
    if !ended.success {
        return Err("the Rust tests did not build".to_owned());
    }
    Ok(String::from_utf8_lossy(&ended.out).lines().filter_map(program).collect())
}

/// The test program that a cargo message reports.
fn program(message: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(message).ok()?;
    let file = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let (package, target) = (folder.file_name()?.to_str()?, message["target"]["name"].as_str()?);
    let name = format!("{package} {target}");
    (message["profile"]["test"] == true).then_some(Program { name, file, folder, variables: Vec::new() })
}

/// Runs programs, as many at once as there are processors.
pub fn run(programs: &[Program], counts: &Counts) {
    let waiting = Mutex::new(programs.iter());
    let next = || waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(program) = next() {
                    program.run(counts);
                }
            });
        }
    });
}

/// Runs the examples in the documentation.
pub fn documentation(packages: &[&str], counts: &Counts) -> Result<(), String> {
    let (text, success) = tee(cargo().args(["test", "--doc", "--no-fail-fast"]).args(packages))?;
    if !success {
        counts.broke("the examples in the documentation");
    }
    if count(&text, success, counts) { Ok(()) } else { Err("the examples did not build or run".to_owned()) }
}

/// Counts the tests that a text reports. Returns `false` if the program failed and the text does not say why.
fn count(text: &str, success: bool, counts: &Counts) -> bool {
    let mut failures = 0;
    for line in text.lines().filter(|line| line.starts_with("test result:")) {
        let failed = number_before(line, "failed");
        counts.add(number_before(line, "passed"), failed, number_before(line, "ignored"));
        failures += failed;
    }
    success || failures > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_what_cargo_says() {
        let artefact = |executable: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/a/pkg/Cargo.toml","target":{{"name":"one"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let found = program(&artefact(r#""/t/one-1""#, true)).expect("a program");
        assert_eq!((found.name.as_str(), found.folder), ("pkg one", PathBuf::from("/a/pkg")));
        // A library, and the command itself.
        assert!(program(&artefact("null", true)).is_none());
        assert!(program(&artefact(r#""/t/one""#, false)).is_none());
        assert!(program("warning: text").is_none());
    }

    #[test]
    fn a_program_that_fails_without_a_count_is_told() {
        let counts = Counts::default();
        assert!(count("test result: ok. 3 passed; 0 failed; 1 ignored", true, &counts));
        assert!(count("test result: FAILED. 3 passed; 2 failed; 0 ignored", false, &counts));
        assert!(!count("test result: ok. 3 passed; 0 failed; 0 ignored\nerror: signal 6", false, &counts));
        assert!(counts.conclude().is_err());
    }
}
