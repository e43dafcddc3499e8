//! Ward's method on centres, with a matrix of distances where that is small, and without one otherwise.
//!
//! Merging clusters a and b of n_a and n_b members with the means m_a and m_b raises the sum of squares by
//!
//! w(a, b) = |m_a - m_b|^2 / (1/n_a + 1/n_b).
//!
//! Up to [`MATRIX`] centres of many features, all w are stored and updated by the formula of Lance and Williams, along a
//! chain of nearest neighbours: O(m^2) once distances are known ([`chain`](super::chain)).
//!
//! Beyond that, the following holds: no merge brings a cluster nearer to a third one than its nearer part was. Two
//! clusters that are each other's nearest are therefore merged sooner or later, in whatever order such pairs are taken.
//! Here each round merges all of them, and only clusters that are new, or whose nearest cluster is gone, search again:
//! many at a time, tile by tile.

use super::chain;
use super::merge::Merge;
use crate::{Stop, Stopped};
use clmatch_kernels::parallel;
use clmatch_kernels::simd::tiles::{BLOCK, Blocks, GROUP, Groups, Lowest, QueryGroup, lowest};

/// The most centres whose distances are stored: half a gigabyte.
const MATRIX: usize = 11_585;
/// From this many features on, reading a stored distance is cheaper than computing it again.
const WIDE: usize = 64;
/// Groups of clusters that search for their nearest together, so that a block in the cache serves them all.
const GROUPS: usize = 4;
/// Blocks between two checks of [`Stop`].
const BLOCKS: usize = 64;

/// Merges points until one cluster is left; sorted by height.
///
/// Time: O(m^2 d). Memory: O(m d), and 4 m^2 bytes up to [`MATRIX`] points.
pub(super) fn merges(points: &[f64], features: usize, stop: &Stop) -> Result<Vec<Merge>, Stopped> {
    let count = points.len() / features;
    let kept = count <= MATRIX && features >= WIDE;
    if kept { chain::merges(points, features, stop) } else { by_rounds(points, features, stop) }
}

/// Time: O(m^2 d), in parallel, as long as a good part of the clusters pairs up in each round. A chain of ever longer
/// gaps pairs only one cluster per round, and takes as long on one thread. Memory: O(m d).
fn by_rounds(points: &[f64], features: usize, stop: &Stop) -> Result<Vec<Merge>, Stopped> {
    let mut forest = WardForest::new(points, features);
    let mut merges = Vec::with_capacity(forest.alive.len());
    while forest.alive.len() > 1 {
        forest.find_nearest(stop)?;
        if !forest.merge_pairs(&mut merges) {
            // Equal distances may leave a ring of nearest clusters that were found in different rounds. If all are found
            // in one round, some pair is always mutual, because the first of equally near clusters is taken.
            forest.nearest.fill(None);
        }
    }
    merges.sort_by(|a, b| a.height.total_cmp(&b.height));
    Ok(merges)
}

