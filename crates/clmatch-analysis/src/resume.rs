//! Long runs that can be continued: every finished dataset is written at once as one JSON line, and a later run starts from these
//! lines. A line counts for a run that would have computed the same result: with the same version, the same named settings, the
//! same measures down to their constants, and the same files.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clmatch::{Classes, Labels, Measure, Points, evaluate};
use clmatch_data::{ReadOptions, Source};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::error::{AnalysisError, FileAction};

/// The version of the program, which every result carries.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Everything besides the data that determines results, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity(BTreeMap<String, String>);

impl Identity {
    /// The identity of a kind of analysis.
    pub fn new(analysis: &str) -> Self {
        Identity(BTreeMap::from([("analysis".to_owned(), analysis.to_owned())]))
    }

    /// Adds a setting.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        self.0.insert(name.to_owned(), value.to_string());
        self
    }

    /// Adds a setting that may be absent.
    #[must_use]
    pub fn with_option(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds the scores of a small fixed dataset by the measures: a changed constant or formula changes the identity.
    #[must_use]
    pub fn with_probe(self, measures: &[&'static Measure]) -> Self {
        let labels = Labels::encode([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
        let classes = Points::new(&PROBE, 2).and_then(|points| Classes::new(points, &labels));
        let Ok(evaluation) = classes.and_then(|classes| evaluate(&classes, measures)) else { return self };
        // Only as many digits as all instruction sets agree on.
        let values: Vec<String> =
            evaluation.scores.iter().map(|(id, score)| format!("{id}={:.9e}", score.value)).collect();
        self.with("probe", values.join(","))
    }
}

/// The settings of a result by name, as JSON shows them. A setting that is missing had its default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Settings(pub BTreeMap<String, String>);

impl Settings {
    /// Whether no setting is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// The settings without what a result states elsewhere: the kind and schema of the analysis, and its measures.
impl From<Identity> for Settings {
    fn from(Identity(mut settings): Identity) -> Self {
        settings.retain(|name, _| !["analysis", "measures", "probe", "schema"].contains(&name.as_str()));
        Settings(settings)
    }
}

/// Twelve points of three classes that overlap a little.
const PROBE: [f64; 24] = [
    0.0, 0.0, 0.9, 0.1, 0.2, 1.0, 1.4, 0.8, 1.1, 0.9, 2.0, 1.2, 1.7, 2.1, 2.9, 1.8, 4.0, 0.3, 4.4, 1.1, 5.0,
    0.2, 2.6, 0.7,
];

/// Adds the options that determine how a dataset is read.
pub fn read_options(identity: Identity, options: &ReadOptions) -> Identity {
    // As JSON, because names may hold any character.
    let list = |names: &[String]| (!names.is_empty()).then(|| serde_json::json!(names));
    identity
        .with_option("label", options.label.as_ref())
        .with_option("labels", options.labels_file.as_ref().map(|path| path.display().to_string()))
        .with_option("layer", options.layer.as_ref())
        .with_option("drop", list(&options.drop))
        .with_option("keep", list(&options.keep))
        .with_option("only", list(&options.only))
        .with_option("drop_text", options.drop_text.then_some(true))
        .with_option("one_hot", list(&options.one_hot))
        .with_option("mixed", options.mixed.then_some(true))
        .with("missing", options.missing)
        .with_option("na", list(&options.missing_values))
        .with("decimal_comma", options.decimal_comma)
        .with_option("header", options.header)
        .with_option("skip_rows", (options.skip_rows > 0).then_some(options.skip_rows))
        .with_option("memory", options.memory_limit)
}

/// What a result depends on, and the result.
#[derive(Debug, Serialize, Deserialize)]
struct ResumeLine<T> {
    version: String,
    settings: Identity,
    file: PathBuf,
    content: String,
    result: T,
}

/// The record of a run that can be continued, with results of type `T`.
#[derive(Debug)]
pub struct Record<T> {
    file: File,
    path: PathBuf,
    settings: Identity,
    /// A label file that results depend on, besides the files of a dataset.
    labels: Option<PathBuf>,
    done: HashMap<(PathBuf, String), T>,
}

impl<T: Serialize + DeserializeOwned> Record<T> {
    /// Opens the record, or starts one. Lines of another version or with other settings are kept but do not count, and neither
    /// does a last line that an interrupt cut short.
    ///
    /// # Errors
    /// A file that cannot be read and written.
    pub fn open(path: &Path, settings: Identity, labels: Option<PathBuf>) -> Result<Self, AnalysisError> {
        let failed = |error: io::Error| AnalysisError::File {
            action: FileAction::ResumeFrom,
            path: path.to_owned(),
            error,
        };
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other.map_err(failed)?,
        };
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        let lines = text.lines().filter_map(|line| serde_json::from_str::<ResumeLine<T>>(line).ok());
        let valid = lines.filter(|line| line.version == VERSION && line.settings == settings);
        let done = valid.map(|line| ((line.file, line.content), line.result)).collect();
        Ok(Record { file, path: path.to_owned(), settings, labels, done })
    }

    /// The result of an earlier run, if the files are still the same.
    pub fn take(&mut self, source: &Source) -> Option<T> {
        self.done.remove(&(source.path.clone(), self.content(source)?))
    }

    /// Adds a finished dataset.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, source: &Source, result: &T) -> Result<(), AnalysisError> {
        let Some(content) = self.content(source) else { return Ok(()) };
        let line = ResumeLine {
            version: VERSION.to_owned(),
            settings: self.settings.clone(),
            file: source.path.clone(),
            content,
            result,
        };
        let text = serde_json::to_string(&line).unwrap_or_default() + "\n";
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| AnalysisError::File {
            action: FileAction::Write,
            path: self.path.clone(),
            error,
        })
    }

    /// Fingerprint of the files of a dataset; `None` if they cannot be read twice.
    fn content(&self, source: &Source) -> Option<String> {
        let mut hash = Xxh3::new();
        if let Some(options) = source.options() {
            hash.update(format!("{} {options:?}", source.name).as_bytes());
        }
        if source.is_embedded() {
            let own = source.options().map_or_else(String::new, |_| format!(" {:016x}", hash.digest()));
            return Some(format!("embedded{own}"));
        }
        let mut files = source.files();
        files.extend(self.labels.clone());
        files.extend(source.options().and_then(|options| options.labels_file.clone()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::measure::{REGISTRY, find};
    use clmatch_data::DatasetOptions;

    #[test]
    fn what_decides_the_numbers_is_part_of_the_identity() {
        let measures = [find("ch_a").unwrap(), find("clm").unwrap()];
        let identity = Identity::new("score").with_probe(&measures);
        let probe = &identity.0["probe"];
        assert!(probe.starts_with("ch_a=") && probe.contains(",clm="), "{probe}");
        assert_eq!(identity, Identity::new("score").with_probe(&measures));
        assert_ne!(identity, Identity::new("score").with_probe(&measures[..1]));
    }

    /// If a measure were at an end of its range, another growth rate would leave the probe unchanged.
    #[test]
    fn the_probe_tells_growth_rates_apart() {
        let ranged: Vec<&Measure> = REGISTRY.iter().copied().filter(|one| one.range.1 == 1.0).collect();
        assert_eq!(ranged.len(), 10, "{ranged:?}");
        let labels = Labels::encode([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
        let classes = Classes::new(Points::new(&PROBE, 2).unwrap(), &labels).unwrap();
        for (id, score) in evaluate(&classes, &ranged).unwrap().scores {
            let inside = |value: &f64| value.abs() > 0.001 && value.abs() < 0.999;
            let of_pairs = score.pairs.iter().any(inside);
            assert!(of_pairs || inside(&score.value), "{id}: {score:?}");
        }
    }

    #[test]
    fn a_run_with_other_settings_starts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (path, data) = (folder.path().join("run.jsonl"), folder.path().join("data.csv"));
        fs::write(&data, "1,a").unwrap();
        let source = Source::new(&data);
        let settings = |scale: &str| Identity::new("score").with("scale", scale);
        let open = |scale: &str| Record::<f64>::open(&path, settings(scale), None).unwrap();
        open("none").add(&source, &0.5).unwrap();
        assert_eq!(open("robust").take(&source), None);
        assert_eq!(open("none").take(&source), Some(0.5));
        fs::write(&data, "2,a").unwrap();
        assert_eq!(open("none").take(&source), None, "the file has changed");
    }

    #[test]
    fn options_of_a_dataset_are_part_of_what_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, data) = (folder.path().join("run.jsonl"), folder.path().join("data.csv"));
        fs::write(&data, "1,a").unwrap();
        let open = || Record::<f64>::open(&path, Identity::new("score"), None).unwrap();
        let labels = folder.path().join("labels.csv");
        fs::write(&labels, "a").unwrap();
        let with = |label: &str, labels: Option<&PathBuf>| DatasetOptions {
            label: Some(label.to_owned()),
            labels_file: labels.cloned(),
            ..DatasetOptions::default()
        };
        for source in [Source::new(&data), Source::embedded("iris").unwrap()] {
            let listed = |name: &str, options| source.clone().listed(name.to_owned(), options);
            let one = listed("one", with("a", Some(&labels)));
            open().add(&one, &0.5).unwrap();
            assert_eq!(open().take(&one), Some(0.5));
            for other in [
                listed("one", with("b", Some(&labels))),
                listed("two", with("a", Some(&labels))),
                source.clone(),
            ] {
                assert_eq!(open().take(&other), None, "{other:?}");
            }
        }
        let one = Source::new(&data).listed("one".to_owned(), with("a", Some(&labels)));
        fs::write(&labels, "b").unwrap();
        assert_eq!(open().take(&one), None, "the labels have changed");
    }
}
