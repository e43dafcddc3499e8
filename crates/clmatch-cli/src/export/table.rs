//! Tables for the terminal.

use clmatch::Measure;
use clmatch::measure::{Better, find};
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::standing::CatalogueStanding;

use super::layout::{Layout, Side};
use super::number::{short, significant};

/// How many classes are named with their sizes before the rest is summed up.
const CLASSES_SHOWN: usize = 6;

pub fn ranking(ranking: &Ranking, width: Option<usize>) -> String {
    let mut layout = Layout::default()
        .column("#", Side::Right)
        .column("dataset", Side::Left)
        .spare_column("points", Side::Right, 1)
        .spare_column("features", Side::Right, 3)
        .spare_column("classes", Side::Right, 2);
    let placed = ranking.ranked.iter().any(|ranked| ranked.scored.standing.is_some());
    if placed {
        layout = layout.spare_column("third", Side::Left, 4);
    }
    for measure in &ranking.measures {
        layout = layout.column(measure.id, Side::Right);
    }
    for ranked in &ranking.ranked {
        let scored = &ranked.scored;
        let mut cells =
            vec![format!("{}{}", ranked.rank, if ranked.tied { "=" } else { "" }), scored.dataset.clone()];
        cells.extend([scored.points, scored.features, scored.classes].map(|count| count.to_string()));
        if placed {
            cells.push(scored.standing.as_ref().map_or(String::new(), |place| place.third.name().to_owned()));
        }
        cells.extend(ranking.measures.iter().map(|measure| value(scored, measure)));
        layout.row(cells);
    }
    let mut text = if ranking.ranked.is_empty() { String::new() } else { layout.render(width) };
    if ranking.hidden > 0 {
        text.push_str(&format!("({} more)\n", ranking.hidden));
    }
    for failed in &ranking.failed {
        text.push_str(&format!("failed: {}\n", failed.error.to_string()));
    }
    text
}

pub fn dataset(scored: &Scored, measures: &[&'static Measure], width: Option<usize>) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!(
        "{bold}{}{bold:#}: {} points, {} features, {} classes\n",
        scored.dataset, scored.points, scored.features, scored.classes
    );
    text.push_str(&format!("classes: {}\n", class_sizes(scored)));
    if let Some(dropped) = &scored.dropped {
        text.push_str(&format!("dropped: {:.1}% of the points\n", 100.0 * dropped.fraction));
    }
    if let Some(sentence) = estimated(scored) {
        text.push_str(&format!("{sentence}\n"));
    }
    let mut layout = Layout::default().column("measure", Side::Left).column("score", Side::Right);
    layout =
        layout.spare_column("better", Side::Left, 2).spare_column("worst pair of classes", Side::Left, 1);
    for measure in measures {
        let better = if measure.better == Better::Higher { "higher" } else { "lower" };
        layout.row(vec![
            measure.id.into(),
            value(scored, measure),
            better.into(),
            worst_pair(scored, measure),
        ]);
    }
    text = text + "\n" + &layout.render(width);
    if let Some(sentence) = standing(scored) {
        text.push_str(&format!("\n{sentence}\n"));
    }
    text
}

/// One sentence on an estimate, for people.
pub fn estimated(scored: &Scored) -> Option<String> {
    let approximate = scored.approximate.as_ref()?;
    let (sampled, error) = (approximate.sampled, significant(approximate.largest_error(), 2));
    Some(format!("estimated from {sampled} of {} points: 95% error at most {error}", scored.points))
}

fn class_sizes(scored: &Scored) -> String {
    let mut parts: Vec<String> = scored
        .sizes
        .iter()
        .take(CLASSES_SHOWN)
        .map(|size| format!("{} ({})", size.class, size.points))
        .collect();
    if scored.sizes.len() > CLASSES_SHOWN {
        parts.push(format!("and {} more", scored.sizes.len() - CLASSES_SHOWN));
    }
    parts.join(", ")
}

/// The pair of classes that matches worst, where there is more than one pair.
fn worst_pair(scored: &Scored, measure: &Measure) -> String {
    let worst = scored.worst_pair(measure).filter(|_| scored.pairs.len() > 1);
    worst.map_or_else(String::new, |(pair, score)| {
        format!("{}  {} | {}", short(score, measure), pair.a, pair.b)
    })
}

/// One sentence on the place in the catalogue, for people.
fn standing(scored: &Scored) -> Option<String> {
    let CatalogueStanding { measure, above, of, third, .. } = scored.standing.as_ref()?;
    let by = find(measure)?;
    let value = short(scored.scores.get(by.id)?, by);
    let (name, advice) = (third.name(), third.advice());
    Some(format!("{} {value}: above {above} of the {of} catalogued datasets; {name} third: {advice}", by.id))
}

fn value(scored: &Scored, measure: &Measure) -> String {
    scored.scores.get(measure.id).map(|value| short(value, measure)).unwrap_or_default()
}
