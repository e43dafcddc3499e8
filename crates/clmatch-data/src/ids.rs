//! Ids and row numbers among the features, found by what they hold.
//!
//! Measured numbers are nearly all different, too, so that only whole numbers come into question. Numbers that count the
//! rows from 0 or 1, and nearly all different ones under the name of an id, are left out. Whatever else looks like an id
//! stays in and is warned about: chest sizes from 33 to 48 count up, and so do the years of education of women and then of
//! men; beside a column that is called an id others that count are probably none. Nearly all different whole numbers do so only where no other feature goes along with them, since a
//! measurement is hardly ever unrelated to all others, and an id nearly always is.

use clmatch::Values;

use crate::dataset::Dataset;
use crate::error::ColumnRef;
use crate::glimpse::{ENOUGH_ROWS, NEARLY_ALL};
use crate::names::{IdName, has_x, id_name, is_named, is_ordered};
use crate::note::Note;
use crate::provenance::{Facts, IdSign, LeftOutColumn, LeftOutReason};
use crate::real::{Matrix, Real};
use crate::table::{Column, plain_name};

/// What a column looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Finding {
    /// To be left out.
    Id(LeftOutReason),
    /// To be warned about.
    Doubt(IdSign),
}

/// Takes the columns that are no features out of a table, before anything is done to its rows, and returns the names of
/// those that stay but may be ids.
pub(crate) fn take_out(
    matrix: &mut Matrix,
    columns: &mut Vec<Column>,
    facts: &mut Facts,
    notes: &mut Vec<Note>,
) -> Vec<String> {
    if facts.features_chosen {
        return Vec::new();
    }
    let has_id = !facts.left_out.is_empty();
    let found = match matrix {
        Matrix::F64(values) => find(values, columns, has_id),
        Matrix::F32(values) => find(values, columns, has_id),
    };
    notes.extend(kept_anyway(columns, &found, facts));
    let mut removed = vec![false; columns.len()];
    let mut doubtful = Vec::new();
    for (place, (column, finding)) in columns.iter().zip(&found).enumerate() {
        let name = plain_name(&column.name);
        match finding {
            Some(_) if facts.kept.contains(&column.name) => {}
            Some(Finding::Id(reason)) => {
                removed[place] = true;
                facts.left_out.push(LeftOutColumn { column: name, reason: *reason });
            }
            Some(Finding::Doubt(sign)) => {
                notes.push(Note::IdLike { column: name.clone(), sign: *sign });
                doubtful.push(name);
            }
            None => {}
        }
    }
    if removed.contains(&true) {
        match matrix {
            Matrix::F64(values) => remove(values, &removed),
            Matrix::F32(values) => remove(values, &removed),
        }
        let mut gone = removed.iter();
        columns.retain(|_| gone.next() == Some(&false));
    }
    doubtful
}

/// The features of a dataset that would be left out if they stood in a file, with their names or without.
pub(crate) fn like_ids(dataset: &Dataset, named: bool) -> Vec<String> {
    let name = |(place, name): (usize, &String)| match named {
        true => ColumnRef::Name(name.clone()),
        false => ColumnRef::Index(place),
    };
    let columns: Vec<Column> = dataset.features.iter().enumerate().map(name).map(Column::number).collect();
    let found = match &dataset.values {
        Values::F64(values) => find(values, &columns, false),
        Values::F32(values) => find(values, &columns, false),
    };
    let ids = columns.iter().zip(found).filter(|(_, finding)| matches!(finding, Some(Finding::Id(_))));
    ids.map(|(column, _)| plain_name(&column.name)).collect()
}

/// Columns of numbers that were to be kept for no reason; an option that does nothing is probably misunderstood.
fn kept_anyway(columns: &[Column], found: &[Option<Finding>], facts: &Facts) -> Option<Note> {
    let idle = columns.iter().zip(found).filter(|(column, finding)| {
        finding.is_none() && column.categories.is_none() && facts.kept.contains(&column.name)
    });
    let columns: Vec<String> = idle.map(|(column, _)| plain_name(&column.name)).collect();
    (!columns.is_empty()).then_some(Note::KeptAnyway { columns })
}

/// Takes columns out of a row-major matrix, in place.
fn remove<T: Real>(values: &mut Vec<T>, removed: &[bool]) {
    let mut column = 0;
    values.retain(|_| {
        let kept = !removed[column];
        column = (column + 1) % removed.len();
        kept
    });
}

