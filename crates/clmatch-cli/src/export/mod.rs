//! Finished numbers to text, one form a file.

pub mod calibrated;
pub mod classify;
pub mod csv;
pub mod improvement;
pub mod json;
pub mod layout;
pub mod markdown;
pub mod number;
pub mod stability;
pub mod table;
pub mod truth;

use clmatch::Measure;
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranking;

use crate::args::Format;

/// A ranking in the chosen form.
pub fn ranking(ranking: &Ranking, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table::ranking(ranking, width),
        Format::Json => json::ranking(ranking),
        Format::Csv => csv::ranking(ranking),
        Format::Markdown => markdown::ranking(ranking),
    }
}

/// One dataset in the chosen form.
pub fn dataset(
    scored: &Scored,
    measures: &[&'static Measure],
    format: Format,
    width: Option<usize>,
) -> String {
    match format {
        Format::Table => table::dataset(scored, measures, width),
        Format::Json => json::dataset(scored),
        Format::Csv => csv::dataset(scored, measures),
        Format::Markdown => markdown::dataset(scored, measures),
    }
}
