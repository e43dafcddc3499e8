//! A1, data-cardinality invariance: subsampling all classes alike changes the score by no more than the noise of the
//! sample.
//!
//! *Limit* is meant literally: every estimate settles as the classes grow, but where the classes are few points in many
//! dimensions the distance of two centroids (or the nearest neighbours, in `clm`) is biased by more than its noise.

use clmatch::measure::Verdict::{Breaks, Holds, Limit};
use clmatch::measure::{Axiom, REGISTRY, find};

use super::{Sample, sample, with};
use crate::datasets::{Dataset, relative};

/// Mean over the seeds of large samples, relative.
const LARGE: f64 = 0.04;
/// What an outright violation exceeds, relative.
const BROKEN: f64 = 0.2;
/// Bias of a small sample in standard deviations of the score: noise below, systematic above.
const NOISE: f64 = 1.0;
const SYSTEMATIC: f64 = 1.2;

fn at(id: &str, samples: &[Sample]) -> usize {
    assert_eq!(samples.len(), REGISTRY.len());
    REGISTRY.iter().position(|measure| measure.id == id).unwrap()
}

fn large(seed: u64) -> Dataset {
    Dataset::blobs(seed, &[1500, 1000, 2000], 3, 2.0)
}

/// The gaps that the tree of `clm` sees settle slowly.
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

#[test]
fn a1_few_points_in_many_dimensions() {
    let seeds = 40;
    let bias = |features: usize, gap: f64| -> Vec<f64> {
        let draw = |seed| Dataset::blobs(seed, &[100, 100], features, gap);
        let full = sample(REGISTRY, seeds, draw);
        let part = sample(REGISTRY, seeds, |seed| draw(seed).subsample(0.2, seed));
        full.iter().zip(&part).map(|(full, part)| (full.mean - part.mean).abs() / part.deviation).collect()
    };
    let biases = [bias(50, 1.0), bias(100, 2.0)];
    for (at, measure) in REGISTRY.iter().enumerate() {
        let largest = biases[0][at].max(biases[1][at]);
        match measure.axioms.verdict(Axiom::A1) {
            Holds => assert!(largest < NOISE, "{} is biased by {largest} deviations", measure.id),
            Limit => assert!(largest > SYSTEMATIC, "{} is biased by only {largest}", measure.id),
            Breaks => {}
        }
    }
}
