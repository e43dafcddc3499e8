//! From a file to a matrix, each time in a fresh process so that peak memory can be told.
//!
//! Our side ends with validated labels and a row-major matrix of f64. Peers are timed until their table is there, and
//! again until they have such a matrix.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::contest::{Best, Turn};
use super::row::{Amount, Bar, Row};
use super::workload::{TABLE_FEATURES, TABLE_ROWS, TABLE_SEED};
use super::{Bench, THREADS, peers, thread_variables};
use crate::shell::{cargo, output, run, target};

const SUM: f64 = 1e-9;
/// Reading fluctuates less than computing, and each turn starts a process.
const ROUNDS: usize = 5;

/// What one read cost.
struct Cost {
    /// Until the reader's own table is there.
    table: f64,
    /// Until there is a row-major matrix of f64.
    matrix: f64,
    peak: f64,
    sum: f64,
}

/// The best of several reads.
struct Reading {
    table: Result<Best, String>,
    matrix: Result<Best, String>,
    peak: Result<Amount, String>,
}

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    let rows = bench.settings.rows(TABLE_ROWS);
    println!("reading: {rows} rows of {TABLE_FEATURES} numbers and a label");
    let stem = bench.folder.join(format!("table-{rows}"));
    bench.peers.ask(&format!("table {rows} {TABLE_FEATURES} {TABLE_SEED} {}", stem.display()))?;
    let built =
        run(cargo().args(["build", "--release", "--quiet", "-p", "clmatch-data", "--example", "bench_read"]));
    let file = |end: &str| PathBuf::from(format!("{}{end}", stem.display()));
    let (csv, parquet, single) = (file(".csv"), file(".parquet"), file("-one.parquet"));
    let megabytes = |file: &Path| std::fs::metadata(file).map_or(0, |file| file.len() / 1_000_000);
    let matrix = (rows * TABLE_FEATURES * 8) as f64;

    let sides = [
        ("ours", &csv),
        ("pandas", &csv),
        ("polars", &csv),
        ("ours", &parquet),
        ("polars", &parquet),
        ("ours", &single),
        ("polars", &single),
    ];
    let [ours, pandas, polars, parquets @ ..] = compare(bench, &built, sides);
    let name = format!("CSV, {} MB", megabytes(&csv));
    bench.rows.extend([
        Row::times(&name, &ours.matrix, "pandas.read_csv", &pandas.table, Bar::AtLeast(3.0)),
        Row::times(&name, &ours.matrix, "polars.read_csv", &polars.table, Bar::AtLeast(3.0)),
        Row::times(&name, &ours.matrix, "pandas, to a row-major matrix", &pandas.matrix, Bar::None),
        Row::times(&name, &ours.matrix, "polars, to a row-major matrix", &polars.matrix, Bar::None),
        memory(&name, &ours, matrix),
    ]);
    bench.agree("CSV, pandas", "sum", (&ours.matrix, &pandas.matrix), SUM);
    bench.agree("CSV, polars", "sum", (&ours.matrix, &polars.matrix), SUM);
    let names = ["Parquet, same data", "Parquet, a single row group"];
    for (name, [ours, polars]) in names.into_iter().zip(parquets.as_chunks::<2>().0) {
        let against = "polars, to a row-major matrix";
        bench.rows.extend([
            Row::times(name, &ours.matrix, against, &polars.matrix, Bar::AtMost(1.0)),
            Row::times(name, &ours.matrix, "polars.read_parquet, columns only", &polars.table, Bar::None),
            memory(name, ours, matrix),
        ]);
        bench.agree(name, "sum", (&ours.matrix, &polars.matrix), SUM);
    }
    for (end, reader, against) in [
        (".svm", "scikit-learn", "sklearn.datasets.load_svmlight_file"),
        (".arff", "scipy", "scipy.io.arff.loadarff"),
    ] {
        let file = file(end);
        let [ours, theirs] = compare(bench, &built, [("ours", &file), (reader, &file)]);
        let name = format!("{}, {} MB", if end == ".svm" { "svmlight" } else { "ARFF" }, megabytes(&file));
        bench.rows.push(Row::times(&name, &ours.matrix, against, &theirs.table, Bar::AtLeast(5.0)));
        bench.agree(&name, "sum", (&ours.matrix, &theirs.matrix), SUM);
    }
    Ok(())
}

