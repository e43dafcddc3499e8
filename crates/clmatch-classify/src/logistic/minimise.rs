//! A quasi-Newton method for a smooth function plus an l1 norm: Andrew and Gao, Scalable Training of L1-Regularized
//! Log-Linear Models, ICML 2007. Without the norm, it is L-BFGS.

use std::collections::VecDeque;

use super::objective::LogisticObjective;
use crate::kernels::dot;
use clmatch_kernels::{Stop, Stopped};

/// The number of steps whose curvature is remembered.
const MEMORY: usize = 10;
/// The part of the expected decrease that a step must achieve.
const SUFFICIENT: f64 = 1e-4;
/// After halving a step this many times, there is nothing more to gain in this precision.
const MOST_HALVINGS: usize = 40;

/// A step, the change of the gradient along it, and the inverse of their product.
struct Curvature {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

/// A point with its value (l1 norm included) and the gradient of the smooth part.
struct State {
    at: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

impl State {
    fn new(objective: &mut LogisticObjective<'_>, at: Vec<f64>) -> State {
        let mut gradient = vec![0.0; at.len()];
        let smooth = objective.smooth(&at, &mut gradient);
        let norm: f64 = at[..objective.weights()].iter().map(|w| w.abs()).sum();
        State { at, gradient, value: smooth + objective.l1() * norm }
    }

