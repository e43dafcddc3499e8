//! The committed results are complete.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use clmatch_cluster::external::External;
use clmatch_truth::classifiers::Method;
use clmatch_truth::techniques::Technique;

const TRUTH: &str = include_str!("../../../lab/results/truth.csv");
const CLASSIFIERS: &str = include_str!("../../../lab/results/classifiers.csv");
/// The number of datasets in the catalogue.
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

#[test]
fn every_dataset_has_every_classifier() {
    let mut lines = CLASSIFIERS.lines();
    assert_eq!(lines.next(), Some("dataset,classifier,accuracy,settings,seconds"));
    let mut found: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let [dataset, classifier, accuracy, settings, seconds] = cells[..] else { panic!("{line}") };
        let accuracy: f64 = accuracy.parse().unwrap();
        assert!((0.0..=1.0).contains(&accuracy) && seconds.parse::<f64>().unwrap() >= 0.0, "{line}");
        assert!(settings.contains('=') || classifier == "lda", "{line}");
        assert!(found.entry(dataset).or_default().insert(classifier, accuracy).is_none(), "twice: {line}");
    }
    assert_eq!(found.len(), DATASETS);
    for (dataset, accuracies) in &found {
        let each = Method::ALL.map(|method| accuracies[method.id()]);
        let best = each.into_iter().fold(0.0, f64::max);
        assert_eq!((accuracies.len(), accuracies["ensemble"]), (Method::ALL.len() + 1, best), "{dataset}");
    }
}

#[test]
fn every_page_has_its_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/results");
    let text =
        |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let index = text("index.md");
    for name in clmatch_lab::first_page::pages() {
        assert!(index.contains(&format!("({name}.md)")), "{name}");
        let page = text(&format!("{name}.md"));
        let links = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let experiment = name.trim_end_matches("-authors");
        let mut count = 0;
        for link in links {
            assert!(!text(link).is_empty() && link.starts_with(experiment), "{name}: {link}");
            count += 1;
        }
        assert!(count >= 1 && page.contains("## Files"), "{name}");
    }
}
