//! The page of the ablation: our numbers beside the paper's, and where they disagree.

use clmatch_report::markdown;

use super::conditions::{Other, Setup, Test};
use super::errors::{Combination, FEW, Outcome, TOP};
use super::figures::{bars_name, files, scatter_name};
use super::paper::{REPORTED, reported};
use crate::findings::Findings;
use crate::gaussians::{DISTANCE, SHARE, SPAN};
use crate::variants::{Base, Variant};

/// Reductions that differ by less count as agreeing: the paper's are rounded, and read from a figure.
const AGREE: f64 = 0.10;

const KEPT: fn(Test) -> Setup = |test| Setup { test, other: Other::Kept };

pub(super) fn findings(outcome: &Outcome) -> Findings {
    let sections = [intro(outcome), results(outcome), disagreements(outcome), details(outcome), how(outcome)];
    let reduction = |test| percent(outcome.mean_reduction(KEPT(test), Combination::Adjusted));
    Findings {
        name: "ablation",
        title: "Ablation: what each protocol removes".into(),
        summary: format!(
            "all protocols together remove {} of the error when the number of points changes, and {} when the number \
             of dimensions does",
            reduction(Test::Cardinality),
            reduction(Test::Dimensionality)
        ),
        page: sections.join("\n\n"),
        files: files(outcome),
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".into(), |share| format!("{:.0}%", 100.0 * share))
}

fn intro(outcome: &Outcome) -> String {
    format!(
        "A measure that compares datasets should not change when a dataset merely has more points or more noise \
         dimensions. Each of {} datasets of two Gaussian clusters is cut to eleven sizes, and SMAPE tells how much the \
         scores change between two sizes (0 not at all, 1 as much as can be), averaged over all 55 pairs of sizes. \
         The error reduction is 1 - SMAPE with protocols / SMAPE without. D makes a measure independent of the number \
         of points (T1), S of a shift of distances (T2), R fixes its range (T4); ADJ is every measure with all \
         protocols that it can take.",
        outcome.datasets
    )
}

fn results(outcome: &Outcome) -> String {
    let row = |combination: Combination| {
        let name = combination.name();
        let mut cells = vec![name.clone(), combination.variants().len().to_string()];
        for test in Test::ALL {
            let redrawn = Setup { test, other: Other::Redrawn };
            cells.push(percent(outcome.mean_reduction(KEPT(test), combination)));
            cells.push(match name.as_str() {
                "S" => "none".into(),
                _ => reported(test, &name)
                    .map_or_else(String::new, |share| format!("about {}", percent(Some(share)))),
            });
            cells.push(percent(outcome.mean_reduction(redrawn, combination)));
        }
        cells
    };
    let titles = [
        "protocols",
        "measures",
        "points: here",
        "paper",
        "other factor redrawn",
        "dimensions: here",
        "paper",
        "other factor redrawn",
    ];
    let rows: Vec<Vec<String>> = Combination::all().into_iter().map(row).collect();
    let figures: String = Test::ALL
        .map(|test| {
            format!(
                "![Mean error reduction, {0} test]({1})\n\n![SMAPE before and after, {0} test]({2})\n\n",
                test.id(),
                bars_name(test),
                scatter_name(test)
            )
        })
        .concat();
    format!("## Mean error reduction\n\n{}\n{}", markdown::table(&titles, 1, &rows), figures.trim_end())
}

/// Something that the paper says about the reductions, and whether it is so here.
struct Claim {
    words: &'static str,
    holds: bool,
    numbers: String,
}

fn claims(outcome: &Outcome) -> Vec<Claim> {
    let mean = |test: Test, name: &str| {
        let named = Combination::all().into_iter().find(|one| one.name() == name);
        named.and_then(|one| outcome.mean_reduction(KEPT(test), one)).unwrap_or(f64::NAN)
    };
    let list = |test: Test, names: &[&str]| {
        let of = |name: &&str| format!("{name} {}", percent(Some(mean(test, name))));
        names.iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let both = |names: &[&str]| {
        format!(
            "points: {}; dimensions: {}",
            list(Test::Cardinality, names),
            list(Test::Dimensionality, names)
        )
    };
    let silhouette = Variant::find("SC S");
    let silhouette = silhouette.and_then(|sc| outcome.reduction(KEPT(Test::Dimensionality), sc));
    let (points, dimensions) = (Test::Cardinality, Test::Dimensionality);
    let helps = |test: Test| ["DS", "SR", "DSR"].iter().all(|name| mean(test, name) > mean(test, "S"));
    vec![
        Claim {
            words: "D removes more than R when the number of points changes",
            holds: mean(points, "D") > mean(points, "R"),
            numbers: list(points, &["D", "R"]),
        },
        Claim {
            words: "R removes more than D when the number of dimensions changes",
            holds: mean(dimensions, "R") > mean(dimensions, "D"),
            numbers: list(dimensions, &["R", "D"]),
        },
        Claim {
            words: "S alone removes nothing in either test",
            holds: mean(points, "S") <= 0.0 && mean(dimensions, "S") <= 0.0,
            numbers: both(&["S"]),
        },
        Claim {
            words: "S together with D or R removes more than S alone",
            holds: helps(points) && helps(dimensions),
            numbers: both(&["S", "DS", "SR", "DSR"]),
        },
        Claim {
            words: "D and S together remove more than each alone when the number of dimensions changes",
            holds: mean(dimensions, "DS") > mean(dimensions, "D").max(mean(dimensions, "S")),
            numbers: list(dimensions, &["D", "S", "DS"]),
        },
        Claim {
            words: "ADJ does not beat most other combinations",
            holds: [points, dimensions].iter().all(|&test| {
                let others = ["D", "S", "R", "DS", "DR", "SR", "DSR"];
                others.iter().filter(|name| mean(test, name) > mean(test, "ADJ")).count() > others.len() / 2
            }),
            numbers: both(&["ADJ"]),
        },
        Claim {
            words: "SC_A reacts to the number of dimensions no less than SC",
            holds: silhouette.is_some_and(|reduction| reduction <= 0.0),
            numbers: format!("SC S {}", percent(silhouette)),
        },
    ]
}

fn disagreements(outcome: &Outcome) -> String {
    let numbers = REPORTED.iter().map(|one| {
        let named = Combination::all().into_iter().find(|combination| combination.name() == one.combination);
        let ours = named.and_then(|combination| outcome.mean_reduction(KEPT(one.test), combination));
        let verdict = match ours {
            Some(ours) if (ours - one.reduction).abs() < AGREE => "agrees",
            _ => "differs",
        };
        let paper = format!("about {}", percent(Some(one.reduction)));
        vec![
            format!("{} in the {} test", one.combination, one.test.id()),
            paper,
            percent(ours),
            verdict.into(),
        ]
    });
    let claims = claims(outcome).into_iter().map(|claim| {
        let verdict = if claim.holds { "agrees" } else { "differs" };
        vec![claim.words.to_owned(), "yes".into(), claim.numbers, verdict.to_owned()]
    });
    let table = markdown::table(
        &["what the paper says", "paper", "here", "verdict"],
        4,
        &numbers.chain(claims).collect::<Vec<_>>(),
    );
    let few = |name: &str| {
        let errors = Variant::find(name).and_then(|one| outcome.of(KEPT(Test::Dimensionality), one));
        errors.map(|errors| errors.concentration)
    };
    let saturated = Variant::find("DI R").and_then(|di| topmost(outcome, Test::Dimensionality, di));
    format!(
        "## Where we agree and where not\n\nNumbers agree if they differ by less than {:.0} points.\n\n{table}\n\
         What to know about the differences:\n\n\
         * The datasets are not the paper's: their ranges are stated below, and the paper's are not known.\n\
         * The paper's text can be read so that the factor which a test does not control is drawn anew for each of the \
         eleven sizes. Then a measure that reacts to dimensions is disturbed in the test of the number of points as well, \
         and D cannot remove most of the error. The columns \"other factor redrawn\" show that reading. All else on this \
         page keeps the other factor for all sizes of a base dataset, as a controlled test must.\n\
         * A small error need not be good: what is always 1 does not change. DI with R, whose growth rate was calibrated \
         in the plane, is above {TOP} on {} of the datasets in the test of the number of dimensions, because \
         separation is not tiny against diameters where there are many.\n\
         * S without R is an exponential that nothing bounds. Of the change of DI with D and S between two numbers of \
         dimensions, {} is made by the {:.0}% of the datasets that change most (CH with D and S: {}): those far apart, \
         whose number depends on how far apart the means may be. Averages that hold such variants say little; R takes this \
         away.\n\
         * XB and DB without R are better when lower. SMAPE is computed on values as they are defined, so the least \
         value M that is subtracted is then the best one.\n\
         * II has the units of a squared length. Its growth rate with R alone belongs to the scale of the authors' \
         datasets, which is not known.",
        100.0 * AGREE,
        percent(saturated),
        percent(few("DI DS")),
        100.0 * FEW,
        percent(few("CH DS"))
    )
}

/// The share of scores at the upper end.
fn topmost(outcome: &Outcome, test: Test, variant: Variant) -> Option<f64> {
    outcome.of(KEPT(test), variant).map(|errors| errors.topmost)
}

fn details(outcome: &Outcome) -> String {
    let row = |variant: Variant| {
        let mut cells = vec![variant.name()];
        for test in Test::ALL {
            let smape = outcome.of(KEPT(test), variant).map(|errors| format!("{:.4}", errors.mean()));
            cells.push(smape.unwrap_or_else(|| "-".into()));
            let plain = variant.protocols.letters().is_empty();
            cells.push(if plain { String::new() } else { percent(outcome.reduction(KEPT(test), variant)) });
            cells.push(if variant.protocols.r {
                percent(topmost(outcome, test, variant))
            } else {
                String::new()
            });
        }
        cells
    };
    let titles =
        ["variant", "points: SMAPE", "reduction", "above .99", "dimensions: SMAPE", "reduction", "above .99"];
    let rows: Vec<Vec<String>> = Variant::all().into_iter().map(row).collect();
    format!(
        "## All variants\n\nThe unbiased rows are the forms of `ch_c` and `db_c`; they enter no average. With S, {} and {} \
         become one measure. Above .99: the share of scores at the upper end of the range that R gives.\n\n{}",
        Base::Ii.name(),
        Base::Xb.name(),
        markdown::table(&titles, 1, &rows)
    )
}

fn how(outcome: &Outcome) -> String {
    format!(
        "## The datasets\n\n{} base datasets (seed {}) of 1,000 points: two Gaussian clusters in the plane, drawn until \
         ten equal bins of judged separability are equally full. People's judgements are not at hand, so the judge is \
         CH_A in the plane, whose growth rate people's judgements have set. Standard deviations along the main axes {} \
         to {} (evenly on the logarithmic scale), angles 0 to 180 degrees, share of the first cluster {} to {}, \
         distance of the means {} to {} (all evenly). 98 noise dimensions follow, with mean 0 and, in each cluster, the \
         smaller eigenvalue of its covariance matrix as variance. Points are sampled with the same shares of classes; \
         dimensions are the first ones. Points: 500, 550, .., 1000 with 2 to 100 dimensions. Dimensions: 2, 10, \
         20, .., 100 with 500 to 1000 points.",
        outcome.datasets, outcome.seed, SPAN[0], SPAN[1], SHARE[0], SHARE[1], DISTANCE[0], DISTANCE[1]
    )
}

#[cfg(test)]
mod tests {
    use clmatch_stop::{Control, Stop};

    use super::*;
    use crate::ablation::{AblationSettings, run};

    #[test]
    fn the_page_shows_its_files_and_every_combination() {
        let outcome = run(&AblationSettings { datasets: 3, seed: 2 }, Control::new(&Stop::new())).unwrap();
        let findings = findings(&outcome);
        for file in &findings.files {
            assert!(file.name.starts_with(findings.name), "{}", file.name);
            let shown = file.name.ends_with(".csv") || findings.page.contains(&format!("]({})", file.name));
            assert!(shown, "{} is not shown", file.name);
        }
        for combination in Combination::all() {
            assert!(findings.page.contains(&format!("\n| {} |", combination.name())));
        }
        let lines =
            |name: &str| findings.files.iter().find(|file| file.name == name).unwrap().text.lines().count();
        let variants = outcome.errors.len();
        assert_eq!(
            (lines("ablation-smape.csv"), lines("ablation-pairs.csv")),
            (1 + variants, 1 + 55 * variants)
        );
        assert!(!findings.page.contains("NaN"), "{}", findings.page);
    }
}
