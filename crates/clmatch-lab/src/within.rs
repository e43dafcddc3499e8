//! Within one dataset: the more labels are shuffled, the lower a measure should be.
//!
//! Eleven variants of the labels, with 0%, 10%, .. 100% of the points' labels shuffled among them, have a known order.
//! Spearman's correlation of that order with a standard measure, with its adjusted form, and of the two with each other,
//! per dataset; mean and standard deviation over datasets, beside the paper's second table.

use clmatch::measure::{Kind, REGISTRY, find};
use clmatch::{Classes, DataError, Labels, Points, evaluate};
use clmatch_report::number::significant;
use clmatch_report::{Boxes, Row as BoxRow, csv, markdown};
use rand::SeedableRng;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::findings::{File, Findings};
use crate::measured::upward;
use crate::rank::{mean_and_deviation, spearman};

/// Shares of shuffled labels: 0, 0.1, .. 1.
pub const LEVELS: usize = 11;

/// A standard measure and its adjusted form, with the paper's means and deviations.
struct Published {
    standard: &'static str,
    adjusted: &'static str,
    /// Standard against adjusted, noise against standard, noise against adjusted.
    means: [f64; 3],
    deviations: [f64; 3],
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

const fn published(
    standard: &'static str,
    adjusted: &'static str,
    means: [f64; 3],
    deviations: [f64; 3],
) -> Published {
    Published { standard, adjusted, means, deviations }
}

/// How far a mean may be from the paper's.
const TOLERANCE: f64 = 0.03;

/// One dataset: every measure at every level of noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Its name.
    pub dataset: String,
    /// Ids in the order of the registry.
    pub measures: Vec<String>,
    /// Per level, one value per measure, turned so that higher is better.
    pub values: Vec<Vec<f64>>,
}

impl Noise {
    /// Shuffles and measures.
    ///
    /// # Errors
    /// A class with a single point.
    pub fn of(dataset: &str, points: &Points<'_>, labels: &Labels, seed: u64) -> Result<Noise, DataError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut values = Vec::with_capacity(LEVELS);
        for level in 0..LEVELS {
            let codes = shuffled(labels.codes(), level as f64 / (LEVELS - 1) as f64, &mut random);
            let labels = Labels::from_codes(codes, labels.names());
            let classes = Classes::new(points.clone(), &labels)?;
            let evaluation = evaluate(&classes, REGISTRY)?;
            let scores = REGISTRY.iter().zip(&evaluation.scores);
            values.push(scores.map(|(measure, (_, score))| upward(measure, score.value)).collect());
        }
        let measures = REGISTRY.iter().map(|measure| measure.id.to_owned()).collect();
        Ok(Noise { dataset: dataset.to_owned(), measures, values })
    }

    fn column(&self, id: &str) -> Vec<f64> {
        let at = self.measures.iter().position(|known| known == id).unwrap_or(0);
        self.values.iter().map(|values| values[at]).collect()
    }

    /// The correlation of a measure with the order of the noise.
    fn with_noise(&self, id: &str) -> Option<f64> {
        let quality: Vec<f64> = (0..self.values.len()).map(|level| -(level as f64)).collect();
        spearman(&quality, &self.column(id))
    }

    fn between(&self, a: &str, b: &str) -> Option<f64> {
        spearman(&self.column(a), &self.column(b))
    }
}

/// The labels of a share of the points, drawn at random, are shuffled among them.
fn shuffled(codes: &[u32], share: f64, random: &mut ChaCha8Rng) -> Vec<u32> {
    let count = (share * codes.len() as f64).round() as usize;
    let places = index::sample(random, codes.len(), count).into_vec();
    let mut labels: Vec<u32> = places.iter().map(|&place| codes[place]).collect();
    labels.shuffle(random);
    let mut codes = codes.to_vec();
    places.into_iter().zip(labels).for_each(|(place, label)| codes[place] = label);
    codes
}

/// Correlations over datasets.
struct Column {
    mean: f64,
    deviation: f64,
    /// Datasets where a measure has one value at all levels, and no correlation.
    undefined: usize,
}

fn column(correlations: &[Option<f64>]) -> Column {
    let defined: Vec<f64> = correlations.iter().flatten().copied().collect();
    let (mean, deviation) = mean_and_deviation(&defined);
    Column { mean, deviation, undefined: correlations.len() - defined.len() }
}

/// The table, the figure and the page.
pub fn findings(datasets: &[Noise], seed: u64) -> Findings {
    let three = |paper: &Published| {
        [
            datasets.iter().map(|one| one.between(paper.standard, paper.adjusted)).collect::<Vec<_>>(),
            datasets.iter().map(|one| one.with_noise(paper.standard)).collect(),
            datasets.iter().map(|one| one.with_noise(paper.adjusted)).collect(),
        ]
        .map(|correlations| column(&correlations))
    };
    let ours: Vec<[Column; 3]> = PAPER.iter().map(three).collect();
    let close = PAPER.iter().zip(&ours).flat_map(|(paper, ours)| {
        paper.means.iter().zip(ours).map(|(paper, ours)| (paper - ours.mean).abs() <= TOLERANCE)
    });
    let (within, all) = close.fold((0, 0), |(within, all), close| (within + usize::from(close), all + 1));
    Findings {
        name: "within",
        title: "Within a dataset: measures against shuffled labels".into(),
        summary: format!("{within} of {all} mean correlations lie within .03 of the paper's"),
        page: page(datasets, &ours, seed, (within, all)),
        files: vec![
            File { name: "within.csv".into(), text: raw(datasets) },
            File { name: "within.svg".into(), text: boxes(datasets).svg() },
        ],
    }
}

