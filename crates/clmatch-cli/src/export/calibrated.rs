//! Growth rates: a table, or all digits.

use clmatch_analysis::calibration::{GrowthRateRow, GrowthRates};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::number::{counted, significant};
use super::{Format, pretty};
use crate::failure::INDENT;

/// Significant digits in tables for people.
const SHORT: usize = 5;

pub fn print(rates: &GrowthRates, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => {
            let (datasets, table) = (rates.datasets, table(rates).terminal(width));
            let doubts = doubts(rates, "\n", |line| wrap(line, width, INDENT));
            format!("{}\n\n{table}{doubts}", counted(datasets, "judged dataset"))
        }
        Format::Json => pretty(rates),
        Format::Csv => numbers(rates).csv(),
        Format::Markdown => table(rates).markdown(1) + &doubts(rates, "\n* ", escape),
    }
}

fn table(rates: &GrowthRates) -> Table {
    let numbers = ["k", "error", "R2", "built in"].map(Column::number);
    let mut table = Table::new(std::iter::once(Column::text("variant")).chain(numbers));
    for rate in &rates.variants {
        let built_in = rate.built_in.map(|k| Cell::number(k, significant(k, SHORT)));
        table.row([
            Cell::text(&rate.variant),
            Cell::number(rate.k, significant(rate.k, SHORT)),
            Cell::number(rate.error, significant(rate.error, 2)),
            Cell::number(rate.r2, format!("{:.3}", rate.r2)),
            built_in.unwrap_or_else(|| Cell::empty().shown("-")),
        ]);
    }
    table
}

/// A table with all digits, and with doubts in a column of their own.
fn numbers(rates: &GrowthRates) -> Table {
    let mut table = Table::new(["variant", "k", "error", "r2", "at_end", "built_in"].map(Column::text));
    for rate in &rates.variants {
        table.row([
            Cell::text(&rate.variant),
            Cell::number(rate.k, ""),
            Cell::number(rate.error, ""),
            Cell::number(rate.r2, ""),
            Cell::truth(rate.at_end, ""),
            Cell::or_empty(rate.built_in.map(|k| Cell::number(k, ""))),
        ]);
    }
    table
}

/// Names the variants whose growth rate cannot be trusted.
fn doubts(rates: &GrowthRates, before: &str, escape: impl Fn(&str) -> String) -> String {
    let doubtful = rates.variants.iter().filter(|rate| rate.at_end);
    let line = |rate: &GrowthRateRow| {
        let doubt = "k lies at an end of the interval; change --low or --high, or judge more datasets";
        format!("{before}{}\n", escape(&format!("{}: {doubt}", rate.variant)))
    };
    doubtful.map(line).collect()
}
