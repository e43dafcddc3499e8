//! A catalogued dataset: how it scores with either scaling, and where it can be had.

use clmatch::Measure;
use clmatch_analysis::Scored;
use clmatch_analysis::catalogued::best_techniques;
use clmatch_data::catalogue::{Catalogue, DISTRIBUTED};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::number::{counted, short};
use super::{Format, heading, pretty};
use crate::failure::INDENT;

/// A dataset, scored with each scaling that has a catalogue.
pub fn print(
    scaled: &[Scored],
    measures: &[&'static Measure],
    format: Format,
    width: Option<usize>,
) -> String {
    let [first, ..] = scaled else { return String::new() };
    let size = format!(
        ": {}, {}, {} classes",
        counted(first.points, "point"),
        counted(first.features, "feature"),
        first.classes
    );
    match format {
        Format::Json => pretty(&scaled),
        Format::Csv => table(scaled, measures).csv(),
        Format::Table => {
            let mut text = heading(&first.dataset, &size, width) + "\n";
            text.push_str(&(table(scaled, measures).terminal(width) + "\n"));
            sentences(first).iter().for_each(|one| text.push_str(&(wrap(one, width, INDENT) + "\n")));
            text
        }
        Format::Markdown => {
            let sentences: String = sentences(first).iter().map(|one| escape(one) + "\n").collect();
            format!(
                "{}{size}\n\n{}\n{sentences}",
                escape(&first.dataset),
                table(scaled, measures).markdown(1)
            )
        }
    }
}

/// One row per measure: with each scaling the score, and the third of the catalogue that it is in.
fn table(scaled: &[Scored], measures: &[&'static Measure]) -> Table {
    let of_scaling = |scored: &Scored| {
        let scale = scored.scale.to_string();
        [Column::number(scale.clone()), Column::text("third").with_id(format!("{scale}_third"))]
    };
    let columns = scaled.iter().flat_map(of_scaling);
    let mut table = Table::new(std::iter::once(Column::text("measure")).chain(columns));
    for &measure in measures {
        let cells = scaled.iter().flat_map(|scored| {
            let value = scored.scores.get(measure.id);
            let catalogue = Catalogue::scaled(scored.scale);
            let standing = value.and_then(|value| catalogue?.standing(measure, value));
            [
                Cell::or_empty(value.map(|value| Cell::number(value, short(value, measure)))),
                Cell::or_empty(standing.map(|standing| Cell::text(standing.third.name()))),
            ]
        });
        table.row(std::iter::once(Cell::text(measure.id)).chain(cells));
    }
    table
}

fn sentences(scored: &Scored) -> Vec<String> {
    let best: Vec<String> = best_techniques(&scored.dataset)
        .into_iter()
        .map(|(external, technique, score)| format!("{external} {score:.3} ({technique})"))
        .collect();
    let reached =
        (!best.is_empty()).then(|| format!("The best tuned technique reaches {}.", best.join(", ")));
    let had = format!(
        "It can be had under this name at {DISTRIBUTED}. A copy is the same dataset if clmatch score --format json shows the \
         checksum {}.",
        scored.checksum
    );
    reached.into_iter().chain([had]).collect()
}
