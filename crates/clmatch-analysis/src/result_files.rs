//! Reads back the results that commands wrote: rankings, ground truth, stability, and the pages of experiments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clmatch_truth::rank::quantile;
use clmatch_truth::results::{self, MethodScore};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::AnalysisError;
use crate::ground_truth::GroundTruth;
use crate::ranking_stability::RankingStability;
use crate::scored::Scored;
use crate::source::read_text;

/// What a file of results holds.
#[derive(Debug, Clone, PartialEq)]
pub enum ResultFile {
    /// The datasets of a ranking, or a single scored one.
    Scores(Vec<Scored>),
    /// Scores of techniques on datasets.
    Truth(TruthOverview),
    /// How a ranking of techniques holds.
    Stability(RankingStability),
    /// Pages of experiments.
    Experiments(Vec<ExperimentPage>),
}

/// What techniques reach on many datasets, by one external measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthOverview {
    /// The external measure, if the file states it.
    pub external: Option<String>,
    /// The datasets, ordered by their best score, the highest first.
    pub datasets: Vec<TruthDataset>,
    /// The techniques, ordered by their mean score, the highest first.
    pub techniques: Vec<TruthTechnique>,
}

/// One dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthDataset {
    /// Its name.
    pub dataset: String,
    /// The best score: the approximate true match.
    pub best: f64,
    /// The technique that reached it.
    pub by: String,
    /// The scores of all techniques.
    pub scores: Vec<f64>,
}

/// One technique.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthTechnique {
    /// Its name.
    pub technique: String,
    /// Its mean score.
    pub mean: f64,
    /// Its median score.
    pub median: f64,
    /// On how many datasets it is the best.
    pub wins: usize,
    /// Its scores.
    pub scores: Vec<f64>,
}

/// The page of an experiment, as `clmatch lab` writes it, with its figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentPage {
    /// The name of its file without the extension.
    pub name: String,
    /// The text in Markdown.
    pub markdown: String,
    /// The figures that the text shows, by their file names, as SVG.
    pub figures: Vec<(String, String)>,
}

/// Reads the result that a path holds; `None` if it does not hold a result, and so perhaps a dataset.
///
/// # Errors
/// A result that cannot be read.
pub fn read_result(path: &Path) -> Result<Option<ResultFile>, AnalysisError> {
    if path.is_dir() {
        let pages = experiments(path)?;
        return Ok((!pages.is_empty()).then_some(ResultFile::Experiments(pages)));
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => from_json(path),
        Some("csv") => from_csv(path),
        Some("md") => {
            let page = experiment(path)?;
            Ok(page.map(|page| ResultFile::Experiments(vec![page])))
        }
        _ => Ok(None),
    }
}

/// The schema that a JSON value declares; for a list, the one of the first member that is not a failure.
fn schema(value: &Value) -> Option<&str> {
    let of = |value: &Value| value.get("schema").and_then(Value::as_str).map(str::to_owned);
    match value {
        Value::Array(list) => {
            let known =
                list.iter().find(|one| of(one).is_some_and(|schema| !schema.starts_with("clmatch/failure/")));
            known.and_then(|one| one.get("schema")).and_then(Value::as_str)
        }
        one => one.get("schema").and_then(Value::as_str),
    }
}

fn from_json(path: &Path) -> Result<Option<ResultFile>, AnalysisError> {
    let Ok(value) = serde_json::from_str::<Value>(&read_text(path)?) else { return Ok(None) };
    let Some(schema) = schema(&value).map(str::to_owned) else { return Ok(None) };
    if schema.starts_with("clmatch/score/") || schema == "clmatch/1" {
        return members(path, value).map(|scored| Some(ResultFile::Scores(scored)));
    }
    if schema.starts_with("clmatch/truth/") {
        let truths: Vec<GroundTruth> = members(path, value)?;
        let rows: Vec<MethodScore> = truths.iter().flat_map(method_scores).collect();
        return Ok(Some(ResultFile::Truth(TruthOverview::of(&rows))));
    }
    if schema.starts_with("clmatch/stability/") {
        return Ok(Some(ResultFile::Stability(one(path, value)?)));
    }
    if schema.starts_with("clmatch/") {
        let what = format!("{}: results of the shape {schema} have no report", path.display());
        let help = "give it datasets, or what rank, truth, stability or lab have written";
        return Err(AnalysisError::unfit(what, clmatch_data::Advice::from(help)));
    }
    Ok(None)
}

