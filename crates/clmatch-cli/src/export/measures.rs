//! The measures: what they are, or which axioms they satisfy.

use clmatch::measure::{Axiom, Better, REGISTRY};
use clmatch_analysis::measure_info::MeasureInfo;
use clmatch_report::{Cell, Column, Table};

use super::{Format, pretty};

const LEGEND: &str = "\
yes: holds (A1 and A4 up to the noise of a sample)   limit: only as classes grow
no: the tests hold a counterexample
";

pub fn print(axioms: bool, format: Format, width: Option<usize>) -> String {
    let table = if axioms { axiom_table() } else { overview() };
    match format {
        Format::Json => pretty(&REGISTRY.iter().map(|measure| MeasureInfo::new(measure)).collect::<Vec<_>>()),
        Format::Csv => table.csv(),
        Format::Markdown => table.markdown(usize::MAX),
        Format::Table if axioms => format!("{}\n{}\n\n{LEGEND}", table.terminal(width), meanings()),
        Format::Table => table.terminal(width),
    }
}

fn overview() -> Table {
    let spare = [("id", 0), ("kind", 2), ("better", 1), ("range", 3), ("name", 0), ("reference", 4)];
    let mut table = Table::new(spare.map(|(title, spare)| Column::text(title).spare(spare)));
    for measure in REGISTRY {
        let ids: Vec<&str> = std::iter::once(measure.id).chain(measure.aliases.iter().copied()).collect();
        let better = if measure.better == Better::Higher { "higher" } else { "lower" };
        let range = format!("{} .. {}", measure.range.0, measure.range.1);
        let (id, kind) = (ids.join(", "), measure.kind.to_string());
        table.row([&id, &kind, better, &range, measure.name, measure.reference].map(Cell::text));
    }
    table
}

fn axiom_table() -> Table {
    let axioms = Axiom::ALL.iter().map(|axiom| Column::text(format!("{axiom:?}")));
    let mut table = Table::new(std::iter::once(Column::text("id")).chain(axioms));
    for measure in REGISTRY {
        let verdict = |&axiom: &Axiom| Cell::text(measure.axioms.verdict(axiom).to_string());
        table.row(std::iter::once(Cell::text(measure.id)).chain(Axiom::ALL.iter().map(verdict)));
    }
    table
}

/// What the axioms say, two a line.
fn meanings() -> String {
    let meanings: Vec<String> =
        Axiom::ALL.iter().map(|axiom| format!("{axiom:?} {}", axiom.summary())).collect();
    let lines: Vec<String> = meanings.chunks(2).map(|two| format!("{:<38} {}", two[0], two[1])).collect();
    lines.join("\n")
}
