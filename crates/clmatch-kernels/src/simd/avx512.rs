//! AVX-512: 32 registers of 8 f64 or 16 f32.

// Bodies of `unsafe fn` are single intrinsics; the traits say what the caller must guarantee.
#![allow(unsafe_op_in_unsafe_fn)]

use std::arch::x86_64::*;
use std::marker::PhantomData;

use crate::simd::avx2::{add_row_sums_f32, sum_rows, transpose_f32};
use crate::simd::isa::{Isa, ROWS, Work};
use crate::simd::register::Register;
use crate::simd::tile::multiply_part;
use crate::simd::x86::arithmetic;

/// AVX-512 for one scalar type.
#[derive(Debug, Clone, Copy)]
pub struct Avx512<T>(PhantomData<T>);

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn run<I: Isa, W: Work<I::T>>(work: W) -> W::Output {
    work.work::<I>()
}

impl Register for __m512d {
    type T = f64;
    const N: usize = 8;

    arithmetic!(
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd,
        _mm512_min_pd,
        _mm512_max_pd,
        _mm512_fmadd_pd,
        _mm512_sqrt_pd
    );
    #[inline(always)]
    unsafe fn load_single(from: *const f32) -> Self {
        _mm512_cvtps_pd(_mm256_loadu_ps(from))
    }
    #[inline(always)]
    unsafe fn gather(from: *const f64, places: *const u32) -> Self {
        _mm512_i32gather_pd::<8>(_mm256_loadu_si256(places.cast()), from)
    }
    /// Starts from an estimate y of 1/sqrt(a), good to 2^-14. With g = a y and e = 1 - g y, sqrt(a) = g / sqrt(1 - e)
    /// = g (1 + e/2 + 3/8 e^2 + 5/16 e^3 + ..), and e^4 is below the last place. Takes a quarter of the time of `vsqrtpd`.
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

    arithmetic!(
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_mul_ps,
        _mm512_min_ps,
        _mm512_max_ps,
        _mm512_fmadd_ps,
        _mm512_sqrt_ps
    );
    #[inline(always)]
    unsafe fn load_single(from: *const f32) -> Self {
        _mm512_loadu_ps(from)
    }
    #[inline(always)]
    unsafe fn gather(from: *const f32, places: *const u32) -> Self {
        _mm512_i32gather_ps::<4>(_mm512_loadu_si512(places.cast()), from)
    }
    /// Like the one for f64, with one term: g (1 + e/2) = g (3 - g y) / 2.
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

/// The code that f64 and f32 share.
macro_rules! avx512 {
    ($float:ty, $register:ty, $side:ty) => {
        type T = $float;
        type R = $register;
        type Group = $register;
        type Side = $side;

        #[inline(always)]
        unsafe fn run<W: Work<$float>>(work: W) -> W::Output {
            run::<Self, W>(work)
        }
        #[inline(always)]
        fn fused(a: f64, b: f64, c: f64) -> f64 {
            a.mul_add(b, c)
        }
        /// Parts of at most all 8 rows and 3 registers: 24 sums, 3 columns and a broadcast, of 32 registers.
        #[inline(always)]
        unsafe fn multiply<const WIDTH: usize, const DIFF: bool>(
            a: (*const $float, usize),
            b: *const $float,
            columns: usize,
            depth: usize,
            c: *mut $float,
            resume: bool,
        ) {
            for column in (0..columns).step_by(WIDTH * <$register>::N) {
                let (b, c) = (b.add(column), c.add(column));
                multiply_part::<$register, ROWS, WIDTH, DIFF>(a, b, columns, depth, c, resume);
            }
        }
    };
}

impl Isa for Avx512<f64> {
    avx512!(f64, __m512d, __m512d);
    const TRANSPOSED: usize = 4;
    #[inline(always)]
    unsafe fn transpose_centred(rows: &[*const f64; ROWS], centre: *const f64, to: *mut f64, width: usize) {
        let centre = _mm512_broadcast_f64x4(_mm256_loadu_pd(centre));
        // Every other row, so that the halves of the results come out in order.
        let mut r = [centre; 4];
        for (r, [low, high]) in r.iter_mut().zip([[0, 2], [1, 3], [4, 6], [5, 7]]) {
            let low = _mm512_castpd256_pd512(_mm256_loadu_pd(rows[low]));
            *r = _mm512_sub_pd(_mm512_insertf64x4::<1>(low, _mm256_loadu_pd(rows[high])), centre);
        }
        let [r0, r1, r4, r5] = r;
        let (a, b) = (_mm512_unpacklo_pd(r0, r1), _mm512_unpackhi_pd(r0, r1));
        let (c, d) = (_mm512_unpacklo_pd(r4, r5), _mm512_unpackhi_pd(r4, r5));
        _mm512_storeu_pd(to, _mm512_shuffle_f64x2::<0x88>(a, c));
        _mm512_storeu_pd(to.add(width), _mm512_shuffle_f64x2::<0x88>(b, d));
        _mm512_storeu_pd(to.add(2 * width), _mm512_shuffle_f64x2::<0xdd>(a, c));
        _mm512_storeu_pd(to.add(3 * width), _mm512_shuffle_f64x2::<0xdd>(b, d));
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

impl Isa for Avx512<f32> {
    avx512!(f32, __m512, __m256);
    const TRANSPOSED: usize = 8;
    #[inline(always)]
    unsafe fn transpose_centred(rows: &[*const f32; ROWS], centre: *const f32, to: *mut f32, width: usize) {
        transpose_f32(rows, centre, to, width);
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
