//! How much the ground truth differs between seeds, and how much it differed before.

use clmatch::Matrix;
use clmatch_cluster::external::{External, Truth};
use clmatch_kernels::{Control, Stopped};
use clmatch_render::{csv, markdown, number};
use serde::{Deserialize, Serialize};

use crate::findings::{File, Findings};
use clmatch_truth::results::{Sheet, TableError};
use clmatch_truth::techniques::{Technique, TechniqueScore, TruthSettings, best, ground_truth};

/// The number of master seeds, counted from 0.
pub const SEEDS: u64 = 10;
/// The largest difference allowed between the scores of one dataset.
pub const BAR: f64 = 0.01;
/// The number of datasets on the page.
const SHOWN: usize = 10;
/// Stands for the best technique, whichever it is for a seed.
const BEST: &str = "best";
/// The name of the experiment.
const NAME: &str = "truth-seeds";
/// The columns of the table.
const TITLES: [&str; 5] = ["dataset", "technique", "external", "least", "greatest"];

/// The scores of a technique on a dataset by one external measure, over all seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The dataset.
    pub dataset: String,
    /// The technique, or `best`.
    pub technique: String,
    /// The external measure.
    pub external: String,
    /// The least score.
    pub least: f64,
    /// The greatest score.
    pub greatest: f64,
}

impl Span {
    /// The difference between the greatest and the least score.
    pub fn spread(&self) -> f64 {
        self.greatest - self.least
    }
}

/// The ground truth of one dataset with every seed. Techniques that do not depend on a seed run once.
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
pub fn spans(
    dataset: &str,
    points: &Matrix<'_>,
    truth: &Truth,
    control: Control<'_>,
) -> Result<Vec<Span>, Stopped> {
    let (random, certain) = Technique::ALL.into_iter().partition(|technique| technique.is_random());
    let with = |techniques: &Vec<Technique>, seed: u64| {
        let plan = TruthSettings { techniques: techniques.clone(), seed, ..TruthSettings::default() };
        ground_truth(points, truth, &plan, Control::new(control.stop()))
    };
    let certain = with(&certain, 0)?;
    let mut runs: Vec<Vec<TechniqueScore>> = Vec::new();
    for seed in 0..SEEDS {
        runs.push([certain.clone(), with(&random, seed)?].concat());
        control.report(&format!("seed {seed}"), seed as usize + 1, SEEDS as usize);
    }
    let mut spans = Vec::new();
    for external in External::ALL {
        let mut add = |technique: &str, scores: Vec<f64>| {
            spans.push(Span {
                dataset: dataset.to_owned(),
                technique: technique.to_owned(),
                external: external.id().to_owned(),
                least: scores.iter().copied().fold(f64::INFINITY, f64::min),
                greatest: scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            });
        };
        add(BEST, runs.iter().filter_map(|run| best(run, external)).map(|best| best.score).collect());
        for technique in Technique::ALL {
            let of = |outcome: &&TechniqueScore| {
                (outcome.technique, outcome.external, outcome.near_singletons) == (technique, external, false)
            };
            add(
                technique.id(),
                runs.iter().flat_map(|run| run.iter().find(of)).map(|found| found.score).collect(),
            );
        }
    }
    Ok(spans)
}

/// Reads a table of an earlier version; it has the columns of this experiment.
///
/// # Errors
/// [`TableError`] with the line at fault.
pub fn read(text: &str) -> Result<Vec<Span>, TableError> {
    let sheet = Sheet::read(text)?;
    let columns: Vec<usize> = TITLES.iter().map(|title| sheet.needed(&[title])).collect::<Result<_, _>>()?;
    let span = |(line, cells): (u64, &[String])| {
        let text = |column: usize| cells[columns[column]].clone();
        Ok(Span {
            dataset: text(0),
            technique: text(1),
            external: text(2),
            least: sheet.number(line, cells, columns[3])?,
            greatest: sheet.number(line, cells, columns[4])?,
        })
    };
    sheet.rows().map(span).collect()
}

/// The page and the table; `before` holds the spans of an earlier version, if there are any.
pub fn findings(now: &[Span], before: &[Span]) -> Findings {
    let widest = widest(now, BEST);
    let (moving, shown) = (most_restless(now, before), SHOWN.min(datasets(now).len()));
    let page = format!(
        "The ground truth of {} datasets with {SEEDS} master seeds: the best score of all techniques may differ by {BAR}. It \
         differs by {} at most; K-Means by {}, X-Means by {}; no other technique knows a seed.\n\n\
         ## The {shown} most restless datasets\n\nThe best score of all techniques, from the least to the greatest.\n\n{}\n\
         ## Each technique\n\nThe largest difference by any measure, on these datasets.\n\n{}",
        datasets(now).len(),
        three(widest),
        three(self::widest(now, Technique::KMeans.id())),
        three(self::widest(now, Technique::XMeans.id())),
        best_table(&moving, now, before),
        technique_table(&moving, now, before),
    );
    let verdict = if widest <= BAR { "at most" } else { "up to" };
    Findings {
        name: NAME,
        reading: None,
        claims: Vec::new(),
        title: "The ground truth with ten seeds".to_owned(),
        summary: format!(
            "the ground truth differs by {verdict} {} between {SEEDS} master seeds",
            three(widest)
        ),
        page,
        files: vec![File { name: format!("{NAME}.csv"), text: table(now) }],
    }
}

