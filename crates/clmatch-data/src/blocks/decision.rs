//! Decides by the first rows of a stream what becomes of its columns, and applies this to all rows.

use std::borrow::Cow;

use super::chunk::{Chunk, ChunkPlace};
use crate::advice::Advice;
use crate::classes;
use crate::error::{ColumnRef, ReadError, shorten};
use crate::finish::{self, Expansion};
use crate::ids;
use crate::label_copies::{self, LabelledRows};
use crate::label_leaks;
use crate::loss::MissingCells;
use crate::missing::{self, missing_label, missing_value};
use crate::named_missing::{NamedMissing, mark_labels};
use crate::note::Note;
use crate::options::{Missing, ReadOptions};
use crate::provenance::Facts;
use crate::real::FloatMatrix;
use crate::sentinel;
use crate::table::{Codes, FeatureColumn, plain_name};

/// What becomes of the columns.
#[derive(Debug)]
pub(crate) struct ColumnDecision {
    /// The names of the columns as they are read.
    raw: Vec<ColumnRef>,
    /// For each column as it is read, whether it was found to be an id.
    ids: Vec<bool>,
    /// For each column as it is read, whether it was found to be a copy of the label.
    copies: Vec<bool>,
    /// Columns that become indicators.
    expansion: Option<Expansion>,
    /// The resulting features.
    columns: Vec<FeatureColumn>,
    missing: Missing,
    /// Texts that stand for missing values, and what they are in each column as it is read.
    missing_texts: Vec<String>,
    named_missing: Option<NamedMissing>,
    /// How many rows decided.
    pub(crate) rows: usize,
    pub(crate) doubtful: Vec<String>,
    pub(crate) facts: Facts,
    pub(crate) notes: Vec<Note>,
}

/// Refuses features that give away the label in the first rows, as they would be refused in memory.
fn refuse_copies(
    values: &[f64],
    labels: &Codes,
    columns: &[FeatureColumn],
    facts: &Facts,
    notes: &mut Vec<Note>,
) -> Result<(), ReadError> {
    let names: Vec<String> = columns.iter().map(|column| plain_name(&column.name)).collect();
    let rows = LabelledRows {
        names: names.iter().map(String::as_str).collect(),
        rows: labels.codes.len(),
        value: &|row, feature| values[row * columns.len() + feature],
        codes: &labels.codes,
        classes: &labels.names,
        label: facts.label.as_ref(),
    };
    let kept = |name: &str| facts.kept.iter().any(|kept| plain_name(kept) == name);
    label_copies::refuse(&rows, notes, |name| facts.features_chosen || kept(name))
}

/// Rows whose missing values and ids have been handled.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) values: Vec<f64>,
    pub(crate) labels: Codes,
    /// How many rows were left out because something was missing.
    pub(crate) dropped: usize,
    /// What was missing.
    pub(crate) missing: MissingCells,
}

impl ColumnDecision {
    /// Decides by the first rows, in the same order and by the same rules as if all rows were in memory.
    ///
    /// # Errors
    /// Labels that are numbers to predict, or no feature besides ids.
    pub(crate) fn new(
        first: &Chunk,
        mut columns: Vec<FeatureColumn>,
        mut facts: Facts,
        mut notes: Vec<Note>,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        let missing_texts = &options.missing_values;
        let mut labels = first.labels.clone();
        if let Some(labels) = &mut labels {
            mark_labels(labels, missing_texts);
            classes::check_names(&labels.names, first.rows, &facts)?;
        }
        let named_missing = NamedMissing::of(&mut columns, missing_texts);
        let mut values = Cow::Borrowed(&first.values);
        if let Some(named) = &named_missing {
            named.mark(values.to_mut());
        }
        let copies = match &labels {
            Some(labels) if !facts.suspects.is_empty() => {
                let matrix = FloatMatrix::F64(values.to_vec());
                label_leaks::confirmed(&matrix, &columns, labels, &mut facts, options)?
            }
            _ => vec![false; columns.len()],
        };
        let raw = columns.iter().map(|column| column.name.clone()).collect();
        if copies.contains(&true) {
            ids::remove(values.to_mut(), &copies);
            let mut gone = copies.iter();
            columns.retain(|_| gone.next() == Some(&false));
        }
        let ids = ids::among(&values, &columns, &mut facts, &mut notes);
        if let Some(labels) = &labels {
            refuse_copies(&values, labels, &columns, &facts, &mut notes)?;
        }
        let sentinels = sentinel::find(&values, &columns).into_iter();
        notes.extend(sentinels.filter(|(column, _)| !ids.removed[*column]).map(|(_, note)| note));
        let kept = columns.into_iter().zip(&ids.removed).filter(|(_, removed)| !**removed);
        let mut columns: Vec<FeatureColumn> = kept.map(|(column, _)| column).collect();
        if columns.is_empty() {
            return Err(finish::only_ids(&facts));
        }
        notes.extend(finish::left_out(&facts.left_out));
        let expansion = Expansion::of(&mut columns, &mut notes);
        let mut found = ids.removed.iter().copied();
        let ids_removed = copies.iter().map(|&copy| !copy && found.next() == Some(true)).collect();
        Ok(ColumnDecision {
            raw,
            ids: ids_removed,
            copies,
            expansion,
            columns,
            missing: options.missing,
            missing_texts: missing_texts.clone(),
            named_missing,
            rows: first.rows,
            doubtful: ids.doubtful,
            facts,
            notes,
        })
    }

