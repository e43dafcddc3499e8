//! One tree of a forest, grown to the end.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Criterion;
use super::impurity::Sides;
use crate::columns::Columns;
use crate::split::Split;

/// Values that differ by no more than this are equal, as in scikit-learn.
const SAME: f32 = 1e-7;

/// When not to split a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeLimits {
    /// Nodes with fewer points are leaves.
    pub(super) split: usize,
    /// The smallest number of points in a leaf.
    pub(super) leaf: usize,
}

/// A tree: inner nodes compare a feature, leaves hold class shares.
pub(super) struct ForestTree {
    nodes: Vec<ForestNode>,
    /// The class shares, leaf after leaf.
    shares: Vec<f32>,
    classes: usize,
}

enum ForestNode {
    Inner { feature: u32, threshold: f32, left: u32, right: u32 },
    Leaf { number: u32 },
}

impl ForestTree {
    /// The class shares of the leaf that a row of the dataset falls into.
    pub(super) fn leaf(&self, columns: &Columns, row: usize) -> &[f32] {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                ForestNode::Leaf { number } => {
                    return &self.shares[number as usize * self.classes..][..self.classes];
                }
                ForestNode::Inner { feature, threshold, left, right } => {
                    let goes_left = columns.column(feature as usize)[row] <= threshold;
                    at = (if goes_left { left } else { right }) as usize;
                }
            }
        }
    }
}

struct ForestCut {
    feature: u32,
    threshold: f32,
    purity: f64,
}

/// Grows one tree after the other in the same memory.
pub(super) struct ForestGrower<'a> {
    split: &'a Split<'a>,
    columns: &'a Columns,
    limits: NodeLimits,
    /// How many features a node examines.
    looks: usize,
    sides: Sides,
    features: Vec<u32>,
    /// The places of the drawn training rows, node by node.
    places: Vec<u32>,
    /// The sortable values of a node: the value in the upper half, the place in the lower half.
    keys: Vec<u64>,
    counts: Vec<u32>,
}

impl<'a> ForestGrower<'a> {
    pub(super) fn new(
        split: &'a Split<'a>,
        columns: &'a Columns,
        criterion: Criterion,
        limits: NodeLimits,
    ) -> Self {
        let features = columns.features();
        ForestGrower {
            split,
            columns,
            limits,
            looks: features.isqrt().max(1),
            sides: Sides::new(criterion, split.classes(), split.train().len()),
            features: (0..features as u32).collect(),
            places: Vec::new(),
            keys: Vec::new(),
            counts: vec![0; split.classes()],
        }
    }

    /// Grows a tree on training rows, each of which counts `weights` times.
    pub(super) fn grow(&mut self, weights: &[u32], random: &mut ChaCha8Rng) -> ForestTree {
        let classes = self.split.classes();
        let mut tree =
            ForestTree { nodes: vec![ForestNode::Leaf { number: 0 }], shares: Vec::new(), classes };
        self.places = (0..weights.len() as u32).filter(|&place| weights[place as usize] > 0).collect();
        let mut open = vec![(0_usize, 0..self.places.len())];
        while let Some((node, range)) = open.pop() {
            self.count(weights, range.clone());
            match self.best_cut(weights, range.clone(), random) {
                None => {
                    let number = (tree.shares.len() / classes) as u32;
                    let total: u32 = self.counts.iter().sum();
                    tree.shares.extend(self.counts.iter().map(|&count| count as f32 / total as f32));
                    tree.nodes[node] = ForestNode::Leaf { number };
                }
                Some(ForestCut { feature, threshold, .. }) => {
                    let middle = range.start + self.part(range.clone(), feature, threshold);
                    let left = tree.nodes.len() as u32;
                    tree.nodes.extend([ForestNode::Leaf { number: 0 }, ForestNode::Leaf { number: 0 }]);
                    tree.nodes[node] = ForestNode::Inner { feature, threshold, left, right: left + 1 };
                    open.push((left as usize + 1, middle..range.end));
                    open.push((left as usize, range.start..middle));
                }
            }
        }
        tree
    }

    /// Counts the classes of a node.
    fn count(&mut self, weights: &[u32], range: std::ops::Range<usize>) {
        self.counts.fill(0);
        for &place in &self.places[range] {
            self.counts[self.split.targets()[place as usize] as usize] += weights[place as usize];
        }
    }

