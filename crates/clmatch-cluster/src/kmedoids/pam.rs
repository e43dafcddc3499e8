//! FasterPAM (Schubert and Rousseeuw 2021): eager swaps, with the removal losses cached.
//!
//! Removing the medoid m_i costs D_i = sum of (s_o - n_o) over the points o whose nearest it is, where n_o and s_o are
//! the distances to the nearest and the second nearest medoid. Swapping it for the point x changes the objective by
//!
//! D_i + sum_o { d - n_o            if d < n_o                        (o goes to x, whatever is removed)
//!             { (d - s_o) [near(o) = i]  if n_o <= d < s_o           (o goes to x instead of its second)
//!             { and n_o - s_o goes to i = near(o) in the first case  (o has no need for its second)
//!
//! where d = d(o, x): one read of a row of distances judges all k swaps.

use super::{KMedoidsRun, NearMedoid};
use crate::{Distances, Stop, Stopped};

/// A swap must lower the objective by more than this part of it, so that rounding does not swap for ever.
const ROUNDING: f64 = 1e-12;

/// Swaps from the given medoids until no swap improves them, that is, until all points were tried since the last swap.
///
/// Time: O(n) per candidate, and at most O(n k) per swap. Memory: O(n).
pub(super) fn run(
    distances: &Distances,
    medoids: Vec<usize>,
    limit: usize,
    stop: &Stop,
) -> Result<KMedoidsRun, Stopped> {
    let rows = distances.rows();
    let mut state = PamState::new(distances, medoids);
    let mut since_swap = 0;
    let mut tried = 0;
    while since_swap < rows && tried < limit.saturating_mul(rows) {
        stop.check()?;
        let candidate = tried % rows;
        tried += 1;
        since_swap += 1;
        if state.is_medoid[candidate] {
            continue;
        }
        let (medoid, change) = state.best_swap(candidate);
        if change < -ROUNDING * state.objective {
            state.swap(medoid, candidate);
            since_swap = 0;
        }
    }
    let iterations = tried.div_ceil(rows);
    let labels = state.near.iter().map(|pair| pair.first.medoid).collect();
    Ok(KMedoidsRun { labels, medoids: state.medoids, objective: state.objective, iterations })
}

/// The nearest two medoids of a point.
#[derive(Debug, Clone, Copy)]
struct TwoMedoids {
    first: NearMedoid,
    second: NearMedoid,
}

