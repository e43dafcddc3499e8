//! Two ways to cut a class in two: by 2-means, and by the longest edge of its spanning tree between large clusters.

use clmatch_kernels::trees::{Points as Places, Tree, spanning_tree};
use clmatch_kernels::{Control, Stopped};

use super::plane::centroid;
use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::matrix::Matrix;

/// How often 2-means starts, and how many iterations it may take.
const STARTS: usize = 5;
const ITERATIONS: usize = 100;

/// Which points 2-means puts into the second cluster; `None` if all points coincide.
///
/// Time: O(starts iterations n d). Memory: O(n).
pub(super) fn two_means(points: &Matrix<'_>, random: &mut SplitMix) -> Option<Vec<bool>> {
    let started = (0..STARTS).filter_map(|_| lloyd(points, seeds(points, random)?));
    started.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, second)| second)
}

/// Which points 2-means puts into the second cluster if it starts at the means of two groups of points; `None` if either cluster
/// is empty.
///
/// Time: O(iterations n d).
pub(super) fn refined(points: &Matrix<'_>, group: &[Option<bool>]) -> Option<Vec<bool>> {
    let centres = [false, true].map(|side| centroid(points, |row| group[row] == Some(side)));
    lloyd(points, centres).map(|(_, second)| second)
}

/// Runs 2-means from one pair of centres. Returns the scatter between the clusters (the rest of the total is the scatter within),
/// and which points are in the second one. `None` if either is empty.
fn lloyd(points: &Matrix<'_>, mut centres: [Vec<f64>; 2]) -> Option<(f64, Vec<bool>)> {
    let mut second = vec![false; points.n_points()];
    for _ in 0..ITERATIONS {
        // x is nearer to b than to a where (x - (a + b)/2).(b - a) > 0.
        let [a, b] = &centres;
        let across: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
        let border: f64 = a.iter().zip(b).zip(&across).map(|((a, b), e)| f64::midpoint(*a, *b) * e).sum();
        let mut changed = false;
        for (row, second) in points.rows().zip(&mut second) {
            let nearer = clmatch_kernels::simd::sums::dot(row, &across) > border;
            changed |= nearer != *second;
            *second = nearer;
        }
        if !changed {
            break;
        }
        // The centre of an empty cluster is NaN: nothing is near it, and the scatter between becomes NaN as well.
        centres = [false, true].map(|side| centroid(points, |row| second[row] == side));
    }
    let n = second.len() as f64;
    let size = second.iter().filter(|&&second| second).count() as f64;
    let between = size * (n - size) / n * squared_distance(&centres[0], &centres[1]);
    (between > 0.0).then_some((between, second))
}

/// A random point, and another drawn in proportion to the squared distance from it (k-means++).
fn seeds(points: &Matrix<'_>, random: &mut SplitMix) -> Option<[Vec<f64>; 2]> {
    let first = points.row(random.below(points.n_points()));
    let squares: Vec<f64> = points.rows().map(|row| squared_distance(row, first)).collect();
    let total: f64 = squares.iter().sum();
    if total <= 0.0 {
        return None;
    }
    const STEPS: usize = 1 << 53;
    let mut left = random.below(STEPS) as f64 / STEPS as f64 * total;
    let drawn = squares.iter().position(|square| {
        left -= square;
        left < 0.0
    });
    let drawn = drawn.or_else(|| squares.iter().rposition(|&square| square > 0.0))?;
    Some([first.to_vec(), points.row(drawn).to_vec()])
}

/// Which points lie behind the longest edge of the spanning tree that joins two clusters of at least `least` points. Points that
/// longer edges join to the two clusters go with the nearest point of either.
///
/// Time: O(n^2 d). Memory: O(n d).
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
pub(super) fn longest_edge(
    points: &Matrix<'_>,
    least: usize,
    control: Control<'_>,
) -> Result<Option<Vec<bool>>, Stopped> {
    behind_longest_edge(&tree_of(points, control)?, points, least, control)
}

/// The spanning tree of all points.
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
pub(super) fn tree_of(points: &Matrix<'_>, control: Control<'_>) -> Result<Tree, Stopped> {
    let all = (0..points.n_points() as u32).collect();
    spanning_tree(Places::new(points.values(), points.n_features()), all, control.quiet())
}

