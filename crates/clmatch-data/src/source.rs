//! Finds datasets: files as given, folders walked in a stable order, embedded ones by name.

mod head;

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::advice::Advice;
use crate::dataset_options::DatasetOptions;
use crate::embedded;
use crate::error::ReadError;
use crate::formats::detect::{FileFormat, promised};
use crate::input::ByteSource;
use crate::layout::{self, DOUBTFUL, EXTENSIONS, LabelledFile, PAIRS, Siblings};
use crate::packing::{PACKED, without_packing};

/// A dataset that was found but not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What to call it: the file's or folder's name without extensions.
    pub name: String,
    /// The file, the folder that holds points and labels, or `-` for standard input. For an embedded dataset, its name.
    pub path: PathBuf,
    /// The file with the labels, if the points have several labellings.
    labelling: Option<PathBuf>,
    embedded: bool,
    /// Options of its own, which come before those of a run.
    options: Option<Arc<DatasetOptions>>,
}

impl Source {
    /// The dataset in a file, or in a folder that holds points and labels in files of their own.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Source { name: name_of(&path), path, labelling: None, embedded: false, options: None }
    }

    /// An [embedded dataset](crate::embedded); `None` for an unknown name.
    pub fn embedded(name: &str) -> Option<Self> {
        embedded::about(name)?;
        Some(Source { name: name.to_owned(), embedded: true, ..Source::new(name) })
    }

    /// One labelling of points that may have several.
    fn with_labelling(points: &Path, labels: PathBuf) -> Self {
        let name = labels.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = layout::labelling(&name).unwrap_or(&name).to_owned();
        Source { name, labelling: Some(labels), ..Source::new(points) }
    }

    /// The same dataset under a name, and with options, of its own.
    #[must_use]
    pub fn listed(self, name: String, options: DatasetOptions) -> Self {
        Source { name, options: Some(Arc::new(options)), ..self }
    }

    /// Options of its own, which come before those of a run.
    pub fn options(&self) -> Option<&DatasetOptions> {
        self.options.as_deref()
    }

    /// The path by which [`find`] finds it, and nothing else.
    pub fn address(&self) -> &Path {
        self.labelling.as_deref().unwrap_or(&self.path)
    }

    /// Whether it comes with the program.
    pub fn is_embedded(&self) -> bool {
        self.embedded
    }

    /// Whether it is one of several labellings of the same points.
    pub fn has_several_labellings(&self) -> bool {
        self.labelling.is_some()
    }

    /// The file with one of several labellings.
    pub(crate) fn labelling(&self) -> Option<&Path> {
        self.labelling.as_deref()
    }

    /// The files that are read: points, and labels if they have their own file. Embedded datasets and standard input have no
    /// files.
    pub fn files(&self) -> Vec<PathBuf> {
        if self.embedded || self.path.as_os_str() == "-" {
            return Vec::new();
        }
        let folder = if self.path.is_dir() { layout::folder_dataset(&self.path) } else { None };
        let parts = folder.unwrap_or_else(|| {
            let labels = self
                .labelling
                .clone()
                .or_else(|| layout::labels_beside(&self.path, layout::nameless(&self.path)));
            vec![LabelledFile { points: self.path.clone(), labels }]
        });
        parts.into_iter().flat_map(|part| std::iter::once(part.points).chain(part.labels)).collect()
    }

    /// The first `most` bytes of its first file, unpacked, and about how many such bytes there are in all.
    pub fn head(&self, most: u64) -> Option<(Vec<u8>, u64)> {
        head::of(self.files().first()?, most)
    }
}

/// Datasets that were found, and what was passed over in folders.
#[derive(Debug, Default)]
pub struct FoundDatasets {
    /// The datasets.
    pub sources: Vec<Source>,
    /// Files of folders that no format knows by their names.
    pub passed_over: Vec<PathBuf>,
}

/// Finds datasets: files as given, folders walked recursively in the order of names, `-` for standard input, and names of
/// [embedded datasets](crate::embedded) if there is no such file.
///
/// A folder with points and labels in files of their own (`data.bin` and `label.bin`, `X.npy` and `y.npy`, `data.csv` and
/// `labels.csv`), or with parts of the rows (`x_train`, `x_test`), is one dataset named after the folder. Each of the
/// labellings `NAME.labels0`, `NAME.labels1`, … of `NAME.data` is a dataset of its own. Hidden files are skipped, and so are
/// files in a folder with an extension that no format has. Datasets of the same name get their extensions or folders added to
/// it.
///
/// # Errors
/// A path that does not exist or is neither file nor folder; a folder without any dataset.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Source>, ReadError> {
    Ok(find_noting(paths)?.sources)
}

