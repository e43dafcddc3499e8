//! What some rows show about the columns of a table: numbers, words or times, and how many different ones.

mod written;

use xxhash_rust::xxh3::xxh3_64;

use crate::cell::{self, ParsedCell};
use crate::cell_form::Letters;
use crate::error::ColumnRef;
use crate::list;
use crate::names::{IdName, id_name, is_postal};
use crate::notation::{self, Notation};
use crate::quantity::{MANY, NumbersSeen};
use written::{WordCells, WrittenNumbers};

/// A column before its use is decided.
#[derive(Debug, Clone, Default)]
pub(crate) struct Described {
    /// Its name, or its index.
    pub(crate) name: ColumnRef,
    /// What its first rows hold.
    pub(crate) glimpse: Glimpse,
    /// Whether the file declares that the column has a few named values.
    pub(crate) nominal: bool,
    /// Whether the file declares that the column is the index of a pandas table.
    pub(crate) index: bool,
    /// Whether the file declares that the column holds lists of numbers.
    pub(crate) list: bool,
}

impl Described {
    /// A column of which only the name is known.
    pub(crate) fn unseen(name: ColumnRef) -> Self {
        Described { name, ..Described::default() }
    }

    /// Whether only the name of the column is known.
    pub(crate) fn is_unseen(&self) -> bool {
        self.glimpse.seen() == 0 && self.glimpse.rows.is_empty()
    }

    /// Whether the column holds texts or times, and nearly every row a different one.
    pub(crate) fn is_text_id(&self) -> bool {
        let enough = id_name(&self.name) != IdName::No || self.glimpse.seen() >= ENOUGH_ROWS;
        matches!(self.glimpse.kind(), ColumnKind::Text | ColumnKind::Time)
            && enough
            && self.glimpse.nearly_distinct()
            // Measurements with a unit must not be lost.
            && 2 * self.glimpse.quantities < self.glimpse.seen()
    }

    /// Whether the column holds numbers that look like those of an id. The final decision takes all rows, once they are read.
    pub(crate) fn is_number_id(&self) -> bool {
        let glimpse = &self.glimpse;
        let counts = glimpse.numbers >= ENOUGH_ROWS
            && glimpse.steps as f64 >= NEARLY_ALL * (glimpse.numbers - 1) as f64;
        let named = id_name(&self.name) != IdName::No && glimpse.nearly_distinct();
        glimpse.kind() == ColumnKind::Number && !glimpse.fractional && (counts || named)
    }

    /// Whether the column may hold classes: words, or whole numbers, each in many rows.
    pub(crate) fn may_be_label(&self) -> bool {
        let (seen, distinct) = (self.glimpse.seen(), self.glimpse.distinct());
        match self.glimpse.kind() {
            _ if self.index || self.is_text_id() || self.is_number_id() => false,
            _ if self.nominal => true,
            ColumnKind::Word => true,
            ColumnKind::Text => {
                // Quantities are no classes, however they are written.
                (seen < ENOUGH_ROWS || 3 * distinct <= seen) && 2 * self.glimpse.quantities <= seen
            }
            ColumnKind::Number => {
                !self.glimpse.fractional && distinct > 1 && distinct <= (seen / 5).clamp(2, MANY)
            }
            ColumnKind::Time | ColumnKind::Unknown => false,
        }
    }

    /// Whether the column holds no numbers, or those that number classes: two of any kind, or few that leave few out.
    pub(crate) fn is_like_codes(&self) -> bool {
        const MOST: usize = 12;
        let distinct = self.glimpse.distinct();
        let range = self.glimpse.range.map_or(0.0, |(least, most)| most - least + 1.0);
        self.glimpse.kind() != ColumnKind::Number
            || self.nominal
            || distinct <= 2
            || (distinct <= MOST && range <= (2 * distinct) as f64)
    }

