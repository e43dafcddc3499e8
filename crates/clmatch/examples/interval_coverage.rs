//! Counts how often 95% intervals hold the expected score, for `cargo xtask coverage --intervals`: a Markdown table.
//!
//! The expected score at this number of points is the mean over many draws, the same draws that intervals are computed for and
//! three times as many more.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use clmatch::measure::REGISTRY;
use clmatch::{Classes, Control, DataError, Labels, Points, evaluate, intervals};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal, StudentT};
use rayon::prelude::*;

/// How a point is drawn, by its class.
type Draw = fn(&mut ChaCha8Rng, usize) -> Vec<f64>;

struct Setting {
    name: &'static str,
    /// Whether intervals should cover as often as they say.
    well_behaved: bool,
    sizes: &'static [usize],
    draw: Draw,
}

const SETTINGS: &[Setting] = &[
    Setting {
        name: "2 Gaussians 2.5 apart, 5 features",
        well_behaved: true,
        sizes: &[50, 50],
        draw: |random, class| gaussian(random, 5, 2.5 * class as f64),
    },
    Setting {
        name: "2 Gaussians 4 apart, 2 features",
        well_behaved: true,
        sizes: &[80, 80],
        draw: |random, class| gaussian(random, 2, 4.0 * class as f64),
    },
    Setting {
        name: "3 unequal Gaussians 3 apart, 10 features",
        well_behaved: true,
        sizes: &[40, 80, 160],
        draw: |random, class| gaussian(random, 10, 3.0 * class as f64),
    },
    Setting {
        name: "4 Gaussians on a square, 3 apart",
        well_behaved: true,
        sizes: &[60; 4],
        draw: |random, class| {
            let mut point = gaussian(random, 2, 3.0 * (class % 2) as f64);
            point[1] += 3.0 * (class / 2) as f64;
            point
        },
    },
    Setting {
        name: "5 Gaussians 3 apart, 20 features",
        well_behaved: true,
        sizes: &[100; 5],
        draw: |random, class| gaussian(random, 20, 3.0 * class as f64),
    },
    Setting {
        name: "2 long Gaussians (8 : 1) side by side",
        well_behaved: true,
        sizes: &[100, 100],
        draw: |random, class| {
            let mut point = gaussian(random, 2, 3.0 * class as f64);
            point[1] *= 8.0;
            point
        },
    },
    Setting {
        name: "2 skewed classes (exponential)",
        well_behaved: true,
        sizes: &[100, 100],
        draw: |random, class| (0..3).map(|_| random.sample::<f64, _>(Exp1) + 2.0 * class as f64).collect(),
    },
    Setting {
        name: "2 uniform squares with a gap",
        well_behaved: true,
        sizes: &[80, 80],
        draw: |random, class| vec![random.random::<f64>() + 1.05 * class as f64, random.random()],
    },
    Setting { name: "2 moons, noise .2", well_behaved: true, sizes: &[100, 100], draw: moons },
    Setting {
        name: "2 Gaussians of 30 points, 2 apart",
        well_behaved: false,
        sizes: &[30, 30],
        draw: |random, class| gaussian(random, 3, 2.0 * class as f64),
    },
    Setting {
        name: "2 classes with heavy tails (t, 3 degrees)",
        well_behaved: false,
        sizes: &[100, 100],
        draw: |random, class| {
            let tails = StudentT::new(3.0).unwrap();
            (0..3)
                .map(|feature| tails.sample(random) + if feature == 0 { 4.0 * class as f64 } else { 0.0 })
                .collect()
        },
    },
    Setting {
        name: "2 classes in one place",
        well_behaved: false,
        sizes: &[80, 80],
        draw: |random, _| gaussian(random, 3, 0.0),
    },
];

fn gaussian(random: &mut ChaCha8Rng, features: usize, shift: f64) -> Vec<f64> {
    let mut point: Vec<f64> = (0..features).map(|_| random.sample(StandardNormal)).collect();
    point[0] += shift;
    point
}

fn moons(random: &mut ChaCha8Rng, class: usize) -> Vec<f64> {
    let angle = std::f64::consts::PI * random.random::<f64>();
    let (x, y) = if class == 0 { (angle.cos(), angle.sin()) } else { (1.0 - angle.cos(), 0.5 - angle.sin()) };
    let noise: [f64; 2] = [0, 1].map(|_| 0.2 * random.sample::<f64, _>(StandardNormal));
    vec![x + noise[0], y + noise[1]]
}

/// The scores of a draw, and whether intervals are wanted: their ends.
fn draw(setting: &Setting, seed: u64, ends: bool) -> Result<Vec<(f64, [f64; 2])>, DataError> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let labels: Vec<usize> =
        setting.sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let rows: Vec<Vec<f64>> = labels.iter().map(|&class| (setting.draw)(&mut random, class)).collect();
    let classes = Classes::new(Points::from_rows(&rows)?, &Labels::encode(labels))?;
    let evaluation = evaluate(&classes, REGISTRY)?;
    let scores = evaluation.scores.iter().map(|(_, score)| score.value);
    if !ends {
        return Ok(scores.map(|score| (score, [0.0; 2])).collect());
    }
    let replicates = intervals::replicates(&classes, REGISTRY, seed, Control::none())?;
    let with_ends = scores.zip(&replicates).map(|(score, replicates)| {
        let interval = replicates.interval(score);
        (score, [interval.low, interval.high])
    });
    Ok(with_ends.collect())
}

fn main() -> Result<(), DataError> {
    let draws: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(500);
    let ids: Vec<&str> = REGISTRY.iter().map(|measure| measure.id).collect();
    println!("| setting | points | {} |", ids.join(" | "));
    println!("|---|---|{}", "---|".repeat(ids.len()));
    for setting in SETTINGS {
        let all: Vec<Vec<(f64, [f64; 2])>> = (0..4 * draws)
            .into_par_iter()
            .map(|seed| draw(setting, seed, seed < draws))
            .collect::<Result<_, _>>()?;
        let cells: Vec<String> = (0..ids.len())
            .map(|at| {
                let expected = all.iter().map(|scores| scores[at].0).sum::<f64>() / all.len() as f64;
                let holds = |scores: &&Vec<(f64, [f64; 2])>| {
                    let [low, high] = scores[at].1;
                    low <= expected && expected <= high
                };
                let covered = all[..draws as usize].iter().filter(holds).count();
                format!("{:.1}", 100.0 * covered as f64 / draws as f64)
            })
            .collect();
        let points: usize = setting.sizes.iter().sum();
        let mark = if setting.well_behaved { "" } else { " *" };
        println!("| {}{mark} | {points} | {} |", setting.name, cells.join(" | "));
    }
    Ok(())
}
