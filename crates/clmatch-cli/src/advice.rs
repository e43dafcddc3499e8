//! Advice in the words of the command line.

use clmatch_data::{Advice, ColumnOption};

/// What to type.
pub fn in_words(advice: &Advice) -> String {
    let words = match advice {
        Advice::Text(text) => text,
        Advice::ChooseByIndex(option) => {
            let option = match option {
                ColumnOption::Label => "--label",
                ColumnOption::Drop => "--drop",
                ColumnOption::Keep => "--keep",
                ColumnOption::OneHot => "--one-hot",
            };
            return format!("give {option} the index of the column; columns are counted from 0");
        }
        Advice::DropNamedColumn(column) => return format!("leave it out with --drop '{column}'"),
        Advice::DropOrOneHot(column) => {
            return format!(
                "leave out the column with --drop '{column}', or make it indicators with --one-hot '{column}'"
            );
        }
        Advice::DropNoise(class) => return format!("if it is noise, drop it with --noise {class}"),
        Advice::MoreShuffles(count) => {
            return format!("give more time with --budget, or --shuffles {count}");
        }
        Advice::ChooseLabel => "choose the label column with --label",
        Advice::CorrectLabel => "--label chooses another",
        Advice::ChooseOtherLabel => {
            "labels are texts, integers, or categories; choose another column with --label"
        }
        Advice::ChooseLayer => "--layer chooses another",
        Advice::ChooseLabelByIndex => "choose one with --label INDEX; columns are counted from 0",
        Advice::LabelIsDropped => "name another column in --label or --drop",
        Advice::KeepLabel => "drop fewer columns, or give --labels FILE",
        Advice::GiveLabels => {
            "give a file with one label per row: --labels FILE, or put it beside the data as NAME_label.npy"
        }
        Advice::DropColumn => "leave out the column with --drop",
        Advice::MendRowOrDropColumn => "mend or remove the row, or leave out the column with --drop",
        Advice::HandleMissing => {
            "--missing drop leaves out such rows, --missing mean puts the column's mean in their place"
        }
        Advice::DropRowsWithoutLabel => "--missing drop leaves out rows without a label",
        Advice::DropColumnsOrImpute => {
            "leave out the columns that have them with --drop, or use --missing mean"
        }
        Advice::DecimalComma => "if commas stand for decimal points, say --decimal-comma",
        Advice::UseLessMemory => {
            "use fewer columns (--keep, --drop) or rows, single precision, or raise the memory limit"
        }
        Advice::UseFewerColumnsOrRows => "use fewer columns (--keep, --drop) or rows",
        Advice::DropSingletons => "leave such classes out with --singletons drop",
        Advice::EvaluateExactly => "leave it out of --measures, or do without --approx",
        Advice::CheckNoiseAndSingletons => "check --noise and --singletons",
        Advice::DrawFewerDatasets => "give a smaller --size",
        Advice::LeaveOutExternal => "the file has no column external: leave --external out",
        Advice::SearchLonger => "--budget gives more time",
        Advice::WidenInterval => "give a smaller --low or a larger --high",
        Advice::ChooseComparedMeasure => "choose another measure with --by",
        Advice::SameMeasures => "score both with the same --measures",
        Advice::GiveJsonResults => "give files that were written by clmatch score or rank with --format json",
    };
    words.to_owned()
}
