//! One small example for each measure, worked by hand.
//!
//! Most use the line `A = {0, 2}, B = {6, 8, 10}`. Its numbers:
//!
//! ```text
//! centroids 1 and 8, of all points 26/5; D = 49; V_A = 1, V_B = 8/3; n W = 2 + 8 = 10, W = 2
//! B = n_A n_B D / N^2 = 6 49 / 25 = 294/25; T = B + W = 344/25
//! r = (26, 16, -4, -14, -24)^2 / 25 = (676, 256, 16, 196, 576) / 25
//! s2^2 = mean r^2 - T^2 = (456976 + 65536 + 256 + 38416 + 331776)/5/625 - (344/25)^2 = (178592 - 118336)/625 = 60256/625
//! sqrt r = (26, 16, 4, 14, 24)/5, mean 84/25; s1^2 = T - (84/25)^2 = (8600 - 7056)/625 = 1544/625
//! ```

use clmatch::measure::REGISTRY;

use crate::datasets::Dataset;

/// Allows for a dozen roundings.
const HAND: f64 = 1e-12;
/// Allows for the geometric median being found by iteration.
const MEDIAN: f64 = 1e-7;

fn line() -> Dataset {
    Dataset::line(&[&[0.0, 2.0], &[6.0, 8.0, 10.0]])
}

fn s2() -> f64 {
    60256.0_f64.sqrt() / 25.0
}

fn s1() -> f64 {
    1544.0_f64.sqrt() / 25.0
}

fn z() -> f64 {
    294.0 / 25.0 / s2()
}

const WORKED: [&str; 15] = [
    "clm",
    "ch_a",
    "xb_a",
    "db_a",
    "di_a",
    "sc_a",
    "ch_c",
    "db_c",
    "clm_pairs",
    "ch",
    "di",
    "ii",
    "xb",
    "db",
    "sc",
];

#[test]
fn every_measure_is_worked_by_hand() {
    let ids: Vec<&str> = REGISTRY.iter().map(|measure| measure.id).collect();
    assert_eq!(ids, WORKED, "a measure without an example in this file");
}

fn assert_worked(id: &str, dataset: &Dataset, expected: f64) {
    let found = dataset.value(id);
    let tolerance = if id == "di_a" { MEDIAN } else { HAND };
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{id}: {found} is not {expected}"
    );
}

#[test]
fn ch() {
    // (n - K)/(K - 1) B/W = 3 (294/25)/2
    assert_worked("ch", &line(), 3.0 * (294.0 / 25.0) / 2.0);
    // Three classes {0, 2}, {4, 6}, {11, 13} with centroids 1, 5, 12 around 6: n B = 2 (25 + 1 + 36) = 124, n W = 6.
    let three = Dataset::line(&[&[0.0, 2.0], &[4.0, 6.0], &[11.0, 13.0]]);
    assert_worked("ch", &three, (6.0 - 3.0) / (3.0 - 1.0) * 124.0 / 6.0);
}

#[test]
fn di() {
    // The closest points are 2 and 6; the widest class is {6, 8, 10}.
    assert_worked("di", &line(), 4.0 / 4.0);
    // All pairs of classes count: the closest points, 9 and 9.5, are in the last two classes.
    let three = Dataset::line(&[&[0.0, 2.0], &[6.0, 9.0], &[9.5, 11.0]]);
    assert_worked("di", &three, 0.5 / 3.0);
}

#[test]
fn ii() {
    // E_1 = 5 mean sqrt r = 84/5; E_K = 2 + 4; max distance of centroids 7; K = 2.
    assert_worked("ii", &line(), (84.0_f64 / 5.0 / 6.0 * 7.0 / 2.0).powi(2));
}

#[test]
fn xb() {
    assert_worked("xb", &line(), 10.0 / (5.0 * 49.0));
}

