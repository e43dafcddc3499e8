//! How well a ranking of techniques holds: a table of ranks, the pairs that are in doubt, or all pairs.

use clmatch_analysis::ranking_stability::{DatasetSet, RankingStability, TechniquePair};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::{Format, pretty};
use crate::failure::INDENT;

/// How many doubtful pairs are shown at most, and the share of draws from which an order is not in doubt.
const DOUBTFUL: usize = 5;
const CERTAIN: f64 = 0.995;

pub fn print(stability: &RankingStability, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(stability, width),
        Format::Json => pretty(stability),
        Format::Csv => pairs(stability).csv(),
        Format::Markdown => markdown(stability),
    }
}

fn table(stability: &RankingStability, width: Option<usize>) -> String {
    let sentence = |text: &str| wrap(text, width, INDENT) + "\n";
    let mut text = sentence(&headline(stability));
    for set in &stability.sets {
        text.push_str(&format!("\n{}", sentence(&title(stability, set))));
        text.push_str(&techniques(set).terminal(width));
        verdict(set).iter().for_each(|one| text.push_str(&sentence(one)));
        for pair in doubtful(set) {
            text.push_str(&sentence(&format!("  {:>6}  {}", percent(pair.kept), order(pair))));
        }
    }
    text
}

/// The ranking of one set, best first.
fn techniques(set: &DatasetSet) -> Table {
    let mut table = Table::new([
        Column::number("#").called("rank"),
        Column::text("technique"),
        Column::number("mean"),
        Column::number("first"),
        Column::number("rank kept").with_id("rank_kept"),
    ]);
    for one in &set.techniques {
        table.row([
            Cell::rounded(one.rank, 3),
            Cell::text(&one.technique),
            Cell::number(one.mean, format!("{:.3}", one.mean)),
            Cell::number(one.first, percent(one.first)),
            Cell::number(one.kept, percent(one.kept)),
        ]);
    }
    table
}

fn headline(stability: &RankingStability) -> String {
    let techniques = stability.sets.first().map_or(0, |set| set.techniques.len());
    let by = stability.external.as_ref().map_or_else(String::new, |external| format!(" by {external}"));
    let how = if stability.replacement { ", with replacement" } else { "" };
    format!(
        "{techniques} techniques{by}, {} draws of {} of these datasets{how}",
        stability.draws, stability.size
    )
}

fn title(stability: &RankingStability, set: &DatasetSet) -> String {
    let by = stability.thirds_by.as_ref().filter(|_| set.set != "all");
    let by = by.map_or_else(String::new, |by| format!(" by {by}"));
    format!("{}{by}: {} datasets", set.set, set.datasets)
}

fn verdict(set: &DatasetSet) -> Vec<String> {
    let (whole, pairs) = (percent(set.whole), percent(set.pairs_kept));
    let mut sentences = vec![
        format!("The whole ranking holds in {whole} of the draws."),
        format!("Two techniques keep their order in {pairs} of the draws, on average over all pairs."),
    ];
    sentences.extend(doubtful(set).next().map(|_| "Most in doubt:".to_owned()));
    sentences
}

/// Pairs whose order is in doubt, the most doubtful first.
fn doubtful(set: &DatasetSet) -> impl Iterator<Item = &TechniquePair> {
    set.pairs.iter().filter(|pair| pair.kept < CERTAIN).take(DOUBTFUL)
}

/// The order of two techniques in the ranking, in words.
fn order(pair: &TechniquePair) -> String {
    format!("{} {} {}", pair.ahead, if pair.tied { "level with" } else { "before" }, pair.behind)
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn markdown(stability: &RankingStability) -> String {
    let mut text = escape(&headline(stability)) + "\n";
    for set in &stability.sets {
        text.push_str(&format!("\n{}\n\n{}", escape(&title(stability, set)), techniques(set).markdown(2)));
        text.push_str(&format!("\n{}\n\n", verdict(set).join("\n")));
        for pair in doubtful(set) {
            text.push_str(&format!("* {}: {}\n", escape(&order(pair)), percent(pair.kept)));
        }
    }
    text
}

/// Every pair of techniques of every set.
fn pairs(stability: &RankingStability) -> Table {
    let mut table = Table::new(["set", "ahead", "behind", "kept", "stability"].map(Column::text));
    for set in &stability.sets {
        for pair in &set.pairs {
            let names = [&set.set, &pair.ahead, &pair.behind].map(Cell::text);
            let shares = [pair.kept, pair.stability].map(|share| Cell::rounded(share, 6));
            table.row(names.into_iter().chain(shares));
        }
    }
    table
}
