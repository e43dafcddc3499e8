//! Partitions that arise from each other by merging clusters, scored one after the other.
//!
//! Every measure is a function of a few sums over clusters; a merge removes two terms from each sum and adds one.

use super::{Agreement, PartitionSums, Truth};
use crate::forest::DisjointSets;

/// A partition that starts with every point alone.
#[derive(Debug)]
pub struct Merging<'a> {
    truth: &'a Truth,
    forest: DisjointSets,
    /// For the representative of each cluster: the classes that share points with it, ascending, and the number of points
    /// in both.
    cells: Vec<Vec<(u32, u32)>>,
    sums: PartitionSums,
}

impl<'a> Merging<'a> {
    /// Starts with every point alone. Time: O(n). Memory: O(n).
    pub fn new(truth: &'a Truth) -> Merging<'a> {
        let cells: Vec<Vec<(u32, u32)>> = truth.codes().iter().map(|&class| vec![(class, 1)]).collect();
        let mut sums = PartitionSums::default();
        cells.iter().for_each(|cells| sums.add(truth.sums_of(1, cells), 1));
        Merging { truth, forest: DisjointSets::new(truth.points()), cells, sums }
    }

    /// Merges the clusters of two points; does nothing if they are in one cluster already.
    ///
    /// Time: O(number of classes in both clusters).
    pub fn merge(&mut self, a: u32, b: u32) {
        let roots = [a, b].map(|point| self.forest.find(point));
        if roots[0] == roots[1] {
            return;
        }
        let cells = roots.map(|root| std::mem::take(&mut self.cells[root as usize]));
        for (root, cells) in roots.iter().zip(&cells) {
            let size = u64::from(self.forest.size(*root));
            self.sums.add(self.truth.sums_of(size, cells), -1);
        }
        let root = self.forest.merge(roots[0], roots[1]);
        let together = united(&cells[0], &cells[1]);
        self.sums.add(self.truth.sums_of(u64::from(self.forest.size(root)), &together), 1);
        self.cells[root as usize] = together;
    }

    /// All measures for the current partition, except for rounding: the sums have been changed by many merges. Time:
    /// O(1).
    pub fn agreement(&self) -> Agreement {
        self.truth.of_sums(&self.sums)
    }
}

/// The merged cells of two clusters.
fn united(one: &[(u32, u32)], other: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut cells = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    while let (Some(&(a, count)), Some(&(b, more))) = (one.peek(), other.peek()) {
        cells.push((
            a.min(b),
            if a < b {
                count
            } else if b < a {
                more
            } else {
                count + more
            },
        ));
        one.next_if(|_| a <= b);
        other.next_if(|_| b <= a);
    }
    cells.extend(one.chain(other));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::External;
    use crate::scattered::numbers;

    #[test]
    fn merges_score_as_labels_do() {
        for (n, classes) in [(2, 1), (2, 2), (40, 2), (90, 7), (60, 60)] {
            let order = numbers(3 * n, 5);
            let truth = Truth::new(order[..n].iter().map(|value| (value * 1e6).abs() as usize % classes));
            let mut merging = Merging::new(&truth);
            let mut labels: Vec<i32> = (0..n as i32).collect();
            for pair in order[n..].chunks_exact(2) {
                let [a, b] = [pair[0], pair[1]].map(|value| (value * 1e6).abs() as usize % n);
                merging.merge(a as u32, b as u32);
                let (from, to) = (labels[a], labels[b]);
                labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
                let (fast, slow) = (merging.agreement(), truth.score(&labels));
                for external in External::ALL {
                    let [fast, slow] = [fast, slow].map(|agreement| agreement.get(external));
                    assert!((fast - slow).abs() < 1e-11, "{n} {classes} {external:?}: {fast} {slow}");
                }
            }
        }
    }
}
