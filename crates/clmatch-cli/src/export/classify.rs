//! Accuracies: a table of datasets by classifiers, or all rows.

use clmatch_analysis::accuracies::{Accuracies, ENSEMBLE};
use clmatch_truth::classifiers::Method;

use super::csv::quoted;
use super::layout::{Layout, Side};
use super::number::significant;
use super::{json, markdown};
use crate::args::Format;

const DIGITS: usize = 12;

/// Ranked datasets in the chosen form.
pub fn print(ranked: &[Accuracies], methods: &[Method], format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(ranked, methods, width),
        Format::Csv => csv(ranked),
        Format::Json => json::pretty(&ranked),
        Format::Markdown => markdown(ranked, methods),
    }
}

/// One row per dataset and classifier.
pub fn csv(ranked: &[Accuracies]) -> String {
    let mut text = String::from("dataset,classifier,accuracy,settings,seconds\n");
    for dataset in ranked {
        for row in &dataset.classifiers {
            text.push_str(&format!(
                "{},{},{},{},{}\n",
                quoted(&dataset.dataset),
                row.classifier,
                significant(row.accuracy, DIGITS),
                quoted(&row.settings),
                significant(row.seconds, 4)
            ));
        }
    }
    text
}

fn table(ranked: &[Accuracies], methods: &[Method], width: Option<usize>) -> String {
    let Some(first) = ranked.first() else { return String::new() };
    let mut layout = Layout::default()
        .column("#", Side::Right)
        .column("dataset", Side::Left)
        .spare_column("points", Side::Right, 2)
        .spare_column("classes", Side::Right, 3)
        .column(ENSEMBLE, Side::Right);
    for method in methods {
        layout = layout.column(method.id(), Side::Right);
    }
    for (at, dataset) in ranked.iter().enumerate() {
        layout.row(cells(at, dataset, methods));
    }
    let limit = match first.mode.max_points() {
        Some(points) => format!("at most {points} points of each dataset"),
        None => "all points".to_owned(),
    };
    let settings = first.evaluations;
    format!("{}\n{}: {limit}, {settings} settings a search\n", layout.render(width), first.mode)
}

fn markdown(ranked: &[Accuracies], methods: &[Method]) -> String {
    let fixed = ["rank", "dataset", "points", "classes", ENSEMBLE].into_iter();
    let titles: Vec<&str> = fixed.chain(methods.iter().map(|method| method.id())).collect();
    let mut text = markdown::header(&titles, 2);
    for (at, dataset) in ranked.iter().enumerate() {
        let cells: Vec<String> =
            cells(at, dataset, methods).iter().map(|cell| markdown::escape(cell)).collect();
        text.push_str(&markdown::line(&cells));
    }
    text
}

fn cells(at: usize, dataset: &Accuracies, methods: &[Method]) -> Vec<String> {
    let mut cells = vec![
        (at + 1).to_string(),
        dataset.dataset.clone(),
        dataset.points.to_string(),
        dataset.classes.to_string(),
    ];
    let ids = std::iter::once(ENSEMBLE).chain(methods.iter().map(|method| method.id()));
    cells.extend(ids.map(|id| dataset.of(id).map_or_else(String::new, |accuracy| format!("{accuracy:.3}"))));
    cells
}
