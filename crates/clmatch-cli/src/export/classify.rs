//! Accuracies: a table of datasets by classifiers, or all rows.

use clmatch_analysis::accuracies::{Accuracies, ENSEMBLE};
use clmatch_render::method_scores::accuracies_csv;
use clmatch_render::{Cell, Column, Table, wrap};
use clmatch_truth::classifiers::Method;

use super::{Format, pretty};
use crate::failure::INDENT;

/// Ranked datasets in the chosen form.
pub fn print(ranked: &[Accuracies], methods: &[Method], format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => terminal(ranked, methods, width),
        Format::Csv => accuracies_csv(ranked),
        Format::Json => pretty(&ranked),
        Format::Markdown => by_classifier(ranked, methods).markdown(2),
    }
}

fn terminal(ranked: &[Accuracies], methods: &[Method], width: Option<usize>) -> String {
    let Some(first) = ranked.first() else { return String::new() };
    let table = by_classifier(ranked, methods).terminal(width);
    let limit = match first.mode.max_points() {
        Some(points) => format!("at most {points} points of each dataset"),
        None => "all points".to_owned(),
    };
    let effort = format!("{}: {limit}, {} settings a search", first.mode, first.evaluations);
    format!("{table}\n{}\n", wrap(&effort, width, INDENT))
}

/// One row per dataset.
fn by_classifier(ranked: &[Accuracies], methods: &[Method]) -> Table {
    let ids: Vec<&str> = std::iter::once(ENSEMBLE).chain(methods.iter().map(|method| method.id())).collect();
    let columns = [
        Column::number("#").called("rank"),
        Column::text("dataset"),
        Column::number("points").spare(2),
        Column::number("classes").spare(3),
        Column::text("label").spare(4),
    ];
    let mut table = Table::new(columns.into_iter().chain(ids.iter().map(|&id| Column::number(id))));
    for (place, dataset) in ranked.iter().enumerate() {
        let known = [
            Cell::count(place + 1),
            Cell::text(&dataset.dataset),
            Cell::count(dataset.points),
            Cell::count(dataset.classes),
            Cell::or_empty(dataset.label.as_ref().map(|label| Cell::text(&label.name))),
        ];
        let accuracy = |&id: &&str| {
            Cell::or_empty(dataset.of(id).map(|value| Cell::number(value, format!("{value:.3}"))))
        };
        table.row(known.into_iter().chain(ids.iter().map(accuracy)));
    }
    table
}