#[test]
fn db() {
    // S_A = 1, S_B = 4/3, one pair.
    assert_worked("db", &line(), (1.0 + 4.0 / 3.0) / 7.0);
    // Radii 1, 1, 1 and centroids 1, 5, 12: the worst partners are 2/4, 2/4 and 2/7.
    let three = Dataset::line(&[&[0.0, 2.0], &[4.0, 6.0], &[11.0, 13.0]]);
    assert_worked("db", &three, (2.0 / 4.0 + 2.0 / 4.0 + 2.0 / 7.0) / 3.0);
}

#[test]
fn sc() {
    // (a, b): 0 (2, 8), 2 (2, 6), 6 (3, 5), 8 (2, 7), 10 (3, 9).
    let widths = 6.0 / 8.0 + 4.0 / 6.0 + 2.0 / 5.0 + 5.0 / 7.0 + 6.0 / 9.0;
    assert_worked("sc", &line(), widths / 5.0);
}

#[test]
fn ch_a() {
    assert_worked("ch_a", &line(), (2.2160052679191475 * z() * z().exp() / 2.0).tanh());
}

#[test]
fn xb_a() {
    assert_worked("xb_a", &line(), (0.29289310158571386 / 2.0 * z().exp() * 7.0 / s1()).tanh());
}

#[test]
fn db_a() {
    let extents = (1.0 / s2()).exp() + (8.0 / 3.0 / s2()).exp();
    let form = (49.0 / s2()) * (344.0 / 25.0 / s2()) / extents;
    assert_worked("db_a", &line(), (2.4831185988914117 / 2.0 * form).tanh());
}

#[test]
fn di_a() {
    // a_A = 2, a_B = (2 + 4 + 2)/3 = 8/3 = m; b = (6 + 8 + 10 + 4 + 6 + 8)/6 = 7.
    // The median of 0, 2, 6, 8, 10 is 6: g = (6 + 4 + 0 + 2 + 4)/5 = 16/5; p = (2 + 8 + 42)/10 = 26/5.
    let k = 0.40019810656179045;
    let logistic = |exponent: f64| 1.0 / (1.0 + (-k * (exponent / s1()).exp()).exp());
    let (l, e) = (logistic(7.0 - 8.0 / 3.0), logistic(16.0 / 5.0 - 26.0 / 5.0));
    assert_worked("di_a", &line(), (l - e) / (1.0 - e));
}

#[test]
fn sc_a() {
    // The gaps b - a of `sc`, all positive: s(x) = 1 - e^(-gap/s1). Each class weighs the same.
    let s = |gap: f64| 1.0 - (-gap / s1()).exp();
    let expected = ((s(6.0) + s(4.0)) / 2.0 + (s(2.0) + s(5.0) + s(6.0)) / 3.0) / 2.0;
    assert_worked("sc_a", &line(), expected);
}

#[test]
fn ch_c() {
    // D' = 49 - 1/1 - (8/3)/2 = 140/3; z' = 6/25 D'/s2.
    let z = 6.0 / 25.0 * (140.0 / 3.0) / s2();
    assert_worked("ch_c", &line(), (2.2160052679191475 * z * z.exp() / 2.0).tanh());
}

#[test]
fn db_c() {
    // T' = 344/25 5/4 = 86/5, V_A' = 2, V_B' = 4.
    let extents = ((2.0 - 86.0 / 5.0) / s2()).exp() + ((4.0 - 86.0 / 5.0) / s2()).exp();
    assert_worked("db_c", &line(), (0.9432 / 2.0 * (140.0 / 3.0 / s2()) / extents).tanh());
}

/// `I / mean(H_row, H_col)` of a symmetric table (p q; q p) of shares with 2 (p + q) = 1: H = ln 2 for rows and columns.
fn symmetric_information(p: f64, q: f64) -> f64 {
    let term = |share: f64| if share > 0.0 { 2.0 * share * (4.0 * share).ln() } else { 0.0 };
    (term(p) + term(q)) / 2.0_f64.ln()
}

