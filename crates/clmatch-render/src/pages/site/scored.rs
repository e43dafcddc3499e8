//! The page of a score alone.

use askama::Template;
use clmatch_analysis::Scored;

use crate::pages::PageError;
use crate::pages::dataset::{HalfView, ScoreFacts};
use crate::pages::markup::Markup;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::HtmlTable;

#[derive(Template)]
#[template(path = "scored.html")]
struct ScoredPage {
    shell: Shell,
    name: String,
    size: String,
    used: Option<String>,
    verdict: String,
    tone: &'static str,
    standing: Vec<String>,
    warnings: Vec<String>,
    score_line: Markup,
    score_caption: String,
    halves: Vec<HalfView>,
    measures: HtmlTable,
    reproduce: Vec<(&'static str, String)>,
    notes: Vec<String>,
}

/// The page of a score alone: the first part of a report.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(scored: &Scored, origin: &Origin) -> Result<String, PageError> {
    let ScoreFacts {
        size,
        used,
        verdict,
        tone,
        standing,
        warnings,
        notes,
        score_line,
        score_caption,
        halves,
        measures,
    } = ScoreFacts::of(scored);
    let page = ScoredPage {
        shell: Shell::new(format!("{}: do the labels match the clusters?", scored.dataset), origin),
        name: scored.dataset.clone(),
        size,
        used,
        verdict,
        tone,
        standing,
        warnings,
        score_line,
        score_caption,
        halves,
        measures,
        reproduce: crate::pages::dataset::reproduce(scored, origin),
        notes,
    };
    page.render()
}
