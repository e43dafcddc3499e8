//! Lists of entries, some of which are selected by flags: this is what trees do to their rows.
//!
//! The lower half of an entry's bits is a place; the upper half is moved along with it. Flags are looked up by place. Which
//! entries are flagged cannot be predicted, so nothing here branches on it. Small entries are processed sixteen at a time.

#[cfg(target_arch = "x86_64")]
use crate::simd::level::Level;

/// A flag for each of some places.
#[derive(Debug, Clone)]
pub struct Flags {
    /// At least as many flags as small entries have places, however few places are in use. Three more at the end let four
    /// bytes be read from any place.
    flags: Vec<u8>,
    /// The first [`FEW`] flags again, as bits.
    bits: [u32; FEW / 32],
    places: usize,
}

const LEAST_PLACES: usize = 1 << 16;
/// Up to this many flags are looked up in registers, which is faster than in memory.
const FEW: usize = 2048;

impl Flags {
    /// Flags for `places` places, none raised.
    #[must_use]
    pub fn new(places: usize) -> Flags {
        let flags = vec![0; places.max(LEAST_PLACES) + 3];
        Flags { flags, bits: [0; FEW / 32], places }
    }

    /// Raises or lowers the flag of a place.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn set(&mut self, place: usize, raised: bool) {
        assert!(place < self.places, "place {place} of {}", self.places);
        self.flags[place] = u8::from(raised);
        if let Some(bits) = self.bits.get_mut(place / 32) {
            *bits = *bits & !(1 << (place % 32)) | u32::from(raised) << (place % 32);
        }
    }

    fn is_raised(&self, place: usize) -> usize {
        usize::from(self.flags[place])
    }
}

/// Something with a place.
pub trait Entry: Copy {
    /// The place: the lower half of the bits.
    fn place(self) -> usize;

    /// Writes the flagged entries to the start of `to`, in order; returns their number. What follows them in `to` may be
    /// overwritten.
    ///
    /// # Panics
    /// If there is no room for them.
    fn select(entries: &[Self], flags: &Flags, to: &mut [Self]) -> usize {
        portable::select(entries, flags, to)
    }

    /// Moves the flagged entries to the front and the others behind them, both in order; returns the number of flagged entries.
    ///
    /// # Panics
    /// If there is no room in `aside` for the others; it may also require room for all entries.
    fn part(entries: &mut [Self], flags: &Flags, aside: &mut [Self]) -> usize {
        portable::part(entries, flags, aside)
    }

    /// Interleaves the entries of eight lists: entry i of list l becomes `to[i][l]`.
    ///
    /// # Panics
    /// If a list is shorter than `to`.
    fn interleave(lists: [&[Self]; 8], to: &mut [[Self; 8]]) {
        portable::interleave(lists, to);
    }
}

impl Entry for u64 {
    #[inline(always)]
    fn place(self) -> usize {
        self as u32 as usize
    }
}

impl Entry for u32 {
    #[inline(always)]
    fn place(self) -> usize {
        usize::from(self as u16)
    }

    fn select(entries: &[u32], flags: &Flags, to: &mut [u32]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if Level::best() == Level::Avx512 {
            // SAFETY: the processor has AVX-512, and counts bits.
            return unsafe { x86::select(entries, flags, to) };
        }
        portable::select(entries, flags, to)
    }

    fn part(entries: &mut [u32], flags: &Flags, aside: &mut [u32]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if Level::best() == Level::Avx512 {
            // SAFETY: the processor has AVX-512, and counts bits.
            return unsafe { x86::part(entries, flags, aside) };
        }
        portable::part(entries, flags, aside)
    }

    fn interleave(lists: [&[u32]; 8], to: &mut [[u32; 8]]) {
        #[cfg(target_arch = "x86_64")]
        if Level::best() >= Level::Avx2 {
            // SAFETY: the processor has AVX2.
            return unsafe { x86::interleave(lists, to) };
        }
        portable::interleave(lists, to);
    }
}

mod portable {
    use super::{Entry, Flags};

    pub(super) fn select<E: Entry>(entries: &[E], flags: &Flags, to: &mut [E]) -> usize {
        let mut count = 0;
        for &entry in entries {
            // The last entries may not be flagged, when there is no room left.
            if let Some(to) = to.get_mut(count) {
                *to = entry;
            }
            count += flags.is_raised(entry.place());
        }
        assert!(count <= to.len(), "room for {count} entries");
        count
    }

    pub(super) fn part<E: Entry>(entries: &mut [E], flags: &Flags, aside: &mut [E]) -> usize {
        let (mut left, mut right) = (0, 0);
        for at in 0..entries.len() {
            let entry = entries[at];
            entries[left] = entry;
            aside[right] = entry;
            let raised = flags.is_raised(entry.place());
            left += raised;
            right += 1 - raised;
        }
        entries[left..].copy_from_slice(&aside[..right]);
        left
    }

