//! Holds datasets in memory and times jobs on them, one request a line, for `cargo xtask bench`.
//!
//! ```text
//! threads N                          from now on use so many threads
//! load NAME f64|f32 FEATURES STEM    read STEM.f64 (rows of numbers) and STEM.labels (i64), both little-endian
//! free NAME                          forget a dataset
//! run NAME ID,ID,...                 evaluate measures (`all` for every one) on the validated dataset
//! check NAME ID,ID,...               the same, with the validation of points and labels
//! limit read NAME                    seconds of a summing read of the dataset
//! limit fma | limit sqrt             seconds per f64 multiply-add, or square root, of all threads together
//! ```
//!
//! Each request is answered by one line: `ok`, then the seconds, then `id=value` pairs; or `error` and why.
#![allow(clippy::print_stdout)]

mod limits;

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::stdin;
use std::time::Instant;

use clmatch::measure::{REGISTRY, find};
use clmatch::{Classes, Evaluation, Labels, Measure, Points, Values, evaluate};
use rayon::{ThreadPool, ThreadPoolBuilder};

type Answer = Result<String, Box<dyn Error + Send + Sync>>;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut worker = Worker { pool: pool(1)?, datasets: HashMap::new() };
    for line in stdin().lines() {
        match worker.answer(&line?) {
            Ok(answer) => println!("ok {answer}"),
            Err(error) => println!("error {error}"),
        }
    }
    Ok(())
}

struct Dataset {
    classes: Classes<'static>,
    labels: Vec<i64>,
}

struct Worker {
    pool: ThreadPool,
    datasets: HashMap<String, Dataset>,
}

impl Worker {
    fn answer(&mut self, line: &str) -> Answer {
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        match words[..] {
            ["threads", count] => {
                self.pool = pool(count.parse()?)?;
                Ok(String::new())
            }
            ["load", name, scalar, features, stem] => {
                let dataset = load(stem, features.parse()?, scalar)?;
                self.datasets.insert(name.to_owned(), dataset);
                Ok(String::new())
            }
            ["free", name] => {
                self.datasets.remove(name);
                Ok(String::new())
            }
            ["run", name, ids] => self.run(self.dataset(name)?, &measures(ids)?),
            ["check", name, ids] => self.check(self.dataset(name)?, &measures(ids)?),
            ["limit", "read", name] => match self.dataset(name)?.classes.points().values() {
                Values::F64(values) => Ok(self.pool.install(|| limits::read(values)).to_string()),
                Values::F32(_) => Err("the summing read is for f64".into()),
            },
            ["limit", "fma"] => Ok(limits::multiply_add(&self.pool).to_string()),
            ["limit", "sqrt"] => Ok(limits::square_root(&self.pool).to_string()),
            _ => Err(format!("unknown request: {line}").into()),
        }
    }

    fn dataset(&self, name: &str) -> Result<&Dataset, String> {
        self.datasets.get(name).ok_or_else(|| format!("no dataset {name} was loaded"))
    }

    fn run(&self, dataset: &Dataset, measures: &[&'static Measure]) -> Answer {
        let start = Instant::now();
        let evaluation = self.pool.install(|| evaluate(&dataset.classes, measures))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(describe(seconds, &black_box(evaluation)))
    }

    /// From plain numbers and labels to scores: what a first call costs.
    fn check(&self, dataset: &Dataset, measures: &[&'static Measure]) -> Answer {
        let points = dataset.classes.points();
        let start = Instant::now();
        let evaluation = self.pool.install(|| {
            let points = match points.values() {
                Values::F64(values) => Points::new(&values[..], points.features()),
                Values::F32(values) => Points::new(&values[..], points.features()),
            }?;
            let classes = Classes::new(points, &Labels::encode(&dataset.labels))?;
            evaluate(&classes, measures)
        })?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(describe(seconds, &black_box(evaluation)))
    }
}

fn describe(seconds: f64, evaluation: &Evaluation) -> String {
    let values = evaluation.scores.iter().map(|(id, score)| format!(" {id}={}", score.value));
    std::iter::once(seconds.to_string()).chain(values).collect()
}

fn pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

fn measures(ids: &str) -> Result<Vec<&'static Measure>, String> {
    if ids == "all" {
        return Ok(REGISTRY.to_vec());
    }
    ids.split(',').map(|id| find(id).ok_or_else(|| format!("unknown measure {id}"))).collect()
}

fn load(stem: &str, features: usize, scalar: &str) -> Result<Dataset, Box<dyn Error + Send + Sync>> {
    let values = numbers(&format!("{stem}.f64"), f64::from_le_bytes)?;
    let labels = numbers(&format!("{stem}.labels"), i64::from_le_bytes)?;
    let points = match scalar {
        "f64" => Points::new(values, features)?,
        "f32" => Points::new(values.iter().map(|&value| value as f32).collect::<Vec<f32>>(), features)?,
        other => return Err(format!("{other} is neither f64 nor f32").into()),
    };
    let classes = Classes::new(points, &Labels::encode(&labels))?;
    Ok(Dataset { classes, labels })
}

fn numbers<T>(path: &str, decode: fn([u8; 8]) -> T) -> Result<Vec<T>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|&chunk| decode(chunk)).collect())
}
