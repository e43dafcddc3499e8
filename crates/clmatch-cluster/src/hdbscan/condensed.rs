//! The clusters that are large enough, and which of them to select.

use crate::NOISE;
use crate::external::{Overlap, Truth};
use crate::ties::{BEYOND, evenly, runs};

/// The root, which holds all points and is never selected.
const ROOT: usize = 0;

/// A cluster of the condensed hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cluster {
    parent: u32,
    /// `lambda` at which it split from its parent.
    birth: f64,
    stability: f64,
}

impl Cluster {
    pub(super) fn born(parent: u32, birth: f64) -> Cluster {
        Cluster { parent, birth, stability: 0.0 }
    }

    /// The distance at which it split from its parent.
    fn distance(&self) -> f64 {
        1.0 / self.birth
    }
}

/// The condensed hierarchy for one smallest cluster size.
#[derive(Debug, Clone, PartialEq)]
pub struct Condensed {
    /// The root first; parents come before their children.
    clusters: Vec<Cluster>,
    /// For each point, the last cluster that it belongs to.
    last: Vec<u32>,
}

impl Condensed {
    pub(super) fn new(n: usize) -> Condensed {
        Condensed { clusters: vec![Cluster::born(0, 0.0)], last: vec![0; n] }
    }

    /// Adds a cluster of `size` points that leave `parent`.
    pub(super) fn add(&mut self, parent: u32, cluster: Cluster, size: u32) -> u32 {
        let from = &mut self.clusters[parent as usize];
        from.stability += (cluster.birth - from.birth) * f64::from(size);
        self.clusters.push(cluster);
        (self.clusters.len() - 1) as u32
    }

    /// Lets points fall out of a cluster.
    pub(super) fn fall(&mut self, cluster: u32, lambda: f64, points: &[u32]) {
        let from = &mut self.clusters[cluster as usize];
        from.stability += (lambda - from.birth) * points.len() as f64;
        for &point in points {
            self.last[point as usize] = cluster;
        }
    }

    /// The clusters that have the greatest total stability, ascending. Time: O(clusters).
    fn most_stable(&self) -> Vec<u32> {
        let count = self.clusters.len();
        let mut below = vec![0.0; count];
        let mut best = vec![false; count];
        for at in (ROOT + 1..count).rev() {
            let own = self.clusters[at].stability;
            best[at] = below[at] <= own;
            below[self.clusters[at].parent as usize] += if best[at] { own } else { below[at] };
        }
        // A selected cluster hides all clusters below it.
        let mut hidden = vec![false; count];
        for at in ROOT + 1..count {
            let parent = self.clusters[at].parent as usize;
            hidden[at] = hidden[parent] || best[parent];
        }
        (1..count as u32).filter(|&at| best[at as usize] && !hidden[at as usize]).collect()
    }

    /// The selected clusters, ascending. Time: O(clusters).
    pub fn select(&self, epsilon: f64) -> Vec<u32> {
        let stable = self.most_stable();
        if epsilon <= 0.0 { stable } else { self.merge_below(&stable, epsilon) }
    }

    /// Replaces clusters born at less than a distance by their first ancestor that was not.
    fn merge_below(&self, stable: &[u32], epsilon: f64) -> Vec<u32> {
        let mut selected = vec![false; self.clusters.len()];
        // The clusters that replaced others, and thereby all clusters below them.
        let mut stands_for = vec![false; self.clusters.len()];
        for &cluster in stable {
            if self.clusters[cluster as usize].distance() >= epsilon {
                selected[cluster as usize] = true;
            } else if !self.is_below(cluster, &stands_for) {
                let ancestor = self.ancestor(cluster, epsilon);
                selected[ancestor] = true;
                stands_for[ancestor] = true;
            }
        }
        (1..self.clusters.len() as u32).filter(|&at| selected[at as usize]).collect()
    }

