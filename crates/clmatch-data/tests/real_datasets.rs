//! Every dataset at hand is read; without them there is nothing to do.

use std::path::{Path, PathBuf};

use clmatch::Classes;
use clmatch_data::{ReadOptions, find, read};

#[test]
fn all_datasets_at_hand_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/datasets");
    if !folder.is_dir() {
        println!("note: no datasets at {}, nothing was checked", folder.display());
        return;
    }
    let sources = find(std::slice::from_ref(&folder)).unwrap();
    let folders =
        std::fs::read_dir(&folder).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(sources.len(), folders);
    let names: Vec<&String> = sources.iter().map(|source| &source.name).collect();
    assert!(names.is_sorted());
    for source in &sources {
        let dataset = read(source, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let classes = Classes::new(dataset.points().unwrap(), &dataset.labels)
            .unwrap_or_else(|error| panic!("{}: {error}", source.name));
        assert_eq!(classes.len(), dataset.rows());
    }
    let find_one = |name: &str| {
        let source = sources.iter().find(|source| source.name == name).unwrap();
        read(source, &ReadOptions::default()).unwrap()
    };
    let har = find_one("hiva");
    assert_eq!(har.labels.names(), ["-1", "1"], "whole numbers print as integers");
    let iris = find_one("iris");
    assert_eq!(iris.values.get(0), 5.099999904632568, "numbers are exact");
}

#[test]
fn a_data_file_brings_its_labels() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/datasets/iris");
    if !folder.is_dir() {
        println!("note: no datasets at {}, nothing was checked", folder.display());
        return;
    }
    let sources = find(&[folder.join("data.bin")]).unwrap();
    assert_eq!(sources[0].name, "iris");
    let dataset = read(&sources[0], &ReadOptions::default()).unwrap();
    assert_eq!(dataset.labels.names().len(), 3);
}
