//! How long measures, classifiers and the clustering ensemble take on each dataset.

use clmatch::measure::{Kind, REGISTRY, find};
use clmatch_render::number::{duration, factor, significant};
use clmatch_render::{Boxes, Row as BoxRow, csv, markdown};

use crate::claims::Claim;
use crate::findings::{File, Findings};
use crate::groups::{self, GROUPS, group};
use crate::measured::{Measured, aligned};
use crate::names;
use clmatch_truth::rank::quantile;
use clmatch_truth::results::{MethodScore, Results, TableError};

/// The measure whose time all others are compared with, as in the paper.
const UNIT: &str = "xb_a";
/// The name of the clustering techniques taken together.
const CLUSTERING: &str = "clustering";

/// The number of minutes in a year.
const YEAR_IN_MINUTES: f64 = 365.0 * 24.0 * 60.0;
/// The number of minutes that a year becomes, according to the paper.
const PAPER_MINUTES: f64 = 53.0;

/// The times of one competitor on all datasets.
struct Times {
    id: String,
    kind: usize,
    seconds: Vec<(String, f64)>,
}

impl Times {
    fn median(&self) -> f64 {
        let mut seconds: Vec<f64> = self.seconds.iter().map(|(_, seconds)| *seconds).collect();
        seconds.sort_by(f64::total_cmp);
        if seconds.is_empty() { f64::NAN } else { quantile(&seconds, 0.5) }
    }
}

/// The times of the measures as measured here, and those of classifiers and techniques from their tables.
fn times(measured: &[Measured], truth: &[MethodScore], accuracies: &[MethodScore]) -> Vec<Times> {
    let mut all: Vec<Times> = REGISTRY
        .iter()
        .map(|measure| Times {
            id: measure.id.to_owned(),
            kind: group(measure.kind),
            seconds: measured
                .iter()
                .filter_map(|one| one.get(measure.id).map(|timed| (one.dataset.clone(), timed.seconds)))
                .collect(),
        })
        .collect();
    for row in accuracies {
        add(&mut all, &row.method, groups::CLASSIFIERS, row);
    }
    // The seconds of a technique cover all external measures together.
    let external = truth.first().and_then(|row| row.external.clone());
    for row in truth.iter().filter(|row| row.external == external) {
        add(&mut all, CLUSTERING, groups::CLUSTERING, row);
    }
    all
}

/// Adds a row's seconds to the time of its dataset.
fn add(all: &mut Vec<Times>, id: &str, kind: usize, row: &MethodScore) {
    let Some(seconds) = row.seconds else { return };
    let at = all.iter().position(|times| times.id == id).unwrap_or_else(|| {
        all.push(Times { id: id.to_owned(), kind, seconds: Vec::new() });
        all.len() - 1
    });
    match all[at].seconds.iter_mut().find(|(dataset, _)| *dataset == row.dataset) {
        Some((_, sum)) => *sum += seconds,
        None => all[at].seconds.push((row.dataset.clone(), seconds)),
    }
}

/// The figure, the table and the raw times.
///
/// # Errors
/// If a dataset is in one table only, or a row occurs twice.
pub fn findings(
    measured: &[Measured],
    truth: &[MethodScore],
    accuracies: &[MethodScore],
    classifiers: &str,
) -> Result<Findings, TableError> {
    let external = truth.first().and_then(|row| row.external.as_deref());
    aligned(measured, &Results::new(truth, external, &[])?)?;
    aligned(measured, &Results::new(accuracies, None, &[])?)?;
    let all = times(measured, truth, accuracies);
    let unit = all.iter().find(|times| times.id == UNIT).map_or(f64::NAN, Times::median);
    let ratio = |id: &str| factor(median(&all, id) / unit);
    Ok(Findings {
        name: "runtime",
        reading: None,
        title: "Run times".into(),
        summary: format!(
            "medians over datasets, compared with {}: CH<sub>A</sub> {}, SC<sub>A</sub> {}, CLM {}, the clustering ensemble {}",
            names::markdown(UNIT),
            ratio("ch_a"),
            ratio("sc_a"),
            ratio("clm"),
            ratio(CLUSTERING)
        ),
        claims: claims(&all),
        page: page(&all, unit, measured.len(), classifiers),
        files: vec![
            File { name: "runtime.csv".into(), text: raw(&all) },
            File { name: "runtime.svg".into(), text: boxes(&all, unit).svg() },
        ],
    })
}

