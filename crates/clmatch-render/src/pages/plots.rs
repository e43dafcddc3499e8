//! Drawings of results that are used both as files and as parts of pages.

use crate::{IntervalLine, IntervalLines, IntervalPoint, Line, LinePlot, Mark};
use clmatch::measure::find;
use clmatch_analysis::improvement::Improved;
use clmatch_analysis::representations::Representations;

/// The scores with their intervals against the representations, in their order.
pub fn representations(found: &Representations) -> String {
    let line = |id: &str| IntervalLine {
        name: id.to_owned(),
        points: found
            .representations
            .iter()
            .map(|one| {
                let interval = one.interval(id).map(|interval| (interval.low, interval.high));
                Some(IntervalPoint { value: one.scores.get(id)?, interval })
            })
            .collect(),
    };
    let mut measures: Vec<&str> = found.measures.iter().map(|measure| measure.measure.as_str()).collect();
    // Beside measures without an upper bound, all others would lie on the axis.
    let bounded = |id: &&str| find(id).is_some_and(|measure| measure.range.1.is_finite());
    if measures.iter().any(bounded) {
        measures.retain(bounded);
    }
    IntervalLines {
        title: format!("{} points in {} classes, with 95% intervals", found.points, found.classes),
        y: if let [only] = measures[..] { only.to_owned() } else { "score".to_owned() },
        stages: found.representations.iter().map(|one| one.name.clone()).collect(),
        lines: measures.into_iter().map(line).collect(),
    }
    .svg()
}

/// The score against the number of features on both halves, and the result of the search.
pub fn improvement(improved: &Improved) -> String {
    let held_out = improved.scores.held_out.is_some();
    let (first, kept) = (if held_out { "used to choose" } else { "all points" }, improved.kept as f64);
    let mut lines = vec![Line {
        name: format!("greedy path, {first}"),
        points: improved.path.iter().map(|step| (step.features as f64, step.chosen)).collect(),
    }];
    let after = improved.scores.chosen.unwrap_or(improved.scores.all).after;
    let mut marks = vec![Mark { name: format!("found, {first}"), at: (kept, after), like: 0 }];
    if let Some(scores) = improved.scores.held_out {
        let points = improved.path.iter().filter_map(|step| Some((step.features as f64, step.held_out?)));
        lines.push(Line { name: "greedy path, held out".into(), points: points.collect() });
        marks.push(Mark { name: "found, held out".into(), at: (kept, scores.after), like: 1 });
    }
    LinePlot {
        title: format!("{}: {} against the number of features", improved.dataset, improved.objective),
        x: "features kept".into(),
        y: improved.objective.clone(),
        lines,
        marks,
        log: false,
    }
    .svg()
}
