//! `clmatch stability TRUTH.csv`: how often is a ranking of techniques found again when its datasets are drawn anew?

use std::process::ExitCode;

use clmatch_analysis::ranking_stability::{StabilitySettings, ranking_stability};
use clmatch_analysis::source::Document;
use clmatch_truth::stability::DrawSettings;

use crate::args::StabilityArgs;
use crate::export::stability as export;
use crate::failure::Failure;
use crate::output;

pub fn run(args: &StabilityArgs) -> Result<ExitCode, Failure> {
    let thirds = args.scores.as_deref().map(Document::read).transpose()?;
    let settings = StabilitySettings {
        external: args.external.clone(),
        techniques: args.techniques.clone(),
        thirds: thirds.map(|scores| (scores, args.by)),
        draws: DrawSettings {
            size: args.size as usize,
            draws: args.draws as usize,
            seed: args.seed,
            replacement: true,
        },
    };
    let stability = ranking_stability(&Document::read(&args.file)?, &settings)?;
    let text = export::print(&stability, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}
