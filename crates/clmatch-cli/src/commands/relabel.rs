//! `clmatch relabel FILE -o OUT`: the dataset with repaired labels.

use std::process::ExitCode;
use std::slice;

use clmatch::{Control, measure};
use clmatch_analysis::expected_time::{Part, SCORES};
use clmatch_analysis::relabelling::{
    Changes, Finished, PointVerdict, RelabelSettings, Rename, listed_classes, read_points, read_relabellable,
    relabel_and_write,
};
use clmatch_data::{Dataset, Original, Severity, Target, Written, WrittenLayout};
use clmatch_kernels::Step;
use clmatch_render::pages::command_line;

use crate::args::RelabelArgs;
use crate::commands::improve::check_place;
use crate::commands::{SCORES_ALONE, announce_long, only_source, use_threads};
use crate::export::pretty;
use crate::export::relabelled::relabelled;
use crate::failure::{Failure, USAGE, emit, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Phases;

pub fn run(args: &RelabelArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let read = args.input.read_options();
    let source = only_source(&args.file, &read, "relabel them one by one")?;
    let target = Target::new(&args.output, &source)?;
    for path in std::iter::once(&args.output).chain(&args.report) {
        check_place(path, &source.path)?;
    }
    announce_long(slice::from_ref(&source), &measure::defaults(), &PARTS, SCORES_ALONE, args.quiet);
    let phases = Phases::of(&source, &measure::defaults(), &PARTS, args.quiet);
    let original = Original::open(&source, &read)?;
    let data = read_relabellable(&original)?;
    let changes = changes(args, &data.dataset)?;
    let settings = RelabelSettings {
        read,
        scale: args.input.scale,
        noise: args.input.noise.clone(),
        singletons: args.input.singletons(),
        seed: args.changes.seed,
        changes,
    };
    interrupt::watch_keeping();
    let column = args.changes.column.as_deref();
    let hear = |step: Step<'_>| phases.hear(step);
    let control = Control::new(&interrupt::STOP).with_progress(&hear);
    let finished = relabel_and_write(&original, &data, &settings, column, &target, control)?;
    drop(phases);
    speak(&finished, args);
    if let Some(path) = &args.report {
        output::save(path, &pretty(&finished.relabelled), args.quiet)?;
    }
    let report = relabelled(&finished.relabelled, args.format, output::terminal());
    if target.is_stdout() {
        // Standard output is used for the dataset.
        output::show_beside(&report, args.format, args.quiet);
    } else {
        output::show(&report, args.format)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What repairing consists of: scores before and after.
const PARTS: [Part; 2] = [SCORES, SCORES];

/// The changes to make, in the names of the dataset.
fn changes(args: &RelabelArgs, dataset: &Dataset) -> Result<Changes, Failure> {
    let (wanted, names) = (&args.changes, dataset.labels().names());
    let rename = |text: &String| {
        Rename::parse(text, names).ok_or_else(|| Failure {
            what: format!("'{text}' renames no class"),
            help: Some("write --rename OLD=NEW".to_owned()),
            code: USAGE,
        })
    };
    let probable = |verdict: &PointVerdict| verdict.probability > wanted.above;
    let relabel = wanted.suggested.as_deref().map(read_points).transpose()?.unwrap_or_default();
    let suspects = wanted.drop_suspects.as_deref().map(read_points).transpose()?.unwrap_or_default();
    let changes = Changes {
        merge: wanted.merge.iter().map(|list| listed_classes(list, names)).collect(),
        split: wanted.split.clone(),
        rename: wanted.rename.iter().map(rename).collect::<Result<_, _>>()?,
        drop_rows: wanted.drop_rows.clone(),
        relabel: relabel.into_iter().filter(probable).collect(),
        drop_points: suspects.into_iter().filter(|verdict| probable(verdict) || verdict.is_outlier).collect(),
    };
    if changes.is_empty() && wanted.suggested.is_none() && wanted.drop_suspects.is_none() {
        return Err(Failure {
            what: "there is nothing to change".to_owned(),
            help: Some(
                "give --merge, --split, --rename, --drop-rows, --suggested or --drop-suspects".to_owned(),
            ),
            code: USAGE,
        });
    }
    Ok(changes)
}

/// The note on labels that are in a column with an unusual name.
pub(super) fn label_of_points(written: &Written, quiet: bool) {
    let points = !quiet && written.layout == WrittenLayout::Points;
    if let Some(label) = written.label.as_ref().filter(|label| *label != "label" && points) {
        emit("note", &format!("a feature is called label, so the labels are in the column '{label}'"));
    }
}

fn speak(Finished { written, remarks, .. }: &Finished, args: &RelabelArgs) {
    if !args.quiet && !written.files.is_empty() {
        let files: Vec<String> = written.files.iter().map(|file| file.display().to_string()).collect();
        emit("written", &files.join(", "));
    }
    let quiet = args.quiet;
    if let Some(label) = written.label.as_ref().filter(|_| !quiet && args.changes.column.is_some()) {
        let label = command_line::quoted(label);
        emit("note", &format!("the new labels are beside the old ones: to read them, give --label {label}"));
    }
    label_of_points(written, quiet);
    // A table that was written whole is read like the input.
    if !args.quiet && !written.keep.is_empty() && written.layout == WrittenLayout::Points {
        let keep = command_line::quoted(&written.keep.join(","));
        emit(
            "note",
            &format!("some features look like ids: to score the file, keep them with --keep {keep}"),
        );
    }
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.quiet);
    said.for_each(emit_remark);
}
