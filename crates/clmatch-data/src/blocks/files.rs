//! Finds the parts of one dataset at given paths, and makes a reader from the first part.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::block_options::BlockOptions;
use super::chunk::Start;
use super::labelled::with_labels;
use super::part::{FilePart, OpenPart, Parts};
use crate::error::ReadError;
use crate::formats::csv::chunks::ChunkSize;
use crate::formats::csv::sample::Enough;
use crate::formats::detect::FileFormat;
use crate::formats::{arrow, csv, npy};
use crate::layout::{self, EXTENSIONS, folder_dataset, labels_beside};
use crate::options::ReadOptions;
use crate::recognise::{HEAD, format_by_head, other_format};
use crate::source::{looks_like_data, not_there};

/// Keeps files open for rows that others append to them, until [`Growth::stop`].
#[derive(Debug, Clone, Default)]
pub struct Growth(Arc<AtomicBool>);

impl Growth {
    /// Waits for more rows at the end of a file.
    pub fn new() -> Self {
        Growth(Arc::new(AtomicBool::new(true)))
    }

    /// Makes the current end of the file final.
    pub fn stop(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// The parts of the dataset at some paths: files in the given order, the data files of folders in the order of their names.
///
/// # Errors
/// A path that does not exist, a folder without data, or standard input together with files.
pub(super) fn parts_of(paths: &[PathBuf], options: &ReadOptions) -> Result<Vec<FilePart>, ReadError> {
    let mut parts = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            parts.push(FilePart::file(path));
            continue;
        }
        let metadata = std::fs::metadata(path).map_err(|error| not_there(path, &error))?;
        if !metadata.is_dir() {
            parts.push(FilePart::file(path));
            continue;
        }
        if let Some(found) = folder_dataset(path) {
            parts.extend(found.into_iter().map(|part| FilePart { path: part.points, labels: part.labels }));
            continue;
        }
        let before = parts.len();
        walk(path, &mut parts)?;
        if parts.len() == before {
            return Err(ReadError::new("no part of a dataset was found in this folder")
                .help(format!("looked for files that end in {}", EXTENSIONS.join(", ")))
                .in_file(path));
        }
    }
    if parts.len() > 1 && parts.iter().any(FilePart::is_stdin) {
        return Err(ReadError::new("standard input cannot be one of several parts")
            .help("give files only, or pipe all parts into standard input"));
    }
    if let Some(labels) = &options.labels_file {
        if let [only] = &mut parts[..] {
            only.labels = Some(labels.clone());
        } else {
            return Err(ReadError::new("one file with labels cannot serve several parts")
                .help("put the labels into a column of each part"));
        }
    }
    Ok(parts)
}

/// Collects the files of a folder of parts. Names that begin with a dot or an underscore are leftovers of the program that wrote
/// the folder.
fn walk(folder: &Path, parts: &mut Vec<FilePart>) -> Result<(), ReadError> {
    let cannot = |error: std::io::Error| ReadError::io("cannot be listed", &error).in_file(folder);
    let entries = std::fs::read_dir(folder).map_err(cannot)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<PathBuf>, _>>()
        .map_err(cannot)?;
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            walk(&path, parts)?;
        } else if path.is_file() && looks_like_data(&path) {
            parts.push(FilePart::file(path));
        }
    }
    Ok(())
}

/// Opens the first part that is not empty, determines its format, and makes a reader of all parts.
///
/// # Errors
/// A format that cannot be streamed, and anything wrong with the first part.
pub(super) fn start(
    parts: &[FilePart],
    options: &ReadOptions,
    how: &BlockOptions,
) -> Result<(Start, Parts), ReadError> {
    let mut queue = Parts::new(parts.to_vec(), how.growth.as_ref().map(Growth::flag));
    let (first, head) = first_part(&mut queue, how.growth.is_some())?;
    let path = first.part.path.clone();
    let started = start_with(first, &head, &queue, parts, options, how);
    Ok((started.map_err(|error| error.in_file(&path))?, queue))
}

