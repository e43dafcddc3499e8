//! The paper's first application: thirds of the datasets by their match.

use std::fmt::Write;

use clmatch_report::number::significant;
use clmatch_report::{Boxes, Bump, Ranks, Row as BoxRow, csv, markdown};

use crate::findings::{File, Findings};
use crate::measured::{Measured, aligned};
use clmatch_truth::results::{MethodScore, Results, TableError, named_externals};
use clmatch_truth::stability::{DrawSettings, MethodPair, Stability, Thirds, stability};

/// Measures that the thirds are cut by: the paper's, and the headline score.
const BY: [&str; 2] = ["ch_a", "clm"];

/// One set of datasets by one measure and one external measure.
struct Case {
    by: &'static str,
    external: String,
    set: &'static str,
    /// The names of the techniques, in the order of `found`.
    methods: Vec<String>,
    found: Stability,
}

/// Datasets that are needed to speak of thirds.
const FEWEST: usize = 3;

/// Runs the experiment.
///
/// # Errors
/// Datasets that are in one table only, or too few of them.
pub fn findings(
    measured: &[Measured],
    rows: &[MethodScore],
    plan: DrawSettings,
) -> Result<Findings, TableError> {
    let mut cases = Vec::new();
    if measured.len() < FEWEST {
        let what = format!("{} datasets are too few for thirds", measured.len());
        return Err(TableError::new(None, what, format!("take at least {FEWEST}")));
    }
    // Small thirds are drawn from all the same, fewer at a time.
    let third = Thirds::size(measured.len());
    let plan = DrawSettings { size: plan.size.min((third / 2).max(1)), ..plan };
    for external in named_externals(rows)? {
        let results = Results::new(rows, Some(external), &[])?;
        let measured = aligned(measured, &results)?;
        for by in BY {
            let values: Vec<f64> =
                measured.iter().map(|one| one.get(by).map_or(f64::NAN, |timed| timed.value)).collect();
            for (set, places) in Thirds::new(&values).named() {
                let found = stability(&results, places, plan)?;
                let (external, methods) = (external.to_owned(), results.methods.clone());
                cases.push(Case { by, external, set, methods, found });
            }
        }
    }
    let external = cases.first().map(|case| case.external.clone()).unwrap_or_default();
    let shown: Vec<&Case> = cases.iter().filter(|case| case.external == external).collect();
    let files = vec![
        File { name: "stability.csv".into(), text: pairs_csv(&cases) },
        File { name: "stability.svg".into(), text: boxes(&shown).svg() },
        File { name: "stability-ranks.svg".into(), text: bump(&shown, BY[0]).svg() },
        File { name: "stability-ranks-clm.svg".into(), text: bump(&shown, BY[1]).svg() },
    ];
    Ok(Findings {
        name: "stability",
        title: "Rank stability: which datasets give rankings that hold".into(),
        summary: summary(&shown),
        page: page(&cases, &shown, plan),
        files,
    })
}

fn mean_of(cases: &[&Case], by: &str, set: &str) -> f64 {
    let case = cases.iter().find(|case| case.by == by && case.set == set);
    case.map_or(f64::NAN, |case| case.found.mean_stability())
}

fn summary(shown: &[&Case]) -> String {
    let mean = |set| mean_of(shown, BY[0], set);
    format!(
        "mean pairwise rank stability {:.3} in the top third by ch_a, {:.3} in all datasets, {:.3} in the bottom third",
        mean("top third"),
        mean("all"),
        mean("bottom third")
    )
}

fn pairs_csv(cases: &[Case]) -> String {
    let mut lines = Vec::new();
    for case in cases {
        for pair in &case.found.pairs {
            lines.push(vec![
                case.by.to_owned(),
                case.external.clone(),
                case.set.to_owned(),
                case.methods[pair.a].clone(),
                case.methods[pair.b].clone(),
                significant(pair.share, 6),
                significant(pair.kept, 6),
                significant(pair.stability(), 6),
            ]);
        }
    }
    csv::table(&["by", "external", "set", "a", "b", "a_ahead", "kept", "stability"], &lines)
}

fn boxes(shown: &[&Case]) -> Boxes {
    let row = |case: &&Case| BoxRow {
        name: format!("{}, {}", case.by, case.set),
        kind: BY.iter().position(|by| *by == case.by).unwrap_or(0),
        values: case.found.pairs.iter().map(MethodPair::stability).collect(),
        note: format!("mean {:.3}", case.found.mean_stability()),
    };
    Boxes {
        title: "Pairwise rank stability of techniques".into(),
        x: "share of draws with the more frequent order of a pair".into(),
        log: false,
        kinds: BY.map(|by| format!("thirds by {by}")).to_vec(),
        rows: shown.iter().map(row).collect(),
    }
}

fn bump(shown: &[&Case], by: &str) -> Bump {
    let cases: Vec<&&Case> = shown.iter().filter(|case| case.by == by).collect();
    let line = |(method, name): (usize, &String)| Ranks {
        name: name.clone(),
        ranks: cases.iter().map(|case| case.found.ranks[method]).collect(),
    };
    Bump {
        title: format!("Ranks of the techniques in thirds by {by}"),
        stages: cases.iter().map(|case| case.set.to_owned()).collect(),
        lines: methods(shown).iter().enumerate().map(line).collect(),
    }
}

