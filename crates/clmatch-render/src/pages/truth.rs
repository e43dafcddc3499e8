//! The page about the scores that tuned techniques reach.

use crate::charts::page::inlined;
use crate::{Boxes, Row, Strip, Strips};
use askama::Template;
use clmatch_analysis::result_files::TruthOverview;

use crate::pages::PageError;
use crate::pages::markup::Markup;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, three};

#[derive(Template)]
#[template(path = "figures.html")]
pub(crate) struct FiguresPage {
    pub(crate) shell: Shell,
    pub(crate) eyebrow: &'static str,
    pub(crate) title: String,
    pub(crate) lead: Vec<String>,
    pub(crate) parts: Vec<PagePart>,
}

/// A part of a page: a figure with its sentence, a table, or both.
#[derive(Default)]
pub(crate) struct PagePart {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) text: String,
    /// A link to continue with: an address and its title.
    pub(crate) link: Option<(&'static str, &'static str)>,
    pub(crate) chart: Option<Markup>,
    pub(crate) caption: String,
    pub(crate) table: Option<HtmlTable>,
}

/// The page about the scores that tuned techniques reach.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(truth: &TruthOverview, origin: &Origin) -> Result<String, PageError> {
    let measure = truth.external.as_deref().unwrap_or("score");
    let title = format!(
        "{} on {}",
        counted(truth.techniques.len(), "technique"),
        counted(truth.datasets.len(), "dataset")
    );
    let page = FiguresPage {
        shell: Shell::new(title.clone(), origin),
        eyebrow: "What tuned techniques reach",
        title,
        lead: lead(truth, measure),
        parts: vec![techniques(truth, measure), datasets(truth, measure)],
    };
    page.render()
}

fn lead(truth: &TruthOverview, measure: &str) -> Vec<String> {
    let (Some(best), Some(top)) = (truth.techniques.first(), truth.datasets.first()) else {
        return vec!["There is no score to show.".to_owned()];
    };
    vec![
        format!("By {measure}, {} has the highest mean, {}.", best.technique, three(best.mean)),
        format!(
            "The best score of all techniques on a dataset approximates how well its labels match its clusters: {} on {} is the \
             highest.",
            three(top.best),
            top.dataset
        ),
    ]
}

fn techniques(truth: &TruthOverview, measure: &str) -> PagePart {
    let row = |technique: &clmatch_analysis::result_files::TruthTechnique| Row {
        name: technique.technique.clone(),
        kind: 0,
        values: technique.scores.clone(),
        note: String::new(),
    };
    let chart = Boxes {
        title: "Techniques".to_owned(),
        x: format!("{measure} (no unit)"),
        log: false,
        kinds: Vec::new(),
        rows: truth.techniques.iter().map(row).collect(),
        points: false,
    };
    let columns = vec![
        HtmlColumn::text("technique", ""),
        HtmlColumn::number("mean", ""),
        HtmlColumn::number("median", ""),
        HtmlColumn::number("best on", "On how many datasets it is the best"),
        HtmlColumn::number("datasets", ""),
    ];
    let rows = truth.techniques.iter().map(|technique| HtmlRow {
        cells: vec![
            HtmlCell::text(&technique.technique),
            HtmlCell::score(technique.mean),
            HtmlCell::number(technique.median, three(technique.median)),
            HtmlCell::count(technique.wins),
            HtmlCell::count(technique.scores.len()),
        ],
    });
    PagePart {
        id: "techniques".to_owned(),
        title: "Techniques".to_owned(),
        chart: Some(Markup::chart(inlined(&chart.svg()))),
        caption: format!(
            "The scores of each technique over all datasets by {measure}: the box holds the middle half, the line in it is the \
             median, dots are far from the rest."
        ),
        table: Some(HtmlTable { id: "", caption: "Techniques".to_owned(), columns, rows: rows.collect() }),
        ..PagePart::default()
    }
}

fn datasets(truth: &TruthOverview, measure: &str) -> PagePart {
    let strips = truth.datasets.iter().map(|dataset| Strip {
        name: dataset.dataset.clone(),
        dots: dataset.scores.clone(),
        best: dataset.best,
        named: false,
    });
    let chart = Strips {
        title: "Datasets".to_owned(),
        x: "datasets, from the best".to_owned(),
        y: format!("{measure} (no unit)"),
        strips: strips.collect(),
        ..Strips::default()
    };
    let columns = vec![
        HtmlColumn::text("dataset", ""),
        HtmlColumn::number("best", "The best score of all techniques"),
        HtmlColumn::text("by", "The technique that reached it"),
    ];
    let rows = truth.datasets.iter().map(|dataset| HtmlRow {
        cells: vec![
            HtmlCell::text(&dataset.dataset),
            HtmlCell::score(dataset.best),
            HtmlCell::text(&dataset.by),
        ],
    });
    PagePart {
        id: "datasets".to_owned(),
        title: "Datasets".to_owned(),
        chart: Some(Markup::chart(inlined(&chart.svg()))),
        caption: format!(
            "Each column is a dataset, from the best match to the worst; grey dots are the techniques by {measure}, the blue one is \
             the best of them."
        ),
        table: Some(HtmlTable { id: "", caption: "Datasets".to_owned(), columns, rows: rows.collect() }),
        ..PagePart::default()
    }
}
