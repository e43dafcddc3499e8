//! Missing values: refuse them, leave out their rows, or put the mean of the column in their place.

use crate::advice::Advice;
use crate::error::{ReadError, shorten_bytes};
use crate::extent::Extent;
use crate::note::Note;
use crate::options::Missing;
use crate::real::MatrixElement;
use crate::table::{Codes, FeatureColumn};

/// What was done about missing values.
#[derive(Debug, Default)]
pub(crate) struct Handled {
    pub(crate) notes: Vec<Note>,
    /// If rows were left out, the rows that remain, by their original index, from 0.
    pub(crate) kept: Option<Vec<usize>>,
    /// The extent of all numbers, if none was missing.
    pub(crate) extent: Option<Extent>,
}

/// Handles every NaN of a row-major matrix and every missing label, in place, and returns what was done.
///
/// # Errors
/// An infinity; a missing value that is not allowed, or cannot be replaced; no row left.
pub(crate) fn handle_missing<T: MatrixElement>(
    values: &mut Vec<T>,
    columns: &[FeatureColumn],
    labels: &mut Codes,
    how: Missing,
) -> Result<Handled, ReadError> {
    let features = columns.len();
    let Survey { missing: found, extent } = survey(values, columns)?;
    let unlabelled = first_without_label(labels);
    if found.is_none() && unlabelled.is_none() {
        return Ok(Handled { extent: Some(extent), ..Handled::default() });
    }
    match how {
        Missing::Error => Err(match (found, unlabelled) {
            (Some(first), Some(row)) if first / features > row => missing_label().row(row),
            (Some(first), _) => {
                missing_value().row(first / features).column(columns[first % features].name.clone())
            }
            (None, row) => missing_label().row(row.unwrap_or(0)),
        }),
        Missing::Drop | Missing::DropAny => Ok(drop_rows(values, features, labels)),
        Missing::Mean => {
            let Handled { mut notes, kept, .. } = match unlabelled {
                Some(_) => drop_unlabelled(values, features, labels),
                None => Handled::default(),
            };
            if !labels.codes.is_empty() && found.is_some() {
                notes.extend(impute(values, columns)?);
            }
            Ok(Handled { notes, kept, extent: None })
        }
    }
}

/// The first row without a label.
pub(crate) fn first_without_label(labels: &Codes) -> Option<usize> {
    labels.codes.iter().position(|&code| code == Codes::MISSING)
}

/// The error for a missing value; the caller says where.
pub(crate) fn missing_value() -> ReadError {
    ReadError::new("the value is missing").help(Advice::HandleMissing)
}

/// The error for a cell that is read as a missing value, but is not empty; the caller says where.
pub(crate) fn missing_word(text: &[u8]) -> ReadError {
    match text {
        b"-" | b"." => {
            let what = format!("the value is missing ('{}')", shorten_bytes(text));
            ReadError::new(what).help(Advice::HandleMissing)
        }
        _ => missing_value(),
    }
}

/// The error for a missing label; the caller says where.
pub(crate) fn missing_label() -> ReadError {
    ReadError::new("the label is missing").help(Advice::DropRowsWithoutLabel)
}

/// The error for an infinite number; the caller says where.
pub(crate) fn infinite() -> ReadError {
    ReadError::new("the value is infinite: every feature must be a finite number")
        .help(Advice::MendRowOrDropColumn)
}

/// What was found in a matrix that may have missing values.
pub(crate) struct Survey {
    /// The index of the first NaN.
    pub(crate) missing: Option<usize>,
    extent: Extent,
}

/// Looks for missing values; the first infinity is an error. All threads first check whether there is either.
pub(crate) fn survey<T: MatrixElement>(values: &[T], columns: &[FeatureColumn]) -> Result<Survey, ReadError> {
    let extent = Extent::of(values);
    if extent.finite {
        return Ok(Survey { missing: None, extent });
    }
    let mut first = None;
    for (place, value) in values.iter().enumerate() {
        if value.to_f64().is_nan() {
            first = first.or(Some(place));
        } else if value.to_f64().is_infinite() {
            let name = columns[place % columns.len()].name.clone();
            return Err(infinite().row(place / columns.len()).column(name));
        }
    }
    Ok(Survey { missing: first, extent })
}

/// Leaves out the rows in which a value or the label is missing; returns the indexes of the other rows, from 0.
pub(crate) fn keep_complete_rows<T: MatrixElement>(
    values: &mut Vec<T>,
    features: usize,
    labels: &mut Codes,
) -> Vec<usize> {
    keep_rows(values, features, labels, |row, label| {
        label != Codes::MISSING && row.iter().all(|value| !value.to_f64().is_nan())
    })
}

fn keep_rows<T: MatrixElement>(
    values: &mut Vec<T>,
    features: usize,
    labels: &mut Codes,
    keep: impl Fn(&[T], u32) -> bool,
) -> Vec<usize> {
    let mut kept = Vec::new();
    for row in 0..labels.codes.len() {
        let cells = row * features..(row + 1) * features;
        if keep(&values[cells.clone()], labels.codes[row]) {
            values.copy_within(cells, kept.len() * features);
            labels.codes[kept.len()] = labels.codes[row];
            kept.push(row);
        }
    }
    values.truncate(kept.len() * features);
    labels.codes.truncate(kept.len());
    kept
}