/// The techniques of the cases that are shown, which belong to one external measure.
fn methods<'a>(shown: &[&'a Case]) -> &'a [String] {
    shown.first().map_or(&[], |case| &case.methods)
}

fn page(cases: &[Case], shown: &[&Case], plan: DrawSettings) -> String {
    let DrawSettings { size, draws, seed } = plan;
    let mut text = format!(
        "{draws} times (the paper: 100) {size} datasets are drawn from the best third, from all and from the worst third, \
         by `ch_a` as in the paper and by `clm`; seed {seed}. The techniques are ranked by their mean score over the \
         {size}. The paper's pairwise rank stability of two techniques is max(p, 1 - p), where p is the share of draws in \
         which one is ahead of the other: the share of whichever order is more frequent, 0.5 for a coin, 1 for an order \
         that never changes.\n\n![distributions](stability.svg)\n\n## Mean pairwise rank stability\n\n"
    );
    let mut lines = Vec::new();
    for by in BY {
        let mut found: Vec<&str> = Vec::new();
        for case in cases.iter().filter(|case| case.by == by) {
            if !found.contains(&case.external.as_str()) {
                found.push(&case.external);
            }
        }
        for external in found {
            let of = |set| {
                let all: Vec<&Case> = cases.iter().filter(|case| case.external == external).collect();
                mean_of(&all, by, set)
            };
            let sets = ["top third", "all", "bottom third"].map(of);
            let holds = if sets[0] > sets[1] && sets[0] > sets[2] { "yes" } else { "no" };
            let mut cells = vec![by.to_owned(), external.to_owned()];
            cells.extend(sets.iter().map(|mean| format!("{mean:.3}")));
            cells.push(holds.to_owned());
            lines.push(cells);
        }
    }
    text.push_str(&markdown::table(
        &["thirds by", "external", "top third", "all", "bottom third", "top third most stable"],
        2,
        &lines,
    ));
    let _ = write!(
        text,
        "{}\nThe paper shows the distributions for `ami` and `ch_a` as a figure, without numbers: the top third is most \
         stable there.\n\n## Ranks of the techniques\n\n![ranks by ch_a](stability-ranks.svg)\n\n![ranks by \
         clm](stability-ranks-clm.svg)\n\n",
        kept_text(shown)
    );
    let titles: Vec<String> = shown.iter().map(|case| format!("{}, {}", case.by, case.set)).collect();
    let titles: Vec<&str> = std::iter::once("technique").chain(titles.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = methods(shown)
        .iter()
        .enumerate()
        .map(|(method, name)| {
            let cell = |case: &&Case| {
                format!("{} ({:.3})", significant(case.found.ranks[method], 3), case.found.means[method])
            };
            std::iter::once(name.clone()).chain(shown.iter().map(cell)).collect()
        })
        .collect();
    text.push_str(&markdown::table(&titles, 1, &rows));
    text.push_str("\nRank and mean score by the first external measure. ");
    text.push_str(
        "In the paper (96 datasets, its own tuning) DBSCAN is first in the top third and eighth elsewhere.\n",
    );
    text
}

/// How often a draw has a pair in the order of the whole set, which the paper does not ask.
fn kept_text(shown: &[&Case]) -> String {
    let kept = |set: &str| {
        let case = shown.iter().find(|case| case.by == BY[0] && case.set == set);
        format!("{:.1}%", 100.0 * case.map_or(f64::NAN, |case| case.found.mean_kept()))
    };
    format!(
        "\nThe more frequent order need not be that of the whole set. By `{}`, a draw has two techniques in the order that \
         they have over the whole set in {} of the cases in the top third by `{}`, {} in all datasets, {} in the bottom \
         third (mean over pairs).\n",
        shown.first().map_or("", |case| case.external.as_str()),
        kept("top third"),
        BY[0],
        kept("all"),
        kept("bottom third")
    )
}

#[cfg(test)]
mod tests {
    use clmatch::ClmTerms;

    use super::*;
    use crate::measured::Timed;

    /// Thirty datasets: on good ones `a` is ahead of `b`, on bad ones they take turns. The second external measure lists
    /// them the other way round, and says the opposite.
    fn tables() -> (Vec<Measured>, Vec<MethodScore>) {
        let (mut measured, mut rows) = (Vec::new(), Vec::new());
        for at in 0..30 {
            let (name, good) = (format!("d{at:02}"), f64::from(30 - at) / 30.0);
            let timed = |id: &str| Timed { id: id.into(), value: good, seconds: 1.0 };
            let measures = vec![timed("ch_a"), timed("clm")];
            measured.push(Measured {
                dataset: name.clone(),
                points: 9,
                features: 1,
                classes: 2,
                measures,
                terms: ClmTerms::new(0.5, 0.5, 0.5),
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
        let found = findings(&measured, &rows, DrawSettings::default()).unwrap();
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
            found.summary.contains("mean pairwise rank stability 1.000 in the top third by ch_a"),
            "{}",
            found.summary
        );
    }

    #[test]
    fn tables_without_externals_or_datasets_are_refused() {
        let (measured, mut rows) = tables();
        let few = findings(&measured[..2], &rows, DrawSettings::default()).unwrap_err();
        assert_eq!(few.to_string(), "2 datasets are too few for thirds");
        rows.iter_mut().for_each(|row| row.external = None);
        let unnamed = findings(&measured, &rows, DrawSettings::default()).unwrap_err();
        assert_eq!(unnamed.to_string(), "there is no column external");
    }
}
