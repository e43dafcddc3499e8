//! Datasets for a benchmark, and what was traded for them.

use clmatch_analysis::picking::{Benchmark, Choice, ChoiceKind};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::{Format, pretty};
use crate::failure::INDENT;

/// How many of the techniques that share the best score on a dataset are named.
const BEST_SHOWN: usize = 2;

pub fn print(benchmark: &Benchmark, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Json => pretty(benchmark),
        Format::Csv => datasets(benchmark).csv(),
        Format::Table => {
            let mut text = wrap(&headline(benchmark), width, INDENT) + "\n\n";
            text.push_str(&datasets(benchmark).terminal(width));
            text.push_str(&format!("\n{}", techniques(benchmark).terminal(width)));
            text.push_str(&format!("\n{}\n", choices(benchmark).terminal(width)));
            sentences(benchmark).iter().for_each(|one| text.push_str(&(wrap(one, width, INDENT) + "\n")));
            text
        }
        Format::Markdown => format!(
            "{}\n\n{}\n{}\n{}\n{}\n",
            escape(&headline(benchmark)),
            datasets(benchmark).markdown(1),
            techniques(benchmark).markdown(2),
            choices(benchmark).markdown(1),
            sentences(benchmark).iter().map(|one| escape(one)).collect::<Vec<_>>().join("\n")
        ),
    }
}

fn headline(benchmark: &Benchmark) -> String {
    let external = benchmark.external.as_ref().map_or_else(String::new, |id| format!(" by {id}"));
    format!(
        "{} of {} datasets to choose from ({} ranked, {} valid by {}); techniques ranked{external}",
        benchmark.picked.len(),
        benchmark.candidates,
        benchmark.datasets,
        benchmark.valid,
        benchmark.by
    )
}

fn datasets(benchmark: &Benchmark) -> Table {
    let mut columns = vec![
        Column::text("dataset"),
        Column::number("points").spare(2),
        Column::number("features").spare(3),
        Column::number("classes").spare(3),
        Column::number(benchmark.by.clone()),
        Column::text("verdict").spare(4),
        Column::text("best technique").with_id("best_technique").spare(1),
        Column::number("reaches").with_id("best_score").spare(5),
    ];
    let sources = !has_one_source(benchmark) && benchmark.picked.iter().any(|one| one.source.is_some());
    columns.extend(sources.then(|| Column::text("source").spare(6)));
    let mut table = Table::new(columns);
    for one in &benchmark.picked {
        let mut best = one.best[..one.best.len().min(BEST_SHOWN)].join(", ");
        if one.best.len() > BEST_SHOWN {
            best.push_str(&format!(" and {} more", one.best.len() - BEST_SHOWN));
        }
        let mut cells = vec![
            Cell::text(&one.dataset),
            Cell::count(one.points),
            Cell::count(one.features),
            Cell::count(one.classes),
            Cell::number(one.score, format!("{:.3}", one.score)),
            Cell::text(&one.verdict),
            Cell::text(best),
            Cell::number(one.best_score, format!("{:.3}", one.best_score)),
        ];
        cells.extend(sources.then(|| Cell::or_empty(one.source.as_ref().map(Cell::text))));
        table.row(cells);
    }
    table
}

/// Whether all datasets can be had at one place: a sentence says so once.
fn has_one_source(benchmark: &Benchmark) -> bool {
    let [first, others @ ..] = &benchmark.picked[..] else { return false };
    first.source.is_some() && others.iter().all(|one| one.source == first.source)
}

fn techniques(benchmark: &Benchmark) -> Table {
    let mut table =
        Table::new([Column::number("#").called("rank"), Column::text("technique"), Column::number("mean")]);
    for one in &benchmark.techniques {
        table.row([
            Cell::rounded(one.rank, 3),
            Cell::text(&one.technique),
            Cell::number(one.mean, format!("{:.3}", one.mean)),
        ]);
    }
    table
}

/// The pick compared with other choices.
fn choices(benchmark: &Benchmark) -> Table {
    let mut table = Table::new([
        Column::text("choice"),
        Column::number("stability"),
        Column::number("diversity"),
        Column::number("agreement"),
        Column::number(format!("mean {}", benchmark.by)).with_id("mean_score"),
    ]);
    for one in &benchmark.choices {
        let numbers = [one.stability, one.diversity, one.agreement, one.mean_score];
        let cells = numbers.map(|number| Cell::number(number, format!("{number:.3}")));
        table.row([Cell::text(name(benchmark, one.choice))].into_iter().chain(cells));
    }
    table
}

fn name(benchmark: &Benchmark, kind: ChoiceKind) -> String {
    match kind {
        ChoiceKind::Pick => "this one".to_owned(),
        ChoiceKind::TopByScore => format!("the best {} by {}", benchmark.picked.len(), benchmark.by),
        ChoiceKind::MostStable => "the most stable".to_owned(),
        ChoiceKind::Random => format!("random (mean of {})", benchmark.random.picks),
    }
}

/// What was traded, in words.
fn sentences(benchmark: &Benchmark) -> Vec<String> {
    let Some(pick) = benchmark.choice(ChoiceKind::Pick) else { return Vec::new() };
    let against = |kind| benchmark.choice(kind).map(|other| traded(benchmark, pick, other));
    let mut sentences: Vec<String> =
        [ChoiceKind::TopByScore, ChoiceKind::MostStable].into_iter().filter_map(against).collect();
    let [low, high] = benchmark.random.stability;
    sentences.push(format!("90% of random choices have a stability between {low:.3} and {high:.3}."));
    let found = if benchmark.exact {
        "All choices were looked at: none that is as diverse is more stable."
    } else {
        "The search exchanges datasets from many starts; a better choice may exist."
    };
    sentences.push(found.to_owned());
    if let [first, ..] = &benchmark.picked[..]
        && let Some(source) = first.source.as_ref().filter(|_| has_one_source(benchmark))
    {
        sentences.push(format!("The datasets can be had under these names at {source}."));
    }
    sentences
}

fn traded(benchmark: &Benchmark, pick: &Choice, other: &Choice) -> String {
    let name = name(benchmark, other.choice);
    if pick.datasets == other.datasets {
        return format!("It is also {name}.");
    }
    format!(
        "Against {name}: {:+.3} stability, {:+.3} diversity, {:+.3} agreement.",
        pick.stability - other.stability,
        pick.diversity - other.diversity,
        pick.agreement - other.agreement
    )
}
