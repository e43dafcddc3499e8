//! An explained dataset in the chosen form.

use clmatch::diagnose::{PairVerdict, Term};
use clmatch_analysis::explanation::{
    ExplainedAction, ExplainedDataset, ExplainedFeature, ExplainedPair, ExplainedPoint, LabelChange,
    ShownCells, file_column,
};
use clmatch_data::ShownColumn;
use clmatch_render::markdown::{code, escape};
use clmatch_render::{Cell, Column, Table, feature_line, visible, wrap};

use super::number::counted;
use super::{Format, heading, name, pretty};
use crate::output::CLASSICAL;

/// How many rows a table shows.
const SHOWN: usize = 10;
/// For how many pairs the features are shown.
const PAIRS: usize = 5;
/// How many clusters of a class are shown.
const CLUSTERS: usize = 4;
/// How many separate pairs are shown if all pairs are separate.
const SEPARATE: usize = 3;

const ACTIONS_TITLE: &str = "What would raise clm, also on either half, and the command that does it";
const SUGGESTED_TITLE: &str = "The command that gives the mislabelled points their suggested labels";
const PAIRS_TITLE: &str = "Pairs of classes, worst first (closer: share of each class nearer to the other)";

/// The commands that do what an explanation suggests.
pub struct Commands {
    /// The commands of the actions, in their order.
    pub actions: Vec<String>,
    /// The command that gives mislabelled points their suggested labels.
    pub suggested: String,
}

/// Formats an explained dataset.
pub fn dataset(
    explained: &ExplainedDataset,
    commands: &Commands,
    format: Format,
    width: Option<usize>,
) -> String {
    match format {
        Format::Table => terminal(explained, commands, width),
        Format::Json => pretty(explained),
        Format::Csv => pairs(explained.pairs.iter(), true).csv(),
        Format::Markdown => markdown(explained, commands),
    }
}

/// All points as CSV, with the columns of the file that are shown beside them.
pub fn points(points: &[ExplainedPoint], shown: &[ShownColumn]) -> String {
    const COLUMNS: [&str; 7] = ["row", "label", "suggested", "probability", "outlier", "part", "outvoted"];
    let own = COLUMNS.map(Column::text).into_iter();
    let mut table =
        Table::new(own.chain(shown.iter().map(|column| Column::text(file_column(&column.name, &COLUMNS)))));
    for (at, point) in points.iter().enumerate() {
        let own = [
            Cell::count(point.row),
            Cell::text(&point.label),
            Cell::text(&point.suggested),
            Cell::number(point.probability, ""),
            Cell::number(point.outlier, ""),
            Cell::count(point.part),
            Cell::number(point.outvoted, ""),
        ];
        table.row(own.into_iter().chain(shown.iter().map(|column| Cell::text(&column.cells[at]))));
    }
    table.csv()
}

/// A part of the page: its title, its rows, and how many rows are not shown.
struct ExplanationSection {
    title: &'static str,
    table: Table,
    hidden: usize,
}

/// The parts that have something to show.
fn sections(explained: &ExplainedDataset) -> Vec<ExplanationSection> {
    let bad = || explained.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Separate);
    let count = bad().count();
    let shown: Vec<&ExplainedPair> = match count {
        0 => explained.pairs.iter().take(SEPARATE).collect(),
        _ => bad().take(SHOWN).collect(),
    };
    let hidden = |all: usize| all.saturating_sub(SHOWN);
    let scatter = explained.feature_shares.iter().filter(|share| share.scatter_only).count();
    [
        (PAIRS_TITLE, pairs(shown.into_iter(), false), hidden(count)),
        ("Features of these pairs", pair_features(bad().take(PAIRS)), 0),
        ("Classes of several clusters", clusters(explained), 0),
        ("Points that look mislabelled", mislabelled(explained), hidden(explained.mislabelled.len())),
        ("Points far from every class", outliers(explained), hidden(explained.outliers.len())),
        ("Features that only add noise, over all classes", scatter_only(explained), hidden(scatter)),
    ]
    .into_iter()
    .map(|(title, table, hidden)| ExplanationSection { title, table, hidden })
    .filter(|section| !section.table.is_empty())
    .collect()
}

