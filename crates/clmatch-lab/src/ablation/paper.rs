//! What the paper reports of its ablation (Jeon et al., TPAMI 2025, "Ablation Study on the Protocols").

use super::conditions::Test;

/// An error reduction that the paper's text puts in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reported {
    /// In which test.
    pub test: Test,
    /// By which protocols.
    pub combination: &'static str,
    /// The share of the error that is removed, about.
    pub reduction: f64,
}

/// All of them. Of S alone the paper says that it does not reduce the error in either test; other bars it shows without
/// a number.
pub const REPORTED: [Reported; 4] = [
    Reported { test: Test::Cardinality, combination: "D", reduction: 0.70 },
    Reported { test: Test::Cardinality, combination: "R", reduction: 0.40 },
    Reported { test: Test::Dimensionality, combination: "D", reduction: 0.30 },
    Reported { test: Test::Dimensionality, combination: "R", reduction: 0.55 },
];

/// The number that the paper gives for a combination in a test.
pub fn reported(test: Test, combination: &str) -> Option<f64> {
    let of = |one: &&Reported| one.test == test && one.combination == combination;
    REPORTED.iter().find(of).map(|one| one.reduction)
}
