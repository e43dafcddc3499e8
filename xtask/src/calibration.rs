//! `cargo xtask calibration`: fits the growth rates that were never published, and writes the library's table of all.

use std::fs;

use crate::shell::{cargo, output, root};

const FILE: &str = "crates/clmatch/src/calibration.rs";

pub fn write() -> Result<(), String> {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "clmatch-lab", "--example", "calibration"]);
    let ended = output(&mut command, true)?;
    if !ended.success {
        return Err("the growth rates could not be fitted".into());
    }
    fs::write(root().join(FILE), &ended.out).map_err(|error| format!("{FILE}: {error}"))?;
    println!("{FILE}: written");
    Ok(())
}
