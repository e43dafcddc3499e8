//! Choosing datasets for a benchmark: the forms, and the quality of a choice.

use askama::Template;
use clmatch_analysis::picking::{Benchmark, BenchmarkDataset, Choice, ChoiceKind};
use clmatch_analysis::ranking::Ranking;

use crate::pages::PageError;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, three};
use crate::pages::truth::{FiguresPage, PagePart};

/// How many datasets are chosen by default.
const CHOSEN: usize = 10;

#[derive(Template)]
#[template(path = "benchmark.html")]
struct BenchmarkForm {
    shell: Shell,
    choices: Vec<ChoiceBox>,
    externals: Vec<String>,
}

struct ChoiceBox {
    name: String,
    score: String,
    chosen: bool,
}

/// The forms to choose with: all datasets of the catalogue, and the measures that techniques can be ranked by.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn form(catalogue: &Ranking, externals: &[&str], origin: &Origin) -> Result<String, PageError> {
    let by = catalogue.by.id;
    let choices = catalogue.ranked.iter().enumerate().map(|(at, ranked)| ChoiceBox {
        name: ranked.scored.dataset.clone(),
        score: three(ranked.scored.scores.get(by).unwrap_or(f64::NAN)),
        chosen: at < CHOSEN,
    });
    let page = BenchmarkForm {
        shell: Shell::new("Choose datasets for a benchmark", origin),
        choices: choices.collect(),
        externals: externals.iter().map(|&id| id.to_owned()).collect(),
    };
    page.render()
}

/// The page of a choice.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(benchmark: &Benchmark, origin: &Origin) -> Result<String, PageError> {
    let title = format!("{} for a benchmark", counted(benchmark.picked.len(), "dataset"));
    let page = FiguresPage {
        shell: Shell::new(title.clone(), origin),
        eyebrow: "A choice of datasets",
        title,
        lead: lead(benchmark),
        parts: vec![picked(benchmark), techniques(benchmark), choices(benchmark)],
    };
    page.render()
}

fn lead(benchmark: &Benchmark) -> Vec<String> {
    let mut lines = vec![format!(
        "Chosen from {} of {} that are valid by {}.",
        benchmark.candidates,
        counted(benchmark.datasets, "dataset"),
        benchmark.by
    )];
    let of = |kind| benchmark.choice(kind).map(|choice: &Choice| choice.stability);
    if let (Some(own), Some(random)) = (of(ChoiceKind::Pick), of(ChoiceKind::Random)) {
        lines.push(format!(
            "Two techniques keep their order with a stability of {}; on a random choice it is {}.",
            three(own),
            three(random)
        ));
    }
    lines
}

fn picked(benchmark: &Benchmark) -> PagePart {
    let columns = vec![
        HtmlColumn::text("dataset", ""),
        HtmlColumn::number("points", ""),
        HtmlColumn::number("features", ""),
        HtmlColumn::number("classes", ""),
        HtmlColumn::number(&benchmark.by, ""),
        HtmlColumn::text("verdict", ""),
        HtmlColumn::text("best technique", ""),
        HtmlColumn::number("reaches", ""),
    ];
    let row = |one: &BenchmarkDataset| HtmlRow {
        cells: vec![
            HtmlCell::link(&one.dataset, Some(super::catalogued::address(&one.dataset))),
            HtmlCell::count(one.points),
            HtmlCell::count(one.features),
            HtmlCell::count(one.classes),
            HtmlCell::score(one.score),
            HtmlCell::text(&one.verdict),
            HtmlCell::text(one.best.join(", ")),
            HtmlCell::number(one.best_score, three(one.best_score)),
        ],
    };
    let rows = benchmark.picked.iter().map(row).collect();
    part("picked", "Datasets", String::new(), columns, rows)
}

fn techniques(benchmark: &Benchmark) -> PagePart {
    let columns =
        vec![HtmlColumn::number("#", ""), HtmlColumn::text("technique", ""), HtmlColumn::number("mean", "")];
    let rows = benchmark.techniques.iter().map(|one| HtmlRow {
        cells: vec![
            HtmlCell::number(one.rank, one.rank.to_string()),
            HtmlCell::text(&one.technique),
            HtmlCell::score(one.mean),
        ],
    });
    let text = match &benchmark.external {
        Some(external) => format!("Ranked by {external} over the chosen datasets."),
        None => String::new(),
    };
    part("techniques", "Techniques", text, columns, rows.collect())
}

fn choices(benchmark: &Benchmark) -> PagePart {
    let columns = vec![
        HtmlColumn::text("choice", ""),
        HtmlColumn::number("stability", "How often two techniques keep their order"),
        HtmlColumn::number("diversity", "In multiples of that of a random choice"),
        HtmlColumn::number("agreement", "With the ranking over all valid datasets"),
        HtmlColumn::number("mean score", ""),
    ];
    let rows = benchmark.choices.iter().map(|choice| {
        let name = match choice.choice {
            ChoiceKind::Pick => "this one",
            ChoiceKind::TopByScore => "the best by score",
            ChoiceKind::MostStable => "the most stable",
            ChoiceKind::Random => "random (mean)",
        };
        let numbers = [choice.stability, choice.diversity, choice.agreement, choice.mean_score];
        let cells = std::iter::once(HtmlCell::text(name))
            .chain(numbers.into_iter().map(|value| HtmlCell::number(value, three(value))));
        HtmlRow { cells: cells.collect() }
    });
    let [low, high] = benchmark.random.stability;
    let text = format!("90% of random choices have a stability between {} and {}.", three(low), three(high));
    part("choices", "What was traded", text, columns, rows.collect())
}

fn part(id: &str, title: &str, text: String, columns: Vec<HtmlColumn>, rows: Vec<HtmlRow>) -> PagePart {
    PagePart {
        id: id.to_owned(),
        title: title.to_owned(),
        text,
        table: Some(HtmlTable { id: "", caption: title.to_owned(), columns, rows }),
        ..PagePart::default()
    }
}
