//! The page about one dataset.

mod charts;
mod halves;
mod suspects;
mod tables;

pub(crate) use self::halves::HalfView;
use self::suspects::SuspectList;
use crate::charts::page::PointMap;
use crate::feature_line;
use askama::Template;
use clmatch::{Measure, measure};
use clmatch_analysis::Scored;
use clmatch_analysis::explanation::{ExplainedAction, LabelChange};
use clmatch_analysis::report_data::DatasetReport;
use clmatch_analysis::verdict::{Decision, Verdict};

use crate::pages::PageError;
use crate::pages::markup::Markup;
use crate::pages::pair_panel::PairPanel;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::HtmlTable;
use crate::pages::text::{counted, score, sentence, thousands, three};

/// How many rows of a table are shown.
const SHOWN: usize = 20;
/// How long a line of names may be.
const LINE: usize = 110;
/// How many actions are shown.
const ACTIONS: usize = 6;

/// The input of a page.
#[derive(Debug, Clone, Copy)]
pub struct DatasetView<'a> {
    /// All results about the dataset.
    pub report: &'a DatasetReport,
    /// The command for each action of the explanation, in their order.
    pub commands: &'a [String],
    /// The command that gives mislabelled points their suggested labels.
    pub suggested: &'a str,
    /// How the page was made.
    pub origin: &'a Origin,
}

#[derive(Template)]
#[template(path = "dataset.html")]
struct DatasetPage {
    shell: Shell,
    name: String,
    size: String,
    used: Option<String>,
    verdict: String,
    tone: &'static str,
    standing: Vec<String>,
    warnings: Vec<String>,
    contents: Vec<(&'static str, &'static str)>,
    score_line: Markup,
    score_caption: String,
    halves: Vec<HalfView>,
    measures: HtmlTable,
    strip: Option<Markup>,
    strip_caption: String,
    summary: Vec<String>,
    heatmap: Option<Markup>,
    heatmap_caption: String,
    panels: Vec<PairPanel>,
    rest_of_pairs: Option<String>,
    pair_data: Markup,
    classes: HtmlTable,
    classes_caption: String,
    map: Markup,
    legend: Vec<(Markup, String)>,
    map_caption: String,
    silhouettes: Markup,
    silhouettes_caption: String,
    actions: Vec<(String, String)>,
    suspects: [SuspectList; 2],
    features: HtmlTable,
    features_caption: String,
    reproduce: Vec<(&'static str, String)>,
    notes: Vec<String>,
}

/// What a page states about a score, with or without an explanation.
pub(crate) struct ScoreFacts {
    pub(crate) size: String,
    /// The features, in one line.
    pub(crate) used: Option<String>,
    pub(crate) verdict: String,
    pub(crate) tone: &'static str,
    pub(crate) standing: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) score_line: Markup,
    pub(crate) score_caption: String,
    pub(crate) halves: Vec<HalfView>,
    pub(crate) measures: HtmlTable,
}

impl ScoreFacts {
    pub(crate) fn of(scored: &Scored) -> Self {
        let judge = judge(scored);
        let (verdict, tone) = verdict(scored);
        let (notes, warnings) = remarks(scored);
        ScoreFacts {
            size: size(scored),
            used: feature_line(&scored.features_used, LINE),
            verdict,
            tone,
            standing: standing(scored, judge),
            warnings,
            notes,
            score_line: charts::score_line(scored, judge),
            score_caption: charts::score_caption(scored, judge),
            halves: halves::views(scored),
            measures: tables::measures(scored),
        }
    }
}

/// The page about one dataset.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(view: &DatasetView<'_>) -> Result<String, PageError> {
    let DatasetReport { scored, explained, views, .. } = view.report;
    let judge = judge(scored);
    let panels: Vec<PairPanel> =
        explained.pairs.iter().zip(&views.pairs).map(|(pair, plane)| PairPanel::new(pair, plane)).collect();
    let facts = ScoreFacts::of(scored);
    let strip = judge.and_then(|judge| charts::strip(scored, judge));
    let heatmap = (scored.classes > 2).then(|| charts::heatmap(view.report));
    let page = DatasetPage {
        shell: Shell::new(format!("{}: do the labels match the clusters?", scored.dataset), view.origin),
        name: scored.dataset.clone(),
        size: facts.size,
        used: facts.used,
        verdict: facts.verdict,
        tone: facts.tone,
        standing: facts.standing,
        warnings: facts.warnings,
        contents: contents(strip.is_some()),
        score_line: facts.score_line,
        score_caption: facts.score_caption,
        halves: facts.halves,
        measures: facts.measures,
        strip_caption: charts::strip_caption(scored, judge),
        strip,
        summary: explained.summary.clone(),
        heatmap,
        heatmap_caption: charts::heatmap_caption(view.report),
        rest_of_pairs: rest_of_pairs(panels.len(), explained.pairs.len()),
        panels,
        pair_data: charts::pair_data(view.report),
        classes: tables::classes(view.report),
        classes_caption: tables::classes_caption(view.report),
        map: charts::map(view.report),
        legend: legend(view.report),
        map_caption: charts::map_caption(view.report),
        silhouettes: charts::silhouettes(view.report),
        silhouettes_caption: charts::silhouettes_caption(view.report),
        actions: actions(&explained.actions, view.commands),
        suspects: [suspects::mislabelled(explained, view.suggested), suspects::outliers(explained)],
        features: tables::features(explained),
        features_caption: tables::features_caption(explained),
        reproduce: reproduce(scored, view.origin),
        notes: facts.notes,
    };
    page.render()
}

