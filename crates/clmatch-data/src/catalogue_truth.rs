//! The scores that tuned clustering techniques reach on the catalogued datasets: the ground truth for choosing benchmarks.
//!
//! `data/truth.csv` holds the scores of `lab/results/truth.csv` with six digits and without settings, one line per dataset
//! and external measure, and the size of the smallest class of each dataset. It is written by `cargo xtask catalogue`.
//!
//! ```
//! use clmatch_data::catalogue_truth::CatalogueTruth;
//!
//! let truth = CatalogueTruth::embedded();
//! let row = truth.rows.iter().find(|row| row.dataset == "iris" && row.external == "ami").ok_or("iris is there")?;
//! assert_eq!(row.scores.len(), truth.techniques.len());
//! # Ok::<(), &str>(())
//! ```

use std::sync::LazyLock;

static EMBEDDED: LazyLock<CatalogueTruth> =
    LazyLock::new(|| CatalogueTruth::parse(include_str!("../data/truth.csv")));

/// Scores of clustering techniques on the catalogued datasets.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueTruth {
    /// Ids of the techniques, in the order of the scores.
    pub techniques: Vec<String>,
    /// The scores.
    pub rows: Vec<TruthRow>,
}

/// The scores on one dataset by one external measure.
#[derive(Debug, Clone, PartialEq)]
pub struct TruthRow {
    /// The name of the dataset, as in the catalogue.
    pub dataset: String,
    /// How many points its smallest class has.
    pub smallest_class: usize,
    /// The external measure.
    pub external: String,
    /// One score per technique.
    pub scores: Vec<f64>,
}

impl CatalogueTruth {
    /// The table that comes with the program.
    pub fn embedded() -> &'static CatalogueTruth {
        &EMBEDDED
    }

    /// How many points the smallest class of a dataset has.
    pub fn smallest_class(&self, dataset: &str) -> Option<usize> {
        self.rows.iter().find(|row| row.dataset == dataset).map(|row| row.smallest_class)
    }

    /// Leaves out lines that do not match the header; the tests check that there are none.
    fn parse(text: &str) -> CatalogueTruth {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let techniques = header.iter().skip(3).map(|id| (*id).to_owned()).collect();
        CatalogueTruth {
            techniques,
            rows: lines.filter_map(|line| TruthRow::parse(line, header.len())).collect(),
        }
    }
}

impl TruthRow {
    fn parse(line: &str, columns: usize) -> Option<TruthRow> {
        let fields: Vec<&str> = line.split(',').collect();
        let scores: Result<Vec<f64>, _> = fields.get(3..)?.iter().map(|field| field.parse()).collect();
        (fields.len() == columns).then_some(TruthRow {
            dataset: fields[0].to_owned(),
            smallest_class: fields[1].parse().ok()?,
            external: fields[2].to_owned(),
            scores: scores.ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn every_catalogued_dataset_has_its_truth() {
        let truth = CatalogueTruth::embedded();
        let lines = include_str!("../data/truth.csv").lines().count();
        assert_eq!(truth.rows.len(), lines - 1);
        for entry in &Catalogue::embedded().entries {
            let rows = truth.rows.iter().filter(|row| row.dataset == entry.name);
            let externals: Vec<&str> = rows.map(|row| row.external.as_str()).collect();
            assert_eq!(externals, ["ami", "arand", "vm", "nmi"], "{}", entry.name);
            let smallest = truth.smallest_class(&entry.name).unwrap();
            assert!(smallest >= 2 && smallest <= entry.points / entry.classes, "{}", entry.name);
        }
    }
}
