//! How a ranking of techniques holds: a table of ranks, the pairs that are in doubt, or all of them.

use clmatch_report::csv;

use super::layout::{Layout, Side};
use super::number::significant;
use super::{json, markdown};
use crate::args::Format;
use crate::holding::{Holding, PairOf, Set, Technique};

/// Pairs that are shown at most, and the stability from which there is no doubt.
const DOUBTFUL: usize = 5;
const CERTAIN: f64 = 0.995;

pub fn print(holding: &Holding, format: Format, width: Option<usize>) -> String {
    match format {
        Format::Table => table(holding, width),
        Format::Json => json::pretty(holding),
        Format::Csv => pairs(holding),
        Format::Markdown => markdown(holding),
    }
}

fn table(holding: &Holding, width: Option<usize>) -> String {
    let mut text = headline(holding);
    for set in &holding.sets {
        text.push_str(&format!("\n{}\n", title(holding, set)));
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
            let share = percent(pair.stability);
            text.push_str(&format!("  {share:>6}  {} before {}\n", pair.ahead, pair.behind));
        }
    }
    text
}

fn headline(holding: &Holding) -> String {
    let techniques = holding.sets.first().map_or(0, |set| set.techniques.len());
    let by = holding.external.as_ref().map_or_else(String::new, |external| format!(" by {external}"));
    format!("{techniques} techniques{by}, {} draws of {} datasets\n", holding.draws, holding.size)
}

fn title(holding: &Holding, set: &Set) -> String {
    let by = holding.thirds_by.as_ref().filter(|_| set.set != "all");
    let by = by.map_or_else(String::new, |by| format!(" by {by}"));
    format!("{}{by}: {} datasets", set.set, set.datasets)
}

fn verdict(set: &Set) -> String {
    format!(
        "The whole ranking holds in {} of the draws, that of two techniques in {}.\n{}",
        percent(set.whole),
        percent(set.stability),
        if doubtful(set).next().is_some() { "Most in doubt:\n" } else { "" }
    )
}

/// Pairs whose order is in doubt, most doubtful first.
fn doubtful(set: &Set) -> impl Iterator<Item = &PairOf> {
    set.pairs.iter().filter(|pair| pair.stability < CERTAIN).take(DOUBTFUL)
}

fn cells(technique: &Technique) -> Vec<String> {
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

fn markdown(holding: &Holding) -> String {
    let mut text = headline(holding);
    for set in &holding.sets {
        text.push_str(&format!("\n{}\n\n", markdown::escape(&title(holding, set))));
        text.push_str(&markdown::header(&["rank", "technique", "mean", "first", "rank kept"], 2));
        for technique in &set.techniques {
            let cells: Vec<String> = cells(technique).iter().map(|cell| markdown::escape(cell)).collect();
            text.push_str(&markdown::line(&cells));
        }
        text.push_str(&format!("\n{}\n", verdict(set)));
        for pair in doubtful(set) {
            let names = format!("{} before {}", pair.ahead, pair.behind);
            text.push_str(&format!("* {}: {}\n", markdown::escape(&names), percent(pair.stability)));
        }
    }
    text
}

fn pairs(holding: &Holding) -> String {
    let rows: Vec<Vec<String>> = holding
        .sets
        .iter()
        .flat_map(|set| {
            set.pairs.iter().map(|pair| {
                let share = significant(pair.stability, 6);
                vec![set.set.to_owned(), pair.ahead.clone(), pair.behind.clone(), share]
            })
        })
        .collect();
    csv::table(&["set", "ahead", "behind", "stability"], &rows)
}
