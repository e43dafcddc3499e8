//! A2, shift invariance: one private coordinate of size sqrt(beta/2) for every point adds exactly beta to every squared distance,
//! and the score does not change.
//!
//! The paper shifts whichever distance function it uses. For DI_A and SC_A that is the distance itself, which points cannot do.
//! Additional dimensions shift the squared distances, for all measures alike, and DI_A, SC_A and XB_A, which take roots, do not
//! keep their values under such a shift.

use clmatch::internals::{Needs, Plan, Statistics};
use clmatch::measure::Verdict::{Breaks, Holds, Limit};
use clmatch::measure::{Axiom, clm, unbiased_gap};
use clmatch::{Control, View};

use super::with;
use crate::datasets::{Dataset, relative};

/// Allows for roundings only.
const EXACT: f64 = 1e-9;
/// Neighbours whose squared distances differ by less than 1e-9 of themselves are tied: after a shift by 1000 T, this affects the
/// closest neighbours in a dense middle, and `clm` changes in the fourth digit.
const TIES: f64 = 1e-3;
/// The tolerance for classes of 300 points.
const LARGE: f64 = 0.005;
/// An outright violation exceeds this, relative to the larger of the score and 1.
const BROKEN: f64 = 0.01;
/// D' averages to 0 over all labellings, up to the rounding of a hundred terms.
const UNBIASED: f64 = 1e-12;

/// The dataset of FORMULAS.md: 60 + 90 overlapping points, on which CH_A is small.
fn small() -> Dataset {
    Dataset::blobs(3, &[60, 90], 5, 1.0)
}

/// Two large classes: normal ones, and ones with long tails.
fn large() -> [Dataset; 2] {
    let mut tails = Dataset::noise(3, &[300, 300], 3).map(|x| x.powi(3));
    tails.rows.iter_mut().zip(&tails.labels).for_each(|(row, &label)| row[0] += 2.0 * label as f64);
    [Dataset::blobs(3, &[300, 300], 3, 2.0), tails]
}

