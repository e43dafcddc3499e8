//! Reads one file, for `cargo xtask bench`: prints the seconds, the peak memory in bytes and the sum of the numbers.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use clmatch::Values;
use clmatch_data::{ReadOptions, Source, keep_freed_memory, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // As the command does.
    keep_freed_memory();
    let path = std::env::args_os().nth(1).ok_or("usage: bench_read FILE")?;
    let start = Instant::now();
    let dataset = read(&Source::new(path), &ReadOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak_memory();
    let sum: f64 = match dataset.values() {
        Values::F64(values) => values.iter().sum(),
        Values::F32(values) => values.iter().map(|&value| f64::from(value)).sum(),
    };
    println!("{seconds} {peak} {sum}");
    Ok(())
}

/// Peak resident memory of this process in bytes; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
