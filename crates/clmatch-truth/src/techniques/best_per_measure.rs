//! The best setting by each external measure.

use clmatch_cluster::external::{Agreement, External};

/// Scores that differ by less are equally good: their sums were added in another order.
const ROUNDING: f64 = 1e-12;

/// A setting and its score.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Best<S> {
    pub score: f64,
    pub setting: S,
}

/// The best by each measure; of equally good ones the first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BestPerMeasure<S>([Option<Best<S>>; External::ALL.len()]);

impl<S> Default for BestPerMeasure<S> {
    fn default() -> Self {
        BestPerMeasure([const { None }; External::ALL.len()])
    }
}

impl<S: Clone> BestPerMeasure<S> {
    /// The bests of a single setting.
    pub(super) fn of(agreement: &Agreement, setting: &S) -> Self {
        let mut bests = BestPerMeasure::default();
        bests.offer(agreement, setting);
        bests
    }

    /// Takes a setting where it is better.
    pub(super) fn offer(&mut self, agreement: &Agreement, setting: &S) {
        for external in External::ALL {
            self.offer_one(external, agreement.get(external), setting);
        }
    }

    pub(super) fn offer_one(&mut self, external: External, score: f64, setting: &S) {
        let place = &mut self.0[external as usize];
        if place.as_ref().is_none_or(|best| score > best.score + ROUNDING) {
            *place = Some(Best { score, setting: setting.clone() });
        }
    }

    /// The better of two by each measure.
    #[must_use]
    pub(super) fn or(mut self, later: &Self) -> Self {
        for external in External::ALL {
            if let Some(best) = later.get(external) {
                self.offer_one(external, best.score, &best.setting);
            }
        }
        self
    }
}

impl<S> BestPerMeasure<S> {
    pub(super) fn get(&self, external: External) -> Option<&Best<S>> {
        self.0[external as usize].as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_measure_has_its_own_best_and_ties_go_to_the_first() {
        let mut bests = BestPerMeasure::of(&Agreement { ami: 0.5, arand: 0.1, vm: 0.2, nmi: 0.3 }, &1);
        bests.offer(&Agreement { ami: 0.5, arand: 0.2, vm: 0.1, nmi: 0.4 }, &2);
        let bests = BestPerMeasure::default().or(&bests);
        let settings = External::ALL.map(|external| bests.get(external).map(|best| best.setting));
        assert_eq!(settings, [Some(1), Some(2), Some(1), Some(2)]);
    }
}
