//! The header of an NPY file: a Python dictionary such as `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
//!
//! The crates that read it bring a parser of all Python literals, a dozen packages; a header has texts, booleans and tuples of
//! lengths. A nested type, which is a list or a tuple, is recognised but not parsed.

use std::io::Read;

use super::{NpyLayout, impossible};
use crate::error::ReadError;
use crate::input::damaged;

/// Longer headers are refused before any memory is allocated for them.
const LONGEST: usize = 1 << 20;
/// Texts of more bytes than this cannot be labels.
const LONGEST_TEXT: usize = 1 << 20;

/// What kind of elements there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    Bool,
    Int,
    Uint,
    Float,
    /// Characters of four bytes.
    Unicode,
    Bytes,
}

/// Reads the header.
pub(super) fn header(reader: &mut dyn Read) -> Result<NpyLayout, ReadError> {
    let mut start = [0; 8];
    reader.read_exact(&mut start).map_err(|error| damaged(&error))?;
    if start[..6] != *b"\x93NUMPY" {
        return Err(ReadError::new("this is not an NPY file").help("write it with numpy.save"));
    }
    // The length takes two bytes in the first version, four in the others.
    let mut length = [0; 4];
    let width = if start[6] == 1 { 2 } else { 4 };
    reader.read_exact(&mut length[..width]).map_err(|error| damaged(&error))?;
    let length = u32::from_le_bytes(length) as usize;
    if !(1..=3).contains(&start[6]) || length > LONGEST {
        return Err(ReadError::new("the NPY header is damaged or of an unknown version")
            .help("write the file again with numpy.save"));
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text).map_err(|error| damaged(&error))?;
    layout(&String::from_utf8_lossy(&text), (start.len() + width + length) as u64)
}

/// What the dictionary says.
fn layout(text: &str, offset: u64) -> Result<NpyLayout, ReadError> {
    let unclear =
        || ReadError::new("the NPY header cannot be understood").help("write the file with numpy.save");
    let entries = Literals(text).dictionary().ok_or_else(unclear)?;
    let entry = |key: &str| entries.iter().find(|(found, _)| found == key).map(|(_, value)| value);
    let (descr, fortran, shape) = (entry("descr"), entry("fortran_order"), entry("shape"));
    let shape = match shape {
        Some(Literal::Lengths(Some(shape))) => shape.clone(),
        Some(Literal::Lengths(None)) => return Err(impossible("with a length beyond 64 bits")),
        _ => return Err(unclear()),
    };
    if shape.iter().try_fold(8_u64, |size, &length| size.checked_mul(length)).is_none() {
        return Err(impossible(&super::shape_text(&shape)));
    }
    let Some(Literal::Truth(fortran)) = fortran else { return Err(unclear()) };
    match descr {
        Some(Literal::Text(name)) => {
            let (big, kind, size) = element(name).ok_or_else(|| {
                ReadError::new(format!("the array's type {name} is not a number")).help(match name.as_str() {
                    "|O" => {
                        "convert it first: array.astype(str) for labels, array.astype('float64') for numbers; pickled objects are never loaded"
                    }
                    _ => "convert it first, for instance array.astype('float64')",
                })
            })?;
            Ok(NpyLayout { kind, size, big, fortran: *fortran, shape, offset })
        }
        Some(Literal::Nested(name)) => Err(ReadError::new(format!(
            "the type {name} is a record, not a number"
        ))
        .help("save the columns of numbers as one matrix, for instance with structured_to_unstructured")),
        _ => Err(unclear()),
    }
}

/// Whether the bytes of an element are reversed, its kind and its size; `None` for a type that is neither number nor text.
fn element(name: &str) -> Option<(bool, ElementKind, usize)> {
    let order = name.chars().next()?;
    let (kind, size) = name.strip_prefix(['<', '>', '|', '='])?.split_at_checked(1)?;
    let size: usize = size.parse().ok()?;
    let (kind, size) = match (kind, size) {
        ("b", 1) => (ElementKind::Bool, 1),
        ("i", 1 | 2 | 4 | 8) => (ElementKind::Int, size),
        ("u", 1 | 2 | 4 | 8) => (ElementKind::Uint, size),
        ("f", 2 | 4 | 8) => (ElementKind::Float, size),
        ("U", _) => (ElementKind::Unicode, size.checked_mul(4)?),
        ("S", _) => (ElementKind::Bytes, size),
        _ => return None,
    };
    (size < LONGEST_TEXT).then_some((order == '>', kind, size))
}

/// A value in the dictionary.
#[derive(Debug, PartialEq)]
enum Literal {
    Text(String),
    Truth(bool),
    /// A tuple of numbers; `None` if one of them is out of range.
    Lengths(Option<Vec<u64>>),
    /// A list or a tuple of other things, as written.
    Nested(String),
}

/// The rest of a text.
struct Literals<'a>(&'a str);

