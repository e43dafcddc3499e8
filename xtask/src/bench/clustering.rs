//! External measures and clustering techniques.

use std::process::Command;

use super::Bench;
use super::contest::Side;
use super::row::{Bar, Row};
use super::worker::Worker;
use super::workload::{CLUSTERS, PARTITIONS};
use crate::shell::{cargo, run, target};

const EXACT: f64 = 1e-10;
/// Optima of a few starts.
const OPTIMUM: f64 = 0.02;

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    let example = ["-p", "clmatch-cluster", "--example", "bench_cluster"];
    run(cargo().args(["build", "--release", "--quiet"]).args(example))?;
    let program = target().join("release").join("examples").join("bench_cluster");
    let worker = Worker::start("our clustering", &mut Command::new(program))?;
    let before = std::mem::replace(&mut bench.ours, worker);
    let measured = external(bench).and_then(|()| techniques(bench));
    bench.ours = before;
    measured
}

fn external(bench: &mut Bench) -> Result<(), String> {
    let name = PARTITIONS.name;
    bench.load(&PARTITIONS)?;
    let bests = bench.contest(&[Side::ours(name, "ami"), Side::peer(name, "sklearn.ami")])?;
    let [ours, sklearn] = &bests[..] else { return Err("a side of the contest is missing".into()) };
    let what = format!("ami, {}, 50 clusters", bench.size(&PARTITIONS));
    bench.rows.push(Row::times(&what, ours, "scikit-learn's AMI", sklearn, Bar::AtLeast(10.0)));
    bench.agree("partitions, scikit-learn", "ami", (ours, sklearn), EXACT);
    bench.free(name)
}

fn techniques(bench: &mut Bench) -> Result<(), String> {
    let name = CLUSTERS.name;
    bench.load(&CLUSTERS)?;
    let jobs = ["kmeans", "dbscan", "hdbscan", "average"];
    let sides: Vec<Side> = jobs
        .iter()
        .flat_map(|job| [Side::ours(name, job), Side::peer(name, &format!("sklearn.{job}"))])
        .collect();
    let bests = bench.contest(&sides)?;
    let size = bench.size(&CLUSTERS);
    for (job, pair) in jobs.iter().zip(bests.chunks_exact(2)) {
        let [ours, theirs] = pair else { continue };
        bench.rows.push(Row::times(&format!("{job}, {size}"), ours, "scikit-learn", theirs, Bar::None));
        // scikit-learn sorts edges of equal length anyhow, and with them goes a point here and there: the Python tests
        // compare partitions with a stable sort.
        if *job != "hdbscan" {
            let tolerance = if *job == "kmeans" { OPTIMUM } else { EXACT };
            bench.agree("clusters, scikit-learn", job, (ours, theirs), tolerance);
        }
    }
    bench.free(name)
}
