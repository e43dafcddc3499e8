//! Ground truth: a table of the best techniques, or all rows.

use clmatch_analysis::ground_truth::{GroundTruth, TechniqueRow};
use clmatch_cluster::external::External;
use clmatch_render::method_scores::truth_csv;
use clmatch_render::{Cell, Column, Table, wrap};

use super::{Format, pretty};
use crate::failure::INDENT;

/// Ranked datasets in the chosen form.
pub fn print(ranked: &[GroundTruth], externals: &[External], format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => terminal(ranked, externals, width),
        Format::Csv => truth_csv(ranked),
        Format::Json => pretty(&ranked),
        Format::Markdown => best(ranked, externals).markdown(2),
    }
}

fn terminal(ranked: &[GroundTruth], externals: &[External], width: Option<usize>) -> String {
    let table = best(ranked, externals);
    let mut text = if table.is_empty() { String::new() } else { table.terminal(width) };
    let lonely: Vec<String> = ranked.iter().flat_map(lonely).collect();
    if !lonely.is_empty() {
        let why = "DBSCAN scores higher where nearly every point is a cluster of its own (min_samples=1), which does not count:";
        text.push_str(&format!("\n{}\n", wrap(why, width, INDENT)));
        lonely.iter().for_each(|line| text.push_str(&format!("  {}\n", wrap(line, width, 2 * INDENT))));
    }
    text
}

/// The best score of each dataset by each measure, and the technique that reached the first of them.
fn best(ranked: &[GroundTruth], externals: &[External]) -> Table {
    let mut columns = vec![
        Column::number("#").called("rank"),
        Column::text("dataset"),
        Column::number("points").spare(2),
        Column::number("classes").spare(3),
        Column::text("label").spare(4),
    ];
    for (at, external) in externals.iter().enumerate() {
        columns.push(Column::number(external.id()));
        columns.extend((at == 0).then(|| Column::text("by").spare(1)));
    }
    let mut table = Table::new(columns);
    for (place, dataset) in ranked.iter().enumerate() {
        let mut cells = vec![
            Cell::count(place + 1),
            Cell::text(&dataset.dataset),
            Cell::count(dataset.points),
            Cell::count(dataset.classes),
            Cell::or_empty(dataset.label.as_ref().map(|label| Cell::text(&label.name))),
        ];
        for (at, external) in externals.iter().enumerate() {
            let best = dataset.best(*external);
            cells.push(Cell::or_empty(best.map(|row| Cell::number(row.score, format!("{:.3}", row.score)))));
            if at == 0 {
                cells.push(Cell::or_empty(best.map(|row| Cell::text(&row.technique))));
            }
        }
        table.row(cells);
    }
    table
}

/// Partitions that do not count although they score better than all that do.
fn lonely(dataset: &GroundTruth) -> impl Iterator<Item = String> + '_ {
    let wins = |row: &&TechniqueRow| {
        let best = External::find(&row.external).and_then(|external| dataset.best(external));
        !row.counts() && best.is_none_or(|best| row.score > best.score)
    };
    let rows = dataset.techniques.iter().filter(wins);
    rows.map(|row| format!("{}: {} {:.3} ({})", dataset.dataset, row.external, row.score, row.settings))
}
