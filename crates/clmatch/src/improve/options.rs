//! The options of a search.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::model::Shrinkage;
use super::objective::MomentFormula;
use crate::measure::{Measure, find};

/// How features are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// All methods below, each starting from the results of the one before; the best result counts.
    #[default]
    Auto,
    /// Random subsets, as in the paper.
    Random,
    /// Add, drop and swap features until no move helps, from several starts.
    Greedy,
    /// Continuous non-negative weights: a convex quadratic program for two classes, projected gradients for more.
    Weights,
}

impl Method {
    /// All methods with their names.
    pub const ALL: [(&'static str, Method); 4] = [
        ("auto", Method::Auto),
        ("random", Method::Random),
        ("greedy", Method::Greedy),
        ("weights", Method::Weights),
    ];
}

impl FromStr for Method {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Method::ALL.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, method)| *method)
            .ok_or_else(|| format!("'{name}' is none of auto, random, greedy, weights"))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Method::ALL.iter().find(|(_, method)| method == self).map_or("", |(name, _)| name);
        formatter.pad(name)
    }
}

/// Which score to maximise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Objective {
    /// `ch_a`, as in the paper.
    #[default]
    ChA,
    /// `ch_c`: without the bias of `ch_a` on few points.
    ChC,
    /// `db_c`, which also takes the extents of classes into account.
    DbC,
    /// `clm`: the finalists of the three above are evaluated.
    Clm,
    /// `sc_a`: like `clm`, the finalists of the three above are evaluated.
    ScA,
}

impl Objective {
    /// All objectives; their names are the ids of the measures.
    pub const ALL: [Objective; 5] =
        [Objective::ChA, Objective::ChC, Objective::DbC, Objective::Clm, Objective::ScA];

    /// The id of the measure.
    pub fn id(self) -> &'static str {
        match self {
            Objective::ChA => "ch_a",
            Objective::ChC => "ch_c",
            Objective::DbC => "db_c",
            Objective::Clm => "clm",
            Objective::ScA => "sc_a",
        }
    }

    /// The registered measure of the objective.
    ///
    /// # Panics
    /// Never: all objectives are in the registry.
    pub fn measure(self) -> &'static Measure {
        find(self.id()).expect("objectives are registered measures")
    }

    /// The formulas that the search uses.
    pub(crate) fn formulas(self) -> &'static [MomentFormula] {
        match self {
            Objective::ChA => &[MomentFormula::ChA],
            Objective::ChC => &[MomentFormula::ChC],
            Objective::DbC => &[MomentFormula::DbC],
            Objective::Clm | Objective::ScA => &[MomentFormula::ChA, MomentFormula::ChC, MomentFormula::DbC],
        }
    }

    /// Whether the objective can be computed from moments.
    pub fn from_moments(self) -> bool {
        !matches!(self, Objective::Clm | Objective::ScA)
    }
}

impl FromStr for Objective {
    type Err = String;
    fn from_str(id: &str) -> Result<Self, String> {
        let found = Objective::ALL.into_iter().find(|objective| objective.id() == id);
        found.ok_or_else(|| format!("'{id}' is none of ch_a, ch_c, db_c, clm, sc_a"))
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.id())
    }
}

/// Which points features are chosen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// One half of each class; the other half shows what the choice is worth.
    #[default]
    Half,
    /// All points, as in the paper: the score is then too optimistic.
    None,
}

/// The options of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// How to search.
    pub method: Method,
    /// What to maximise.
    pub objective: Objective,
    /// The longest time that the search and its null may take; after that, the best result so far counts.
    pub budget: Option<Duration>,
    /// Subsets that the random search draws.
    pub draws: usize,
    /// The smallest number of features to keep.
    pub min_features: usize,
    /// The cost of dropping all features: the score must rise by this times the share of features dropped.
    pub penalty: f64,
    /// How covariances shrink if d is near n.
    pub shrinkage: Shrinkage,
    /// Which points features are chosen on.
    pub split: Split,
    /// How many searches are run under shuffled labels.
    pub shuffles: usize,
    /// The seed of everything that is random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            method: Method::Auto,
            objective: Objective::ChA,
            budget: Some(Duration::from_secs(10)),
            draws: 1000,
            min_features: 2,
            penalty: 0.01,
            shrinkage: Shrinkage::Auto,
            split: Split::Half,
            shuffles: 39,
            seed: 0,
        }
    }
}

impl Options {
    /// The options of the paper: all points, any number of features, no penalty, no shrinkage, no time limit.
    pub fn paper() -> Options {
        Options {
            budget: None,
            min_features: 1,
            penalty: 0.0,
            shrinkage: Shrinkage::None,
            split: Split::None,
            shuffles: 0,
            ..Options::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, method) in Method::ALL {
            assert_eq!((method.to_string().as_str(), name.parse()), (name, Ok(method)));
        }
        for objective in Objective::ALL {
            assert_eq!(objective.to_string().parse(), Ok(objective));
            assert_eq!(objective.measure().id, objective.id());
        }
        assert!("best".parse::<Method>().is_err() && "ch".parse::<Objective>().is_err());
    }
}
