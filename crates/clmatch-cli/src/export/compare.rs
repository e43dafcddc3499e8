//! Representations of the same rows side by side.

use clmatch::Measure;
use clmatch_analysis::representations::{
    MeasureComparison, PairedDifference, Representation, Representations,
};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::number::{counted, short};
use super::{Format, pretty};
use crate::failure::INDENT;

pub fn print(
    found: &Representations,
    measures: &[&'static Measure],
    format: Format,
    width: Option<usize>,
) -> String {
    match format {
        Format::Json => pretty(found),
        Format::Csv => numbers(found, measures).csv(),
        Format::Table => {
            let mut text = wrap(&headline(found), width, INDENT) + "\n";
            if let Some(label) = &found.label {
                text.push_str(&(wrap(&format!("label: {label}"), width, INDENT) + "\n"));
            }
            text.push_str(&format!("\n{}\n", scores(found, measures).terminal(width)));
            for (measure, compared) in measures.iter().zip(&found.measures) {
                text.push_str(&(wrap(&verdict(measure, compared, found), width, INDENT) + "\n"));
            }
            if let Some(table) = differences(found, measures) {
                text.push_str(&format!("\n{}", table.terminal(width)));
            }
            text
        }
        Format::Markdown => {
            let sentences: Vec<String> = measures
                .iter()
                .zip(&found.measures)
                .map(|(measure, compared)| escape(&verdict(measure, compared, found)))
                .collect();
            let differences = differences(found, measures);
            let differences =
                differences.map_or_else(String::new, |table| format!("\n{}", table.markdown(2)));
            format!(
                "{}\n\n{}\n{}\n{differences}",
                escape(&headline(found)),
                scores(found, measures).markdown(1),
                sentences.join("\n")
            )
        }
    }
}

fn headline(found: &Representations) -> String {
    let points = counted(found.points, "point");
    format!(
        "{} representations of the same {points} in {} classes",
        found.representations.len(),
        found.classes
    )
}

/// A score with its interval, and a mark on the winner.
fn score(one: &Representation, measure: &Measure, compared: &MeasureComparison) -> Cell {
    let Some(value) = one.scores.get(measure.id) else { return Cell::empty() };
    let mark = if compared.winner.as_ref() == Some(&one.name) { "*" } else { "" };
    let interval = one.interval(measure.id).map_or_else(String::new, |interval| {
        format!(" [{}, {}]", short(interval.low, measure), short(interval.high, measure))
    });
    Cell::number(value, format!("{mark}{}{interval}", short(value, measure)))
}

fn scores(found: &Representations, measures: &[&'static Measure]) -> Table {
    let mut columns = vec![Column::text("representation"), Column::number("features").spare(1)];
    let spare = |at: usize| if at == 0 { 0 } else { 2 };
    columns.extend(measures.iter().enumerate().map(|(at, one)| Column::number(one.id).spare(spare(at))));
    let mut table = Table::new(columns);
    for one in &found.representations {
        let cells = [Cell::text(&one.name), Cell::count(one.features)].into_iter();
        let scores =
            measures.iter().zip(&found.measures).map(|(measure, compared)| score(one, measure, compared));
        table.row(cells.chain(scores));
    }
    table
}

/// Which representation wins by a measure, or why none does.
fn verdict(measure: &Measure, compared: &MeasureComparison, found: &Representations) -> String {
    let (id, best) = (measure.id, &compared.best);
    if compared.differences.is_empty() {
        return format!("{id}: {best} is the best; whether by chance cannot be told");
    }
    if let Some(winner) = &compared.winner {
        return format!("{id}: {winner} is significantly better than every other representation");
    }
    let doubtful = compared.differences.iter().filter(|one| !one.significant);
    let rivals: Vec<&str> = doubtful
        .filter_map(|one| match (one.a == *best, one.b == *best) {
            (true, _) => Some(one.b.as_str()),
            (_, true) => Some(one.a.as_str()),
            _ => None,
        })
        .collect();
    match rivals[..] {
        [only] => format!("{id}: no winner; {best} is the best, but not significantly better than {only}"),
        _ if rivals.len() + 1 == found.representations.len() => {
            format!("{id}: no winner; {best} is the best, but not significantly better than any other")
        }
        _ => format!(
            "{id}: no winner; {best} is the best, but not significantly better than {}",
            rivals.join(", ")
        ),
    }
}

/// Differences by the first measure: from each representation to the next, and from the first to the last of more than two.
fn differences(found: &Representations, measures: &[&'static Measure]) -> Option<Table> {
    let (measure, compared) = (measures.first()?, found.measures.first()?);
    if compared.differences.is_empty() {
        return None;
    }
    let names: Vec<&str> = found.representations.iter().map(|one| one.name.as_str()).collect();
    let mut pairs: Vec<(&str, &str)> = names.windows(2).map(|pair| (pair[0], pair[1])).collect();
    if names.len() > 2 {
        pairs.extend(names.first().copied().zip(names.last().copied()));
    }
    let mut table = Table::new([
        Column::text("from"),
        Column::text("to"),
        Column::number(format!("change of {}", measure.id)),
        Column::text("95% interval"),
        Column::number("corrected p"),
    ]);
    for (a, b) in pairs {
        let found = compared.differences.iter().find(|one| one.a == a && one.b == b);
        if let Some(one) = found {
            table.row([
                Cell::text(a),
                Cell::text(b),
                Cell::number(one.difference, format!("{:+.3}", one.difference)),
                Cell::text(format!("[{:+.3}, {:+.3}]", one.low, one.high)),
                Cell::number(one.corrected_p_value, probability(one)),
            ]);
        }
    }
    Some(table)
}

fn probability(one: &PairedDifference) -> String {
    if one.corrected_p_value < 0.001 { "< 0.001".to_owned() } else { format!("{:.3}", one.corrected_p_value) }
}

/// One row for each representation and measure, with all digits.
fn numbers(found: &Representations, measures: &[&'static Measure]) -> Table {
    let titles = ["representation", "features", "measure", "score", "low", "high", "best", "winner"];
    let mut table = Table::new(titles.map(Column::text));
    for one in &found.representations {
        for (measure, compared) in measures.iter().zip(&found.measures) {
            let value = one.scores.get(measure.id);
            let interval = one.interval(measure.id);
            let number = |value: Option<f64>| Cell::or_empty(value.map(|value| Cell::number(value, "")));
            table.row([
                Cell::text(&one.name),
                Cell::count(one.features),
                Cell::text(measure.id),
                number(value),
                number(interval.map(|interval| interval.low)),
                number(interval.map(|interval| interval.high)),
                Cell::truth(compared.best == one.name, ""),
                Cell::truth(compared.winner.as_ref() == Some(&one.name), ""),
            ]);
        }
    }
    table
}
