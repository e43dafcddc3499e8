//! Writes a file that was read with changes ([`Original`]), or the points and labels of a dataset: in the format that the target's name says, or in that of the file it came from.
//!
//! [`read`](crate::read) reads it back with the same points, to the bit, and the same labels; features that look like ids
//! must be kept by name ([`Written::keep`]). Formats without names (NPY, JSON, svmlight, the authors' layouts) lose the names
//! of features. Files appear whole or not at all.

#[cfg(not(all(feature = "arrow", feature = "gzip", feature = "hdf5", feature = "zip")))]
mod absent;
#[cfg(feature = "zip")]
mod archive;
mod binary;
#[cfg(feature = "arrow")]
mod columnar;
mod original;
mod target;
mod text;
mod whole;
#[cfg(feature = "gzip")]
mod zlib;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clmatch::Values;

use crate::advice::Advice;
use crate::dataset::Dataset;
use crate::error::IoSource;
use crate::formats::detect::FileFormat;
use crate::ids;
use crate::names::names_label;
use crate::packing::{FilePacking, pack, without_packing};
#[cfg(not(feature = "zip"))]
use absent::archive;
#[cfg(not(feature = "arrow"))]
use absent::columnar;
#[cfg(not(feature = "gzip"))]
use absent::zlib;
pub use original::{Edits, Original};
pub use target::Target;
use target::TargetShape;
use whole::WholeFile;
pub use whole::write_whole;

/// Why a dataset could not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub advice: Option<Advice>,
    io: Option<IoSource>,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.what)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.io.as_ref().map(|io| io.get() as _)
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The files, or the folder.
    pub files: Vec<PathBuf>,
    /// The name of the label column, if the format has names.
    pub label: Option<String>,
    /// Features that look like ids: a reader leaves them out unless an option keeps them.
    pub keep: Vec<String>,
    /// Columns of the input that are no features, and are written all the same; by index where a name does not tell them apart.
    pub others: Vec<String>,
    /// Columns of the input that are not written, although nobody asked for that: the format cannot hold them.
    pub lost: Vec<String>,
    /// How much of the input was kept.
    pub layout: WrittenLayout,
}

/// How much of the file that was read is in the file that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenLayout {
    /// The features as they were read, and the labels.
    Points,
    /// All columns, in another format.
    Columns,
    /// Everything; it is read with the same options.
    SameFile,
}

/// Writes the coordinates of a dataset, which are its values unless it was scaled by one number, and its labels.
///
/// # Errors
/// Data that the format cannot hold, or an error of the operating system.
pub fn write(dataset: &Dataset, target: &Target) -> Result<Written, WriteError> {
    if dataset.unit != 1.0 {
        let mut scaled = dataset.clone();
        scaled.become_double();
        return write(&scaled, target);
    }
    let label = label_name(&dataset.features);
    if target.is_stdout() {
        to_stdout(&mut |out| text::delimited(dataset, &label, b',', out))
            .map_err(|error| failed(target, &error))?;
        let keep = ids::like_ids(dataset, true);
        return Ok(Written { files: Vec::new(), label: Some(label), keep, ..Written::points() });
    }
    let files = target.files();
    let parts = |format: FileFormat| -> [Part<'_>; 2] {
        [Box::new(move |out| points(dataset, format, out)), Box::new(move |out| labels(dataset, format, out))]
    };
    let mut wanted: Vec<Part<'_>> = match target.shape {
        TargetShape::One(format) => {
            check(dataset, format, target)?;
            let label = &label;
            let path = &target.path;
            vec![Box::new(move |out| one(dataset, format, path, label, out))]
        }
        TargetShape::Beside(format) | TargetShape::Folder(format) => parts(format).into_iter().collect(),
    };
    if let TargetShape::Folder(_) = target.shape {
        fs::create_dir_all(&target.path).map_err(|error| failed(target, &error))?;
    }
    all_or_none(&mut wanted, &files, target.packing).map_err(|error| failed(target, &error))?;
    drop(wanted);
    let named = matches!(
        target.shape,
        TargetShape::One(
            FileFormat::Text
                | FileFormat::Parquet
                | FileFormat::Arrow
                | FileFormat::ArrowStream
                | FileFormat::Arff
                | FileFormat::JsonLines
        )
    );
    let keep = ids::like_ids(dataset, named);
    Ok(Written { files, label: named.then_some(label), keep, ..Written::points() })
}

impl Written {
    /// Points and labels, and nothing else.
    fn points() -> Self {
        let (files, keep, others, lost) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Written { files, label: None, keep, others, lost, layout: WrittenLayout::Points }
    }
}

fn failed(target: &Target, error: &io::Error) -> WriteError {
    WriteError {
        path: target.path.clone(),
        what: error.to_string(),
        advice: None,
        io: Some(IoSource::new(error)),
    }
}

