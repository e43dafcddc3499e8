//! Changes of a few points after which a measure violates an axiom.

use clmatch::measure::{Measure, find};
use clmatch::{Classes, Labels, Points, evaluate};

use crate::failure::Failure;

/// Two classes of points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TwoClasses {
    pub(super) rows: Vec<Vec<f64>>,
    /// The number of points of the first class; the others are of the second.
    pub(super) first: usize,
}

impl TwoClasses {
    pub(super) fn new<const D: usize>(rows: &[[f64; D]], first: usize) -> TwoClasses {
        TwoClasses { rows: rows.iter().map(|row| row.to_vec()).collect(), first }
    }

    /// The value of a measure.
    pub(super) fn value(&self, measure: &'static Measure) -> Result<f64, Failure> {
        let features = self.rows.first().map_or(0, Vec::len);
        let labels = Labels::encode((0..self.rows.len()).map(|row| row >= self.first));
        let classes = Classes::new(Points::new(self.rows.concat(), features)?, &labels)?;
        Ok(evaluate(&classes, &[measure])?.scores[0].1.value)
    }

    /// Adds a private coordinate to every point, which adds `beta` to every squared distance.
    pub(super) fn shifted(&self, beta: f64) -> TwoClasses {
        let private = (beta / 2.0).sqrt();
        let row = |(at, row): (usize, &Vec<f64>)| {
            let own = (0..self.rows.len()).map(|other| if other == at { private } else { 0.0 });
            row.iter().copied().chain(own).collect()
        };
        TwoClasses { rows: self.rows.iter().enumerate().map(row).collect(), first: self.first }
    }

    /// Written as `(0, 1) (0, 0) | (1, 1) (1, 0)`, where a bar separates the classes.
    pub(super) fn shown(&self) -> String {
        let width = self.rows.first().map_or(0, Vec::len);
        // Coordinates that are 0 everywhere are left out.
        let used =
            (0..width).rev().find(|&at| self.rows.iter().any(|row| row[at] != 0.0)).map_or(1, |at| at + 1);
        let point = |row: &Vec<f64>| {
            let numbers: Vec<String> =
                row[..used].iter().map(|value| value.to_string().replace('-', "−")).collect();
            format!("({})", numbers.join(", "))
        };
        let class = |rows: &[Vec<f64>]| rows.iter().map(point).collect::<Vec<_>>().join(" ");
        format!("{} | {}", class(&self.rows[..self.first]), class(&self.rows[self.first..]))
    }
}

/// A change of points, and how the value of a measure changes.
#[derive(Debug, Clone)]
pub(super) struct Counterexample {
    pub(super) measure: &'static Measure,
    pub(super) points: TwoClasses,
    /// The points after the change, or a description if all points change in the same way.
    pub(super) change: String,
    pub(super) before: f64,
    pub(super) after: f64,
}