/// The measure that the verdict rests on, or the first one.
fn judge(scored: &Scored) -> Option<&'static Measure> {
    let by_verdict = scored.verdict.as_ref().and_then(|verdict| measure::find(&verdict.measure));
    by_verdict.or_else(|| scored.scores.0.first().and_then(|(id, _)| measure::find(id)))
}

fn size(scored: &Scored) -> String {
    let counts = [
        counted(scored.points, "point"),
        counted(scored.features, "feature"),
        counted(scored.classes, "class"),
    ];
    let label = scored.label.as_ref().map(|label| format!("label: {label}"));
    counts.into_iter().chain(label).collect::<Vec<_>>().join(" · ")
}

/// The verdict in a sentence, and its colour.
fn verdict(scored: &Scored) -> (String, &'static str) {
    let Some(verdict) = &scored.verdict else { return ("No verdict.".to_owned(), "none") };
    let said = verdict.decision.to_string();
    match &verdict.decision {
        Decision::Fit => (sentence(&said), "good"),
        Decision::FitAfterChange { .. } => (sentence(&said), "fair"),
        Decision::NotFit { .. } => (sentence(&said), "bad"),
        Decision::CannotBeSaid { .. } => (format!("Whether it is fit {said}."), "none"),
    }
}

/// Its place in the catalogue, and whether its score could be chance.
fn standing(scored: &Scored, judge: Option<&Measure>) -> Vec<String> {
    let Some(judge) = judge else { return Vec::new() };
    let value = scored.scores.get(judge.id).map(|value| score(value, Some(judge))).unwrap_or_default();
    let place = scored.standing.as_ref().map(|standing| {
        format!(
            "It scores {value} by {}, above {} of the {} catalogued datasets: in the {} third.",
            judge.id,
            standing.above,
            standing.of,
            standing.third.name()
        )
    });
    let place = place.unwrap_or_else(|| format!("It scores {value} by {}.", judge.id));
    let chance = scored.random_score(judge).map(|random| {
        let count = scored.random_labels.as_ref().map_or(0, |labels| labels.permutations);
        format!(
            "Random labels with classes of the same sizes score {} on average ({} tries, p {}).",
            score(random.mean, Some(judge)),
            thousands(count),
            tables::p_value(random.p, count)
        )
    });
    let beside = scored.verdict.as_ref().map(Verdict::beside).unwrap_or_default();
    std::iter::once(place).chain(chance).chain(beside.iter().map(|text| sentence(text))).collect()
}

fn remarks(scored: &Scored) -> (Vec<String>, Vec<String>) {
    let notes = scored.notes.iter().filter(|note| !scored.warnings.contains(note));
    let text = |note: &String| sentence(note);
    (notes.map(text).collect(), scored.warnings.iter().map(text).collect())
}

fn contents(has_strip: bool) -> Vec<(&'static str, &'static str)> {
    let all = [
        ("score", "Score"),
        ("catalogue", "Among others"),
        ("pairs", "Pairs of classes"),
        ("classes", "Classes"),
        ("points", "Points"),
        ("silhouettes", "Silhouettes"),
        ("help", "What would help"),
        ("features", "Features"),
        ("reproduce", "Reproduce"),
    ];
    all.into_iter().filter(|(id, _)| has_strip || *id != "catalogue").collect()
}

fn rest_of_pairs(shown: usize, all: usize) -> Option<String> {
    (shown < all).then(|| {
        format!("The points of the {} worst of {} pairs are in this file.", thousands(shown), thousands(all))
    })
}

fn legend(report: &DatasetReport) -> Vec<(Markup, String)> {
    let classes = report.views.principal.classes.iter().enumerate();
    classes.map(|(at, class)| (Markup::chart(PointMap::sign(at)), class.class.clone())).collect()
}

fn actions(actions: &[ExplainedAction], commands: &[String]) -> Vec<(String, String)> {
    let what = |action: &ExplainedAction| {
        let change = match &action.change {
            LabelChange::Merge([a, b]) => format!("Merge {a} and {b}"),
            LabelChange::Split(class) => format!("Split {class} into its clusters"),
            LabelChange::DropRows(rows) => format!("Leave out {}", counted(rows.len(), "row")),
        };
        let [first, second] = action.held_out.map(three);
        let (gain, clm) = (three(action.gain), three(action.clm));
        format!(
            "{change}: clm rises by {gain} to {clm}, on the halves of the points by {first} and {second}."
        )
    };
    actions
        .iter()
        .zip(commands)
        .take(ACTIONS)
        .map(|(action, command)| (what(action), command.clone()))
        .collect()
}

pub(crate) fn reproduce(scored: &Scored, origin: &Origin) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("version", format!("clmatch {}", origin.version)),
        ("checksum of the data", scored.checksum.clone()),
    ];
    facts.extend(scored.path.clone().map(|path| ("read from", path)));
    facts.push(("scaling", scored.scale.to_string()));
    let settings: Vec<String> =
        scored.settings.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if !settings.is_empty() {
        facts.push(("settings", settings.join(", ")));
    }
    facts
}
