//! Numbers that start on a cache line, so that no register load crosses from one line to the next.

use std::ops::{Deref, DerefMut};

use crate::simd::float::Float;

/// How many bytes a cache line has.
pub const LINE: usize = 64;

/// A vector of numbers of fixed length that begins on a cache line.
#[derive(Debug)]
pub struct Aligned<T> {
    /// Up to a cache line of padding, then the numbers.
    values: Vec<T>,
    offset: usize,
    len: usize,
}

impl<T: Float> Aligned<T> {
    /// At least `len` zeros: enough to fill whole cache lines.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        let line = LINE / size_of::<T>();
        let len = len.next_multiple_of(line);
        let values = vec![T::ZERO; len + line - 1];
        // Never more than a line: the vector is aligned to its numbers.
        let offset = values.as_ptr().align_offset(LINE).min(line - 1);
        Aligned { values, offset, len }
    }
}

impl<T: Float> Clone for Aligned<T> {
    /// The copy may start at a different offset, because it is elsewhere in memory.
    fn clone(&self) -> Self {
        let mut copy = Aligned::zeros(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the vector holds `line - 1 + len` numbers, and the offset is at most `line - 1`.
        unsafe { self.values.get_unchecked(self.offset..self.offset + self.len) }
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { self.values.get_unchecked_mut(self.offset..self.offset + self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_start_on_a_line_and_copies_do_too() {
        for len in [0, 1, 7, 8, 9, 100] {
            let mut numbers = Aligned::<f32>::zeros(len);
            assert!(numbers.len() >= len && numbers.len().is_multiple_of(16));
            numbers.iter_mut().zip(1..).for_each(|(number, at)| *number = at as f32);
            let copy = numbers.clone();
            assert_eq!(copy[..], numbers[..]);
            assert_eq!(copy.as_ptr().align_offset(LINE), 0);
            assert_eq!(numbers.as_ptr().align_offset(LINE), 0);
            assert!(Aligned::<f64>::zeros(len).iter().all(|&number| number == 0.0));
        }
    }
}