fn drop_rows<T: MatrixElement>(values: &mut Vec<T>, features: usize, labels: &mut Codes) -> Handled {
    let of = labels.codes.len();
    let kept = keep_complete_rows(values, features, labels);
    let note = Note::RowsDropped { rows: of - kept.len(), of, worst: Vec::new() };
    Handled { notes: vec![note], kept: Some(kept), extent: None }
}

/// Leaves out the rows without a label.
fn drop_unlabelled<T: MatrixElement>(values: &mut Vec<T>, features: usize, labels: &mut Codes) -> Handled {
    let of = labels.codes.len();
    let kept = keep_rows(values, features, labels, |_, label| label != Codes::MISSING);
    let note = Note::UnlabelledDropped { rows: of - kept.len(), of };
    Handled { notes: vec![note], kept: Some(kept), extent: None }
}

fn impute<T: MatrixElement>(values: &mut [T], columns: &[FeatureColumn]) -> Result<Option<Note>, ReadError> {
    let features = columns.len();
    let mut means = vec![Mean::default(); features];
    for row in values.chunks_exact(features) {
        for (mean, value) in means.iter_mut().zip(row) {
            mean.add(value.to_f64());
        }
    }
    let rows = values.len() / features;
    if let Some(empty) = means.iter().position(|mean| mean.count == 0) {
        return Err(ReadError::new("every value is missing, so that there is no mean")
            .column(columns[empty].name.clone())
            .help(Advice::DropColumn));
    }
    for row in values.chunks_exact_mut(features) {
        for (mean, value) in means.iter().zip(row) {
            if value.to_f64().is_nan() {
                *value = T::from_f64(mean.mean);
            }
        }
    }
    let incomplete = means.iter().filter(|mean| mean.count < rows);
    let replaced = incomplete.clone().map(|mean| rows - mean.count).sum();
    let columns = incomplete.count();
    Ok((columns > 0).then_some(Note::ValuesImputed { values: replaced, columns }))
}

/// A running mean: unlike a sum, it does not overflow.
#[derive(Debug, Clone, Default)]
struct Mean {
    mean: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        if !value.is_nan() {
            self.count += 1;
            let count = self.count as f64;
            self.mean += value / count - self.mean / count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(codes: &[u32]) -> Codes {
        Codes { codes: codes.to_vec(), names: vec!["a".into(), "b".into()] }
    }

    const X: f64 = f64::NAN;
    const NO: u32 = Codes::MISSING;

    #[test]
    fn rows_are_dropped() {
        let mut values = vec![1.0, 2.0, X, 3.0, 4.0, 5.0, 6.0, 7.0];
        let mut codes = labels(&[0, 1, NO, 1]);
        let Handled { notes, kept, .. } =
            handle_missing(&mut values, &FeatureColumn::numbered(2), &mut codes, Missing::Drop).unwrap();
        assert_eq!(values, [1.0, 2.0, 6.0, 7.0]);
        assert_eq!(kept, Some(vec![0, 3]));
        assert_eq!(codes.codes, [0, 1]);
        assert_eq!(notes, [Note::RowsDropped { rows: 2, of: 4, worst: Vec::new() }]);
    }

    #[test]
    fn means_are_put_in() {
        let big = f64::MAX;
        let mut values = vec![1.0, big, X, big, 5.0, X];
        let mut codes = labels(&[0, 1, 1]);
        let notes = handle_missing(&mut values, &FeatureColumn::numbered(2), &mut codes, Missing::Mean)
            .unwrap()
            .notes;
        assert_eq!(values, [1.0, big, 3.0, big, 5.0, big]);
        assert_eq!(notes, [Note::ValuesImputed { values: 2, columns: 2 }]);
        let error =
            handle_missing(&mut vec![X], &FeatureColumn::numbered(1), &mut labels(&[0]), Missing::Mean)
                .unwrap_err();
        assert!(error.to_string().contains("column 0: every value is missing"), "{error}");
        let error = handle_missing(
            &mut vec![1.0, X],
            &FeatureColumn::numbered(1),
            &mut labels(&[NO, 0]),
            Missing::Mean,
        )
        .unwrap_err();
        assert!(error.to_string().contains("every value is missing"), "{error}");
        // Rows without a label are left out before the mean is taken.
        let mut values = vec![1.0, X, 3.0, 100.0];
        let mut codes = labels(&[0, 1, 0, NO]);
        let notes = handle_missing(&mut values, &FeatureColumn::numbered(1), &mut codes, Missing::Mean)
            .unwrap()
            .notes;
        assert_eq!(values, [1.0, 2.0, 3.0]);
        assert_eq!(
            notes,
            [Note::UnlabelledDropped { rows: 1, of: 4 }, Note::ValuesImputed { values: 1, columns: 1 }]
        );
    }

    #[test]
    fn the_first_place_is_named() {
        let mut values = vec![1.0; 20_000];
        values[9_001] = X;
        let columns = FeatureColumn::numbered(2);
        let mut codes = labels(&vec![0; 10_000]);
        let error = handle_missing(&mut values, &columns, &mut codes, Missing::Error).unwrap_err();
        assert_eq!(error.to_string(), "row 4501, column 1: the value is missing");
        codes.codes[7] = NO;
        let error = handle_missing(&mut values, &columns, &mut codes, Missing::Error).unwrap_err();
        assert_eq!(error.to_string(), "row 8: the label is missing");
        values[12_000] = f64::NEG_INFINITY;
        let error = handle_missing(&mut values, &columns, &mut codes, Missing::Drop).unwrap_err();
        assert!(error.to_string().starts_with("row 6001, column 0: the value is infinite"), "{error}");
    }
}
