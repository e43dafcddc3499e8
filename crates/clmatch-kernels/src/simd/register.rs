//! Registers: the one abstraction in which kernels are written.

use crate::simd::float::Float;

/// `N` numbers that are processed at once: a register of the processor, or two of them side by side ([`Pair`]).
///
/// # Safety
/// Every method needs the processor to have the instruction set of the register; pointers must be valid for `N`
/// numbers (no alignment is required).
#[allow(clippy::missing_safety_doc, reason = "what callers owe is the same for all methods, and said above")]
pub trait Register: Copy {
    /// The type of the numbers.
    type T: Float;
    /// How many numbers the register holds.
    const N: usize;

    /// The same number in all lanes.
    unsafe fn splat(value: Self::T) -> Self;
    /// Reads `N` numbers.
    unsafe fn load(from: *const Self::T) -> Self;
    /// Reads `N` numbers of single precision, and widens them if the register's numbers are wider.
    unsafe fn load_single(from: *const f32) -> Self;
    /// Reads `from[places[l]]` into lane l.
    ///
    /// # Safety
    /// `places` is valid for `N` numbers, and each of them is a place in `from` below 2^31.
    unsafe fn gather(from: *const Self::T, places: *const u32) -> Self;
    /// Writes `N` numbers.
    unsafe fn store(self, to: *mut Self::T);
    /// `self + other`.
    unsafe fn add(self, other: Self) -> Self;
    /// `self - other`.
    unsafe fn sub(self, other: Self) -> Self;
    /// `self * other`.
    unsafe fn mul(self, other: Self) -> Self;
    /// The smaller number in each lane.
    unsafe fn min(self, other: Self) -> Self;
    /// The larger number in each lane.
    unsafe fn max(self, other: Self) -> Self;
    /// `self * factor + term`, rounded once if the instruction set can.
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self;
    /// The square root, correctly rounded.
    unsafe fn sqrt(self) -> Self;
    /// Two factors (g, t) of the square root: sqrt = `ROOT` g t, within two units in the last place; g is 0 for 0.
    /// The result is in factors because a fused multiply-add then costs no more than an addition.
    unsafe fn root(self) -> [Self; 2];
    /// A power of two; see [`Register::root`].
    const ROOT: f64 = 1.0;
    /// Bit l is set where `self[l] < other[l]`.
    unsafe fn less(self, other: Self) -> u64;
    /// `self[l]` where bit l is set, `fill[l]` elsewhere.
    unsafe fn keep(self, bits: u64, fill: Self) -> Self;
    /// Adds the `N` numbers to `N` doubles.
    unsafe fn add_to(self, to: *mut f64);
}

/// Two registers that work as one with twice as many numbers.
#[derive(Debug, Clone, Copy)]
pub struct Pair<R>(R, R);

// What the caller must guarantee for a pair is what it must guarantee for both registers.
#[allow(unsafe_op_in_unsafe_fn)]
impl<R: Register> Register for Pair<R> {
    type T = R::T;
    const N: usize = 2 * R::N;

    #[inline(always)]
    unsafe fn splat(value: R::T) -> Self {
        Pair(R::splat(value), R::splat(value))
    }
    #[inline(always)]
    unsafe fn load(from: *const R::T) -> Self {
        Pair(R::load(from), R::load(from.add(R::N)))
    }
    #[inline(always)]
    unsafe fn load_single(from: *const f32) -> Self {
        Pair(R::load_single(from), R::load_single(from.add(R::N)))
    }
    #[inline(always)]
    unsafe fn gather(from: *const R::T, places: *const u32) -> Self {
        Pair(R::gather(from, places), R::gather(from, places.add(R::N)))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut R::T) {
        self.0.store(to);
        self.1.store(to.add(R::N));
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Pair(self.0.add(other.0), self.1.add(other.1))
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Pair(self.0.sub(other.0), self.1.sub(other.1))
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        Pair(self.0.mul(other.0), self.1.mul(other.1))
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        Pair(self.0.min(other.0), self.1.min(other.1))
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        Pair(self.0.max(other.0), self.1.max(other.1))
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        Pair(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1))
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        Pair(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    unsafe fn root(self) -> [Self; 2] {
        let ([g, t], [h, u]) = (self.0.root(), self.1.root());
        [Pair(g, h), Pair(t, u)]
    }
    const ROOT: f64 = R::ROOT;
    #[inline(always)]
    unsafe fn less(self, other: Self) -> u64 {
        self.0.less(other.0) | self.1.less(other.1) << R::N
    }
    #[inline(always)]
    unsafe fn keep(self, bits: u64, fill: Self) -> Self {
        Pair(self.0.keep(bits, fill.0), self.1.keep(bits >> R::N, fill.1))
    }
    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        self.0.add_to(to);
        self.1.add_to(to.add(R::N));
    }
}

#[cfg(test)]
mod tests;
