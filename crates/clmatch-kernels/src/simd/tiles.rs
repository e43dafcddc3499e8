//! Squared Euclidean distances between many points and many centres, a tile of [`BLOCK`] by [`GROUP`] at a time.
//!
//! While [`Panels`](crate::simd::panels::Panels) answer one query after the other, a tile holds 16 points against 8 centres in
//! registers, so that a feature that was loaded once is used eight times: with many centres, this is bound by arithmetic
//! and not by memory. As there, distances are computed from differences, so that a point that coincides with a centre has the
//! distance 0. The distances are the same to the bit.

use std::ops::Range;

use crate::simd::isa::{Isa, LANES, ROWS, Work};
use crate::simd::level::Level;
use crate::simd::pack::Packing;
use crate::simd::register::Register;
use crate::simd::sums::in_lanes_and_rest;

/// How many points a block has: the columns of a tile, two groups of lanes.
pub const BLOCK: usize = 2 * LANES;
/// How many centres a group has: the rows of a tile.
pub const GROUP: usize = ROWS;

/// Squared distances of a block of points to a group of centres; `tile[c][p]` is that of centre c to point p.
pub type Tile = [[f64; BLOCK]; GROUP];

/// Points in blocks of [`BLOCK`], feature after feature. Memory: O(n d).
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    values: Vec<f64>,
    features: usize,
}

impl Blocks {
    /// Packs rows; the missing points of the last block are 0.
    pub fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, features: usize) -> Self {
        let mut blocks = Blocks { values: Vec::new(), features };
        blocks.pack(rows);
        blocks
    }

    /// Packs other rows with the same number of features into the same memory.
    pub fn pack<'a>(&mut self, rows: impl ExactSizeIterator<Item = &'a [f64]>) {
        self.values.resize(rows.len().next_multiple_of(BLOCK) * self.features, 0.0);
        Packing::plain(self.features, BLOCK).pack(rows, &mut self.values);
    }

    /// How many blocks there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len() / (BLOCK * self.features)
    }

    /// The numbers of a range of blocks.
    fn range(&self, blocks: Range<usize>) -> &[f64] {
        let size = BLOCK * self.features;
        &self.values[blocks.start * size..blocks.end * size]
    }
}

/// Centres in groups of [`GROUP`], feature after feature. Memory: O(k d).
#[derive(Debug, Clone, Default)]
pub struct Groups {
    values: Vec<f64>,
    features: usize,
}

impl Groups {
    /// Packs rows; the missing centres of the last group are infinitely far away, so that no point is near them.
    pub fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, features: usize) -> Self {
        let mut values = vec![0.0; rows.len().next_multiple_of(GROUP) * features];
        Packing { missing: f64::INFINITY, ..Packing::plain(features, GROUP) }.pack(rows, &mut values);
        Groups { values, features }
    }

    /// How many groups there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len() / (GROUP * self.features)
    }

    /// The numbers of one group.
    fn group(&self, group: usize) -> &[f64] {
        let size = GROUP * self.features;
        &self.values[group * size..(group + 1) * size]
    }
}

/// The nearest centre of a point, and the distances of this and the second nearest centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The index of the nearest centre; if several are equally near, the first one.
    pub centre: u32,
    /// The squared distance to the nearest centre.
    pub first: f64,
    /// The squared distance to the second nearest centre; infinite if there is only one centre.
    pub second: f64,
}

/// The two nearest centres of all points in some blocks. Each block has [`BLOCK`] results; those of missing points are
/// meaningless.
///
/// Time: O(n k d).
pub fn two_nearest(points: &Blocks, blocks: Range<usize>, centres: &Groups, nearest: &mut [Nearest]) {
    let features = points.features;
    assert!(centres.features == features && nearest.len() == blocks.len() * BLOCK);
    let (blocks, groups) = (points.range(blocks), &centres.values[..]);
    Level::best().run(TwoNearest { blocks, groups, features, nearest });
}

/// The tile of one block and one group.
///
/// Time: O(d).
#[must_use]
pub fn tile(points: &Blocks, block: usize, centres: &Groups, group: usize) -> Tile {
    assert!(centres.features == points.features);
    Level::best().run(OneTile { block: points.range(block..block + 1), group: centres.group(group) })
}

/// Eight queries for [`lowest`].
#[derive(Debug, Clone, Copy)]
pub struct QueryGroup<'a> {
    /// One divided by the size of each query.
    pub shares: &'a [f64],
    /// The index of each query among the points; it is excluded from the answers.
    pub selves: &'a [usize],
}

/// The lowest numbers so far and their places, lane by lane.
#[derive(Debug, Clone)]
pub struct Lowest {
    values: [f64; BLOCK],
    at: [u64; BLOCK],
}

impl Default for Lowest {
    /// The state before any number was seen.
    fn default() -> Self {
        Lowest { values: [f64::INFINITY; BLOCK], at: [u64::MAX; BLOCK] }
    }
}

impl Lowest {
    /// The lowest number with its place, or the first of its places.
    #[must_use]
    pub fn first(&self) -> (usize, f64) {
        let mut best = (self.at[0], self.values[0]);
        for (&at, &value) in self.at.iter().zip(&self.values).skip(1) {
            if value < best.1 || (value == best.1 && at < best.0) {
                best = (at, value);
            }
        }
        (best.0 as usize, best.1)
    }
}