fn with_pair<T>(dataset: &Dataset, use_it: impl Fn(&View<'_>) -> T) -> T {
    dataset.with_classes(|classes| {
        let plan = Plan::pairs(Needs::ETA.union(Needs::NEAREST));
        use_it(&Statistics::compute(classes, plan, Control::none()).unwrap().pair(0, 1))
    })
}

fn eta(view: &View<'_>) -> f64 {
    view.eta()
}

#[test]
fn shifting_adds_beta_to_every_squared_distance() {
    let dataset = Dataset::blobs(9, &[4, 5], 2, 1.0);
    let shifted = dataset.shifted(7.5);
    for x in 0..9 {
        for y in 0..x {
            let grown = shifted.squared_distance(x, y) - dataset.squared_distance(x, y);
            assert!((grown - 7.5).abs() < EXACT);
        }
    }
}

#[test]
fn a2_holds_exactly() {
    let measures = with(Axiom::A2, Holds);
    for dataset in [small(), Dataset::blobs(5, &[70, 50], 3, 0.5), Dataset::blobs(4, &[12, 8, 15], 4, 1.5)] {
        let before = dataset.values(&measures);
        for times in [1.0, 10.0, 1000.0] {
            let shifted = dataset.shifted(times * dataset.total_scatter());
            for ((measure, a), b) in measures.iter().zip(&before).zip(shifted.values(&measures)) {
                assert!((a - b).abs() < EXACT, "{}: {a} is not {b}, beta {times} T", measure.id);
            }
            let (plain, moved) = (with_pair(&dataset, eta), with_pair(&shifted, eta));
            assert!((plain - moved).abs() < EXACT, "eta: {plain} is not {moved}");
            assert_eq!(with_pair(&dataset, clm::nu), with_pair(&shifted, clm::nu));
        }
    }
}

#[test]
fn a2_holds_exactly_with_long_tails() {
    let dataset = Dataset::blobs(5, &[70, 50], 3, 0.5).map(|x| x.powi(3));
    let measures = with(Axiom::A2, Holds);
    let shifted = dataset.shifted(1000.0 * dataset.total_scatter());
    for ((measure, a), b) in measures.iter().zip(dataset.values(&measures)).zip(shifted.values(&measures)) {
        let tolerance = if ["clm", "clm_pairs"].contains(&measure.id) { TIES } else { EXACT };
        assert!((a - b).abs() < tolerance, "{}: {a} is not {b}", measure.id);
    }
}

#[test]
fn a2_holds_in_the_limit() {
    for measure in with(Axiom::A2, Limit) {
        for dataset in large() {
            let shifted = dataset.shifted(dataset.total_scatter());
            let (a, b) = (dataset.value(measure.id), shifted.value(measure.id));
            assert!((a - b).abs() < LARGE, "{}: {a} is not {b}", measure.id);
        }
        let shifted = small().shifted(1000.0 * small().total_scatter());
        let (a, b) = (small().value(measure.id), shifted.value(measure.id));
        assert!((a - b).abs() > 0.5, "{}: {a} and {b}", measure.id);
    }
}

#[test]
fn a2_breaks_on_large_classes() {
    let measures = with(Axiom::A2, Breaks);
    let changes = large().map(|dataset| {
        let shifted = dataset.shifted(dataset.total_scatter());
        (dataset.values(&measures), shifted.values(&measures))
    });
    for (at, measure) in measures.iter().enumerate() {
        let moves = changes.each_ref().map(|(a, b)| (a[at] - b[at]).abs() / a[at].abs().max(1.0));
        assert!(moves.iter().any(|&moved| moved > BROKEN), "{} moves only {moves:?}", measure.id);
    }
}

#[test]
fn ch_a_rises_and_db_a_vanishes_as_formulas_md_reports() {
    let shifted = small().shifted(1000.0 * small().total_scatter());
    let (before, after) = (small().evaluate_all(), shifted.evaluate_all());
    let change = |id| (before.value(id).unwrap(), after.value(id).unwrap());
    let (low, high) = change("ch_a");
    assert!((0.1..0.25).contains(&low) && high > 0.999, "ch_a {low} {high}");
    let (high, low) = change("db_a");
    assert!((0.08..0.2).contains(&high) && low < 1e-6, "db_a {high} {low}");
}

/// All ways to choose `chosen` of `count`.
fn choices(count: usize, chosen: u32) -> impl Iterator<Item = Vec<usize>> {
    (0_usize..1 << count)
        .filter(move |mask| mask.count_ones() == chosen)
        .map(move |mask| (0..count).map(|at| (mask >> at) & 1).collect())
}

#[test]
fn the_unbiased_gap_averages_to_0_over_all_labelings() {
    for (seed, count, chosen, labelings) in [(1, 9, 3, 84), (2, 10, 5, 252), (3, 8, 2, 28)] {
        let dataset = Dataset::noise(seed, &[2, count - 2], 3);
        let (mut unbiased, mut biased, mut number) = (0.0, 0.0, 0);
        for labels in choices(count, chosen) {
            let relabelled = dataset.relabelled(labels);
            let [prime, plain] =
                with_pair(&relabelled, |view| [unbiased_gap(view), view.gap(0, 1)].map(|d| d / view.total()));
            unbiased += prime;
            biased += plain;
            number += 1;
        }
        assert_eq!(number, labelings);
        assert!((unbiased / f64::from(number)).abs() < UNBIASED, "D' averages to {unbiased} / {number}");
        assert!(biased / f64::from(number) > 0.1, "D is the biased one: {biased} / {number}");
    }
}

#[test]
fn the_unbiased_gap_does_not_move() {
    let dataset = small();
    let shifted = dataset.shifted(1000.0 * dataset.total_scatter());
    let gap = |dataset: &Dataset| with_pair(dataset, |view| unbiased_gap(view) * view.unit().powi(2));
    assert!(relative(gap(&dataset), gap(&shifted)) < EXACT);
}
