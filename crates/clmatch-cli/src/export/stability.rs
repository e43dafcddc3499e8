//! How a ranking of techniques holds: a table of ranks, the pairs that are in doubt, or all of them.

use clmatch_analysis::ranking_stability::{DatasetSet, RankedTechnique, RankingStability, TechniquePair};
use clmatch_report::csv;

use super::layout::{Layout, Side};
use super::number::significant;
use super::{json, markdown};
use crate::args::Format;

/// Pairs that are shown at most, and the share of draws from which there is no doubt.
const DOUBTFUL: usize = 5;
const CERTAIN: f64 = 0.995;

pub fn print(stability: &RankingStability, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(stability, width),
        Format::Json => json::pretty(stability),
        Format::Csv => pairs(stability),
        Format::Markdown => markdown(stability),
    }
}

fn table(stability: &RankingStability, width: Option<usize>) -> String {
    let mut text = headline(stability);
    for set in &stability.sets {
        text.push_str(&format!("\n{}\n", title(stability, set)));
        let mut layout = Layout::default()
            .column("#", Side::Right)
            .column("technique", Side::Left)
            .column("mean", Side::Right)
            .column("first", Side::Right)
            .column("rank kept", Side::Right);
        set.techniques.iter().for_each(|technique| layout.row(cells(technique)));
        text.push_str(&layout.render(width));
        text.push_str(&verdict(set));
        for pair in doubtful(set) {
            text.push_str(&format!("  {:>6}  {}\n", percent(pair.kept), order(pair)));
        }
    }
    text
}

fn headline(stability: &RankingStability) -> String {
    let techniques = stability.sets.first().map_or(0, |set| set.techniques.len());
    let by = stability.external.as_ref().map_or_else(String::new, |external| format!(" by {external}"));
    format!("{techniques} techniques{by}, {} draws of {} datasets\n", stability.draws, stability.size)
}

fn title(stability: &RankingStability, set: &DatasetSet) -> String {
    let by = stability.thirds_by.as_ref().filter(|_| set.set != "all");
    let by = by.map_or_else(String::new, |by| format!(" by {by}"));
    format!("{}{by}: {} datasets", set.set, set.datasets)
}

fn verdict(set: &DatasetSet) -> String {
    format!(
        "The whole ranking holds in {} of the draws.\n\
         Two techniques keep their order in {} of the draws, on average over all pairs.\n{}",
        percent(set.whole),
        percent(set.pairs_kept),
        if doubtful(set).next().is_some() { "Most in doubt:\n" } else { "" }
    )
}

/// Pairs whose order is in doubt, most doubtful first.
fn doubtful(set: &DatasetSet) -> impl Iterator<Item = &TechniquePair> {
    set.pairs.iter().filter(|pair| pair.kept < CERTAIN).take(DOUBTFUL)
}

/// What the ranking says of two techniques.
fn order(pair: &TechniquePair) -> String {
    format!("{} {} {}", pair.ahead, if pair.tied { "level with" } else { "before" }, pair.behind)
}

fn cells(technique: &RankedTechnique) -> Vec<String> {
    vec![
        significant(technique.rank, 3),
        technique.technique.clone(),
        format!("{:.3}", technique.mean),
        percent(technique.first),
        percent(technique.kept),
    ]
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn markdown(stability: &RankingStability) -> String {
    let mut text = headline(stability);
    for set in &stability.sets {
        text.push_str(&format!("\n{}\n\n", markdown::escape(&title(stability, set))));
        text.push_str(&markdown::header(&["rank", "technique", "mean", "first", "rank kept"], 2));
        for technique in &set.techniques {
            let cells: Vec<String> = cells(technique).iter().map(|cell| markdown::escape(cell)).collect();
            text.push_str(&markdown::line(&cells));
        }
        text.push_str(&format!("\n{}\n", verdict(set)));
        for pair in doubtful(set) {
            text.push_str(&format!("* {}: {}\n", markdown::escape(&order(pair)), percent(pair.kept)));
        }
    }
    text
}

fn pairs(stability: &RankingStability) -> String {
    let rows: Vec<Vec<String>> = stability
        .sets
        .iter()
        .flat_map(|set| {
            set.pairs.iter().map(|pair| {
                let names = [set.set.to_owned(), pair.ahead.clone(), pair.behind.clone()];
                let shares = [pair.kept, pair.stability].map(|share| significant(share, 6));
                names.into_iter().chain(shares).collect()
            })
        })
        .collect();
    csv::table(&["set", "ahead", "behind", "kept", "stability"], &rows)
}
