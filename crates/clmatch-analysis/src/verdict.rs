//! Whether a dataset may serve as ground truth for clustering, and when nothing should be said about that.
//!
//! A verdict is a third of the catalogue, looked at twice. The score of the dataset says which third it stands in; it is a
//! mean over pairs of classes, which can hide a pair that shares one cluster. A pair of classes is a dataset of two
//! classes: it fails where such a dataset would stand in the bottom third. No other threshold is needed, and none has to be
//! changed when a measure does.
//!
//! No verdict is given where it would rest on sand: see [`Reason`].

use std::fmt;

use clmatch::Measure;
use clmatch::measure::{Kind, find};
use clmatch_data::Scale;
use clmatch_data::catalogue::{Catalogue, Third};
use serde::{Deserialize, Serialize};

use crate::scored::{ClassSize, Scored};
use crate::standing::attach_standing;

/// Classes with fewer points say little: a single point is then more than a tenth of its class.
pub const FEWEST_POINTS: usize = 10;
/// How many classes or pairs a sentence names.
const NAMED: usize = 3;

/// What may be said about a dataset, and by which measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The measure that decides.
    pub measure: String,
    /// What is said.
    #[serde(flatten)]
    pub decision: Decision,
}

/// What is said about a dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
pub enum Decision {
    /// The dataset stands in the top third, and every pair of classes holds.
    Fit,
    /// The dataset stands in the top third, but some pairs of classes share a cluster.
    FitButForPairs {
        /// These pairs, worst first.
        pairs: Vec<FailingPair>,
    },
    /// The dataset stands in the middle third.
    WithCare,
    /// The dataset stands in the bottom third.
    NotFit,
    /// Nothing can be said.
    Withheld {
        /// Why.
        reasons: Vec<Reason>,
    },
}

/// Two classes that would not be fit as a dataset of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailingPair {
    /// One class.
    pub a: String,
    /// The other class.
    pub b: String,
    /// Their score.
    pub score: f64,
}

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// Standard measures are not made to be compared between datasets.
    StandardMeasure,
    /// Some classes have fewer than [`FEWEST_POINTS`] points.
    SmallClasses {
        /// These classes, smallest first.
        small: Vec<ClassSize>,
        /// How many classes there are.
        of: usize,
    },
    /// The label column was guessed among several that might be it.
    GuessedLabel {
        /// The column that was taken.
        column: String,
    },
    /// Columns that may be ids were used as features.
    IdColumns {
        /// The columns.
        columns: Vec<String>,
    },
    /// There is no catalogue of data that are scaled like these.
    OtherScale {
        /// How they are scaled.
        scale: Scale,
    },
    /// The score is an estimate, and its error leaves several thirds possible.
    RoughEstimate {
        /// The error of the estimate.
        error: f64,
    },
    /// The score is an estimate whose error is not known.
    UnknownError,
}

/// Places a dataset in the catalogue by a measure, and says what that means.
pub fn attach_verdict(scored: &mut Scored, by: &Measure) {
    attach_standing(scored, by);
    scored.verdict = Some(Verdict { measure: by.id.to_owned(), decision: decide(scored, by) });
}

fn decide(scored: &Scored, by: &Measure) -> Decision {
    let reasons = reasons(scored, by);
    let third = scored.standing.as_ref().map(|standing| standing.third);
    match third {
        Some(third) if reasons.is_empty() => match third {
            Third::Top => match failing_pairs(scored, by) {
                pairs if pairs.is_empty() => Decision::Fit,
                pairs => Decision::FitButForPairs { pairs },
            },
            Third::Middle => Decision::WithCare,
            Third::Bottom => Decision::NotFit,
        },
        _ => Decision::Withheld { reasons },
    }
}

