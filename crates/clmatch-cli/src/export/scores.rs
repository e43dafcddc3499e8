//! Scores of one dataset, and of many in order.

use clmatch::Measure;
use clmatch::measure::{Better, find};
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::scored::CatalogueStanding;
use clmatch_data::LabelSource;
use clmatch_report::markdown::escape;
use clmatch_report::{Cell, Column, Table};

use super::number::{short, significant};
use super::{Format, pretty};
use crate::advice::in_words;

/// How many classes are named with their sizes before the rest is summed up.
const CLASSES_SHOWN: usize = 6;

/// A ranking in the chosen form.
pub fn ranking(ranking: &Ranking, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => terminal_ranking(ranking, width),
        Format::Json => pretty(&ranking.entries(in_words)),
        Format::Csv => {
            let mut table = ranking_table(ranking, false);
            for failed in &ranking.failed {
                let name = [Cell::empty(), Cell::text(&failed.dataset)];
                let labels = usize::from(shows_labels(ranking.ranked.iter().map(|ranked| &ranked.scored)));
                let nothing = std::iter::repeat_n(Cell::empty(), 3 + labels + ranking.measures.len());
                table.row(name.into_iter().chain(nothing));
            }
            table.csv()
        }
        Format::Markdown => {
            let failed = ranking.failed.iter();
            let failed = failed.map(|failed| format!("\nFailed: {}\n", escape(&failed.error.to_string())));
            ranking_table(ranking, false).markdown(2) + &failed.collect::<String>()
        }
    }
}

/// One dataset in the chosen form.
pub fn dataset(
    scored: &Scored,
    measures: &[&'static Measure],
    format: Format,
    width: Option<usize>,
) -> String {
    match format {
        Format::Table => terminal_dataset(scored, measures, width),
        Format::Json => pretty(scored),
        Format::Csv => {
            let shown = Shown { labels: shows_labels([scored]), thirds: false };
            let mut table = Table::new(columns(measures, shown));
            table.row(cells(Cell::count(1), scored, measures, shown));
            table.csv()
        }
        Format::Markdown => {
            let (name, features) = (escape(&scored.dataset), scored.features);
            let mut table = Table::new([Column::text("measure"), Column::number("score")]);
            measures.iter().for_each(|measure| table.row([Cell::text(measure.id), value(scored, measure)]));
            format!(
                "{name}: {} points, {features} features, {} classes{}\n\n{}",
                scored.points,
                scored.classes,
                scored.label.as_ref().map_or_else(String::new, |label| escape(&format!("; label: {label}"))),
                table.markdown(1)
            )
        }
    }
}

/// Columns that are there only where they say something.
#[derive(Clone, Copy)]
struct Shown {
    labels: bool,
    thirds: bool,
}

/// Whether to say which column holds the labels; those of embedded datasets are no question.
fn shows_labels<'a>(datasets: impl IntoIterator<Item = &'a Scored>) -> bool {
    let labels = datasets.into_iter().filter_map(|scored| scored.label.as_ref());
    labels.into_iter().any(|label| label.source != LabelSource::Embedded)
}

fn ranking_table(ranking: &Ranking, thirds: bool) -> Table {
    let shown = Shown { labels: shows_labels(ranking.ranked.iter().map(|ranked| &ranked.scored)), thirds };
    let mut table = Table::new(columns(&ranking.measures, shown));
    for ranked in &ranking.ranked {
        let tie = if ranked.tied { "=" } else { "" };
        let rank = Cell::count(ranked.rank).shown(format!("{}{tie}", ranked.rank));
        table.row(cells(rank, &ranked.scored, &ranking.measures, shown));
    }
    table
}

