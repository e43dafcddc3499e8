//! Bringing features to a common size before scoring.

use std::fmt;
use std::str::FromStr;

use clmatch::Values;

use crate::real::Real;

/// How to scale a matrix. A column without spread becomes 0 wherever its spread would divide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Leave the numbers as they are.
    None,
    /// Divide the whole matrix by its largest absolute value, as the paper does.
    #[default]
    MaxAbs,
    /// Each column to mean 0 and standard deviation 1 (of the whole column, as scikit-learn does).
    Standard,
    /// Each column to 0..1.
    MinMax,
    /// Each column to median 0 and interquartile range 1.
    Robust,
}

impl Scale {
    /// All ways, with the names that `--scale` takes.
    pub const ALL: [(&'static str, Scale); 5] = [
        ("none", Scale::None),
        ("max-abs", Scale::MaxAbs),
        ("standard", Scale::Standard),
        ("min-max", Scale::MinMax),
        ("robust", Scale::Robust),
    ];
}

impl FromStr for Scale {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Scale::ALL.iter().find(|(known, _)| *known == name);
        let error = || format!("'{name}' is none of none, max-abs, standard, min-max, robust");
        found.map(|(_, scale)| *scale).ok_or_else(error)
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Scale::ALL.iter().find(|(_, scale)| scale == self).map_or("", |(name, _)| name))
    }
}

/// Scales row-major `values` with `features` numbers to a row, in place.
///
/// Finite numbers of any size stay finite: 1e300 and 1e-300 scale like 1.
pub fn scale(values: &mut Values<'static>, features: usize, how: Scale) {
    match values {
        Values::F64(values) => scale_matrix(values.to_mut(), features, how),
        Values::F32(values) => scale_matrix(values.to_mut(), features, how),
    }
}

fn scale_matrix<T: Real>(values: &mut [T], features: usize, how: Scale) {
    if values.is_empty() || features == 0 {
        return;
    }
    match how {
        Scale::None => {}
        Scale::MaxAbs => max_abs(values),
        Scale::Standard => each_column(values, features, standard),
        Scale::MinMax => each_column(values, features, min_max),
        Scale::Robust => each_column(values, features, robust),
    }
}

fn max_abs<T: Real>(values: &mut [T]) {
    let largest = largest(values.iter().map(|value| value.to_f64()));
    if largest > 0.0 {
        for value in values {
            *value = T::from_f64(value.to_f64() / largest);
        }
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// Copies each column, first divided by its largest absolute value so that nothing over- or underflows, and back.
fn each_column<T: Real>(values: &mut [T], features: usize, transform: impl Fn(&mut [f64])) {
    let rows = values.len() / features;
    let mut column = Vec::with_capacity(rows);
    for feature in 0..features {
        column.clear();
        column.extend(values.iter().skip(feature).step_by(features).map(|value| value.to_f64()));
        let size = largest(column.iter().copied());
        if size > 0.0 {
            column.iter_mut().for_each(|value| *value /= size);
            transform(&mut column);
        }
        for (value, &scaled) in values.iter_mut().skip(feature).step_by(features).zip(&column) {
            *value = T::from_f64(scaled);
        }
    }
}

/// `(x - centre) / spread`, or 0 where there is no spread.
fn shift_and_divide(column: &mut [f64], centre: f64, spread: f64) {
    for value in column {
        *value = if spread > 0.0 { (*value - centre) / spread } else { 0.0 };
    }
}

fn standard(column: &mut [f64]) {
    if column.iter().all(|value| *value == column[0]) {
        return shift_and_divide(column, 0.0, 0.0);
    }
    let count = column.len() as f64;
    let mean = column.iter().sum::<f64>() / count;
    let variance = column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    shift_and_divide(column, mean, variance.sqrt());
}

fn min_max(column: &mut [f64]) {
    let low = column.iter().copied().fold(f64::INFINITY, f64::min);
    let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    shift_and_divide(column, low, high - low);
}

fn robust(column: &mut [f64]) {
    let mut sorted = column.to_vec();
    sorted.sort_by(f64::total_cmp);
    let spread = quantile(&sorted, 0.75) - quantile(&sorted, 0.25);
    shift_and_divide(column, quantile(&sorted, 0.5), spread);
}

/// Quantile with linear interpolation between the two nearest numbers, as NumPy's default.
fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let place = fraction * (sorted.len() - 1) as f64;
    let (low, rest) = (place.floor() as usize, place.fract());
    let next = sorted[(low + 1).min(sorted.len() - 1)];
    sorted[low] + (next - sorted[low]) * rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(values: &[f64], features: usize, how: Scale) -> Vec<f64> {
        let mut values = Values::from(values.to_vec());
        scale(&mut values, features, how);
        (0..values.len()).map(|index| values.get(index)).collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn each_way_by_hand() {
        let values = [1.0, 10.0, 2.0, 10.0, 3.0, 10.0, -4.0, 10.0];
        close(&scaled(&values, 2, Scale::None), &values);
        close(&scaled(&values, 2, Scale::MaxAbs), &values.map(|value| value / 10.0));
        let deviation = 7.25_f64.sqrt();
        let z = |value: f64| (value - 0.5) / deviation;
        close(&scaled(&values, 2, Scale::Standard), &[z(1.0), 0.0, z(2.0), 0.0, z(3.0), 0.0, z(-4.0), 0.0]);
        close(&scaled(&values, 2, Scale::MinMax), &[5.0 / 7.0, 0.0, 6.0 / 7.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        // Quartiles -0.25 and 2.25, median 1.5.
        close(&scaled(&values, 2, Scale::Robust), &[-0.2, 0.0, 0.2, 0.0, 0.6, 0.0, -2.2, 0.0]);
    }

    #[test]
    fn extreme_sizes_do_not_change_the_result() {
        let values = [1.0, 2.0, 4.0, -8.0, 3.0];
        for (_, how) in Scale::ALL.into_iter().skip(1) {
            let expected = scaled(&values, 1, how);
            for size in [1e300, 1e-300, 1e-310] {
                let found = scaled(&values.map(|value| value * size), 1, how);
                for (f, e) in found.iter().zip(&expected) {
                    let tolerance = if size < 1e-305 { 1e-9 } else { 1e-12 };
                    assert!((f - e).abs() < tolerance, "{how} {size}: {found:?} {expected:?}");
                }
            }
            assert!(scaled(&[f64::MAX, -f64::MAX, f64::MAX], 1, how).iter().all(|value| value.is_finite()));
            close(&scaled(&[0.0, 0.0], 1, how), &[0.0, 0.0]);
            if how != Scale::MaxAbs {
                close(&scaled(&[0.1, 0.1, 0.1], 1, how), &[0.0, 0.0, 0.0]);
            }
        }
    }

    #[test]
    fn single_precision_stays_single() {
        let mut values = Values::from(vec![1.0_f32, 4.0]);
        scale(&mut values, 1, Scale::MaxAbs);
        assert_eq!(values, Values::from(vec![0.25_f32, 1.0]));
    }

    #[test]
    fn names_go_both_ways() {
        for (name, how) in Scale::ALL {
            assert_eq!(name.parse::<Scale>(), Ok(how));
            assert_eq!(how.to_string(), name);
        }
        assert!("max".parse::<Scale>().is_err());
    }
}
