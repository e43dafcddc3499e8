//! Points whose labels look wrong, and points that are far from every class.
//!
//! Three things speak for a class at a point, none of which looks at the point's own label: the votes of its neighbours,
//! its distance from the class as a whole, and its distance from the nearest points of the class (`evidence`). How much each
//! counts in this dataset, and how many labels are wrong, is learned from the labels themselves (`label_noise`); wrong labels of
//! one kind, which are frequent between two classes, are counted where there is no doubt (`pair_rates`). That is done twice: the second time points count as much as their labels are likely to be right.

use clmatch_stop::Control;

use super::class_distances::{ClassDistances, Coordinates};
use super::evidence::Surroundings;
use super::label_noise::{LabelNoise, LabelledFeatures, PointVerdict};
use super::outliers::outliers;
use super::pair_rates::PairRates;
use crate::classes::Classes;
use crate::error::DataError;
use crate::kernels::frame::Frame;
use crate::kernels::stream::Origin;

/// What stands for the class of a row that belongs to none, because it was left out.
pub const LEFT_OUT: usize = usize::MAX;

/// How often the model is fitted, each time but the first with points that count as much as they are likely right.
const ROUNDS: usize = 2;
/// The smallest weight of a point, so that a class never vanishes.
const LEAST_WEIGHT: f64 = 0.01;

/// What looks wrong with each row of the input.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Suspects {
    /// The probability that the label of a row is wrong. 0 for rows that were left out, and for classes of a single point,
    /// about which nothing else is known. Below .1 it is about right, above it is too
    /// cautious: of planted errors with .29, .79 and .96 on average, .53, .96 and .99 were wrong.
    pub mislabelled: Vec<f64>,
    /// The class that all other points suggest for a row, as an index of [`Classes::names`], whatever its label says. Where the
    /// label is more likely wrong than right it is another one. [`LEFT_OUT`] for rows that were left out.
    pub suggested: Vec<usize>,
    /// How far a row is from every class: above [`OUTLIER`](super::OUTLIER) it is an outlier. 0 for rows that were left out.
    pub outlier: Vec<f64>,
}

/// Looks for mislabelled points and for outliers.
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
/// Of a dataset in which all points coincide, nothing is known: every label is wrong with the same small probability, and no
/// point is an outlier. Above 64 classes, the likeliest 64 are considered at each point.
///
/// Time: O(n^2 d), one sweep over all pairs of points, and O(n d^2) for the covariance. Memory: O(n (d + min(K, 64)) + d^2).
/// Results do not depend on the number of threads, bit for bit.
///
/// # Errors
/// [`DataError::Stopped`] if `control` says so.
pub fn suspects(classes: &Classes<'_>, control: Control<'_>) -> Result<Suspects, DataError> {
    let frame = Frame::new(classes, &Origin::exact(classes));
    let standardised = Coordinates::standardised(&frame);
    let mut weights = vec![1.0; frame.len()];
    let mut mahalanobis = ClassDistances::new(&standardised, &weights);
    control.check()?;
    let around = Surroundings::new(&frame, &mahalanobis, control)?;
    let labels = labels_among_candidates(&around, &mahalanobis, &frame);
    let sizes: Vec<usize> = (0..frame.classes()).map(|class| frame.size(class)).collect();
    let mut model = None;
    let mut verdicts: Vec<PointVerdict> = Vec::new();
    for round in 0..ROUNDS {
        if round > 0 {
            mahalanobis = ClassDistances::new(&standardised, &weights);
        }
        let features = around.features(&mahalanobis, &frame.starts, &weights);
        let rates = match round {
            // Before anything is known of a point, it counts as much as its neighbours agree with its label.
            0 => {
                let agreed = bounded(around.own_shares(&mahalanobis));
                let shapes = ClassDistances::new(&standardised, &agreed);
                PairRates::new(
                    &around.features(&shapes, &frame.starts, &weights),
                    &around.candidates,
                    &labels,
                    &sizes,
                )
            }
            _ => PairRates::new(&features, &around.candidates, &labels, &sizes),
        };
        let data = LabelledFeatures {
            features: &features,
            labels: &labels,
            candidates: &around.candidates,
            classes: frame.classes(),
            rates: &rates,
        };
        let fitted = LabelNoise::fit(data, model, control)?;
        verdicts = fitted.verdicts(data);
        weights = bounded(verdicts.iter().map(|verdict| 1.0 - verdict.wrong).collect());
        model = Some(fitted);
        control.report("labels", round + 1, ROUNDS);
    }
    let euclidean = ClassDistances::new(&Coordinates::plain(&frame), &weights);
    let z = outliers([&euclidean, &mahalanobis], &around.candidates, &frame.starts, &weights);
    Ok(in_order_of_input(classes, &around, &verdicts, &z))
}

/// Weights of points that are not too small.
fn bounded(mut weights: Vec<f64>) -> Vec<f64> {
    weights.iter_mut().for_each(|weight| *weight = weight.max(LEAST_WEIGHT));
    weights
}

/// Where each label is among the candidates of its point; `None` for classes of a single point.
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

fn in_order_of_input(
    classes: &Classes<'_>,
    around: &Surroundings,
    verdicts: &[PointVerdict],
    z: &[f64],
) -> Suspects {
    let rows = classes.points().n_points();
    let mut suspects =
        Suspects { mislabelled: vec![0.0; rows], suggested: vec![LEFT_OUT; rows], outlier: vec![0.0; rows] };
    for class in 0..classes.n_classes() {
        for point in classes.range(class) {
            let (row, verdict) = (classes.order()[point], verdicts[point]);
            let alone = classes.size(class) == 1;
            let likely = around.candidates.of(point)[verdict.likely] as usize;
            suspects.mislabelled[row] = verdict.wrong;
            suspects.suggested[row] = if alone { class } else { likely };
            suspects.outlier[row] = z[point];
        }
    }
    suspects
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use clmatch_stop::Step;

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
