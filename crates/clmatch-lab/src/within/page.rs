//! The paper's second table, ours beside it.

use clmatch::measure::{Kind, REGISTRY};
use clmatch_report::number::significant;
use clmatch_report::{Boxes, Row as BoxRow, csv, markdown};

use super::{LEVELS, Noise};
use crate::findings::{File, Findings};
use clmatch_truth::rank::mean_and_deviation;

/// A mean and a standard deviation over datasets.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    mean: f64,
    deviation: f64,
}

/// A standard measure and its adjusted form in the paper.
struct Published {
    standard: &'static str,
    adjusted: &'static str,
    /// Standard against adjusted, noise against standard, noise against adjusted.
    columns: [Spread; 3],
}

/// Jeon et al., TPAMI 2025, the table of the within-dataset analysis (96 datasets).
const PAPER: [Published; 6] = [
    published("ch", "ch_a", [0.848, 0.876, 0.879], [0.263, 0.296, 0.277]),
    published("di", "di_a", [0.253, 0.451, 0.381], [0.429, 0.335, 0.727]),
    published("ii", "xb_a", [0.825, 0.857, 0.881], [0.296, 0.284, 0.307]),
    published("xb", "xb_a", [0.820, 0.832, 0.881], [0.308, 0.341, 0.307]),
    published("db", "db_a", [0.855, 0.884, 0.876], [0.257, 0.268, 0.294]),
    published("sc", "sc_a", [0.515, 0.530, 0.878], [0.574, 0.601, 0.322]),
];
/// Datasets of the paper.
const PAPER_DATASETS: usize = 96;
/// How far a mean may be from the paper's.
const TOLERANCE: f64 = 0.03;

const fn published(
    standard: &'static str,
    adjusted: &'static str,
    means: [f64; 3],
    deviations: [f64; 3],
) -> Published {
    let mut columns = [Spread { mean: 0.0, deviation: 0.0 }; 3];
    let mut at = 0;
    while at < columns.len() {
        columns[at] = Spread { mean: means[at], deviation: deviations[at] };
        at += 1;
    }
    Published { standard, adjusted, columns }
}

/// Our line of the table.
struct Line {
    /// As in the paper.
    columns: [Spread; 3],
    /// Standard against adjusted on the same labels.
    same: Spread,
    /// Datasets on which the standard and the adjusted measure have one value at all levels.
    constant: [usize; 2],
}

/// Where a measure has the same value at all levels it says nothing about the noise: such a correlation counts as 0.
fn spread(correlations: &[Option<f64>]) -> Spread {
    let values: Vec<f64> = correlations.iter().map(|rho| rho.unwrap_or(0.0)).collect();
    let (mean, deviation) = mean_and_deviation(&values);
    Spread { mean, deviation }
}

fn line(datasets: &[Noise], paper: &Published) -> Line {
    let all = |rho: &dyn Fn(&Noise) -> Option<f64>| datasets.iter().map(rho).collect::<Vec<_>>();
    let noise = all(&|one| one.with_noise(paper.standard));
    let adjusted = all(&|one| one.with_noise(paper.adjusted));
    Line {
        columns: [
            spread(&all(&|one| one.on_own(paper.standard, paper.adjusted))),
            spread(&noise),
            spread(&adjusted),
        ],
        same: spread(&all(&|one| one.on_same(paper.standard, paper.adjusted))),
        constant: [&noise, &adjusted].map(|column| column.iter().filter(|rho| rho.is_none()).count()),
    }
}

fn is_off(ours: &Spread, paper: &Spread) -> bool {
    (ours.mean - paper.mean).abs() > TOLERANCE
}

/// The table, the figure and the page.
pub fn findings(datasets: &[Noise], seed: u64) -> Findings {
    let ours: Vec<Line> = PAPER.iter().map(|paper| line(datasets, paper)).collect();
    let columns = PAPER.iter().zip(&ours).flat_map(|(paper, ours)| ours.columns.iter().zip(&paper.columns));
    let off = columns.filter(|(ours, paper)| is_off(ours, paper)).count();
    let all = 3 * PAPER.len();
    Findings {
        name: "within",
        title: "Within a dataset: measures against shuffled labels".into(),
        summary: format!("{} of {all} mean correlations lie within {TOLERANCE} of the paper's", all - off),
        page: page(datasets, &ours, seed),
        files: vec![
            File { name: "within.csv".into(), text: raw(datasets) },
            File { name: "within.svg".into(), text: boxes(datasets).svg() },
        ],
    }
}

fn raw(datasets: &[Noise]) -> String {
    let mut rows = Vec::new();
    for one in datasets {
        for (shuffle, series) in [&one.values, &one.again].into_iter().enumerate() {
            for (level, values) in series.iter().enumerate() {
                let share = significant(level as f64 / (LEVELS - 1) as f64, 3);
                let mut cells = vec![one.dataset.clone(), (shuffle + 1).to_string(), share];
                // As the measure is defined: XB and DB are lower where they are better.
                let defined = REGISTRY.iter().zip(values);
                cells.extend(defined.map(|(measure, &value)| significant(measure.upward(value), 8)));
                rows.push(cells);
            }
        }
    }
    let ids = REGISTRY.iter().map(|measure| measure.id);
    csv::table(&["dataset", "shuffle", "share"].into_iter().chain(ids).collect::<Vec<_>>(), &rows)
}

