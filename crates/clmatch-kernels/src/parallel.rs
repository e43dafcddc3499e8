//! Loops on the threads of the current rayon pool, compiled once.
//!
//! Every chain of rayon's iterators is compiled separately, to some 2,000 lines of LLVM each: they were a third of the crate
//! `clmatch`. Here, the part that divides the work is one function, and a loop adds only its own body. The work is split as
//! rayon splits it: in halves, and further where another thread takes a half.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The results of `work` for each of `0..count`, in order.
pub fn map_range<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_range_at_least(1, count, work)
}

/// Like [`map_range`], for work too small to be shared item by item: a thread takes at least `least` items in a row.
pub fn map_range_at_least<R: Send>(least: usize, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_with(least, count, || (), |(), index| work(index))
}

/// The results of `work` for each item, in order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_range(items.len(), |index| work(&items[index]))
}

/// The results of `work` for each chunk of `size` items, in order. The last chunk may be shorter.
pub fn map_chunks<T: Sync, R: Send>(items: &[T], size: usize, work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    map_range(items.len().div_ceil(size), |index| {
        let first = index * size;
        work(&items[first..items.len().min(first + size)])
    })
}

/// The results of `work` for each item with its index, in order.
pub fn map_mut<T: Send, R: Send>(items: &mut [T], work: impl Fn(usize, &mut T) -> R + Sync) -> Vec<R> {
    let start = Shared(items.as_mut_ptr());
    map_range(items.len(), |index| {
        // SAFETY: the item is in the slice, and no two calls share an index.
        work(index, unsafe { &mut *start.at(index) })
    })
}

/// Calls `work` with each item and its index.
pub fn for_each_mut<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    map_mut(items, work);
}

/// Calls `work` with each chunk of `size` items and the chunk's index. The last chunk may be shorter.
pub fn for_chunks_mut<T: Send>(items: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let length = items.len();
    let start = Shared(items.as_mut_ptr());
    map_range(length.div_ceil(size), |index| {
        let first = index * size;
        // SAFETY: the chunk is within the items, and no two calls share an index.
        let chunk = unsafe { std::slice::from_raw_parts_mut(start.at(first), size.min(length - first)) };
        work(index, chunk);
    });
}

/// Like [`map_range`], for work that can fail. After an error, nothing that comes later is started; of several errors, the
/// first in order is returned.
///
/// # Errors
/// Those that `work` returns.
pub fn try_map_range<R: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_range_with(count, || (), |(), index| work(index))
}

/// Like [`map`], for work that can fail; see [`try_map_range`].
///
/// # Errors
/// Those that `work` returns.
pub fn try_map<T: Sync, R: Send, E: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_range(items.len(), |index| work(&items[index]))
}

/// Like [`try_map`], with a scratch value that several consecutive items share.
///
/// # Errors
/// Those that `work` returns.
pub fn try_map_with<T: Sync, S, R: Send, E: Send>(
    items: &[T],
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_range_with(items.len(), scratch, |scratch, index| work(scratch, &items[index]))
}

/// Like [`map_mut`], for work that can fail; see [`try_map_range`].
///
/// # Errors
/// Those that `work` returns.
pub fn try_map_mut<T: Send, R: Send, E: Send>(
    items: &mut [T],
    work: impl Fn(usize, &mut T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_mut_with(items, || (), |(), index, item| work(index, item))
}

/// Like [`try_map_mut`], with a scratch value that several consecutive items share.
///
/// # Errors
/// Those that `work` returns.
pub fn try_map_mut_with<T: Send, S, R: Send, E: Send>(
    items: &mut [T],
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let start = Shared(items.as_mut_ptr());
    try_map_range_with(items.len(), scratch, |scratch, index| {
        // SAFETY: as in `map_mut`.
        work(scratch, index, unsafe { &mut *start.at(index) })
    })
}

/// Like [`for_chunks_mut`], for work that can fail; see [`try_map_range`].
///
/// # Errors
/// Those that `work` returns.
pub fn try_for_chunks_mut<T: Send, E: Send>(
    items: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let mut chunks: Vec<&mut [T]> = items.chunks_mut(size).collect();
    try_map_mut(&mut chunks, |index, chunk| work(index, chunk)).map(drop)
}

fn try_map_range_with<S, R: Send, E: Send>(
    count: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let first_error = AtomicUsize::new(usize::MAX);
    let outcomes = map_with(1, count, scratch, |scratch, index| {
        if index > first_error.load(Ordering::Relaxed) {
            return None;
        }
        let outcome = work(scratch, index);
        if outcome.is_err() {
            first_error.fetch_min(index, Ordering::Relaxed);
        }
        Some(outcome)
    });
    // Missing results come after an error.
    outcomes.into_iter().flatten().collect()
}

fn map_with<S, R: Send>(
    least: usize,
    count: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let mut results: Vec<R> = Vec::with_capacity(count);
    let slots = Shared(results.as_mut_ptr());
    let some = |range: Range<usize>| {
        let mut scratch = scratch();
        for index in range {
            // SAFETY: there is room for `count` results, and no two calls share an index.
            unsafe { slots.at(index).write(work(&mut scratch, index)) };
        }
    };
    share(0..count, least, rayon::current_num_threads(), false, &some);
    // SAFETY: every result was written; if a call had panicked, the panic would have propagated above.
    unsafe { results.set_len(count) };
    results
}

/// Calls `work` with ranges that make up `range`, each of at least `least` items. Works like rayon: a range is halved while
/// `splits`, which is halved along with it, is not 0; where another thread took a part, `splits` starts again at the number of
/// threads.
fn share(
    range: Range<usize>,
    least: usize,
    splits: usize,
    taken: bool,
    work: &(dyn Fn(Range<usize>) + Sync),
) {
    if range.len() / 2 < least || splits == 0 && !taken {
        return work(range);
    }
    let splits = if taken { rayon::current_num_threads().max(splits / 2) } else { splits / 2 };
    let middle = range.start + range.len() / 2;
    let (left, right) = (range.start..middle, middle..range.end);
    rayon::join_context(
        |context| share(left, least, splits, context.migrated(), work),
        |context| share(right, least, splits, context.migrated(), work),
    );
}

/// The start of a slice that several threads write to, each at different indexes.
struct Shared<T>(*mut T);

impl<T> Shared<T> {
    /// # Safety
    /// The index is within the slice.
    unsafe fn at(&self, index: usize) -> *mut T {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.add(index) }
    }
}

