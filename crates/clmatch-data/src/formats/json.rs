//! JSON arrays of numbers and labels, scanned as a stream: one flat vector, no tree, exact numbers. For rows with names, see
//! [`records`](super::records).

use std::io::Read;

use clmatch_kernels::simd::with_bit_instructions;

use crate::cell::{self, ParsedCell};
use crate::error::{ColumnRef, ReadError, shorten_bytes};
use crate::formats::csv::decimal;
use crate::input::damaged;
use crate::memory::MemoryBudget;
use crate::rows::ragged;
use crate::table::{Codes, LabelBuilder};

/// A matrix without names.
#[derive(Debug, PartialEq)]
pub(crate) struct Numbers {
    pub(crate) values: Vec<f64>,
    pub(crate) features: usize,
    pub(crate) rows: usize,
}

/// Reads `[[1, 2], [3, 4]]`. `null` and `NaN` are missing, `true` and `false` are 1 and 0.
pub(crate) fn matrix(reader: impl Read, budget: MemoryBudget) -> Result<Numbers, ReadError> {
    let mut scanner = Scanner::new(reader);
    let mut numbers = Numbers { values: Vec::new(), features: 0, rows: 0 };
    scanner.array(|scanner, row| {
        if scanner.peek()? != Some(b'[') {
            return Err(ReadError::new("an array of numbers is expected here").row(row).help(MATRIX));
        }
        let start = numbers.values.len();
        scanner
            .array(|scanner, _| {
                if with_bit_instructions(|| scanner.plain_numbers(&mut numbers.values)) {
                    return Ok(());
                }
                let column = numbers.values.len() - start;
                let value = scanner.number().map_err(|error| error.column(ColumnRef::Index(column)))?;
                numbers.values.push(value);
                Ok(())
            })
            .map_err(|error| error.row(row))?;
        let found = numbers.values.len() - start;
        if row == 0 {
            numbers.features = found;
        }
        if found != numbers.features {
            return Err(ragged(found, numbers.features).row(row));
        }
        numbers.rows += 1;
        budget.check(numbers.values.len() as u64 * 8)
    })?;
    scanner.end()?;
    Ok(numbers)
}

/// Reads `[0, "a", 2.0]`: texts are kept as they are, whole numbers print as integers, `null` and `NaN` are missing.
pub(crate) fn labels(reader: impl Read, budget: MemoryBudget) -> Result<Codes, ReadError> {
    let mut scanner = Scanner::new(reader);
    let mut labels = LabelBuilder::default();
    scanner.array(|scanner, row| {
        scanner.label(&mut labels).map_err(|error| error.row(row))?;
        budget.check(labels.len() as u64 * 4)
    })?;
    scanner.end()?;
    Ok(labels.finish())
}

const MATRIX: &str = "the points must be an array of rows, and each row an array of numbers";
const FLAT: &str = "the labels must be one flat array of numbers or texts";

/// No number is longer than this; a scanner always has at least this many bytes available.
const TOKEN: usize = 1024;
const BLOCK: usize = 1 << 18;

/// Reads JSON piece by piece.
pub(super) struct Scanner<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    done: bool,
    /// Whether nothing was read yet, so that there may be a byte-order mark.
    first: bool,
    /// Where the buffer starts in the input.
    before: usize,
}

impl<R: Read> Scanner<R> {
    /// A scanner at the start of a text.
    pub(super) fn new(reader: R) -> Self {
        Scanner { reader, buffer: vec![0; BLOCK], start: 0, end: 0, done: false, first: true, before: 0 }
    }

