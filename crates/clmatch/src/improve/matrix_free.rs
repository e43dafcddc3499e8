//! `K_S w` and `w' K_S w` of all pairs, without forming `K_S`.
//!
//! For a point of class i in the pair with class j, `r = sum of w_f (u_f + v_f)^2 = a + 2 u.(w v) + w.v^2` with
//! `a = sum of w_f u_f^2`. Over all partners of a class the middle term is one product of matrices. With `r~` centred over the
//! pair, `N K_S w = sum over x of r~ (u^2 + 2 u v + v^2)` takes two more products.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::LANES;
use clmatch_kernels::simd::products;

use super::centred_points::CentredPoints;

/// A class and eight of its pairs.
struct PairBatch {
    class: usize,
    /// Places in the list of pairs, each with the partner.
    partners: Vec<(usize, usize)>,
}

fn tasks(points: &CentredPoints, pairs: &[(usize, usize)]) -> Vec<PairBatch> {
    let mut partners = vec![Vec::new(); points.classes()];
    for (at, &(i, j)) in pairs.iter().enumerate() {
        partners[i].push((at, j));
        partners[j].push((at, i));
    }
    let tasks = partners.iter().enumerate().flat_map(|(class, partners)| {
        partners.chunks(LANES).map(move |chunk| PairBatch { class, partners: chunk.to_vec() })
    });
    tasks.collect()
}

/// `a` for each point. Time: O(n d).
fn levels(points: &CentredPoints, w: &[f64]) -> Vec<f64> {
    let of = |row: &[f64]| row.iter().zip(w).map(|(u, w)| w * (u * u)).sum();
    parallel::map_chunks(&points.rows, points.features, of)
}

/// Offsets `v` of a class in up to eight pairs, feature after feature.
fn offsets(points: &CentredPoints, task: &PairBatch) -> Vec<[f64; LANES]> {
    let mut offsets = vec![[0.0; LANES]; points.features];
    for (lane, &(_, other)) in task.partners.iter().enumerate() {
        for (to, v) in offsets.iter_mut().zip(points.offset(task.class, other)) {
            to[lane] = v;
        }
    }
    offsets
}

/// `r` of the points of a class in up to eight pairs, less its mean over the class, and that mean.
fn radii(
    points: &CentredPoints,
    task: &PairBatch,
    w: &[f64],
    levels: &[f64],
    offsets: &[[f64; LANES]],
) -> (Vec<[f64; LANES]>, [f64; LANES]) {
    let weighted: Vec<[f64; LANES]> = offsets.iter().zip(w).map(|(v, w)| v.map(|v| 2.0 * w * v)).collect();
    let own = &levels[points.starts[task.class]..points.starts[task.class + 1]];
    let mut radii = vec![[0.0; LANES]; own.len()];
    products::mul(points.class(task.class), &weighted, &mut radii);
    let mean = own.iter().sum::<f64>() / own.len() as f64;
    for (radii, level) in radii.iter_mut().zip(own) {
        radii.iter_mut().for_each(|radius| *radius += level - mean);
    }
    // The product has mean 0 over the class, up to the rounding of its centroid.
    let mut means = [mean; LANES];
    for (v, w) in offsets.iter().zip(w) {
        means.iter_mut().zip(v).for_each(|(mean, v)| *mean += w * v * v);
    }
    (radii, means)
}

/// `w' K_S w` of all pairs. Time: O(n d K). Memory: O(n K).
pub(crate) fn squares(points: &CentredPoints, pairs: &[(usize, usize)], w: &[f64]) -> Vec<f64> {
    let levels = levels(points, w);
    let tasks = tasks(points, pairs);
    let sums: Vec<([f64; LANES], [f64; LANES])> = parallel::map(&tasks, |task| {
        let (radii, means) = radii(points, task, w, &levels, &offsets(points, task));
        let mut sums = [0.0; LANES];
        for radii in &radii {
            sums.iter_mut().zip(radii).for_each(|(sum, radius)| *sum += radius * radius);
        }
        (sums, means)
    });
    let mut within = vec![0.0; pairs.len()];
    let mut means = vec![(0.0, 0.0); pairs.len()];
    for (task, (sums, mean)) in tasks.iter().zip(&sums) {
        for (lane, &(at, _)) in task.partners.iter().enumerate() {
            within[at] += sums[lane];
            let side = if pairs[at].0 == task.class { &mut means[at].0 } else { &mut means[at].1 };
            *side = mean[lane];
        }
    }
    let of = |(at, &(i, j)): (usize, &(usize, usize))| {
        let (p, q) = (points.size(i), points.size(j));
        let gap = means[at].0 - means[at].1;
        within[at] / (p + q) + p / (p + q) * (q / (p + q)) * (gap * gap)
    };
    pairs.iter().enumerate().map(of).collect()
}

/// `K_S w` of all pairs, P x d. Time: O(3 n d K). Memory: O(P d + n K).
pub(crate) fn curvature(points: &CentredPoints, pairs: &[(usize, usize)], w: &[f64], out: &mut [f64]) {
    let features = points.features;
    let levels = levels(points, w);
    let tasks = tasks(points, pairs);
    let parts: Vec<(Vec<[f64; LANES]>, [f64; LANES])> = parallel::map(&tasks, |task| {
        let offsets = offsets(points, task);
        let (radii, means) = radii(points, task, w, &levels, &offsets);
        let mut straight = vec![[0.0; LANES]; features];
        let mut squared = vec![[0.0; LANES]; features];
        products::mul_transposed(points.class(task.class), &radii, &mut straight, &mut squared);
        for ((square, straight), v) in squared.iter_mut().zip(&straight).zip(&offsets) {
            for ((square, straight), v) in square.iter_mut().zip(straight).zip(v) {
                *square += 2.0 * v * straight;
            }
        }
        (squared, means)
    });
    let mut means = vec![(0.0, 0.0); pairs.len()];
    for (task, (part, mean)) in tasks.iter().zip(&parts) {
        for (lane, &(at, _)) in task.partners.iter().enumerate() {
            let line = &mut out[at * features..(at + 1) * features];
            line.iter_mut().zip(part).for_each(|(to, part)| *to += part[lane]);
            let side = if pairs[at].0 == task.class { &mut means[at].0 } else { &mut means[at].1 };
            *side = mean[lane];
        }
    }
    parallel::for_chunks_mut(out, features, |at, line| {
        let ((i, j), means) = (pairs[at], means[at]);
        let (p, q) = (points.size(i), points.size(j));
        let between = p / (p + q) * (q / (p + q)) * (means.0 - means.1);
        let offsets = points.offset(i, j).zip(points.offset(j, i));
        for (f, (to, (a, b))) in line.iter_mut().zip(offsets).enumerate() {
            let level = |class: usize, v: f64| points.seconds[class * features + f] + v * v;
            *to = *to / (p + q) + between * (level(i, a) - level(j, b));
        }
    });
}
