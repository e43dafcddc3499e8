//! Scores of labels that form a tree: its levels, and the children of its nodes.

use clmatch::Measure;
use clmatch_analysis::levels::{LevelScores, Levels};
use clmatch_render::markdown::escape;
use clmatch_render::{Cell, Column, Table, wrap};

use super::number::{counted, short};
use super::{Format, heading, pretty};
use crate::failure::INDENT;

pub fn print(levels: &Levels, measures: &[&'static Measure], format: Format, width: Option<usize>) -> String {
    match format {
        Format::Json => pretty(levels),
        Format::Csv => csv(levels, measures),
        Format::Table => {
            let mut text = heading(&levels.dataset, &format!(": {}", headline(levels)), width);
            if let Some(label) = &levels.label {
                text.push_str(&(wrap(&format!("label: {label}"), width, INDENT) + "\n"));
            }
            text.push_str(&format!("\n{}", by_level(levels, measures).terminal(width)));
            if !levels.nodes.is_empty() {
                text.push_str(&format!("\n{}", by_node(levels, measures).terminal(width)));
            }
            text
        }
        Format::Markdown => format!(
            "{}: {}\n\n{}\n{}",
            escape(&levels.dataset),
            escape(&headline(levels)),
            by_level(levels, measures).markdown(1),
            by_node(levels, measures).markdown(1)
        ),
    }
}

fn headline(levels: &Levels) -> String {
    format!(
        "{}, {}, {} in {} levels, separated by {}",
        counted(levels.points, "point"),
        counted(levels.features, "feature"),
        counted(levels.labels, "label"),
        levels.levels.len(),
        levels.separator
    )
}

fn by_level(levels: &Levels, measures: &[&'static Measure]) -> Table {
    let aside = Aside::of(levels.levels.iter().map(|level| &level.classes));
    let mut table = Table::new(columns(Column::number("level"), measures, aside));
    for level in &levels.levels {
        table.row(cells(Cell::count(level.level), &level.classes, measures, aside));
    }
    table
}

fn by_node(levels: &Levels, measures: &[&'static Measure]) -> Table {
    let aside = Aside::of(levels.nodes.iter().map(|node| &node.classes));
    let mut table = Table::new(columns(Column::text("children of"), measures, aside));
    for node in &levels.nodes {
        table.row(cells(Cell::text(&node.node), &node.classes, measures, aside));
    }
    table
}

/// What is shown beside the scores, and only if it is needed.
#[derive(Debug, Clone, Copy)]
struct Aside {
    undecided: bool,
    remark: bool,
    weakest: bool,
}

impl Aside {
    fn of<'a>(mut all: impl Iterator<Item = &'a LevelScores> + Clone) -> Self {
        Aside {
            undecided: all.clone().any(|one| one.undecided > 0),
            remark: all.clone().any(|one| !remark(one).is_empty()),
            weakest: all.any(|one| weakest(one).is_some()),
        }
    }
}

fn columns(first: Column, measures: &[&'static Measure], aside: Aside) -> Vec<Column> {
    let mut columns = vec![first, Column::number("classes"), Column::number("points").spare(4)];
    columns.extend(aside.undecided.then(|| Column::number("undecided").spare(3)));
    let spare = |at: usize| if at == 0 { 0 } else { 5 };
    columns.extend(measures.iter().enumerate().map(|(at, one)| Column::number(one.id).spare(spare(at))));
    columns.extend(aside.weakest.then(|| Column::text("weakest class").with_id("weakest_class").spare(2)));
    columns.extend(aside.remark.then(|| Column::text("remark").spare(1)));
    columns
}

fn cells(name: Cell, one: &LevelScores, measures: &[&'static Measure], aside: Aside) -> Vec<Cell> {
    let mut cells = vec![name, Cell::count(one.classes), Cell::count(one.points)];
    cells.extend(aside.undecided.then(|| Cell::count(one.undecided)));
    cells.extend(measures.iter().map(|measure| score(one, measure)));
    cells.extend(aside.weakest.then(|| Cell::text(weakest(one).unwrap_or_default())));
    cells.extend(aside.remark.then(|| Cell::text(remark(one))));
    cells
}

fn score(one: &LevelScores, measure: &Measure) -> Cell {
    let value = one.scores.as_ref().and_then(|scores| scores.get(measure.id));
    Cell::or_empty(value.map(|value| Cell::number(value, short(value, measure))))
}

/// The weakest class by the first measure that has one.
fn weakest(one: &LevelScores) -> Option<String> {
    let weakest = one.over_pairs.first()?.weakest_class.as_ref()?;
    Some(format!("{} ({:.3})", weakest.class, weakest.score))
}

/// Why there are no scores, or what the scores leave out.
fn remark(one: &LevelScores) -> String {
    match (&one.not_scored, one.singletons.len()) {
        (Some(reason), _) => reason.to_string(),
        (None, 0) => String::new(),
        (None, 1) => "1 class of one point left out".to_owned(),
        (None, count) => format!("{count} classes of one point left out"),
    }
}

/// Levels and nodes in one table, with all digits.
fn csv(levels: &Levels, measures: &[&'static Measure]) -> String {
    let first = ["dataset", "kind", "level", "node", "classes", "points", "undecided"];
    let titles = first.into_iter().chain(measures.iter().map(|measure| measure.id)).chain(["remark"]);
    let mut table = Table::new(titles.map(Column::text));
    let mut row = |kind: &str, level: usize, node: &str, one: &LevelScores| {
        let counts = [one.classes, one.points, one.undecided].map(Cell::count);
        let place = [Cell::text(&levels.dataset), Cell::text(kind), Cell::count(level), Cell::text(node)];
        let scores = measures.iter().map(|measure| score(one, measure));
        table.row(place.into_iter().chain(counts).chain(scores).chain([Cell::text(remark(one))]));
    };
    levels.levels.iter().for_each(|level| row("level", level.level, "", &level.classes));
    levels.nodes.iter().for_each(|node| row("node", node.level, &node.node, &node.classes));
    table.csv()
}
