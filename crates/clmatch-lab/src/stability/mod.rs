//! The paper's first application: thirds of the datasets, divided by their match.
//!
//! | | text | authors |
//! |---|---|---|
//! | thirds by | CH_A (and the headline score) | SC_A (and CH_A) |
//! | techniques tuned | by searching their settings through | by 30 evaluations of Bayesian optimisation |
//!
//! Both take 1,000 draws, as the authors' program does; the text says 100, which gives the same with more noise.

mod figures;
mod page;

use crate::findings::Findings;
use crate::measured::{Measured, aligned};
use crate::reading::Reading;
use clmatch_truth::results::{MethodScore, Results, TableError, named_externals};
use clmatch_truth::stability::{DrawSettings, Stability, Thirds, stability};

/// The sets of datasets that are compared.
const SETS: [&str; 3] = ["top third", "all", "bottom third"];

/// The measures by which the thirds are divided; the first one is the paper's.
const fn cut_by(reading: Reading) -> [&'static str; 2] {
    match reading {
        Reading::Text => ["ch_a", "clm"],
        Reading::Authors => ["sc_a", "ch_a"],
    }
}

/// The result for one set of datasets, by one measure and one external measure.
struct Case {
    by: &'static str,
    external: String,
    set: &'static str,
    /// The names of the techniques, in the order of `found`.
    methods: Vec<String>,
    /// The datasets of the set.
    datasets: Vec<String>,
    found: Stability,
}

/// All cases, and what they share.
struct Cases {
    reading: Reading,
    /// A note on the scores; may be empty.
    note: String,
    plan: DrawSettings,
    cases: Vec<Case>,
}

impl Cases {
    /// The cases of the first external measure, which the paper shows.
    fn shown(&self) -> Vec<&Case> {
        let external = self.cases.first().map(|case| case.external.as_str());
        self.cases.iter().filter(|case| Some(case.external.as_str()) == external).collect()
    }

    fn externals(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for case in &self.cases {
            if !found.contains(&case.external.as_str()) {
                found.push(&case.external);
            }
        }
        found
    }

    fn find(&self, by: &str, external: &str, set: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.by == by && case.external == external && case.set == set)
    }

    /// The measure that divides the thirds in the paper's figure.
    fn by(&self) -> &'static str {
        cut_by(self.reading)[0]
    }

    /// The case of the paper's figure.
    fn of_figure(&self, set: &str) -> Option<&Case> {
        let external = self.cases.first().map(|case| case.external.as_str())?;
        self.find(self.by(), external, set)
    }
}

/// The fewest datasets that can be divided into thirds.
const FEWEST: usize = 3;

/// Runs the experiment.
///
/// # Errors
/// If a dataset is in one table only, or there are too few datasets.
pub fn findings(
    measured: &[Measured],
    rows: &[MethodScore],
    reading: Reading,
    note: &str,
    plan: DrawSettings,
) -> Result<Findings, TableError> {
    let mut cases = Vec::new();
    if measured.len() < FEWEST {
        let what = format!("{} datasets are too few for thirds", measured.len());
        return Err(TableError::new(None, what, format!("take at least {FEWEST}")));
    }
    // Small thirds are still drawn from, with fewer datasets per draw.
    let third = Thirds::size(measured.len());
    let plan = DrawSettings { size: plan.size.min((third / 2).max(1)), ..plan };
    for external in named_externals(rows)? {
        let results = Results::new(rows, Some(external), &[])?;
        let measured = aligned(measured, &results)?;
        for by in cut_by(reading) {
            let values: Vec<f64> =
                measured.iter().map(|one| one.get(by).map_or(f64::NAN, |timed| timed.value)).collect();
            for (set, places) in Thirds::new(&values).named() {
                let found = stability(&results, places, plan)?;
                cases.push(Case {
                    by,
                    external: external.to_owned(),
                    set,
                    methods: results.methods.clone(),
                    datasets: places.iter().map(|&place| results.datasets[place].clone()).collect(),
                    found,
                });
            }
        }
    }
    Ok(page::findings(&Cases { reading, note: note.to_owned(), plan, cases }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{HeadlineTerms, Timed};

    /// Thirty datasets: on good ones `a` is ahead of `b`, on bad ones they alternate. The second external measure lists
    /// them in reverse order, and has the opposite result.
    fn tables() -> (Vec<Measured>, Vec<MethodScore>) {
        let (mut measured, mut rows) = (Vec::new(), Vec::new());
        for at in 0..30 {
            let (name, good) = (format!("d{at:02}"), f64::from(30 - at) / 30.0);
            let timed = |id: &str| Timed { id: id.into(), value: good, seconds: 1.0 };
            let measures = vec![timed("ch_a"), timed("clm"), timed("sc_a")];
            measured.push(Measured {
                dataset: name.clone(),
                points: 9,
                features: 1,
                classes: 2,
                measures,
                terms: HeadlineTerms::example(),
            });
            let lead = if at < 10 { 0.5 } else { 0.5 - f64::from(at % 2) };
            for (external, method, score) in
                [("ami", "a", 0.5 + lead), ("ami", "b", 0.5), ("vm", "b", 0.9), ("vm", "a", 0.1)]
            {
                rows.push(MethodScore {
                    dataset: name.clone(),
                    method: method.into(),
                    external: Some(external.into()),
                    score,
                    seconds: None,
                });
            }
        }
        (measured, rows)
    }

    #[test]
    fn names_belong_to_their_numbers_whatever_the_order_of_the_rows() {
        let (measured, rows) = tables();
        let found = findings(&measured, &rows, Reading::Text, "", DrawSettings::default()).unwrap();
        let csv = &found.files[0].text;
        for line in [
            "ch_a,ami,top third,a,b,1,1,1\n",
            "ch_a,vm,top third,b,a,1,1,1\n",
            "clm,vm,bottom third,b,a,1,1,1\n",
        ] {
            assert!(csv.contains(line), "{line}: {csv}");
        }
        assert!(found.page.contains("| a | 1 (1.000) |"), "{}", found.page);
        assert!(found.page.contains("1000 times (the paper: 100) 5 datasets"), "half of a third of 30");
        assert!(
            found.summary.contains("mean pairwise rank stability 1.000 in the top third by CH<sub>A</sub>"),
            "{}",
            found.summary
        );
        let authors = findings(&measured, &rows, Reading::Authors, "", DrawSettings::default()).unwrap();
        assert!(authors.files[0].text.contains("sc_a,ami,top third,a,b,1,1,1\n"));
        assert!(authors.files.iter().all(|file| file.name.starts_with("stability-authors")));
    }

    #[test]
    fn tables_without_externals_or_datasets_are_refused() {
        let (measured, mut rows) = tables();
        let of = |measured: &[Measured], rows: &[MethodScore]| {
            findings(measured, rows, Reading::Text, "", DrawSettings::default()).unwrap_err().to_string()
        };
        assert_eq!(of(&measured[..2], &rows), "2 datasets are too few for thirds");
        rows.iter_mut().for_each(|row| row.external = None);
        assert_eq!(of(&measured, &rows), "there is no column external");
    }
}