fn start_with(
    first: OpenPart,
    head: &[u8],
    queue: &Parts,
    parts: &[FilePart],
    options: &ReadOptions,
    how: &BlockOptions,
) -> Result<Start, ReadError> {
    let path = first.part.path.clone();
    let format = format_by_head(head, &path)?;
    let streamed = matches!(
        format,
        FileFormat::Text
            | FileFormat::Parquet
            | FileFormat::Arrow
            | FileFormat::ArrowStream
            | FileFormat::Npy
    );
    if options.layer.is_some() && streamed {
        return Err(ReadError::new(format!("this is {}, which has no layers to choose from", format.name()))
            .help("layers are parts of AnnData files; choose columns instead"));
    }
    let labels = label_files(parts, format, options);
    let inside = labels.is_empty();
    let rows = how.chunk_rows();
    let bytes = how.read_bytes();
    let queue = queue.clone();
    let mut start = match format {
        FileFormat::Text => {
            let live = how.growth.is_some();
            let enough = if live {
                Enough { lines: how.first_rows, lines_suffice: true, ..Enough::FILE }
            } else {
                Enough::FILE
            };
            csv::chunks::start(first, queue, options, inside, ChunkSize { rows, bytes, enough, live })
        }
        FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream => {
            arrow::chunks::start(first, queue, format, options, inside, rows, how.memory as usize / 4)
        }
        FileFormat::Npy => npy::chunks::start(first, queue, options, inside, rows),
        other => Err(ReadError::new(format!("{} cannot be read in blocks", other.name()))
            .help("convert it to CSV, Parquet, Arrow or NPY")),
    }?;
    start.notes.extend(other_format(&path, format));
    if inside { Ok(start) } else { with_labels(start, labels, options) }
}

/// The first part that is not empty, with its first bytes; the last part if all are empty.
fn first_part(queue: &mut Parts, growing: bool) -> Result<(OpenPart, Vec<u8>), ReadError> {
    loop {
        let Some(mut part) = queue.open_next()? else {
            return Err(ReadError::new("there are no rows").help("the file has no data, or only a header"));
        };
        let head = part.peek(HEAD, growing).map_err(|error| error.in_file(&part.part.path))?;
        if !head.trim_ascii().is_empty() || queue.is_empty() {
            return Ok((part, head));
        }
    }
}

/// The file with the labels of each part: the given one, or one beside the part that is named after it.
fn label_files(parts: &[FilePart], format: FileFormat, options: &ReadOptions) -> HashMap<PathBuf, PathBuf> {
    let beside = options.label.is_none() || !format.has_names();
    let file = |part: &FilePart| {
        let found = part.labels.clone().or_else(|| {
            let wanted = beside && !part.is_stdin() && options.labels_file.is_none();
            wanted.then(|| labels_beside(&part.path, !format.has_names())).flatten()
        });
        Some((part.path.clone(), found?))
    };
    parts.iter().filter_map(file).collect()
}

/// What to call the dataset at some paths.
pub(super) fn name_of(paths: &[PathBuf]) -> String {
    let folder = |path: &PathBuf| path.parent().map(Path::to_owned);
    match paths {
        [only] if only.as_os_str() == "-" => "stdin".to_owned(),
        [only] => crate::Source::new(only).name,
        [first, rest @ ..] => match folder(first).filter(|own| !own.as_os_str().is_empty()) {
            Some(own) if rest.iter().all(|other| folder(other).as_ref() == Some(&own)) => {
                crate::Source::new(own).name
            }
            _ => format!("{} and {} more", crate::Source::new(first).name, rest.len()),
        },
        [] => String::new(),
    }
}

/// Other parts of the same rows that lie beside a single file.
pub(super) fn unused_beside(parts: &[FilePart]) -> Vec<String> {
    match parts {
        [only] if !only.is_stdin() => layout::other_parts(&only.path),
        _ => Vec::new(),
    }
}
