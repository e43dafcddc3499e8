//! Tables of scores of methods on datasets, in the form that later commands read.

use clmatch_analysis::accuracies::Accuracies;
use clmatch_analysis::ground_truth::GroundTruth;

use crate::{Cell, Column, Table};

/// Ground truth: one row per dataset, technique and external measure.
pub fn truth_csv(ranked: &[GroundTruth]) -> String {
    let columns = ["dataset", "technique", "external", "score", "settings", "seconds"];
    let mut table = Table::new(columns.map(Column::text));
    for dataset in ranked {
        for row in &dataset.techniques {
            table.row([
                Cell::text(&dataset.dataset),
                Cell::text(&row.technique),
                Cell::text(&row.external),
                Cell::number(row.score, ""),
                Cell::text(&row.settings),
                Cell::rounded(row.seconds, 4),
            ]);
        }
    }
    table.csv()
}

/// Accuracies: one row per dataset and classifier.
pub fn accuracies_csv(ranked: &[Accuracies]) -> String {
    let columns = ["dataset", "classifier", "accuracy", "settings", "seconds"];
    let mut table = Table::new(columns.map(Column::text));
    for dataset in ranked {
        for row in &dataset.classifiers {
            table.row([
                Cell::text(&dataset.dataset),
                Cell::text(&row.classifier),
                Cell::number(row.accuracy, ""),
                Cell::text(&row.settings),
                Cell::rounded(row.seconds, 4),
            ]);
        }
    }
    table.csv()
}
