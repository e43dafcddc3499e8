//! Tables in texts: finding the ends of cells, and reading short numbers in them.
//!
//! A parser that goes from digit to digit knows where the next number starts only when it has found the end of the current one.
//! If all ends are known beforehand, the processor works on several numbers at once.

#[cfg(target_arch = "x86_64")]
use crate::simd::level::Level;

/// The longest number that [`decimals`] reads.
pub const LONGEST: usize = 16;

/// Powers of ten that are exact in double precision. Numbers of up to fifteen digits are exact, too, so their quotient is rounded
/// only once.
pub const POWERS_OF_TEN: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Writes the places of delimiters and line ends in the text to `ends`, in ascending order. Returns false without doing so for
/// texts of 4 GB, and on processors on which [`decimals`] reads nothing.
///
/// Time: O(bytes). Memory: at most 8 bytes per cell.
pub fn find_ends(text: &[u8], delimiter: u8, ends: &mut Vec<u32>) -> bool {
    ends.clear();
    #[cfg(target_arch = "x86_64")]
    if has_instructions() && text.len() < u32::MAX as usize {
        // SAFETY: the processor has AVX2.
        unsafe { x86::find_ends(text, delimiter, ends) };
        return true;
    }
    let _ = (text, delimiter);
    false
}

/// Reads one number per cell, rounded correctly. The first cell begins at `start`, each cell ends with a delimiter at the
/// place given by `ends`, and the next cell begins after it.
///
/// Numbers consist of digits, with at most a minus before them and a point among them, [`LONGEST`] bytes altogether. Reading
/// stops at the first cell that is anything else. Returns how many cells were read: none if fewer than [`LONGEST`] bytes
/// precede the first cell, or if the processor does not have AVX2.
///
/// # Panics
/// If a cell ends outside the text.
pub fn decimals(text: &[u8], start: usize, delimiter: u8, ends: &[u32], values: &mut [f64]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if has_instructions() {
        // SAFETY: the processor has AVX2.
        return unsafe { x86::decimals(text, start, delimiter, ends, values) };
    }
    let _ = (text, start, delimiter, ends, values);
    0
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_instructions() -> bool {
    Level::best() > Level::Portable && is_x86_feature_detected!("bmi1")
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_cvtsi128_si64, _mm_loadu_si128,
        _mm_madd_epi16, _mm_maddubs_epi16, _mm_movemask_epi8, _mm_or_si128, _mm_packus_epi32, _mm_set1_epi8,
        _mm_set1_epi16, _mm_set1_epi32, _mm_shuffle_epi8, _mm_sub_epi8, _mm256_cmpeq_epi8,
        _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    };

    use super::{LONGEST, POWERS_OF_TEN};

    /// How many bytes are examined together.
    const STEP: usize = 64;
    /// How many ends are written together: most steps have no more.
    const BATCH: usize = 8;

    #[target_feature(enable = "avx2,bmi1")]
    pub(super) fn find_ends(text: &[u8], delimiter: u8, ends: &mut Vec<u32>) {
        let [delimiters, line_ends] = [delimiter, b'\n'].map(|byte| _mm256_set1_epi8(byte.cast_signed()));
        let (steps, rest) = text.as_chunks::<STEP>();
        let mut count = 0;
        for (at, step) in (0..).step_by(STEP).zip(steps) {
            // Makes room for all bytes of the step, and for what a batch writes beyond its ends.
            if ends.len() < count + STEP + BATCH {
                ends.resize((2 * ends.len()).max(count + 16 * STEP), 0);
            }
            let half = |at: usize| {
                // SAFETY: the step has 32 bytes from here on.
                let bytes = unsafe { _mm256_loadu_si256(step.as_ptr().add(at).cast()) };
                let found = _mm256_or_si256(
                    _mm256_cmpeq_epi8(bytes, delimiters),
                    _mm256_cmpeq_epi8(bytes, line_ends),
                );
                u64::from(_mm256_movemask_epi8(found).cast_unsigned())
            };
            let mut bits = half(0) | half(32) << 32;
            let next = count + bits.count_ones() as usize;
            let mut to = count;
            while to < next {
                for end in &mut ends[to..to + BATCH] {
                    *end = at + bits.trailing_zeros();
                    bits &= bits.wrapping_sub(1);
                }
                to += BATCH;
            }
            count = next;
        }
        ends.truncate(count);
        let first = (text.len() - rest.len()) as u32;
        let found = (first..).zip(rest).filter(|(_, byte)| **byte == delimiter || **byte == b'\n');
        ends.extend(found.map(|(at, _)| at));
    }

    /// For a point at each place, the shuffle that closes the gap it leaves and puts a zero in front; the last shuffle moves
    /// nothing.
    const SHUFFLES: [[u8; LONGEST]; LONGEST + 1] = {
        let mut table = [[0; LONGEST]; LONGEST + 1];
        let mut point = 0;
        while point <= LONGEST {
            let mut at = 0;
            while at < LONGEST {
                let stays = point == LONGEST || at > point;
                table[point][at] = if stays {
                    at as u8
                } else if at == 0 {
                    0x80
                } else {
                    at as u8 - 1
                };
                at += 1;
            }
            point += 1;
        }
        table
    };

    /// The sixteen bytes from index n on are a mask that keeps the last n of sixteen bytes.
    const KEEP: [u8; 2 * LONGEST] = {
        let mut table = [0; 2 * LONGEST];
        let mut at = LONGEST;
        while at < table.len() {
            table[at] = 0xff;
            at += 1;
        }
        table
    };

    #[target_feature(enable = "avx2,bmi1")]
    pub(super) fn decimals(
        text: &[u8],
        mut start: usize,
        delimiter: u8,
        ends: &[u32],
        values: &mut [f64],
    ) -> usize {
        if start < LONGEST || start > text.len() {
            return 0;
        }
        for (at, (&end, value)) in ends.iter().zip(&mut *values).enumerate() {
            let end = end as usize;
            // If the end is before the start, this is longer than any text.
            let length = end.wrapping_sub(start);
            if length.wrapping_sub(1) >= LONGEST || text[end] != delimiter {
                return at;
            }
            // SAFETY: the end is in the text and, like the start, after its first sixteen bytes.
            match unsafe { number(text.as_ptr().add(end - LONGEST), length) } {
                Some(number) => *value = number,
                None => return at,
            }
            start = end + 1;
        }
        ends.len().min(values.len())
    }

    /// The number at the end of sixteen bytes.
    ///
    /// # Safety
    /// There are sixteen bytes, and between one and all of them belong to the number.
    #[target_feature(enable = "avx2,bmi1")]
    #[inline]
    unsafe fn number(bytes: *const u8, length: usize) -> Option<f64> {
        // SAFETY: it is one of the sixteen bytes.
        let is_negative = unsafe { *bytes.add(LONGEST - length) } == b'-';
        let length = length - usize::from(is_negative);
        let all = |byte: u8| _mm_set1_epi8(byte.cast_signed());
        // SAFETY: sixteen bytes follow each of these places.
        let load = |bytes: *const u8| unsafe { _mm_loadu_si128(bytes.cast::<__m128i>()) };
        let (bytes, keep) = (load(bytes), load(KEEP[length..].as_ptr()));
        let points = _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(bytes, all(b'.')), keep));
        let point = (points | 1 << LONGEST).trailing_zeros() as usize;
        let digits = _mm_and_si128(_mm_sub_epi8(bytes, all(b'0')), keep);
        let digits = _mm_shuffle_epi8(digits, load(SHUFFLES[point].as_ptr()));
        // Bytes are signed: anything that is not a digit is above 9 or below 0.
        let others = _mm_or_si128(_mm_cmpgt_epi8(digits, all(9)), digits);
        if _mm_movemask_epi8(others) != 0 || length == usize::from(point < LONGEST) {
            return None;
        }
        // Combines tens and ones, then hundreds, then ten thousands.
        let pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_0064));
        let eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x0001_2710));
        let eights = _mm_cvtsi128_si64(eights).cast_unsigned();
        let mantissa = (eights & 0xffff_ffff) * 100_000_000 + (eights >> 32);
        // Sixteen digits have no point; dividing by one gives the rounded number.
        let places = (LONGEST - 1).saturating_sub(point);
        let value = mantissa.cast_signed() as f64 / POWERS_OF_TEN[places];
        Some(f64::from_bits(value.to_bits() | u64::from(is_negative) << 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cells of a line, read until one is not a short number.
    fn read(cells: &[String]) -> Vec<f64> {
        // Enough bytes must precede the first cell.
        let text = format!("a,cell,in,front,{};", cells.join(","));
        let mut ends = Vec::new();
        if !find_ends(text.as_bytes(), b',', &mut ends) {
            return vec![];
        }
        let mut values = vec![0.5; cells.len()];
        let count = decimals(text.as_bytes(), 16, b',', &ends[4..], &mut values);
        assert!(values[count..].iter().all(|value| *value == 0.5));
        values.truncate(count);
        values
    }

    fn has_any() -> bool {
        find_ends(b"", b',', &mut Vec::new())
    }

    #[test]
    fn cells_end_at_delimiters_and_at_the_ends_of_lines() {
        let text: Vec<u8> =
            (0..5000_u32).map(|at| b"0123456789.-,;\n"[(at * at / 7 % 15) as usize]).collect();
        for (text, delimiter) in
            [(&text[..], b','), (&text[..], b';'), (&text[..63], b','), (b",,\n,", b','), (b"", b',')]
        {
            let expected: Vec<u32> = (0..)
                .zip(text)
                .filter(|(_, byte)| **byte == delimiter || **byte == b'\n')
                .map(|(at, _)| at)
                .collect();
            // What was in the vector before is discarded.
            let mut ends = vec![7; 3];
            if find_ends(text, delimiter, &mut ends) {
                assert_eq!(ends, expected);
            }
        }
        // More ends than a batch has.
        let mut ends = Vec::new();
        if find_ends(&[b','; 300], b',', &mut ends) {
            assert_eq!(ends, (0..300).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn short_numbers_are_read_and_others_stop_it() {
        let numbers = [
            "0",
            "-0",
            "7",
            "-1.5",
            "0.1",
            ".25",
            "5.",
            "-.0",
            "123456789",
            "12345678.8765432",
            "0.00000000000001",
            "9007199254740993",
            "-123456789012345",
            "-12345678901.345",
            "99999999.9999999",
        ];
        let cells = numbers.map(String::from);
        let expected: Vec<u64> = numbers.iter().map(|text| text.parse::<f64>().unwrap().to_bits()).collect();
        let found: Vec<u64> =
            read(&[&cells[..], &["1".to_owned()]].concat()).iter().map(|x| x.to_bits()).collect();
        if has_any() {
            assert_eq!(found, expected);
        }
        for other in [
            "",
            "-",
            ".",
            "-.",
            "--1",
            "1-",
            "1.2.3",
            "+1",
            "1e5",
            " 1",
            "1 ",
            "nan",
            "1:2",
            "1/2",
            "\u{e9}",
            "12345678901234567",
            "1\n2",
        ] {
            let found = read(&["1".to_owned(), other.to_owned(), "2".to_owned()]);
            assert!(!has_any() || found == [1.0], "{other}: {found:?}");
        }
    }

    #[test]
    fn nothing_is_read_before_the_text_or_beyond_the_values() {
        let mut ends = Vec::new();
        if find_ends(b"1,2,3,4,5,6,7,8,9,10,11,", b',', &mut ends) {
            let mut values = [0.0; 3];
            // Fewer than sixteen bytes precede the ends of the first cells.
            assert_eq!(decimals(b"1,2,3,4,5,6,7,8,9,10,11,", 0, b',', &ends, &mut values), 0);
            assert_eq!(decimals(b"1,2,3,4,5,6,7,8,9,10,11,", 16, b',', &ends[8..], &mut values), 3);
            assert_eq!(values, [9.0, 10.0, 11.0]);
            assert_eq!(decimals(b"1,2,3,4,5,6,7,8,9,10,11,", 16, b',', &ends[8..], &mut values[..1]), 1);
            assert_eq!(decimals(b"1,2,3,4,5,6,7,8,9,10,11,", 16, b';', &ends[8..], &mut values), 0);
            // A start outside the text, from which the first end would be one byte away.
            assert_eq!(decimals(b",1,2,3,4,5,6,7,8,9,10,11,", usize::MAX, b',', &[0], &mut values), 0);
        }
    }

    proptest! {
        #[test]
        fn equal_to_the_standard_parser(cells in prop::collection::vec("-?[0-9]{0,9}(\\.[0-9]{0,9})?", 2..9)) {
            for (cell, value) in cells.iter().zip(read(&cells)) {
                prop_assert_eq!(value.to_bits(), cell.parse::<f64>().unwrap().to_bits());
            }
        }

        #[test]
        fn any_bytes_are_numbers_or_stop_it(cells in prop::collection::vec("[-+.0-9a /:é]{0,18}", 2..5)) {
            let found = read(&cells);
            for (cell, value) in cells.iter().zip(&found) {
                prop_assert_eq!(value.to_bits(), cell.parse::<f64>().unwrap().to_bits());
            }
        }
    }
}