fn terminal(explained: &ExplainedDataset, commands: &Commands, width: Option<usize>) -> String {
    let bold = anstyle::Style::new().bold();
    let narrow = Some(width.unwrap_or(CLASSICAL).min(CLASSICAL));
    let mut text = heading(&explained.dataset, &format!(": {}", size(explained)), width);
    if let Some(label) = &explained.label {
        text.push_str(&format!("{}\n", wrap(&format!("label: {label}"), narrow, 2)));
    }
    let used = feature_line(&explained.features_used, width.unwrap_or(CLASSICAL));
    text.extend(used.map(|line| line + "\n"));
    text.push_str(&format!("clm {:.3}\n\n", explained.clm));
    text.push_str(&format!("{}\n", wrap(&explained.summary.join(" "), narrow, 0)));
    for ExplanationSection { title, table, hidden } in sections(explained) {
        text.push_str(&format!("\n{bold}{title}{bold:#}\n{}", table.terminal(width)));
        if hidden > 0 {
            text.push_str(&format!("({hidden} more)\n"));
        }
    }
    if !commands.actions.is_empty() {
        text.push_str(&format!("\n{bold}{ACTIONS_TITLE}{bold:#}\n"));
        for (action, command) in explained.actions.iter().zip(&commands.actions).take(SHOWN) {
            // In one line, so that it can be copied.
            text.push_str(&format!("{}\n  {}\n", wrap(&in_words(action), width, 2), visible(command)));
        }
        if commands.actions.len() > SHOWN {
            text.push_str(&format!("({} more)\n", commands.actions.len() - SHOWN));
        }
    }
    if !explained.mislabelled.is_empty() {
        let command = visible(&commands.suggested);
        text.push_str(&format!("\n{bold}{SUGGESTED_TITLE}{bold:#}\n  {command}\n"));
    }
    text
}

fn markdown(explained: &ExplainedDataset, commands: &Commands) -> String {
    let summary = escape(&explained.summary.join(" "));
    let name = escape(&explained.dataset);
    let used = feature_line(&explained.features_used, CLASSICAL);
    let used = used.map_or_else(String::new, |line| format!("{}\n\n", escape(&line)));
    let mut text = format!("{name}: {}, clm {:.3}\n\n{used}{summary}\n", size(explained), explained.clm);
    for ExplanationSection { title, table, hidden } in sections(explained) {
        let more = if hidden > 0 { format!("\n{hidden} more\n") } else { String::new() };
        text.push_str(&format!("\n{title}:\n\n{}{more}", table.markdown(1)));
    }
    if !commands.actions.is_empty() {
        text.push_str(&format!("\n{ACTIONS_TITLE}:\n\n"));
    }
    for (action, command) in explained.actions.iter().zip(&commands.actions) {
        text.push_str(&format!("* {}: {}\n", escape(&in_words(action)), code(command)));
    }
    if !explained.mislabelled.is_empty() {
        text.push_str(&format!("\n{SUGGESTED_TITLE}:\n\n* {}\n", code(&commands.suggested)));
    }
    text
}

fn size(explained: &ExplainedDataset) -> String {
    let (points, features) = (counted(explained.points, "point"), counted(explained.features, "feature"));
    format!("{points}, {features}, {} classes", explained.classes)
}

/// An action for people.
fn in_words(action: &ExplainedAction) -> String {
    let what = match &action.change {
        LabelChange::Merge([a, b]) => format!("merge {} and {}", name(a), name(b)),
        LabelChange::Split(class) => format!("split {} into its clusters", name(class)),
        LabelChange::DropRows(rows) => format!("leave out {}", counted(rows.len(), "suspicious row")),
    };
    let [first, second] = action.held_out;
    format!("{:+.3} to {:.3} (halves {first:+.3}, {second:+.3}): {what}", action.gain, action.clm)
}

fn decimals(value: f64) -> Cell {
    Cell::number(value, format!("{value:.3}"))
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// Pairs of classes; `all` shows every number.
fn pairs<'a>(pairs: impl Iterator<Item = &'a ExplainedPair>, all: bool) -> Table {
    if all {
        return every_number(pairs);
    }
    let mut table = Table::new([
        Column::text("pair"),
        Column::text("verdict"),
        Column::number("clm"),
        Column::number("closer").spare(1),
        Column::text("fails").spare(2),
        Column::number("merged").spare(3),
    ]);
    for pair in pairs {
        table.row([
            Cell::text(both(pair)),
            Cell::text(pair.verdict.name()),
            decimals(pair.clm),
            Cell::text(format!("{}, {}", percent(pair.a_closer_to_b), percent(pair.b_closer_to_a))),
            Cell::text(if pair.fails.len() == 3 { "all terms".to_owned() } else { fails(pair, ", ") }),
            Cell::or_empty(pair.clm_if_merged.map(decimals)),
        ]);
    }
    table
}

fn every_number<'a>(pairs: impl Iterator<Item = &'a ExplainedPair>) -> Table {
    let titles = [
        "a",
        "b",
        "verdict",
        "clm",
        "eta",
        "kappa",
        "nu",
        "a_closer_to_b",
        "b_closer_to_a",
        "fails",
        "clm_if_merged",
    ];
    let mut table = Table::new(titles.map(Column::text));
    for pair in pairs {
        table.row([
            Cell::text(&pair.a),
            Cell::text(&pair.b),
            Cell::text(pair.verdict.name()),
            decimals(pair.clm),
            decimals(pair.terms.eta),
            decimals(pair.terms.kappa),
            decimals(pair.terms.nu),
            decimals(pair.a_closer_to_b),
            decimals(pair.b_closer_to_a),
            Cell::text(fails(pair, " ")),
            Cell::or_empty(pair.clm_if_merged.map(decimals)),
        ]);
    }
    table
}

