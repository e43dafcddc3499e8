//! AVX-512: 32 registers of 8 f64 or 16 f32.

// Bodies of `unsafe fn` are single intrinsics; what the caller owes is said at the traits.
#![allow(unsafe_op_in_unsafe_fn)]

use std::arch::x86_64::*;

use super::avx2::{add_row_sums_f32, sum_rows, turn_f32, turn_f64};
use super::simd::{GROUPS, Isa, ROWS, Register, Work, multiply_part};

/// AVX-512, f64.
#[derive(Clone, Copy)]
pub(super) struct Avx512F64;
/// AVX-512, f32.
#[derive(Clone, Copy)]
pub(super) struct Avx512F32;

/// Whether the processor has all that this file uses.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn run<I: Isa>(work: impl Work<I>) {
    work.work();
}

impl Register for __m512d {
    type T = f64;
    const N: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        _mm512_set1_pd(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        _mm512_loadu_pd(from)
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        _mm512_storeu_pd(to, self);
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        _mm512_add_pd(self, other)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        _mm512_sub_pd(self, other)
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        _mm512_min_pd(self, other)
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        _mm512_max_pd(self, other)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        _mm512_fmadd_pd(self, factor, term)
    }
    /// From an estimate y of 1/sqrt(a) good to 2^-14: with g = a y and e = 1 - g y, sqrt(a) = g / sqrt(1 - e)
    /// = g (1 + e/2 + 3/8 e^2 + 5/16 e^3 + ..), and e^4 is below the last place. A quarter of the time of `vsqrtpd`.
    #[inline(always)]
    unsafe fn root(self) -> [Self; 2] {
        let y = _mm512_rsqrt14_pd(_mm512_max_pd(self, _mm512_set1_pd(f64::MIN_POSITIVE)));
        let g = _mm512_mul_pd(self, y);
        let e = _mm512_fnmadd_pd(g, y, _mm512_set1_pd(1.0));
        let t = _mm512_fmadd_pd(e, _mm512_set1_pd(5.0 / 16.0), _mm512_set1_pd(3.0 / 8.0));
        let t = _mm512_fmadd_pd(e, t, _mm512_set1_pd(0.5));
        [g, _mm512_fmadd_pd(e, t, _mm512_set1_pd(1.0))]
    }
    #[inline(always)]
    unsafe fn less(self, other: Self) -> u64 {
        u64::from(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self, other))
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u64, fill: Self) -> Self {
        _mm512_mask_blend_pd(bits as u8, fill, self)
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), self));
    }
}

impl Register for __m512 {
    type T = f32;
    const N: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        _mm512_set1_ps(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        _mm512_loadu_ps(from)
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        _mm512_storeu_ps(to, self);
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        _mm512_add_ps(self, other)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        _mm512_sub_ps(self, other)
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        _mm512_min_ps(self, other)
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        _mm512_max_ps(self, other)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        _mm512_fmadd_ps(self, factor, term)
    }
    /// As for f64 with one term: g (1 + e/2) = g (3 - g y) / 2.
    #[inline(always)]
    unsafe fn root(self) -> [Self; 2] {
        let y = _mm512_rsqrt14_ps(_mm512_max_ps(self, _mm512_set1_ps(f32::MIN_POSITIVE)));
        let g = _mm512_mul_ps(self, y);
        [g, _mm512_fnmadd_ps(g, y, _mm512_set1_ps(3.0))]
    }
    const ROOT: f64 = 0.5;
    #[inline(always)]
    unsafe fn less(self, other: Self) -> u64 {
        u64::from(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self, other))
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u64, fill: Self) -> Self {
        _mm512_mask_blend_ps(bits as u16, fill, self)
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        _mm512_cvtps_pd(_mm512_castps512_ps256(self)).add_to(to);
        _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(self)).add_to(to.add(8));
    }
}

/// Upper half plus lower half.
#[inline(always)]
unsafe fn fold(lanes: __m512d) -> __m256d {
    _mm256_add_pd(_mm512_castpd512_pd256(lanes), _mm512_extractf64x4_pd::<1>(lanes))
}

impl Isa for Avx512F64 {
    type T = f64;
    type R = __m512d;
    type Side = __m512d;
    const M: usize = 1;

    #[inline(always)]
    unsafe fn run(work: impl Work<Self>) {
        run(work);
    }
    #[inline(always)]
    unsafe fn multiply<const DIFF: bool>(
        a: *const f64,
        b: *const f64,
        depth: usize,
        c: *mut f64,
        resume: bool,
    ) {
        multiply_part::<__m512d, ROWS, GROUPS, DIFF>(a, b, Self::COLUMNS, depth, c, resume);
    }
    const TURNED: usize = 4;
    #[inline(always)]
    fn prefetch(address: *const f64) {
        // SAFETY: a prefetch never faults, and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[inline(always)]
    unsafe fn turn(rows: &[*const f64; ROWS], centre: *const f64, to: *mut f64, width: usize) {
        turn_f64(rows, centre, to, width);
    }
    #[inline(always)]
    unsafe fn add_row_sums(rows: *const __m512d, to: *mut f64) {
        for half in [0, 4] {
            let r = rows.add(half);
            let sums = sum_rows(fold(*r), fold(*r.add(1)), fold(*r.add(2)), fold(*r.add(3)));
            sums.add_to(to.add(half));
        }
    }
}

impl Isa for Avx512F32 {
    type T = f32;
    type R = __m512;
    type Side = __m256;
    const M: usize = 1;

    #[inline(always)]
    unsafe fn run(work: impl Work<Self>) {
        run(work);
    }
    #[inline(always)]
    unsafe fn multiply<const DIFF: bool>(
        a: *const f32,
        b: *const f32,
        depth: usize,
        c: *mut f32,
        resume: bool,
    ) {
        multiply_part::<__m512, ROWS, GROUPS, DIFF>(a, b, Self::COLUMNS, depth, c, resume);
    }
    const TURNED: usize = 8;
    #[inline(always)]
    fn prefetch(address: *const f32) {
        // SAFETY: a prefetch never faults, and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[inline(always)]
    unsafe fn turn(rows: &[*const f32; ROWS], centre: *const f32, to: *mut f32, width: usize) {
        turn_f32(rows, centre, to, width);
    }
    #[inline(always)]
    unsafe fn add_row_sums(rows: *const __m512, to: *mut f64) {
        let mut folded = [_mm256_setzero_ps(); ROWS];
        for (i, folded) in folded.iter_mut().enumerate() {
            let row = *rows.add(i);
            *folded = _mm256_add_ps(_mm512_castps512_ps256(row), _mm512_extractf32x8_ps::<1>(row));
        }
        add_row_sums_f32(folded, to);
    }
}
