//! Park and Jun's alternation: nearest medoids, then the best medoid of each cluster, until nothing changes.
//!
//! The best medoid of a cluster has the smallest sum of distances to the other members. The sums are kept between
//! iterations: only the points that joined or left a cluster change them.

use clmatch_kernels::parallel;

use super::{KMedoidsRun, nearest_medoids};
use crate::{Distances, Stop, Stopped};

/// A medoid is replaced only if the sum falls by more than this part of it. Sums of equal distances in another order
/// differ by rounding, and would swap medoids for ever.
const ROUNDING: f64 = 1e-12;
/// How many members a thread handles at a time.
const MEMBERS: usize = 256;

/// Alternates from the given medoids.
///
/// Time: once O(n^2 / k) for clusters of equal sizes, then O(n k + moved n / k) per iteration. Memory: O(n).
pub(super) fn run(
    distances: &Distances,
    mut medoids: Vec<usize>,
    limit: usize,
    stop: &Stop,
) -> Result<KMedoidsRun, Stopped> {
    let rows = distances.rows();
    let mut clusters = Clusters::new(rows, medoids.len());
    let mut iterations = 0;
    loop {
        let near = nearest_medoids(distances, &medoids, stop)?;
        let labels: Vec<u32> = near.iter().map(|near| near.medoid).collect();
        let objective = near.iter().map(|near| near.distance).sum();
        if iterations == limit || (iterations > 0 && clusters.labels == labels) {
            return Ok(KMedoidsRun { labels, medoids, objective, iterations });
        }
        iterations += 1;
        clusters.relabel(distances, labels, stop)?;
        if !clusters.improve(&mut medoids) {
            return Ok(KMedoidsRun { labels: clusters.labels, medoids, objective, iterations });
        }
    }
}

/// The clusters, and each point's sum of distances to the members of its own.
struct Clusters {
    labels: Vec<u32>,
    count: usize,
    /// The members of each cluster in ascending order.
    members: Vec<Vec<u32>>,
    /// For each point, the sum of its distances to the members of its cluster.
    sums: Vec<f64>,
}

/// Some members of one cluster, whose sums one thread computes.
struct Task<'a> {
    cluster: usize,
    members: &'a [u32],
}

impl Clusters {
    fn new(rows: usize, count: usize) -> Self {
        Clusters { labels: vec![], count, members: vec![], sums: vec![0.0; rows] }
    }

    /// Takes new labels and brings the sums up to date.
    fn relabel(&mut self, distances: &Distances, labels: Vec<u32>, stop: &Stop) -> Result<(), Stopped> {
        let old = std::mem::replace(&mut self.labels, labels);
        self.members = vec![vec![]; self.count];
        for (at, &label) in self.labels.iter().enumerate() {
            self.members[label as usize].push(at as u32);
        }
        let moves = Moves::between(&old, &self.labels, self.count);
        let tasks: Vec<Task<'_>> = self
            .members
            .iter()
            .enumerate()
            .flat_map(|(cluster, members)| {
                members.chunks(MEMBERS).map(move |members| Task { cluster, members })
            })
            .collect();
        let sums: Vec<Vec<f64>> = parallel::try_map_with(&tasks, Vec::new, |scratch, task| {
            self.sums_of(distances, task, &moves, scratch, stop)
        })?;
        for (task, sums) in tasks.iter().zip(&sums) {
            for (&at, &sum) in task.members.iter().zip(sums) {
                self.sums[at as usize] = sum;
            }
        }
        Ok(())
    }

    /// The sums of a task's members: updated from the old ones if few points moved, otherwise computed anew.
    fn sums_of(
        &self,
        distances: &Distances,
        task: &Task<'_>,
        moves: &Moves,
        scratch: &mut Vec<f64>,
        stop: &Stop,
    ) -> Result<Vec<f64>, Stopped> {
        let members = &self.members[task.cluster];
        let (came, went) = (&moves.came[task.cluster], &moves.went[task.cluster]);
        let mut sums: Vec<f64> = task.members.iter().map(|&at| self.sums[at as usize]).collect();
        let few = came.len() + went.len() < members.len();
        if few {
            for (moved, factor) in [(went, -1.0), (came, 1.0)] {
                for &point in moved {
                    stop.check()?;
                    distances.row(point as usize, scratch).add_to(task.members, factor, &mut sums);
                }
            }
        }
        for (sum, &at) in sums.iter_mut().zip(task.members) {
            // The old sum of a point that just joined belongs to another cluster.
            if !few || came.binary_search(&at).is_ok() {
                stop.check()?;
                *sum = distances.row(at as usize, scratch).sum_over(members);
            }
        }
        Ok(sums)
    }

    /// Takes the best medoid of each cluster; returns whether any changed.
    fn improve(&self, medoids: &mut [usize]) -> bool {
        let mut changed = false;
        for (medoid, members) in medoids.iter_mut().zip(&self.members) {
            let mut best = *medoid;
            for &at in members {
                if self.sums[at as usize] < self.sums[best] {
                    best = at as usize;
                }
            }
            if self.sums[best] < self.sums[*medoid] * (1.0 - ROUNDING) {
                *medoid = best;
                changed = true;
            }
        }
        changed
    }
}

/// The points that joined each cluster and those that left it, in ascending order.
struct Moves {
    came: Vec<Vec<u32>>,
    went: Vec<Vec<u32>>,
}

impl Moves {
    /// The moves from the old labels (none at first) to the new ones.
    fn between(old: &[u32], new: &[u32], clusters: usize) -> Self {
        let mut moves = Moves { came: vec![vec![]; clusters], went: vec![vec![]; clusters] };
        for (at, &to) in new.iter().enumerate() {
            let from = old.get(at);
            if from != Some(&to) {
                moves.came[to as usize].push(at as u32);
                if let Some(&from) = from {
                    moves.went[from as usize].push(at as u32);
                }
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ties;
    use crate::scattered::numbers;
    use clmatch::Matrix;

    #[test]
    fn kept_sums_are_the_sums() {
        // Clusters smaller than a task, and larger.
        for n in [400, 3 * MEMBERS + 5] {
            let values = numbers(n * 2, 21);
            let stop = Stop::new();
            let distances = Distances::new(&Matrix::new(&values, 2).unwrap(), Ties::Exact, &stop).unwrap();
            let mut clusters = Clusters::new(n, 3);
            // Many move at first, then few, then none.
            for step in [1, 2, 50, 51, 51] {
                let label = |at: u32| if at.is_multiple_of(step) { at % 3 } else { at % 2 };
                let labels: Vec<u32> = (0..n as u32).map(label).collect();
                clusters.relabel(&distances, labels.clone(), &stop).unwrap();
                for a in 0..n {
                    let members = (0..n).filter(|&b| labels[b] == labels[a]);
                    let direct: f64 = members.map(|b| distances.get(a, b)).sum();
                    assert!((clusters.sums[a] - direct).abs() <= 1e-12 * direct, "{n} {step}");
                }
            }
        }
    }
}
