//! The paper's protocols T1 to T4 as parts that compose, so that an adjusted measure reads like its definition.
//!
//! ```
//! use clmatch::calibration::K;
//! use clmatch::measure::CalinskiHarabasz;
//! use clmatch::protocol::{Mean, TakesT1, TakesT2, TakesT3};
//!
//! let ch_a = CalinskiHarabasz.t1().t2().t4(K::CH).t3(Mean); // the adjusted index
//! let part = CalinskiHarabasz.t2().t4(K::CH_SR);             // one variant of the ablation
//! # let _ = (ch_a, part);
//! ```
//!
//! * T1 (D) removes the dependence on the number of points.
//! * T2 (S) makes a measure invariant to a shift of all squared distances, see [`shift`].
//! * T3 takes the mean, minimum or maximum over pairs of classes, see [`aggregate`].
//! * T4 (R) maps the range to worst 0 and best 1, see [`range`].
//!
//! A protocol that a measure has no use for does not compile: the I index takes no T1.

pub mod aggregate;
pub mod range;
pub mod shift;

pub use aggregate::Aggregate::{self, Max, Mean, Min};
pub use range::{Form, Worst};

use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{Score, score_with};
use crate::needs::{Needs, Plan};
use crate::statistics::View;

/// Which of T1 (D) and T2 (S) are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steps {
    /// T1.
    pub d: bool,
    /// T2.
    pub s: bool,
}

/// A base measure with its forms under T1 and T2.
pub trait Index: Copy + Send + Sync {
    /// Which statistics the form needs.
    fn needs(self, steps: Steps, ranged: bool) -> Needs;

    /// The value as it is defined, without T4.
    fn value(self, steps: Steps, view: &View<'_>) -> f64;

    /// The value turned so that higher is better, with its worst case, for T4.
    fn form(self, steps: Steps, view: &View<'_>) -> Form;

    /// The measure without any protocol.
    fn plain(self) -> Variant<Self> {
        Variant { base: self, steps: Steps::default(), growth: None, aggregate: None }
    }
}

/// Measures that gain from T1.
pub trait TakesT1: Index {
    /// Applies T1 (D).
    fn t1(self) -> Variant<Self> {
        self.plain().t1()
    }
}

/// Measures that gain from T2.
pub trait TakesT2: Index {
    /// Applies T2 (S).
    fn t2(self) -> Variant<Self> {
        self.plain().t2()
    }
}

/// Every measure can be taken over pairs.
pub trait TakesT3: Index {
    /// Applies T3.
    fn t3(self, aggregate: Aggregate) -> Variant<Self> {
        self.plain().t3(aggregate)
    }
}

impl<M: Index> TakesT3 for M {}

/// Measures that gain from T4.
pub trait TakesT4: Index {
    /// Applies T4 (R) with growth rate k.
    fn t4(self, k: impl Into<f64>) -> Variant<Self> {
        self.plain().t4(k)
    }
}

/// A measure with some of the protocols applied, in any order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant<M> {
    base: M,
    steps: Steps,
    growth: Option<f64>,
    aggregate: Option<Aggregate>,
}

impl<M: Index> Variant<M> {
    /// Applies T3.
    #[must_use]
    pub fn t3(self, aggregate: Aggregate) -> Self {
        Variant { aggregate: Some(aggregate), ..self }
    }

    /// The value on one set of classes, before T3.
    ///
    /// With T4, two classes without extent have a stated value whatever their sizes: 1 apart, 0 in one place.
    pub fn of(&self, view: &View<'_>) -> f64 {
        match self.growth {
            Some(k) => view.point_like().unwrap_or_else(|| self.base.form(self.steps, view).ranged(k)),
            None => self.base.value(self.steps, view),
        }
    }

    /// The statistics that this variant needs.
    pub fn needs(&self) -> Needs {
        self.base.needs(self.steps, self.growth.is_some())
    }

    /// The value of a dataset; with T3 also of each pair of classes.
    ///
    /// # Errors
    /// With T3, if a class has a single point.
    pub fn evaluate(&self, classes: &Classes<'_>) -> Result<Score, DataError> {
        let plan = match self.aggregate {
            Some(_) => Plan::pairs(self.needs()),
            None => Plan::whole(self.needs()),
        };
        score_with(classes, plan, self.aggregate, |view| self.of(view))
    }
}

impl<M: TakesT1> Variant<M> {
    /// Applies T1 (D).
    #[must_use]
    pub fn t1(self) -> Self {
        Variant { steps: Steps { d: true, ..self.steps }, ..self }
    }
}

impl<M: TakesT2> Variant<M> {
    /// Applies T2 (S).
    #[must_use]
    pub fn t2(self) -> Self {
        Variant { steps: Steps { s: true, ..self.steps }, ..self }
    }
}

impl<M: TakesT4> Variant<M> {
    /// Applies T4 (R) with growth rate k.
    #[must_use]
    pub fn t4(self, k: impl Into<f64>) -> Self {
        Variant { growth: Some(k.into()), ..self }
    }
}
