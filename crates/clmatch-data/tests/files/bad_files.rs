//! Paths that are not files, files that cannot be opened, and labels in a file beside the points.

use std::path::PathBuf;
#[cfg(unix)]
use std::time::Duration;

use clmatch_data::{ReadOptions, Source, find, read};
use tempfile::TempDir;

use crate::common::{f64s, npy, put, zip, zlib};

/// Reading that takes longer than this counts as waiting forever.
#[cfg(unix)]
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let empty = folder.path().join("x.csv");
    std::fs::create_dir(&empty).unwrap();
    let error = find(std::slice::from_ref(&empty)).unwrap_err();
    assert!(error.to_string().ends_with("x.csv: no dataset was found in this folder"), "{error}");
    assert!(error.advice.unwrap().to_string().contains("csv, tsv"));
    let error = read(&Source::new(&empty), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("this is a folder, not a file"), "{error}");
    assert!(error.advice.is_some());

    let error = find(&[folder.path().join("nothing.csv")]).unwrap_err();
    assert!(error.to_string().contains("nothing.csv: cannot be opened"), "{error}");
    assert!(error.advice.is_some());
    let error = read(&Source::new(folder.path().join("nothing.csv")), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be opened"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_does_not_hang() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("note: mkfifo is not there, nothing was checked");
        return;
    }
    // Nothing ever writes to the pipe, so reading from it waits forever.
    let (sender, errors) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let found = find(std::slice::from_ref(&pipe)).unwrap_err();
        let read = read(&Source::new(&pipe), &ReadOptions::default()).unwrap_err();
        sender.send([found, read]).unwrap();
    });
    for error in errors.recv_timeout(LIMIT).unwrap() {
        assert!(error.to_string().contains("pipe.csv: this is a pipe or device, not a file"), "{error}");
        assert!(error.advice.unwrap().to_string().contains("'-'"));
    }
    // In a folder, the pipe is skipped.
    put(folder.path(), "a.csv", "a,y\n1,x\n");
    assert_eq!(find(&[folder.path().to_owned()]).unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "a.csv", "a,y\n1,x\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        println!("note: this user may read everything, nothing was checked");
        return;
    }
    let error = read(&Source::new(&path), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("a.csv: cannot be opened"), "{error}");
    assert!(error.advice.unwrap().to_string().contains("permissions"));
}

#[test]
fn folders_are_walked_in_order() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(root, "b.csv", "a,y\n1,x\n");
    put(root, "a/data.bin", zlib("[[1]]"));
    put(root, "a/label.bin", zlib("[1]"));
    put(root, "c/one.csv", "a,y\n1,x\n");
    put(root, "c/d/one.csv.gz", crate::common::gzip(b"a,y\n1,x\n"));
    put(root, "c/e.npy", npy("<f8", false, "(1, 1)", &f64s(&[1.0])));
    put(root, "c/e_label.npy", npy("<i8", false, "(1,)", &[0; 8]));
    put(root, "README.md", "not data");
    put(root, ".hidden.csv", "a,y\n1,x\n");
    put(root, "z_bin.zip", zip(&[("data.bin", &zlib("[[1]]")), ("label.bin", &zlib("[1]"))]));
    let found = find(&[root.to_owned()]).unwrap();
    let names: Vec<&str> = found.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "d/one", "e", "c/one", "z"]);
    for source in &found {
        read(source, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    }
    let stdin = find(&[PathBuf::from("-")]).unwrap();
    assert_eq!((stdin[0].name.as_str(), stdin.len()), ("stdin", 1));
}

#[test]
fn labels_may_lie_in_a_file_of_their_own() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let points = put(root, "points.csv", "a,b\n1,2\n3,4\n5,6\n");
    let with = |file: PathBuf| ReadOptions { labels_file: Some(file), ..ReadOptions::default() };
    for (name, bytes) in [
        ("plain.txt", b"x\nz\nx\n".to_vec()),
        ("header.txt", b"species\nx\nz\nx\n".to_vec()),
        ("table.csv", b"id,species\n1,x\n2,z\n3,x\n".to_vec()),
        ("packed.csv.gz", crate::common::gzip(b"x\nz\nx\n")),
        ("array.npy", npy("<U1", false, "(3,)", &[120, 0, 0, 0, 122, 0, 0, 0, 120, 0, 0, 0])),
        ("column.npy", npy("|S1", false, "(3, 1)", b"xzx")),
        ("list.bin", zlib("[\"x\", \"z\", \"x\"]")),
        ("list.json", b"[\"x\", \"z\", \"x\"]".to_vec()),
        ("array.npz", zip(&[("y.npy", &npy("|S1", false, "(3,)", b"xzx"))])),
    ] {
        let labels = put(root, name, bytes);
        let dataset =
            read(&Source::new(&points), &with(labels)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((dataset.n_points(), dataset.n_features()), (3, 2), "{name}");
        assert_eq!(dataset.labels().names(), ["x", "z"], "{name}");
        assert_eq!(dataset.labels().codes(), [0, 1, 0], "{name}");
    }
    let refused = |name: &str, bytes: &[u8]| {
        let labels = put(root, name, bytes);
        let error = read(&Source::new(&points), &with(labels)).unwrap_err();
        assert!(error.advice.is_some());
        error.to_string()
    };
    assert!(refused("few.txt", b"x\nz\n").contains("few.txt: there are 2 labels for 3 rows"));
    assert!(refused("hole.txt", b"x\nNA\nx\n").contains("hole.txt, line 2: the label is missing"));
    assert!(refused("empty.txt", b"").contains("empty.txt: the file is empty"));
    assert!(refused("latin.txt", b"x\n\xe4\nx\n").contains("line 2: '\u{fffd}' is not valid UTF-8"));
    // A column that is named like a label stays a feature, with a warning.
    let both = put(root, "both.csv", "a,class\n1,2\n3,4\n5,6\n");
    let dataset = read(&Source::new(both), &with(root.join("plain.txt"))).unwrap();
    assert!(dataset.notes.iter().any(|note| note.to_string().contains("though its name says label")));
}
