//! The convex quadratic program behind two classes: the largest `z = b.w / sqrt(w' K w)` over w >= 0.
//!
//! z does not change when w is scaled, so its maximum is, up to scale, that of `b.w - w' K w / 2` over w >= 0 (if any b_f is
//! positive). Coordinates are improved one by one; once the set of positive weights settles, the linear system on it is solved
//! exactly, and the conditions of Karush, Kuhn and Tucker show whether that is the optimum.

use clmatch_kernels::{Cholesky, InOrder};

/// Sweeps over all coordinates between two attempts to solve the system on the support.
const SWEEPS: usize = 20;
/// The number of attempts before the best weights so far are taken.
const ATTEMPTS: usize = 200;
/// A slope below this share of the largest |b| counts as 0 (in units in which K has a diagonal of ones).
const SLOPE: f64 = 1e-10;
/// A diagonal entry below this share of the largest pivot does not count as positive.
const PIVOT: f64 = 1e-13;

/// Maximises z for a d x d positive semidefinite matrix. `None` if no b_f is positive.
///
/// Time: O(d^2) per sweep, O(s^3) per solution on s features. Memory: O(d + s^2).
pub(crate) fn maximise(matrix: &[f64], b: &[f64], done: &dyn Fn() -> bool) -> Option<Vec<f64>> {
    let features = b.len();
    let scale: Vec<f64> = (0..features).map(|f| matrix[f * features + f].max(0.0).sqrt()).collect();
    if let Some(free) = certain(b, &scale) {
        return Some(free);
    }
    let top = (0..features).filter(|&f| scale[f] > 0.0).map(|f| b[f] / scale[f]).fold(0.0, f64::max);
    if top <= 0.0 {
        return None;
    }
    let mut problem = QuadraticProgram { matrix, b, scale: &scale, tolerance: SLOPE * top };
    // In units v = w scale the matrix is a correlation matrix, and the best single feature is v_f = b_f / scale_f.
    let mut weights = vec![0.0; features];
    let mut slopes = b.to_vec();
    for _ in 0..ATTEMPTS {
        let settled = problem.descend(&mut weights, &mut slopes);
        if let Some(exact) = problem.solve(&weights) {
            let exact_slopes = problem.slopes(&exact);
            if problem.is_optimal(&exact, &exact_slopes) {
                return Some(exact);
            }
            if problem.value(&exact, &exact_slopes) > problem.value(&weights, &slopes) {
                (weights, slopes) = (exact, exact_slopes);
                continue;
            }
        }
        if settled || done() {
            break;
        }
    }
    Some(weights)
}

/// A feature that separates the classes without any spread: z is infinite for it alone.
fn certain(b: &[f64], scale: &[f64]) -> Option<Vec<f64>> {
    const NOTHING: f64 = 1e-13;
    let f = (0..b.len()).find(|&f| b[f] > 0.0 && scale[f] <= NOTHING * b[f])?;
    let mut weights = vec![0.0; b.len()];
    weights[f] = 1.0;
    Some(weights)
}

struct QuadraticProgram<'a> {
    matrix: &'a [f64],
    b: &'a [f64],
    scale: &'a [f64],
    tolerance: f64,
}