/// As [`longest_edge`], with a tree that is already known.
pub(super) fn behind_longest_edge(
    tree: &Tree,
    points: &Matrix<'_>,
    least: usize,
    control: Control<'_>,
) -> Result<Option<Vec<bool>>, Stopped> {
    // Clusters are runs of places: the last place of a run holds its first place, and vice versa.
    let mut other_end: Vec<u32> = (0..points.n_points() as u32).collect();
    let mut longest = None;
    for &place in tree.ascending() {
        let (start, end) = (other_end[place as usize], other_end[place as usize + 1]);
        other_end[start as usize] = end;
        other_end[end as usize] = start;
        let (start, middle, end) = (start as usize, place as usize + 1, end as usize + 1);
        // The smaller of the two clusters comes last.
        if end - middle >= least {
            longest = Some((start, middle, end));
        }
    }
    let Some((start, middle, end)) = longest else { return Ok(None) };
    let mut second = vec![false; points.n_points()];
    tree.order()[middle..end].iter().for_each(|&point| second[point as usize] = true);
    let joined = &tree.order()[start..end];
    for &late in tree.order()[..start].iter().chain(&tree.order()[end..]) {
        control.check()?;
        second[late as usize] = second[nearest(points, points.row(late as usize), joined) as usize];
    }
    Ok(Some(second))
}

