//! Ward's clusters of a few hundred points: merges of the two largest clusters are good guesses of where a class falls apart.

use crate::kernels::squared_distance;
use crate::matrix::Matrix;

/// The two clusters that the last merges joined, for merges with at least `least` points on either side: for each merge, whether
/// a point is in the second cluster, or `None` if it is in neither. Returns at most `wanted` merges, from the last one backwards.
///
/// Time: O(n^2 d). Memory: O(n^2).
pub(super) fn last_merges(points: &Matrix<'_>, least: usize, wanted: usize) -> Vec<Vec<Option<bool>>> {
    let n = points.n_points();
    let mut found: Vec<(f64, Vec<Option<bool>>)> = Vec::new();
    let mut members: Vec<Vec<usize>> = (0..n).map(|point| vec![point]).collect();
    // The cost of a merge is the scatter that it adds.
    let mut costs: Vec<f64> =
        (0..n * n).map(|at| squared_distance(points.row(at / n), points.row(at % n)) / 2.0).collect();
    let mut alive: Vec<usize> = (0..n).collect();
    let mut chain: Vec<usize> = Vec::new();
    while alive.len() > 1 {
        let Some(&last) = chain.last() else {
            chain.push(alive[0]);
            continue;
        };
        // Among equally near clusters, takes the previous one of the chain, so that the chain ends.
        let before = chain.len().checked_sub(2).map(|at| chain[at]);
        let cost = |other: usize| (costs[last * n + other], Some(other) != before, other);
        let others = alive.iter().copied().filter(|&other| other != last);
        let nearest =
            others.min_by(|&a, &b| cost(a).partial_cmp(&cost(b)).unwrap_or(std::cmp::Ordering::Equal));
        let Some(nearest) = nearest else { break };
        if before != Some(nearest) {
            chain.push(nearest);
            continue;
        }
        chain.truncate(chain.len() - 2);
        let (a, b) = (last.min(nearest), last.max(nearest));
        let height = costs[a * n + b];
        let sizes = [members[a].len() as f64, members[b].len() as f64];
        if members[a].len().min(members[b].len()) >= least {
            let mut side = vec![None; n];
            members[a].iter().for_each(|&point| side[point] = Some(false));
            members[b].iter().for_each(|&point| side[point] = Some(true));
            found.push((height, side));
        }
        alive.retain(|&cluster| cluster != b);
        for &other in alive.iter().filter(|&&other| other != a) {
            let size = members[other].len() as f64;
            let [to_a, to_b] = [a, b].map(|from| costs[from * n + other]);
            let sum = (sizes[0] + size) * to_a + (sizes[1] + size) * to_b - size * height;
            let cost = sum / (sizes[0] + sizes[1] + size);
            costs[a * n + other] = cost;
            costs[other * n + a] = cost;
        }
        let moved = std::mem::take(&mut members[b]);
        members[a].extend(moved);
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().take(wanted).map(|(_, side)| side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_merges_join_the_largest_clusters() {
        // Three runs; the second and third are nearer to each other.
        let line = [0.0, 1.0, 2.0, 100.0, 101.0, 102.0, 120.0, 121.0, 122.0];
        let points = Matrix::new(&line, 1).unwrap();
        let found = last_merges(&points, 3, 5);
        assert_eq!(found.len(), 2);
        let group = |side: &[Option<bool>], range: std::ops::Range<usize>| {
            let first = side[range.start];
            assert!(side[range].iter().all(|one| *one == first));
            first
        };
        let runs = |side: &[Option<bool>]| [0..3, 3..6, 6..9].map(|range| group(side, range));
        let [one, two, three] = runs(&found[0]);
        assert!(one.is_some() && one != two && two == three);
        let [one, two, three] = runs(&found[1]);
        assert!(one.is_none() && two.is_some() && three.is_some() && two != three);
        assert_eq!(last_merges(&points, 4, 5).len(), 0, "no other merge has four on either side");
        assert_eq!(last_merges(&points, 3, 1).len(), 1);
    }

    #[test]
    fn points_in_one_place_end() {
        let points = Matrix::new(vec![1.0; 40], 1).unwrap();
        last_merges(&points, 4, 3);
    }
}
