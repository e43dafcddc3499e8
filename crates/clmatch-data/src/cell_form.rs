//! What a column as a whole says about its cells: the notation of numbers, letters for yes and no, and what means "missing".

use crate::cell::{self, ParsedCell};
use crate::notation::Notation;

/// How the cells of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CellForm {
    /// How numbers are written.
    pub(crate) notation: Notation,
    /// Whether some numbers are written with a decimal comma, so that no comma is one between thousands.
    pub(crate) decimal_commas: bool,
    /// Letters for yes and no.
    pub(crate) letters: Option<Letters>,
    /// Whether `none` is a value, as among other words.
    pub(crate) none_is_value: bool,
    /// Whether a lone `-` or `.` stands for a missing value, as among numbers.
    pub(crate) dashes_missing: bool,
}

impl CellForm {
    /// Reads a cell that has no blanks around it.
    #[inline]
    pub(crate) fn read(&self, text: &[u8], decimal_comma: bool) -> ParsedCell {
        if self.notation != Notation::PLAIN
            && let Some(number) = self.notation.read(text, decimal_comma)
        {
            return ParsedCell::Number(number);
        }
        match cell::read(text, decimal_comma) {
            ParsedCell::Text if self.dashes_missing && matches!(text, b"-" | b".") => ParsedCell::Missing,
            ParsedCell::Text => {
                self.letters.and_then(|letters| letters.read(text)).map_or(ParsedCell::Text, ParsedCell::Bool)
            }
            ParsedCell::Missing if self.none_is_value && text.eq_ignore_ascii_case(b"none") => {
                ParsedCell::Text
            }
            // Written in another way than the column, it may mean something else.
            ParsedCell::Number(_) if self.notation != Notation::PLAIN => ParsedCell::Text,
            other => other,
        }
    }
}

/// Letters for yes and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    /// `t` and `f`, for true and false.
    TrueFalse,
    /// `y` and `n`.
    YesNo,
}

impl Letters {
    /// All of them.
    pub(crate) const ALL: [Letters; 2] = [Letters::TrueFalse, Letters::YesNo];

    /// What a cell says; `None` if it is another text. Upper case means the same.
    pub(crate) fn read(self, text: &[u8]) -> Option<bool> {
        let &[letter] = text else { return None };
        match (self, letter.to_ascii_lowercase()) {
            (Letters::TrueFalse, b't') | (Letters::YesNo, b'y') => Some(true),
            (Letters::TrueFalse, b'f') | (Letters::YesNo, b'n') => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_decides_what_a_cell_means() {
        let text = CellForm { none_is_value: true, ..CellForm::default() };
        assert_eq!(text.read(b"None", false), ParsedCell::Text);
        assert_eq!(text.read(b"-", false), ParsedCell::Text);
        assert_eq!(text.read(b"NA", false), ParsedCell::Missing);
        let number = CellForm { dashes_missing: true, ..CellForm::default() };
        assert_eq!(number.read(b"none", false), ParsedCell::Missing);
        assert_eq!(number.read(b"-", false), ParsedCell::Missing);
        assert_eq!(number.read(b".", false), ParsedCell::Missing);
        assert_eq!(number.read(b"-5", false), ParsedCell::Number(-5.0));
        assert_eq!(number.read(b"t", false), ParsedCell::Text);
        let letters = CellForm { letters: Some(Letters::TrueFalse), ..CellForm::default() };
        assert_eq!(letters.read(b"T", false), ParsedCell::Bool(true));
        assert_eq!(letters.read(b"y", false), ParsedCell::Text);
        let notation = Notation { sign: Some('%'), groups: None };
        let percent = CellForm { notation, ..CellForm::default() };
        assert_eq!(percent.read(b"4.65%", false), ParsedCell::Number(4.65));
        assert_eq!(percent.read(b"4.65", false), ParsedCell::Text, "it may be a share of 1");
        assert_eq!(percent.read(b"", false), ParsedCell::Missing);
    }
}
