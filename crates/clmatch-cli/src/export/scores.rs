//! Scores of one dataset, and of many in order.

use clmatch::Measure;
use clmatch::measure::{Better, Kind, find};
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::scored::CatalogueStanding;
use clmatch_analysis::scores::Scores;
use clmatch_analysis::uncertainty::meaning;
use clmatch_data::LabelSource;
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, feature_line, wrap};

use super::number::{counted, short, significant};
use super::uncertainty::{self, Shown};
use super::{Format, halves, heading, name, pretty};
use crate::advice::in_words;
use crate::failure::INDENT;
use crate::output::CLASSICAL;

/// How many classes are named with their sizes before the rest is summarised.
const CLASSES_SHOWN: usize = 6;
/// The place of measures that do not decide among what is dropped on a narrow terminal: before sizes and labels.
const MEASURE_SPARE: u8 = 6;
/// How many datasets a sentence names.
const DATASETS_NAMED: usize = 3;

/// What a ranking for the terminal shows besides names and scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// All counts, and whether a dataset may serve as ground truth.
    Verdicts,
    /// All counts, and the third of the catalogue.
    Thirds,
    /// Whether a dataset may serve as ground truth.
    Short,
}

/// A ranking in the chosen form.
pub fn ranking(ranking: &Ranking, format: Format, width: Option<usize>, layout: Layout) -> String {
    match format {
        Format::Table => terminal_ranking(ranking, width, layout),
        Format::Json => pretty(&ranking.entries(in_words)),
        Format::Csv => {
            let mut table = ranking_table(ranking, None);
            for failed in &ranking.failed {
                let name = [Cell::empty(), Cell::text(&failed.dataset)];
                let labels = usize::from(shows_labels(ranking.ranked.iter().map(|ranked| &ranked.scored)));
                let uncertain = shown(ranking).plain_columns(&ranking.measures).len();
                let nothing =
                    std::iter::repeat_n(Cell::empty(), 3 + labels + ranking.measures.len() + uncertain);
                table.row(name.into_iter().chain(nothing));
            }
            table.csv()
        }
        Format::Markdown => {
            let failed = ranking.failed.iter();
            let failed = failed.map(|failed| format!("\nFailed: {}\n", escape(&failed.error.to_string())));
            ranking_table(ranking, None).markdown(2) + &failed.collect::<String>()
        }
    }
}

/// One dataset in the chosen form.
pub fn dataset(
    scored: &Scored,
    measures: &[&'static Measure],
    format: Format,
    width: Option<usize>,
) -> String {
    match format {
        Format::Table => terminal_dataset(scored, measures, width),
        Format::Json => pretty(scored),
        Format::Csv => {
            let labels = shows_labels([scored]);
            let shown = Shown::of([scored]);
            let columns = columns(measures, None, labels, None).into_iter();
            let mut table =
                Table::new(columns.chain(shown.plain_columns(measures)).chain(halves::columns(scored)));
            let cells = cells(Cell::count(1), scored, measures, labels, None).into_iter();
            table.row(cells.chain(shown.plain_cells(scored, measures)).chain(halves::cells(scored)));
            table.csv()
        }
        Format::Markdown => {
            let shown = Shown::of([scored]);
            let columns = [Column::text("measure"), Column::number("score")].into_iter();
            let mut table = Table::new(columns.chain(shown.columns()));
            for measure in measures {
                let cells = [Cell::text(measure.id), value(scored, measure)].into_iter();
                table.row(cells.chain(shown.cells(scored, measure)));
            }
            let name = escape(&scored.dataset);
            let label =
                scored.label.as_ref().map_or_else(String::new, |label| escape(&format!("; label: {label}")));
            let verdict: String =
                verdict(scored).into_iter().map(|text| format!("\n{}\n", escape(&text))).collect();
            let halves =
                halves::table(scored).map_or_else(String::new, |table| format!("\n{}", table.markdown(1)));
            let used = feature_line(&scored.features_used, CLASSICAL);
            let used = used.map_or_else(String::new, |line| format!("{}\n\n", escape(&line)));
            format!("{name}: {}{label}\n\n{used}{}{halves}{verdict}", size(scored), table.markdown(1))
        }
    }
}

/// Whether to say which column holds the labels; for embedded datasets there is no doubt.
fn shows_labels<'a>(datasets: impl IntoIterator<Item = &'a Scored>) -> bool {
    let labels = datasets.into_iter().filter_map(|scored| scored.label.as_ref());
    labels.into_iter().any(|label| label.source != LabelSource::Embedded)
}

