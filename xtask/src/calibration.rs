//! `cargo xtask calibration`: fits the growth rates that nobody published, and writes the library's table of all.

use std::fs;

use crate::shell::{cargo, root};

const FILE: &str = "crates/clmatch/src/calibration.rs";

pub fn write() -> Result<(), String> {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "clmatch-lab", "--example", "calibration"]);
    let output =
        command.stderr(std::process::Stdio::inherit()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err("the growth rates could not be fitted".into());
    }
    fs::write(root().join(FILE), &output.stdout).map_err(|error| format!("{FILE}: {error}"))?;
    println!("{FILE}: written");
    Ok(())
}
