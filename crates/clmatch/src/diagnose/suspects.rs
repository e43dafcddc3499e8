//! Points whose labels look wrong, and points that are far from every class.
//!
//! There are three kinds of evidence for a class at a point, none of which uses the point's own label: the votes of its
//! neighbours, its distance from the class as a whole, and its distance from the nearest points of the class (`evidence`). How
//! much each counts in this dataset, and how often points of one class carry the label of another one, is learned from the labels
//! themselves (`label_noise`, `label_rates`). This is done twice: the second time, points count in proportion to how likely their
//! labels are right.
//!
//! To the model, classes that overlap look like labels that are wrong near a border. Where there is a gap between the classes, it
//! decides (`gaps`). Two labels that occur side by side throughout are two names for one class, not errors (`second_names`).
//! Where there is no gap, the model takes wrong labels for overlap; the neighbours' votes show where that may have happened
//! ([`Suspects::outvoted`]).

use clmatch_kernels::Control;

use super::class_distances::{ClassDistances, Coordinates};
use super::evidence::Surroundings;
use super::gaps;
use super::label_noise::{LabelNoise, LabelVerdict, LabelledFeatures};
use super::label_rates::LabelPairs;
use super::outliers::outliers;
use super::second_names::second_names;
use crate::classes::Classes;
use crate::error::DataError;
use crate::kernels::frame::Frame;
use crate::kernels::stream::Origin;

/// Stands for the class of a row that was left out, and so belongs to none.
pub const LEFT_OUT: usize = usize::MAX;

/// A row is outvoted by its neighbours if another class has more than this share of their votes.
pub const OUTVOTED: f64 = 0.5;

/// How often the model is fitted; from the second time on, points count in proportion to how likely their labels are right.
const ROUNDS: usize = 2;
/// The smallest weight of a point, so that a class never vanishes.
const LEAST_WEIGHT: f64 = 0.01;

/// What looks wrong with each row of the input.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Suspects {
    /// The probability that the label of a row is wrong. 0 for rows that were left out, and for classes of a single point, about
    /// which nothing else is known. It is about right where labels are wrong at random, or where one class is taken for another.
    /// Where labels are wrong near a border without a gap, it is too low: see [`outvoted`](Self::outvoted).
    pub mislabelled: Vec<f64>,
    /// The class that all other points suggest for a row, as an index of [`Classes::names`], regardless of its label. It differs
    /// from the label where that is more likely wrong than right. [`LEFT_OUT`] for rows that were left out.
    pub suggested: Vec<usize>,
    /// How far a row is from every class: above [`OUTLIER`](super::OUTLIER) it is an outlier. 0 for rows that were left out.
    pub outlier: Vec<f64>,
    /// The largest share that a class other than the row's own has of the votes of the 15 nearest points, the nearest counting
    /// most. Above [`OUTVOTED`], the neighbours say that the label is wrong, whatever [`mislabelled`](Self::mislabelled) says. 0
    /// for rows that were left out, and for classes of a single point.
    pub outvoted: Vec<f64>,
}

/// Finds mislabelled points and outliers.
///
/// ```
/// use clmatch::{Classes, Control, Labels, Points, diagnose};
/// // Two clusters on a line; the last point lies in the first one, but carries the other label.
/// let values: Vec<f64> = (0..40).map(|row| f64::from(row % 20) * 0.1 + if row < 20 { 0.0 } else { 9.0 }).collect();
/// let points = Points::new([values, vec![0.95]].concat(), 1)?;
/// let labels = Labels::encode((0..41).map(|row| if row < 20 { "low" } else { "high" }));
/// let classes = Classes::new(points, &labels)?;
/// let suspects = diagnose::suspects(&classes, Control::none())?;
/// assert!(suspects.mislabelled[40] > 0.9 && suspects.mislabelled[..40].iter().all(|&wrong| wrong < 0.1));
/// assert_eq!(classes.names()[suspects.suggested[40]], "low");
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// If all points of a dataset coincide, nothing is known: every label is wrong with the same small probability, and no point is
/// an outlier. With more than 64 classes, the likeliest 64 are considered at each point.
///
/// Time: O(n^2 d), one sweep over all pairs of points, and O(n d^2) for the covariance. Memory: O(n (d + min(K, 64)) + d^2).
/// Results do not depend on the number of threads, bit for bit.
///
/// # Errors
/// [`DataError::Stopped`] if `control` stops the work.
pub fn suspects(classes: &Classes<'_>, control: Control<'_>) -> Result<Suspects, DataError> {
    let frame = Frame::new(classes, &Origin::exact(classes));
    let standardised = Coordinates::standardised(&frame);
    let mut mahalanobis = ClassDistances::new(&standardised, &vec![1.0; frame.len()]);
    control.check()?;
    let around = Surroundings::new(&frame, &mahalanobis, control)?;
    let labels = labels_among_candidates(&around, &mahalanobis, &frame);
    let nearer = |point: usize, label: u32, other: u32| {
        mahalanobis.square(point, other as usize) < mahalanobis.square(point, label as usize)
    };
    let numbers = second_names(&around.votes, &frame.starts, nearer);
    let pairs = LabelPairs::new(&around.candidates, &frame.starts, &numbers);
    let known = refuted_labels(&around, &mahalanobis, &frame);
    let weight = |known: &Option<u32>| if known.is_some() { LEAST_WEIGHT } else { 1.0 };
    let mut weights: Vec<f64> = known.iter().map(weight).collect();
    let mut model = None;
    let mut verdicts: Vec<LabelVerdict> = Vec::new();
    for round in 0..ROUNDS {
        if round > 0 || known.iter().any(Option::is_some) {
            mahalanobis = ClassDistances::new(&standardised, &weights);
        }
        let features = around.features(&mahalanobis, &frame.starts, &weights);
        let data = LabelledFeatures {
            features: &features,
            labels: &labels,
            candidates: &around.candidates,
            pairs: &pairs,
            known: &known,
        };
        let fitted = LabelNoise::fit(data, model, control)?;
        verdicts = fitted.verdicts(data);
        weights = verdicts.iter().map(|verdict| (1.0 - verdict.wrong).max(LEAST_WEIGHT)).collect();
        model = Some(fitted);
        control.report("labels", round + 1, ROUNDS);
    }
    let euclidean = ClassDistances::new(&Coordinates::plain(&frame), &weights);
    let z = outliers([&euclidean, &mahalanobis], &around, &frame.starts, &weights);
    Ok(in_order_of_input(classes, &around, &verdicts, [&z, &around.outvoted(&mahalanobis)]))
}

