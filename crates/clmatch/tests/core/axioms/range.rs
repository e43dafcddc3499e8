//! A4, range invariance: about 0 for random labels, 1 at best.
//!
//! *Limit* is meant literally, as for A1: random labels score 0 in large classes. They score more if there are few points in many
//! dimensions (`ch_a`, `xb_a`, `db_a`), or simply few points (`clm`, whose tree looks for the best of all cuts), and less if
//! there are many classes to choose the nearest from (`sc`).
//!
//! "At best" means two classes of equal size far apart. For classes of unequal size, s1 and s2 grow with their distance, and most
//! adjusted scores end below 1 however far apart the classes are: see the last test.

use clmatch::Measure;
use clmatch::measure::Verdict::{Breaks, Holds, Limit};
use clmatch::measure::{Axiom, find};

use super::{sample, with};
use crate::datasets::Dataset;

/// The largest average score of random labels over 50 datasets of 2000 points.
const ABOUT_0: f64 = 0.02;
/// The smallest score of classes far apart.
const ABOUT_1: f64 = 0.99;
/// The mean of small samples in standard deviations of the score: below the first it is noise, above the second it is systematic.
const NOISE: f64 = 1.0;
const SYSTEMATIC: f64 = 1.5;
/// The largest average score of a corrected measure on few points in many dimensions.
const CORRECTED: f64 = 0.01;

fn kept() -> Vec<&'static Measure> {
    [with(Axiom::A4, Holds), with(Axiom::A4, Limit)].concat()
}

#[test]
fn a4_random_labels_score_0_in_large_classes() {
    let measures = kept();
    let samples = sample(&measures, 50, |seed| Dataset::noise(seed, &[1000, 1000], 5));
    for (measure, sample) in measures.iter().zip(&samples) {
        if measure.id != "xb_a" {
            assert!(sample.mean.abs() < ABOUT_0, "{} averages {}", measure.id, sample.mean);
        }
    }
    // sqrt(D) of random labels falls only with the square root of the number of points, so xb_a needs more points.
    let xb_a = [find("xb_a").unwrap()];
    let of_size = |size| sample(&xb_a, 20, |seed| Dataset::noise(seed, &[size, size], 5))[0].mean;
    let (few, many) = (of_size(1000), of_size(16_000));
    assert!(many < ABOUT_0 && many < few / 3.5, "xb_a averages {few}, then {many}");
}

#[test]
fn a4_the_labels_of_separate_classes_score_0_when_shuffled() {
    let mut measures = kept();
    measures.retain(|measure| measure.id != "xb_a");
    let samples =
        sample(&measures, 20, |seed| Dataset::blobs(seed, &[300, 300], 5, 4.0).shuffled_labels(seed));
    for (measure, sample) in measures.iter().zip(&samples) {
        assert!(sample.mean.abs() < ABOUT_0, "{} averages {}", measure.id, sample.mean);
    }
}

#[test]
fn a4_classes_far_apart_score_1() {
    for measure in kept() {
        for sizes in [&[500, 500][..], &[100; 5]] {
            let value = Dataset::blobs(1, sizes, 5, 1000.0).value(measure.id);
            assert!(value > ABOUT_1 && value <= 1.0, "{} {value}", measure.id);
        }
    }
}

#[test]
fn a4_breaks_outright() {
    let noise = Dataset::noise(2, &[1000, 1000], 5);
    let far = Dataset::blobs(2, &[500, 500], 5, 1000.0);
    for measure in with(Axiom::A4, Breaks) {
        let (worst, best) = (noise.value(measure.id), far.value(measure.id));
        let kept = worst.abs() < ABOUT_0 && best > ABOUT_1 && best <= 1.0;
        assert!(!kept, "{}: {worst} to {best}", measure.id);
    }
}

#[test]
fn a4_few_points() {
    // Two classes of 5 in 10 dimensions, 20 classes of 5 in 5, and 20 classes of 3 in 5.
    let settings = [(vec![5; 2], 10, 200), (vec![5; 20], 5, 20), (vec![3; 20], 5, 20)];
    let of = |measure: &'static Measure| {
        settings.clone().map(|(sizes, features, seeds)| {
            sample(&[measure], seeds, |seed| Dataset::noise(seed, &sizes, features)).remove(0)
        })
    };
    for measure in with(Axiom::A4, Holds) {
        let pair = &of(measure)[0];
        assert!(pair.mean.abs() < NOISE * pair.deviation, "{} averages {}", measure.id, pair.mean);
    }
    for measure in with(Axiom::A4, Limit) {
        let systematic = |sample: &super::Sample| {
            sample.mean.abs() > SYSTEMATIC * sample.deviation && sample.mean.abs() > 5.0 * ABOUT_0
        };
        assert!(of(measure).iter().any(systematic), "{}: no bias", measure.id);
    }
}

#[test]
fn a4_few_points_in_many_dimensions_as_formulas_md_reports() {
    let ids = ["ch_a", "ch_c", "db_c"];
    let measures = ids.map(|id| find(id).unwrap());
    let wide = sample(&measures, 12, |seed| Dataset::noise(seed, &[100, 100], 5000));
    assert!((wide[0].mean - 0.35).abs() < 0.03, "ch_a averages {}", wide[0].mean);
    let wider = sample(&measures, 40, |seed| Dataset::noise(seed, &[10, 10], 4096));
    assert!(wider[0].mean > 0.999, "ch_a averages {}", wider[0].mean);
    for (at, id) in ids.iter().enumerate().skip(1) {
        for sample in [&wide[at], &wider[at]] {
            assert!(sample.mean.abs() < CORRECTED, "{id} averages {}", sample.mean);
        }
    }
}

#[test]
fn classes_of_unequal_size_have_a_ceiling() {
    // Far apart, shares p and q of the points lie q L and p L from the centre: B = p q L^2, s2 = sqrt(p q) |q - p| L^2
    // and s1 = sqrt(p q) |q - p| L, so that z = sqrt(p q)/|q - p| and sqrt(D)/s1 = 1/(sqrt(p q) |q - p|).
    let far = Dataset::blobs(1, &[100, 900], 5, 1e6);
    let (p, q) = (0.1_f64, 0.9);
    let z = (p * q).sqrt() / (q - p);
    let distance = 1.0 / ((p * q).sqrt() * (q - p));
    let ceilings = [
        ("ch_a", (2.2160052679191475 * z * z.exp() / 2.0).tanh()),
        ("ch_c", (2.2160052679191475 * z * z.exp() / 2.0).tanh()),
        ("xb_a", (0.29289310158571386 * z.exp() * distance / 2.0).tanh()),
        // D/s2 = 1/(sqrt(p q)(q - p)), T/s2 = z, V = 0.
        ("db_a", (2.4831185988914117 * distance * z / 2.0 / 2.0).tanh()),
        ("db_c", (0.9432 * distance * z.exp() / 2.0 / 2.0).tanh()),
        ("sc_a", 1.0 - (-distance).exp()),
    ];
    for (id, ceiling) in ceilings {
        let value = far.value(id);
        assert!((value - ceiling).abs() < 1e-3, "{id}: {value} is not {ceiling}");
        assert!(value < ABOUT_1);
    }
    for id in ["clm", "di_a"] {
        assert!(far.value(id) > ABOUT_1, "{id}");
    }
}