fn raw(all: &[Times]) -> String {
    let rows: Vec<Vec<String>> =
        all.iter()
            .flat_map(|times| {
                times.seconds.iter().map(|(dataset, seconds)| {
                    vec![times.id.clone(), dataset.clone(), significant(*seconds, 4)]
                })
            })
            .collect();
    csv::table(&["competitor", "dataset", "seconds"], &rows)
}

fn boxes(all: &[Times], unit: f64) -> Boxes {
    let row = |times: &Times| BoxRow {
        name: names::name(&times.id).to_owned(),
        kind: times.kind,
        values: times.seconds.iter().map(|(_, seconds)| *seconds).collect(),
        note: format!("{}, {}", duration(times.median()), factor(times.median() / unit)),
    };
    Boxes {
        x: "seconds".into(),
        log: true,
        kinds: GROUPS.map(str::to_owned).to_vec(),
        rows: all.iter().map(row).collect(),
        ..Boxes::default()
    }
}

fn median(all: &[Times], id: &str) -> f64 {
    all.iter().find(|times| times.id == id).map_or(f64::NAN, Times::median)
}

/// The orders of magnitude between two medians.
fn orders(slow: f64, fast: f64) -> f64 {
    (slow / fast).log10()
}

/// The fastest measure of a kind.
fn fastest(all: &[Times], kind: Kind) -> Option<&Times> {
    let of_kind = all.iter().filter(|times| find(&times.id).is_some_and(|measure| measure.kind == kind));
    of_kind.min_by(|a, b| a.median().total_cmp(&b.median()))
}

/// Checks which measures the paper finds fastest.
fn claims_about_fastest(all: &[Times]) -> Vec<Claim> {
    let claim = |kind: Kind, what: &str, ids: &[&str]| {
        let found = fastest(all, kind);
        let shown = found.map_or_else(String::new, |times| {
            format!("{} {}", names::markdown(&times.id), duration(times.median()))
        });
        Claim::sentence(what, "yes", shown, found.is_some_and(|times| ids.contains(&times.id.as_str())))
    };
    vec![
        claim(Kind::Standard, "XB is the fastest standard measure", &["xb"]),
        claim(Kind::Adjusted, "{II, XB}<sub>A</sub> is the fastest adjusted measure", &[UNIT]),
    ]
}

