//! Files that belong together: points with labels in a file of their own, parts of the rows, several labellings.

use std::io;
use std::path::{Path, PathBuf};

use crate::formats::detect::promised;
use crate::packing::without_packing;
use crate::roles::{ContentKind, DatasetSplit, preference, role};

/// Extensions that a walk through a folder takes as datasets; packed files have one more.
pub(crate) const EXTENSIONS: [&str; 25] = [
    "csv", "tsv", "tab", "psv", "data", "npy", "npz", "parquet", "pq", "arrow", "feather", "ipc", "arff",
    "svm", "libsvm", "svmlight", "zip", "bin", "json", "jsonl", "ndjson", "h5ad", "xlsx", "xls", "ods",
];
/// Extensions of files that may hold data, but often hold something else.
pub(crate) const DOUBTFUL: [&str; 2] = ["txt", "dat"];

/// The two layouts used by the paper's authors.
pub(crate) const PAIRS: [(&str, &str); 2] = [("data.bin", "label.bin"), ("data.npy", "label.npy")];

/// Points, and the file with their labels if they have one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelledFile {
    pub(crate) points: PathBuf,
    pub(crate) labels: Option<PathBuf>,
}

/// A file beside others.
#[derive(Debug)]
struct Sibling {
    path: PathBuf,
    /// The name without extensions, in lower case.
    stem: String,
    /// The extensions, in lower case: `csv.gz`.
    end: String,
}

/// The files of a folder that may hold data, in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Siblings(Vec<Sibling>);

impl Siblings {
    /// Lists a folder.
    pub(crate) fn of(folder: &Path) -> io::Result<Siblings> {
        // The parent of a bare file name is empty.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            // The type of an entry costs nothing where the folder stores it; a link must be followed.
            let is_file = |path: &Path| match entry.file_type() {
                Ok(kind) if !kind.is_symlink() => kind.is_file(),
                _ => path.is_file(),
            };
            found.extend(sibling(&entry.path()).filter(|sibling| is_file(&sibling.path)));
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Siblings(found))
    }

    /// The file that `wanted` prefers by its stem: lower is better, `None` excludes a file. Among equals, the one with the
    /// extensions `like`, or else the first.
    fn best(&self, like: &str, wanted: impl Fn(&Sibling) -> Option<usize>) -> Option<&Path> {
        let rated = self.0.iter().filter_map(|file| Some((wanted(file)?, file.end != like, &file.path)));
        rated.min().map(|(_, _, path)| path.as_path())
    }

    /// Finds the file with the labels of a file of points, by its name.
    ///
    /// For `NAME.npy` this is `NAME_label`, `NAME_labels`, `NAME.label`, `NAME.labels` or `NAME_y`; for `NAME_X.csv` also
    /// `NAME_y`; for `x_train` it is `y_train`; for a file called `data` or `X`, and for a matrix without names, also
    /// `labels`, `y` and so on. The extension can be any readable one, except one for which there is also a file of points
    /// with the same name.
    pub(crate) fn labels_of(&self, points: &Path, nameless: bool) -> Option<PathBuf> {
        let own = sibling(points)?;
        let base = ["_x", "_data", "_points", "_features"].iter().find_map(|end| own.stem.strip_suffix(end));
        let bases: Vec<&str> = base.into_iter().chain([own.stem.as_str()]).collect();
        let ends = ["_label", "_labels", ".label", ".labels", "_y", "_target"];
        let said = role(&own.stem);
        let taken =
            |end: &str| end != own.end && self.0.iter().any(|file| file.stem == own.stem && file.end == end);
        let found = self.best(&own.end, |file| {
            let stem = file.stem.as_str();
            if taken(&file.end) {
                return None;
            }
            let place =
                ends.iter().position(|end| bases.iter().any(|base| stem.strip_suffix(end) == Some(base)));
            place.or_else(|| match (role(stem)?, said) {
                ((ContentKind::Labels, part), Some((ContentKind::Points, own))) if part == own => {
                    Some(ends.len() + preference(stem).min(50))
                }
                ((ContentKind::Labels, DatasetSplit::Whole), said) if nameless && said.is_none() => {
                    Some(100 + preference(stem))
                }
                _ => None,
            })
        });
        found.filter(|found| *found != points).map(Path::to_owned)
    }

    /// Points and labels, or parts of the rows, that make the folder one dataset.
    pub(crate) fn dataset(&self) -> Option<Vec<LabelledFile>> {
        let named =
            |name: &str| self.0.iter().find(|file| file.path.ends_with(name)).map(|file| file.path.clone());
        for (data, label) in PAIRS {
            if let (Some(points), Some(labels)) = (named(data), named(label)) {
                return Some(vec![LabelledFile { points, labels: Some(labels) }]);
            }
        }
        let points = |wanted: DatasetSplit| {
            let is = |file: &Sibling| role(&file.stem) == Some((ContentKind::Points, wanted));
            self.best("", |file| is(file).then(|| preference(&file.stem))).map(Path::to_owned)
        };
        if let Some(points) = points(DatasetSplit::Whole) {
            let labels = self.labels_of(&points, nameless(&points))?;
            return Some(vec![LabelledFile { points, labels: Some(labels) }]);
        }
        let parts: Vec<LabelledFile> = [DatasetSplit::Train, DatasetSplit::Validation, DatasetSplit::Test]
            .into_iter()
            .filter_map(|part| {
                let points = points(part)?;
                Some(LabelledFile { labels: self.labels_of(&points, nameless(&points)), points })
            })
            .collect();
        (!parts.is_empty()).then_some(parts)
    }

    /// Files that hold the same dataset in other formats: `data.npy` beside `data.bin`.
    pub(crate) fn same_stem(&self, path: &Path) -> Vec<PathBuf> {
        let Some(own) = sibling(path) else { return Vec::new() };
        self.0.iter().filter(|file| file.stem == own.stem).map(|file| file.path.clone()).collect()
    }
}

