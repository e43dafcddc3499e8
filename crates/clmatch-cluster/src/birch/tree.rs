//! The tree of clustering features: balanced, with subclusters in its leaves.
//!
//! A subcluster is known by the number n of its points, their sum, and the scatter S, the sum of their squared distances
//! to their mean. Two subclusters together have S = S1 + S2 + n1 n2 / (n1 + n2) |m1 - m2|^2, which does not cancel as
//! sums of squares minus squares of sums do.

use crate::{Stop, Stopped};
use clmatch::Matrix;
use clmatch_kernels::simd::tiles::squared_distance;

/// Points between two checks of [`Stop`].
const POINTS: usize = 256;

/// The centres of the subclusters that a pass over the points leaves behind, row after row, from leaf to leaf.
///
/// Time: O(n log(m) b d). Memory: O(m d).
pub(super) fn subclusters(
    points: &Matrix<'_>,
    threshold: f64,
    branching: usize,
    stop: &Stop,
) -> Result<Vec<f64>, Stopped> {
    let mut tree = CfTree::new(points.n_features(), threshold * threshold.abs(), branching);
    for (at, row) in points.rows().enumerate() {
        if at % POINTS == 0 {
            stop.check()?;
        }
        tree.insert(row);
    }
    Ok(tree.centres())
}

/// The count, sum and scatter of a set of points; their mean is in the node that holds the feature.
struct Feature {
    count: f64,
    sum: Vec<f64>,
    /// Kept in leaves only: the radius of a whole branch is never needed.
    scatter: f64,
    /// The node below; `None` in a leaf.
    child: Option<usize>,
}

#[derive(Default)]
struct CfNode {
    features: Vec<Feature>,
    /// Means of the features, row after row.
    means: Vec<f64>,
    /// The next leaf. The leaves form a list; when a leaf is split, its halves take its place.
    next: Option<usize>,
    previous: Option<usize>,
}

impl CfNode {
    fn push(&mut self, feature: Feature) {
        let count = feature.count;
        self.means.extend(feature.sum.iter().map(|sum| sum / count));
        self.features.push(feature);
    }

    fn mean(&self, at: usize, dimensions: usize) -> &[f64] {
        &self.means[at * dimensions..][..dimensions]
    }

    /// The feature with the nearest mean, the first of equally near ones, and its squared distance.
    fn nearest(&self, point: &[f64]) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for (at, mean) in self.means.chunks_exact(point.len()).enumerate() {
            let square = squared_distance(mean, point);
            if square < best.1 {
                best = (at, square);
            }
        }
        best
    }

    /// Adds a point to a feature.
    fn add(&mut self, at: usize, point: &[f64]) {
        let feature = &mut self.features[at];
        feature.count += 1.0;
        feature.sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
        self.restore_mean(at);
    }

    fn restore_mean(&mut self, at: usize) {
        let feature = &self.features[at];
        let mean = &mut self.means[at * feature.sum.len()..][..feature.sum.len()];
        mean.iter_mut().zip(&feature.sum).for_each(|(mean, sum)| *mean = sum / feature.count);
    }
}

struct CfTree {
    nodes: Vec<CfNode>,
    root: usize,
    first_leaf: usize,
    dimensions: usize,
    /// Largest squared radius of a subcluster.
    square: f64,
    branching: usize,
}

impl CfTree {
    fn new(dimensions: usize, square: f64, branching: usize) -> Self {
        CfTree { nodes: vec![CfNode::default()], root: 0, first_leaf: 0, dimensions, square, branching }
    }

    /// Adds a point to the nearest subcluster, or as a subcluster of its own, and splits the nodes that overflow.
    fn insert(&mut self, point: &[f64]) {
        let mut path = vec![];
        let mut node = self.root;
        while let Some(at) = self.inner_step(node, point) {
            path.push((node, at));
            node = self.nodes[node].features[at].child.unwrap_or(node);
        }
        let mut split = self.insert_in_leaf(node, point);
        for &(parent, at) in path.iter().rev() {
            split = match split {
                // The halves already include the point.
                Some([one, other]) => {
                    self.nodes[parent].features[at] = one;
                    self.nodes[parent].restore_mean(at);
                    self.nodes[parent].push(other);
                    self.split_if_full(parent)
                }
                None => {
                    self.nodes[parent].add(at, point);
                    None
                }
            };
        }
        if let Some([one, other]) = split {
            let mut root = CfNode::default();
            root.push(one);
            root.push(other);
            self.root = self.nodes.len();
            self.nodes.push(root);
        }
    }

    /// The feature through which a point goes down from a node; `None` in a leaf.
    fn inner_step(&self, node: usize, point: &[f64]) -> Option<usize> {
        let node = &self.nodes[node];
        node.features.first()?.child?;
        Some(node.nearest(point).0)
    }

    fn insert_in_leaf(&mut self, leaf: usize, point: &[f64]) -> Option<[Feature; 2]> {
        let node = &mut self.nodes[leaf];
        if !node.features.is_empty() {
            let (at, square) = node.nearest(point);
            let feature = &mut node.features[at];
            let scatter = feature.scatter + feature.count / (feature.count + 1.0) * square;
            if scatter <= self.square * (feature.count + 1.0) {
                feature.scatter = scatter;
                node.add(at, point);
                return None;
            }
        }
        node.push(Feature { count: 1.0, sum: point.to_vec(), scatter: 0.0, child: None });
        self.split_if_full(leaf)
    }

