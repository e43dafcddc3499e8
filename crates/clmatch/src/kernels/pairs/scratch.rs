//! The memory of one thread: what a pair of blocks needs, and its results until they are added to the tables.
//!
//! Notation: rows are the points of block a, columns those of block b; K_a and K_b count the classes that have points
//! in a block.

use clmatch_kernels::simd::{Aligned, MOST_COLUMNS, ROWS};

use super::PairwiseRequest;
use super::nearest::{NearestLists, ROWS_AT_ONCE};
use super::pack::PointBlocks;
use super::real::FloatPrecision;

/// One class within one panel.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    /// Counted from the first class of the block.
    pub(super) class: usize,
    /// Lanes of the panel.
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The points of one block and their classes.
#[derive(Default)]
pub(super) struct BlockSide {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) first_class: usize,
    pub(super) classes: usize,
    segments: Vec<Segment>,
    /// Where the segments of each panel begin.
    panels: Vec<usize>,
}

impl BlockSide {
    fn set(&mut self, starts: &[usize], start: usize, len: usize, width: usize) {
        (self.start, self.len) = (start, len);
        self.segments.clear();
        self.panels.clear();
        let mut class = starts.partition_point(|&first| first <= start) - 1;
        self.first_class = class;
        for panel in (0..len).step_by(width) {
            self.panels.push(self.segments.len());
            let end = len.min(panel + width);
            let mut from = panel;
            while from < end {
                while starts[class + 1] <= start + from {
                    class += 1;
                }
                let to = end.min(starts[class + 1] - start);
                let class = class - self.first_class;
                self.segments.push(Segment { class, from: from - panel, to: to - panel });
                from = to;
            }
        }
        self.panels.push(self.segments.len());
        self.classes = class - self.first_class + 1;
    }

    /// How many panels there are.
    pub(super) fn panels(&self) -> usize {
        self.panels.len() - 1
    }

    /// The classes in a panel.
    #[inline(always)]
    pub(super) fn segments(&self, panel: usize) -> &[Segment] {
        &self.segments[self.panels[panel]..self.panels[panel + 1]]
    }

    fn class_range(&self) -> std::ops::Range<usize> {
        self.first_class..self.first_class + self.classes
    }
}

/// The rows of the tables that belong to one block.
pub(super) struct BlockTables<'a> {
    /// Rows x classes.
    pub(super) sums: &'a mut [f64],
    /// Rows x classes x [`NEAREST`](super::NEAREST).
    pub(super) nearest: &'a mut [f64],
}

/// Tables over pairs of classes.
pub(super) struct Extremes {
    pub(super) separation: Vec<f64>,
    pub(super) diameter: Vec<f64>,
}

/// The memory of one thread. In arrays of two, the first element belongs to the rows and the second to the columns.
///
/// Memory: O(size depth + size (K_a + K_b) + K_a K_b), and O(size^2) if features come in several parts.
pub(super) struct BlockPairScratch<T> {
    /// Packed blocks.
    pub(super) packed: [Aligned<T>; 2],
    /// Register tiles: one, or all of a pair of blocks if features come in several parts.
    pub(super) tiles: Aligned<T>,
    /// The centre that is subtracted before packing.
    pub(super) centre: Vec<T>,
    /// Squared norms of the packed points, in f64 and rounded.
    pub(super) wide_norms: [Vec<f64>; 2],
    pub(super) norms: [Vec<T>; 2],
    pub(super) sides: [BlockSide; 2],
    /// Sums of distances, divided by the `ROOT` of the registers: K_b x rows, and K_a x columns.
    pub(super) sums: [Vec<f64>; 2],
    pub(super) lists: [NearestLists<T>; 2],
    /// K_a x K_b: the smallest squared distance, or the largest if both classes are the same.
    pub(super) extremes: Vec<T>,
    /// The largest number of points per block: the stride of everything that is kept per point.
    size: usize,
}

