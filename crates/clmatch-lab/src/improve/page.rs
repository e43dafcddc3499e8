//! Scores before and after, rank stability, and run times.

use clmatch_render::number::{duration, significant};
use clmatch_render::{Boxes, Link, Links, Row as BoxRow, csv, markdown};

use super::rankings::{RankedVersion, Version, boxes, ranked, scores_csv, table};
use super::{ImproveSettings, Improved, Search, Technique};
use crate::claims::Claim;
use crate::findings::{File, Findings};
use crate::reading::Reading;
use clmatch_truth::rank::{mean_and_deviation, quantile};
use clmatch_truth::stability::DrawSettings;

/// The number of significant digits of scores in the tables of raw numbers.
pub(super) const DIGITS: usize = 8;
/// The significance level of a gain on held-out points.
const LEVEL: f64 = 0.05;
/// Mean stabilities that differ by less than this are not distinguished: each comes from 1,000 draws and a few pairs.
const CLEAR: f64 = 0.01;
/// Values of `ch_a` that differ by less than this are equal.
const EQUAL: f64 = 1e-9;
/// A minute, in seconds.
const MINUTE: f64 = 60.0;
/// The seconds that the paper's program takes: on average, and for the largest dataset.
const PAPER_SECONDS: [f64; 2] = [20.0, 3600.0];

/// The three versions of every dataset.
const VERSIONS: [&str; 3] = ["all features", "random search", "our search"];

/// The figures, the tables and the page.
pub fn findings(datasets: &[Improved], plan: &ImproveSettings) -> Findings {
    let draws = DrawSettings { seed: plan.seed, ..DrawSettings::default() };
    let versions = versions(datasets);
    let rankings = ranked(&versions, draws);
    let mut files = vec![
        File { name: "improve.csv".into(), text: raw(datasets) },
        File { name: "improve.svg".into(), text: links(datasets).svg() },
        File { name: "improve-seconds.svg".into(), text: seconds(datasets).svg() },
    ];
    if let Some(rankings) = &rankings {
        files.push(File { name: "improve-stability.svg".into(), text: boxes(rankings).svg() });
    }
    files.push(File { name: "improve-techniques.csv".into(), text: scores_csv(&versions) });
    let column = |of: fn(&Improved) -> f64| datasets.iter().map(of).collect::<Vec<f64>>();
    let mean = |of: fn(&Improved) -> f64| mean_and_deviation(&column(of)).0;
    let stabilities = rankings.as_ref().map(|all| [0, 1].map(|at| all[at].found.mean_stability()));
    let (before, after) = (column(|one| one.before), column(|one| one.random.after));
    Findings {
        name: "improve",
        reading: Some(Reading::Text),
        title: "Better features: datasets repaired".into(),
        summary: format!(
            "mean CH<sub>A</sub> {:.3} with all features, {:.3} after the paper's random search, {:.3} after ours",
            mean(|one| one.before),
            mean(|one| one.random.after),
            mean(|one| one.ours.after)
        ),
        claims: claims((&before, &after), stabilities, &column(|one| one.random.seconds)),
        page: page(datasets, rankings.as_deref(), plan, draws),
        files,
    }
}

/// The paper's claims about improved datasets: scores before and after, stabilities before and after, and times.
pub(super) fn claims(
    (before, after): (&[f64], &[f64]),
    stabilities: Option<[f64; 2]>,
    seconds: &[f64],
) -> Vec<Claim> {
    let mean = |values: &[f64]| mean_and_deviation(values).0;
    let (from, to) = (mean(before), mean(after));
    // As in the raw numbers: rounding that is added to a score of 1 does not count.
    let shown = |value: &f64| significant(*value, DIGITS).parse::<f64>().unwrap_or(*value);
    let better = before.iter().zip(after).filter(|(before, after)| shown(after) > shown(before)).count();
    let (average, longest) = (mean(seconds), seconds.iter().copied().fold(0.0, f64::max));
    let mut claims = vec![Claim::sentence(
        "The random search raises CH<sub>A</sub> substantially",
        "yes (a figure without numbers)",
        format!("mean {from:.3} to {to:.3}; higher on {better} of {} datasets", before.len()),
        to > from + 0.05,
    )];
    if let Some([from, to]) = stabilities {
        claims.push(Claim::sentence(
            "Rankings are more stable on improved datasets",
            "yes (a figure without numbers)",
            format!("{from:.3} to {to:.3}"),
            to > from + CLEAR,
        ));
    }
    claims.push(Claim::sentence(
        "The search takes less than 20 s on average, and less than an hour for the largest dataset",
        "20 s, 1 h",
        format!("{}, {}", duration(average), duration(longest)),
        average < PAPER_SECONDS[0] && longest < PAPER_SECONDS[1],
    ));
    let short = seconds.iter().filter(|&&one| one < MINUTE).count();
    claims.push(Claim::sentence(
        "The search takes less than a minute for most datasets",
        "yes",
        format!("{short} of {}", seconds.len()),
        2 * short > seconds.len(),
    ));
    claims
}

