//! The page about many datasets: a ranking, or the catalogue.

mod sliders;

use std::collections::BTreeMap;

use crate::charts::page::{Histogram, Relation, RelationPoint, Swarm, SwarmDot};
use crate::{Cell, Column, Table};
use askama::Template;
use clmatch::{Measure, measure};
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::{Ranked, Ranking};
use clmatch_analysis::report_data::many::{self, RankingSummary};
use clmatch_analysis::verdict::Decision;

use crate::pages::PageError;
use crate::pages::markup::Markup;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, score, thousands};
use sliders::{Slider, row_data, slider_values, sliders};

/// The input of a page.
#[derive(Debug, Clone, Copy)]
pub struct RankingView<'a> {
    /// The datasets, best first.
    pub ranking: &'a Ranking,
    /// Whether the ranking is the catalogue itself.
    pub catalogue: bool,
    /// The datasets that failed: the name of each, and why it failed.
    pub failed: &'a [(String, String)],
    /// The page of each dataset on a site, by its name.
    pub links: &'a BTreeMap<String, String>,
    /// How the page was made.
    pub origin: &'a Origin,
}

#[derive(Template)]
#[template(path = "ranking.html")]
struct RankingPage {
    shell: Shell,
    eyebrow: &'static str,
    title: String,
    lead: Vec<String>,
    catalogue: bool,
    contents: Vec<(&'static str, &'static str)>,
    strip: Markup,
    strip_caption: String,
    sliders: Vec<Slider>,
    by: &'static str,
    table: HtmlTable,
    total: usize,
    histogram: Markup,
    histogram_caption: String,
    relations: Vec<(Markup, String)>,
    thirds: HtmlTable,
    failed: Vec<(String, String)>,
    csv: String,
    json: String,
    rows: Markup,
}

/// The page about many datasets.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(view: &RankingView<'_>) -> Result<String, PageError> {
    let ranking = view.ranking;
    let by = ranking.by;
    let summary = many::summary(ranking);
    let count = ranking.ranked.len();
    let title = match view.catalogue {
        true => format!("{} well-known labelled datasets", thousands(count)),
        false => format!("{} ranked", counted(count, "dataset")),
    };
    let columns = slider_values(ranking);
    let table = export(ranking);
    let page = RankingPage {
        shell: Shell::new(format!("{title}: do the labels match the clusters?"), view.origin),
        eyebrow: "Do the labels match the clusters?",
        lead: lead(ranking),
        title,
        catalogue: view.catalogue,
        contents: contents(&summary, !view.failed.is_empty(), count),
        strip: strip(ranking, &summary),
        strip_caption: format!(
            "Each dot is a dataset by {} (no unit); hover to see its name. Drag across the strip to choose a range of scores: \
             the table follows.",
            by.id
        ),
        sliders: sliders(by, &columns),
        by: by.id,
        rows: row_data(ranking, &columns),
        table: datasets(view),
        total: count,
        histogram: histogram(ranking, &summary),
        histogram_caption: format!(
            "How many datasets score where by {} (no unit). The median is {}.",
            by.id,
            score(summary.median, Some(by))
        ),
        relations: relations(ranking, &summary),
        thirds: thirds(&summary),
        failed: view.failed.to_vec(),
        csv: data_uri("text/csv", &table.csv()),
        json: data_uri("application/json", &table.json().to_string()),
    };
    page.render()
}

fn contents(summary: &RankingSummary, failed: bool, count: usize) -> Vec<(&'static str, &'static str)> {
    let all = [
        ("datasets", "Datasets", true),
        ("distribution", "Distribution", count > 1),
        ("measures", "Measures", count > 2 && !summary.agreement.is_empty()),
        ("thirds", "Thirds", !summary.thirds.is_empty()),
        ("failed", "Not scored", failed),
        ("reproduce", "Reproduce", true),
    ];
    all.into_iter().filter(|(_, _, shown)| *shown).map(|(id, title, _)| (id, title)).collect()
}

