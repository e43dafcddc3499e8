//! Disjoint sets of points that only ever merge.

/// A forest of sets with path halving and union by size.
#[derive(Debug, Clone)]
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl DisjointSets {
    /// `n` sets of one element.
    pub(crate) fn new(n: usize) -> DisjointSets {
        DisjointSets { parents: (0..n as u32).collect(), sizes: vec![1; n] }
    }

    /// The representative of an element's set.
    pub(crate) fn find(&mut self, element: u32) -> u32 {
        let mut at = element as usize;
        while self.parents[at] as usize != at {
            let above = self.parents[at] as usize;
            self.parents[at] = self.parents[above];
            at = self.parents[at] as usize;
        }
        at as u32
    }

    /// The number of elements in the set of a representative.
    pub(crate) fn size(&self, root: u32) -> u32 {
        self.sizes[root as usize]
    }

    /// Merges two sets by their representatives, and returns the new one.
    pub(crate) fn merge(&mut self, a: u32, b: u32) -> u32 {
        let (large, small) = if self.size(a) >= self.size(b) { (a, b) } else { (b, a) };
        if large != small {
            self.parents[small as usize] = large;
            self.sizes[large as usize] += self.sizes[small as usize];
        }
        large
    }
}
