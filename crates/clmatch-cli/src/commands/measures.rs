//! `clmatch measures`: what there is, from the registry.

use std::process::ExitCode;

use clmatch::Measure;
use clmatch::measure::{Axiom, Better, REGISTRY, Scope};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::args::{Format, MeasuresArgs};
use crate::export::csv::quoted;
use crate::export::json::pretty;
use crate::export::layout::{Layout, Side};
use crate::export::markdown;
use crate::failure::Failure;
use crate::output;

const LEGEND: &str = "\
yes: holds (A1 and A4 up to the noise of a sample)   limit: only as classes grow
no: the tests hold a counterexample
";

pub fn run(args: &MeasuresArgs) -> Result<ExitCode, Failure> {
    let rows = if args.axioms { axiom_rows() } else { overview_rows() };
    let text = match args.output.format {
        Format::Json => pretty(&REGISTRY.iter().map(|measure| object(measure)).collect::<Vec<_>>()),
        Format::Csv => rows.iter().map(|row| csv_line(row)).collect(),
        Format::Markdown => {
            let titles: Vec<&str> = rows[0].iter().map(String::as_str).collect();
            let lines: String = rows[1..].iter().map(|row| markdown::line(row)).collect();
            markdown::header(&titles, titles.len()) + &lines
        }
        Format::Table => table(&rows, args),
    };
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[Vec<String>], args: &MeasuresArgs) -> String {
    let mut layout = Layout::default();
    for title in &rows[0] {
        let spare = u8::from(title == "reference");
        layout = layout.spare_column(title, Side::Left, spare);
    }
    rows[1..].iter().for_each(|row| layout.row(row.clone()));
    let text = layout.render(output::width(&args.output));
    if !args.axioms {
        return text;
    }
    let meanings: Vec<String> =
        Axiom::ALL.iter().map(|axiom| format!("{axiom:?} {}", axiom.summary())).collect();
    let meanings: Vec<String> = meanings.chunks(2).map(|two| format!("{:<38} {}", two[0], two[1])).collect();
    format!("{text}\n{}\n\n{LEGEND}", meanings.join("\n"))
}

fn overview_rows() -> Vec<Vec<String>> {
    let titles = ["id", "kind", "better", "range", "name", "reference"].map(String::from).to_vec();
    let row = |measure: &&Measure| {
        let id =
            std::iter::once(measure.id).chain(measure.aliases.iter().copied()).collect::<Vec<_>>().join(", ");
        let better = if measure.better == Better::Higher { "higher" } else { "lower" };
        let range = format!("{} .. {}", measure.range.0, measure.range.1);
        vec![
            id,
            measure.kind.to_string(),
            better.into(),
            range,
            measure.name.into(),
            measure.reference.into(),
        ]
    };
    std::iter::once(titles).chain(REGISTRY.iter().map(row)).collect()
}

fn axiom_rows() -> Vec<Vec<String>> {
    let titles = std::iter::once("id".to_owned()).chain(Axiom::ALL.iter().map(|axiom| format!("{axiom:?}")));
    let row = |measure: &&Measure| {
        let verdicts = Axiom::ALL.iter().map(|&axiom| measure.axioms.verdict(axiom).to_string());
        std::iter::once(measure.id.to_owned()).chain(verdicts).collect()
    };
    std::iter::once(titles.collect()).chain(REGISTRY.iter().map(row)).collect()
}

fn csv_line(row: &[String]) -> String {
    row.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",") + "\n"
}

fn object(measure: &Measure) -> impl Serialize {
    let end = |value: f64| if value.is_finite() { json!(value) } else { json!(value.to_string()) };
    let axioms: Map<String, Value> = Axiom::ALL
        .iter()
        .map(|&axiom| (format!("{axiom:?}"), json!(measure.axioms.verdict(axiom).to_string())))
        .collect();
    json!({
        "id": measure.id,
        "aliases": measure.aliases,
        "name": measure.name,
        "kind": measure.kind.to_string(),
        "better": if measure.better == Better::Higher { "higher" } else { "lower" },
        "range": [end(measure.range.0), end(measure.range.1)],
        "scope": if measure.scope == Scope::Pairs { "pairs" } else { "dataset" },
        "needs": measure.needs.names(),
        "axioms": axioms,
        "reference": measure.reference,
    })
}
