//! Draws seeds like k-means++ (Arthur and Vassilvitskii 2007), but greedily: the best of several draws is kept.

use rand::{Rng, RngExt};

use crate::packed::{CHUNK, PackedPoints};
use crate::{Stop, Stopped};
use clmatch::Matrix;
use clmatch_kernels::parallel;
use clmatch_kernels::simd::tiles::{BLOCK, GROUP, Groups, Tile, tile};

/// Draws up to `count` points: the first one uniformly, each other one as the best of 2 + ln k draws with probability
/// proportional to the squared distance to the nearest seed so far. The best draw leaves the smallest sum of squared
/// distances.
///
/// There are fewer than `count` only if every other point coincides with a seed.
///
/// Time: O(n k log(k) d), in parallel. Memory: O(n log k).
pub(crate) fn greedy(
    packed: &PackedPoints<'_>,
    count: usize,
    random: &mut impl Rng,
    stop: &Stop,
) -> Result<Vec<usize>, Stopped> {
    let draws = draws(count);
    let mut field = Field::new(packed);
    let mut seeds = vec![random.random_range(0..packed.points.n_points())];
    field.try_seeds(&seeds, stop)?;
    let mut potential = field.accept(0);
    while seeds.len() < count && potential > 0.0 {
        let candidates: Vec<usize> =
            (0..draws).map(|_| field.at(random.random::<f64>() * potential)).collect();
        let left = field.try_seeds(&candidates, stop)?;
        let best = (1..draws).fold(0, |best, next| if left[next] < left[best] { next } else { best });
        seeds.push(candidates[best]);
        potential = field.accept(best);
    }
    Ok(seeds)
}

/// How many draws are made for each seed but the first, if there are `count` seeds.
pub(crate) fn draws(count: usize) -> usize {
    2 + (count as f64).ln() as usize
}

/// The coordinates of some points, one point after the other.
pub(crate) fn rows(points: &Matrix<'_>, which: &[usize]) -> Vec<f64> {
    which.iter().flat_map(|&at| points.row(at)).copied().collect()
}

/// Squared distances of the points to the nearest seed, and what they would become with another seed.
struct Field<'a> {
    packed: &'a PackedPoints<'a>,
    /// For each point, the squared distance to the nearest seed; 0 for the padding of the last block, so that it counts
    /// for nothing.
    nearest: Vec<f64>,
    /// Sums of `nearest` over chunks, so that a draw reads only one chunk.
    sums: Vec<f64>,
    /// What `nearest` would become with each candidate: block after block, candidate after candidate, point after point.
    candidates: Vec<f64>,
    /// How many candidates there is room for in a block.
    room: usize,
}

impl<'a> Field<'a> {
    fn new(packed: &'a PackedPoints<'a>) -> Self {
        let mut nearest = vec![f64::INFINITY; packed.blocks.count() * BLOCK];
        nearest[packed.points.n_points()..].fill(0.0);
        Field { packed, nearest, sums: vec![0.0; packed.chunks()], candidates: vec![], room: 0 }
    }

    /// The sum of squared distances that would remain with each candidate.
    fn try_seeds(&mut self, seeds: &[usize], stop: &Stop) -> Result<Vec<f64>, Stopped> {
        let (packed, features) = (self.packed, self.packed.points.n_features());
        let groups = Groups::new(seeds.iter().map(|&seed| packed.points.row(seed)), features);
        let room = groups.count() * GROUP;
        self.room = room;
        self.candidates.resize(self.nearest.len() * room, 0.0);
        let parts = self.candidates.chunks_mut(CHUNK * BLOCK * room);
        let mut parts: Vec<_> = parts.zip(self.nearest.chunks(CHUNK * BLOCK)).collect();
        let sums: Vec<Vec<f64>> = parallel::try_map_mut(&mut parts, |chunk, (out, nearest)| {
            stop.check()?;
            let mut sums = vec![0.0; room];
            let blocks = out.chunks_exact_mut(BLOCK * room).zip(nearest.chunks_exact(BLOCK));
            for (block, (out, nearest)) in packed.blocks_of(chunk).zip(blocks) {
                for (group, out) in out.chunks_exact_mut(BLOCK * GROUP).enumerate() {
                    let squares = tile(&packed.blocks, block, &groups, group);
                    lower(&squares, nearest, out, &mut sums[group * GROUP..]);
                }
            }
            Ok(sums)
        })?;
        // Added chunk by chunk, whichever thread computed them.
        Ok((0..seeds.len()).map(|seed| sums.iter().map(|sums| sums[seed]).sum()).collect())
    }

    /// Makes a candidate a seed; returns the new sum of squared distances.
    fn accept(&mut self, candidate: usize) -> f64 {
        let blocks = self.candidates.chunks_exact(BLOCK * self.room);
        for (nearest, block) in self.nearest.chunks_exact_mut(BLOCK).zip(blocks) {
            nearest.copy_from_slice(&block[candidate * BLOCK..][..BLOCK]);
        }
        for (sum, nearest) in self.sums.iter_mut().zip(self.nearest.chunks(CHUNK * BLOCK)) {
            *sum = nearest.iter().sum();
        }
        self.sums.iter().sum()
    }

    /// The point where the running sum of squared distances passes `target`; never a point that is a seed already.
    fn at(&self, mut target: f64) -> usize {
        let mut last = 0;
        for (chunk, &sum) in self.sums.iter().enumerate() {
            if sum > 0.0 {
                last = chunk;
                if target < sum {
                    break;
                }
                target -= sum;
            }
        }
        let first = last * CHUNK * BLOCK;
        let mut found = first;
        for (at, &square) in self.nearest[first..].iter().take(CHUNK * BLOCK).enumerate() {
            if square > 0.0 {
                found = first + at;
                if target < square {
                    break;
                }
                target -= square;
            }
        }
        found
    }
}

/// The smaller of the old and new squared distances of a block, and their sums.
fn lower(squares: &Tile, nearest: &[f64], out: &mut [f64], sums: &mut [f64]) {
    for ((squares, out), sum) in squares.iter().zip(out.chunks_exact_mut(BLOCK)).zip(sums) {
        let mut lanes = [0.0; BLOCK];
        for lane in 0..BLOCK {
            out[lane] = if squares[lane] < nearest[lane] { squares[lane] } else { nearest[lane] };
            lanes[lane] = out[lane];
        }
        *sum += lanes.iter().sum::<f64>();
    }
}
