//! Where a dataset stands among the catalogued ones, and whether it may serve as ground truth.
//!
//! `clm` estimates what a good clustering reaches. Datasets that score at least [`FIT`] are fit, and those below [`NOT_FIT`] are
//! not. The two thresholds were chosen on 439 datasets and then checked on 159 others: of 50 whose best adjusted mutual
//! information was at least .7 all scored [`FIT`] or more, of 93 where it was below .5 none did, and 89 scored below [`NOT_FIT`].
//!
//! A high score is not enough: if a class consists of several clusters far apart, all pairs of classes are still separate. So
//! every class is searched for clusters, and the score that finding all of them would reach is compared with .85. A low score is
//! not final: if merging classes that share a cluster, or another scaling, raises it to [`FIT`], the verdict says so. The place
//! in the catalogue accompanies the verdict, but does not affect it.

use clmatch::Measure;
use clmatch::measure::find;
use clmatch_data::catalogue::{Catalogue, Standing};

use crate::evidence::{Evidence, SHARED, SplitClass};
use crate::scored::{CatalogueStanding, Scored};
use crate::scores::{ClassSize, FEWEST_POINTS};
use crate::verdict::{Caveat, Change, Decision, ExpectedAmi, Finding, Reason, Verdict};

/// The measure that determines the verdict.
const DECIDES: &str = "clm";
/// The measure that rewards compact classes.
const COMPACT: &str = "ch_a";
/// Datasets that score at least this are fit.
pub const FIT: f64 = 0.65;
/// Datasets that score less than this are not fit.
pub const NOT_FIT: f64 = 0.5;
/// Datasets with fewer points are not judged.
pub(crate) const FEWEST: usize = 30;
/// If finding every cluster reaches less than this, classes that are several clusters make a dataset unfit.
const FOUND: f64 = 0.85;
/// On nine of ten of the paper's 92 datasets, the score is off the best adjusted mutual information by no more than this.
const EXPECTED_ERROR: f64 = 0.12;
/// From this share of rows that equal another row on, a caveat is added.
const MANY_EQUAL: f64 = 0.1;
/// Two measures disagree if the dataset's places in the catalogue by them differ by at least this share of the catalogue.
const FAR_APART: f64 = 0.4;

/// Places a dataset by one measure among catalogued ones that are scaled in the same way. Some scales have no catalogue.
pub fn attach_standing(scored: &mut Scored, by: &Measure) {
    let Some(catalogue) = Catalogue::scaled(scored.scale) else {
        scored.standing = None;
        return;
    };
    let standing = scored.scores.get(by.id).and_then(|value| catalogue.standing(by, value));
    scored.standing = standing.map(|standing| CatalogueStanding {
        measure: by.id.to_owned(),
        above: standing.above,
        of: standing.of,
        third: standing.third,
        catalogued_as: catalogue.find(&scored.checksum).map(|entry| entry.name.clone()),
    });
}

/// Places a dataset in the catalogue by a measure, and decides by `clm` and the evidence whether it may serve as ground truth.
pub fn attach_verdict(scored: &mut Scored, by: &Measure) {
    attach_standing(scored, by);
    scored.verdict = Some(judged(scored));
}

fn judged(scored: &Scored) -> Verdict {
    let clm = scored.scores.get(DECIDES);
    let evidence = scored.evidence.clone().unwrap_or_default();
    let judge = Judge { scored, evidence: &evidence };
    let decision = clm.map_or(cannot(Reason::NoClm), |clm| judge.decide(clm));
    let is_known = match &decision {
        Decision::CannotBeSaid { reasons } => {
            matches!(reasons[..], [Reason::Between | Reason::MaybeSplit { .. }])
        }
        _ => true,
    };
    let ami = |clm: f64| ExpectedAmi { ami: clm.min(judge.most_to_be_found()), error: EXPECTED_ERROR };
    Verdict {
        measure: DECIDES.to_owned(),
        expected: clm.filter(|_| is_known).map(ami),
        decision,
        caveats: judge.caveats(),
    }
}

fn cannot(reason: Reason) -> Decision {
    Decision::CannotBeSaid { reasons: vec![reason] }
}

/// A scored dataset and the evidence that its verdict rests on.
struct Judge<'a> {
    scored: &'a Scored,
    evidence: &'a Evidence,
}

