//! The paper's second table, with ours beside it.

use clmatch::measure::{Kind, REGISTRY};
use clmatch_render::number::significant;
use clmatch_render::{Boxes, Row as BoxRow, csv, markdown};

use super::correlations::{CorrelationCell, cell, cells, mean_with_noise};
use super::paper::{COLUMNS, TABLE};
use super::{DRAWS, HEADLINE, LEVELS, MANY_POINTS, Noise};
use crate::claims::Claim;
use crate::findings::{File, Findings};
use crate::groups::{self, group};
use crate::names;
use crate::reading::Reading;
use clmatch_truth::rank::spearman;

/// The number of datasets in the paper.
const PAPER_DATASETS: usize = 96;
/// The largest difference from the paper's mean that still counts as met.
const TOLERANCE: f64 = 0.03;
/// The largest difference from the paper's deviation that still counts as met.
const DEVIATION_TOLERANCE: f64 = 0.1;
/// A correlation above this is very strong.
const VERY_STRONG: f64 = 0.8;
/// Means that differ by less than this are equally good.
const EQUAL: f64 = 0.1;

/// The table, the figure and the page.
pub fn findings(datasets: &[Noise], reading: Reading, seed: u64) -> Findings {
    let ours: Vec<[CorrelationCell; 3]> = TABLE.iter().map(|paper| cells(datasets, paper, reading)).collect();
    let numbers = numbers(&ours);
    let met = numbers.iter().filter(|claim| claim.holds).count();
    let stem = reading.mark("within");
    let figure = format!("{stem}.svg");
    Findings {
        name: "within",
        reading: Some(reading),
        title: "Within a dataset: measures against shuffled labels".into(),
        summary: format!(
            "{met} of {} mean correlations lie within {TOLERANCE} of the paper's",
            numbers.len()
        ),
        claims: [sentences(&ours), numbers, deviations(&ours)].concat(),
        page: page(datasets, &ours, reading, seed, &figure),
        files: vec![
            File { name: format!("{stem}.csv"), text: raw(&ours) },
            File { name: figure, text: boxes(datasets).svg() },
        ],
    }
}

fn both(standard: &str, adjusted: &str) -> String {
    format!("{} and {}", names::markdown(standard), names::markdown(adjusted))
}

fn numbers(ours: &[[CorrelationCell; 3]]) -> Vec<Claim> {
    let rows = TABLE.iter().zip(ours);
    rows.flat_map(|(paper, ours)| {
        let who = both(paper.standard, paper.adjusted);
        COLUMNS.iter().enumerate().map(move |(at, column)| {
            let (theirs, found) = (paper.columns[at].mean, ours[at].spread.mean);
            Claim::number(format!("{who}, {column}"), theirs, found, TOLERANCE)
        })
    })
    .collect()
}

fn sentences(ours: &[[CorrelationCell; 3]]) -> Vec<Claim> {
    let list = |wanted: &dyn Fn(&str) -> bool, column: usize, id: fn(usize) -> &'static str| {
        let rows = (0..TABLE.len()).filter(|&at| wanted(TABLE[at].adjusted));
        rows.map(|at| format!("{} {:.3}", names::markdown(id(at)), ours[at][column].spread.mean))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mean = |at: usize, column: usize| ours[at][column].spread.mean;
    let not_di = |id: &str| id != "di_a";
    let rest = || (0..TABLE.len()).filter(|&at| not_di(TABLE[at].adjusted));
    let gain = |at: usize| mean(at, 2) - mean(at, 1);
    let silhouette = TABLE.len() - 1;
    let gains: Vec<String> = (0..TABLE.len())
        .map(|at| format!("{} {:+.3}", names::markdown(TABLE[at].standard), gain(at)))
        .collect();
    vec![
        Claim::sentence(
            "Every adjusted measure but DI<sub>A</sub> has a very strong correlation (> 0.8) with the noise",
            "yes",
            list(&not_di, 2, |at| TABLE[at].adjusted),
            rest().all(|at| mean(at, 2) > VERY_STRONG),
        ),
        Claim::sentence(
            "Every adjusted measure but DI<sub>A</sub> has a very strong correlation (> 0.8) with its standard form",
            "yes (its own table has 0.515 for SC)",
            list(&not_di, 0, |at| TABLE[at].standard),
            rest().all(|at| mean(at, 0) > VERY_STRONG),
        ),
        Claim::sentence(
            "Adjusted measures follow the noise as well as CH, DI, II, XB, DB and better than SC",
            "yes",
            format!("adjusted less standard: {}", gains.join(", ").replace('-', "−")),
            gain(silhouette) > EQUAL && (0..silhouette).all(|at| gain(at).abs() <= EQUAL),
        ),
        follows(ours),
    ]
}

/// Whether a standard measure that follows the noise less is also further from its adjusted form.
fn follows(ours: &[[CorrelationCell; 3]]) -> Claim {
    let column = |at: usize| ours.iter().map(|row| row[at].spread.mean).collect::<Vec<_>>();
    let rho = spearman(&column(0), &column(1)).unwrap_or(f64::NAN);
    Claim::sentence(
        "The less a standard measure follows the noise, the less it agrees with its adjusted form",
        "yes",
        format!("Spearman's correlation of the two columns over six measures {rho:.2}").replace('-', "−"),
        rho > VERY_STRONG,
    )
}

/// The deviations that the table gives beside its means.
fn deviations(ours: &[[CorrelationCell; 3]]) -> Vec<Claim> {
    let rows = TABLE.iter().zip(ours);
    rows.flat_map(|(paper, ours)| {
        let who = both(paper.standard, paper.adjusted);
        COLUMNS.iter().enumerate().map(move |(at, column)| {
            let (theirs, found) = (paper.columns[at].deviation, ours[at].spread.deviation);
            Claim::number(format!("{who}, {column}, deviation"), theirs, found, DEVIATION_TOLERANCE)
        })
    })
    .collect()
}

