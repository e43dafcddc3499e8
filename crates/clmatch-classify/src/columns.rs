//! Features in sorted order, for all trees of all folds.

use crate::data::Data;
use crate::split::Split;

/// The features of a dataset in single precision, column by column, and the rows in the order of each.
///
/// scikit-learn and XGBoost also compare in single precision. Splits lie halfway between neighbouring values.
#[derive(Debug)]
pub struct Columns {
    points: usize,
    /// Column after column.
    values: Vec<f32>,
    /// For each column, its rows, ascending by value and then by row.
    orders: Vec<u32>,
}

impl Columns {
    /// Sorts every feature. Time: O(d n log n). Memory: 8 n d bytes.
    pub fn new(data: Data<'_>) -> Columns {
        let (points, features) = (data.n_points(), data.n_features());
        let mut values = Vec::with_capacity(points * features);
        let mut orders = Vec::with_capacity(points * features);
        let mut order: Vec<u32> = (0..points as u32).collect();
        for feature in 0..features {
            let start = values.len();
            values.extend((0..points).map(|row| single(data.row(row)[feature])));
            let column = &values[start..];
            let before =
                |a: &u32, b: &u32| column[*a as usize].total_cmp(&column[*b as usize]).then(a.cmp(b));
            order.sort_unstable_by(before);
            orders.extend_from_slice(&order);
        }
        Columns { points, values, orders }
    }

    pub(crate) fn features(&self) -> usize {
        self.values.len() / self.points
    }

    /// The values of a feature, by row.
    pub(crate) fn column(&self, feature: usize) -> &[f32] {
        &self.values[feature * self.points..][..self.points]
    }

    /// Calls `each` for each feature with the values of the training rows in ascending order, and their places among
    /// these rows. Time: O(n d).
    pub(crate) fn for_each_order(&self, split: &Split<'_>, mut each: impl FnMut(&[(f32, u32)])) {
        let mut places = vec![u32::MAX; self.points];
        split.train().iter().zip(0..).for_each(|(&row, place)| places[row] = place);
        let mut order = Vec::with_capacity(split.train().len());
        for feature in 0..self.features() {
            let column = self.column(feature);
            let rows = &self.orders[feature * self.points..][..self.points];
            order.clear();
            order.extend(rows.iter().filter_map(|&row| {
                let place = places[row as usize];
                (place != u32::MAX).then_some((column[row as usize], place))
            }));
            each(&order);
        }
    }
}

/// Converts to single precision; numbers that are too large become the largest. Zeros lose their sign, so that equal
/// numbers compare as equal.
pub(crate) fn single(value: f64) -> f32 {
    (value as f32).clamp(f32::MIN, f32::MAX) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::Matrix;

    #[test]
    fn training_rows_are_in_the_order_of_each_feature() {
        let values = [3.0, -0.0, 1.0, 0.0, 2.0, 1e300, 1.0, -5.0];
        let points = Matrix::new(&values, 2).unwrap();
        let data = Data::new(&points, &[0, 1, 0, 1]).unwrap();
        let columns = Columns::new(data);
        let split = Split::new(data, vec![0, 1, 2], vec![3]);
        let mut orders = Vec::new();
        columns.for_each_order(&split, |order| orders.push(order.to_vec()));
        assert_eq!(orders[0], [(1.0, 1), (2.0, 2), (3.0, 0)]);
        assert_eq!(orders[1], [(0.0, 0), (0.0, 1), (f32::MAX, 2)]);
        assert_eq!(columns.column(1), [0.0, 0.0, f32::MAX, -5.0]);
    }

    #[test]
    fn zeros_of_both_signs_are_equal() {
        let points = Matrix::new(&[0.0, -0.0, 0.0, -0.0], 1).unwrap();
        let data = Data::new(&points, &[0, 1, 0, 1]).unwrap();
        assert_eq!(Columns::new(data).orders, [0, 1, 2, 3]);
    }
}