    /// The best cut of a node by random features; `None` for a leaf. Features that are constant in the node count as
    /// examined, but the search goes on until some feature varies.
    fn best_cut(
        &mut self,
        weights: &[u32],
        range: std::ops::Range<usize>,
        random: &mut ChaCha8Rng,
    ) -> Option<ForestCut> {
        let pure = self.counts.iter().filter(|&&count| count > 0).count() < 2;
        if pure || range.len() < self.limits.split || range.len() < 2 * self.limits.leaf {
            return None;
        }
        let mut best: Option<ForestCut> = None;
        let mut varied = false;
        for looked in 0..self.features.len() {
            if looked >= self.looks && varied {
                break;
            }
            let drawn = random.random_range(looked..self.features.len());
            self.features.swap(looked, drawn);
            varied |= self.try_feature(self.features[looked], weights, range.clone(), &mut best);
        }
        best
    }

    /// Keeps the feature's best cut if it is better than the best so far; returns whether the feature varies in the node.
    fn try_feature(
        &mut self,
        feature: u32,
        weights: &[u32],
        range: std::ops::Range<usize>,
        best: &mut Option<ForestCut>,
    ) -> bool {
        let column = self.columns.column(feature as usize);
        let train = self.split.train();
        let key = |&place: &u32| u64::from(ordered(column[train[place as usize]])) << 32 | u64::from(place);
        self.keys.clear();
        self.keys.extend(self.places[range].iter().map(key));
        let (lowest, highest) =
            self.keys.iter().fold((u64::MAX, 0), |(low, high), &key| (low.min(key), high.max(key)));
        if value_of(highest) <= value_of(lowest) + SAME {
            return false;
        }
        self.keys.sort_unstable();
        self.sides.reset(&self.counts);
        let last = self.keys.len() - self.limits.leaf;
        for at in 1..=last {
            let place = self.keys[at - 1] as u32 as usize;
            self.sides.shift(self.split.targets()[place] as usize, weights[place]);
            let (below, above) = (value_of(self.keys[at - 1]), value_of(self.keys[at]));
            if at < self.limits.leaf || above <= below + SAME {
                continue;
            }
            let purity = self.sides.purity();
            if best.as_ref().is_none_or(|best| purity > best.purity) {
                let middle = f32::midpoint(below, above);
                // Rounding must not move the upper value to the left side.
                let threshold = if middle >= above { below } else { middle };
                *best = Some(ForestCut { feature, threshold, purity });
            }
        }
        true
    }

    /// Moves the places of the left part to the front; returns how many there are.
    fn part(&mut self, range: std::ops::Range<usize>, feature: u32, threshold: f32) -> usize {
        let column = self.columns.column(feature as usize);
        let places = &mut self.places[range];
        let mut left = 0;
        for at in 0..places.len() {
            if column[self.split.train()[places[at] as usize]] <= threshold {
                places.swap(at, left);
                left += 1;
            }
        }
        left
    }
}

