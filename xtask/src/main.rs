//! Development tasks: `cargo xtask test`, `cargo xtask bench`, `cargo xtask catalogue`, `cargo xtask calibration`,
//! `cargo xtask coverage`, `cargo xtask fuzz`, `cargo xtask mutants`, `cargo xtask semver`, `cargo xtask docs`,
//! `cargo xtask dist`.
// Tasks talk to the person who runs them, and have no interface except their names.
#![allow(clippy::print_stdout, clippy::print_stderr, unreachable_pub)]

mod bench;
mod calibration;
mod catalogue;
mod catalogue_truth;
mod coverage;
mod dist;
mod documents;
mod fuzz;
mod minimal;
mod mutants;
mod packages;
#[cfg(test)]
mod project;
mod python;
mod shell;
mod test;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask TASK

Tasks:
  test                       run every check and test: format, lints, Rust, Python, the smallest build
  test --quick               run the tests of the packages that were changed since the last commit, or by it
  test --peers               run every test, and compute anew what peers say (scikit-learn, XGBoost, cleanlab, ..)
  test --install             run every test, and install a browser and Java where there are none (also if CI is set)
  test --instructions SET    run all Rust tests as on a lesser processor: portable or avx2
  bench [GROUP...]           measure ours against peers and the machine (--quick: once, nothing written)
  catalogue --datasets DIR   score every dataset in a folder and write the embedded catalogue with its ground truth
  calibration                fit the growth rates that nobody published and write the library's table
  coverage [--datasets DIR]  count how often the stated errors of estimates hold and write the table
  coverage --intervals       the same for intervals
  fuzz [SECONDS]             look for bytes that break a reader, for so many seconds each (needs cargo-fuzz)
  mutants [BASE]             break the lines changed since BASE, one after the other: does a test notice? (needs
                             cargo-mutants; default: the commit before the last)
  semver TAG                 hold the interfaces of the published crates against a release (needs cargo-semver-checks)
  docs                       write the generated pages of the book, and build it where mdbook is installed
  dist                       build what a release consists of, into target/dist
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["test", "--instructions", set] => test::with_instructions(set),
        ["test", ref words @ ..] => test::all(words),
        ["bench", ref words @ ..] => bench::run_groups(words),
        ["catalogue", "--datasets", datasets] => catalogue::write(datasets),
        ["calibration"] => calibration::write(),
        ["coverage"] => coverage::write(None),
        ["coverage", "--datasets", datasets] => coverage::write(Some(datasets)),
        ["coverage", "--intervals"] => coverage::write_intervals(),
        ["fuzz", ref words @ ..] => fuzz::all(words),
        ["mutants"] => mutants::of_changes("HEAD~1"),
        ["mutants", base] => mutants::of_changes(base),
        ["semver", tag] => packages::semver(tag),
        ["docs"] => documents::write(),
        ["dist"] => dist::write(),
        _ => Err(format!("what is to be done?\n\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
