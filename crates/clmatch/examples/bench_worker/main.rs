//! Holds datasets in memory and times jobs on them, one request a line, for `cargo xtask bench`.
//!
//! ```text
//! threads N                          from now on use so many threads
//! load NAME f64|f32 FEATURES STEM    read STEM.f64 (rows of numbers) and STEM.labels (i64), both little-endian
//! free NAME                          forget a dataset
//! run NAME ID,ID,...                 evaluate measures (`all` for every one) on the validated dataset
//! check NAME ID,ID,...               the same, with the validation of points and labels
//! intervals NAME ID,ID,...           evaluate measures, with an interval for each of them
//! chance NAME ID,ID,...              evaluate measures, and score 200 random labellings
//! draws NAME COUNT                   the best ch_a of random subsets of features, from moments
//! redraws NAME COUNT                 the same subsets, reading the data for each of them
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

use clmatch::improve::{Draws, Method, Options, reweight, search};
use clmatch::measure::{REGISTRY, find};
use clmatch::{Classes, Control, DataError, Evaluation, Labels, Measure, Points, Values, evaluate};
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
    encoded: Labels,
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
            ["intervals", name, ids] => self.intervals(self.dataset(name)?, &measures(ids)?),
            ["chance", name, ids] => self.chance(self.dataset(name)?, &measures(ids)?),
            ["draws", name, count] => self.draws(self.dataset(name)?, count.parse()?),
            ["redraws", name, count] => self.redraws(self.dataset(name)?, count.parse()?),
            ["tree", name, _] => self.tree(self.dataset(name)?),
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

    /// Scores with their intervals.
    fn intervals(&self, dataset: &Dataset, measures: &[&'static Measure]) -> Answer {
        let start = Instant::now();
        let (evaluation, replicates) = self.pool.install(|| {
            let evaluation = evaluate(&dataset.classes, measures)?;
            let replicates = clmatch::intervals::replicates(&dataset.classes, measures, 1, Control::none())?;
            Ok::<_, DataError>((evaluation, replicates))
        })?;
        let seconds = start.elapsed().as_secs_f64();
        black_box(replicates);
        Ok(describe(seconds, &black_box(evaluation)))
    }

    /// Scores beside those of random labels.
    fn chance(&self, dataset: &Dataset, measures: &[&'static Measure]) -> Answer {
        let start = Instant::now();
        let evaluation = self.pool.install(|| {
            let evaluation = evaluate(&dataset.classes, measures)?;
            let (classes, control) = (&dataset.classes, Control::none());
            black_box(clmatch::chance::random_labels(classes, measures, &evaluation, 200, 1, control)?);
            Ok::<_, DataError>(evaluation)
        })?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(describe(seconds, &black_box(evaluation)))
    }

    /// The paper's search for features, the data read once.
    fn draws(&self, dataset: &Dataset, draws: usize) -> Answer {
        let options = Options { method: Method::Random, draws, ..Options::paper() };
        let start = Instant::now();
        let found = self.pool.install(|| search(&dataset.classes, &options, Control::none()))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(format!("{seconds} ch_a={}", ch_a(dataset, &found.weights)?))
    }

    /// The paper's search for features as it stands: each subset is copied and evaluated.
    fn redraws(&self, dataset: &Dataset, draws: usize) -> Answer {
        let features = dataset.classes.points().n_features();
        let start = Instant::now();
        let best = self.pool.install(|| {
            let subsets = Draws::new(features, 1, Options::paper().seed).take(draws);
            let weights = |subset: Vec<bool>| subset.iter().map(|&kept| f64::from(u8::from(kept))).collect();
            let scores = subsets.map(|subset| {
                let weights: Vec<f64> = weights(subset);
                ch_a(dataset, &weights)
            });
            scores.collect::<Result<Vec<f64>, DataError>>()
        })?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(format!("{seconds} ch_a={}", best.into_iter().fold(0.0, f64::max)))
    }

    /// The minimum spanning tree of all points.
    fn tree(&self, dataset: &Dataset) -> Answer {
        let points = dataset.classes.points();
        let Values::F64(values) = points.values() else { return Err("trees are of f64".into()) };
        let everyone = (0..points.n_points() as u32).collect();
        let start = Instant::now();
        let tree = self.pool.install(|| {
            clmatch_kernels::trees::spanning_tree(
                clmatch_kernels::trees::Points::new(values, points.n_features()),
                everyone,
                Control::none(),
            )
        })?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(format!("{seconds} length={}", tree.gaps().iter().map(|square| square.sqrt()).sum::<f64>()))
    }

    /// From plain numbers and labels to scores: what a first call costs.
    fn check(&self, dataset: &Dataset, measures: &[&'static Measure]) -> Answer {
        let points = dataset.classes.points();
        let start = Instant::now();
        let evaluation = self.pool.install(|| {
            let points = match points.values() {
                Values::F64(values) => Points::new(&values[..], points.n_features()),
                Values::F32(values) => Points::new(&values[..], points.n_features()),
            }?;
            let classes = Classes::new(points, &Labels::encode(&dataset.labels))?;
            evaluate(&classes, measures)
        })?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(describe(seconds, &black_box(evaluation)))
    }
}

/// The score with some features, read from the data.
fn ch_a(dataset: &Dataset, weights: &[f64]) -> Result<f64, DataError> {
    let points = dataset.classes.points();
    let values = reweight(points.values(), points.n_features(), weights);
    let kept = weights.iter().filter(|weight| **weight > 0.0).count();
    let classes = Classes::new(Points::new(values, kept)?, &dataset.encoded)?;
    let evaluation = evaluate(&classes, &measures("ch_a").unwrap_or_default())?;
    Ok(evaluation.value("ch_a").unwrap_or(f64::NAN))
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
    let encoded = Labels::encode(&labels);
    Ok(Dataset { classes: Classes::new(points, &encoded)?, encoded, labels })
}

fn numbers<T>(path: &str, decode: fn([u8; 8]) -> T) -> Result<Vec<T>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|&chunk| decode(chunk)).collect())
}
