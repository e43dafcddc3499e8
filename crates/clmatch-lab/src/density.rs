//! How far scores move when the classes are sampled less densely.
//!
//! Axiom A1 requires that a score does not depend on how many points a class has. Two terms of `clm` do: neighbours and
//! gaps between points depend on how close together the points lie. Here a half, a quarter and a tenth of the points of
//! each class are kept, several times each, and compared with all points.

use clmatch::{Classes, DataError, Evaluation, Labels, Points, evaluate, measure};
use clmatch_kernels::Control;
use clmatch_render::number::significant;
use clmatch_render::{csv, markdown};
use clmatch_truth::rank::quantile;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::across::{FIRST_FORM, SECOND_FORM, TERMS};
use crate::failure::Failure;
use crate::findings::{File, Findings};
use crate::measured::HeadlineTerms;

/// Each step keeps one of this many points.
pub const STEPS: [usize; 3] = [2, 4, 10];
/// The number of draws per step.
pub const DRAWS: usize = 20;
/// The fewest points that each class keeps.
const FEWEST: usize = 2;
/// The measures and terms of `clm` that are compared.
const COMPARED: [&str; 12] = [
    "clm",
    "clm_pairs",
    SECOND_FORM,
    FIRST_FORM,
    "eta",
    "kappa",
    "nu",
    "lambda",
    "kappa of all",
    "nu of all",
    "ch_a",
    "sc_a",
];
/// The name of the experiment.
const NAME: &str = "density";

/// The changes in one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thinned {
    /// The name of the dataset.
    pub dataset: String,
    /// With all points, one number for each entry of `COMPARED`.
    pub all: Vec<f64>,
    /// For each step, the means over draws of the change and of its absolute value.
    pub changes: Vec<Vec<(f64, f64)>>,
}

impl Thinned {
    /// Draws points and compares their scores with those of all points.
    ///
    /// # Errors
    /// If a class has a single point, or the flag was raised.
    pub fn of(
        dataset: &str,
        points: &Points<'_>,
        labels: &Labels,
        seed: u64,
        control: Control<'_>,
    ) -> Result<Thinned, Failure> {
        let all = compared(points.clone(), labels, control)?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut changes = Vec::new();
        for step in STEPS {
            let mut sums = vec![(0.0, 0.0); COMPARED.len()];
            for _ in 0..DRAWS {
                control.check()?;
                let rows = drawn(labels, step, &mut random);
                let found = thinned(points, labels, &rows, control)?;
                for ((sum, size), (found, all)) in sums.iter_mut().zip(found.iter().zip(&all)) {
                    *sum += (found - all) / DRAWS as f64;
                    *size += (found - all).abs() / DRAWS as f64;
                }
            }
            changes.push(sums);
        }
        Ok(Thinned { dataset: dataset.to_owned(), all, changes })
    }
}

/// One of every `step` rows of each class, at least [`FEWEST`] per class, in ascending order.
fn drawn(labels: &Labels, step: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
    let mut rows = Vec::new();
    for class in 0..labels.names().len() as u32 {
        let mut members: Vec<usize> = labels
            .codes()
            .iter()
            .enumerate()
            .filter(|(_, code)| **code == class)
            .map(|(row, _)| row)
            .collect();
        let kept = (members.len() / step).max(FEWEST).min(members.len());
        rows.extend_from_slice(members.partial_shuffle(random, kept).0);
    }
    rows.sort_unstable();
    rows
}

fn thinned(
    points: &Points<'_>,
    labels: &Labels,
    rows: &[usize],
    control: Control<'_>,
) -> Result<Vec<f64>, DataError> {
    let features = points.n_features();
    let numbers = rows.iter().flat_map(|row| row * features..(row + 1) * features);
    let values: Vec<f64> = numbers.map(|at| points.values().get(at)).collect();
    let codes: Vec<u32> = rows.iter().map(|&row| labels.codes()[row]).collect();
    compared(Points::new(values, features)?, &Labels::from_codes(codes, labels.names()), control)
}

fn compared(points: Points<'_>, labels: &Labels, control: Control<'_>) -> Result<Vec<f64>, DataError> {
    let measures: Vec<_> = COMPARED.iter().filter_map(|id| measure::find(id)).collect();
    let classes = Classes::new(points, labels)?;
    let evaluation = evaluate(&classes, &measures)?;
    let terms = HeadlineTerms::of(&classes, &evaluation, control)?;
    Ok(COMPARED.iter().map(|id| value(&evaluation, &terms, id)).collect())
}

/// The value of a measure, or of a term of `clm`.
fn value(evaluation: &Evaluation, terms: &HeadlineTerms, id: &str) -> f64 {
    let term = TERMS.iter().find(|(term, _)| *term == id);
    term.map(|(_, of)| of(terms)).or_else(|| evaluation.value(id)).unwrap_or(f64::NAN)
}

