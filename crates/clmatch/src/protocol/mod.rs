//! The paper's protocols T1 to T4 as parts that compose, so that an adjusted measure reads like its definition.
//!
//! ```
//! use clmatch::calibration::GrowthRate;
//! use clmatch::measure::CalinskiHarabasz;
//! use clmatch::protocol::{Mean, TakesT1, TakesT2, TakesT3};
//!
//! let ch_a = CalinskiHarabasz.t1().t2().t4(GrowthRate::CH).t3(Mean); // the adjusted index
//! let part = CalinskiHarabasz.t2().t4(GrowthRate::CH_SR);             // one variant of the ablation
//! # let _ = (ch_a, part);
//! ```
//!
//! * T1 (D) removes the dependence on the number of points.
//! * T2 (S) makes a measure invariant to a shift of all squared distances, see [`shift`].
//! * T3 takes the mean, minimum or maximum over pairs of classes, see [`aggregate`].
//! * T4 (R) maps the range to worst 0 and best 1, see [`range`].
//!
//! A protocol that a measure has no use for does not compile: the I index does not take T1. A measure that is defined on two
//! classes only does not give a score without T3:
//!
//! ```compile_fail,E0599
//! # use clmatch::{Classes, Labels, Points};
//! use clmatch::calibration::GrowthRate;
//! use clmatch::measure::UnbiasedCalinskiHarabasz;
//! use clmatch::protocol::TakesT4;
//!
//! # let points = Points::new(&[0.0, 0.1, 5.0, 5.1, 9.0, 9.1], 1)?;
//! # let three = Classes::new(points, &Labels::encode([0, 0, 1, 1, 2, 2]))?;
//! UnbiasedCalinskiHarabasz.t4(GrowthRate::CH).evaluate(&three)?; // of which two classes?
//! # Ok::<(), clmatch::DataError>(())
//! ```
//!
//! ```
//! # use clmatch::{Classes, Labels, Points};
//! # use clmatch::calibration::GrowthRate;
//! # use clmatch::measure::UnbiasedCalinskiHarabasz;
//! use clmatch::protocol::{Mean, TakesT4};
//!
//! # let points = Points::new(&[0.0, 0.1, 5.0, 5.1, 9.0, 9.1], 1)?;
//! # let three = Classes::new(points, &Labels::encode([0, 0, 1, 1, 2, 2]))?;
//! let score = UnbiasedCalinskiHarabasz.t4(GrowthRate::CH).t3(Mean).evaluate(&three)?;
//! assert_eq!(score.pairs.len(), 3);
//! # Ok::<(), clmatch::DataError>(())
//! ```

pub mod aggregate;
pub mod range;
pub mod shift;

pub use aggregate::Aggregate::{self, Max, Mean, Min};
pub use range::{RawScore, Worst};

use crate::needs::Needs;
use crate::statistics::View;

/// Which of T1 (D) and T2 (S) are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steps {
    /// T1, which removes the dependence on the number of points.
    pub d: bool,
    /// T2, which makes the measure invariant to shifts of squared distances.
    pub s: bool,
}

pub(crate) mod sealed {
    /// Seals [`BaseMeasure`](super::BaseMeasure): only this crate computes the statistics that base measures read.
    pub trait Sealed {}
}

/// A base measure with its formulas under T1 and T2. Implemented only by the measures of this crate.
pub trait BaseMeasure: sealed::Sealed + Copy + Send + Sync + 'static {
    /// Which statistics the formula reads, with or without T4.
    #[doc(hidden)]
    fn needs(self, steps: Steps, rescaled: bool) -> Needs;

    /// The value as defined, without T4.
    #[doc(hidden)]
    fn value(self, steps: Steps, view: &View<'_>) -> f64;

    /// The value, turned so that higher is better, and its worst case, for T4.
    #[doc(hidden)]
    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore;

    /// The measure without any protocol.
    fn plain(self) -> Variant<Self> {
        Variant::new(self)
    }
}

