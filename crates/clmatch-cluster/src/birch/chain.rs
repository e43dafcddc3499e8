//! Ward's method on a stored matrix, along a chain of nearest neighbours.
//!
//! Each cluster of the chain is the nearest of the one before it. Two clusters that are each other's nearest merge, and
//! no merge invalidates the rest of the chain. For a cluster k and the merger of i and j,
//!
//! ```text
//! w(k, ij) = ((n_i + n_k) w(i, k) + (n_j + n_k) w(j, k) - n_k w(i, j)) / (n_i + n_j + n_k)
//! ```
//!
//! This is never negative except by rounding. It is written here because the crate kodama panics where rounding makes it
//! negative.

use super::merge::Merge;
use crate::linkage::condensed;
use crate::{Stop, Stopped};

/// Steps between two checks of [`Stop`].
const LOOK: usize = 256;

/// Merges points until one cluster is left; sorted by height.
///
/// Time: O(m^2 d) for distances, O(m^2) for merges. Memory: 4 m^2 bytes.
pub(super) fn merges(points: &[f64], features: usize, stop: &Stop) -> Result<Vec<Merge>, Stopped> {
    let mut costs = condensed(points, features, stop)?;
    // The cost of merging two single points.
    costs.iter_mut().for_each(|distance| *distance *= *distance / 2.0);
    let count = points.len() / features;
    let mut forest = Forest { costs, count, sizes: vec![1.0; count], heights: vec![0.0; count] };
    let mut alive: Vec<u32> = (0..count as u32).collect();
    let mut merges = Vec::with_capacity(count.saturating_sub(1));
    let mut chain: Vec<u32> = Vec::new();
    let mut steps = 0;
    while alive.len() > 1 {
        steps += 1;
        if steps % LOOK == 0 {
            stop.check()?;
        }
        let Some(&last) = chain.last() else {
            chain.push(alive[0]);
            continue;
        };
        let before = chain.len().checked_sub(2).map(|at| chain[at]);
        let nearest = forest.nearest(last, before, &alive);
        if before == Some(nearest) {
            chain.truncate(chain.len() - 2);
            let (one, other) = (last.min(nearest), last.max(nearest));
            alive.retain(|&cluster| cluster != other);
            merges.push(forest.merge(one, other, &alive));
        } else {
            chain.push(nearest);
        }
    }
    merges.sort_by(|a, b| a.height.total_cmp(&b.height));
    Ok(merges)
}

/// Clusters, each identified by its first point.
struct Forest {
    /// `w` of all pairs i < j, row after row.
    costs: Vec<f64>,
    count: usize,
    sizes: Vec<f64>,
    /// The height of each cluster's last merge.
    heights: Vec<f64>,
}

impl Forest {
    fn place(&self, a: u32, b: u32) -> usize {
        let (i, j) = (a.min(b) as usize, a.max(b) as usize);
        i * (2 * self.count - i - 1) / 2 + j - i - 1
    }

    /// The nearest cluster; among several, the one before it in the chain, or else the first.
    fn nearest(&self, cluster: u32, before: Option<u32>, alive: &[u32]) -> u32 {
        let mut nearest = before.unwrap_or(u32::MAX);
        let mut least = before.map_or(f64::INFINITY, |before| self.costs[self.place(cluster, before)]);
        for &other in alive.iter().filter(|&&other| other != cluster) {
            let cost = self.costs[self.place(cluster, other)];
            if cost < least || nearest == u32::MAX {
                (nearest, least) = (other, cost);
            }
        }
        nearest
    }

    /// Merges `other` into `one`; `other` is no longer among those alive.
    fn merge(&mut self, one: u32, other: u32, alive: &[u32]) -> Merge {
        let cost = self.costs[self.place(one, other)];
        let (n, m) = (self.sizes[one as usize], self.sizes[other as usize]);
        for &third in alive.iter().filter(|&&third| third != one) {
            let k = self.sizes[third as usize];
            let (a, b) = (self.place(one, third), self.place(other, third));
            let raised = (n + k) * self.costs[a] + (m + k) * self.costs[b] - k * cost;
            self.costs[a] = (raised / (n + m + k)).max(0.0);
        }
        self.sizes[one as usize] = n + m;
        // A merge is never lower than the merges below it, whatever rounding does.
        let height = cost.max(self.heights[one as usize]).max(self.heights[other as usize]);
        self.heights[one as usize] = height;
        Merge { one, other, height }
    }
}
