//! The datasets that requests can name: files of the command line, embedded ones, and uploads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use bytes::Bytes;
use clmatch::{measure, memory};
use clmatch_analysis::AnalysisError;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::source::UnreadDataset;
use clmatch_data::{
    Dataset, Inspection, PointsLeftOut, ReadOptions, Source, embedded, inspect, inspect_bytes, read,
    read_bytes,
};
use serde::Serialize;

use crate::memory::Reservation;
use crate::problem::ApiProblem;

/// How many uploads are kept; the oldest ones make room for new ones.
const UPLOADS: usize = 64;
/// How long a name may be.
const NAME: usize = 120;
/// Names the JSON schema of a dataset, with its version.
const SCHEMA: &str = "clmatch/dataset/1";

/// Where a dataset comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DatasetOrigin {
    /// The command line.
    Given,
    /// The program itself.
    Embedded,
    /// A request.
    Uploaded,
}

/// A dataset that has not been read yet.
#[derive(Debug)]
pub(crate) struct HeldDataset {
    /// The name of the dataset in requests; `None` if it lives only as long as its job.
    pub(crate) id: Option<String>,
    /// The name shown to people.
    pub(crate) name: String,
    pub(crate) origin: DatasetOrigin,
    /// Its size in bytes, as it is stored.
    pub(crate) bytes: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Source(Source),
    /// The memory stays reserved as long as the bytes are held.
    Bytes(Bytes, #[expect(dead_code, reason = "held for its drop")] Reservation),
}

/// A dataset as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct DatasetInfo<'a> {
    schema: &'static str,
    dataset: &'a str,
    name: &'a str,
    origin: DatasetOrigin,
    bytes: u64,
}

impl HeldDataset {
    fn of_source(id: String, source: Source) -> Self {
        let files = source.files();
        let length = |path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let origin = if source.is_embedded() { DatasetOrigin::Embedded } else { DatasetOrigin::Given };
        HeldDataset {
            id: Some(id),
            name: source.name.clone(),
            origin,
            bytes: files.iter().map(length).sum(),
            content: Content::Source(source),
        }
    }

    /// An upload that cannot be requested again.
    pub(crate) fn uploaded(name: &str, bytes: Bytes, reservation: Reservation) -> Self {
        HeldDataset {
            id: None,
            name: display_name(name),
            origin: DatasetOrigin::Uploaded,
            bytes: bytes.len() as u64,
            content: Content::Bytes(bytes, reservation),
        }
    }

    /// Reads the dataset. `tables_limit` limits the bytes that tables of its classes and their pairs may take.
    pub(crate) fn read_within(
        &self,
        options: &ReadOptions,
        tables_limit: Option<u64>,
    ) -> Result<Dataset, AnalysisError> {
        let dataset = match &self.content {
            Content::Source(source) => {
                let mut options = options.clone();
                source.options().iter().for_each(|own| own.set_read(&mut options));
                read(source, &options)?
            }
            Content::Bytes(bytes, _) => read_bytes(&self.name, bytes.clone(), options)?,
        };
        let (points, classes) = (dataset.n_points(), dataset.labels().names().len());
        memory::check_sizes(points, classes, &measure::defaults(), tables_limit)
            .map_err(|error| AnalysisError::data(&self.name, error))?;
        Ok(dataset)
    }

    /// Finds out how the dataset is understood.
    pub(crate) fn inspect(&self, options: &ReadOptions, left_out: &PointsLeftOut) -> Inspection {
        match &self.content {
            Content::Source(source) => inspect(source, options, left_out),
            Content::Bytes(bytes, _) => inspect_bytes(&self.name, bytes, options, left_out),
        }
    }

    /// Whether its bytes indicate that it grows when unpacked.
    pub(crate) fn is_packed(&self) -> bool {
        const PACKED: [&[u8]; 7] =
            [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh", b"PK", b"PAR1", b"\x89HDF"];
        match &self.content {
            // Zlib, as in the layout of the paper's authors, has no unambiguous first bytes.
            Content::Bytes(bytes, _) => {
                PACKED.iter().any(|magic| bytes.starts_with(magic)) || bytes.first() == Some(&0x78)
            }
            Content::Source(source) => !source.is_embedded(),
        }
    }

    /// The path that a command line would use.
    pub(crate) fn path(&self) -> String {
        match &self.content {
            Content::Source(source) => source.path.display().to_string(),
            Content::Bytes(..) => self.name.clone(),
        }
    }

    pub(crate) fn info(&self) -> DatasetInfo<'_> {
        DatasetInfo {
            schema: SCHEMA,
            dataset: self.id.as_deref().unwrap_or_default(),
            name: &self.name,
            origin: self.origin,
            bytes: self.bytes,
        }
    }
}

impl UnreadDataset for HeldDataset {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, settings: &ScoreSettings) -> Result<Dataset, AnalysisError> {
        self.read_within(&settings.read, settings.memory_limit)
    }

    /// The files of the command line that it is read from.
    fn source(&self) -> Option<&Source> {
        match &self.content {
            Content::Source(source) => Some(source),
            Content::Bytes(..) => None,
        }
    }
}

/// A file name given by a client, to be shown and to determine the format from: without folders and control characters, and
/// shortened. It is never used as a path.
fn display_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let printable: Vec<char> = last.chars().filter(|letter| !letter.is_control()).collect();
    // The end is kept because it holds the extension.
    let start = printable.len().saturating_sub(NAME);
    let name: String = printable[start..].iter().collect();
    let name = name.trim();
    if name.is_empty() || name == "-" || name.chars().all(|letter| letter == '.') {
        "upload".to_owned()
    } else {
        name.to_owned()
    }
}

