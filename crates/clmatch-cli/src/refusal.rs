//! What is said about a file that is refused: what its columns were taken for, and the one command that works.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;

use clmatch_analysis::inspection::{is_small_file, roles};
use clmatch_analysis::ranking::FailedDataset;
use clmatch_analysis::source;
use clmatch_data::blocks::{BlockOptions, Blocks};
use clmatch_data::{
    Advice, Inspection, PointsLeftOut, ReadOptions, Scale, Setting, SettingValue, Source, inspect,
    inspect_bytes, standard_input,
};
use clmatch_render::pages::command_line;
use clmatch_render::{visible, wrap};

use crate::advice::in_words;
use crate::args::{Command, InputArgs};
use crate::failure::{BAD_INPUT, Failure, emit, emit_command, emit_lines};
use crate::output::error_width;

/// The width of the headings of roles.
const HEADING: usize = 10;

/// Reports a failure. If a command could not read one of its files, this also says what the columns were taken for, and how to
/// change the command so that it works.
pub fn report(failure: &Failure, command: &Command, words: &[OsString]) -> ExitCode {
    let reading =
        Some(failure).filter(|failure| failure.code == BAD_INPUT).and_then(|_| Reading::of(command));
    let refused = reading.and_then(|reading| reading.refused().map(|refused| (reading, refused)));
    let Some((reading, (source, found))) = refused else { return failure.report() };
    let own = words.iter().skip(1).map(|word| word.to_str().map(str::to_owned));
    let own: Option<Vec<String>> = std::iter::once(Some("clmatch".to_owned())).chain(own).collect();
    show(failure, &found, own.and_then(|own| reading.changed(own, &source, &found)));
    ExitCode::from(failure.code)
}

/// Reports that one of many datasets was refused, with the command that scores it alone.
pub fn report_one_of_many(failed: &FailedDataset, input: &InputArgs) {
    let failure = Failure::from(&failed.error);
    let source = failed.source.as_ref().filter(|_| failure.code == BAD_INPUT);
    match source.and_then(|source| Some((source, refused(source, input)?))) {
        Some((source, found)) => {
            let mut words =
                vec!["clmatch".to_owned(), "score".to_owned(), source.address().display().to_string()];
            words.extend(input.words());
            // The options that a manifest gives to a dataset are changed there.
            show(&failure, &found, source.options().is_none().then(|| with_settings(words, &found.settings)));
        }
        None => {
            failure.report();
        }
    }
}

/// The error, the roles of the columns and one command; or other help if no command works.
fn show(failure: &Failure, found: &Inspection, command: Option<Vec<String>>) {
    // What comes first may be mended, and what is in the way at last counts.
    let in_vain = failure.help.as_deref() == Some(in_words(&Advice::DropSingletons).as_str());
    let last = found.obstacle.clone().filter(|_| in_vain || !found.steps.is_empty()).map(Failure::from);
    let Failure { what, help, .. } = last.as_ref().unwrap_or(failure);
    emit("error", what);
    emit_lines(&role_lines(found, error_width()));
    match command.filter(|_| found.points.is_some()) {
        Some(words) => emit_command("help", &command_line::command(&words)),
        None => help.iter().for_each(|help| emit("help", help)),
    }
}

/// What a command reads, and how.
#[derive(Clone, Copy)]
struct Reading<'a> {
    paths: &'a [PathBuf],
    input: &'a InputArgs,
    /// Whether it reads blocks of rows.
    in_blocks: bool,
}

impl<'a> Reading<'a> {
    fn of(command: &'a Command) -> Option<Self> {
        let whole = |paths, input| Some(Reading { paths, input, in_blocks: false });
        match command {
            Command::Score(args) => {
                Some(Reading { paths: &args.files, input: &args.input, in_blocks: args.stream.stream })
            }
            Command::Watch(args) => {
                Some(Reading { paths: slice::from_ref(&args.file), input: &args.input, in_blocks: true })
            }
            Command::Explain(args) => whole(slice::from_ref(&args.file), &args.input),
            Command::Improve(args) => whole(slice::from_ref(&args.file), &args.input),
            Command::Relabel(args) => whole(slice::from_ref(&args.file), &args.input),
            Command::Compare(args) => whole(&args.files, &args.input),
            Command::Rank(args) => whole(&args.paths, &args.input),
            Command::Report(args) => whole(&args.paths, &args.input),
            Command::Truth(args) => whole(&args.batch.paths, &args.batch.input),
            Command::Classify(args) => whole(&args.batch.paths, &args.batch.input),
            _ => None,
        }
    }

    /// The first dataset that is refused.
    fn refused(self) -> Option<(Source, Inspection)> {
        let options = self.input.read_options();
        self.paths.iter().find_map(|path| {
            // A manifest may have one dataset.
            let listed = || source::find(slice::from_ref(path)).ok().map(|found| found.sources);
            let listed = || listed().and_then(|sources| <[Source; 1]>::try_from(sources).ok());
            let source = source::only(path, &options).ok().or_else(|| listed().map(|[only]| only))?;
            refused(&source, self.input).map(|found| (source, found))
        })
    }