fn raw(datasets: &[Noise]) -> String {
    let mut rows = Vec::new();
    for one in datasets {
        for (level, values) in one.values.iter().enumerate() {
            let mut cells = vec![one.dataset.clone(), significant(level as f64 / (LEVELS - 1) as f64, 3)];
            let defined = REGISTRY.iter().zip(values);
            // As the measure is defined: XB and DB are lower where they are better.
            cells.extend(defined.map(|(measure, &value)| significant(upward(measure, value), 8)));
            rows.push(cells);
        }
    }
    let ids = REGISTRY.iter().map(|measure| measure.id);
    csv::table(&["dataset", "shuffled"].into_iter().chain(ids).collect::<Vec<_>>(), &rows)
}

fn boxes(datasets: &[Noise]) -> Boxes {
    let kinds = [Kind::Own, Kind::Adjusted, Kind::Corrected, Kind::Standard];
    let rows = REGISTRY.iter().map(|measure| {
        let values: Vec<f64> = datasets.iter().filter_map(|one| one.with_noise(measure.id)).collect();
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

fn page(datasets: &[Noise], ours: &[[Column; 3]], seed: u64, (within, all): (usize, usize)) -> String {
    let mut text = format!(
        "{} datasets, {LEVELS} variants of the labels each: 0%, 10%, .. 100% of the points are drawn and their labels \
         shuffled among them (seed {seed}). Spearman's correlation of the order of the noise, the standard and the \
         adjusted measure; mean and standard deviation over datasets.\n\n![correlations](within.svg)\n\n",
        datasets.len()
    );
    let cell = |column: &Column, paper: f64, deviation: f64| {
        let off = if (column.mean - paper).abs() <= TOLERANCE { "" } else { " !" };
        format!("{:.3}±{:.3} ({paper:.3}±{deviation:.3}){off}", column.mean, column.deviation)
    };
    let rows: Vec<Vec<String>> = PAPER
        .iter()
        .zip(ours)
        .map(|(paper, ours)| {
            let cells = (0..3).map(|at| cell(&ours[at], paper.means[at], paper.deviations[at]));
            std::iter::once(format!("{} and {}", paper.standard, paper.adjusted)).chain(cells).collect()
        })
        .collect();
    let titles = ["measures", "standard against adjusted", "noise against standard", "noise against adjusted"];
    text.push_str(&markdown::table(&titles, 1, &rows));
    text.push_str(&format!(
        "\nIn brackets the paper's numbers (96 datasets). {within} of {all} means lie within {TOLERANCE} of them; the \
         others are marked with `!`.\n\n"
    ));
    text.push_str(&undefined(ours));
    text.push_str("\n## Our own measures\n\n");
    let own = REGISTRY.iter().filter(|measure| matches!(measure.kind, Kind::Own | Kind::Corrected));
    let rows: Vec<Vec<String>> = own
        .map(|measure| {
            let correlations: Vec<Option<f64>> =
                datasets.iter().map(|one| one.with_noise(measure.id)).collect();
            let column = column(&correlations);
            vec![measure.id.to_owned(), format!("{:.3}±{:.3}", column.mean, column.deviation)]
        })
        .collect();
    text + &markdown::table(&["measure", "noise against measure"], 1, &rows)
}

/// Says where correlations do not exist, and what follows for the comparison.
fn undefined(ours: &[[Column; 3]]) -> String {
    let named = PAPER.iter().zip(ours).filter(|(_, ours)| ours.iter().any(|column| column.undefined > 0));
    let lines: Vec<String> = named
        .map(|(paper, ours)| {
            let counts: Vec<String> = ours.iter().map(|column| column.undefined.to_string()).collect();
            let name = find(paper.standard).map_or(paper.standard, |measure| measure.name);
            format!("* {name}: {} datasets", counts.join(", "))
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "Where a measure has the same value at all levels (the Dunn index is 0 as soon as two classes share a point) it \
         has no rank correlation; such datasets are left out of the three columns:\n\n{}\n",
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_labels_moves_and_classes_keep_their_sizes() {
        let codes: Vec<u32> = (0..1000).map(|at| at % 4).collect();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(shuffled(&codes, 0.0, &mut random), codes);
        let noisy = shuffled(&codes, 0.4, &mut random);
        let changed = codes.iter().zip(&noisy).filter(|(a, b)| a != b).count();
        // Of 400 shuffled labels about a quarter stay the same by chance.
        assert!((250..=350).contains(&changed), "{changed}");
        for class in 0..4 {
            assert_eq!(noisy.iter().filter(|&&code| code == class).count(), 250);
        }
    }

    #[test]
    fn clear_clusters_follow_the_noise() {
        let values: Vec<f64> =
            (0..200).map(|at| f64::from(at % 2) * 10.0 + f64::from(at * 37 % 101) / 101.0).collect();
        let points = Points::new(&values, 1).unwrap();
        let labels = Labels::encode((0..200).map(|at| at % 2));
        let noise = Noise::of("two", &points, &labels, 5).unwrap();
        assert!(noise.with_noise("ch_a").unwrap() > 0.9);
        assert!(noise.with_noise("db").unwrap() > 0.9, "lower is better for DB");
        assert!(noise.between("ch", "ch_a").unwrap() > 0.9);
        let findings = findings(&[noise], 5);
        assert_eq!(findings.files[0].text.lines().count(), 1 + LEVELS);
        assert!(findings.page.contains("ch and ch_a"));
    }
}
