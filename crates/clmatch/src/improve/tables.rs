//! The covariances `K_S` of all pairs as tables.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::products::{self, BAND, Packed};

use super::centred_points::CentredPoints;

/// `K_S` of all pairs with covariances shrunk. Time: O(K n d^2 / 2).
pub(crate) fn of(points: &CentredPoints, pairs: &[(usize, usize)], shrink: &[f64]) -> Vec<f64> {
    let features = points.features;
    let mut tables = vec![0.0; pairs.len() * features * features];
    parallel::for_chunks_mut(&mut tables, features * features, |at, k| {
        let (packed, share) = (deviations(points, pairs[at]), shrink[at]);
        debug_assert_eq!(packed.bands(), features.div_ceil(BAND));
        parallel::for_chunks_mut(k, BAND * features, |band, out| products::covariance(&packed, band, out));
        for f in 0..features {
            for g in f + 1..features {
                let value = k[f * features + g] * (1.0 - share);
                k[f * features + g] = value;
                k[g * features + f] = value;
            }
        }
    });
    tables
}

/// The centred squared deviations of the points of a pair from its centroid.
fn deviations(points: &CentredPoints, (i, j): (usize, usize)) -> Packed {
    let features = points.features;
    let side = |class: usize, other: usize| -> Vec<f64> { points.offset(class, other).collect() };
    let offsets = [side(i, j), side(j, i)];
    let (p, q) = (points.size(i), points.size(j));
    let mean: Vec<f64> = (0..features)
        .map(|f| {
            let level = |class: usize, v: f64| points.seconds[class * features + f] + v * v;
            (p * level(i, offsets[0][f]) + q * level(j, offsets[1][f])) / (p + q)
        })
        .collect();
    let first = p as usize;
    let (own, other) = (points.class(i), points.class(j));
    Packed::new(first + q as usize, features, |at, row| {
        let (rows, at, offset) =
            if at < first { (own, at, &offsets[0]) } else { (other, at - first, &offsets[1]) };
        let point = &rows[at * features..(at + 1) * features];
        for (((to, u), v), mean) in row.iter_mut().zip(point).zip(offset).zip(&mean) {
            *to = (u + v) * (u + v) - mean;
        }
    })
}
