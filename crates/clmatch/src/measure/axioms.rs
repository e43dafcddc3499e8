//! The axioms of Ackerman and Ben-David (within a dataset) and of Jeon et al. (across datasets).

use std::fmt;

/// An axiom for measures of clustering quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axiom {
    /// Scale invariance.
    W1,
    /// Consistency: shrinking distances within and growing distances between classes does not lower the score.
    W2,
    /// Richness: every partition is the best one for some distances.
    W3,
    /// Isomorphism invariance: names and order do not matter.
    W4,
    /// Data-cardinality invariance: subsampling all classes alike does not matter.
    A1,
    /// Shift invariance: adding a constant to all squared distances does not matter.
    A2,
    /// Class-cardinality invariance: the score is an aggregate over pairs of classes.
    A3,
    /// Range invariance: about 0 for random labels, 1 at best, which is for two classes of equal size far apart.
    A4,
}

impl Axiom {
    /// The axioms within a dataset, then those across datasets.
    pub const ALL: [Axiom; 8] =
        [Axiom::W1, Axiom::W2, Axiom::W3, Axiom::W4, Axiom::A1, Axiom::A2, Axiom::A3, Axiom::A4];

    /// A short summary of what the axiom demands.
    pub fn summary(self) -> &'static str {
        match self {
            Axiom::W1 => "scale invariance",
            Axiom::W2 => "consistency",
            Axiom::W3 => "richness",
            Axiom::W4 => "isomorphism invariance",
            Axiom::A1 => "data-cardinality invariance",
            Axiom::A2 => "shift invariance",
            Axiom::A3 => "class-cardinality invariance",
            Axiom::A4 => "range invariance",
        }
    }
}

/// Whether a measure satisfies an axiom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Verdict {
    /// Yes; for a statistical axiom (A1, A4), up to the noise of the sample.
    #[cfg_attr(feature = "serde", serde(rename = "yes"))]
    Holds,
    /// Only as the classes grow.
    #[cfg_attr(feature = "serde", serde(rename = "limit"))]
    Limit,
    /// No: the tests contain a counterexample.
    #[cfg_attr(feature = "serde", serde(rename = "no"))]
    Breaks,
    /// Nobody has proved or tested it.
    #[cfg_attr(feature = "serde", serde(rename = "unknown"))]
    Unknown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Verdict::Holds => "yes",
            Verdict::Limit => "limit",
            Verdict::Breaks => "no",
            Verdict::Unknown => "unknown",
        })
    }
}

/// The verdicts on one measure. All of them are asserted in the tests, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "UPPERCASE"))]
pub struct Axioms {
    /// Scale invariance.
    pub w1: Verdict,
    /// Consistency: moving points closer within classes and farther apart between them does not lower the score.
    pub w2: Verdict,
    /// Richness: every partition is the best one somewhere.
    pub w3: Verdict,
    /// Isomorphism invariance.
    pub w4: Verdict,
    /// Data-cardinality invariance.
    pub a1: Verdict,
    /// Shift invariance.
    pub a2: Verdict,
    /// Class-cardinality invariance.
    pub a3: Verdict,
    /// Range invariance.
    pub a4: Verdict,
}

impl Axioms {
    /// Nothing is known of any of them.
    pub const UNKNOWN: Axioms = Axioms {
        w1: Verdict::Unknown,
        w2: Verdict::Unknown,
        w3: Verdict::Unknown,
        w4: Verdict::Unknown,
        a1: Verdict::Unknown,
        a2: Verdict::Unknown,
        a3: Verdict::Unknown,
        a4: Verdict::Unknown,
    };

    /// The verdict on one axiom.
    pub fn verdict(&self, axiom: Axiom) -> Verdict {
        match axiom {
            Axiom::W1 => self.w1,
            Axiom::W2 => self.w2,
            Axiom::W3 => self.w3,
            Axiom::W4 => self.w4,
            Axiom::A1 => self.a1,
            Axiom::A2 => self.a2,
            Axiom::A3 => self.a3,
            Axiom::A4 => self.a4,
        }
    }
}
