//! What intervals and random labels cost, in evaluations of the same measures.

use super::Bench;
use super::contest::Side;
use super::row::{Bar, Row};
use super::workload::{FEWER_PAIRS, PAIRS, Workload};

/// The measures that are shown when none is asked for.
const DEFAULTS: &str = "clm,ch_a,xb_a,db_a,di_a,sc_a";

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    for (workload, measures) in
        [(&FEWER_PAIRS, &[DEFAULTS, "clm", "sc_a", "di_a", "ch_a"][..]), (&PAIRS, &[DEFAULTS, "clm", "sc_a"])]
    {
        bench.load(workload)?;
        for ids in measures {
            intervals(bench, workload, ids)?;
        }
        bench.free(workload.name)?;
    }
    bench.load(&FEWER_PAIRS)?;
    for ids in [DEFAULTS, "clm", "sc_a", "ch_a"] {
        random_labels(bench, &FEWER_PAIRS, ids)?;
    }
    bench.free(FEWER_PAIRS.name)
}

/// Scores with intervals against scores alone.
fn intervals(bench: &mut Bench, workload: &Workload, ids: &str) -> Result<(), String> {
    let name = workload.name;
    let bests = bench.contest(&[Side::job(name, "intervals", ids), Side::ours(name, ids)])?;
    let [with, without] = &bests[..] else { return Err("a side of the contest is missing".into()) };
    let what = format!("{ids} with intervals, {}", bench.size(workload));
    bench.rows.push(Row::times(&what, with, "without", without, Bar::AtMost(3.0)));
    Ok(())
}

/// Scores and those of 200 random labellings against scores alone.
fn random_labels(bench: &mut Bench, workload: &Workload, ids: &str) -> Result<(), String> {
    let name = workload.name;
    let bests = bench.contest(&[Side::job(name, "chance", ids), Side::ours(name, ids)])?;
    let [with, without] = &bests[..] else { return Err("a side of the contest is missing".into()) };
    let what = format!("{ids} and 200 random labellings, {}", bench.size(workload));
    bench.rows.push(Row::times(&what, with, "without", without, Bar::AtMost(20.0)));
    Ok(())
}
