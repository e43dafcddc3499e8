//! Counts how often the stated 95% errors of estimates cover the exact scores, for `cargo xtask coverage`.
//!
//! `coverage DRAWS [FOLDER]` prints a Markdown table for generated datasets, and for the real ones in a folder that are large
//! enough for a sample to be worthwhile. Each dataset is estimated again and again with different seeds, with three goals: from
//! the first sample alone (100 points per class), to a 95% error of .01, and in the shortest time.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clmatch::{Approximation, Classes, Labels, Measure, Points, estimate, evaluate, measure};
use clmatch_data::{ReadOptions, Scale, find, read};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Cauchy, Distribution, Normal, StandardNormal, StudentT};

/// The measures that need distances and can be estimated.
const MEASURES: [&str; 4] = ["clm", "sc_a", "di_a", "sc"];
/// Real datasets with at least 1,000 points for each class.
const REAL: [&str; 5] =
    ["dry_bean", "fraud_detection_bank", "htru2", "magic_gamma_telescope", "taiwanese_bankruptcy_prediction"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let draws =
        words.next().and_then(|word| word.to_str()?.parse().ok()).ok_or("usage: coverage DRAWS [FOLDER]")?;
    let folder = words.next().map(PathBuf::from);
    let only = words.next().map(|word| word.to_string_lossy().into_owned());
    println!("| dataset | points | classes | until | looked at | {} |", MEASURES.join(" | "));
    println!("|---|---|---|---|---|{}", "---|".repeat(MEASURES.len()));
    let mut datasets = generated();
    if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
        datasets.extend(real(&folder)?);
    }
    for dataset in &datasets {
        if only.as_ref().is_none_or(|only| dataset.name.contains(only.as_str())) {
            print!("{}", rows(dataset, draws)?);
        }
    }
    Ok(())
}

struct Labelled {
    name: String,
    values: Vec<f64>,
    features: usize,
    labels: Labels,
}

/// This many exact evaluations at the start of the draws show that a goal asks for too much.
const NEVER: u64 = 20;

/// The goals at which an estimate ends.
const GOALS: [(&str, Approximation); 3] = [
    ("100 a class", Approximation::new(Some(f64::MAX), None)),
    ("error .01", Approximation::new(Some(0.01), None)),
    ("time is up", Approximation::new(None, Some(Duration::ZERO))),
];

/// One line of the table for each goal.
fn rows(dataset: &Labelled, draws: u64) -> Result<String, Box<dyn Error>> {
    let points = Points::new(dataset.values.as_slice(), dataset.features)?;
    let classes = Classes::new(points, &dataset.labels)?;
    let measures: Vec<&'static Measure> = MEASURES.iter().filter_map(|id| measure::find(id)).collect();
    let truth = evaluate(&classes, &measures)?;
    let mut text = String::new();
    for (goal, how) in GOALS {
        let mut counts = vec![Count::default(); measures.len()];
        let (mut looked_at, mut exact, mut tried) = (0, 0, 0);
        // If nothing is ever estimated, no more draws are needed.
        while tried < draws && !(tried == NEVER && exact == NEVER) {
            let seed = tried;
            tried += 1;
            let found = estimate(&classes, &measures, &how.with_seed(seed))?;
            if found.exact {
                exact += 1;
                continue;
            }
            looked_at += found.sampled;
            for (at, count) in counts.iter_mut().enumerate() {
                let miss = found.evaluation.scores[at].1.value - truth.scores[at].1.value;
                count.add(miss, found.errors[at]);
            }
        }
        let estimated = tried - exact;
        write!(text, "| {} | {} | {} | {goal} |", dataset.name, classes.n_points(), classes.n_classes())?;
        if estimated < tried / 2 {
            // Too few estimates to count by.
            writeln!(text, " all: exact in {exact} of {tried} |{}", " |".repeat(measures.len()))?;
            continue;
        }
        write!(text, " {:.0}", looked_at as f64 / estimated as f64)?;
        if exact > 0 {
            write!(text, " (exact in {exact})")?;
        }
        counts.iter().try_for_each(|count| write!(text, " | {count}"))?;
        text.push_str(" |\n");
    }
    Ok(text)
}

/// The counts for one measure.
#[derive(Debug, Clone, Default)]
struct Count {
    draws: f64,
    covered: f64,
    squares: f64,
    stated: f64,
}

impl Count {
    fn add(&mut self, miss: f64, error: f64) {
        self.draws += 1.0;
        self.covered += f64::from(u8::from(miss.abs() <= error + 1e-12));
        self.squares += miss * miss;
        self.stated += error;
    }
}

/// Shows coverage, the root of the mean squared miss, and the mean stated error.
impl std::fmt::Display for Count {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = 100.0 * self.covered / self.draws;
        let (miss, stated) = ((self.squares / self.draws).sqrt(), self.stated / self.draws);
        write!(formatter, "{percent:.1}% ({miss:.4}, {stated:.4})")
    }
}

