//! Greedy search over subsets: add, drop and swap features until no move helps, from several starts.
//!
//! With `K_S w` of all pairs known, computing the score after a move is O(P), so that finding the best of all d moves costs O(P
//! d). If d is large, the most promising moves are made together, fewer each time they gain less than they promise, and single
//! moves finish.

use super::model::StandingMoments;
use super::search_problem::{SearchProblem, WeightCandidate, kept};

/// Gains smaller than this are rounding.
const GAIN: f64 = 1e-12;
/// Up to this many features, moves are made one by one from the start.
const SINGLE: usize = 64;
/// Multiplications that the search for swaps may cost in one climb.
const SWAP_WORK: usize = 1 << 26;
/// The cost of a pair score in multiplications: it takes an exponential and a hyperbolic tangent.
const SCORE: usize = 32;
/// The smallest number of features that are tried as the one to be replaced.
const SWAP_LEAST: usize = 2;

/// A subset with everything that is needed to judge every move.
pub(crate) struct Climb<'a, 'p> {
    problem: &'a SearchProblem<'p>,
    pub(crate) weights: Vec<f64>,
    curvature: Vec<f64>,
    standing: StandingMoments,
    pub(crate) value: f64,
}

impl<'a, 'p> Climb<'a, 'p> {
    pub(crate) fn new(problem: &'a SearchProblem<'p>, weights: Vec<f64>) -> Self {
        let curvature = problem.model.curvature(&weights);
        let standing = problem.model.standing(&weights, &curvature);
        let value = problem.model.score(problem.formula, &standing) - problem.loss(kept(&weights));
        Climb { problem, weights, curvature, standing, value }
    }

    fn candidate(&self) -> WeightCandidate {
        WeightCandidate { weights: self.weights.clone(), value: self.value }
    }

    /// The value after adding each feature, or after dropping it if it is in the subset.
    pub(crate) fn moves(&self) -> Vec<f64> {
        let change = |f: usize| if self.weights[f] > 0.0 { -self.weights[f] } else { 1.0 };
        let count = kept(&self.weights);
        let mut values =
            self.problem.model.scan(self.problem.formula, &self.standing, &self.curvature, change);
        for (value, weight) in values.iter_mut().zip(&self.weights) {
            let drop = *weight > 0.0;
            let after = if drop { count - 1 } else { count + 1 };
            *value -= self.problem.loss(after);
            if drop && count <= self.problem.min_features {
                *value = f64::NEG_INFINITY;
            }
        }
        values
    }

    /// Adds features, or drops those that are in the subset.
    pub(crate) fn flip(&mut self, features: &[usize]) {
        let model = self.problem.model;
        // Adding columns costs d per feature, the product costs d^2; but a product has fewer roundings.
        let short = features.len() <= 4;
        let mut done = short;
        for &f in features {
            let to = if self.weights[f] > 0.0 { 0.0 } else { 1.0 };
            let by = to - self.weights[f];
            self.weights[f] = to;
            done = done && model.change(&mut self.curvature, f, by);
        }
        if !done {
            self.curvature = model.curvature(&self.weights);
        }
        self.standing = model.standing(&self.weights, &self.curvature);
        self.value =
            model.score(self.problem.formula, &self.standing) - self.problem.loss(kept(&self.weights));
    }
}

