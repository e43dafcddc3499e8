//! A1, data-cardinality invariance: subsampling all classes alike changes the score by no more than the noise of the
//! sample.
//!
//! *Limit* is meant literally: every estimate settles as the classes grow, but if the classes have few points in many dimensions,
//! the distance of two centroids (or the nearest neighbours, in `clm`) is biased by more than its noise.

use clmatch::measure::Verdict::{Breaks, Holds, Limit, Unknown};
use clmatch::measure::{Axiom, Kind, REGISTRY, find};

use super::{Sample, sample, with};
use crate::datasets::{Dataset, random, relative, uniform};

/// The largest mean over the seeds of large samples, relative to the value.
const LARGE: f64 = 0.04;
/// An outright violation exceeds this, relative to the value.
const BROKEN: f64 = 0.2;
/// The bias of a small sample in standard deviations of the score: below the first it is noise, above the second it is
/// systematic.
const NOISE: f64 = 1.0;
const SYSTEMATIC: f64 = 1.2;

fn at(id: &str, samples: &[Sample]) -> usize {
    assert_eq!(samples.len(), REGISTRY.len());
    REGISTRY.iter().position(|measure| measure.id == id).unwrap()
}

fn large(seed: u64) -> Dataset {
    Dataset::blobs(seed, &[1500, 1000, 2000], 3, 2.0)
}

/// Larger, because the gaps in the tree of `clm` settle slowly.
fn larger(seed: u64) -> Dataset {
    Dataset::blobs(seed, &[4500, 3000, 6000], 3, 2.0)
}

#[test]
fn a1_large_classes_may_be_subsampled() {
    let clm = ["clm", "clm_pairs"].map(|id| find(id).unwrap());
    let (full, full_clm) = (sample(REGISTRY, 5, large), sample(&clm, 5, larger));
    for share in [0.5, 0.2] {
        let part = sample(REGISTRY, 5, |seed| large(seed).subsample(share, seed));
        let part_clm = sample(&clm, 5, |seed| larger(seed).subsample(share, seed));
        let change = |id| match id {
            "clm" => relative(full_clm[0].mean, part_clm[0].mean),
            "clm_pairs" => relative(full_clm[1].mean, part_clm[1].mean),
            _ => relative(full[at(id, &full)].mean, part[at(id, &part)].mean),
        };
        for measure in [with(Axiom::A1, Holds), with(Axiom::A1, Limit)].concat() {
            let change = change(measure.id);
            assert!(change < LARGE, "{} changes by {change} at {share}", measure.id);
        }
        for measure in with(Axiom::A1, Breaks) {
            let change = change(measure.id);
            assert!(change > BROKEN, "{} changes by {change} at {share}", measure.id);
        }
    }
}

/// Points of two lines: many points show the gap between the lines, few do not.
fn parallel_lines(seed: u64) -> Dataset {
    let mut random = random(seed);
    let labels: Vec<usize> = (0..200).map(|row| row / 100).collect();
    let rows =
        labels.iter().map(|&label| vec![uniform(&mut random, 0.0, 20.0), 1.5 * label as f64]).collect();
    Dataset { rows, labels }
}

#[test]
fn a1_few_points_in_many_dimensions_or_beside_a_gap() {
    let seeds = 40;
    let bias = |draw: &(dyn Fn(u64) -> Dataset + Sync)| -> Vec<f64> {
        let full = sample(REGISTRY, seeds, draw);
        let part = sample(REGISTRY, seeds, |seed| draw(seed).subsample(0.2, seed));
        full.iter().zip(&part).map(|(full, part)| (full.mean - part.mean).abs() / part.deviation).collect()
    };
    let biases = [
        bias(&|seed| Dataset::blobs(seed, &[100, 100], 50, 1.0)),
        bias(&|seed| Dataset::blobs(seed, &[100, 100], 100, 2.0)),
        bias(&parallel_lines),
    ];
    for (at, measure) in REGISTRY.iter().enumerate() {
        // Not every measure can distinguish the lines as classes.
        let sets = if measure.kind == Kind::Own { 0..3 } else { 0..2 };
        let largest = sets.map(|set| biases[set][at]).fold(0.0, f64::max);
        match measure.axioms.verdict(Axiom::A1) {
            Holds => assert!(largest < NOISE, "{} is biased by {largest} deviations", measure.id),
            Limit => assert!(largest > SYSTEMATIC, "{} is biased by only {largest}", measure.id),
            Breaks => {}
            Unknown => panic!("{} is in the registry without a verdict", measure.id),
        }
    }
}
