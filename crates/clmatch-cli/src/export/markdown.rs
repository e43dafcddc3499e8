//! Markdown tables, for issues, pull requests and READMEs.

use clmatch::Measure;
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranking;
pub use clmatch_report::markdown::{escape, header, line};

use super::number::short;

pub fn ranking(ranking: &Ranking) -> String {
    let titles = ["rank", "dataset", "points", "features", "classes"];
    let ids = ranking.measures.iter().map(|measure| measure.id);
    let titles: Vec<&str> = titles.into_iter().chain(ids).collect();
    let mut text = header(&titles, 2);
    for ranked in &ranking.ranked {
        let tie = if ranked.tied { "=" } else { "" };
        let mut cells = vec![format!("{}{tie}", ranked.rank), escape(&ranked.scored.dataset)];
        cells.extend(
            [ranked.scored.points, ranked.scored.features, ranked.scored.classes].map(|n| n.to_string()),
        );
        cells.extend(ranking.measures.iter().map(|m| value(&ranked.scored, m)));
        text.push_str(&line(&cells));
    }
    for failed in &ranking.failed {
        text.push_str(&format!("\nFailed: {}\n", escape(&failed.error.to_string())));
    }
    text
}

pub fn dataset(scored: &Scored, measures: &[&'static Measure]) -> String {
    let mut text = format!(
        "{}: {} points, {} features, {} classes\n\n",
        escape(&scored.dataset),
        scored.points,
        scored.features,
        scored.classes
    );
    text.push_str(&header(&["measure", "score"], 1));
    for measure in measures {
        text.push_str(&line(&[measure.id.to_owned(), value(scored, measure)]));
    }
    text
}

fn value(scored: &Scored, measure: &Measure) -> String {
    scored.scores.get(measure.id).map(|value| short(value, measure)).unwrap_or_default()
}
