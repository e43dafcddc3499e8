//! What the tests share: files written on the fly, and a table of the expected results.

#![allow(dead_code, unreachable_pub)]

pub mod in_blocks;

use std::io::Write;
use std::path::{Path, PathBuf};

use clmatch_data::{Dataset, ReadError, ReadOptions, Source, read};
use tempfile::TempDir;

/// The expected result of reading a file.
pub enum Expect {
    /// An error whose text and help contain these.
    Refused(&'static [&'static str]),
    /// A dataset of this many rows, features and classes, with notes that contain these.
    Read(usize, usize, usize, &'static [&'static str]),
}
pub use Expect::{Read, Refused};

/// A file and the expected result.
pub struct Case {
    pub name: &'static str,
    pub file: &'static str,
    pub bytes: Vec<u8>,
    pub options: ReadOptions,
    pub expect: Expect,
}

/// A file to be read with default options.
pub fn case(name: &'static str, file: &'static str, bytes: impl AsRef<[u8]>, expect: Expect) -> Case {
    Case { name, file, bytes: bytes.as_ref().to_vec(), options: ReadOptions::default(), expect }
}

impl Case {
    /// Changes the options of the case.
    pub fn with(mut self, change: impl FnOnce(&mut ReadOptions)) -> Self {
        change(&mut self.options);
        self
    }
}

/// Writes each file, reads it, and compares. All failures are reported together.
pub fn check(cases: &[Case]) {
    let folder = TempDir::new().unwrap();
    let mut failures = Vec::new();
    for case in cases {
        // Each file has its own folder, so that no file lies beside another by accident.
        let own = folder.path().join(case.name.replace(' ', "_"));
        std::fs::create_dir_all(&own).unwrap();
        let path = own.join(case.file);
        std::fs::write(&path, &case.bytes).unwrap();
        let found = read(&Source::new(&path), &case.options);
        if let Some(failure) = in_blocks::differs_in_blocks(&path, &case.options, &found) {
            failures.push(format!("{}: {failure}", case.name));
        }
        if let Some(failure) = differs(&case.expect, found, &path) {
            failures.push(format!("{}: {failure}", case.name));
        }
    }
    assert!(
        failures.is_empty(),
        "{}\n{} of {} cases failed",
        failures.join("\n"),
        failures.len(),
        cases.len()
    );
}

/// What is wrong with a result, if anything.
pub fn differs(expect: &Expect, found: Result<Dataset, ReadError>, path: &Path) -> Option<String> {
    match (expect, found) {
        (Refused(fragments), Err(error)) => {
            let help = error.advice.as_ref().map(ToString::to_string).unwrap_or_default();
            let text = format!("error: {error}\nhelp: {help}");
            if !error.to_string().starts_with(&path.display().to_string()) {
                return Some(format!("the file is not named: {text}"));
            }
            if help.is_empty() {
                return Some(format!("there is no help: {text}"));
            }
            let missing: Vec<_> = fragments.iter().filter(|fragment| !text.contains(*fragment)).collect();
            (!missing.is_empty()).then(|| format!("{missing:?} is not in\n{text}"))
        }
        (Read(rows, features, classes, notes), Ok(dataset)) => {
            let size = (dataset.n_points(), dataset.n_features(), dataset.labels().names().len());
            if size != (*rows, *features, *classes) {
                return Some(format!("the size is {size:?}, not {:?}", (rows, features, classes)));
            }
            let said: Vec<String> = dataset.notes.iter().map(ToString::to_string).collect();
            let missing: Vec<_> =
                notes.iter().filter(|note| !said.iter().any(|s| s.contains(*note))).collect();
            (!missing.is_empty()).then(|| format!("{missing:?} is not in the notes {said:?}"))
        }
        (Refused(_), Ok(dataset)) => Some(format!("was read: {dataset:?}").chars().take(400).collect()),
        (Read(..), Err(error)) => Some(format!("was refused: {error}")),
    }
}

/// Compresses with zlib, like `data.bin`.
pub fn zlib(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Compresses with gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An NPY file with any header text.
pub fn npy_raw(version: u8, dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let text = format!("{dictionary}\n");
    if version == 1 {
        bytes.extend((text.len() as u16).to_le_bytes());
    } else {
        bytes.extend((text.len() as u32).to_le_bytes());
    }
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// An NPY file of a given type and shape.
pub fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    npy_raw(1, &format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"), data)
}

/// Numbers as little-endian f64.
pub fn f64s(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A zip archive.
pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(members, zip::CompressionMethod::Deflated)
}

/// A zip archive that is not compressed.
pub fn zip_stored(members: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(members, zip::CompressionMethod::Stored)
}

fn zip_with(members: &[(&str, &[u8])], method: zip::CompressionMethod) -> Vec<u8> {
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Writes a file into a folder.
pub fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}