/// The places in ascending order of their values.
pub(super) fn links_order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}

fn versions(datasets: &[Improved]) -> Vec<Version<'_>> {
    let of: [fn(&Improved) -> &[Technique]; 3] =
        [|one| &one.techniques, |one| &one.random.techniques, |one| &one.ours.techniques];
    let version = |(name, of): (&'static str, fn(&Improved) -> &[Technique])| Version {
        name,
        scores: datasets.iter().map(|one| (one.dataset.as_str(), of(one))).collect(),
    };
    VERSIONS.into_iter().zip(of).map(version).collect()
}

fn raw(datasets: &[Improved]) -> String {
    let number = |value: f64| significant(value, DIGITS);
    let row = |one: &Improved| {
        let mut cells = vec![one.dataset.clone()];
        cells.extend([one.points, one.features, one.classes].map(|count| count.to_string()));
        cells.push(number(one.before));
        for search in [&one.random, &one.ours] {
            cells.extend([number(search.after), search.kept.to_string(), significant(search.seconds, 4)]);
        }
        let held = |of: fn(&super::HeldOut) -> f64| one.held_out.as_ref().map(of);
        let honest = [held(|h| h.before), held(|h| h.after), held(|h| h.p_value)];
        cells.extend(honest.map(|value| value.map_or_else(String::new, number)));
        cells.push(one.held_out.as_ref().map_or_else(String::new, |held| held.conclusive.to_string()));
        cells
    };
    let titles = [
        "dataset",
        "points",
        "features",
        "classes",
        "before",
        "random_after",
        "random_kept",
        "random_seconds",
        "ours_after",
        "ours_kept",
        "ours_seconds",
        "held_out_before",
        "held_out_after",
        "p_value",
        "conclusive",
    ];
    csv::table(&titles, &datasets.iter().map(row).collect::<Vec<_>>())
}

fn links(datasets: &[Improved]) -> Links {
    let order = links_order(&datasets.iter().map(|one| one.before).collect::<Vec<_>>());
    let link = |&at: &usize| {
        let one = &datasets[at];
        Link { name: one.dataset.clone(), values: vec![one.before, one.random.after, one.ours.after] }
    };
    Links {
        x: "datasets in the order of CH_A before".into(),
        y: "CH_A".into(),
        stages: VERSIONS.map(str::to_owned).to_vec(),
        links: order.iter().map(link).collect(),
        ..Links::default()
    }
}

fn seconds(datasets: &[Improved]) -> Boxes {
    let row = |kind: usize, search: fn(&Improved) -> &Search| {
        let values: Vec<f64> = datasets.iter().map(|one| search(one).seconds).collect();
        let (mean, _) = mean_and_deviation(&values);
        BoxRow {
            name: VERSIONS[kind + 1].to_owned(),
            kind: kind + 1,
            values,
            note: format!("mean {}", duration(mean)),
        }
    };
    Boxes {
        x: "seconds of the search, per dataset".into(),
        log: true,
        // The same colours as in the other figures.
        kinds: VERSIONS.map(str::to_owned).to_vec(),
        rows: vec![row(0, |one| &one.random), row(1, |one| &one.ours)],
        ..Boxes::default()
    }
}

