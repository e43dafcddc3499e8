//! What is an id and what is not.

use super::*;

/// The finding about the first of two columns; the other one is noise.
fn found(name: &str, numbers: &[f64]) -> Option<IdFinding> {
    let noise = |row: usize| ((row * 7919 + 13) % 1009) as f64 / 8.0;
    let values: Vec<f64> =
        numbers.iter().enumerate().flat_map(|(row, &number)| [number, noise(row)]).collect();
    let columns = [name, "noise"].map(|name| FeatureColumn::number(ColumnRef::Name(name.into())));
    find(&values, &columns, false)[0]
}

fn rows(count: usize, number: impl Fn(usize) -> usize) -> Vec<f64> {
    (0..count).map(|row| number(row) as f64).collect()
}

/// A permutation of 0 to 100.
fn shuffled(row: usize) -> usize {
    row * 37 % 101
}

const ROW_NUMBERS: Option<IdFinding> = Some(IdFinding::Id(LeftOutReason::RowNumbers));
const COUNTS: Option<IdFinding> = Some(IdFinding::Doubt(IdSign::Consecutive));
const ID: Option<IdFinding> = Some(IdFinding::Id(LeftOutReason::Id));

#[test]
fn row_numbers_are_found_whatever_they_are_called() {
    for start in [0, 1] {
        assert_eq!(found("glass", &rows(30, |row| row + start)), ROW_NUMBERS);
    }
    assert_eq!(found("glass", &rows(9, |row| row)), None, "too few rows to tell");
    assert_eq!(found("rownames", &rows(9, |row| row)), ID, "but for the name");
    // Rows that were left out.
    assert_eq!(found("glass", &rows(333, |row| row + row / 30)), ROW_NUMBERS);
    assert_eq!(found("glass", &rows(100, |row| 2 * row + row % 2)), ROW_NUMBERS);
    assert_eq!(found("glass", &rows(600, |row| row)), ROW_NUMBERS, "more rows than the first look takes");
    for name in ["Year", "time", "depth"] {
        assert_eq!(found(name, &rows(30, |row| row)), COUNTS, "{name}");
    }
}

#[test]
fn not_all_that_counts_numbers_the_rows() {
    assert_eq!(found("chest", &rows(16, |row| row + 33)), COUNTS);
    assert_eq!(found("education", &rows(42, |row| row % 21)), COUNTS, "of women, and then of men");
    let values: Vec<f64> = (0..13).flat_map(|row| [f64::from(row + 1), f64::from(row)]).collect();
    let both = |names: [&str; 2], has_id| {
        find(&values, &names.map(|name| FeatureColumn::number(ColumnRef::Name(name.into()))), has_id)
    };
    assert_eq!(both(["rownames", "males"], false), [ROW_NUMBERS, COUNTS]);
    assert_eq!(both(["males", "rownames"], false), [COUNTS, ROW_NUMBERS]);
    assert_eq!(both(["a", "b"], false), [ROW_NUMBERS, COUNTS]);
    assert_eq!(both(["a", "b"], true), [COUNTS, COUNTS], "the rows have names");
}

#[test]
fn named_ids_may_have_repetitions() {
    let few = rows(100, |row| 1_000_000 + shuffled(row.min(95)) * 997);
    assert_eq!(found("IDNumber", &few), ID);
    assert_eq!(found("Sample code number", &few), ID);
    let groups = rows(100, |row| 500 + row / 4 * 17);
    assert_eq!(found("patient_id", &groups), Some(IdFinding::Doubt(IdSign::Name)));
    assert_eq!(found("number", &groups), None);
    assert_eq!(found("id", &[1.5, 2.5, 3.5]), None, "fractions are no ids");
}

#[test]
fn what_may_be_an_id_is_doubtful() {
    let codes = rows(101, |row| 100_000 + shuffled(row) * shuffled(row));
    let sign = IdSign::Distinct { values: 101, rows: 101 };
    assert_eq!(found("a", &codes), Some(IdFinding::Doubt(sign)));
    assert_eq!(found("a", &codes[..19]), None);
    let sorted = rows(40, |row| row * row * 100);
    assert_eq!(found("a", &sorted), Some(IdFinding::Doubt(IdSign::Sorted)));
    assert_eq!(found("a", &rows(101, shuffled)), Some(IdFinding::Doubt(IdSign::Permutation)));
}

#[test]
fn measurements_are_no_ids() {
    // Whole numbers that go along with another feature: an area in pixels and a perimeter.
    let columns = ["area", "perimeter"].map(|name| FeatureColumn::number(ColumnRef::Name(name.into())));
    let area = |row: usize| (20_000 + shuffled(row) * 613) as f64;
    let values: Vec<f64> = (0..101).flat_map(|row| [area(row), area(row).sqrt()]).collect();
    assert_eq!(find(&values, &columns, false), [None, None]);
    assert_eq!(found("a", &rows(100, |row| row * 31 % 60)), None, "many repetitions");
    assert_eq!(found("a", &[0.5; 30]), None);
    assert_eq!(found("id", &[3.0; 30]), None, "constant");
    let days = rows(180, |row| row % 10);
    assert_eq!(found("Days", &days), None, "ten days of each subject");
}

#[test]
fn coordinates_in_whole_numbers_are_no_ids() {
    let number = |row: usize, by: usize| (row * by % 10_007 * 97) as f64;
    let values: Vec<f64> = (0..500).flat_map(|row| [number(row, 7919), number(row, 3571)]).collect();
    for names in [["x", "y"], ["0", "1"], ["easting", "northing"]] {
        let columns = names.map(|name| FeatureColumn::number(ColumnRef::Name(name.into())));
        assert_eq!(find(&values, &columns, false), [None, None], "{names:?}");
        let id = columns.clone().map(|_| FeatureColumn::number(ColumnRef::Name("customer_id".into())));
        assert_eq!(find(&values, &id, false), [ID, ID], "the name tells");
    }
    // A number beside fractions, or in another range, has no peer.
    let values: Vec<f64> = (0..500).flat_map(|row| [number(row, 7919), number(row, 3571) / 1e3]).collect();
    let columns = ["a", "b"].map(|name| FeatureColumn::number(ColumnRef::Name(name.into())));
    assert!(matches!(find(&values, &columns, false)[0], Some(IdFinding::Doubt(IdSign::Distinct { .. }))));
    let codes = rows(500, |row| row * 7919 % 10_007 * 97);
    assert_eq!(found("AAPL.Volume", &codes), None, "an amount");
    assert_ne!(found("a", &codes), None);
}

#[test]
fn numbers_of_pairs_are_doubtful() {
    let groups = |rows| Some(IdFinding::Doubt(IdSign::Groups { rows }));
    assert_eq!(found("pair", &rows(42, |row| row / 2 + 1)), groups(2));
    assert_eq!(found("block", &rows(1200, |row| row / 4)), groups(4));
    assert_eq!(found("week", &rows(42, |row| row / 2 + 1)), None, "a time");
    assert_eq!(found("x", &rows(42, |row| row / 14)), None, "three groups");
    assert_eq!(found("x", &rows(42, |row| row * row / 80)), None, "no groups of one size");
}

#[test]
fn correlations_do_not_overflow() {
    let a = [-f64::MAX, 0.0, f64::MAX, f64::NAN];
    assert!((correlation(&a, &a) - 1.0).abs() < 1e-12);
    assert_eq!(correlation(&a, &[1.0; 4]), 0.0);
}

#[test]
fn columns_are_taken_out_in_place() {
    let mut values = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    remove(&mut values, &[true, false, false]);
    assert_eq!(values, [2.0, 3.0, 5.0, 6.0]);
}
