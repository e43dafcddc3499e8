//! An improvement in the chosen form.

use clmatch::measure::find;
use clmatch_analysis::improvement::{BeforeAfter, Improved};

use super::csv::quoted;
use super::json::pretty;
use super::layout::{Layout, Side};
use super::markdown;
use super::number::{short, significant};
use crate::args::Format;

/// How many features a table shows.
const SHOWN: usize = 20;
const DIGITS: usize = 12;

pub fn improvement(improved: &Improved, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(improved, width),
        Format::Json => pretty(improved),
        Format::Csv => csv(improved),
        Format::Markdown => in_markdown(improved),
    }
}

/// The rows of the table of scores: which points, and their scores.
fn scores(improved: &Improved) -> Vec<(&'static str, BeforeAfter)> {
    let table = &improved.scores;
    let halves = [("chosen on", table.chosen), ("held out", table.held_out), ("all", Some(table.all))];
    halves.into_iter().filter_map(|(name, scores)| Some((name, scores?))).collect()
}

fn value(improved: &Improved, value: f64) -> String {
    find(&improved.objective).map_or_else(|| significant(value, 4), |measure| short(value, measure))
}

fn gain(by: f64) -> String {
    let text = format!("{by:+.3}");
    if text == "-0.000" { "+0.000".into() } else { text }
}

fn headline(improved: &Improved) -> String {
    format!(
        "{} by {}: {} of {} features kept{}",
        improved.objective,
        improved.found_by,
        improved.kept,
        improved.features,
        if improved.weighted { ", with weights" } else { "" }
    )
}

/// What chance does to the same search.
fn chance(improved: &Improved) -> Option<String> {
    let null = improved.null.as_ref()?;
    Some(format!(
        "chance: {} searches under shuffled labels gain {} on the points chosen on, {} held out; p = {:.3}",
        null.shuffles,
        gain(null.mean_gain_chosen),
        gain(null.mean_gain_held_out),
        null.p_value
    ))
}

fn table(improved: &Improved, width: Option<usize>) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!(
        "{bold}{}{bold:#}: {} points, {} features, {} classes\n{}\n\n",
        improved.dataset,
        improved.points,
        improved.features,
        improved.classes,
        headline(improved)
    );
    let mut layout = Layout::default()
        .column("points", Side::Left)
        .column("count", Side::Right)
        .column("before", Side::Right)
        .column("after", Side::Right)
        .column("gain", Side::Right);
    for (name, scores) in scores(improved) {
        layout.row(vec![
            name.into(),
            scores.points.to_string(),
            value(improved, scores.before),
            value(improved, scores.after),
            gain(scores.after - scores.before),
        ]);
    }
    text.push_str(&layout.render(width));
    if let Some(null) = &improved.null {
        text.push_str(&format!(
            "\nchance: {} searches under shuffled labels gain {} on the points chosen on,\n{} on those held out; p = {:.3} for a gain as large as ours\n",
            null.shuffles,
            gain(null.mean_gain_chosen),
            gain(null.mean_gain_held_out),
            null.p_value
        ));
    }
    text.push('\n');
    text.push_str(&features(improved, width));
    text
}

fn features(improved: &Improved, width: Option<usize>) -> String {
    let mut layout = Layout::default().column("feature", Side::Left);
    if improved.weighted {
        layout = layout.column("weight", Side::Right);
    }
    layout = layout.column("contribution", Side::Right);
    for kept in improved.kept_features.iter().take(SHOWN) {
        let mut cells = vec![kept.feature.clone()];
        if improved.weighted {
            cells.push(significant(kept.weight, 3));
        }
        cells.push(gain(kept.contribution));
        layout.row(cells);
    }
    let mut text = layout.render(width);
    if improved.kept_features.len() > SHOWN {
        text.push_str(&format!("({} more)\n", improved.kept_features.len() - SHOWN));
    }
    text
}

/// One row per kept feature.
fn csv(improved: &Improved) -> String {
    let mut text = String::from("feature,index,weight,contribution\n");
    for kept in &improved.kept_features {
        text.push_str(&format!(
            "{},{},{},{}\n",
            quoted(&kept.feature),
            kept.index,
            significant(kept.weight, DIGITS),
            significant(kept.contribution, DIGITS)
        ));
    }
    text
}

fn in_markdown(improved: &Improved) -> String {
    let mut text = format!("{}: {}\n\n", markdown::escape(&improved.dataset), headline(improved));
    text.push_str(&markdown::header(&["points", "count", "before", "after", "gain"], 1));
    for (name, scores) in scores(improved) {
        text.push_str(&markdown::line(&[
            name.to_owned(),
            scores.points.to_string(),
            value(improved, scores.before),
            value(improved, scores.after),
            gain(scores.after - scores.before),
        ]));
    }
    if let Some(sentence) = chance(improved) {
        text.push_str(&format!("\n{sentence}\n"));
    }
    text.push('\n');
    text.push_str(&markdown::header(&["feature", "weight", "contribution"], 1));
    for kept in &improved.kept_features {
        text.push_str(&markdown::line(&[
            markdown::escape(&kept.feature),
            significant(kept.weight, 3),
            gain(kept.contribution),
        ]));
    }
    text
}
