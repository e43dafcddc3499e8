//! AVX2 with fused multiply-add: 16 registers of 4 f64 or 8 f32.

// Bodies of `unsafe fn` are single intrinsics; what the caller owes is said at the traits.
#![allow(unsafe_op_in_unsafe_fn)]

use std::arch::x86_64::*;

use super::simd::{Isa, ROWS, Register, Work, multiply_part};

/// AVX2, f64.
#[derive(Clone, Copy)]
pub(super) struct Avx2F64;
/// AVX2, f32.
#[derive(Clone, Copy)]
pub(super) struct Avx2F32;

/// Whether the processor has all that this file uses.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx2,fma")]
unsafe fn run<I: Isa>(work: impl Work) {
    work.work::<I>();
}

impl Register for __m256d {
    type T = f64;
    const N: usize = 4;

    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        _mm256_set1_pd(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        _mm256_loadu_pd(from)
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        _mm256_storeu_pd(to, self);
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        _mm256_add_pd(self, other)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        _mm256_sub_pd(self, other)
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        _mm256_min_pd(self, other)
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        _mm256_max_pd(self, other)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        _mm256_fmadd_pd(self, factor, term)
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        _mm256_sqrt_pd(self)
    }
    #[inline(always)]
    unsafe fn less(self, other: Self) -> u64 {
        _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self, other)) as u64
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u64, fill: Self) -> Self {
        let lane = _mm256_set_epi64x(8, 4, 2, 1);
        let set = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits as i64), lane), lane);
        _mm256_blendv_pd(fill, self, _mm256_castsi256_pd(set))
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), self));
    }
}

impl Register for __m256 {
    type T = f32;
    const N: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        _mm256_set1_ps(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        _mm256_loadu_ps(from)
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        _mm256_storeu_ps(to, self);
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        _mm256_add_ps(self, other)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        _mm256_sub_ps(self, other)
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        _mm256_min_ps(self, other)
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        _mm256_max_ps(self, other)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        _mm256_fmadd_ps(self, factor, term)
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        _mm256_sqrt_ps(self)
    }
    #[inline(always)]
    unsafe fn less(self, other: Self) -> u64 {
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self, other)) as u64
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u64, fill: Self) -> Self {
        let lane = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
        let set = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), lane), lane);
        _mm256_blendv_ps(fill, self, _mm256_castsi256_ps(set))
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        _mm256_cvtps_pd(_mm256_castps256_ps128(self)).add_to(to);
        _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(self)).add_to(to.add(4));
    }
}

/// The sums of four rows of four: `(r_0 + r_1) + (r_2 + r_3)` each.
#[inline(always)]
pub(super) unsafe fn sum_rows(r0: __m256d, r1: __m256d, r2: __m256d, r3: __m256d) -> __m256d {
    let low = _mm256_hadd_pd(r0, r1);
    let high = _mm256_hadd_pd(r2, r3);
    let crossed = _mm256_permute2f128_pd::<0x21>(low, high);
    _mm256_add_pd(_mm256_blend_pd::<0b1100>(low, high), crossed)
}

/// Sixteen f32 as four sums in f64: `((l + l+8) + (l+4 + l+12))`, l = 0..4.
#[inline(always)]
pub(super) unsafe fn widen(low: __m256, high: __m256) -> __m256d {
    let first = _mm256_add_pd(
        _mm256_cvtps_pd(_mm256_castps256_ps128(low)),
        _mm256_cvtps_pd(_mm256_castps256_ps128(high)),
    );
    let second = _mm256_add_pd(
        _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(low)),
        _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(high)),
    );
    _mm256_add_pd(first, second)
}

/// Parts of 4 rows and 3 registers: 12 sums, 3 columns and a broadcast fill the 16 registers.
macro_rules! multiply_parts {
    ($register:ty, $a:ident, $b:ident, $depth:ident, $c:ident, $resume:ident) => {
        for column in [0, 3 * <$register>::N] {
            for row in [0, ROWS / 2] {
                multiply_part::<$register, { ROWS / 2 }, 3, DIFF>(
                    $a.add(row),
                    $b.add(column),
                    Self::COLUMNS,
                    $depth,
                    $c.add(row * Self::COLUMNS + column),
                    $resume,
                );
            }
        }
    };
}

impl Isa for Avx2F64 {
    type T = f64;
    type R = __m256d;
    const M: usize = 2;

    #[inline(always)]
    unsafe fn run(work: impl Work) {
        run::<Self>(work);
    }
    #[inline(always)]
    unsafe fn multiply<const DIFF: bool>(a: *const f64, b: *const f64, depth: usize, c: *mut f64, resume: bool) {
        multiply_parts!(__m256d, a, b, depth, c, resume);
    }
    #[inline(always)]
    unsafe fn add_row_sums(rows: *const __m256d, to: *mut f64) {
        for half in [0, 4] {
            let mut quads = [_mm256_setzero_pd(); 4];
            for (i, quad) in quads.iter_mut().enumerate() {
                let row = rows.add(2 * (half + i));
                *quad = _mm256_add_pd(*row, *row.add(1));
            }
            sum_rows(quads[0], quads[1], quads[2], quads[3]).add_to(to.add(half));
        }
    }
}

impl Isa for Avx2F32 {
    type T = f32;
    type R = __m256;
    const M: usize = 2;

    #[inline(always)]
    unsafe fn run(work: impl Work) {
        run::<Self>(work);
    }
    #[inline(always)]
    unsafe fn multiply<const DIFF: bool>(a: *const f32, b: *const f32, depth: usize, c: *mut f32, resume: bool) {
        multiply_parts!(__m256, a, b, depth, c, resume);
    }
    #[inline(always)]
    unsafe fn add_row_sums(rows: *const __m256, to: *mut f64) {
        for half in [0, 4] {
            let mut quads = [_mm256_setzero_pd(); 4];
            for (i, quad) in quads.iter_mut().enumerate() {
                let row = rows.add(2 * (half + i));
                *quad = widen(*row, *row.add(1));
            }
            sum_rows(quads[0], quads[1], quads[2], quads[3]).add_to(to.add(half));
        }
    }
}
