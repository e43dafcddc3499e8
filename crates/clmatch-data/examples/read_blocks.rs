//! Reads a dataset in blocks and does nothing with it, to measure what reading alone costs. `read_blocks FILE...`
// A tool for a terminal.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use clmatch_data::ReadOptions;
use clmatch_data::blocks::{BlockOptions, Blocks};
use clmatch_kernels::Control;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let start = std::time::Instant::now();
    let mut blocks = Blocks::open(&paths, &ReadOptions::default(), &BlockOptions::within(500_000_000))?;
    blocks.each("reading", Control::none(), |_| Ok::<(), Box<dyn std::error::Error>>(()))?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} points, {:.2} s, {:.0} MB/s",
        blocks.points(),
        seconds,
        blocks.bytes().done as f64 / 1e6 / seconds
    );
    Ok(())
}
