//! The manifest of a benchmark, `bench.toml`: datasets with the options of each one.
//!
//! ```toml
//! [[dataset]]
//! name = "wine"
//! path = "wine.csv"
//! label = "cultivar"
//! drop = ["id"]
//! scale = "standard"
//! ```
//!
//! A path is relative to the folder of the manifest, or the name of an embedded dataset. Everything but the path may be left out;
//! options that are left out are those of the run. Nothing in a manifest is passed over: a key that is not known is an error.

mod write;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use clmatch::Singletons;
use clmatch_data::{Advice, DatasetOptions, Missing, Scale, Source};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use write::{ListedFile, to_toml};

use crate::error::AnalysisError;
use crate::source::read_text;

/// The name of a list of datasets in a manifest.
const LIST: &str = "dataset";
/// What a dataset of a manifest may have.
const KEYS: [&str; 19] = [
    "name",
    "path",
    "label",
    "labels",
    "layer",
    "drop",
    "keep",
    "only",
    "drop-text",
    "one-hot",
    "mixed",
    "missing",
    "na",
    "decimal-comma",
    "header",
    "skip-rows",
    "scale",
    "noise",
    "singletons",
];

/// Whether a path is that of a manifest, by its extension.
pub fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml")) && path.is_file()
}

/// The datasets of a manifest, with their own names and options, in their order.
///
/// # Errors
/// A file that cannot be read, or is not a manifest; a dataset that does not exist, or whose name is taken.
pub fn read(path: &Path) -> Result<Vec<Source>, AnalysisError> {
    Manifest { path, text: &read_text(path)? }.datasets()
}

