//! Plain arrays that the compiler turns into instructions that every processor of the target has.

use std::marker::PhantomData;

use crate::simd::isa::{Isa, ROWS, Work};
use crate::simd::register::{Pair, Register};
use crate::simd::tile::multiply_part;

/// The lanes of a portable register: 32 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Lanes<T, const N: usize>([T; N]);

/// The instruction set of any processor, for one scalar type.
#[derive(Debug, Clone, Copy)]
pub struct Portable<T>(PhantomData<T>);

/// Whether every processor of the target has a fused multiply-add. If not, products and sums are rounded
/// separately: without the instruction, a fused multiply-add is a slow library call.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

macro_rules! lanewise {
    ($left:expr, $right:expr, |$x:ident, $y:ident| $result:expr) => {{
        let mut out = $left.0;
        for (value, other) in out.iter_mut().zip($right.0) {
            let ($x, $y) = (*value, other);
            *value = $result;
        }
        Lanes(out)
    }};
}

macro_rules! portable {
    ($float:ty, $n:literal) => {
        impl Register for Lanes<$float, $n> {
            type T = $float;
            const N: usize = $n;

            #[inline(always)]
            unsafe fn splat(value: $float) -> Self {
                Lanes([value; $n])
            }
            #[inline(always)]
            unsafe fn load(from: *const $float) -> Self {
                // SAFETY: the caller guarantees N numbers.
                unsafe { Lanes(from.cast::<[$float; $n]>().read_unaligned()) }
            }
            #[inline(always)]
            unsafe fn load_single(from: *const f32) -> Self {
                // SAFETY: the caller guarantees N numbers.
                Lanes(unsafe { from.cast::<[f32; $n]>().read_unaligned() }.map(<$float>::from))
            }
            #[inline(always)]
            unsafe fn gather(from: *const $float, places: *const u32) -> Self {
                // SAFETY: the caller guarantees N places, and a number at each of them.
                unsafe {
                    let places = places.cast::<[u32; $n]>().read_unaligned();
                    Lanes(places.map(|place| from.add(place as usize).read_unaligned()))
                }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $float) {
                // SAFETY: the caller guarantees N numbers.
                unsafe { to.cast::<[$float; $n]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                lanewise!(self, other, |x, y| x + y)
            }
            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                lanewise!(self, other, |x, y| x - y)
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                lanewise!(self, other, |x, y| x * y)
            }
            #[inline(always)]
            unsafe fn min(self, other: Self) -> Self {
                lanewise!(self, other, |x, y| if x < y { x } else { y })
            }
            #[inline(always)]
            unsafe fn max(self, other: Self) -> Self {
                lanewise!(self, other, |x, y| if x > y { x } else { y })
            }
            #[inline(always)]
            unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
                let mut out = term.0;
                for (sum, (x, y)) in out.iter_mut().zip(self.0.into_iter().zip(factor.0)) {
                    *sum = if FUSED { x.mul_add(y, *sum) } else { x * y + *sum };
                }
                Lanes(out)
            }
            #[inline(always)]
            unsafe fn sqrt(self) -> Self {
                Lanes(self.0.map(<$float>::sqrt))
            }
            #[inline(always)]
            unsafe fn root(self) -> [Self; 2] {
                [Lanes(self.0.map(<$float>::sqrt)), Lanes([1.0; $n])]
            }
            #[inline(always)]
            unsafe fn less(self, other: Self) -> u64 {
                let mut bits = 0;
                for (lane, (x, y)) in self.0.iter().zip(&other.0).enumerate() {
                    bits |= u64::from(x < y) << lane;
                }
                bits
            }
            #[inline(always)]
            unsafe fn keep(self, bits: u64, fill: Self) -> Self {
                let mut out = fill.0;
                for (lane, value) in out.iter_mut().enumerate() {
                    if bits >> lane & 1 == 1 {
                        *value = self.0[lane];
                    }
                }
                Lanes(out)
            }
            #[inline(always)]
            unsafe fn add_to(self, to: *mut f64) {
                for (lane, value) in self.0.iter().enumerate() {
                    // SAFETY: the caller guarantees N doubles.
                    unsafe { *to.add(lane) += f64::from(*value) };
                }
            }
        }

        impl Isa for Portable<$float> {
            type T = $float;
            type R = Lanes<$float, $n>;
            type Group = Pair<Lanes<$float, $n>>;
            type Side = Self::R;

            #[inline(always)]
            unsafe fn run<W: Work<$float>>(work: W) -> W::Output {
                // SAFETY: no instruction set is required.
                unsafe { work.work::<Self>() }
            }
            #[inline(always)]
            fn fused(a: f64, b: f64, c: f64) -> f64 {
                if FUSED { a.mul_add(b, c) } else { a * b + c }
            }
            /// Parts of 2 rows and 2 registers.
            #[inline(always)]
            unsafe fn multiply<const WIDTH: usize, const DIFF: bool>(
                (a, step): (*const $float, usize),
                b: *const $float,
                columns: usize,
                depth: usize,
                c: *mut $float,
                resume: bool,
            ) {
                for column in (0..columns).step_by(2 * $n) {
                    for row in (0..ROWS).step_by(2) {
                        // SAFETY: the caller guarantees the tile, of which this is a part.
                        unsafe {
                            let corner = c.add(row * columns + column);
                            let (a, b) = (a.add(row), b.add(column));
                            multiply_part::<Self::R, 2, 2, DIFF>(
                                (a, step),
                                b,
                                columns,
                                depth,
                                corner,
                                resume,
                            );
                        }
                    }
                }
            }
            const TRANSPOSED: usize = 1;
            #[inline(always)]
            unsafe fn transpose_centred(
                rows: &[*const $float; ROWS],
                centre: *const $float,
                to: *mut $float,
                _width: usize,
            ) {
                for (lane, row) in rows.iter().enumerate() {
                    // SAFETY: the caller guarantees one feature of ROWS rows.
                    unsafe { *to.add(lane) = **row - *centre };
                }
            }
            #[inline(always)]
            unsafe fn add_row_sums(rows: *const Self::R, to: *mut f64) {
                for i in 0..ROWS {
                    // SAFETY: the caller guarantees ROWS groups of two registers and ROWS doubles.
                    unsafe {
                        let (low, high) = (*rows.add(2 * i), *rows.add(2 * i + 1));
                        let folded = lanewise!(low, high, |x, y| x + y).0;
                        // Neighbours are added first, as by the horizontal additions of the other instruction sets.
                        let quad = |l: usize| (folded[l] + folded[l + 1]) + (folded[l + 2] + folded[l + 3]);
                        let sum = if $n == 8 { quad(0) + quad($n - 4) } else { quad(0) };
                        *to.add(i) += f64::from(sum);
                    }
                }
            }
        }
    };
}

portable!(f64, 4);
portable!(f32, 8);
