//! Numbers and texts as bytes: a mark, a version, the kind of content, the content, and a checksum over all of it.
//!
//! Bytes come from elsewhere and are not trusted: every length is checked against the bytes that are left before any memory is
//! allocated for it.

use xxhash_rust::xxh3::xxh3_64;

use super::error::{SummaryError, corrupt};

const MARK: [u8; 4] = *b"CLMS";
/// The version of the content.
pub(super) const VERSION: u8 = 1;
const HEADER: usize = MARK.len() + 2;
const CHECKSUM: usize = size_of::<u64>();

/// What the bytes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SerialKind {
    Summary = 1,
    SecondPass = 2,
}

/// Writes little-endian numbers.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(content: SerialKind) -> Writer {
        let mut bytes = MARK.to_vec();
        bytes.extend([VERSION, content as u8]);
        Writer(bytes)
    }

    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn number(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn float(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn floats(&mut self, values: &[f64]) {
        self.0.reserve(size_of_val(values));
        values.iter().for_each(|&value| self.float(value));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let checksum = xxh3_64(&self.0);
        self.number(checksum);
        self.0
    }
}

/// Reads what a [`Writer`] wrote.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], content: SerialKind) -> Result<Reader<'a>, SummaryError> {
        if bytes.len() < HEADER + CHECKSUM || bytes[..MARK.len()] != MARK {
            return Err(corrupt("they do not begin as one does"));
        }
        let version = bytes[MARK.len()];
        if version != VERSION {
            return Err(corrupt(format!("they are of version {version}, and this program reads {VERSION}")));
        }
        if bytes[MARK.len() + 1] != content as u8 {
            return Err(corrupt(match content {
                SerialKind::Summary => "they are those of a second pass, or of something else",
                SerialKind::SecondPass => "they are those of a first pass, or of something else",
            }));
        }
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(corrupt("their checksum is wrong"));
        }
        Ok(Reader(&content[HEADER..]))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], SummaryError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| corrupt("they end too soon"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, SummaryError> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn number(&mut self) -> Result<u64, SummaryError> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a count of things that take at least `bytes_each` bytes each.
    pub(super) fn count(&mut self, bytes_each: usize) -> Result<usize, SummaryError> {
        let count = usize::try_from(self.number()?).map_err(|_| corrupt("a length is too large"))?;
        match count.checked_mul(bytes_each) {
            Some(bytes) if bytes <= self.0.len() => Ok(count),
            _ => Err(corrupt("a length is larger than what follows")),
        }
    }

    /// Reads a number that is not NaN and not infinite.
    pub(super) fn float(&mut self) -> Result<f64, SummaryError> {
        let value = f64::from_bits(self.number()?);
        if value.is_finite() { Ok(value) } else { Err(corrupt(format!("a number is {value}"))) }
    }

    /// Reads a finite number that is not negative.
    pub(super) fn sum(&mut self) -> Result<f64, SummaryError> {
        let value = self.float()?;
        if value >= 0.0 { Ok(value) } else { Err(corrupt(format!("a sum of squares is {value}"))) }
    }

    pub(super) fn floats(&mut self, count: usize) -> Result<Vec<f64>, SummaryError> {
        if count.checked_mul(size_of::<f64>()).is_none_or(|bytes| bytes > self.0.len()) {
            return Err(corrupt("they end too soon"));
        }
        (0..count).map(|_| self.float()).collect()
    }

    pub(super) fn text(&mut self) -> Result<String, SummaryError> {
        let length = self.count(1)?;
        let bytes = self.take(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| corrupt("a name is not text"))
    }

    /// Checks that nothing follows.
    pub(super) fn finish(self) -> Result<(), SummaryError> {
        if self.0.is_empty() { Ok(()) } else { Err(corrupt("something follows their end")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of two numbers, followed by this many more bytes.
    fn bytes(numbers: [u64; 2], more: usize) -> Vec<u8> {
        let mut to = Writer::new(SerialKind::Summary);
        numbers.into_iter().for_each(|number| to.number(number));
        (0..more).for_each(|_| to.byte(7));
        to.finish()
    }

    #[test]
    fn nothing_may_follow_the_end() {
        for (more, expected) in [(0, Ok(())), (1, Err(corrupt("something follows their end")))] {
            let bytes = bytes([5, u64::MAX], more);
            let mut from = Reader::new(&bytes, SerialKind::Summary).unwrap();
            assert_eq!((from.number(), from.number()), (Ok(5), Ok(u64::MAX)));
            assert_eq!(from.finish(), expected);
        }
    }

    #[test]
    fn lengths_are_held_against_what_follows() {
        let count = |number: u64, bytes_each: usize| {
            // 24 bytes follow.
            Reader::new(&bytes([number, 0], 16), SerialKind::Summary).unwrap().count(bytes_each)
        };
        assert_eq!(
            [(3, 8), (24, 1), (2, 12), (0, 1000)].map(|(number, each)| count(number, each).is_ok()),
            [true; 4]
        );
        for (number, each) in [(3, 9), (25, 1), (u64::MAX, 1), (u64::MAX, 8)] {
            assert_eq!(count(number, each), Err(corrupt("a length is larger than what follows")));
        }
    }
}
