//! The measures, one family per file, and the registry that everything else iterates over.
//!
//! To add a measure, write its file with a [`Measure`] constant, and name that constant in [`REGISTRY`].
//!
//! ```
//! use clmatch::measure::{self, Better};
//!
//! let db = measure::find("db").ok_or("there is a Davies-Bouldin index")?;
//! assert_eq!(db.better, Better::Lower);
//! assert!(db.prefers(0.4, 0.9));
//! assert!(measure::REGISTRY.iter().any(|measure| measure.id == "ch_a"));
//! # Ok::<(), &str>(())
//! ```

mod axioms;
mod calinski_harabasz;
mod ch_corrected;
pub mod clm;
mod clm_pairs;
mod davies_bouldin;
mod db_corrected;
mod definition;
mod dunn;
mod i_index;
mod neighbour_votes;
mod pair_moments;
mod silhouette;
#[cfg(test)]
#[allow(unreachable_pub, reason = "it is what CONTRIBUTING shows, where it is reachable")]
mod template;
mod xie_beni;

pub use axioms::{Axiom, Axioms, Verdict};
pub use calinski_harabasz::{CH, CH_A, CalinskiHarabasz};
pub use ch_corrected::{CH_C, UnbiasedCalinskiHarabasz};
pub use clm::CLM;
pub use clm_pairs::CLM_PAIRS;
pub use davies_bouldin::{DB, DB_A, DaviesBouldin};
pub use db_corrected::{DB_C, UnbiasedDaviesBouldin};
pub use definition::Formula;
pub use dunn::{DI, DI_A, Dunn};
pub use i_index::{II, IIndex};
pub use pair_moments::unbiased_gap;
pub use silhouette::{SC, SC_A, Silhouette, silhouette_width};
pub use xie_beni::{XB, XB_A, XieBeni};

pub(crate) use definition::{Definition, OfAll};
pub(crate) use neighbour_votes::{normalised_information, votes_of};
pub(crate) use pair_moments::PairMoments;

pub use crate::needs::Needs;
use crate::needs::Plan;
use crate::protocol::Aggregate;
use crate::statistics::View;

/// Every measure, in the order in which they are shown.
pub static REGISTRY: &[&Measure] =
    &[&CLM, &CH_A, &XB_A, &DB_A, &DI_A, &SC_A, &CH_C, &DB_C, &CLM_PAIRS, &CH, &DI, &II, &XB, &DB, &SC];

/// The ids of the measures that are shown by default.
pub const DEFAULT: [&str; 6] = ["clm", "ch_a", "xb_a", "db_a", "di_a", "sc_a"];

/// Which end of the range is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Better {
    /// Higher values mean a better match of labels and clusters.
    Higher,
    /// Lower values mean a better match.
    Lower,
}

/// Which classes a measure is computed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Scope {
    /// All classes at once.
    Dataset,
    /// Two classes at a time; the score of a dataset is an aggregate over pairs (T3).
    Pairs,
}

/// The kind of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Kind {
    /// Defined in this project.
    #[cfg_attr(feature = "serde", serde(rename = "headline"))]
    Own,
    /// Adjusted, as published by Jeon et al.
    Adjusted,
    /// Adjusted with unbiased estimates.
    Corrected,
    /// Classical, without adjustment.
    Standard,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Kind::Own => "headline",
            Kind::Adjusted => "adjusted",
            Kind::Corrected => "corrected",
            Kind::Standard => "standard",
        })
    }
}

/// A measure: what it is called, what it needs, what it promises, and how it is computed.
#[non_exhaustive]
pub struct Measure {
    /// The id, which is the same in Rust, in the shell, in files and in Python.
    pub id: &'static str,
    /// Other ids of the same measure.
    pub aliases: &'static [&'static str],
    /// The full name.
    pub name: &'static str,
    /// The kind of the measure.
    pub kind: Kind,
    /// Which end of the range is good.
    pub better: Better,
    /// The smallest and the largest possible value.
    pub range: (f64, f64),
    /// Which axioms the measure satisfies.
    pub axioms: Axioms,
    /// What a good score means.
    pub meaning: &'static str,
    /// The formula: one line, followed by the symbols in it.
    pub formula: &'static str,
    /// Where the measure is defined.
    pub reference: &'static str,
    /// How the measure was found, what it was tested on and where it is weak; empty if the reference says so.
    pub background: &'static str,
    /// The statistics, the classes and the formula: everything that can be derived from this is.
    pub(crate) definition: &'static dyn Definition,
    /// The value of every point of a class of the set, if the measure has such values.
    pub(crate) point_scores: Option<fn(&View<'_>, usize) -> Vec<f64>>,
}

impl Measure {
    /// A measure that is not in the [`REGISTRY`]. It can be evaluated, and compared with chance or resampled, like the others;
    /// [`estimate`](crate::estimate()) may refuse it.
    ///
    /// ```
    /// use clmatch::measure::{Better, Formula, Measure, Needs};
    /// use clmatch::protocol::Aggregate;
    /// use clmatch::{Classes, Labels, Points, evaluate};
    ///
    /// static EXPLAINED: Measure = Measure::new(
    ///     "explained",
    ///     "share of the scatter that lies between classes",
    ///     Better::Higher,
    ///     (0.0, 1.0),
    ///     &Formula::of_pairs(Needs::MOMENTS, Aggregate::Mean, |pair| pair.between() / pair.total()),
    /// );
    ///
    /// let points = Points::new(&[0.0, 1.0, 4.0, 5.0], 1)?;
    /// let classes = Classes::new(points, &Labels::encode(["a", "a", "b", "b"]))?;
    /// assert_eq!(evaluate(&classes, &[&EXPLAINED])?.value("explained"), Some(4.0 / 4.25));
    /// # Ok::<(), clmatch::DataError>(())
    /// ```
    ///
    /// Its axioms are [`Verdict::Unknown`], and its kind is [`Kind::Standard`]: both are fields.
    pub const fn new(
        id: &'static str,
        name: &'static str,
        better: Better,
        range: (f64, f64),
        formula: &'static Formula,
    ) -> Measure {
        Measure {
            id,
            aliases: &[],
            name,
            kind: Kind::Standard,
            better,
            range,
            axioms: Axioms::UNKNOWN,
            meaning: "",
            formula: "",
            reference: "",
            background: "",
            definition: formula,
            point_scores: None,
        }
    }

