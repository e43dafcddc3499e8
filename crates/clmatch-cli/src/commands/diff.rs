//! `clmatch diff A.json B.json`: what changed between two rankings.

use std::process::ExitCode;

use clmatch::Measure;
use clmatch_analysis::comparison::{Change, RankedState, StoredScores, compare};

use crate::args::{DiffArgs, Format};
use crate::export::csv::quoted;
use crate::export::json::pretty;
use crate::export::layout::{Layout, Side};
use crate::export::markdown;
use crate::export::number::{short, significant};
use crate::failure::{Failure, emit_remark};
use crate::output;

pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let compared = compare(StoredScores::read(&args.before)?, StoredScores::read(&args.after)?, args.by)?;
    compared.remarks.iter().for_each(emit_remark);
    let (changes, by) = (&compared.changes, compared.by);
    let text = match args.output.format {
        Format::Json => pretty(changes),
        Format::Csv => csv(changes, by),
        Format::Markdown => markdown_table(changes, by),
        Format::Table => table(changes, by, output::width(&args.output)),
    };
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

const TITLES: [&str; 6] = ["dataset", "rank", "before", "after", "change", "data"];

fn cells(change: &Change, by: &Measure) -> Vec<String> {
    let value =
        |side: &Option<RankedState>| side.as_ref().map_or(String::new(), |side| short(side.value, by));
    let rank = match (&change.before, &change.after) {
        (Some(before), Some(after)) if before.rank == after.rank => after.rank.to_string(),
        (Some(before), Some(after)) => format!("{} -> {}", before.rank, after.rank),
        (Some(before), None) => format!("{} -> gone", before.rank),
        (None, Some(after)) => format!("new -> {}", after.rank),
        (None, None) => String::new(),
    };
    let difference = change.change.map_or(String::new(), |difference| match difference {
        0.0 => "0".into(),
        _ => format!("{}{}", if difference > 0.0 { "+" } else { "" }, significant(difference, 3)),
    });
    let data = match change.same_data {
        Some(true) => "same",
        Some(false) => "changed",
        None => "",
    };
    vec![change.dataset.clone(), rank, value(&change.before), value(&change.after), difference, data.into()]
}

fn table(changes: &[Change], by: &Measure, width: Option<usize>) -> String {
    let sides = [Side::Left, Side::Left, Side::Right, Side::Right, Side::Right, Side::Left];
    let columns = TITLES.iter().zip(sides);
    let mut layout = columns.fold(Layout::default(), |layout, (title, side)| layout.column(title, side));
    changes.iter().for_each(|change| layout.row(cells(change, by)));
    format!("by {}\n\n{}", by.id, layout.render(width))
}

fn markdown_table(changes: &[Change], by: &Measure) -> String {
    let lines: String = changes.iter().map(|change| markdown::line(&cells(change, by))).collect();
    format!("By {}\n\n{}{lines}", by.id, markdown::header(&TITLES, 2))
}

fn csv(changes: &[Change], by: &Measure) -> String {
    let id = by.id;
    let mut text = format!("dataset,rank_before,rank_after,{id}_before,{id}_after,change,same_data\n");
    for change in changes {
        let rank =
            |side: &Option<RankedState>| side.as_ref().map_or(String::new(), |side| side.rank.to_string());
        let value = |side: &Option<RankedState>| {
            side.as_ref().map_or(String::new(), |side| significant(side.value, 12))
        };
        let fields = [
            quoted(&change.dataset),
            rank(&change.before),
            rank(&change.after),
            value(&change.before),
            value(&change.after),
            change.change.map_or(String::new(), |difference| significant(difference, 12)),
            change.same_data.map_or(String::new(), |same| same.to_string()),
        ];
        text.push_str(&(fields.join(",") + "\n"));
    }
    text
}
