//! Sums over the rows of one class around its centroid, which can be merged with the sums of other rows.
//!
//! With `z = x - c`, `r = |z|^2` and `V = mean r` over the n rows seen so far:
//!
//! ```text
//! R = sum r        G = sum (r - V)^2        q = sum (r - V) z        S = sum z z'
//! ```
//!
//! Seen from a centre at `c - v`, with `r' = r + 2 z.v + |v|^2` and `V' = V + |v|^2`, the rows of one part have
//!
//! ```text
//! sum (r' - V')^2 = G + 4 v'Sv + 4 v.q        sum (r' - V')(z + v) = q + 2 Sv
//! ```
//!
//! and two parts A and B with `d = c_B - c_A` around their common centroid, where `v_A = -n_B/n d` and `v_B = n_A/n d`, have
//!
//! ```text
//! R = R_A + R_B + n_A n_B/n |d|^2                              S = S_A + S_B + n_A n_B/n d d'
//! G = (the two from above) + n_A n_B/n (V_A' - V_B')^2         q = (the two) + n_A (V_A' - V) v_A + n_B (V_B' - V) v_B
//! ```
//!
//! Only means are subtracted, so that data far from the origin keep their digits. A centroid is the sum of two numbers per
//! feature, the second below the rounding of the first; it is in the coordinates of the input, and sums are in a unit of length,
//! a power of two, that keeps fourth powers inside the range of f64.

/// Sums over the rows of one class. Time of a merge: O(d), or O(d^2) with matrices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClassSums {
    /// `n`.
    pub(crate) points: u64,
    /// The centroid, rounded.
    pub(crate) high: Vec<f64>,
    /// The part of the centroid that rounding took away.
    pub(crate) low: Vec<f64>,
    /// `R`.
    pub(crate) squares: f64,
    /// The sums that only the form with scatter matrices has.
    pub(crate) matrix: Option<ScatterSums>,
}

/// The sums for which one pass needs a d x d matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScatterSums {
    /// `G`.
    pub(crate) fourth: f64,
    /// The size of the terms that `G` was summed from.
    pub(crate) terms: f64,
    /// `q`.
    pub(crate) skew: Vec<f64>,
    /// `S`: its upper triangle, row after row.
    pub(crate) scatter: Vec<f64>,
}

impl ClassSums {
    /// Adds the rows of another part. The lengths of both are in `unit`.
    pub(crate) fn merge(&mut self, other: &ClassSums, unit: f64) {
        let scale = 1.0 / unit;
        let (a, b) = (self.points as f64, other.points as f64);
        let (share, rest) = (b / (a + b), a / (a + b));
        let gap: Vec<f64> = (0..self.high.len())
            .map(|f| {
                (other.high[f] * scale - self.high[f] * scale) + (other.low[f] * scale - self.low[f] * scale)
            })
            .collect();
        let square: f64 = gap.iter().map(|d| d * d).sum();
        let (v_a, v_b) = (self.squares / a, other.squares / b);
        self.matrix = match (self.matrix.take(), &other.matrix) {
            (Some(mut matrix), Some(more)) => {
                let means = (v_a + share * share * square, v_b + rest * rest * square);
                matrix.merge(more, (a, b), &gap, means);
                Some(matrix)
            }
            _ => None,
        };
        self.squares += other.squares + a * share * square;
        self.points = self.points.saturating_add(other.points);
        for (f, d) in gap.iter().enumerate() {
            let (high, low) = exact_sum(self.high[f] * scale, self.low[f] * scale + share * d);
            (self.high[f], self.low[f]) = (high * unit, low * unit);
        }
    }

    /// Replaces the unit of length, a power of two, by one that is shorter by `factor`: lengths become that many times as large.
    pub(crate) fn rescale(&mut self, factor: f64) {
        let square = factor * factor;
        self.squares *= square;
        if let Some(matrix) = &mut self.matrix {
            matrix.fourth *= square * square;
            matrix.terms *= square * square;
            matrix.skew.iter_mut().for_each(|q| *q *= square * factor);
            matrix.scatter.iter_mut().for_each(|s| *s *= square);
        }
    }
}

impl ScatterSums {
    /// Adds the sums of another part, whose centroid is `gap` away, with these means of r around the common centroid.
    fn merge(&mut self, other: &ScatterSums, (a, b): (f64, f64), gap: &[f64], (mean_a, mean_b): (f64, f64)) {
        let (share, rest) = (b / (a + b), a / (a + b));
        let (image_a, image_b) = (self.times(gap), other.times(gap));
        let along = 4.0 * (share * share * dot(gap, &image_a) + rest * rest * dot(gap, &image_b));
        let skew = 4.0 * (rest * dot(gap, &other.skew) - share * dot(gap, &self.skew));
        let apart = a * share * (mean_a - mean_b) * (mean_a - mean_b);
        self.fourth = (self.fourth + other.fourth + along + skew + apart).max(0.0);
        self.terms += other.terms + along + apart;
        let mean = rest * mean_a + share * mean_b;
        let of_gap = b * (mean_b - mean) * rest - a * (mean_a - mean) * share;
        for (f, d) in gap.iter().enumerate() {
            self.skew[f] += other.skew[f] + 2.0 * (rest * image_b[f] - share * image_a[f]) + of_gap * d;
        }
        let mut at = 0;
        for (row, d) in gap.iter().enumerate() {
            let d = a * share * d;
            let columns = self.scatter[at..].iter_mut().zip(&other.scatter[at..]).zip(&gap[row..]);
            columns.for_each(|((s, other), e)| *s += other + d * e);
            at += gap.len() - row;
        }
    }

    /// `S v`.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut image = vec![0.0; v.len()];
        let mut at = 0;
        for row in 0..v.len() {
            let upper = &self.scatter[at..at + v.len() - row];
            image[row] += dot(upper, &v[row..]);
            // The mirrored half, without the diagonal.
            let below = image[row + 1..].iter_mut().zip(&upper[1..]);
            below.for_each(|(image, s)| *image += s * v[row]);
            at += v.len() - row;
        }
        image
    }
}

/// The rounded sum of two numbers, and what rounding took away (Knuth).
pub(super) fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// A sum of products, eight at a time.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_blocks.zip(b_blocks) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    lanes.iter().sum::<f64>() + rest
}