/// Measures that are defined on any number of classes. All others compare two classes, and need T3 to score a dataset.
pub trait DatasetMeasure: BaseMeasure {}

/// Measures that T1 applies to.
pub trait TakesT1: BaseMeasure {
    /// Applies T1 (D).
    fn t1(self) -> Variant<Self> {
        self.plain().t1()
    }
}

/// Measures that T2 applies to.
pub trait TakesT2: BaseMeasure {
    /// Applies T2 (S).
    fn t2(self) -> Variant<Self> {
        self.plain().t2()
    }
}

/// Measures that T3 applies to, which are all of them.
pub trait TakesT3: BaseMeasure {
    /// Applies T3.
    fn t3(self, aggregate: Aggregate) -> Variant<Self, OverPairs> {
        self.plain().t3(aggregate)
    }
}

impl<M: BaseMeasure> TakesT3 for M {}

/// Measures that T4 applies to.
pub trait TakesT4: BaseMeasure {
    /// Applies T4 (R) with growth rate k.
    fn t4(self, k: impl Into<f64>) -> Variant<Self> {
        self.plain().t4(k)
    }
}

/// Without T3: the measure is computed on all classes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AllClasses;

/// With T3: the measure is computed on two classes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverPairs(Aggregate);

impl OverPairs {
    /// How the scores of all pairs become one score.
    pub const fn aggregate(self) -> Aggregate {
        self.0
    }
}

/// A measure with some of the protocols applied, in any order; `S` says whether T3 is among them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Variant<M, S = AllClasses> {
    base: M,
    steps: Steps,
    growth: Option<f64>,
    scope: S,
}

impl<M: BaseMeasure> Variant<M> {
    /// The measure without any protocol.
    pub const fn new(base: M) -> Self {
        Variant { base, steps: Steps { d: false, s: false }, growth: None, scope: AllClasses }
    }
}

impl<M: BaseMeasure, S: Copy> Variant<M, S> {
    /// Applies T3.
    pub const fn t3(self, aggregate: Aggregate) -> Variant<M, OverPairs> {
        let Variant { base, steps, growth, .. } = self;
        Variant { base, steps, growth, scope: OverPairs(aggregate) }
    }

    /// The value on one set of classes, before T3.
    ///
    /// With T4, two classes without extent have a fixed value whatever their sizes: 1 if they are apart, 0 if they coincide.
    pub(crate) fn value_on(&self, view: &View<'_>) -> f64 {
        match self.growth {
            Some(k) => view.point_like().unwrap_or_else(|| self.base.raw_score(self.steps, view).rescale(k)),
            None => self.base.value(self.steps, view),
        }
    }

    /// The statistics that [`Variant::value_on`] reads.
    pub(crate) fn needs(&self) -> Needs {
        self.base.needs(self.steps, self.growth.is_some())
    }

    /// Whether T3 applies, and how.
    pub(crate) fn scope(&self) -> S {
        self.scope
    }
}

impl<M: TakesT1, S: Copy> Variant<M, S> {
    /// Applies T1 (D).
    pub const fn t1(self) -> Self {
        Variant { steps: Steps { d: true, s: self.steps.s }, ..self }
    }
}

impl<M: TakesT2, S: Copy> Variant<M, S> {
    /// Applies T2 (S).
    pub const fn t2(self) -> Self {
        Variant { steps: Steps { d: self.steps.d, s: true }, ..self }
    }
}

impl<M: TakesT4, S: Copy> Variant<M, S> {
    /// Applies T4 (R) with growth rate k: a calibrated [`GrowthRate`](crate::calibration::GrowthRate) or a number.
    pub fn t4(self, k: impl Into<f64>) -> Self {
        self.with_growth(k.into())
    }

    /// [`Variant::t4`] for constants.
    pub(crate) const fn with_growth(self, k: f64) -> Self {
        Variant { growth: Some(k), ..self }
    }
}