    /// Whether the column holds numbers to predict rather than classes, as far as its first rows show.
    pub(crate) fn is_target_number(&self) -> bool {
        self.numbers_seen().is_some_and(|shown| shown.are_quantity())
    }

    /// What is known of the numbers, if the column holds numbers.
    pub(crate) fn numbers_seen(&self) -> Option<NumbersSeen> {
        let glimpse = &self.glimpse;
        (glimpse.kind() == ColumnKind::Number).then(|| NumbersSeen {
            distinct: glimpse.distinct(),
            rows: glimpse.seen(),
            fractional: glimpse.fractional,
            range: glimpse.range,
        })
    }

    /// Whether the column holds codes such as ZIP codes: digits of one length, and some begin with a zero.
    pub(crate) fn is_code(&self) -> bool {
        let glimpse = &self.glimpse;
        let codes = glimpse.codes > 0 && glimpse.codes == glimpse.seen();
        !self.nominal
            && glimpse.kind() == ColumnKind::Number
            && glimpse.distinct() > 2
            && ((codes && glimpse.leading_zero) || (is_postal(&self.name) && !glimpse.fractional))
    }
}

/// More indicators than these of one column outweigh the other features.
pub(crate) const MOST_INDICATORS: usize = 20;
/// With fewer rows, an id cannot be recognised by its content.
pub(crate) const ENOUGH_ROWS: usize = 10;
/// The share of different values, or of steps by one, from which on they count as "nearly all".
pub(crate) const NEARLY_ALL: f64 = 0.9;

/// What most cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Nothing was seen.
    Unknown,
    /// Numbers, or more numbers than anything else.
    Number,
    /// `yes` and `no`, `true` and `false`.
    Word,
    /// Any other text.
    Text,
    /// Dates and times of day.
    Time,
}

/// What was seen of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Glimpse {
    numbers: usize,
    words: usize,
    texts: usize,
    times: usize,
    /// Texts that are quantities, but not written as a number: `12.5 %`, `$1,200`.
    quantities: usize,
    /// Numbers that are not written plainly, and how often.
    written: Vec<WrittenNumbers>,
    /// Whether all of them are written alike: see [`Glimpse::notation`].
    notation: Notation,
    /// What separates thousands, if anything does: a comma, or a point if commas are decimal.
    separator: char,
    /// Whether a number other than 0 is written plainly.
    plain: bool,
    /// Whether a number has several separators, which leaves no doubt about their meaning.
    clear: bool,
    /// Whether a number contains what might separate thousands, but does not.
    contrary: bool,
    /// How often a cell is a letter for yes, and for no, by kind of letters.
    letters: [[usize; 2]; 2],
    /// Cells that mean "nothing" or a missing value: `none`, and a lone `-` or `.`.
    nones: WordCells,
    dashes: WordCells,
    fractional: bool,
    /// How many cells are lists of numbers, and how many of these are as long as the first one.
    lists: usize,
    equal_lists: usize,
    list_length: usize,
    /// How often a number is one more than that of the row before.
    steps: usize,
    last: Option<f64>,
    /// The least and the largest number.
    range: Option<(f64, f64)>,
    /// How many cells are digits of the length `width`, which is that of the first one.
    codes: usize,
    width: usize,
    /// Whether digits begin with a zero.
    leading_zero: bool,
    /// Hashes of the cells; sorted and without duplicates after [`Glimpse::close`].
    hashes: Vec<u64>,
    /// The hash of each cell of the first rows in their order, 0 for a missing one.
    rows: Vec<u64>,
    /// Whether some rows were not seen, so that `rows` stays empty.
    has_gaps: bool,
    /// One of the texts, for messages.
    example: Option<Box<[u8]>>,
    missing: usize,
    /// The first different cells.
    examples: Vec<Box<[u8]>>,
    /// The cells of the first rows, as long as no row is skipped.
    first: Vec<Box<[u8]>>,
}

