//! Scaling by hand, at the ends of the range of numbers, and where there is nothing to divide by.

use clmatch::{Labels, Values};

use super::*;

fn dataset(values: impl Into<Values<'static>>, features: usize) -> Dataset {
    let values = values.into();
    let rows = values.len() / features;
    let names = (0..features).map(|column| format!("c{column}")).collect();
    Dataset::new("any", names, values, Labels::encode((0..rows).map(|row| row % 2))).unwrap()
}

/// Scaled coordinates, and the note on the scaling.
fn scaled(values: impl Into<Values<'static>>, features: usize, how: Scale) -> (Vec<f64>, Option<String>) {
    let mut dataset = dataset(values, features);
    dataset.scale(how);
    let rows: Vec<usize> = (0..dataset.n_points()).collect();
    let coordinates = dataset.points().coordinates(&rows).unwrap().values().to_vec();
    assert!(dataset.notes.len() <= 1);
    (coordinates, dataset.notes.first().map(ToString::to_string))
}

fn numbers(values: &[f64], features: usize, how: Scale) -> Vec<f64> {
    scaled(values.to_vec(), features, how).0
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 1e-12, "{found:?} {expected:?}");
    }
}

const BY_COLUMN: [Scale; 3] = [Scale::Standard, Scale::MinMax, Scale::Robust];