fn ranking_table(ranking: &Ranking, layout: Option<Layout>) -> Table {
    let labels = shows_labels(ranking.ranked.iter().map(|ranked| &ranked.scored));
    let shown = shown(ranking);
    let mut columns = columns(&ranking.measures, Some(ranking.by), labels, layout);
    columns.extend(match layout {
        Some(_) => shown.ranking_columns(),
        None => shown.plain_columns(&ranking.measures),
    });
    let mut table = Table::new(columns);
    for ranked in &ranking.ranked {
        let tie = if ranked.tied { "=" } else { "" };
        let rank = Cell::count(ranked.rank).shown(format!("{}{tie}", ranked.rank));
        let mut cells = cells(rank, &ranked.scored, &ranking.measures, labels, layout);
        cells.extend(match layout {
            Some(_) => shown.ranking_cells(ranked, ranking.by),
            None => shown.plain_cells(&ranked.scored, &ranking.measures),
        });
        table.row(cells);
    }
    table
}

/// What is available besides scores.
fn shown(ranking: &Ranking) -> Shown {
    Shown::of(ranking.ranked.iter().map(|ranked| &ranked.scored))
}

/// The columns of a ranking. On a narrow terminal the columns that matter least are dropped first: the other measures, the last
/// one first, but never the measure that determines the ranking.
fn columns(
    measures: &[&'static Measure],
    by: Option<&Measure>,
    labels: bool,
    layout: Option<Layout>,
) -> Vec<Column> {
    let mut columns = vec![Column::number("#").called("rank"), Column::text("dataset")];
    if layout != Some(Layout::Short) {
        let sizes = [("points", 2), ("features", 4), ("classes", 3)];
        columns.extend(sizes.map(|(name, spare)| Column::number(name).spare(spare)));
    }
    columns.extend(labels.then(|| Column::text("label").spare(5)));
    match layout {
        Some(Layout::Verdicts | Layout::Short) => columns.push(Column::text("verdict").spare(1)),
        Some(Layout::Thirds) => columns.push(Column::text("third").spare(1)),
        None => {}
    }
    let decides = |measure: &Measure| by.is_some_and(|by| by.id == measure.id);
    columns.extend(
        measures.iter().map(|measure| {
            Column::number(measure.id).spare(if decides(measure) { 0 } else { MEASURE_SPARE })
        }),
    );
    columns
}

fn cells(
    rank: Cell,
    scored: &Scored,
    measures: &[&'static Measure],
    labels: bool,
    layout: Option<Layout>,
) -> Vec<Cell> {
    let mut cells = vec![rank, Cell::text(&scored.dataset)];
    if layout != Some(Layout::Short) {
        cells.extend([scored.points, scored.features, scored.classes].map(Cell::count));
    }
    let label = || Cell::or_empty(scored.label.as_ref().map(|label| Cell::text(&label.name)));
    cells.extend(labels.then(label));
    match layout {
        Some(Layout::Verdicts | Layout::Short) => {
            let verdict = scored.verdict.as_ref().map(|verdict| Cell::text(verdict.decision.brief()));
            cells.push(Cell::or_empty(verdict));
        }
        Some(Layout::Thirds) => {
            let third = scored.standing.as_ref().map(|place| Cell::text(place.third.name()));
            cells.push(Cell::or_empty(third));
        }
        None => {}
    }
    cells.extend(measures.iter().map(|measure| value(scored, measure)));
    cells
}

/// Datasets that failed are not shown here: they are reported as errors.
fn terminal_ranking(ranking: &Ranking, width: Option<usize>, layout: Layout) -> String {
    let table = ranking_table(ranking, Some(layout));
    let mut text = if table.is_empty() { String::new() } else { table.terminal(width) };
    if ranking.hidden > 0 {
        text.push_str(&format!("({} more)\n", ranking.hidden));
    }
    text
}

fn terminal_dataset(scored: &Scored, measures: &[&'static Measure], width: Option<usize>) -> String {
    let mut text = heading(&scored.dataset, &format!(": {}", size(scored)), width);
    let mut say = |sentence: String| text.push_str(&(wrap(&sentence, width, INDENT) + "\n"));
    if let Some(label) = &scored.label {
        say(format!("label: {label}"));
    }
    feature_line(&scored.features_used, width.unwrap_or(CLASSICAL)).into_iter().for_each(&mut say);
    say(format!("classes: {}", class_sizes(scored)));
    if let Some(dropped) = &scored.dropped {
        say(format!("dropped: {:.1}% of the points", 100.0 * dropped.fraction));
    }
    match &scored.streamed {
        Some(streamed) => say(format!("read in blocks: {}", streamed.explanation)),
        None => estimated(scored).into_iter().for_each(&mut say),
    }
    say(String::new());
    text.push_str(&measure_table(scored, measures).terminal(width));
    text.extend(halves::table(scored).map(|table| format!("\n{}", table.terminal(width))));
    let intervals = meaning(&scored.intervals, scored.points);
    let sentences = [intervals, quoted(scored), over_pairs(scored), standing(scored)];
    let sentences: Vec<String> = sentences.into_iter().flatten().chain(verdict(scored)).collect();
    if !sentences.is_empty() {
        text.push('\n');
    }
    sentences.iter().for_each(|sentence| text.push_str(&(wrap(sentence, width, INDENT) + "\n")));
    text
}

/// One row per measure: its score, the score with the other scaling if a feature dominates, and its worst pair.
fn measure_table(scored: &Scored, measures: &[&'static Measure]) -> Table {
    let standard = scored.dominant.as_ref().and_then(|dominant| dominant.standard.as_ref());
    let shown = Shown::of([scored]);
    let mut columns = vec![Column::text("measure"), Column::number("score")];
    columns.extend(shown.columns());
    columns.extend(standard.map(|_| Column::number("--scale standard").spare(3)));
    columns.extend([Column::text("better").spare(2), Column::text("worst pair of classes").spare(1)]);
    let mut table = Table::new(columns);
    for measure in measures {
        let better = if measure.better == Better::Higher { "higher" } else { "lower" };
        let mut cells = vec![Cell::text(measure.id), value(scored, measure)];
        cells.extend(shown.cells(scored, measure));
        cells.extend(standard.map(|scores| score(scores, measure)));
        cells.extend([Cell::text(better), Cell::text(worst_pair(scored, measure))]);
        table.row(cells);
    }
    table
}

/// One sentence on which datasets are dominated by one feature.
pub fn dominated<'a>(datasets: impl Iterator<Item = &'a Scored>) -> Option<String> {
    let found: Vec<String> = datasets
        .filter_map(|scored| Some(format!("{} ('{}')", scored.dataset, scored.dominant.as_ref()?.feature)))
        .collect();
    let mut named = found[..found.len().min(DATASETS_NAMED)].to_vec();
    if found.len() > DATASETS_NAMED {
        named.push(format!("and {} more", found.len() - DATASETS_NAMED));
    }
    (!found.is_empty())
        .then(|| format!("one feature carries nearly all of the variance of {}", named.join(", ")))
}

/// The size of a dataset.
fn size(scored: &Scored) -> String {
    let (points, features) = (counted(scored.points, "point"), counted(scored.features, "feature"));
    format!("{points}, {features}, {} classes", scored.classes)
}

/// One sentence on an estimate, for people.
pub fn estimated(scored: &Scored) -> Option<String> {
    let approximate = scored.approximate.as_ref()?;
    let (error, sampled, points) = (approximate.largest_error(), approximate.sampled, scored.points);
    let ids = scored.scores.0.iter().map(|(id, _)| id.as_str());
    let unknown: Vec<&str> = ids.filter(|id| approximate.errors.get(id).is_none()).collect();
    let mut text = format!("estimated from {sampled} of {points} points");
    if error > 0.0 || unknown.is_empty() {
        text += &format!("; in 95% of all cases the error is at most {}", significant(error, 2));
    }
    if !unknown.is_empty() {
        text += &format!("; so few points do not show how far {} may be off", unknown.join(", "));
    }
    Some(text)
}

fn class_sizes(scored: &Scored) -> String {
    let mut parts: Vec<String> = scored
        .sizes
        .iter()
        .take(CLASSES_SHOWN)
        .map(|size| format!("{} ({})", name(&size.class), size.points))
        .collect();
    if scored.sizes.len() > CLASSES_SHOWN {
        parts.push(format!("and {} more", scored.sizes.len() - CLASSES_SHOWN));
    }
    parts.join(", ")
}

/// The pair of classes that matches worst, if there is more than one pair.
fn worst_pair(scored: &Scored, measure: &Measure) -> String {
    let worst = scored.worst_pair(measure).filter(|_| scored.pairs.len() > 1);
    worst.map_or_else(String::new, |(pair, score)| {
        let few = if pair.few_points { " (few points)" } else { "" };
        format!("{}  {} | {}{few}", short(score, measure), pair.a, pair.b)
    })
}

/// The score that decides, with its interval and that of random labels.
fn quoted(scored: &Scored) -> Option<String> {
    uncertainty::sentence(scored, find(&scored.verdict.as_ref()?.measure)?)
}

/// One sentence on what the mean over pairs hides, by the measure that decides, if there is more than one pair.
fn over_pairs(scored: &Scored) -> Option<String> {
    let by = scored.verdict.as_ref()?.measure.as_str();
    let summary = scored.over_pairs.iter().find(|summary| summary.measure == by)?;
    let (weakest, measure) = (summary.weakest_class.as_ref()?, find(by)?);
    Some(format!(
        "{by} of pairs, weighted by size: {}; weakest class: {} ({})",
        short(summary.weighted_mean, measure),
        name(&weakest.class),
        short(weakest.score, measure)
    ))
}

/// One sentence on the place in the catalogue, for people. Standard measures cannot be compared between datasets.
fn standing(scored: &Scored) -> Option<String> {
    let CatalogueStanding { measure, above, of, third, .. } = scored.standing.as_ref()?;
    let by = find(measure).filter(|by| by.kind != Kind::Standard)?;
    let value = short(scored.scores.get(by.id)?, by);
    Some(format!(
        "{} {value}: above {above} of the {of} catalogued datasets, in the {} third",
        by.id,
        third.name()
    ))
}

/// What accompanies the verdict; the last sentence says whether the dataset may serve as ground truth.
fn verdict(scored: &Scored) -> Vec<String> {
    let Some(verdict) = &scored.verdict else { return Vec::new() };
    let last = format!("verdict: {}", verdict.decision);
    verdict.beside().into_iter().chain([last]).collect()
}

fn value(scored: &Scored, measure: &Measure) -> Cell {
    score(&scored.scores, measure)
}

fn score(scores: &Scores, measure: &Measure) -> Cell {
    Cell::or_empty(scores.get(measure.id).map(|value| Cell::number(value, short(value, measure))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outlive_other_measures_on_a_narrow_terminal() {
        let measures: Vec<&'static Measure> =
            ["clm", "ch_a", "xb_a", "db_a"].into_iter().filter_map(find).collect();
        let scored = |name: &str| Scored {
            dataset: name.to_owned(),
            points: 1797,
            features: 64,
            classes: 10,
            scores: Scores(measures.iter().map(|measure| (measure.id.to_owned(), 0.5)).collect()),
            ..Scored::default()
        };
        let list = vec![scored("pen_based_recognition_of_digits")];
        let ranking = Ranking::new(measures[0], measures.clone(), list, Vec::new());
        let header = |width: usize| {
            let table = terminal_ranking(&ranking, Some(width), Layout::Verdicts);
            let plain = anstream::adapter::strip_str(&table).to_string();
            plain.lines().next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(header(120), "# dataset points features classes verdict clm ch_a xb_a db_a");
        assert_eq!(header(84), "# dataset points features classes verdict clm ch_a");
        assert_eq!(header(67), "# dataset points classes verdict clm");
    }
}