fn lead(ranking: &Ranking) -> Vec<String> {
    let by = ranking.by;
    let value = |ranked: &Ranked| score(ranked.scored.scores.get(by.id).unwrap_or(f64::NAN), Some(by));
    let (Some(best), Some(worst)) = (ranking.ranked.first(), ranking.ranked.last()) else {
        return vec!["There is no dataset to show.".to_owned()];
    };
    let mut lines = vec![format!(
        "By {} ({}) they range from {} ({}) to {} ({}).",
        by.id,
        by.name,
        value(best),
        best.scored.dataset,
        value(worst),
        worst.scored.dataset
    )];
    let counted = |is: fn(&Decision) -> bool| {
        let verdicts = ranking.ranked.iter().filter_map(|ranked| ranked.scored.verdict.as_ref());
        verdicts.filter(|verdict| is(&verdict.decision)).count()
    };
    let [fit, changed, unfit] = [
        counted(|decision| matches!(decision, Decision::Fit)),
        counted(|decision| matches!(decision, Decision::FitAfterChange { .. })),
        counted(|decision| matches!(decision, Decision::NotFit { .. })),
    ];
    let judged = counted(|_| true);
    if judged > 0 {
        lines.push(format!(
            "Fit to serve as ground truth for clustering: {fit}. Fit after a change: {changed}. Not fit: {unfit}. Cannot be said: \
             {}.",
            judged - fit - changed - unfit
        ));
    }
    lines
}

fn strip(ranking: &Ranking, summary: &RankingSummary) -> Markup {
    let by = ranking.by;
    let dots = ranking.ranked.iter().map(|ranked| SwarmDot {
        name: ranked.scored.dataset.clone(),
        value: ranked.scored.scores.get(by.id).unwrap_or(f64::NAN),
    });
    let has_thirds = !summary.thirds.is_empty();
    let zones = ["bottom third", "middle third", "top third"].map(String::from).to_vec();
    let swarm = Swarm {
        axis: format!("{} (no unit)", by.id),
        range: (summary.bins[0], summary.bins[1]),
        dots: dots.collect(),
        borders: summary.borders.filter(|_| has_thirds).map(|borders| borders.to_vec()).unwrap_or_default(),
        zones: if has_thirds && summary.borders.is_some() { zones } else { Vec::new() },
        marked: None,
        label: format!("Scores of {} by {}", counted(ranking.ranked.len(), "dataset"), by.id),
    };
    Markup::chart(swarm.svg())
}

fn third(scored: &Scored) -> String {
    scored.standing.as_ref().map(|standing| standing.third.name().to_owned()).unwrap_or_default()
}

fn verdict(scored: &Scored) -> String {
    scored.verdict.as_ref().map(|verdict| verdict.decision.brief()).unwrap_or_default()
}

fn datasets(view: &RankingView<'_>) -> HtmlTable {
    let RankingView { ranking, catalogue, links, .. } = *view;
    let by = ranking.by;
    let intervals = ranking.ranked.iter().any(|ranked| ranked.scored.interval(by).is_some());
    let mut columns = vec![
        HtmlColumn::number("#", "Rank; equal scores share one"),
        HtmlColumn::text("dataset", ""),
        HtmlColumn::number("points", ""),
        HtmlColumn::number("features", ""),
        HtmlColumn::number("classes", ""),
        if catalogue {
            HtmlColumn::text("third", "The third of the catalogue")
        } else {
            HtmlColumn::text("verdict", "Whether it may serve as ground truth")
        },
    ];
    columns.extend(ranking.measures.iter().map(|measure| HtmlColumn::number(measure.id, measure.name)));
    if intervals {
        columns.push(HtmlColumn::number("95% interval", "For the mean score of samples of this size"));
    }
    let row = |ranked: &Ranked| {
        let scored = &ranked.scored;
        let rank = format!("{}{}", ranked.rank, if ranked.tied { "=" } else { "" });
        let mut cells = vec![
            HtmlCell::number(ranked.rank as f64, rank),
            HtmlCell::link(&scored.dataset, links.get(&scored.dataset).cloned()),
            HtmlCell::count(scored.points),
            HtmlCell::count(scored.features),
            HtmlCell::count(scored.classes),
            HtmlCell::text(if catalogue { third(scored) } else { verdict(scored) }),
        ];
        cells.extend(ranking.measures.iter().map(|measure| {
            let value = scored.scores.get(measure.id).unwrap_or(f64::NAN);
            let text = if value.is_nan() { String::new() } else { score(value, Some(measure)) };
            match measure.id == by.id && measure.range.1.is_finite() {
                true => HtmlCell { text, ..HtmlCell::score(value) },
                false => HtmlCell::number(value, text),
            }
        }));
        if intervals {
            let interval = scored.interval(by);
            let text =
                interval.map(|one| format!("{} to {}", score(one.low, Some(by)), score(one.high, Some(by))));
            cells.push(HtmlCell::number(interval.map_or(f64::NAN, |one| one.low), text.unwrap_or_default()));
        }
        HtmlRow { cells }
    };
    HtmlTable {
        id: "dataset-table",
        caption: format!("Datasets, ranked by {}", by.id),
        columns,
        rows: ranking.ranked.iter().map(row).collect(),
    }
}