    pub(super) fn interleave<E: Entry>(lists: [&[E]; 8], to: &mut [[E; 8]]) {
        let lists = lists.map(|list| &list[..to.len()]);
        for (at, to) in to.iter_mut().enumerate() {
            *to = lists.map(|list| list[at]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m512i, __mmask16, _mm256_loadu_ps, _mm256_permute2f128_ps, _mm256_shuffle_ps,
        _mm256_storeu_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm512_and_si512, _mm512_loadu_si512,
        _mm512_mask_blend_epi32, _mm512_mask_i32gather_epi32, _mm512_mask_storeu_epi32,
        _mm512_mask_test_epi32_mask, _mm512_maskz_compress_epi32, _mm512_maskz_loadu_epi32,
        _mm512_permutex2var_epi32, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srli_epi32,
        _mm512_srlv_epi32, _mm512_test_epi32_mask,
    };

    use super::{FEW, Flags, portable};

    const LANES: usize = 16;

    /// A mask with one bit per entry left, at most sixteen, in the lowest bits.
    fn lowest(count: usize) -> __mmask16 {
        if count >= LANES { !0 } else { (1 << count) - 1 }
    }

    /// Up to sixteen entries, and which of them are flagged.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn load(entries: &[u32], flags: &Flags) -> (__m512i, __mmask16) {
        let here = lowest(entries.len());
        // SAFETY: only lanes with entries are read.
        let entries = unsafe { _mm512_maskz_loadu_epi32(here, entries.as_ptr().cast()) };
        let places = _mm512_and_si512(entries, _mm512_set1_epi32(0xffff));
        let looked_up = if flags.places <= FEW {
            bits_at(places, &flags.bits)
        } else {
            let (none, bytes) = (_mm512_setzero_si512(), flags.flags.as_ptr().cast());
            // SAFETY: every place of 16 bits has a flag, and three bytes follow it.
            unsafe { _mm512_mask_i32gather_epi32::<1>(none, here, places, bytes) }
        };
        (entries, _mm512_mask_test_epi32_mask(here, looked_up, _mm512_set1_epi32(1)))
    }

    /// The bit of each place, as the lowest bit of its lane. Places are taken modulo [`FEW`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn bits_at(places: __m512i, bits: &[u32; FEW / 32]) -> __m512i {
        // SAFETY: there are four registers of bits.
        let (a, b, c, d) = unsafe {
            let bits = bits.as_ptr();
            (
                _mm512_loadu_si512(bits.cast()),
                _mm512_loadu_si512(bits.add(LANES).cast()),
                _mm512_loadu_si512(bits.add(2 * LANES).cast()),
                _mm512_loadu_si512(bits.add(3 * LANES).cast()),
            )
        };
        // The lower five bits of a word's number select it in either half, and the next bit selects the half.
        let words = _mm512_srli_epi32::<5>(places);
        let (first, second) =
            (_mm512_permutex2var_epi32(a, words, b), _mm512_permutex2var_epi32(c, words, d));
        let is_second = _mm512_test_epi32_mask(words, _mm512_set1_epi32(32));
        let word = _mm512_mask_blend_epi32(is_second, first, second);
        _mm512_srlv_epi32(word, _mm512_and_si512(places, _mm512_set1_epi32(31)))
    }

