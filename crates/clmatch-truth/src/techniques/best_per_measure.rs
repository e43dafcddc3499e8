//! The best setting by each external measure.

use clmatch_cluster::external::{Agreement, External};

/// Scores that differ by less than this are equally good: their sums were added in another order.
const ROUNDING: f64 = 1e-12;

/// A setting and its score.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Best<S> {
    pub score: f64,
    pub setting: S,
    /// Whether all points are in one cluster.
    one_cluster: bool,
}

/// The best setting by each measure; among equally good ones, the first. A partition into one cluster, which says
/// nothing, is the best only if there is no other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BestPerMeasure<S>([Option<Best<S>>; External::ALL.len()]);

impl<S> Default for BestPerMeasure<S> {
    fn default() -> Self {
        BestPerMeasure([const { None }; External::ALL.len()])
    }
}

impl<S: Clone> BestPerMeasure<S> {
    /// Starts with a single setting, which is the best by every measure.
    pub(super) fn of(agreement: &Agreement, setting: &S) -> Self {
        let mut bests = BestPerMeasure::default();
        bests.offer(agreement, setting);
        bests
    }

    /// Takes the setting by each measure by which it is better.
    pub(super) fn offer(&mut self, agreement: &Agreement, setting: &S) {
        self.offer_where(|_| true, agreement, setting);
    }

    /// Like [`BestPerMeasure::offer`], but by some measures only.
    pub(super) fn offer_where(&mut self, by: impl Fn(External) -> bool, agreement: &Agreement, setting: &S) {
        // Partitions into two or more clusters have a positive `vm`, unless they are independent of the classes, which
        // says nothing either.
        let one_cluster = agreement.vm == 0.0;
        for external in External::ALL.into_iter().filter(|&external| by(external)) {
            let best = Best { score: agreement.get(external), setting: setting.clone(), one_cluster };
            self.take_if_better(external, best);
        }
    }

    /// Takes the setting by one measure if it is better.
    pub(super) fn offer_one(&mut self, external: External, score: f64, setting: &S) {
        self.take_if_better(external, Best { score, setting: setting.clone(), one_cluster: false });
    }

    fn take_if_better(&mut self, external: External, new: Best<S>) {
        let place = &mut self.0[external as usize];
        let better = |best: &Best<S>| match (best.one_cluster, new.one_cluster) {
            (one, other) if one == other => new.score > best.score + ROUNDING,
            (one, _) => one,
        };
        if place.as_ref().is_none_or(better) {
            *place = Some(new);
        }
    }

    /// The same settings, with scores computed anew.
    #[must_use]
    pub(super) fn rescored(mut self, score: impl Fn(&S) -> Agreement) -> Self {
        for (external, best) in External::ALL.into_iter().zip(&mut self.0) {
            best.iter_mut().for_each(|best| best.score = score(&best.setting).get(external));
        }
        self
    }

    /// The better of the two by each measure.
    #[must_use]
    pub(super) fn or(mut self, later: &Self) -> Self {
        for external in External::ALL {
            if let Some(best) = later.get(external) {
                self.take_if_better(external, best.clone());
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

    #[test]
    fn one_cluster_is_the_best_only_where_there_is_no_other() {
        let one = BestPerMeasure::of(&Agreement { ami: 0.0, arand: 0.0, vm: 0.0, nmi: 0.0 }, &1);
        let two = BestPerMeasure::of(&Agreement { ami: -0.1, arand: -0.2, vm: 0.1, nmi: 0.1 }, &2);
        let settings = |bests: BestPerMeasure<i32>| {
            External::ALL.map(|external| bests.get(external).map(|best| best.setting))
        };
        assert_eq!(settings(BestPerMeasure::default().or(&one)), [Some(1); 4]);
        assert_eq!(settings(one.clone().or(&two)), [Some(2); 4]);
        assert_eq!(settings(two.or(&one)), [Some(2); 4]);
    }
}
