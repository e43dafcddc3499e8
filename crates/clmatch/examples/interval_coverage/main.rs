//! Counts how often 95% intervals contain the expected score, for `cargo xtask coverage --intervals`: prints Markdown to standard
//! output, and writes one row for each setting and measure to the given CSV file.
//!
//! The expected score at a number of points is the mean over many draws: those for which intervals are computed, and four times
//! as many more.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

mod settings;

use std::fmt::Write as _;

use clmatch::intervals::{Replicates, replicates};
use clmatch::measure::REGISTRY;
use clmatch::{Control, DataError, evaluate};
use rayon::prelude::*;
use settings::{Setting, Shape, grid, thresholds};

/// How many draws without an interval there are for each draw with one.
const MORE: u64 = 4;
/// How many draws each draw is compared with, as a window of a stream is.
const COMPARED: usize = 10;
/// The width, in standard deviations, of an interval that is just right.
const IDEAL: f64 = 3.92;

/// The results for a measure in a setting.
struct Found {
    shape: Shape,
    id: &'static str,
    expected: f64,
    /// The percentage of intervals that contain the expected score.
    coverage: f64,
    /// The mean width, divided by that of an interval that is just right; `None` if scores do not vary.
    width: Option<f64>,
    /// The percentage of pairs of draws that differ as much as a window that raises an alarm differs from its reference.
    alarms: f64,
}

type Draw = (Vec<f64>, Vec<Replicates>);

fn draw(setting: &Setting, seed: u64) -> Result<Draw, DataError> {
    let classes = setting.draw(seed)?;
    let scores = evaluate(&classes, &setting.measures)?.scores.iter().map(|(_, score)| score.value).collect();
    if seed >= setting.draws {
        return Ok((scores, Vec::new()));
    }
    Ok((scores, replicates(&classes, &setting.measures, 0, Control::none())?))
}

fn count(setting: &Setting) -> Result<Vec<Found>, DataError> {
    let draws = (1 + MORE) * setting.draws;
    let all: Vec<Draw> =
        (0..draws).into_par_iter().map(|seed| draw(setting, seed)).collect::<Result<_, _>>()?;
    let with_intervals = &all[..setting.draws as usize];
    let percent = |share: usize, of: usize| 100.0 * share as f64 / of as f64;
    let found = setting.measures.iter().enumerate().map(|(at, measure)| {
        let expected = all.iter().map(|(scores, _)| scores[at]).sum::<f64>() / draws as f64;
        let squares = all.iter().map(|(scores, _)| (scores[at] - expected).powi(2)).sum::<f64>();
        let deviation = (squares / (draws - 1) as f64).sqrt();
        let intervals: Vec<_> =
            with_intervals.iter().map(|(scores, replicates)| replicates[at].interval(scores[at])).collect();
        let held = intervals.iter().filter(|interval| interval.contains(expected)).count();
        let width = intervals.iter().map(|one| one.high - one.low).sum::<f64>() / intervals.len() as f64;
        let mut alarms = 0;
        for (first, (scores, replicates)) in with_intervals.iter().enumerate() {
            for (other, of_other) in with_intervals.iter().cycle().skip(first + 1).take(COMPARED) {
                let reference = [(&of_other[at], other[at])];
                alarms += usize::from(replicates[at].differs(scores[at], &reference));
            }
        }
        Found {
            shape: setting.shape,
            id: measure.id,
            expected,
            coverage: percent(held, intervals.len()),
            width: (deviation > 0.0).then(|| width / (IDEAL * deviation)),
            alarms: percent(alarms, COMPARED * intervals.len()),
        }
    });
    Ok(found.collect())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median, and the share of values above 1.5.
fn middle(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).map_or_else(String::new, |middle| format!("{middle:.2}"))
}

/// The mean and the smallest coverage, in percent.
fn coverage(found: &[&Found]) -> String {
    let all: Vec<f64> = found.iter().map(|found| found.coverage).collect();
    format!("{:.1} ({:.1})", mean(&all), all.iter().copied().fold(f64::INFINITY, f64::min))
}