struct PamState<'a> {
    distances: &'a Distances,
    medoids: Vec<usize>,
    is_medoid: Vec<bool>,
    near: Vec<TwoMedoids>,
    /// For each medoid, the cost of removing it.
    losses: Vec<f64>,
    objective: f64,
    /// Scratch memory for the losses of a candidate's swaps.
    changes: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'a> PamState<'a> {
    fn new(distances: &'a Distances, medoids: Vec<usize>) -> Self {
        let nobody = NearMedoid { medoid: 0, distance: f64::INFINITY };
        let mut is_medoid = vec![false; distances.rows()];
        medoids.iter().for_each(|&medoid| is_medoid[medoid] = true);
        let mut state = PamState {
            distances,
            is_medoid,
            near: vec![TwoMedoids { first: nobody, second: nobody }; distances.rows()],
            losses: vec![0.0; medoids.len()],
            objective: 0.0,
            changes: vec![],
            scratch: vec![],
            medoids,
        };
        for index in 0..state.medoids.len() {
            state.offer(index);
        }
        state.settle();
        state
    }

    /// Makes a medoid the nearest or second nearest of every point that it is near enough to.
    fn offer(&mut self, index: usize) {
        let medoid = self.medoids[index];
        let near = &mut self.near;
        self.distances.row(medoid, &mut self.scratch).each(|at, distance| {
            let offered = NearMedoid { medoid: index as u32, distance };
            let pair = &mut near[at];
            // A medoid is its own nearest even where others coincide with it.
            if at == medoid || (distance < pair.first.distance && pair.first.distance > 0.0) {
                *pair = TwoMedoids { first: offered, second: pair.first };
            } else if distance < pair.second.distance {
                pair.second = offered;
            }
        });
    }

    /// Sums the objective and the losses anew.
    fn settle(&mut self) {
        self.losses.fill(0.0);
        self.objective = 0.0;
        for pair in &self.near {
            self.objective += pair.first.distance;
            self.losses[pair.first.medoid as usize] += pair.second.distance - pair.first.distance;
        }
    }

    /// The medoid that the candidate replaces best, and by how much the objective changes.
    fn best_swap(&mut self, candidate: usize) -> (usize, f64) {
        let PamState { distances, near, losses, changes, scratch, .. } = self;
        changes.clone_from(losses);
        let mut shared = 0.0;
        distances.row(candidate, scratch).each(|at, distance| {
            let pair = &near[at];
            if distance < pair.first.distance {
                shared += distance - pair.first.distance;
                changes[pair.first.medoid as usize] += pair.first.distance - pair.second.distance;
            } else if distance < pair.second.distance {
                changes[pair.first.medoid as usize] += distance - pair.second.distance;
            }
        });
        let best =
            (1..changes.len()).fold(0, |best, next| if changes[next] < changes[best] { next } else { best });
        (best, changes[best] + shared)
    }

    /// Replaces a medoid. Each point that had it as nearest or second nearest searches all medoids for another one.
    fn swap(&mut self, index: usize, candidate: usize) {
        self.is_medoid[self.medoids[index]] = false;
        self.is_medoid[candidate] = true;
        self.medoids[index] = candidate;
        let nobody = NearMedoid { medoid: 0, distance: f64::INFINITY };
        let mut orphans = vec![];
        for (at, pair) in self.near.iter_mut().enumerate() {
            if pair.first.medoid as usize == index {
                *pair = TwoMedoids { first: pair.second, second: nobody };
                orphans.push(at);
            } else if pair.second.medoid as usize == index {
                pair.second = nobody;
                orphans.push(at);
            }
        }
        for other in (0..self.medoids.len()).filter(|&other| other != index) {
            let row = self.distances.row(self.medoids[other], &mut self.scratch);
            for &at in &orphans {
                let offered = NearMedoid { medoid: other as u32, distance: row.at(at) };
                let pair = &mut self.near[at];
                if other as u32 != pair.first.medoid && offered.distance < pair.second.distance {
                    pair.second = offered;
                }
            }
        }
        self.offer(index);
        self.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ties;
    use crate::scattered::numbers;
    use clmatch::Matrix;

    fn objective(distances: &Distances, medoids: &[usize]) -> f64 {
        (0..distances.rows())
            .map(|at| medoids.iter().map(|&medoid| distances.get(at, medoid)).fold(f64::INFINITY, f64::min))
            .sum()
    }

    #[test]
    fn a_swap_changes_the_objective_by_what_was_promised() {
        let values = numbers(120 * 2, 31);
        let distances = Distances::new(&Matrix::new(&values, 2).unwrap(), Ties::Exact, &Stop::new()).unwrap();
        let mut state = PamState::new(&distances, vec![3, 50, 7, 99]);
        for candidate in 0..120 {
            if state.is_medoid[candidate] {
                continue;
            }
            let before = state.objective;
            assert!((before - objective(&distances, &state.medoids)).abs() < 1e-9);
            let (index, change) = state.best_swap(candidate);
            for other in 0..4 {
                let mut medoids = state.medoids.clone();
                medoids[other] = candidate;
                assert!(objective(&distances, &medoids) >= before + change - 1e-9);
            }
            state.swap(index, candidate);
            assert!((state.objective - (before + change)).abs() < 1e-9);
        }
    }

    #[test]
    fn no_single_swap_improves_the_end() {
        let values = numbers(60 * 3, 32);
        let distances = Distances::new(&Matrix::new(&values, 3).unwrap(), Ties::Exact, &Stop::new()).unwrap();
        let run = run(&distances, vec![0, 1, 2, 3, 4], 100, &Stop::new()).unwrap();
        for index in 0..5 {
            for candidate in 0..60 {
                let mut medoids = run.medoids.clone();
                medoids[index] = candidate;
                assert!(objective(&distances, &medoids) >= run.objective - 1e-9);
            }
        }
    }
}
