//! From a source to a dataset.

mod describe;

use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::advice::Advice;
use crate::cell;
use crate::damaged::decoding;
use crate::dataset::Dataset;
use crate::embedded;
use crate::encoding::read_legacy;
use crate::error::{ReadError, ReadErrorKind};
use crate::extent::Extent;
use crate::finish::finish;
use crate::formats::detect::FileFormat;
use crate::formats::{arff, arrow, bin, csv, excel, hdf5, json, npy, records, sheet, svmlight, zip};
use crate::input::{self, ByteSource};
use crate::join::join;
use crate::label_choice::LabelFile;
use crate::layout::{self, GAGOLEWSKI_NOISE, LabelledFile, PAIRS, folder_dataset, labels_beside};
use crate::memory::MemoryBudget;
use crate::missing::first_without_label;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::real::FloatMatrix;
use crate::recognise::{other_format, recognise};
use crate::select::select;
use crate::shown;
use crate::source::{Source, without_extensions};
use crate::table::{Codes, RawTable, plain_name};
pub(crate) use describe::{DescribedTable, describe, describe_bytes};

/// Reads a dataset.
///
/// The format is recognised by the first bytes, then by the name. See [`ReadOptions`] for what can be chosen.
/// Labels are taken from, in this order: [`ReadOptions::labels_file`]; a file beside the points that is named after them
/// (`NAME_label.npy`, `NAME.labels.csv`; for points called `data` or `X` also `labels`, `y`, `target`); the file itself (a
/// column, or an array named like labels); for matrices without names, any file called `label`, `labels` or `y`, or a column,
/// if [`ReadOptions::label`] gives its index. If the options name the label column of a table, no other file is needed.
///
/// # Errors
/// Anything wrong with the file, with the place and what to do: see [`ReadError`].
pub fn read(source: &Source, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let path = &source.path;
    if source.is_embedded() {
        return embedded::read(&source.name, options);
    }
    if options.show.is_some() && path.as_os_str() == "-" {
        // The cells are read in a second pass, and standard input can be read only once.
        let bytes = input::stdin(MemoryBudget::new(options)).map_err(|error| error.in_file(path))?;
        let dataset = read_bytes("-", bytes, options)?;
        return Ok(Dataset { name: source.name.clone(), ..dataset });
    }
    let parts = if path.is_dir() { folder_dataset(path) } else { None };
    let table = match (parts.as_deref(), &options.labels_file) {
        (Some([only]), None) => read_file(&only.points, LabelPlace::of(only.labels.as_deref()), options)
            .map_err(|error| error.in_file(&only.points)),
        (Some(parts), None) => read_parts(parts, options),
        (Some(parts), Some(labels)) => {
            let bare: Vec<LabelledFile> =
                parts.iter().map(|part| LabelledFile { labels: None, ..part.clone() }).collect();
            read_parts(&bare, options).and_then(|table| with_labels_file(table, labels, options))
        }
        (None, Some(labels)) => read_file(path, LabelPlace::File(labels), options),
        (None, None) => read_file(path, LabelPlace::of(source.labelling()), options),
    };
    let dataset = table.and_then(|table| finish(table, &source.name, options));
    let mut dataset = dataset.map_err(|error| error.in_file(path))?;
    let files: Vec<(ByteSource, &Path)> = match &parts {
        Some(parts) => {
            parts.iter().map(|part| (ByteSource::File(part.points.clone()), &*part.points)).collect()
        }
        None => vec![(ByteSource::File(path.clone()), path.as_path())],
    };
    shown::add(&mut dataset, &files, options).map_err(|error| error.in_file(path))?;
    let others = if parts.is_none() { layout::other_parts(path) } else { Vec::new() };
    if !others.is_empty() {
        dataset.notes.push(Note::Unused { names: others });
    }
    if source.labelling().is_some() && options.labels_file.is_none() {
        dataset.noise = Some(GAGOLEWSKI_NOISE.to_owned());
    }
    Ok(dataset)
}

/// Reads a dataset from bytes in memory, such as an upload. The file name helps to recognise the format and becomes the name
/// of the dataset; nothing on the disk is opened or searched.
///
/// # Errors
/// Those of [`read`].
pub fn read_bytes(name: &str, bytes: Bytes, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let path = Path::new(name);
    let labels = LabelPlace::of(options.labels_file.as_deref());
    let input = ByteSource::Memory(bytes);
    let table = decoding(|| read_input(input.clone(), path, labels, options));
    let dataset = table.and_then(|table| finish(table, without_extensions(name), options));
    let dataset = dataset.and_then(|mut dataset| {
        shown::add(&mut dataset, &[(input, path)], options)?;
        Ok(dataset)
    });
    dataset.map_err(|error| error.in_file(path))
}

