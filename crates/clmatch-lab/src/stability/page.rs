//! The paper's first application: thirds of the datasets by their match.

use std::fmt::Write;

use clmatch_report::number::significant;
use clmatch_report::{Boxes, Bump, Ranks, Row as BoxRow, csv, markdown};

use super::{Pair, Plan, Stability, Thirds, stability};
use crate::findings::{File, Findings};
use crate::measured::{Measured, aligned};
use crate::results::{Results, Row, TableError, externals};

/// Measures that the thirds are cut by: the paper's, and the headline score.
const BY: [&str; 2] = ["ch_a", "clm"];

/// One set of datasets by one measure and one external measure.
struct Case {
    by: &'static str,
    external: String,
    set: &'static str,
    found: Stability,
}

/// Runs the experiment.
///
/// # Errors
/// Datasets that are in one table only, or too few of them.
pub fn findings(measured: &[Measured], rows: &[Row], plan: Plan) -> Result<Findings, TableError> {
    let mut cases = Vec::new();
    let mut methods = Vec::new();
    for external in externals(rows) {
        let results = Results::new(rows, Some(external), &[])?;
        let measured = aligned(measured, &results)?;
        for by in BY {
            let values: Vec<f64> =
                measured.iter().map(|one| one.get(by).map_or(f64::NAN, |timed| timed.value)).collect();
            for (set, places) in Thirds::new(&values).named() {
                let found = stability(&results, places, plan)?;
                cases.push(Case { by, external: external.to_owned(), set, found });
            }
        }
        methods = results.methods;
    }
    let external = cases.first().map(|case| case.external.clone()).unwrap_or_default();
    let shown: Vec<&Case> = cases.iter().filter(|case| case.external == external).collect();
    let files = vec![
        File { name: "stability.csv".into(), text: pairs_csv(&cases, &methods) },
        File { name: "stability.svg".into(), text: boxes(&shown).svg() },
        File { name: "stability-ranks.svg".into(), text: bump(&shown, BY[0], &methods).svg() },
        File { name: "stability-ranks-clm.svg".into(), text: bump(&shown, BY[1], &methods).svg() },
    ];
    Ok(Findings {
        name: "stability",
        title: "Rank stability: which datasets give rankings that hold".into(),
        summary: summary(&shown),
        page: page(&cases, &shown, &methods, plan),
        files,
    })
}

fn mean_of(cases: &[&Case], by: &str, set: &str) -> f64 {
    let case = cases.iter().find(|case| case.by == by && case.set == set);
    case.map_or(f64::NAN, |case| case.found.mean())
}

fn summary(shown: &[&Case]) -> String {
    let mean = |set| mean_of(shown, BY[0], set);
    format!(
        "a pair of techniques keeps its order in {:.1}% of the draws from the top third by ch_a, {:.1}% from all, {:.1}% \
         from the bottom third",
        100.0 * mean("top third"),
        100.0 * mean("all"),
        100.0 * mean("bottom third")
    )
}

fn pairs_csv(cases: &[Case], methods: &[String]) -> String {
    let mut lines = Vec::new();
    for case in cases {
        for pair in &case.found.pairs {
            lines.push(vec![
                case.by.to_owned(),
                case.external.clone(),
                case.set.to_owned(),
                methods[pair.a].clone(),
                methods[pair.b].clone(),
                significant(pair.share, 6),
                significant(pair.stability(), 6),
            ]);
        }
    }
    csv::table(&["by", "external", "set", "a", "b", "a_ahead", "stability"], &lines)
}

fn boxes(shown: &[&Case]) -> Boxes {
    let row = |case: &&Case| BoxRow {
        name: format!("{}, {}", case.by, case.set),
        kind: BY.iter().position(|by| *by == case.by).unwrap_or(0),
        values: case.found.pairs.iter().map(Pair::stability).collect(),
        note: format!("mean {:.3}", case.found.mean()),
    };
    Boxes {
        title: "Stability of the order of two techniques".into(),
        x: "share of draws with the same order".into(),
        log: false,
        kinds: BY.map(|by| format!("thirds by {by}")).to_vec(),
        rows: shown.iter().map(row).collect(),
    }
}

fn bump(shown: &[&Case], by: &str, methods: &[String]) -> Bump {
    let cases: Vec<&&Case> = shown.iter().filter(|case| case.by == by).collect();
    let line = |(method, name): (usize, &String)| Ranks {
        name: name.clone(),
        ranks: cases.iter().map(|case| case.found.ranks[method]).collect(),
    };
    Bump {
        title: format!("Ranks of the techniques in thirds by {by}"),
        stages: cases.iter().map(|case| case.set.to_owned()).collect(),
        lines: methods.iter().enumerate().map(line).collect(),
    }
}

fn page(cases: &[Case], shown: &[&Case], methods: &[String], plan: Plan) -> String {
    let Plan { size, draws, seed } = plan;
    let mut text = format!(
        "{draws} times (the paper: 100) {size} datasets are drawn from the best third, from all and from the worst third, \
         by `ch_a` as in the paper and by `clm`; seed {seed}. The techniques are ranked by their mean score over the \
         {size}. The stability of a pair is the share of draws in which it has its usual order: 0.5 for a coin, 1 for an \
         order that always holds.\n\n![distributions](stability.svg)\n\n## Mean stability of a pair\n\n"
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
        "\nThe paper shows the distributions for `ami` and `ch_a` as a figure, without numbers: the top third is most \
         stable there.\n\n## Ranks of the techniques\n\n![ranks by ch_a](stability-ranks.svg)\n\n![ranks by \
         clm](stability-ranks-clm.svg)\n\n"
    );
    let titles: Vec<String> = shown.iter().map(|case| format!("{}, {}", case.by, case.set)).collect();
    let titles: Vec<&str> = std::iter::once("technique").chain(titles.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = methods
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
        "In the paper DBSCAN is first in the top third and eighth elsewhere; its scores are those of its own tuning.\n",
    );
    text
}