/// The place of each label among the candidates of its point; `None` for classes of a single point.
fn labels_among_candidates(
    around: &Surroundings,
    mahalanobis: &ClassDistances<'_>,
    frame: &Frame,
) -> Vec<Option<u32>> {
    let label = |point: usize| {
        let class = mahalanobis.class_of(point);
        let place = around.candidates.of(point).iter().position(|&candidate| candidate as usize == class);
        place.filter(|_| frame.size(class) > 1).map(|place| place as u32)
    };
    (0..frame.len()).map(label).collect()
}

/// The place of the true class among the candidates of each point whose label a gap refutes.
fn refuted_labels(
    around: &Surroundings,
    mahalanobis: &ClassDistances<'_>,
    frame: &Frame,
) -> Vec<Option<u32>> {
    let labels: Vec<u32> = (0..frame.len()).map(|point| mahalanobis.class_of(point) as u32).collect();
    let place = |(point, class): (usize, Option<u32>)| {
        let place = around.candidates.of(point).iter().position(|candidate| Some(*candidate) == class);
        place.map(|place| place as u32)
    };
    gaps::refuted(&around.votes, &labels, frame.classes()).into_iter().enumerate().map(place).collect()
}

fn in_order_of_input(
    classes: &Classes<'_>,
    around: &Surroundings,
    verdicts: &[LabelVerdict],
    [z, outvoted]: [&[f64]; 2],
) -> Suspects {
    let rows = classes.points().n_points();
    let mut suspects = Suspects {
        mislabelled: vec![0.0; rows],
        suggested: vec![LEFT_OUT; rows],
        outlier: vec![0.0; rows],
        outvoted: vec![0.0; rows],
    };
    for class in 0..classes.n_classes() {
        for point in classes.range(class) {
            let (row, verdict) = (classes.order()[point], verdicts[point]);
            let alone = classes.size(class) == 1;
            let likely = around.candidates.of(point)[verdict.likely] as usize;
            suspects.mislabelled[row] = verdict.wrong;
            suspects.suggested[row] = if alone { class } else { likely };
            suspects.outlier[row] = z[point];
            suspects.outvoted[row] = if alone { 0.0 } else { outvoted[point] };
        }
    }
    suspects
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use clmatch_kernels::Step;

    use super::*;
    use crate::{Labels, Points};

    #[test]
    fn rounds_are_counted_from_1() {
        let values: Vec<f64> = (0..12).map(|row| f64::from(row * row % 7 + 20 * (row / 6))).collect();
        let labels = Labels::encode((0..12).map(|row| row / 6));
        let classes = Classes::new(Points::new(values, 1).unwrap(), &labels).unwrap();
        let heard = Mutex::new(Vec::new());
        let listen = |step: Step<'_>| heard.lock().unwrap().push((step.what.to_owned(), step.done, step.of));
        suspects(&classes, Control::none().with_progress(&listen)).unwrap();
        let mut heard = heard.into_inner().unwrap();
        heard.retain(|(what, ..)| what == "labels");
        assert_eq!(heard, [("labels".to_owned(), 1, 2), ("labels".to_owned(), 2, 2)]);
    }
}