/// All datasets by their ids.
#[derive(Debug)]
pub(crate) struct DatasetStore {
    inner: Mutex<StoredDatasets>,
}

#[derive(Debug, Default)]
struct StoredDatasets {
    /// In the order of the listing.
    fixed: Vec<Arc<HeldDataset>>,
    /// Oldest first.
    uploads: BTreeMap<u64, Arc<HeldDataset>>,
    last: u64,
}

impl DatasetStore {
    pub(crate) fn new(sources: Vec<Source>) -> Self {
        let given = sources.into_iter().enumerate().map(|(at, source)| {
            // An embedded dataset that the command line names is listed once, under its own name.
            let id = if source.is_embedded() { source.name.clone() } else { format!("file-{}", at + 1) };
            HeldDataset::of_source(id, source)
        });
        let mut fixed: Vec<Arc<HeldDataset>> = given.map(Arc::new).collect();
        for name in embedded::names() {
            let listed = fixed.iter().any(|dataset| dataset.id.as_deref() == Some(name));
            if let Some(source) = Source::embedded(name).filter(|_| !listed) {
                fixed.push(Arc::new(HeldDataset::of_source(name.to_owned(), source)));
            }
        }
        DatasetStore { inner: Mutex::new(StoredDatasets { fixed, ..StoredDatasets::default() }) }
    }

    fn lock(&self) -> MutexGuard<'_, StoredDatasets> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an upload under a new id; the oldest upload that is not used by a job makes room.
    pub(crate) fn keep(&self, mut dataset: HeldDataset) -> Result<Arc<HeldDataset>, ApiProblem> {
        let mut stored = self.lock();
        if stored.uploads.len() >= UPLOADS && !stored.forget_oldest() {
            return Err(ApiProblem::busy("every upload that is kept is in use", 5));
        }
        stored.last += 1;
        let number = stored.last;
        dataset.id = Some(format!("upload-{number}"));
        let dataset = Arc::new(dataset);
        stored.uploads.insert(number, Arc::clone(&dataset));
        Ok(dataset)
    }

    /// Makes room for new uploads; `false` if every upload is in use.
    pub(crate) fn forget_oldest(&self) -> bool {
        self.lock().forget_oldest()
    }

    /// All datasets: those of the command line, the embedded ones, and uploads, newest first.
    pub(crate) fn all(&self) -> Vec<Arc<HeldDataset>> {
        let stored = self.lock();
        stored.uploads.values().rev().chain(&stored.fixed).map(Arc::clone).collect()
    }

    pub(crate) fn find(&self, id: &str) -> Result<Arc<HeldDataset>, ApiProblem> {
        let found = self.all().into_iter().find(|dataset| dataset.id.as_deref() == Some(id));
        found.ok_or_else(|| {
            ApiProblem::not_found(format!("there is no dataset '{id}'"))
                .help(format!("/api/datasets lists them; the last {UPLOADS} uploads are kept"))
        })
    }

    /// Forgets an upload.
    pub(crate) fn forget(&self, id: &str) -> Result<(), ApiProblem> {
        if self.find(id)?.origin != DatasetOrigin::Uploaded {
            return Err(ApiProblem::new(StatusCode::FORBIDDEN, format!("'{id}' is no upload"))
                .help("only uploads can be forgotten"));
        }
        self.lock().uploads.retain(|_, dataset| dataset.id.as_deref() != Some(id));
        Ok(())
    }
}

impl StoredDatasets {
    fn forget_oldest(&mut self) -> bool {
        let idle = self.uploads.iter().find(|(_, dataset)| Arc::strong_count(dataset) == 1);
        let Some(number) = idle.map(|(number, _)| *number) else { return false };
        self.uploads.remove(&number);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryAccount;

    fn upload(name: &str) -> HeldDataset {
        let account = MemoryAccount::new(1000);
        HeldDataset::uploaded(name, Bytes::from_static(b"x,label\n"), account.reserve(8).unwrap())
    }

    #[test]
    fn names_are_no_paths() {
        for (given, shown) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\data\\iris.csv", "iris.csv"),
            ("a\0b\n.csv", "ab.csv"),
            ("..", "upload"),
            ("", "upload"),
            ("/", "upload"),
            ("-", "upload"),
            ("<b>.csv", "<b>.csv"),
        ] {
            assert_eq!(display_name(given), shown, "{given:?}");
        }
        let long = format!("{}.csv.gz", "é".repeat(500));
        assert!(display_name(&long).ends_with(".csv.gz") && display_name(&long).chars().count() == NAME);
    }

    #[test]
    fn the_oldest_idle_upload_makes_room() {
        let store = DatasetStore::new(Vec::new());
        let used = store.keep(upload("used.csv")).unwrap();
        for _ in 1..UPLOADS {
            store.keep(upload("x.csv")).unwrap();
        }
        assert_eq!(store.find("upload-2").unwrap().name, "x.csv");
        store.keep(upload("new.csv")).unwrap();
        assert!(store.find("upload-2").is_err(), "the oldest that is not in use is gone");
        assert_eq!(store.find("upload-1").unwrap().name, used.name);
        store.forget("upload-1").unwrap();
        assert!(store.find("upload-1").is_err());
        assert_eq!(store.forget("iris").unwrap_err().status, StatusCode::FORBIDDEN);
    }
}