fn sibling(path: &Path) -> Option<Sibling> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    if name.starts_with('.') {
        return None;
    }
    let plain = without_packing(&name);
    let stem = match plain.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        // Many datasets come with a text file that lists the names of classes and of features.
        Some(("class" | "classes" | "features" | "values", end)) if DOUBTFUL.contains(&end) => return None,
        Some((stem, end)) => (EXTENSIONS.contains(&end) || DOUBTFUL.contains(&end)).then_some(stem)?,
        // The name of a packed file need not say what is in it: `y.gz`.
        None => (plain.len() < name.len()).then_some(plain)?,
    };
    Some(Sibling { path: path.to_owned(), stem: stem.to_owned(), end: name[stem.len() + 1..].to_owned() })
}

/// The points with labels, or the parts of rows, that make a folder one dataset.
pub(crate) fn folder_dataset(folder: &Path) -> Option<Vec<LabelledFile>> {
    Siblings::of(folder).ok()?.dataset()
}

/// The file whose name says that it holds the labels of a file of points; `nameless` points have no column that could be the
/// label.
pub(crate) fn labels_beside(points: &Path, nameless: bool) -> Option<PathBuf> {
    Siblings::of(points.parent()?).ok()?.labels_of(points, nameless)
}

/// The names of files that hold other parts of the same rows: `x_test.npy` beside `x_train.npy`.
pub(crate) fn other_parts(points: &Path) -> Vec<String> {
    let own = sibling(points).and_then(|own| role(&own.stem));
    let siblings = points.parent().and_then(|folder| Siblings::of(folder).ok()).unwrap_or_default();
    let other = |file: &&Sibling| match (own, role(&file.stem)) {
        (Some((ContentKind::Points, own)), Some((ContentKind::Points, part))) => {
            own != DatasetSplit::Whole && part != DatasetSplit::Whole && part != own
        }
        _ => false,
    };
    let name = |file: &Sibling| file.path.file_name().map(|name| name.to_string_lossy().into_owned());
    siblings.0.iter().filter(other).filter_map(name).collect()
}

/// Whether the extension is that of a matrix without names.
pub(crate) fn nameless(points: &Path) -> bool {
    promised(points).is_some_and(|format| !format.has_names())
}

/// The label that means noise in Gagolewski's clustering data, whose labellings [`labellings`] finds.
pub(crate) const GAGOLEWSKI_NOISE: &str = "0";

