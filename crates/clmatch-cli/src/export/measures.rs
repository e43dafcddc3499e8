//! The measures: descriptions, or the axioms that they satisfy.

use clmatch::Measure;
use clmatch::measure::{Axiom, Better, REGISTRY, Scope};
use clmatch_analysis::measure_info::MeasureInfo;
use clmatch_render::{Cell, Column, Table, wrap};

use super::{Format, pretty};

/// The width of a description.
const LINE: usize = 80;

const LEGEND: &str = "\
yes: holds (A1 and A4 up to the noise of a sample)   limit: only as classes grow
no: the tests hold a counterexample
";

/// The requested measures with all details; or all measures, one line each.
pub fn print(asked: &[&'static Measure], axioms: bool, format: Format, width: Option<usize>) -> String {
    let shown = if asked.is_empty() { REGISTRY } else { asked };
    let table = if axioms { axiom_table() } else { overview(shown) };
    match format {
        Format::Json => pretty(&shown.iter().map(|measure| MeasureInfo::new(measure)).collect::<Vec<_>>()),
        Format::Csv => table.csv(),
        Format::Markdown if !asked.is_empty() => pages(asked, page),
        Format::Table if !asked.is_empty() => pages(asked, description),
        Format::Markdown => table.markdown(usize::MAX),
        Format::Table if axioms => format!("{}\n{}\n\n{LEGEND}", table.terminal(width), meanings()),
        Format::Table => table.terminal(width),
    }
}

fn pages(measures: &[&Measure], page: fn(&Measure) -> String) -> String {
    measures.iter().map(|measure| page(measure)).collect::<Vec<_>>().join("\n\n")
}

/// The facts about a measure, each with its name.
fn facts(measure: &Measure) -> Vec<(&'static str, String)> {
    let looks_at = match measure.scope() {
        Scope::Pairs if measure.has_half_of_all() => "pairs of classes, and all of them at once",
        Scope::Pairs => "pairs of classes",
        Scope::Dataset => "all classes at once",
    };
    let mut facts = vec![("kind", measure.kind.to_string())];
    if !measure.aliases.is_empty() {
        facts.push(("other ids", measure.aliases.join(", ")));
    }
    facts.extend([
        ("better", if measure.better == Better::Higher { "higher" } else { "lower" }.to_owned()),
        ("range", format!("{} .. {}", measure.range.0, measure.range.1)),
        ("looks at", looks_at.to_owned()),
        ("reads", measure.statistics().join(", ")),
        ("reference", measure.reference.to_owned()),
    ]);
    facts
}

/// All details of a measure, for a terminal.
fn description(measure: &Measure) -> String {
    let meaning = wrap(&format!("A good score means: {}.", measure.meaning), Some(LINE), 0);
    let mut text = format!("{}: {}\n\n{meaning}\n\n", measure.id, measure.name);
    for (name, value) in facts(measure) {
        text += &format!("{name:<10} {value}\n");
    }
    text += "\nformula\n";
    for line in measure.formula.lines() {
        text += format!("  {line}").trim_end();
        text.push('\n');
    }
    text += "\naxioms\n";
    for axiom in Axiom::ALL {
        let verdict = measure.axioms.verdict(axiom).to_string();
        text += &format!("  {axiom:?} {verdict:<6} {}\n", axiom.summary());
    }
    if !measure.background.is_empty() {
        text += &format!("\nbackground\n  {}\n", wrap(measure.background, Some(LINE), 2));
    }
    text
}

/// The page of a measure.
fn page(measure: &Measure) -> String {
    let mut page =
        format!("# {}: {}\n\nA good score means: {}.\n\n", measure.id, measure.name, measure.meaning);
    page += "| what | value |\n|---|---|\n";
    for (name, value) in facts(measure) {
        page += &format!("| {name} | {value} |\n");
    }
    page += &format!("\n## Formula\n\n```text\n{}\n```\n", measure.formula);
    page += "\n## Axioms\n\n| axiom | says | holds |\n|---|---|---|\n";
    for axiom in Axiom::ALL {
        page += &format!("| {axiom:?} | {} | {} |\n", axiom.summary(), measure.axioms.verdict(axiom));
    }
    if !measure.background.is_empty() {
        page += &format!("\n## Background\n\n{}\n", measure.background);
    }
    page
}

fn overview(measures: &[&Measure]) -> Table {
    let spare = [("id", 0), ("kind", 2), ("better", 1), ("range", 3), ("name", 0), ("reference", 4)];
    let mut table = Table::new(spare.map(|(title, spare)| Column::text(title).spare(spare)));
    for measure in measures {
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

/// The meanings of the axioms, two per line.
fn meanings() -> String {
    let meanings: Vec<String> =
        Axiom::ALL.iter().map(|axiom| format!("{axiom:?} {}", axiom.summary())).collect();
    let lines: Vec<String> = meanings.chunks(2).map(|two| format!("{:<38} {}", two[0], two[1])).collect();
    lines.join("\n")
}
