//! The halves of `clm` and their terms, which show what makes the score low.

use clmatch::measure::find;
use clmatch::{ClmTerms, Measure};
use clmatch_analysis::Scored;
use clmatch_analysis::clm_halves::ClmHalves;
use clmatch_render::{Cell, Column, Table};

use super::number::short;

/// The terms of both halves as columns of a CSV.
const COLUMNS: [&str; 8] = [
    "clm_of_pairs",
    "eta_of_pairs",
    "kappa_of_pairs",
    "nu_of_pairs",
    "clm_of_all",
    "lambda_of_all",
    "kappa_of_all",
    "nu_of_all",
];

/// A row for pairs of classes, one for all classes at once, and one for the worst pair if there are several.
pub fn table(scored: &Scored) -> Option<Table> {
    let (halves, clm) = (scored.terms?, find("clm")?);
    let mut table = Table::new([
        Column::text("terms of clm"),
        Column::number("line"),
        Column::number("tree"),
        Column::number("neighbours"),
        Column::number("score"),
    ]);
    let mut row = |name: String, terms: [f64; 4]| {
        let numbers = terms.map(|value| Cell::number(value, short(value, clm)));
        table.row([Cell::text(name)].into_iter().chain(numbers));
    };
    row("pairs of classes".to_owned(), of_pairs(&halves));
    if let Some(terms) = of_all(&halves) {
        row("all classes".to_owned(), terms);
    }
    if let Some((pair, ClmTerms { eta, kappa, nu, .. }, score)) = worst(scored, clm) {
        row(pair, [eta, kappa, nu, score]);
    }
    Some(table)
}

fn of_pairs(halves: &ClmHalves) -> [f64; 4] {
    let ClmTerms { eta, kappa, nu, .. } = halves.of_pairs;
    [eta, kappa, nu, halves.pairs]
}

fn of_all(halves: &ClmHalves) -> Option<[f64; 4]> {
    let terms = halves.of_all?;
    Some([terms.lambda, terms.kappa, terms.nu, halves.all?])
}

/// The worst pair, with its terms and its score, if there are several pairs.
fn worst(scored: &Scored, clm: &Measure) -> Option<(String, ClmTerms, f64)> {
    let measures = [Some(clm), find("clm_pairs")].into_iter().flatten();
    let (pair, score) = measures.filter_map(|measure| scored.worst_pair(measure)).next()?;
    let several = scored.pairs.len() > 1;
    Some((format!("{} | {}", pair.a, pair.b), pair.terms.filter(|_| several)?, score))
}

/// The columns of a CSV, if there are terms.
pub fn columns(scored: &Scored) -> Vec<Column> {
    if scored.terms.is_some() { COLUMNS.map(Column::number).to_vec() } else { Vec::new() }
}

/// The cells of these columns.
pub fn cells(scored: &Scored) -> Vec<Cell> {
    let Some(halves) = scored.terms else { return Vec::new() };
    let [eta, kappa, nu, pairs] = of_pairs(&halves).map(Some);
    let [lambda, kappa_of_all, nu_of_all, all] = of_all(&halves).map_or([None; 4], |terms| terms.map(Some));
    let cell = |value: Option<f64>| Cell::or_empty(value.map(|value| Cell::number(value, "")));
    [pairs, eta, kappa, nu, all, lambda, kappa_of_all, nu_of_all].map(cell).to_vec()
}