#[test]
fn each_way_by_hand() {
    let values = [1.0, 10.0, 2.0, 10.0, 3.0, 10.0, -4.0, 10.0];
    close(&numbers(&values, 2, Scale::None), &values);
    close(&numbers(&values, 2, Scale::MaxAbs), &values.map(|value| value / 10.0));
    let deviation = 7.25_f64.sqrt();
    let z = |value: f64| (value - 0.5) / deviation;
    close(&numbers(&values, 2, Scale::Standard), &[z(1.0), 0.0, z(2.0), 0.0, z(3.0), 0.0, z(-4.0), 0.0]);
    close(&numbers(&values, 2, Scale::MinMax), &[5.0 / 7.0, 0.0, 6.0 / 7.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    // Quartiles -0.25 and 2.25, median 1.5.
    close(&numbers(&values, 2, Scale::Robust), &[-0.2, 0.0, 0.2, 0.0, 0.6, 0.0, -2.2, 0.0]);
}

#[test]
fn columns_stay_apart_in_matrices_of_many() {
    // More columns than are processed together, and more rows than one thread takes.
    let (rows, features) = (9001, 19);
    let value = |row: usize, column: usize| ((row * 7919 + column * 104_729) % 1009) as f64;
    let values: Vec<f64> = (0..rows).flat_map(|row| (0..features).map(move |c| value(row, c))).collect();
    for how in BY_COLUMN {
        let all = numbers(&values, features, how);
        for column in 0..features {
            let one: Vec<f64> = (0..rows).map(|row| value(row, column)).collect();
            let found: Vec<f64> = all.iter().copied().skip(column).step_by(features).collect();
            assert_eq!(found, numbers(&one, 1, how), "{how} {column}");
        }
    }
}

#[test]
fn extreme_sizes_do_not_change_the_result() {
    let values = [1.0, 2.0, 4.0, -8.0, 3.0];
    for (_, how) in Scale::ALL.into_iter().skip(1) {
        let expected = numbers(&values, 1, how);
        for size in [1e300, 1e-300, 1e-310] {
            let found = numbers(&values.map(|value| value * size), 1, how);
            for (f, e) in found.iter().zip(&expected) {
                let tolerance = if size < 1e-305 { 1e-9 } else { 1e-12 };
                assert!((f - e).abs() < tolerance, "{how} {size}: {found:?} {expected:?}");
            }
        }
        close(&numbers(&[5e-324, 0.0, 1e-323, 0.0], 1, how), &numbers(&[1.0, 0.0, 2.0, 0.0], 1, how));
        let huge = [f64::MAX, -f64::MAX, f64::MAX, 0.0];
        close(&numbers(&huge, 1, how), &numbers(&[1.0, -1.0, 1.0, 0.0], 1, how));
        close(&numbers(&[0.0, 0.0], 1, how), &[0.0, 0.0]);
    }
}

#[test]
fn what_is_too_large_becomes_the_largest_number() {
    // The quartiles of ten numbers around 1e-10 are not affected by the last one.
    let mut values: Vec<f64> = (0..10).map(|at| f64::from(at) * 1e-10).collect();
    values.push(1e308);
    let found = numbers(&values, 1, Scale::Robust);
    close(&found[..10], &(0..10).map(|at| (f64::from(at) - 5.0) / 5.0).collect::<Vec<_>>());
    assert_eq!(found[10], f64::MAX);
    // Centred only: 1e308 - -1e308.
    let found = numbers(&[-1e308, -1e308, -1e308, -1e308, 1e308], 1, Scale::Robust);
    assert_eq!(found, [0.0, 0.0, 0.0, 0.0, f64::MAX]);
}

#[test]
fn constant_columns_become_zeros_and_not_noise() {
    for how in BY_COLUMN {
        for value in [0.1, 1e300, 5e-324, 1e8 + 0.1, -0.3] {
            for rows in [1, 3, 10, 1000] {
                let (found, note) = scaled(vec![value; rows], 1, how);
                assert_eq!(found, vec![0.0; rows], "{how} {value}");
                assert_eq!(note, None, "reading says that a column is constant");
            }
        }
    }
}

#[test]
fn rounding_does_not_become_a_feature() {
    let up = |value: f64, times: u64| f64::from_bits(value.to_bits() + times);
    for how in BY_COLUMN {
        for value in [0.1, 0.7, 1e8 + 0.1, 1e300, 1e-20] {
            let values = [value, up(value, 1), value, up(value, 2)];
            let (found, note) = scaled(values.to_vec(), 1, how);
            let spread = values[3] - values[0];
            assert!(found.iter().all(|x| x.abs() <= spread), "{how} {value}: {found:?}");
            assert!(found.iter().any(|x| *x != 0.0), "{how} {value}: centred, and not wiped out");
            assert!(note.is_some_and(|note| note.starts_with("1 column was centred but not scaled")));
            // A thousand roundings are no longer mere rounding.
            let (found, note) = scaled(vec![value, up(value, 1000), value, up(value, 2000)], 1, how);
            assert!(found.iter().any(|x| x.abs() > 0.4) && note.is_none(), "{how} {value}: {found:?}");
        }
    }
}

#[test]
fn a_column_without_interquartile_range_is_centred_and_noted() {
    // In the second column, less than a quarter of the values differ from 5.
    let values = [1.0, 5.0, 2.0, 5.0, 3.0, 5.0, 4.0, 5.0, 5.0, 9.0];
    let (found, note) = scaled(values.to_vec(), 2, Scale::Robust);
    close(&found, &[-1.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0, 4.0]);
    let expected = "1 column was centred but not scaled, because its interquartile range is 0: 'c1'";
    assert_eq!(note.as_deref(), Some(expected));
    for how in [Scale::Standard, Scale::MinMax] {
        let (found, note) = scaled(values.to_vec(), 2, how);
        assert!(found[9] > 0.9 && note.is_none(), "{how}: {found:?}");
    }
}

#[test]
fn offsets_do_not_break_ties() {
    // Steps of 1 far from 0: their differences must stay equal to far below the tolerance for ties, 1e-9.
    let values: Vec<f64> = (0..50).map(|at| 1.7e9 + f64::from(at)).collect();
    for how in BY_COLUMN {
        let found = numbers(&values, 1, how);
        let step = found[1] - found[0];
        for pair in found.windows(2) {
            assert!(((pair[1] - pair[0]) / step - 1.0).abs() < 1e-13, "{how}: {found:?}");
        }
    }
}

#[test]
fn one_number_for_all_changes_no_value_and_no_precision() {
    let mut single = dataset(vec![1.0_f32, 3.0, 0.1, -0.7], 2);
    let before = single.values.clone();
    single.scale(Scale::MaxAbs);
    assert_eq!((&single.values, single.unit), (&before, 3.0));
    assert_eq!(single.points().unit(), 3.0);
    single.scale(Scale::MaxAbs);
    assert_eq!(single.unit, 3.0, "scaling twice is scaling once");
}

#[test]
fn columns_of_single_precision_are_scaled_as_the_same_numbers_in_double() {
    let single: Vec<f32> = (0..60).map(|at| 1e6 + (at * 7 % 23) as f32 / 16.0).collect();
    let double: Vec<f64> = single.iter().map(|&value| f64::from(value)).collect();
    for (_, how) in Scale::ALL {
        assert_eq!(scaled(single.clone(), 3, how), scaled(double.clone(), 3, how), "{how}");
    }
}

#[test]
fn scaling_after_scaling_starts_from_coordinates() {
    // Robust leaves the size of the second column alone; it is 1 after max-abs.
    let mut twice = dataset(vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 5.0, 8.0], 2);
    twice.scale(Scale::MaxAbs);
    twice.scale(Scale::Robust);
    assert_eq!(twice.points().coordinates(&[4]).unwrap().values(), [1.0, 1.0]);
}

#[test]
fn names_go_both_ways() {
    for (name, how) in Scale::ALL {
        assert_eq!(name.parse::<Scale>(), Ok(how));
        assert_eq!(how.to_string(), name);
    }
    assert!("max".parse::<Scale>().is_err());
}