#[test]
fn clm() {
    // A = {0, 2, 5}, B = {9, 12, 14}: the mirror image of A. Centroids 7/3 and 35/3; all 5 others are neighbours:
    // every point has 2 votes for its own class and 3 for the other. h_own = 3/2 d2, h_other = 3/4 d2:
    // u(0) = 3/2 (7/3)^2 - 3/4 (35/3)^2 = -1127/12, u(2) = 3/2 (1/3)^2 - 3/4 (29/3)^2 = -839/12,
    // u(5) = 3/2 (8/3)^2 - 3/4 (20/3)^2 = -272/12, and the same with + in B: mean -746/12 and 746/12.
    // Deviations in A: -381, -93, 474 (in twelfths).
    let within = (381.0_f64.powi(2) + 93.0_f64.powi(2) + 474.0_f64.powi(2)) / 3.0;
    let between = 746.0_f64.powi(2);
    let eta = between / (between + within);
    let nu = symmetric_information(2.0 / 10.0, 3.0 / 10.0);
    let mirror = Dataset::line(&[&[0.0, 2.0, 5.0], &[9.0, 12.0, 14.0]]);
    // Joining points up to 3 apart gives the two classes: kappa = 1, and u = 1 whatever eta is. k-means keeps both classes:
    // lambda = 1, and all classes are the pair.
    assert_worked("clm_pairs", &mirror, (1.0 + 1.0 + nu) / 3.0);
    assert_worked("clm", &mirror, (1.0 + 1.0 + nu) / 3.0);
    let terms = terms(&mirror);
    assert!((terms.eta - eta).abs() < 1e-12 && (terms.nu - nu).abs() < 1e-12 && terms.kappa == 1.0);
}

#[test]
fn clm_shares_tied_neighbours() {
    // Two heaps: A has 4 points at 0, B has 3 points at 0 and 5 at 9. q = 5.
    // At 0, six others lie at distance 0, of which 3 + 3 for a point of A and 4 + 2 for one of B: they share 5 votes,
    // (2.5, 2.5) and (10/3, 5/3). At 9 the 4 others are of B; the fifth vote goes to points at 0, of which
    // the lists of 5 per class hold 4 of A and, after 4 at 9, one of B: (4/5, 4 + 1/5).
    // Votes of A: 4 (2.5, 2.5) = (10, 10); votes of B: 3 (10/3, 5/3) + 5 (4/5, 21/5) = (14, 26).
    let dataset = Dataset::line(&[&[0.0; 4], &[0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0, 9.0]]);
    let table = [[10.0, 10.0], [14.0, 26.0]];
    let total: f64 = 60.0;
    let entropy = |counts: &[f64]| counts.iter().map(|c| -(c / total) * (c / total).ln()).sum::<f64>();
    let (rows, columns) = (entropy(&[20.0, 40.0]), entropy(&[24.0, 36.0]));
    let nu = (rows + columns - entropy(&table.concat())) / ((rows + columns) / 2.0);
    // Centroids 0 and 45/8. h_A = d2 4/3 in A, 4/5 in B; h_B = 8/9 d2 in A, 8/7 in B; (45/8)^2 = 2025/64.
    // u = -8/9 2025/64 = -28.125 in A; in B at 0: -8/7 2025/64, at 9: 4/5 81 - 8/7 (27/8)^2.
    let at_zero = -8.0 / 7.0 * 2025.0 / 64.0;
    let at_nine = 4.0 / 5.0 * 81.0 - 8.0 / 7.0 * 729.0 / 64.0;
    let mean_b = (3.0 * at_zero + 5.0 * at_nine) / 8.0;
    let between = 4.0 * 8.0 / 144.0 * (mean_b + 28.125_f64).powi(2);
    let within = (3.0 * (at_zero - mean_b).powi(2) + 5.0 * (at_nine - mean_b).powi(2)) / 12.0;
    let eta = between / (between + within);
    // Joining points 0 apart gives clusters of 4 + 3 and 5 points: of P = 66 pairs, A = 6 + 28 are in one class, M = 21 + 10 in
    // one cluster, and S = 6 + 3 + 10 in both.
    let expected = 34.0 * 31.0 / 66.0;
    let kappa = (19.0 - expected) / ((34.0 + 31.0) / 2.0 - expected);
    let pairs = (1.0 - (1.0 - eta) * (1.0 - kappa) + kappa + nu) / 3.0;
    assert_worked("clm_pairs", &dataset, pairs);
    // The points of B at 0 move to A, where they cost nothing, and those at 9 stay: the same clusters, lambda = kappa.
    let all = (1.0 - (1.0 - kappa) * (1.0 - kappa) + kappa + nu) / 3.0;
    assert_worked("clm", &dataset, (pairs + all) / 2.0);
}

