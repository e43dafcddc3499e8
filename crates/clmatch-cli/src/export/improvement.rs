//! An improvement in the chosen form.

use clmatch::measure::find;
use clmatch_analysis::improvement::{BeforeAfter, Improved};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::number::{counted, short, significant};
use super::{Format, heading, pretty};
use crate::failure::INDENT;
use crate::output::CLASSICAL;

/// How many features a table shows.
const SHOWN: usize = 20;

pub fn improvement(improved: &Improved, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(improved, width),
        Format::Json => pretty(improved),
        Format::Csv => csv(improved),
        Format::Markdown => markdown(improved),
    }
}

/// The rows of the table of scores: which points, and their scores.
fn scores(improved: &Improved) -> Vec<(&'static str, BeforeAfter)> {
    let table = &improved.scores;
    let halves = [("used to choose", table.chosen), ("held out", table.held_out), ("all", Some(table.all))];
    halves.into_iter().filter_map(|(name, scores)| Some((name, scores?))).collect()
}

fn value(improved: &Improved, value: f64) -> String {
    find(&improved.objective).map_or_else(|| significant(value, 4), |measure| short(value, measure))
}

fn gain(by: f64) -> String {
    let text = format!("{by:+.3}");
    if text == "-0.000" { "+0.000".into() } else { text }
}

fn headline(improved: &Improved) -> String {
    format!(
        "{} by {}: {} of {} kept{}",
        improved.objective,
        improved.found_by,
        improved.kept,
        counted(improved.features, "feature"),
        if improved.weighted { ", with weights" } else { "" }
    )
}

/// What the same search gains by chance.
fn chance(improved: &Improved) -> Option<String> {
    let null = improved.null.as_ref()?;
    Some(format!(
        "chance: {} searches with shuffled labels gain {} on the points used to choose and {} on the held-out points; p = {:.3} for a gain this large",
        null.shuffles,
        gain(null.mean_gain_chosen),
        gain(null.mean_gain_held_out),
        null.p_value
    ))
}

fn table(improved: &Improved, width: Option<usize>) -> String {
    let [points, dimensions] = [(improved.points, "point"), (improved.features, "feature")]
        .map(|(count, thing)| counted(count, thing));
    let size = format!(": {points}, {dimensions}, {} classes", improved.classes);
    let mut text = heading(&improved.dataset, &size, width);
    if let Some(label) = &improved.label {
        text.push_str(&(wrap(&format!("label: {label}"), width, INDENT) + "\n"));
    }
    text.push_str(&format!("{}\n\n{}", headline(improved), before_and_after(improved).terminal(width)));
    if let Some(sentence) = chance(improved) {
        let width = width.unwrap_or(CLASSICAL).min(CLASSICAL);
        text.push_str(&format!("\n{}\n", wrap(&sentence, Some(width), 0)));
    }
    text.push('\n');
    text.push_str(&features(improved, SHOWN, improved.weighted).terminal(width));
    if improved.kept_features.len() > SHOWN {
        text.push_str(&format!("({} more)\n", improved.kept_features.len() - SHOWN));
    }
    text
}

fn markdown(improved: &Improved) -> String {
    let scores = before_and_after(improved).markdown(1);
    let chance = chance(improved).map_or_else(String::new, |sentence| format!("\n{sentence}\n"));
    let features = features(improved, usize::MAX, true).markdown(1);
    format!("{}: {}\n\n{scores}{chance}\n{features}", escape(&improved.dataset), headline(improved))
}

/// The scores of the halves and of all points.
fn before_and_after(improved: &Improved) -> Table {
    let numbers = ["count", "before", "after", "gain"].map(Column::number);
    let mut table = Table::new(std::iter::once(Column::text("points")).chain(numbers));
    for (name, BeforeAfter { points, before, after }) in scores(improved) {
        table.row([
            Cell::text(name),
            Cell::count(points),
            Cell::number(before, value(improved, before)),
            Cell::number(after, value(improved, after)),
            Cell::number(after - before, gain(after - before)),
        ]);
    }
    table
}

/// The first features that were kept.
fn features(improved: &Improved, shown: usize, weighted: bool) -> Table {
    let weight = weighted.then(|| Column::number("weight"));
    let columns = std::iter::once(Column::text("feature")).chain(weight);
    let mut table = Table::new(columns.chain([Column::number("contribution")]));
    for kept in improved.kept_features.iter().take(shown) {
        let weight = weighted.then(|| Cell::number(kept.weight, significant(kept.weight, 3)));
        let cells = std::iter::once(Cell::text(&kept.feature)).chain(weight);
        table.row(cells.chain([Cell::number(kept.contribution, gain(kept.contribution))]));
    }
    table
}

/// One row per kept feature.
fn csv(improved: &Improved) -> String {
    let mut table = Table::new(["feature", "index", "weight", "contribution"].map(Column::text));
    for kept in &improved.kept_features {
        let numbers = [kept.weight, kept.contribution].map(|number| Cell::number(number, ""));
        table.row([Cell::text(&kept.feature), Cell::count(kept.index)].into_iter().chain(numbers));
    }
    table.csv()
}