    /// What comes next: at least [`TOKEN`] bytes unless the input ends.
    fn ahead(&mut self) -> Result<&[u8], ReadError> {
        if self.end - self.start < TOKEN && !self.done {
            self.buffer.copy_within(self.start..self.end, 0);
            self.before += self.start;
            self.end -= self.start;
            self.start = 0;
            while self.end < self.buffer.len() {
                match self.reader.read(&mut self.buffer[self.end..]) {
                    Ok(0) => {
                        self.done = true;
                        break;
                    }
                    Ok(count) => self.end += count,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(damaged(&error)),
                }
            }
            if std::mem::take(&mut self.first) && self.buffer.starts_with(b"\xef\xbb\xbf") {
                self.start = 3;
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// How many bytes were taken.
    pub(super) fn offset(&self) -> usize {
        self.before + self.start
    }

    /// The next byte that is not a blank.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let ahead = self.ahead()?;
            match ahead.iter().position(|byte| !byte.is_ascii_whitespace()) {
                Some(blanks) => {
                    let byte = ahead[blanks];
                    self.start += blanks;
                    return Ok(Some(byte));
                }
                None if ahead.is_empty() => return Ok(None),
                None => self.start = self.end,
            }
        }
    }

    /// Takes `expected`, or reports what is there instead.
    fn take(&mut self, expected: u8) -> Result<(), ReadError> {
        match self.peek()? {
            Some(found) if found == expected => {
                self.start += 1;
                Ok(())
            }
            found => Err(unexpected(found, &format!("'{}'", char::from(expected)))),
        }
    }

    /// Takes an array and calls `element` with the index of each element.
    pub(super) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.take(b'[')?;
        if self.peek()? == Some(b']') {
            self.start += 1;
            return Ok(());
        }
        for index in 0.. {
            element(self, index)?;
            match self.peek()? {
                Some(b',') => self.start += 1,
                Some(b']') => {
                    self.start += 1;
                    break;
                }
                found => return Err(unexpected(found, "',' or ']'").row(index)),
            }
        }
        Ok(())
    }