impl QuadraticProgram<'_> {
    fn row(&self, f: usize) -> &[f64] {
        &self.matrix[f * self.b.len()..(f + 1) * self.b.len()]
    }

    /// `b - K w`.
    fn slopes(&self, w: &[f64]) -> Vec<f64> {
        let mut slopes = self.b.to_vec();
        for (f, &w) in w.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            slopes.iter_mut().zip(self.row(f)).for_each(|(slope, k)| *slope -= w * k);
        }
        slopes
    }

    /// `b.w - w' K w / 2`.
    fn value(&self, w: &[f64], slopes: &[f64]) -> f64 {
        w.iter().zip(slopes).zip(self.b).map(|((w, slope), b)| w * (slope + b) / 2.0).sum()
    }

    /// Whether growing or shrinking any weight would not help.
    fn is_optimal(&self, w: &[f64], slopes: &[f64]) -> bool {
        let fine = |f: usize| {
            let slope = slopes[f];
            let limit = self.tolerance * self.scale[f];
            slope <= limit && (w[f] == 0.0 || slope >= -limit)
        };
        (0..w.len()).all(fine)
    }

    /// Moves each weight in turn to its best value; returns true once no weight moves.
    fn descend(&mut self, w: &mut [f64], slopes: &mut [f64]) -> bool {
        for _ in 0..SWEEPS {
            let mut moved = false;
            for f in 0..w.len() {
                let (scale, slope) = (self.scale[f], slopes[f]);
                if scale == 0.0 || (w[f] == 0.0 && slope <= self.tolerance * scale) {
                    continue;
                }
                let to = (w[f] + slope / (scale * scale)).max(0.0);
                let by = to - w[f];
                if (by * scale).abs() <= self.tolerance {
                    continue;
                }
                moved = true;
                w[f] = to;
                slopes.iter_mut().zip(self.row(f)).for_each(|(slope, k)| *slope -= by * k);
            }
            if !moved {
                return true;
            }
        }
        false
    }

    /// The optimum on the support of w, which is reduced while weights turn out negative.
    fn solve(&self, w: &[f64]) -> Option<Vec<f64>> {
        let mut support: Vec<usize> = (0..w.len()).filter(|&f| w[f] > 0.0).collect();
        while !support.is_empty() {
            let solution = self.solve_on(&support)?;
            if solution.iter().all(|&v| v > 0.0) {
                let mut exact = vec![0.0; w.len()];
                support.iter().zip(&solution).for_each(|(&f, v)| exact[f] = v / self.scale[f]);
                return Some(exact);
            }
            let mut signs = solution.iter();
            support.retain(|_| signs.next().is_some_and(|&v| v > 0.0));
        }
        None
    }

    /// Solves `K w = b` on some features by Cholesky's decomposition, in units of `scale`.
    fn solve_on(&self, support: &[usize]) -> Option<Vec<f64>> {
        let size = support.len();
        let mut correlations = vec![0.0; size * size];
        for (i, &f) in support.iter().enumerate() {
            for (j, &g) in support[..=i].iter().enumerate() {
                correlations[i * size + j] = self.row(f)[g] / (self.scale[f] * self.scale[g]);
            }
        }
        let b: Vec<f64> = support.iter().map(|&f| self.b[f] / self.scale[f]).collect();
        Some(Cholesky::<InOrder>::factor_above(correlations, size, PIVOT)?.solve(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn z(matrix: &[f64], b: &[f64], w: &[f64]) -> f64 {
        let features = b.len();
        let product = |f: usize| (0..features).map(|g| matrix[f * features + g] * w[g]).sum::<f64>();
        let square: f64 = (0..features).map(|f| w[f] * product(f)).sum();
        b.iter().zip(w).map(|(b, w)| b * w).sum::<f64>() / square.sqrt()
    }

    #[test]
    fn an_optimum_has_no_slope_where_weights_can_move() {
        let problem = QuadraticProgram { matrix: &[1.0], b: &[1.0], scale: &[1.0], tolerance: 1e-9 };
        let optimal = |w: f64| problem.is_optimal(&[w], &problem.slopes(&[w]));
        assert_eq!([0.0, 0.5, 1.0, 2.0].map(optimal), [false, false, true, false]);
        let hopeless = QuadraticProgram { b: &[-1.0], ..problem };
        assert!(hopeless.is_optimal(&[0.0], &hopeless.slopes(&[0.0])), "a weight cannot go below 0");
    }

    #[test]
    fn two_features_by_hand() {
        // Uncorrelated: w_f = b_f / K_ff.
        let w = maximise(&[2.0, 0.0, 0.0, 4.0], &[1.0, 1.0], &|| false).unwrap();
        assert!((w[0] / w[1] - 2.0).abs() < 1e-12);
        // So correlated that the second feature only does harm: K^-1 b has a negative entry.
        let w = maximise(&[1.0, 0.9, 0.9, 1.0], &[1.0, 0.5], &|| false).unwrap();
        assert!(w[0] > 0.0 && w[1] == 0.0);
        assert!(maximise(&[1.0, 0.0, 0.0, 1.0], &[-1.0, 0.0], &|| false).is_none());
        assert_eq!(maximise(&[1.0, 0.0, 0.0, 0.0], &[1.0, 0.3], &|| false).unwrap(), [0.0, 1.0]);
    }

    #[test]
    fn no_direction_from_the_optimum_leads_up() {
        let mut random = crate::kernels::random::SplitMix::new(5);
        let mut number = || random.below(2_000_001) as f64 / 1e6 - 1.0;
        for features in [3, 10, 40] {
            let rows: Vec<Vec<f64>> = (0..features + 5)
                .map(|_| (0..features).map(|f| number() * 10.0_f64.powi(f as i32 % 5)).collect())
                .collect();
            let entry = |f: usize, g: usize| rows.iter().map(|row| row[f] * row[g]).sum::<f64>();
            let matrix: Vec<f64> =
                (0..features * features).map(|at| entry(at / features, at % features)).collect();
            let b: Vec<f64> =
                (0..features).map(|f| number().abs() * matrix[f * features + f].sqrt()).collect();
            let w = maximise(&matrix, &b, &|| false).unwrap();
            let best = z(&matrix, &b, &w);
            for _ in 0..2000 {
                let f = (number().abs() * features as f64) as usize % features;
                let unit = 1.0 / matrix[f * features + f].sqrt();
                let mut other = w.clone();
                other[f] = (other[f] + number() * unit).max(0.0);
                assert!(z(&matrix, &b, &other) <= best * (1.0 + 1e-9), "{features}");
            }
        }
    }
}
