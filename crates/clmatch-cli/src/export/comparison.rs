//! What changed between two rankings.

use clmatch::Measure;
use clmatch_analysis::comparison::{Change, Comparison, RankedState};
use clmatch_render::{Cell, Column, Table};

use super::number::{short, significant};
use super::{Format, pretty};

pub fn print(Comparison { by, changes, .. }: &Comparison, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Json => pretty(changes),
        Format::Csv => numbers(changes, by).csv(),
        Format::Markdown => format!("By {}\n\n{}", by.id, table(changes, by).markdown(2)),
        Format::Table => format!("by {}\n\n{}", by.id, table(changes, by).terminal(width)),
    }
}

fn table(changes: &[Change], by: &Measure) -> Table {
    let mut table = Table::new([
        Column::text("dataset"),
        Column::text("rank"),
        Column::number("before"),
        Column::number("after"),
        Column::number("change"),
        Column::text("data"),
    ]);
    for change in changes {
        let value = |side: &Option<RankedState>| {
            Cell::or_empty(side.as_ref().map(|side| Cell::number(side.value, short(side.value, by))))
        };
        table.row([
            Cell::text(&change.dataset),
            Cell::text(ranks(change)),
            value(&change.before),
            value(&change.after),
            Cell::or_empty(change.change.map(|difference| Cell::number(difference, signed(difference)))),
            data(change),
        ]);
    }
    table
}

/// How the data changed, and whether that is the only difference.
fn data(change: &Change) -> Cell {
    let settings = if change.settings.is_empty() { "" } else { ", settings differ" };
    match change.same_data {
        Some(true) => Cell::truth(true, format!("same{settings}")),
        Some(false) => Cell::truth(false, format!("changed{settings}")),
        None if change.settings.is_empty() => Cell::empty(),
        None => Cell::empty().shown("settings differ"),
    }
}

fn ranks(change: &Change) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) if before.rank == after.rank => after.rank.to_string(),
        (Some(before), Some(after)) => format!("{} -> {}", before.rank, after.rank),
        (Some(before), None) => format!("{} -> gone", before.rank),
        (None, Some(after)) => format!("new -> {}", after.rank),
        (None, None) => String::new(),
    }
}

fn signed(difference: f64) -> String {
    format!("{}{}", if difference > 0.0 { "+" } else { "" }, significant(difference, 3))
}

/// A table with all digits, and the ranks in columns of their own.
fn numbers(changes: &[Change], by: &Measure) -> Table {
    let id = by.id;
    let (before, after) = (format!("{id}_before"), format!("{id}_after"));
    let titles = ["dataset", "rank_before", "rank_after", &before, &after, "change", "same_data", "settings"];
    let mut table = Table::new(titles.map(Column::text));
    for change in changes {
        let rank =
            |side: &Option<RankedState>| Cell::or_empty(side.as_ref().map(|side| Cell::count(side.rank)));
        let value = |side: &Option<RankedState>| {
            Cell::or_empty(side.as_ref().map(|side| Cell::number(side.value, "")))
        };
        table.row([
            Cell::text(&change.dataset),
            rank(&change.before),
            rank(&change.after),
            value(&change.before),
            value(&change.after),
            Cell::or_empty(change.change.map(|difference| Cell::number(difference, ""))),
            Cell::or_empty(change.same_data.map(|same| Cell::truth(same, ""))),
            Cell::text(change.settings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
        ]);
    }
    table
}
