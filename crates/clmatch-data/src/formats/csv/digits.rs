//! Decimal numbers without exponent, eight digits at a time, rounded correctly.
//!
//! Up to 19 digits are an integer `m` that fits into 64 bits; with `p` of them after the point, the number is `m / 10^p`.
//! For up to 15 digits, this is one division of exact numbers (Clinger 1990). For more, `m` is multiplied by the leading 64 bits
//! of `5^-p`: the product is known to within one unit of its upper half, which leaves the rounding in doubt for one in a
//! thousand numbers (Lemire 2021). Such numbers, and anything else, are left to the general parser.

use clmatch_kernels::simd::text::POWERS_OF_TEN;

/// The powers of ten by which a chunk of digits shifts the digits before it.
const SHIFTS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// More digits than this may not fit into 64 bits.
const MOST_DIGITS: usize = 19;

/// `5^-p` as `bits / 2^(63 + exponent)` with the highest bit set, truncated and not rounded.
#[derive(Clone, Copy)]
struct Reciprocal {
    bits: u64,
    exponent: i32,
}

/// Up to this many digits are exact in double precision.
const EXACT_DIGITS: usize = POWERS_OF_TEN.len() - 1;

const RECIPROCALS: [Reciprocal; MOST_DIGITS + 1] = reciprocals();

const fn reciprocals() -> [Reciprocal; MOST_DIGITS + 1] {
    let mut table = [Reciprocal { bits: 1 << 63, exponent: 0 }; MOST_DIGITS + 1];
    let mut power: u128 = 5;
    let mut place = 1;
    while place < table.len() {
        let exponent = 128 - power.leading_zeros();
        table[place] =
            Reciprocal { bits: ((1_u128 << (63 + exponent)) / power) as u64, exponent: exponent as i32 };
        power *= 5;
        place += 1;
    }
    table
}

/// Parses the number at the start of `text` if the fast path can; returns it with its length.
///
/// The sign and the number of digits before the point change from number to number and cannot be predicted, so the code does not
/// branch on either.
#[inline(always)]
pub(crate) fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first()? == &b'-';
    let start = usize::from(negative);
    let (mut mantissa, mut count) = leading_digits(eight(text, start)?);
    let mut at = start + count;
    if count == 8 {
        count += more_digits(text, &mut at, &mut mantissa)?;
    }
    let mut places = 0;
    if text.get(at) == Some(&b'.') {
        let (value, length) = leading_digits(eight(text, at + 1)?);
        mantissa = mantissa.wrapping_mul(SHIFTS[length]).wrapping_add(value);
        at += 1 + length;
        places = length;
        if length == 8 {
            places += more_digits(text, &mut at, &mut mantissa)?;
        }
        count += places;
    }
    if count == 0 || count > MOST_DIGITS {
        return None;
    }
    // Numbers in a file are printed alike, so this branch is predicted well; a branch on the size of the mantissa would not be.
    let value = if count <= EXACT_DIGITS {
        mantissa as i64 as f64 / POWERS_OF_TEN[places]
    } else {
        quotient(mantissa, places)?
    };
    Some((f64::from_bits(value.to_bits() | u64::from(negative) << 63), at))
}

/// The eight bytes from `at` on, the first one lowest; `None` if the text ends before.
#[inline(always)]
fn eight(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

/// `mantissa / 10^places`, rounded to the nearest, or `None` if that is in doubt.
#[inline(always)]
fn quotient(mantissa: u64, places: usize) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let Reciprocal { bits, exponent } = RECIPROCALS[places];
    let shifted = mantissa.leading_zeros();
    let product = u128::from(mantissa << shifted) * u128::from(bits);
    let (high, low) = ((product >> 64) as u64, product as u64);
    let cut = 10 + (high >> 63) as u32;
    let half = 1_u64 << (cut - 1);
    let rest = high & ((1 << cut) - 1);
    if rest == half - 1 || (rest == half && low == 0) {
        return None;
    }
    let rounded = (high >> cut) + u64::from(rest >= half);
    let scale = cut as i32 + 1 - shifted as i32 - places as i32 - exponent;
    Some(rounded as f64 * f64::from_bits(((scale + 1023) as u64) << 52))
}

