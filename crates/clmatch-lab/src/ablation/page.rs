//! The page of the ablation: our numbers beside the paper's, and where the two disagree.

use clmatch_render::markdown;

use super::conditions::Test;
use super::errors::{Combination, FEW, Outcome, TOP};
use super::figures::{bars_name, files, scatter_name};
use super::paper::{REPORTED, reported};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::reading::Reading;
use clmatch_analysis::calibration::gaussians::{DISTANCE, SHARE, SPAN};
use clmatch_analysis::calibration::variants::{Base, Variant};

/// Reductions that differ by less than this agree: the paper's are rounded, and read from a figure.
const AGREE: f64 = 0.10;
/// A reduction of less than this counts as none.
const NOTHING: f64 = 0.05;

pub(super) fn findings(outcome: &Outcome) -> Findings {
    let sections = [intro(outcome), results(outcome), remarks(outcome), details(outcome), how(outcome)];
    let reduction = |test| percent(outcome.mean_reduction(test, Combination::Adjusted));
    Findings {
        name: "ablation",
        reading: Some(outcome.reading),
        title: "Ablation: what each protocol removes".into(),
        summary: format!(
            "all protocols together remove {} of the error when the number of points changes, and {} when the number \
             of dimensions does",
            reduction(Test::Cardinality),
            reduction(Test::Dimensionality)
        ),
        claims: [numbers(outcome), sentences(outcome)].concat(),
        page: sections.join("\n\n"),
        files: files(outcome),
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".into(), |share| format!("{:.0}%", 100.0 * share).replace('-', "−"))
}

fn intro(outcome: &Outcome) -> String {
    let how = match outcome.reading {
        Reading::Text => {
            "The error reduction is 1 - SMAPE with protocols / SMAPE without, both means over all 55 pairs of sizes. Points are \
             drawn class by class, and every variant is what the text defines."
        }
        Reading::Authors => {
            "The error reduction is the mean over all 55 pairs of sizes of (before - after) / max(before, after), so that it \
             lies between -100% and 100%. The weights of SMAPE stand above the line only. Points are drawn from all, \
             whatever their class. DB without protocols is 1/DB; XB with R is II with R; DI with R has the mean over \
             shuffled labels as its worst case."
        }
    };
    format!(
        "A measure that compares datasets should not change when a dataset merely has more points or more noise \
         dimensions. Each of {} datasets of two Gaussian clusters is cut to eleven sizes, and SMAPE tells how much the \
         scores change between two sizes (0 not at all, 1 as much as can be). {how} D makes a measure independent of the \
         number of points (T1), S of a shift of distances (T2), R fixes its range (T4); ADJ is every measure with all \
         protocols that it can take. The factor that a test does not control is drawn once for each base dataset.",
        outcome.datasets
    )
}

fn results(outcome: &Outcome) -> String {
    let row = |combination: Combination| {
        let name = combination.name();
        let mut cells = vec![name.clone(), combination.variants().len().to_string()];
        for test in Test::ALL {
            let interval = outcome.interval(test, combination);
            let interval = interval.map_or_else(String::new, |(low, high)| {
                format!(" ({} to {})", percent(Some(low)), percent(Some(high)))
            });
            cells.push(format!("{}{interval}", percent(outcome.mean_reduction(test, combination))));
            cells.push(match name.as_str() {
                "S" => "none".into(),
                _ => reported(test, &name)
                    .map_or_else(String::new, |share| format!("about {}", percent(Some(share)))),
            });
        }
        cells
    };
    let titles = ["protocols", "measures", "points: here", "paper", "dimensions: here", "paper"];
    let rows: Vec<Vec<String>> = Combination::all().into_iter().map(row).collect();
    let figures: String = Test::ALL
        .map(|test| {
            let what = match test {
                Test::Cardinality => "the number of points",
                Test::Dimensionality => "the number of dimensions",
            };
            format!(
                "![Mean error reduction by {what}]({1})\n\n*Mean error reduction when {what} changes, with 95% intervals over \
                 bootstrap samples of the base datasets; diamonds are the paper's numbers. Both tests have the same axis.*\n\n\
                 ![SMAPE before and after, {0} test]({2})\n\n*SMAPE when {what} changes, without protocols (across) and with \
                 them (up), on logarithmic axes: one panel for each number of protocols, colours for protocols, shapes for \
                 measures. Below the line the protocols help.*\n\n",
                test.id(),
                bars_name(outcome.reading, test),
                scatter_name(outcome.reading, test)
            )
        })
        .concat();
    format!("## Mean error reduction\n\n{}\n{}", markdown::table(&titles, 1, &rows), figures.trim_end())
}

fn numbers(outcome: &Outcome) -> Vec<Claim> {
    let number = |one: &super::paper::Reported| {
        let ours =
            named(one.combination).and_then(|combination| outcome.mean_reduction(one.test, combination));
        let close = ours.is_some_and(|ours| (ours - one.reduction).abs() < AGREE);
        let what = format!("{} removes a share of the error in the {} test", one.combination, one.test.id());
        Claim::sentence(what, format!("about {}", percent(Some(one.reduction))), percent(ours), close)
    };
    REPORTED.iter().map(number).collect()
}

fn named(name: &str) -> Option<Combination> {
    Combination::all().into_iter().find(|one| one.name() == name)
}

/// The mean reductions, by the names of the combinations.
struct Means<'a>(&'a Outcome);