/// The nearest of the given points.
fn nearest(points: &Matrix<'_>, place: &[f64], among: &[u32]) -> u32 {
    let square = |&point: &u32| {
        (clmatch_kernels::simd::sums::squared_distance(points.row(point as usize), place), point)
    };
    let nearer = |a: (f64, u32), b: (f64, u32)| if b < a { b } else { a };
    among.iter().map(square).fold((f64::INFINITY, u32::MAX), nearer).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_on_a_line() {
        let line = Matrix::new(&[0.0, 1.0, 2.5, 20.0, 21.5, 22.0, 30.0], 1).unwrap();
        let halves = [false, false, false, true, true, true, true];
        let found = two_means(&line, &mut SplitMix::new(1)).unwrap();
        assert!(found == halves || found == halves.map(|second| !second), "{found:?}");
        // The edge to 30 is longer than any within 20 .. 22, but has a single point behind it.
        let found = longest_edge(&line, 2, Control::none()).unwrap().unwrap();
        assert!(found == halves || found == halves.map(|second| !second), "{found:?}");
        assert_eq!(longest_edge(&line, 4, Control::none()), Ok(None));
    }

    #[test]
    fn points_in_one_place_have_no_two_means() {
        let place = Matrix::new(vec![3.0; 30], 1).unwrap();
        assert_eq!(two_means(&place, &mut SplitMix::new(1)), None);
    }

    #[test]
    fn steps_of_two_means_by_hand() {
        let from = |values: &[f64], centres: [f64; 2]| {
            lloyd(&Matrix::new(values, 1).unwrap(), centres.map(|centre| vec![centre]))
        };
        // At first only 0 is in the second cluster, then -1 is too. Centres -11 and -.5, 2 and 3 points: 6/5 10.5^2 between.
        let (between, second) = from(&[-12.0, -11.0, -10.0, -1.0, 0.0], [-1.0, 0.0]).unwrap();
        assert_eq!(second, [false, false, false, true, true]);
        assert!((between - 132.3).abs() < 1e-9, "{between}");
        // A point in the middle stays with the first cluster: centres .5 and 2, 2/3 1.5^2 between.
        let (between, second) = from(&[0.0, 1.0, 2.0], [0.0, 2.0]).unwrap();
        assert_eq!(second, [false, false, true]);
        assert!((between - 1.5).abs() < 1e-12, "{between}");
        // One of the clusters is empty.
        assert_eq!(from(&[0.0, 1.0, 2.0], [1.0, 1.0]), None);
        assert_eq!(from(&[0.0, 1.0, 2.0], [100.0, 1.0]), None);
        assert_eq!(from(&[0.0, 1.0, 2.0], [1.0, 100.0]), None);
    }

    /// From 0 the squares are 1 and 9, from 1 they are 1 and 4, from 3 they are 9 and 4.
    #[test]
    fn second_seeds_are_drawn_with_squared_distances() {
        let points = Matrix::new(&[0.0, 1.0, 3.0], 1).unwrap();
        let mut random = SplitMix::new(3);
        const DRAWS: usize = 6000;
        let drawn: Vec<[f64; 2]> =
            (0..DRAWS).map(|_| seeds(&points, &mut random).unwrap().map(|seed| seed[0])).collect();
        for (pair, share) in [
            ([0.0, 1.0], 1.0 / 10.0),
            ([0.0, 3.0], 9.0 / 10.0),
            ([1.0, 0.0], 1.0 / 5.0),
            ([1.0, 3.0], 4.0 / 5.0),
            ([3.0, 0.0], 9.0 / 13.0),
            ([3.0, 1.0], 4.0 / 13.0),
        ] {
            let count = drawn.iter().filter(|&&seeds| seeds == pair).count() as f64;
            let (expected, of_one) = (DRAWS as f64 * share / 3.0, share / 3.0);
            // Five deviations of a binomial count.
            assert!((count - expected).abs() < 5.0 * (expected * (1.0 - of_one)).sqrt(), "{pair:?}: {count}");
        }
    }

    /// Joins clusters by all pairs of points, from the closest on; at last every point goes with the nearer of the two that were
    /// joined.
    fn slow_longest_edge(points: &Matrix<'_>, least: usize) -> Option<Vec<bool>> {
        let n = points.n_points();
        let square = |x: usize, y: usize| squared_distance(points.row(x), points.row(y));
        let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|y| (0..y).map(move |x| (x, y))).collect();
        pairs.sort_by(|a, b| square(a.0, a.1).total_cmp(&square(b.0, b.1)));
        let mut clusters: Vec<Vec<usize>> = (0..n).map(|x| vec![x]).collect();
        let mut longest = None;
        for (x, y) in pairs {
            let [a, b] = [x, y].map(|x| clusters.iter().position(|of| of.contains(&x)).unwrap());
            if a != b {
                let both = [clusters[a].clone(), clusters[b].clone()];
                clusters[a] = both.concat();
                clusters.remove(b);
                if both.iter().all(|cluster| cluster.len() >= least) {
                    longest = Some(both);
                }
            }
        }
        let [a, b] = longest?;
        let nearest = |x: usize, of: &[usize]| of.iter().map(|&y| square(x, y)).fold(f64::INFINITY, f64::min);
        Some((0..n).map(|x| nearest(x, &b) < nearest(x, &a)).collect())
    }

    #[test]
    fn longest_edges_are_those_of_single_linkage() {
        let mut random = SplitMix::new(5);
        let mut found_some = 0;
        for round in 0..60 {
            let n = 5 + round % 17;
            let values: Vec<f64> = (0..2 * n).map(|_| random.below(1 << 30) as f64).collect();
            let points = Matrix::new(values, 2).unwrap();
            for least in 1..6 {
                let found = longest_edge(&points, least, Control::none()).unwrap();
                let expected = slow_longest_edge(&points, least);
                let swapped = expected.as_ref().map(|second| second.iter().map(|second| !second).collect());
                assert!(found == expected || found == swapped, "{found:?} instead of {expected:?}");
                found_some += usize::from(found.is_some_and(|second| least > 1 && second.contains(&true)));
            }
        }
        assert!(found_some > 60, "{found_some}");
    }

    #[test]
    fn points_that_join_late_are_no_cluster_wherever_the_tree_begins() {
        // Two runs of three, then a single point at 3 and one at 10, both of which are nearer to the second run.
        let line = [10.0, 3.0, 1.2, 1.1, 1.0, 0.2, 0.1, 0.0];
        for first in 0..line.len() {
            let mut values = line.to_vec();
            values.rotate_left(first);
            let points = Matrix::new(&values, 1).unwrap();
            let found = longest_edge(&points, 2, Control::none()).unwrap().unwrap();
            let low = found[values.iter().position(|&x| x == 0.0).unwrap()];
            let expected: Vec<bool> = values.iter().map(|&x| (x < 0.5) == low).collect();
            assert_eq!(found, expected, "{values:?}");
        }
    }
}
