//! What every format reader returns, before missing values and text columns are handled.

use crate::dictionary::Dictionary;
use crate::error::{ColumnRef, ReadError, shorten_bytes};
use crate::extent::Extent;
use crate::note::Note;
use crate::provenance::Facts;
use crate::real::FloatMatrix;

/// Features as a row-major matrix, and labels.
#[derive(Debug)]
pub(crate) struct RawTable {
    /// One per column of the matrix.
    pub(crate) columns: Vec<FeatureColumn>,
    /// NaN is a missing value; a column with categories holds their numbers.
    pub(crate) matrix: FloatMatrix,
    /// How many rows there are; needed if there are no columns.
    pub(crate) rows: usize,
    /// The labels, unless they come from another file.
    pub(crate) labels: Option<Codes>,
    /// Whether the reader made sure that no value is missing or infinite and that no label is missing.
    pub(crate) complete: bool,
    /// The extent of all numbers of the matrix, if the reader determined it.
    pub(crate) extent: Option<Extent>,
    /// What was noticed so far.
    pub(crate) notes: Vec<Note>,
    /// What was learned about the columns of the file.
    pub(crate) facts: Facts,
}

/// A feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureColumn {
    /// Its name, or its index in the file if it has none.
    pub(crate) name: ColumnRef,
    /// The values of a text column that is to become indicator columns.
    pub(crate) categories: Option<Vec<String>>,
}

impl FeatureColumn {
    /// A column of numbers.
    pub(crate) fn number(name: ColumnRef) -> Self {
        FeatureColumn { name, categories: None }
    }

    /// The columns of lists of numbers.
    pub(crate) fn of_list(name: &ColumnRef, length: usize) -> impl Iterator<Item = FeatureColumn> {
        let name = plain_name(name);
        (0..length).map(move |place| FeatureColumn::number(ColumnRef::Name(format!("{name}[{place}]"))))
    }

    /// The columns of a matrix without a header.
    pub(crate) fn numbered(count: usize) -> Vec<FeatureColumn> {
        (0..count).map(|index| FeatureColumn::number(ColumnRef::Index(index))).collect()
    }
}

/// The name of a feature, or its index if it has no name.
pub(crate) fn plain_name(name: &ColumnRef) -> String {
    match name {
        ColumnRef::Name(name) => name.clone(),
        ColumnRef::Index(index) => index.to_string(),
    }
}

/// Texts as numbers: `names[codes[row]]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Codes {
    /// One code per row, [`Codes::MISSING`] if there is no label.
    pub(crate) codes: Vec<u32>,
    /// Distinct texts in order of appearance.
    pub(crate) names: Vec<String>,
}

impl Codes {
    /// Stands for a missing text.
    pub(crate) const MISSING: u32 = u32::MAX;
}

/// A column of labels under construction.
#[derive(Debug, Default)]
pub(crate) struct LabelBuilder {
    dictionary: Dictionary,
    codes: Vec<u32>,
}

impl LabelBuilder {
    /// A builder with room for `rows` labels.
    pub(crate) fn for_rows(rows: usize) -> Self {
        LabelBuilder { codes: Vec::with_capacity(rows), ..LabelBuilder::default() }
    }

    /// Appends a label.
    pub(crate) fn push(&mut self, text: &[u8]) -> Result<(), ReadError> {
        let code = self.dictionary.code(text)?;
        self.codes.push(code);
        Ok(())
    }

    /// Appends a row without a label.
    pub(crate) fn push_missing(&mut self) {
        self.codes.push(Codes::MISSING);
    }

    /// Appends a number: whole numbers print as integers, NaN is missing.
    pub(crate) fn push_number(&mut self, number: f64) -> Result<(), ReadError> {
        if number.is_nan() {
            self.push_missing();
            return Ok(());
        }
        self.push(number_name(number).as_bytes())
    }

    /// Appends labels that were numbered separately.
    pub(crate) fn append(&mut self, other: &Codes) -> Result<(), ReadError> {
        let places: Vec<u32> =
            other.names.iter().map(|name| self.dictionary.code(name.as_bytes())).collect::<Result<_, _>>()?;
        let place = |&code: &u32| places.get(code as usize).copied().unwrap_or(Codes::MISSING);
        self.codes.extend(other.codes.iter().map(place));
        Ok(())
    }

    /// Appends a label once more, or a missing one, by the number that [`LabelBuilder::last`] returned.
    pub(crate) fn repeat(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// The number of the last label.
    pub(crate) fn last(&self) -> Option<u32> {
        self.codes.last().copied()
    }

    /// How many labels there are so far.
    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    /// All labels.
    pub(crate) fn finish(self) -> Codes {
        Codes { codes: self.codes, names: self.dictionary.into_names() }
    }
}

/// A number as the name of a class: `2` for 2.0, and `0` for -0.
pub(crate) fn number_name(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { format!("{number}") }
}

/// The error for bytes that are not text.
pub(crate) fn not_utf8(bytes: &[u8]) -> ReadError {
    ReadError::not_utf8(format!("'{}' is not valid UTF-8", shorten_bytes(bytes)))
        .help("convert the file to UTF-8, with iconv -f ENCODING -t utf-8 from the encoding in which it was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_names() {
        let mut labels = LabelBuilder::default();
        for number in [2.0, -0.0, 2.5, f64::NAN, 1e15, 2.0] {
            labels.push_number(number).unwrap();
        }
        let codes = labels.finish();
        assert_eq!(codes.names, ["2", "0", "2.5", "1000000000000000"]);
        assert_eq!(codes.codes, [0, 1, 2, Codes::MISSING, 3, 0]);
    }
}