/// The raw numbers of the table.
fn raw(ours: &[[CorrelationCell; 3]]) -> String {
    let mut rows = Vec::new();
    for (paper, ours) in TABLE.iter().zip(ours) {
        for (at, column) in COLUMNS.iter().enumerate() {
            let (cell, theirs) = (ours[at], paper.columns[at]);
            let numbers = [
                cell.spread.mean,
                cell.spread.deviation,
                cell.between_draws,
                cell.undefined,
                theirs.mean,
                theirs.deviation,
            ];
            let words = [paper.standard, paper.adjusted, column].map(str::to_owned);
            rows.push(words.into_iter().chain(numbers.map(|number| significant(number, 6))).collect());
        }
    }
    let titles = [
        "standard",
        "adjusted",
        "column",
        "mean",
        "deviation",
        "between_draws",
        "undefined",
        "paper_mean",
        "paper_deviation",
    ];
    csv::table(&titles, &rows)
}

fn boxes(datasets: &[Noise]) -> Boxes {
    let rows = REGISTRY.iter().map(|measure| {
        let these = datasets.iter().filter(|one| measure.id != HEADLINE || !one.headline.is_empty());
        let values: Vec<f64> = these.map(|one| mean_with_noise(one, measure.id)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        BoxRow {
            name: names::name(measure.id).to_owned(),
            kind: group(measure.kind),
            values,
            note: format!("mean {mean:.3}"),
        }
    });
    Boxes {
        x: "Spearman's correlation with the order of the noise".into(),
        kinds: groups::measures(),
        rows: rows.collect(),
        ..Boxes::default()
    }
}

fn page(
    datasets: &[Noise],
    ours: &[[CorrelationCell; 3]],
    reading: Reading,
    seed: u64,
    figure: &str,
) -> String {
    let how = match reading {
        Reading::Text => {
            "A standard measure and its adjusted form see the same labels. DI looks at all classes. A measure that has \
             the same value at all levels has no rank correlation; it counts as 0."
        }
        Reading::Authors => {
            "The labels are shuffled anew for each measure, so that a standard measure and its adjusted form share \
             nothing that chance made. DI looks at the first two classes only. A measure that has the same value at all \
             levels has no rank correlation; such datasets are left out."
        }
    };
    let cell_text = |(ours, paper): (&CorrelationCell, &super::paper::CorrelationSpread)| {
        format!(
            "{:.3}±{:.3}, {:.3} between draws (paper {:.3}±{:.3})",
            ours.spread.mean, ours.spread.deviation, ours.between_draws, paper.mean, paper.deviation
        )
    };
    let rows: Vec<Vec<String>> = TABLE
        .iter()
        .zip(ours)
        .map(|(paper, ours)| {
            let cells = ours.iter().zip(&paper.columns).map(cell_text);
            std::iter::once(both(paper.standard, paper.adjusted)).chain(cells).collect()
        })
        .collect();
    let [a, b, c] = COLUMNS;
    format!(
        "{} datasets (the paper: {PAPER_DATASETS}), {LEVELS} variants of the labels each: 0%, 10%, .. 100% of the points are \
         drawn and their labels shuffled among them (seed {seed}). {how}\n\nThe shuffles are drawn {DRAWS} times (twice \
         above {MANY_POINTS} points), and all numbers are means over draws: mean ± standard \
         deviation over datasets, and how far the mean moves from draw to draw. The paper has one draw. Values that differ \
         by rounding only share their rank.\n\n{}\n![Correlation of every measure with the order of the noise, a mean over \
         draws for each dataset]({figure})\n\n*Spearman's correlation of every measure with the order of the noise: one \
         value per dataset, the mean over draws.*\n\n{}{}",
        datasets.len(),
        markdown::table(&["measures", a, b, c], 1, &rows),
        undefined(ours),
        own(datasets, reading)
    )
}

/// A note on correlations that are undefined.
fn undefined(ours: &[[CorrelationCell; 3]]) -> String {
    let mut lines = String::new();
    for (paper, ours) in TABLE.iter().zip(ours) {
        for (at, column) in COLUMNS.iter().enumerate().filter(|(at, _)| ours[*at].undefined > 0.0) {
            let who = both(paper.standard, paper.adjusted);
            lines.push_str(&format!("* {who}, {column}: {:.1} datasets\n", ours[at].undefined));
        }
    }
    if lines.is_empty() { lines } else { format!("Without a correlation, a mean over draws:\n\n{lines}\n") }
}

fn own(datasets: &[Noise], reading: Reading) -> String {
    let own = REGISTRY.iter().filter(|measure| matches!(measure.kind, Kind::Own | Kind::Corrected));
    let small: Vec<Noise> = datasets.iter().filter(|one| !one.headline.is_empty()).cloned().collect();
    let rows: Vec<Vec<String>> = own
        .map(|measure| {
            let these = if measure.id == HEADLINE { &small } else { datasets };
            let found = cell(these, reading, |one, draw| one.with_noise(measure.id, draw)).spread;
            vec![names::markdown(measure.id), format!("{:.3}±{:.3}", found.mean, found.deviation)]
        })
        .collect();
    format!(
        "## Our own measures\n\n{}\n`{HEADLINE}` was computed for the first draw only, on the {} datasets with at most {MANY_POINTS} points.\n",
        markdown::table(&["measure", "noise against measure"], 1, &rows),
        small.len()
    )
}
