//! Compares medians with those of plain Weiszfeld iterations, and with cases worked by hand.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn to_median(points: &[[f64; 2]], start: [f64; 2]) -> f64 {
    mean_distance_to_median(points.iter().map(|p| &p[..]), &start)
}

/// Weiszfeld's iteration continued without end, with every point tried as the median.
fn slow(rows: &[Vec<f64>], start: &[f64]) -> f64 {
    let distance = |a: &[f64], b: &[f64]| crate::kernels::squared_distance(a, b).sqrt();
    let mean = |place: &[f64]| rows.iter().map(|row| distance(row, place)).sum::<f64>() / rows.len() as f64;
    let mut place = start.to_vec();
    for _ in 0..10_000 {
        let mut next = vec![0.0; place.len()];
        let mut weight = 0.0;
        for row in rows {
            let factor = 1.0 / distance(row, &place).max(1e-300);
            weight += factor;
            next.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
        }
        next.iter_mut().for_each(|sum| *sum /= weight);
        place = next;
    }
    rows.iter().map(|row| mean(row)).fold(mean(&place), f64::min)
}

#[test]
fn triangle_has_its_fermat_point() {
    // Equilateral triangle with side 1: the median is the centroid, 1/sqrt(3) from each corner.
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.75_f64.sqrt()]];
    assert!((to_median(&corners, [0.1, 0.2]) - 1.0 / 3.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn starting_on_a_point_does_not_stick() {
    let points = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0], [0.0, 0.0], [2.0, 1.5]];
    let from_corner = to_median(&points, [0.0, 0.0]);
    let from_outside = to_median(&points, [9.0, -7.0]);
    assert!((from_corner - from_outside).abs() < 1e-9);
}

#[test]
fn starting_beside_a_point_does_not_stick_either() {
    let points = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0], [0.0, 0.0], [2.0, 1.5]];
    let from_outside = to_median(&points, [9.0, -7.0]);
    for offset in [1e-17, 1e-14, 1e-11, 1e-8] {
        assert!((to_median(&points, [offset, 0.0]) - from_outside).abs() < 1e-9, "{offset}");
    }
}

#[test]
fn heavy_point_is_its_own_median() {
    let points = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    assert!((to_median(&points, [0.3, 0.3]) - 2.0 / 5.0).abs() < 1e-9);
    assert_eq!(to_median(&[[2.0, 2.0]; 4], [2.0, 2.0]), 0.0);
}

/// How the points are distributed.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Cloud,
    TwoClouds,
    Line,
    Duplicates,
    Flat,
    Outlier,
}

fn rows(seed: u64, count: usize, features: usize, shape: Shape) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|row| {
            let along: f64 = random.random_range(-1.0..1.0);
            (0..features)
                .map(|f| {
                    let x: f64 = random.random_range(-1.0..1.0);
                    match shape {
                        Shape::Cloud => x,
                        Shape::TwoClouds => x + if row % 3 == 0 { 20.0 } else { 0.0 },
                        Shape::Line => along * (f + 1) as f64,
                        Shape::Duplicates => (2.0 * x).round(),
                        Shape::Flat => x * if f == 0 { 1.0 } else { 1e-4 },
                        Shape::Outlier => x * if row == 0 { 1e6 } else { 1.0 },
                    }
                })
                .collect()
        })
        .collect()
}

fn shape() -> impl Strategy<Value = Shape> {
    use Shape::{Cloud, Duplicates, Flat, Line, Outlier, TwoClouds};
    prop::sample::select(vec![Cloud, TwoClouds, Line, Duplicates, Flat, Outlier])
}

fn features() -> impl Strategy<Value = usize> {
    prop_oneof![3 => 1_usize..12, 1 => 100_usize..130]
}

/// Up to 64 points with four times as many features are rotated into the span of the points.
#[test]
fn points_that_are_turned_have_the_same_median() {
    for (count, features) in [(64, 255), (64, 256), (65, 260), (63, 252)] {
        let rows = rows(3, count, features, Shape::TwoClouds);
        let start = vec![0.5; features];
        let points = || rows.iter().map(|row| &row[..]);
        let (found, slow) =
            (mean_distance_to_median(points(), &start), Set::new(points(), &start).search().1);
        assert!((found - slow).abs() <= 1e-9 * slow, "{count} x {features}: {found} {slow}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(0x5EED), ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_plain_weiszfeld(
        seed in any::<u64>(), count in 1_usize..60, features in features(), shape in shape(),
    ) {
        let rows = rows(seed, count, features, shape);
        let centroid: Vec<f64> =
            (0..features).map(|f| rows.iter().map(|row| row[f]).sum::<f64>() / count as f64).collect();
        let fast = mean_distance_to_median(rows.iter().map(|row| &row[..]), &centroid);
        let slow = slow(&rows, &centroid);
        // The slow iteration may itself creep; a smaller sum is not an error unless the value is impossible.
        prop_assert!(fast <= slow * (1.0 + 1e-9) + 1e-15, "{fast} {slow}");
        prop_assert!(fast >= slow * (1.0 - 1e-6), "{fast} {slow}");
    }
}
