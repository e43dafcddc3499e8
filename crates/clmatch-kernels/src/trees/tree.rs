//! Spanning trees, stored as an order of the points.

/// An edge between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TreeEdge {
    pub(crate) length: f64,
    pub(crate) ends: [u32; 2],
}

/// What a minimum spanning tree of some points says about its cuts: the points in an order in which every cluster of
/// every cut is a run, and the lengths at which neighbours in that order are joined.
///
/// The longest edge on the path of the tree between two points, the *minimax*, is the longest gap between their places
/// in the order; so the path through the points in this order is as good as the tree itself. All minimum spanning trees of
/// the same points have the same minimax, whichever of equally long edges they have. Lengths are squared.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    order: Vec<u32>,
    gaps: Vec<f64>,
    ascending: Vec<u32>,
}

impl Tree {
    /// The points; every cluster of every cut is a run of them. Of two clusters that a gap joins, the first one is at least
    /// as large as the second.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The squared length at which the points at places k and k + 1 of the order are joined into one cluster.
    #[must_use]
    pub fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// The places of the gaps, from the shortest to the longest.
    #[must_use]
    pub fn ascending(&self) -> &[u32] {
        &self.ascending
    }

    /// How many points there are.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.order.len()
    }

    /// Edges between neighbours in the order, shortest first; places are counted from `first`.
    pub(crate) fn path(&self, first: u32) -> impl Iterator<Item = TreeEdge> {
        self.ascending
            .iter()
            .map(move |&at| TreeEdge { length: self.gaps[at as usize], ends: [first + at, first + at + 1] })
    }

    /// Like [`Tree::path`], but edges name the points instead of their places.
    pub(crate) fn edges(&self) -> impl Iterator<Item = TreeEdge> {
        self.path(0).map(|TreeEdge { length, ends }| TreeEdge {
            length,
            ends: ends.map(|at| self.order[at as usize]),
        })
    }

    /// The tree with other names for the points.
    #[must_use]
    pub(crate) fn renamed(mut self, name: impl Fn(u32) -> u32) -> Tree {
        self.order.iter_mut().for_each(|point| *point = name(*point));
        self
    }

    /// The tree of the points 0 .. n with the shortest of the edges, by Kruskal's algorithm.
    ///
    /// # Panics
    /// If the edges do not connect all points.
    pub(crate) fn of_edges(n: usize, edges: &mut [TreeEdge]) -> Tree {
        // Runs that are already sorted are merged.
        edges.sort_by(|a, b| a.length.total_cmp(&b.length));
        let mut lists = Lists::new(n);
        for edge in edges.iter() {
            lists.join(edge);
        }
        lists.finish()
    }
}

/// Clusters as linked lists, and as trees of a union-find.
struct Lists {
    parents: Vec<u32>,
    sizes: Vec<u32>,
    /// For roots: the ends of the list.
    ends: Vec<[u32; 2]>,
    /// The point that follows in the list, and the length at which it was joined.
    next: Vec<(u32, f64)>,
    /// Points with a successor, in the order of the joins.
    joined: Vec<u32>,
}

impl Lists {
    fn new(n: usize) -> Lists {
        let points = 0..n as u32;
        Lists {
            parents: points.clone().collect(),
            sizes: vec![1; n],
            ends: points.map(|point| [point; 2]).collect(),
            next: vec![(u32::MAX, 0.0); n],
            joined: Vec::with_capacity(n.saturating_sub(1)),
        }
    }

    fn root(&mut self, mut point: u32) -> u32 {
        while self.parents[point as usize] != point {
            let above = self.parents[self.parents[point as usize] as usize];
            self.parents[point as usize] = above;
            point = above;
        }
        point
    }

    /// Joins the clusters of the ends of an edge, if they are different. The larger one comes first, so that points that are
    /// joined late come last, and not between those that are close to each other.
    fn join(&mut self, edge: &TreeEdge) {
        let [a, b] = edge.ends.map(|end| self.root(end));
        if a == b {
            return;
        }
        let (large, small) = if self.sizes[a as usize] >= self.sizes[b as usize] { (a, b) } else { (b, a) };
        let ([head, tail], [first, last]) = (self.ends[large as usize], self.ends[small as usize]);
        self.next[tail as usize] = (first, edge.length);
        self.joined.push(tail);
        self.ends[large as usize] = [head, last];
        self.sizes[large as usize] += self.sizes[small as usize];
        self.parents[small as usize] = large;
    }