/// All members of a list without those that failed, or the only object.
fn members<T: for<'de> Deserialize<'de>>(path: &Path, value: Value) -> Result<Vec<T>, AnalysisError> {
    let list = match value {
        Value::Array(list) => list,
        one => vec![one],
    };
    let failed = |one: &Value| schema(one).is_some_and(|schema| schema.starts_with("clmatch/failure/"));
    list.into_iter().filter(|one| !failed(one)).map(|value| one(path, value)).collect()
}

fn one<T: for<'de> Deserialize<'de>>(path: &Path, value: Value) -> Result<T, AnalysisError> {
    serde_json::from_value(value).map_err(|error| {
        let what = format!("{}: this is not what clmatch writes: {error}", path.display());
        AnalysisError::unfit(what, clmatch_data::Advice::from("write it anew"))
    })
}

fn method_scores(truth: &GroundTruth) -> impl Iterator<Item = MethodScore> + '_ {
    truth.techniques.iter().filter(|row| row.counts()).map(|row| MethodScore {
        dataset: truth.dataset.clone(),
        method: row.technique.clone(),
        external: Some(row.external.clone()),
        score: row.score,
        seconds: Some(row.seconds),
    })
}

/// Reads a table of `truth` or `classify`, or the experiment page beside a table of raw numbers.
fn from_csv(path: &Path) -> Result<Option<ResultFile>, AnalysisError> {
    if let Some(page) = experiment(&path.with_extension("md"))? {
        return Ok(Some(ResultFile::Experiments(vec![page])));
    }
    let first = first_line(path);
    let titles: Vec<&str> = first.trim_end().split(',').collect();
    let has = |names: &[&str]| names.iter().any(|name| titles.contains(name));
    let is_truth =
        has(&["dataset"]) && has(&["technique", "classifier", "method"]) && has(&["score", "accuracy"]);
    if !is_truth {
        return Ok(None);
    }
    let rows = results::read(&read_text(path)?).map_err(|error| AnalysisError::table(path, error))?;
    Ok(Some(ResultFile::Truth(TruthOverview::of(&rows))))
}

/// The title line of a table; empty if the file is not text.
fn first_line(path: &Path) -> String {
    use std::io::{BufRead, BufReader, Read};
    let mut line = String::new();
    if let Ok(file) = std::fs::File::open(path) {
        let _ = BufReader::new(file.take(10_000)).read_line(&mut line);
    }
    line
}

impl TruthOverview {
    /// Summarises the rows of the first external measure.
    pub fn of(rows: &[MethodScore]) -> TruthOverview {
        let external = results::externals(rows).first().map(|&first| first.to_owned());
        let rows: Vec<&MethodScore> = rows.iter().filter(|row| row.external == external).collect();
        let mut by_dataset: BTreeMap<&str, Vec<&MethodScore>> = BTreeMap::new();
        let mut by_technique: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.score.is_finite()) {
            by_dataset.entry(&row.dataset).or_default().push(row);
            by_technique.entry(&row.method).or_default().push(row.score);
        }
        let mut datasets: Vec<TruthDataset> = by_dataset.into_iter().filter_map(truth_dataset).collect();
        datasets.sort_by(|a, b| b.best.total_cmp(&a.best));
        let mut techniques: Vec<TruthTechnique> = by_technique
            .into_iter()
            .map(|(technique, scores)| {
                let mut sorted = scores.clone();
                sorted.sort_by(f64::total_cmp);
                TruthTechnique {
                    technique: technique.to_owned(),
                    mean: scores.iter().sum::<f64>() / scores.len() as f64,
                    median: quantile(&sorted, 0.5),
                    wins: datasets.iter().filter(|dataset| dataset.by == technique).count(),
                    scores,
                }
            })
            .collect();
        techniques.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        TruthOverview { external, datasets, techniques }
    }
}

fn truth_dataset((dataset, rows): (&str, Vec<&MethodScore>)) -> Option<TruthDataset> {
    let best = rows.iter().copied().reduce(|best, row| if row.score > best.score { row } else { best })?;
    Some(TruthDataset {
        dataset: dataset.to_owned(),
        best: best.score,
        by: best.method.clone(),
        scores: rows.iter().map(|row| row.score).collect(),
    })
}