/// Reads a dataset from standard input, which was taken before.
///
/// # Errors
/// Those of [`read`].
pub(crate) fn read_stdin(input: ByteSource, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let path = Path::new("-");
    let labels = LabelPlace::of(options.labels_file.as_deref());
    let table = decoding(|| read_input(input, path, labels, options));
    table.and_then(|table| finish(table, name, options)).map_err(|error| error.in_file(path))
}

/// Where labels come from.
#[derive(Debug, Clone, Copy)]
enum LabelPlace<'a> {
    /// The file itself, or a file beside it.
    Inside,
    /// A file of their own.
    File(&'a Path),
    /// Elsewhere: they are added later.
    Later,
}

impl<'a> LabelPlace<'a> {
    fn of(file: Option<&'a Path>) -> Self {
        file.map_or(LabelPlace::Inside, LabelPlace::File)
    }
}

/// Reads parts of the rows one after the other and joins them. Labels from a file that the user names are added later.
fn read_parts(parts: &[LabelledFile], options: &ReadOptions) -> Result<RawTable, ReadError> {
    let some = parts.iter().any(|part| part.labels.is_some());
    let budget = MemoryBudget::new(options);
    let mut bytes = 0;
    let mut tables = Vec::with_capacity(parts.len());
    for part in parts {
        let labels = match &part.labels {
            Some(labels) => LabelPlace::File(labels),
            None if options.labels_file.is_some() => LabelPlace::Later,
            None if some => {
                return Err(ReadError::new("this part has no labels, but others have")
                    .help("put a file with labels beside each part, such as y_train and y_test")
                    .in_file(&part.points));
            }
            None => LabelPlace::Inside,
        };
        let table = read_file(&part.points, labels, options).map_err(|error| error.in_file(&part.points))?;
        bytes += table.matrix.bytes();
        budget.check(bytes).map_err(|error| error.in_file(&part.points))?;
        let name = part.points.file_name().map(|name| name.to_string_lossy().into_owned());
        tables.push((name.unwrap_or_default(), table));
    }
    join(tables)
}

/// What a format reader found.
enum Found {
    /// Named columns, with the label taken out unless it comes from elsewhere.
    Table(RawTable),
    /// Numbers without names, with the labels if the file holds them.
    Matrix {
        matrix: FloatMatrix,
        rows: usize,
        features: usize,
        /// The extent of all numbers, if the reader determined it.
        extent: Option<Extent>,
        labels: Option<Codes>,
        notes: Vec<Note>,
    },
}

fn read_file(path: &Path, labels: LabelPlace<'_>, options: &ReadOptions) -> Result<RawTable, ReadError> {
    let stdin = path.as_os_str() == "-";
    let input = if stdin { ByteSource::stdin(MemoryBudget::new(options))? } else { ByteSource::file(path)? };
    decoding(|| read_input(input, path, labels, options))
}

/// Reads what `path` names, in any format. Only files can have labels beside them.
fn read_input(
    input: ByteSource,
    path: &Path,
    labels: LabelPlace<'_>,
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let budget = MemoryBudget::new(options);
    let on_disk = matches!(input, ByteSource::File(_));
    let (input, format, unpacked) = opened(input, path, budget)?;
    if options.layer.is_some() && format != FileFormat::Hdf5 {
        return Err(ReadError::new(format!("this is {}, which has no layers to choose from", format.name()))
            .help("layers are parts of AnnData files; choose columns instead"));
    }
    let (beside, inside) = label_beside(path, on_disk, format, labels, options);
    let (found, transcoded) = match read_format(&input, format, inside, options) {
        Err(error) if error.kind() == ReadErrorKind::NotUtf8 && format.is_text() => {
            let again = |input: &ByteSource| read_format(input, format, inside, options);
            read_legacy(error, &input, budget, again).map(|(found, note)| (found, Some(note)))?
        }
        found => (found?, None),
    };
    let mut table = with_labels(found, labels, beside.as_deref(), options)?;
    table.notes.extend(transcoded);
    match unpacked {
        Some(member) => table.notes.push(Note::Unpacked { member }),
        None => table.notes.extend(other_format(path, format)),
    }
    Ok(table)
}

/// The bytes and their format; of an archive with one table, those of the table, and its name.
pub(crate) fn opened(
    input: ByteSource,
    path: &Path,
    budget: MemoryBudget,
) -> Result<(ByteSource, FileFormat, Option<String>), ReadError> {
    let (input, format) = recognise(input, path, budget)?;
    if format == FileFormat::Zip
        && let Some(table) = zip::only_table(&input, budget)?
    {
        let (input, format) = recognise(table.content, Path::new(&table.name), budget)?;
        return Ok((input, format, Some(table.name)));
    }
    Ok((input, format, None))
}