/// How many different cells are kept to be shown.
const EXAMPLES: usize = 3;
/// How many rows are kept to be shown.
const FIRST: usize = 8;

impl Glimpse {
    /// Adds a cell that has no blanks around it.
    pub(crate) fn push(&mut self, text: &[u8], decimal_comma: bool) {
        if let Some((notation, number)) = Notation::of(text, decimal_comma) {
            self.push_number(number);
            self.count_written(notation, text, decimal_comma);
            self.remember(text, false);
            return;
        }
        match cell::read(text, decimal_comma) {
            ParsedCell::Missing => return self.push_none(text),
            ParsedCell::Number(number) => {
                self.count_code(text);
                self.push_number(number);
                self.plain |= number != 0.0;
                self.contrary |= decimal_comma && text.contains(&b'.');
            }
            ParsedCell::TooLarge | ParsedCell::Infinite => self.numbers += 1,
            ParsedCell::Bool(_) => self.words += 1,
            ParsedCell::Text if matches!(text, b"-" | b".") => {
                self.dashes.push(text);
                return self.push_absent(text);
            }
            // Numbers with a decimal comma: the reader reports what to do about them.
            ParsedCell::Text => match notation::with_decimal_comma(text) {
                Some(number) => {
                    self.push_number(number);
                    self.contrary = true;
                }
                None => match list::length(text) {
                    Some(length) => self.count_list(length),
                    None => self.count_text(text),
                },
            },
        }
        self.remember(text, self.texts + self.times + self.lists > 0);
    }

    /// Adds a row without a value.
    pub(crate) fn push_missing(&mut self) {
        self.push_absent(b"");
    }

    fn push_absent(&mut self, text: &[u8]) {
        self.missing += 1;
        self.push_row(0, text);
    }

    /// Counts rows without a value that can be read, so that the order of the rows is no longer known.
    pub(crate) fn skip_rows(&mut self, count: usize) {
        self.missing += count;
        self.has_gaps = true;
        (self.rows, self.first) = (Vec::new(), Vec::new());
    }

    fn push_row(&mut self, hash: u64, cell: &[u8]) {
        if !self.has_gaps {
            self.rows.push(hash);
        }
        if !self.has_gaps && self.first.len() < FIRST {
            self.first.push(cell.into());
        }
    }

    fn push_none(&mut self, text: &[u8]) {
        self.push_absent(text);
        if text.eq_ignore_ascii_case(b"none") {
            self.nones.push(text);
        }
    }

    /// Adds a text of a column that is declared as text.
    pub(crate) fn push_text(&mut self, text: &[u8]) {
        match cell::plain(text) {
            ParsedCell::Missing => return self.push_none(text),
            ParsedCell::Bool(_) => self.words += 1,
            _ => self.count_text(text),
        }
        self.remember(text, true);
    }

    /// Adds a time of a column that is declared as times, however it is stored.
    pub(crate) fn push_time(&mut self, stored: &[u8]) {
        self.times += 1;
        self.hash(stored);
        // How it is stored is no text to be shown.
        self.first.last_mut().into_iter().for_each(|cell| *cell = Box::default());
    }

    fn hash(&mut self, cell: &[u8]) {
        let hash = xxh3_64(cell).max(1);
        self.hashes.push(hash);
        self.push_row(hash, cell);
    }

    fn count_code(&mut self, text: &[u8]) {
        /// Shorter numbers with zeros are months, or counts in a table of fixed width.
        const SHORTEST: usize = 3;
        if self.width == 0 {
            self.width = text.len().max(SHORTEST);
        }
        if text.len() == self.width && text.iter().all(u8::is_ascii_digit) {
            self.codes += 1;
            self.leading_zero |= text.starts_with(b"0");
        }
    }

