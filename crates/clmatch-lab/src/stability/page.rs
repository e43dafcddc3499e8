//! Stabilities and ranks, beside those that the paper shows.

use clmatch_render::markdown;
use clmatch_render::number::significant;

use super::figures::{files, ranks_file};
use super::{Case, Cases, SETS, cut_by};
use crate::claims::Claim;
use crate::findings::Findings;
use crate::names;
use crate::reading::Reading;
use clmatch_truth::stability::DrawSettings;

/// The datasets that the paper finds in the bottom third.
const IN_BOTTOM: [&str; 2] = ["spambase", "hepatitis"];
/// The technique whose ranks the paper states; its ranks follow, by set.
const NAMED: &str = "dbscan";
const PAPER_RANKS: [f64; 3] = [1.0, 8.0, 8.0];

pub(super) fn findings(cases: &Cases) -> Findings {
    Findings {
        name: "stability",
        reading: Some(cases.reading),
        title: "Rank stability: which datasets give rankings that hold".into(),
        summary: summary(cases),
        claims: claims(cases),
        page: page(cases),
        files: files(cases),
    }
}

fn mean_of(case: Option<&Case>) -> f64 {
    case.map_or(f64::NAN, |case| case.found.mean_stability())
}

fn summary(cases: &Cases) -> String {
    let [top, all, bottom] = SETS.map(|set| mean_of(cases.of_figure(set)));
    format!(
        "mean pairwise rank stability {top:.3} in the top third by {}, {all:.3} in all datasets, {bottom:.3} in the bottom \
         third",
        names::markdown(cases.by())
    )
}

fn claims(cases: &Cases) -> Vec<Claim> {
    let means = SETS.map(|set| mean_of(cases.of_figure(set)));
    let listed = SETS.iter().zip(means).map(|(set, mean)| format!("{set} {mean:.3}")).collect::<Vec<_>>();
    let mut claims = vec![
        Claim::sentence(
            "Rankings are more stable in the top third than in all datasets and in the bottom third",
            "yes (a figure without numbers)",
            listed.join(", "),
            means[0] > means[1] && means[0] > means[2],
        ),
        Claim::sentence(
            "From the top third over all datasets to the bottom third stability falls",
            "yes (a figure without numbers)",
            listed.join(", "),
            means.is_sorted_by(|a, b| a >= b),
        ),
    ];
    let ranks = SETS.map(|set| cases.of_figure(set).and_then(|case| rank(case, NAMED)).unwrap_or(f64::NAN));
    let inverse = SETS.map(|set| cases.of_figure(set).and_then(|case| inverse_rank(case, NAMED)));
    let inverse = inverse.map(|place| place.map_or_else(String::new, |place| place.to_string()));
    claims.push(Claim::sentence(
        "DBSCAN is first in the top third, and eighth in all datasets and in the bottom third",
        "1, 8, 8",
        format!(
            "{} (by `argsort + 1`: {})",
            ranks.map(|rank| significant(rank, 3)).join(", "),
            inverse.join(", ")
        ),
        ranks == PAPER_RANKS,
    ));
    claims.extend(IN_BOTTOM.iter().filter_map(|name| in_bottom(cases, name)));
    claims
}

/// The rank of a technique over a set.
fn rank(case: &Case, technique: &str) -> Option<f64> {
    case.methods.iter().position(|name| name == technique).map(|at| case.found.ranks[at])
}

/// What the authors' figure shows instead: in the list of techniques sorted by score, the number of the technique at this
/// technique's place in the list of all.
fn inverse_rank(case: &Case, technique: &str) -> Option<usize> {
    let place = case.methods.iter().position(|name| name == technique)?;
    let mut order: Vec<usize> = (0..case.methods.len()).collect();
    order.sort_by(|&a, &b| case.found.means[b].total_cmp(&case.found.means[a]));
    order.get(place).map(|at| at + 1)
}

fn in_bottom(cases: &Cases, dataset: &str) -> Option<Claim> {
    let is_in =
        |set: &str| cases.of_figure(set).is_some_and(|case| case.datasets.iter().any(|name| name == dataset));
    let set = SETS.into_iter().filter(|set| *set != "all").find(|set| is_in(set)).unwrap_or("middle third");
    is_in("all").then(|| {
        Claim::sentence(
            format!("{dataset} is in the bottom third"),
            "yes",
            set.to_owned(),
            set == "bottom third",
        )
    })
}