fn both(pair: &ExplainedPair) -> String {
    format!("{} | {}", pair.a, pair.b)
}

fn fails(pair: &ExplainedPair, between: &str) -> String {
    pair.fails.iter().copied().map(Term::name).collect::<Vec<_>>().join(between)
}

/// The features that carry the separation of pairs, with their shares, and those that carry scatter only.
fn pair_features<'a>(pairs: impl Iterator<Item = &'a ExplainedPair>) -> Table {
    let mut table = Table::new([
        Column::text("pair"),
        Column::text("separates them"),
        Column::text("only adds noise").spare(1),
    ]);
    let few = |features: &[ExplainedFeature], share: fn(&ExplainedFeature) -> f64| -> String {
        const FEW: usize = 3;
        let named = |feature: &ExplainedFeature| format!("{} {}", feature.feature, percent(share(feature)));
        features.iter().take(FEW).map(named).collect::<Vec<_>>().join(", ")
    };
    for pair in pairs {
        table.row([
            Cell::text(both(pair)),
            Cell::text(few(&pair.separated_by, |feature| feature.share_between)),
            Cell::text(few(&pair.scatter_only, |feature| feature.share_within)),
        ]);
    }
    table
}

fn clusters(explained: &ExplainedDataset) -> Table {
    let mut table = Table::new([
        Column::text("class"),
        Column::number("points"),
        Column::text("clusters"),
        Column::text("typical rows"),
        Column::number("clm if split"),
    ]);
    for class in explained.class_clusters.iter().filter(|class| class.clusters.len() > 1) {
        let each = |number: fn(&clmatch_analysis::explanation::ExplainedCluster) -> usize, between: &str| {
            let shown = class.clusters.iter().take(CLUSTERS).map(|cluster| number(cluster).to_string());
            let more = (class.clusters.len() > CLUSTERS).then(|| "…".to_owned());
            shown.chain(more).collect::<Vec<_>>().join(between)
        };
        table.row([
            Cell::text(&class.class),
            Cell::count(class.points),
            Cell::text(each(|cluster| cluster.points, " + ")),
            Cell::text(each(|cluster| cluster.typical_row, ", ")),
            Cell::or_empty(class.clm_if_split.map(decimals)),
        ]);
    }
    table
}

fn mislabelled(explained: &ExplainedDataset) -> Table {
    let columns = [Column::text("label"), Column::text("looks like"), Column::number("probability")];
    let points = explained.mislabelled.iter().map(|point| {
        let cells = vec![
            Cell::text(&point.label),
            Cell::text(&point.suggested),
            Cell::number(point.probability, format!("{:.2}", point.probability)),
        ];
        (point.row, &point.shown, cells)
    });
    suspects(columns.into(), points)
}

fn outliers(explained: &ExplainedDataset) -> Table {
    let columns = [Column::text("label"), Column::number("distance")];
    let points = explained.outliers.iter().map(|point| {
        let distance = Cell::number(point.distance, format!("{:.1}", point.distance));
        (point.row, &point.shown, vec![Cell::text(&point.label), distance])
    });
    suspects(columns.into(), points)
}

/// The first of some points: their rows, the cells of the file that are shown, and what was found.
fn suspects<'a>(
    columns: Vec<Column>,
    points: impl Iterator<Item = (usize, &'a ShownCells, Vec<Cell>)>,
) -> Table {
    let mut points = points.take(SHOWN).peekable();
    let shown = points.peek().map(|(_, shown, _)| shown.0.as_slice()).unwrap_or_default();
    // The first of them, which are ids, stay longest on a narrow terminal.
    let spare = |at: usize| u8::try_from(at).unwrap_or(u8::MAX);
    let named = shown.iter().enumerate().map(|(at, (column, _))| Column::text(name(column)).spare(spare(at)));
    let mut table = Table::new(std::iter::once(Column::number("row")).chain(named).chain(columns));
    for (row, shown, cells) in points {
        let shown = shown.0.iter().map(|(_, cell)| Cell::text(name(cell)));
        table.row(std::iter::once(Cell::count(row)).chain(shown).chain(cells));
    }
    table
}

fn scatter_only(explained: &ExplainedDataset) -> Table {
    let mut table =
        Table::new([Column::text("feature"), Column::number("share of the scatter"), Column::number("eta")]);
    for share in explained.feature_shares.iter().filter(|share| share.scatter_only).take(SHOWN) {
        table.row([
            Cell::text(&share.feature),
            Cell::number(share.share_within, percent(share.share_within)),
            decimals(share.eta),
        ]);
    }
    table
}
