//! `--resume FILE`: every finished dataset is one JSON line, written at once, and a later run starts from there.

use std::collections::HashMap;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clmatch_data::Source;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::failure::Failure;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a result depends on, and the result.
#[derive(Debug, Serialize, Deserialize)]
struct Line<T> {
    version: String,
    options: String,
    file: PathBuf,
    content: String,
    result: T,
}

/// The record of a run that can be continued, with results of type `T`.
#[derive(Debug)]
pub struct Record<T> {
    file: File,
    path: PathBuf,
    options: String,
    /// A label file that results depend on, besides the files of a dataset.
    labels: Option<PathBuf>,
    done: HashMap<(PathBuf, String), T>,
}

impl<T: Serialize + DeserializeOwned> Record<T> {
    /// Opens the record, or starts one. Lines of another version or with other options stay but do not count, and so
    /// does a last line that an interrupt cut short.
    pub fn open(path: &Path, options: &impl Debug, labels: Option<PathBuf>) -> Result<Self, Failure> {
        let failed =
            |error: io::Error| Failure::other(format!("cannot use {} to resume: {error}", path.display()));
        let options = fingerprint(format!("{options:?}").as_bytes());
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other.map_err(failed)?,
        };
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line<T>>(line).ok());
        let valid = lines.filter(|line| line.version == VERSION && line.options == options);
        let done = valid.map(|line| ((line.file, line.content), line.result)).collect();
        Ok(Record { file, path: path.to_owned(), options, labels, done })
    }

    /// The result of an earlier run, if the file is still the same.
    pub fn take(&mut self, source: &Source) -> Option<T> {
        self.done.remove(&(source.path.clone(), self.content(source)?))
    }

    /// Adds a finished dataset.
    pub fn add(&mut self, source: &Source, result: &T) -> Result<(), Failure> {
        let Some(content) = self.content(source) else { return Ok(()) };
        let line = Line {
            version: VERSION.to_owned(),
            options: self.options.clone(),
            file: source.path.clone(),
            content,
            result,
        };
        let text = serde_json::to_string(&line).unwrap_or_default() + "\n";
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| Failure::other(format!("cannot write {}: {error}", self.path.display())))
    }

    /// Fingerprint of the files of a dataset; `None` where they cannot be read twice.
    fn content(&self, source: &Source) -> Option<String> {
        let mut files: Vec<PathBuf> = match fs::read_dir(&source.path) {
            Ok(entries) => {
                entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect()
            }
            Err(_) => vec![source.path.clone()],
        };
        files.sort();
        files.extend(self.labels.clone());
        let mut hash = Xxh3::new();
        let mut block = vec![0; 1 << 16];
        for path in files.iter().filter(|path| path.is_file()) {
            let mut file = File::open(path).ok()?;
            loop {
                match file.read(&mut block).ok()? {
                    0 => break,
                    count => hash.update(&block[..count]),
                }
            }
        }
        source.path.exists().then(|| format!("{:016x}", hash.digest()))
    }
}

fn fingerprint(bytes: &[u8]) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes))
}
