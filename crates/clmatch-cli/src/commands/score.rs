//! `clmatch score FILE`: one dataset.

use std::process::ExitCode;

use crate::args::ScoreArgs;
use crate::commands::{check_bars, headline, only_source, use_threads};
use crate::export;
use crate::failure::{Failure, complain};
use crate::output;
use crate::scoring::{Recipe, read_and_score};
use crate::standing::place;

pub fn run(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let measures = args.measures.chosen(args.bars.fail_under.iter().map(|bar| bar.measure));
    let recipe = Recipe::new(&args.input, &args.approx, measures.clone());
    let finished = read_and_score(&only_source(&args.file, "rank them all with clmatch rank")?, &recipe)?;
    for warning in &finished.warnings {
        complain("warning", warning);
    }
    let mut scored = finished.scored;
    place(&mut scored, headline(&measures));
    if !args.output.quiet {
        let notes = scored.notes.iter().filter(|note| !finished.warnings.contains(note));
        notes.for_each(|note| complain("note", note));
    }
    let text = export::dataset(&scored, &measures, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(check_bars(&args.bars.fail_under, std::iter::once(&scored)).unwrap_or(ExitCode::SUCCESS))
}