/// All pages of experiments in a folder, the index first; empty if there is no index.
fn experiments(folder: &Path) -> Result<Vec<ExperimentPage>, AnalysisError> {
    let index = folder.join("index.md");
    if !index.is_file() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).map_err(|error| AnalysisError::cannot_read(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md") && *path != index);
    let pages: Vec<ExperimentPage> = paths
        .iter()
        .map(|path| experiment(path))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    Ok(pages)
}

/// Reads a page of `clmatch lab`, recognised by the statement of how it was made.
fn experiment(path: &Path) -> Result<Option<ExperimentPage>, AnalysisError> {
    if !path.is_file() {
        return Ok(None);
    }
    let markdown = read_text(path)?;
    if !(markdown.starts_with("# ") && markdown.contains("`clmatch lab ")) {
        return Ok(None);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut figures = Vec::new();
    for name in figure_names(&markdown) {
        // Only files beside the page are read: a name with a folder in it is not followed.
        let beside = Path::new(name).components().count() == 1 && name.ends_with(".svg");
        let figure = folder.join(name);
        if beside && figure.is_file() {
            figures.push((name.to_owned(), read_text(&figure)?));
        }
    }
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Some(ExperimentPage { name, markdown, figures }))
}

/// The files in links such as `![what](file)`.
fn figure_names(markdown: &str) -> impl Iterator<Item = &str> {
    markdown.split("![").skip(1).filter_map(|rest| rest.split_once("](")?.1.split(')').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    #[test]
    fn results_are_told_from_datasets() {
        let folder = folder(&[
            ("iris.csv", "a,b,class\n1,2,x\n"),
            ("points.json", "[{\"a\": 1, \"label\": 2}]"),
            ("broken.json", "{"),
            (
                "truth.csv",
                "dataset,technique,external,score\nd,kmeans,ami,0.5\nd,birch,ami,0.7\ne,kmeans,ami,0.9\n",
            ),
            (
                "scores.json",
                r#"[{"schema":"clmatch/failure/1","dataset":"x","error":"y"},{"schema":"clmatch/score/4","dataset":"d","points":4,"features":1,"classes":2,"sizes":[],"scale":"max-abs","checksum":"","scores":{"clm":0.5}}]"#,
            ),
        ]);
        let read = |name: &str| read_result(&folder.path().join(name)).unwrap();
        for dataset in ["iris.csv", "points.json", "broken.json"] {
            assert_eq!(read(dataset), None, "{dataset}");
        }
        let Some(ResultFile::Truth(truth)) = read("truth.csv") else { panic!() };
        let best: Vec<(&str, f64, &str)> =
            truth.datasets.iter().map(|one| (one.dataset.as_str(), one.best, one.by.as_str())).collect();
        assert_eq!(best, [("e", 0.9, "kmeans"), ("d", 0.7, "birch")]);
        let means: Vec<(&str, f64, usize)> =
            truth.techniques.iter().map(|one| (one.technique.as_str(), one.mean, one.wins)).collect();
        assert_eq!(means, [("birch", 0.7, 1), ("kmeans", 0.7, 1)]);
        let Some(ResultFile::Scores(scores)) = read("scores.json") else { panic!() };
        assert_eq!(scores.len(), 1);
        assert_eq!(read_result(folder.path()).unwrap(), None);
    }

    #[test]
    fn other_results_are_refused_with_what_can_be_shown() {
        let folder = folder(&[
            ("diff.json", r#"{"schema":"clmatch/diff/1"}"#),
            ("bad.json", r#"{"schema":"clmatch/stability/1"}"#),
        ]);
        let refused = read_result(&folder.path().join("diff.json")).unwrap_err();
        assert!(refused.to_string().contains("clmatch/diff/1 have no report"), "{refused}");
        let refused = read_result(&folder.path().join("bad.json")).unwrap_err();
        assert!(refused.to_string().contains("this is not what clmatch writes"), "{refused}");
    }

    #[test]
    fn pages_of_experiments_bring_their_figures_and_no_others() {
        let page = "# Title\n\n![a](a.svg) ![b](../b.svg) ![c](missing.svg)\n\n`clmatch lab x --seed 0`\n";
        let folder =
            folder(&[("x.md", page), ("a.svg", "<svg/>"), ("index.md", "# All\n"), ("x.csv", "n\n1\n")]);
        for name in ["x.md", "x.csv", ""] {
            let Some(ResultFile::Experiments(pages)) = read_result(&folder.path().join(name)).unwrap() else {
                panic!()
            };
            assert_eq!(pages[0].name, "x");
            assert_eq!(pages[0].figures, [("a.svg".to_owned(), "<svg/>".to_owned())]);
        }
    }
}
