//! The options of `clmatch relabel`.

use std::path::PathBuf;

use clap::Args;
use clmatch_analysis::relabelling::RowRange;

use super::{Format, InputArgs};
use crate::value_parsers::{parse_rows, parse_share, whole};

#[derive(Debug, Args)]
#[command(after_help = RELABEL_HELP)]
pub struct RelabelArgs {
    /// The dataset: a file, a folder with data and label files, the name of an embedded dataset, or - for standard input.
    pub file: PathBuf,
    /// Write the repaired dataset here; the extension decides the format, which is that of FILE without one; - writes CSV to
    /// standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub changes: ChangeArgs,
    #[command(flatten)]
    pub input: InputArgs,
    /// Write the whole report to a file, as JSON.
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// The format of the report on standard output.
    #[arg(long, value_enum, default_value = "table", help_heading = "Output")]
    pub format: Format,
    /// Show no progress and no notes, only errors and warnings.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096), help_heading = "Changes")]
    pub threads: Option<u64>,
}

const RELABEL_HELP: &str = "All names are those of the classes in FILE, except that --rename comes last and may name what \
    merging and splitting have made. Rows are counted from 1 in the order of the file, as in errors and in clmatch \
    explain: a line of column names is no row, rows that --missing drop leaves out are. OUT is FILE \
    with other labels: every other column, ids and texts among them, and the rows that stay keep their order. A table that \
    cannot be scored can be relabelled all the same, unless a class is to be split. The report compares clm before and after.";

/// What to change.
#[derive(Debug, Args)]
#[command(next_help_heading = "Changes")]
pub struct ChangeArgs {
    /// Make one class of these, called A+B; a name with commas stands in double quotes; may be given several times.
    #[arg(long, value_name = "A,B,...", allow_hyphen_values = true)]
    pub merge: Vec<String>,
    /// Make a class of each cluster of this one, called 'CLASS 1', 'CLASS 2' and so on, the largest first; may be given
    /// several times.
    #[arg(long, value_name = "CLASS", allow_hyphen_values = true)]
    pub split: Vec<String>,
    /// Give a class another name; may be given several times.
    #[arg(long, value_name = "OLD=NEW", allow_hyphen_values = true)]
    pub rename: Vec<String>,
    /// Leave out these rows: numbers and ranges.
    #[arg(long, value_name = "3,7,10-12", value_delimiter = ',', value_parser = parse_rows)]
    pub drop_rows: Vec<RowRange>,
    /// Give rows that look mislabelled the class that is suggested for them; the file is one that
    /// clmatch explain --points has written.
    #[arg(long, value_name = "POINTS.csv")]
    pub suggested: Option<PathBuf>,
    /// Leave out rows that look mislabelled, and outliers, by a file that clmatch explain --points has written.
    #[arg(long, value_name = "POINTS.csv")]
    pub drop_suspects: Option<PathBuf>,
    /// Write the new labels into a column of this name beside the old ones, instead of replacing them.
    #[arg(long = "as", value_name = "NAME", allow_hyphen_values = true)]
    pub column: Option<String>,
    /// How probable it must be that a label is wrong.
    #[arg(long, value_name = "P", value_parser = parse_share, default_value = "0.5")]
    pub above: f64,
    /// The seed of the search for clusters of classes, the same as that of clmatch explain.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
}
