//! svmlight and LIBSVM: a label, then `index:value` for the values that are not 0.
//!
//! Indices count from 1, as the format says; if the index 0 occurs anywhere, they count from 0. `qid:N` is passed over,
//! and so is everything behind `#`.

use std::io::{BufRead, BufReader};

use crate::cell::{self, Cell};
use crate::error::{ColumnRef, ReadError, shorten_bytes};
use crate::input::{Input, damaged};
use crate::memory::{Budget, zeros};
use crate::table::{Codes, LabelBuilder};

/// A matrix with its labels.
#[derive(Debug)]
pub(crate) struct Sparse {
    pub(crate) values: Vec<f64>,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) labels: Codes,
}

/// Values that are not 0, row after row.
#[derive(Default)]
struct Entries {
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Where each row ends.
    ends: Vec<usize>,
    largest: u32,
    zero_seen: bool,
}

/// Reads the file; `NaN` values are missing.
pub(crate) fn read(input: &Input, budget: Budget) -> Result<Sparse, ReadError> {
    let mut reader = BufReader::with_capacity(1 << 18, input.reader()?);
    let mut labels = LabelBuilder::default();
    let mut entries = Entries::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(|error| damaged(&error))? == 0 {
            break;
        }
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        parse(text, &mut labels, &mut entries).map_err(|error| error.line(number))?;
        budget.check(entries.values.len() as u64 * 12).map_err(|error| error.line(number))?;
    }
    dense(&entries, labels.finish(), budget)
}

fn parse(text: &[u8], labels: &mut LabelBuilder, entries: &mut Entries) -> Result<(), ReadError> {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let Some(label) = words.next() else { return Ok(()) };
    push_label(label, labels)?;
    let mut last = None;
    for word in words {
        let (index, value) = pair(word)?;
        let Some(index) = index else { continue };
        if last.is_some_and(|last| index <= last) {
            return Err(ReadError::new(format!("the index {index} is not larger than the one before it"))
                .help("within a line, indices must go up and occur once"));
        }
        last = Some(index);
        entries.zero_seen |= index == 0;
        entries.largest = entries.largest.max(index);
        entries.columns.push(index);
        entries.values.push(value);
    }
    entries.ends.push(entries.values.len());
    Ok(())
}

/// Labels are numbers as a rule: `+1` and `1.0` are the class `1`.
fn push_label(text: &[u8], labels: &mut LabelBuilder) -> Result<(), ReadError> {
    if text.contains(&b':') {
        return Err(ReadError::new(format!(
            "the line begins with '{}', not with a label",
            shorten_bytes(text)
        ))
        .help("each line must be LABEL INDEX:VALUE …"));
    }
    match cell::plain(text) {
        Cell::Number(number) => labels.push_number(number),
        Cell::Missing => {
            labels.push_missing();
            Ok(())
        }
        _ => labels.push(text),
    }
}

/// `index:value`, or no index for `qid:value`.
fn pair(word: &[u8]) -> Result<(Option<u32>, f64), ReadError> {
    let wrong = |what: &str| {
        ReadError::new(format!("'{}' {what}", shorten_bytes(word)))
            .help("each line must be LABEL INDEX:VALUE …")
    };
    let colon = word.iter().position(|&byte| byte == b':').ok_or_else(|| wrong("is not INDEX:VALUE"))?;
    let (name, value) = (&word[..colon], &word[colon + 1..]);
    if name == b"qid" {
        return Ok((None, 0.0));
    }
    let index = std::str::from_utf8(name).ok().and_then(|name| name.parse::<i64>().ok());
    let index = index.ok_or_else(|| wrong("does not begin with an index"))?;
    let index = u32::try_from(index).map_err(|_| wrong("has an index that is negative or too large"))?;
    let place = |error: ReadError| error.column(ColumnRef::Name(index.to_string()));
    match cell::plain(value) {
        Cell::Number(number) => Ok((Some(index), number)),
        Cell::Missing if !value.is_empty() => Ok((Some(index), f64::NAN)),
        Cell::Infinite => Err(place(crate::missing::infinite())),
        Cell::TooLarge => Err(place(crate::rows::too_large(value))),
        _ => Err(wrong("does not end in a number")),
    }
}

/// Writes the zeros out. The matrix may be far larger than the file, so that its size is checked first.
fn dense(entries: &Entries, labels: Codes, budget: Budget) -> Result<Sparse, ReadError> {
    let base = u32::from(!entries.zero_seen);
    let features = if entries.values.is_empty() { 0 } else { (entries.largest - base) as usize + 1 };
    let rows = entries.ends.len();
    budget.check_shape(rows as u64, features as u64, 8)?;
    let mut values: Vec<f64> = zeros(rows * features)?;
    let mut start = 0;
    for (row, &end) in entries.ends.iter().enumerate() {
        for entry in start..end {
            values[row * features + (entries.columns[entry] - base) as usize] = entries.values[entry];
        }
        start = end;
    }
    Ok(Sparse { values, rows, features, labels })
}

/// Whether the first lines look like this format; labels that are no numbers need a name that says so.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let complete = head.iter().rposition(|&byte| byte == b'\n').map_or(head, |end| &head[..end]);
    let mut pairs = 0;
    for line in complete.split(|&byte| byte == b'\n').take(20) {
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.next().is_some_and(|label| !cell::is_number(label, false)) {
            return false;
        }
        for word in words {
            match pair(word) {
                Ok(_) => pairs += 1,
                Err(_) => return false,
            }
        }
    }
    pairs > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ReadOptions;

    fn sparse(text: &str) -> Result<Sparse, ReadError> {
        read(&Input::Memory(text.as_bytes().to_vec().into()), Budget::new(&ReadOptions::default()))
    }

    #[test]
    fn rows_are_filled_with_zeros() {
        let found = sparse("# a comment\n+1 qid:3 1:2.5 3:-1 # note\n-1 2:4\n\n2.0\n").unwrap();
        assert_eq!((found.rows, found.features), (3, 3));
        assert_eq!(found.values, [2.5, 0.0, -1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(found.labels.names, ["1", "-1", "2"]);
    }

    #[test]
    fn an_index_0_shows_that_they_count_from_0() {
        let found = sparse("a 1:1\nb 0:7 1:2\n").unwrap();
        assert_eq!(found.values, [0.0, 1.0, 7.0, 2.0]);
        assert_eq!(sparse("a 1:1\nb 2:2\n").unwrap().values, [1.0, 0.0, 0.0, 2.0]);
    }

    #[test]
    fn the_format_is_recognised() {
        assert!(looks_like(b"1 1:2 7:3\n-1 2:1\n") && looks_like(b"+1.5 1:2"));
        assert!(
            !looks_like(b"a,b\n1,2\n") && !looks_like(b"a b\n1 2\n") && !looks_like(b"time value\n10:30 5\n")
        );
        assert!(!looks_like(b"") && !looks_like(b"day 10:30\n"));
    }
}
