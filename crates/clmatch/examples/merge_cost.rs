//! The cost of merging two summaries of 16 features and 5 classes, for docs/scale.md.
// A tool for a terminal.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use clmatch::summary::{Summary, SummaryError, SummarySettings};
use clmatch::{Labels, measure};

fn made(seed: usize) -> Result<Summary, SummaryError> {
    let measures: Vec<_> = ["ch_a", "db_a", "sc_a"].iter().filter_map(|id| measure::find(id)).collect();
    let mut summary = Summary::new(16, &SummarySettings::new(&measures))?;
    let rows = 50_000;
    let value = |at: usize| ((at * 7919 + seed * 104_729) % 1_000_003) as f64 / 1e5;
    let values: Vec<f64> = (0..rows * 16).map(value).collect();
    summary.set_source(seed as u64);
    summary.update(values, &Labels::encode((0..rows).map(|row| row % 5)), 0)?;
    Ok(summary)
}

fn main() -> Result<(), SummaryError> {
    let (one, other) = (made(1)?, made(2)?);
    let mut best = f64::INFINITY;
    for _ in 0..50 {
        let mut whole = one.clone();
        let start = Instant::now();
        whole.merge(&other)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{:.6} s, {} bytes", best, one.to_bytes().len());
    Ok(())
}
