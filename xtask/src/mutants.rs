//! `cargo xtask mutants`: breaks the changed lines, one after the other, and checks whether a test notices.

use std::fs;
use std::process::Command;

use crate::shell::{cargo, output, root, run, target};

/// Runs cargo-mutants on the changes since the checkout diverged from `base`. Its settings are in `.cargo/mutants.toml`.
pub fn of_changes(base: &str) -> Result<(), String> {
    if !output(cargo().args(["mutants", "--version"]), false).is_ok_and(|ended| ended.success) {
        return Err("there is no cargo-mutants here; 'cargo install cargo-mutants' gets it".into());
    }
    let changes =
        output(Command::new("git").args(["diff", "--merge-base", base]).current_dir(root()), false)?;
    if !changes.success {
        return Err(format!("git cannot compare with {base}: {}", changes.err.trim()));
    }
    let file = target().join("mutants.diff");
    fs::write(&file, changes.out).map_err(|error| format!("{}: {error}", file.display()))?;
    run(cargo().args(["mutants", "--in-diff"]).arg(file).arg("--output").arg(target()))
}
