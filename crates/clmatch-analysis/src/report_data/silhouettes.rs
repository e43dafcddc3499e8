//! How well each point sits in its class.

use clmatch::{Classes, Control, DataError, Labels, Points, Singletons, evaluate_with, measure};

use super::thinning::{evenly, shares};
use super::{ClassSilhouette, Silhouettes};

/// Above this many points, only a sample is compared.
const COMPARED: usize = 30_000;

/// The silhouettes, thinned to about `room` values of all classes together.
///
/// Time: O(n^2 d), with n at most 30,000.
pub(super) fn of(classes: &Classes<'_>, room: usize, control: Control<'_>) -> Result<Silhouettes, DataError> {
    let sizes: Vec<usize> = (0..classes.n_classes()).map(|class| classes.size(class)).collect();
    let compared = shares(&sizes, COMPARED);
    let rows: Vec<Vec<usize>> = compared
        .iter()
        .enumerate()
        .map(|(class, &take)| super::principal::class_rows(classes, class, take))
        .collect();
    let values = widths(classes, &rows, control)?;
    let shown = shares(&compared, room);
    let found = values.iter().zip(shown).enumerate().map(|(class, (values, take))| {
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let count = sorted.len() as f64;
        ClassSilhouette {
            class: classes.names()[class].clone(),
            points: sizes[class],
            mean: sorted.iter().sum::<f64>() / count,
            negative: sorted.iter().filter(|value| **value < 0.0).count() as f64 / count,
            values: evenly(sorted.len(), take).map(|at| sorted[at]).collect(),
        }
    });
    let found: Vec<ClassSilhouette> = found.collect();
    let count: usize = compared.iter().sum();
    let mean = values.iter().flatten().sum::<f64>() / count as f64;
    Ok(Silhouettes { mean, classes: found, compared: count })
}

/// The silhouettes of some rows of each class among each other.
fn widths(
    classes: &Classes<'_>,
    rows: &[Vec<usize>],
    control: Control<'_>,
) -> Result<Vec<Vec<f64>>, DataError> {
    let flat: Vec<usize> = rows.concat();
    let matrix = classes.points().coordinates(&flat)?;
    let labels = rows.iter().enumerate().flat_map(|(class, rows)| std::iter::repeat_n(class, rows.len()));
    let labels = Labels::encode(labels);
    let points = Points::new(matrix.values(), matrix.n_features())?;
    let sampled = Classes::with(points, &labels, None, Singletons::Keep)?;
    let measures: Vec<_> = measure::find("sc").into_iter().collect();
    let evaluation = evaluate_with(&sampled, &measures, true, control)?;
    let mut values =
        evaluation.points.into_iter().next().map(|scores| scores.values).unwrap_or_default().into_iter();
    Ok(rows
        .iter()
        .map(|rows| values.by_ref().take(rows.len()).map(|value| value.unwrap_or(0.0)).collect())
        .collect())
}
