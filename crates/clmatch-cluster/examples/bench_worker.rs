//! Times a job on generated points, for `cargo xtask bench`. Its jobs are those that the Python package has no call for,
//! such as scores of points that were validated before, a spanning tree alone, or a single clustering technique.
//!
//! `bench_worker STEM FEATURES f64|f32 THREADS JOB [ARGUMENT]` reads STEM.f64 (rows of numbers) and STEM.labels (i64),
//! both little-endian, and runs the job up to three times. Each run prints a line: the seconds, then `name=value` for
//! each result. A clustering reports its adjusted Rand index with the labels; K-Means reports its inertia.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use clmatch::improve::{Draws, Method, Options, reweight, search};
use clmatch::measure::{REGISTRY, find};
use clmatch::{Classes, Control, Labels, Measure, Points, Values, chance, evaluate, intervals};
use clmatch_cluster::external::Truth;
use clmatch_cluster::{Dbscan, Hdbscan, KMeans, Linkage, Matrix, Stop, Ties};
use clmatch_kernels::trees;

type Fault = Box<dyn Error + Send + Sync>;
/// The seconds that a run took, and its results by name.
type Run = Result<(f64, Vec<(&'static str, f64)>), Fault>;

const USAGE: &str = "usage: bench_worker STEM FEATURES f64|f32 THREADS JOB [ARGUMENT]";
const RUNS: usize = 3;
/// No run follows once the runs so far took longer than this many seconds.
const LONG: f64 = 1.0;
const RANDOM_LABELLINGS: usize = 200;
const CLUSTERS: usize = 10;

fn main() -> Result<(), Fault> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [stem, features, scalar, threads, job, ref argument @ ..] = words[..] else {
        return Err(USAGE.into());
    };
    let argument = argument.first().copied().unwrap_or_default();
    let dataset = Dataset::load(stem, features.parse()?, scalar)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let mut spent = 0.0;
    for _ in 0..RUNS {
        let (seconds, values) = pool.install(|| dataset.run(job, argument))?;
        let values: String = values.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        println!("{seconds}{values}");
        spent += seconds;
        if spent > LONG {
            break;
        }
    }
    Ok(())
}

struct Dataset {
    classes: Classes<'static>,
    encoded: Labels,
    labels: Vec<i64>,
}

impl Dataset {
    fn load(stem: &str, features: usize, scalar: &str) -> Result<Dataset, Fault> {
        let values = numbers(&format!("{stem}.f64"), f64::from_le_bytes)?;
        let labels = numbers(&format!("{stem}.labels"), i64::from_le_bytes)?;
        let points = match scalar {
            "f64" => Points::new(values, features)?,
            "f32" => Points::new(values.iter().map(|&value| value as f32).collect::<Vec<f32>>(), features)?,
            _ => return Err(USAGE.into()),
        };
        let encoded = Labels::encode(&labels);
        Ok(Dataset { classes: Classes::new(points, &encoded)?, encoded, labels })
    }

    fn run(&self, job: &str, argument: &str) -> Run {
        match job {
            "evaluate" | "check" | "intervals" | "chance" => self.scores(job, &measures(argument)?),
            "draws" | "redraws" | "auto" => self.features(job, argument),
            "tree" => self.tree(),
            _ => self.clustering(job),
        }
    }

    /// Scores, by job: of validated points; of points and labels that are validated in the run ("check"); with intervals;
    /// with the scores of random labels.
    fn scores(&self, job: &str, measures: &[&'static Measure]) -> Run {
        let (classes, control) = (&self.classes, Control::none());
        let (seconds, evaluation) = timed(|| {
            if job == "check" {
                let points = classes.points();
                let points = match points.values() {
                    Values::F64(values) => Points::new(&values[..], points.n_features()),
                    Values::F32(values) => Points::new(&values[..], points.n_features()),
                }?;
                return evaluate(&Classes::new(points, &Labels::encode(&self.labels))?, measures);
            }
            let evaluation = evaluate(classes, measures)?;
            if job == "intervals" {
                black_box(intervals::replicates(classes, measures, 1, control)?);
            } else if job == "chance" {
                let count = RANDOM_LABELLINGS;
                black_box(chance::random_labels(classes, measures, &evaluation, count, 1, control)?);
            }
            Ok(evaluation)
        })?;
        Ok((seconds, evaluation.scores.iter().map(|(id, score)| (*id, score.value)).collect()))
    }

    /// The paper's search for features: on moments, reading the data for each subset, or `auto` for a number of seconds.
    fn features(&self, job: &str, argument: &str) -> Run {
        let (paper, control) = (Options::paper(), Control::none());
        let options = match job {
            "redraws" => return self.redraws(argument.parse()?, paper.seed),
            "draws" => Options { method: Method::Random, draws: argument.parse()?, ..paper },
            _ => Options { budget: Some(Duration::from_secs_f64(argument.parse()?)), ..paper },
        };
        let (seconds, found) = timed(|| search(&self.classes, &options, control))?;
        Ok((seconds, vec![("ch_a", self.ch_a(&found.weights)?)]))
    }

    fn redraws(&self, draws: usize, seed: u64) -> Run {
        let features = self.classes.points().n_features();
        let (seconds, best) = timed(|| {
            let subsets = Draws::new(features, 1, seed).take(draws);
            let mut scores = subsets.map(|subset| {
                let weights: Vec<f64> = subset.iter().map(|&kept| f64::from(u8::from(kept))).collect();
                self.ch_a(&weights)
            });
            scores.try_fold(0.0_f64, |best, score| score.map(|score| best.max(score)))
        })?;
        Ok((seconds, vec![("ch_a", best)]))
    }

    /// The score with weighted features, read from the data.
    fn ch_a(&self, weights: &[f64]) -> Result<f64, Fault> {
        let points = self.classes.points();
        let values = reweight(points.values(), points.n_features(), weights);
        let kept = weights.iter().filter(|weight| **weight > 0.0).count();
        let classes = Classes::new(Points::new(values, kept)?, &self.encoded)?;
        Ok(evaluate(&classes, &measures("ch_a")?)?.value("ch_a").unwrap_or(f64::NAN))
    }

    /// The minimum spanning tree of all points.
    fn tree(&self) -> Run {
        let points = trees::Points::new(self.numbers()?, self.classes.points().n_features());
        let everyone = (0..self.labels.len() as u32).collect();
        let (seconds, tree) = timed(|| trees::spanning_tree(points, everyone, Control::none()))?;
        Ok((seconds, vec![("length", tree.gaps().iter().map(|square| square.sqrt()).sum())]))
    }

    /// Runs a technique with the settings in `bench/implementations.py`.
    fn clustering(&self, job: &str) -> Run {
        let points = Matrix::new(self.numbers()?, self.classes.points().n_features())?;
        let stop = Stop::new();
        if job == "kmeans" {
            let technique = KMeans { clusters: CLUSTERS, starts: 4, ..KMeans::default() };
            let (seconds, fit) = timed(|| technique.fit(&points, &stop))?;
            return Ok((seconds, vec![("inertia", fit.inertia)]));
        }
        let (seconds, labels) = timed(|| match job {
            "dbscan" => Ok(Dbscan { eps: 3.2, min_samples: 5 }.fit(&points, &stop)?),
            "hdbscan" => Ok(Hdbscan { min_cluster_size: 15, min_samples: 5, selection_epsilon: 0.0 }
                .fit(&points, &stop)?),
            "average" => Ok(Linkage::Average.fit(&points, Ties::Exact, &stop)?.cut(CLUSTERS)),
            _ => Err(Fault::from(format!("unknown job {job}"))),
        })?;
        Ok((seconds, vec![("arand", Truth::new(&self.labels).score(&labels).arand)]))
    }

    fn numbers(&self) -> Result<&[f64], Fault> {
        match self.classes.points().values() {
            Values::F64(values) => Ok(values),
            Values::F32(_) => Err("this job is for f64".into()),
        }
    }
}

fn timed<T, E: Into<Fault>>(work: impl FnOnce() -> Result<T, E>) -> Result<(f64, T), Fault> {
    let start = Instant::now();
    let found = work().map_err(Into::into)?;
    Ok((start.elapsed().as_secs_f64(), found))
}

fn measures(ids: &str) -> Result<Vec<&'static Measure>, Fault> {
    if ids == "all" {
        return Ok(REGISTRY.to_vec());
    }
    ids.split(',').map(|id| find(id).ok_or_else(|| format!("unknown measure {id}").into())).collect()
}

fn numbers<T>(path: &str, decode: fn([u8; 8]) -> T) -> Result<Vec<T>, Fault> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|&chunk| decode(chunk)).collect())
}
