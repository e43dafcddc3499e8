//! `clmatch diff A.json B.json`: what changed between two rankings.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clmatch::Measure;
use clmatch::measure::{self, REGISTRY};
use serde::Serialize;

use crate::args::{DiffArgs, Format};
use crate::export::csv::quoted;
use crate::export::json::pretty;
use crate::export::layout::{Layout, Side};
use crate::export::markdown;
use crate::export::number::{short, significant};
use crate::failure::{BAD_INPUT, Failure, complain};
use crate::output;
use crate::ranking::Ranking;
use crate::result::Scored;

/// What became of one dataset.
#[derive(Debug, Serialize)]
struct Change {
    dataset: String,
    /// The measure that ranks and values are by.
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<State>,
    /// `after - before`.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
    /// Whether points and labels are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_data: Option<bool>,
}

/// A dataset in one of the two rankings.
#[derive(Debug, Clone, Serialize)]
struct State {
    rank: usize,
    value: f64,
    points: usize,
    features: usize,
    classes: usize,
}

/// A file with scores, and the measure that its ranking was made by, where it tells.
struct Loaded {
    scored: Vec<Scored>,
    by: Option<&'static Measure>,
}

pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let (before, after) = (load(&args.before)?, load(&args.after)?);
    let by = common_measure(&before, &after, args.by).ok_or_else(|| nothing_in_common(args))?;
    if args.by.is_none() {
        warn_of_another_measure(args, &before, &after, by);
    }
    let changes = compare(before.scored, after.scored, by);
    let text = match args.output.format {
        Format::Json => pretty(&changes),
        Format::Csv => csv(&changes, by),
        Format::Markdown => markdown_table(&changes, by),
        Format::Table => table(&changes, by, output::width(&args.output)),
    };
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// One object, or an array of which datasets that failed are left out.
fn load(path: &Path) -> Result<Loaded, Failure> {
    let bad = |what: String| Failure {
        what: format!("{}: {what}", path.display()),
        help: Some("give files that were written by clmatch score or rank with --format json".into()),
        code: BAD_INPUT,
    };
    let text = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let values = if let serde_json::Value::Array(values) = value { values } else { vec![value] };
    let values: Vec<_> = values.into_iter().filter(|value| value.get("error").is_none()).collect();
    let by = ranked_by(&values);
    let scored = values.into_iter().map(serde_json::from_value);
    let scored = scored.collect::<Result<_, _>>().map_err(|error| bad(error.to_string()))?;
    Ok(Loaded { scored, by })
}

/// The measure that all entries of a file name. Earlier versions wrote it with the place in the catalogue only.
fn ranked_by(values: &[serde_json::Value]) -> Option<&'static Measure> {
    let named = |value: &serde_json::Value| {
        let id = value.get("by").or_else(|| value.get("standing")?.get("measure"));
        id.and_then(serde_json::Value::as_str).and_then(measure::find)
    };
    let by = named(values.first()?)?;
    values.iter().all(|value| named(value).is_some_and(|other| other.id == by.id)).then_some(by)
}

/// The measure asked for, or else the one of the later ranking, that of the earlier one, or the first of all: what all
/// datasets have.
fn common_measure(
    before: &Loaded,
    after: &Loaded,
    asked: Option<&'static Measure>,
) -> Option<&'static Measure> {
    let everywhere =
        |id: &str| before.scored.iter().chain(&after.scored).all(|scored| scored.scores.get(id).is_some());
    let candidates: Vec<&'static Measure> = match asked {
        Some(asked) => vec![asked],
        None => after.by.into_iter().chain(before.by).chain(REGISTRY.iter().copied()).collect(),
    };
    candidates.into_iter().find(|measure| everywhere(measure.id))
}

/// Says so if one of the rankings was made by another measure.
fn warn_of_another_measure(args: &DiffArgs, before: &Loaded, after: &Loaded, by: &Measure) {
    let said = [(&args.before, before.by), (&args.after, after.by)];
    let said: Vec<(String, &str)> =
        said.iter().filter_map(|(path, by)| Some((path.display().to_string(), (*by)?.id))).collect();
    if said.iter().any(|(_, id)| *id != by.id) {
        let said: Vec<String> = said.iter().map(|(path, id)| format!("{path} is ranked by {id}")).collect();
        let what = format!("{}; compared by {}: choose another measure with --by", said.join(", "), by.id);
        complain("warning", &what);
    }
}

