//! The committed results are whole.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use clmatch_cluster::external::External;
use clmatch_lab::truth::Technique;

const TRUTH: &str = include_str!("../../../lab/results/truth.csv");
/// Datasets of the catalogue.
const DATASETS: usize = 92;

#[test]
fn every_dataset_has_every_technique_and_measure() {
    let mut lines = TRUTH.lines();
    assert_eq!(lines.next(), Some("dataset,technique,external,score,settings,seconds"));
    let mut found: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let [dataset, technique, external, score, settings, seconds] = cells[..] else { panic!("{line}") };
        let score: f64 = score.parse().unwrap();
        assert!((-1.0..=1.0).contains(&score) && seconds.parse::<f64>().unwrap() >= 0.0, "{line}");
        assert!(settings.contains('='), "{line}");
        assert!(found.entry(dataset).or_default().insert((technique, external)), "twice: {line}");
    }
    assert_eq!(found.len(), DATASETS);
    for (dataset, rows) in &found {
        for technique in Technique::ALL {
            for external in External::ALL {
                assert!(
                    rows.contains(&(technique.id(), external.id())),
                    "{dataset} {technique:?} {external:?}"
                );
            }
        }
    }
}
