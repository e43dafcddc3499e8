//! One evaluator for any list of measures: the union of their statistics once, then every score.

use crate::classes::Classes;
use crate::error::DataError;
use crate::measure::{Measure, Scope};
use crate::needs::Plan;
use crate::protocol::Aggregate;
use crate::statistics::{Statistics, View};

/// The value of one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The value of the dataset.
    pub value: f64,
    /// The value of each pair of classes, in the order of [`Classes::pairs`]; empty for a measure without T3.
    pub pairs: Vec<f64>,
}

/// All that was asked about a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// One score per measure, in the order in which they were asked for.
    pub scores: Vec<(&'static str, Score)>,
    /// Values of single points, for the measures that have them, if asked for.
    pub points: Vec<PointScores>,
}

/// The values of a measure at the points of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct PointScores {
    /// The measure.
    pub id: &'static str,
    /// One value per row of the input; `None` for rows that were left out.
    pub values: Vec<Option<f64>>,
}

impl Evaluation {
    /// The score of a measure.
    pub fn score(&self, id: &str) -> Option<&Score> {
        self.scores.iter().find(|(known, _)| *known == id).map(|(_, score)| score)
    }

    /// The value of a measure.
    pub fn value(&self, id: &str) -> Option<f64> {
        self.score(id).map(|score| score.value)
    }
}

/// Evaluates measures on a dataset.
///
/// ```
/// use clmatch::{Classes, Labels, Points, evaluate, measure};
/// let points = Points::new(&[0.0, 0.1, 0.3, 5.0, 5.2, 5.3], 1)?;
/// let classes = Classes::new(points, &Labels::encode(["a", "a", "a", "b", "b", "b"]))?;
/// let evaluation = evaluate(&classes, &measure::defaults())?;
/// assert!(evaluation.value("ch_a").unwrap() > 0.99);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// # Errors
/// A class with a single point, if a measure on pairs is asked for.
pub fn evaluate(classes: &Classes<'_>, measures: &[&'static Measure]) -> Result<Evaluation, DataError> {
    run(classes, measures, false)
}

/// As [`evaluate`], with the values of single points where a measure has them.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_points(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
) -> Result<Evaluation, DataError> {
    run(classes, measures, true)
}

fn run(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    per_point: bool,
) -> Result<Evaluation, DataError> {
    let statistics = Statistics::compute(classes, checked_plan(classes, measures)?);
    let mut evaluation = evaluation_of(&statistics, classes, measures);
    let with_points = measures.iter().filter(|measure| per_point && measure.point_scores.is_some());
    evaluation.points = with_points.map(|measure| point_scores(&statistics, classes, measure)).collect();
    Ok(evaluation)
}

/// What the measures need, if the classes have what they need.
pub(crate) fn checked_plan(classes: &Classes<'_>, measures: &[&'static Measure]) -> Result<Plan, DataError> {
    if let Some(measure) = measures.iter().find(|measure| measure.scope == Scope::Pairs) {
        refuse_singletons(classes, measure.id)?;
    }
    Ok(measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan())))
}

/// The scores that follow from finished statistics.
pub(crate) fn evaluation_of(
    statistics: &Statistics,
    classes: &Classes<'_>,
    measures: &[&'static Measure],
) -> Evaluation {
    let scores = measures.iter().map(|&measure| (measure.id, score(statistics, classes, measure))).collect();
    Evaluation { scores, points: Vec::new() }
}

fn refuse_singletons(classes: &Classes<'_>, measure: &'static str) -> Result<(), DataError> {
    match (0..classes.count()).find(|&class| classes.size(class) == 1) {
        Some(class) => Err(DataError::Singleton { class: classes.names()[class].clone(), measure }),
        None => Ok(()),
    }
}

/// The score of one measure that follows from finished statistics.
pub(crate) fn score(statistics: &Statistics, classes: &Classes<'_>, measure: &Measure) -> Score {
    let aggregate = (measure.scope == Scope::Pairs).then_some(Aggregate::Mean);
    aggregate_views(statistics, classes, aggregate, measure.score)
}

/// The score of a measure that is not in the registry.
pub(crate) fn score_with(
    classes: &Classes<'_>,
    plan: Plan,
    aggregate: Option<Aggregate>,
    of: impl Fn(&View<'_>) -> f64,
) -> Result<Score, DataError> {
    if aggregate.is_some() {
        refuse_singletons(classes, "a measure on pairs of classes")?;
    }
    Ok(aggregate_views(&Statistics::compute(classes, plan), classes, aggregate, of))
}

fn aggregate_views(
    statistics: &Statistics,
    classes: &Classes<'_>,
    aggregate: Option<Aggregate>,
    of: impl Fn(&View<'_>) -> f64,
) -> Score {
    let Some(aggregate) = aggregate else {
        return Score { value: of(&statistics.whole()), pairs: Vec::new() };
    };
    let pairs: Vec<f64> = classes.pairs().map(|(i, j)| of(&statistics.pair(i, j))).collect();
    Score { value: aggregate.of(&pairs), pairs }
}

/// The sets that a measure looks at: the whole dataset, or all pairs of classes in their order.
pub(crate) fn views_of(statistics: &Statistics, scope: Scope) -> Vec<View<'_>> {
    let count = statistics.count();
    match scope {
        Scope::Dataset => vec![statistics.whole()],
        Scope::Pairs => (0..count)
            .flat_map(|i| (i + 1..count).map(move |j| (i, j)))
            .map(|(i, j)| statistics.pair(i, j))
            .collect(),
    }
}

/// Values of single points; for a measure on pairs, the mean over the pairs that hold the point's class.
fn point_scores(statistics: &Statistics, classes: &Classes<'_>, measure: &Measure) -> PointScores {
    let mut values = vec![None; classes.points().len()];
    let Some(of_class) = measure.point_scores else {
        return PointScores { id: measure.id, values };
    };
    for class in 0..classes.count() {
        let views: Vec<View<'_>> = match measure.scope {
            Scope::Dataset => vec![statistics.whole()],
            Scope::Pairs => (0..classes.count())
                .filter(|&other| other != class)
                .map(|other| statistics.pair(class.min(other), class.max(other)))
                .collect(),
        };
        let mut sums = vec![0.0; classes.size(class)];
        for view in &views {
            sums.iter_mut().zip(of_class(view, class)).for_each(|(sum, value)| *sum += value);
        }
        for (&row, sum) in classes.order()[classes.range(class)].iter().zip(sums) {
            values[row] = Some(sum / views.len() as f64);
        }
    }
    PointScores { id: measure.id, values }
}