fn nothing_in_common(args: &DiffArgs) -> Failure {
    let measure = args.by.map_or_else(|| "measure".to_owned(), |by| format!("measure {}", by.id));
    Failure {
        what: format!("{} and {} have no {measure} in common", args.before.display(), args.after.display()),
        help: Some("score both with the same --measures".into()),
        code: BAD_INPUT,
    }
}

/// The datasets of the later ranking, best first, then those that are gone.
fn compare(before: Vec<Scored>, after: Vec<Scored>, by: &'static Measure) -> Vec<Change> {
    let rank = |scored| Ranking::new(by, vec![by], scored, Vec::new()).ranked;
    let (before, after) = (rank(before), rank(after));
    let side = |ranked: &crate::ranking::Ranked| State {
        rank: ranked.rank,
        value: ranked.scored.scores.get(by.id).unwrap_or(f64::NAN),
        points: ranked.scored.points,
        features: ranked.scored.features,
        classes: ranked.scored.classes,
    };
    let gone = before.iter().filter(|old| after.iter().all(|new| new.scored.dataset != old.scored.dataset));
    let mut changes: Vec<Change> = after
        .iter()
        .map(|new| {
            let old = before.iter().find(|old| old.scored.dataset == new.scored.dataset);
            let (before, after) = (old.map(side), side(new));
            Change {
                dataset: new.scored.dataset.clone(),
                by: by.id,
                change: before.as_ref().map(|before| after.value - before.value),
                before,
                after: Some(after),
                same_data: old.map(|old| old.scored.checksum == new.scored.checksum),
            }
        })
        .collect();
    changes.extend(gone.map(|old| Change {
        dataset: old.scored.dataset.clone(),
        by: by.id,
        before: Some(side(old)),
        after: None,
        change: None,
        same_data: None,
    }));
    changes
}

const TITLES: [&str; 6] = ["dataset", "rank", "before", "after", "change", "data"];

fn cells(change: &Change, by: &Measure) -> Vec<String> {
    let value = |side: &Option<State>| side.as_ref().map_or(String::new(), |side| short(side.value, by));
    let rank = match (&change.before, &change.after) {
        (Some(before), Some(after)) if before.rank == after.rank => after.rank.to_string(),
        (Some(before), Some(after)) => format!("{} -> {}", before.rank, after.rank),
        (Some(before), None) => format!("{} -> gone", before.rank),
        (None, Some(after)) => format!("new -> {}", after.rank),
        (None, None) => String::new(),
    };
    let difference = change.change.map_or(String::new(), |difference| match difference {
        0.0 => "0".into(),
        _ => format!("{}{}", if difference > 0.0 { "+" } else { "" }, significant(difference, 3)),
    });
    let data = match change.same_data {
        Some(true) => "same",
        Some(false) => "changed",
        None => "",
    };
    vec![change.dataset.clone(), rank, value(&change.before), value(&change.after), difference, data.into()]
}

fn table(changes: &[Change], by: &Measure, width: Option<usize>) -> String {
    let sides = [Side::Left, Side::Left, Side::Right, Side::Right, Side::Right, Side::Left];
    let columns = TITLES.iter().zip(sides);
    let mut layout = columns.fold(Layout::default(), |layout, (title, side)| layout.column(title, side));
    changes.iter().for_each(|change| layout.row(cells(change, by)));
    format!("by {}\n\n{}", by.id, layout.render(width))
}

fn markdown_table(changes: &[Change], by: &Measure) -> String {
    let lines: String = changes.iter().map(|change| markdown::line(&cells(change, by))).collect();
    format!("By {}\n\n{}{lines}", by.id, markdown::header(&TITLES, 2))
}

fn csv(changes: &[Change], by: &Measure) -> String {
    let id = by.id;
    let mut text = format!("dataset,rank_before,rank_after,{id}_before,{id}_after,change,same_data\n");
    for change in changes {
        let rank = |side: &Option<State>| side.as_ref().map_or(String::new(), |side| side.rank.to_string());
        let value =
            |side: &Option<State>| side.as_ref().map_or(String::new(), |side| significant(side.value, 12));
        let fields = [
            quoted(&change.dataset),
            rank(&change.before),
            rank(&change.after),
            value(&change.before),
            value(&change.after),
            change.change.map_or(String::new(), |difference| significant(difference, 12)),
            change.same_data.map_or(String::new(), |same| same.to_string()),
        ];
        text.push_str(&(fields.join(",") + "\n"));
    }
    text
}