fn real(folder: &Path) -> Result<Vec<Labelled>, Box<dyn Error>> {
    let mut datasets = Vec::new();
    for source in find(&[folder.to_path_buf()])? {
        if REAL.contains(&source.name.as_str()) {
            let mut dataset = read(&source, &ReadOptions::default())?;
            dataset.scale(Scale::MaxAbs);
            let values: Vec<f64> = match dataset.points().values() {
                clmatch::Values::F64(values) => values.to_vec(),
                clmatch::Values::F32(values) => values.iter().map(|&value| f64::from(value)).collect(),
            };
            let features = dataset.n_features();
            datasets.push(Labelled { name: source.name, values, features, labels: dataset.labels().clone() });
        }
    }
    Ok(datasets)
}

fn generated() -> Vec<Labelled> {
    let mut datasets = vec![
        clouds("balanced, overlapping", &[5000, 5000], 4, 1.0, Tail::Normal),
        clouds("balanced, far apart", &[5000, 5000], 4, 4.0, Tail::Normal),
        rare(30),
        rare(100),
        rare(400),
        clouds("Cauchy", &[5000, 5000], 4, 2.0, Tail::Cauchy),
        clouds("t with 3 degrees, three classes", &[4000, 4000, 4000], 10, 1.0, Tail::Student),
        clouds("five unequal classes, 20 features", &[1000, 3000, 4000, 2000, 2000], 20, 0.7, Tail::Normal),
        clouds("40 classes", &[1100; 40], 6, 1.5, Tail::Normal),
        moons(),
    ];
    let mut outliers = clouds("20 outliers", &[5000, 5000], 4, 1.0, Tail::Normal);
    (0..20).for_each(|at| outliers.values[at * 2000..at * 2000 + 4].iter_mut().for_each(|x| *x *= 1000.0));
    datasets.push(outliers);
    let mut swapped = clouds("1 of 200 labels swapped", &[5000, 5000], 4, 4.0, Tail::Normal);
    swapped.labels = Labels::encode((0..10_000).map(|at| (at >= 5000) != (at % 200 == 7)));
    datasets.push(swapped);
    datasets
}

#[derive(Clone, Copy)]
enum Tail {
    Normal,
    Cauchy,
    Student,
}

impl Tail {
    fn draw(self, random: &mut ChaCha8Rng) -> f64 {
        match self {
            Tail::Normal => random.sample(StandardNormal),
            Tail::Cauchy => Cauchy::new(0.0, 1.0).map_or(0.0, |cauchy| cauchy.sample(random)),
            Tail::Student => StudentT::new(3.0).map_or(0.0, |student| student.sample(random)),
        }
    }
}

/// Round classes around random centres.
fn clouds(name: &str, sizes: &[usize], features: usize, apart: f64, tail: Tail) -> Labelled {
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (class, &size) in sizes.iter().enumerate() {
        let centre: Vec<f64> =
            (0..features).map(|_| apart * random.sample::<f64, _>(StandardNormal)).collect();
        for _ in 0..size {
            values.extend(centre.iter().map(|centre| centre + tail.draw(&mut random)));
            labels.push(class);
        }
    }
    Labelled { name: name.to_owned(), values, features, labels: Labels::encode(labels) }
}

/// A small class at the edge of a large one.
fn rare(count: usize) -> Labelled {
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let labels: Vec<bool> = (0..20_000).map(|at| at >= 20_000 - count).collect();
    let shift = |rare: bool| if rare { 2.0 } else { 0.0 };
    let values = labels.iter().flat_map(|&rare| std::iter::repeat_n(shift(rare), 4)).collect::<Vec<f64>>();
    let values = values.into_iter().map(|shift| shift + random.sample::<f64, _>(StandardNormal)).collect();
    let name = format!("{count} : {}", 20_000 - count);
    Labelled { name, values, features: 4, labels: Labels::encode(labels) }
}

/// Two interlocking half circles with noise.
fn moons() -> Labelled {
    let mut random = ChaCha8Rng::seed_from_u64(29);
    let noise = Normal::new(0.0, 0.15).ok();
    let mut values = Vec::new();
    for at in 0..10_000 {
        let angle = std::f64::consts::PI * random.random::<f64>();
        let (x, y) = (angle.cos(), angle.sin());
        let (x, y) = if at < 5000 { (x, y) } else { (1.0 - x, 0.5 - y) };
        let mut jitter = || noise.map_or(0.0, |noise| noise.sample(&mut random));
        values.extend([x + jitter(), y + jitter()]);
    }
    Labelled {
        name: "moons".to_owned(),
        values,
        features: 2,
        labels: Labels::encode((0..10_000).map(|at| at >= 5000)),
    }
}
