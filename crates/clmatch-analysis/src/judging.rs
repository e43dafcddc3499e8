//! Where a dataset stands among the catalogued ones, and which verdict follows from that.

use clmatch::Measure;
use clmatch::measure::{Kind, find};
use clmatch_data::catalogue::{Catalogue, Third};

use crate::scored::{CatalogueStanding, Scored};
use crate::scores::{ClassSize, FEWEST_POINTS};
use crate::verdict::{Decision, FailingPair, Reason, Verdict};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::{Approximate, Scores};
    use crate::scoring::{ScoreSettings, score};
    use clmatch::Labels;
    use clmatch::measure::{REGISTRY, Scope};
    use clmatch_data::{Dataset, LabelOrigin, LabelSource, Scale, embedded};

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
}
