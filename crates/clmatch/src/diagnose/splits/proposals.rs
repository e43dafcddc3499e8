//! Two ways to cut a class in two: by 2-means, and by the longest edge of its spanning tree between large clusters.

use clmatch_stop::{Control, Stopped};
use clmatch_tree::spanning_tree;

use super::plane::centroid;
use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::matrix::Matrix;

/// How often 2-means starts, and how long it may take.
const STARTS: usize = 5;
const ITERATIONS: usize = 100;

/// Which points 2-means puts into the second cluster; `None` if all points coincide.
///
/// Time: O(starts iterations n d). Memory: O(n).
pub(super) fn two_means(points: &Matrix<'_>, random: &mut SplitMix) -> Option<Vec<bool>> {
    let started = (0..STARTS).filter_map(|_| lloyd(points, random));
    started.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, second)| second)
}

/// One start: the scatter between the clusters (what is left of the total is the scatter within), and the clusters.
fn lloyd(points: &Matrix<'_>, random: &mut SplitMix) -> Option<(f64, Vec<bool>)> {
    let mut centres = seeds(points, random)?;
    let mut second = vec![false; points.n_points()];
    for _ in 0..ITERATIONS {
        // x is nearer to b than to a where (x - (a + b)/2).(b - a) > 0.
        let [a, b] = &centres;
        let across: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
        let border: f64 = a.iter().zip(b).zip(&across).map(|((a, b), e)| f64::midpoint(*a, *b) * e).sum();
        let mut changed = false;
        for (row, second) in points.rows().zip(&mut second) {
            let nearer = clmatch_simd::sums::dot(row, &across) > border;
            changed |= nearer != *second;
            *second = nearer;
        }
        if !changed {
            break;
        }
        let size = second.iter().filter(|&&second| second).count();
        if size == 0 || size == second.len() {
            return None;
        }
        centres = [false, true].map(|side| centroid(points, |row| second[row] == side));
    }
    let n = second.len() as f64;
    let size = second.iter().filter(|&&second| second).count() as f64;
    let between = size * (n - size) / n * squared_distance(&centres[0], &centres[1]);
    (between > 0.0).then_some((between, second))
}

/// A random point, and one drawn with the squared distance from it (k-means++).
fn seeds(points: &Matrix<'_>, random: &mut SplitMix) -> Option<[Vec<f64>; 2]> {
    let first = points.row(random.below(points.n_points()));
    let squares: Vec<f64> = points.rows().map(|row| squared_distance(row, first)).collect();
    let total: f64 = squares.iter().sum();
    if total.is_nan() || total <= 0.0 {
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

/// Which points lie behind the longest edge of the spanning tree that joins two clusters of at least so many points.
/// Those that are joined to the two by longer edges go with the nearest of their points.
///
/// Time: O(n^2 d). Memory: O(n d).
///
/// # Errors
/// [`Stopped`] if `control` says so.
pub(super) fn longest_edge(
    points: &Matrix<'_>,
    least: usize,
    control: Control<'_>,
) -> Result<Option<Vec<bool>>, Stopped> {
    let all = (0..points.n_points() as u32).collect();
    let tree = spanning_tree(clmatch_tree::Points::new(points.values(), points.n_features()), all, control)?;
    // Clusters are runs of places: at its last place stands its first one, and the other way round.
    let mut other_end: Vec<u32> = (0..points.n_points() as u32).collect();
    let mut longest = None;
    for &place in tree.ascending() {
        let (start, end) = (other_end[place as usize], other_end[place as usize + 1]);
        other_end[start as usize] = end;
        other_end[end as usize] = start;
        let (start, middle, end) = (start as usize, place as usize + 1, end as usize + 1);
        if middle - start >= least && end - middle >= least {
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

/// The nearest of some points.
fn nearest(points: &Matrix<'_>, place: &[f64], among: &[u32]) -> u32 {
    let square =
        |&point: &u32| (clmatch_simd::sums::squared_distance(points.row(point as usize), place), point);
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
}