#[test]
fn clm_of_three_classes() {
    // {0, 1}, {4, 5} and {20, 21, 23}. k-means keeps all classes: 1 costs 2 (1/2)^2 in its class and 2/3 (7/2)^2 in the next one.
    // Joining points up to 2 apart gives the three classes: every kappa is 1, so u = 1 for all sets. Neighbours, five of six: 0
    // and 1 leave out 23: (1 2 2); so do 4 and 5: (2 1 2); 20, 21 and 23 leave out 0: (1 2 2).
    let dataset = Dataset::line(&[&[0.0, 1.0], &[4.0, 5.0], &[20.0, 21.0, 23.0]]);
    let information = |table: &[&[f64]]| {
        crate::twins::normalised_information(&table.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
    };
    let all = (2.0 + information(&[&[2.0, 4.0, 4.0], &[4.0, 2.0, 4.0], &[3.0, 6.0, 6.0]])) / 3.0;
    // Within pairs, all other points are neighbours: 3 of 4 points, 4 of 5.
    let near = (2.0 + information(&[&[2.0, 4.0], &[4.0, 2.0]])) / 3.0;
    let far = (2.0 + information(&[&[2.0, 6.0], &[6.0, 6.0]])) / 3.0;
    let pairs = (near + 2.0 * far) / 3.0;
    assert_worked("clm_pairs", &dataset, pairs);
    assert_worked("clm", &dataset, (pairs + all) / 2.0);
}

fn terms(dataset: &Dataset) -> clmatch::ClmTerms {
    let clm = [clmatch::measure::find("clm").unwrap()];
    dataset.with_classes(|classes| clmatch::evaluate(classes, &clm).unwrap()).terms.unwrap().mean
}

#[test]
fn three_classes_average_their_pairs() {
    // {0, 2}, {4, 6}, {11, 13}. For a pair with centroids g apart, 2 + 2 points 1 from their centroids:
    // D = g^2, B = g^2/4, r = (g/2 + 1)^2 and (g/2 - 1)^2: s2 = g, sqrt r deviate by s1 = 1 (g > 2); z = g/4.
    let three = Dataset::line(&[&[0.0, 2.0], &[4.0, 6.0], &[11.0, 13.0]]);
    let gaps = [4.0, 11.0, 7.0];
    let mean = |score: &dyn Fn(f64) -> f64| gaps.iter().map(|&gap| score(gap)).sum::<f64>() / 3.0;
    let ch_a = |g: f64| (2.2160052679191475 * (g / 4.0) * (g / 4.0).exp() / 2.0).tanh();
    let xb_a = |g: f64| (0.29289310158571386 * (g / 4.0).exp() * g / 2.0).tanh();
    // D/s2 = g, T/s2 = (g^2/4 + 1)/g, V = 1: (g^2/4 + 1) / (2 e^(1/g)).
    let db_a = |g: f64| (2.4831185988914117 * (g * g / 4.0 + 1.0) / (2.0 * (1.0 / g).exp()) / 2.0).tanh();
    // D' = g^2 - 2, z' = (g^2 - 2)/(4 g).
    let ch_c = |g: f64| {
        let z = (g * g - 2.0) / (4.0 * g);
        (2.2160052679191475 * z * z.exp() / 2.0).tanh()
    };
    assert_worked("ch_a", &three, mean(&ch_a));
    assert_worked("xb_a", &three, mean(&xb_a));
    assert_worked("db_a", &three, mean(&db_a));
    assert_worked("ch_c", &three, mean(&ch_c));
}
