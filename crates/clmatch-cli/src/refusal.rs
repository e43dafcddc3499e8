//! What is said about a file that is refused: what its columns were taken for, and the one command that works.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clmatch_analysis::inspection::{is_small_file, roles};
use clmatch_analysis::source;
use clmatch_data::{Advice, Inspection, Setting, SettingValue, inspect};
use clmatch_render::pages::command_line;
use clmatch_render::{visible, wrap};

use crate::advice::in_words;
use crate::args::{Command, InputArgs};
use crate::failure::{BAD_INPUT, Failure, emit, emit_command, emit_lines};
use crate::output::error_width;

/// The width of the headings of roles.
const HEADING: usize = 10;

/// Reports a failure. If a command could not read its file, this also says what the columns were taken for, and how to change the
/// command so that it works.
pub fn report(failure: &Failure, command: &Command, words: &[OsString]) -> ExitCode {
    let found = Some(failure).filter(|failure| failure.code == BAD_INPUT).and_then(|_| inspected(command));
    let Some(found) = found else { return failure.report() };
    // What comes first may be mended, and what is in the way at last counts.
    let in_vain = failure.help.as_deref() == Some(in_words(&Advice::DropSingletons).as_str());
    let last = found.obstacle.clone().filter(|_| in_vain || !found.steps.is_empty()).map(Failure::from);
    let Failure { what, help, .. } = last.as_ref().unwrap_or(failure);
    emit("error", what);
    emit_lines(&role_lines(&found, error_width()));
    match changed_command(&found, words) {
        Some(command) => emit_command("help", &command),
        None => help.iter().for_each(|help| emit("help", help)),
    }
    ExitCode::from(failure.code)
}

/// The inspection of the only file of a command, if reading it is what failed.
fn inspected(command: &Command) -> Option<Inspection> {
    let (path, input) = only_file(command)?;
    let options = input.read_options();
    let source = source::only(path, &options).ok().filter(is_small_file)?;
    let found = inspect(&source, &options, &input.points_left_out());
    found.refused.is_some().then_some(found)
}

/// The file that a command reads, and how. Standard input cannot be read again.
fn only_file(command: &Command) -> Option<(&Path, &InputArgs)> {
    let (path, input) = match command {
        Command::Score(args) if !args.stream.stream => match args.files.as_slice() {
            [only] => (only, &args.input),
            _ => return None,
        },
        Command::Explain(args) => (&args.file, &args.input),
        Command::Improve(args) => (&args.file, &args.input),
        Command::Relabel(args) => (&args.file, &args.input),
        Command::Rank(args) => match args.paths.as_slice() {
            [only] => (only, &args.input),
            _ => return None,
        },
        Command::Report(args) => match args.paths.as_slice() {
            [only] => (only, &args.input),
            _ => return None,
        },
        _ => return None,
    };
    (path.as_os_str() != "-").then_some((path, input))
}

/// What the columns are taken for, a line each.
fn role_lines(found: &Inspection, width: Option<usize>) -> String {
    let line = |(heading, names): (&str, String)| {
        let text = visible(&names).into_owned();
        wrap(&format!("  {heading:HEADING$}{text}"), width, HEADING + 2) + "\n"
    };
    roles(&found.columns, found.label.as_ref()).into_iter().map(line).collect()
}

/// The user's own command with the settings that the file needs.
fn changed_command(found: &Inspection, words: &[OsString]) -> Option<String> {
    found.points?;
    let own = words.iter().skip(1).map(|word| word.to_str().map(str::to_owned));
    let mut all = vec!["clmatch".to_owned()];
    all.extend(own.collect::<Option<Vec<String>>>()?);
    Some(command_line::command(&with_settings(all, &found.settings)))
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