fn reasons(scored: &Scored, by: &Measure) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if by.kind == Kind::Standard {
        reasons.push(Reason::StandardMeasure);
    }
    let mut small: Vec<ClassSize> =
        scored.sizes.iter().filter(|size| size.points < FEWEST_POINTS).cloned().collect();
    if !small.is_empty() {
        small.sort_by_key(|size| size.points);
        reasons.push(Reason::SmallClasses { small, of: scored.classes });
    }
    reasons.extend(reading_doubts(scored));
    if scored.standing.is_none() {
        reasons.push(Reason::OtherScale { scale: scored.scale });
    }
    reasons.extend(rough_estimate(scored, by));
    reasons
}

/// Guesses of the reader that a verdict must not rest on.
fn reading_doubts(scored: &Scored) -> impl Iterator<Item = Reason> {
    let doubtful = scored.label.as_ref().filter(|label| label.is_doubtful());
    let guessed = doubtful.map(|label| Reason::GuessedLabel { column: label.name.clone() });
    let columns = scored.doubtful_ids.clone();
    let ids = (!columns.is_empty()).then_some(Reason::IdColumns { columns });
    guessed.into_iter().chain(ids)
}

/// An error that leaves more than one third possible.
fn rough_estimate(scored: &Scored, by: &Measure) -> Option<Reason> {
    let (errors, value) = (&scored.approximate.as_ref()?.errors, scored.scores.get(by.id)?);
    let Some(error) = errors.get(by.id) else { return Some(Reason::UnknownError) };
    let catalogue = Catalogue::scaled(scored.scale)?;
    let third = |value: f64| catalogue.standing(by, value).map(|standing| standing.third);
    (third(value - error) != third(value + error)).then_some(Reason::RoughEstimate { error })
}

/// Pairs that would stand in the bottom third as datasets of their own, worst first. The score of a pair by `clm` is that of its
/// half of pairs.
fn failing_pairs(scored: &Scored, by: &Measure) -> Vec<FailingPair> {
    let of_pairs = if by.has_half_of_all() { find("clm_pairs").unwrap_or(by) } else { by };
    let Some(catalogue) = Catalogue::scaled(scored.scale) else { return Vec::new() };
    let scores = scored.pairs.scores(by.id).unwrap_or_default().iter().enumerate();
    let mut failing: Vec<FailingPair> = scores
        .filter(|(_, score)| {
            let standing = catalogue.standing(of_pairs, **score);
            standing.is_some_and(|standing| standing.third == Third::Bottom)
        })
        .map(|(at, &score)| {
            let pair = scored.pairs.pair(at);
            FailingPair { a: pair.a.to_owned(), b: pair.b.to_owned(), score }
        })
        .collect();
    failing.sort_by(|one, other| by.upward(one.score).total_cmp(&by.upward(other.score)));
    failing
}

impl Decision {
    /// A few words, for a column of a table.
    pub fn brief(&self) -> String {
        match self {
            Decision::Fit => "fit".to_owned(),
            Decision::FitButForPairs { pairs } if pairs.len() == 1 => "fit but 1 pair".to_owned(),
            Decision::FitButForPairs { pairs } => format!("fit but {} pairs", pairs.len()),
            Decision::WithCare => "with care".to_owned(),
            Decision::NotFit => "not fit".to_owned(),
            Decision::Withheld { .. } => "none".to_owned(),
        }
    }
}

/// One sentence, without a full stop.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Fit => f.write_str(Third::Top.advice()),
            Decision::FitButForPairs { pairs } => {
                let name = |pair: &FailingPair| format!("{} | {} ({:.3})", pair.a, pair.b, pair.score);
                let what = if pairs.len() == 1 { "the pair shares" } else { "each of these pairs shares" };
                write!(f, "fit but for {}: {what} one cluster", list(pairs.iter().map(name)))
            }
            Decision::WithCare => f.write_str(Third::Middle.advice()),
            Decision::NotFit => f.write_str(Third::Bottom.advice()),
            Decision::Withheld { reasons } => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                write!(f, "none, because {}", reasons.join("; "))
            }
        }
    }
}

