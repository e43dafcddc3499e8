//! Detects the delimiter and the header from the first lines.

use crate::cell::{self, ParsedCell};
use crate::error::{ColumnRef, ReadError};
use crate::formats::csv::sample::TextSample;
use crate::names::names_label;
use crate::options::ReadOptions;
use crate::table::not_utf8;

/// What separates two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// One byte.
    Byte(u8),
    /// Any number of blanks and tabs.
    Blanks,
}

/// How a text file is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: Delimiter,
    pub(crate) header: bool,
    /// The names in the header, or indices.
    pub(crate) names: Vec<ColumnRef>,
    /// Whether the header consists of consecutive numbers.
    pub(crate) counted: bool,
    /// Whether the names are those of a header of several lines, which are skipped.
    pub(crate) joined: bool,
    /// How many bytes to skip: a byte-order mark, and lines that are to be skipped.
    pub(crate) mark: usize,
    /// How many lines are skipped with them.
    pub(crate) skipped: u64,
    /// How many bytes a line may have.
    pub(super) longest: u64,
}

/// How many rows are examined.
const ROWS: usize = 100;

/// Detects how the file is written.
pub(crate) fn dialect(sample: &TextSample, options: &ReadOptions) -> Result<Dialect, ReadError> {
    let delimiter = delimiter(sample, options);
    let rows = first_rows(sample, delimiter);
    let Some(first) = rows.first() else {
        return Err(
            ReadError::new("there is no row, only comments").help("lines that start with # are comments")
        );
    };
    let second = rows.get(1);
    let TextSample { mark, skipped, longest, .. } = *sample;
    if let Some(names) = &sample.names {
        let names = names.iter().cloned().map(ColumnRef::Name).collect();
        return Ok(Dialect {
            delimiter,
            header: false,
            names,
            counted: false,
            joined: true,
            mark,
            skipped,
            longest,
        });
    }
    let counted =
        is_series(&rows) || counts_up(first, 3) && !second.is_some_and(|second| counts_up(second, 2));
    let header = options.header.unwrap_or_else(|| {
        let is_row = || {
            !first.iter().any(|cell| cell::is_number(cell, options.decimal_comma))
                && recurs(sample, delimiter, first)
        };
        counted || (is_header(first, second, options.decimal_comma) && !is_row())
    });
    let names = names(&rows, header)?;
    let counted = counted && options.header.is_none();
    Ok(Dialect { delimiter, header, names, counted, joined: false, mark, skipped, longest })
}

/// The names in a header, or indices.
fn names(rows: &[Vec<Vec<u8>>], header: bool) -> Result<Vec<ColumnRef>, ReadError> {
    let Some((first, rows)) = rows.split_first() else { return Ok(Vec::new()) };
    let mut names: Vec<ColumnRef> = (0..first.len()).map(ColumnRef::Index).collect();
    if header {
        for (name, text) in names.iter_mut().zip(first) {
            let text = std::str::from_utf8(text).map_err(|_| not_utf8(text))?;
            *name = ColumnRef::Name(text.to_owned());
        }
        let longer = rows.first().is_some_and(|second| second.len() == first.len() + 1);
        let ends_empty = rows.iter().all(|row| row.last().is_some_and(Vec::is_empty));
        if longer && ends_empty {
            // A delimiter after the last cell of each row.
            names.push(ColumnRef::Name(String::new()));
        } else if longer {
            // R writes the names of the rows, but no header for their column.
            names.insert(0, ColumnRef::Name(String::new()));
        } else if rows.first().is_some_and(|second| second.len() + 1 == first.len()) {
            // A delimiter after the last name.
            names.pop_if(|last| *last == ColumnRef::Name(String::new()));
        }
    }
    Ok(names)
}

/// The dialect of another part of the same table: it is written like the first part, but has its own names. `None` if there
/// are no rows, not even a header.
pub(crate) fn dialect_like(sample: &TextSample, known: &Dialect) -> Result<Option<Dialect>, ReadError> {
    let rows = first_rows(sample, known.delimiter);
    if rows.is_empty() {
        return Ok(None);
    }
    if let Some(names) = &sample.names {
        let names = names.iter().cloned().map(ColumnRef::Name).collect();
        return Ok(Some(Dialect { names, mark: sample.mark, skipped: sample.skipped, ..known.clone() }));
    }
    let mut own = names(&rows, known.header)?;
    // A header alone does not show that the rows have one more cell.
    if rows.len() == 1 && own.len() + 1 == known.names.len() && known.names[1..] == own[..] {
        own.clone_from(&known.names);
    }
    Ok(Some(Dialect { names: own, mark: sample.mark, skipped: sample.skipped, ..known.clone() }))
}