    /// Whether an ancestor is marked.
    fn is_below(&self, cluster: u32, marked: &[bool]) -> bool {
        let mut at = cluster as usize;
        while at != ROOT {
            at = self.clusters[at].parent as usize;
            if marked[at] {
                return true;
            }
        }
        false
    }

    /// The first ancestor born at a distance larger than `epsilon`, or else the last one before the root.
    fn ancestor(&self, cluster: u32, epsilon: f64) -> usize {
        let mut at = cluster as usize;
        loop {
            let parent = self.clusters[at].parent as usize;
            if parent == ROOT {
                return at;
            }
            at = parent;
            if self.clusters[at].distance() > epsilon {
                return at;
            }
        }
    }

    /// One threshold for each selection, ascending: 0, the usual one, and the midpoints between distances at which the
    /// selection may change, so that rounding does not decide. If there are more than `limit`, some are left out, evenly.
    pub fn thresholds(&self, limit: usize) -> Vec<f64> {
        let mut births = self.births_above(&self.most_stable());
        births.sort_by(f64::total_cmp);
        let runs: Vec<(f64, f64)> = runs(&births).collect();
        let middles = runs.windows(2).map(|pair| f64::midpoint(pair[0].1, pair[1].0));
        let beyond = runs.last().map(|run| BEYOND * run.1);
        evenly(&std::iter::once(0.0).chain(middles).chain(beyond).collect::<Vec<_>>(), limit)
    }

    /// The distances at which some clusters and their ancestors were born, one for each of these clusters. Time:
    /// O(clusters).
    fn births_above(&self, clusters: &[u32]) -> Vec<f64> {
        let mut met = vec![false; self.clusters.len()];
        let mut births = Vec::new();
        for &cluster in clusters {
            let mut at = cluster as usize;
            while at != ROOT && !met[at] {
                met[at] = true;
                births.push(self.clusters[at].distance());
                at = self.clusters[at].parent as usize;
            }
        }
        births
    }

    /// For each cluster, the place among the selected clusters of the one it belongs to, or [`NOISE`].
    fn targets(&self, selected: &[u32]) -> Vec<i32> {
        let mut targets = vec![NOISE; self.clusters.len()];
        let mut next = selected.iter().zip(0..).peekable();
        for at in ROOT + 1..self.clusters.len() {
            targets[at] = match next.next_if(|(cluster, _)| **cluster as usize == at) {
                Some((_, place)) => place,
                None => targets[self.clusters[at].parent as usize],
            };
        }
        targets
    }

    /// One label per point. Time: O(n).
    pub fn labels(&self, selected: &[u32]) -> Vec<i32> {
        let targets = self.targets(selected);
        self.last.iter().map(|&cluster| targets[cluster as usize]).collect()
    }

    /// How many points of each class fall out of each cluster: clusters x classes. Time: O(n).
    pub fn census(&self, truth: &Truth) -> Vec<u32> {
        let mut census = vec![0; self.clusters.len() * truth.classes()];
        for (&cluster, &class) in self.last.iter().zip(truth.codes()) {
            census[cluster as usize * truth.classes() + class as usize] += 1;
        }
        census
    }

    /// The overlap of a selection with the classes, computed without going through the points; noise counts as one
    /// cluster.
    ///
    /// Time: O(clusters x classes).
    pub fn overlap(&self, selected: &[u32], census: &[u32]) -> Overlap {
        let classes = census.len() / self.clusters.len();
        let mut counts = vec![0; (selected.len() + 1) * classes];
        for (target, census) in self.targets(selected).into_iter().zip(census.chunks_exact(classes)) {
            let place = (target + 1) as usize * classes;
            counts[place..place + classes].iter_mut().zip(census).for_each(|(sum, count)| *sum += count);
        }
        let mut overlap = Overlap::new();
        counts.chunks_exact(classes).for_each(|counts| overlap.add(counts));
        overlap
    }
}