    /// The words of a command with the settings that a dataset needs, if the command then works.
    fn changed(self, mut words: Vec<String>, source: &Source, found: &Inspection) -> Option<Vec<String>> {
        // The options of a manifest are changed there.
        if source.options().is_some() {
            return None;
        }
        if self.in_blocks && !can_be_read_in_blocks(self.paths, &found.options) {
            // Without the option, rows that are needed together are read together.
            let before = words.len();
            words.retain(|word| word != "--stream");
            if words.len() == before {
                return None;
            }
        }
        let left_out = PointsLeftOut { singletons: found.singletons, ..self.input.points_left_out() };
        let reads = |path| {
            let source = source::only(path, &found.options).ok().filter(is_small_file);
            source.is_some_and(|source| inspect(&source, &found.options, &left_out).refused.is_none())
        };
        let others_too = self.paths.len() == 1 || self.paths.iter().all(|path| reads(path));
        others_too.then(|| with_settings(words, &found.settings))
    }
}

/// The inspection of a dataset that is refused.
fn refused(source: &Source, input: &InputArgs) -> Option<Inspection> {
    let (mut options, mut left_out) = (input.read_options(), input.points_left_out());
    if let Some(own) = source.options() {
        own.set_all(&mut options, &mut Scale::default(), &mut left_out.noise, &mut left_out.singletons);
    }
    let found = match source.path.to_str() {
        Some("-") => inspect_bytes(&source.name, &standard_input()?, &options, &left_out),
        _ if is_small_file(source) => inspect(source, &options, &left_out),
        _ => return None,
    };
    found.refused.is_some().then_some(found)
}

/// Whether files can be read from their first row to the last one without having all of them in memory.
fn can_be_read_in_blocks(paths: &[PathBuf], options: &ReadOptions) -> bool {
    const MEMORY: u64 = 1 << 28;
    let Ok(mut blocks) = Blocks::open(paths, options, &BlockOptions::within(MEMORY)) else { return false };
    loop {
        match blocks.next_block() {
            Ok(Some(_)) => {}
            end => return end.is_ok(),
        }
    }
}

/// What the columns are taken for, a line each.
fn role_lines(found: &Inspection, width: Option<usize>) -> String {
    let other = found.label.as_ref().and_then(|label| label.alternatives.first());
    let line = |(heading, names): (&str, String)| {
        let text = match other.filter(|_| heading == "label") {
            Some(other) => format!("{names}: --label {} if that is it", command_line::quoted(other)),
            None => names,
        };
        let text = visible(&text).into_owned();
        wrap(&format!("  {heading:HEADING$}{text}"), width, HEADING + 2) + "\n"
    };
    roles(&found.columns, found.label.as_ref()).into_iter().map(line).collect()
}

/// The words of a command with other settings: what the words say about these settings is replaced.
pub fn with_settings(mut words: Vec<String>, settings: &[Setting]) -> Vec<String> {
    // What follows is not an option.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let rest = words.split_off(end);
    for setting in settings {
        remove(&mut words, &setting.name);
    }
    for setting in settings {
        words.extend(option(setting));
    }
    words.extend(rest);
    words
}

/// Removes an option, and its value where that is a word of its own.
fn remove(words: &mut Vec<String>, name: &str) {
    let option = format!("--{}", name.replace('_', "-"));
    let mut after = false;
    words.retain(|word| {
        if std::mem::take(&mut after) {
            return false;
        }
        // The value of --one-hot follows an equals sign, and a flag has none.
        after =
            *word == option && matches!(name, "label" | "drop" | "keep" | "missing" | "na" | "singletons");
        *word != option && !word.strip_prefix(&option).is_some_and(|value| value.starts_with('='))
    });
}

/// The words of an option.
pub fn option(setting: &Setting) -> Vec<String> {
    let name = format!("--{}", setting.name.replace('_', "-"));
    let value = match &setting.value {
        SettingValue::Flag(true) => return vec![name],
        SettingValue::Flag(false) => return vec![format!("--no-{}", setting.name)],
        SettingValue::Text(text) => text.clone(),
        SettingValue::Columns(columns) => columns.join(","),
    };
    if setting.name == "one_hot" || value.starts_with('-') {
        vec![format!("{name}={value}")]
    } else {
        vec![name, value]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_replace_what_the_words_say() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let text =
            |name: &str, text: &str| Setting { name: name.into(), value: SettingValue::Text(text.into()) };
        let columns = |name: &str, all: &[&str]| Setting {
            name: name.into(),
            value: SettingValue::Columns(all.iter().map(|&one| one.into()).collect()),
        };
        let flag = |name: &str, flag| Setting { name: name.into(), value: SettingValue::Flag(flag) };
        let settings = [
            text("label", "-1"),
            columns("drop", &["a", "b"]),
            columns("one_hot", &["c", "d"]),
            text("missing", "mean"),
        ];
        let own = "clmatch --strict score x.csv --missing error --drop=a --one-hot=c --labels y.csv -q";
        assert_eq!(
            with_settings(words(own), &settings),
            words(
                "clmatch --strict score x.csv --labels y.csv -q --label=-1 --drop a,b --one-hot=c,d --missing mean"
            )
        );
        let flags = [flag("decimal_comma", true), flag("header", false)];
        assert_eq!(
            with_settings(words("clmatch score -- -x.csv"), &flags),
            words("clmatch score --decimal-comma --no-header -- -x.csv")
        );
    }
}
