//! Ground truth: a table of the best techniques, or all rows.

use clmatch_analysis::ground_truth::{GroundTruth, TechniqueRow};
use clmatch_cluster::external::External;

use super::csv::quoted;
use super::layout::{Layout, Side};
use super::number::significant;
use super::{json, markdown};
use crate::args::Format;

const DIGITS: usize = 12;

/// Ranked datasets in the chosen form.
pub fn print(ranked: &[GroundTruth], externals: &[External], format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(ranked, externals, width),
        Format::Csv => csv(ranked),
        Format::Json => json::pretty(&ranked),
        Format::Markdown => markdown(ranked, externals),
    }
}

/// One row per dataset, technique and external measure.
pub fn csv(ranked: &[GroundTruth]) -> String {
    let mut text = String::from("dataset,technique,external,score,settings,seconds\n");
    for dataset in ranked {
        for row in &dataset.techniques {
            text.push_str(&format!(
                "{},{},{},{},{},{}\n",
                quoted(&dataset.dataset),
                row.technique,
                row.external,
                significant(row.score, DIGITS),
                quoted(&row.settings),
                significant(row.seconds, 4)
            ));
        }
    }
    text
}

fn table(ranked: &[GroundTruth], externals: &[External], width: Option<usize>) -> String {
    let mut layout = Layout::default()
        .column("#", Side::Right)
        .column("dataset", Side::Left)
        .spare_column("points", Side::Right, 2)
        .spare_column("classes", Side::Right, 3);
    for (at, external) in externals.iter().enumerate() {
        layout = layout.column(external.id(), Side::Right);
        if at == 0 {
            layout = layout.spare_column("by", Side::Left, 1);
        }
    }
    for (at, dataset) in ranked.iter().enumerate() {
        layout.row(cells(at, dataset, externals));
    }
    let mut text = if ranked.is_empty() { String::new() } else { layout.render(width) };
    let lonely: Vec<String> = ranked.iter().flat_map(lonely).collect();
    if !lonely.is_empty() {
        text.push_str(
            "\nDBSCAN scores higher with min_samples=1 and nearly every point alone; that does not count:\n",
        );
        lonely.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    text
}

fn markdown(ranked: &[GroundTruth], externals: &[External]) -> String {
    let titles = ["rank", "dataset", "points", "classes"].into_iter().chain(
        externals
            .iter()
            .enumerate()
            .flat_map(|(at, external)| std::iter::once(external.id()).chain((at == 0).then_some("by"))),
    );
    let mut text = markdown::header(&titles.collect::<Vec<_>>(), 2);
    for (at, dataset) in ranked.iter().enumerate() {
        let cells: Vec<String> =
            cells(at, dataset, externals).iter().map(|cell| markdown::escape(cell)).collect();
        text.push_str(&markdown::line(&cells));
    }
    text
}

fn cells(at: usize, dataset: &GroundTruth, externals: &[External]) -> Vec<String> {
    let mut cells = vec![
        (at + 1).to_string(),
        dataset.dataset.clone(),
        dataset.points.to_string(),
        dataset.classes.to_string(),
    ];
    for (at, external) in externals.iter().enumerate() {
        let best = dataset.best(*external);
        cells.push(best.map_or_else(String::new, |row| format!("{:.3}", row.score)));
        if at == 0 {
            cells.push(best.map_or_else(String::new, |row| row.technique.clone()));
        }
    }
    cells
}

/// Partitions that do not count and are better than all that do.
fn lonely(dataset: &GroundTruth) -> impl Iterator<Item = String> + '_ {
    let wins = |row: &&TechniqueRow| {
        let best = External::find(&row.external).and_then(|external| dataset.best(external));
        !row.counts() && best.is_none_or(|best| row.score > best.score)
    };
    let rows = dataset.techniques.iter().filter(wins);
    rows.map(|row| format!("{}: {} {:.3} ({})", dataset.dataset, row.external, row.score, row.settings))
}
