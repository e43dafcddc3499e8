//! How a measure is computed: which statistics it reads, over which classes, and the formula.

use super::clm::{AllTerms, ClmTerms};
use crate::needs::{Needs, Plan};
use crate::protocol::{Aggregate, AllClasses, BaseMeasure, DatasetMeasure, OverPairs, Variant};
use crate::statistics::View;

/// A measure as the evaluator sees it: a [`Variant`] of the protocols, or a [`Formula`].
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

    /// The other half of the headline score, which is computed on all classes at once.
    fn of_all(&self) -> Option<OfAll> {
        None
    }

    /// The statistics that the evaluator must compute.
    fn plan(&self) -> Plan {
        let of_all = Plan { whole: self.of_all().map(|all| all.needs), pairs: None };
        match self.aggregate() {
            Some(_) => Plan::pairs(self.needs()).union(of_all),
            None => Plan::whole(self.needs()),
        }
    }
}

/// The part of the headline score that is computed on all classes at once.
#[derive(Clone, Copy)]
pub(crate) struct OfAll {
    /// The statistics that it reads.
    pub(crate) needs: Needs,
    /// The terms, from a view of all classes.
    pub(crate) terms: fn(&View<'_>) -> AllTerms,
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

/// A measure that is not made of protocols: a function of a [`View`], and the statistics that it reads.
pub struct Formula {
    /// The statistics that it reads.
    pub(crate) needs: Needs,
    /// `Some` for a formula on two classes.
    pub(crate) aggregate: Option<Aggregate>,
    /// The value on one set of classes.
    pub(crate) value: fn(&View<'_>) -> f64,
    /// The terms that it consists of, for the headline score.
    pub(crate) terms: Option<fn(&View<'_>) -> ClmTerms>,
    /// The part on all classes at once, for the headline score, whose value is the mean of both parts.
    pub(crate) all: Option<OfAll>,
}

impl Formula {
    /// A formula on two classes at a time. The score of a dataset is the aggregate of its values over all pairs.
    pub const fn of_pairs(needs: Needs, aggregate: Aggregate, value: fn(&View<'_>) -> f64) -> Formula {
        Formula { needs, aggregate: Some(aggregate), value, terms: None, all: None }
    }

    /// A formula on all classes at once.
    pub const fn of_all(needs: Needs, value: fn(&View<'_>) -> f64) -> Formula {
        Formula { needs, aggregate: None, value, terms: None, all: None }
    }
}

impl std::fmt::Debug for Formula {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Formula({:?}, {:?})", self.needs, self.aggregate)
    }
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

    fn of_all(&self) -> Option<OfAll> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Statistics;
    use crate::{Classes, Control, Labels, Points};

    #[test]
    fn a_formula_is_what_it_is_made_of() {
        let points = Points::new(&[0.0, 1.0, 5.0, 6.0, 8.0], 1).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1, 1])).unwrap();
        let formula = |aggregate: Option<Aggregate>| Formula {
            needs: Needs::MOMENTS,
            aggregate,
            value: |view| view.n() + view.k() / 8.0,
            terms: None,
            all: None,
        };
        let of_all = formula(None);
        assert_eq!((of_all.aggregate(), of_all.plan()), (None, Plan::whole(Needs::MOMENTS)));
        let of_pairs = formula(Some(Aggregate::Min));
        assert_eq!(of_pairs.aggregate(), Some(Aggregate::Min));
        assert_eq!(of_pairs.plan(), Plan::pairs(Needs::MOMENTS));
        let statistics = Statistics::compute(&classes, of_all.plan(), Control::none()).unwrap();
        // Five points in two classes.
        assert_eq!(of_all.value(&statistics.whole()), 5.25);
    }
}
