//! Where a dataset stands among the catalogued ones, and whether it may serve as ground truth.
//!
//! `clm` estimates what a good clustering reaches. From [`FIT`] on datasets are fit, below [`NOT_FIT`] they are not; the two
//! were chosen on 439 datasets and then looked at on 159 others: of 50 whose best adjusted mutual information was at least .7 all
//! scored [`FIT`] or more, of 93 where it was below .5 none did, and 89 scored below [`NOT_FIT`].
//!
//! A high score is not enough: a class that is several clusters far apart leaves all pairs of classes separate. So every class
//! is searched for clusters, and what finding all of them would reach is compared with .85. A low score is not the end:
//! where merging classes that share a cluster, or another scaling, raises it to [`FIT`], that is said. The place in the catalogue
//! stands beside the verdict, and decides nothing.

use clmatch::Measure;
use clmatch::measure::find;
use clmatch_data::catalogue::{Catalogue, Standing};

use crate::evidence::{Evidence, SHARED, SplitClass};
use crate::scored::{CatalogueStanding, Scored};
use crate::scores::{ClassSize, FEWEST_POINTS};
use crate::verdict::{Caveat, Change, Decision, ExpectedAmi, Finding, Reason, Verdict};

/// The measure that decides.
const DECIDES: &str = "clm";
/// The measure that asks for compact classes.
const COMPACT: &str = "ch_a";
/// From this score on datasets are fit.
pub const FIT: f64 = 0.65;
/// Below this score they are not.
pub const NOT_FIT: f64 = 0.5;
/// Nothing is said about fewer points.
const FEWEST: usize = 30;
/// Where finding every cluster reaches less, classes that are several clusters make a dataset unfit.
const FOUND: f64 = 0.85;
/// The score misses the best adjusted mutual information by no more on nine of ten of the paper's 92 datasets.
const EXPECTED_ERROR: f64 = 0.12;
/// The share of rows that equal another row from which on it is said.
const MANY_EQUAL: f64 = 0.1;
/// Two measures disagree where a dataset stands this share of the catalogue higher by one of them.
const FAR_APART: f64 = 0.4;

/// Places a dataset by one measure among catalogued ones that are scaled in the same way. There is no catalogue of some scales.
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

/// Places a dataset in the catalogue by a measure, and says by `clm` and the evidence whether it may serve as ground truth.
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

/// A scored dataset and what there is to say about it.
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

    /// A score at which datasets are fit, unless classes are several clusters.
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

    /// A score at which datasets are not fit as they are, or cannot be judged.
    fn decide_low(&self, clm: f64, low: f64, high: f64) -> Decision {
        if self.most_to_be_found() >= FOUND {
            // The labels stay as they are if they can. What is several clusters must be that after the change, too.
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
            // Where most pairs share clusters, naming some says nothing.
            if !pairs.is_empty() && 2 * pairs.len() <= self.scored.pairs.len() {
                findings.push(Finding::SharedCluster { pairs });
            }
        }
        Decision::NotFit { findings }
    }

    /// Where the score may lie, by its interval and the error of an estimate.
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

    /// The score when classes that share a cluster are one, if it was computed.
    fn merged_score(&self) -> Option<f64> {
        self.evidence.merged.as_ref()?.clm
    }

    fn split_findings(&self) -> impl Iterator<Item = Finding> {
        self.certain_splits().map(|class| Finding::SplitClass { class: class.clone() })
    }

    /// The normalised mutual information of the classes with the clusters that they consist of: finding every cluster does not
    /// reach more.
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

    /// Classes that share one cluster, as one.
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
        if self.evidence.equal_rows >= MANY_EQUAL {
            caveats.push(Caveat::EqualRows { share: self.evidence.equal_rows });
        }
        caveats
    }

    /// The other scaling, where its score says something else.
    fn other_scale(&self) -> Option<Caveat> {
        let other = self.evidence.rescaled.as_ref()?;
        let clm = self.scored.scores.get(DECIDES)?;
        let level = |clm: f64| (clm >= FIT, clm >= NOT_FIT);
        let verdict = match level(other.clm) {
            (true, _) => "high enough for fit",
            (false, true) => "between fit and not fit",
            (false, false) => "too low for fit",
        };
        (level(clm) != level(other.clm)).then(|| Caveat::OtherScale {
            scale: other.scale,
            clm: other.clm,
            verdict: verdict.to_owned(),
        })
    }

    /// A score by `ch_a` at the other end of the catalogue.
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
mod tests {
    use super::*;
    use crate::evidence::{Merged, Rescaled};
    use crate::scores::{Approximate, Scores};
    use crate::scoring::{ScoreSettings, score};
    use crate::uncertainty::ScoreInterval;
    use clmatch::measure::REGISTRY;
    use clmatch_data::{CopySign, LabelCopy, LabelOrigin, LabelSource, Scale, embedded};

