//! What datasets of a run were refused for, counted by kind.

use std::io;

use clmatch_data::Advice;

use crate::error::AnalysisError;
use crate::ranking::FailedDataset;

/// Why a dataset was refused, as a summary of many counts it: by what would help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// Columns hold text, or cells that are not numbers.
    Text,
    /// A value or a label is missing.
    Missing,
    /// The label looks like a number to predict.
    NumberToPredict,
    /// A feature gives the label away, or may be an id.
    Leak,
    /// A class has a single point.
    Singleton,
    /// There is one class, or nearly as many as points.
    NoClasses,
    /// There are no labels.
    NoLabels,
    /// It takes more memory or time than it may.
    TooLarge,
    /// The file is not there, or may not be read.
    NotReadable,
    /// Anything else.
    Other,
}

impl FailureKind {
    /// The kind of an error.
    pub fn of(error: &AnalysisError) -> FailureKind {
        match error.io_kind() {
            Some(io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
                return FailureKind::NotReadable;
            }
            _ if error.is_too_large_for_memory() => return FailureKind::TooLarge,
            _ => {}
        }
        let Some(advice) = error.advice() else { return FailureKind::Other };
        match advice {
            Advice::HandleText { .. } | Advice::DropOrOneHot(_) | Advice::DecimalComma => FailureKind::Text,
            Advice::HandleMissing
            | Advice::DropRowsWithoutLabel
            | Advice::DropAnyRows
            | Advice::DropColumnsOrImpute => FailureKind::Missing,
            Advice::ChooseClasses { .. } => FailureKind::NumberToPredict,
            Advice::DropOrKeep(_) => FailureKind::Leak,
            Advice::DropSingletons => FailureKind::Singleton,
            Advice::ChooseLabel | Advice::ChooseLabelAmong { .. } => FailureKind::NoClasses,
            Advice::GiveLabels | Advice::KeepLabel | Advice::ChooseLabelByIndex => FailureKind::NoLabels,
            Advice::UseLessMemory | Advice::UseFewerClasses | Advice::AllowMoreTime => FailureKind::TooLarge,
            _ => FailureKind::Other,
        }
    }

    /// A count of such datasets: follows "refused:".
    fn counted(self, count: usize) -> String {
        let (one, several) = match self {
            FailureKind::Text => ("holds text", "hold text"),
            FailureKind::Missing => ("has missing values", "have missing values"),
            FailureKind::NumberToPredict => ("has a number to predict", "have a number to predict"),
            FailureKind::Leak => ("has a copy of the label or an id", "have a copy of the label or an id"),
            FailureKind::Singleton => ("has a class of one point", "have a class of one point"),
            FailureKind::NoClasses => ("has no classes to tell apart", "have no classes to tell apart"),
            FailureKind::NoLabels => ("has no labels", "have no labels"),
            FailureKind::TooLarge => ("is too large", "are too large"),
            FailureKind::NotReadable => ("cannot be opened", "cannot be opened"),
            FailureKind::Other => ("for another reason", "for other reasons"),
        };
        format!("{count} {}", if count == 1 { one } else { several })
    }
}

/// How many datasets were refused for which reasons, the most frequent first: `9 hold text, 2 have missing values`.
pub fn summary(failed: &[FailedDataset]) -> String {
    let mut kinds: Vec<(usize, FailureKind)> = Vec::new();
    for kind in failed.iter().map(|failed| FailureKind::of(&failed.error)) {
        match kinds.iter_mut().find(|(_, known)| *known == kind) {
            Some((count, _)) => *count += 1,
            None => kinds.push((1, kind)),
        }
    }
    kinds.sort_by(|(a, one), (b, other)| {
        // What says nothing comes last.
        let says = |kind: &FailureKind| *kind == FailureKind::Other;
        says(one).cmp(&says(other)).then(b.cmp(a)).then(one.cmp(other))
    });
    kinds.into_iter().map(|(count, kind)| kind.counted(count)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch_data::{ReadOptions, Source};

    fn failed(texts: &[&str]) -> Vec<FailedDataset> {
        let folder = tempfile::tempdir().unwrap();
        let read = |(at, text): (usize, &&str)| {
            let path = folder.path().join(format!("{at}.csv"));
            std::fs::write(&path, text).unwrap();
            let error = clmatch_data::read(&Source::new(&path), &ReadOptions::default()).unwrap_err();
            FailedDataset { dataset: at.to_string(), source: None, error: error.into() }
        };
        texts.iter().enumerate().map(read).collect()
    }

    #[test]
    fn refused_datasets_are_counted_by_kind() {
        let text = "x,colour,label\n1,red,a\n2,green,a\n3,red,b\n4,blue,b\n";
        let missing = "x,y,label\n1,,a\n2,3,a\n3,4,b\n4,5,b\n";
        let number = (0..60).fold("x,y\n".to_owned(), |text, at| format!("{text}{},{}.5\n", at % 7, at * 3));
        let all = failed(&[missing, text, &number, text]);
        let kinds: Vec<FailureKind> = all.iter().map(|one| FailureKind::of(&one.error)).collect();
        let [missing, text, number] = [FailureKind::Missing, FailureKind::Text, FailureKind::NumberToPredict];
        assert_eq!(kinds, [missing, text, number, text]);
        assert_eq!(summary(&all), "2 hold text, 1 has missing values, 1 has a number to predict");
    }

    #[test]
    fn what_is_not_known_comes_last() {
        let other = || AnalysisError::unfit("odd", None);
        let errors = [other(), AnalysisError::unfit("few", Advice::DropSingletons), other()];
        let all = errors.map(|error| FailedDataset { dataset: "d".into(), source: None, error });
        assert_eq!(summary(&all), "1 has a class of one point, 2 for other reasons");
        assert_eq!(summary(&[]), "");
    }
}