    fn finish(mut self) -> Tree {
        let n = self.parents.len();
        assert_eq!(self.joined.len() + 1, n, "the edges connect all points");
        let root = self.root(0);
        let [mut point, _] = self.ends[root as usize];
        let mut order = Vec::with_capacity(n);
        let mut gaps = Vec::with_capacity(n - 1);
        let mut places = vec![0; n];
        loop {
            places[point as usize] = order.len() as u32;
            order.push(point);
            let (next, length) = self.next[point as usize];
            if next == u32::MAX {
                break;
            }
            gaps.push(length);
            point = next;
        }
        let ascending = self.joined.iter().map(|&tail| places[tail as usize]).collect();
        Tree { order, gaps, ascending }
    }
}

/// Finds the minimax of any two points of a tree in constant time.
///
/// Time: O(n log n) to build. Memory: O(n log n).
pub(crate) struct Minimax {
    places: Vec<u32>,
    /// `levels[k][i]` is the longest of the `2^k` gaps from i on.
    levels: Vec<Vec<f64>>,
}

impl Minimax {
    /// Prepares a tree of the points 0 .. n.
    pub(crate) fn of(tree: &Tree) -> Minimax {
        let mut places = vec![0; tree.order.len()];
        for (place, &point) in tree.order.iter().enumerate() {
            places[point as usize] = place as u32;
        }
        let mut levels = vec![tree.gaps.clone()];
        let mut span = 1;
        while 2 * span <= tree.gaps.len() {
            let last = &levels[levels.len() - 1];
            let longer = |(a, b): (&f64, &f64)| if a > b { *a } else { *b };
            levels.push(last.iter().zip(&last[span..]).map(longer).collect());
            span *= 2;
        }
        Minimax { places, levels }
    }

    /// The longest edge between two points; 0 if they are the same.
    #[inline]
    pub(crate) fn between(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.places[a as usize] as usize, self.places[b as usize] as usize);
        let (from, to) = if a < b { (a, b) } else { (b, a) };
        if from == to {
            return 0.0;
        }
        let level = (to - from).ilog2();
        let gaps = &self.levels[level as usize];
        let (first, last) = (gaps[from], gaps[to - (1 << level)]);
        if first > last { first } else { last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_by_hand() {
        // 0 -1- 1, 2 -2- 3, 1 -5- 2, and 0 -7- 3, which closes a circle.
        let edge = |length, ends| TreeEdge { length, ends };
        let mut edges = [edge(7.0, [0, 3]), edge(2.0, [2, 3]), edge(5.0, [1, 2]), edge(1.0, [0, 1])];
        let tree = Tree::of_edges(4, &mut edges);
        assert_eq!(tree.order(), [0, 1, 2, 3]);
        assert_eq!(tree.gaps(), [1.0, 5.0, 2.0]);
        assert_eq!(tree.ascending(), [0, 2, 1]);
        let minimax = Minimax::of(&tree);
        assert_eq!(minimax.between(0, 1), 1.0);
        assert_eq!(minimax.between(3, 2), 2.0);
        assert_eq!(minimax.between(3, 0), 5.0);
        assert_eq!(minimax.between(2, 2), 0.0);
    }

    #[test]
    fn the_longest_of_any_gaps() {
        for n in [2_usize, 3, 9, 64, 100] {
            let gaps: Vec<f64> = (0..n - 1).map(|at| (at * at * 37 % 101) as f64).collect();
            let mut edges: Vec<TreeEdge> = gaps
                .iter()
                .enumerate()
                .map(|(at, &length)| TreeEdge { length, ends: [at as u32, at as u32 + 1] })
                .collect();
            let minimax = Minimax::of(&Tree::of_edges(n, &mut edges));
            for a in 0..n {
                for b in a + 1..n {
                    let longest = gaps[a..b].iter().copied().fold(0.0, f64::max);
                    assert_eq!(minimax.between(a as u32, b as u32), longest, "{n}: {a}, {b}");
                    assert_eq!(minimax.between(b as u32, a as u32), longest, "{n}: {b}, {a}");
                }
            }
        }
    }
}
