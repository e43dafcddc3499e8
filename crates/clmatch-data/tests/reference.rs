//! All measures on the paper's datasets, against reference values and against the embedded catalogue.
//!
//! The datasets lie beside the checkout where they are at hand; without them the tests say so and pass.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a failed unwrap is a failed test")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clmatch::measure::REGISTRY;
use clmatch::{Classes, Evaluation, evaluate};
use clmatch_data::catalogue::Catalogue;
use clmatch_data::{ReadOptions, Scale, find, read};
use rayon::prelude::*;

/// The reference file holds 12 significant digits of values that were computed to about 1e-7.
const REFERENCE: f64 = 1e-7;
/// The reference stops its geometric median at a coarse step.
const REFERENCE_MEDIAN: f64 = 1e-5;
/// The reference breaks ties between neighbours by the order of rows.
const REFERENCE_TIES: f64 = 5e-4;
/// Another machine may add in another order.
const CATALOGUE: f64 = 1e-9;

struct Finished {
    checksum: String,
    evaluation: Evaluation,
}

static FINISHED: LazyLock<Option<HashMap<String, Finished>>> = LazyLock::new(|| {
    let folder = shared().join("datasets");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return None;
    }
    let sources = find(&[folder]).unwrap();
    Some(sources.par_iter().map(|source| (source.name.clone(), score(source))).collect())
});

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn score(source: &clmatch_data::Source) -> Finished {
    let mut dataset = read(source, &ReadOptions::default()).unwrap();
    let checksum = dataset.checksum();
    dataset.scale(Scale::MaxAbs);
    let classes = Classes::new(dataset.points().unwrap(), &dataset.labels).unwrap();
    Finished { checksum, evaluation: evaluate(&classes, REGISTRY).unwrap() }
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance * expected.abs(),
        "{what}: {found} where {expected} is expected, off by {error:e}"
    );
}

#[test]
fn reference_values_are_reproduced() {
    let (Some(finished), Ok(text)) =
        (&*FINISHED, std::fs::read_to_string(shared().join("reference/golden.csv")))
    else {
        return;
    };
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let mut compared = 0;
    for fields in lines {
        let evaluation = &finished[fields[0]].evaluation;
        for (id, expected) in header.iter().zip(&fields).skip(1) {
            let Some(found) = evaluation.value(id) else {
                assert_eq!(*id, "published_ch_a", "every other column is a measure");
                continue;
            };
            let tolerance = match *id {
                "di_a" => REFERENCE_MEDIAN,
                "clm" => REFERENCE_TIES,
                _ => REFERENCE,
            };
            assert_close(found, expected.parse().unwrap(), tolerance, &format!("{} {id}", fields[0]));
            compared += 1;
        }
    }
    assert_eq!(compared, 18 * 13);
}

#[test]
fn published_scores_are_reproduced_to_their_three_digits() {
    let (Some(finished), Ok(text)) =
        (&*FINISHED, std::fs::read_to_string(shared().join("reference/golden.csv")))
    else {
        return;
    };
    let at = text.lines().next().unwrap().split(',').position(|id| id == "published_ch_a").unwrap();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let published: f64 = fields[at].parse().unwrap();
        let found = finished[fields[0]].evaluation.value("ch_a").unwrap();
        assert!((found - published).abs() <= 5.01e-4, "{}: {found} against {published}", fields[0]);
    }
}

#[test]
fn the_catalogue_is_up_to_date() {
    let Some(finished) = &*FINISHED else { return };
    let catalogue = Catalogue::embedded();
    assert_eq!(catalogue.entries.len(), finished.len());
    for entry in &catalogue.entries {
        let now = &finished[&entry.name];
        assert_eq!(entry.checksum, now.checksum, "{}", entry.name);
        for (id, &expected) in catalogue.measures.iter().zip(&entry.scores) {
            let found = now.evaluation.value(id).unwrap();
            assert_close(found, expected, CATALOGUE, &format!("{} {id}", entry.name));
        }
    }
}
