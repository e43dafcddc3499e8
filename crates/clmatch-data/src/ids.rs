//! Ids and row numbers among the features, found by what they hold.
//!
//! Measured numbers are nearly all different, too, so only columns of whole numbers can be ids. Numbers that count the rows from
//! 0 or 1 are left out, and so are nearly all different numbers in a column that is named like an id. Whatever else looks like an
//! id stays in, with a warning: chest sizes from 33 to 48 count up, and so do the years of education of women and then of men;
//! and if one column is named like an id, others that count are probably not ids. Nearly all different whole numbers in any order
//! get a warning only if no other feature goes along with them: a measurement is hardly ever unrelated to all others, and an id
//! nearly always is; and only if no other feature is of the same kind, as coordinates are.

use clmatch::Values;

use crate::dataset::Dataset;
use crate::error::ColumnRef;
use crate::glimpse::{ENOUGH_ROWS, NEARLY_ALL};
use crate::names::{IdName, has_x, id_name, is_amount, is_named, is_ordered};
use crate::note::Note;
use crate::provenance::{Facts, IdSign, LeftOutColumn, LeftOutReason};
use crate::real::{FloatMatrix, MatrixElement};
use crate::table::{FeatureColumn, plain_name};

/// What a column looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum IdFinding {
    /// The column is left out.
    Id(LeftOutReason),
    /// The column stays, with a warning.
    Doubt(IdSign),
}

/// Takes the columns that are not features out of a table, before anything is done to its rows. Returns the names of the columns
/// that stay but may be ids.
pub(crate) fn take_out(
    matrix: &mut FloatMatrix,
    columns: &mut Vec<FeatureColumn>,
    facts: &mut Facts,
    notes: &mut Vec<Note>,
) -> Vec<String> {
    let found = match matrix {
        FloatMatrix::F64(values) => among(values, columns, facts, notes),
        FloatMatrix::F32(values) => among(values, columns, facts, notes),
    };
    without(matrix, columns, &found.removed);
    found.doubtful
}

/// Takes columns out of a table.
pub(crate) fn without(matrix: &mut FloatMatrix, columns: &mut Vec<FeatureColumn>, removed: &[bool]) {
    if removed.contains(&true) {
        match matrix {
            FloatMatrix::F64(values) => remove(values, removed),
            FloatMatrix::F32(values) => remove(values, removed),
        }
        let mut gone = removed.iter();
        columns.retain(|_| gone.next() == Some(&false));
    }
}

/// Columns that are ids, and those that may be.
#[derive(Debug)]
pub(crate) struct Ids {
    /// For each column, whether it is removed because it is not a feature.
    pub(crate) removed: Vec<bool>,
    /// Features that may be ids.
    pub(crate) doubtful: Vec<String>,
}

/// Finds ids among the columns of a matrix, and records them.
pub(crate) fn among<T: MatrixElement>(
    values: &[T],
    columns: &[FeatureColumn],
    facts: &mut Facts,
    notes: &mut Vec<Note>,
) -> Ids {
    let mut ids = Ids { removed: vec![false; columns.len()], doubtful: Vec::new() };
    if facts.features_chosen {
        return ids;
    }
    let found = find(values, columns, !facts.left_out.is_empty());
    notes.extend(kept_anyway(columns, &found, facts));
    for (place, (column, finding)) in columns.iter().zip(&found).enumerate() {
        let name = plain_name(&column.name);
        match finding {
            Some(_) if facts.kept.contains(&column.name) => {}
            Some(IdFinding::Id(reason)) => {
                ids.removed[place] = true;
                facts.left_out.push(LeftOutColumn { column: name, reason: *reason });
            }
            Some(IdFinding::Doubt(sign)) => {
                notes.push(Note::IdLike { column: name.clone(), sign: *sign });
                ids.doubtful.push(name);
            }
            None => {}
        }
    }
    ids
}

/// Whether further rows of a column that was left out as an id still look like one. A few rows are not enough to deny it.
pub(crate) fn still_an_id(values: &[f64], features: usize, column: usize) -> bool {
    values.len() / features < WholeNumbers::FIRST
        || WholeNumbers::of(values, features, column, true).is_some_and(|numbers| numbers.nearly_distinct())
}

/// The features of a dataset that would be left out if it were read from a file, with their names or without them.
pub(crate) fn like_ids(dataset: &Dataset, named: bool) -> Vec<String> {
    let name = |(place, name): (usize, &String)| match named {
        true => ColumnRef::Name(name.clone()),
        false => ColumnRef::Index(place),
    };
    let columns: Vec<FeatureColumn> =
        dataset.features.iter().enumerate().map(name).map(FeatureColumn::number).collect();
    let found = match &dataset.values {
        Values::F64(values) => find(values, &columns, false),
        Values::F32(values) => find(values, &columns, false),
    };
    let ids = columns.iter().zip(found).filter(|(_, finding)| matches!(finding, Some(IdFinding::Id(_))));
    ids.map(|(column, _)| plain_name(&column.name)).collect()
}