fn page(cases: &Cases) -> String {
    let DrawSettings { size, draws, seed, .. } = cases.plan;
    let stem = cases.reading.mark("stability");
    let [first, second] = cut_by(cases.reading).map(names::markdown);
    let tuning = match cases.reading {
        Reading::Text => "searching their settings through",
        Reading::Authors => {
            "5 random and 25 guided evaluations of Bayesian optimisation, as the authors' program does"
        }
    };
    let figures: String = cut_by(cases.reading)
        .map(|by| {
            format!(
                "![ranks by {by}]({})\n\n*Ranks of the techniques by their mean score in thirds by {}; in brackets the mean \
                 scores in the top and in the bottom third.*\n\n",
                ranks_file(&stem, by),
                names::markdown(by)
            )
        })
        .concat();
    format!(
        "{draws} times (the paper: 100) {size} datasets are drawn from the best third, from all and from the worst third, by \
         {first}, which is what this reading cuts by, and by {second}; seed {seed}. The techniques were tuned by {tuning}, and \
         are ranked by their mean score over the {size}.{} The paper's pairwise rank stability of two techniques is max(p, 1 - \
         p), where p is the share of draws in which one is ahead of the other: the share of whichever order is more frequent, \
         0.5 for a coin, 1 for an order that never changes.\n\n![distributions]({stem}.svg)\n\n*Pairwise rank stability: each \
         point is one of the pairs of techniques.*\n\n## Mean pairwise rank stability\n\n{}{}\n{MEANING}\n## Ranks of the \
         techniques\n\n{figures}{}\nRank and mean score by the first external measure.\n\n{ARGSORT}",
        cases.note,
        means_table(cases),
        kept_text(cases),
        ranks_table(&cases.shown())
    )
}

/// The effect of more tuning.
const MEANING: &str = "How far techniques are tuned decides about this experiment. A search of all settings of DBSCAN and HDBSCAN finds some \
    that score well on labels that clusters do not match at all: there the two lead with scores near 0, again and again, \
    which is a stable order of nothing. The fewer settings are tried, the less they do. Who tunes more must not take a \
    stable ranking for a valid one: look at the scores beside the ranks.\n";

/// Why the ranks in the paper differ.
const ARGSORT: &str = "The ranks in the paper's figure are `argsort + 1` of the scores, which is not the list of ranks but its inverse: it \
    names, place by place, which technique stands there. By their scores DBSCAN is eighth in the top third, too.\n";

fn means_table(cases: &Cases) -> String {
    let mut lines = Vec::new();
    for by in cut_by(cases.reading) {
        for external in cases.externals() {
            let sets = SETS.map(|set| mean_of(cases.find(by, external, set)));
            let holds = if sets[0] > sets[1] && sets[0] > sets[2] { "yes" } else { "no" };
            let mut cells = vec![names::markdown(by), external.to_owned()];
            cells.extend(sets.iter().map(|mean| format!("{mean:.3}")));
            cells.push(holds.to_owned());
            lines.push(cells);
        }
    }
    let titles = ["thirds by", "external", "top third", "all", "bottom third", "top third most stable"];
    markdown::table(&titles, 2, &lines)
}

fn ranks_table(shown: &[&Case]) -> String {
    let titles: Vec<String> =
        shown.iter().map(|case| format!("{}, {}", names::markdown(case.by), case.set)).collect();
    let titles: Vec<&str> = std::iter::once("technique").chain(titles.iter().map(String::as_str)).collect();
    let methods = shown.first().map_or(&[][..], |case| &case.methods);
    let rows: Vec<Vec<String>> = methods
        .iter()
        .enumerate()
        .map(|(method, name)| {
            let cell = |case: &&Case| {
                format!("{} ({:.3})", significant(case.found.ranks[method], 3), case.found.means[method])
            };
            std::iter::once(names::name(name).to_owned()).chain(shown.iter().map(cell)).collect()
        })
        .collect();
    markdown::table(&titles, 1, &rows)
}

/// How often a draw has a pair in the order of the whole set, which the paper does not examine.
fn kept_text(cases: &Cases) -> String {
    let kept = |set: &str| {
        let case = cases.of_figure(set);
        format!("{:.1}%", 100.0 * case.map_or(f64::NAN, |case| case.found.mean_kept()))
    };
    format!(
        "\nThe more frequent order need not be that of the whole set. By the first external measure, a draw has two \
         techniques in the order that they have over the whole set in {} of the cases in the top third by {}, {} in all \
         datasets, {} in the bottom third (mean over pairs).\n",
        kept("top third"),
        names::markdown(cases.by()),
        kept("all"),
        kept("bottom third")
    )
}

#[cfg(test)]
mod tests {
    use clmatch_truth::results::Results;
    use clmatch_truth::stability::stability;

    use super::*;

    #[test]
    fn argsort_is_the_inverse_of_the_ranks() {
        let methods: Vec<String> = ["hdbscan", "dbscan", "kmeans"].map(str::to_owned).to_vec();
        // The ranks are 2, 3, 1; in the order of scores: the third, the first, the second.
        let scores = vec![vec![0.5, 0.1, 0.9]; 3];
        let results = Results {
            datasets: ["a", "b", "c"].map(str::to_owned).to_vec(),
            methods: methods.clone(),
            scores,
        };
        let plan = DrawSettings { size: 1, draws: 10, ..DrawSettings::default() };
        let found = stability(&results, &[0, 1, 2], plan).unwrap();
        let case =
            Case { by: "ch_a", external: "ami".into(), set: "all", methods, datasets: Vec::new(), found };
        assert_eq!((rank(&case, "dbscan"), inverse_rank(&case, "dbscan")), (Some(3.0), Some(1)));
        assert_eq!((rank(&case, "hdbscan"), inverse_rank(&case, "kmeans")), (Some(2.0), Some(2)));
        assert_eq!(inverse_rank(&case, "birch"), None);
    }
}