/// All labellings of `NAME.data`, in the order of their numbers: `NAME.labels0`, `NAME.labels1` and so on. This is the layout of
/// Gagolewski's clustering data.
pub(crate) fn labellings(points: &Path) -> Vec<PathBuf> {
    let name = points.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(stem) = without_packing(name).strip_suffix(".data").filter(|stem| !stem.is_empty()) else {
        return Vec::new();
    };
    let folder = points.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let number =
                labelling(name.to_str()?)?.strip_prefix(stem)?.strip_prefix(".labels")?.parse().ok()?;
            Some((number, points.with_file_name(&name)))
        })
        .filter(|(_, path)| path.is_file())
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// The name of a labelling without its packing, such as `NAME.labels1`; `None` for other files.
pub(crate) fn labelling(name: &str) -> Option<&str> {
    let plain = without_packing(name);
    let (stem, number) = plain.rsplit_once(".labels")?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (digits && !stem.is_empty()).then_some(plain)
}

/// The points of a labelling: `NAME.data` beside it, packed or not.
pub(crate) fn points_of(labels: &Path) -> Option<PathBuf> {
    let name = labels.file_name()?.to_str()?;
    let (stem, _) = labelling(name)?.rsplit_once(".labels")?;
    let wanted = format!("{stem}.data");
    let folder = labels.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| without_packing(name) == wanted))
        .map(|entry| labels.with_file_name(entry.file_name()))
        .collect();
    found.sort();
    found.into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn siblings(names: &[&str]) -> Siblings {
        Siblings(names.iter().filter_map(|name| sibling(Path::new(name))).collect())
    }

    fn labels_of(points: &str, names: &[&str]) -> Option<String> {
        siblings(names)
            .labels_of(Path::new(points), nameless(Path::new(points)))
            .map(|path| path.display().to_string())
    }

    #[test]
    fn labels_are_found_by_their_names() {
        let found = |points, names: &[&str]| labels_of(points, names).unwrap_or_default();
        assert_eq!(found("a.npy", &["a.npy", "a_label.npy", "b_label.npy"]), "a_label.npy");
        assert_eq!(found("a.npy", &["labels.txt", "a.npy"]), "labels.txt");
        assert_eq!(found("a.csv", &["a.csv", "a_labels.csv.gz"]), "a_labels.csv.gz");
        assert_eq!(found("data.csv", &["data.csv", "y.npy", "y.csv"]), "y.csv", "the same extension first");
        assert_eq!(found("X.npy", &["X.npy", "target.csv"]), "target.csv");
        assert_eq!(found("wine_X.csv", &["wine_X.csv", "wine_y.csv"]), "wine_y.csv");
        assert_eq!(found("X_train.npy", &["X_train.npy", "y_test.npy", "y_train.npy"]), "y_train.npy");
        assert_eq!(labels_of("a.csv", &["a.csv", "a.npy", "a_label.npy"]), None, "these are those of a.npy");
        // A table with names has its own label: a file of labels that names no table must not be applied to it.
        assert_eq!(labels_of("iris.csv", &["iris.csv", "labels.csv"]), None);
        assert_eq!(labels_of("x_train.npy", &["x_train.npy", "labels.npy"]), None);
        assert_eq!(labels_of("y.npy", &["y.npy"]), None);
    }

    #[test]
    fn folders_are_datasets() {
        let parts = |names: &[&str]| {
            let parts = siblings(names).dataset().unwrap_or_default();
            let name = |path: &Path| path.display().to_string();
            let both = |part: &LabelledFile| {
                (name(&part.points), part.labels.as_deref().map(name).unwrap_or_default())
            };
            parts.iter().map(both).collect::<Vec<_>>()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            parts(&["data.npy", "label.npy", "data.bin", "label.bin"]),
            [pair("data.bin", "label.bin")]
        );
        assert_eq!(parts(&["data.csv", "labels.csv", "notes.csv"]), [pair("data.csv", "labels.csv")]);
        assert_eq!(
            parts(&["X_test.npy", "X_train.npy", "y_test.npy", "y_train.npy"]),
            [pair("X_train.npy", "y_train.npy"), pair("X_test.npy", "y_test.npy")]
        );
        assert_eq!(parts(&["iris.csv", "labels.csv"]), []);
        assert_eq!(parts(&["data.csv"]), []);
        assert_eq!(parts(&["data.csv", "classes.txt"]), [], "names of classes");
    }

    #[test]
    fn labellings_are_told_from_other_files() {
        assert_eq!(labelling("a.labels0.gz"), Some("a.labels0"));
        assert_eq!(labelling("a.b.labels12"), Some("a.b.labels12"));
        assert!(
            labelling("a.labels.gz").is_none()
                && labelling(".labels0").is_none()
                && labelling("a.labels0.csv").is_none()
        );
    }
}
