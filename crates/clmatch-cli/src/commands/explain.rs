//! `clmatch explain FILE`: what is wrong with a dataset, and what would help.

use std::path::Path;
use std::process::ExitCode;

use clmatch_analysis::explanation::{
    ExplainSettings, ExplainedAction, Finished, LabelChange, read_and_explain,
};
use clmatch_data::{Severity, Source};
use clmatch_stop::{Control, Step};

use crate::args::{ExplainArgs, InputArgs};
use crate::commands::improve::check_place;
use crate::commands::{only_source, use_threads};
use crate::export::explanation;
use crate::failure::{Failure, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Line;
use crate::shell;

pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let settings = ExplainSettings {
        read: args.input.read_options(),
        scale: args.input.scale,
        noise: args.input.noise.clone(),
        singletons: args.input.singletons(),
        seed: args.seed,
    };
    let source = only_source(&args.file, &settings.read, "explain them one by one")?;
    for path in args.output.output.iter().chain(&args.points) {
        check_place(path, &source.path)?;
    }
    let Finished { explained, points, remarks } = work(&source, &settings, args.output.quiet)?;
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.output.quiet);
    said.for_each(emit_remark);
    if let Some(path) = &args.points {
        output::save(path, &explanation::points(&points), args.output.quiet)?;
    }
    let place =
        ActionPlace { file: &args.file, input: &args.input, seed: args.seed, points: args.points.as_deref() };
    let commands: Vec<String> = explained.actions.iter().map(|action| place.command(action)).collect();
    let text = explanation::dataset(&explained, &commands, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// Explains with a sign of life on a terminal.
fn work(source: &Source, settings: &ExplainSettings, quiet: bool) -> Result<Finished, Failure> {
    interrupt::watch();
    let line = Line::spinner(quiet);
    line.say("comparing all points");
    let say = |step: Step<'_>| line.say(&format!("{} done", step.what));
    let control = Control::new(&interrupt::STOP).with_progress(&say);
    Ok(read_and_explain(source, settings, control)?)
}

/// So many rows are not listed where a file has them.
const MANY_ROWS: usize = 20;

/// Ascending rows, with neighbours as ranges: `3,7,10-12`.
fn row_ranges(rows: &[usize]) -> String {
    let runs = rows.chunk_by(|a, b| a + 1 == *b);
    let range = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        one => one.iter().map(usize::to_string).collect(),
    };
    runs.map(range).collect::<Vec<_>>().join(",")
}

/// The dataset that actions are about, as the command line names it.
pub struct ActionPlace<'a> {
    pub file: &'a Path,
    pub input: &'a InputArgs,
    pub seed: u64,
    /// The file that has all points, where there is one.
    pub points: Option<&'a Path>,
}

impl ActionPlace<'_> {
    /// What to type for an action.
    pub fn command(&self, action: &ExplainedAction) -> String {
        let file = self.file.display().to_string();
        let mut words = ["clmatch", "relabel", &file].map(String::from).to_vec();
        let (option, value) = match &action.change {
            LabelChange::Merge(both) => ("--merge", both.join(",")),
            LabelChange::Split(class) => ("--split", class.clone()),
            LabelChange::DropRows(rows) => match self.points {
                Some(points) if rows.len() > MANY_ROWS => ("--drop-suspects", points.display().to_string()),
                _ => ("--drop-rows", row_ranges(rows)),
            },
        };
        words.extend([option.to_owned(), value]);
        words.extend(self.input.words());
        if self.seed != 0 && matches!(action.change, LabelChange::Split(_)) {
            words.extend(["--seed".to_owned(), self.seed.to_string()]);
        }
        words.extend(["-o".to_owned(), "OUT".to_owned()]);
        shell::command(&words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_rows_are_a_range() {
        assert_eq!(row_ranges(&[3, 7, 8, 10, 11, 12, 20]), "3,7-8,10-12,20");
        assert_eq!(row_ranges(&[5]), "5");
    }
}
