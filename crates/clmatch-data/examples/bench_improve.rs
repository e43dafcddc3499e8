//! Improves all datasets of a folder, for `cargo xtask bench`.
//!
//! Prints a line for each: its name; the best ch_a of the random search and of `auto`, both on the paper's terms; the
//! seconds of the random search from moments, of the same one reading the data for each subset, and of `auto`, which gets no
//! more than those; and of reading the dataset and improving it on honest terms.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clmatch::improve::{Draws, Method, Options, improve, reweight, search};
use clmatch::{Classes, Control, DataError, Points, evaluate, measure};
use clmatch_data::{Dataset, ReadOptions, Scale, Source, find, read};

/// The part of the time of reading for each subset that `auto` may search.
const SHARE: f64 = 0.9;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let folder = PathBuf::from(words.next().ok_or("usage: bench_improve FOLDER [NAME...]")?);
    let wanted: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    for source in find(&[folder])? {
        if wanted.is_empty() || wanted.contains(&source.name) {
            println!("{}", measured(&source)?);
        }
    }
    Ok(())
}

fn measured(source: &Source) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let dataset = prepared(source)?;
    let classes = Classes::new(dataset.points(), dataset.labels())?;
    improve(&classes, &Options::default(), Control::none())?;
    let whole = start.elapsed().as_secs_f64();

    let features = dataset.n_features();
    let paper = Options::paper();
    let start = Instant::now();
    let mut reread = 0.0_f64;
    for subset in Draws::new(features, 1, paper.seed).take(paper.draws) {
        let weights: Vec<f64> = subset.iter().map(|&kept| f64::from(u8::from(kept))).collect();
        reread = reread.max(ch_a(&dataset, &weights)?);
    }
    let reading = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let random = search(&classes, &Options { method: Method::Random, ..paper }, Control::none())?;
    let moments = start.elapsed().as_secs_f64();
    let random = ch_a(&dataset, &random.weights)?;
    if (random - reread).abs() > 1e-9 {
        return Err(format!("{}: moments say {random}, the data say {reread}", dataset.name).into());
    }
    // `auto` is to be better in the same time, so it gets no more; what it does when time is up counts too.
    let budget = Duration::from_secs_f64(SHARE * reading);
    let start = Instant::now();
    let auto = search(&classes, &Options { budget: Some(budget), ..paper }, Control::none())?;
    let seconds = start.elapsed().as_secs_f64();
    let value = ch_a(&dataset, &auto.weights)?;
    Ok(format!("{} {random} {value} {moments} {reading} {seconds} {whole}", dataset.name.replace(' ', "_")))
}

fn prepared(source: &Source) -> Result<Dataset, Box<dyn Error>> {
    let mut dataset = read(source, &ReadOptions::default())?;
    dataset.scale(Scale::MaxAbs);
    Ok(dataset)
}

/// The score with some features, read from the data.
fn ch_a(dataset: &Dataset, weights: &[f64]) -> Result<f64, DataError> {
    let kept = weights.iter().filter(|weight| **weight > 0.0).count();
    let values = reweight(dataset.values(), dataset.n_features(), weights);
    let classes = Classes::new(Points::new(values, kept)?, dataset.labels())?;
    let id = "ch_a";
    let measures: Vec<_> = measure::find(id).into_iter().collect();
    Ok(evaluate(&classes, &measures)?.value(id).unwrap_or(f64::NAN))
}
