//! Commands shown by a page or a terminal, quoted for a shell.

use std::path::Path;

use crate::{is_hidden, visible};
use clmatch_analysis::explanation::{ExplainedAction, LabelChange};
use clmatch_analysis::relabelling::class_list;

/// More rows than this are not listed if a file holds them.
const MANY_ROWS: usize = 20;

/// A command that can be copied.
pub fn command(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word, in quotes if a shell would misread it, and with escapes (`$'\n'`, which bash, zsh and ksh understand) if a terminal
/// would.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if word.contains(is_hidden) {
        format!("$'{}'", visible(&word.replace('\\', r"\\").replace('\'', r"\'")))
    } else if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Ascending rows, with consecutive ones as ranges: `3,7,10-12`.
fn row_ranges(rows: &[usize]) -> String {
    let runs = rows.chunk_by(|a, b| a + 1 == *b);
    let range = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        one => one.iter().map(usize::to_string).collect(),
    };
    runs.map(range).collect::<Vec<_>>().join(",")
}

/// How a command line names the dataset that actions are about.
#[derive(Debug, Clone)]
pub struct ActionPlace {
    /// Its file.
    pub file: String,
    /// The options it was read and prepared with.
    pub options: Vec<String>,
    /// The seed of the search for clusters.
    pub seed: u64,
    /// The file that holds all points, if there is one.
    pub points: Option<String>,
}

impl ActionPlace {
    /// The command for an action.
    pub fn command(&self, action: &ExplainedAction) -> String {
        let mut words = ["clmatch", "relabel", &self.file].map(String::from).to_vec();
        let (option, value) = match &action.change {
            LabelChange::Merge(both) => ("--merge", class_list(both)),
            LabelChange::Split(class) => ("--split", class.clone()),
            LabelChange::DropRows(rows) => match &self.points {
                Some(points) if rows.len() > MANY_ROWS => ("--drop-suspects", points.clone()),
                _ => ("--drop-rows", row_ranges(rows)),
            },
        };
        words.extend([option.to_owned(), value]);
        words.extend(self.options.iter().cloned());
        if self.seed != 0 && matches!(action.change, LabelChange::Split(_)) {
            words.extend(["--seed".to_owned(), self.seed.to_string()]);
        }
        words.extend(["-o".to_owned(), "OUT".to_owned()]);
        command(&words)
    }

    /// The command that gives points that look mislabelled the class that is suggested for them. If no file holds all points
    /// yet, another command before it writes one.
    pub fn suggested(&self) -> String {
        let points = self.points.clone().unwrap_or_else(|| self.points_file());
        let mut relabel =
            ["clmatch", "relabel", &self.file, "--suggested", &points].map(String::from).to_vec();
        relabel.extend(self.options.iter().cloned());
        relabel.extend(["-o", "OUT"].map(String::from));
        if self.points.is_some() {
            return command(&relabel);
        }
        let mut explain = ["clmatch", "explain", &self.file].map(String::from).to_vec();
        explain.extend(self.options.iter().cloned());
        explain.extend((self.seed != 0).then(|| format!("--seed={}", self.seed)));
        explain.extend(["--points", &points, "--quiet"].map(String::from));
        format!("{} && {}", command(&explain), command(&relabel))
    }

    /// A name for the file that holds all points.
    fn points_file(&self) -> String {
        let stem = Path::new(&self.file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match stem.filter(|stem| !stem.starts_with('-')) {
            Some(stem) => format!("{stem}.points.csv"),
            None => "points.csv".to_owned(),
        }
    }

    /// The command for each action.
    pub fn commands(&self, actions: &[ExplainedAction]) -> Vec<String> {
        actions.iter().map(|action| self.command(action)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_misread_are_quoted() {
        let words = ["score", "my file.csv", "it's", "a,b", "", "$x"].map(String::from);
        assert_eq!(command(&words), r"score 'my file.csv' 'it'\''s' a,b '' '$x'");
        assert_eq!(quoted("it's\\\n\u{1b}[31m\u{202e}x"), r"$'it\'s\\\n\x1b[31m\u202ex'");
    }

    #[test]
    fn suggested_labels_are_applied_with_the_options_of_the_explanation() {
        let mut place = ActionPlace {
            file: "data/my iris.csv".to_owned(),
            options: vec!["--label=kind of".to_owned()],
            seed: 3,
            points: None,
        };
        assert_eq!(
            place.suggested(),
            "clmatch explain 'data/my iris.csv' '--label=kind of' --seed=3 --points 'my iris.points.csv' --quiet && \
             clmatch relabel 'data/my iris.csv' --suggested 'my iris.points.csv' '--label=kind of' -o OUT"
        );
        place.points = Some("p.csv".to_owned());
        assert_eq!(
            place.suggested(),
            "clmatch relabel 'data/my iris.csv' --suggested p.csv '--label=kind of' -o OUT"
        );
        let stdin = ActionPlace { file: "-".to_owned(), points: None, ..place };
        assert!(stdin.suggested().contains("--suggested points.csv"), "{}", stdin.suggested());
    }

    #[test]
    fn neighbouring_rows_are_a_range() {
        assert_eq!(row_ranges(&[3, 7, 8, 10, 11, 12, 20]), "3,7-8,10-12,20");
        assert_eq!(row_ranges(&[5]), "5");
    }
}