/// Appends a run of digits to `mantissa`; `None` if the run is too long, or too close to the end of the text to decide.
#[inline]
fn more_digits(text: &[u8], at: &mut usize, mantissa: &mut u64) -> Option<usize> {
    let mut count = 0;
    loop {
        let (value, length) = leading_digits(eight(text, *at)?);
        *mantissa = mantissa.wrapping_mul(SHIFTS[length]).wrapping_add(value);
        *at += length;
        count += length;
        if length < 8 {
            return Some(count);
        }
        if count > MOST_DIGITS {
            return None;
        }
    }
}

/// The value and number of the digits at the start of eight bytes (the first byte is the lowest).
#[inline(always)]
fn leading_digits(chunk: u64) -> (u64, usize) {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let values = chunk ^ ZEROS;
    // The high bit of a byte is set if it is not a digit: by itself if it is above 127, or by the addition if it is above 9.
    let others = (values | (values & !HIGH).wrapping_add(0x7676_7676_7676_7676)) & HIGH;
    let length = (others.trailing_zeros() / 8) as usize;
    // Adds zeros in front, then combines pairs, then fours, then all eight.
    let padded = values.checked_shl(64 - 8 * length as u32).unwrap_or(0);
    let pairs = padded.wrapping_mul(10).wrapping_add(padded >> 8);
    const MASK: u64 = 0x0000_00ff_0000_00ff;
    let high = (pairs & MASK).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((pairs >> 16) & MASK).wrapping_mul(0x0000_2710_0000_0001);
    (u64::from((high.wrapping_add(low) >> 32) as u32), length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<(f64, usize)> {
        decimal(format!("{text},12345678").as_bytes())
    }

    #[test]
    fn short_numbers_are_exact() {
        for text in [
            "0",
            "-0",
            "7",
            "-1.5",
            "0.1",
            "123456789",
            "12345678.87654321",
            ".25",
            "5.",
            "0.000001",
            "-.0",
            "0.12345678901234567",
            "9007199254740994",
        ] {
            let expected: f64 = text.parse().unwrap();
            let (value, length) = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(value.to_bits(), expected.to_bits(), "{text}");
            assert_eq!(length, text.len());
        }
    }

    #[test]
    fn what_is_long_or_no_number_is_left_alone() {
        for text in ["", "-", ".", "-.", "0.12345678901234567890", "99999999999999999999", "+1"] {
            assert_eq!(read(text), None, "{text}");
        }
        // The caller notices that the cell continues.
        assert_eq!(read("1e5"), Some((1.0, 1)));
        // Too close to the end to read eight bytes.
        assert_eq!(decimal(b"1.5"), None);
        // Half way between two numbers: the rounding is in doubt.
        assert_eq!(read("9007199254740993"), None);
    }

    proptest! {
        #[test]
        fn equal_to_the_standard_parser(text in "-?[0-9]{0,12}(\\.[0-9]{0,20})?") {
            if let Some((value, length)) = read(&text) {
                let expected: f64 = text.parse().unwrap();
                prop_assert_eq!(value.to_bits(), expected.to_bits());
                prop_assert_eq!(length, text.len());
            }
        }

        #[test]
        fn printed_numbers_come_back(value in -1e4..1e4, digits in 0..18_usize) {
            for text in [format!("{value}"), format!("{value:.digits$}")] {
                if let Some((found, _)) = read(&text) {
                    prop_assert_eq!(found.to_bits(), text.parse::<f64>().unwrap().to_bits());
                }
            }
        }

        #[test]
        fn runs_end_where_digits_end(bytes: [u8; 8]) {
            let (value, length) = leading_digits(u64::from_le_bytes(bytes));
            let run = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            prop_assert_eq!(length, run);
            let expected = bytes[..run].iter().fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'));
            prop_assert_eq!(value, expected);
        }
    }
}
