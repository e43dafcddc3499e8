//! Advice in the words of Python: arguments instead of options.

use clmatch_data::{Advice, ColumnOption};

/// What to pass to a function.
pub(crate) fn in_words(advice: &Advice) -> String {
    let words = match advice {
        Advice::ChooseByIndex(option) => {
            let argument = match option {
                ColumnOption::Label => "label",
                ColumnOption::Drop => "drop",
                ColumnOption::Keep => "keep",
                ColumnOption::Only => "only",
                ColumnOption::OneHot => "one_hot",
                ColumnOption::Show => "show",
            };
            return format!("give {argument}= the index of the column; columns are counted from 0");
        }
        Advice::DropNamedColumn(column) => return format!("leave it out with drop={column:?}"),
        Advice::DropOrOneHot(column) => {
            return format!(
                "drop={column:?} leaves the column out, one_hot={column:?} turns it into indicators; na= names a text that \
                 stands for a missing value"
            );
        }
        Advice::HandleText { few, many } => return handle_text(few, many),
        Advice::NameMissing(text) => return format!("na={text:?} reads it as a missing value"),
        Advice::KeepRows(columns) => {
            let drop = match columns.as_slice() {
                [] => String::new(),
                names => format!(", drop={names:?} leaves out the columns"),
            };
            return format!(
                "missing=\"mean\" keeps the rows{drop}; missing=\"drop-any\" leaves the rows out, however many they are"
            );
        }
        Advice::KeepColumns(columns) => {
            return format!("keep={columns:?} uses what looks like ids as features");
        }
        Advice::DropOrKeep(columns) => {
            let (them, are) = match columns.as_slice() {
                [_] => ("it", "it is a feature"),
                _ => ("them", "they are features"),
            };
            return format!("drop={columns:?} leaves {them} out, keep={columns:?} says that {are}");
        }
        Advice::ChooseClasses { column, .. } => {
            return format!(
                "choose a column with classes with label=; label={column:?} makes every value a class"
            );
        }
        Advice::ChooseLabelAmong { columns, .. } if !columns.is_empty() => {
            return format!("choose the label column with label=, such as one of {columns:?}");
        }
        Advice::DropNoise(class) => return format!("if it is noise, leave it out with noise={class:?}"),
        Advice::MoreShuffles(count) => {
            return format!("allow more time with budget=, or ask for shuffles={count}");
        }
        Advice::ChooseOnly => "to use only some columns as features, name them with only=",
        Advice::FirstLineIsData => "header=False reads it as data",
        Advice::FirstLineIsHeader => "if the first line of the data is a header, say header=True",
        Advice::ChooseLabel | Advice::ChooseOtherLabel | Advice::ChooseLabelAmong { .. } => {
            "choose the label column with label="
        }
        Advice::CorrectLabel => "label= chooses another",
        Advice::ChooseLayer => "layer= chooses another",
        Advice::ChooseLabelByIndex => "choose one with label=INDEX; columns are counted from 0",
        Advice::LabelIsDropped => "name another column in label= or drop=",
        Advice::KeepLabel => "drop fewer columns, or give labels_file=",
        Advice::GiveLabels => {
            "give a file with one label per row with labels_file=, or the column with label=, such as label=-1"
        }
        Advice::DropColumn => "leave out the column with drop=",
        Advice::MendRowOrDropColumn => "correct or remove the row, or leave out the column with drop=",
        Advice::HandleMissing => {
            "missing=\"drop\" leaves out such rows, missing=\"mean\" uses the mean of the column instead"
        }
        Advice::DropAnyRows => {
            "choose another label with label=; missing=\"drop-any\" leaves the rows out, however many they are"
        }
        Advice::DropRowsWithoutLabel => "missing=\"drop\" leaves out rows without a label",
        Advice::DropColumnsOrImpute => {
            "leave out the columns that have them with drop=, or use missing=\"mean\""
        }
        Advice::DecimalComma => "if commas stand for decimal points, say decimal_comma=True",
        Advice::UseFewerClasses => {
            "if the labels are ids, choose another column with label=; else use fewer measures"
        }
        Advice::UseFewerColumnsOrRows => "use fewer columns (only=, drop=) or rows",
        Advice::EqualWeights => "scale=\"standard\" gives each feature the same weight",
        Advice::DropSingletons => "leave such classes out with singletons=\"drop\"",
        Advice::CheckNoiseAndSingletons => "check noise= and singletons=",
        Advice::DrawFewerDatasets => "give a smaller size=",
        Advice::LeaveOutExternal => "the table has no column external: leave external= out",
        Advice::SearchLonger => "allow more time with budget=",
        Advice::PickFewerOrAcceptMore => "give a smaller count, or accept weaker verdicts with accept=",
        Advice::AskForLessDiversity => "give a smaller diversity=",
        Advice::ComputeTruth => {
            "compute the scores of techniques with clmatch.truth, and give them with truth="
        }
        Advice::RankAsJson => "what clmatch.rank returns has them",
        Advice::ChooseComparedMeasure => "choose another measure with by=",
        Advice::SameMeasures => "score both with the same measures=",
        // Complete sentences, and advice that does not apply to any function of the package.
        other => return other.to_string(),
    };
    words.to_owned()
}

/// Advises to encode text columns with few values as indicators and to drop those with many; or handles all text alike.
fn handle_text(few: &[String], many: &[String]) -> String {
    let all = "drop_text=True leaves out all text";
    match (few, many) {
        (few, []) => format!("mixed=True makes indicator columns of {few:?}; {all}"),
        ([], many) => format!("mixed=True leaves out {many:?}, as drop= does; {all}"),
        (few, many) => {
            format!(
                "mixed=True makes indicator columns of {few:?} (few values) and leaves out {many:?}; {all}"
            )
        }
    }
}
