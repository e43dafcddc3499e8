//! Where a dataset is written, and in which format.

use std::path::{Path, PathBuf};

use super::WriteError;
use crate::formats::detect::{FileFormat, promised};
use crate::layout::PAIRS;
use crate::packing::{FilePacking, without_packing};
use crate::source::Source;

/// What a dataset is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetShape {
    /// One file that holds points and labels.
    One(FileFormat),
    /// Points in the file, labels beside it as `NAME_label` with the same extension.
    Beside(FileFormat),
    /// A folder with `data.bin` and `label.bin`, or `data.npy` and `label.npy`.
    Folder(FileFormat),
}

/// Where a dataset is written, and in which format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub(super) path: PathBuf,
    pub(super) shape: TargetShape,
    pub(super) packing: FilePacking,
}

/// Extensions that can be written; text may also be packed.
const WRITTEN: [&str; 15] = [
    ".csv", ".tsv", ".psv", ".csv.gz", ".csv.zst", ".parquet", ".arrow", ".feather", ".npy", ".npz", ".arff",
    ".svm", ".json", ".ndjson", ".bin",
];

/// Extensions of workbooks.
const WORKBOOKS: [&str; 6] = ["xlsx", "xlsm", "xlsb", "xls", "ods", "fods"];

impl Target {
    /// Whether the dataset goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// The target of a path. The format is that of the extension or, if there is none, that of `like`. `-` is standard
    /// output, which gets CSV.
    ///
    /// # Errors
    /// An extension whose format cannot be written; a path that would overwrite `like`, or one of its files.
    pub fn new(path: impl Into<PathBuf>, like: &Source) -> Result<Target, WriteError> {
        let path = path.into();
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let refuse = |what: String| WriteError {
            path: path.clone(),
            what,
            advice: Some(format!("choose one of {}", WRITTEN.join(", ")).into()),
            io: None,
        };
        let packing = match name.rsplit_once('.').map(|(_, end)| end) {
            Some("gz" | "gzip") => FilePacking::Gzip,
            Some("zst" | "zstd") => FilePacking::Zstd,
            Some(end @ ("xz" | "bz2")) => {
                return Err(refuse(format!("files packed with {end} are read, not written")));
            }
            _ => FilePacking::None,
        };
        let end =
            without_packing(&name).rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
        let shape = match (promised(&path), end) {
            _ if path.is_dir() => shape_like(like, true),
            _ if path.as_os_str() == "-" => Ok(TargetShape::One(FileFormat::Text)),
            (None, Some(end)) if WORKBOOKS.contains(&end) => {
                Err(format!("workbooks such as .{end} are read, not written"))
            }
            (Some(FileFormat::Hdf5), Some(end)) => Err(format!(".{end} is read, not written")),
            (Some(format), _) => Ok(shape_of(format)),
            (None, None | Some("txt" | "dat" | "data")) => shape_like(like, false),
            // The dot belongs to the name of a folder or to a version.
            (None, Some(end)) if !looks_like_extension(end) => shape_like(like, false),
            (None, Some(end)) => Err(format!("'.{end}' is no format that is written")),
        };
        let target = Target { shape: shape.map_err(refuse)?, path, packing };
        target.check_built()?;
        for file in target.files() {
            if like.files().iter().any(|own| same_file(own, &file)) {
                return Err(target.refuse("this is the dataset that is read", "write to another path"));
            }
        }
        Ok(target)
    }

    /// What a table with named columns is written as: rows of JSON hold its names, an array of numbers does not.
    pub(super) fn shape_for_tables(&self) -> TargetShape {
        match self.shape {
            TargetShape::Beside(FileFormat::Json) => TargetShape::One(FileFormat::Records),
            shape => shape,
        }
    }

    /// Refuses what this build cannot write.
    fn check_built(&self) -> Result<(), WriteError> {
        let (TargetShape::One(format) | TargetShape::Beside(format) | TargetShape::Folder(format)) =
            self.shape;
        let lacking = [format.needed(), self.packing.needed()];
        match lacking.into_iter().flatten().find_map(|needed| needed.lacking("write")) {
            Some((what, advice)) => {
                Err(WriteError { path: self.path.clone(), what, advice: Some(advice), io: None })
            }
            None => Ok(()),
        }
    }

    pub(super) fn refuse(&self, what: impl Into<String>, help: &str) -> WriteError {
        WriteError { path: self.path.clone(), what: what.into(), advice: Some(help.into()), io: None }
    }

    /// The file of points, then that of the labels if they have their own.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        match self.shape {
            TargetShape::One(_) => vec![self.path.clone()],
            TargetShape::Beside(_) => {
                // The name that the reader looks for beside a file: `x_label.npy.gz` for `x.npy.gz`.
                let name = self.path.file_name().unwrap_or_default().to_string_lossy();
                let plain = without_packing(&name);
                let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
                let labels = format!("{stem}_label{}", &name[stem.len()..]);
                vec![self.path.clone(), self.path.with_file_name(labels)]
            }
            TargetShape::Folder(format) => {
                let (data, label) = if format == FileFormat::Bin { PAIRS[0] } else { PAIRS[1] };
                vec![self.path.join(data), self.path.join(label)]
            }
        }
    }
}

/// Whether the end of a name probably is an extension.
fn looks_like_extension(end: &str) -> bool {
    end.len() <= 8
        && end.starts_with(|c: char| c.is_ascii_alphabetic())
        && end.chars().all(|c| c.is_ascii_alphanumeric())
}

fn shape_of(format: FileFormat) -> TargetShape {
    match format {
        FileFormat::Npy | FileFormat::Json => TargetShape::Beside(format),
        // A single `x.bin` has no place for labels; a file beside it has.
        FileFormat::Bin => TargetShape::Beside(FileFormat::Bin),
        other => TargetShape::One(other),
    }
}

/// The shape of the dataset `like` as it was read; CSV for standard input and embedded datasets.
fn shape_like(like: &Source, folder: bool) -> Result<TargetShape, String> {
    let first = like.files().into_iter().next();
    let format = first.filter(|_| !like.is_embedded()).and_then(|file| crate::recognise::format_of(&file));
    Ok(match format {
        // A path without extension gives no name for a file of labels beside it.
        Some(FileFormat::Npy) => TargetShape::Folder(FileFormat::Npy),
        Some(FileFormat::Bin | FileFormat::Json) => TargetShape::Folder(FileFormat::Bin),
        _ if folder => TargetShape::Folder(FileFormat::Bin),
        Some(FileFormat::ArrowStream) => TargetShape::One(FileFormat::Arrow),
        Some(FileFormat::Records) => TargetShape::One(FileFormat::Records),
        Some(FileFormat::Hdf5) => {
            return Err("AnnData files are read, not written: the name needs an extension".into());
        }
        Some(FileFormat::Excel) => {
            return Err("workbooks are read, not written: the name needs an extension".into());
        }
        Some(format) => TargetShape::One(format),
        None => TargetShape::One(FileFormat::Text),
    })
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
