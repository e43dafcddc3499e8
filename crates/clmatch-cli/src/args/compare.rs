//! Arguments of `clmatch compare`.

use std::path::PathBuf;

use clap::Args;

use super::{InputArgs, MeasureArgs, OutputArgs};
use crate::value_parsers::{parse_svg, whole};

const COMPARE_HELP: &str = "Every file must have the same rows with the same labels in the same order. Intervals are 95% \
    intervals of a block jackknife; those of differences are paired, because the replicates of all representations leave out \
    the same rows. A winner (*) is the best by a measure and differs significantly (5%, Holm's correction over all pairs of \
    representations) from every other one. Nothing corrects for looking at several measures.";

#[derive(Debug, Args)]
#[command(after_help = COMPARE_HELP)]
pub struct CompareArgs {
    /// The representations in order: files, folders with data and label files, or names of embedded datasets.
    #[arg(required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    /// Take the labels of all representations from this file, which may be one of them; the others hold features only. If
    /// it has several columns, --label chooses one.
    #[arg(long, value_name = "FILE", conflicts_with = "labels", help_heading = "Input")]
    pub label_of: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub measures: MeasureArgs,
    /// The seed of the replicates behind the intervals.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0, help_heading = "Measures")]
    pub seed: u64,
    /// Draw the scores and their intervals against the representations, as SVG; measures without an upper bound only where
    /// there are no others.
    #[arg(long, value_name = "FILE.svg", value_parser = parse_svg, help_heading = "Output")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}
