//! How much is missing, where, and whether the rows that are left can stand for all.

use std::cmp::Reverse;

use crate::advice::Advice;
use crate::error::{ReadError, shorten};
use crate::note::Note;
use crate::options::Missing;
use crate::real::{FloatMatrix, MatrixElement};
use crate::table::{Codes, FeatureColumn};

/// How much is missing in a column, or how many labels are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingIn {
    /// The column; `None` stands for the labels.
    pub column: Option<String>,
    /// How many values are missing.
    pub values: usize,
}

impl MissingIn {
    /// The columns to leave out: those with at least half as many missing values as the worst one.
    pub(crate) fn columns(worst: &[MissingIn]) -> Vec<String> {
        let most = worst.first().map_or(0, |worst| worst.values);
        let bad = worst.iter().filter(|missing| 2 * missing.values >= most);
        bad.filter_map(|missing| missing.column.as_deref().map(shorten)).collect()
    }

    /// Where most is missing, as part of a sentence.
    pub(crate) fn mostly(worst: &[MissingIn]) -> String {
        let each = worst.iter().map(|MissingIn { column, values }| match column {
            Some(column) => format!("'{}' ({values})", shorten(column)),
            None => format!("the labels ({values})"),
        });
        format!("most often in {}", each.collect::<Vec<_>>().join(", "))
    }
}

/// What is missing in the file: the cells of each column, and labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MissingCells {
    pub(crate) by_column: Vec<usize>,
    pub(crate) labels: usize,
}

impl MissingCells {
    /// Counts what is missing in some rows; where means are used, in those that have a label.
    pub(crate) fn of<T: MatrixElement>(values: &[T], columns: usize, labels: &Codes, how: Missing) -> Self {
        let mut by_column = vec![0; columns];
        let rows = values.chunks_exact(columns).zip(&labels.codes);
        for (row, _) in rows.filter(|(_, code)| how != Missing::Mean || **code != Codes::MISSING) {
            by_column
                .iter_mut()
                .zip(row)
                .for_each(|(count, value)| *count += usize::from(value.to_f64().is_nan()));
        }
        let labels = labels.codes.iter().filter(|&&code| code == Codes::MISSING).count();
        MissingCells { by_column, labels }
    }

    /// Adds what is missing in other rows.
    pub(crate) fn add(&mut self, other: &MissingCells) {
        self.by_column.resize(self.by_column.len().max(other.by_column.len()), 0);
        self.by_column.iter_mut().zip(&other.by_column).for_each(|(all, own)| *all += own);
        self.labels += other.labels;
    }

    /// Where most is missing, the worst first.
    pub(crate) fn worst(&self, columns: &[String]) -> Vec<MissingIn> {
        const NAMED: usize = 3;
        let columns = columns.iter().zip(&self.by_column);
        let columns = columns.map(|(column, &values)| MissingIn { column: Some(column.clone()), values });
        let labels = MissingIn { column: None, values: self.labels };
        let mut all: Vec<MissingIn> = columns.chain([labels]).filter(|missing| missing.values > 0).collect();
        all.sort_by_key(|missing| Reverse(missing.values));
        all.truncate(NAMED);
        all
    }
}

/// Counts what is missing in the file, if that is to be reported: before text columns become several columns each.
pub(crate) fn count(
    matrix: &FloatMatrix,
    columns: &[FeatureColumn],
    labels: &Codes,
    how: Missing,
) -> Option<MissingCells> {
    (how != Missing::Error).then(|| match matrix {
        FloatMatrix::F64(values) => MissingCells::of(values, columns.len(), labels, how),
        FloatMatrix::F32(values) => MissingCells::of(values, columns.len(), labels, how),
    })
}