fn memory(name: &str, ours: &Reading, matrix: f64) -> Row {
    Row {
        workload: format!("{name}, peak memory"),
        ours: ours.peak.clone(),
        against: "the matrix".to_owned(),
        theirs: Ok(Amount::Bytes(matrix)),
        bar: Bar::AtMost(2.0),
    }
}

/// Lets the readers take turns.
fn compare<const N: usize>(
    bench: &mut Bench,
    built: &Result<(), String>,
    sides: [(&str, &PathBuf); N],
) -> [Reading; N] {
    let mut costs: [Vec<Result<Cost, String>>; N] = std::array::from_fn(|_| Vec::new());
    for round in 0..bench.settings.rounds().min(ROUNDS) {
        for ((reader, file), costs) in sides.iter().zip(&mut costs) {
            let name = file.file_name().unwrap_or_default().display();
            let side = format!("{reader} {name}");
            println!("  {side}");
            let cost = match (*reader, built) {
                ("ours", Err(why)) => Err(why.clone()),
                ("ours", Ok(())) => ours(file),
                (peer, _) => theirs(&mut peers::command(&bench.environment), peer, file),
            };
            if let Ok(cost) = &cost {
                let turn = |side, seconds| Turn { side, threads: THREADS, round, seconds };
                bench.turns.push(turn(format!("{side}: table"), cost.table));
                bench.turns.push(turn(format!("{side}: matrix"), cost.matrix));
            }
            costs.push(cost);
        }
    }
    costs.map(|costs| best(&costs))
}

/// The shortest times, and the largest peak.
fn best(costs: &[Result<Cost, String>]) -> Reading {
    let good: Vec<&Cost> = costs.iter().flatten().collect();
    let why = || costs.iter().find_map(|cost| cost.as_ref().err().cloned()).unwrap_or_default();
    let shortest = |of: fn(&Cost) -> f64| {
        let first = good.first().ok_or_else(why)?;
        let seconds = good.iter().map(|cost| of(cost)).fold(f64::INFINITY, f64::min);
        Ok(Best { seconds, values: vec![("sum".to_owned(), first.sum)] })
    };
    let peak = good.iter().map(|cost| cost.peak).reduce(f64::max);
    Reading {
        table: shortest(|cost| cost.table),
        matrix: shortest(|cost| cost.matrix),
        peak: peak.map(Amount::Bytes).ok_or_else(why),
    }
}

fn ours(file: &Path) -> Result<Cost, String> {
    let program = target().join("release").join("examples").join("bench_read");
    match numbers(Command::new(program).arg(file))?[..] {
        [seconds, peak, sum] => Ok(Cost { table: seconds, matrix: seconds, peak, sum }),
        _ => Err("bench_read answers something else".to_owned()),
    }
}

fn theirs(peers: &mut Command, reader: &str, file: &Path) -> Result<Cost, String> {
    match numbers(peers.args(["read", reader]).arg(file))?[..] {
        [table, matrix, peak, sum] => Ok(Cost { table, matrix, peak, sum }),
        _ => Err("bench/peers.py answers something else".to_owned()),
    }
}

/// Runs a program that prints numbers.
fn numbers(command: &mut Command) -> Result<Vec<f64>, String> {
    let ended = output(command.envs(thread_variables()), false)?;
    if !ended.success {
        return Err(ended.err.lines().next_back().unwrap_or("it failed").to_owned());
    }
    let text = String::from_utf8_lossy(&ended.out);
    text.split_whitespace().map(|word| word.parse().map_err(|_| format!("{word} is no number"))).collect()
}