    /// Takes an object and calls `member` with each name; `member` takes the value.
    pub(super) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, String) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.take(b'{')?;
        if self.peek()? == Some(b'}') {
            self.start += 1;
            return Ok(());
        }
        loop {
            if self.peek()? != Some(b'"') {
                return Err(unexpected(self.peek()?, "a name in quotes"));
            }
            let name = self.string()?;
            self.take(b':')?;
            member(self, name)?;
            match self.peek()? {
                Some(b',') => self.start += 1,
                Some(b'}') => {
                    self.start += 1;
                    return Ok(());
                }
                found => return Err(unexpected(found, "',' or '}'")),
            }
        }
    }

    /// Takes any value as text: the content of a text, a number or word as written, the start of an array or object.
    pub(super) fn value(&mut self) -> Result<RecordValue, ReadError> {
        match self.peek()? {
            Some(b'"') => self.string().map(|text| RecordValue::Plain(text.into_bytes())),
            Some(b'[' | b'{') => self.nested().map(RecordValue::Nested),
            found => match self.token()? {
                b"" => Err(unexpected(found, "a value")),
                word => Ok(RecordValue::Plain(word.to_vec())),
            },
        }
    }

    /// Skips an array or object, and keeps its start without blanks and texts: all of a list of numbers, such as an embedding.
    fn nested(&mut self) -> Result<Vec<u8>, ReadError> {
        const KEPT: usize = 1 << 20;
        let mut text = Vec::new();
        let mut depth = 0_usize;
        loop {
            let Some(byte) = self.peek()? else {
                return Err(unexpected(None, "the end of an array or object"));
            };
            if text.len() < KEPT {
                text.push(byte);
            }
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.start += 1;
            if depth == 0 {
                return Ok(text);
            }
        }
    }

    /// A number or word, up to the next delimiter.
    fn token(&mut self) -> Result<&[u8], ReadError> {
        let ahead = self.ahead()?;
        let is_end =
            |byte: &u8| matches!(byte, b',' | b']' | b'[' | b'"' | b'{' | b'}') || byte.is_ascii_whitespace();
        let length = ahead.iter().take(TOKEN).position(is_end).unwrap_or(ahead.len().min(TOKEN));
        let from = self.start;
        self.start += length;
        Ok(&self.buffer[from..from + length])
    }

    /// Takes numbers that the fast path can parse, with the commas between them, from the bytes read already; returns whether
    /// there was any.
    #[inline(always)]
    fn plain_numbers(&mut self, values: &mut Vec<f64>) -> bool {
        let ahead = &self.buffer[self.start..self.end];
        let count = values.len();
        let mut at = 0;
        let mut taken = 0;
        while let Some((value, length)) = ahead.get(at..).and_then(decimal) {
            at += length;
            match ahead[at..] {
                [b']', ..] => {
                    values.push(value);
                    taken = at;
                    break;
                }
                [b',', blank, ..] => {
                    values.push(value);
                    taken = at;
                    at += 1 + usize::from(blank == b' ');
                }
                _ => break,
            }
        }
        self.start += taken;
        values.len() > count
    }

    fn number(&mut self) -> Result<f64, ReadError> {
        match self.peek()? {
            Some(b'[' | b'{') => {
                return Err(
                    ReadError::new("a number is expected here, not another array or object").help(MATRIX)
                );
            }
            Some(b'"') => {
                let text = self.string()?;
                let what = format!("'{}' is text, not a number", shorten_bytes(text.as_bytes()));
                return Err(ReadError::new(what).help(MATRIX));
            }
            _ => {}
        }
        let token = self.token()?;
        match cell::plain(token) {
            ParsedCell::Number(number) => Ok(number),
            ParsedCell::Bool(value) => Ok(f64::from(u8::from(value))),
            ParsedCell::Missing if !token.is_empty() => Ok(f64::NAN),
            ParsedCell::Infinite => Err(crate::missing::infinite()),
            ParsedCell::TooLarge => Err(crate::rows::too_large(token)),
            _ => Err(ReadError::new(format!("'{}' is not a number", shorten_bytes(token))).help(MATRIX)),
        }
    }

    fn label(&mut self, labels: &mut LabelBuilder) -> Result<(), ReadError> {
        match self.peek()? {
            Some(b'"') => {
                let text = self.string()?;
                let text = text.trim();
                if cell::no_label(text.as_bytes()) {
                    labels.push_missing();
                } else {
                    labels.push(text.as_bytes())?;
                }
                return Ok(());
            }
            Some(b'[' | b'{') => {
                return Err(
                    ReadError::new("a label is expected here, not another array or object").help(FLAT)
                );
            }
            _ => {}
        }
        let token = self.token()?;
        match cell::plain(token) {
            // Integers of any length are kept exactly.
            ParsedCell::Number(_) if token.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') => {
                labels.push(token)
            }
            ParsedCell::Number(number) => labels.push_number(number),
            ParsedCell::Bool(value) => labels.push(if value { b"true" } else { b"false" }),
            ParsedCell::Missing if !token.is_empty() => {
                labels.push_missing();
                Ok(())
            }
            _ => Err(ReadError::new(format!("'{}' is not a label", shorten_bytes(token))).help(FLAT)),
        }
    }

    /// Takes a text in quotes; escapes are left to the JSON crate.
    fn string(&mut self) -> Result<String, ReadError> {
        let mut quoted = Vec::new();
        let mut escaped = false;
        loop {
            let opened = !quoted.is_empty();
            let Some(&byte) = self.ahead()?.first() else {
                return Err(unexpected(None, "'\"'"));
            };
            self.start += 1;
            quoted.push(byte);
            if escaped {
                escaped = false;
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == b'"' && opened {
                break;
            }
        }
        serde_json::from_slice(&quoted).map_err(|_| {
            ReadError::new(format!("{} is not a valid JSON text", shorten_bytes(&quoted))).help(FLAT)
        })
    }

    /// Refuses anything after the array.
    pub(super) fn end(&mut self) -> Result<(), ReadError> {
        match self.peek()? {
            None => Ok(()),
            found => Err(unexpected(found, "the end")),
        }
    }
}

/// A value in a record.
#[derive(Debug, PartialEq)]
pub(super) enum RecordValue {
    /// A text, number or word.
    Plain(Vec<u8>),
    /// An array or object, without blanks and texts; if it is very long, its start.
    Nested(Vec<u8>),
}

fn unexpected(found: Option<u8>, expected: &str) -> ReadError {
    let what = match found {
        Some(byte) => format!("'{}' stands where {expected} is expected", char::from(byte).escape_default()),
        None => format!("the JSON text ends where {expected} is expected"),
    };
    ReadError::new(what).help("the file is incomplete, or is not valid JSON")
}

#[cfg(test)]
mod tests;
