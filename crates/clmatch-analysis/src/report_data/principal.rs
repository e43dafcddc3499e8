//! The plane in which all points spread most.

use clmatch::{Classes, DataError};
use clmatch_data::Dataset;
use clmatch_kernels::linalg::{Direction, Rows, dot};

use super::thinning::{evenly, shares};
use super::{PlacedClass, PlacedPoint, PrincipalPlane};

/// About how many numbers (rows times features) the directions are determined from.
const NUMBERS: usize = 2_000_000;
/// The smallest and the largest number of rows that the directions are determined from.
const ROWS: (usize, usize) = (500, 5000);

/// Points of every class, about `room` in all.
///
/// Time: O(m d) for m rows, at most 5000.
pub(super) fn plane(
    dataset: &Dataset,
    classes: &Classes<'_>,
    room: usize,
) -> Result<PrincipalPlane, DataError> {
    let features = dataset.n_features();
    let all = classes.n_points();
    let rows = (NUMBERS / features).clamp(ROWS.0, ROWS.1);
    let fitted: Vec<usize> = evenly(all, rows).map(|at| classes.order()[at]).collect();
    let fitted = rows_of(classes, &fitted)?;
    let centre = fitted.mean();
    let fitted = fitted.around(&centre);
    let total = fitted.total_variance();
    let widest = fitted.widest(2);
    let share = |direction: &Direction| if total > 0.0 { direction.variance / total } else { 0.0 };
    let sizes: Vec<usize> = (0..classes.n_classes()).map(|class| classes.size(class)).collect();
    let mut placed = Vec::with_capacity(sizes.len());
    for (class, take) in shares(&sizes, room).into_iter().enumerate() {
        let rows = class_rows(classes, class, take);
        let values = rows_of(classes, &rows)?.around(&centre);
        placed.push(PlacedClass {
            class: classes.names()[class].clone(),
            points: place(dataset, &rows, &values, [widest.first(), widest.get(1)].map(axis)),
        });
    }
    Ok(PrincipalPlane {
        first_share: widest.first().map_or(0.0, share),
        second_share: widest.get(1).map(share),
        shown: placed.iter().map(|class| class.points.len()).sum(),
        classes: placed,
        of: all,
    })
}

fn axis(direction: Option<&Direction>) -> Option<&[f64]> {
    direction.map(|direction| direction.axis.as_slice())
}

/// Some rows of a class, evenly spaced.
pub(super) fn class_rows(classes: &Classes<'_>, class: usize, take: usize) -> Vec<usize> {
    let rows = &classes.order()[classes.range(class)];
    evenly(rows.len(), take).map(|at| rows[at]).collect()
}

/// The coordinates of some rows.
pub(super) fn rows_of(classes: &Classes<'_>, rows: &[usize]) -> Result<Rows, DataError> {
    let matrix = classes.points().coordinates(rows)?;
    Ok(Rows { features: matrix.n_features(), values: matrix.values().to_vec() })
}

/// Rows in the plane of two directions; without a second direction they are spread between 0 and 1, so that they can be told
/// apart.
pub(super) fn place(
    dataset: &Dataset,
    rows: &[usize],
    values: &Rows,
    [across, up]: [Option<&[f64]>; 2],
) -> Vec<PlacedPoint> {
    let along = |row: &[f64], axis: Option<&[f64]>| axis.map(|axis| dot(row, axis));
    let placed = rows.iter().zip(values.rows()).enumerate();
    placed
        .map(|(at, (&row, value))| PlacedPoint {
            row: dataset.row_number(row),
            x: along(value, across).unwrap_or(0.0),
            y: along(value, up).unwrap_or_else(|| (at as f64 * 0.618_033_988_75).fract()),
        })
        .collect()
}
