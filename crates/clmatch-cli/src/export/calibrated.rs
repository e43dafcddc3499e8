//! Growth rates: a table, or all digits.

use clmatch_analysis::growth_rates::{GrowthRateRow, GrowthRates};
use clmatch_report::csv;

use super::layout::{Layout, Side};
use super::number::significant;
use super::{json, markdown};
use crate::args::Format;

const TITLES: [&str; 5] = ["variant", "k", "error", "R2", "built in"];
/// Digits of tables for people, and of those for programs.
const SHORT: usize = 5;
const LONG: usize = 12;

pub fn print(calibrated: &GrowthRates, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(calibrated, width),
        Format::Json => json::pretty(calibrated),
        Format::Csv => numbers(calibrated),
        Format::Markdown => {
            let rows: Vec<Vec<String>> = calibrated.variants.iter().map(cells).collect();
            clmatch_report::markdown::table(&TITLES, 1, &rows) + &doubts(calibrated, "\n* ", markdown::escape)
        }
    }
}

fn table(calibrated: &GrowthRates, width: Option<usize>) -> String {
    let mut layout = Layout::default();
    for (at, title) in TITLES.iter().enumerate() {
        layout = layout.column(title, if at == 0 { Side::Left } else { Side::Right });
    }
    calibrated.variants.iter().for_each(|rate| layout.row(cells(rate)));
    let datasets = calibrated.datasets;
    format!(
        "{datasets} judged datasets\n\n{}{}",
        layout.render(width),
        doubts(calibrated, "\n", str::to_owned)
    )
}

fn cells(rate: &GrowthRateRow) -> Vec<String> {
    vec![
        rate.variant.clone(),
        significant(rate.k, SHORT),
        significant(rate.error, 2),
        format!("{:.3}", rate.r2),
        rate.built_in.map_or_else(|| "-".to_owned(), |k| significant(k, SHORT)),
    ]
}

/// Names the variants whose growth rate is not to be trusted.
fn doubts(calibrated: &GrowthRates, before: &str, escape: impl Fn(&str) -> String) -> String {
    let doubtful = calibrated.variants.iter().filter(|rate| rate.at_end);
    let line = |rate: &GrowthRateRow| {
        let name = escape(&rate.variant);
        format!(
            "{before}{name}: k lies at an end of the interval; move --low or --high, or judge more datasets\n"
        )
    };
    doubtful.map(line).collect()
}

fn numbers(calibrated: &GrowthRates) -> String {
    let row = |rate: &GrowthRateRow| {
        vec![
            rate.variant.clone(),
            significant(rate.k, LONG),
            significant(rate.error, LONG),
            significant(rate.r2, LONG),
            rate.at_end.to_string(),
            rate.built_in.map_or_else(String::new, |k| significant(k, LONG)),
        ]
    };
    let rows: Vec<Vec<String>> = calibrated.variants.iter().map(row).collect();
    csv::table(&["variant", "k", "error", "r2", "at_end", "built_in"], &rows)
}
