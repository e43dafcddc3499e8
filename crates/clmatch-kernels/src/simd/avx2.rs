//! AVX2 with fused multiply-add: 16 registers of 4 f64 or 8 f32.

// Bodies of `unsafe fn` are single intrinsics; the traits say what the caller must guarantee.
#![allow(unsafe_op_in_unsafe_fn)]

use std::arch::x86_64::*;
use std::marker::PhantomData;

use crate::simd::isa::{Isa, ROWS, Work};
use crate::simd::register::{Pair, Register};
use crate::simd::tile::multiply_part;
use crate::simd::x86::arithmetic;

/// AVX2 for one scalar type.
#[derive(Debug, Clone, Copy)]
pub struct Avx2<T>(PhantomData<T>);

#[target_feature(enable = "avx2,fma")]
unsafe fn run<I: Isa, W: Work<I::T>>(work: W) -> W::Output {
    work.work::<I>()
}

impl Register for __m256d {
    type T = f64;
    const N: usize = 4;

    arithmetic!(
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd,
        _mm256_min_pd,
        _mm256_max_pd,
        _mm256_fmadd_pd,
        _mm256_sqrt_pd
    );
    #[inline(always)]
    unsafe fn load_single(from: *const f32) -> Self {
        _mm256_cvtps_pd(_mm_loadu_ps(from))
    }
    #[inline(always)]
    unsafe fn gather(from: *const f64, places: *const u32) -> Self {
        _mm256_i32gather_pd::<8>(from, _mm_loadu_si128(places.cast()))
    }
    #[inline(always)]
    unsafe fn root(self) -> [Self; 2] {
        [_mm256_sqrt_pd(self), _mm256_set1_pd(1.0)]
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

    arithmetic!(
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_min_ps,
        _mm256_max_ps,
        _mm256_fmadd_ps,
        _mm256_sqrt_ps
    );
    #[inline(always)]
    unsafe fn load_single(from: *const f32) -> Self {
        _mm256_loadu_ps(from)
    }
    #[inline(always)]
    unsafe fn gather(from: *const f32, places: *const u32) -> Self {
        _mm256_i32gather_ps::<4>(from, _mm256_loadu_si256(places.cast()))
    }
    #[inline(always)]
    unsafe fn root(self) -> [Self; 2] {
        [_mm256_sqrt_ps(self), _mm256_set1_ps(1.0)]
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
pub(crate) unsafe fn sum_rows(r0: __m256d, r1: __m256d, r2: __m256d, r3: __m256d) -> __m256d {
    let low = _mm256_hadd_pd(r0, r1);
    let high = _mm256_hadd_pd(r2, r3);
    let crossed = _mm256_permute2f128_pd::<0x21>(low, high);
    _mm256_add_pd(_mm256_blend_pd::<0b1100>(low, high), crossed)
}

/// The sums of eight rows of eight: `((r_0 + r_1) + (r_2 + r_3)) + ((r_4 + r_5) + (r_6 + r_7))` each, as f64.
#[inline(always)]
pub(crate) unsafe fn add_row_sums_f32(r: [__m256; ROWS], to: *mut f64) {
    let low = _mm256_hadd_ps(_mm256_hadd_ps(r[0], r[1]), _mm256_hadd_ps(r[2], r[3]));
    let high = _mm256_hadd_ps(_mm256_hadd_ps(r[4], r[5]), _mm256_hadd_ps(r[6], r[7]));
    let crossed = _mm256_permute2f128_ps::<0x21>(low, high);
    _mm256_add_ps(_mm256_blend_ps::<0b1111_0000>(low, high), crossed).add_to(to);
}

/// [`Isa::transpose_centred`] for f64: four features of eight rows, as two squares of four.
#[inline(always)]
pub(crate) unsafe fn transpose_f64(
    rows: &[*const f64; ROWS],
    centre: *const f64,
    to: *mut f64,
    width: usize,
) {
    let centre = _mm256_loadu_pd(centre);
    for half in [0, 4] {
        let mut r = [centre; 4];
        for (i, r) in r.iter_mut().enumerate() {
            *r = _mm256_sub_pd(_mm256_loadu_pd(rows[half + i]), centre);
        }
        let (a, b) = (_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpackhi_pd(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_pd(r[2], r[3]), _mm256_unpackhi_pd(r[2], r[3]));
        let to = to.add(half);
        _mm256_storeu_pd(to, _mm256_permute2f128_pd::<0x20>(a, c));
        _mm256_storeu_pd(to.add(width), _mm256_permute2f128_pd::<0x20>(b, d));
        _mm256_storeu_pd(to.add(2 * width), _mm256_permute2f128_pd::<0x31>(a, c));
        _mm256_storeu_pd(to.add(3 * width), _mm256_permute2f128_pd::<0x31>(b, d));
    }
}

/// [`Isa::transpose_centred`] for f32: eight features of eight rows.
#[inline(always)]
pub(crate) unsafe fn transpose_f32(
    rows: &[*const f32; ROWS],
    centre: *const f32,
    to: *mut f32,
    width: usize,
) {
    let centre = _mm256_loadu_ps(centre);
    let mut r = [centre; ROWS];
    for (r, row) in r.iter_mut().zip(rows) {
        *r = _mm256_sub_ps(_mm256_loadu_ps(*row), centre);
    }
    // Pairs of rows, then squares of four within each half, then the halves.
    let mut squares = [centre; ROWS];
    for half in [0, 4] {
        let (a, b) = (_mm256_unpacklo_ps(r[half], r[half + 1]), _mm256_unpackhi_ps(r[half], r[half + 1]));
        let (c, d) =
            (_mm256_unpacklo_ps(r[half + 2], r[half + 3]), _mm256_unpackhi_ps(r[half + 2], r[half + 3]));
        squares[half] = _mm256_shuffle_ps::<0x44>(a, c);
        squares[half + 1] = _mm256_shuffle_ps::<0xee>(a, c);
        squares[half + 2] = _mm256_shuffle_ps::<0x44>(b, d);
        squares[half + 3] = _mm256_shuffle_ps::<0xee>(b, d);
    }
    for k in 0..4 {
        _mm256_storeu_ps(to.add(k * width), _mm256_permute2f128_ps::<0x20>(squares[k], squares[k + 4]));
        _mm256_storeu_ps(to.add((k + 4) * width), _mm256_permute2f128_ps::<0x31>(squares[k], squares[k + 4]));
    }
}

/// The code that f64 and f32 share.
macro_rules! avx2 {
    ($float:ty, $register:ty) => {
        type T = $float;
        type R = $register;
        type Group = Pair<$register>;
        type Side = $register;

        #[inline(always)]
        unsafe fn run<W: Work<$float>>(work: W) -> W::Output {
            run::<Self, W>(work)
        }
        #[inline(always)]
        fn fused(a: f64, b: f64, c: f64) -> f64 {
            a.mul_add(b, c)
        }
        /// Parts of at most 4 rows and 3 registers: 12 sums, 3 columns and a broadcast fill the 16 registers.
        #[inline(always)]
        unsafe fn multiply<const WIDTH: usize, const DIFF: bool>(
            (a, step): (*const $float, usize),
            b: *const $float,
            columns: usize,
            depth: usize,
            c: *mut $float,
            resume: bool,
        ) {
            for column in (0..columns).step_by(WIDTH * <$register>::N) {
                for row in [0, ROWS / 2] {
                    multiply_part::<$register, { ROWS / 2 }, WIDTH, DIFF>(
                        (a.add(row), step),
                        b.add(column),
                        columns,
                        depth,
                        c.add(row * columns + column),
                        resume,
                    );
                }
            }
        }
    };
}

impl Isa for Avx2<f64> {
    avx2!(f64, __m256d);
    const TRANSPOSED: usize = 4;
    #[inline(always)]
    unsafe fn transpose_centred(rows: &[*const f64; ROWS], centre: *const f64, to: *mut f64, width: usize) {
        transpose_f64(rows, centre, to, width);
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

impl Isa for Avx2<f32> {
    avx2!(f32, __m256);
    const TRANSPOSED: usize = 8;
    #[inline(always)]
    unsafe fn transpose_centred(rows: &[*const f32; ROWS], centre: *const f32, to: *mut f32, width: usize) {
        transpose_f32(rows, centre, to, width);
    }
    #[inline(always)]
    unsafe fn add_row_sums(rows: *const __m256, to: *mut f64) {
        let mut folded = [_mm256_setzero_ps(); ROWS];
        for (i, folded) in folded.iter_mut().enumerate() {
            *folded = _mm256_add_ps(*rows.add(2 * i), *rows.add(2 * i + 1));
        }
        add_row_sums_f32(folded, to);
    }
}