    /// Writes the lanes of a mask, one after the other; returns their number.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    fn store(lanes: __m512i, mask: __mmask16, to: &mut [u32]) -> usize {
        let count = mask.count_ones() as usize;
        assert!(count <= to.len(), "room for {count} entries");
        // SAFETY: there is room for all lanes that are written.
        unsafe {
            _mm512_mask_storeu_epi32(
                to.as_mut_ptr().cast(),
                lowest(count),
                _mm512_maskz_compress_epi32(mask, lanes),
            );
        }
        count
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    pub(super) fn select(entries: &[u32], flags: &Flags, to: &mut [u32]) -> usize {
        let mut count = 0;
        for entries in entries.chunks(LANES) {
            let (lanes, flagged) = load(entries, flags);
            count += store(lanes, flagged, &mut to[count..]);
        }
        count
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
    pub(super) fn part(entries: &mut [u32], flags: &Flags, aside: &mut [u32]) -> usize {
        let (mut left, mut right) = (0, 0);
        for at in (0..entries.len()).step_by(LANES) {
            let end = entries.len().min(at + LANES);
            let (lanes, flagged) = load(&entries[at..end], flags);
            // What is overwritten was read already: no more than `end` entries are on the left.
            left += store(lanes, flagged, &mut entries[left..]);
            right += store(lanes, !flagged & lowest(end - at), &mut aside[right..]);
        }
        entries[left..].copy_from_slice(&aside[..right]);
        left
    }

    /// Eight entries of each of four lists: entries i and i + 4 of all lists, in the halves of register i.
    ///
    /// # Safety
    /// The lists have these entries.
    #[target_feature(enable = "avx2")]
    unsafe fn four(lists: &[&[u32]], at: usize) -> [__m256; 4] {
        // SAFETY: as above.
        unsafe {
            let a = _mm256_loadu_ps(lists[0].as_ptr().add(at).cast());
            let b = _mm256_loadu_ps(lists[1].as_ptr().add(at).cast());
            let c = _mm256_loadu_ps(lists[2].as_ptr().add(at).cast());
            let d = _mm256_loadu_ps(lists[3].as_ptr().add(at).cast());
            let (low_ab, high_ab) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (low_cd, high_cd) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            [
                _mm256_shuffle_ps::<0x44>(low_ab, low_cd),
                _mm256_shuffle_ps::<0xee>(low_ab, low_cd),
                _mm256_shuffle_ps::<0x44>(high_ab, high_cd),
                _mm256_shuffle_ps::<0xee>(high_ab, high_cd),
            ]
        }
    }

    /// Transposes squares of eight by eight. Entries are only moved, never interpreted as numbers.
    #[target_feature(enable = "avx2")]
    pub(super) fn interleave(lists: [&[u32]; 8], to: &mut [[u32; 8]]) {
        let lists = lists.map(|list| &list[..to.len()]);
        let squares = to.len() / 8;
        for square in 0..squares {
            let at = square * 8;
            // SAFETY: the lists are as long as `to`, and the square is within both.
            unsafe {
                let (upper, lower) = (four(&lists[..4], at), four(&lists[4..], at));
                for i in 0..4 {
                    let to = &mut to[at..];
                    _mm256_storeu_ps(
                        to[i].as_mut_ptr().cast(),
                        _mm256_permute2f128_ps::<0x20>(upper[i], lower[i]),
                    );
                    _mm256_storeu_ps(
                        to[i + 4].as_mut_ptr().cast(),
                        _mm256_permute2f128_ps::<0x31>(upper[i], lower[i]),
                    );
                }
            }
        }
        portable::interleave(lists.map(|list| &list[squares * 8..]), &mut to[squares * 8..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some entries with different places below `places`, in no order, and flags for about a third of them.
    fn example(count: usize, places: usize) -> (Vec<u32>, Flags) {
        let mut flags = Flags::new(places);
        let place = |at: usize| (at * 40_503 + places - 1) % places;
        let entries: Vec<u32> = (0..count).map(|at| ((at << 16) | place(at)) as u32).collect();
        let is_flagged = |entry: u32| (entry >> 16).wrapping_mul(0x9e37_79b9).is_multiple_of(3);
        // All flags are raised, and then lowered where they should not be raised.
        entries.iter().for_each(|&entry| flags.set(entry.place(), true));
        entries.iter().for_each(|&entry| flags.set(entry.place(), is_flagged(entry)));
        (entries, flags)
    }

    type Select = fn(&[u32], &Flags, &mut [u32]) -> usize;
    type Part = fn(&mut [u32], &Flags, &mut [u32]) -> usize;
    type Interleave = fn([&[u32]; 8], &mut [[u32; 8]]);

    #[test]
    fn flagged_entries_are_taken_in_their_order() {
        for (count, places) in
            (0..70).chain([1000]).flat_map(|count| [FEW, FEW + 1, 1 << 16].map(|places| (count, places)))
        {
            let (entries, flags) = example(count, places);
            let is_flagged = |&entry: &u32| flags.flags[(entry & 0xffff) as usize] == 1;
            let (front, back): (Vec<u32>, Vec<u32>) = entries.iter().copied().partition(is_flagged);
            // With exactly as much room as is needed, and with more.
            for (select, room) in
                [(u32::select as Select, 0), (portable::select, 0), (u32::select, 5), (portable::select, 5)]
            {
                let mut found = vec![0; front.len() + room];
                assert_eq!(select(&entries, &flags, &mut found), front.len());
                assert_eq!(found[..front.len()], front, "{count}");
            }
            let whole = [front.clone(), back].concat();
            for part in [u32::part as Part, portable::part] {
                let mut found = entries.clone();
                assert_eq!(part(&mut found, &flags, &mut vec![0; count]), front.len());
                assert_eq!(found, whole, "{count}");
            }
        }
    }

    #[test]
    fn too_many_entries_are_refused() {
        let (entries, flags) = example(100, FEW);
        for select in [u32::select as Select, portable::select] {
            let room = select(&entries, &flags, &mut [0; 100]) - 1;
            let result = std::panic::catch_unwind(|| select(&entries, &flags, &mut vec![0; room]));
            assert!(result.is_err());
        }
    }

    #[test]
    fn lists_are_laid_side_by_side() {
        for count in [0, 1, 7, 8, 9, 16, 37] {
            // All patterns of bits, including those that are NaN as floating-point numbers.
            let list = |l: u32| (0..count as u32).map(|at| (at * 8 + l).wrapping_mul(0x9e37_79b9)).collect();
            let lists: [Vec<u32>; 8] = std::array::from_fn(|l| list(l as u32));
            for interleave in [u32::interleave as Interleave, portable::interleave] {
                let mut found = vec![[0; 8]; count];
                interleave(std::array::from_fn(|l| &lists[l][..]), &mut found);
                for (at, row) in found.iter().enumerate() {
                    assert_eq!(*row, std::array::from_fn(|l| lists[l][at]));
                }
            }
        }
    }
}
