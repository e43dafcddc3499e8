//! Windows of growing data, one line each.

use clmatch::Measure;
use clmatch_analysis::watching::{AlarmCause, ReferenceInterval, WatchedWindow, WindowScore};
use clmatch_render::visible;

use super::number::{counted, short};

/// At most this many classes are named one by one.
const NAMED: usize = 5;

/// One line of JSON.
pub fn json(window: &WatchedWindow) -> String {
    serde_json::to_string(window).unwrap_or_default() + "\n"
}

/// One line for people.
pub fn line(window: &WatchedWindow, measure: &Measure) -> String {
    let (from, to) = (window.first_row, (window.first_row + window.rows).saturating_sub(1));
    let state = match (window.alarm, window.is_reference) {
        (true, _) => "ALARM",
        (false, true) => "reference",
        (false, false) if window.not_compared.is_some() => "not compared",
        (false, false) => "ok",
    };
    let score = match (&window.score, &window.problem) {
        (Some(score), _) => format!("{} {}  {state}", measure.id, with_interval(score, measure)),
        (None, Some(problem)) if window.alarm => format!("no score: {problem}  {state}"),
        (None, Some(problem)) => format!("no score: {problem}"),
        (None, None) => String::new(),
    };
    // If there is no score, the line says why.
    let score = match &window.not_compared {
        Some(why) if window.score.is_some() => format!("{score}: {why}"),
        _ => score,
    };
    let (classes, es) = (window.classes, if window.classes == 1 { "" } else { "es" });
    let score = match &window.left_out[..] {
        [] => score,
        some if some.len() > NAMED => format!("without {} classes: {score}", some.len()),
        some => format!("without {}: {score}", some.join(", ")),
    };
    let line = format!("window {}, rows {from} to {to}, {classes} class{es}: {score}", window.window);
    visible(&line).into_owned() + "\n"
}

/// What is wrong with a window, in a sentence.
pub fn alarm(window: &WatchedWindow, cause: &AlarmCause, measure: &Measure) -> String {
    let name = format!("window {} ({})", window.window, counted(window.rows, "row"));
    match cause {
        AlarmCause::Score => {
            let score = window.score.as_ref().map_or_else(String::new, |score| with_interval(score, measure));
            let reference = window.reference.map_or_else(String::new, |ReferenceInterval { low, high }| {
                format!(" [{}, {}]", short(low, measure), short(high, measure))
            });
            format!("{name} scores {} {score}, which differs from the reference{reference}", measure.id)
        }
        AlarmCause::Classes(what) => format!("{name}: {what}"),
        AlarmCause::NoScore(what) => format!("{name} cannot be scored: {what}"),
    }
}

fn with_interval(score: &WindowScore, measure: &Measure) -> String {
    let WindowScore { value, low, high } = *score;
    format!("{} [{}, {}]", short(value, measure), short(low, measure), short(high, measure))
}
