//! Prints the source file with all growth rates, fitting those that were never published: `cargo xtask calibration`.
#![allow(clippy::print_stdout)]

use clmatch_kernels::Stop;
use clmatch_lab::calibrate::constants;

fn main() -> Result<(), clmatch_lab::Failure> {
    print!("{}", constants::source(&constants::transfer(&Stop::new())?));
    Ok(())
}
