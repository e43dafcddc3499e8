//! Lists of numbers in a cell, such as embeddings: `[0.1, 0.2]` as in JSON, `[0.1 0.2]` as NumPy prints them, and `0.1 0.2 0.3`.

use crate::cell::{self, ParsedCell};
use crate::error::{ReadError, shorten_bytes};
use crate::missing::missing_value;
use crate::options::Missing;

/// Shorter lists are no embeddings: `[1]` may be a footnote.
const SHORTEST: usize = 2;

/// Without brackets, shorter ones may be coordinates, and whole numbers that are written in groups.
const SHORTEST_BARE: usize = 3;

/// How many numbers a cell lists; `None` if it is no list of numbers.
pub(crate) fn length(text: &[u8]) -> Option<usize> {
    let is_bare = !text.starts_with(b"[");
    if is_bare && (!text.contains(&b'.') || text.contains(&b',')) {
        return None;
    }
    let numbers = elements(text)?.all(|element| matches!(cell::plain(element), ParsedCell::Number(_)));
    let count = if numbers { elements(text)?.count() } else { 0 };
    (count >= if is_bare { SHORTEST_BARE } else { SHORTEST }).then_some(count)
}

/// Appends the numbers of a cell that must list `length` of them.
pub(crate) fn push(
    text: &[u8],
    length: usize,
    missing: Missing,
    values: &mut Vec<f64>,
) -> Result<(), ReadError> {
    if cell::plain(text) == ParsedCell::Missing {
        if missing == Missing::Error {
            return Err(missing_value());
        }
        values.resize(values.len() + length, f64::NAN);
        return Ok(());
    }
    let start = values.len();
    for element in elements(text).into_iter().flatten() {
        let ParsedCell::Number(number) = cell::plain(element) else { return Err(not_a_list(text, length)) };
        values.push(number);
    }
    match values.len() - start {
        found if found == length => Ok(()),
        0 => Err(not_a_list(text, length)),
        found => Err(ReadError::new(format!("the list has {found} numbers where {length} are expected"))
            .help("each row needs equally many; leave out the row or the column")),
    }
}

fn not_a_list(text: &[u8], length: usize) -> ReadError {
    ReadError::new(format!("'{}' is not a list of {length} numbers, as in other rows", shorten_bytes(text)))
        .help("correct or remove the row, or leave out the column")
}

/// What stands between the brackets, if there are any, separated by commas or, if there is none, by blanks.
fn elements(text: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let inner = match text.strip_prefix(b"[") {
        Some(rest) => rest.strip_suffix(b"]")?,
        None => text,
    };
    let commas = inner.contains(&b',');
    let separator = move |byte: &u8| if commas { *byte == b',' } else { byte.is_ascii_whitespace() };
    let elements = inner.split(separator).map(<[u8]>::trim_ascii);
    // Nothing between two blanks is no element, but nothing between two commas is a missing one.
    Some(elements.filter(move |element| commas || !element.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_from_other_texts() {
        for (text, expected) in [
            ("[0.1, -2e3,3]", Some(3)),
            ("[0.1 0.2\n 0.3  4.]", Some(4)),
            ("[1]", None),
            ("[]", None),
            ("[1, x]", None),
            ("[1, , 2]", None),
            ("[1, 2,]", None),
            ("[0.1 0.2 ... 0.9]", None),
            ("[[1, 2], [3, 4]]", None),
            ("[1, 2)", None),
            ("1, 2", None),
            ("5.1 3.5 1.4", Some(3)),
            ("5.1 3.5", None),
            ("030 123 456", None),
            ("5.1, 3.5, 1.4", None),
            ("5.1 3.5 cm", None),
        ] {
            assert_eq!(length(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn lists_of_another_length_are_refused() {
        let read = |text: &str, missing| {
            let mut values = Vec::new();
            push(text.as_bytes(), 2, missing, &mut values).map(|()| values).map_err(|error| error.what)
        };
        assert_eq!(read("[1, 2]", Missing::Error), Ok(vec![1.0, 2.0]));
        assert_eq!(
            read("[1, 2, 3]", Missing::Error),
            Err("the list has 3 numbers where 2 are expected".into())
        );
        assert!(read("x", Missing::Error).is_err_and(|what| what.contains("is not a list of 2 numbers")));
        assert!(read("", Missing::Error).is_err());
        assert!(read("", Missing::Drop).is_ok_and(|values| values.len() == 2 && values[0].is_nan()));
    }
}
