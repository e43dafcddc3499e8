//! The axioms as property tests, asserted in both directions according to the verdicts of the registry.
//!
//! A verdict of `Holds` must pass the property; `Breaks` must have a concrete counterexample here; `Limit` must pass for
//! large classes and be broken by few points in many dimensions.

mod cardinality;
mod class_cardinality;
mod consistency;
mod range;
mod shift;
mod within;

use clmatch::Measure;
use clmatch::measure::{Axiom, REGISTRY, Verdict};

use crate::datasets::Dataset;
use crate::twins;

/// The measures with a verdict; panics if there are none, so that a loop over them cannot be empty.
fn with(axiom: Axiom, verdict: Verdict) -> Vec<&'static Measure> {
    let found: Vec<_> = REGISTRY.iter().copied().filter(|m| m.axioms.verdict(axiom) == verdict).collect();
    assert!(!found.is_empty(), "no measure with {axiom:?} {verdict:?}: drop the test");
    found
}

/// The values of one measure on datasets that were drawn alike.
struct Sample {
    mean: f64,
    deviation: f64,
}

/// Draws one dataset per seed and returns the values of each measure, in order.
fn sample(measures: &[&'static Measure], seeds: u64, draw: impl Fn(u64) -> Dataset) -> Vec<Sample> {
    let evaluations: Vec<_> = (0..seeds).map(|seed| draw(seed).evaluate(measures)).collect();
    let of = |at: usize| -> Sample {
        let values: Vec<f64> = evaluations.iter().map(|e| e.scores[at].1.value).collect();
        Sample { mean: twins::mean(&values), deviation: twins::deviation(&values) }
    };
    (0..measures.len()).map(of).collect()
}

#[test]
fn the_table_of_verdicts() {
    let mut table = String::from("id   ");
    for axiom in Axiom::ALL {
        table += &format!(" {axiom:?}   ");
    }
    for measure in REGISTRY {
        table += &format!("\n{:5}", measure.id);
        for axiom in Axiom::ALL {
            table += &format!(" {:5}", measure.axioms.verdict(axiom));
        }
    }
    println!("{table}");
    let table: Vec<&str> = table.lines().map(str::trim_end).collect();
    // A changed verdict changes a promise: change it here and in the changelog, too.
    let expected = [
        "id    W1    W2    W3    W4    A1    A2    A3    A4",
        "clm   yes   no    yes   yes   limit yes   no    limit",
        "ch_a  yes   no    yes   yes   limit limit yes   limit",
        "xb_a  yes   no    yes   yes   limit no    yes   limit",
        "db_a  yes   no    yes   yes   limit no    yes   limit",
        "di_a  yes   no    yes   yes   yes   no    yes   no",
        "sc_a  yes   no    yes   yes   yes   no    yes   yes",
        "ch_c  yes   no    yes   yes   yes   yes   yes   yes",
        "db_c  yes   no    yes   yes   yes   yes   yes   yes",
        "clm_pairs yes   no    yes   yes   limit yes   yes   limit",
        "ch    yes   yes   yes   yes   no    no    no    no",
        "di    yes   yes   yes   yes   no    no    no    no",
        "ii    no    no    yes   yes   limit no    no    no",
        "xb    yes   yes   yes   yes   limit no    no    no",
        "db    yes   no    yes   yes   limit no    no    no",
        "sc    yes   yes   yes   yes   yes   no    no    limit",
    ];
    assert_eq!(table, expected);
}