    fn embedded_scores(name: &str) -> Scored {
        score(embedded::load(name).unwrap(), &ScoreSettings::new(REGISTRY.to_vec())).unwrap().scored
    }

    fn decision(scored: &Scored) -> Decision {
        judged(scored).decision
    }

    fn reasons(scored: &Scored) -> Vec<Reason> {
        match decision(scored) {
            Decision::CannotBeSaid { reasons } => reasons,
            other => panic!("{other:?}"),
        }
    }

    /// A dataset with this score, and what else is known.
    fn with(clm: f64, evidence: Evidence) -> Scored {
        let sizes = ["a", "b"].map(|class| ClassSize { class: class.into(), points: 50 }).to_vec();
        Scored { points: 100, sizes, evidence: Some(evidence), ..Scored::example("two", &[("clm", clm)]) }
    }

    fn parts(shares: &[f64], certain: bool) -> Vec<SplitClass> {
        vec![SplitClass { class: "a".into(), shares: shares.to_vec(), certain }]
    }

    #[test]
    fn embedded_datasets_are_judged_as_anyone_would() {
        assert_eq!(decision(&embedded_scores("well-matched")), Decision::Fit);
        assert_eq!(decision(&embedded_scores("iris")), Decision::Fit);
        let random = decision(&embedded_scores("random-labels"));
        assert!(
            matches!(&random, Decision::NotFit { findings } if findings[0] == Finding::LowScore),
            "{random:?}"
        );
        let cats = ["cheetah", "leopard"].map(String::from).to_vec();
        let merge = Decision::FitAfterChange { changes: vec![Change::Merge { classes: cats }] };
        assert_eq!(decision(&embedded_scores("two-labels-one-cluster")), merge);
        let split = decision(&embedded_scores("one-label-several-clusters")).to_string();
        assert!(
            split.starts_with("not fit to serve as ground truth: 'vehicle' looks like 3 clusters"),
            "{split}"
        );
        let wine = judged(&embedded_scores("wine"));
        assert_eq!(wine.decision.brief(), "fit if rescaled");
        assert!(
            matches!(&wine.caveats[0], Caveat::OtherScale { scale: Scale::Standard, clm, .. } if *clm > FIT)
        );
    }

    #[test]
    fn thresholds_are_on_the_side_of_the_better_verdict() {
        let plain = |clm| decision(&with(clm, Evidence::default()));
        assert_eq!(plain(FIT), Decision::Fit);
        assert_eq!(plain(FIT - 1e-9), cannot(Reason::Between));
        assert_eq!(plain(NOT_FIT), cannot(Reason::Between));
        assert_eq!(plain(NOT_FIT - 1e-9), Decision::NotFit { findings: vec![Finding::LowScore] });
    }

    /// Half of two classes in two halves: of ln 2 in the labels and 1.5 ln 2 in the clusters, 4/5 is found at most.
    #[test]
    fn classes_that_are_several_clusters_are_not_fit() {
        let split = with(0.99, Evidence { split_classes: parts(&[0.5, 0.5], true), ..Evidence::default() });
        let verdict = judged(&split);
        assert!(
            matches!(&verdict.decision, Decision::NotFit { findings } if findings.len() == 1),
            "{verdict:?}"
        );
        assert!((verdict.expected.unwrap().ami - 0.8).abs() < 1e-12);
        // A tenth apart leaves .897 to be found: it is enough to split the class.
        let few = with(0.99, Evidence { split_classes: parts(&[0.9, 0.1], true), ..Evidence::default() });
        assert_eq!(decision(&few).brief(), "fit if split");
        let doubtful =
            with(0.99, Evidence { split_classes: parts(&[0.9, 0.1], false), ..Evidence::default() });
        assert!(matches!(reasons(&doubtful)[..], [Reason::MaybeSplit { .. }]));
        // Merging that leaves the score too low does not help.
        let groups = vec![vec!["a".to_owned(), "b".to_owned()]];
        let merged =
            with(0.7, Evidence { merged: Some(Merged { groups, clm: Some(0.6) }), ..Evidence::default() });
        assert_eq!(decision(&merged).brief(), "not fit");
        // A low score stays a low score.
        let low = with(0.2, Evidence { split_classes: parts(&[0.5, 0.5], true), ..Evidence::default() });
        assert!(matches!(decision(&low), Decision::NotFit { findings } if findings.len() == 2));
    }