/// Reads points in a format; `inside` says whether the labels may be in the same file.
fn read_format(
    input: &ByteSource,
    format: FileFormat,
    inside: bool,
    options: &ReadOptions,
) -> Result<Found, ReadError> {
    let budget = MemoryBudget::new(options);
    Ok(match format {
        FileFormat::Npy | FileFormat::Bin | FileFormat::Json => matrix(input, format, budget)?,
        FileFormat::Zip => {
            let found = zip::read(input, inside, budget)?;
            Found::Matrix {
                matrix: found.matrix,
                rows: found.rows,
                features: found.features,
                extent: None,
                labels: found.labels.filter(|_| inside),
                notes: found.notes,
            }
        }
        FileFormat::Svmlight => {
            let found = svmlight::read(input, budget)?;
            let lists = found.labels.names.iter().find(|name| name.contains(',')).cloned();
            Found::Matrix {
                matrix: FloatMatrix::F64(found.values),
                rows: found.rows,
                features: found.features,
                extent: None,
                labels: inside.then_some(found.labels),
                notes: lists.into_iter().map(|example| Note::LabelLists { example }).collect(),
            }
        }
        FileFormat::Excel => {
            let (text, note) = excel::to_text(input, budget)?;
            let mut table = sheet::read(&text, 0, options.header, options, inside)?;
            table.notes.extend(note);
            Found::Table(table)
        }
        _ => Found::Table(columns(input, format, options, inside)?),
    })
}

/// The file beside the points that is named like their labels, and whether the labels may be in the file of the points.
fn label_beside(
    path: &Path,
    on_disk: bool,
    format: FileFormat,
    labels: LabelPlace<'_>,
    options: &ReadOptions,
) -> (Option<PathBuf>, bool) {
    let beside = match labels {
        LabelPlace::Inside if on_disk => labels_beside(path, !format.has_names()),
        _ => None,
    };
    let beside =
        beside.filter(|_| format != FileFormat::Hdf5 && (options.label.is_none() || !format.has_names()));
    let inside = matches!(labels, LabelPlace::Inside) && (beside.is_none() || !format.has_names());
    (beside, inside)
}

fn columns(
    input: &ByteSource,
    format: FileFormat,
    options: &ReadOptions,
    labels: bool,
) -> Result<RawTable, ReadError> {
    match format {
        FileFormat::Hdf5 => hdf5::read(input, options, labels),
        FileFormat::Records => records::read(input, true, options, labels),
        FileFormat::JsonLines => records::read(input, false, options, labels),
        FileFormat::Parquet => arrow::parquet::read(input, options, labels),
        FileFormat::Arrow => arrow::ipc::read(input, false, options, labels),
        FileFormat::ArrowStream => arrow::ipc::read(input, true, options, labels),
        FileFormat::Arff => arff::read(input, options, labels),
        _ => csv::read(input, options, labels),
    }
}

fn matrix(input: &ByteSource, format: FileFormat, budget: MemoryBudget) -> Result<Found, ReadError> {
    if format == FileFormat::Npy {
        let array = match input.plain_file()? {
            Some(path) => npy::file::matrix(path, budget)?,
            None => npy::matrix(&mut input.reader()?, input.length()?, budget)?,
        };
        return Ok(Found::Matrix {
            matrix: array.matrix,
            rows: array.rows,
            features: array.features,
            extent: array.extent,
            labels: None,
            notes: array.note.into_iter().collect(),
        });
    }
    let numbers = if format == FileFormat::Bin {
        bin::matrix(input, budget)?
    } else {
        json::matrix(input.reader()?, budget)?
    };
    let matrix = FloatMatrix::F64(numbers.values);
    Ok(Found::Matrix {
        matrix,
        rows: numbers.rows,
        features: numbers.features,
        extent: None,
        labels: None,
        notes: Vec::new(),
    })
}

