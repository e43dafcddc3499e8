//! The hyperbolic tangent of many numbers at once, the same on every platform.
//!
//! The tanh of the standard library is that of the C library: it takes one number at a time, and its result differs
//! between systems, which leads training to another network. Here every step is rounded on its own, in the order of
//! fdlibm's `tanhf` and `expm1f` (Sun Microsystems 1993, whose constants these are). The results equal those of glibc
//! 2.36, which was compared on all 2^32 numbers.
//!
//! ```text
//! |x| >= 1   tanh |x| = 1 - 2 / (m + 2)    where m = exp(2 |x|) - 1
//! |x| < 1    tanh |x| = -m / (m + 2)       where m = exp(-2 |x|) - 1
//! ```
#![allow(unsafe_code)]

use clmatch_kernels::simd::{Isa, Level, Work};

/// Replaces numbers by their hyperbolic tangents.
pub(super) fn tanh(numbers: &mut [f32]) {
    Level::best().run(All(numbers));
}

struct All<'a>(&'a mut [f32]);

impl Work<f32> for All<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f32>>(self) {
        for x in self.0 {
            *x = one(*x);
        }
    }
}

/// ln 2 in two parts, the first with few digits, and 1 / ln 2.
const LN_2: [f32; 2] = [f32::from_bits(0x3f31_7180), f32::from_bits(0x3717_f7d1)];
const PER_LN_2: f32 = f32::from_bits(0x3fb8_aa3b);
/// Below half of ln 2, nothing is subtracted; below 1.5 times ln 2, ln 2 is subtracted once. Both bounds keep only their
/// upper bits.
const HALF: f32 = f32::from_bits(0x3eb1_7218);
const ONE_AND_A_HALF: f32 = f32::from_bits(0x3f85_1592);
/// A rational approximation for the remainder.
const Q: [f32; 5] = [
    f32::from_bits(0xbd08_8889),
    f32::from_bits(0x3ad0_0d01),
    f32::from_bits(0xb8a6_70cd),
    f32::from_bits(0x3686_7e54),
    f32::from_bits(0xb457_edbb),
];

/// Has no branches, so that many numbers can be computed at once.
#[inline(always)]
fn one(x: f32) -> f32 {
    let size = x.abs();
    let large = size >= 1.0;
    // Beyond 22 the result is 1, so computing it from 22 is enough.
    let limited = if size < 22.0 { size } else { 22.0 };
    // SAFETY: the number is at most 22; NaN became 22 as well.
    let m = unsafe { exp_less_one(if large { 2.0 * limited } else { -2.0 * limited }) };
    let quotient = (if large { 2.0 } else { -m }) / (m + 2.0);
    let value = if large { 1.0 - quotient } else { quotient };
    // The tanh of a tiny number is the number itself, with the sign of zero; NaN stays NaN.
    let is_tiny = size < f32::from_bits(0x2400_0000);
    let signed = if is_tiny { x } else { value.copysign(x) };
    if x.is_nan() { x } else { signed }
}

/// exp(x) - 1, correct for x between -2 and 0, and between 2 and 44.
///
/// x = k ln 2 + r, and exp(r) - 1 = r + r^2 / 2 - ... comes from a rational function of r^2; `lost` is what r lost by
/// rounding.
///
/// # Safety
/// x lies between -44 and 44.
#[inline(always)]
unsafe fn exp_less_one(x: f32) -> f32 {
    let size = x.abs();
    // SAFETY: for such x the number is between -65 and 65. A cast would do, but handles one number at a time.
    let rounded: i32 = unsafe { (PER_LN_2 * x + 0.5_f32.copysign(x)).to_int_unchecked() };
    let k = if size > HALF { if size < ONE_AND_A_HALF { -1 } else { rounded } } else { 0 };
    let times = k as f32;
    let (high, low) = (x - times * LN_2[0], times * LN_2[1]);
    let r = high - low;
    let lost = (high - r) - low;
    let half = 0.5 * r;
    let square = r * half;
    let ratio = 1.0 + square * (Q[0] + square * (Q[1] + square * (Q[2] + square * (Q[3] + square * Q[4]))));
    let t = 3.0 - ratio * half;
    let e = square * ((ratio - t) / (6.0 - r * t));
    let near = r - (r * e - square);
    let e = (r * (e - lost) - lost) - square;
    let power = f32::from_bits(((127 - k) as u32) << 23);
    let scaled = |y: f32| f32::from_bits((y.to_bits() as i32).wrapping_add(k << 23) as u32);
    // All alternatives are always computed: selecting one needs no branch.
    let half_less = 0.5 * (r - e) - 0.5;
    let below = scaled(1.0 - (e - r)) - 1.0;
    // From 2^23 on, fdlibm adds in another order, but tanh is 1 there and does not show it.
    let above = scaled((1.0 - power) - (e - r));
    let negative = if k == -1 { half_less } else { below };
    let other = if k < 0 { negative } else { above };
    if k == 0 { near } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes and both signs, `each` per power of two.
    fn examples(each: u32) -> Vec<f32> {
        let step = (1 << 23) / each;
        let sizes =
            (0..=0xff_u32).flat_map(|exponent| (0..each).map(move |at| (exponent << 23) | (at * step + at)));
        sizes.flat_map(|size| [size, size | 0x8000_0000]).map(f32::from_bits).collect()
    }

    #[test]
    fn the_tangent_is_within_two_units_of_that_of_double_precision() {
        let numbers = examples(1001);
        let mut found = numbers.clone();
        tanh(&mut found);
        for (&x, &found) in numbers.iter().zip(&found) {
            let expected = f64::from(x).tanh();
            if x.is_nan() {
                assert!(found.is_nan());
                continue;
            }
            let unit = f64::from((expected as f32).next_up() - expected as f32).abs();
            assert!((f64::from(found) - expected).abs() <= 2.0 * unit, "{x:e}: {found:e} {expected:e}");
            assert_eq!(found.is_sign_negative(), x.is_sign_negative(), "{x:e}");
        }
    }

    #[test]
    fn bits_are_those_of_glibc() {
        let pairs = [(0.1_f32, 0x3dcc_1ebc_u32), (0.75, 0x3f22_991f), (1.0, 0x3f42_f7d6), (5.0, 0x3f7f_fa0d)];
        for (x, expected) in pairs {
            assert_eq!(one(x).to_bits(), expected, "{x}");
        }
        // The hash (FNV-1a, number by number) of the results of `tanhf` of glibc 2.36 for these numbers.
        let numbers = examples(1001).into_iter().filter(|x| !x.is_nan());
        let hash = numbers.fold(0xcbf2_9ce4_8422_2325_u64, |hash, x| {
            (hash ^ u64::from(one(x).to_bits())).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(hash, 0x3f14_3123_c567_773b);
    }

    #[test]
    fn every_level_and_length_gives_the_same_bits() {
        let numbers = examples(37);
        let expected: Vec<u32> = numbers.iter().map(|&x| one(x).to_bits()).collect();
        for level in Level::ALL {
            for length in [0, 1, 15, 16, 17, numbers.len()] {
                let mut found = numbers[numbers.len() - length..].to_vec();
                level.run(All(&mut found));
                let found: Vec<u32> = found.iter().map(|x| x.to_bits()).collect();
                assert_eq!(found, expected[numbers.len() - length..], "{level:?}, {length}");
            }
        }
    }
}
