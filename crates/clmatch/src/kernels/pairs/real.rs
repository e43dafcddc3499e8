//! The constants that depend on the precision of the numbers.

use clmatch_kernels::simd::Float;

/// The numbers that the kernel computes with.
///
/// With `s = |x - c|^2 + |y - c|^2`, the product form `s - 2 (x - c)'(y - c)` of a squared distance is off by some
/// `e s`, where e is a few units of rounding; it is kept from `GUARD s + TINY` upwards, so that its relative error is
/// at most `e / GUARD`, and computed from differences below.
pub(super) trait FloatPrecision: Float {
    const MINUS_TWO: Self;
    /// -GUARD: where cancellation begins to matter.
    const MINUS_GUARD: Self;
    /// Where underflow begins to matter.
    const TINY: Self;
    /// Up to this many features, differences are as fast as products.
    const FEW_FEATURES: usize;
    /// Features that are multiplied before sums are stored: as many of a block as stay in the cache.
    const DEPTH: usize;
}

impl FloatPrecision for f64 {
    const MINUS_TWO: f64 = -2.0;
    /// 2^-17: about 64 roundings of 1.1e-16 leave 1e-9 at the very worst, 1e-11 as a rule.
    const MINUS_GUARD: f64 = -1.0 / 131_072.0;
    const TINY: f64 = 1e-280;
    const FEW_FEATURES: usize = 6;
    const DEPTH: usize = 256;
}

impl FloatPrecision for f32 {
    const MINUS_TWO: f32 = -2.0;
    /// 2^-4: about 64 roundings of 6e-8 leave 5e-6 of a squared distance in the worst case seen, 1e-7 as a rule.
    const MINUS_GUARD: f32 = -1.0 / 16.0;
    const TINY: f32 = 1e-30;
    const FEW_FEATURES: usize = 8;
    const DEPTH: usize = 256;
}
