//! Tiles with AVX-512 and AVX2.

use std::arch::x86_64::*;

use super::{BLOCK, GROUP, Isa, Tile, Work};

/// Numbers in a register.
const WIDE: usize = 8;
const NARROW: usize = 4;
/// Centres that AVX2 takes at a time: 2 registers of points by 4 centres are 8 sums in its 16 registers.
const CENTRES: usize = 4;

/// Whether the processor has what [`run_avx512`] needs.
pub(super) fn avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma")
}

/// Whether the processor has what [`run_avx2`] needs.
pub(super) fn avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx512f,fma")]
pub(super) fn run_avx512(work: impl Work) {
    work.work(Avx512);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn run_avx2(work: impl Work) {
    work.work(Avx2);
}

/// Only inside [`run_avx512`].
#[derive(Clone, Copy)]
struct Avx512;

impl Isa for Avx512 {
    #[inline(always)]
    fn fused(self, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn tile(self, block: &[f64], group: &[f64], tile: &mut Tile) {
        // SAFETY: this type is used inside `run_avx512` only, whose caller has found AVX-512.
        unsafe { tile_avx512(block, group, tile) }
    }
}

/// All 16 by 8 sums in 16 of the 32 registers.
#[target_feature(enable = "avx512f,fma")]
#[inline]
fn tile_avx512(block: &[f64], group: &[f64], tile: &mut Tile) {
    let mut sums = [[_mm512_setzero_pd(); 2]; GROUP];
    for (points, centres) in block.as_chunks::<BLOCK>().0.iter().zip(group.as_chunks::<GROUP>().0) {
        // SAFETY: `points` are 16 numbers.
        let points =
            unsafe { [_mm512_loadu_pd(points.as_ptr()), _mm512_loadu_pd(points.as_ptr().add(WIDE))] };
        for (sums, &centre) in sums.iter_mut().zip(centres) {
            let centre = _mm512_set1_pd(centre);
            for (sum, &point) in sums.iter_mut().zip(&points) {
                let difference = _mm512_sub_pd(point, centre);
                *sum = _mm512_fmadd_pd(difference, difference, *sum);
            }
        }
    }
    for (squares, sums) in tile.iter_mut().zip(&sums) {
        // SAFETY: `squares` are 16 numbers.
        unsafe {
            _mm512_storeu_pd(squares.as_mut_ptr(), sums[0]);
            _mm512_storeu_pd(squares.as_mut_ptr().add(WIDE), sums[1]);
        }
    }
}

/// Only inside [`run_avx2`].
#[derive(Clone, Copy)]
struct Avx2;

impl Isa for Avx2 {
    #[inline(always)]
    fn fused(self, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn tile(self, block: &[f64], group: &[f64], tile: &mut Tile) {
        for half in 0..GROUP / CENTRES {
            for lanes in 0..BLOCK / (2 * NARROW) {
                // SAFETY: this type is used inside `run_avx2` only, whose caller has found AVX2.
                unsafe { part_avx2(block, group, half * CENTRES, lanes * 2 * NARROW, tile) }
            }
        }
    }
}

/// Eight points by four centres.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn part_avx2(block: &[f64], group: &[f64], centre: usize, lane: usize, tile: &mut Tile) {
    assert!(centre + CENTRES <= GROUP && lane + 2 * NARROW <= BLOCK);
    let mut sums = [[_mm256_setzero_pd(); 2]; CENTRES];
    for (points, centres) in block.as_chunks::<BLOCK>().0.iter().zip(group.as_chunks::<GROUP>().0) {
        // SAFETY: `points` are 16 numbers, of which eight from `lane` on are read.
        let points = unsafe {
            let from = points.as_ptr().add(lane);
            [_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(NARROW))]
        };
        for (sums, &centre) in sums.iter_mut().zip(&centres[centre..centre + CENTRES]) {
            let centre = _mm256_set1_pd(centre);
            for (sum, &point) in sums.iter_mut().zip(&points) {
                let difference = _mm256_sub_pd(point, centre);
                *sum = _mm256_fmadd_pd(difference, difference, *sum);
            }
        }
    }
    for (squares, sums) in tile[centre..centre + CENTRES].iter_mut().zip(&sums) {
        // SAFETY: `squares` are 16 numbers, of which eight from `lane` on are written.
        unsafe {
            let to = squares.as_mut_ptr().add(lane);
            _mm256_storeu_pd(to, sums[0]);
            _mm256_storeu_pd(to.add(NARROW), sums[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Plain, tests::numbers};
    use super::*;

    /// Rounding of sums with and without fused multiply-adds.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn all_instruction_sets_fill_the_same_tile() {
        for features in [1, 2, 7, 40] {
            let (block, group) = (numbers(BLOCK * features, 1), numbers(GROUP * features, 2));
            let mut plain = [[f64::NAN; BLOCK]; GROUP];
            Plain.tile(&block, &group, &mut plain);
            let mut others = vec![];
            if avx2() {
                let mut tile = [[f64::NAN; BLOCK]; GROUP];
                Avx2.tile(&block, &group, &mut tile);
                others.push(tile);
            }
            if avx512() {
                let mut tile = [[f64::NAN; BLOCK]; GROUP];
                Avx512.tile(&block, &group, &mut tile);
                others.push(tile);
            }
            for other in &others {
                for (plain, other) in plain.iter().flatten().zip(other.iter().flatten()) {
                    assert!((plain - other).abs() <= ROUNDING * plain, "{features}");
                }
            }
            // Both fuse in the same order.
            assert!(others.windows(2).all(|pair| pair[0] == pair[1]));
        }
    }
}
