//! Scores of methods on datasets, read from the tables that commands write, or from a user's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::techniques::{is_near_singletons, without_mark};

/// One line of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodScore {
    /// The dataset.
    pub dataset: String,
    /// The method: a clustering technique, a classifier, or anything else that has scores.
    pub method: String,
    /// The external measure, if the table has it.
    pub external: Option<String>,
    /// The score; higher is better.
    pub score: f64,
    /// The run time in seconds, if the table has it.
    pub seconds: Option<f64>,
}

/// A problem with a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableError {
    /// The line with the problem, counted from 1.
    pub line: Option<u64>,
    /// The problem.
    pub what: String,
    /// What to do about the problem.
    pub help: String,
}

impl TableError {
    /// An error with the line at fault, if there is one, and what to do about it.
    pub fn new(line: Option<u64>, what: impl Into<String>, help: impl Into<String>) -> Self {
        TableError { line, what: what.into(), help: help.into() }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "line {line}: {}", self.what),
            None => formatter.write_str(&self.what),
        }
    }
}

impl std::error::Error for TableError {}

/// A table of comma-separated values with a header.
#[derive(Debug, Clone)]
pub struct Sheet {
    titles: Vec<String>,
    rows: Vec<(u64, Vec<String>)>,
}

impl Sheet {
    /// Reads a whole table.
    ///
    /// # Errors
    /// [`TableError`] with the line at fault.
    pub fn read(text: &str) -> Result<Sheet, TableError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let broken = |error: &csv::Error| {
            let line = error.position().map(csv::Position::line);
            let what = match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    format!("there are {len} cells instead of {expected_len}")
                }
                _ => error.to_string(),
            };
            TableError::new(line, what, "write comma-separated values with a line of titles")
        };
        let titles = reader.headers().map_err(|error| broken(&error))?;
        let titles: Vec<String> = titles.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| broken(&error))?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.push((line, record.iter().map(str::to_owned).collect()));
        }
        if rows.is_empty() {
            return Err(TableError::new(None, "the table is empty", "it needs a line of titles and rows"));
        }
        Ok(Sheet { titles, rows })
    }

    /// The first column with one of these titles.
    pub fn column(&self, titles: &[&str]) -> Option<usize> {
        titles
            .iter()
            .find_map(|wanted| self.titles.iter().position(|title| title.eq_ignore_ascii_case(wanted)))
    }

    /// The first column with one of these titles; there must be one.
    ///
    /// # Errors
    /// [`TableError`] with the titles that the table has.
    pub fn needed(&self, titles: &[&str]) -> Result<usize, TableError> {
        self.column(titles).ok_or_else(|| {
            let there = self.titles.join(", ");
            let what = format!("there is no column {}", titles.join(" or "));
            TableError::new(None, what, format!("the columns are: {there}"))
        })
    }

    /// The cells of every row, with the row's line.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &[String])> {
        self.rows.iter().map(|(line, cells)| (*line, cells.as_slice()))
    }

    /// A cell that must be a finite number.
    ///
    /// # Errors
    /// [`TableError`] with the line at fault.
    pub fn number(&self, line: u64, cells: &[String], column: usize) -> Result<f64, TableError> {
        let number: Option<f64> = cells[column].parse().ok();
        number.filter(|number| number.is_finite()).ok_or_else(|| {
            let what = format!("{} is '{}', which is not a number", self.titles[column], cells[column]);
            TableError::new(Some(line), what, "write finite numbers with a decimal point")
        })
    }
}

/// Reads `dataset,technique,external,score,seconds` and the like. The columns may be in any order, the method may be
/// called `technique`, `classifier` or `method`, and the score `accuracy`; `external` and `seconds` may be missing.
/// Partitions that `truth` marks as leaving nearly every point alone do not count and are skipped.
///
/// # Errors
/// [`TableError`] with the line at fault.
pub fn read(text: &str) -> Result<Vec<MethodScore>, TableError> {
    read_rows(text, |method| (!is_near_singletons(method)).then_some(method))
}

