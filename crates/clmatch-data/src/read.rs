//! From a source to a dataset.

use std::path::{Path, PathBuf};

use crate::advice::Advice;
use crate::dataset::Dataset;
use crate::error::ReadError;
use crate::finish::finish;
use crate::formats::csv::LabelFile;
use crate::formats::detect::{Format, detect, promised};
use crate::formats::{arff, arrow, bin, csv, json, npy, svmlight, zip};
use crate::input::Input;
use crate::memory::Budget;
use crate::missing::first_without_label;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::real::Matrix;
use crate::select::select;
use crate::source::{Source, pair_in};
use crate::table::{Codes, Table};

/// Reads a dataset.
///
/// The format is recognised by the first bytes, then by the name. See [`ReadOptions`] for what can be chosen.
/// Labels are taken from, in this order: [`ReadOptions::labels_file`]; the file itself (a column, or an array named
/// like labels); a file beside it (`NAME_label.npy`, `NAME.label.npy`, `label.npy`, `labels.npy`, `y.npy`); a column of
/// the matrix, if [`ReadOptions::label`] gives its index.
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

/// Bytes that are enough to recognise every format.
const HEAD: usize = 1 << 14;

/// What a format reader found.
enum Found {
    /// Named columns, with the label taken out unless it comes from elsewhere.
    Table(Table),
    /// Numbers without names, with the labels if the file holds them.
    Matrix { matrix: Matrix, rows: usize, features: usize, labels: Option<Codes> },
}

fn read_file(path: &Path, pair: Option<&Path>, options: &ReadOptions) -> Result<Table, ReadError> {
    let budget = Budget::new(options);
    let input = if path.as_os_str() == "-" { Input::stdin(budget)? } else { Input::file(path)? };
    let (input, format) = recognise(input, path, budget)?;
    let found = match format {
        Format::Npy | Format::Bin | Format::Json => matrix(&input, format, budget)?,
        Format::Zip => {
            let found = zip::read(&input, options.labels_file.is_none(), budget)?;
            Found::Matrix {
                matrix: found.matrix,
                rows: found.rows,
                features: found.features,
                labels: found.labels,
            }
        }
        Format::Svmlight => {
            let found = svmlight::read(&input, budget)?;
            let labels = options.labels_file.is_none().then_some(found.labels);
            let matrix = Matrix::F64(found.values);
            Found::Matrix { matrix, rows: found.rows, features: found.features, labels }
        }
        _ => Found::Table(columns(&input, format, options)?),
    };
    let mut table = with_labels(found, path, pair, options)?;
    if promised(path).is_some_and(|promised| !same(promised, format)) {
        table.notes.push(Note::OtherFormat { format: format.name() });
    }
    Ok(table)
}

/// The format of a file; what must be read out of order is unpacked first.
fn recognise(input: Input, path: &Path, budget: Budget) -> Result<(Input, Format), ReadError> {
    let head = input.head(HEAD)?;
    if head.is_empty() {
        return Err(ReadError::new("the file is empty").help("write or fetch it again"));
    }
    let format = match (detect(&head), promised(path)) {
        // A short file may not show it.
        (Format::Text, Some(Format::Svmlight)) => Format::Svmlight,
        (Format::Text, Some(Format::Arff)) => Format::Arff,
        (Format::Text, Some(promised))
            if promised == Format::Bin || (!promised.is_text() && head.contains(&0)) =>
        {
            return Err(ReadError::new(format!(
                "this is not {}, nor any other format that is known",
                promised.name()
            ))
            .help("the file is damaged or has the wrong extension"));
        }
        (Format::OldFeather, _) => {
            return Err(ReadError::new("Feather version 1 is not read")
                .help("write it again as Feather version 2 (the default since 2020) or Parquet"));
        }
        (format, _) => format,
    };
    let input = match format {
        Format::Zip | Format::Parquet | Format::Arrow | Format::ArrowStream | Format::Bin => {
            input.unpacked(budget)?.unwrap_or(input)
        }
        _ => input,
    };
    Ok((input, format))
}

/// The format of a file that can be read; `None` for standard input and what cannot be told.
pub(crate) fn format_of(path: &Path) -> Option<Format> {
    let budget = Budget::new(&ReadOptions::default());
    let input = (path.as_os_str() != "-").then(|| Input::file(path).ok()).flatten()?;
    recognise(input, path, budget).ok().map(|(_, format)| format)
}

/// Whether a name promises what was found.
fn same(promised: Format, found: Format) -> bool {
    promised == found || matches!((promised, found), (Format::Arrow, Format::ArrowStream))
}

fn columns(input: &Input, format: Format, options: &ReadOptions) -> Result<Table, ReadError> {
    let labels = options.labels_file.is_none();
    match format {
        Format::Parquet => arrow::parquet::read(input, options, labels),
        Format::Arrow => arrow::ipc::read(input, false, options, labels),
        Format::ArrowStream => arrow::ipc::read(input, true, options, labels),
        Format::Arff => arff::read(input, options, labels),
        _ => csv::read(input, options, labels),
    }
}

