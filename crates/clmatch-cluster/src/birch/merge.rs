//! One step of a hierarchy.

/// A merge of the two clusters that hold the points `one` and `other`. Its height is never below those of the merges it
/// builds on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Merge {
    pub(super) one: u32,
    pub(super) other: u32,
    /// The cost w of merging the two clusters.
    pub(super) height: f64,
}
