//! Sums over two slices, in lanes that do not wait for each other and are added in a fixed order.
//!
//! [`dot`] and [`squared_distance`] round product by product and give the same bits on every processor. [`squared_gap`] and the
//! kernels in [`products`](crate::simd::products) and [`tiles`](crate::simd::tiles) fuse where the processor can.

use crate::simd::isa::LANES;
use crate::simd::register::Register;

/// Sums up `add(sum, a_i, b_i)` in `N` lanes; lane l takes every N-th i from l on. Also returns what is left over
/// if the length is not a multiple of `N`.
///
/// Time: O(n). Memory: O(1).
#[inline(always)]
pub fn in_lanes<'a, A: Copy, B: Copy, const N: usize>(
    a: &'a [A],
    b: &'a [B],
    lanes: &mut [f64; N],
    add: impl Fn(f64, A, B) -> f64,
) -> (&'a [A], &'a [B]) {
    let (a, a_rest) = a.as_chunks::<N>();
    let (b, b_rest) = b.as_chunks::<N>();
    for (a, b) in a.iter().zip(b) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
            *lane = add(*lane, a, b);
        }
    }
    (a_rest, b_rest)
}

/// [`in_lanes`], and the sum of what is left over.
#[inline(always)]
pub fn in_lanes_and_rest<A: Copy, B: Copy, const N: usize>(
    a: &[A],
    b: &[B],
    add: impl Fn(f64, A, B) -> f64,
) -> ([f64; N], f64) {
    let mut lanes = [0.0; N];
    let (a, b) = in_lanes(a, b, &mut lanes, &add);
    let rest = a.iter().zip(b).fold(0.0, |sum, (&a, &b)| add(sum, a, b));
    (lanes, rest)
}

/// The sum of products, in eight lanes.
#[must_use]
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (lanes, rest) = in_lanes_and_rest::<_, _, 8>(a, b, |sum, a, b| sum + a * b);
    lanes.iter().sum::<f64>() + rest
}

/// The squared Euclidean distance, in eight lanes.
#[must_use]
#[inline]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let (lanes, rest) = in_lanes_and_rest::<_, _, 8>(a, b, |sum, a, b| sum + (a - b) * (a - b));
    lanes.iter().sum::<f64>() + rest
}

/// `|a - b|^2` of vectors of whole groups, fused where the processor can; for use as part of other work.
///
/// Time: O(n). Memory: O(1).
///
/// # Panics
/// If the lengths differ or are not multiples of [`LANES`].
///
/// # Safety
/// The processor has the instruction set of `V`.
#[inline(always)]
pub unsafe fn squared_gap<V: Register<T = f64>>(a: &[f64], b: &[f64]) -> f64 {
    assert!(a.len() == b.len() && a.len().is_multiple_of(LANES));
    // SAFETY: the caller guarantees the instruction set, the assertion the sizes.
    unsafe {
        let mut sum = V::splat(0.0);
        let mut at = 0;
        while at < a.len() {
            let gap = V::load(a.as_ptr().add(at)).sub(V::load(b.as_ptr().add(at)));
            sum = gap.mul_add(gap, sum);
            at += LANES;
        }
        total(sum)
    }
}

/// The sum of the eight lanes of a group, in the same order for all instruction sets.
///
/// # Safety
/// The processor has the instruction set of `V`.
#[inline(always)]
pub unsafe fn total<V: Register<T = f64>>(lanes: V) -> f64 {
    let mut a = [0.0; LANES];
    const { assert!(V::N == LANES) };
    // SAFETY: the array has eight places.
    unsafe { lanes.store(a.as_mut_ptr()) };
    ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::isa::{Isa, Work};
    use crate::simd::level::Level;

    struct Gap<'a>(&'a [f64], &'a [f64]);

    impl Work<f64> for Gap<'_> {
        type Output = f64;

        #[inline(always)]
        unsafe fn work<I: Isa<T = f64>>(self) -> f64 {
            // SAFETY: the caller guarantees the instruction set.
            unsafe { squared_gap::<I::Group>(self.0, self.1) }
        }
    }

    #[test]
    fn gaps_are_distances() {
        for len in [0, 8, 16, 40] {
            let a: Vec<f64> = (0..len).map(f64::from).collect();
            let b: Vec<f64> = (0..len).map(|x| f64::from(x * x)).collect();
            for level in Level::ALL {
                // Whole numbers are exact in any order.
                assert_eq!(level.run(Gap(&a, &b)), squared_distance(&a, &b), "{level:?}");
            }
        }
    }

    #[test]
    fn sums_do_not_lose_the_rest() {
        for len in [0, 1, 7, 8, 9, 19, 40] {
            let a: Vec<f64> = (0..len).map(f64::from).collect();
            let b: Vec<f64> = (0..len).map(|x| f64::from(x) + 2.0).collect();
            assert_eq!(squared_distance(&a, &b), 4.0 * f64::from(len));
            assert_eq!(dot(&a, &b), (0..len).map(|x| f64::from(x * (x + 2))).sum::<f64>());
        }
    }
}