fn matrix(input: &Input, format: Format, budget: Budget) -> Result<Found, ReadError> {
    if format == Format::Npy {
        let array = npy::matrix(&mut input.reader()?, input.length()?, budget)?;
        return Ok(Found::Matrix {
            matrix: array.matrix,
            rows: array.rows,
            features: array.features,
            labels: None,
        });
    }
    let numbers = if format == Format::Bin {
        bin::matrix(input, budget)?
    } else {
        json::matrix(input.reader()?, budget)?
    };
    let matrix = Matrix::F64(numbers.values);
    Ok(Found::Matrix { matrix, rows: numbers.rows, features: numbers.features, labels: None })
}

/// Puts points and labels together.
fn with_labels(
    found: Found,
    path: &Path,
    pair: Option<&Path>,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let (matrix, rows, features, inside) = match found {
        Found::Table(table) => return with_labels_file(table, options.labels_file.as_deref(), options),
        Found::Matrix { matrix, rows, features, labels } => (matrix, rows, features, labels),
    };
    let file = match &inside {
        Some(_) => None,
        None => options.labels_file.clone().or(pair.map(PathBuf::from)).or_else(|| beside(path)),
    };
    if rows == 0 || features == 0 {
        let what = format!("the matrix is empty: it has {rows} rows and {features} columns");
        return Err(ReadError::new(what).help("points need at least one row and one number each"));
    }
    let names = (0..features).map(crate::ColumnRef::Index).collect();
    let from_column = inside.is_none() && file.is_none();
    if from_column && options.label.is_none() {
        return Err(crate::finish::no_labels());
    }
    let mut table = select(matrix, rows, crate::columns::plan(names, options, from_column)?)?;
    if inside.is_some() {
        table.labels = inside;
        table.facts.label = Some(LabelOrigin::certain("stored with the points", LabelSource::Format));
    }
    let noted = file.is_some() && options.labels_file.is_none() && pair.is_none();
    let mut table = with_labels_file(table, file.as_deref(), options)?;
    if let (true, Some(path)) = (noted, file) {
        table.notes.push(Note::LabelsBeside { path });
    }
    Ok(table)
}

/// Labels in a file of their own, if there is one.
fn with_labels_file(
    mut table: Table,
    file: Option<&Path>,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let Some(file) = file else { return Ok(table) };
    let LabelFile { codes, column } =
        read_labels(file, table.rows, options).map_err(|error| error.in_file(file))?;
    if codes.codes.len() != table.rows {
        return Err(other_count(codes.codes.len(), &table).in_file(file));
    }
    table.complete &= first_without_label(&codes).is_none();
    table.labels = Some(codes);
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    table.facts.label = Some(match column {
        Some(column) => {
            table.notes.extend(Note::of_label(&column));
            LabelOrigin { name: format!("{} in {name}", column.name), ..column }
        }
        None => LabelOrigin::certain(name, LabelSource::File),
    });
    Ok(table)
}

/// The error for a file with too many or too few labels; one too many or too few is probably a header.
fn other_count(labels: usize, table: &Table) -> ReadError {
    let rows = table.rows;
    let error = ReadError::new(format!("there are {labels} labels for {rows} rows"));
    match table.facts.header {
        Some(false) if rows == labels + 1 => error.help(Advice::FirstLineIsHeader),
        Some(true) if rows + 1 == labels => error.help(Advice::FirstLineIsData),
        _ => error.help("give exactly one label for each row"),
    }
}

/// Labels in any format that can hold them.
fn read_labels(path: &Path, rows: usize, options: &ReadOptions) -> Result<LabelFile, ReadError> {
    let budget = Budget::new(options);
    let (input, format) = recognise(Input::file(path)?, path, budget)?;
    let codes = match format {
        Format::Npy => npy::labels(&mut input.reader()?, input.length()?, budget),
        Format::Bin => bin::labels(&input, budget),
        Format::Json => json::labels(input.reader()?, budget),
        Format::Zip => zip::labels(&input, budget),
        Format::Text | Format::Svmlight => return csv::labels(&input, options, rows),
        other => Err(ReadError::new(format!("labels cannot be read from {}", other.name()))
            .help("give a text file with one label per line, CSV, NPY, NPZ or JSON")),
    };
    Ok(LabelFile { codes: codes?, column: None })
}

/// The labels of `NAME.npy`: `NAME_label.npy`, `NAME_labels.npy`, `NAME.label.npy`, `NAME_y.npy`, or, whatever the name,
/// `label.npy`, `labels.npy` or `y.npy`.
pub(crate) fn beside(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let stem = path.file_stem()?.to_str()?;
    let end = path.extension()?.to_str()?;
    let own = ["_label", "_labels", ".label", ".labels", "_y"].map(|suffix| format!("{stem}{suffix}.{end}"));
    let common = ["label", "labels", "y"].map(|name| format!("{name}.{end}"));
    own.iter().chain(&common).map(|name| folder.join(name)).find(|file| file.is_file() && file != path)
}