/// Where the rows begin: after byte-order mark, comments, blank lines and header; `None` if quotes or carriage returns make that
/// unclear.
pub(crate) fn body(sample: &TextSample, dialect: &Dialect) -> Option<usize> {
    let mut at = sample.mark;
    let mut header = dialect.header;
    loop {
        let text = sample.bytes.get(at..)?;
        let end = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
        let line = text[..end].trim_ascii();
        let skipped = line.is_empty() || text.starts_with(b"#");
        if !skipped && !std::mem::take(&mut header) || text.is_empty() {
            return Some(at);
        }
        let quotes = line.iter().filter(|&&byte| byte == b'"').count();
        if line.contains(&b'\r') || (!skipped && quotes % 2 == 1) {
            return None;
        }
        at += end;
    }
}

/// How many rows a file of `length` bytes has if all of them are as long as the first ones.
pub(crate) fn estimate_rows(sample: &TextSample, dialect: &Dialect, length: u64) -> u64 {
    let start = body(sample, dialect).unwrap_or(sample.mark).min(sample.bytes.len());
    let text = &sample.bytes[start..];
    let lines = memchr::memchr_iter(b'\n', text).count() as u64;
    if sample.whole || lines == 0 {
        return lines + 1;
    }
    (length.saturating_sub(start as u64) as f64 / text.len() as f64 * lines as f64) as u64 + 1
}

/// The delimiter that splits all first rows into the same number of cells, or else the one that does so most often.
pub(super) fn delimiter(sample: &TextSample, options: &ReadOptions) -> Delimiter {
    if let Some(byte) = sample.delimiter {
        return Delimiter::Byte(byte);
    }
    let candidates =
        [b'\t', b';', b'|', b','].into_iter().filter(|&byte| !(options.decimal_comma && byte == b','));
    let mut best = (0.0, Delimiter::Byte(b','));
    for candidate in candidates.map(Delimiter::Byte) {
        let share = agreement(sample, candidate);
        if share > best.0 {
            best = (share, candidate);
        }
    }
    const MOST: f64 = 0.5;
    if best.0 < MOST && agreement(sample, Delimiter::Blanks) > best.0 { Delimiter::Blanks } else { best.1 }
}

/// The share of rows that have the most frequent number of cells, which must be at least two; 0 if the first row is
/// not split, because a table needs two columns, or if it alone is, because the words of a title are no columns.
fn agreement(sample: &TextSample, delimiter: Delimiter) -> f64 {
    let lengths = lengths(sample, delimiter);
    if lengths.first().is_none_or(|&first| first < 2) {
        return 0.0;
    }
    let times = |length: usize| lengths.iter().filter(|&&other| other == length).count();
    let most = lengths.iter().filter(|&&length| length > 1).map(|&length| times(length)).max().unwrap_or(0);
    let alone = lengths.len() > 2 && lengths[1..].iter().all(|&length| length < 2);
    if alone { 0.0 } else { most as f64 / lengths.len().max(1) as f64 }
}

/// The part of the sample that ends with a line.
pub(super) fn complete(sample: &TextSample) -> &[u8] {
    let text = &sample.bytes[sample.mark..];
    match memchr::memrchr(b'\n', text) {
        Some(end) if !sample.whole => &text[..end],
        _ => text,
    }
}

/// Lines that are neither blank nor comments.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"))
}

/// How many cells the first rows have.
fn lengths(sample: &TextSample, delimiter: Delimiter) -> Vec<usize> {
    let text = complete(sample);
    match delimiter {
        Delimiter::Byte(byte) => {
            let mut reader = super::cells::builder(byte).from_reader(text);
            reader.byte_records().map_while(Result::ok).take(ROWS).map(|record| record.len()).collect()
        }
        Delimiter::Blanks => lines(text).take(ROWS).map(|line| super::cells::words(line).count()).collect(),
    }
}

/// How many rows show whether each ends with a delimiter.
const FIRST: usize = 20;

/// The first rows, split into trimmed cells; a row that is cut off by the end of the sample is left out.
fn first_rows(sample: &TextSample, delimiter: Delimiter) -> Vec<Vec<Vec<u8>>> {
    let text = complete(sample);
    match delimiter {
        Delimiter::Byte(byte) => {
            let mut reader = super::cells::builder(byte).from_reader(text);
            let records = reader.byte_records().map_while(Result::ok).take(FIRST);
            records.map(|record| record.iter().map(|cell| cell.trim_ascii().to_vec()).collect()).collect()
        }
        Delimiter::Blanks => lines(text)
            .take(FIRST)
            .map(|line| super::cells::words(line).map(<[u8]>::to_vec).collect())
            .collect(),
    }
}