/// The note on columns of numbers that an option keeps although nothing would leave them out: an option without effect is
/// probably a misunderstanding.
fn kept_anyway(columns: &[FeatureColumn], found: &[Option<IdFinding>], facts: &Facts) -> Option<Note> {
    let idle = columns.iter().zip(found).filter(|(column, finding)| {
        finding.is_none()
            && column.categories.is_none()
            && facts.kept.contains(&column.name)
            && !facts.kept_rightly.contains(&column.name)
    });
    let columns: Vec<String> = idle.map(|(column, _)| plain_name(&column.name)).collect();
    (!columns.is_empty()).then_some(Note::KeptAnyway { columns })
}

/// Takes columns out of a row-major matrix, in place.
pub(crate) fn remove<T: MatrixElement>(values: &mut Vec<T>, removed: &[bool]) {
    let mut column = 0;
    values.retain(|_| {
        let kept = !removed[column];
        column = (column + 1) % removed.len();
        kept
    });
}

/// Examines each column; `has_id` says whether an id was found already.
fn find<T: MatrixElement>(
    values: &[T],
    columns: &[FeatureColumn],
    mut has_id: bool,
) -> Vec<Option<IdFinding>> {
    let names: Vec<_> = columns.iter().map(|column| column.name.clone()).collect();
    let peers = peers(values, columns.len());
    let coordinates = has_x(&names) && names.iter().any(|name| is_named(name, "y"));
    let finding = |(place, column): (usize, &FeatureColumn)| {
        if column.categories.is_some() {
            return None;
        }
        let name = &column.name;
        let is_coordinate = coordinates && ["x", "y", "z"].iter().any(|known| is_named(name, known));
        let numbers = WholeNumbers::of(values, columns.len(), place, id_name(name) == IdName::Clearly)?;
        let measured = || is_amount(name) || peers.contains(&place) || related(values, columns.len(), place);
        judge(&numbers, id_name(name), is_coordinate || is_ordered(name), measured)
    };
    let mut found: Vec<Option<IdFinding>> = columns.iter().enumerate().map(finding).collect();
    let is_named = |column: &FeatureColumn| id_name(&column.name) != IdName::No;
    let ids = |finding: &Option<IdFinding>| matches!(finding, Some(IdFinding::Id(_)));
    has_id |= columns.iter().zip(&found).any(|(column, finding)| ids(finding) && is_named(column));
    // Only one column numbers the rows.
    for (column, finding) in columns.iter().zip(&mut found) {
        if ids(finding) && !is_named(column) {
            if has_id {
                *finding = Some(IdFinding::Doubt(IdSign::Consecutive));
            }
            has_id = true;
        }
    }
    found
}

/// Columns of the same kind, which are coordinates or other measurements and no ids: two or more of whole numbers in no order,
/// nearly all different, in ranges that hardly differ.
fn peers<T: MatrixElement>(values: &[T], features: usize) -> Vec<usize> {
    const ALIKE: f64 = 4.0;
    let is_spread = |numbers: &WholeNumbers| {
        numbers.nearly_distinct() && !numbers.rising && !numbers.falling && !numbers.counts()
    };
    let all =
        (0..features).filter_map(|place| Some((place, WholeNumbers::of(values, features, place, false)?)));
    let all: Vec<(usize, WholeNumbers)> = all.filter(|(_, numbers)| is_spread(numbers)).collect();
    let alike = |a: f64, b: f64| a <= ALIKE * b && b <= ALIKE * a;
    let has_peer = |place: usize, range: f64| {
        all.iter().any(|(other, numbers)| *other != place && alike(range, numbers.range))
    };
    all.iter().filter(|(place, numbers)| has_peer(*place, numbers.range)).map(|(place, _)| *place).collect()
}

/// What the whole numbers of a column are like.
#[derive(Debug, Default)]
struct WholeNumbers {
    rows: usize,
    distinct: usize,
    /// How often a number is one more than that of the row before.
    steps: usize,
    /// How often a number is that of the row before.
    repeats: usize,
    /// How many rows share each number, if these are equally many and follow each other.
    group: Option<usize>,
    /// Whether every number is larger than that of the row before.
    rising: bool,
    falling: bool,
    least: f64,
    /// The difference between the largest and the smallest number.
    range: f64,
}

impl WholeNumbers {
    /// This many rows show quickly whether a closer look is worth it: most columns are not whole, or have few values.
    const FIRST: usize = 256;

    /// `None` if the column cannot be an id; if `patient`, all rows are examined, even if values repeat.
    fn of<T: MatrixElement>(values: &[T], features: usize, column: usize, patient: bool) -> Option<Self> {
        const PROMISING: f64 = 0.8;
        let all = || {
            let numbers = values.iter().skip(column).step_by(features).map(|value| value.to_f64());
            // Missing values do not count.
            numbers.filter(|number| !number.is_nan())
        };
        let first = Self::gather(all().take(Self::FIRST))?;
        let bar = PROMISING * first.rows as f64;
        let grouped = first.repeats + first.steps + 1 == first.rows;
        if !patient && !grouped && (first.distinct as f64) < bar && (first.steps as f64) < bar {
            return None;
        }
        if first.rows < Self::FIRST { Some(first) } else { Self::gather(all()) }
    }

