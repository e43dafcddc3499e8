//! The lists of suspicious points: the first rows as a table, the others behind a button, and all of them as a file.

use clmatch_analysis::explanation::{ExplainedDataset, ShownCells, file_column};

use crate::pages::ranking::data_uri;
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, thousands};
use crate::{Cell, Column, Table, shorten, visible};

/// How many rows are shown at once.
const FIRST: usize = 50;
/// How many further rows the page holds; the file holds all of them.
const MORE: usize = 1000;
/// How long a cell of the file may be.
const CELL: usize = 80;

/// A list of points.
pub(super) struct SuspectList {
    pub(super) title: &'static str,
    pub(super) caption: String,
    pub(super) first: HtmlTable,
    /// The rows that are shown on request.
    pub(super) rest: Option<HtmlTable>,
    pub(super) more: String,
    /// What the file holds, its name and its content.
    pub(super) all: String,
    pub(super) file: &'static str,
    pub(super) csv: String,
    /// What to do about the points.
    pub(super) command: Option<String>,
}

/// A point as the page shows it, without and with a bar, and as the file holds it.
struct SuspectRow<'a> {
    row: usize,
    shown: &'a ShownCells,
    others: Vec<HtmlCell>,
    exact: Vec<Cell>,
}

pub(super) fn mislabelled(explained: &ExplainedDataset, command: &str) -> SuspectList {
    let points = explained.mislabelled.iter().enumerate().map(|(at, point)| SuspectRow {
        row: point.row,
        shown: &point.shown,
        others: vec![
            HtmlCell::text(&point.label),
            HtmlCell::text(&point.suggested),
            share(point.probability, at < FIRST),
        ],
        exact: vec![
            Cell::text(&point.label),
            Cell::text(&point.suggested),
            Cell::number(point.probability, ""),
        ],
    });
    let columns = vec![
        HtmlColumn::text("label", ""),
        HtmlColumn::text("looks like", ""),
        HtmlColumn::number("probability that the label is wrong", ""),
    ];
    let caption = match explained.mislabelled.len() {
        0 => "No point looks mislabelled.".to_owned(),
        count => {
            format!(
                "Neighbours and distances agree that {} may be of another class.",
                counted(count, "point")
            )
        }
    };
    let list = list(
        "Points that look mislabelled",
        caption,
        columns,
        &["label", "suggested", "probability"],
        points,
    );
    let command = (!explained.mislabelled.is_empty()).then(|| command.to_owned());
    SuspectList { command, file: "mislabelled.csv", ..list }
}

pub(super) fn outliers(explained: &ExplainedDataset) -> SuspectList {
    let points = explained.outliers.iter().map(|point| SuspectRow {
        row: point.row,
        shown: &point.shown,
        others: vec![
            HtmlCell::text(&point.label),
            HtmlCell::number(point.distance, format!("{:.2}", point.distance)),
        ],
        exact: vec![Cell::text(&point.label), Cell::number(point.distance, "")],
    });
    let columns = vec![
        HtmlColumn::text("label", ""),
        HtmlColumn::number("distance", "How far it lies from every class: above 3 it counts as an outlier"),
    ];
    let caption = match explained.outliers.len() {
        0 => "No point lies far from every class.".to_owned(),
        count => format!("{} (a distance above 3 counts as far).", counted(count, "point")),
    };
    list("Points far from every class", caption, columns, &["label", "distance"], points)
}

/// A share, with a bar if there is room for it.
fn share(share: f64, bar: bool) -> HtmlCell {
    let cell = HtmlCell::share(share);
    if bar { cell } else { HtmlCell { bar: None, ..cell } }
}

fn list<'a>(
    title: &'static str,
    caption: String,
    columns: Vec<HtmlColumn>,
    ids: &[&str],
    points: impl Iterator<Item = SuspectRow<'a>>,
) -> SuspectList {
    let points: Vec<SuspectRow<'a>> = points.collect();
    let names: Vec<&String> =
        points.first().map(|point| point.shown.0.iter().map(|(name, _)| name).collect()).unwrap_or_default();
    let row = HtmlColumn::number("row", "Rows of data are counted from 1");
    let shown = names.iter().map(|name| HtmlColumn::text(&short(name), "A column of the file"));
    let columns: Vec<HtmlColumn> = std::iter::once(row).chain(shown).chain(columns).collect();
    let ids: Vec<&str> = ["row"].iter().chain(ids).copied().collect();
    let shown = names.iter().map(|name| Column::text(file_column(name, &ids)));
    let mut file = Table::new(ids.iter().map(|id| Column::text(*id)).chain(shown));
    let count = points.len();
    let mut rows = Vec::with_capacity(count.min(FIRST + MORE));
    for SuspectRow { row, shown, others, exact } in points {
        let cells = shown.0.iter().map(|(_, cell)| cell);
        file.row(std::iter::once(Cell::count(row)).chain(exact).chain(cells.clone().map(Cell::text)));
        if rows.len() < FIRST + MORE {
            let number = HtmlCell::number(row as f64, row.to_string());
            let shown = cells.map(|cell| HtmlCell::text(short(cell)));
            rows.push(HtmlRow { cells: std::iter::once(number).chain(shown).chain(others).collect() });
        }
    }
    let rest = rows.split_off(rows.len().min(FIRST));
    let table =
        |rows: Vec<HtmlRow>| HtmlTable { id: "", caption: title.to_owned(), columns: columns.clone(), rows };
    SuspectList {
        title,
        caption,
        more: format!("Show {} more", thousands(rest.len())),
        rest: (!rest.is_empty()).then(|| table(rest)),
        first: table(rows),
        all: format!("All {}", counted(count, "row")),
        file: "outliers.csv",
        csv: data_uri("text/csv", &file.csv()),
        command: None,
    }
}

fn short(text: &str) -> String {
    shorten(&visible(text), CELL)
}
