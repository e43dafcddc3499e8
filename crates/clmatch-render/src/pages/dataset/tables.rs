//! The tables of the page about one dataset, each with a sentence that says what it holds.

use clmatch::measure;
use clmatch_analysis::Scored;
use clmatch_analysis::explanation::ExplainedDataset;
use clmatch_analysis::report_data::DatasetReport;

use super::SHOWN;
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{score, thousands};

/// The p-value as text: `< 0.005` if none of 200 labellings was as good.
pub(super) fn p_value(p: f64, permutations: usize) -> String {
    let least = 1.0 / (permutations + 1) as f64;
    if p <= least * 1.000_001 {
        format!("< {:.3}", 1.0 / permutations.max(1) as f64)
    } else {
        format!("{p:.3}")
    }
}

pub(super) fn measures(scored: &Scored) -> HtmlTable {
    let with_intervals = !scored.intervals.is_empty();
    let mut columns = vec![
        HtmlColumn::text("measure", "The id of the measure"),
        HtmlColumn::text("what it is", ""),
        HtmlColumn::number("score", "Higher is better unless the name says otherwise"),
    ];
    if with_intervals {
        columns.push(HtmlColumn::number("95% interval", "For the mean score of samples of this size"));
    }
    if scored.random_labels.is_some() {
        columns.push(HtmlColumn::number("random labels", "The mean score of random labels"));
    }
    columns.push(HtmlColumn::text("worst pair of classes", ""));
    let rows = scored.scores.0.iter().filter_map(|(id, value)| {
        let measure = measure::find(id)?;
        let mut cells = vec![
            HtmlCell::code(id),
            HtmlCell::text(measure.name),
            HtmlCell::number(*value, score(*value, Some(measure))),
        ];
        if with_intervals {
            let interval = scored.interval(measure);
            let text = interval.map(|found| {
                format!("{} to {}", score(found.low, Some(measure)), score(found.high, Some(measure)))
            });
            cells.push(HtmlCell::number(
                interval.map_or(f64::NAN, |found| found.low),
                text.unwrap_or_default(),
            ));
        }
        if scored.random_labels.is_some() {
            let random = scored.random_score(measure).map_or(f64::NAN, |random| random.mean);
            cells.push(HtmlCell::number(random, score(random, Some(measure))));
        }
        let worst = scored.worst_pair(measure);
        let worst =
            worst.map(|(pair, value)| format!("{} | {} ({})", pair.a, pair.b, score(value, Some(measure))));
        cells.push(HtmlCell::text(worst.unwrap_or_default()));
        Some(HtmlRow { cells })
    });
    HtmlTable { id: "", caption: "Scores by all measures".to_owned(), columns, rows: rows.collect() }
}

pub(super) fn classes(report: &DatasetReport) -> HtmlTable {
    let columns = vec![
        HtmlColumn::text("class", ""),
        HtmlColumn::number("points", ""),
        HtmlColumn::text("clusters", "How many clusters the class looks like, and their sizes"),
        HtmlColumn::number("mean clm", "The mean score of its pairs with all other classes"),
        HtmlColumn::text("worst neighbour", "The class that it is told apart from least"),
        HtmlColumn::number("clm of the two", ""),
        HtmlColumn::number("silhouette", "The mean silhouette of its points"),
    ];
    let rows = report.classes.iter().zip(&report.views.silhouettes.classes).map(|(class, silhouette)| {
        let clusters = match &class.clusters[..] {
            [] | [_] => "one".to_owned(),
            several => {
                let sizes: Vec<String> = several.iter().map(|size| thousands(*size)).collect();
                format!("{}: {}", several.len(), sizes.join(", "))
            }
        };
        HtmlRow {
            cells: vec![
                HtmlCell::text(&class.class),
                HtmlCell::count(class.points),
                HtmlCell { key: class.clusters.len().to_string(), ..HtmlCell::text(clusters) },
                HtmlCell::score(class.mean),
                HtmlCell::text(&class.neighbour),
                HtmlCell::score(class.neighbour_clm),
                HtmlCell::number(silhouette.mean, crate::pages::text::three(silhouette.mean)),
            ],
        }
    });
    HtmlTable { id: "class-table", caption: "All classes".to_owned(), columns, rows: rows.collect() }
}

pub(super) fn classes_caption(report: &DatasetReport) -> String {
    let several = report.classes.iter().filter(|class| class.clusters.len() > 1).count();
    let all = report.classes.len();
    let clusters = match several {
        0 => format!("Each of the {all} classes looks like one cluster."),
        1 => format!("One of the {all} classes looks like several clusters."),
        several => format!("{several} of the {all} classes look like several clusters."),
    };
    format!("{clusters} The worst neighbour of a class is the one that it is told apart from least.")
}

pub(super) fn features(explained: &ExplainedDataset) -> HtmlTable {
    let columns = vec![
        HtmlColumn::text("feature", ""),
        HtmlColumn::number("share of the separation", "Its share of what separates the classes"),
        HtmlColumn::number("share of the scatter", "Its share of the scatter within classes"),
        HtmlColumn::number("eta", "The share of its variance that lies between the classes"),
        HtmlColumn::text("remark", ""),
    ];
    let rows = explained.feature_shares.iter().take(SHOWN).map(|share| HtmlRow {
        cells: vec![
            HtmlCell::text(&share.feature),
            HtmlCell::share(share.share_between),
            HtmlCell::share(share.share_within),
            HtmlCell::score(share.eta),
            HtmlCell::text(if share.scatter_only { "only adds noise" } else { "" }),
        ],
    });
    HtmlTable {
        id: "",
        caption: "Features, those that separate most first".to_owned(),
        columns,
        rows: rows.collect(),
    }
}

pub(super) fn features_caption(explained: &ExplainedDataset) -> String {
    let all = explained.feature_shares.len();
    let scatter = explained.feature_shares.iter().filter(|share| share.scatter_only).count();
    let shown = if all > SHOWN {
        format!(" The {SHOWN} that separate most of {}.", thousands(all))
    } else {
        String::new()
    };
    let only = match scatter {
        0 => String::new(),
        1 => " One only adds noise.".to_owned(),
        several => format!(" {} only add noise.", thousands(several)),
    };
    format!("What each feature does for all classes together, as the data are scaled.{only}{shown}")
}