/// Calls `row` with the trimmed cells of at most `most` rows after the header.
pub(crate) fn each_first_row(
    sample: &TextSample,
    dialect: &Dialect,
    most: usize,
    mut row: impl FnMut(&[&[u8]]),
) {
    let text = complete(sample);
    let header = usize::from(dialect.header);
    match dialect.delimiter {
        Delimiter::Byte(byte) => {
            let mut reader = super::cells::builder(byte).from_reader(text);
            for record in reader.byte_records().map_while(Result::ok).skip(header).take(most) {
                row(&record.iter().map(<[u8]>::trim_ascii).collect::<Vec<_>>());
            }
        }
        Delimiter::Blanks => {
            for line in lines(text).skip(header).take(most) {
                row(&super::cells::words(line).collect::<Vec<_>>());
            }
        }
    }
}

/// Whether the first row names the columns.
///
/// It does if a text is above a number, if it contains no number, or if its only text is a name that says label, as
/// pandas writes a matrix with labels.
fn is_header(first: &[Vec<u8>], second: Option<&Vec<Vec<u8>>>, decimal_comma: bool) -> bool {
    let is_text = |cell: &Vec<u8>| cell::read(cell, decimal_comma) == ParsedCell::Text;
    let is_number = |cell: &Vec<u8>| cell::is_number(cell, decimal_comma);
    let above = second.is_some_and(|second| {
        // R writes no name for the names of the rows; a row may also end with a delimiter.
        let longer = second.len() == first.len() + 1;
        let shift = usize::from(longer && second.last().is_some_and(|last| !last.is_empty()));
        first.iter().zip(&second[shift..]).any(|(first, second)| is_text(first) && is_number(second))
    });
    above || !first.iter().any(is_number) || counts_columns(first)
}

/// Whether the texts of the first row stand in other rows, too, in at least half of the columns and in two: it is a row itself.
fn recurs(sample: &TextSample, delimiter: Delimiter, first: &[Vec<u8>]) -> bool {
    let names = (0..first.len()).map(ColumnRef::Index).collect();
    let TextSample { mark, skipped, longest, .. } = *sample;
    let header = true;
    let rest = Dialect { delimiter, header, names, counted: false, joined: false, mark, skipped, longest };
    let mut found = vec![false; first.len()];
    each_first_row(sample, &rest, usize::MAX, |cells| {
        // A header may be repeated.
        if cells.len() == first.len() && cells.iter().zip(first).any(|(cell, name)| cell != name) {
            for (found, (cell, name)) in found.iter_mut().zip(cells.iter().zip(first)) {
                *found |= cell == name && !cell.is_empty();
            }
        }
    });
    let count = found.iter().filter(|&&found| found).count();
    count >= 2 && 2 * count >= first.len()
}

/// Whether a row counts up: `0,1,2`, `1,2,3,4` or `1990,1991,1992,1993`. pandas names columns without names like this, and so are
/// time series headed; a first cell without text is the header of an index column.
fn counts_up(row: &[Vec<u8>], enough: usize) -> bool {
    let row = match row {
        [first, rest @ ..] if first.is_empty() => rest,
        _ => row,
    };
    let number = |cell: &Vec<u8>| std::str::from_utf8(cell).ok().and_then(|text| text.parse::<u32>().ok());
    let Some(numbers) = row.iter().map(number).collect::<Option<Vec<u32>>>() else { return false };
    // A few numbers that do not start with 0 may be data.
    let enough = if numbers.first() == Some(&0) { enough } else { enough + 1 };
    numbers.len() >= enough && numbers.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1))
}

/// Whether rows are like `,0` above `0,5` and `1,7`: so pandas writes a series without a name, or a few columns.
fn is_series(rows: &[Vec<Vec<u8>>]) -> bool {
    let Some(([empty, names @ ..], rows)) = rows.split_first().map(|(first, rows)| (first.as_slice(), rows))
    else {
        return false;
    };
    let counts = names.iter().enumerate().all(|(place, name)| place.to_string().as_bytes() == *name);
    let mut index: Vec<&Vec<u8>> = rows.iter().filter_map(|row| row.first()).collect();
    let whole = index.iter().all(|cell| !cell.is_empty() && cell.iter().all(u8::is_ascii_digit));
    index.sort_unstable();
    index.dedup();
    empty.is_empty() && !names.is_empty() && counts && !rows.is_empty() && whole && index.len() == rows.len()
}

