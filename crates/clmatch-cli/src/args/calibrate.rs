//! Arguments of `clmatch calibrate`.

use std::path::PathBuf;

use clap::Args;
use clmatch_analysis::calibration::Interval;
use clmatch_analysis::calibration::variants::Variant;

use super::OutputArgs;
use crate::value_parsers::{parse_growth, parse_svg, parse_variant, whole};

#[derive(Debug, Args)]
#[command(after_help = CALIBRATE_HELP)]
pub struct CalibrateArgs {
    /// Judgements: a CSV file with the columns dataset and score, or the parameters of two Gaussians and score.
    pub file: PathBuf,
    /// Fit only these variants, such as "CH DSR"; may be given several times [default: all that have a growth rate].
    #[arg(long, value_name = "NAME", value_parser = parse_variant)]
    pub variant: Vec<Variant>,
    /// The smallest growth rate to try.
    #[arg(long, value_name = "K", value_parser = parse_growth, default_value_t = Interval::default().low)]
    pub low: f64,
    /// The largest growth rate to try.
    #[arg(long, value_name = "K", value_parser = parse_growth, default_value_t = Interval::default().high)]
    pub high: f64,
    /// How many points to draw from each pair of Gaussians.
    #[arg(long, value_name = "N", value_parser = whole(4..=1_000_000), default_value_t = 1000)]
    pub points: u64,
    /// How many bootstrap samples to draw for the standard error.
    #[arg(long, value_name = "N", value_parser = whole(2..=100_000), default_value_t = 200)]
    pub resamples: u64,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
    /// Draw the fitted scores against the judgements, as SVG.
    #[arg(long, value_name = "FILE.svg", value_parser = parse_svg, help_heading = "Output")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

const CALIBRATE_HELP: &str = "Datasets are paths of data with two classes each, relative to the folder of FILE; they are read \
    as `clmatch score` reads them. Two Gaussians are given by variance_a1, variance_a2, angle_a, variance_b1, variance_b2, \
    angle_b (in radians), share (of the first one) and distance (of the means). A score says how separable the two classes \
    were judged, from 0 to 1. k maximises the weighted R2 of scores and judgements; the weights are inverse to the number \
    of judgements in the same tenth.";
