//! A measure of the registry, for files and other programs.

use clmatch::Measure;
use clmatch::measure::{Axiom, Better, Scope};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::number::JsonNumber;

/// Names the JSON schema of a [`MeasureInfo`], with its version.
pub const SCHEMA: &str = "clmatch/measure/3";

/// A description of a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasureInfo {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Its id.
    pub id: &'static str,
    /// Its other ids.
    pub aliases: &'static [&'static str],
    /// Its full name.
    pub name: &'static str,
    /// The kind of measure it is.
    pub kind: String,
    /// Which end is good: `higher` or `lower`.
    pub better: &'static str,
    /// The smallest and the largest possible value.
    pub range: [JsonNumber; 2],
    /// What it compares: `pairs` of classes, or the whole `dataset`.
    pub scope: &'static str,
    /// Which statistics it needs.
    pub needs: Vec<&'static str>,
    /// Which axioms it satisfies: `yes`, `no` or `limit`.
    pub axioms: Map<String, Value>,
    /// What a good score means.
    pub meaning: &'static str,
    /// How it is computed: a line, followed by the symbols in it.
    pub formula: &'static str,
    /// Where it is defined.
    pub reference: &'static str,
    /// How it was found, on what it was tested and where it is weak; empty if the reference covers that.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub background: &'static str,
}

impl MeasureInfo {
    /// Describes a measure.
    pub fn new(measure: &Measure) -> Self {
        let verdict =
            |&axiom: &Axiom| (format!("{axiom:?}"), Value::from(measure.axioms.verdict(axiom).to_string()));
        MeasureInfo {
            schema: SCHEMA,
            id: measure.id,
            aliases: measure.aliases,
            name: measure.name,
            kind: measure.kind.to_string(),
            better: if measure.better == Better::Higher { "higher" } else { "lower" },
            range: [JsonNumber(measure.range.0), JsonNumber(measure.range.1)],
            scope: if measure.scope() == Scope::Pairs { "pairs" } else { "dataset" },
            needs: measure.statistics(),
            axioms: Axiom::ALL.iter().map(verdict).collect(),
            meaning: measure.meaning,
            formula: measure.formula,
            reference: measure.reference,
            background: measure.background,
        }
    }
}