/// For a group of queries, updates the smallest |x - q|^2 / (1/n_x + 1/n_q) with the points x of a block, where n are sizes;
/// `shares` are 1/n_x, or NaN for points that are excluded.
///
/// Time: O(d).
pub fn lowest(
    (points, block): (&Blocks, usize),
    shares: &[f64],
    (centres, group): (&Groups, usize),
    queries: &QueryGroup<'_>,
    lowest: &mut [Lowest],
) {
    assert!(centres.features == points.features && shares.len() == BLOCK);
    Level::best().run(LowestShare {
        block: points.range(block..block + 1),
        at: block * BLOCK,
        group: centres.group(group),
        shares,
        queries,
        lowest,
    });
}

/// The squared distance of two points.
///
/// Time: O(d).
#[must_use]
#[inline]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    assert!(a.len() == b.len());
    Level::best().run(Square { a, b })
}

/// The squared distances between a block and a group with the same number of features.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn fill<I: Isa<T = f64>>(block: &[f64], group: &[f64], tile: &mut Tile) {
    let depth = group.len() / GROUP;
    assert!(block.len() == depth * BLOCK && group.len() == depth * GROUP);
    let (block, group, tile) = (block.as_ptr(), group.as_ptr(), tile.as_mut_ptr().cast());
    // SAFETY: the caller guarantees the instruction set, the assertion the sizes of block and group; the tile has
    // as many rows and columns.
    unsafe { I::multiply::<2, true>((group, GROUP), block, BLOCK, depth, tile, false) };
}

struct OneTile<'a> {
    block: &'a [f64],
    group: &'a [f64],
}

impl Work<f64> for OneTile<'_> {
    type Output = Tile;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Tile {
        let mut tile = [[0.0; BLOCK]; GROUP];
        // SAFETY: the caller guarantees the instruction set.
        unsafe { fill::<I>(self.block, self.group, &mut tile) };
        tile
    }
}

struct TwoNearest<'a> {
    blocks: &'a [f64],
    groups: &'a [f64],
    features: usize,
    nearest: &'a mut [Nearest],
}

impl Work<f64> for TwoNearest<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        let blocks = self.blocks.chunks_exact(BLOCK * self.features);
        for (block, nearest) in blocks.zip(self.nearest.chunks_exact_mut(BLOCK)) {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { block_nearest::<I>(block, self.groups, nearest) };
        }
    }
}

/// [`two_nearest`] for one block, a group of lanes at a time.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn block_nearest<I: Isa<T = f64>>(block: &[f64], groups: &[f64], nearest: &mut [Nearest]) {
    const HALVES: usize = BLOCK / LANES;
    let features = block.len() / BLOCK;
    let mut tile = [[0.0; BLOCK]; GROUP];
    let [mut firsts, mut seconds, mut centres] = [[0.0; BLOCK]; 3];
    // SAFETY: the caller guarantees the instruction set; rows of a tile and the arrays have two groups of lanes.
    unsafe {
        let mut first = [I::Group::splat(f64::INFINITY); HALVES];
        let mut second = first;
        // Indexes of centres are whole numbers that doubles hold exactly.
        let mut centre = [I::Group::splat(0.0); HALVES];
        for (at, group) in groups.chunks_exact(GROUP * features).enumerate() {
            fill::<I>(block, group, &mut tile);
            for (within, squares) in tile.iter().enumerate() {
                let place = I::Group::splat((at * GROUP + within) as f64);
                for half in 0..HALVES {
                    let square = I::Group::load(squares.as_ptr().add(half * LANES));
                    let nearer = square.less(first[half]);
                    second[half] = first[half].max(square).min(second[half]);
                    first[half] = square.min(first[half]);
                    centre[half] = place.keep(nearer, centre[half]);
                }
            }
        }
        for half in 0..HALVES {
            first[half].store(firsts.as_mut_ptr().add(half * LANES));
            second[half].store(seconds.as_mut_ptr().add(half * LANES));
            centre[half].store(centres.as_mut_ptr().add(half * LANES));
        }
    }
    for (lane, nearest) in nearest.iter_mut().enumerate() {
        *nearest = Nearest { centre: centres[lane] as u32, first: firsts[lane], second: seconds[lane] };
    }
}

struct LowestShare<'a> {
    block: &'a [f64],
    /// The index of the block's first point.
    at: usize,
    group: &'a [f64],
    shares: &'a [f64],
    queries: &'a QueryGroup<'a>,
    lowest: &'a mut [Lowest],
}

impl Work<f64> for LowestShare<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        let mut tile = [[0.0; BLOCK]; GROUP];
        // SAFETY: the caller guarantees the instruction set.
        unsafe { fill::<I>(self.block, self.group, &mut tile) };
        let queries = self.queries.shares.iter().zip(self.queries.selves);
        for ((squares, (share, &myself)), low) in tile.iter_mut().zip(queries).zip(self.lowest) {
            if (self.at..self.at + BLOCK).contains(&myself) {
                squares[myself - self.at] = f64::NAN;
            }
            for (lane, square) in squares.iter().enumerate() {
                let value = square / (self.shares[lane] + share);
                let lower = value < low.values[lane];
                low.values[lane] = if lower { value } else { low.values[lane] };
                low.at[lane] = if lower { (self.at + lane) as u64 } else { low.at[lane] };
            }
        }
    }
}

struct Square<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl Work<f64> for Square<'_> {
    type Output = f64;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> f64 {
        let (lanes, rest) = in_lanes_and_rest::<_, _, BLOCK>(self.a, self.b, |sum, a: f64, b: f64| {
            I::fused(a - b, a - b, sum)
        });
        lanes.iter().sum::<f64>() + rest
    }
}

#[cfg(test)]
mod tests;