fn boxes(datasets: &[Noise]) -> Boxes {
    let kinds = [Kind::Own, Kind::Adjusted, Kind::Corrected, Kind::Standard];
    let rows = REGISTRY.iter().map(|measure| {
        let values: Vec<f64> = datasets.iter().map(|one| one.with_noise(measure.id).unwrap_or(0.0)).collect();
        let (mean, _) = mean_and_deviation(&values);
        BoxRow {
            name: measure.id.to_owned(),
            kind: kinds.iter().position(|kind| *kind == measure.kind).unwrap_or(0),
            values,
            note: format!("mean {mean:.3}"),
        }
    });
    Boxes {
        title: "Correlation with the order of the noise".into(),
        x: "Spearman's correlation, one per dataset".into(),
        log: false,
        kinds: kinds.iter().map(ToString::to_string).collect(),
        rows: rows.collect(),
    }
}

fn page(datasets: &[Noise], ours: &[Line], seed: u64) -> String {
    let mut text = format!(
        "{} datasets, {LEVELS} variants of the labels each: 0%, 10%, .. 100% of the points are drawn and their labels \
         shuffled among them (seed {seed}). Spearman's correlation of the order of the noise, the standard and the \
         adjusted measure; mean and standard deviation over datasets.\n\n![correlations](within.svg)\n\n",
        datasets.len()
    );
    let cell = |(ours, paper): (&Spread, &Spread)| {
        let mark = if is_off(ours, paper) { " !" } else { "" };
        format!("{:.3}±{:.3} ({:.3}±{:.3}){mark}", ours.mean, ours.deviation, paper.mean, paper.deviation)
    };
    let rows: Vec<Vec<String>> = PAPER
        .iter()
        .zip(ours)
        .map(|(paper, ours)| {
            let mut cells = vec![format!("{} and {}", paper.standard, paper.adjusted)];
            cells.extend(ours.columns.iter().zip(&paper.columns).map(cell));
            cells.push(format!("{:.3}±{:.3}", ours.same.mean, ours.same.deviation));
            cells
        })
        .collect();
    let titles = [
        "measures",
        "standard against adjusted",
        "noise against standard",
        "noise against adjusted",
        "standard against adjusted, same labels",
    ];
    text.push_str(&markdown::table(&titles, 1, &rows));
    text.push_str(&format!(
        "\nIn brackets the paper's numbers ({PAPER_DATASETS} datasets); `!` marks a mean that is more than {TOLERANCE} from \
         it.\n\nThe second column sets a standard measure and its adjusted form side by side, each on labels that were \
         shuffled for it. The paper does not say whether both saw the same labels. On the same labels (last column) chance \
         is common to both. {}\n\n",
        reading(ours)
    ));
    text.push_str(&constant(ours));
    text.push_str(&disagreements(ours, datasets.len()));
    text.push_str("\n## Our own measures\n\n");
    let own = REGISTRY.iter().filter(|measure| matches!(measure.kind, Kind::Own | Kind::Corrected));
    let rows: Vec<Vec<String>> = own
        .map(|measure| {
            let found = spread(&datasets.iter().map(|one| one.with_noise(measure.id)).collect::<Vec<_>>());
            vec![measure.id.to_owned(), format!("{:.3}±{:.3}", found.mean, found.deviation)]
        })
        .collect();
    text + &markdown::table(&["measure", "noise against measure"], 1, &rows)
}

/// Which of the two readings the paper's numbers fit.
fn reading(ours: &[Line]) -> String {
    let distance = |of: &dyn Fn(&Line) -> f64| {
        let gaps = PAPER.iter().zip(ours).map(|(paper, ours)| (of(ours) - paper.columns[0].mean).abs());
        gaps.sum::<f64>() / PAPER.len() as f64
    };
    let (own, same) = (distance(&|line| line.columns[0].mean), distance(&|line| line.same.mean));
    let fits = if own < same { "the former" } else { "the latter" };
    format!(
        "The paper's numbers are nearer to {fits} reading: they differ by {own:.3} on average from the second column and \
         by {same:.3} from the last."
    )
}

/// Says where correlations do not exist.
fn constant(ours: &[Line]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (paper, ours) in PAPER.iter().zip(ours) {
        counts.extend([(paper.standard, ours.constant[0]), (paper.adjusted, ours.constant[1])]);
    }
    counts.retain(|&(_, count)| count > 0);
    counts.dedup();
    let lines: String = counts.iter().map(|(id, count)| format!("* {id}: {count} datasets\n")).collect();
    if lines.is_empty() {
        return lines;
    }
    format!(
        "A measure with the same value at all levels (the Dunn index is 0 as soon as two classes share a point) has no rank \
         correlation; it counts as 0:\n\n{lines}\n"
    )
}

/// What the datasets that only the paper has would have to be like.
fn disagreements(ours: &[Line], datasets: usize) -> String {
    let names = ["standard against adjusted", "noise against standard", "noise against adjusted"];
    let mut lines = String::new();
    for (paper, ours) in PAPER.iter().zip(ours) {
        for (at, name) in names.iter().enumerate() {
            let (mean, theirs) = (ours.columns[at].mean, paper.columns[at].mean);
            if !is_off(&ours.columns[at], &paper.columns[at]) {
                continue;
            }
            let error = ours.columns[at].deviation / (datasets as f64).sqrt();
            lines.push_str(&format!(
                "* {} and {}, {name}: {mean:.3} against {theirs:.3}; the standard error of our mean is {error:.3}",
                paper.standard, paper.adjusted
            ));
            if let Some(missing) = PAPER_DATASETS.checked_sub(datasets).filter(|&missing| missing > 0) {
                let needed = (theirs * PAPER_DATASETS as f64 - mean * datasets as f64) / missing as f64;
                lines.push_str(&if needed.abs() <= 1.0 {
                    format!(
                        "; {missing} more datasets with a mean of {needed:.2} would make up the difference"
                    )
                } else {
                    format!("; {missing} more datasets could not make up the difference")
                });
            }
            lines.push_str(".\n");
        }
    }
    if lines.is_empty() { lines } else { format!("## Where we disagree\n\n{lines}") }
}
