//! From a source to a dataset.

use std::path::{Path, PathBuf};

use crate::columns;
use crate::dataset::Dataset;
use crate::error::{ColumnRef, ReadError};
use crate::finish::finish;
use crate::formats::detect::{Format, detect};
use crate::formats::{bin, csv, json, npy};
use crate::input::Input;
use crate::memory::Budget;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::real::Matrix;
use crate::select::select;
use crate::source::{Source, pair_in};
use crate::table::{Codes, Table};

/// Reads a dataset.
///
/// The format is recognised by the first bytes, then by the name. See [`ReadOptions`] for what can be chosen.
///
/// # Errors
/// Whatever is wrong with the file, with the place and what to do: see [`ReadError`].
pub fn read(source: &Source, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let path = &source.path;
    let pair = if path.is_dir() { pair_in(path) } else { None };
    let data = pair.as_ref().map_or(path, |(data, _)| data);
    read_file(data, pair.as_ref().map(|(_, labels)| labels.as_path()), options)
        .and_then(|table| finish(table, &source.name, options))
        .map_err(|error| error.in_file(data))
}

fn read_file(path: &Path, labels: Option<&Path>, options: &ReadOptions) -> Result<Table, ReadError> {
    let budget = Budget::new(options);
    let input = if path.as_os_str() == "-" { Input::stdin(budget)? } else { Input::file(path)? };
    let format = detect(&input.head(4096)?);
    let beside = match format {
        Format::Text => None,
        _ => labels.map(PathBuf::from).or_else(|| beside(path)),
    };
    let elsewhere = options.labels_file.clone().or(if options.label.is_some() { None } else { beside });
    let mut table = match format {
        Format::Npy => {
            let array = npy::matrix(&mut input.reader()?, input.length()?, budget)?;
            matrix_table(array.matrix, array.rows, array.features, options, elsewhere.is_some())?
        }
        Format::Bin => {
            let numbers = bin::matrix(&input, budget)?;
            matrix_table(
                Matrix::F64(numbers.values),
                numbers.rows,
                numbers.features,
                options,
                elsewhere.is_some(),
            )?
        }
        Format::Json => {
            let numbers = json::matrix(input.reader()?, budget)?;
            matrix_table(
                Matrix::F64(numbers.values),
                numbers.rows,
                numbers.features,
                options,
                elsewhere.is_some(),
            )?
        }
        Format::Text => csv::read(&input, options, elsewhere.is_none())?,
    };
    if let Some(file) = elsewhere {
        let codes = read_labels(&file, table.rows, options).map_err(|error| error.in_file(&file))?;
        if codes.codes.len() != table.rows {
            let (labels, rows) = (codes.codes.len(), table.rows);
            return Err(ReadError::new(format!("there are {labels} labels for {rows} rows"))
                .help("give exactly one label for each row")
                .in_file(&file));
        }
        table.complete &= crate::finish::has_missing(&codes).is_none();
        table.labels = Some(codes);
        if labels.is_none() {
            table.notes.push(Note::LabelsBeside { path: file });
        }
    }
    Ok(table)
}

/// A matrix without names: its columns are called by their indices, and the label may be one of them if asked for.
fn matrix_table(
    matrix: Matrix,
    rows: usize,
    features: usize,
    options: &ReadOptions,
    elsewhere: bool,
) -> Result<Table, ReadError> {
    let names: Vec<ColumnRef> = (0..features).map(ColumnRef::Index).collect();
    if !elsewhere && options.label.is_none() {
        return Ok(Table {
            columns: Vec::new(),
            matrix,
            rows,
            labels: None,
            complete: false,
            notes: Vec::new(),
        });
    }
    let plan = columns::plan(names, options, !elsewhere)?;
    select(matrix, rows, plan)
}

/// Labels in a file of their own, of any format that can hold them.
fn read_labels(path: &Path, rows: usize, options: &ReadOptions) -> Result<Codes, ReadError> {
    let budget = Budget::new(options);
    let input = Input::file(path)?;
    match detect(&input.head(4096)?) {
        Format::Npy => npy::labels(&mut input.reader()?, input.length()?, budget),
        Format::Bin => bin::labels(&input, budget),
        Format::Json => json::labels(input.reader()?, budget),
        Format::Text => csv::labels(&input, options, rows),
    }
}

/// The labels of `NAME.npy`: `NAME_label.npy`, `NAME_labels.npy`, `NAME.label.npy`, `label.npy`, `labels.npy` or `y.npy`.
fn beside(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let stem = path.file_stem()?.to_str()?;
    let end = path.extension()?.to_str()?;
    let own = ["_label", "_labels", ".label", ".labels", "_y"].map(|suffix| format!("{stem}{suffix}.{end}"));
    let common = ["label", "labels", "y"].map(|name| format!("{name}.{end}"));
    own.iter().chain(&common).map(|name| folder.join(name)).find(|file| file.is_file() && file != path)
}