    #[test]
    fn changes_that_make_a_dataset_fit_are_named() {
        let rescaled = Some(Rescaled { scale: Scale::Standard, clm: 0.8, split_classes: Vec::new() });
        let groups = vec![vec!["a".to_owned(), "b".to_owned()]];
        let merged = Some(Merged { groups, clm: Some(0.9) });
        let low = |evidence: Evidence| decision(&with(0.4, evidence)).brief();
        assert_eq!(low(Evidence { merged: merged.clone(), ..Evidence::default() }), "fit if merged");
        assert_eq!(low(Evidence { rescaled: rescaled.clone(), ..Evidence::default() }), "fit if rescaled");
        assert_eq!(
            low(Evidence { rescaled, merged: merged.clone(), ..Evidence::default() }),
            "fit if rescaled"
        );
        // A change must not lead to classes that are several clusters.
        let split =
            Some(Rescaled { scale: Scale::Standard, clm: 0.8, split_classes: parts(&[0.5, 0.5], true) });
        assert_eq!(low(Evidence { rescaled: split, ..Evidence::default() }), "not fit");
        let untried = merged.map(|merged| Merged { clm: None, ..merged });
        assert_eq!(low(Evidence { merged: untried, ..Evidence::default() }), "not fit");
    }

    #[test]
    fn intervals_that_reach_across_decide_nothing() {
        let wide = |clm, low, high| {
            decision(&with(clm, Evidence { interval: Some([low, high]), ..Evidence::default() }))
        };
        assert_eq!(wide(0.9, 0.5, 1.0), Decision::Fit);
        assert_eq!(wide(0.9, 0.49, 1.0), cannot(Reason::WideInterval { low: 0.49, high: 1.0 }));
        assert_eq!(wide(0.3, 0.1, 0.66), cannot(Reason::WideInterval { low: 0.1, high: 0.66 }));
        assert_eq!(wide(0.3, 0.1, 0.64).brief(), "not fit");
        // The one that was asked for counts.
        let mut asked = with(0.9, Evidence { interval: Some([0.8, 1.0]), ..Evidence::default() });
        asked.intervals = vec![ScoreInterval { measure: "clm".into(), low: 0.2, high: 1.0 }];
        assert_eq!(reasons(&asked), [Reason::WideInterval { low: 0.2, high: 1.0 }]);
    }

    #[test]
    fn a_verdict_does_not_rest_on_guesses() {
        let mut scored = embedded_scores("well-matched");
        scored.label = Some(LabelOrigin {
            name: "kind".into(),
            source: LabelSource::LastColumn,
            alternatives: vec!["sort".into()],
        });
        scored.doubtful_ids = vec!["row".into()];
        let copy = LabelCopy { column: "code".into(), by: CopySign::OneValuePerClass };
        scored.evidence.as_mut().unwrap().label_copies = vec![copy];
        let said: Vec<String> = reasons(&scored).iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "the label column 'kind' was guessed among several candidates",
                "there is a feature that may be an id: 'row'",
                "the feature 'code' is a copy of the label"
            ]
        );
        let few = Scored { points: FEWEST - 1, ..with(1.0, Evidence::default()) };
        assert_eq!(reasons(&few), [Reason::FewPoints { points: FEWEST - 1 }]);
        let without = Scored { scores: Scores(Vec::new()), ..Scored::example("none", &[]) };
        assert_eq!(reasons(&without), [Reason::NoClm]);
    }

    #[test]
    fn estimates_are_as_good_as_their_error() {
        let good = embedded_scores("well-matched");
        let estimated = |id: &str, error: f64| {
            let errors = Scores(vec![(id.to_owned(), error)]);
            Scored { approximate: Some(Approximate { sampled: 1, confidence: 0.95, errors }), ..good.clone() }
        };
        assert_eq!(decision(&estimated("clm", 0.01)), Decision::Fit);
        assert_eq!(reasons(&estimated("clm", 0.9)), [Reason::RoughEstimate { error: 0.9 }]);
        assert_eq!(reasons(&estimated("ch_a", 0.0)), [Reason::UnknownError]);
    }

    #[test]
    fn what_should_be_known_stands_beside() {
        let mut scored = with(0.95, Evidence { equal_rows: 0.3, ..Evidence::default() });
        scored.sizes[1].points = FEWEST_POINTS - 1;
        scored.scores.0.push(("ch_a".to_owned(), 0.05));
        let said = judged(&scored).beside();
        assert_eq!(
            said[1..],
            [
                "1 of 2 classes has fewer than 10 points: b (9)",
                "ch_a is much lower (0.050): gaps separate the classes, but the classes are not compact",
                "30% of the rows are copies of another row, and copies look like small clusters"
            ]
        );
    }
}
