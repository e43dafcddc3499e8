//! The silhouettes that Rousseeuw published: Journal of Computational and Applied Mathematics 20 (1987), Table 1 and Figures 2
//! and 3, which are also in scikit-learn's tests.
//!
//! The dissimilarities of the twelve countries are averages of judgements, not distances between points (the doubly
//! centred matrix has the eigenvalue -7.4), so the widths are computed from sums of dissimilarities.

use clmatch::measure::silhouette_width;

/// Allows for widths that are printed with two decimals.
const PRINTED: f64 = 0.005 + 1e-9;

const COUNTRIES: [&str; 12] =
    ["BEL", "BRA", "CHI", "CUB", "EGY", "FRA", "IND", "ISR", "USA", "USS", "YUG", "ZAI"];

/// Table 1, below the diagonal, row by row.
const TABLE: [f64; 66] = [
    5.58, 7.00, 6.50, 7.08, 7.00, 3.83, 4.83, 5.08, 8.17, 5.83, 2.17, 5.75, 6.67, 6.92, 4.92, 6.42, 5.00,
    5.58, 6.00, 4.67, 6.42, 3.42, 5.50, 6.42, 6.42, 5.00, 3.92, 6.17, 2.50, 4.92, 6.25, 7.33, 4.50, 2.25,
    6.33, 2.75, 6.08, 6.67, 4.25, 2.67, 6.00, 6.17, 6.17, 6.92, 6.17, 5.25, 6.83, 4.50, 3.75, 5.75, 5.42,
    6.08, 5.83, 6.67, 3.67, 4.75, 3.00, 6.08, 6.67, 5.00, 5.58, 4.83, 6.17, 5.67, 6.50, 6.92,
];

fn dissimilarity(a: usize, b: usize) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == high { 0.0 } else { TABLE[high * (high - 1) / 2 + low] }
}

fn widths(labels: [usize; 12], count: usize) -> Vec<f64> {
    let members = |class: usize| (0..12).filter(move |&country| labels[country] == class);
    let sizes: Vec<f64> = (0..count).map(|class| members(class).count() as f64).collect();
    let sums = |x: usize| -> Vec<f64> {
        (0..count).map(|class| members(class).map(|y| dissimilarity(x, y)).sum()).collect()
    };
    (0..12).map(|x| silhouette_width(&sums(x), &sizes, labels[x])).collect()
}

fn assert_published(labels: [usize; 12], count: usize, published: [(&str, f64); 12], average: f64) {
    let widths = widths(labels, count);
    for (country, expected) in published {
        let found = widths[COUNTRIES.iter().position(|&name| name == country).unwrap()];
        assert!((found - expected).abs() < PRINTED, "{country}: {found} is not {expected}");
    }
    let mean = widths.iter().sum::<f64>() / 12.0;
    assert!((mean - average).abs() < PRINTED, "average: {mean} is not {average}");
}

#[test]
fn two_clusters_of_countries() {
    let published = [
        ("USA", 0.43),
        ("BEL", 0.39),
        ("FRA", 0.35),
        ("ISR", 0.30),
        ("BRA", 0.22),
        ("EGY", 0.20),
        ("ZAI", 0.19),
        ("CUB", 0.40),
        ("USS", 0.34),
        ("CHI", 0.33),
        ("YUG", 0.26),
        ("IND", -0.04),
    ];
    assert_published([0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0], 2, published, 0.28);
}

#[test]
fn three_clusters_of_countries() {
    let published = [
        ("USA", 0.47),
        ("FRA", 0.44),
        ("BEL", 0.42),
        ("ISR", 0.37),
        ("EGY", 0.02),
        ("ZAI", 0.28),
        ("BRA", 0.25),
        ("IND", 0.17),
        ("CUB", 0.48),
        ("USS", 0.44),
        ("YUG", 0.31),
        ("CHI", 0.31),
    ];
    assert_published([0, 1, 2, 2, 0, 0, 1, 0, 0, 2, 2, 1], 3, published, 0.33);
}