fn by_measure(all: &[Found]) -> String {
    let mut text = "| measure | mean coverage (least) | below 93% | below 90% | width between .1 and .9 | heavy tails: coverage \
                    | alarms where nothing changes: mean | most | most with heavy tails |\n\
                    |---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for measure in REGISTRY {
        let of = |heavy: bool| -> Vec<&Found> {
            let wanted =
                |found: &&Found| found.id == measure.id && (found.shape == Shape::HeavyTails) == heavy;
            all.iter().filter(wanted).collect()
        };
        let (light, heavy) = (of(false), of(true));
        let below = |bar: f64| light.iter().filter(|found| found.coverage < bar).count();
        let middling = |found: &&&Found| measure.range.1 > 1.0 || (0.1..=0.9).contains(&found.expected);
        let widths = light.iter().filter(middling).filter_map(|found| found.width).collect();
        let most = |found: &[&Found]| found.iter().map(|found| found.alarms).fold(0.0, f64::max);
        let alarms: Vec<f64> = light.iter().map(|found| found.alarms).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} of {} | {} | {} | {} | {:.2}% | {:.2}% | {:.2}% |",
            measure.id,
            coverage(&light),
            below(93.0),
            light.len(),
            below(90.0),
            middle(widths),
            coverage(&heavy),
            mean(&alarms),
            most(&light),
            most(&heavy),
        );
    }
    text
}

fn by_shape(all: &[Found]) -> String {
    let ids: Vec<&str> = REGISTRY.iter().map(|measure| measure.id).collect();
    let mut text =
        format!("| classes | settings | {} |\n|---|---|{}\n", ids.join(" | "), "---|".repeat(ids.len()));
    let mut shapes: Vec<Shape> = all.iter().map(|found| found.shape).collect();
    shapes.sort_unstable();
    shapes.dedup();
    for shape in shapes {
        let of = |id: &str| -> Vec<&Found> {
            all.iter().filter(|found| found.shape == shape && found.id == id).collect()
        };
        let cells: Vec<String> = ids.iter().map(|id| coverage(&of(id))).collect();
        let _ = writeln!(text, "| {} | {} | {} |", shape.name(), of("clm").len(), cells.join(" | "));
    }
    text
}

fn row(setting: &Setting, found: &Found) -> String {
    let Setting { shape, points, classes, features, apart, draws, .. } = setting;
    let width = found.width.map_or_else(String::new, |width| format!("{width:.3}"));
    format!(
        "{},{points},{classes},{features},{apart},{draws},{},{:.6},{:.1},{width},{:.2}",
        shape.name().replace(',', ""),
        found.id,
        found.expected,
        found.coverage,
        found.alarms
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("name the CSV file to write")?;
    let mut csv =
        "shape,points,classes,features,apart,draws,measure,expected,coverage,width_to_ideal,alarms\n"
            .to_owned();
    let mut all = Vec::new();
    for setting in grid() {
        let found = count(&setting)?;
        found.iter().for_each(|found| csv += &(row(&setting, found) + "\n"));
        all.extend(found);
    }
    println!("## By measure\n\n{}", by_measure(&all));
    println!("## By kind of classes: mean coverage (least)\n\n{}", by_shape(&all));
    println!("## Where replicates are computed in another way\n");
    println!(
        "| points | features | classes | apart | draws | coverage (width over the ideal one) |\n|---|---|---|---|---|---|"
    );
    for setting in thresholds() {
        let found = count(&setting)?;
        found.iter().for_each(|found| csv += &(row(&setting, found) + "\n"));
        let cell = |found: &Found| {
            format!("{} {:.0}% ({:.2})", found.id, found.coverage, found.width.unwrap_or(f64::NAN))
        };
        let cells: Vec<String> = found.iter().map(cell).collect();
        let Setting { shape, points, features, apart, draws, .. } = &setting;
        let kind =
            if let Shape::Rare(few) = shape { format!("2, one of {few} points") } else { "2".to_owned() };
        println!("| {points} | {features} | {kind} | {apart} | {draws} | {} |", cells.join(", "));
    }
    std::fs::write(file, csv)?;
    Ok(())
}