fn claims(all: &[Times]) -> Vec<Claim> {
    let of = |kind: Kind| {
        all.iter().filter(move |times| find(&times.id).is_some_and(|measure| measure.kind == kind))
    };
    let median = |id: &str| median(all, id);
    let fastest = of(Kind::Standard).map(Times::median).fold(f64::INFINITY, f64::min);
    let slowest = of(Kind::Adjusted).map(Times::median).fold(0.0, f64::max);
    let quickest = of(Kind::Adjusted).map(Times::median).fold(f64::INFINITY, f64::min);
    let listed = |ids: &[&str]| {
        let one = |id: &&str| format!("{} {}", names::markdown(id), duration(median(id)));
        ids.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let ratio = median("ch_a") / median(UNIT);
    let year = YEAR_IN_MINUTES * median("ch_a") / median(CLUSTERING);
    let mut claims = claims_about_fastest(all);
    claims.extend([
        Claim::sentence(
            "CH<sub>A</sub> takes 1.07 times as long as {II, XB}<sub>A</sub>",
            "1.07",
            format!("{ratio:.2} ({})", listed(&["ch_a", UNIT])),
            (0.5..2.0).contains(&ratio),
        ),
        Claim::sentence(
            "Adjusted measures are up to one order of magnitude slower than the fastest standard one",
            "10 times",
            format!("{} at most", factor(slowest / fastest)),
            orders(slowest, fastest) < 1.5,
        ),
        Claim::sentence(
            "SC<sub>A</sub> is two orders of magnitude slower than CH<sub>A</sub>",
            "100 times",
            format!("{} ({})", factor(median("sc_a") / median("ch_a")), listed(&["sc_a", "ch_a"])),
            (1.5..2.5).contains(&orders(median("sc_a"), median("ch_a"))),
        ),
        Claim::sentence(
            "Adjusted measures are up to four orders of magnitude faster than the clustering ensemble",
            "10,000 times",
            format!("{} at most", factor(median(CLUSTERING) / quickest)),
            orders(median(CLUSTERING), quickest) >= 3.5,
        ),
        Claim::sentence(
            "What takes the clustering ensemble a year takes an adjusted measure 53 minutes",
            "53 min",
            format!("{} by CH<sub>A</sub>", duration(60.0 * year)),
            year <= PAPER_MINUTES,
        ),
    ]);
    claims
}

fn page(all: &[Times], unit: f64, datasets: usize, classifiers: &str) -> String {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|times| {
            let longest = times.seconds.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
            let sum: f64 = times.seconds.iter().map(|(_, seconds)| *seconds).sum();
            vec![
                GROUPS[times.kind].to_owned(),
                names::markdown(&times.id),
                duration(times.median()),
                factor(times.median() / unit),
                duration(longest),
                duration(sum),
            ]
        })
        .collect();
    let against = format!("compared with {}", names::markdown(UNIT));
    let titles = ["", "competitor", "median", &against, "longest", "sum"];
    format!(
        "{datasets} datasets. Each measure alone, from validated points to the score, with all threads, the best of up to \
         five computations. Classifiers ({classifiers}) and the clustering ensemble (all techniques) as their tables have it, \
         with all of their tuning: seconds of one core for classifiers, seconds beside the other techniques for the \
         ensemble.\n\n![run times](runtime.svg)\n\n*Seconds per dataset; at the right the median, and how many times that of \
         {} it is.*\n\n{}\nOurs need not agree with the paper: all measures were written anew.\n",
        names::markdown(UNIT),
        markdown::table(&titles, 2, &rows)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{HeadlineTerms, Timed};

    #[test]
    fn techniques_add_up_and_measures_are_compared() {
        let timed = |id: &str, seconds| Timed { id: id.into(), value: 0.5, seconds };
        let measured = [1.0, 2.0, 4.0].map(|factor| Measured {
            dataset: format!("d{factor}"),
            points: 10,
            features: 2,
            classes: 2,
            measures: vec![timed("xb_a", factor), timed("ch_a", 3.0 * factor)],
            terms: HeadlineTerms::example(),
        });
        let row = |dataset: &str, method: &str, external: Option<&str>| MethodScore {
            dataset: dataset.into(),
            method: method.into(),
            external: external.map(str::to_owned),
            score: 0.1,
            seconds: Some(50.0),
        };
        let (mut truth, mut accuracies) = (Vec::new(), Vec::new());
        for dataset in ["d1", "d2", "d4"] {
            for (method, external) in [("kmeans", "ami"), ("kmeans", "vm"), ("birch", "ami"), ("birch", "vm")]
            {
                truth.push(row(dataset, method, Some(external)));
            }
            accuracies.push(row(dataset, "knn", None));
        }
        let found = findings(&measured, &truth, &accuracies, "quick").unwrap();
        let summary = &found.summary;
        assert!(summary.contains("CH<sub>A</sub> 3×,") && summary.ends_with("ensemble 50×"), "{summary}");
        assert!(found.files[0].text.contains("clustering,d1,100\n"));
        let claim = |what: &str| found.claims.iter().find(|claim| claim.what.contains(what)).unwrap();
        assert!(claim("fastest adjusted").holds && !claim("fastest standard").holds);
        // 3 s of 100 s: 3% of a year.
        assert!(!claim("53 minutes").holds);
        let error = findings(&measured[..2], &truth, &accuracies, "").unwrap_err();
        assert_eq!(error.to_string(), "d4 is not among the datasets");
        let error = findings(&measured, &truth, &accuracies[..2], "").unwrap_err();
        assert_eq!(error.to_string(), "d4 has no scores in a table");
    }
}
