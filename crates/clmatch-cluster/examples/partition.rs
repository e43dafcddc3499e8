//! `partition TECHNIQUE key=value... < numbers.csv > labels`: clusters rows of comma-separated numbers.
//!
//! Prints one label per line. For comparisons with other implementations; settings that are not given take their
//! defaults.
//!
//! `partition agreement < pairs.csv` takes a class and a label per line, and prints the external measures instead.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read, Write};
use std::str::FromStr;

use clmatch_cluster::external::{External, Truth};
use clmatch_cluster::{
    Birch, Dbscan, Hdbscan, KMeans, KMedoids, KMedoidsAlgorithm, Linkage, Matrix, Stop, Ties, XMeans,
};

type Fault = Box<dyn Error>;

fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let technique = arguments.next().ok_or("which technique?")?;
    let mut settings = Settings::parse(arguments)?;
    let (values, features) = read()?;
    if technique == "agreement" {
        return agreement(&values);
    }
    let labels = partition(&technique, &mut settings, &Matrix::new(values, features)?)?;
    settings.finish()?;
    let lines: String = labels.iter().map(|label| format!("{label}\n")).collect();
    Ok(std::io::stdout().write_all(lines.as_bytes())?)
}

/// Each external measure, one per line.
fn agreement(pairs: &[f64]) -> Result<(), Fault> {
    let column = |first: usize| pairs[first..].iter().step_by(2).map(|&value| value as i32);
    let found = Truth::new(column(0)).score(&column(1).collect::<Vec<i32>>());
    let lines: String =
        External::ALL.map(|external| format!("{} {}\n", external.id(), found.get(external))).concat();
    Ok(std::io::stdout().write_all(lines.as_bytes())?)
}

/// One arm per technique.
fn partition(technique: &str, settings: &mut Settings, points: &Matrix<'_>) -> Result<Vec<i32>, Fault> {
    let stop = Stop::new();
    Ok(match technique {
        "kmeans" => {
            let default = KMeans::default();
            let technique = KMeans {
                clusters: settings.take("clusters", default.clusters)?,
                starts: settings.take("starts", default.starts)?,
                seed: settings.take("seed", default.seed)?,
                max_iterations: settings.take("max_iterations", default.max_iterations)?,
                tolerance: settings.take("tolerance", default.tolerance)?,
            };
            technique.fit(points, &stop)?.labels
        }
        "kmedoids" => {
            let default = KMedoids::default();
            let technique = KMedoids {
                clusters: settings.take("clusters", default.clusters)?,
                starts: settings.take("starts", default.starts)?,
                seed: settings.take("seed", default.seed)?,
                max_iterations: settings.take("max_iterations", default.max_iterations)?,
                algorithm: match settings.take("algorithm", "alternating".to_owned())?.as_str() {
                    "alternating" => KMedoidsAlgorithm::Alternating,
                    "fasterpam" => KMedoidsAlgorithm::FasterPam,
                    other => return Err(format!("no algorithm `{other}`").into()),
                },
            };
            technique.fit(points, &stop)?.labels
        }
        "xmeans" => {
            let default = XMeans::default();
            let technique = XMeans {
                kmax: settings.take("kmax", default.kmax)?,
                tolerance: settings.take("tolerance", default.tolerance)?,
                repeats: settings.take("repeats", default.repeats)?,
                seed: settings.take("seed", default.seed)?,
            };
            technique.fit(points, &stop)?.labels
        }
        "birch" => {
            let default = Birch::default();
            // 0 clusters: every subcluster is a cluster.
            let clusters = settings.take("clusters", 3)?;
            let technique = Birch {
                threshold: settings.take("threshold", default.threshold)?,
                branching_factor: settings.take("branching_factor", default.branching_factor)?,
                clusters: (clusters > 0).then_some(clusters),
            };
            technique.fit(points, &stop)?.labels
        }
        "dbscan" => {
            let technique =
                Dbscan { eps: settings.take("eps", 0.5)?, min_samples: settings.take("min_samples", 5)? };
            technique.fit(points, &stop)?
        }
        "hdbscan" => {
            let technique = Hdbscan {
                min_cluster_size: settings.take("min_cluster_size", 5)?,
                min_samples: settings.take("min_samples", 5)?,
                selection_epsilon: settings.take("epsilon", 0.0)?,
            };
            technique.fit(points, &stop)?
        }
        "single" | "average" | "complete" => {
            let linkage = match technique {
                "single" => Linkage::Single,
                "average" => Linkage::Average,
                _ => Linkage::Complete,
            };
            linkage.fit(points, Ties::Exact, &stop)?.cut(settings.take("clusters", 2)?)
        }
        other => return Err(format!("no technique `{other}`").into()),
    })
}

/// Reads rows of numbers from the standard input; returns the values, row after row, and the length of a row.
fn read() -> Result<(Vec<f64>, usize), Fault> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut values = vec![];
    let mut features = 0;
    for (line, row) in text.lines().enumerate() {
        let before = values.len();
        for number in row.split(',') {
            values.push(number.trim().parse().map_err(|_| format!("line {}: `{number}`", line + 1))?);
        }
        features = values.len() - before;
        if values.len() != features * (line + 1) {
            return Err(format!("line {} has {features} numbers, unlike those before", line + 1).into());
        }
    }
    Ok((values, features))
}

/// The `key=value` arguments that have not been taken yet.
struct Settings(BTreeMap<String, String>);

impl Settings {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Fault> {
        let pair = |argument: String| {
            let (key, value) = argument.split_once('=').ok_or(format!("`{argument}` is not key=value"))?;
            Ok((key.to_owned(), value.to_owned()))
        };
        Ok(Settings(arguments.map(pair).collect::<Result<_, Fault>>()?))
    }

    /// Takes the value of a key, or the default.
    fn take<T: FromStr>(&mut self, key: &str, default: T) -> Result<T, Fault> {
        match self.0.remove(key) {
            Some(value) => value.parse().map_err(|_| format!("`{value}` is no {key}").into()),
            None => Ok(default),
        }
    }

    /// An error if a given key was never taken.
    fn finish(self) -> Result<(), Fault> {
        match self.0.keys().next() {
            Some(key) => Err(format!("the technique has no setting `{key}`").into()),
            None => Ok(()),
        }
    }
}
