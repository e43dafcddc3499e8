//! What the first rows show about how a column is written: signs, separators, letters for yes and no, words for "missing".

use xxhash_rust::xxh3::xxh3_64;

use super::{ColumnKind, Glimpse};
use crate::cell::{self, ParsedCell};
use crate::cell_form::{CellForm, Letters};
use crate::notation::{self, Notation};

/// Numbers that are written in one way.
#[derive(Debug, Clone)]
pub(super) struct WrittenNumbers {
    notation: Notation,
    cells: usize,
    /// Whether they are texts if the column has no such notation.
    text_otherwise: bool,
    example: Box<[u8]>,
}

/// Cells that hold a certain word, which counts or not depending on the others.
#[derive(Debug, Clone, Default)]
pub(super) struct WordCells {
    pub(super) cells: usize,
    pub(super) hashes: Vec<u64>,
    /// As the first one is spelled.
    text: Box<[u8]>,
}

impl WordCells {
    /// Adds a cell.
    pub(super) fn push(&mut self, text: &[u8]) {
        if self.cells == 0 {
            self.text = text.into();
        }
        self.cells += 1;
        self.hashes.push(xxh3_64(text));
    }
}

impl Glimpse {
    /// Counts a number that is not written plainly.
    pub(super) fn count_written(&mut self, notation: Notation, text: &[u8], decimal_comma: bool) {
        // What is read as a number without this notation is not text, even if it turns out to be something else.
        let is_number = |comma| matches!(cell::read(text, comma), ParsedCell::Number(_));
        let text_otherwise = !is_number(decimal_comma) && !is_number(true);
        let known = self
            .written
            .iter_mut()
            .find(|known| known.notation == notation && known.text_otherwise == text_otherwise);
        match known {
            Some(known) => known.cells += 1,
            None => {
                let example = text.into();
                self.written.push(WrittenNumbers { notation, cells: 1, text_otherwise, example });
            }
        }
        self.clear |= text.iter().filter(|byte| matches!(byte, b',' | b'.')).count() > 1;
        self.separator = if decimal_comma { '.' } else { ',' };
    }

    /// Decides how numbers are written. Unless all of them agree, those that are not plain are texts.
    pub(super) fn decide_notation(&mut self) {
        let found: Vec<Notation> = self.written.iter().map(|written| written.notation).collect();
        let common = notation::common(&found);
        let agreed = common.filter(|common| {
            let sign = common.sign.is_none() || !self.has_other_than(common.sign);
            sign && !(self.contrary && common.groups.is_some()) && self.kind() == ColumnKind::Number
        });
        if let Some(agreed) = agreed {
            // Who writes a currency may separate thousands, even if there are none yet.
            let usual = agreed.sign.filter(|&sign| sign != '%' && !self.contrary).map(|_| self.separator);
            self.notation = Notation { groups: agreed.groups.or(usual), ..agreed };
            return;
        }
        for written in self.written.iter().filter(|written| written.text_otherwise) {
            self.numbers -= written.cells;
            self.texts += written.cells;
            self.quantities += written.cells;
            self.example.get_or_insert_with(|| written.example.clone());
        }
    }

    /// Whether numbers other than 0 lack the sign.
    fn has_other_than(&self, sign: Option<char>) -> bool {
        self.plain || self.written.iter().any(|written| written.notation.sign != sign)
    }

    /// How the numbers of the column are written, if it holds numbers; without separators that none of them has.
    pub(crate) fn notation_seen(&self) -> Notation {
        let any = self.written.iter().any(|written| written.notation.groups.is_some());
        Notation { groups: self.notation.groups.filter(|_| any), ..self.notation }
    }

    /// Records that a comma in a cell needs quotes, so that nobody writes it for a decimal point.
    pub(crate) fn commas_are_quoted(&mut self) {
        self.clear = true;
    }

    /// Whether nothing but the number of digits says that a separator stands between thousands.
    pub(crate) fn thousands_are_doubtful(&self) -> bool {
        self.notation.sign.is_none()
            // A point is one because commas were said to be decimal points.
            && self.notation.groups == Some(',')
            && !self.plain
            && !self.clear
    }

    /// What the column says about reading its cells.
    pub(crate) fn form(&self) -> CellForm {
        let is_text = self.is_text();
        CellForm {
            notation: self.notation,
            decimal_commas: self.contrary,
            letters: self.letters(),
            none_is_value: is_text,
            dashes_missing: !is_text,
        }
    }

    /// The letters for yes and no, if the column holds nothing else.
    pub(super) fn letters(&self) -> Option<Letters> {
        let only = |counts: &[usize; 2]| counts.iter().all(|&count| count > 0);
        let found = Letters::ALL.into_iter().zip(&self.letters).find(|(_, counts)| only(counts));
        found.filter(|(_, counts)| counts.iter().sum::<usize>() == self.seen()).map(|(letters, _)| letters)
    }

    /// How `none` is spelled, if cells hold it.
    pub(crate) fn none(&self) -> Option<String> {
        (self.nones.cells > 0).then(|| String::from_utf8_lossy(&self.nones.text).into_owned())
    }

    /// Whether cells hold a lone `-` or `.`.
    pub(crate) fn has_dashes(&self) -> bool {
        self.dashes.cells > 0
    }
}
