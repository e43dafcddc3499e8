//! The page about representations of the same rows.

use crate::charts::page::inlined;
use askama::Template;
use clmatch::measure::find;
use clmatch_analysis::representations::{MeasureComparison, Representations};

use crate::pages::PageError;
use crate::pages::markup::Markup;
use crate::pages::plots;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, score};
use crate::pages::truth::{FiguresPage, PagePart};

/// A p-value below this is not written out.
const LEAST_P: f64 = 0.001;

/// The page about representations of the same rows.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(found: &Representations, origin: &Origin) -> Result<String, PageError> {
    let title = format!("{} compared", counted(found.representations.len(), "representation"));
    let page = FiguresPage {
        shell: Shell::new(title.clone(), origin),
        eyebrow: "Which representation separates the classes best?",
        title,
        lead: found.measures.iter().take(1).map(winner).collect(),
        parts: vec![scores(found), differences(found)],
    };
    page.render()
}

fn winner(measure: &MeasureComparison) -> String {
    match &measure.winner {
        Some(winner) => {
            format!("By {}, {winner} is significantly better than every other one.", measure.measure)
        }
        None => format!(
            "By {} there is no winner: {} is the best, but not significantly better than every other one.",
            measure.measure, measure.best
        ),
    }
}

fn scores(found: &Representations) -> PagePart {
    let mut columns = vec![HtmlColumn::text("representation", ""), HtmlColumn::number("features", "")];
    columns.extend(
        found.measures.iter().map(|one| {
            HtmlColumn::number(&one.measure, find(&one.measure).map_or("", |measure| measure.name))
        }),
    );
    let rows = found.representations.iter().map(|one| {
        let mut cells = vec![HtmlCell::text(&one.name), HtmlCell::count(one.features)];
        cells.extend(found.measures.iter().map(|by| {
            let (value, measure) = (one.scores.get(&by.measure).unwrap_or(f64::NAN), find(&by.measure));
            let star = if by.winner.as_ref() == Some(&one.name) { " ★" } else { "" };
            HtmlCell::number(value, format!("{}{star}", score(value, measure)))
        }));
        HtmlRow { cells }
    });
    PagePart {
        id: "scores".to_owned(),
        title: "Scores".to_owned(),
        text: format!(
            "The same {} in {}. A star marks what differs significantly from every other representation.",
            counted(found.points, "point"),
            counted(found.classes, "class")
        ),
        chart: Some(Markup::chart(inlined(&plots::representations(found)))),
        caption: "Scores (no unit) with their 95% intervals, in the order of the representations.".to_owned(),
        table: Some(HtmlTable { id: "", caption: "Scores".to_owned(), columns, rows: rows.collect() }),
        ..PagePart::default()
    }
}

fn differences(found: &Representations) -> PagePart {
    let by = found.measures.first();
    let columns = vec![
        HtmlColumn::text("from", ""),
        HtmlColumn::text("to", ""),
        HtmlColumn::number("change", "The score of the second less that of the first"),
        HtmlColumn::number("95% interval", "Paired: both leave out the same rows"),
        HtmlColumn::number("corrected p", "After Holm's correction over all pairs"),
    ];
    let rows = by.iter().flat_map(|by| &by.differences).map(|pair| {
        let p = pair.corrected_p_value;
        let text = if p < LEAST_P { format!("< {LEAST_P}") } else { format!("{p:.3}") };
        HtmlRow {
            cells: vec![
                HtmlCell::text(&pair.a),
                HtmlCell::text(&pair.b),
                HtmlCell::number(pair.difference, format!("{:+.3}", pair.difference)),
                HtmlCell::number(pair.low, format!("{:+.3} to {:+.3}", pair.low, pair.high)),
                HtmlCell::number(p, text),
            ],
        }
    });
    let name = by.map_or("", |by| by.measure.as_str());
    PagePart {
        id: "differences".to_owned(),
        title: format!("Differences by {name}"),
        table: Some(HtmlTable { id: "", caption: "Differences".to_owned(), columns, rows: rows.collect() }),
        ..PagePart::default()
    }
}
