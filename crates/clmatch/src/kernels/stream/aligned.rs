//! Doubles that start on a cache line, so that no load of eight straddles two lines.

use std::ops::{Deref, DerefMut};

use super::simd::LANES;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f64; LANES]);

/// A vector of doubles, its length a multiple of 8.
#[derive(Clone)]
pub(super) struct Aligned(Vec<Line>);

impl Aligned {
    /// At least `length` zeros.
    pub(super) fn zeros(length: usize) -> Self {
        Aligned(vec![Line([0.0; LANES]); length.div_ceil(LANES)])
    }
}

impl Deref for Aligned {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        // SAFETY: a `Line` is exactly eight doubles.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * LANES) }
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f64] {
        // SAFETY: a `Line` is exactly eight doubles.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * LANES) }
    }
}