/// The label of each of `count` points after the first merges, until `clusters` are left. Labels are numbered by their
/// first points.
///
/// Time: O(m).
pub(super) fn cut(merges: &[Merge], count: usize, clusters: usize) -> Vec<i32> {
    let mut parents: Vec<usize> = (0..count).collect();
    fn root(parents: &mut [usize], mut at: usize) -> usize {
        while parents[at] != at {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    }
    for merge in merges.iter().take(count.saturating_sub(clusters)) {
        let one = root(&mut parents, merge.one as usize);
        let other = root(&mut parents, merge.other as usize);
        parents[one.max(other)] = one.min(other);
    }
    // A root is the first point of its cluster.
    let mut labels = vec![0; count];
    let mut next = 0;
    for at in 0..count {
        let root = root(&mut parents, at);
        if root == at {
            labels[at] = next;
            next += 1;
        } else {
            labels[at] = labels[root];
        }
    }
    labels
}

/// A cluster's nearest one.
#[derive(Debug, Clone, Copy)]
struct NearestCluster {
    cluster: u32,
    height: f64,
}

/// The clusters of a round; each goes by the number of one of its points.
struct WardForest {
    features: usize,
    means: Vec<f64>,
    sizes: Vec<f64>,
    /// The height of each cluster's last merge.
    heights: Vec<f64>,
    /// Each cluster's nearest; `None` if it has to be found.
    nearest: Vec<Option<NearestCluster>>,
    /// The clusters that still exist, in ascending order.
    alive: Vec<u32>,
}

impl WardForest {
    fn new(points: &[f64], features: usize) -> Self {
        let count = points.len() / features;
        WardForest {
            features,
            means: points.to_vec(),
            sizes: vec![1.0; count],
            heights: vec![0.0; count],
            nearest: vec![None; count],
            alive: (0..count as u32).collect(),
        }
    }

    fn mean(&self, cluster: u32) -> &[f64] {
        &self.means[cluster as usize * self.features..][..self.features]
    }

    /// Finds the nearest cluster, the first of equally near ones, of every cluster that has none stored.
    fn find_nearest(&mut self, stop: &Stop) -> Result<(), Stopped> {
        let blocks = Blocks::new(self.alive.iter().map(|&cluster| self.mean(cluster)), self.features);
        let mut shares: Vec<f64> =
            self.alive.iter().map(|&cluster| 1.0 / self.sizes[cluster as usize]).collect();
        // The padding of the last block is never nearer than anything.
        shares.resize(blocks.count() * BLOCK, f64::NAN);
        let lost: Vec<usize> =
            (0..self.alive.len()).filter(|&at| self.nearest[self.alive[at] as usize].is_none()).collect();
        let some: Vec<&[usize]> = lost.chunks(GROUPS * GROUP).collect();
        let found: Vec<Vec<NearestCluster>> =
            parallel::try_map(&some, |lost| self.nearest_of(lost, &blocks, &shares, stop))?;
        for (&at, found) in lost.iter().zip(found.into_iter().flatten()) {
            self.nearest[self.alive[at] as usize] = Some(found);
        }
        Ok(())
    }

    /// The nearest clusters of the clusters at `places` among those alive.
    fn nearest_of(
        &self,
        places: &[usize],
        blocks: &Blocks,
        shares: &[f64],
        stop: &Stop,
    ) -> Result<Vec<NearestCluster>, Stopped> {
        let groups = Groups::new(places.iter().map(|&at| self.mean(self.alive[at])), self.features);
        let mut lows = vec![Lowest::default(); groups.count() * GROUP];
        let mut queries = vec![f64::NAN; groups.count() * GROUP];
        let mut selves = vec![usize::MAX; groups.count() * GROUP];
        for (slot, &at) in places.iter().enumerate() {
            queries[slot] = shares[at];
            selves[slot] = at;
        }
        for block in 0..blocks.count() {
            if block % BLOCKS == 0 {
                stop.check()?;
            }
            for group in 0..groups.count() {
                let slots = group * GROUP..(group + 1) * GROUP;
                let group_queries =
                    QueryGroup { shares: &queries[slots.clone()], selves: &selves[slots.clone()] };
                lowest(
                    (blocks, block),
                    &shares[block * BLOCK..][..BLOCK],
                    (&groups, group),
                    &group_queries,
                    &mut lows[slots],
                );
            }
        }
        let nearest = lows.iter().zip(places).map(|(low, &place)| {
            let (at, height) = low.first();
            // Squared distances that overflow are all equally far: take the first other cluster.
            let at = if at < self.alive.len() { at } else { usize::from(place == 0) };
            NearestCluster { cluster: self.alive[at], height }
        });
        Ok(nearest.collect())
    }

    /// Merges all pairs that are each other's nearest, each under the number of its first cluster. Returns whether there
    /// were any.
    fn merge_pairs(&mut self, merges: &mut Vec<Merge>) -> bool {
        let pairs: Vec<(u32, NearestCluster)> = self
            .alive
            .iter()
            .filter_map(|&one| Some((one, self.nearest[one as usize]?)))
            .filter(|(one, nearest)| {
                let back = self.nearest[nearest.cluster as usize];
                *one < nearest.cluster && back.is_some_and(|back| back.cluster == *one)
            })
            .collect();
        if pairs.is_empty() {
            return false;
        }
        let mut gone = vec![false; self.sizes.len()];
        let mut changed = vec![false; self.sizes.len()];
        for (one, nearest) in pairs {
            let other = nearest.cluster;
            let (a, b) = (one as usize, other as usize);
            let height = nearest.height.max(self.heights[a]).max(self.heights[b]);
            merges.push(Merge { one, other, height });
            self.join(a, b);
            self.heights[a] = height;
            (gone[b], changed[a]) = (true, true);
        }
        self.alive.retain(|&cluster| !gone[cluster as usize]);
        for &cluster in &self.alive {
            let slot = &mut self.nearest[cluster as usize];
            let stale = slot.is_none_or(|near| gone[near.cluster as usize] || changed[near.cluster as usize]);
            if stale || changed[cluster as usize] {
                *slot = None;
            }
        }
        true
    }

    /// Puts the joint mean and size of two clusters in the place of the first.
    fn join(&mut self, a: usize, b: usize) {
        let (features, all) = (self.features, self.sizes[a] + self.sizes[b]);
        let part = self.sizes[b] / all;
        let (left, right) = self.means.split_at_mut(b * features);
        for (one, other) in left[a * features..][..features].iter_mut().zip(&right[..features]) {
            *one += (other - *one) * part;
        }
        self.sizes[a] = all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scattered::numbers;
    use clmatch_kernels::simd::tiles::squared_distance;

    /// Ward's method by its definition: merges the best pair of all, again and again.
    fn slow(points: &[f64], features: usize) -> Vec<f64> {
        let mut clusters: Vec<(Vec<f64>, f64)> =
            points.chunks_exact(features).map(|row| (row.to_vec(), 1.0)).collect();
        let mut heights = vec![];
        while clusters.len() > 1 {
            let mut best = (f64::INFINITY, 0, 0);
            for a in 0..clusters.len() {
                for b in a + 1..clusters.len() {
                    let ((x, n), (y, m)) = (&clusters[a], &clusters[b]);
                    let height = squared_distance(x, y) * n * m / (n + m);
                    if height < best.0 {
                        best = (height, a, b);
                    }
                }
            }
            let (y, m) = clusters.remove(best.2);
            let (x, n) = &mut clusters[best.1];
            x.iter_mut().zip(&y).for_each(|(x, y)| *x = (*x * *n + y * m) / (*n + m));
            *n += m;
            heights.push(best.0);
        }
        heights
    }

    #[test]
    fn the_heights_are_those_of_the_definition() {
        for (count, features) in [(1, 1), (2, 1), (3, 2), (40, 1), (60, 3), (130, 10), (70, 64)] {
            let points = numbers(count * features, 51);
            let slow = slow(&points, features);
            for fast in [chain::merges, by_rounds].map(|fast| fast(&points, features, &Stop::new()).unwrap())
            {
                assert_eq!(fast.len(), slow.len());
                for (fast, slow) in fast.iter().zip(&slow) {
                    assert!((fast.height - slow).abs() <= 1e-9 * slow.max(1e-3), "{count} x {features}");
                }
            }
        }
    }

    /// 0, 1 | 10, 12 | 30: heights 1/2, 2, then 10.5^2 = 110.25, and the rest.
    #[test]
    fn a_small_tree_by_hand() {
        let merges = merges(&[10.0, 0.0, 30.0, 1.0, 12.0], 1, &Stop::new()).unwrap();
        assert_eq!(merges[0], Merge { one: 1, other: 3, height: 0.5 });
        assert_eq!(merges[1], Merge { one: 0, other: 4, height: 2.0 });
        assert!((merges[2].height - 110.25).abs() < 1e-12);
        assert_eq!(cut(&merges, 5, 3), [0, 1, 2, 1, 0]);
        assert_eq!(cut(&merges, 5, 2), [0, 0, 1, 0, 0]);
        assert_eq!(cut(&merges, 5, 9), [0, 1, 2, 3, 4]);
        assert_eq!(cut(&merges, 5, 1), [0; 5]);
    }

    #[test]
    fn points_that_coincide_and_chains_end() {
        let same = merges(&[2.0; 50], 1, &Stop::new()).unwrap();
        assert_eq!((same.len(), same[48].height), (49, 0.0));
        let chain: Vec<f64> = (0..60).map(|at| 1.3_f64.powi(at)).collect();
        assert_eq!(merges(&chain, 1, &Stop::new()).unwrap().len(), 59);
        let grid: Vec<f64> = (0..144).flat_map(|at| [f64::from(at / 12), f64::from(at % 12)]).collect();
        assert_eq!(merges(&grid, 2, &Stop::new()).unwrap().len(), 143);
        let huge: Vec<f64> = (0..40).map(|at| f64::from(at - 20) * 5e306).collect();
        assert_eq!(merges(&huge, 1, &Stop::new()).unwrap().len(), 39);
    }
}
