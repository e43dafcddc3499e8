//! The axioms: what the paper claims for each measure, what holds, and the smallest counterexamples with their numbers.

mod counterexamples;
mod page;
mod theorems;

pub use self::page::findings;

use clmatch::measure::Axiom;

/// Whether the paper says that a measure satisfies an axiom; `None` for measures that the paper does not have.
///
/// Within a dataset, the paper takes all standard measures as valid. Across datasets, CH and DI satisfy no axiom, II, XB
/// and DB satisfy A1, and SC satisfies A1 and A4; the adjusted measures satisfy all.
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
