//! A smooth function's nearest maximum, by quasi-Newton steps (BFGS) with a backtracking line search.

use clmatch_kernels::dot;

/// The longest move of a coordinate in one step. Coordinates here are logarithms: a factor of e^2.
const LONGEST_MOVE: f64 = 2.0;
/// The share of the promised rise that a step must achieve (Armijo).
const KEPT_SHARE: f64 = 1e-4;
/// The number of halvings after which a direction is given up.
const HALVINGS: usize = 10;
/// A rise this small ends the climb. The heights are log-likelihoods, whose differences below .01 mean nothing.
const ENOUGH: f64 = 1e-3;

/// A height and its derivatives.
#[derive(Debug, Clone)]
pub struct Slope {
    /// The height.
    pub value: f64,
    /// The derivative of the height along each coordinate.
    pub gradient: Vec<f64>,
}

/// Where a climb ended.
#[derive(Debug, Clone)]
pub(crate) struct Peak {
    pub(crate) at: Vec<f64>,
    pub(crate) value: f64,
}

/// Climbs from a start; `None` if the function is not defined there.
pub(crate) fn climb(
    start: Vec<f64>,
    most_steps: usize,
    height: impl Fn(&[f64]) -> Option<Slope>,
) -> Option<Peak> {
    let mut here = height(&start)?;
    let mut at = start;
    let mut curvature = InverseHessian::identity(at.len());
    for _ in 0..most_steps {
        let direction = curvature.direction(&here.gradient);
        let Some((next_at, next)) = step(&at, &here, &direction, &height) else { break };
        let rise = next.value - here.value;
        curvature.learn(&at, &here, &next_at, &next);
        (at, here) = (next_at, next);
        if rise < ENOUGH {
            break;
        }
    }
    Some(Peak { at, value: here.value })
}

/// The first of a series of ever shorter steps that rises enough.
fn step(
    at: &[f64],
    here: &Slope,
    direction: &[f64],
    height: &impl Fn(&[f64]) -> Option<Slope>,
) -> Option<(Vec<f64>, Slope)> {
    let promised = dot(direction, &here.gradient);
    let longest = direction.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
    // The negation also rejects NaN.
    if !(promised > 0.0 && longest.is_finite()) {
        return None;
    }
    let mut share = (LONGEST_MOVE / longest).min(1.0);
    for _ in 0..HALVINGS {
        let next_at: Vec<f64> = at.iter().zip(direction).map(|(x, d)| x + share * d).collect();
        if let Some(next) = height(&next_at)
            && next.value >= here.value + KEPT_SHARE * share * promised
        {
            return Some((next_at, next));
        }
        share *= 0.5;
    }
    None
}

/// The estimate H of the inverse of the negated Hessian.
struct InverseHessian {
    n: usize,
    inverse: Vec<f64>,
    fresh: bool,
}

impl InverseHessian {
    fn identity(n: usize) -> InverseHessian {
        let inverse = (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
        InverseHessian { n, inverse, fresh: true }
    }

    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        self.inverse.chunks_exact(self.n).map(|row| dot(row, gradient)).collect()
    }

