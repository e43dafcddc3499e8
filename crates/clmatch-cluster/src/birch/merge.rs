//! One step of a hierarchy.

/// A merge of the clusters that hold two points; heights are not below those of the merges that it needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Merge {
    pub(super) one: u32,
    pub(super) other: u32,
    /// w of the two.
    pub(super) height: f64,
}