impl Literals<'_> {
    fn dictionary(mut self) -> Option<Vec<(String, Literal)>> {
        let mut entries = Vec::new();
        self.take('{')?;
        while self.take('}').is_none() {
            let key = self.text()?;
            self.take(':')?;
            entries.push((key, self.value()?));
            if self.take(',').is_none() {
                self.take('}')?;
                break;
            }
        }
        self.0.trim().is_empty().then_some(entries)
    }

    fn take(&mut self, sign: char) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(sign)?;
        Some(())
    }

    fn text(&mut self) -> Option<String> {
        let text = self.0.trim_start();
        let quote = text.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
        let (text, rest) = text[1..].split_once(quote)?;
        self.0 = rest;
        (!text.contains('\\')).then(|| text.to_owned())
    }

    fn value(&mut self) -> Option<Literal> {
        let text = self.0.trim_start();
        for (word, truth) in [("True", true), ("False", false)] {
            if let Some(rest) = text.strip_prefix(word) {
                self.0 = rest;
                return Some(Literal::Truth(truth));
            }
        }
        if text.starts_with(['(', '[']) { self.nested() } else { Some(Literal::Text(self.text()?)) }
    }

    /// A list or a tuple: a shape, or a nested type.
    fn nested(&mut self) -> Option<Literal> {
        let text = self.0.trim_start();
        let (mut depth, mut quote) = (0_usize, None);
        for (at, sign) in text.char_indices() {
            match (quote, sign) {
                (Some(open), _) => quote = Some(open).filter(|open| *open != sign),
                (None, '\'' | '"') => quote = Some(sign),
                (None, '(' | '[') => depth += 1,
                (None, ')' | ']') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let (whole, rest) = text.split_at(at + 1);
                self.0 = rest;
                return Some(lengths(whole).unwrap_or_else(|| Literal::Nested(whole.to_owned())));
            }
        }
        None
    }
}

/// A tuple of numbers, also as written by Python 2: `(3L, 4L)`.
fn lengths(text: &str) -> Option<Literal> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let inside = inside.trim_end().strip_suffix(',').unwrap_or(inside);
    let mut lengths = Some(Vec::new());
    for number in inside.split(',').filter(|_| !inside.trim().is_empty()) {
        let number = number.trim();
        let digits = number.strip_suffix('L').unwrap_or(number);
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        lengths = lengths.and_then(|mut lengths| {
            lengths.push(digits.parse().ok()?);
            Some(lengths)
        });
    }
    Some(Literal::Lengths(lengths))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<NpyLayout, String> {
        layout(text, 80).map_err(|error| error.to_string())
    }

    #[test]
    fn headers_as_they_are_written() {
        for (text, expected) in [
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  \n",
                (ElementKind::Float, 8, false, false, vec![3, 4]),
            ),
            (
                "{'descr': '>i2', 'fortran_order': True, 'shape': (3,), }",
                (ElementKind::Int, 2, true, true, vec![3]),
            ),
            (
                "{\"shape\":(3L,4L,),\"fortran_order\":False,\"descr\":\"|b1\"}",
                (ElementKind::Bool, 1, false, false, vec![3, 4]),
            ),
            (
                "{'descr': '=u4', 'fortran_order': False, 'shape': ()}",
                (ElementKind::Uint, 4, false, false, vec![]),
            ),
            (
                "{'descr': '<U5', 'fortran_order': False, 'shape': (0, 7)}",
                (ElementKind::Unicode, 20, false, false, vec![0, 7]),
            ),
            (
                "{'descr': '|S7', 'fortran_order': False, 'shape': (1,)}",
                (ElementKind::Bytes, 7, false, false, vec![1]),
            ),
        ] {
            let found = of(text).unwrap();
            assert_eq!((found.kind, found.size, found.big, found.fortran, found.shape), expected, "{text}");
            assert_eq!(found.offset, 80);
        }
    }

    #[test]
    fn other_headers_are_refused_in_words() {
        let with = |descr: &str, shape: &str| {
            of(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}")).unwrap_err()
        };
        for (descr, shape, words) in [
            ("'<c16'", "(3,)", "type <c16 is not a number"),
            ("'|O'", "(3,)", "type |O is not a number"),
            ("'<M8[ns]'", "(3,)", "type <M8[ns] is not a number"),
            ("'<f16'", "(3,)", "type <f16 is not a number"),
            ("'<U999999'", "(3,)", "is not a number"),
            ("'f8'", "(3,)", "is not a number"),
            ("'<é8'", "(3,)", "is not a number"),
            ("[('a', '<f8'), ('b)', '<i4')]", "(3,)", "[('a', '<f8'), ('b)', '<i4')] is a record"),
            ("('<f8', (2,))", "(3,)", "is a record"),
            ("7", "(3,)", "cannot be understood"),
            ("'<f8'", "(3, -4)", "cannot be understood"),
            ("'<f8'", "[3, 4]", "cannot be understood"),
            ("'<f8'", "(3,,)", "cannot be understood"),
            ("'<f8'", "(9223372036854775807, 4)", "impossible shape (9223372036854775807, 4)"),
            ("'<f8'", "(99999999999999999999999,)", "impossible shape"),
        ] {
            let error = with(descr, shape);
            assert!(error.contains(words), "{descr} {shape}: {error}");
        }
        for text in [
            "",
            "hello",
            "{",
            "{}",
            "{'descr': '<f8'}",
            "{'descr' '<f8'}",
            "{'shape': (3",
            "{'a\\'': 3}",
            "{'shape': ()} more",
        ] {
            assert!(of(text).unwrap_err().contains("cannot be understood"), "{text}");
        }
    }
}
