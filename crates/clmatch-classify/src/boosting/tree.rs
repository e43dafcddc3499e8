//! One regression tree on derivatives, with exact splits.
//!
//! ```text
//! gain(L, R) = G_L^2 / (H_L + 1) + G_R^2 / (H_R + 1) - G^2 / (H + 1)        value = -G / (H + 1)
//! ```
//! where G and H are the sums of the first and second derivatives of a node, and 1 is the weight of the l2 penalty.

use super::entry::{RankedEntry, Sorted};
use super::loss::Gradient;
use super::orders::Orders;
use super::scan::Scan;
use crate::columns::Columns;

/// The weight of the l2 penalty on leaf values.
pub(super) const LAMBDA: f64 = 1.0;
/// Splits that gain no more than this are not made.
const LEAST_GAIN: f64 = 1e-6;

/// When to split nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) max_depth: usize,
    pub(super) learning_rate: f64,
    pub(super) gamma: f64,
    pub(super) min_child_weight: f64,
}

/// Sums of derivatives.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) first: f64,
    pub(super) second: f64,
}

impl Sums {
    fn of(gradients: &[Gradient]) -> Sums {
        let first = gradients.iter().map(|gradient| f64::from(gradient.first)).sum();
        Sums { first, second: gradients.iter().map(|gradient| f64::from(gradient.second)).sum() }
    }

    fn without(self, other: Sums) -> Sums {
        Sums { first: self.first - other.first, second: self.second - other.second }
    }

    fn score(self) -> f64 {
        self.first * self.first / (self.second + LAMBDA)
    }
}

pub(super) struct BoostedTree {
    nodes: Vec<BoostedNode>,
}

#[derive(Debug, Clone, Copy)]
struct BoostedNode {
    /// The index of the left child, which the right child follows; 0 in a leaf.
    left: u32,
    feature: u32,
    threshold: f32,
    /// The value of a leaf, or the value that the node would have as a leaf.
    value: f32,
    gain: f64,
}

impl BoostedTree {
    /// The value of the leaf that a row of the dataset falls into.
    pub(super) fn value(&self, columns: &Columns, row: usize) -> f32 {
        let mut node = self.nodes[0];
        while node.left != 0 {
            let right = columns.column(node.feature as usize)[row] >= node.threshold;
            node = self.nodes[node.left as usize + usize::from(right)];
        }
        node.value
    }
}

#[derive(Debug, Clone, Copy)]
struct Cut {
    /// The index among the features that the tree sees.
    feature: usize,
    /// The number of rows of the left child.
    left_rows: usize,
    left: Sums,
    score: f64,
    gain: f32,
}

impl Cut {
    fn beats(&self, other: &Cut) -> bool {
        self.gain > other.gain || self.gain == other.gain && self.feature < other.feature
    }
}

/// A cut with a score below this cannot be the best. Gains within single precision of each other are equal, and the order
/// of the features decides between them.
fn bar(best: Option<&Cut>, floor: f64) -> f64 {
    best.map_or(floor, |cut| cut.score) * (1.0 - 4.0 * f64::from(f32::EPSILON))
}

/// Halfway between the values on both sides of a cut.
fn threshold([below, above]: [f32; 2]) -> f32 {
    let middle = f32::midpoint(below, above);
    // Rounding must not move the lower value to the right side.
    if middle <= below { above } else { middle }
}

/// A node that may be split.
struct Open {
    node: usize,
    depth: usize,
    start: usize,
    end: usize,
    sums: Sums,
}

/// Grows one tree after the other in the same memory.
pub(super) struct Grower<E> {
    rules: Rules,
    orders: Orders<E>,
}

impl<E: RankedEntry> Grower<E> {
    pub(super) fn new(rules: Rules, points: usize) -> Grower<E> {
        Grower { rules, orders: Orders::new(points) }
    }