/// Writes to standard output. A reader that closes the pipe early is not an error: it has what it wants.
fn to_stdout(part: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    match part(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Writes the parts of a dataset. All parts are complete before the first one appears. Labels appear first, so that points never
/// appear without theirs.
fn all_or_none(parts: &mut [Part<'_>], files: &[PathBuf], packing: FilePacking) -> io::Result<()> {
    let mut ready: Vec<WholeFile> = Vec::new();
    let mut outcome = Ok(());
    for (part, path) in parts.iter_mut().zip(files) {
        outcome = WholeFile::new(path).and_then(|file| {
            let out = file.create();
            ready.push(file);
            packed(out?, packing, part)
        });
        if outcome.is_err() {
            break;
        }
    }
    for file in ready.iter().rev() {
        if outcome.is_ok() {
            outcome = file.appear();
        }
        if outcome.is_err() {
            file.discard();
        }
    }
    outcome
}

/// A dataset as CSV with a header.
pub(crate) fn as_csv(dataset: &Dataset) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = text::delimited(dataset, &label_name(&dataset.features), b',', &mut bytes);
    bytes
}

type Part<'a> = Box<dyn FnMut(&mut dyn Write) -> io::Result<()> + 'a>;

fn packed(file: File, packing: FilePacking, part: &mut Part<'_>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, file);
    pack(&mut out, packing, part)?;
    whole::keep(&out.into_inner().map_err(io::IntoInnerError::into_error)?)
}

/// Refuses data that a format cannot hold.
fn check(dataset: &Dataset, format: FileFormat, target: &Target) -> Result<(), WriteError> {
    if format == FileFormat::Svmlight
        && let Some(name) = dataset.labels.names().iter().find(|name| !text::fits_svmlight(name))
    {
        return Err(target.refuse(
            format!("the label '{name}' does not fit into svmlight"),
            "choose a format with a label column, such as .csv",
        ));
    }
    let mut names: Vec<&String> = dataset.features.iter().collect();
    names.sort();
    if let Some(pair) = names.windows(2).find(|pair| format == FileFormat::JsonLines && pair[0] == pair[1]) {
        return Err(target.refuse(
            format!("two features are called '{}', which JSON cannot tell apart", pair[0]),
            "choose another format, such as .csv",
        ));
    }
    Ok(())
}

/// A name for the label column that the reader recognises, unless a feature has it.
fn label_name(features: &[String]) -> String {
    const FIRST: &str = "label";
    let taken = |name: &str| features.iter().any(|feature| feature.trim().eq_ignore_ascii_case(name));
    if !taken(FIRST) {
        return FIRST.to_owned();
    }
    debug_assert!(names_label(FIRST));
    (2..).map(|number| format!("{FIRST} {number}")).find(|name| !taken(name)).unwrap_or_default()
}

fn one(
    dataset: &Dataset,
    format: FileFormat,
    path: &Path,
    label: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        FileFormat::Arff => text::arff(dataset, label, out),
        FileFormat::Svmlight => text::svmlight(dataset, out),
        FileFormat::JsonLines | FileFormat::Records => text::json_lines(dataset, label, out),
        FileFormat::Zip => archive::npz(dataset, out),
        FileFormat::Parquet => columnar::parquet(dataset, label, out),
        FileFormat::Arrow | FileFormat::ArrowStream => columnar::arrow(dataset, label, out),
        _ => text::delimited(dataset, label, delimiter(path), out),
    }
}

/// The delimiter by the extension, ignoring packing.
fn delimiter(path: &Path) -> u8 {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match without_packing(&name).rsplit_once('.').map(|(_, end)| end) {
        Some("tsv" | "tab") => b'\t',
        Some("psv") => b'|',
        _ => b',',
    }
}

fn points(dataset: &Dataset, format: FileFormat, out: &mut dyn Write) -> io::Result<()> {
    match format {
        FileFormat::Npy => binary::npy_points(dataset, out),
        FileFormat::Bin => zlib::pack(out, |out| text::json_points(dataset, out)),
        _ => text::json_points(dataset, out),
    }
}

fn labels(dataset: &Dataset, format: FileFormat, out: &mut dyn Write) -> io::Result<()> {
    match format {
        FileFormat::Npy => binary::npy_labels(dataset, out),
        FileFormat::Bin => zlib::pack(out, |out| text::json_labels(dataset, out)),
        _ => text::json_labels(dataset, out),
    }
}

/// The labels as integers, if all of them are integers and print the same.
fn integers(dataset: &Dataset) -> Option<Vec<i64>> {
    let parse = |name: &String| name.parse::<i64>().ok().filter(|number| number.to_string() == *name);
    let numbers: Vec<i64> = dataset.labels.names().iter().map(parse).collect::<Option<_>>()?;
    Some(dataset.labels.codes().iter().map(|&code| numbers[code as usize]).collect())
}

/// Appends the shortest text of a number that reads back to the same bits.
fn push_number(text: &mut String, value: f64) {
    use std::fmt::Write;
    let _ = match value {
        // Debug writes 1.0 and 1e300; whole numbers need no decimals.
        whole
            if whole.fract() == 0.0 && whole.abs() < 1e15 && !(whole == 0.0 && whole.is_sign_negative()) =>
        {
            write!(text, "{}", whole as i64)
        }
        other => write!(text, "{other:?}"),
    };
}

/// The numbers of a row, in double precision.
fn row(dataset: &Dataset, row: usize) -> impl Iterator<Item = f64> {
    let features = dataset.features.len();
    (row * features..(row + 1) * features).map(|at| match &dataset.values {
        Values::F64(values) => values[at],
        Values::F32(values) => f64::from(values[at]),
    })
}
