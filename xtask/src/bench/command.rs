//! The command from its start to its exit, against Python processes that load the same file and score it.
//!
//! All processes are started and timed by `bench/peers.py`, which is told the peak memory of each when it ends.

use std::path::Path;

use super::Bench;
use super::contest::{Best, Side};
use super::peers;
use super::row::{Amount, Bar, Row};
use super::workload::MILLION;
use crate::shell::{cargo, run, target};

/// Scores of numbers in double precision; CH adds up a million squares in another order.
const SCORE: f64 = 1e-9;
/// The same in single precision, where the peers sum in single precision, too.
const SINGLE_SCORE: f64 = 1e-3;
/// Loading and summing, the least that a score takes.
const LOAD_AND_SUM: f64 = 1.3;
const OTHER_CH_A: f64 = 40.0;
const OTHER_CH: f64 = 2.0;
/// What may be held besides the matrix.
const MEMORY: f64 = 1.15;
/// From the start of the process to its exit where there is hardly anything to do.
const START: f64 = 0.010;

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    let rows = bench.settings.rows(MILLION.rows);
    println!("command: {}", bench.size(&MILLION));
    let stem = bench.folder.join(format!("files-{rows}"));
    let (features, classes, seed) = (MILLION.features, MILLION.classes, MILLION.seed);
    bench.peers.ask(&format!("files {rows} {features} {classes} {seed} {}", stem.display()))?;
    // The system counts what a process held before it started another one to the peak of the other one.
    bench.peers = peers::start(&bench.environment)?;
    run(cargo().args(["build", "--release", "--quiet", "--workspace", "--bin", "clmatch"]))?;
    let program = target().join("release").join("clmatch");
    bench.peers.ask(&format!("program {}", program.display()))?;
    let double = (rows * features * 8) as f64;
    arrays(bench, "NPY, f64", &stem.join("double"), double, SCORE)?;
    arrays(bench, "NPY, f32", &stem.join("single"), double / 2.0, SINGLE_SCORE)?;
    tables(bench, "CSV", &stem.join("table.csv"), double, &["pandas", "polars"])?;
    tables(bench, "Parquet", &stem.join("table.parquet"), double, &["polars"])?;
    tables(bench, "Arrow IPC", &stem.join("table.arrow"), double, &["polars"])?;
    start(bench, &stem.join("iris.csv"))
}

/// Our command, with the measures to compute.
fn ours(file: &Path, measures: &str) -> Side {
    Side::process(
        &format!("clmatch {measures} {}", name(file)),
        &format!("clmatch {measures} {}", file.display()),
    )
}

/// A Python program of `bench/peers.py`.
fn peer(file: &Path, program: &str) -> Side {
    Side::process(&format!("{program} {}", name(file)), &format!("process {program} {}", file.display()))
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().display().to_string()
}

/// A folder with points and labels as NPY.
fn arrays(bench: &mut Bench, kind: &str, folder: &Path, matrix: f64, tolerance: f64) -> Result<(), String> {
    let sides = [
        ours(folder, "ch_a"),
        ours(folder, "ch"),
        peer(folder, "numpy.sum"),
        peer(folder, "sklearn.ch"),
        peer(folder, "pyivm.ch_a"),
    ];
    let bests = bench.contest(&sides)?;
    let [ch_a, ch, sum, sklearn, pyivm] = &bests[..] else { return Err("a side is missing".into()) };
    let workload = |id: &str| format!("{id} of {kind}, {}", bench.size(&MILLION));
    let (name_a, name) = (workload("ch_a"), workload("ch"));
    let ch_limit = "sklearn's CH, load included";
    bench.rows.extend([
        Row::times(&name_a, ch_a, "numpy.load(...).sum()", sum, Bar::AtMost(LOAD_AND_SUM)),
        Row::times(&name_a, ch_a, "pyivm's CH_A, load included", pyivm, Bar::AtLeast(OTHER_CH_A)),
        Row::times(&name, ch, ch_limit, sklearn, Bar::AtLeast(OTHER_CH)),
        memory(&name_a, ch_a, matrix),
    ]);
    bench.agree(&format!("{kind}, pyivm"), "score", (ch_a, pyivm), tolerance);
    bench.agree(&format!("{kind}, scikit-learn"), "score", (ch, sklearn), tolerance);
    Ok(())
}

/// A table with named columns, read by some libraries.
fn tables(bench: &mut Bench, kind: &str, file: &Path, matrix: f64, readers: &[&str]) -> Result<(), String> {
    let mut sides = vec![ours(file, "ch")];
    sides.extend(readers.iter().map(|reader| peer(file, &format!("{reader}.ch"))));
    let bests = bench.contest(&sides)?;
    let workload = format!("ch of {kind}, {}", bench.size(&MILLION));
    for (reader, best) in readers.iter().zip(&bests[1..]) {
        let against = format!("{reader} and sklearn's CH");
        bench.rows.push(Row::times(&workload, &bests[0], &against, best, Bar::AtLeast(OTHER_CH)));
        bench.agree(&format!("{kind}, {reader}"), "score", (&bests[0], best), SCORE);
    }
    let mut row = memory(&workload, &bests[0], matrix);
    if kind == "Parquet" {
        // Decompressed pages are held besides the matrix.
        row.bar = Bar::None;
    }
    bench.rows.push(row);
    Ok(())
}

fn memory(workload: &str, ours: &Result<Best, String>, matrix: f64) -> Row {
    let peak = match ours {
        Ok(best) => best.value("peak").map(Amount::Bytes).ok_or_else(|| "not told".to_owned()),
        Err(why) => Err(why.clone()),
    };
    Row {
        workload: format!("{workload}, peak memory"),
        ours: peak,
        against: "the matrix".to_owned(),
        theirs: Ok(Amount::Bytes(matrix)),
        bar: Bar::AtMost(MEMORY),
    }
}

/// Runs in which there is hardly anything to do.
fn start(bench: &mut Bench, iris: &Path) -> Result<(), String> {
    let version = Side::process("clmatch --version", "clmatch");
    let bests = bench.contest(&[version, ours(iris, "clm")])?;
    for (workload, best) in ["clmatch --version", "clm of iris.csv"].into_iter().zip(&bests) {
        let limit = Ok(Best { seconds: START, values: Vec::new() });
        bench.rows.push(Row::times(workload, best, "10 ms", &limit, Bar::AtMost(1.0)));
    }
    Ok(())
}
