//! The dual's maximum against maxima worked by hand, a slow implementation, and the conditions of an optimum.

use super::*;
use crate::data::Data;
use crate::distances::Distances;
use clmatch::Matrix;

/// Twelve points in a plane.
fn plane() -> Vec<f64> {
    (0..24).map(|i| f64::from(i * i * 7 % 23) / 10.0).collect()
}

/// Passes the kernel of some points to a closure; their classes do not affect it.
fn with_kernel<T>(values: &[f64], features: usize, gamma: f64, work: impl FnOnce(&Kernel<'_>) -> T) -> T {
    let points = Matrix::new(values, features).unwrap();
    let classes: Vec<u32> = (0..points.n_points() as u32).collect();
    let data = Data::new(&points, &classes).unwrap();
    let distances = Distances::new(data, &Stop::new()).unwrap();
    work(&Kernel::new(&distances, gamma, &Stop::new()).unwrap())
}

/// Solves for points on a line, the positive ones first.
fn solve_on_a_line(points: &[f64], positive: usize, gamma: f64, cost: f64) -> Solution {
    let rows: Vec<usize> = (0..points.len()).collect();
    with_kernel(points, 1, gamma, |kernel| {
        Problem::new(kernel, &rows, positive, cost).solve(&Stop::new()).unwrap()
    })
}

fn assert_near(solution: &Solution, alphas: &[f64], offset: f64, tolerance: f64) {
    let Solution { alphas: found, offset: found_offset } = solution;
    assert_eq!(found.len(), alphas.len());
    let near = found.iter().zip(alphas).all(|(a, b)| (a - b).abs() < tolerance);
    assert!(near && (found_offset - offset).abs() < tolerance, "{found:?} {found_offset}");
}

#[test]
fn two_points_by_hand() {
    // a_1 = a_2 = 1 / (1 - k), where k is their similarity, unless C is smaller; the offset is 0.
    for gamma in [0.5, 1e3] {
        let expected = 1.0 / (1.0 - f64::exp(-gamma));
        for (cost, alpha) in [(100.0, expected), (0.25, 0.25)] {
            let solution = solve_on_a_line(&[0.0, 1.0], 1, gamma, cost);
            assert_near(&solution, &[alpha; 2], 0.0, 1e-6);
        }
    }
}

#[test]
fn one_point_against_two_by_hand() {
    // The points are far apart, so that each is similar to itself only: a = (2b, b, b) with the least of 3 b^2 - 4 b, and
    // margins 2b - offset = b + offset = 1.
    let points = [0.0, 1e3, 2e3];
    assert_near(&solve_on_a_line(&points, 1, 1.0, 10.0), &[4.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], 1.0 / 3.0, 1e-3);
    // The first coefficient cannot rise above .5: the other points have the margin .25 + offset = 1.
    assert_near(&solve_on_a_line(&points, 1, 1.0, 0.5), &[0.5, 0.25, 0.25], 0.75, 1e-3);
}

#[test]
fn without_coefficients_inside_the_box_the_offset_is_in_the_middle() {
    // Positive points at .1 and 1.1, a negative one at 0. The coefficients of the negative point and its neighbour go to
    // the cost C, and that of the point behind them stays at zero.
    let solution = solve_on_a_line(&[0.1, 1.1, 0.0], 2, 1.0, 0.25);
    // The margin of the first point is at most 1, and that of the second one is at least 1.
    let below = 0.25 * (1.0 - f64::exp(-0.01)) - 1.0;
    let above = 0.25 * (f64::exp(-1.0) - f64::exp(-1.21)) - 1.0;
    assert!(below < above);
    assert_near(&solution, &[0.25, 0.0, 0.25], f64::midpoint(below, above), 1e-6);
}

/// Similarities in double precision.
fn similarities(values: &[f64], features: usize, gamma: f64) -> Vec<f64> {
    let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let rows = || values.chunks_exact(features);
    rows().flat_map(|a| rows().map(move |b| (-gamma * squared(a, b)).exp())).collect()
}

/// Projected steps along one pair after the other, until nothing moves: slow and obvious.
fn slow_objective(matrix: &[f64], signs: &[f64], cost: f64) -> f64 {
    let n = signs.len();
    let mut a = vec![0.0; n];
    let gradient = |a: &[f64], i: usize| {
        (0..n).map(|j| signs[i] * signs[j] * matrix[i * n + j] * a[j]).sum::<f64>() - 1.0
    };
    for _ in 0..3000 {
        for i in 0..n {
            for j in 0..i {
                let curvature = 2.0 - 2.0 * matrix[i * n + j];
                let step = (signs[j] * gradient(&a, j) - signs[i] * gradient(&a, i)) / curvature.max(1e-12);
                let range = |t: usize, direction: f64| {
                    let (low, high) = (-a[t], cost - a[t]);
                    if direction > 0.0 { (low, high) } else { (-high, -low) }
                };
                let (low_i, high_i) = range(i, signs[i]);
                let (low_j, high_j) = range(j, -signs[j]);
                let step = step.clamp(low_i.max(low_j), high_i.min(high_j));
                a[i] += signs[i] * step;
                a[j] -= signs[j] * step;
            }
        }
    }
    objective(matrix, signs, &a)
}

fn objective(matrix: &[f64], signs: &[f64], a: &[f64]) -> f64 {
    let n = signs.len();
    let pairs = (0..n * n).map(|at| a[at / n] * a[at % n] * signs[at / n] * signs[at % n] * matrix[at]);
    0.5 * pairs.sum::<f64>() - a.iter().sum::<f64>()
}

/// How far the margins are from the conditions of an optimum: at least 1 where the coefficient is zero, at most 1 where
/// it is the cost, and 1 in between.
fn violation(matrix: &[f64], signs: &[f64], cost: f64, solution: &Solution) -> f64 {
    let n = signs.len();
    let margin = |i: usize| {
        let terms = (0..n).map(|j| signs[j] * solution.alphas[j] * matrix[i * n + j]);
        signs[i] * (terms.sum::<f64>() - solution.offset)
    };
    let of_point = |i: usize| match solution.alphas[i] {
        0.0 => 1.0 - margin(i),
        a if a == cost => margin(i) - 1.0,
        _ => (margin(i) - 1.0).abs(),
    };
    (0..n).map(of_point).fold(0.0, f64::max)
}

#[test]
fn the_optimum_is_that_of_a_slow_twin() {
    let values = plane();
    let rows: Vec<usize> = (0..12).collect();
    let signs: Vec<f64> = (0..12).map(|i| if i < 5 { 1.0 } else { -1.0 }).collect();
    for (gamma, cost) in [(0.3, 0.5), (1.0, 4.0), (3.0, 30.0)] {
        let matrix = similarities(&values, 2, gamma);
        let solution = with_kernel(&values, 2, gamma, |kernel| {
            Problem::new(kernel, &rows, 5, cost).solve(&Stop::new()).unwrap()
        });
        let ours = objective(&matrix, &signs, &solution.alphas);
        let slow = slow_objective(&matrix, &signs, cost);
        assert!((ours - slow).abs() < 1e-3 * slow.abs(), "{gamma} {cost}: {ours} {slow}");
        let balance: f64 = solution.alphas.iter().zip(&signs).map(|(a, y)| a * y).sum();
        assert!(balance.abs() < 1e-9);
        let violation = violation(&matrix, &signs, cost, &solution);
        assert!(violation < 2.0 * TOLERANCE, "{gamma} {cost}: {violation}");
    }
}

/// How much the objective falls if y a rises at one point and falls at another by the best amount, ignoring the box:
/// computed from the parabola through three steps.
fn gain(matrix: &[f64], signs: &[f64], alphas: &[f64], rises: usize, falls: usize) -> f64 {
    let value = |step: f64| {
        let mut moved = alphas.to_vec();
        moved[rises] += signs[rises] * step;
        moved[falls] -= signs[falls] * step;
        objective(matrix, signs, &moved)
    };
    let slope = (value(1.0) - value(-1.0)) / 2.0;
    let curvature = value(1.0) - 2.0 * value(0.0) + value(-1.0);
    if slope < 0.0 { slope * slope / (2.0 * curvature) } else { 0.0 }
}

#[test]
fn the_partner_is_the_one_with_the_greatest_gain() {
    let (values, cost) = (plane(), 4.0);
    let rows: Vec<usize> = (0..12).collect();
    for gamma in [0.3, 1.0, 3.0] {
        let matrix = similarities(&values, 2, gamma);
        with_kernel(&values, 2, gamma, |kernel| {
            let mut problem = Problem::new(kernel, &rows, 5, cost);
            let mut steps = 0;
            while let Some([i, j]) = problem.worst_pair() {
                let (signs, alphas) = (&problem.signs, &problem.alphas);
                let free = |t: usize| if signs[t] > 0.0 { alphas[t] > 0.0 } else { alphas[t] < cost };
                let gains =
                    (0..12).filter(|&t| t != i && free(t)).map(|t| gain(&matrix, signs, alphas, i, t));
                let best = gains.fold(0.0, f64::max);
                let ours = gain(&matrix, signs, alphas, i, j);
                assert!(free(j) && ours > 0.999 * best, "{gamma}, step {steps}: {ours} {best}");
                problem.improve(i, j);
                steps += 1;
            }
            assert!(steps > 5, "{gamma}: {steps}");
        });
    }
}

#[test]
fn a_cache_that_holds_two_rows_changes_nothing() {
    let rows: Vec<usize> = (0..12).collect();
    let solve = |most: usize| {
        with_kernel(&plane(), 2, 1.0, |kernel| {
            let mut problem = Problem::new(kernel, &rows, 5, 4.0);
            problem.cache.most = most;
            problem.solve(&Stop::new()).unwrap()
        })
    };
    let (small, large) = (solve(2), solve(12));
    assert_eq!((small.alphas, small.offset), (large.alphas, large.offset));
}

#[test]
fn a_full_cache_forgets_the_oldest_row_that_is_not_wanted() {
    let rows: Vec<usize> = (0..12).collect();
    with_kernel(&plane(), 2, 1.0, |kernel| {
        let mut cache = Cache::new(12);
        cache.most = 2;
        for (pair, held) in
            [([4, 4], vec![4]), ([0, 1], vec![0, 1]), ([0, 2], vec![0, 2]), ([7, 0], vec![0, 7])]
        {
            cache.fill(kernel, &rows, pair);
            let found: Vec<usize> = (0..12).filter(|&at| !cache.get(at).is_empty()).collect();
            assert_eq!(found, held, "{pair:?}");
        }
    });
}

#[test]
fn large_problems_may_take_more_steps() {
    assert_eq!([12, 1_000_000].map(most_steps), [10_000_000, 100_000_000]);
}
