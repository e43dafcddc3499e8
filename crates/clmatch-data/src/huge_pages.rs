//! Memory for large matrices in huge pages, where Linux hands them out on request only.
//!
//! The first touch of a page is a fault in which the system clears it: 512 MB take 131,072 faults of 4 kB, or 256 of 2 MB.
#![allow(unsafe_code)]

/// What is smaller fills hardly a huge page.
#[cfg(target_os = "linux")]
const SMALLEST: usize = 4 << 20;

/// Asks for huge pages below values that were not touched yet. A wish: where it is not granted nothing changes.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for<T>(values: &mut [T]) {
    // Every page of a Linux system starts at a multiple of the largest base page in use.
    const PAGE: usize = 1 << 16;
    let bytes = size_of_val(values);
    if bytes < SMALLEST {
        return;
    }
    let start = values.as_mut_ptr() as usize;
    let skipped = start.next_multiple_of(PAGE) - start;
    let length = (bytes - skipped) / PAGE * PAGE;
    // SAFETY: the range lies inside of `values`, which is borrowed mutably, since `skipped` is less than a page and `bytes`
    // are many; the advice changes how the memory is backed and not what it holds.
    unsafe {
        libc::madvise(values.as_mut_ptr().cast::<u8>().add(skipped).cast(), length, libc::MADV_HUGEPAGE);
    }
}

/// Other systems decide by themselves.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for<T>(_: &mut [T]) {}