    /// Which classes the measure is computed on.
    pub fn scope(&self) -> Scope {
        if self.aggregate().is_some() { Scope::Pairs } else { Scope::Dataset }
    }

    /// How the scores of pairs of classes become one (T3); `None` for a measure on all classes at once.
    pub fn aggregate(&self) -> Option<Aggregate> {
        self.definition.aggregate()
    }

    /// Whether half of the measure is computed on all classes at once, and the other half on pairs.
    pub fn has_half_of_all(&self) -> bool {
        self.definition.of_all().is_some()
    }

    /// Whether the measure has values of single points, see [`evaluate_points`](crate::evaluate_points).
    pub fn has_point_scores(&self) -> bool {
        self.point_scores.is_some()
    }

    /// Readable names of the statistics that the measure is computed from.
    pub fn statistics(&self) -> Vec<&'static str> {
        self.needs().names()
    }

    pub(crate) fn needs(&self) -> Needs {
        self.plan().any()
    }

    /// The statistics that the evaluator must compute for the measure.
    pub(crate) fn plan(&self) -> Plan {
        self.definition.plan()
    }

    /// Whether `id` is the measure's id or one of its aliases.
    pub fn is(&self, id: &str) -> bool {
        self.id == id || self.aliases.contains(&id)
    }

    /// A value turned so that higher is better.
    pub fn upward(&self, value: f64) -> f64 {
        match self.better {
            Better::Higher => value,
            Better::Lower => -value,
        }
    }

    /// Whether `a` is a better value than `b`.
    pub fn prefers(&self, a: f64, b: f64) -> bool {
        match self.better {
            Better::Higher => a > b,
            Better::Lower => a < b,
        }
    }
}

impl std::fmt::Debug for Measure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Measure({})", self.id)
    }
}

/// The measure with an id or alias.
pub fn find(id: &str) -> Option<&'static Measure> {
    REGISTRY.iter().find(|measure| measure.is(id)).copied()
}

/// The measures that are shown by default.
pub fn defaults() -> Vec<&'static Measure> {
    REGISTRY.iter().filter(|measure| DEFAULT.contains(&measure.id)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::GrowthRate;
    use crate::{Classes, Labels, Points, evaluate};

    #[test]
    fn ids_are_unique_and_found() {
        let mut ids: Vec<&str> =
            REGISTRY.iter().flat_map(|m| m.aliases.iter().copied().chain([m.id])).collect();
        for id in &ids {
            assert!(find(id).is_some_and(|measure| measure.is(id)));
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert_eq!(find("ii_a").unwrap().id, "xb_a");
        assert!(find("CH_A").is_none());
        assert_eq!(defaults().iter().map(|m| m.id).collect::<Vec<_>>(), DEFAULT);
    }

    #[test]
    fn the_measure_in_contributing_compiles() {
        let guide = include_str!("../../../../CONTRIBUTING.md").replace("\n   ", "\n");
        assert!(guide.contains(include_str!("template.rs")), "it differs from template.rs");
        let points = Points::new(&[0.0, 1.0, 4.0, 5.0], 1).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1])).unwrap();
        let gap = evaluate(&classes, &[&template::GAP]).unwrap().value("gap");
        assert_eq!(gap, Some(4.0 / 4.25));
    }

    #[test]
    fn only_better_scores_are_preferred() {
        for measure in REGISTRY {
            let higher = matches!(measure.better, Better::Higher);
            assert_eq!(measure.prefers(2.0, 1.0), higher, "{}", measure.id);
            assert_eq!(measure.prefers(1.0, 2.0), !higher, "{}", measure.id);
            assert!(!measure.prefers(1.0, 1.0), "{}", measure.id);
        }
    }

    #[test]
    fn formulas_tell_the_growth_rates_that_are_used() {
        let used = [
            ("ch_a", GrowthRate::CH),
            ("xb_a", GrowthRate::XB),
            ("db_a", GrowthRate::DB),
            ("di_a", GrowthRate::DI),
            ("ch_c", GrowthRate::CH),
            ("db_c", GrowthRate::DB_C),
        ];
        for measure in REGISTRY {
            let told = measure.formula.lines().find_map(|line| line.split_once("k = "));
            let told = told.map(|(_, k)| k.parse::<f64>().unwrap());
            let rate = used.iter().find(|(id, _)| *id == measure.id).map(|(_, rate)| rate.value);
            // Half of a published number may end in another digit.
            let close = told.zip(rate).is_none_or(|(told, rate)| (told / rate - 1.0).abs() < 1e-15);
            assert!(told.is_some() == rate.is_some() && close, "{}: {told:?}, {rate:?}", measure.id);
        }
    }
}
