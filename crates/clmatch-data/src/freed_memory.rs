//! What the C library does with memory that is freed.
#![allow(unsafe_code)]

/// Lets the C library keep freed memory for what is read next, 256 MB at most, instead of giving it back to the system, which
/// clears every page before it hands it out again: a seventh of the time in which a Parquet file of many row groups is read.
///
/// For programs of their own, at their start: it holds for the whole process. Only glibc needs it.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: both change numbers that the allocator decides by, and take effect with any later call of it.
    unsafe {
        // The largest block that does not get pages of its own, and the largest end of the heap that is kept.
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 20);
    }
}
