//! Arguments about the dataset: where its labels are, which columns are features, how it is prepared.

mod words;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clmatch::{Measure, Singletons};
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_data::{Missing, PointsLeftOut, ReadOptions, Scale};

use super::ApproxArgs;
use crate::value_parsers::{MISSING, SCALE};

/// How a dataset is read and prepared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The label column, by name or by index (0 is the first, -1 the last); with --labels, the column of that file
    /// [default: a column named label, class, target, species or y (unless there is an x, too), else labels,
    /// outcome, diagnosis or survived, else the only column of text, else category, group or cluster, else the last one].
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    label: Option<String>,
    /// A file with one label per row, instead of a label column; if it has several columns, --label chooses one.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The matrix of an AnnData file that holds the points: X, raw/X, layers/NAME or obsm/NAME [default: X].
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,
    /// Leave these columns out.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    drop: Vec<String>,
    /// Leave out all columns of text.
    #[arg(long)]
    drop_text: bool,
    /// Use these columns as features even if they look like ids or row numbers, which are left out otherwise.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    keep: Vec<String>,
    /// Use only these columns as features.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    only: Vec<String>,
    /// Turn columns of text into indicator columns: all of them, or those that are named.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', num_args = 0..=1, require_equals = true,
        default_missing_value = "*")]
    one_hot: Vec<String>,
    /// Read a table with text, too: turn columns of text with few values into indicator columns, and leave out all other
    /// text and dates.
    #[arg(long)]
    mixed: bool,
    /// What to do with missing values.
    #[arg(long, value_name = "HOW", value_parser = MISSING, hide_possible_values = true, default_value = "error", help = MISSING_HELP)]
    missing: Missing,
    /// Take these texts for missing values, in all columns; -999 stands for all numbers of that value.
    #[arg(long, value_name = "TEXT,...", value_delimiter = ',', allow_hyphen_values = true)]
    na: Vec<String>,
    /// Read numbers that are written with a decimal comma.
    #[arg(long)]
    decimal_comma: bool,
    /// The first line of a text table holds the names of columns [default: decided by its content].
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// The first line of a text table holds data, not the names of columns.
    #[arg(long)]
    no_header: bool,
    /// Pass over the first N lines of a text table.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    skip_rows: usize,
    #[arg(long, value_name = "HOW", value_parser = SCALE, hide_possible_values = true, default_value = "max-abs", help = SCALE_HELP)]
    pub scale: Scale,
    /// Leave out the points with this label; without this option they are a class like any other.
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub noise: Option<String>,
    /// What to do with classes of one point: error (most measures need two), drop (leave the class out).
    #[arg(long, value_name = "HOW", value_enum, default_value = "error")]
    singletons: SingletonChoice,
}

const MISSING_HELP: &str = "What to do with missing values: error, drop (leave the row out, but not more than half of the rows), drop-any (leave \
    the row out), mean (use the mean of the column)";
const SCALE_HELP: &str = "How to scale the features: none, max-abs (divide everything by the largest absolute value, as \
    in the paper), standard, min-max or robust (each column on its own)";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SingletonChoice {
    Error,
    Drop,
}

impl InputArgs {
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            label: self.label.clone(),
            labels_file: self.labels.clone(),
            layer: self.layer.clone(),
            drop: self.drop.clone(),
            drop_text: self.drop_text,
            keep: self.keep.clone(),
            only: self.only.clone(),
            one_hot: self.one_hot.clone(),
            mixed: self.mixed,
            missing: self.missing,
            missing_values: self.na.clone(),
            decimal_comma: self.decimal_comma,
            header: self.header.then_some(true).or(self.no_header.then_some(false)),
            skip_rows: self.skip_rows,
            ..ReadOptions::default()
        }
    }

    /// Everything that decides about scores besides the data.
    pub fn score_settings(&self, approx: &ApproxArgs, measures: Vec<&'static Measure>) -> ScoreSettings {
        ScoreSettings {
            read: self.read_options(),
            scale: self.scale,
            noise: self.noise.clone(),
            singletons: self.singletons(),
            measures,
            approximation: approx.chosen(),
            uncertainty: UncertaintySettings::default(),
            memory_limit: None,
            try_standard: false,
            checksum: true,
            announce: None,
        }
    }

    /// Which points are left out before the dataset is scored.
    pub fn points_left_out(&self) -> PointsLeftOut {
        PointsLeftOut { noise: self.noise.clone(), singletons: self.singletons() }
    }

    pub fn singletons(&self) -> Singletons {
        match self.singletons {
            SingletonChoice::Error => Singletons::Keep,
            SingletonChoice::Drop => Singletons::Drop,
        }
    }
}
