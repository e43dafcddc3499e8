//! A measure that is not in the registry is scored, shuffled and resampled like the others.

use clmatch::measure::{Better, Formula, Measure, Needs};
use clmatch::protocol::Aggregate;
use clmatch::{Approximation, Control, DataError, chance, estimate, evaluate, intervals, measure};

use crate::datasets::Dataset;

/// The definition of `di`, with a name of its own.
static OWN: Measure = Measure::new(
    "own",
    "Dunn index of our own",
    Better::Higher,
    (0.0, f64::INFINITY),
    &Formula::of_all(Needs::EXTREMES, |all| all.separation() / all.diameter()),
);

/// The definition of the scores of pairs, by mean distances.
static PAIRS: Measure = Measure::new(
    "pairs",
    "distance between classes beside that within",
    Better::Higher,
    (0.0, f64::INFINITY),
    &Formula::of_pairs(Needs::SUMS, Aggregate::Min, |pair| {
        let (i, j) = pair.two_classes();
        pair.mean_between(i, j) / pair.mean_within(i).max(pair.mean_within(j))
    }),
);

#[test]
fn it_is_scored_shuffled_and_resampled_like_others() {
    let known = measure::find("di").unwrap();
    let measures = [&OWN, known, &PAIRS];
    Dataset::blobs(7, &[40, 50, 60], 3, 3.0).with_classes(|classes| {
        let evaluation = evaluate(classes, &measures).unwrap();
        assert_eq!(evaluation.value("own"), evaluation.value("di"));
        assert!(evaluation.score("pairs").is_some_and(|score| score.pairs.len() == 3 && score.value > 1.0));
        let chances = chance::random_labels(classes, &measures, &evaluation, 49, 1, Control::none()).unwrap();
        assert_eq!((chances[0].p, chances[0].mean), (chances[1].p, chances[1].mean));
        assert_eq!(chances[2].p, 1.0 / 50.0);
        let replicates = intervals::replicates(classes, &measures, 1, Control::none()).unwrap();
        let interval = |at: usize| replicates[at].interval(evaluation.scores[at].1.value);
        assert_eq!(interval(0), interval(1));
        assert!(interval(2).contains(evaluation.scores[2].1.value));
        // An estimate needs an error, which is known for measures of the registry only.
        let found = estimate(classes, &[&PAIRS], &Approximation::new(Some(0.1), None));
        assert_eq!(found.unwrap_err(), DataError::NotEstimable { measure: "pairs" });
    });
}