/// Finds datasets like [`find`], and notes which files of folders are passed over.
///
/// # Errors
/// Those of [`find`].
pub fn find_noting(paths: &[PathBuf]) -> Result<FoundDatasets, ReadError> {
    let FoundDatasets { sources: mut found, mut passed_over } = FoundDatasets::default();
    for path in paths {
        if path.as_os_str() == "-" {
            found.push(Source { name: "stdin".to_owned(), ..Source::new(path) });
            continue;
        }
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => match path.to_str().and_then(Source::embedded) {
                Some(source) => {
                    found.push(source);
                    continue;
                }
                None => return Err(not_there(path, &error)),
            },
        };
        if metadata.is_dir() {
            let before = found.len();
            walk(path, &mut found, &mut passed_over)?;
            if found.len() == before {
                return Err(ReadError::new("no dataset was found in this folder")
                    .help(format!("looked for files that end in {}", EXTENSIONS.join(", ")))
                    .in_file(path));
            }
        } else {
            regular(&metadata).map_err(|error| error.in_file(path))?;
            found.extend(sources_of(path));
        }
    }
    tell_apart(&mut found);
    Ok(FoundDatasets { sources: found, passed_over })
}

/// The error for a path that does not exist. A name that does not look like a path may be meant as an embedded dataset.
pub(crate) fn not_there(path: &Path, error: &std::io::Error) -> ReadError {
    let stem = path.to_str().map(without_extensions).filter(|stem| embedded::about(stem).is_some());
    if let (Some(stem), std::io::ErrorKind::NotFound) = (stem, error.kind()) {
        let mut error = ReadError::io("cannot be opened", error);
        "not found".clone_into(&mut error.what);
        return error.help(Advice::UseEmbedded(stem.to_owned())).in_file(path);
    }
    let bare = path.extension().is_none() && path.components().count() == 1;
    let help = if bare && error.kind() == std::io::ErrorKind::NotFound {
        let names: Vec<&str> = embedded::names().collect();
        format!("there is no such file, and the embedded datasets are {}", names.join(", "))
    } else {
        "check the path; '-' reads from standard input".to_owned()
    };
    ReadError::io("cannot be opened", error).help(help).in_file(path)
}

/// The datasets of a file: one for each labelling, usually just one.
fn sources_of(path: &Path) -> Vec<Source> {
    if let Some(points) = layout::points_of(path) {
        return vec![Source::with_labelling(&points, path.to_owned())];
    }
    match layout::labellings(path) {
        none if none.is_empty() => vec![Source::new(path)],
        several => several.into_iter().map(|labels| Source::with_labelling(path, labels)).collect(),
    }
}

/// Refuses pipes and devices, for which opening or reading may wait forever.
pub(crate) fn regular(metadata: &std::fs::Metadata) -> Result<(), ReadError> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "a folder" } else { "a pipe or device" };
    Err(ReadError::new(format!("this is {what}, not a file"))
        .help("to read from a pipe, pass it as standard input and give '-' as the path"))
}

fn walk(folder: &Path, found: &mut Vec<Source>, passed_over: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    let cannot = |error: std::io::Error| ReadError::io("cannot be listed", &error).in_file(folder);
    let siblings = Siblings::of(folder).map_err(cannot)?;
    let mut used: HashSet<PathBuf> = HashSet::new();
    if let Some(parts) = siblings.dataset() {
        found.push(Source::new(folder));
        for part in parts {
            used.extend(siblings.same_stem(&part.points));
            used.extend(part.labels.iter().flat_map(|labels| siblings.same_stem(labels)));
        }
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(cannot)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(cannot)?;
    entries.sort();
    let data = |path: &&PathBuf| path.is_file() && looks_like_data(path);
    used.extend(
        entries.iter().filter(data).filter_map(|path| siblings.labels_of(path, layout::nameless(path))),
    );
    for path in entries {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // Links to folders are not followed: they may lead back to a parent.
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if hidden || used.contains(&path) {
            continue;
        }
        if is_folder {
            walk(&path, found, passed_over)?;
        } else if path.is_file() {
            match looks_like_data(&path).then(|| other_json(&path)) {
                Some(None) => found.extend(sources_of(&path)),
                // What this program wrote is not worth a word.
                Some(Some(OtherJson::Result)) => {}
                Some(Some(OtherJson::Object)) | None => passed_over.push(path),
            }
        }
    }
    Ok(())
}

/// Whether a file has a known extension, and is not the labels of another file.
pub(crate) fn looks_like_data(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()) else {
        return false;
    };
    let plain = without_packing(&name);
    let Some((stem, end)) = plain.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else { return false };
    let stem = stem.rsplit('.').next().unwrap_or_default();
    let labels =
        matches!(stem, "label" | "labels" | "y") || stem.ends_with("_label") || stem.ends_with("_labels");
    EXTENSIONS.contains(&end) && !labels
}

/// A JSON file in a folder that is no dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OtherJson {
    /// A result of this program.
    Result,
    /// A single object.
    Object,
}

/// What a JSON file in a folder is if it is no dataset.
fn other_json(path: &Path) -> Option<OtherJson> {
    const HEAD: u64 = 1 << 14;
    let format = promised(path);
    if !matches!(format, Some(FileFormat::Json | FileFormat::JsonLines)) {
        return None;
    }
    let mut head = Vec::new();
    let read = ByteSource::file(path).and_then(|input| {
        input.reader()?.take(HEAD).read_to_end(&mut head).map_err(|error| crate::input::damaged(&error))
    });
    let object = format == Some(FileFormat::Json) && head.trim_ascii_start().starts_with(b"{");
    match read {
        Ok(_) if head.windows(9).any(|window| window == b"\"clmatch/") => Some(OtherJson::Result),
        Ok(_) if object => Some(OtherJson::Object),
        _ => None,
    }
}

