//! The headline score, which needs the spanning trees of all pairs of classes, and a spanning tree alone.

use super::Bench;
use super::contest::Side;
use super::row::{Bar, Row};
use super::workload::{CLUSTERS, PAIRS, TREES_2, TREES_100, TREES_1000, Workload};

/// Sums of some 20,000 lengths.
const LENGTH: f64 = 1e-9;
const MISSING: &str = "a side of the contest is missing";

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    for (workload, bar) in [(&TREES_2, 3.0), (&PAIRS, 3.0), (&TREES_100, 4.0), (&TREES_1000, 10.0)] {
        headline(bench, workload, bar)?;
    }
    alone(bench)
}

/// `clm` against a single sweep over all pairs of points, and all measures against `clm`.
fn headline(bench: &mut Bench, workload: &Workload, bar: f64) -> Result<(), String> {
    let name = workload.name;
    bench.load(workload)?;
    let one = Side::ours(name, "clm").on_one_thread();
    let bests =
        bench.contest(&[Side::ours(name, "clm"), Side::ours(name, "sc_a"), Side::ours(name, "all"), one])?;
    let [clm, sc_a, all, one] = &bests[..] else { return Err(MISSING.into()) };
    let what = format!("{}, {} classes", bench.size(workload), workload.classes);
    bench.rows.extend([
        Row::times(&format!("clm, {what}"), clm, "our sc_a", sc_a, Bar::AtMost(bar)),
        Row::times(&format!("all measures, {what}"), all, "our clm", clm, Bar::AtMost(1.5)),
    ]);
    bench.agree(&format!("{name}, 1 thread and 2 threads"), "clm", (clm, one), 0.0);
    bench.free(name)
}

/// The tree of all points.
fn alone(bench: &mut Bench) -> Result<(), String> {
    let name = CLUSTERS.name;
    bench.load(&CLUSTERS)?;
    let sides = [
        Side::job(name, "tree", "all"),
        Side::peer(name, "scipy.tree"),
        Side::peer(name, "hdbscan.tree"),
        Side::peer(name, "fast_hdbscan.tree"),
    ];
    let bests = bench.contest(&sides)?;
    let [ours, scipy, hdbscan, fast_hdbscan] = &bests[..] else { return Err(MISSING.into()) };
    let what = format!("spanning tree, {}", bench.size(&CLUSTERS));
    bench.rows.extend([
        Row::times(&what, ours, "scipy", scipy, Bar::AtLeast(5.0)),
        Row::times(&what, ours, "hdbscan", hdbscan, Bar::AtLeast(3.0)),
        Row::times(&what, ours, "fast_hdbscan", fast_hdbscan, Bar::AtLeast(3.0)),
    ]);
    bench.agree("spanning tree, scipy", "length", (ours, scipy), LENGTH);
    bench.agree("spanning tree, hdbscan", "length", (ours, hdbscan), LENGTH);
    // It works in single precision.
    bench.agree("spanning tree, fast_hdbscan", "length", (ours, fast_hdbscan), 1e-5);
    bench.free(name)
}