    /// Halves a node that has too many features: each feature goes to the nearer one of the two that are farthest apart.
    fn split_if_full(&mut self, full: usize) -> Option<[Feature; 2]> {
        if self.nodes[full].features.len() <= self.branching {
            return None;
        }
        let node = std::mem::take(&mut self.nodes[full]);
        let goes_first = sides(&node, self.dimensions);
        let leaf = node.features[0].child.is_none();
        // The first half takes the place of the node.
        let other = self.nodes.len();
        let mut halves = [CfNode::default(), CfNode::default()];
        if leaf {
            halves[0].previous = node.previous;
            halves[0].next = Some(other);
            halves[1].previous = Some(full);
            halves[1].next = node.next;
            if let Some(next) = node.next {
                self.nodes[next].previous = Some(other);
            }
        }
        let mut sums = [full, other].map(|child| Feature {
            count: 0.0,
            sum: vec![0.0; self.dimensions],
            scatter: 0.0,
            child: Some(child),
        });
        for (feature, goes_first) in node.features.into_iter().zip(goes_first) {
            let side = usize::from(!goes_first);
            sums[side].count += feature.count;
            sums[side].sum.iter_mut().zip(&feature.sum).for_each(|(sum, value)| *sum += value);
            halves[side].push(feature);
        }
        let [one, two] = halves;
        self.nodes[full] = one;
        self.nodes.push(two);
        Some(sums)
    }

    fn centres(&self) -> Vec<f64> {
        let mut centres = vec![];
        let mut leaf = Some(self.first_leaf);
        while let Some(at) = leaf {
            centres.extend_from_slice(&self.nodes[at].means);
            leaf = self.nodes[at].next;
        }
        centres
    }
}

/// Whether each feature of a node is nearer to the first than to the second of the two that are farthest apart.
///
/// Time: O(b^2 d).
fn sides(node: &CfNode, dimensions: usize) -> Vec<bool> {
    let count = node.features.len();
    let (mut first, mut second, mut farthest) = (0, 0, 0.0);
    for a in 0..count {
        for b in a + 1..count {
            let square = squared_distance(node.mean(a, dimensions), node.mean(b, dimensions));
            if square > farthest {
                (first, second, farthest) = (a, b, square);
            }
        }
    }
    let (one, other) = (node.mean(first, dimensions), node.mean(second, dimensions));
    let nearer = |at: usize| {
        let mean = node.mean(at, dimensions);
        squared_distance(mean, one) < squared_distance(mean, other)
    };
    // The first one always stays on its own side, even where all coincide, so that no half is empty.
    (0..count).map(|at| at == first || nearer(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scattered::numbers;

    fn centres(values: &[f64], features: usize, threshold: f64, branching: usize) -> Vec<f64> {
        let points = Matrix::new(values, features).unwrap();
        subclusters(&points, threshold, branching, &Stop::new()).unwrap()
    }

    /// 0 and 1 have the radius 1/2; with 2 added it would be sqrt(2/3).
    #[test]
    fn the_threshold_is_a_radius() {
        assert_eq!(centres(&[0.0, 1.0, 2.0], 1, 0.5, 50), [0.5, 2.0]);
        assert_eq!(centres(&[0.0, 1.0, 2.0], 1, 0.49, 50), [0.0, 1.0, 2.0]);
        assert_eq!(centres(&[0.0, 1.0, 2.0], 1, 0.82, 50), [1.0]);
    }

    /// A leaf has room for two: 0, 10 and 1 overflow it; 0 and 10 are farthest apart, and 1 goes to 0.
    #[test]
    fn a_full_leaf_is_halved_by_its_farthest_pair() {
        assert_eq!(centres(&[0.0, 10.0, 1.0], 1, 0.1, 2), [0.0, 1.0, 10.0]);
    }

    #[test]
    fn the_tree_keeps_all_points_and_its_order() {
        let values = numbers(2000 * 2, 41);
        let mut tree = CfTree::new(2, 0.0025, 3);
        values.chunks_exact(2).for_each(|row| tree.insert(row));
        let mut leaves = 0.0;
        let mut leaf = Some(tree.first_leaf);
        let mut previous = None;
        while let Some(at) = leaf {
            let node = &tree.nodes[at];
            assert_eq!(node.previous, previous);
            assert!(node.features.len() <= 3 && !node.features.is_empty());
            for feature in &node.features {
                assert!(feature.scatter <= 0.0025 * feature.count);
                leaves += feature.count;
            }
            (previous, leaf) = (leaf, node.next);
        }
        let root: f64 = tree.nodes[tree.root].features.iter().map(|feature| feature.count).sum();
        assert_eq!((leaves, root), (2000.0, 2000.0));
        for node in &tree.nodes {
            for feature in &node.features {
                let Some(child) = feature.child else { continue };
                let below: f64 = tree.nodes[child].features.iter().map(|feature| feature.count).sum();
                assert_eq!(feature.count, below);
            }
        }
    }
}
