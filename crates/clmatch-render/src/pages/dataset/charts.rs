//! The charts of the page about one dataset, each with a sentence that says what it shows.

use crate::charts::page::{
    Heatmap, MapGroup, MapMark, NAMED_CLASSES, PointMap, ScoreLine, SilhouetteBlock, SilhouettePlot, Swarm,
    SwarmDot,
};
use clmatch::Measure;
use clmatch_analysis::Scored;
use clmatch_analysis::catalogued::CatalogueFilter;
use clmatch_analysis::report_data::{ClassSilhouette, DatasetReport, many};
use serde::Serialize;

use crate::pages::markup::Markup;
use crate::pages::text::{counted, percent, score, thousands, three};

/// If there are more classes than this, the plot of silhouettes does not draw all of them.
const BLOCKS: usize = 40;

pub(super) fn score_line(scored: &Scored, judge: Option<&'static Measure>) -> Markup {
    let Some(judge) = judge else { return Markup::default() };
    let interval = scored.interval(judge).map(|interval| (interval.low, interval.high));
    let random = scored.random_score(judge).map(|random| (random.mean, (random.low, random.high)));
    let value = scored.scores.get(judge.id).unwrap_or(f64::NAN);
    let line = ScoreLine {
        measure: judge.id.to_owned(),
        range: (judge.range.0.max(0.0), judge.range.1),
        score: value,
        interval,
        random,
        label: format!("{} is {} on an axis from 0 to 1", judge.id, score(value, Some(judge))),
    };
    Markup::chart(line.svg())
}

pub(super) fn score_caption(scored: &Scored, judge: Option<&'static Measure>) -> String {
    let Some(judge) = judge else { return String::new() };
    let (low, high) = judge.range;
    let ends = if high.is_finite() { format!(", from {low} to {high}") } else { String::new() };
    let mut text = format!("The dot is {}, {}{ends}.", judge.id, judge.name);
    if judge.id == "clm" {
        text.push_str(" 1: every class is a cluster of its own; 0: labels say nothing about clusters.");
    }
    if scored.interval(judge).is_some() {
        text.push_str(" The band around it is its 95% interval, which is for the mean score of samples of this size; a single other sample may score outside.");
    }
    if scored.random_score(judge).is_some() {
        text.push_str(" The grey band holds the middle 95% of the scores of random labels.");
    }
    text
}

/// All catalogued datasets on one axis, with this one; `None` if it cannot be placed.
pub(super) fn strip(scored: &Scored, judge: &'static Measure) -> Option<Markup> {
    scored.standing.as_ref()?;
    let catalogued = CatalogueFilter { scale: scored.scale, ..CatalogueFilter::default() };
    let dots = catalogued.datasets(judge).into_iter().filter_map(|entry| {
        let value = entry.scores.get(judge.id)?;
        Some(SwarmDot { name: entry.dataset, value })
    });
    let borders = many::borders(judge, scored.scale)?;
    let swarm = Swarm {
        axis: judge.id.to_owned(),
        range: (0.0, 1.0),
        dots: dots.collect(),
        borders: borders.to_vec(),
        zones: ["bottom third", "middle third", "top third"].map(String::from).to_vec(),
        marked: Some(SwarmDot { name: scored.dataset.clone(), value: scored.scores.get(judge.id)? }),
        label: format!("Scores of all catalogued datasets by {}, and of {}", judge.id, scored.dataset),
    };
    Some(Markup::chart(swarm.svg()))
}

pub(super) fn strip_caption(scored: &Scored, judge: Option<&'static Measure>) -> String {
    let (Some(standing), Some(judge)) = (&scored.standing, judge) else { return String::new() };
    let same = standing.catalogued_as.as_ref().map(|name| format!(" It is the catalogued dataset {name}."));
    format!(
        "Each dot is one of {} well-known datasets by {}; hover to see its name. {} scores higher than {} of them.{}",
        standing.of,
        judge.id,
        scored.dataset,
        standing.above,
        same.unwrap_or_default()
    )
}

/// The scores of all pairs, in the order of the classes.
fn pair_scores(report: &DatasetReport) -> Vec<f64> {
    let place: std::collections::HashMap<&str, usize> =
        report.classes.iter().enumerate().map(|(at, class)| (class.class.as_str(), at)).collect();
    let count = report.classes.len();
    let mut scores = vec![f64::NAN; count * count.saturating_sub(1) / 2];
    for pair in &report.explained.pairs {
        let (Some(&a), Some(&b)) = (place.get(pair.a.as_str()), place.get(pair.b.as_str())) else { continue };
        scores[pair_place(a.min(b), a.max(b), count)] = pair.clm;
    }
    scores
}

/// The place of the pair i < j among all pairs of `count` classes.
fn pair_place(i: usize, j: usize, count: usize) -> usize {
    i * count - i * (i + 1) / 2 + j - i - 1
}

pub(super) fn heatmap(report: &DatasetReport) -> Markup {
    let names: Vec<String> = report.classes.iter().map(|class| class.class.clone()).collect();
    let label = format!("clm of all {} pairs of classes", report.explained.pairs.len());
    Markup::chart(Heatmap { names, scores: pair_scores(report), measure: "clm".to_owned(), label }.svg())
}