impl Means<'_> {
    fn of(&self, test: Test, name: &str) -> f64 {
        named(name).and_then(|one| self.0.mean_reduction(test, one)).unwrap_or(f64::NAN)
    }

    /// The reduction of each measure that a combination applies to, in ascending order.
    fn each(&self, test: Test, name: &str) -> Vec<(Variant, f64)> {
        let variants = named(name).map(Combination::variants).unwrap_or_default();
        let of = |variant: Variant| Some((variant, self.0.reduction(test, variant)?));
        let mut found: Vec<(Variant, f64)> = variants.into_iter().filter_map(of).collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        found
    }

    /// Some of the mean reductions in words.
    fn list(&self, test: Test, names: &[&str]) -> String {
        let of = |name: &&str| format!("{name} {}", percent(Some(self.of(test, name))));
        names.iter().map(of).collect::<Vec<_>>().join(", ")
    }

    /// Some of the mean reductions in words, for both tests.
    fn both(&self, names: &[&str]) -> String {
        let [points, dimensions] =
            [Test::Cardinality, Test::Dimensionality].map(|test| self.list(test, names));
        format!("points: {points}; dimensions: {dimensions}")
    }
}

/// The paper's statements about the reductions that have no number.
fn sentences(outcome: &Outcome) -> Vec<Claim> {
    [single_protocols(&Means(outcome)), combined_protocols(&Means(outcome)), vec![silhouette(outcome)]]
        .concat()
}

fn single_protocols(means: &Means<'_>) -> Vec<Claim> {
    let (points, dimensions) = (Test::Cardinality, Test::Dimensionality);
    vec![
        Claim::sentence(
            "D removes more than R when the number of points changes",
            "yes",
            means.list(points, &["D", "R"]),
            means.of(points, "D") > means.of(points, "R"),
        ),
        Claim::sentence(
            "R removes more than D when the number of dimensions changes",
            "yes",
            means.list(dimensions, &["R", "D"]),
            means.of(dimensions, "R") > means.of(dimensions, "D"),
        ),
        Claim::sentence(
            "S alone removes nothing in either test",
            "yes",
            means.both(&["S"]),
            Test::ALL.iter().all(|&test| means.of(test, "S") <= NOTHING),
        ),
        rises_with_s(means),
    ]
}

fn rises_with_s(means: &Means<'_>) -> Claim {
    let worst = Test::ALL.map(|test| means.each(test, "S").first().copied());
    let words = worst.map(|worst| match worst {
        Some((variant, reduction)) => format!("{} {}", variant.name(), percent(Some(reduction))),
        None => "–".to_owned(),
    });
    Claim::sentence(
        "In both tests S alone raises the error of some measure",
        "yes",
        format!("points: {}; dimensions: {}", words[0], words[1]),
        worst.iter().all(|worst| worst.is_some_and(|(_, reduction)| reduction < 0.0)),
    )
}