/// Puts a note in terms of the file's columns instead of indicator columns.
///
/// # Errors
/// More than half of the rows are lost, or all of them.
pub(crate) fn of_the_file(
    note: Note,
    missing: Option<&MissingCells>,
    columns: &[String],
    how: Missing,
) -> Result<Note, ReadError> {
    match (note, missing) {
        (Note::RowsDropped { of, .. }, Some(missing)) if 2 * missing.labels > of && how == Missing::Drop => {
            Err(without_labels(missing.labels, of).help(Advice::DropAnyRows))
        }
        (Note::RowsDropped { rows, of, .. }, Some(missing)) => {
            let worst = missing.worst(columns);
            accept_loss(rows, of, &worst, how)?;
            Ok(Note::RowsDropped { rows, of, worst })
        }
        (Note::ValuesImputed { .. }, Some(MissingCells { by_column, .. })) => {
            let columns = by_column.iter().filter(|&&count| count > 0).count();
            Ok(Note::ValuesImputed { values: by_column.iter().sum(), columns })
        }
        (Note::UnlabelledDropped { rows, of }, _) if 2 * rows > of => {
            Err(without_labels(rows, of).help(Advice::ChooseLabel))
        }
        (note, _) => Ok(note),
    }
}

fn without_labels(rows: usize, of: usize) -> ReadError {
    ReadError::new(format!("{rows} of {of} rows have no label, which is more than half of them"))
}

/// Whether so many rows are lost that the others may not stand for all.
pub(crate) fn is_large_loss(rows: usize, of: usize) -> bool {
    const SHARE: usize = 20;
    SHARE * rows > of
}

/// Refuses to lose more than half of the rows, unless any loss was asked for, and to lose all of them.
pub(crate) fn accept_loss(
    rows: usize,
    of: usize,
    worst: &[MissingIn],
    how: Missing,
) -> Result<(), ReadError> {
    let what = match rows {
        all if all == of => format!("each of the {of} rows has a missing value, so that none is left"),
        many if how == Missing::Drop && 2 * many > of => {
            format!("{rows} of {of} rows have a missing value, which is more than half of them")
        }
        _ => return Ok(()),
    };
    let what = format!("{what}: {}", MissingIn::mostly(worst));
    let help =
        if rows == of { Advice::DropColumnsOrImpute } else { Advice::KeepRows(MissingIn::columns(worst)) };
    Err(ReadError::new(what).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::Severity;

    #[test]
    fn a_large_loss_is_not_accepted_in_silence() {
        let columns = ["a", "b"].map(String::from);
        let missing = MissingCells { by_column: vec![1, 11], labels: 0 };
        let dropped = |rows, how| {
            let note = Note::RowsDropped { rows, of: 20, worst: Vec::new() };
            of_the_file(note, Some(&missing), &columns, how)
        };
        assert_eq!(dropped(1, Missing::Drop).unwrap().severity(), Severity::Info);
        let note = dropped(2, Missing::Drop).unwrap();
        assert_eq!(note.severity(), Severity::Warning);
        assert_eq!(
            note.to_string(),
            "2 of 20 rows were dropped because a value is missing, most often in 'b' (11), 'a' (1)"
        );
        let error = dropped(11, Missing::Drop).unwrap_err();
        assert_eq!(
            error.to_string(),
            "11 of 20 rows have a missing value, which is more than half of them: most often in 'b' (11), 'a' (1)"
        );
        assert_eq!(error.advice, Some(Advice::KeepRows(vec!["b".into()])));
        assert!(dropped(11, Missing::DropAny).is_ok());
        let unlabelled = MissingCells { by_column: vec![0, 0], labels: 11 };
        let note = || Note::RowsDropped { rows: 11, of: 20, worst: Vec::new() };
        let error = of_the_file(note(), Some(&unlabelled), &columns, Missing::Drop).unwrap_err();
        assert_eq!(error.to_string(), "11 of 20 rows have no label, which is more than half of them");
        assert_eq!(error.advice, Some(Advice::DropAnyRows));
        assert!(of_the_file(note(), Some(&unlabelled), &columns, Missing::DropAny).is_ok());
        let error = dropped(20, Missing::DropAny).unwrap_err();
        assert!(error.what.contains("none is left"), "{error}");
    }
}
