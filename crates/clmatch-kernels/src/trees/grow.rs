//! Grows trees by halves.

use crate::{Control, Stopped};

use crate::trees::direct;
use crate::trees::merge::merge;
use crate::trees::points::Points;
use crate::trees::tree::Tree;

/// At most this many points are compared one by one.
const FEW: usize = 48;

/// The minimum spanning tree of some points, on the threads of the current rayon pool.
///
/// Progress is reported as by [`merge`].
///
/// Time: O(n^2 d), half of the pairs by symmetry. Memory: O(n (d + log n)).
///
/// # Errors
/// [`Stopped`] if `control` says so.
///
/// # Panics
/// If there are no members.
pub fn spanning_tree(
    points: Points<'_>,
    mut members: Vec<u32>,
    control: Control<'_>,
) -> Result<Tree, Stopped> {
    grow(points, &mut members, control)
}

fn grow(points: Points<'_>, members: &mut [u32], control: Control<'_>) -> Result<Tree, Stopped> {
    if members.len() <= FEW {
        control.check()?;
        return Ok(direct::tree(points, members));
    }
    let [left, right] = halves(points, members);
    let (left, right) = rayon::join(|| grow(points, left, control), || grow(points, right, control));
    merge(points, &left?, &right?, control)
}

/// Splits the points in two halves at a value of the feature with the largest variance: few edges cross such a border.
fn halves<'m>(points: Points<'_>, members: &'m mut [u32]) -> [&'m mut [u32]; 2] {
    let feature = widest_feature(points, members);
    // A whole number of panels, so that tiles are full.
    let middle = (members.len() / 2).next_multiple_of(crate::simd::cross::COLUMNS);
    let value = |&member: &u32| points.row(member)[feature];
    members.select_nth_unstable_by(middle, |a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
    members.split_at_mut(middle).into()
}

fn widest_feature(points: Points<'_>, members: &[u32]) -> usize {
    let mut sums = vec![[0.0; 2]; points.features()];
    let first = points.row(members[0]);
    for &member in members {
        for ((sums, x), origin) in sums.iter_mut().zip(points.row(member)).zip(first) {
            let x = x - origin;
            *sums = [sums[0] + x, sums[1] + x * x];
        }
    }
    let n = members.len() as f64;
    let variance = |[sum, squares]: [f64; 2]| squares - sum * sum / n;
    let wider =
        |best: usize, other: usize| if variance(sums[other]) > variance(sums[best]) { other } else { best };
    (0..sums.len()).fold(0, wider)
}