/// Whether a row is like `0,1,2,y`, `1,2,3,class` or `2001,2005,label`.
fn counts_columns(first: &[Vec<u8>]) -> bool {
    let (numbers, texts): (Vec<&[u8]>, Vec<&[u8]>) = first
        .iter()
        .map(Vec::as_slice)
        .partition(|cell| cell.iter().all(u8::is_ascii_digit) && !cell.is_empty());
    let says_label = |text: &&[u8]| std::str::from_utf8(text).is_ok_and(names_label);
    let counts = |start: usize| {
        numbers.iter().enumerate().all(|(place, text)| (place + start).to_string().as_bytes() == *text)
    };
    // A class may be called y, but hardly label.
    let clearly = |text: &&[u8]| says_label(text) && !text.eq_ignore_ascii_case(b"y");
    texts.len() == 1
        && (texts.iter().all(clearly) || texts.iter().all(says_label) && (counts(0) || counts(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::csv::sample::sample;
    use crate::input::ByteSource;

    fn budget() -> crate::memory::MemoryBudget {
        crate::memory::MemoryBudget::new(&ReadOptions::default())
    }

    fn found(text: &str) -> Dialect {
        let sample = sample(&ByteSource::Memory(text.as_bytes().to_vec().into()), 0, budget()).unwrap();
        dialect(&sample, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn delimiters_are_found() {
        use Delimiter::{Blanks, Byte};
        for (text, delimiter, columns) in [
            ("a,b\n1,2\n", Byte(b','), 2),
            ("a;b\n1,5;2,5\n", Byte(b';'), 2),
            ("a\tb c\n1\t2\n", Byte(b'\t'), 2),
            ("a|b\n1|2\n", Byte(b'|'), 2),
            ("a b\n 1   2 \n", Blanks, 2),
            ("a,when\n1,2020-01-01 10:00\n2\n3,2020-01-01 11:00\n", Byte(b','), 2),
            ("\"a,b\",c\n1,2\n", Byte(b','), 2),
            ("a\n1\n", Byte(b','), 1),
            ("# x;y\n#\n1,2\n3,4", Byte(b','), 2),
            // Tabs agree as often as commas, but would make one column of all names.
            ("p,q,r,label\n\t1,\r2\t,3,a\n", Byte(b','), 4),
        ] {
            let dialect = found(text);
            assert_eq!((dialect.delimiter, dialect.names.len()), (delimiter, columns), "{text:?}");
        }
    }

    #[test]
    fn headers_are_found() {
        for (text, header) in [
            ("a,b\n1,2", true),
            ("5.1,3.5,setosa\n4.9,3.0,setosa", false),
            ("setosa,1\nsetosa,2", false),
            ("1,2\n3,4", false),
            ("id,2019,2020,class\n1,5,6,a", true),
            ("0,1,label\n5,6,a", true),
            ("1,2,class\n5,6,a", true),
            ("1,2,a\n5,6,a", false),
            ("2001,2005,label\n5.5,6,a", true),
            ("5,9,y\n5.5,6,n", false),
            (",x,y\n0,1,2", true),
            ("?,1,a\n2,3,b", false),
            ("a,b\nc,d", true),
            ("e,x\np,x\ne,y", false),
            ("e,x\np,y\ne,x\nq,z", true),
            ("e,x\np,y\np,x\ne,z", false),
            ("a,b", true),
            ("0,1,2\n5,6,7.5", true),
            (",0,1,2\n0,5,6,7.5", true),
            ("1990,1991,1992,1993\n5,6,7,8.5", true),
            (",0\n0,0\n1,0", true),
            (",0\n73,0\n18,0", true),
            (",0\n0,0\n0,1", false),
            (",5\n0,5\n1,5", false),
            ("1,2,3\n5,6,7.5", false),
            ("0,1,2\n1,2,3", false),
        ] {
            assert_eq!(found(text).header, header, "{text:?}");
        }
        let names = found("\u{feff}a b;c\n1;2").names;
        assert_eq!(names, [ColumnRef::Name("a b".into()), ColumnRef::Name("c".into())]);
        assert_eq!(found("a,b\n1,2,3\n2,3,4").names.len(), 3);
    }

    #[test]
    fn lines_are_skipped() {
        let skip =
            |text: &str, count| sample(&ByteSource::Memory(text.as_bytes().to_vec().into()), count, budget());
        for text in ["title\n\na;b\n1;2\n", "title\r\n\r\na;b\r\n1;2\r\n", "title\r\ra;b\r1;2\r"] {
            let dialect = dialect(&skip(text, 2).unwrap(), &ReadOptions::default()).unwrap();
            assert_eq!(dialect.names, [ColumnRef::Name("a".into()), ColumnRef::Name("b".into())], "{text:?}");
        }
        let error = skip("a,b\n1,2\n", 3).unwrap_err();
        assert_eq!(error.to_string(), "3 lines are to be skipped, but there are only 2");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let refused = |bytes: &[u8]| {
            sample(&ByteSource::Memory(bytes.to_vec().into()), 0, budget()).unwrap_err().to_string()
        };
        assert!(refused(b"\xff\xfea\0").contains("UTF-16"));
        assert!(refused(b"a,b\n1,\0").contains("line 2: there is a NUL byte"));
        assert!(refused(b" \n\n").contains("empty"));
    }
}
