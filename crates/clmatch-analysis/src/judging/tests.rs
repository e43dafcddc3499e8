use super::*;
use crate::evidence::{Merged, Rescaled};
use crate::scores::{Approximate, Scores};
use crate::scoring::{ScoreSettings, score};
use crate::uncertainty::ScoreInterval;
use clmatch::measure::REGISTRY;
use clmatch_data::catalogue_truth::CatalogueTruth;
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

/// A dataset with this score and this evidence.
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
    assert!(matches!(&wine.caveats[0], Caveat::OtherScale { scale: Scale::Standard, clm, .. } if *clm > FIT));
}

#[test]
fn thresholds_are_on_the_side_of_the_better_verdict() {
    let plain = |clm| decision(&with(clm, Evidence::default()));
    assert_eq!(plain(FIT), Decision::Fit);
    assert_eq!(plain(FIT - 1e-9), cannot(Reason::Between));
    assert_eq!(plain(NOT_FIT), cannot(Reason::Between));
    assert_eq!(plain(NOT_FIT - 1e-9), Decision::NotFit { findings: vec![Finding::LowScore] });
}

/// One of two classes consists of two halves: the labels hold ln 2 and the clusters 1.5 ln 2, so at most 4/5 can be found.
#[test]
fn classes_that_are_several_clusters_are_not_fit() {
    let split = with(0.99, Evidence { split_classes: parts(&[0.5, 0.5], true), ..Evidence::default() });
    let verdict = judged(&split);
    assert!(matches!(&verdict.decision, Decision::NotFit { findings } if findings.len() == 1), "{verdict:?}");
    assert!((verdict.expected.unwrap().ami - 0.8).abs() < 1e-12);
    // If a tenth lies apart, .897 can still be found: it is enough to split the class.
    let few = with(0.99, Evidence { split_classes: parts(&[0.9, 0.1], true), ..Evidence::default() });
    assert_eq!(decision(&few).brief(), "fit if split");
    let doubtful = with(0.99, Evidence { split_classes: parts(&[0.9, 0.1], false), ..Evidence::default() });
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
    assert_eq!(low(Evidence { rescaled, merged: merged.clone(), ..Evidence::default() }), "fit if rescaled");
    // A change must not lead to classes that are several clusters.
    let split = Some(Rescaled { scale: Scale::Standard, clm: 0.8, split_classes: parts(&[0.5, 0.5], true) });
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
    // The requested interval takes precedence.
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
    let mut scored = with(0.95, Evidence { equal_rows: Some(0.3), ..Evidence::default() });
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

/// Checks what the thresholds and the stated error promise, on the catalogued datasets and the best of what nine tuned techniques
/// reach.
#[test]
fn the_score_tells_what_the_best_clustering_reaches() {
    let best = |dataset: &str| {
        let rows = &CatalogueTruth::embedded().rows;
        let row = rows.iter().find(|row| row.dataset == dataset && row.external == "ami").unwrap();
        row.scores.iter().copied().fold(0.0, f64::max)
    };
    let catalogue = Catalogue::embedded();
    let entries = catalogue.entries.iter().zip(catalogue.values(DECIDES).unwrap());
    let both: Vec<(f64, f64)> = entries.map(|(entry, clm)| (clm, best(&entry.name))).collect();
    let close = both.iter().filter(|(clm, best)| (clm - best).abs() <= EXPECTED_ERROR).count();
    assert!(10 * close >= 9 * both.len(), "{close}");
    assert!(both.iter().all(|(clm, best)| *clm < FIT || *best >= 0.5), "a dataset is called fit in error");
    assert!(
        both.iter().all(|(clm, best)| *clm >= NOT_FIT || *best < 0.7),
        "a dataset is called unfit in error"
    );
}