/// The page and the raw numbers.
pub fn findings(done: &[Thinned]) -> Findings {
    let size = |step: usize, id: &str| mean(&sizes(done, step, id));
    let summary = format!(
        "with a tenth of the points clm moves by {:.3} on average, sc_a by {:.3} and ch_a by {:.3}",
        size(2, "clm"),
        size(2, "sc_a"),
        size(2, "ch_a")
    );
    let page = format!(
        "A half, a quarter and a tenth of the points of each class (at least {FEWEST}) of {} datasets, {DRAWS} draws each, \
         against all points. Axiom A1 asks that a score stays where it is. eta, kappa and nu are the terms of clm_pairs, the half \
         of clm that looks at pairs of classes; lambda, kappa of all and nu of all those of the other half. {FIRST_FORM} is \
         the first form of clm; the second one is clm_pairs with every lone point as a cluster of its own.\n\n\
         ## How far scores move\n\nThe mean over datasets of the mean size of the change, and its 90% quantile over \
         datasets.\n\n{}\n## Where to\n\nThe mean over datasets of the mean change.\n\n{}",
        done.len(),
        table(done, |step, id| {
            let mut sizes = sizes(done, step, id);
            sizes.sort_by(f64::total_cmp);
            format!("{:.3} ({:.3})", mean(&sizes), quantile(&sizes, 0.9))
        }),
        table(done, |step, id| format!("{:+.3}", mean(&changes(done, step, id)))),
    );
    let title = "Scores of datasets that are sampled less densely".to_owned();
    Findings {
        name: NAME,
        reading: None,
        claims: Vec::new(),
        title,
        summary,
        page,
        files: vec![File { name: format!("{NAME}.csv"), text: raw(done) }],
    }
}

fn place(id: &str) -> usize {
    COMPARED.iter().position(|known| *known == id).unwrap_or(0)
}

fn changes(done: &[Thinned], step: usize, id: &str) -> Vec<f64> {
    done.iter().map(|one| one.changes[step][place(id)].0).collect()
}

fn sizes(done: &[Thinned], step: usize, id: &str) -> Vec<f64> {
    done.iter().map(|one| one.changes[step][place(id)].1).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn table(done: &[Thinned], cell: impl Fn(usize, &str) -> String) -> String {
    let rows: Vec<Vec<String>> = COMPARED
        .iter()
        .filter(|_| !done.is_empty())
        .map(|id| [vec![(*id).to_owned()], (0..STEPS.len()).map(|step| cell(step, id)).collect()].concat())
        .collect();
    markdown::table(&["", "1/2", "1/4", "1/10"], 1, &rows)
}

fn raw(done: &[Thinned]) -> String {
    let mut rows = Vec::new();
    for one in done {
        for (step, changes) in STEPS.iter().zip(&one.changes) {
            for ((id, all), (change, size)) in COMPARED.iter().zip(&one.all).zip(changes) {
                let numbers = [*all, *change, *size].map(|value| significant(value, 8));
                rows.push(
                    [vec![one.dataset.clone(), format!("1/{step}"), (*id).to_owned()], numbers.to_vec()]
                        .concat(),
                );
            }
        }
    }
    csv::table(&["dataset", "kept", "score", "all_points", "mean_change", "mean_size_of_change"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Vec<f64>, Labels) {
        let values: Vec<f64> =
            (0..200_u32).map(|at| f64::from(at % 2 * 40) + f64::from(at * 7919 % 1013) / 40.0).collect();
        (values, Labels::encode((0..200).map(|at| at % 2)))
    }

    #[test]
    fn draws_keep_the_share_of_each_class() {
        let labels = Labels::encode((0..60).map(|at| {
            if at < 50 {
                "large"
            } else if at < 57 {
                "small"
            } else {
                "tiny"
            }
        }));
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let rows = drawn(&labels, 10, &mut random);
        let count = |range: std::ops::Range<usize>| rows.iter().filter(|row| range.contains(row)).count();
        assert_eq!([count(0..50), count(50..57), count(57..60)], [5, 2, 2]);
        assert_ne!(rows, drawn(&labels, 10, &mut random));
    }

    #[test]
    fn changes_are_those_of_the_scores() {
        let (values, labels) = example();
        let points = Points::new(&values, 1).unwrap();
        let found = Thinned::of("two", &points, &labels, 0, Control::none()).unwrap();
        let clm = evaluate(&Classes::new(points.clone(), &labels).unwrap(), &[measure::find("clm").unwrap()])
            .unwrap();
        assert_eq!(found.all[0], clm.value("clm").unwrap());
        assert_eq!(found.all[place("kappa")], clm.terms.as_ref().unwrap().mean.kappa);
        assert_eq!(found.all[place("lambda")], clm.terms.unwrap().all.unwrap().lambda);
        for changes in &found.changes {
            assert!(changes.iter().all(|(change, size)| change.abs() <= size + 1e-15));
        }
        // A draw of all points changes nothing.
        assert_eq!(
            thinned(&points, &labels, &(0..200).collect::<Vec<_>>(), Control::none()).unwrap(),
            found.all
        );
        let page = findings(std::slice::from_ref(&found));
        assert!(
            page.page.contains("| kappa |") && page.files[0].text.lines().count() == 1 + 3 * COMPARED.len()
        );
        // Whatever the order of the datasets, one in ten that moves lies beyond the 90% quantile of the others.
        let still = Thinned { changes: vec![vec![(0.0, 0.0); COMPARED.len()]; STEPS.len()], ..found.clone() };
        let moving = Thinned { changes: vec![vec![(0.5, 0.5); COMPARED.len()]; STEPS.len()], ..found };
        let many: Vec<Thinned> = std::iter::once(moving).chain(std::iter::repeat_n(still, 19)).collect();
        assert!(findings(&many).page.contains("| clm | 0.025 (0.000) |"), "{}", findings(&many).page);
    }
}