/// The text of a manifest, and where it is from.
struct Manifest<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Manifest<'_> {
    fn datasets(&self) -> Result<Vec<Source>, AnalysisError> {
        let root = DeTable::parse(self.text).map_err(|error| {
            self.refuse(error.span().map(|span| span.start), error.message().to_owned(), None)
        })?;
        let mut list = None;
        for (key, value) in root.get_ref() {
            match value.get_ref() {
                DeValue::Array(datasets) if key.get_ref() == LIST => list = Some(datasets),
                _ => {
                    let what = format!("'{}' stands outside of the list of datasets", shown(key.get_ref()));
                    return Err(self.refuse(Some(key.span().start), what, Some(how_it_looks())));
                }
            }
        }
        let Some(list) = list.filter(|list| !list.is_empty()) else {
            return Err(self.refuse(None, "it lists no dataset".to_owned(), Some(how_it_looks())));
        };
        let mut sources = Vec::with_capacity(list.len());
        let mut names: HashMap<String, usize> = HashMap::new();
        for dataset in list {
            let start = dataset.span().start;
            let Some(entry) = dataset.get_ref().as_table() else {
                return Err(self.refuse(
                    Some(start),
                    "this is not a dataset".to_owned(),
                    Some(how_it_looks()),
                ));
            };
            let (source, at) = self.dataset(entry, start)?;
            if let Some(other) = names.insert(source.name.clone(), at) {
                let (name, line) = (shown(&source.name), self.line(other));
                let what = format!("a dataset is called '{name}' already, in line {line}");
                return Err(self.refuse(Some(at), what, Some("give each dataset a name of its own".into())));
            }
            sources.push(source);
        }
        Ok(sources)
    }

    /// A dataset, and where its name stands.
    fn dataset(&self, entry: &DeTable<'_>, start: usize) -> Result<(Source, usize), AnalysisError> {
        let (mut name, mut found) = (None, None);
        let mut options = DatasetOptions::default();
        for (key, value) in entry {
            match key.get_ref().as_ref() {
                "name" => name = Some((self.text(value, "a name")?, value.span().start)),
                "path" => found = Some((self.source(value)?, value.span().start)),
                key_name => self.option(&mut options, key_name, key.span().start, value)?,
            }
        }
        let Some((source, path_at)) = found else {
            let what = "this dataset has no path".to_owned();
            return Err(self.refuse(Some(start), what, Some("add path = \"FILE\"".into())));
        };
        let (name, at) = name.unwrap_or_else(|| (source.name.clone(), path_at));
        Ok((source.listed(name, options), at))
    }

    fn option(
        &self,
        options: &mut DatasetOptions,
        key: &str,
        at: usize,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), AnalysisError> {
        match key {
            "label" => options.label = Some(self.column(value)?),
            "labels" => options.labels_file = Some(self.beside(&self.text(value, "a file")?)),
            "layer" => options.layer = Some(self.text(value, "the name of a matrix")?),
            "drop" => options.drop = Some(self.columns(value)?),
            "keep" => options.keep = Some(self.columns(value)?),
            "only" => options.only = Some(self.columns(value)?),
            "drop-text" => options.drop_text = Some(self.flag(value)?),
            "one-hot" => {
                options.one_hot = Some(match value.get_ref() {
                    DeValue::Boolean(true) => vec!["*".to_owned()],
                    DeValue::Boolean(false) => Vec::new(),
                    _ => self.columns(value)?,
                });
            }
            "missing" => options.missing = Some(self.word(value, &Missing::ALL)?),
            "mixed" => options.mixed = Some(self.flag(value)?),
            "na" => options.missing_values = Some(self.columns(value)?),
            "decimal-comma" => options.decimal_comma = Some(self.flag(value)?),
            "header" => options.header = Some(self.flag(value)?),
            "skip-rows" => options.skip_rows = Some(self.count(value)?),
            "scale" => options.scale = Some(self.word(value, &Scale::ALL)?),
            "noise" => options.noise = Some(self.label(value)?),
            "singletons" => {
                let ways = [("error", Singletons::Keep), ("drop", Singletons::Drop)];
                options.singletons = Some(self.word(value, &ways)?);
            }
            _ => {
                let what = format!("'{}' is not known", shown(key));
                return Err(self.refuse(
                    Some(at),
                    what,
                    Some(format!("a dataset has {}", KEYS.join(", ")).into()),
                ));
            }
        }
        Ok(())
    }

    /// The only dataset at a path, or an embedded one.
    fn source(&self, value: &Spanned<DeValue<'_>>) -> Result<Source, AnalysisError> {
        let at = Some(value.span().start);
        let given = self.text(value, "a path")?;
        let path = self.beside(&given);
        if let Some(source) = Source::embedded(&given).filter(|_| !path.exists()) {
            return Ok(source);
        }
        let refuse = |what: String, advice: Option<Advice>| Err(self.refuse(at, what, advice));
        match clmatch_data::find(std::slice::from_ref(&path)) {
            Ok(found) => match <[Source; 1]>::try_from(found) {
                Ok([source]) => Ok(source),
                Err(several) => refuse(
                    format!("{} holds {} datasets", path.display(), several.len()),
                    Some("list each of them".into()),
                ),
            },
            Err(_) if !path.exists() => refuse(
                format!("there is no file {}", path.display()),
                Some("a path is relative to the folder of the manifest".into()),
            ),
            Err(error) => refuse(error.to_string(), error.advice),
        }
    }

    /// A path relative to the folder of the manifest.
    fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    fn text(&self, value: &Spanned<DeValue<'_>>, wanted: &str) -> Result<String, AnalysisError> {
        match value.get_ref().as_str() {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => self.not_what_is_wanted(value, &format!("{wanted} in quotes")),
        }
    }

    fn flag(&self, value: &Spanned<DeValue<'_>>) -> Result<bool, AnalysisError> {
        value.get_ref().as_bool().map_or_else(|| self.not_what_is_wanted(value, "true or false"), Ok)
    }

    fn count(&self, value: &Spanned<DeValue<'_>>) -> Result<usize, AnalysisError> {
        let count = integer(value.get_ref()).and_then(|number| usize::try_from(number).ok());
        count.map_or_else(|| self.not_what_is_wanted(value, "a whole number, at least 0"), Ok)
    }

    /// The text of a label, which may be a number in the file.
    fn label(&self, value: &Spanned<DeValue<'_>>) -> Result<String, AnalysisError> {
        match (value.get_ref().as_str(), integer(value.get_ref())) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, Some(number)) => Ok(number.to_string()),
            (None, None) => self.not_what_is_wanted(value, "a label in quotes"),
        }
    }

    /// A column by its name or its index.
    fn column(&self, value: &Spanned<DeValue<'_>>) -> Result<String, AnalysisError> {
        match (value.get_ref().as_str(), integer(value.get_ref())) {
            (Some(name), _) => Ok(name.to_owned()),
            (None, Some(index)) => Ok(index.to_string()),
            (None, None) => self.not_what_is_wanted(value, "the name of a column in quotes, or its index"),
        }
    }

    fn columns(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, AnalysisError> {
        match value.get_ref() {
            DeValue::Array(columns) => columns.iter().map(|column| self.column(column)).collect(),
            _ => self.not_what_is_wanted(value, "a list of columns, as in [\"id\", \"name\"]"),
        }
    }

    fn word<T: Copy>(&self, value: &Spanned<DeValue<'_>>, known: &[(&str, T)]) -> Result<T, AnalysisError> {
        let given = value.get_ref().as_str();
        let found = known.iter().find(|(name, _)| given == Some(name));
        let names = || known.iter().map(|(name, _)| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        found.map_or_else(|| self.not_what_is_wanted(value, &format!("one of {}", names())), |one| Ok(one.1))
    }

    fn not_what_is_wanted<T>(&self, value: &Spanned<DeValue<'_>>, wanted: &str) -> Result<T, AnalysisError> {
        let given = self.text.get(value.span()).and_then(|text| text.lines().next()).unwrap_or_default();
        Err(self.refuse(Some(value.span().start), format!("{} is not {wanted}", shown(given)), None))
    }

    fn refuse(&self, at: Option<usize>, what: impl fmt::Display, advice: Option<Advice>) -> AnalysisError {
        let path = self.path.display();
        let place = at.map_or_else(String::new, |at| format!(", line {}", self.line(at)));
        AnalysisError::unfit(format!("{path}{place}: {what}"), advice)
    }

    /// The line of a place in the text, counted from 1.
    fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
    }
}

/// The start of a text from the file, without characters that could act on a terminal.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    text.chars().take(LONGEST).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The advice for a file without a list of datasets.
fn how_it_looks() -> Advice {
    "a manifest lists datasets: [[dataset]], then path = \"FILE\" and the options of this dataset".into()
}

/// A whole number in decimal digits.
fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

#[cfg(test)]
mod tests;
