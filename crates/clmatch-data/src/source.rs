//! Finding datasets: files as given, folders walked in a stable order.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::ReadError;

/// A dataset that was found but not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What to call it: the file's or folder's name without extensions.
    pub name: String,
    /// The file, the folder that holds `data` and `label`, or `-` for standard input.
    pub path: PathBuf,
}

impl Source {
    /// The dataset in a file or in a folder that holds `data.bin` and `label.bin` or their `.npy` twins.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Source { name: name_of(&path), path }
    }
}

/// Extensions that a walk through a folder takes for datasets; compressed text carries one more.
const EXTENSIONS: [&str; 18] = [
    "csv", "tsv", "tab", "psv", "data", "npy", "npz", "parquet", "pq", "arrow", "feather", "ipc", "arff",
    "svm", "libsvm", "svmlight", "zip", "bin",
];
const COMPRESSED: [&str; 4] = ["gz", "gzip", "zst", "zstd"];

/// The two layouts of a folder that is a dataset.
pub(crate) const PAIRS: [(&str, &str); 2] = [("data.bin", "label.bin"), ("data.npy", "label.npy")];

/// Finds datasets: files as given, folders walked recursively in the order of names, `-` for standard input.
///
/// A folder with `data.bin` and `label.bin`, or `data.npy` and `label.npy`, is one dataset named after the folder.
/// Hidden files, and files in a folder whose extension no format has, are passed over. Datasets of the same name are
/// told apart by their folders.
///
/// # Errors
/// A path that does not exist or is neither file nor folder; a folder without any dataset.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Source>, ReadError> {
    let mut found = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            found.push(Source { name: "stdin".to_owned(), path: path.clone() });
            continue;
        }
        let metadata = std::fs::metadata(path).map_err(|error| {
            ReadError::io("cannot be opened", &error)
                .help("check the path; '-' reads from standard input")
                .in_file(path)
        })?;
        if metadata.is_dir() {
            let before = found.len();
            walk(path, &mut found)?;
            if found.len() == before {
                return Err(ReadError::new("no dataset was found in this folder")
                    .help(format!("looked for files that end in {}", EXTENSIONS.join(", ")))
                    .in_file(path));
            }
        } else {
            regular(&metadata).map_err(|error| error.in_file(path))?;
            found.push(Source::new(path));
        }
    }
    tell_apart(&mut found);
    Ok(found)
}

/// Refuses pipes and devices, on which opening or reading may wait for ever.
pub(crate) fn regular(metadata: &std::fs::Metadata) -> Result<(), ReadError> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "a folder" } else { "a pipe or device" };
    Err(ReadError::new(format!("this is {what}, not a file"))
        .help("to read from a pipe, pass it as standard input and give '-' as the path"))
}

/// The layout of a folder that is a dataset.
pub(crate) fn pair_in(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    PAIRS
        .iter()
        .map(|(data, label)| (folder.join(data), folder.join(label)))
        .find(|(data, label)| data.is_file() && label.is_file())
}

fn walk(folder: &Path, found: &mut Vec<Source>) -> Result<(), ReadError> {
    if pair_in(folder).is_some() {
        found.push(Source::new(folder));
        return Ok(());
    }
    let cannot = |error: std::io::Error| ReadError::io("cannot be listed", &error).in_file(folder);
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(cannot)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(cannot)?;
    entries.sort();
    for path in entries {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // Links to folders are not followed: they may lead back.
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if hidden {
            continue;
        }
        if is_folder {
            walk(&path, found)?;
        } else if path.is_file() && looks_like_data(&path) {
            found.push(Source::new(path));
        }
    }
    Ok(())
}

/// Known extension, and not the labels of another file.
fn looks_like_data(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()) else {
        return false;
    };
    let mut parts: Vec<&str> = name.split('.').collect();
    if parts.len() > 2 && parts.last().is_some_and(|last| COMPRESSED.contains(last)) {
        parts.pop();
    }
    let known = parts.len() > 1 && parts.last().is_some_and(|last| EXTENSIONS.contains(last));
    let stem = parts.iter().rev().nth(1).copied().unwrap_or_default();
    let labels =
        matches!(stem, "label" | "labels" | "y") || stem.ends_with("_label") || stem.ends_with("_labels");
    known && !labels
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
    if PAIRS.iter().any(|(data, _)| own == *data)
        && let Some(folder) = path.parent().filter(|folder| folder.file_name().is_some())
    {
        return name_of(folder);
    }
    if path.is_dir() {
        return own;
    }
    let mut name = own.as_str();
    for extensions in [&COMPRESSED[..], &EXTENSIONS[..], &["txt", "dat", "json"]] {
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
    name.to_owned()
}

/// Puts the folder's name before names that occur more than once, and its folder's, until they differ.
fn tell_apart(sources: &mut [Source]) {
    const DEEPEST: usize = 8;
    for depth in 1..=DEEPEST {
        let mut times: HashMap<String, usize> = HashMap::new();
        for source in sources.iter() {
            *times.entry(source.name.clone()).or_default() += 1;
        }
        let mut changed = false;
        for source in sources.iter_mut().filter(|source| times[&source.name] > 1) {
            if let Some(folder) = source.path.ancestors().nth(depth).and_then(Path::file_name) {
                source.name = format!("{}/{}", folder.to_string_lossy(), source.name);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
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
    }
}