fn page(
    datasets: &[Improved],
    rankings: Option<&[RankedVersion]>,
    plan: &ImproveSettings,
    draws: DrawSettings,
) -> String {
    let all = datasets.len();
    let below = datasets.iter().filter(|one| one.ours.after < one.random.after - EQUAL).count();
    let above = datasets.iter().filter(|one| one.ours.after > one.random.after + EQUAL).count();
    let mut text = format!(
        "{all} datasets. The objective is `ch_a`, on all points, as in the paper. Its search takes the best of 1,000 random \
         subsets; ours starts from random subsets too, and goes on with greedy moves and weights. Its search is limited to \
         {} s, after the moments are computed.\n\n![before and after](improve.svg)\n\n*CH<sub>A</sub> of every dataset before and \
         after, in the order of CH<sub>A</sub> before.*\n\n",
        plan.budget.as_secs_f64()
    );
    let row = |name: &str,
               of: &dyn Fn(&Improved) -> f64,
               kept: &dyn Fn(&Improved) -> f64,
               time: &dyn Fn(&Improved) -> f64| {
        let column = |of: &dyn Fn(&Improved) -> f64| datasets.iter().map(of).collect::<Vec<f64>>();
        let mut scores = column(of);
        scores.sort_by(f64::total_cmp);
        let times = column(time);
        vec![
            name.to_owned(),
            format!("{:.3}", mean_and_deviation(&scores).0),
            format!("{:.3}", quantile(&scores, 0.5)),
            format!("{:.0}%", 100.0 * mean_and_deviation(&column(kept)).0),
            duration(mean_and_deviation(&times).0),
            duration(times.iter().copied().fold(0.0, f64::max)),
        ]
    };
    let share = |search: &Search, one: &Improved| search.kept as f64 / one.features as f64;
    let rows = [
        row(VERSIONS[0], &|one| one.before, &|_| 1.0, &|_| 0.0),
        row(VERSIONS[1], &|one| one.random.after, &|one| share(&one.random, one), &|one| one.random.seconds),
        row(VERSIONS[2], &|one| one.ours.after, &|one| share(&one.ours, one), &|one| one.ours.seconds),
    ];
    let titles =
        ["features", "mean CH<sub>A</sub>", "median CH<sub>A</sub>", "features kept", "mean time", "longest"];
    text.push_str(&markdown::table(&titles, 1, &rows));
    text.push_str(&format!(
        "\nOurs ends above the random search on {above} of {all} datasets and below it on {below}. The paper's program takes \
         less than 20 s on average and less than an hour for the largest dataset.\n\n![seconds](improve-seconds.svg)\n\n"
    ));
    text.push_str(&honest(datasets));
    text.push_str("## Rank stability\n\n");
    text.push_str(&ranking_text(rankings, plan, draws));
    text
}

/// The gain that remains on points that had no part in the choice.
fn honest(datasets: &[Improved]) -> String {
    let held: Vec<_> = datasets.iter().filter_map(|one| one.held_out.as_ref()).collect();
    let mean =
        |of: fn(&&super::HeldOut) -> f64| mean_and_deviation(&held.iter().map(of).collect::<Vec<_>>()).0;
    let conclusive = held.iter().filter(|one| one.conclusive).count();
    let significant = held.iter().filter(|one| one.p_value <= LEVEL && one.after > one.before).count();
    if held.is_empty() {
        return String::new();
    }
    format!(
        "## On points that had no part in the choice\n\nFeatures chosen on the points that are scored flatter themselves. \
         With the defaults of `clmatch improve` (at least two features, a small penalty, shrinkage), chosen on one half of \
         each class and scored on the other half, the mean of `ch_a` goes from {:.3} to {:.3} over {} datasets. The gain is \
         significant (p <= {LEVEL}, against searches under shuffled labels with one start each) on {significant} of the \
         {conclusive} datasets for which there was time for enough of those.\n\n",
        mean(|one| one.before),
        mean(|one| one.after),
        held.len()
    )
}

/// Whether rankings on improved datasets are more stable, as the paper claims.
fn verdict(ranked: &[RankedVersion]) -> &'static str {
    let means: Vec<f64> = ranked.iter().map(|one| one.found.mean_stability()).collect();
    match means[..] {
        [before, random, ours] => match (random > before + CLEAR, ours > before + CLEAR) {
            (true, true) => "So it is here, after either search.",
            (true, false) => "So it is here after the paper's search, but not after ours.",
            (false, true) => "So it is here after our search, but not after the paper's.",
            (false, false) => "It is not so here, after either search.",
        },
        _ => "",
    }
}

fn ranking_text(rankings: Option<&[RankedVersion]>, plan: &ImproveSettings, draws: DrawSettings) -> String {
    let Some(rankings) = rankings else {
        return "There are too few datasets for rankings over random choices of ten, or techniques without a score.\n".into();
    };
    let external = plan.truth.externals.first().map_or("", |external| external.id());
    format!(
        "The techniques are tuned for `{external}` on at most {} points of each dataset, drawn class by class, the same in \
         all three versions; {} draws of {} datasets.\n\n{}\n![stability](improve-stability.svg)\n\n*Pairwise rank stability \
         of the techniques: each point is one pair.*\n\nThe paper shows a higher stability on improved datasets as a figure, \
         without numbers. {}\n",
        plan.max_points,
        draws.draws,
        draws.size,
        table(rankings),
        verdict(rankings)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_that_the_numbers_do_not_show_does_not_count() {
        let (before, after) = ([0.1, 1.0 - 1e-12, 0.5], [0.4, 1.0, 0.3]);
        let said = claims((&before, &after), None, &[1.0; 3]).remove(0).found;
        assert!(said.ends_with("higher on 1 of 3 datasets"), "{said}");
    }
}
