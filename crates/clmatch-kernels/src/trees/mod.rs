//! Exact minimum spanning trees of points, at the cost of a sweep or two over all pairs of points.
//!
//! [`spanning_tree`] gives the tree of some points, [`merge`] that of two sets whose trees are known. Cutting a tree at a
//! length gives the clusters of single linkage, and with core distances ([`Points::with_cores`]) those of DBSCAN.
//!
//! # How
//! A tree is kept as an order of its points ([`Tree`]). In this order, the *minimax* of two points, the longest edge between
//! them, is the longest gap between their places. An edge between two sets belongs to the tree of their union only if
//! it is shorter than the minimax of its ends so far. So trees are grown by halves, and only those edges between two sets that
//! are below this limit are examined one by one. By the ultrametric inequality, the minimax of x and y is at most the
//! largest of minimax(x, r), minimax(r, c) and minimax(c, y). With r and c the first points of two panels, a tile of products
//! costs one maximum and one comparison per register in addition to the products themselves. A few nearest neighbours give the
//! first limits, and the more rows have been examined, the tighter the limits become.
//!
//! # Why not Prim's algorithm
//! It reads all points for each point that it adds, and so is bound by memory where this is bound by arithmetic; and for
//! the trees of all pairs of K classes, it would compare the points of every class K - 1 times. Trees from lists of
//! approximate nearest neighbours are not exact. Crates with spanning trees of points are (as far as we found) parts of
//! HDBSCAN, and are slower than scikit-learn's.
//!
//! # Exact
//! Tiles only ever exclude edges, with distances that are lowered by a bound on their rounding; the decision is made by the sum
//! of squared differences, in f64. Results do not depend on the number of threads: all minimum spanning trees have the
//! same minimax.

mod direct;
mod grow;
mod limits;
mod merge;
mod points;
mod tree;

#[cfg(test)]
mod tests;

pub use grow::spanning_tree;
pub use merge::merge;
pub use points::Points;
pub use tree::Tree;