/// The name without folder, compression and extension; of `NAME_bin.zip` and `NAME/data.bin` it is `NAME`.
fn name_of(path: &Path) -> String {
    let own = match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path
            .canonicalize()
            .ok()
            .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
            .unwrap_or_else(|| path.to_string_lossy().into_owned()),
    };
    let stem = without_packing(&own).split('.').next().unwrap_or_default().to_ascii_lowercase();
    let pair = PAIRS.iter().any(|(data, _)| own == *data)
        || (matches!(stem.as_str(), "data" | "x") && layout::labels_beside(path, true).is_some());
    if let Some(folder) = path.parent().filter(|folder| pair && folder.file_name().is_some()) {
        return name_of(folder);
    }
    if path.is_dir() {
        return own;
    }
    without_extensions(&own).to_owned()
}

/// A file's name without compression and extension; of `NAME_bin.zip` it is `NAME`.
pub(crate) fn without_extensions(own: &str) -> &str {
    let mut name = own;
    for extensions in [&PACKED[..], &EXTENSIONS[..], &DOUBTFUL[..]] {
        let split = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        if let Some((stem, end)) = split
            && extensions.contains(&end.to_ascii_lowercase().as_str())
        {
            name = stem;
        }
    }
    if own.to_ascii_lowercase().ends_with(".zip") {
        name = name.strip_suffix("_bin").or(name.strip_suffix("_npy")).unwrap_or(name);
    }
    name
}

/// Gives sources with the same name different names: files of one folder by their extensions, others by the names of their
/// folders, and of the parents of those, until they differ.
fn tell_apart(sources: &mut [Source]) {
    const DEEPEST: usize = 8;
    let (mut elsewhere, beside) = repeated(sources);
    for at in beside {
        let file = sources[at].path.file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(file) = file.filter(|_| sources[at].labelling.is_none()) {
            sources[at].name = file;
        }
    }
    for depth in 1..=DEEPEST {
        let mut changed = false;
        for at in std::mem::take(&mut elsewhere) {
            let source = &mut sources[at];
            if let Some(folder) = source.path.ancestors().nth(depth).and_then(Path::file_name) {
                source.name = format!("{}/{}", folder.to_string_lossy(), source.name);
                changed = true;
            }
        }
        if !changed {
            break;
        }
        (elsewhere, _) = repeated(sources);
    }
}

/// Sources that share their name with a source of another path: first those whose namesakes are all in other folders, then those
/// with a namesake in their own folder.
fn repeated(sources: &[Source]) -> (Vec<usize>, Vec<usize>) {
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, source) in sources.iter().enumerate() {
        named.entry(&source.name).or_default().push(at);
    }
    let (mut elsewhere, mut beside) = (Vec::new(), Vec::new());
    for (at, source) in sources.iter().enumerate() {
        let others = || named[source.name.as_str()].iter().map(|&other| &sources[other].path);
        let others = || others().filter(|path| **path != source.path);
        if others().any(|path| path.parent() == source.path.parent()) {
            beside.push(at);
        } else if others().next().is_some() {
            elsewhere.push(at);
        }
    }
    (elsewhere, beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_folders_and_extensions() {
        for (path, name) in [
            ("a/iris.csv", "iris"),
            ("iris.csv.gz", "iris"),
            ("iris_bin.zip", "iris"),
            ("iris_npy.zip", "iris"),
            ("x/iris/data.bin", "iris"),
            ("x/iris/data.npy", "iris"),
            ("v1.2.parquet", "v1.2"),
            ("noext", "noext"),
            (".csv", ".csv"),
        ] {
            assert_eq!(Source::new(path).name, name, "{path}");
        }
    }

    #[test]
    fn labels_beside_are_no_datasets() {
        assert!(looks_like_data(Path::new("a.csv")) && looks_like_data(Path::new("a.CSV.GZ")));
        assert!(!looks_like_data(Path::new("a_label.npy")) && !looks_like_data(Path::new("label.npy")));
        assert!(!looks_like_data(Path::new("README.md")) && !looks_like_data(Path::new("csv")));
        assert!(!looks_like_data(Path::new("a.gz")) && !looks_like_data(Path::new("a.label.npy")));
        assert!(looks_like_data(Path::new("a.csv.xz")) && looks_like_data(Path::new("a.h5ad")));
    }

    #[test]
    fn the_same_stem_is_told_apart() {
        let mut sources: Vec<Source> =
            ["x/iris.csv", "x/iris.parquet", "y/iris.csv", "x/wine.csv", "x/wine.csv"]
                .map(Source::new)
                .to_vec();
        tell_apart(&mut sources);
        let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
        assert_eq!(names, ["iris.csv", "iris.parquet", "y/iris", "wine", "wine"]);
    }
}
