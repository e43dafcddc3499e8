//! Reads a dataset and prints its size and how long that took.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use clmatch_data::{ReadOptions, find, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for source in find(&std::env::args_os().skip(1).map(Into::into).collect::<Vec<_>>())? {
        let start = Instant::now();
        let dataset = read(&source, &ReadOptions::default())?;
        let (rows, features, classes) =
            (dataset.rows(), dataset.features.len(), dataset.labels.names().len());
        println!(
            "{}: {rows} x {features}, {classes} classes, {:.3} s",
            source.name,
            start.elapsed().as_secs_f64()
        );
        for note in &dataset.notes {
            println!("  {note}");
        }
    }
    Ok(())
}
