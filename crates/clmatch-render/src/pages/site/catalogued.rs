//! The page of a catalogued dataset.

use askama::Template;
use clmatch::measure::find;
use clmatch_analysis::Scored;
use clmatch_data::catalogue::DISTRIBUTED;
use clmatch_data::catalogue_truth::CatalogueTruth;

use crate::pages::PageError;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, score, three};
use crate::pages::truth::{FiguresPage, PagePart};

/// The address of the page of a catalogued dataset; the names are plain.
pub(crate) fn address(name: &str) -> String {
    format!("/catalogue/{name}")
}

/// The page of a catalogued dataset, including where to get it.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(scored: &Scored, truth: &CatalogueTruth, origin: &Origin) -> Result<String, PageError> {
    let place = scored.standing.as_ref().map(|standing| {
        format!(
            "It scores above {} of the {} catalogued datasets, in the {} third.",
            standing.above,
            standing.of,
            standing.third.name()
        )
    });
    let size = format!(
        "{}, {}, {}.",
        counted(scored.points, "point"),
        counted(scored.features, "feature"),
        counted(scored.classes, "class")
    );
    let page = FiguresPage {
        shell: Shell::new(scored.dataset.clone(), origin),
        eyebrow: "A catalogued dataset",
        title: scored.dataset.clone(),
        lead: std::iter::once(size).chain(place).collect(),
        parts: vec![where_to_get(scored), measures(scored), techniques(scored, truth)],
    };
    page.render()
}

fn where_to_get(scored: &Scored) -> PagePart {
    PagePart {
        id: "source".to_owned(),
        title: "Where to get it".to_owned(),
        text: format!(
            "The authors of the catalogue's datasets distribute it under the name {}. A copy is the same dataset if clmatch score \
             shows the checksum {}.",
            scored.dataset, scored.checksum
        ),
        link: Some((DISTRIBUTED, DISTRIBUTED.trim_start_matches("https://"))),
        ..PagePart::default()
    }
}

fn measures(scored: &Scored) -> PagePart {
    let columns = vec![
        HtmlColumn::text("measure", ""),
        HtmlColumn::text("what it is", ""),
        HtmlColumn::number("score", "Higher is better unless the name says otherwise"),
    ];
    let rows = scored.scores.0.iter().map(|(id, value)| {
        let measure = find(id);
        HtmlRow {
            cells: vec![
                HtmlCell::code(id),
                HtmlCell::text(measure.map_or("", |measure| measure.name)),
                HtmlCell::number(*value, score(*value, measure)),
            ],
        }
    });
    PagePart {
        id: "measures".to_owned(),
        title: "Scores".to_owned(),
        table: Some(HtmlTable { id: "", caption: "Scores".to_owned(), columns, rows: rows.collect() }),
        ..PagePart::default()
    }
}

fn techniques(scored: &Scored, truth: &CatalogueTruth) -> PagePart {
    let own: Vec<_> = truth.rows.iter().filter(|row| row.dataset == scored.dataset).collect();
    let mut columns = vec![HtmlColumn::text("technique", "")];
    columns.extend(own.iter().map(|row| HtmlColumn::number(&row.external, "")));
    let rows = truth.techniques.iter().enumerate().map(|(at, technique)| {
        let scores = own.iter().map(|row| {
            let value = row.scores.get(at).copied().unwrap_or(f64::NAN);
            HtmlCell::number(value, three(value))
        });
        HtmlRow { cells: std::iter::once(HtmlCell::text(technique)).chain(scores).collect() }
    });
    PagePart {
        id: "techniques".to_owned(),
        title: "What tuned techniques reach".to_owned(),
        text: "The agreement of the best clusters that each technique finds with the labels, by external measures.".to_owned(),
        table: Some(HtmlTable { id: "", caption: "Techniques".to_owned(), columns, rows: rows.collect() }),
        ..PagePart::default()
    }
}
