//! Memory in huge pages for large matrices, where Linux gives them only on request.
//!
//! The first touch of a page causes a fault, and the system clears the page: 512 MB take 131,072 faults of 4 kB, or 256 of 2 MB.
#![allow(unsafe_code)]

/// Anything smaller hardly fills a huge page.
#[cfg(target_os = "linux")]
const SMALLEST: usize = 4 << 20;

/// Asks for huge pages for values that were not touched yet. If the request is not granted, nothing changes.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for<T>(values: &mut [T]) {
    // On Linux, every page starts at a multiple of the largest base page size in use.
    const PAGE: usize = 1 << 16;
    let bytes = size_of_val(values);
    if bytes < SMALLEST {
        return;
    }
    let start = values.as_mut_ptr() as usize;
    let skipped = start.next_multiple_of(PAGE) - start;
    let length = (bytes - skipped) / PAGE * PAGE;
    // SAFETY: the range lies within `values`, which is borrowed mutably, since `skipped` is less than a page and `bytes`
    // is many pages; the advice changes how the memory is backed, not what it holds.
    unsafe {
        libc::madvise(values.as_mut_ptr().cast::<u8>().add(skipped).cast(), length, libc::MADV_HUGEPAGE);
    }
}

/// Other systems decide on their own.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for<T>(_: &mut [T]) {}
