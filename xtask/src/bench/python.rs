//! The Python package against the library called from Rust, and against scikit-learn.

use super::Bench;
use super::contest::{Best, Side};
use super::row::{Amount, Bar, Row};
use super::workload::{IRIS, MILLION, PAIRS, Workload};

/// What a call from Python may add on a small dataset.
const CALL: f64 = 100e-6;
/// What it may add on a large one, as a factor.
const SHARE: f64 = 1.1;
const MISSING: &str = "a side of the contest is missing";

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    small(bench)?;
    large(bench, &PAIRS, &["clm", "sc_a"])?;
    silhouette(bench)?;
    large(bench, &MILLION, &["ch_a"])
}

/// What a call costs, and whether the whole score comes sooner than scikit-learn's silhouette.
fn small(bench: &mut Bench) -> Result<(), String> {
    let name = IRIS.name;
    bench.load(&IRIS)?;
    let sides = [Side::peer(name, "clmatch.clm"), Side::checked(name, "clm"), Side::peer(name, "sklearn.sc")];
    let bests = bench.contest(&sides)?;
    let [python, rust, sklearn] = &bests[..] else { return Err(MISSING.into()) };
    let what = format!("score in Python, {}", bench.size(&IRIS));
    bench.rows.push(Row {
        workload: format!("{what}: more than in Rust"),
        ours: more(python, rust),
        against: "100 microseconds".to_owned(),
        theirs: Ok(Amount::Seconds(CALL)),
        bar: Bar::AtMost(1.0),
    });
    bench.rows.push(Row::times(&what, python, "scikit-learn's silhouette", sklearn, Bar::AtLeast(1.0)));
    bench.agree("iris, Python and Rust", "clm", (rust, python), 0.0);
    bench.free(name)
}

fn more(python: &Result<Best, String>, rust: &Result<Best, String>) -> Result<Amount, String> {
    let (python, rust) = (python.as_ref()?, rust.as_ref()?);
    Ok(Amount::Seconds(python.seconds - rust.seconds))
}

/// The same measures from both sides.
fn large(bench: &mut Bench, workload: &Workload, ids: &[&str]) -> Result<(), String> {
    let name = workload.name;
    bench.load(workload)?;
    for id in ids {
        let sides = [Side::peer(name, &format!("clmatch.{id}")), Side::checked(name, id)];
        let bests = bench.contest(&sides)?;
        let [python, rust] = &bests[..] else { return Err(MISSING.into()) };
        let what = format!("{id} in Python, {}", bench.size(workload));
        bench.rows.push(Row::times(&what, python, "in Rust", rust, Bar::AtMost(SHARE)));
        bench.agree(&format!("{name}, Python and Rust"), id, (rust, python), 0.0);
    }
    bench.free(name)
}

fn silhouette(bench: &mut Bench) -> Result<(), String> {
    let name = PAIRS.name;
    bench.load(&PAIRS)?;
    let bests = bench.contest(&[Side::peer(name, "clmatch.sc"), Side::peer(name, "sklearn.sc")])?;
    let [python, sklearn] = &bests[..] else { return Err(MISSING.into()) };
    let what = format!("silhouette in Python, {}", bench.size(&PAIRS));
    bench.rows.push(Row::times(&what, python, "scikit-learn's silhouette", sklearn, Bar::AtLeast(10.0)));
    bench.free(name)
}
