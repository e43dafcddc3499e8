//! One regression tree on derivatives, with exact splits.
//!
//! ```text
//! gain(L, R) = G_L^2 / (H_L + 1) + G_R^2 / (H_R + 1) - G^2 / (H + 1)        value = -G / (H + 1)
//! ```
//! where G and H sum the first and second derivatives of a node, and 1 is the weight of the l2 penalty.

use super::loss::Gradient;
use crate::columns::{Columns, Entry};

/// The weight of the l2 penalty on leaf values.
const LAMBDA: f64 = 1.0;
/// Splits that gain no more are none.
const LEAST_GAIN: f64 = 1e-6;

/// When nodes are split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) max_depth: usize,
    pub(super) learning_rate: f64,
    pub(super) gamma: f64,
    pub(super) min_child_weight: f64,
}

/// Sums of derivatives.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    first: f64,
    second: f64,
}

impl Sums {
    fn of(gradient: Gradient) -> Sums {
        Sums { first: f64::from(gradient.first), second: f64::from(gradient.second) }
    }

    fn add(&mut self, other: Sums) {
        self.first += other.first;
        self.second += other.second;
    }

    fn without(self, other: Sums) -> Sums {
        Sums { first: self.first - other.first, second: self.second - other.second }
    }

    fn score(self) -> f64 {
        self.first * self.first / (self.second + LAMBDA)
    }
}

pub(super) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The left child, the right one follows; 0 in a leaf.
    left: u32,
    feature: u32,
    threshold: f32,
    /// Of a leaf, or what the node would have as one.
    value: f32,
    gain: f64,
}

impl Tree {
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
    /// Among those that the tree sees.
    feature: usize,
    threshold: f32,
    gain: f64,
    left: Sums,
    left_rows: usize,
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
pub(super) struct Grower {
    rules: Rules,
    /// The drawn rows in the order of each chosen feature. A node is the same range in all of them.
    entries: Vec<Entry>,
    /// How many rows are drawn.
    rows: usize,
    /// The derivatives of each row in double precision: they are added up once per feature, and converted once.
    derivatives: Vec<Sums>,
    goes_left: Vec<bool>,
    aside: Vec<Entry>,
}

impl Grower {
    pub(super) fn new(rules: Rules, points: usize) -> Grower {
        let aside = vec![Entry { value: 0.0, place: 0 }; points];
        let goes_left = vec![false; points];
        Grower { rules, entries: Vec::new(), rows: 0, derivatives: Vec::new(), goes_left, aside }
    }

    /// A tree on derivatives, which are zero for rows that are not drawn. `gather` lays out the drawn rows in the order of
    /// each feature; it is not asked to where the root cannot be split, as in most late trees of many classes.
    pub(super) fn grow(
        &mut self,
        features: &[u32],
        gradients: &[Gradient],
        rows: usize,
        gather: impl FnOnce(&mut Vec<Entry>),
    ) -> Tree {
        self.rows = rows;
        let mut sums = Sums::default();
        self.derivatives.clear();
        self.derivatives.extend(gradients.iter().copied().map(Sums::of));
        self.derivatives.iter().for_each(|&derivatives| sums.add(derivatives));
        let mut tree = Tree { nodes: vec![self.leaf(sums)] };
        let root = Open { node: 0, depth: 0, start: 0, end: rows, sums };
        if !self.divisible(&root) {
            return tree;
        }
        gather(&mut self.entries);
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if !self.divisible(&node) {
                continue;
            }
            let Some(cut) = self.best_cut(&node, features.len()) else { continue };
            let left = tree.nodes.len();
            let right_sums = node.sums.without(cut.left);
            tree.nodes.extend([self.leaf(cut.left), self.leaf(right_sums)]);
            let parent = &mut tree.nodes[node.node];
            parent.left = left as u32;
            parent.feature = features[cut.feature];
            (parent.threshold, parent.gain) = (cut.threshold, cut.gain);
            let (depth, middle) = (node.depth + 1, node.start + cut.left_rows);
            let children = [
                Open { node: left + 1, depth, start: middle, end: node.end, sums: right_sums },
                Open { node: left, depth, start: node.start, end: middle, sums: cut.left },
            ];
            if children.iter().any(|child| self.divisible(child)) {
                self.part(&node, &cut, features.len());
            }
            open.extend(children);
        }
        self.prune(&mut tree, 0);
        tree
    }

    fn leaf(&self, sums: Sums) -> Node {
        let light = sums.second < self.rules.min_child_weight || sums.second <= 0.0;
        let value = if light { 0.0 } else { -sums.first / (sums.second + LAMBDA) * self.rules.learning_rate };
        Node { left: 0, feature: 0, threshold: 0.0, value: value as f32, gain: 0.0 }
    }

    /// Whether a split could leave both children enough.
    fn divisible(&self, node: &Open) -> bool {
        let heavy = node.sums.second >= 2.0 * self.rules.min_child_weight;
        node.depth < self.rules.max_depth && node.end - node.start > 1 && heavy
    }

