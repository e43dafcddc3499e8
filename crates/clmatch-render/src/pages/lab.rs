//! The page about experiments: the pages that `clmatch lab` writes, in one file.

use askama::Template;
use clmatch_analysis::result_files::ExperimentPage;

use crate::pages::PageError;
use crate::pages::markdown;
use crate::pages::markup::Markup;
use crate::pages::shell::{Origin, Shell};

#[derive(Template)]
#[template(path = "lab.html")]
struct LabPage {
    shell: Shell,
    title: String,
    experiments: Vec<ExperimentSection>,
}

struct ExperimentSection {
    id: String,
    title: String,
    body: Markup,
}

/// The page about experiments.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(pages: &[ExperimentPage], origin: &Origin) -> Result<String, PageError> {
    let experiment = |(at, page): (usize, &ExperimentPage)| {
        let text = page.markdown.trim_start();
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        ExperimentSection {
            id: format!("experiment-{at}"),
            title: first.trim_start_matches('#').trim().to_owned(),
            body: markdown::html(&page.name, rest, &page.figures),
        }
    };
    let experiments: Vec<ExperimentSection> = pages.iter().enumerate().map(experiment).collect();
    let title = match &experiments[..] {
        [one] => one.title.clone(),
        _ => "The paper's experiments, computed anew".to_owned(),
    };
    LabPage { shell: Shell::new(title.clone(), origin), title, experiments }.render()
}