    /// Turns H into (I - s y' / s'y) H (I - y s' / s'y) + s s' / s'y, where s is the step and y the decrease of the
    /// gradient.
    fn learn(&mut self, from: &[f64], before: &Slope, to: &[f64], after: &Slope) {
        let s: Vec<f64> = to.iter().zip(from).map(|(b, a)| b - a).collect();
        let y: Vec<f64> = before.gradient.iter().zip(&after.gradient).map(|(b, a)| b - a).collect();
        let (sy, yy) = (dot(&s, &y), dot(&y, &y));
        // Without curvature along the step there is nothing to learn.
        if sy <= f64::EPSILON * yy.max(f64::MIN_POSITIVE) {
            return;
        }
        if self.fresh {
            self.inverse.iter_mut().for_each(|h| *h *= sy / yy);
            self.fresh = false;
        }
        let hy = self.direction(&y);
        let factor = (1.0 + dot(&y, &hy) / sy) / sy;
        for (i, row) in self.inverse.chunks_exact_mut(self.n).enumerate() {
            for (j, h) in row.iter_mut().enumerate() {
                *h += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_top_of_the_banana_valley() {
        // -(1 - x)^2 - 10 (y - x^2)^2, greatest at (1, 1).
        let height = |at: &[f64]| {
            let (x, y) = (at[0], at[1]);
            let bend = y - x * x;
            Some(Slope {
                value: -(1.0 - x).powi(2) - 10.0 * bend * bend,
                gradient: vec![2.0 * (1.0 - x) + 40.0 * bend * x, -20.0 * bend],
            })
        };
        let peak = climb(vec![-1.0, 1.5], 60, height).unwrap();
        assert!((peak.at[0] - 1.0).abs() < 0.05 && (peak.at[1] - 1.0).abs() < 0.1, "{peak:?}");
        assert!(peak.value > -0.001);
    }

    #[test]
    fn an_undefined_start_gives_nothing_and_an_undefined_region_is_walked_around() {
        assert!(climb(vec![0.0], 5, |_| None).is_none());
        let half_line = |at: &[f64]| {
            (at[0] < 1.0)
                .then(|| Slope { value: -(at[0] - 0.9).powi(2), gradient: vec![-2.0 * (at[0] - 0.9)] })
        };
        assert!((climb(vec![-3.0], 30, half_line).unwrap().at[0] - 0.9).abs() < 0.05);
    }

    #[test]
    fn a_parabola_takes_two_steps_and_a_slight_slope_one() {
        // 5 - x^2 from -3: the longest move leads to -1, where the curvature becomes known. The height changes its sign.
        let parabola = |at: &[f64]| Some(Slope { value: 5.0 - at[0] * at[0], gradient: vec![-2.0 * at[0]] });
        let peak = climb(vec![-3.0], 30, parabola).unwrap();
        assert!(peak.at[0].abs() < 1e-12 && (peak.value - 5.0).abs() < 1e-12, "{peak:?}");
        let slight = |at: &[f64]| Some(Slope { value: 1e-5 * at[0], gradient: vec![1e-5] });
        assert_eq!(climb(vec![0.0], 30, slight).unwrap().at, [1e-5]);
    }

    #[test]
    fn only_a_direction_that_promises_a_rise_and_keeps_it_is_followed() {
        let slope = |value: f64, gradient: f64| Slope { value, gradient: vec![gradient] };
        let rising = |at: &[f64]| Some(slope(at[0].abs(), 1.0));
        let from = |gradient: f64, direction: f64| step(&[0.0], &slope(0.0, gradient), &[direction], &rising);
        assert_eq!(from(1.0, 1.0).unwrap().0, [1.0]);
        // Against the gradient, and along a level.
        assert!(from(1.0, -1.0).is_none());
        assert!(from(0.0, 1.0).is_none());
        assert!(from(f64::NAN, 1.0).is_none());
        // A level function whose gradient promises a rise.
        assert!(step(&[0.0], &slope(0.0, 1.0), &[1.0], &|_: &[f64]| Some(slope(0.0, 1.0))).is_none());
    }

    /// (I - s y' / s'y) H (I - y s' / s'y) + s s' / s'y, by products of whole matrices.
    fn updated(h: [[f64; 2]; 2], s: [f64; 2], y: [f64; 2]) -> [[f64; 2]; 2] {
        let sy = s[0] * y[0] + s[1] * y[1];
        let left = [[1.0 - s[0] * y[0] / sy, -s[0] * y[1] / sy], [-s[1] * y[0] / sy, 1.0 - s[1] * y[1] / sy]];
        let mut sum = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                for (k, row) in h.iter().enumerate() {
                    for (l, entry) in row.iter().enumerate() {
                        sum[i][j] += left[i][k] * entry * left[j][l];
                    }
                }
                sum[i][j] += s[i] * s[j] / sy;
            }
        }
        sum
    }

    #[test]
    fn curvature_is_learnt_as_by_products_of_whole_matrices() {
        let learn = |curvature: &mut InverseHessian, s: [f64; 2], y: [f64; 2]| {
            let slope = |gradient: [f64; 2]| Slope { value: 0.0, gradient: gradient.to_vec() };
            curvature.learn(&[0.0, 0.0], &slope(y), &s, &slope([0.0, 0.0]));
        };
        let close = |curvature: &InverseHessian, expected: [[f64; 2]; 2]| {
            let pairs = curvature.inverse.iter().zip(expected.as_flattened());
            assert!(
                pairs.clone().all(|(h, e)| (h - e).abs() < 1e-12),
                "{:?} {expected:?}",
                curvature.inverse
            );
        };
        // s'y / y'y is 1/2, which is the first scale. Steps and decreases that shrink together leave the curvature as it
        // is.
        let first = updated([[0.5, 0.0], [0.0, 0.5]], [1.0, 2.0], [3.0, 1.0]);
        for scale in [1.0, 1e-6, 1e6] {
            let mut curvature = InverseHessian::identity(2);
            learn(&mut curvature, [scale, 2.0 * scale], [3.0 * scale, scale]);
            close(&curvature, first);
            // The next step does not scale again, and steps without curvature teach nothing.
            learn(&mut curvature, [-1.0, 0.5], [-2.0, 4.0]);
            let second = updated(first, [-1.0, 0.5], [-2.0, 4.0]);
            close(&curvature, second);
            learn(&mut curvature, [1.0, 0.0], [0.0, 1.0]);
            learn(&mut curvature, [1.0, 0.0], [-1.0, 0.0]);
            close(&curvature, second);
        }
    }
}
