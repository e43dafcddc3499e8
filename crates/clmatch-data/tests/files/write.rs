//! Whatever is written is read back: points to the bit, labels, and names if the format has them.

use std::path::{Path, PathBuf};

use clmatch::{Labels, Values};
use clmatch_data::{Dataset, ReadOptions, Scale, Source, Target, read, write};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::put;

/// Formats that keep the names of features.
const NAMED: [&str; 10] = [
    "a.csv",
    "a.tsv",
    "a.psv",
    "a.csv.gz",
    "a.csv.zst",
    "a.parquet",
    "a.arrow",
    "a.arff",
    "a.feather",
    "a.ndjson",
];
/// Formats that do not keep them.
const NAMELESS: [&str; 8] =
    ["a.npy", "a.npz", "a.svmlight", "a.json", "a.bin", "a.npy.gz", "a.svm.gz", "a.zip"];

fn like() -> Source {
    Source::new("-")
}

fn written(dataset: &Dataset, folder: &Path, name: &str) -> Dataset {
    let path = folder.join(name);
    let target = Target::new(&path, &like()).unwrap();
    let written = write(dataset, &target).unwrap();
    assert!(written.files.iter().all(|file| file.is_file()), "{written:?}");
    read(&Source::new(path), &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn dataset(values: impl Into<Values<'static>>, features: &[&str], labels: &[&str]) -> Dataset {
    let features = features.iter().map(|&name| name.to_owned()).collect();
    Dataset::new("it's a name", features, values, Labels::encode(labels.iter().copied())).unwrap()
}

/// The bits of numbers, so that -0 differs from 0.
fn bits(values: &Values<'_>) -> Vec<u64> {
    (0..values.len()).map(|at| values.get(at).to_bits()).collect()
}

fn labels(dataset: &Dataset) -> Vec<&str> {
    (0..dataset.n_points()).map(|row| dataset.labels().name_of(row)).collect()
}

#[test]
fn every_format_comes_back() {
    let folder = TempDir::new().unwrap();
    let names = ["plain", "with space", "comma, \"quote\" and 'quote'", "ä|ö;ü"];
    let values = vec![
        0.0,
        -0.0,
        1.0 / 3.0,
        1e300,
        -5e-324,
        2.0_f64.powi(60),
        7.0,
        f64::MAX,
        0.1,
        -1e-7,
        123_456_789.5,
        0.0,
    ];
    for texts in [["x y", "z", "z"], ["2", "10", "2"], ["a", "1", "a"], ["-1", "0", "0"]] {
        let original = dataset(values.clone(), &names, &texts);
        for name in NAMED.iter().chain(&NAMELESS) {
            if texts[0] == "x y" && name.contains("svm") {
                continue;
            }
            let back = written(&original, folder.path(), name);
            assert_eq!(bits(back.values()), bits(original.values()), "{name}");
            assert_eq!(labels(&back), labels(&original), "{name}");
            if NAMED.contains(name) {
                assert_eq!(back.features(), original.features(), "{name}");
            }
        }
    }
}

#[test]
fn single_precision_stays_or_becomes_exact_doubles() {
    let folder = TempDir::new().unwrap();
    let original = dataset(vec![0.1_f32, 1.5, -3e30, 1e-40], &["a", "b"], &["p", "q"]);
    for name in NAMED.iter().chain(&NAMELESS) {
        let back = written(&original, folder.path(), name);
        assert_eq!(bits(back.values()), bits(original.values()), "{name}");
    }
    for name in ["x.npy", "x.npz", "x.parquet", "x.arrow"] {
        assert!(matches!(written(&original, folder.path(), name).values(), Values::F32(_)), "{name}");
    }
}

#[test]
fn coordinates_are_written_of_a_dataset_that_was_scaled() {
    let folder = TempDir::new().unwrap();
    let values = vec![0.1_f32, 3.0, -0.7, 1.5];
    let expected: Vec<u64> = values.iter().map(|&value| (f64::from(value) / 3.0).to_bits()).collect();
    let mut scaled = dataset(values, &["a", "b"], &["p", "q"]);
    scaled.scale(Scale::MaxAbs);
    for name in NAMED.iter().chain(&NAMELESS) {
        assert_eq!(bits(written(&scaled, folder.path(), name).values()), expected, "{name}");
    }
}

#[test]
fn a_name_without_extension_takes_the_format_that_was_read() {
    let folder = TempDir::new().unwrap();
    // Without a file name that says so, svmlight is recognised by labels that are numbers.
    let original = dataset(vec![1.0, 2.0, 3.0, 4.0], &["a", "b"], &["1", "2"]);
    for name in ["in.csv", "in.parquet", "in.arff", "in.npz", "in.svm", "in.npy", "in.json"] {
        let source = folder.path().join(name);
        write(&original, &Target::new(&source, &like()).unwrap()).unwrap();
        let out = folder.path().join(format!("{}_out", name.replace('.', "_")));
        write(&original, &Target::new(&out, &Source::new(&source)).unwrap()).unwrap();
        let back = read(&Source::new(&out), &ReadOptions::default()).unwrap();
        assert_eq!(
            (bits(back.values()), labels(&back)),
            (bits(original.values()), labels(&original)),
            "{name}"
        );
    }
    // The authors' folders.
    for pair in ["data.bin", "data.npy"] {
        let source = folder.path().join(format!("folder_{pair}"));
        std::fs::create_dir(&source).unwrap();
        let like = if pair == "data.bin" { like() } else { Source::new(folder.path().join("in_npy_out")) };
        write(&original, &Target::new(&source, &like).unwrap()).unwrap();
        assert!(source.join(pair).is_file());
        let out = folder.path().join(format!("out_{pair}_folder"));
        write(&original, &Target::new(&out, &Source::new(&source)).unwrap()).unwrap();
        assert!(out.join(pair).is_file());
        let back = read(&Source::new(&out), &ReadOptions::default()).unwrap();
        assert_eq!((bits(back.values()), labels(&back)), (bits(original.values()), labels(&original)));
    }
}

#[test]
fn the_input_is_never_overwritten() {
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "in.csv", "x,label\n1,a\n2,b\n");
    let source = Source::new(&path);
    for same in [path.clone(), folder.path().join(".").join("in.csv")] {
        let error = Target::new(same, &source).unwrap_err();
        assert!(error.to_string().ends_with("this is the dataset that is read"), "{error}");
    }
    let original = dataset(vec![1.0, 2.0, 3.0, 4.0], &["a", "b"], &["p", "q"]);
    let npy = folder.path().join("x.npy");
    write(&original, &Target::new(&npy, &source).unwrap()).unwrap();
    assert!(Target::new(folder.path().join("x_label.npy"), &Source::new(&npy)).is_err());
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let odd = dataset(vec![1.0, 2.0], &["a"], &["x y", "z"]);
    let path = folder.path().join("odd.svm");
    let error = write(&odd, &Target::new(&path, &like()).unwrap()).unwrap_err();
    assert!(error.to_string().contains("the label 'x y' does not fit into svmlight"), "{error}");
    assert!(error.advice.is_some());
    let nowhere: PathBuf = folder.path().join("no").join("such").join("x.csv");
    assert!(write(&odd, &Target::new(nowhere, &like()).unwrap()).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_feature_called_label_makes_way() {
    let folder = TempDir::new().unwrap();
    let original = dataset(vec![1.0, 2.0], &["Label"], &["p", "q"]);
    let path = folder.path().join("x.csv");
    let written = write(&original, &Target::new(&path, &like()).unwrap()).unwrap();
    assert_eq!(written.label.as_deref(), Some("label 2"));
    let options = ReadOptions { label: written.label, ..ReadOptions::default() };
    assert_eq!(labels(&read(&Source::new(&path), &options).unwrap()), ["p", "q"]);
}

#[test]
fn features_that_look_like_ids_are_named() {
    let folder = TempDir::new().unwrap();
    let values: Vec<f64> = (0..20).flat_map(|row| [f64::from(row), f64::from(row * 7 % 11) / 2.0]).collect();
    let labels: Vec<&str> = (0..20).map(|row| ["p", "q"][row % 2]).collect();
    let original = dataset(values, &["count", "length"], &labels);
    for (name, keep) in [("x.csv", "count"), ("x.npy", "0")] {
        let path = folder.path().join(name);
        let written = write(&original, &Target::new(&path, &like()).unwrap()).unwrap();
        assert_eq!(written.keep, [keep]);
        let options = ReadOptions { keep: written.keep, ..ReadOptions::default() };
        let back = read(&Source::new(&path), &options).unwrap();
        assert_eq!(bits(back.values()), bits(original.values()), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_numbers_come_back(
        values in prop::collection::vec(any::<f64>().prop_filter("finite", |value| value.is_finite()), 12),
        single in prop::collection::vec(any::<f32>().prop_filter("finite", |value| value.is_finite()), 12),
        texts in prop::collection::vec("[a-z]{1,4}", 4),
    ) {
        let folder = TempDir::new().unwrap();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        // A word that means a missing label cannot have been read as a label.
        prop_assume!(texts.iter().all(|text| !["na", "nan", "null", "none", "inf"].contains(text)));
        for original in
            [dataset(values.clone(), &["a", "b", "c"], &texts), dataset(single.clone(), &["a", "b", "c"], &texts)]
        {
            for name in NAMED.iter().chain(&NAMELESS) {
                let back = written(&original, folder.path(), name);
                prop_assert_eq!(bits(back.values()), bits(original.values()), "{}", name);
                prop_assert_eq!(labels(&back), labels(&original), "{}", name);
            }
        }
    }
}