    fn count_text(&mut self, text: &[u8]) {
        if is_time(text) {
            self.times += 1;
        } else {
            self.texts += 1;
            self.quantities += usize::from(is_quantity(text));
            for (counts, letters) in self.letters.iter_mut().zip(Letters::ALL) {
                if let Some(yes) = letters.read(text) {
                    counts[usize::from(yes)] += 1;
                }
            }
        }
    }

    fn count_list(&mut self, length: usize) {
        if self.lists == 0 {
            self.list_length = length;
        }
        self.lists += 1;
        self.fractional = true;
        self.equal_lists += usize::from(length == self.list_length);
    }

    /// How many numbers each cell lists, if all cells are lists and nearly all of them equally long.
    pub(crate) fn list_length(&self) -> Option<usize> {
        let all = self.lists > 0 && self.lists == self.seen();
        (all && self.equal_lists as f64 >= NEARLY_ALL * self.lists as f64).then_some(self.list_length)
    }

    fn push_number(&mut self, number: f64) {
        self.numbers += 1;
        self.fractional |= number.fract() != 0.0;
        self.steps += usize::from(self.last.is_some_and(|last| number - last == 1.0));
        self.last = Some(number);
        let (least, most) = self.range.unwrap_or((number, number));
        self.range = Some((least.min(number), most.max(number)));
    }

    fn remember(&mut self, text: &[u8], is_text: bool) {
        self.hash(text);
        if is_text && self.example.is_none() {
            self.example = Some(text.into());
        }
        if self.examples.len() < EXAMPLES && !self.examples.iter().any(|known| **known == *text) {
            self.examples.push(text.into());
        }
    }

    /// Finishes the glimpse after the last cell.
    pub(crate) fn close(&mut self) {
        self.decide_notation();
        if self.is_text() {
            // Among words these are words, too.
            for word in [&self.nones, &self.dashes] {
                self.texts += word.cells;
                self.missing -= word.cells;
                self.hashes.extend(&word.hashes);
            }
        }
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }

    /// Whether the column holds words or times, and not numbers in any notation.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind(), ColumnKind::Text | ColumnKind::Time) && self.letters().is_none()
    }

    /// Whether there are few enough values to turn each into an indicator column.
    ///
    /// Values with fewer than two rows each are names.
    pub(crate) fn has_few_values(&self) -> bool {
        let (seen, distinct) = (self.seen(), self.distinct());
        self.kind() != ColumnKind::Time
            && (distinct <= 2 || (distinct <= MOST_INDICATORS && 2 * distinct <= seen))
    }

    /// Whether any cell is a text.
    pub(crate) fn has_texts(&self) -> bool {
        self.texts > 0
    }

    /// Whether a column of numbers has a text in at most a tenth of its cells.
    pub(crate) fn has_few_texts(&self) -> bool {
        self.kind() == ColumnKind::Number && self.texts > 0 && 10 * self.texts <= self.seen()
    }

    /// How many cells are not missing.
    pub(crate) fn seen(&self) -> usize {
        self.numbers + self.words + self.texts + self.times + self.lists
    }

    /// How many different cells there are.
    pub(crate) fn distinct(&self) -> usize {
        self.hashes.len()
    }

    /// How many of the different cells are one of these words: in lower case, in capitals, or with a capital.
    pub(crate) fn count_words(&self, words: &[&str]) -> usize {
        let spellings = |word: &&str| {
            let mut capital = word.as_bytes().to_vec();
            capital.iter_mut().take(1).for_each(u8::make_ascii_uppercase);
            [word.as_bytes().to_vec(), word.to_uppercase().into_bytes(), capital]
        };
        let is_held = |word: &Vec<u8>| self.hashes.binary_search(&xxh3_64(word).max(1)).is_ok();
        words.iter().flat_map(spellings).filter(is_held).count()
    }

    /// The hash of each cell of the first rows in their order, 0 for a missing one; empty if some rows were not seen.
    pub(crate) fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// Whether any number has a fraction.
    pub(crate) fn is_fractional(&self) -> bool {
        self.fractional
    }

    /// A text that is not a number.
    pub(crate) fn example(&self) -> &[u8] {
        self.example.as_deref().unwrap_or_default()
    }

    /// How many cells there are, missing ones included.
    pub(crate) fn examined(&self) -> usize {
        self.seen() + self.missing
    }

    /// The first different cells.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &[u8]> {
        self.examples.iter().map(AsRef::as_ref)
    }

    /// The cells of the first rows; empty if some rows were not seen.
    pub(crate) fn first(&self) -> impl Iterator<Item = &[u8]> {
        self.first.iter().map(AsRef::as_ref)
    }

    /// What most cells are.
    pub(crate) fn kind(&self) -> ColumnKind {
        if self.list_length().is_some() {
            return ColumnKind::Number;
        }
        let texts = self.texts + self.lists;
        let others = self.words + texts + self.times;
        if others + self.numbers == 0 {
            ColumnKind::Unknown
        } else if self.numbers >= others {
            ColumnKind::Number
        } else if self.times > self.words + texts {
            ColumnKind::Time
        } else if texts == 0 {
            ColumnKind::Word
        } else {
            ColumnKind::Text
        }
    }

    fn nearly_distinct(&self) -> bool {
        self.seen() > 1 && self.distinct() as f64 >= NEARLY_ALL * self.seen() as f64
    }
}

