//! How a measure is computed: which statistics it reads, over which classes, and the formula.

use super::clm::ClmTerms;
use crate::needs::{Needs, Plan};
use crate::protocol::{Aggregate, AllClasses, BaseMeasure, DatasetMeasure, OverPairs, Variant};
use crate::statistics::View;

/// A measure as the evaluator sees it. A [`Variant`] of the protocols is one, and so is a [`Formula`].
pub(crate) trait Definition: Sync {
    /// The statistics that the formula reads; a view refuses all others.
    fn needs(&self) -> Needs;

    /// T3: how the scores of pairs of classes become one. `None` for a formula on all classes at once.
    fn aggregate(&self) -> Option<Aggregate>;

    /// The value on one set of classes: all of them, or a pair.
    fn value(&self, view: &View<'_>) -> f64;

    /// The terms that the value on a pair consists of, for the headline score.
    fn terms(&self) -> Option<fn(&View<'_>) -> ClmTerms> {
        None
    }

    /// What the evaluator must compute.
    fn plan(&self) -> Plan {
        match self.aggregate() {
            Some(_) => Plan::pairs(self.needs()),
            None => Plan::whole(self.needs()),
        }
    }
}

impl<M: DatasetMeasure> Definition for Variant<M, AllClasses> {
    fn needs(&self) -> Needs {
        Variant::needs(self)
    }

    fn aggregate(&self) -> Option<Aggregate> {
        None
    }

    fn value(&self, view: &View<'_>) -> f64 {
        self.value_on(view)
    }
}

impl<M: BaseMeasure> Definition for Variant<M, OverPairs> {
    fn needs(&self) -> Needs {
        Variant::needs(self)
    }

    fn aggregate(&self) -> Option<Aggregate> {
        Some(self.scope().aggregate())
    }

    fn value(&self, view: &View<'_>) -> f64 {
        self.value_on(view)
    }
}

/// A measure that is not made of protocols.
pub(crate) struct Formula {
    /// The statistics that it reads.
    pub(crate) needs: Needs,
    /// `Some` for a formula on two classes.
    pub(crate) aggregate: Option<Aggregate>,
    /// The value on one set of classes.
    pub(crate) value: fn(&View<'_>) -> f64,
    /// The terms that it consists of, for the headline score.
    pub(crate) terms: Option<fn(&View<'_>) -> ClmTerms>,
}

impl Definition for Formula {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn aggregate(&self) -> Option<Aggregate> {
        self.aggregate
    }

    fn value(&self, view: &View<'_>) -> f64 {
        (self.value)(view)
    }

    fn terms(&self) -> Option<fn(&View<'_>) -> ClmTerms> {
        self.terms
    }
}
