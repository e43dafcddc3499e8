//! Two classes along the line that separates them.

use clmatch::{Classes, DataError};
use clmatch_data::Dataset;
use clmatch_kernels::linalg::{Rows, discriminant, unit};

use super::principal::{class_rows, place, rows_of};
use super::{PairLine, PairPlane, PlacedClass};

/// Classes with fewer points than this are not halved to find a line.
const HALVED_FROM: usize = 20;
/// At most this many points of a class are shown.
const MOST: usize = 250;
/// Bins along the line.
const BINS: usize = 36;

/// The rows of both classes that determine the line, and those that are shown.
struct Halves {
    fitted: [Vec<usize>; 2],
    shown: [Vec<usize>; 2],
    line: PairLine,
}

/// The plane of a pair, with at most `room` points of each class.
pub(super) fn plane(
    dataset: &Dataset,
    classes: &Classes<'_>,
    (a, b): (usize, usize),
    room: usize,
) -> Result<PairPlane, DataError> {
    let halves = halves(classes, [a, b], room.clamp(2, MOST));
    let fitted = [rows_of(classes, &halves.fitted[0])?, rows_of(classes, &halves.fitted[1])?];
    let means = [fitted[0].mean(), fitted[1].mean()];
    let middle: Vec<f64> = means[0].iter().zip(&means[1]).map(|(a, b)| (a + b) / 2.0).collect();
    let across = across(fitted, &means, halves.line);
    let shown = [rows_of(classes, &halves.shown[0])?, rows_of(classes, &halves.shown[1])?];
    let shown = shown.map(|rows| rows.around(&middle));
    let up = beside(&shown, &across);
    let class = |at: usize, class: usize| PlacedClass {
        class: classes.names()[class].clone(),
        points: place(dataset, &halves.shown[at], &shown[at], [Some(&across), up.as_deref()]),
    };
    let (first, second) = (class(0, a), class(1, b));
    let (bins, counts) = binned([&first, &second]);
    Ok(PairPlane {
        a: first,
        b: second,
        line: halves.line,
        has_second: up.is_some(),
        bins,
        counts,
        of: classes.size(a) + classes.size(b),
    })
}

/// Uses every other row to determine the line and shows the rest; uses all rows for both if there are few.
fn halves(classes: &Classes<'_>, pair: [usize; 2], room: usize) -> Halves {
    let few = pair.iter().any(|&class| classes.size(class) < HALVED_FROM);
    if few {
        let rows = pair.map(|class| class_rows(classes, class, room));
        return Halves { fitted: rows.clone(), shown: rows, line: PairLine::Centres };
    }
    let rows = pair.map(|class| class_rows(classes, class, 2 * room));
    let every_other = |first: usize| {
        [0, 1].map(|class: usize| rows[class].iter().copied().skip(first).step_by(2).collect::<Vec<usize>>())
    };
    Halves { fitted: every_other(0), shown: every_other(1), line: PairLine::Discriminant }
}

/// The direction from the first class towards the second; the first feature if both have the same centre.
fn across([a, b]: [Rows; 2], means: &[Vec<f64>; 2], line: PairLine) -> Vec<f64> {
    let difference: Vec<f64> = means[1].iter().zip(&means[0]).map(|(b, a)| b - a).collect();
    let found = match line {
        PairLine::Centres => unit(difference),
        PairLine::Discriminant => {
            let features = a.features;
            let mut values = a.around(&means[0]).values;
            values.extend(b.around(&means[1]).values);
            discriminant(&Rows { features, values }, &difference)
        }
    };
    found.unwrap_or_else(|| {
        let mut first = vec![0.0; means[0].len()];
        first[0] = 1.0;
        first
    })
}

/// The direction beside the line in which both classes spread most, if they spread at all.
fn beside([a, b]: &[Rows; 2], across: &[f64]) -> Option<Vec<f64>> {
    if a.features < 2 {
        return None;
    }
    let mut both = Rows { features: a.features, values: [&a.values[..], &b.values].concat() };
    let mean = both.mean();
    both = both.around(&mean).beside(across);
    both.widest(1)
        .into_iter()
        .next()
        .filter(|direction| direction.variance > 0.0)
        .map(|direction| direction.axis)
}

/// How many points of either class lie in each bin between the first and the last point of both.
fn binned(classes: [&PlacedClass; 2]) -> ([f64; 2], [Vec<usize>; 2]) {
    let all = || classes.iter().flat_map(|class| class.points.iter().map(|point| point.x));
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let wide = high - low;
    let counts = classes.map(|class| {
        let mut counts = vec![0; BINS];
        for point in &class.points {
            let share = if wide > 0.0 { (point.x - low) / wide } else { 0.5 };
            counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
        counts
    });
    ([low, high], counts)
}