/// Like [`read`], but partitions that leave nearly every point alone count for their technique where they score higher,
/// as they did for the paper's authors.
///
/// # Errors
/// [`TableError`] with the line at fault.
pub fn read_with_singletons(text: &str) -> Result<Vec<MethodScore>, TableError> {
    let rows = read_rows(text, |method| Some(without_mark(method)))?;
    let mut kept: Vec<MethodScore> = Vec::with_capacity(rows.len());
    let mut places: BTreeMap<(String, String, Option<String>), usize> = BTreeMap::new();
    for row in rows {
        let key = (row.dataset.clone(), row.method.clone(), row.external.clone());
        match places.get(&key) {
            Some(&place) if kept[place].score < row.score => kept[place] = row,
            Some(_) => {}
            None => {
                places.insert(key, kept.len());
                kept.push(row);
            }
        }
    }
    Ok(kept)
}

/// Reads the rows for whose method `name` returns a name.
fn read_rows(text: &str, name: impl Fn(&str) -> Option<&str>) -> Result<Vec<MethodScore>, TableError> {
    let sheet = Sheet::read(text)?;
    let dataset = sheet.needed(&["dataset"])?;
    let method = sheet.needed(&["technique", "classifier", "method"])?;
    let score = sheet.needed(&["score", "accuracy"])?;
    let (external, seconds) = (sheet.column(&["external"]), sheet.column(&["seconds"]));
    let mut rows = Vec::new();
    for (line, cells) in sheet.rows() {
        let Some(name) = name(&cells[method]) else { continue };
        rows.push(MethodScore {
            dataset: cells[dataset].clone(),
            method: name.to_owned(),
            external: external.map(|column| cells[column].clone()),
            score: sheet.number(line, cells, score)?,
            // A cell that is not a number counts as no time: only run times depend on it.
            seconds: seconds.and_then(|column| sheet.number(line, cells, column).ok()),
        });
    }
    Ok(rows)
}

/// The external measures of a table, in the order of their first appearance.
pub fn externals(rows: &[MethodScore]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for external in rows.iter().filter_map(|row| row.external.as_deref()) {
        if !found.contains(&external) {
            found.push(external);
        }
    }
    found
}

/// Like [`externals`], but there must be at least one.
pub fn named_externals(rows: &[MethodScore]) -> Result<Vec<&str>, TableError> {
    match externals(rows) {
        none if none.is_empty() => {
            let help = "name the external measure of each score, as `clmatch truth -o` does";
            Err(TableError::new(None, "there is no column external", help))
        }
        some => Ok(some),
    }
}

/// The scores of all methods on all datasets by one external measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// The datasets, in ascending order.
    pub datasets: Vec<String>,
    /// The methods, in the order of their first appearance.
    pub methods: Vec<String>,
    /// For each dataset, one score per method.
    pub scores: Vec<Vec<f64>>,
}

impl Results {
    /// Takes the rows of one external measure (all rows if none is given), for the named methods or for all of them.
    ///
    /// # Errors
    /// If a method has no score on some dataset, a score occurs twice, or a name is unknown.
    pub fn new(
        rows: &[MethodScore],
        external: Option<&str>,
        chosen: &[String],
    ) -> Result<Results, TableError> {
        let wanted = |row: &&MethodScore| row.external.as_deref() == external || external.is_none();
        let mut methods: Vec<String> = Vec::new();
        let mut found: BTreeMap<(&str, &str), f64> = BTreeMap::new();
        for row in rows.iter().filter(wanted) {
            if !chosen.is_empty() && !chosen.contains(&row.method) {
                continue;
            }
            if !methods.contains(&row.method) {
                methods.push(row.method.clone());
            }
            if found.insert((&row.dataset, &row.method), row.score).is_some() {
                let what = format!("{} has two scores of {}", row.dataset, row.method);
                return Err(TableError::new(None, what, "keep one row per dataset, method and measure"));
            }
        }
        if let Some(missing) = chosen.iter().find(|name| !methods.contains(name)) {
            return Err(TableError::new(None, format!("there is no score of {missing}"), "check its name"));
        }
        let datasets: BTreeSet<&str> = found.keys().map(|&(dataset, _)| dataset).collect();
        let mut scores = Vec::with_capacity(datasets.len());
        for &dataset in &datasets {
            let of = |method: &String| {
                found.get(&(dataset, method.as_str())).copied().ok_or_else(|| {
                    let what = format!("{method} has no score on {dataset}");
                    TableError::new(None, what, "leave the dataset out, or choose the methods to compare")
                })
            };
            scores.push(methods.iter().map(of).collect::<Result<Vec<f64>, TableError>>()?);
        }
        Ok(Results { datasets: datasets.into_iter().map(str::to_owned).collect(), methods, scores })
    }

