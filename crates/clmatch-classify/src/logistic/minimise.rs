//! A quasi-Newton method for a smooth function plus an l1 norm: Andrew and Gao, Scalable Training of L1-Regularized
//! Log-Linear Models, ICML 2007. Without the norm it is L-BFGS.

use std::collections::VecDeque;

use super::objective::Objective;
use crate::kernels::dot;
use clmatch_stop::{Stop, Stopped};

/// Steps whose curvature is remembered.
const MEMORY: usize = 10;
/// The part of the expected decrease that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a step after which there is nothing more to gain in this precision.
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
    fn new(objective: &mut Objective<'_>, at: Vec<f64>) -> State {
        let mut gradient = vec![0.0; at.len()];
        let smooth = objective.smooth(&at, &mut gradient);
        let norm: f64 = at[..objective.weights()].iter().map(|w| w.abs()).sum();
        State { at, gradient, value: smooth + objective.l1() * norm }
    }

    /// The derivatives of the whole function in the direction in which it falls, if it does: at zero the norm has a kink.
    fn slopes(&self, objective: &Objective<'_>) -> Vec<f64> {
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

/// The parameters at the minimum, from zero.
pub(super) fn minimise(
    objective: &mut Objective<'_>,
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
        let mut direction = newton(&slopes, &memory);
        if objective.l1() > 0.0 {
            // Only coordinates that go downhill; the quasi-Newton direction may disagree.
            let penalised = direction[..objective.weights()].iter_mut().zip(&slopes);
            penalised.filter(|(d, slope)| **d * **slope >= 0.0).for_each(|(d, _)| *d = 0.0);
        }
        let first = if memory.is_empty() { 1.0 / dot(&slopes, &slopes).sqrt().max(1.0) } else { 1.0 };
        let Some(next) = search(objective, &state, &slopes, &direction, first) else {
            if memory.is_empty() {
                break;
            }
            // Old curvature may mislead; begin anew from here.
            memory.clear();
            continue;
        };
        remember(&mut memory, &state, &next);
        state = next;
    }
    Ok(state.at)
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

/// A point along the direction, within the orthant, that is sufficiently lower.
fn search(
    objective: &mut Objective<'_>,
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
    // The function is convex: anything else is rounding.
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
    fn slow(objective: &mut Objective<'_>) -> Vec<f64> {
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
                let mut objective = Objective::new(&split, share, cost);
                let fast = minimise(&mut objective, 1e-9, 1000, &Stop::new()).unwrap();
                let slow = slow(&mut objective);
                // With an l1 norm several intercepts may share a shift: compare values and weights.
                let value =
                    |at: &[f64], objective: &mut Objective<'_>| State::new(objective, at.to_vec()).value;
                let gap = value(&fast, &mut objective) - value(&slow, &mut objective);
                assert!(gap < 1e-9, "{classes} classes, {share}, {cost}: {gap}");
                let weights = objective.weights();
                let pairs = fast[..weights].iter().zip(&slow);
                pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-4, "{share} {cost}: {fast:?} {slow:?}"));
            }
        }
    }
}