/// Looks at each column; `has_id` says that an id was found already.
fn find<T: Real>(values: &[T], columns: &[Column], mut has_id: bool) -> Vec<Option<Finding>> {
    let names: Vec<_> = columns.iter().map(|column| column.name.clone()).collect();
    let coordinates = has_x(&names) && names.iter().any(|name| is_named(name, "y"));
    let finding = |(place, column): (usize, &Column)| {
        if column.categories.is_some() {
            return None;
        }
        let name = &column.name;
        let is_coordinate = coordinates && ["x", "y", "z"].iter().any(|known| is_named(name, known));
        let numbers = Numbers::of(values, columns.len(), place, id_name(name) == IdName::Clearly)?;
        judge(&numbers, id_name(name), is_coordinate || is_ordered(name), || {
            related(values, columns.len(), place)
        })
    };
    let mut found: Vec<Option<Finding>> = columns.iter().enumerate().map(finding).collect();
    let is_named = |column: &Column| id_name(&column.name) != IdName::No;
    let ids = |finding: &Option<Finding>| matches!(finding, Some(Finding::Id(_)));
    has_id |= columns.iter().zip(&found).any(|(column, finding)| ids(finding) && is_named(column));
    // One column numbers the rows.
    for (column, finding) in columns.iter().zip(&mut found) {
        if ids(finding) && !is_named(column) {
            if has_id {
                *finding = Some(Finding::Doubt(IdSign::Consecutive));
            }
            has_id = true;
        }
    }
    found
}

/// What the whole numbers of a column are like.
#[derive(Debug, Default)]
struct Numbers {
    rows: usize,
    distinct: usize,
    /// How often a number is that of the row before plus one.
    steps: usize,
    /// Whether every number is larger than that of the row before.
    rising: bool,
    falling: bool,
    least: f64,
    /// From the smallest to the largest number.
    range: f64,
}

impl Numbers {
    /// Rows that tell quickly whether a closer look is worth it: most columns are not whole, or have few values.
    const FIRST: usize = 256;

    /// `None` if the column cannot be an id; `patient` looks at all rows however often values are repeated.
    fn of<T: Real>(values: &[T], features: usize, column: usize, patient: bool) -> Option<Self> {
        const PROMISING: f64 = 0.8;
        let all = || values.iter().skip(column).step_by(features).map(|value| value.to_f64());
        let first = Self::gather(all().take(Self::FIRST))?;
        let bar = PROMISING * first.rows as f64;
        if !patient && (first.distinct as f64) < bar && (first.steps as f64) < bar {
            return None;
        }
        if first.rows < Self::FIRST { Some(first) } else { Self::gather(all()) }
    }

    fn gather(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let mut found = Numbers { rising: true, falling: true, ..Numbers::default() };
        let mut sorted: Vec<f64> = Vec::new();
        for number in numbers {
            if number.fract() != 0.0 || !number.is_finite() {
                return None;
            }
            if let Some(&last) = sorted.last() {
                found.steps += usize::from(number - last == 1.0);
                found.rising &= number > last;
                found.falling &= number < last;
            }
            sorted.push(number);
        }
        found.rows = sorted.len();
        sorted.sort_unstable_by(f64::total_cmp);
        found.least = sorted.first().copied().unwrap_or(0.0);
        found.range = sorted.last().zip(sorted.first()).map_or(0.0, |(most, least)| most - least);
        sorted.dedup();
        found.distinct = sorted.len();
        (found.distinct > 1).then_some(found)
    }

    fn nearly_distinct(&self) -> bool {
        self.distinct as f64 >= NEARLY_ALL * self.rows as f64
    }

    /// Counts the rows, but for a few jumps.
    fn counts(&self) -> bool {
        const FEW_JUMPS: f64 = 0.95;
        self.steps as f64 >= FEW_JUMPS * (self.rows - 1) as f64
    }

    /// Starts where numbers of rows do; the first rows may be among those that are missing.
    fn starts_low(&self) -> bool {
        const FIRST_FEW: f64 = 10.0;
        self.least == 0.0
            || self.least == 1.0
            || (self.counts_with_gaps() && (0.0..=FIRST_FEW).contains(&self.least))
    }

    /// Only grows, and leaves out few numbers: row numbers of which some are missing. In measurements that lie so densely
    /// some would be the same.
    fn counts_with_gaps(&self) -> bool {
        const ROWS: usize = 50;
        const GAPS: f64 = 4.0;
        self.rising && self.rows >= ROWS && self.range < GAPS * self.rows as f64
    }
}

/// Fewer rows than this are too few to suspect numbers that do not count and have no telling name.
const ENOUGH_TO_DOUBT: usize = 20;