/// Whether a text is a time: `2024-01-31`, `31.1.2024 12:30`, `12:30:05`, `2024-01-31T12:30:05Z`, `20240131T123005`. These are
/// numbers between at least two date separators or one colon, or two numbers around a `T`.
fn is_time(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"Z").unwrap_or(text);
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let count = |sign: u8| text.iter().filter(|&&byte| byte == sign).count();
    let is_date = match (count(b'-'), count(b'/'), count(b'.')) {
        (2, _, _) | (_, 2, _) => true,
        // The numbers of a version are no date.
        (_, _, 2) => text.rsplit(|&byte| byte == b'.').next().is_some_and(|year| year.len() >= 2),
        // 20140502T000000
        _ => {
            matches!(text, [date, ..] if date.is_ascii_digit())
                && text.get(8) == Some(&b'T')
                && digits + 1 == text.len()
        }
    };
    text.first().is_some_and(u8::is_ascii_digit)
        && digits >= 3
        && (is_date || count(b':') >= 1)
        && text.iter().all(|byte| byte.is_ascii_digit() || b"-/.:, T+AMPamp".contains(byte))
}

/// Whether a text is a quantity: `12.5 %`, `$1,200`, `<5`, `3 kg`. These are digits, points and commas, with a sign before and a
/// short unit after them.
fn is_quantity(text: &[u8]) -> bool {
    const LONGEST_UNIT: usize = 5;
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start_matches(['$', '€', '£', '<', '>', '~', '+', '-', '=', ' ']);
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ' '));
    text.starts_with(|c: char| c.is_ascii_digit())
        && unit.chars().count() <= LONGEST_UNIT
        && !unit.contains(|c: char| c.is_ascii_digit())
        && !unit.contains('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(cells: &[&str]) -> Glimpse {
        let mut glimpse = Glimpse::default();
        cells.iter().for_each(|cell| glimpse.push(cell.as_bytes(), false));
        glimpse.close();
        glimpse
    }

    fn described(name: &str, cells: impl IntoIterator<Item = String>) -> Described {
        let cells: Vec<String> = cells.into_iter().collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        Described { glimpse: seen(&cells), ..Described::unseen(ColumnRef::Name(name.into())) }
    }

    #[test]
    fn kinds_are_those_of_most_cells() {
        assert_eq!(seen(&["1", "2.5", "x"]).kind(), ColumnKind::Number);
        assert_eq!(seen(&["x", "1", "NA"]).kind(), ColumnKind::Number, "one of two is a slip");
        assert_eq!(seen(&["x", "y", "1"]).kind(), ColumnKind::Text);
        assert_eq!(seen(&["yes", "no", "?"]).kind(), ColumnKind::Word);
        assert_eq!(seen(&["yes", "no", "maybe"]).kind(), ColumnKind::Text);
        assert_eq!(seen(&["2024-01-31", "2024-02-01 12:30"]).kind(), ColumnKind::Time);
        assert_eq!(seen(&["", "NA"]).kind(), ColumnKind::Unknown);
    }

    #[test]
    fn times_are_told_from_other_texts() {
        for text in [
            "20240131T123005",
            "1.2.24",
            "2024-01-31",
            "31.1.2024",
            "1/31/2024 12:30 PM",
            "12:30",
            "2024-01-31T12:30:05.5Z",
        ] {
            assert!(is_time(text.as_bytes()), "{text}");
        }
        for text in [
            "0.5.0",
            "2.20.0",
            "20240131",
            "a",
            "192.168.0.1",
            "3-4",
            "M",
            "PAM50",
            "10-20 years",
            "555-1234",
        ] {
            assert!(!is_time(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn quantities_are_no_ids() {
        for text in ["12.5 %", "$1,200", "1,234,567", "<5", "3 kg", "1 000", "20°C", "1.000,5"] {
            assert!(is_quantity(text.as_bytes()), "{text}");
        }
        for text in ["a1", "3fa94b1c", "1234-5678", "Braund, Mr. Owen", "4711-A", "12345 Main Street"] {
            assert!(!is_quantity(text.as_bytes()), "{text}");
        }
        assert!(!described("price", (0..30).map(|row| format!("$1,{row:03}"))).is_text_id());
        let commas = described("length", (0..30).map(|row| format!("{row},5")));
        assert_eq!(commas.glimpse.kind(), ColumnKind::Number, "for the reader to refuse");
    }

    #[test]
    fn ids_and_classes_are_told_by_their_values() {
        let many = |text: &str| (0..30).map(|row| format!("{text}{row}")).collect::<Vec<_>>();
        assert!(described("cell", many("AAC-")).is_text_id());
        assert!(!described("cell", many("AAC-").into_iter().take(9)).is_text_id(), "too few rows to tell");
        assert!(described("id", many("AAC-").into_iter().take(3)).is_text_id(), "the name tells");
        assert!(described("n", many("")).is_number_id());
        let classes = (0..30).map(|row| ["red", "blue", "green"][row % 3].to_owned());
        assert!(described("colour", classes).may_be_label());
        assert!(described("kind", (0..30).map(|row| (row % 4).to_string())).may_be_label());
        assert!(!described("length", (0..30).map(|row| (row * row).to_string())).may_be_label());
        assert!(!described("cell", many("AAC-")).may_be_label());
    }

    #[test]
    fn codes_have_leading_zeros_and_one_length() {
        let zip = |row: usize| format!("{:05}", row * 997 % 99_999);
        assert!(described("zip", (0..30).map(zip)).is_code());
        assert!(!described("n", (0..30).map(|row| (row * 997 + 10_000).to_string())).is_code(), "no zero");
        assert!(!described("n", (0..30).map(|row| (row * 997).to_string())).is_code(), "other lengths");
        assert!(!described("month", (0..30).map(|row| format!("{:02}", row % 12 + 1))).is_code());
        assert!(!described("bit", (0..30).map(|row| format!("00{}", row % 2))).is_code());
        assert!(!described("x", (0..30).map(|row| format!("0.{}", row % 8 + 1))).is_code());
    }

    #[test]
    fn texts_that_hardly_repeat_are_no_classes() {
        let texts = |each: usize| (0..30).map(move |row| format!("text {}", row / each));
        assert!(described("kind", texts(3)).may_be_label());
        assert!(!described("kind", texts(2)).may_be_label());
    }
}
