//! Comma-separated values: one row per dataset, 12 significant digits, RFC 4180 quotes.

use clmatch::Measure;
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranking;
pub use clmatch_report::csv::quoted;

use super::number::significant;

const DIGITS: usize = 12;

pub fn ranking(ranking: &Ranking) -> String {
    let mut text = header(&ranking.measures);
    for ranked in &ranking.ranked {
        text.push_str(&row(&ranked.rank.to_string(), &ranked.scored, &ranking.measures));
    }
    for failed in &ranking.failed {
        text.push_str(&format!(",{},,,{}\n", quoted(&failed.dataset), ",".repeat(ranking.measures.len())));
    }
    text
}

pub fn dataset(scored: &Scored, measures: &[&'static Measure]) -> String {
    header(measures) + &row("1", scored, measures)
}

fn header(measures: &[&'static Measure]) -> String {
    let ids: String = measures.iter().map(|measure| format!(",{}", measure.id)).collect();
    format!("rank,dataset,points,features,classes{ids}\n")
}

fn row(rank: &str, scored: &Scored, measures: &[&'static Measure]) -> String {
    let value = |measure: &&Measure| scored.scores.get(measure.id).unwrap_or(f64::NAN);
    let scores: String = measures.iter().map(|m| format!(",{}", significant(value(m), DIGITS))).collect();
    let name = quoted(&scored.dataset);
    format!("{rank},{name},{},{},{}{scores}\n", scored.points, scored.features, scored.classes)
}