/// Measures, and changes that shrink no distance between classes and stretch none within, but lower the score: the
/// normalisers s1 and s2 react to the change. They were found by a random search over small integer coordinates.
fn inconsistent() -> Vec<(&'static str, TwoClasses, TwoClasses)> {
    let pair = |before: &[[f64; 3]], after: &[[f64; 3]], first: usize| {
        (TwoClasses::new(before, first), TwoClasses::new(after, first))
    };
    let list = [
        (
            "ch_a",
            pair(
                &[[0., 1., 0.], [1., 0., 0.], [0., 0., 0.], [0., 0., 0.], [1., 0., 0.], [1., 1., 0.]],
                &[[-1., 0., 0.], [0., -1., 0.], [0., 0., 0.], [0., 0., 0.], [1., 0., 0.], [2., 0., 0.]],
                4,
            ),
        ),
        (
            "xb_a",
            pair(
                &[[1., 0., 0.], [0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [1., 0., 0.]],
                &[[1., 0., 0.], [0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [1., 0., 0.]],
                3,
            ),
        ),
        (
            "db_a",
            pair(
                &[[4., 1., 0.], [4., 4., 0.], [1., 2., 0.], [0., 5., 0.]],
                &[[4., 2., 0.], [4., 4., 0.], [1., 2., 8.], [1., 4., 8.]],
                2,
            ),
        ),
        (
            "di_a",
            pair(
                &[[0., 1., 0.], [0., 2., 0.], [2., 1., 0.], [1., 0., 0.]],
                &[[0., 1., 0.], [-1., 1., 0.], [2., 1., 0.], [1., 0., 0.]],
                2,
            ),
        ),
        (
            "sc_a",
            pair(
                &[[0., 1., 0.], [0., 0., 0.], [1., 1., 0.], [1., 0., 0.]],
                &[[0., 1., 0.], [-1., 1., 0.], [1., 1., 0.], [1., 0., 0.]],
                2,
            ),
        ),
    ];
    list.into_iter().map(|(id, (before, after))| (id, before, after)).collect()
}

/// Whether no distance within a class grows and no distance between classes shrinks.
pub(super) fn is_consistent(before: &TwoClasses, after: &TwoClasses) -> bool {
    let square = |points: &TwoClasses, x: usize, y: usize| -> f64 {
        points.rows[x].iter().zip(&points.rows[y]).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    (0..before.rows.len()).all(|x| {
        (0..x).all(|y| {
            let (old, new) = (square(before, x, y), square(after, x, y));
            if (x < before.first) == (y < before.first) { new <= old } else { new >= old }
        })
    })
}

/// W2: each adjusted measure under its own change.
pub(super) fn of_consistency() -> Result<Vec<Counterexample>, Failure> {
    let mut all = Vec::new();
    for (id, before, after) in inconsistent() {
        let Some(measure) = find(id) else { continue };
        debug_assert!(is_consistent(&before, &after), "{id}");
        all.push(Counterexample {
            measure,
            change: after.shown(),
            before: before.value(measure)?,
            after: after.value(measure)?,
            points: before,
        });
    }
    Ok(all)
}

/// Four points, two in each class; all adjusted measures are defined on them.
pub(super) fn four_points() -> TwoClasses {
    TwoClasses::new(&[[0.0, 4.0], [2.0, 4.0], [2.0, 3.0], [4.0, 2.0]], 2)
}

/// The number that is added to every squared distance.
pub(super) const SHIFT: f64 = 10.0;

/// A2: the measures that the paper calls shift invariant, on four points.
pub(super) fn of_shift() -> Result<Vec<Counterexample>, Failure> {
    let points = four_points();
    let shifted = points.shifted(SHIFT);
    let mut all = Vec::new();
    for measure in ["ch_a", "xb_a", "db_a", "di_a", "sc_a", "ch_c", "db_c", "clm", "clm_pairs"]
        .into_iter()
        .filter_map(find)
    {
        all.push(Counterexample {
            measure,
            points: points.clone(),
            change: format!("{SHIFT} added to every squared distance"),
            before: points.value(measure)?,
            after: shifted.value(measure)?,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_consistent_and_every_score_falls() {
        for (id, before, after) in inconsistent() {
            assert!(is_consistent(&before, &after), "{id}");
            assert!(!is_consistent(&after, &before), "{id}");
        }
        let all = of_consistency().unwrap();
        assert_eq!(all.len(), 5);
        for one in all {
            assert!(one.before - one.after > 0.01, "{}: {} to {}", one.measure.id, one.before, one.after);
        }
    }

    #[test]
    fn a_shift_moves_the_published_measures_and_leaves_the_corrected_ones() {
        for one in of_shift().unwrap() {
            let moved = (one.before - one.after).abs();
            match one.measure.id {
                "ch_c" | "db_c" | "clm" | "clm_pairs" => {
                    assert!(moved < 1e-9, "{} moves by {moved}", one.measure.id);
                }
                id => assert!(moved > 0.01, "{id} moves by {moved} only"),
            }
        }
    }

    #[test]
    fn points_are_shown_without_empty_coordinates() {
        let points = TwoClasses::new(&[[0.0, -1.0, 0.0], [2.0, 0.0, 0.0]], 1);
        assert_eq!(points.shown(), "(0, −1) | (2, 0)");
    }
}