/// The rows with all digits, for programs.
fn export(ranking: &Ranking) -> Table {
    let mut columns = vec![
        Column::number("rank"),
        Column::text("dataset"),
        Column::number("points"),
        Column::number("features"),
        Column::number("classes"),
        Column::text("third"),
        Column::text("verdict"),
    ];
    columns.extend(ranking.measures.iter().map(|measure| Column::number(measure.id)));
    let mut table = Table::new(columns);
    for ranked in &ranking.ranked {
        let scored = &ranked.scored;
        let text = |text: String| if text.is_empty() { Cell::empty() } else { Cell::text(text) };
        let mut cells = vec![
            Cell::count(ranked.rank),
            Cell::text(&scored.dataset),
            Cell::count(scored.points),
            Cell::count(scored.features),
            Cell::count(scored.classes),
            text(third(scored)),
            text(verdict(scored)),
        ];
        let number =
            |measure: &&'static Measure| scored.scores.get(measure.id).map(|value| Cell::number(value, ""));
        cells.extend(ranking.measures.iter().map(|measure| Cell::or_empty(number(measure))));
        table.row(cells);
    }
    table
}

/// A file embedded in a link.
pub(crate) fn data_uri(kind: &str, text: &str) -> String {
    use base64::Engine;
    format!("data:{kind};charset=utf-8;base64,{}", base64::engine::general_purpose::STANDARD.encode(text))
}

fn histogram(ranking: &Ranking, summary: &RankingSummary) -> Markup {
    let histogram = Histogram {
        axis: format!("{} (no unit)", ranking.by.id),
        range: (summary.bins[0], summary.bins[1]),
        counts: summary.counts.clone(),
        things: "datasets".to_owned(),
        label: format!("Distribution of {} over {}", ranking.by.id, counted(ranking.ranked.len(), "dataset")),
    };
    Markup::chart(histogram.svg())
}

fn relations(ranking: &Ranking, summary: &RankingSummary) -> Vec<(Markup, String)> {
    if ranking.ranked.len() < 3 {
        return Vec::new();
    }
    let by = ranking.by;
    let relation = |agreement: &many::MeasureAgreement| {
        let other = measure::find(&agreement.measure)?;
        let points = ranking.ranked.iter().map(|Ranked { scored, .. }| RelationPoint {
            name: scored.dataset.clone(),
            x: scored.scores.get(by.id).unwrap_or(f64::NAN),
            y: scored.scores.get(other.id).unwrap_or(f64::NAN),
        });
        let label = format!("{} against {}, one dot per dataset", other.id, by.id);
        let chart = Relation { x: by.id.to_owned(), y: other.id.to_owned(), points: points.collect(), label };
        let caption = match agreement.rank_correlation {
            Some(rho) => format!("{}: rank correlation with {} {rho:.2}", other.id, by.id),
            None => format!("{}: no rank correlation, all values are equal", other.id),
        };
        Some((Markup::chart(chart.svg()), caption))
    };
    summary.agreement.iter().filter_map(relation).collect()
}

fn thirds(summary: &RankingSummary) -> HtmlTable {
    let columns = vec![
        HtmlColumn::text("third", ""),
        HtmlColumn::number("datasets", ""),
        HtmlColumn::number("median points", ""),
        HtmlColumn::number("median features", ""),
        HtmlColumn::number("median classes", ""),
    ];
    let rows = summary.thirds.iter().map(|third| {
        let median = |at: usize| match third.medians {
            Some(medians) => HtmlCell::number(medians[at], thousands(medians[at].round() as usize)),
            None => HtmlCell::text("–"),
        };
        let mut cells = vec![HtmlCell::text(third.third.name()), HtmlCell::count(third.datasets)];
        cells.extend([0, 1, 2].map(median));
        HtmlRow { cells }
    });
    HtmlTable { id: "", caption: "Thirds of the catalogue".to_owned(), columns, rows: rows.collect() }
}