/// Climbs from a start to a subset that no single move or tried swap improves.
pub(crate) fn climb(problem: &SearchProblem<'_>, start: Vec<f64>) -> WeightCandidate {
    let mut climb = Climb::new(problem, start);
    let features = problem.model.features();
    let mut together = if features <= SINGLE { 1 } else { (features / 8).max(1) };
    let mut trials = (SWAP_WORK.min(problem.work) / move_cost(problem)).max(SWAP_LEAST);
    for _ in 0..problem.steps(move_cost(problem)) {
        if problem.clock.expired() {
            break;
        }
        let moves = climb.moves();
        let gains = best_moves(&moves, climb.value, together, &climb.weights, problem.min_features);
        if gains.is_empty() {
            if !swap(problem, &mut climb, &moves, &mut trials) {
                // Rounding accumulates in the sums of many moves: start afresh, and stop if nothing changes.
                let fresh = Climb::new(problem, climb.weights.clone());
                return fresh.candidate();
            }
            continue;
        }
        let before = climb.value;
        let promised = moves[gains[0]];
        climb.flip(&gains);
        if gains.len() > 1 && climb.value < promised {
            // Together the moves are worse than the best one alone.
            climb.flip(&gains);
            together = (gains.len() / 2).max(1);
        } else if gains.len() == 1 && climb.value <= before {
            climb.flip(&gains);
            return climb.candidate();
        }
    }
    climb.candidate()
}

/// The cost of evaluating all moves and making one, in multiplications.
fn move_cost(problem: &SearchProblem<'_>) -> usize {
    let model = problem.model;
    let scan = SCORE * model.pairs.len() * model.features();
    if model.has_tables() { scan } else { scan + model.cost() }
}

/// The moves with the largest gains, best first; ties are ordered by feature.
fn best_moves(moves: &[f64], value: f64, most: usize, weights: &[f64], least: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..moves.len()).filter(|&f| moves[f] > value + GAIN).collect();
    order.sort_by(|&a, &b| moves[b].total_cmp(&moves[a]).then(a.cmp(&b)));
    order.truncate(most);
    let mut spare = kept(weights).saturating_sub(least);
    order.retain(|&f| {
        let drop = weights[f] > 0.0;
        let allowed = !drop || spare > 0;
        spare -= usize::from(drop && allowed);
        allowed
    });
    order
}

/// Replaces one feature by another if that helps; tries at most `trials` features.
fn swap(problem: &SearchProblem<'_>, climb: &mut Climb<'_, '_>, moves: &[f64], trials: &mut usize) -> bool {
    let mut inside: Vec<usize> = (0..moves.len()).filter(|&f| climb.weights[f] > 0.0).collect();
    if inside.len() == moves.len() || inside.len() < 2 {
        return false;
    }
    // The features that matter least come first. If no feature may be dropped, all are equal and are tried in order.
    inside.sort_by(|&a, &b| moves[b].total_cmp(&moves[a]).then(a.cmp(&b)));
    inside.truncate(*trials);
    for &out in &inside {
        if problem.clock.expired() {
            return false;
        }
        *trials -= 1;
        let before = climb.value;
        climb.flip(&[out]);
        let values = climb.moves();
        let best = (0..values.len())
            .filter(|&f| f != out && climb.weights[f] == 0.0)
            .max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)));
        if let Some(other) = best.filter(|&f| values[f] > before + GAIN) {
            climb.flip(&[other]);
            if climb.value > before {
                return true;
            }
            climb.flip(&[other]);
        }
        climb.flip(&[out]);
    }
    false
}

/// Features added one after the other, best first, up to the smallest number that may be kept.
pub(crate) fn seed(problem: &SearchProblem<'_>) -> Vec<f64> {
    let single = problem.model.points.single_scores(&problem.model.pairs, problem.formula);
    let mut order: Vec<usize> = (0..single.len()).collect();
    order.sort_by(|&a, &b| single[b].total_cmp(&single[a]).then(a.cmp(&b)));
    let mut weights = vec![0.0; single.len()];
    order[..problem.min_features].iter().for_each(|&f| weights[f] = 1.0);
    weights
}

/// The best of several climbs: from all features, from the best single features, and from the given starts.
pub(crate) fn search(problem: &SearchProblem<'_>, starts: Vec<Vec<f64>>) -> WeightCandidate {
    let mut best = climb(problem, problem.everything());
    for start in std::iter::once(seed(problem)).chain(starts) {
        if problem.clock.expired() {
            break;
        }
        let found = climb(problem, start);
        if found.value > best.value {
            best = found;
        }
    }
    best
}
