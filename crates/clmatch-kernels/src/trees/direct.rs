//! Trees of a few points, by Prim's algorithm on all their distances.

use crate::simd::cross::{PackedSide, squares_by_differences};
use crate::simd::tree::relax;

use crate::trees::points::Points;
use crate::trees::tree::{Tree, TreeEdge};

/// The tree of some points.
pub(crate) fn tree(points: Points<'_>, members: &[u32]) -> Tree {
    let n = members.len();
    let mut lengths = vec![0.0; n * n];
    for (i, &a) in members.iter().enumerate() {
        for (j, &b) in members.iter().enumerate().skip(i + 1) {
            let length = points.length(a, b);
            lengths[i * n + j] = length;
            lengths[j * n + i] = length;
        }
    }
    prim(n, &lengths).renamed(|place| members[place as usize])
}

/// The tree of two sets whose trees are known.
pub(crate) fn merged(points: Points<'_>, a: &Tree, b: &Tree) -> Tree {
    let members: Vec<u32> = a.order().iter().chain(b.order()).copied().collect();
    let (n, first) = (members.len(), a.n_points());
    let mut lengths = vec![f64::INFINITY; n * n];
    for TreeEdge { length, ends: [i, j] } in a.path(0).chain(b.path(first as u32)) {
        lengths[i as usize * n + j as usize] = length;
        lengths[j as usize * n + i as usize] = length;
    }
    let zeros = vec![0.0; points.features()];
    let rows = PackedSide::rows(a.order().iter().map(|&point| points.row(point)), &zeros);
    let columns = PackedSide::columns(b.order().iter().map(|&point| points.row(point)), &zeros);
    let mut squares = vec![0.0; rows.padded() * columns.padded()];
    squares_by_differences([&rows, &columns], &mut squares);
    for (i, squares) in squares.chunks_exact(columns.padded()).take(first).enumerate() {
        for (j, &square) in (first..n).zip(squares) {
            let length = points.at_least_cores(square, members[i], members[j]);
            lengths[i * n + j] = length;
            lengths[j * n + i] = length;
        }
    }
    prim(n, &lengths).renamed(|place| members[place as usize])
}

/// The tree of n points with the given lengths between them, n x n.
fn prim(n: usize, lengths: &[f64]) -> Tree {
    let (mut best, mut sources, mut inside) = (vec![f64::INFINITY; n], vec![0; n], vec![0.0; n]);
    let mut edges = Vec::with_capacity(n.saturating_sub(1));
    let mut current = 0;
    for _ in 1..n {
        // Points in the tree are infinitely far away.
        (best[current], inside[current]) = (f64::INFINITY, f64::INFINITY);
        let lengths = &lengths[current * n..(current + 1) * n];
        let next = relax(lengths, &inside, 0.0, current as u32, &mut best, &mut sources);
        edges.push(TreeEdge { length: best[next], ends: [sources[next], next as u32] });
        current = next;
    }
    Tree::of_edges(n, &mut edges)
}