    fn gather(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let mut found = WholeNumbers { rising: true, falling: true, ..WholeNumbers::default() };
        let mut sorted: Vec<f64> = Vec::new();
        for number in numbers {
            if number.fract() != 0.0 || !number.is_finite() {
                return None;
            }
            if let Some(&last) = sorted.last() {
                found.steps += usize::from(number - last == 1.0);
                found.repeats += usize::from(number == last);
                found.rising &= number > last;
                found.falling &= number < last;
            }
            sorted.push(number);
        }
        found.rows = sorted.len();
        let mut runs = sorted.chunk_by(f64::eq).map(<[f64]>::len);
        // The first look may cut the last run off.
        found.group = runs.next().filter(|&first| runs.all(|rows| rows == first));
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

    /// Whether the numbers count the rows, except for a few jumps.
    fn counts(&self) -> bool {
        const FEW_JUMPS: f64 = 0.95;
        self.steps as f64 >= FEW_JUMPS * (self.rows - 1) as f64
    }

    /// Whether the numbers count the rows, except that some rows share a number with the one before.
    fn counts_with_repeats(&self) -> bool {
        const ROWS: usize = 50;
        const MOST: f64 = 0.8;
        let after_the_first = self.rows - 1;
        self.rows >= ROWS
            && self.steps + self.repeats == after_the_first
            && self.steps as f64 >= MOST * after_the_first as f64
    }

    /// How many rows share a number, if the numbers count groups of equally many rows: more groups than rows in a group.
    fn counts_groups(&self) -> Option<usize> {
        const GROUPS: usize = 10;
        self.group.filter(|&rows| {
            rows > 1
                && self.distinct >= GROUPS.max(rows)
                && self.repeats + self.steps + 1 == self.rows
                && self.steps + 1 == self.distinct
        })
    }

    /// Whether the numbers start as row numbers do; the first few rows may be missing.
    fn starts_low(&self) -> bool {
        const FIRST_FEW: f64 = 10.0;
        self.least == 0.0
            || self.least == 1.0
            || (self.counts_with_gaps() && (0.0..=FIRST_FEW).contains(&self.least))
    }

    /// Whether the numbers only grow and skip few others, like row numbers of which some are missing. Measurements packed so
    /// densely would have some equal values.
    fn counts_with_gaps(&self) -> bool {
        const ROWS: usize = 50;
        const GAPS: f64 = 4.0;
        self.rising && self.rows >= ROWS && self.range < GAPS * self.rows as f64
    }
}

/// With fewer rows than this, numbers that do not count and have no telling name are not suspected.
const ENOUGH_TO_DOUBT: usize = 20;
/// With fewer rows than this, equal numbers say that they are measured.
const ENOUGH_FOR_REPEATS: usize = 100;

/// Judges a column by its numbers and its name; `ordered` says that the name is that of a time or a place, and `measured` that
/// another feature or the name shows a measurement.
fn judge(
    numbers: &WholeNumbers,
    name: IdName,
    ordered: bool,
    measured: impl FnOnce() -> bool,
) -> Option<IdFinding> {
    let nearly_distinct = numbers.nearly_distinct();
    let counts = numbers.rows >= ENOUGH_ROWS
        && (numbers.counts() || numbers.counts_with_gaps() || numbers.counts_with_repeats());
    if name != IdName::No && nearly_distinct && !ordered {
        return Some(IdFinding::Id(if counts { LeftOutReason::RowNumbers } else { LeftOutReason::Id }));
    }
    if counts {
        return Some(if ordered || !nearly_distinct || !numbers.starts_low() {
            IdFinding::Doubt(IdSign::Consecutive)
        } else {
            IdFinding::Id(LeftOutReason::RowNumbers)
        });
    }
    if name == IdName::Clearly && numbers.rows >= ENOUGH_ROWS {
        return Some(IdFinding::Doubt(IdSign::Name));
    }
    if let Some(rows) = numbers.counts_groups().filter(|_| !ordered) {
        return Some(IdFinding::Doubt(IdSign::Groups { rows }));
    }
    if !nearly_distinct || numbers.rows < ENOUGH_TO_DOUBT {
        return None;
    }
    let rows = numbers.rows as f64;
    let sign = if numbers.rising || numbers.falling {
        IdSign::Sorted
    } else if numbers.distinct == numbers.rows && numbers.range == rows - 1.0 {
        IdSign::Permutation
    } else if (numbers.distinct == numbers.rows || numbers.rows >= ENOUGH_FOR_REPEATS) && !measured() {
        IdSign::Distinct { values: numbers.distinct, rows: numbers.rows }
    } else {
        return None;
    };
    Some(IdFinding::Doubt(sign))
}

/// Whether any other feature goes along with a column: they have a correlation that chance hardly produces.
fn related<T: MatrixElement>(values: &[T], features: usize, column: usize) -> bool {
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
    // Divides before it adds and halves before it subtracts, so that nothing overflows.
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
mod tests;