    /// The cut with the greatest gain. In the first round all points of a class have the same derivatives, and equal
    /// gains abound: as in XGBoost gains are compared in single precision, the first feature wins, and within it the
    /// highest threshold. Time: O(n d).
    fn best_cut(&self, node: &Open, features: usize) -> Option<Cut> {
        let parent = node.sums.score();
        let mut best: Option<Cut> = None;
        let mut best_score = parent + LEAST_GAIN;
        for feature in 0..features {
            let entries = &self.entries[feature * self.rows..][node.start..node.end];
            let lowest = entries[0].value;
            let mut right = Sums::default();
            for (left_rows, pair) in (1..entries.len()).zip(entries.windows(2)).rev() {
                // No cut is left among equal values: where most values are 0 this is soon.
                if pair[1].value == lowest {
                    break;
                }
                right.add(self.derivatives[pair[1].place as usize]);
                if pair[0].value == pair[1].value || right.second < self.rules.min_child_weight {
                    continue;
                }
                let left = node.sums.without(right);
                if left.second < self.rules.min_child_weight {
                    break;
                }
                // Both terms over one denominator, compared without a division.
                let (a, b) = (left.second + LAMBDA, right.second + LAMBDA);
                let sum = left.first * left.first * b + right.first * right.first * a;
                if sum <= best_score * (a * b) {
                    continue;
                }
                let score = left.score() + right.score();
                let gain = f64::from(score as f32 - parent as f32);
                if best.is_none_or(|best| gain > best.gain) {
                    best_score = score;
                    let middle = f32::midpoint(pair[0].value, pair[1].value);
                    // Rounding must not move the lower value to the right.
                    let threshold = if middle <= pair[0].value { pair[1].value } else { middle };
                    best = Some(Cut { feature, threshold, gain, left, left_rows });
                }
            }
        }
        best
    }

    /// Moves the rows of the left child to the front, in every feature's order. Time: O(n d).
    fn part(&mut self, node: &Open, cut: &Cut, features: usize) {
        let split = &self.entries[cut.feature * self.rows..][node.start..node.end];
        for (at, entry) in split.iter().enumerate() {
            self.goes_left[entry.place as usize] = at < cut.left_rows;
        }
        for feature in 0..features {
            let entries = &mut self.entries[feature * self.rows..][node.start..node.end];
            // Written to both sides, because a branch could not be foretold; only one of them moves on.
            let (mut left, mut right) = (0, 0);
            for at in 0..entries.len() {
                let entry = entries[at];
                let goes_left = usize::from(self.goes_left[entry.place as usize]);
                entries[left] = entry;
                self.aside[right] = entry;
                left += goes_left;
                right += 1 - goes_left;
            }
            entries[left..].copy_from_slice(&self.aside[..right]);
        }
    }

    /// Takes back splits between leaves that gain less than gamma, from below; whether the node is a leaf now.
    fn prune(&self, tree: &mut Tree, at: usize) -> bool {
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
    use crate::data::Data;
    use crate::split::Split;
    use clmatch::Matrix;

    fn grow(rules: Rules) -> Vec<f32> {
        let points = Matrix::new(&[0.0, 1.0, 2.0, 3.0], 1).unwrap();
        let data = Data::new(&points, &[0, 0, 1, 0]).unwrap();
        let split = Split::new(data, vec![0, 1, 2, 3], vec![]);
        let columns = Columns::new(data);
        let gradient = |first| Gradient { first, second: 1.0 };
        let gradients = [1.0, 1.0, -2.0, 1.0].map(gradient);
        let mut grower = Grower::new(rules, 4);
        let tree = grower.grow(&[0], &gradients, 4, |entries| *entries = columns.sorted(&split));
        (0..4).map(|row| tree.value(&columns, row)).collect()
    }

    #[test]
    fn a_tree_by_hand() {
        // Root: G = 1, H = 4, score 1/5. Cuts: after 0: 1/2 + 0/4; after 1: 4/3 + 1/3; after 2: 0/4 + 1/2.
        // Right of the best (G = -1, H = 2): cut into -2 and 1: 4/2 + 1/2 - 1/3.
        let rules = Rules { max_depth: 6, learning_rate: 1.0, gamma: 0.0, min_child_weight: 1.0 };
        assert_eq!(grow(rules), [-2.0 / 3.0, -2.0 / 3.0, 1.0, -0.5]);
        assert_eq!(grow(Rules { max_depth: 1, ..rules }), [-2.0 / 3.0, -2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
        assert_eq!(grow(Rules { min_child_weight: 2.0, ..rules })[2..], [1.0 / 3.0, 1.0 / 3.0]);
        // The lower split gains 2.17, the upper one 1.47: gamma 2 keeps both, since only leaves are pruned.
        assert_eq!(grow(Rules { gamma: 2.0, ..rules }), [-2.0 / 3.0, -2.0 / 3.0, 1.0, -0.5]);
        assert_eq!(grow(Rules { gamma: 3.0, ..rules }), [-0.2; 4]);
        assert_eq!(grow(Rules { learning_rate: 0.5, max_depth: 0, ..rules }), [-0.1; 4]);
    }
}