/// Puts points and labels together; `beside` is the file beside the points that is named like their labels.
fn with_labels(
    found: Found,
    labels: LabelPlace<'_>,
    beside: Option<&Path>,
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let (mut table, beside) = match found {
        Found::Table(table) => (table, beside),
        Found::Matrix { matrix, rows, features, extent, labels: inside, notes } => {
            if rows == 0 || features == 0 {
                let what = format!("the matrix is empty: it has {rows} rows and {features} columns");
                return Err(ReadError::new(what).help("points need at least one row and one number each"));
            }
            let beside = beside.filter(|_| inside.is_none());
            let from_column = matches!(labels, LabelPlace::Inside) && inside.is_none() && beside.is_none();
            if from_column && options.label.is_none() {
                return Err(crate::finish::no_labels());
            }
            let names = (0..features).map(crate::ColumnRef::Index).collect();
            let mut table = select(matrix, rows, crate::columns::plan(names, options, from_column)?)?;
            if extent.is_some_and(|extent| extent.finite) {
                // All numbers are finite, labels included if they are a column, so whatever is left of them is complete.
                table.complete = inside.is_none();
                let numbers = table.columns.iter().all(|column| column.categories.is_none());
                table.extent = extent.filter(|_| numbers && table.matrix.len() == rows * features);
            }
            table.notes.extend(notes);
            if inside.is_some() {
                table.labels = inside;
                table.facts.label = Some(LabelOrigin::certain("stored with the points", LabelSource::Format));
            }
            (table, beside)
        }
    };
    if let LabelPlace::File(file) = labels {
        table = with_labels_file(table, file, options)?;
    } else if let Some(file) = beside {
        table = with_labels_file(table, file, options)?;
    }
    let told = match labels {
        LabelPlace::File(file) => Some(file).filter(|_| options.labels_file.is_none()),
        _ => beside,
    };
    let authors = |file: &Path| PAIRS.iter().any(|(_, label)| file.ends_with(label));
    let told = told.filter(|file| !authors(file) && layout::labelling(&file_name(file)).is_none());
    table.notes.extend(told.map(|file| Note::LabelsBeside { path: file.to_owned() }));
    Ok(table)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Labels in a file of their own.
pub(crate) fn with_labels_file(
    mut table: RawTable,
    file: &Path,
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let LabelFile { codes, column, notes } =
        read_labels(file, table.rows, options).map_err(|error| error.in_file(file))?;
    table.notes.extend(notes);
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

/// The error for a file with too many or too few labels; if the number is off by one, the cause is probably a header.
fn other_count(labels: usize, table: &RawTable) -> ReadError {
    let rows = table.rows;
    let error = ReadError::new(format!("there are {labels} labels for {rows} rows"));
    match table.facts.header {
        Some(false) if rows == labels + 1 => error.help(Advice::FirstLineIsHeader),
        // Only then can the header be a row.
        Some(true) if rows + 1 == labels && named_like_a_row(table) => error.help(Advice::FirstLineIsData),
        _ => error.help("give exactly one label for each row"),
    }
}

/// Whether the names of all features are no texts, so that they may be a row.
fn named_like_a_row(table: &RawTable) -> bool {
    let is_text = |name: String| cell::plain(name.trim().as_bytes()) == cell::ParsedCell::Text;
    !table.columns.iter().any(|column| is_text(plain_name(&column.name)))
}

/// Reads labels in any format that can hold them.
pub(crate) fn read_labels(path: &Path, rows: usize, options: &ReadOptions) -> Result<LabelFile, ReadError> {
    let budget = MemoryBudget::new(options);
    let (input, format) = recognise(ByteSource::file(path)?, path, budget)?;
    match labels_in(&input, format, rows, options) {
        Err(error) if error.kind() == ReadErrorKind::NotUtf8 && format.is_text() => {
            let again = |input: &ByteSource| labels_in(input, format, rows, options);
            read_legacy(error, &input, budget, again).map(|(mut file, note)| {
                file.notes.push(note);
                file
            })
        }
        labels => labels,
    }
}

fn labels_in(
    input: &ByteSource,
    format: FileFormat,
    rows: usize,
    options: &ReadOptions,
) -> Result<LabelFile, ReadError> {
    let budget = MemoryBudget::new(options);
    let codes = match format {
        FileFormat::Records => return records::labels(input, true, options),
        FileFormat::JsonLines => return records::labels(input, false, options),
        FileFormat::Parquet => return arrow::parquet::only_labels(input, options),
        FileFormat::Arrow => return arrow::ipc::only_labels(input, false, options),
        FileFormat::ArrowStream => return arrow::ipc::only_labels(input, true, options),
        FileFormat::Excel => return csv::labels(&excel::to_text(input, budget)?.0, options, rows),
        FileFormat::Text | FileFormat::Svmlight => return csv::labels(input, options, rows),
        FileFormat::Npy => {
            let found = npy::labels(&mut input.reader()?, input.length()?, budget)?;
            let notes = found.note.into_iter().collect();
            return Ok(LabelFile { codes: found.codes, column: None, notes });
        }
        FileFormat::Bin => bin::labels(input, budget),
        FileFormat::Json => json::labels(input.reader()?, budget),
        FileFormat::Zip => zip::labels(input, budget),
        other => Err(ReadError::new(format!("labels cannot be read from {}", other.name()))
            .help("give a text file with one label per line, CSV, NPY, NPZ, JSON, Parquet or Arrow")),
    };
    Ok(LabelFile { codes: codes?, column: None, notes: Vec::new() })
}