// SAFETY: a thread accesses only the items that it is given, and items may be sent to other threads.
unsafe impl<T: Send> Sync for Shared<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_for_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                for count in [0, 1, 2, 3, 64, 1001] {
                    let squares = map_range(count, |index| index * index);
                    assert_eq!(squares, (0..count).map(|index| index * index).collect::<Vec<_>>());
                    assert_eq!(map_range_at_least(10, count, |index| index * index), squares);
                    let words = map(&squares, usize::to_string);
                    assert_eq!(words, squares.iter().map(ToString::to_string).collect::<Vec<_>>());
                    let chunks = map_chunks(&squares, 3, <[usize]>::to_vec);
                    assert_eq!(chunks, squares.chunks(3).map(<[usize]>::to_vec).collect::<Vec<_>>());
                    let mut places = squares.clone();
                    let before = map_mut(&mut places, |index, place| std::mem::replace(place, index));
                    assert_eq!((before, places), (squares, (0..count).collect()));
                }
            });
        }
    }

    #[test]
    fn every_chunk_is_seen_once() {
        for (length, size) in [(0, 3), (1, 3), (3, 3), (10, 3), (1000, 7), (5, 100)] {
            let (mut here, mut there) = (vec![0; length], vec![0; length]);
            for_chunks_mut(&mut here, size, |index, chunk| chunk.iter_mut().for_each(|x| *x += index + 1));
            there.chunks_mut(size).enumerate().for_each(|(index, chunk)| chunk.fill(index + 1));
            assert_eq!(here, there, "{length} in chunks of {size}");
            for_each_mut(&mut here, |index, x| *x = index);
            assert!(here.iter().enumerate().all(|(index, &x)| x == index));
        }
    }

    #[test]
    fn the_first_chunk_that_fails_is_told() {
        let mut items = vec![0_u8; 100];
        let fails = |index, _: &mut [u8]| if index >= 4 { Err(index) } else { Ok(()) };
        assert_eq!(try_for_chunks_mut(&mut items, 10, fails), Err(4));
        assert_eq!(try_for_chunks_mut(&mut items[..40], 10, fails), Ok(()));
    }

    #[test]
    fn after_an_error_nothing_later_is_begun() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let begun = AtomicUsize::new(0);
        let fails = |index: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            if index % 10 == 4 { Err(index) } else { Ok(index) }
        };
        assert_eq!(pool.install(|| try_map_range(100, fails)), Err(4));
        assert_eq!(begun.into_inner(), 5);
        assert_eq!(try_map(&[0, 1, 2], |&item| Ok::<usize, ()>(item)), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn a_scratch_belongs_to_one_thread_at_a_time() {
        let mut items: Vec<usize> = (0..1000).collect();
        // Counts the items that share a scratch value.
        let counted = |seen: &mut usize, item: &usize| {
            *seen += 1;
            Ok::<(usize, usize), ()>((*item, *seen))
        };
        let found = try_map_with(&items, || 0, counted).unwrap();
        assert!(found.iter().enumerate().all(|(index, &(item, _))| item == index));
        assert!(found.windows(2).all(|two| two[1].1 == two[0].1 + 1 || two[1].1 == 1));
        let found = try_map_mut_with(&mut items, || 0, |seen, _, item| counted(seen, item)).unwrap();
        assert!(found.iter().enumerate().all(|(index, &(item, _))| item == index));
    }

    #[test]
    fn results_of_a_panic_are_not_read() {
        let some = |index| if index == 50 { panic!("as asked") } else { vec![index] };
        assert!(std::panic::catch_unwind(|| map_range(100, some)).is_err());
    }
}
