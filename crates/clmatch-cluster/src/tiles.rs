//! Squared Euclidean distances between many points and many centres, a tile of [`BLOCK`] by [`GROUP`] at a time.
//!
//! Where [`crate::kernels::Panels`] answers one query after the other, a tile holds 16 points against 8 centres in
//! registers, so that a feature that was loaded once serves eight times: with many centres this is bound by arithmetic
//! and not by memory. By differences, as there, so that a point that coincides with a centre has the distance 0.
#![allow(unsafe_code)]

/// Points in a block: two registers of eight with AVX-512.
pub(crate) const BLOCK: usize = 16;
/// Centres in a group.
pub(crate) const GROUP: usize = 8;

/// Squared distances of a block of points to a group of centres; `tile[c][p]` is that of centre c to point p.
pub(crate) type Tile = [[f64; BLOCK]; GROUP];

/// Points in blocks of [`BLOCK`], feature after feature. Memory: O(n d).
#[derive(Debug, Clone, Default)]
pub(crate) struct Blocks {
    values: Vec<f64>,
    features: usize,
}

impl Blocks {
    /// Packs rows; the missing points of the last block are 0.
    pub(crate) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, features: usize) -> Self {
        let mut blocks = Blocks { values: Vec::new(), features };
        blocks.pack(rows);
        blocks
    }

    /// Packs other rows of as many features in the same memory.
    pub(crate) fn pack<'a>(&mut self, rows: impl ExactSizeIterator<Item = &'a [f64]>) {
        interleave(&mut self.values, rows, self.features, BLOCK, 0.0);
    }

    /// How many blocks there are.
    pub(crate) fn count(&self) -> usize {
        self.values.len() / (BLOCK * self.features)
    }

    /// The blocks from one to another.
    fn range(&self, blocks: std::ops::Range<usize>) -> &[f64] {
        let size = BLOCK * self.features;
        &self.values[blocks.start * size..blocks.end * size]
    }
}

/// Centres in groups of [`GROUP`], feature after feature. Memory: O(k d).
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    values: Vec<f64>,
    features: usize,
}

impl Groups {
    /// Packs rows; the missing centres of the last group are infinitely far away, so that nobody is near them.
    pub(crate) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, features: usize) -> Self {
        let mut values = Vec::new();
        interleave(&mut values, rows, features, GROUP, f64::INFINITY);
        Groups { values, features }
    }

    /// How many groups there are.
    pub(crate) fn count(&self) -> usize {
        self.values.len() / (GROUP * self.features)
    }
}

/// Row after row to bundles of `lanes` rows, feature after feature.
fn interleave<'a>(
    values: &mut Vec<f64>,
    rows: impl ExactSizeIterator<Item = &'a [f64]>,
    features: usize,
    lanes: usize,
    missing: f64,
) {
    let bundle = lanes * features;
    values.clear();
    values.resize(rows.len().div_ceil(lanes) * bundle, missing);
    for (at, row) in rows.enumerate() {
        let bundle = &mut values[at / lanes * bundle..][..bundle];
        for (slot, &value) in bundle[at % lanes..].iter_mut().step_by(lanes).zip(row) {
            *slot = value;
        }
    }
}

/// The nearest centre of a point, and how far it and the runner-up are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nearest {
    /// Which centre; the first one of several that are equally near.
    pub(crate) centre: u32,
    /// Squared distance to it.
    pub(crate) first: f64,
    /// Squared distance to the second nearest; infinite if there is one centre only.
    pub(crate) second: f64,
}

/// The two nearest centres of all points in some blocks: [`BLOCK`] answers a block; those of missing points mean nothing.
///
/// Time: O(n k d).
pub(crate) fn two_nearest(
    points: &Blocks,
    blocks: std::ops::Range<usize>,
    centres: &Groups,
    nearest: &mut [Nearest],
) {
    let features = points.features;
    assert!(centres.features == features && nearest.len() == blocks.len() * BLOCK);
    for (block, nearest) in
        points.range(blocks).chunks_exact(BLOCK * features).zip(nearest.chunks_exact_mut(BLOCK))
    {
        dispatch(TwoNearest { block, groups: &centres.values, features, nearest });
    }
}

/// The tile of one block and one group.
///
/// Time: O(d).
pub(crate) fn tile(points: &Blocks, block: usize, centres: &Groups, group: usize) -> Tile {
    let features = points.features;
    assert!(centres.features == features);
    let mut tile = [[0.0; BLOCK]; GROUP];
    let block = points.range(block..block + 1);
    let group = &centres.values[group * GROUP * features..][..GROUP * features];
    dispatch(OneTile { block, group, tile: &mut tile });
    tile
}

/// Eight queries of [`lowest`].
pub(crate) struct Flock<'a> {
    /// One divided by the size of each.
    pub(crate) shares: &'a [f64],
    /// The place of each among the points, which is no answer.
    pub(crate) selves: &'a [usize],
}

/// The lowest numbers so far and where they were, lane by lane.
#[derive(Debug, Clone)]
pub(crate) struct Lowest {
    values: [f64; BLOCK],
    at: [u64; BLOCK],
}

impl Lowest {
    pub(crate) fn new() -> Self {
        Lowest { values: [f64::INFINITY; BLOCK], at: [u64::MAX; BLOCK] }
    }

    /// Where the lowest number is, the first place of several, and the number.
    pub(crate) fn first(&self) -> (usize, f64) {
        let mut best = (self.at[0], self.values[0]);
        for (&at, &value) in self.at.iter().zip(&self.values).skip(1) {
            if value < best.1 || (value == best.1 && at < best.0) {
                best = (at, value);
            }
        }
        (best.0 as usize, best.1)
    }
}