impl Judge<'_> {
    fn decide(&self, clm: f64) -> Decision {
        let mut reasons = self.reading_doubts();
        if !self.scored.sizes.is_empty() && self.scored.points < FEWEST {
            reasons.push(Reason::FewPoints { points: self.scored.points });
        }
        if !reasons.is_empty() {
            return Decision::CannotBeSaid { reasons };
        }
        match self.bounds(clm) {
            Err(reason) => cannot(reason),
            Ok((low, high)) if clm >= FIT => self.decide_high(low, high),
            Ok((low, high)) => self.decide_low(clm, low, high),
        }
    }

    /// Decides about a score at which datasets are fit, unless classes are several clusters.
    fn decide_high(&self, low: f64, high: f64) -> Decision {
        if self.most_to_be_found() < FOUND {
            return Decision::NotFit { findings: self.split_findings().collect() };
        }
        if low < NOT_FIT {
            return cannot(self.why_wide(low, high));
        }
        let doubtful = self.doubtful_splits();
        if !doubtful.is_empty() {
            return cannot(Reason::MaybeSplit { classes: doubtful });
        }
        if self.merged_score().is_some_and(|clm| clm < FIT) {
            return Decision::NotFit {
                findings: vec![Finding::SharedCluster { pairs: self.shared_pairs() }],
            };
        }
        let mut changes = self.merges();
        changes.extend(self.splits());
        if !changes.is_empty() {
            return Decision::FitAfterChange { changes };
        }
        Decision::Fit
    }

    /// Decides about a score at which datasets are not fit as they are, or cannot be judged.
    fn decide_low(&self, clm: f64, low: f64, high: f64) -> Decision {
        if self.most_to_be_found() >= FOUND {
            // Labels are left unchanged if possible. Classes that are several clusters count after the change, too.
            let rescaled = self.evidence.rescaled.as_ref();
            if let Some(other) = rescaled.filter(|other| other.clm >= FIT && other.split_classes.is_empty()) {
                let change = Change::Scale { scale: other.scale, clm: other.clm };
                return Decision::FitAfterChange { changes: vec![change] };
            }
            if self.merged_score().is_some_and(|clm| clm >= FIT) && self.doubtful_splits().is_empty() {
                let mut changes = self.merges();
                changes.extend(self.splits());
                return Decision::FitAfterChange { changes };
            }
            if clm < NOT_FIT && high >= FIT {
                return cannot(self.why_wide(low, high));
            }
            if clm >= NOT_FIT {
                return cannot(Reason::Between);
            }
        }
        let mut findings: Vec<Finding> = self.split_findings().collect();
        if clm < NOT_FIT {
            findings.insert(0, Finding::LowScore);
            let pairs = self.shared_pairs();
            // Where most pairs share clusters, naming some of them is not informative.
            if !pairs.is_empty() && 2 * pairs.len() <= self.scored.pairs.len() {
                findings.push(Finding::SharedCluster { pairs });
            }
        }
        Decision::NotFit { findings }
    }

    /// The range in which the score may lie, by its interval and the error of an estimate.
    fn bounds(&self, clm: f64) -> Result<(f64, f64), Reason> {
        let asked = self.scored.intervals.iter().find(|interval| interval.measure == DECIDES);
        let (low, high) = match (asked, self.evidence.interval) {
            (Some(interval), _) => (interval.low, interval.high),
            (None, Some([low, high])) => (low, high),
            (None, None) => (clm, clm),
        };
        let Some(approximate) = &self.scored.approximate else { return Ok((low, high)) };
        let Some(error) = approximate.errors.get(DECIDES) else { return Err(Reason::UnknownError) };
        Ok((low.min(clm - error), high.max(clm + error)))
    }

    fn why_wide(&self, low: f64, high: f64) -> Reason {
        match self.scored.approximate.as_ref().and_then(|how| how.errors.get(DECIDES)) {
            Some(error) if error > 0.0 => Reason::RoughEstimate { error },
            _ => Reason::WideInterval { low, high },
        }
    }

    /// What the reader guessed, and features that a verdict must not rest on.
    fn reading_doubts(&self) -> Vec<Reason> {
        let doubtful = self.scored.label.as_ref().filter(|label| label.is_doubtful());
        let guessed = doubtful.map(|label| Reason::GuessedLabel { column: label.name.clone() });
        let columns = self.scored.doubtful_ids.clone();
        let ids = (!columns.is_empty()).then_some(Reason::IdColumns { columns });
        let columns = self.evidence.label_copies.clone();
        let copies = (!columns.is_empty()).then_some(Reason::LabelCopies { columns });
        guessed.into_iter().chain(ids).chain(copies).collect()
    }

    fn certain_splits(&self) -> impl Iterator<Item = &SplitClass> {
        self.evidence.split_classes.iter().filter(|class| class.certain)
    }

    fn doubtful_splits(&self) -> Vec<SplitClass> {
        self.evidence.split_classes.iter().filter(|class| !class.certain).cloned().collect()
    }

    fn splits(&self) -> impl Iterator<Item = Change> {
        self.certain_splits().map(|class| Change::Split { class: class.clone() })
    }

    /// The score after merging classes that share a cluster, if it was computed.
    fn merged_score(&self) -> Option<f64> {
        self.evidence.merged.as_ref()?.clm
    }

    fn split_findings(&self) -> impl Iterator<Item = Finding> {
        self.certain_splits().map(|class| Finding::SplitClass { class: class.clone() })
    }

    /// The normalised mutual information of the classes with the clusters they consist of: the most that finding every cluster
    /// can reach.
    fn most_to_be_found(&self) -> f64 {
        let all: usize = self.scored.sizes.iter().map(|size| size.points).sum();
        let share = |points: usize| points as f64 / all as f64;
        let entropy = |shares: &[f64]| shares.iter().map(|share| -share * share.ln()).sum::<f64>();
        let sizes: Vec<f64> = self.scored.sizes.iter().map(|size| share(size.points)).collect();
        let of_classes = entropy(&sizes);
        let within = |split: &SplitClass| {
            let class = self.scored.sizes.iter().position(|size| size.class == split.class);
            class.map_or(0.0, |class| sizes[class] * entropy(&split.shares))
        };
        let more: f64 = self.certain_splits().map(within).sum();
        if more > 0.0 { 2.0 * of_classes / (2.0 * of_classes + more) } else { 1.0 }
    }

    /// Changes that merge classes sharing one cluster.
    fn merges(&self) -> Vec<Change> {
        let merge = |classes: &Vec<String>| Change::Merge { classes: classes.clone() };
        match &self.evidence.merged {
            Some(merged) => merged.groups.iter().map(merge).collect(),
            None => self.shared_pairs().iter().map(|pair| Change::Merge { classes: pair.to_vec() }).collect(),
        }
    }

    /// Pairs of classes that share one cluster, worst first.
    fn shared_pairs(&self) -> Vec<[String; 2]> {
        let scores = self.scored.pairs.scores(DECIDES).unwrap_or_default().iter().copied().enumerate();
        let mut shared: Vec<(usize, f64)> = scores.filter(|(_, score)| *score < SHARED).collect();
        shared.sort_by(|a, b| a.1.total_cmp(&b.1));
        let names = |(at, _): (usize, f64)| {
            let pair = self.scored.pairs.pair(at);
            [pair.a.to_owned(), pair.b.to_owned()]
        };
        shared.into_iter().map(names).collect()
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = Vec::new();
        caveats.extend(self.other_scale());
        let mut small: Vec<ClassSize> =
            self.scored.sizes.iter().filter(|size| size.points < FEWEST_POINTS).cloned().collect();
        if !small.is_empty() {
            small.sort_by_key(|size| size.points);
            caveats.push(Caveat::SmallClasses { small, of: self.scored.classes });
        }
        caveats.extend(self.disagreement());
        if 2 * self.evidence.few_valued > self.scored.features {
            let (features, of) = (self.evidence.few_valued, self.scored.features);
            caveats.push(Caveat::FewValues { features, of });
        }
        let share = self.evidence.equal_rows.filter(|share| *share >= MANY_EQUAL);
        caveats.extend(share.map(|share| Caveat::EqualRows { share }));
        caveats
    }

    /// The other scaling, if its score leads to another verdict.
    fn other_scale(&self) -> Option<Caveat> {
        let other = self.evidence.rescaled.as_ref()?;
        let clm = self.scored.scores.get(DECIDES)?;
        let level = |clm: f64| (clm >= FIT, clm >= NOT_FIT);
        (level(clm) != level(other.clm)).then_some(Caveat::OtherScale { scale: other.scale, clm: other.clm })
    }

    /// Reports a score by `ch_a` that places the dataset far away in the catalogue.
    fn disagreement(&self) -> Option<Caveat> {
        let (clm, other) = (find(DECIDES)?, find(COMPACT)?);
        let catalogue = Catalogue::scaled(self.scored.scale)?;
        let (score, compact) = (self.scored.scores.get(DECIDES)?, self.scored.scores.get(COMPACT)?);
        let share = |standing: Standing| standing.above as f64 / standing.of as f64;
        let [mine, its] = [(clm, score), (other, compact)]
            .map(|(measure, value)| catalogue.standing(measure, value).map(share));
        let apart = mine? - its?;
        let disagreement =
            Caveat::Disagreement { measure: COMPACT.to_owned(), score: compact, lower: apart > 0.0 };
        (apart.abs() >= FAR_APART).then_some(disagreement)
    }
}

#[cfg(test)]
mod tests;
