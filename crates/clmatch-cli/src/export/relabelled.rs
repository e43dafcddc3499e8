//! A relabelled dataset in the chosen form.

use clmatch_analysis::relabelling::Relabelled;
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::number::counted;
use super::{Format, heading, name, pretty};
use crate::output::CLASSICAL;

/// How many rows a sentence names.
const NAMED: usize = 12;

pub fn relabelled(relabelled: &Relabelled, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => {
            let width = Some(width.unwrap_or(CLASSICAL).min(CLASSICAL));
            let sentences: String =
                changes(relabelled).iter().map(|line| wrap(line, width, 2) + "\n").collect();
            let table = before_and_after(relabelled).terminal(width);
            let sizes = wrap(&format!("classes: {}", sizes(relabelled)), width, 2);
            let heading = heading(&relabelled.dataset, "", width);
            format!("{heading}{sentences}\n{table}\n{sizes}\n")
        }
        Format::Json => pretty(relabelled),
        Format::Csv => before_and_after(relabelled).csv(),
        Format::Markdown => {
            let sentences: String =
                changes(relabelled).iter().map(|line| format!("* {}\n", escape(line))).collect();
            format!(
                "{}\n\n{sentences}\n{}",
                escape(&relabelled.dataset),
                before_and_after(relabelled).markdown(1)
            )
        }
    }
}

/// The changes that were made, one sentence each.
fn changes(relabelled: &Relabelled) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for merged in &relabelled.merged {
        let classes: Vec<String> = merged.classes.iter().map(|class| name(class)).collect();
        sentences.push(format!("merged: {} into {}", classes.join(", "), name(&merged.into)));
    }
    for split in &relabelled.split {
        let into: Vec<String> =
            split.into.iter().map(|part| format!("{} ({})", name(&part.class), part.points)).collect();
        sentences.push(format!("split: {} into {}", name(&split.class), into.join(", ")));
    }
    for renamed in &relabelled.renamed {
        sentences.push(format!("renamed: {} to {}", name(&renamed.from), name(&renamed.to)));
    }
    if !relabelled.relabelled_rows.is_empty() {
        let rows: Vec<usize> = relabelled.relabelled_rows.iter().map(|row| row.row).collect();
        sentences.push(format!("relabelled: {}", rows_named(&rows)));
    }
    if !relabelled.dropped_rows.is_empty() {
        sentences.push(format!("dropped: {}", rows_named(&relabelled.dropped_rows)));
    }
    if sentences.is_empty() {
        sentences.push("nothing was changed".to_owned());
    }
    sentences
}

/// How many rows there are, and the first of them.
fn rows_named(rows: &[usize]) -> String {
    let first: Vec<String> = rows.iter().take(NAMED).map(usize::to_string).collect();
    let more = if rows.len() > NAMED { ", …" } else { "" };
    format!("{} ({}{more})", counted(rows.len(), "row"), first.join(", "))
}

fn sizes(relabelled: &Relabelled) -> String {
    let size = relabelled.sizes.iter().map(|size| format!("{} ({})", name(&size.class), size.points));
    size.collect::<Vec<_>>().join(", ")
}

fn before_and_after(relabelled: &Relabelled) -> Table {
    let quantity = Column::text("").with_id("quantity");
    let mut table = Table::new([quantity, Column::number("before"), Column::number("after")]);
    let Relabelled { rows, classes, clm, .. } = relabelled;
    table.row([Cell::text("rows"), Cell::count(rows.before), Cell::count(rows.after)]);
    table.row([Cell::text("classes"), Cell::count(classes.before), Cell::count(classes.after)]);
    let score = |value: Option<f64>| match value {
        Some(value) => Cell::number(value, format!("{value:.3}")),
        None => Cell::text("-"),
    };
    table.row([Cell::text("clm"), score(clm.before), score(clm.after)]);
    table
}