fn columns(measures: &[&'static Measure], shown: Shown) -> Vec<Column> {
    let mut columns = vec![
        Column::number("#").called("rank"),
        Column::text("dataset"),
        Column::number("points").spare(1),
        Column::number("features").spare(3),
        Column::number("classes").spare(2),
    ];
    columns.extend(shown.labels.then(|| Column::text("label").spare(5)));
    columns.extend(shown.thirds.then(|| Column::text("third").spare(4)));
    columns.extend(measures.iter().map(|measure| Column::number(measure.id)));
    columns
}

fn cells(rank: Cell, scored: &Scored, measures: &[&'static Measure], shown: Shown) -> Vec<Cell> {
    let mut cells = vec![rank, Cell::text(&scored.dataset)];
    cells.extend([scored.points, scored.features, scored.classes].map(Cell::count));
    let third = || Cell::or_empty(scored.standing.as_ref().map(|place| Cell::text(place.third.name())));
    let label = || Cell::or_empty(scored.label.as_ref().map(|label| Cell::text(&label.name)));
    cells.extend(shown.labels.then(label));
    cells.extend(shown.thirds.then(third));
    cells.extend(measures.iter().map(|measure| value(scored, measure)));
    cells
}

fn terminal_ranking(ranking: &Ranking, width: Option<usize>) -> String {
    let thirds = ranking.ranked.iter().any(|ranked| ranked.scored.standing.is_some());
    let table = ranking_table(ranking, thirds);
    let mut text = if table.is_empty() { String::new() } else { table.terminal(width) };
    if ranking.hidden > 0 {
        text.push_str(&format!("({} more)\n", ranking.hidden));
    }
    for failed in &ranking.failed {
        text.push_str(&format!("failed: {}\n", failed.error));
    }
    text
}

fn terminal_dataset(scored: &Scored, measures: &[&'static Measure], width: Option<usize>) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!(
        "{bold}{}{bold:#}: {} points, {} features, {} classes\n",
        scored.dataset, scored.points, scored.features, scored.classes
    );
    if let Some(label) = &scored.label {
        text.push_str(&format!("label: {label}\n"));
    }
    text.push_str(&format!("classes: {}\n", class_sizes(scored)));
    if let Some(dropped) = &scored.dropped {
        text.push_str(&format!("dropped: {:.1}% of the points\n", 100.0 * dropped.fraction));
    }
    if let Some(sentence) = estimated(scored) {
        text.push_str(&format!("{sentence}\n"));
    }
    let mut table = Table::new([
        Column::text("measure"),
        Column::number("score"),
        Column::text("better").spare(2),
        Column::text("worst pair of classes").spare(1),
    ]);
    for measure in measures {
        let better = if measure.better == Better::Higher { "higher" } else { "lower" };
        let worst = Cell::text(worst_pair(scored, measure));
        table.row([Cell::text(measure.id), value(scored, measure), Cell::text(better), worst]);
    }
    text = text + "\n" + &table.terminal(width);
    if let Some(sentence) = standing(scored) {
        text.push_str(&format!("\n{sentence}\n"));
    }
    text
}

/// One sentence on an estimate, for people.
pub fn estimated(scored: &Scored) -> Option<String> {
    let approximate = scored.approximate.as_ref()?;
    let (sampled, error) = (approximate.sampled, significant(approximate.largest_error(), 2));
    Some(format!("estimated from {sampled} of {} points: 95% error at most {error}", scored.points))
}

fn class_sizes(scored: &Scored) -> String {
    let mut parts: Vec<String> = scored
        .sizes
        .iter()
        .take(CLASSES_SHOWN)
        .map(|size| format!("{} ({})", size.class, size.points))
        .collect();
    if scored.sizes.len() > CLASSES_SHOWN {
        parts.push(format!("and {} more", scored.sizes.len() - CLASSES_SHOWN));
    }
    parts.join(", ")
}

/// The pair of classes that matches worst, where there is more than one pair.
fn worst_pair(scored: &Scored, measure: &Measure) -> String {
    let worst = scored.worst_pair(measure).filter(|_| scored.pairs.len() > 1);
    worst.map_or_else(String::new, |(pair, score)| {
        format!("{}  {} | {}", short(score, measure), pair.a, pair.b)
    })
}

/// One sentence on the place in the catalogue, for people.
fn standing(scored: &Scored) -> Option<String> {
    let CatalogueStanding { measure, above, of, third, .. } = scored.standing.as_ref()?;
    let by = find(measure)?;
    let value = short(scored.scores.get(by.id)?, by);
    let (name, advice) = (third.name(), third.advice());
    Some(format!("{} {value}: above {above} of the {of} catalogued datasets; {name} third: {advice}", by.id))
}

fn value(scored: &Scored, measure: &Measure) -> Cell {
    Cell::or_empty(scored.scores.get(measure.id).map(|value| Cell::number(value, short(value, measure))))
}
