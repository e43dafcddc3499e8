//! The first bytes of a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::formats::detect::is_zlib;
use crate::packing::{BUFFER, FilePacking, packing_of, unpack, unpack_zlib};

/// The first bytes of a file, unpacked, and about how many such bytes there are in all, judging by how well the first ones are
/// packed; `None` if it cannot be read.
pub(super) fn of(path: &Path, most: u64) -> Option<(Vec<u8>, u64)> {
    /// So many packed bytes say how well all of them are packed, though a buffer is full of further ones.
    const TELLING: u64 = 4 * BUFFER as u64;
    /// So many unpacked bytes are enough, however well they are packed.
    const ENOUGH: u64 = 1 << 26;
    let stored = std::fs::metadata(path).ok()?.len();
    let mut head = Vec::new();
    File::open(path).ok()?.take(most).read_to_end(&mut head).ok()?;
    let packing = packing_of(&head);
    if packing == FilePacking::None && !is_zlib(&head) {
        return Some((head, stored));
    }
    let taken = AtomicU64::new(0);
    let packed = Box::new(Counted { file: File::open(path).ok()?, taken: &taken });
    let unpacked = if packing == FilePacking::None { unpack_zlib(packed) } else { unpack(packed, packing) };
    let mut unpacked = unpacked.ok()?;
    head.clear();
    unpacked.by_ref().take(most).read_to_end(&mut head).ok()?;
    let mut known = head.len() as u64;
    while taken.load(Ordering::Relaxed) < TELLING && known < ENOUGH {
        match io::copy(&mut unpacked.by_ref().take(1 << 20), &mut io::sink()).ok()? {
            0 => return Some((head, known)),
            more => known += more,
        }
    }
    let taken = taken.load(Ordering::Relaxed).clamp(1, stored.max(1));
    Some((head, (known as f64 * stored as f64 / taken as f64) as u64))
}

/// Counts the bytes that are read.
struct Counted<'a> {
    file: File,
    taken: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
