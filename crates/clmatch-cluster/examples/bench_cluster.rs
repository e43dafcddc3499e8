//! Holds datasets in memory and times clustering jobs on them, one request a line, for `cargo xtask bench`.
//!
//! ```text
//! threads N                          from now on use so many threads
//! load NAME f64 FEATURES STEM        read STEM.f64 (rows of numbers) and STEM.labels (i64), both little-endian
//! free NAME                          forget a dataset
//! run NAME JOB                       ami, kmeans, dbscan, hdbscan, average
//! ```
//!
//! Each request is answered by one line: `ok`, then the seconds and `JOB=value`; or `error` and why. The value of a
//! clustering is its adjusted Rand index with the labels, that of K-Means its inertia, and `ami` compares the labels with
//! labels of which every third is replaced.
#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::time::Instant;

use clmatch_cluster::external::Truth;
use clmatch_cluster::{Dbscan, Hdbscan, KMeans, Linkage, Matrix, Stop, Ties};
use rayon::{ThreadPool, ThreadPoolBuilder};

type Fault = Box<dyn Error + Send + Sync>;

/// Settings that `bench/peers.py` has too.
const CLUSTERS: usize = 10;
const STARTS: usize = 4;
const EPS: f64 = 3.2;
const MIN_SAMPLES: usize = 5;
const MIN_CLUSTER_SIZE: usize = 15;

struct Dataset {
    values: Vec<f64>,
    features: usize,
    labels: Vec<i64>,
}

fn main() -> Result<(), Fault> {
    let mut pool = pool(1)?;
    let mut datasets: HashMap<String, Dataset> = HashMap::new();
    for line in std::io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        let answer = match words[..] {
            ["threads", count] => count.parse().map_err(Fault::from).and_then(self::pool).map(|new| {
                pool = new;
                String::new()
            }),
            ["load", name, "f64", features, stem] => load(stem, features).map(|dataset| {
                datasets.insert(name.to_owned(), dataset);
                String::new()
            }),
            ["free", name] => {
                datasets.remove(name);
                Ok(String::new())
            }
            ["run", name, job] => match datasets.get(name) {
                Some(dataset) => pool.install(|| run(dataset, job)),
                None => Err(format!("no dataset {name} was loaded").into()),
            },
            _ => Err(format!("unknown request: {line}").into()),
        };
        match answer {
            Ok(answer) => println!("ok {answer}"),
            Err(error) => println!("error {error}"),
        }
    }
    Ok(())
}

fn run(dataset: &Dataset, job: &str) -> Result<String, Fault> {
    let stop = Stop::new();
    let points = Matrix::new(&dataset.values, dataset.features)?;
    let agreement = |labels: &[i32]| Truth::new(&dataset.labels).score(labels);
    let start = Instant::now();
    let (seconds, value) = match job {
        "ami" => {
            let others = others(&dataset.labels);
            let start = Instant::now();
            let ami = agreement(&others).ami;
            (start.elapsed(), ami)
        }
        "kmeans" => {
            let fit =
                KMeans { clusters: CLUSTERS, starts: STARTS, ..KMeans::default() }.fit(&points, &stop)?;
            (start.elapsed(), fit.inertia)
        }
        _ => {
            let labels = match job {
                "dbscan" => Dbscan { eps: EPS, min_samples: MIN_SAMPLES }.fit(&points, &stop)?,
                "hdbscan" => Hdbscan {
                    min_cluster_size: MIN_CLUSTER_SIZE,
                    min_samples: MIN_SAMPLES,
                    selection_epsilon: 0.0,
                }
                .fit(&points, &stop)?,
                "average" => Linkage::Average.fit(&points, Ties::Exact, &stop)?.cut(CLUSTERS),
                _ => return Err(format!("unknown job {job}").into()),
            };
            (start.elapsed(), agreement(&labels).arand)
        }
    };
    Ok(format!("{} {job}={value}", seconds.as_secs_f64()))
}

/// The labels, every third one replaced.
fn others(labels: &[i64]) -> Vec<i32> {
    let replace = |(at, &label): (usize, &i64)| if at % 3 == 0 { (at / 3 % 50) as i32 } else { label as i32 };
    labels.iter().enumerate().map(replace).collect()
}

fn pool(threads: usize) -> Result<ThreadPool, Fault> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}

fn load(stem: &str, features: &str) -> Result<Dataset, Fault> {
    let values = numbers(&format!("{stem}.f64"), f64::from_le_bytes)?;
    let labels = numbers(&format!("{stem}.labels"), i64::from_le_bytes)?;
    Ok(Dataset { values, features: features.parse()?, labels })
}

fn numbers<T>(path: &str, decode: fn([u8; 8]) -> T) -> Result<Vec<T>, Fault> {
    let bytes = fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|&chunk| decode(chunk)).collect())
}
