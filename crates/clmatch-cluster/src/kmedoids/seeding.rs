//! The initial medoids.

use clmatch_kernels::parallel;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Distances, Stop, Stopped};

/// How many rows have their shares summed together; fixed, so that the sums do not depend on threads.
const ROWS: usize = 256;

/// Park and Jun's seeds: the k points with the smallest v_j = sum_i d_ij / sum_l d_il, the first ones among equals.
///
/// A point that coincides with all others has no share to give: its term is 0. Copies of a point come after all other
/// points: two medoids at one place would share one cluster, and no iteration moves them apart.
///
/// Time: O(n^2) for the first call with these distances, in parallel; O(k) for later ones. Memory: O(n^2 / 256).
pub(super) fn central(distances: &Distances, clusters: usize, stop: &Stop) -> Result<Vec<usize>, Stopped> {
    if let Some(order) = distances.central.get() {
        return Ok(order[..clusters].to_vec());
    }
    let order = by_centrality(distances, stop)?;
    // If another thread computed the order in the meantime, it is the same.
    Ok(distances.central.get_or_init(|| order)[..clusters].to_vec())
}

/// The first point at each place, in ascending order of v_j; then all other points in that order.
fn by_centrality(distances: &Distances, stop: &Stop) -> Result<Vec<usize>, Stopped> {
    let rows = distances.rows();
    let firsts: Vec<usize> = (0..rows).step_by(ROWS).collect();
    let parts: Vec<(Vec<f64>, Vec<bool>)> = parallel::try_map_with(&firsts, Vec::new, |scratch, &first| {
        let mut shares = vec![0.0; rows];
        let mut copies = Vec::with_capacity(ROWS);
        for at in first..(first + ROWS).min(rows) {
            stop.check()?;
            let row = distances.row(at, scratch);
            let (mut sum, mut nearest_before) = (0.0, f64::INFINITY);
            row.each(|to, distance| {
                sum += distance;
                nearest_before = if to < at { distance.min(nearest_before) } else { nearest_before };
            });
            copies.push(nearest_before == 0.0);
            if sum > 0.0 {
                row.each(|to, distance| shares[to] += distance / sum);
            }
        }
        Ok((shares, copies))
    })?;
    let shares: Vec<f64> = (0..rows).map(|at| parts.iter().map(|(shares, _)| shares[at]).sum()).collect();
    let copies: Vec<bool> = parts.into_iter().flat_map(|(_, copies)| copies).collect();
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| copies[a].cmp(&copies[b]).then(shares[a].total_cmp(&shares[b])).then(a.cmp(&b)));
    Ok(order)
}

/// Draws medoids one after the other: the first one uniformly, the others with a probability proportional to the distance
/// to the nearest one so far. Once all points coincide with medoids, it takes the first points that are not medoids.
///
/// Time: O(n k). Memory: O(n).
pub(super) fn draw(
    distances: &Distances,
    clusters: usize,
    seed: u64,
    start: u64,
    stop: &Stop,
) -> Result<Vec<usize>, Stopped> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(start);
    let mut near = vec![f64::INFINITY; distances.rows()];
    let mut chosen = vec![false; distances.rows()];
    let mut medoids = Vec::with_capacity(clusters);
    let mut scratch = vec![];
    let mut next = random.random_range(0..distances.rows());
    loop {
        stop.check()?;
        medoids.push(next);
        chosen[next] = true;
        if medoids.len() == clusters {
            return Ok(medoids);
        }
        distances.row(next, &mut scratch).each(|at, distance| {
            if distance < near[at] {
                near[at] = distance;
            }
        });
        let total: f64 = near.iter().sum();
        next = pass(&near, &chosen, random.random::<f64>() * total);
    }
}

/// The point where the running sum of distances passes `target`; never a point that was chosen already.
fn pass(near: &[f64], chosen: &[bool], mut target: f64) -> usize {
    let mut last = None;
    for (at, &distance) in near.iter().enumerate() {
        if distance > 0.0 {
            last = Some(at);
            if target < distance {
                break;
            }
            target -= distance;
        }
    }
    // All points coincide with medoids, so take any point that was not chosen. There is one, because there are no more
    // medoids than points.
    last.or_else(|| chosen.iter().position(|&chosen| !chosen)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ties;
    use clmatch::Matrix;

    fn line(values: &[f64]) -> Distances {
        Distances::new(&Matrix::new(values, 1).unwrap(), Ties::Exact, &Stop::new()).unwrap()
    }

    /// Points 0, 1, 3: row sums 4, 3, 5; v = (1/3 + 3/5, 1/4 + 2/5, 3/4 + 2/3).
    #[test]
    fn the_most_central_points_come_first() {
        let distances = line(&[0.0, 1.0, 3.0]);
        assert_eq!(central(&distances, 3, &Stop::new()).unwrap(), [1, 0, 2]);
        assert_eq!(central(&line(&[5.0; 4]), 2, &Stop::new()).unwrap(), [0, 1]);
    }

    /// Two places hold three points each: the more central one gets one seed, and its copies are the last resort.
    #[test]
    fn seeds_are_at_different_places() {
        let distances = line(&[1.0, 1.0, 0.0, 1.0, 3.0, 3.0, 3.0]);
        assert_eq!(central(&distances, 7, &Stop::new()).unwrap(), [0, 4, 2, 1, 3, 5, 6]);
    }

    #[test]
    fn draws_differ_from_each_other_even_where_points_coincide() {
        for seed in 0..20 {
            let mut drawn = draw(&line(&[1.0, 1.0, 1.0, 2.0]), 4, seed, 1, &Stop::new()).unwrap();
            drawn.sort_unstable();
            assert_eq!(drawn, [0, 1, 2, 3]);
            // Two places and two draws: each place gets one.
            let drawn = draw(&line(&[1.0, 1.0, 1.0, 2.0]), 2, seed, 1, &Stop::new()).unwrap();
            assert!(drawn.contains(&3), "{drawn:?}");
        }
    }
}