/// One clause, to follow the word "because".
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::StandardMeasure => f.write_str("standard measures cannot be compared between datasets"),
            Reason::SmallClasses { small, of } => {
                let name = |size: &ClassSize| format!("{} ({})", size.class, size.points);
                let (count, names) = (small.len(), list(small.iter().map(name)));
                let verb = if count == 1 { "has" } else { "have" };
                write!(f, "{count} of {of} classes {verb} fewer than {FEWEST_POINTS} points: {names}")
            }
            Reason::GuessedLabel { column } => {
                write!(f, "the label column '{column}' was guessed among several candidates")
            }
            Reason::IdColumns { columns } => {
                let names = list(columns.iter().map(|column| format!("'{column}'")));
                let what = if columns.len() == 1 {
                    "a feature that may be an id"
                } else {
                    "features that may be ids"
                };
                write!(f, "there is {what}: {names}")
            }
            Reason::OtherScale { scale } => {
                write!(f, "the catalogue holds data scaled by max-abs and standard, and not by {scale}")
            }
            Reason::RoughEstimate { error } => {
                write!(f, "the estimate may be off by {error:.3}, which is too much to tell")
            }
            Reason::UnknownError => f.write_str("the score is an estimate, and its error is not known"),
        }
    }
}

/// The first few, and how many more there are.
fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut names: Vec<String> = names.take(NAMED).collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scored::{Approximate, Scores};
    use crate::scoring::{ScoreSettings, score};
    use clmatch::Labels;
    use clmatch::measure::{REGISTRY, Scope};
    use clmatch_data::{Dataset, LabelOrigin, LabelSource, embedded};

    fn embedded_scores(name: &str) -> Scored {
        score(embedded::load(name).unwrap(), &ScoreSettings::new(REGISTRY.to_vec())).unwrap().scored
    }

    fn decision(scored: &Scored, id: &str) -> Decision {
        let mut scored = scored.clone();
        attach_verdict(&mut scored, find(id).unwrap());
        scored.verdict.unwrap().decision
    }

    fn withheld(scored: &Scored, id: &str) -> Vec<Reason> {
        match decision(scored, id) {
            Decision::Withheld { reasons } => reasons,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn extremes_are_judged_as_anyone_would() {
        let (good, random) = (embedded_scores("well-matched"), embedded_scores("random-labels"));
        for measure in REGISTRY.iter().filter(|measure| measure.kind != Kind::Standard) {
            assert_eq!(decision(&good, measure.id), Decision::Fit, "{}", measure.id);
            // Labels drawn by lot score .135 by di_a, which is not at the bottom of the catalogue.
            if measure.id == "di_a" {
                assert_ne!(decision(&random, measure.id), Decision::Fit);
            } else {
                assert_eq!(decision(&random, measure.id), Decision::NotFit, "{}", measure.id);
            }
        }
    }

    #[test]
    fn a_mean_does_not_hide_two_labels_in_one_cluster() {
        let scored = embedded_scores("two-labels-one-cluster");
        for measure in REGISTRY.iter().filter(|measure| measure.kind != Kind::Standard) {
            let (worst, _) = scored.worst_pair(measure).unwrap();
            match decision(&scored, measure.id) {
                Decision::FitButForPairs { pairs } => {
                    assert_eq!(pairs.len(), 1, "{}", measure.id);
                    assert_eq!((pairs[0].a.as_str(), pairs[0].b.as_str()), (worst.a, worst.b));
                }
                // Below the top third it is not called fit anyway.
                other => assert!(matches!(other, Decision::WithCare | Decision::NotFit), "{other:?}"),
            }
        }
        // Without the pair, the same dataset is fit by the measures that call it fit but for the pair.
        let mut mended = scored.clone();
        let worst = scored.worst_pair(find("clm").unwrap()).unwrap().0;
        let others: Vec<_> = scored.pairs.iter().filter(|pair| *pair != worst).collect();
        mended.pairs = serde_json::from_str(&serde_json::to_string(&others).unwrap()).unwrap();
        if matches!(decision(&scored, "clm"), Decision::FitButForPairs { .. }) {
            assert_eq!(decision(&mended, "clm"), Decision::Fit);
        }
    }

    #[test]
    fn standard_measures_have_no_verdict() {
        let scored = embedded_scores("well-matched");
        for measure in REGISTRY.iter().filter(|measure| measure.kind == Kind::Standard) {
            assert_eq!(measure.scope(), Scope::Dataset);
            assert_eq!(withheld(&scored, measure.id), [Reason::StandardMeasure]);
        }
    }

    #[test]
    fn small_classes_have_no_verdict() {
        let blobs = |per_class: usize| {
            let values: Vec<f64> =
                (0..3 * per_class).map(|row| (row / per_class * 100 + row % per_class) as f64).collect();
            let labels = Labels::encode((0..3 * per_class).map(|row| row / per_class));
            let dataset = Dataset::new("blobs", vec!["x".into()], values, labels).unwrap();
            score(dataset, &ScoreSettings::new(vec![find("clm").unwrap()])).unwrap().scored
        };
        assert_eq!(decision(&blobs(FEWEST_POINTS), "clm"), Decision::Fit);
        let reasons = withheld(&blobs(FEWEST_POINTS - 1), "clm");
        assert_eq!(reasons[0].to_string(), "3 of 3 classes have fewer than 10 points: 0 (9), 1 (9), 2 (9)");
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
        let reasons: Vec<String> = withheld(&scored, "clm").iter().map(ToString::to_string).collect();
        assert_eq!(
            reasons,
            [
                "the label column 'kind' was guessed among several candidates",
                "there is a feature that may be an id: 'row'"
            ]
        );
    }

    #[test]
    fn other_scales_and_rough_estimates_cannot_be_compared() {
        let good = embedded_scores("well-matched");
        let scaled = Scored { scale: Scale::Robust, ..good.clone() };
        assert_eq!(withheld(&scaled, "clm"), [Reason::OtherScale { scale: Scale::Robust }]);
        let estimated = |error: f64| {
            let errors = Scores(vec![("clm".to_owned(), error)]);
            Scored { approximate: Some(Approximate { sampled: 1, confidence: 0.95, errors }), ..good.clone() }
        };
        assert_eq!(decision(&estimated(0.01), "clm"), Decision::Fit);
        assert_eq!(withheld(&estimated(0.9), "clm"), [Reason::RoughEstimate { error: 0.9 }]);
        assert_eq!(withheld(&estimated(0.0), "ch_a"), [Reason::UnknownError]);
    }

    #[test]
    fn verdicts_are_sentences_and_survive_json() {
        let pair = |a: &str, score| FailingPair { a: a.into(), b: "z".into(), score };
        let four = Decision::FitButForPairs { pairs: ["p", "q", "r", "s"].map(|a| pair(a, 0.002)).to_vec() };
        assert_eq!(
            four.to_string(),
            "fit but for p | z (0.002), q | z (0.002), r | z (0.002), and 1 more: each of these pairs shares one cluster"
        );
        let verdict = Verdict { measure: "clm".into(), decision: four };
        let text = serde_json::to_string(&verdict).unwrap();
        assert!(
            text.starts_with(r#"{"measure":"clm","decision":"fit-but-for-pairs","pairs":[{"a":"p","b":"z""#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
        let withheld = Verdict {
            measure: "sc".into(),
            decision: Decision::Withheld { reasons: vec![Reason::StandardMeasure] },
        };
        let text = serde_json::to_string(&withheld).unwrap();
        assert_eq!(
            text,
            r#"{"measure":"sc","decision":"withheld","reasons":[{"reason":"standard-measure"}]}"#
        );
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), withheld);
    }
}