/// The table that [`read`] reads.
pub fn table(spans: &[Span]) -> String {
    let digits = |score: f64| number::significant(score, 12);
    let row = |span: &Span| {
        let Span { dataset, technique, external, least, greatest } = span;
        vec![dataset.clone(), technique.clone(), external.clone(), digits(*least), digits(*greatest)]
    };
    csv::table(&TITLES, &spans.iter().map(row).collect::<Vec<_>>())
}

fn three(score: f64) -> String {
    format!("{score:.3}")
}

fn datasets(spans: &[Span]) -> Vec<&str> {
    let mut names: Vec<&str> = spans.iter().map(|span| span.dataset.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn widest(spans: &[Span], technique: &str) -> f64 {
    spans.iter().filter(|span| span.technique == technique).map(Span::spread).fold(0.0, f64::max)
}

fn find<'a>(spans: &'a [Span], dataset: &str, technique: &str, external: External) -> Option<&'a Span> {
    let is = |span: &&Span| {
        span.dataset == dataset && span.technique == technique && span.external == external.id()
    };
    spans.iter().find(is)
}

/// The datasets whose best score differed most, before if that is known.
fn most_restless<'a>(now: &'a [Span], before: &[Span]) -> Vec<&'a str> {
    let spread = |dataset: &str| {
        let known = if before.iter().any(|span| span.dataset == dataset) { before } else { now };
        let spans = External::ALL.into_iter().filter_map(|external| find(known, dataset, BEST, external));
        spans.map(Span::spread).fold(0.0, f64::max)
    };
    let mut names = datasets(now);
    names.sort_by(|a, b| spread(b).total_cmp(&spread(a)).then(a.cmp(b)));
    names.truncate(SHOWN);
    names
}

fn best_table(datasets: &[&str], now: &[Span], before: &[Span]) -> String {
    let cells = |span: Option<&Span>| match span {
        Some(span) => [format!("{:.3} .. {:.3}", span.least, span.greatest), three(span.spread())],
        None => [String::new(), String::new()],
    };
    let rows: Vec<Vec<String>> = datasets
        .iter()
        .flat_map(|&dataset| External::ALL.map(|external| (dataset, external)))
        .map(|(dataset, external)| {
            let [then, now] = [before, now].map(|spans| cells(find(spans, dataset, BEST, external)));
            [vec![dataset.to_owned(), external.id().to_owned()], then.to_vec(), now.to_vec()].concat()
        })
        .collect();
    markdown::table(&["dataset", "measure", "before", "by", "now", "by"], 2, &rows)
}

fn technique_table(datasets: &[&str], now: &[Span], before: &[Span]) -> String {
    let largest = |spans: &[Span], technique: Technique| {
        let these = spans
            .iter()
            .filter(|span| span.technique == technique.id() && datasets.contains(&span.dataset.as_str()));
        these.map(Span::spread).reduce(f64::max).map_or_else(String::new, three)
    };
    let rows: Vec<Vec<String>> = Technique::ALL
        .into_iter()
        .map(|technique| vec![technique.id().to_owned(), largest(before, technique), largest(now, technique)])
        .collect();
    markdown::table(&["technique", "before", "now"], 1, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(dataset: &str, technique: &str, least: f64, greatest: f64) -> Span {
        let external = External::Arand.id().to_owned();
        Span { dataset: dataset.to_owned(), technique: technique.to_owned(), external, least, greatest }
    }

    #[test]
    fn tables_are_read_back() {
        let spans = [span("a", "best", 0.25, 0.5), span("b", "kmeans", -0.125, 1.0)];
        assert_eq!(read(&table(&spans)).unwrap(), spans);
        assert!(read("dataset,technique,external,least\na,best,ami,1\n").is_err());
    }

    #[test]
    fn the_most_restless_come_first_and_the_bar_is_told() {
        let now = [
            span("calm", "best", 0.5, 0.5),
            span("restless", "best", 0.5, 0.502),
            span("restless", "kmeans", 0.5, 0.504),
        ];
        let found = findings(&now, &[span("restless", "best", 0.3, 0.5)]);
        assert_eq!(found.summary, "the ground truth differs by at most 0.002 between 10 master seeds");
        assert!(
            found.page.contains("| restless | arand | 0.300 .. 0.500 | 0.200 | 0.500 .. 0.502 | 0.002 |")
        );
        assert!(found.page.find("| restless").unwrap() < found.page.find("| calm").unwrap());
        assert!(found.page.contains("| kmeans |  | 0.004 |"), "{}", found.page);
    }
}
