//! The improvement as computed by the authors' program.

use clmatch_render::number::{duration, significant};
use clmatch_render::{Link, Links, csv, markdown};

use super::page::{DIGITS, claims, links_order};
use super::rankings::{Version, boxes, ranked, scores_csv, table};
use super::weighted::DRAWS;
use super::{ImproveSettings, Technique, Weighted};
use crate::findings::{File, Findings};
use crate::reading::Reading;
use clmatch_truth::rank::{mean_and_deviation, quantile};
use clmatch_truth::stability::DrawSettings;

const NAME: &str = "improve";
/// The versions of every dataset.
const VERSIONS: [&str; 3] = ["equal weights", "weights as found", "weights as found, rescaled"];

/// The figures, the tables and the page.
pub fn findings(datasets: &[Weighted], plan: &ImproveSettings) -> Findings {
    let stem = Reading::Authors.mark(NAME);
    let draws = DrawSettings { seed: plan.seed, ..DrawSettings::default() };
    let versions = versions(datasets);
    let rankings = ranked(&versions, draws);
    let column = |of: fn(&Weighted) -> f64| datasets.iter().map(of).collect::<Vec<f64>>();
    let (before, after, seconds) =
        (column(|one| one.before), column(|one| one.after), column(|one| one.seconds));
    let mut files = vec![
        File { name: format!("{stem}.csv"), text: raw(datasets) },
        File { name: format!("{stem}.svg"), text: links(datasets).svg() },
    ];
    if let Some(rankings) = &rankings {
        files.push(File { name: format!("{stem}-stability.svg"), text: boxes(rankings).svg() });
    }
    files.push(File { name: format!("{stem}-techniques.csv"), text: scores_csv(&versions) });
    let stabilities = rankings.as_ref().map(|all| [0, 1].map(|at| all[at].found.mean_stability()));
    let mean = |values: &[f64]| mean_and_deviation(values).0;
    let stability = match &rankings {
        Some(all) => format!(
            "The techniques are tuned for `ami` with 30 evaluations each on at most {} points of each dataset, drawn class by \
             class, the same in all versions; {} draws of {} datasets.\n\n{}\n![stability]({stem}-stability.svg)\n\n*Pairwise \
             rank stability of the techniques: each point is one pair.*\n\nThe authors leave weighted data as they are. \
             Weights are below 1, so that the data shrink, and radii from 0.01 to 1 are no longer those of data that fill the \
             unit range: density-based techniques change, and the order of techniques with them. The last row divides the \
             data by their largest absolute value again, as all other experiments do.\n",
            plan.max_points,
            draws.draws,
            draws.size,
            table(all)
        ),
        None => "There are too few datasets for rankings over random choices of ten.\n".into(),
    };
    Findings {
        name: NAME,
        reading: Some(Reading::Authors),
        title: "Better features: datasets repaired".into(),
        summary: format!(
            "mean CH<sub>A</sub> {:.3} with equal weights, {:.3} after the authors' random search",
            mean(&before),
            mean(&after)
        ),
        claims: claims((&before, &after), stabilities, &seconds),
        page: format!(
            "{} datasets. The authors' program draws {DRAWS} vectors of weights, each weight evenly from 0 to 1, multiplies the \
             features by them, and keeps the vector with the best CH<sub>A</sub>; the text speaks of subsets. The search here \
             sees at most {} points of each dataset, drawn class by class; CH<sub>A</sub> before and after is that of all \
             points.\n\n![before and after]({stem}.svg)\n\n*CH<sub>A</sub> of every dataset before and after, in the order of \
             CH<sub>A</sub> before.*\n\n{}\n## Rank stability\n\n{stability}",
            datasets.len(),
            plan.max_points,
            scores_table(&before, &after, &seconds)
        ),
        files,
    }
}

fn versions(datasets: &[Weighted]) -> Vec<Version<'_>> {
    let of: [fn(&Weighted) -> &[Technique]; 3] =
        [|one| &one.initial, |one| &one.as_it_is, |one| &one.rescaled];
    VERSIONS
        .into_iter()
        .zip(of)
        .map(|(name, of)| Version {
            name,
            scores: datasets.iter().map(|one| (one.dataset.as_str(), of(one))).collect(),
        })
        .collect()
}

fn scores_table(before: &[f64], after: &[f64], seconds: &[f64]) -> String {
    let row = |name: &str, scores: &[f64], times: &[f64]| {
        let mut sorted = scores.to_vec();
        sorted.sort_by(f64::total_cmp);
        let longest = times.iter().copied().fold(0.0, f64::max);
        vec![
            name.to_owned(),
            format!("{:.3}", mean_and_deviation(scores).0),
            format!("{:.3}", quantile(&sorted, 0.5)),
            duration(mean_and_deviation(times).0),
            duration(longest),
        ]
    };
    let rows = [row(VERSIONS[0], before, &vec![0.0; before.len()]), row(VERSIONS[1], after, seconds)];
    let titles =
        ["features", "mean CH<sub>A</sub>", "median CH<sub>A</sub>", "mean time of the search", "longest"];
    markdown::table(&titles, 1, &rows)
}

fn links(datasets: &[Weighted]) -> Links {
    let order = links_order(&datasets.iter().map(|one| one.before).collect::<Vec<_>>());
    let link = |&at: &usize| Link {
        name: datasets[at].dataset.clone(),
        values: vec![datasets[at].before, datasets[at].after],
    };
    Links {
        x: "datasets in the order of CH_A before".into(),
        y: "CH_A".into(),
        stages: VERSIONS[..2].iter().map(|&name| name.to_owned()).collect(),
        links: order.iter().map(link).collect(),
        ..Links::default()
    }
}

fn raw(datasets: &[Weighted]) -> String {
    let row = |one: &Weighted| {
        let counts = [one.points, one.features, one.classes].map(|count| count.to_string());
        let numbers = [one.before, one.after, one.seconds].map(|number| significant(number, DIGITS));
        std::iter::once(one.dataset.clone()).chain(counts).chain(numbers).collect()
    };
    let titles = ["dataset", "points", "features", "classes", "before", "after", "seconds"];
    csv::table(&titles, &datasets.iter().map(row).collect::<Vec<Vec<String>>>())
}
