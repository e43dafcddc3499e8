//! How a file is understood: a table of its columns, and the command that scores it.

use clmatch_analysis::inspection::{InspectedDataset, percent};
use clmatch_data::{ColumnRole, InspectedColumn};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, visible, wrap};

use super::number::counted;
use super::{Format, heading, pretty};
use crate::failure::INDENT;

/// How many features a table shows; CSV and JSON have all of them.
const FEATURES: usize = 30;
/// How wide an example may be in a table.
const EXAMPLE: usize = 16;

pub fn print(found: &InspectedDataset, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Json => pretty(found),
        Format::Csv => table(found.columns.iter()).csv(),
        Format::Table => {
            let size = found.size().unwrap_or_else(|| "cannot be scored as it is".to_owned());
            let mut text = heading(&found.dataset, &format!(": {size}"), width);
            if let Some(line) = label(found) {
                text += &(wrap(&visible(&line), width, INDENT) + "\n");
            }
            let (shown, hidden) = shown(&found.columns);
            if !shown.is_empty() {
                text += &format!("\n{}", table(shown.into_iter()).terminal(width));
            }
            for line in hidden.into_iter().chain(below(found)) {
                text += &(wrap(&visible(&line), width, INDENT) + "\n");
            }
            // In one line, so that it can be copied.
            text + &found.command.as_ref().map(|command| format!("\n{command}\n")).unwrap_or_default()
        }
        Format::Markdown => {
            let size = found.size().unwrap_or_else(|| "cannot be scored as it is".to_owned());
            let mut text = format!("{}: {}\n\n", escape(&found.dataset), escape(&size));
            text += &label(found).map(|line| format!("{}\n\n", escape(&line))).unwrap_or_default();
            let (shown, hidden) = shown(&found.columns);
            if !shown.is_empty() {
                text += &(table(shown.into_iter()).markdown(2) + "\n");
            }
            for line in hidden.into_iter().chain(below(found)) {
                text += &format!("{}\n\n", escape(&line));
            }
            let command = found.command.as_ref();
            text + &command.map(|command| format!("```sh\n{command}\n```\n")).unwrap_or_default()
        }
    }
}

/// The label with its alternatives.
fn label(found: &InspectedDataset) -> Option<String> {
    let label = found.label.as_ref()?;
    let others = match label.alternatives.as_slice() {
        [] => String::new(),
        others => format!("; it may as well be {}", others.join(", ")),
    };
    Some(format!("label: {label}{others}"))
}

/// What CSV, which has the columns only, does not say.
pub fn beside_csv(found: &InspectedDataset) -> Vec<String> {
    let size = found.size().map(|size| format!("{}: {size}", found.dataset));
    size.into_iter().chain(label(found)).chain(below(found)).collect()
}

/// The columns that a table shows, and a line on those that it does not.
fn shown(columns: &[InspectedColumn]) -> (Vec<&InspectedColumn>, Option<String>) {
    let mut features = 0;
    let is_shown = |column: &&InspectedColumn| {
        features += usize::from(column.role == ColumnRole::Feature);
        column.role != ColumnRole::Feature || features <= FEATURES
    };
    let shown: Vec<&InspectedColumn> = columns.iter().filter(is_shown).collect();
    let hidden = columns.len() - shown.len();
    (shown, (hidden > 0).then(|| format!("and {} more, which are features", counted(hidden, "column"))))
}

/// What is said below the table.
fn below(found: &InspectedDataset) -> Vec<String> {
    let mut lines = Vec::new();
    let features = found.points.map_or(0, |points| points.features);
    if found.columns.is_empty() && features > 0 {
        lines.push(format!("{features} numbers per row, without names"));
    }
    if found.rows_seen > 0 && found.points.is_none_or(|points| points.rows > found.rows_seen) {
        lines.push(format!("distinct and missing: in the first {}", counted(found.rows_seen, "row")));
    }
    lines.extend(found.steps.iter().map(|step| {
        let name = |setting: &clmatch_data::Setting| crate::refusal::option(setting).join(" ");
        let options: Vec<String> = step.settings.iter().map(name).collect();
        format!("{}: {}", options.join(" "), step.reason)
    }));
    lines.extend(found.notes.iter().map(|note| format!("note: {note}")));
    if let Some(obstacle) = &found.obstacle {
        lines.push(format!("in the way: {}", obstacle.what));
        lines.extend(obstacle.help.iter().map(|help| format!("help: {help}")));
    }
    lines
}

fn table<'a>(columns: impl Iterator<Item = &'a InspectedColumn>) -> Table {
    let mut table = Table::new([
        Column::number("#").with_id("index").spare(1),
        Column::text("column"),
        Column::text("type"),
        Column::text("examples"),
        Column::number("distinct"),
        Column::number("missing"),
        Column::text("role"),
        Column::text("why"),
    ]);
    for column in columns {
        let short: Vec<String> =
            column.examples.iter().map(|example| clmatch_render::shorten(example, EXAMPLE)).collect();
        table.row([
            Cell::count(column.index),
            Cell::text(&column.name),
            Cell::text(column.kind.name()),
            Cell::text(short.join(", ")),
            Cell::count(column.distinct),
            Cell::number(
                column.missing,
                if column.missing > 0.0 { percent(column.missing) } else { String::new() },
            ),
            Cell::text(column.role.name()),
            Cell::text(column.why.clone().unwrap_or_default()),
        ]);
    }
    table
}