    /// Grows a tree on derivatives, which are zero for rows that are not drawn. The features are listed and the drawn
    /// rows gathered only if the root can be split, which fails for most late trees of many classes.
    pub(super) fn grow(
        &mut self,
        sorted: &Sorted<E>,
        features: impl FnOnce() -> Vec<u32>,
        drawn: &[bool],
        gradients: &[Gradient],
    ) -> BoostedTree {
        let sums = Sums::of(gradients);
        let mut tree = BoostedTree { nodes: vec![self.leaf(sums)] };
        let rows = drawn.iter().filter(|&&drawn| drawn).count();
        let root = Open { node: 0, depth: 0, start: 0, end: rows, sums };
        if !self.divisible(&root) {
            return tree;
        }
        let features = features();
        self.orders.gather(sorted, &features, drawn);
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if !self.divisible(&node) {
                continue;
            }
            let Some(cut) = self.best_cut(&node, gradients) else { continue };
            let left = tree.nodes.len();
            let right_sums = node.sums.without(cut.left);
            tree.nodes.extend([self.leaf(cut.left), self.leaf(right_sums)]);
            let parent = &mut tree.nodes[node.node];
            parent.left = left as u32;
            parent.feature = features[cut.feature];
            let sides = self.orders.around(cut.feature, node.start..node.end, cut.left_rows);
            parent.threshold = threshold(sides.map(|entry| sorted.value(parent.feature, entry)));
            parent.gain = f64::from(cut.gain);
            let (depth, middle) = (node.depth + 1, node.start + cut.left_rows);
            let children = [
                Open { node: left + 1, depth, start: middle, end: node.end, sums: right_sums },
                Open { node: left, depth, start: node.start, end: middle, sums: cut.left },
            ];
            if children.iter().any(|child| self.divisible(child)) {
                self.orders.part(node.start..node.end, cut.feature, cut.left_rows);
            }
            open.extend(children);
        }
        self.prune(&mut tree, 0);
        tree
    }

    fn leaf(&self, sums: Sums) -> BoostedNode {
        let light = sums.second < self.rules.min_child_weight || sums.second <= 0.0;
        let value = if light { 0.0 } else { -sums.first / (sums.second + LAMBDA) * self.rules.learning_rate };
        BoostedNode { left: 0, feature: 0, threshold: 0.0, value: value as f32, gain: 0.0 }
    }

    /// Whether a split could leave enough to both children.
    fn divisible(&self, node: &Open) -> bool {
        let heavy = node.sums.second >= 2.0 * self.rules.min_child_weight;
        node.depth < self.rules.max_depth && node.end - node.start > 1 && heavy
    }

    /// The cut with the greatest gain. In the first round, all points of a class have the same derivatives, so that many
    /// gains are equal. As in XGBoost, gains are compared in single precision, the first feature wins, and within a
    /// feature the highest threshold. Time: O(n d).
    fn best_cut(&self, node: &Open, gradients: &[Gradient]) -> Option<Cut> {
        let parent = node.sums.score();
        let floor = parent + LEAST_GAIN;
        let mut best: Option<Cut> = None;
        let scan = Scan {
            orders: &self.orders,
            node: node.start..node.end,
            gradients,
            total: node.sums,
            min_child_weight: self.rules.min_child_weight,
            bar: bar(None, floor),
        };
        scan.each(|feature, left_rows, right| {
            let left = node.sums.without(right);
            let score = left.score() + right.score();
            let cut = Cut { feature, left_rows, left, score, gain: score as f32 - parent as f32 };
            let heavy = left.second >= self.rules.min_child_weight;
            if heavy && score > floor && best.is_none_or(|best| cut.beats(&best)) {
                best = Some(cut);
            }
            bar(best.as_ref(), floor)
        });
        best
    }

    /// Removes splits between leaves that gain less than gamma, from the bottom up. Returns whether the node is a leaf
    /// now.
    fn prune(&self, tree: &mut BoostedTree, at: usize) -> bool {
        let left = tree.nodes[at].left as usize;
        if left == 0 {
            return true;
        }
        let leaves = [self.prune(tree, left), self.prune(tree, left + 1)];
        if leaves == [true, true] && tree.nodes[at].gain < self.rules.gamma {
            tree.nodes[at].left = 0;
        }
        tree.nodes[at].left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boosting::entry::sorted_for_tests;
    use crate::data::Data;
    use crate::split::Split;
    use clmatch::Matrix;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn grow(rules: Rules) -> Vec<f32> {
        let points = Matrix::new(&[0.0, 1.0, 2.0, 3.0], 1).unwrap();
        let data = Data::new(&points, &[0, 0, 1, 0]).unwrap();
        let split = Split::new(data, vec![0, 1, 2, 3], vec![]);
        let columns = Columns::new(data);
        let gradient = |first| Gradient { first, second: 1.0 };
        let gradients = [1.0, 1.0, -2.0, 1.0].map(gradient);
        let mut grower = Grower::<u32>::new(rules, 4);
        let tree = grower.grow(&Sorted::new(&columns, &split), || vec![0], &[true; 4], &gradients);
        (0..4).map(|row| tree.value(&columns, row)).collect()
    }

    #[test]
    fn a_tree_by_hand() {
        // Root: G = 1, H = 4, score 1/5. Cuts: after 0: 1/2 + 0/4; after 1: 4/3 + 1/3; after 2: 0/4 + 1/2. Right of the
        // best cut (G = -1, H = 2), the cut into -2 and 1: 4/2 + 1/2 - 1/3.
        let rules = Rules { max_depth: 6, learning_rate: 1.0, gamma: 0.0, min_child_weight: 1.0 };
        assert_eq!(grow(rules), [-2.0 / 3.0, -2.0 / 3.0, 1.0, -0.5]);
        assert_eq!(grow(Rules { max_depth: 1, ..rules }), [-2.0 / 3.0, -2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
        assert_eq!(grow(Rules { min_child_weight: 2.0, ..rules })[2..], [1.0 / 3.0, 1.0 / 3.0]);
        // The lower split gains 2.17, the upper one 1.47: gamma 2 keeps both, since only leaves are pruned.
        assert_eq!(grow(Rules { gamma: 2.0, ..rules }), [-2.0 / 3.0, -2.0 / 3.0, 1.0, -0.5]);
        assert_eq!(grow(Rules { gamma: 3.0, ..rules }), [-0.2; 4]);
        assert_eq!(grow(Rules { learning_rate: 0.5, max_depth: 0, ..rules }), [-0.1; 4]);
    }

    /// Tries every cut by itself, feature after feature, the highest threshold first; returns the feature, the rows on
    /// the left and the gain.
    fn slow_cut(rules: Rules, gradients: &[Gradient], columns: &[Order]) -> Option<(usize, usize, f32)> {
        let sums = |order: &[(f32, u32)]| {
            let order = order.iter().rev().map(|&(_, place)| gradients[place as usize]);
            Sums::of(&order.collect::<Vec<_>>())
        };
        let mut best: Option<(usize, usize, f32)> = None;
        for (feature, order) in columns.iter().enumerate() {
            let total = sums(order);
            for cut in (1..order.len()).rev() {
                let right = sums(&order[cut..]);
                let left = total.without(right);
                let light = left.second.min(right.second) < rules.min_child_weight;
                let score = left.score() + right.score();
                let gain = score as f32 - total.score() as f32;
                if order[cut - 1].0 < order[cut].0
                    && !light
                    && score > total.score() + LEAST_GAIN
                    && best.is_none_or(|best| gain > best.2)
                {
                    best = Some((feature, cut, gain));
                }
            }
        }
        best
    }

    /// Values in ascending order, with their places.
    type Order = Vec<(f32, u32)>;

    /// What a tree was grown from.
    struct Case<'a> {
        rules: Rules,
        gradients: &'a [Gradient],
        tree: &'a BoostedTree,
    }

    impl Case<'_> {
        /// Checks a node on the rows of these columns, and all nodes below it, against the slow search; returns the
        /// features that were cut.
        fn check(&self, at: usize, columns: &[Order], depth: usize) -> Vec<usize> {
            let node = self.tree.nodes[at];
            let slow = slow_cut(self.rules, self.gradients, columns).filter(|_| depth < self.rules.max_depth);
            assert_eq!(node.left != 0, slow.is_some());
            let Some((feature, cut, gain)) = slow else { return vec![] };
            let threshold = f32::midpoint(columns[feature][cut - 1].0, columns[feature][cut].0);
            assert_eq!(
                (node.feature as usize, node.threshold, node.gain),
                (feature, threshold, f64::from(gain))
            );
            let left: Vec<u32> = columns[feature][..cut].iter().map(|entry| entry.1).collect();
            let mut cuts = vec![feature];
            for (child, is_left) in [(node.left, true), (node.left + 1, false)] {
                let own = |entry: &&(f32, u32)| left.contains(&entry.1) == is_left;
                let part: Vec<Order> =
                    columns.iter().map(|column| column.iter().filter(own).copied().collect()).collect();
                cuts.extend(self.check(child as usize, &part, depth + 1));
            }
            cuts
        }
    }

    fn random_trees_are_right<E: RankedEntry>() {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut cuts = Vec::new();
        for case in 0..300 {
            // Mostly few rows, and sometimes more than are interleaved at a time.
            let most = if case % 10 == 0 { 200 } else { 40 };
            let (points, features) = (random.random_range(2..most), random.random_range(1..20));
            // Few distinct values and derivatives, so that many values and many gains are equal.
            let kinds = [2, 3, 10][case % 3];
            let mut gradient = || Gradient {
                first: [0.5, -0.5, 0.25][random.random_range(0..3)],
                second: [0.25, 0.125, 0.5][random.random_range(0..3)],
            };
            let mut gradients: Vec<Gradient> = (0..points).map(|_| gradient()).collect();
            let drawn: Vec<bool> = (0..points).map(|at| case % 2 == 0 || at < 2 || random.random()).collect();
            gradients
                .iter_mut()
                .zip(&drawn)
                .filter(|(_, drawn)| !**drawn)
                .for_each(|(gradient, _)| *gradient = Gradient::default());
            let mut columns = vec![];
            for _ in 0..features {
                let entry = |place| (random.random_range(0..kinds) as f32, place);
                let mut column: Order = (0..points as u32).map(entry).collect();
                column.sort_by(|a, b| a.0.total_cmp(&b.0));
                columns.push(column);
            }
            // One feature occurs twice: the first copy must be taken.
            columns.extend_from_within(..1);
            let min_child_weight = [0.0, 0.5, 1.0, 2.0][case % 4];
            let rules = Rules { max_depth: 4, learning_rate: 1.0, gamma: 0.0, min_child_weight };
            let mut grower = Grower::<E>::new(rules, points);
            let chosen = (0..columns.len() as u32).collect();
            let sorted = sorted_for_tests(&columns);
            let tree = grower.grow(&sorted, || chosen, &drawn, &gradients);
            columns.iter_mut().for_each(|column| column.retain(|&(_, place)| drawn[place as usize]));
            cuts.push(Case { rules, gradients: &gradients, tree: &tree }.check(0, &columns, 0));
        }
        // Trees of all kinds: without cuts, deep ones, and some that cut the feature that occurs twice.
        assert!(cuts.iter().any(Vec::is_empty) && cuts.iter().any(|cuts| cuts.len() > 8));
        assert!(cuts.iter().flatten().filter(|&&feature| feature == 0).count() > 20);
    }

    #[test]
    fn the_best_of_all_cuts_is_found_and_the_first_of_equals_taken() {
        random_trees_are_right::<u32>();
        random_trees_are_right::<u64>();
    }
}