    /// The place of a dataset.
    pub fn place(&self, dataset: &str) -> Option<usize> {
        self.datasets.binary_search_by(|known| known.as_str().cmp(dataset)).ok()
    }

    /// The best score on each dataset: the approximate true match.
    pub fn best(&self) -> Vec<f64> {
        self.scores.iter().map(|scores| best(scores)).collect()
    }
}

/// The greatest of some scores.
pub fn best(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Reads a number for each dataset, from a table with a column `dataset` and one with the given title, as `rank` writes
/// it.
///
/// # Errors
/// [`TableError`] with the line at fault.
pub fn read_column(text: &str, title: &str) -> Result<Vec<(String, f64)>, TableError> {
    let sheet = Sheet::read(text)?;
    let (dataset, column) = (sheet.needed(&["dataset"])?, sheet.needed(&[title])?);
    let pairs = sheet.rows().map(|(line, cells)| {
        // Standard measures may be infinite, which still gives them a place at an end of the order.
        let infinite = cells[column].parse().ok().filter(|number: &f64| number.is_infinite());
        let number = infinite.map_or_else(|| sheet.number(line, cells, column), Ok)?;
        Ok((cells[dataset].clone(), number))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "dataset,technique,external,score,settings,seconds\nb,k,ami,0.5,x=1,2\nb,l,ami,0.25,,1\n\
        b,dbscan_singletons,ami,1,,1\na,l,ami,-0.1,\"x=1, y=2\",1\na,k,ami,1,,1\na,k,vm,0,,1\n";

    #[test]
    fn tables_are_read() {
        let rows = read(TABLE).unwrap();
        assert_eq!((rows.len(), rows[0].seconds, externals(&rows)), (5, Some(2.0), vec!["ami", "vm"]));
        let results = Results::new(&rows, Some("ami"), &[]).unwrap();
        assert_eq!(results.datasets, ["a", "b"]);
        assert_eq!(results.methods, ["k", "l"]);
        assert_eq!(results.scores, [[1.0, -0.1], [0.5, 0.25]]);
        assert_eq!((results.best(), results.place("b"), results.place("c")), (vec![1.0, 0.5], Some(1), None));
        // Where nearly every point is alone, l keeps its score and dbscan has that one.
        let all = read_with_singletons(TABLE).unwrap();
        assert_eq!(all.len(), 6);
        assert!(all.iter().any(|row| (row.method.as_str(), row.score) == ("dbscan", 1.0)));
        let higher = "dataset,technique,score\na,dbscan,0.2\na,dbscan_singletons,0.5\na,k,0.1\n";
        let scores: Vec<f64> = read_with_singletons(higher).unwrap().iter().map(|row| row.score).collect();
        assert_eq!(scores, [0.5, 0.1]);
        let own = "Method,Dataset,Accuracy\nx,d,1\ny,d,0\n";
        assert_eq!(Results::new(&read(own).unwrap(), None, &[]).unwrap().methods, ["x", "y"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(refused("dataset,score\na,1\n"), "there is no column technique or classifier or method");
        assert_eq!(
            refused("dataset,method,score\na,m,1\na,n,?\n"),
            "line 3: score is '?', which is not a number"
        );
        assert_eq!(
            refused("dataset,method,score\na,m,inf\n"),
            "line 2: score is 'inf', which is not a number"
        );
        assert_eq!(refused("dataset,method,score\na,m\n"), "line 2: there are 2 cells instead of 3");
        assert_eq!(refused("dataset,method,score\n"), "the table is empty");
        let gathered = |text: &str, chosen: &[String]| {
            Results::new(&read(text).unwrap(), None, chosen).unwrap_err().to_string()
        };
        let twice = "dataset,method,score\na,m,1\na,m,2\n";
        assert_eq!(gathered(twice, &[]), "a has two scores of m");
        let gap = "dataset,method,score\na,m,1\na,n,2\nb,m,1\n";
        assert_eq!(gathered(gap, &[]), "n has no score on b");
        assert_eq!(gathered(gap, &["o".to_owned()]), "there is no score of o");
    }
}
