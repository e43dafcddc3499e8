//! The points as the search sees them: centred by class, with the moments that are linear in the weights.
//!
//! ```text
//! u = x - c_i        V_if = mean of u_f^2 in class i        D_Sf = (c_if - c_jf)^2        v = c_i - c_S
//! ```

use clmatch_kernels::parallel;

use super::objective::{MomentFormula, WeightedMoments};
use crate::classes::Classes;
use crate::kernels::frame::Frame;
use crate::kernels::stream::Origin;

/// Points of all classes relative to the centroids of their classes. Memory: O(n d + K d).
pub(crate) struct CentredPoints {
    pub(crate) features: usize,
    /// Where each class starts, followed by the end of the last.
    pub(crate) starts: Vec<usize>,
    /// n x d: the points, class after class.
    pub(crate) rows: Vec<f64>,
    /// K x d: the centroids.
    pub(crate) centroids: Vec<f64>,
    /// K x d: means of u^2.
    pub(crate) seconds: Vec<f64>,
    /// K x d: means of u^3.
    thirds: Vec<f64>,
    /// K x d: means of u^4.
    fourths: Vec<f64>,
}

impl CentredPoints {
    /// Time: O(n d).
    pub(crate) fn new(classes: &Classes<'_>) -> CentredPoints {
        let Frame { mut rows, features, starts, .. } = Frame::new(classes, &Origin::exact(classes));
        let count = starts.len() - 1;
        let mut places = Vec::with_capacity(count);
        let mut rest = rows.as_mut_slice();
        for bounds in starts.windows(2) {
            let (own, after) = rest.split_at_mut((bounds[1] - bounds[0]) * features);
            places.push(own);
            rest = after;
        }
        let centred: Vec<[Vec<f64>; 4]> = parallel::map_mut(&mut places, |_, own| centre(own, features));
        let gather = |which: usize| centred.iter().flat_map(|of| of[which].iter().copied()).collect();
        let (centroids, seconds, thirds, fourths) = (gather(0), gather(1), gather(2), gather(3));
        CentredPoints { features, starts, rows, centroids, seconds, thirds, fourths }
    }

    /// The same points with only some of their features. Time: O(n d).
    pub(crate) fn columns(&self, columns: &[usize]) -> CentredPoints {
        let pick = |table: &[f64]| {
            let rows = table.chunks_exact(self.features);
            rows.flat_map(|row| columns.iter().map(|&column| row[column])).collect()
        };
        CentredPoints {
            features: columns.len(),
            starts: self.starts.clone(),
            rows: pick(&self.rows),
            centroids: pick(&self.centroids),
            seconds: pick(&self.seconds),
            thirds: pick(&self.thirds),
            fourths: pick(&self.fourths),
        }
    }

    pub(crate) fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// `n_i`.
    pub(crate) fn size(&self, class: usize) -> f64 {
        (self.starts[class + 1] - self.starts[class]) as f64
    }

    /// The points of a class.
    pub(crate) fn class(&self, class: usize) -> &[f64] {
        &self.rows[self.starts[class] * self.features..self.starts[class + 1] * self.features]
    }

    /// `c_i - c_S` for the pair of class i with another: `n_j/N (c_i - c_j)`.
    pub(crate) fn offset(&self, class: usize, other: usize) -> impl Iterator<Item = f64> {
        let share = self.size(other) / (self.size(class) + self.size(other));
        let row = |class: usize| &self.centroids[class * self.features..(class + 1) * self.features];
        row(class).iter().zip(row(other)).map(move |(own, other)| share * (own - other))
    }

    /// `D_Sf` of a feature.
    pub(crate) fn gap(&self, (i, j): (usize, usize), f: usize) -> f64 {
        let gap = self.centroids[i * self.features + f] - self.centroids[j * self.features + f];
        gap * gap
    }

    /// The variance of `(x_f - c_Sf)^2` over a pair: the contribution of a single feature to `s2^2`.
    ///
    /// Within a class it is `mean u^4 - (mean u^2)^2 + 4 v mean u^3 + 4 v^2 mean u^2`.
    pub(crate) fn spread(&self, (i, j): (usize, usize), f: usize) -> f64 {
        let n = self.size(i) + self.size(j);
        let (p, q) = (self.size(i) / n, self.size(j) / n);
        let gap = self.centroids[i * self.features + f] - self.centroids[j * self.features + f];
        let own = |class: usize, v: f64| {
            let at = class * self.features + f;
            let (second, third) = (self.seconds[at], self.thirds[at]);
            let within = self.fourths[at] - second * second + 4.0 * v * third + 4.0 * v * v * second;
            (within.max(0.0), second + v * v)
        };
        let ((within_i, mean_i), (within_j, mean_j)) = (own(i, q * gap), own(j, -p * gap));
        p * within_i + q * within_j + p * q * (mean_i - mean_j) * (mean_i - mean_j)
    }

    /// The moments that a pair would have with this feature alone.
    pub(crate) fn alone(&self, pair: (usize, usize), f: usize) -> WeightedMoments {
        let second = |class: usize| self.seconds[class * self.features + f];
        WeightedMoments {
            sizes: (self.size(pair.0), self.size(pair.1)),
            gap: self.gap(pair, f),
            variances: (second(pair.0), second(pair.1)),
            square: self.spread(pair, f),
        }
    }

    /// The score of each feature alone. Time: O(P d).
    pub(crate) fn single_scores(&self, pairs: &[(usize, usize)], formula: MomentFormula) -> Vec<f64> {
        let of = |f: usize| pairs.iter().map(|&pair| formula.score(&self.alone(pair, f))).sum::<f64>();
        parallel::map_range(self.features, |f| of(f) / pairs.len() as f64)
    }
}

/// Centres the rows of a class; returns its centroid and the means of the second to fourth powers.
fn centre(rows: &mut [f64], features: usize) -> [Vec<f64>; 4] {
    let share = 1.0 / (rows.len() / features) as f64;
    let mut centroid = vec![0.0; features];
    // The second pass removes the rounding of the first.
    for _ in 0..2 {
        let mut mean = vec![0.0; features];
        for row in rows.chunks_exact(features) {
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x);
        }
        mean.iter_mut().for_each(|mean| *mean *= share);
        for row in rows.chunks_exact_mut(features) {
            row.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
        }
        centroid.iter_mut().zip(&mean).for_each(|(centroid, mean)| *centroid += mean);
    }
    let mut powers = [vec![0.0; features], vec![0.0; features], vec![0.0; features]];
    let [seconds, thirds, fourths] = &mut powers;
    for row in rows.chunks_exact(features) {
        for (f, x) in row.iter().enumerate() {
            let square = x * x;
            seconds[f] += square;
            thirds[f] += square * x;
            fourths[f] += square * square;
        }
    }
    let [seconds, thirds, fourths] =
        powers.map(|sums| sums.into_iter().map(|sum| sum * share).collect::<Vec<f64>>());
    [centroid, seconds, thirds, fourths]
}