fn combined_protocols(means: &Means<'_>) -> Vec<Claim> {
    let dimensions = Test::Dimensionality;
    let helps =
        |test: Test| ["DS", "SR", "DSR"].iter().all(|name| means.of(test, name) > means.of(test, "S"));
    // Whether more than half of the combinations denoted by their letters are beaten.
    let beaten = |test: Test, by: &str| {
        let others = ["D", "S", "R", "DS", "DR", "SR", "DSR"];
        let better = others.iter().filter(|name| means.of(test, name) > means.of(test, by));
        better.count() > others.len() / 2
    };
    vec![
        Claim::sentence(
            "S together with D or R removes more than S alone",
            "yes",
            means.both(&["S", "DS", "SR", "DSR"]),
            Test::ALL.into_iter().all(helps),
        ),
        Claim::sentence(
            "D and S together remove more than each alone when the number of dimensions changes",
            "yes",
            means.list(dimensions, &["D", "S", "DS"]),
            means.of(dimensions, "DS") > means.of(dimensions, "D").max(means.of(dimensions, "S")),
        ),
        Claim::sentence(
            "D, S and R together (DSR) are good in both tests: better than most other combinations",
            "yes",
            means.both(&["DSR"]),
            Test::ALL.into_iter().all(|test| !beaten(test, "DSR")),
        ),
        Claim::sentence(
            "ADJ does not beat most other combinations",
            "yes",
            means.both(&["ADJ"]),
            Test::ALL.into_iter().all(|test| beaten(test, "ADJ")),
        ),
        adjusted_helps(means),
    ]
}

fn adjusted_helps(means: &Means<'_>) -> Claim {
    let counts = Test::ALL.map(|test| {
        let each = means.each(test, "ADJ");
        (each.iter().filter(|(_, reduction)| *reduction > 0.0).count(), each.len())
    });
    let [points, dimensions] = counts.map(|(lower, of)| format!("{lower} of {of} measures"));
    Claim::sentence(
        "ADJ lowers the error of most measures in both tests",
        "yes",
        format!("points: {points}; dimensions: {dimensions}"),
        counts.iter().all(|&(lower, of)| 2 * lower > of),
    )
}

fn silhouette(outcome: &Outcome) -> Claim {
    let reduction = Variant::find("SC S").and_then(|sc| outcome.reduction(Test::Dimensionality, sc));
    Claim::sentence(
        "SC_A reacts to the number of dimensions no less than SC",
        "yes",
        format!("SC S {}", percent(reduction)),
        reduction.is_some_and(|reduction| reduction <= 0.0),
    )
}

/// Remarks that explain differences.
fn remarks(outcome: &Outcome) -> String {
    let few = |name: &str| {
        let errors = Variant::find(name).and_then(|one| outcome.of(Test::Dimensionality, one));
        errors.map(|errors| errors.concentration)
    };
    let saturated = Variant::find("DI R").and_then(|di| topmost(outcome, Test::Dimensionality, di));
    format!(
        "## What to know about the differences\n\nNumbers agree if they differ by less than {:.0} points.\n\n\
         * The datasets are not the paper's: their ranges are stated below, and the paper's are not known.\n\
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
    outcome.of(test, variant).map(|errors| errors.topmost)
}

fn details(outcome: &Outcome) -> String {
    let row = |variant: Variant| {
        let mut cells = vec![variant.name()];
        for test in Test::ALL {
            let smape = outcome.of(test, variant).map(|errors| format!("{:.4}", errors.mean()));
            cells.push(smape.unwrap_or_else(|| "-".into()));
            let plain = variant.protocols.letters().is_empty();
            cells.push(if plain { String::new() } else { percent(outcome.reduction(test, variant)) });
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
         smaller eigenvalue of its covariance matrix as variance. Dimensions are the first \
         ones. Points: 500, 550, .., 1000 with 2 to 100 dimensions. Dimensions: 2, 10, \
         20, .., 100 with 500 to 1000 points.",
        outcome.datasets, outcome.seed, SPAN[0], SPAN[1], SHARE[0], SHARE[1], DISTANCE[0], DISTANCE[1]
    )
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::{Control, Stop};

    use super::*;
    use crate::ablation::{AblationSettings, run};

    #[test]
    fn the_page_shows_its_files_and_every_combination() {
        let plan = AblationSettings { datasets: 3, resamples: 2, seed: 2, reading: Reading::Authors };
        let outcome = run(&plan, Control::new(&Stop::new())).unwrap();
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
            (lines("ablation-authors-smape.csv"), lines("ablation-authors-pairs.csv")),
            (1 + variants, 1 + 55 * variants)
        );
        assert!(!findings.page.contains("NaN"), "{}", findings.page);
    }
}