/// Bits that sort like the values.
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// The value in the upper half of a key.
fn value_of(key: u64) -> f32 {
    let bits = (key >> 32) as u32;
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;
    use rand::SeedableRng;

    #[test]
    fn keys_sort_as_values_do() {
        let values = [f32::MIN, -2.5, -1e-30, 0.0, 1e-30, 7.0, f32::MAX];
        assert!(values.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        values.iter().for_each(|&value| assert_eq!(value_of(u64::from(ordered(value)) << 32 | 5), value));
    }

    #[test]
    fn a_tree_by_hand() {
        // One feature: a | b b | a, with a heavy last point.
        let points = Matrix::new(&[0.0, 1.0, 2.0, 5.0], 1).unwrap();
        let data = Data::new(&points, &[0, 1, 1, 0]).unwrap();
        let split = Split::new(data, vec![0, 1, 2, 3], vec![]);
        let columns = Columns::new(data);
        let mut random = ChaCha8Rng::seed_from_u64(0);
        let limits = NodeLimits { split: 2, leaf: 1 };
        let mut grower = ForestGrower::new(&split, &columns, Criterion::Gini, limits);
        let tree = grower.grow(&[1, 1, 1, 3], &mut random);
        assert_eq!((0..4).map(|row| tree.leaf(&columns, row)[0]).collect::<Vec<_>>(), [1.0, 0.0, 0.0, 1.0]);
        assert!(matches!(tree.nodes[0], ForestNode::Inner { threshold: 3.5, .. }));
        // At least two points per leaf: the middle cut is the only one.
        let mut grower =
            ForestGrower::new(&split, &columns, Criterion::Entropy, NodeLimits { split: 2, leaf: 2 });
        let tree = grower.grow(&[1, 1, 1, 3], &mut random);
        assert!(matches!(tree.nodes[0], ForestNode::Inner { threshold: 1.5, .. }));
        assert_eq!(tree.leaf(&columns, 3), [0.75, 0.25]);
        // A split needs five points, so the node is a leaf.
        let mut grower =
            ForestGrower::new(&split, &columns, Criterion::Gini, NodeLimits { split: 5, leaf: 1 });
        assert_eq!(grower.grow(&[1, 1, 1, 3], &mut random).leaf(&columns, 0), [4.0 / 6.0, 2.0 / 6.0]);
    }

    const FULL: NodeLimits = NodeLimits { split: 2, leaf: 1 };

    /// The nodes of a tree on rows with these weights: feature and threshold, or `None` for a leaf.
    fn nodes(
        values: &[f64],
        classes: &[u32],
        weights: &[u32],
        limits: NodeLimits,
        seed: u64,
    ) -> Vec<Option<(u32, f32)>> {
        let points = Matrix::new(values, values.len() / classes.len()).unwrap();
        let data = Data::new(&points, classes).unwrap();
        let split = Split::new(data, (0..classes.len()).collect(), vec![]);
        let columns = Columns::new(data);
        let mut grower = ForestGrower::new(&split, &columns, Criterion::Gini, limits);
        let tree = grower.grow(weights, &mut ChaCha8Rng::seed_from_u64(seed));
        let node = |node: &ForestNode| match node {
            ForestNode::Inner { feature, threshold, .. } => Some((*feature, *threshold)),
            ForestNode::Leaf { .. } => None,
        };
        tree.nodes.iter().map(node).collect()
    }

    #[test]
    fn pure_nodes_are_leaves_and_the_first_of_equal_cuts_is_taken() {
        let found = nodes(&[0.0, 1.0, 2.0, 3.0], &[0, 0, 1, 1], &[1; 4], FULL, 0);
        assert_eq!(found, [Some((0, 1.5)), None, None]);
        // Cuts on the left and on the right of the middle point are equally good.
        let found = nodes(&[0.0, 1.0, 2.0], &[0, 1, 0], &[1; 3], FULL, 0);
        assert_eq!(found, [Some((0, 0.5)), None, Some((0, 1.5)), None, None]);
    }

    #[test]
    fn nodes_with_just_enough_points_are_split() {
        let (values, classes) = ([0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1]);
        for (split, inner) in [(4, true), (5, false)] {
            let found = nodes(&values, &classes, &[1; 4], NodeLimits { split, leaf: 1 }, 0);
            assert_eq!(found[0].is_some(), inner, "{split}");
        }
        for (leaf, inner) in [(1, true), (2, false)] {
            let found = nodes(&values[1..3], &classes[1..3], &[1; 2], NodeLimits { split: 2, leaf }, 0);
            assert_eq!(found[0].is_some(), inner, "{leaf}");
        }
    }

    #[test]
    fn equal_values_are_not_cut() {
        // The purest cut would lie between values that count as equal, among the first four.
        let found = nodes(&[0.25, 0.25, 0.25, 0.25, 1.0], &[0, 0, 1, 1, 1], &[1; 5], FULL, 0);
        assert_eq!(found, [Some((0, 0.625)), None, None]);
    }

    #[test]
    fn points_that_were_not_drawn_do_not_count() {
        let found = nodes(&[0.0, 1.0, 2.0, 5.0], &[0, 0, 0, 1], &[1, 2, 0, 1], FULL, 0);
        assert_eq!(found, [Some((0, 3.0)), None, None]);
    }

    #[test]
    fn looking_goes_on_until_a_feature_varies() {
        // Only the third of four features varies, while two are examined; the first one varies by too little to count.
        let values = [0.25 + 6e-8, 0.25, 1.0, 0.5, 0.25, 0.25, 2.0, 0.5];
        for seed in 0..20 {
            assert_eq!(nodes(&values, &[0, 1], &[1; 2], FULL, seed), [Some((2, 1.5)), None, None], "{seed}");
        }
    }

    #[test]
    fn two_of_four_features_are_looked_at() {
        // The first feature separates the classes and the others do not, so it is the root if it is among the two
        // examined.
        let columns = [[0, 1, 2, 3, 4, 5], [0, 3, 1, 4, 2, 5], [3, 0, 1, 2, 5, 4], [0, 4, 5, 1, 2, 3]];
        let values: Vec<f64> = (0..24).map(|at| f64::from(columns[at % 4][at / 4])).collect();
        let is_first = |&seed: &u64| {
            let root = nodes(&values, &[0, 0, 0, 1, 1, 1], &[1; 6], FULL, seed)[0];
            root.is_some_and(|(feature, _)| feature == 0)
        };
        let often = (0..400).filter(is_first).count();
        // Half of the times, within four standard deviations of 10.
        assert!((160..=240).contains(&often), "{often}");
    }
}