    /// The names of the features.
    pub(crate) fn features(&self) -> Vec<String> {
        self.columns.iter().map(|column| plain_name(&column.name)).collect()
    }

    /// The names of the columns as they are read, without ids.
    pub(crate) fn columns_read(&self) -> Vec<String> {
        let kept = self.raw.iter().zip(self.removed()).filter(|(_, removed)| !removed);
        kept.map(|(name, _)| plain_name(name)).collect()
    }

    /// For each column as it is read, whether it is left out.
    fn removed(&self) -> impl Iterator<Item = bool> {
        self.ids.iter().zip(&self.copies).map(|(&id, &copy)| id || copy)
    }

    /// Turns rows into points.
    ///
    /// # Errors
    /// A column that was left out as an id but does not look like one here, a missing value or label, an infinity.
    pub(crate) fn prepare(&self, chunk: Chunk, place: &ChunkPlace) -> Result<Prepared, ReadError> {
        self.prepare_rows(chunk).map_err(|mut error| {
            if let Some(row) = error.place.as_mut().and_then(|place| place.row.as_mut()) {
                *row += place.first_row as u64;
            }
            error.in_file(&place.part)
        })
    }

    fn prepare_rows(&self, chunk: Chunk) -> Result<Prepared, ReadError> {
        let Chunk { mut values, labels, rows } = chunk;
        let mut labels = labels.ok_or_else(finish::no_labels)?;
        if let Some(named) = &self.named_missing {
            named.mark(&mut values);
            mark_labels(&mut labels, &self.missing_texts);
        }
        let removed: Vec<bool> = self.removed().collect();
        if removed.contains(&true) {
            self.check_ids(&values)?;
            ids::remove(&mut values, &removed);
        }
        let read = removed.iter().filter(|removed| !**removed).count();
        let cells = if self.missing == Missing::Error {
            MissingCells::default()
        } else {
            MissingCells::of(&values, read, &labels, self.missing)
        };
        if let Some(expansion) = &self.expansion {
            values = expansion.expand(&values);
        }
        let features = self.columns.len();
        let found = missing::survey(&values, &self.columns)?.missing;
        let unlabelled = missing::first_without_label(&labels);
        if found.is_none() && unlabelled.is_none() {
            return Ok(Prepared { values, labels, ..Prepared::default() });
        }
        if self.missing != Missing::Error {
            let kept = missing::keep_complete_rows(&mut values, features, &mut labels);
            return Ok(Prepared { values, labels, dropped: rows - kept.len(), missing: cells });
        }
        Err(match (found, unlabelled) {
            (Some(first), Some(row)) if first / features > row => missing_label().row(row),
            (Some(first), _) => {
                missing_value().row(first / features).column(self.columns[first % features].name.clone())
            }
            (None, row) => missing_label().row(row.unwrap_or(0)),
        })
    }

    /// Refuses rows in which a column that was left out as an id does not look like one.
    fn check_ids(&self, values: &[f64]) -> Result<(), ReadError> {
        let features = self.raw.len();
        let ids = self.ids.iter().enumerate().filter(|(_, removed)| **removed);
        for (column, _) in ids {
            if !ids::still_an_id(values, features, column) {
                let name = plain_name(&self.raw[column]);
                let what = format!(
                    "the column looks like an id in the first {} rows of the data, but not from here on",
                    self.rows
                );
                return Err(ReadError::new(what)
                    .row(0)
                    .column(self.raw[column].clone())
                    .help(Advice::DropOrKeep(vec![shorten(&name)])));
            }
        }
        Ok(())
    }
}