    /// The derivatives of the whole function in the direction in which it falls, or zero if it does not: at zero, the
    /// norm has a kink.
    fn slopes(&self, objective: &LogisticObjective<'_>) -> Vec<f64> {
        let l1 = objective.l1();
        let mut slopes = self.gradient.clone();
        for (slope, weight) in slopes[..objective.weights()].iter_mut().zip(&self.at) {
            *slope = match weight.partial_cmp(&0.0) {
                Some(std::cmp::Ordering::Greater) => *slope + l1,
                Some(std::cmp::Ordering::Less) => *slope - l1,
                _ => *slope - slope.clamp(-l1, l1),
            };
        }
        slopes
    }
}

/// The parameters at the minimum, found by starting from zero.
pub(super) fn minimise(
    objective: &mut LogisticObjective<'_>,
    tolerance: f64,
    steps: usize,
    stop: &Stop,
) -> Result<Vec<f64>, Stopped> {
    let start = vec![0.0; objective.parameters()];
    let mut state = State::new(objective, start);
    let mut memory: VecDeque<Curvature> = VecDeque::new();
    for _ in 0..steps {
        stop.check()?;
        let slopes = state.slopes(objective);
        if slopes.iter().all(|slope| slope.abs() <= tolerance) {
            break;
        }
        let direction = descent(objective, &slopes, &memory);
        let first = if memory.is_empty() { 1.0 / dot(&slopes, &slopes).sqrt().max(1.0) } else { 1.0 };
        let Some(next) = search(objective, &state, &slopes, &direction, first) else {
            if memory.is_empty() {
                break;
            }
            // Old curvature may mislead, so start anew from here.
            memory.clear();
            continue;
        };
        remember(&mut memory, &state, &next);
        state = next;
    }
    Ok(state.at)
}

/// The quasi-Newton direction; with an l1 norm, only its weights that go downhill.
fn descent(objective: &LogisticObjective<'_>, slopes: &[f64], memory: &VecDeque<Curvature>) -> Vec<f64> {
    let mut direction = newton(slopes, memory);
    if objective.l1() > 0.0 {
        let penalised = direction[..objective.weights()].iter_mut().zip(slopes);
        penalised.filter(|(d, slope)| **d * **slope >= 0.0).for_each(|(d, _)| *d = 0.0);
    }
    direction
}

/// Minus the slopes, multiplied by the inverse of the curvature as far as it is known.
fn newton(slopes: &[f64], memory: &VecDeque<Curvature>) -> Vec<f64> {
    let mut q: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
    let mut along = vec![0.0; memory.len()];
    for (pair, along) in memory.iter().zip(&mut along).rev() {
        *along = pair.inverse * dot(&pair.step, &q);
        q.iter_mut().zip(&pair.change).for_each(|(q, change)| *q -= *along * change);
    }
    if let Some(last) = memory.back() {
        let scale = 1.0 / (last.inverse * dot(&last.change, &last.change));
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for (pair, along) in memory.iter().zip(&along) {
        let back = along - pair.inverse * dot(&pair.change, &q);
        q.iter_mut().zip(&pair.step).for_each(|(q, step)| *q += back * step);
    }
    q
}

/// Finds a point along the direction, within the orthant, whose value is sufficiently lower.
fn search(
    objective: &mut LogisticObjective<'_>,
    state: &State,
    slopes: &[f64],
    direction: &[f64],
    first: f64,
) -> Option<State> {
    let mut length = first;
    for _ in 0..MOST_HALVINGS {
        let mut at: Vec<f64> = state.at.iter().zip(direction).map(|(x, d)| x + length * d).collect();
        if objective.l1() > 0.0 {
            for ((new, old), slope) in at[..objective.weights()].iter_mut().zip(&state.at).zip(slopes) {
                let side = if *old != 0.0 { *old } else { -slope };
                if *new * side <= 0.0 {
                    *new = 0.0;
                }
            }
        }
        let expected: f64 =
            slopes.iter().zip(at.iter().zip(&state.at)).map(|(s, (new, old))| s * (new - old)).sum();
        let next = State::new(objective, at);
        if expected < 0.0 && next.value <= state.value + SUFFICIENT * expected {
            return Some(next);
        }
        length *= 0.5;
    }
    None
}

fn remember(memory: &mut VecDeque<Curvature>, before: &State, after: &State) {
    let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let step = difference(&after.at, &before.at);
    let change = difference(&after.gradient, &before.gradient);
    let product = dot(&step, &change);
    // The function is convex, so anything else is rounding.
    if product > f64::EPSILON * dot(&change, &change) {
        if memory.len() == MEMORY {
            memory.pop_front();
        }
        memory.push_back(Curvature { step, change, inverse: 1.0 / product });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::split::Split;
    use clmatch::Matrix;

    /// Proximal gradient steps of a fixed, small length: slow and obvious.
    fn slow(objective: &mut LogisticObjective<'_>) -> Vec<f64> {
        let mut at = vec![0.0; objective.parameters()];
        let mut gradient = at.clone();
        let (length, weights, l1) = (0.2, objective.weights(), objective.l1());
        for _ in 0..20_000 {
            objective.smooth(&at, &mut gradient);
            at.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= length * g);
            at[..weights].iter_mut().for_each(|x| *x = x.signum() * (x.abs() - length * l1).max(0.0));
        }
        at
    }

    #[test]
    fn the_minimum_is_that_of_a_slow_twin() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i * i * 13 % 31) / 15.0 - 1.0).collect();
        for classes in [2, 3] {
            let targets: Vec<u32> = (0..20).map(|i| (i * i / 3) % classes).collect();
            let points = Matrix::new(&values, 3).unwrap();
            let data = Data::new(&points, &targets).unwrap();
            let split = Split::new(data, (0..20).collect(), vec![]);
            for (share, cost) in [(0.0, 1.0), (1.0, 0.5), (1.0, 4.0), (0.5, 1.0)] {
                let mut objective = LogisticObjective::new(&split, share, cost);
                let fast = minimise(&mut objective, 1e-9, 1000, &Stop::new()).unwrap();
                let slow = slow(&mut objective);
                // With an l1 norm, several intercepts may share a shift, so compare values and weights.
                let value = |at: &[f64], objective: &mut LogisticObjective<'_>| {
                    State::new(objective, at.to_vec()).value
                };
                let gap = value(&fast, &mut objective) - value(&slow, &mut objective);
                assert!(gap < 1e-9, "{classes} classes, {share}, {cost}: {gap}");
                let weights = objective.weights();
                let pairs = fast[..weights].iter().zip(&slow);
                pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-4, "{share} {cost}: {fast:?} {slow:?}"));
            }
        }
    }

    fn pair(step: &[f64], change: &[f64]) -> Curvature {
        Curvature { step: step.to_vec(), change: change.to_vec(), inverse: 1.0 / dot(step, change) }
    }

    /// Minus the slopes times the inverse curvature H, as a matrix. It starts from a multiple of the identity, s'y / y'y
    /// of the last step s and change y; each pair then turns H into `(I - s y' / s'y) H (I - y s' / s'y) + s s' / s'y`:
    /// Nocedal and Wright, Numerical Optimization, second edition, equations 6.17 and 7.20.
    fn slow_newton(slopes: &[f64], memory: &VecDeque<Curvature>) -> Vec<f64> {
        let n = slopes.len();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
        let start =
            memory.back().map_or(1.0, |Curvature { step: s, change: y, .. }| product(s, y) / product(y, y));
        let mut h: Vec<f64> = (0..n * n).map(|at| start * unit(at / n, at % n)).collect();
        for Curvature { step: s, change: y, .. } in memory {
            let left = |i: usize, j: usize| unit(i, j) - s[i] * y[j] / product(s, y);
            let next = |i: usize, j: usize| {
                let inner = (0..n * n).map(|at| left(i, at / n) * h[at] * left(j, at % n));
                inner.sum::<f64>() + s[i] * s[j] / product(s, y)
            };
            h = (0..n * n).map(|at| next(at / n, at % n)).collect();
        }
        h.chunks_exact(n).map(|row| -product(row, slopes)).collect()
    }

    #[test]
    fn directions_are_those_of_the_matrix_of_curvature() {
        let slopes = [0.3, -2.0, 0.7];
        let mut memory = VecDeque::new();
        let pairs = [
            pair(&[1.0, 0.5, -0.25], &[2.0, 0.25, 0.5]),
            pair(&[-0.5, 0.75, 0.25], &[-1.0, 3.0, 0.25]),
            pair(&[0.25, 0.5, 2.0], &[0.5, 1.0, 0.75]),
        ];
        assert_eq!(newton(&slopes, &memory), [-0.3, 2.0, -0.7]);
        for next in pairs {
            memory.push_back(next);
            let (fast, slow) = (newton(&slopes, &memory), slow_newton(&slopes, &memory));
            let near = fast.iter().zip(&slow).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near, "{}: {fast:?} {slow:?}", memory.len());
        }
    }

    /// Passes a closure an objective on points with at least one feature; the second half of the points is of class 1.
    fn with_objective<T>(
        values: &[f64],
        features: usize,
        [share, cost]: [f64; 2],
        work: impl FnOnce(&mut LogisticObjective<'_>) -> T,
    ) -> T {
        let points = Matrix::new(values, features).unwrap();
        let n = points.n_points();
        let classes: Vec<u32> = (0..n).map(|row| u32::from(row >= n / 2)).collect();
        let data = Data::new(&points, &classes).unwrap();
        let split = Split::new(data, (0..n).collect(), vec![]);
        work(&mut LogisticObjective::new(&split, share, cost))
    }

    #[test]
    fn with_an_l1_norm_only_weights_that_go_downhill_move() {
        // With s = (1, -1, 1, -1) and y = (1, 0, 0, 0) the direction is, by hand, (-2, .5, -1, .5): the second weight would
        // go uphill, the third one has no slope, and the intercept at the end is free.
        let memory = VecDeque::from([pair(&[1.0, -1.0, 1.0, -1.0], &[1.0, 0.0, 0.0, 0.0])]);
        let slopes = [3.0, 0.5, 0.0, 0.5];
        for (share, expected) in [(0.0, [-2.0, 0.5, -1.0, 0.5]), (0.5, [-2.0, 0.0, 0.0, 0.5])] {
            let found = with_objective(&[1.0, 2.0, 3.0, 4.0, 5.0, 7.0], 3, [share, 1.0], |objective| {
                descent(objective, &slopes, &memory)
            });
            assert_eq!(found, expected, "{share}");
        }
    }

    #[test]
    fn the_first_step_is_no_longer_than_one() {
        // At zero the derivative by the weight is -x / 2, and that by the intercept 0.
        for (x, expected) in [(100.0, 1.0), (0.25, 0.125)] {
            let found = with_objective(&[-x, x], 1, [0.0, 1e9], |objective| {
                minimise(objective, 1e-9, 1, &Stop::new()).unwrap()
            });
            assert!((found[0] - expected).abs() < 1e-12 && found[1] == 0.0, "{found:?}");
        }
    }

    #[test]
    fn a_step_is_halved_until_it_is_sufficiently_lower() {
        // l2 is 1/4, and the slope at zero (-2 - 1 - 1 - 2) / 2 / 4.
        let (values, slope) = ([-2.0, -1.0, 1.0, 2.0], -0.75);
        let value = |w: f64| {
            let losses = values.map(|x: f64| (-(w * x).abs()).exp().ln_1p() + (-w * x.abs()).max(0.0));
            losses.iter().sum::<f64>() / 4.0 + w * w / 8.0
        };
        // The longest step that is low enough; the function is convex, so there is only one such place.
        let (mut low, mut high) = (1.0, 100.0);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if value(middle) <= value(0.0) + 1e-4 * slope * middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        with_objective(&values, 1, [0.0, 1.0], |objective| {
            let start = State::new(objective, vec![0.0, 0.0]);
            let slopes = start.slopes(objective);
            assert_eq!(slopes, [slope, 0.0]);
            let mut reached = |direction: &[f64], first: f64| {
                search(objective, &start, &slopes, direction, first).map(|state| state.at)
            };
            let (within, beyond) = (low * (1.0 - 1e-6), low * (1.0 + 1e-6));
            assert_eq!(reached(&[1.0, 0.0], within), Some(vec![within, 0.0]));
            assert_eq!(reached(&[1.0, 0.0], beyond), Some(vec![beyond / 2.0, 0.0]));
            assert_eq!(reached(&[1.0, 0.0], 4.0 * beyond), Some(vec![beyond / 2.0, 0.0]));
            assert_eq!(reached(&[-1.0, 0.0], 1.0), None);
            assert_eq!(reached(&[0.0, 0.0], 1.0), None);
        });
    }

    #[test]
    fn only_an_l1_norm_keeps_weights_on_their_side_of_zero() {
        // The points favour a positive weight, the norm favours zero.
        let values = [-2.0, -1.0, 1.0, 2.0];
        for ([share, cost], [from, towards], expected) in [
            ([0.0, 1.0], [-1.0, 1.0], 0.5),
            ([1.0, 1.0], [-1.0, 1.0], 0.0),
            ([1.0, 0.1], [0.5, -1.0], 0.0),
            ([1.0, 1.0], [0.0, 0.25], 0.375),
        ] {
            let found = with_objective(&values, 1, [share, cost], |objective| {
                let start = State::new(objective, vec![from, 0.0]);
                let slopes = start.slopes(objective);
                search(objective, &start, &slopes, &[towards, 0.0], 1.5).unwrap().at
            });
            assert_eq!(found, [expected, 0.0], "{share} {cost} {from}");
        }
    }

    #[test]
    fn the_last_ten_curvatures_are_remembered() {
        let state =
            |at: &[f64], gradient: &[f64]| State { at: at.to_vec(), gradient: gradient.to_vec(), value: 0.0 };
        let mut memory = VecDeque::new();
        remember(&mut memory, &state(&[1.0, 2.0], &[0.5, 1.0]), &state(&[1.5, 1.0], &[2.5, 0.0]));
        let Curvature { step, change, inverse } = &memory[0];
        assert_eq!((step.as_slice(), change.as_slice(), *inverse), (&[0.5, -1.0][..], &[2.0, -1.0][..], 0.5));
        let zero = state(&[0.0], &[0.0]);
        for number in 1..=12 {
            remember(&mut memory, &zero, &state(&[f64::from(number)], &[1.0]));
        }
        let steps: Vec<f64> = memory.iter().map(|pair| pair.step[0]).collect();
        assert_eq!(steps, [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    }

    #[test]
    fn steps_that_are_rounding_beside_their_change_are_not_remembered() {
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        // The machine epsilon is 2^-52.
        for (step, change, remembered) in [
            (power(-41), power(10), true),
            (power(-42), power(10), false),
            (power(-24), power(30), false),
            (-1.0, 1.0, false),
        ] {
            let mut memory = VecDeque::new();
            let state = |at: f64, gradient: f64| State { at: vec![at], gradient: vec![gradient], value: 0.0 };
            remember(&mut memory, &state(0.0, 0.0), &state(step, change));
            assert_eq!(memory.len(), usize::from(remembered), "{step} {change}");
        }
    }
}