impl<T: FloatPrecision> BlockPairScratch<T> {
    pub(super) fn new(size: usize, features: usize) -> Self {
        let depth = features.min(T::DEPTH);
        let tiles = if features > T::DEPTH { size * size } else { ROWS * MOST_COLUMNS };
        BlockPairScratch {
            packed: [Aligned::zeros(size * depth), Aligned::zeros(size * depth)],
            tiles: Aligned::zeros(tiles),
            centre: vec![T::ZERO; features],
            wide_norms: [vec![0.0; size], vec![0.0; size]],
            norms: [vec![T::ZERO; size], vec![T::ZERO; size]],
            sides: [BlockSide::default(), BlockSide::default()],
            sums: [Vec::new(), Vec::new()],
            lists: [NearestLists::new(), NearestLists::new()],
            extremes: Vec::new(),
            size,
        }
    }

    /// Prepares for the blocks a and b, with panels of `width` columns.
    pub(super) fn begin(
        &mut self,
        blocks: &PointBlocks,
        starts: &[usize],
        [a, b]: [usize; 2],
        width: usize,
        request: PairwiseRequest,
    ) {
        for (side, block, width) in [(0, a, ROWS), (1, b, width)] {
            self.sides[side].set(starts, blocks.start(block), blocks.len(block), width);
            self.wide_norms[side].fill(0.0);
        }
        for (to, &from) in self.centre.iter_mut().zip(blocks.centre(a, b)) {
            *to = T::narrow(from);
        }
        let [rows, columns] = &self.sides;
        if request.sums {
            for (sums, far) in self.sums.iter_mut().zip([columns, rows]) {
                sums.clear();
                sums.resize(far.classes * self.size, 0.0);
            }
        }
        if request.extremes {
            self.extremes.clear();
            for class in rows.class_range() {
                let start = |other| if other == class { T::ZERO } else { T::INFINITY };
                self.extremes.extend(columns.class_range().map(start));
            }
        }
    }

    /// Takes the lists of one side from the table of its block; without a table they start empty.
    pub(super) fn load_lists(&mut self, side: usize, table: Option<&BlockTables<'_>>, classes: usize) {
        let (rows, far) = (self.sides[side].len, self.sides[1 - side].class_range());
        let table = table.map(|table| &*table.nearest);
        self.lists[side].load(table, rows, self.size, far, classes);
    }

    /// Puts the lists of one side into the table of its block; lists that started empty are merged into it.
    pub(super) fn store_lists(&self, side: usize, table: &mut BlockTables<'_>, classes: usize, merge: bool) {
        let (rows, far) = (self.sides[side].len, self.sides[1 - side].class_range());
        self.lists[side].store(table.nearest, rows, self.size, far, classes, merge);
    }

    /// Adds the sums of one side, times `root`, to the table of its block.
    ///
    /// Time: O(size K). Memory: O(1).
    pub(super) fn put_sums(&self, side: usize, table: &mut BlockTables<'_>, classes: usize, root: f64) {
        let (rows, far) = (self.sides[side].len, self.sides[1 - side].class_range());
        for first in (0..rows).step_by(ROWS_AT_ONCE) {
            let last = rows.min(first + ROWS_AT_ONCE);
            for (sums, class) in self.sums[side].chunks_exact(self.size).zip(far.clone()) {
                let table = table.sums[first * classes + class..].iter_mut().step_by(classes);
                for (to, from) in table.zip(&sums[first..last]) {
                    *to += root * from;
                }
            }
        }
    }

    /// Merges the extremes. Minima and maxima do not depend on the order.
    ///
    /// Time: O(K_a K_b). Memory: O(1).
    pub(super) fn put_extremes(&self, extremes: &mut Extremes) {
        let classes = extremes.diameter.len();
        let [rows, columns] = &self.sides;
        for (i, found) in rows.class_range().zip(self.extremes.chunks_exact(columns.classes)) {
            for (j, found) in columns.class_range().zip(found) {
                if i == j {
                    extremes.diameter[i] = extremes.diameter[i].max(found.wide());
                } else {
                    for place in [i * classes + j, j * classes + i] {
                        extremes.separation[place] = extremes.separation[place].min(found.wide());
                    }
                }
            }
        }
    }
}
