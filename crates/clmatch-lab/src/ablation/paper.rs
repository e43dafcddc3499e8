//! What the paper reports of its ablation (Jeon et al., TPAMI 2025, "Ablation Study on the Protocols").

use super::conditions::Test;

/// An error reduction that the paper's text gives as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reported {
    /// The test.
    pub test: Test,
    /// The protocols.
    pub combination: &'static str,
    /// The approximate share of the error that is removed.
    pub reduction: f64,
}

/// All reductions with a number. Of S alone the paper says that it does not reduce the error in either test; other bars
/// are shown without a number.
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
