//! Advice in the words of the command line.

use clmatch_data::{Advice, ColumnOption};
use clmatch_render::pages::command_line::quoted;

use crate::refusal::option;

/// What to type.
pub fn in_words(advice: &Advice) -> String {
    let words = match advice {
        Advice::Text(text) => text,
        Advice::ChooseByIndex(option) => {
            let option = match option {
                ColumnOption::Label => "--label",
                ColumnOption::Drop => "--drop",
                ColumnOption::Keep => "--keep",
                ColumnOption::Only => "--only",
                ColumnOption::OneHot => "--one-hot",
                ColumnOption::Show => "--show",
            };
            return format!("give {option} the index of the column; columns are counted from 0");
        }
        Advice::UseEmbedded(name) => return format!("clmatch score {name} scores the embedded dataset"),
        Advice::DropNamedColumn(column) => return format!("leave it out with --drop {}", quoted(column)),
        Advice::DropOrOneHot(column) => {
            let column = quoted(column);
            return format!(
                "leave out the column with --drop {column}, or turn it into indicators with --one-hot={column}; --na TEXT \
                 names a text that stands for a missing value"
            );
        }
        Advice::HandleText { few, many } => return handle_text(few, many),
        Advice::NameMissing(text) => {
            return format!("--na={} reads it as a missing value", quoted(text));
        }
        Advice::KeepRows(columns) => {
            let drop = match columns.as_slice() {
                [] => String::new(),
                [name] => format!(", --drop {} leaves out the column", quoted(name)),
                names => format!(", --drop {} leaves out the columns", listed(names)),
            };
            return format!(
                "--missing mean keeps the rows{drop}; --missing drop-any leaves the rows out, however many they are"
            );
        }
        Advice::KeepColumns(columns) => {
            let it = if columns.len() == 1 { "it as a feature" } else { "them as features" };
            return format!("--keep {} uses {it}", listed(columns));
        }
        Advice::DropOrKeep(columns) => {
            let (them, are) =
                if columns.len() == 1 { ("it", "it is a feature") } else { ("them", "they are features") };
            let columns = listed(columns);
            return format!("--drop {columns} leaves {them} out, --keep {columns} says that {are}");
        }
        Advice::ChooseClasses { column, instead } => {
            let column = quoted(column);
            let instead = match instead.as_slice() {
                [] => String::new(),
                names => {
                    format!(", such as {}", names.iter().take(3).cloned().collect::<Vec<_>>().join(" or "))
                }
            };
            return format!(
                "choose a column with classes with --label{instead}; --label {column} makes every value a class"
            );
        }
        Advice::ChooseLabelAmong { columns, settings } if !columns.is_empty() => {
            let names: Vec<String> = columns.iter().map(|name| format!("--label {}", quoted(name))).collect();
            let others: Vec<String> = settings.iter().flat_map(option).map(|word| quoted(&word)).collect();
            let others =
                if others.is_empty() { String::new() } else { format!(", and add {}", others.join(" ")) };
            return format!("choose the label first: {}{others}", names.join(" or "));
        }
        Advice::DropNoise(class) => {
            return format!("if it is noise, leave it out with --noise {}", quoted(class));
        }
        Advice::MoreShuffles(count) => {
            return format!("allow more time with --budget, or ask for --shuffles {count}");
        }
        Advice::ChooseOnly => "to use only some columns as features, name them with --only",
        Advice::FirstLineIsData => "--no-header reads it as data",
        Advice::FirstLineIsHeader => "if the first line of the data is a header, say --header",
        Advice::ChooseLabel | Advice::ChooseLabelAmong { .. } => "choose the label column with --label",
        Advice::CorrectLabel => "--label chooses another",
        Advice::ChooseOtherLabel => {
            "labels are texts, integers, or categories; choose another column with --label"
        }
        Advice::ChooseLayer => "--layer chooses another",
        Advice::ChooseLabelByIndex => "choose one with --label INDEX; columns are counted from 0",
        Advice::LabelIsDropped => "name another column in --label or --drop",
        Advice::KeepLabel => "drop fewer columns, or give --labels FILE",
        Advice::GiveLabels => {
            "give a file with one label per row: --labels FILE, or put it beside the data as NAME_label.npy; where a column of \
             the matrix holds them, --label INDEX says which, and --label=-1 is the last one"
        }
        Advice::DropColumn => "leave out the column with --drop",
        Advice::MendRowOrDropColumn => "correct or remove the row, or leave out the column with --drop",
        Advice::HandleMissing => {
            "--missing drop leaves out such rows, --missing mean uses the mean of the column instead"
        }
        Advice::DropAnyRows => {
            "choose another label with --label; --missing drop-any leaves the rows out, however many they are"
        }
        Advice::DropRowsWithoutLabel => "--missing drop leaves out rows without a label",
        Advice::DoWithoutInStream => {
            "leave that option out; a sample of the rows that fits into memory can be scored with it, without --stream"
        }
        Advice::DropRowsInStream => {
            "--missing drop leaves out such rows; without --stream the mean can be used where the matrix fits into memory"
        }
        Advice::DropColumnsOrImpute => {
            "leave out the columns that have them with --drop, or use --missing mean"
        }
        Advice::DecimalComma => "if commas stand for decimal points, say --decimal-comma",
        Advice::UseLessMemory => {
            "use fewer columns (--only, --drop) or rows, single precision, or more memory (score and rank take --memory); \
             clmatch score --stream scores data of any size"
        }
        Advice::UseFewerClasses => {
            "if the label column holds ids, choose another one with --label; else use fewer --measures, or more memory \
             (score and rank take --memory)"
        }
        Advice::UseFewerColumnsOrRows => "use fewer columns (--only, --drop) or rows",
        Advice::EqualWeights => "--scale standard gives each feature the same weight",
        Advice::DropSingletons => "leave such classes out with --singletons drop",
        Advice::EvaluateExactly => "leave it out of --measures, or do without --approx",
        Advice::Estimate { trees: false } => {
            "--approx 0.01 estimates them with an error of at most 0.01 in 95% of all cases"
        }
        Advice::Estimate { trees: true } => {
            "--limit-seconds 30 takes the best estimate of half a minute, and --approx 0.01 estimates all but the spanning \
             trees of clm, with an error of at most 0.01 in 95% of all cases"
        }
        Advice::AllowMoreTime => "give more time with --limit-seconds, or leave it out of --measures",
        Advice::ChooseSeparator => "give another separator: --levels TEXT",
        Advice::CheckNoiseAndSingletons => "check --noise and --singletons",
        Advice::DrawFewerDatasets => "give a smaller --size",
        Advice::LeaveOutExternal => "the file has no column external: leave --external out",
        Advice::SearchLonger => "allow more time with --budget",
        Advice::WidenInterval => "give a smaller --low or a larger --high",
        Advice::PickFewerOrAcceptMore => "give a smaller --count, or accept weaker verdicts with --accept",
        Advice::AskForLessDiversity => "give a smaller --diversity",
        Advice::ComputeTruth => {
            "compute the scores of techniques with clmatch truth -o TRUTH.csv, and give them with --truth"
        }
        Advice::RankAsJson => "what clmatch rank --format json writes has them",
        Advice::ChooseComparedMeasure => "choose another measure with --by",
        Advice::SameMeasures => "score both with the same --measures",
        Advice::GiveJsonResults => "give files that were written by clmatch score or rank with --format json",
    };
    words.to_owned()
}

/// Names for an option that takes several.
fn listed(names: &[String]) -> String {
    quoted(&names.join(","))
}

/// Advises to encode text columns with few values as indicators and to drop those with many; or handles all text alike.
fn handle_text(few: &[String], many: &[String]) -> String {
    let all = "--drop-text leaves out all text";
    match (few, many) {
        (few, []) => format!("--mixed makes indicator columns of {}; {all}", listed(few)),
        ([], many) => format!("--mixed leaves out {}, as --drop does; {all}", listed(many)),
        (few, many) => format!(
            "--mixed makes indicator columns of {} (few values) and leaves out {}; {all}",
            listed(few),
            listed(many)
        ),
    }
}