/// Weighs what a column holds and how it is called; `ordered` says that its name is that of a time or a place.
fn judge(numbers: &Numbers, name: IdName, ordered: bool, related: impl FnOnce() -> bool) -> Option<Finding> {
    let nearly_distinct = numbers.nearly_distinct();
    let counts = numbers.rows >= ENOUGH_ROWS && (numbers.counts() || numbers.counts_with_gaps());
    if name != IdName::No && nearly_distinct && !ordered {
        return Some(Finding::Id(if counts { LeftOutReason::RowNumbers } else { LeftOutReason::Id }));
    }
    if counts {
        return Some(if ordered || !nearly_distinct || !numbers.starts_low() {
            Finding::Doubt(IdSign::Consecutive)
        } else {
            Finding::Id(LeftOutReason::RowNumbers)
        });
    }
    if name == IdName::Clearly && numbers.rows >= ENOUGH_ROWS {
        return Some(Finding::Doubt(IdSign::Name));
    }
    if !nearly_distinct || numbers.rows < ENOUGH_TO_DOUBT {
        return None;
    }
    let rows = numbers.rows as f64;
    let sign = if numbers.rising || numbers.falling {
        IdSign::Sorted
    } else if numbers.distinct == numbers.rows && numbers.range == rows - 1.0 {
        IdSign::Permutation
    } else if !related() {
        IdSign::Distinct { values: numbers.distinct, rows: numbers.rows }
    } else {
        return None;
    };
    Some(Finding::Doubt(sign))
}

/// Whether any other feature goes along with a column: a correlation that chance hardly gives.
fn related<T: Real>(values: &[T], features: usize, column: usize) -> bool {
    const ROWS: usize = 5000;
    const WEAK: f64 = 0.3;
    const CHANCE: f64 = 3.0;
    let rows = (values.len() / features).min(ROWS);
    let bar = WEAK.max(CHANCE / (rows as f64).sqrt());
    let of = |column: usize| -> Vec<f64> {
        values.iter().skip(column).step_by(features).take(rows).map(|value| value.to_f64()).collect()
    };
    let own = of(column);
    (0..features).filter(|&other| other != column).any(|other| correlation(&own, &of(other)).abs() >= bar)
}

/// Pearson's correlation of the rows in which neither value is missing; 0 where either does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let both: Vec<(f64, f64)> =
        a.iter().copied().zip(b.iter().copied()).filter(|(a, b)| a.is_finite() && b.is_finite()).collect();
    let count = both.len() as f64;
    // Divided before they are added, and halved before they are subtracted, so that nothing overflows.
    let mean = |of: fn(&(f64, f64)) -> f64| both.iter().map(|pair| of(pair) / count).sum::<f64>();
    let (mean_a, mean_b) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let largest = both.iter().fold((0.0_f64, 0.0_f64), |most, (a, b)| {
        (most.0.max((a / 2.0 - mean_a / 2.0).abs()), most.1.max((b / 2.0 - mean_b / 2.0).abs()))
    });
    if largest.0 == 0.0 || largest.1 == 0.0 {
        return 0.0;
    }
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (a, b) in both {
        let a = (a / 2.0 - mean_a / 2.0) / largest.0;
        let b = (b / 2.0 - mean_b / 2.0) / largest.1;
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    ab / (aa * bb).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The finding about the first of two columns; the other one is noise.
    fn found(name: &str, numbers: &[f64]) -> Option<Finding> {
        let noise = |row: usize| ((row * 7919 + 13) % 1009) as f64 / 8.0;
        let values: Vec<f64> =
            numbers.iter().enumerate().flat_map(|(row, &number)| [number, noise(row)]).collect();
        let columns = [name, "noise"].map(|name| Column::number(ColumnRef::Name(name.into())));
        find(&values, &columns, false)[0]
    }

    fn rows(count: usize, number: impl Fn(usize) -> usize) -> Vec<f64> {
        (0..count).map(|row| number(row) as f64).collect()
    }

    /// A permutation of 0 to 100.
    fn shuffled(row: usize) -> usize {
        row * 37 % 101
    }

    const ROW_NUMBERS: Option<Finding> = Some(Finding::Id(LeftOutReason::RowNumbers));
    const COUNTS: Option<Finding> = Some(Finding::Doubt(IdSign::Consecutive));
    const ID: Option<Finding> = Some(Finding::Id(LeftOutReason::Id));

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
            find(&values, &names.map(|name| Column::number(ColumnRef::Name(name.into()))), has_id)
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
        assert_eq!(found("patient_id", &groups), Some(Finding::Doubt(IdSign::Name)));
        assert_eq!(found("number", &groups), None);
        assert_eq!(found("id", &[1.5, 2.5, 3.5]), None, "fractions are no ids");
    }

    #[test]
    fn what_may_be_an_id_is_doubtful() {
        let codes = rows(101, |row| 100_000 + shuffled(row) * shuffled(row));
        let sign = IdSign::Distinct { values: 101, rows: 101 };
        assert_eq!(found("a", &codes), Some(Finding::Doubt(sign)));
        assert_eq!(found("a", &codes[..19]), None);
        let sorted = rows(40, |row| row * row * 100);
        assert_eq!(found("a", &sorted), Some(Finding::Doubt(IdSign::Sorted)));
        assert_eq!(found("a", &rows(101, shuffled)), Some(Finding::Doubt(IdSign::Permutation)));
    }

    #[test]
    fn measurements_are_no_ids() {
        // Whole numbers that go along with another feature: an area in pixels and a perimeter.
        let columns = ["area", "perimeter"].map(|name| Column::number(ColumnRef::Name(name.into())));
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
}
