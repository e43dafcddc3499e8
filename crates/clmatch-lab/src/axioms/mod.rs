//! The axioms: what the paper claims for each measure, what holds, and the smallest counterexamples with their numbers.

mod counterexamples;
mod page;
mod theorems;

pub use self::page::findings;

use clmatch::measure::Axiom;

/// Whether the paper says that a measure satisfies an axiom. Measures that it does not have are not asked for.
///
/// Within a dataset it takes all standard measures for valid. Across datasets CH and DI miss all axioms, II, XB and DB have
/// A1, SC has A1 and A4; the adjusted ones have all.
fn claimed(id: &str, axiom: Axiom) -> Option<bool> {
    let within = matches!(axiom, Axiom::W1 | Axiom::W2 | Axiom::W3 | Axiom::W4);
    match id {
        "ch_a" | "xb_a" | "db_a" | "di_a" | "sc_a" => Some(true),
        "ch" | "di" => Some(within),
        "ii" | "xb" | "db" => Some(within || axiom == Axiom::A1),
        "sc" => Some(within || matches!(axiom, Axiom::A1 | Axiom::A4)),
        _ => None,
    }
}