pub(super) fn heatmap_caption(report: &DatasetReport) -> String {
    let count = report.classes.len();
    let names = if count > NAMED_CLASSES { ", in the order of the table of classes below" } else { "" };
    format!(
        "Each cell is a pair of classes{names}; the stronger its colour, the less the two are told apart (clm). \
         Click a cell to see its points."
    )
}

/// The data about pairs that the script needs.
#[derive(Serialize)]
struct PairData<'a> {
    /// The names of the classes.
    names: Vec<&'a str>,
    /// `clm` of every pair in thousandths, if the cells do not show it themselves.
    scores: Vec<i32>,
    /// The pairs of classes that have a panel, in the order of the panels.
    panels: Vec<[usize; 2]>,
}

pub(super) fn pair_data(report: &DatasetReport) -> Markup {
    let names: Vec<&str> = report.classes.iter().map(|class| class.class.as_str()).collect();
    let place = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default();
    let panels = report.explained.pairs.iter().take(report.views.pairs.len()).map(|pair| {
        let (a, b) = (place(&pair.a), place(&pair.b));
        [a.min(b), a.max(b)]
    });
    let panels = panels.collect();
    let many = names.len() > NAMED_CLASSES;
    let scores = if many { pair_scores(report) } else { Vec::new() };
    let scores = scores.iter().map(|score| (1000.0 * score).round() as i32).collect();
    Markup::json(&PairData { names, scores, panels })
}

pub(super) fn map(report: &DatasetReport) -> Markup {
    let plane = &report.views.principal;
    let groups = plane.classes.iter().map(|class| MapGroup {
        name: class.class.clone(),
        points: class.points.iter().map(|point| (point.x, point.y)).collect(),
    });
    let suspects: std::collections::HashMap<usize, String> = report
        .explained
        .mislabelled
        .iter()
        .map(|point| {
            let what = format!(
                "row {}: labelled {}, looks like {} (probability {:.2})",
                point.row, point.label, point.suggested, point.probability
            );
            (point.row, what)
        })
        .collect();
    let points = plane.classes.iter().flat_map(|class| class.points.iter());
    let marks = points.filter_map(|point| {
        let text = suspects.get(&point.row)?.clone();
        Some(MapMark { text, place: (point.x, point.y) })
    });
    let map = PointMap {
        x: format!(
            "first principal direction: {} of the variance (scaled units)",
            percent(plane.first_share)
        ),
        y: plane.second_share.map_or_else(
            || "spread by order".to_owned(),
            |share| format!("second: {} of the variance", percent(share)),
        ),
        marks: marks.collect(),
        groups: groups.collect(),
        label: format!(
            "{} points of {} classes in the plane in which they spread most",
            thousands(plane.shown),
            plane.classes.len()
        ),
    };
    Markup::chart(map.svg())
}

pub(super) fn map_caption(report: &DatasetReport) -> String {
    let plane = &report.views.principal;
    let both = plane.first_share + plane.second_share.unwrap_or(0.0);
    let thinned = if plane.shown < plane.of {
        format!("{} of {} are shown, class by class. ", thousands(plane.shown), counted(plane.of, "point"))
    } else {
        String::new()
    };
    let rings =
        if report.explained.mislabelled.is_empty() { "" } else { " Rings are points that look mislabelled." };
    format!(
        "Points in the plane in which they spread most (principal components, {} of the variance). {thinned}What overlaps here \
         may lie apart in other directions.{rings}",
        percent(both)
    )
}

/// All classes, or those that fit worst if there are many.
fn shown_classes(report: &DatasetReport) -> Vec<(usize, &ClassSilhouette)> {
    let mut classes: Vec<(usize, &ClassSilhouette)> =
        report.views.silhouettes.classes.iter().enumerate().collect();
    if classes.len() > BLOCKS {
        classes.sort_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
        classes.truncate(BLOCKS);
    }
    classes
}

pub(super) fn silhouettes(report: &DatasetReport) -> Markup {
    let blocks = shown_classes(report).into_iter().map(|(class, found)| SilhouetteBlock {
        name: found.class.clone(),
        class,
        points: found.points,
        values: found.values.clone(),
        mean: found.mean,
    });
    let mean = report.views.silhouettes.mean;
    let label = format!("Silhouettes of the points of each class; their mean is {}", three(mean));
    Markup::chart(SilhouettePlot { blocks: blocks.collect(), mean, label }.svg())
}

pub(super) fn silhouettes_caption(report: &DatasetReport) -> String {
    let found = &report.views.silhouettes;
    let all = found.classes.len();
    let which = if all > BLOCKS {
        format!("The {BLOCKS} classes of {all} with the lowest means. ")
    } else {
        String::new()
    };
    let sample = if found.compared < report.scored.points {
        format!(" Computed from {} of {}.", thousands(found.compared), counted(report.scored.points, "point"))
    } else {
        String::new()
    };
    format!(
        "{which}Every class as a block of its points, from the best to the worst. Points left of zero lie closer to another \
         class than to their own; the dashed line is the mean, {}.{sample}",
        three(found.mean)
    )
}