/// Lowers, for a group of queries, the smallest |x - q|^2 / (1/n_x + 1/n_q) by the points x of a block, where n are sizes;
/// `shares` are 1/n_x, NaN for points that are no answer.
///
/// Time: O(d).
pub(crate) fn lowest(
    (points, block): (&Blocks, usize),
    shares: &[f64],
    (centres, group): (&Groups, usize),
    flock: &Flock<'_>,
    lowest: &mut [Lowest],
) {
    let features = points.features;
    assert!(centres.features == features && shares.len() == BLOCK);
    let group = &centres.values[group * GROUP * features..][..GROUP * features];
    let work = LowestShare {
        block: points.range(block..block + 1),
        at: block * BLOCK,
        group,
        shares,
        flock,
        lowest,
    };
    dispatch(work);
}

/// Squared distance of two points.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    assert!(a.len() == b.len());
    let mut square = 0.0;
    dispatch(Square { a, b, square: &mut square });
    square
}

/// The instructions that a processor offers for a tile; bodies are inlined into functions compiled for them.
trait Isa: Copy {
    /// `a * b + c`.
    fn fused(self, a: f64, b: f64, c: f64) -> f64;
    /// Fills a tile from a block and a group of the same number of features.
    fn tile(self, block: &[f64], group: &[f64], tile: &mut Tile);
}

/// Something to do with the best instructions there are.
trait Work {
    fn work<I: Isa>(self, isa: I);
}

/// Runs work compiled for the best instructions that the processor has.
#[inline]
fn dispatch(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    {
        if x86::avx512() {
            // SAFETY: the processor has AVX-512 and fused multiply-adds.
            return unsafe { x86::run_avx512(work) };
        }
        if x86::avx2() {
            // SAFETY: the processor has AVX2 and fused multiply-adds.
            return unsafe { x86::run_avx2(work) };
        }
    }
    work.work(Plain);
}

struct OneTile<'a> {
    block: &'a [f64],
    group: &'a [f64],
    tile: &'a mut Tile,
}

impl Work for OneTile<'_> {
    #[inline(always)]
    fn work<I: Isa>(self, isa: I) {
        isa.tile(self.block, self.group, self.tile);
    }
}

struct TwoNearest<'a> {
    block: &'a [f64],
    groups: &'a [f64],
    features: usize,
    nearest: &'a mut [Nearest],
}

impl Work for TwoNearest<'_> {
    #[inline(always)]
    fn work<I: Isa>(self, isa: I) {
        let mut first = [f64::INFINITY; BLOCK];
        let mut second = [f64::INFINITY; BLOCK];
        let mut centre = [0_u64; BLOCK];
        let mut tile = [[0.0; BLOCK]; GROUP];
        for (at, group) in self.groups.chunks_exact(GROUP * self.features).enumerate() {
            isa.tile(self.block, group, &mut tile);
            for (within, squares) in tile.iter().enumerate() {
                let index = (at * GROUP + within) as u64;
                for lane in 0..BLOCK {
                    let square = squares[lane];
                    let nearer = square < first[lane];
                    let runner_up = if nearer { first[lane] } else { square };
                    second[lane] = if runner_up < second[lane] { runner_up } else { second[lane] };
                    first[lane] = if nearer { square } else { first[lane] };
                    centre[lane] = if nearer { index } else { centre[lane] };
                }
            }
        }
        for (lane, nearest) in self.nearest.iter_mut().enumerate() {
            *nearest = Nearest { centre: centre[lane] as u32, first: first[lane], second: second[lane] };
        }
    }
}

struct LowestShare<'a> {
    block: &'a [f64],
    /// The place of the block's first point.
    at: usize,
    group: &'a [f64],
    shares: &'a [f64],
    flock: &'a Flock<'a>,
    lowest: &'a mut [Lowest],
}

impl Work for LowestShare<'_> {
    #[inline(always)]
    fn work<I: Isa>(self, isa: I) {
        let mut tile = [[0.0; BLOCK]; GROUP];
        isa.tile(self.block, self.group, &mut tile);
        let queries = self.flock.shares.iter().zip(self.flock.selves);
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
    square: &'a mut f64,
}

impl Work for Square<'_> {
    /// Sixteen sums that do not wait for each other, added in a fixed order.
    #[inline(always)]
    fn work<I: Isa>(self, isa: I) {
        const SUMS: usize = 16;
        let mut sums = [0.0_f64; SUMS];
        let (a, b) = (self.a.chunks_exact(SUMS), self.b.chunks_exact(SUMS));
        let rest = a.remainder().iter().zip(b.remainder());
        for (a, b) in a.zip(b) {
            for lane in 0..SUMS {
                let difference = a[lane] - b[lane];
                sums[lane] = isa.fused(difference, difference, sums[lane]);
            }
        }
        let mut tail = 0.0;
        for (a, b) in rest {
            tail = isa.fused(a - b, a - b, tail);
        }
        *self.square = sums.iter().sum::<f64>() + tail;
    }
}

/// What any processor can do.
#[derive(Clone, Copy)]
struct Plain;

impl Isa for Plain {
    #[inline(always)]
    fn fused(self, a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    fn tile(self, block: &[f64], group: &[f64], tile: &mut Tile) {
        *tile = [[0.0; BLOCK]; GROUP];
        for (points, centres) in block.chunks_exact(BLOCK).zip(group.chunks_exact(GROUP)) {
            for (squares, &centre) in tile.iter_mut().zip(centres) {
                for (square, &point) in squares.iter_mut().zip(points) {
                    *square += (point - centre) * (point - centre);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
pub(crate) mod tests;
