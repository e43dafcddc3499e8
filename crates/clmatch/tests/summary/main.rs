//! Compares mergeable summaries with the same data in memory.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod bytes;
mod estimates;
mod exact;
mod rules;

use clmatch::measure::REGISTRY;
use clmatch::summary::{SecondPass, Summarised, Summary, SummarySettings};
use clmatch::{Classes, Control, Evaluation, Labels, Points, evaluate};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// So small a sample that data of some thousand rows are not kept whole.
const FEW: usize = 100;

/// A dataset in memory.
#[derive(Debug, Clone)]
struct Data {
    values: Vec<f64>,
    features: usize,
    labels: Vec<String>,
}

impl Data {
    /// Normal classes of these sizes along a line, `gap` deviations apart, in random order.
    fn normal(sizes: &[usize], features: usize, gap: f64, seed: u64) -> Data {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut codes: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
        codes.shuffle(&mut random);
        let mut values = Vec::new();
        for &code in &codes {
            for feature in 0..features {
                let noise: f64 = random.sample(StandardNormal);
                // Classes differ in extent, and are skewed.
                let noise = noise * (1.0 + 0.3 * code as f64) + 0.2 * noise * noise;
                values.push(noise + if feature == 0 { gap * code as f64 } else { 0.1 * code as f64 });
            }
        }
        Data { values, features, labels: codes.iter().map(|code| format!("class {code}")).collect() }
    }

    fn map(mut self, change: impl Fn(f64) -> f64) -> Data {
        self.values.iter_mut().for_each(|value| *value = change(*value));
        self
    }

    fn rows(&self) -> usize {
        self.labels.len()
    }

    fn in_memory(&self) -> Evaluation {
        let points = Points::new(&self.values, self.features).unwrap();
        evaluate(&Classes::new(points, &Labels::encode(&self.labels)).unwrap(), REGISTRY).unwrap()
    }

    /// Some of the rows, with labels that contain only the classes of these rows.
    fn block(&self, rows: std::ops::Range<usize>) -> (&[f64], Labels) {
        let values = &self.values[rows.start * self.features..rows.end * self.features];
        (values, Labels::encode(&self.labels[rows]))
    }

    /// Cuts the rows into blocks at random, some of them empty.
    fn cuts(&self, blocks: usize, random: &mut ChaCha8Rng) -> Vec<std::ops::Range<usize>> {
        let mut cuts: Vec<usize> = (1..blocks).map(|_| random.random_range(0..=self.rows())).collect();
        cuts.extend([0, self.rows()]);
        cuts.sort_unstable();
        cuts.windows(2).map(|bounds| bounds[0]..bounds[1]).collect()
    }

    /// A summary built block by block, merged in random order, and passed through bytes.
    fn summary(&self, settings: &SummarySettings, blocks: usize, seed: u64) -> Summary {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut parts: Vec<Summary> = Vec::new();
        for rows in self.cuts(blocks, &mut random) {
            let mut part = match parts.pop() {
                Some(part) if random.random_bool(0.3) => part,
                other => {
                    parts.extend(other);
                    Summary::new(self.features, settings).unwrap()
                }
            };
            let (values, labels) = self.block(rows.clone());
            part.update(values, &labels, rows.start as u64).unwrap();
            parts.push(Summary::from_bytes(&part.to_bytes()).unwrap());
        }
        while parts.len() > 1 {
            let other = parts.swap_remove(random.random_range(0..parts.len()));
            let at = random.random_range(0..parts.len());
            parts[at].merge(&other).unwrap();
        }
        parts.remove(0)
    }

    /// A second pass built block by block, merged in random order, and passed through bytes.
    fn second(&self, summary: &Summary, blocks: usize, seed: u64) -> SecondPass {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let empty = summary.second_pass().unwrap();
        let mut parts = vec![empty.clone()];
        for rows in self.cuts(blocks, &mut random) {
            let mut part = SecondPass::from_bytes(&empty.to_bytes()).unwrap();
            let (values, labels) = self.block(rows.clone());
            part.update(values, &labels, rows.start as u64).unwrap();
            parts.push(part);
        }
        parts.shuffle(&mut random);
        let mut whole = parts.remove(0);
        parts.iter().for_each(|part| whole.merge(part).unwrap());
        whole
    }

    fn finish(&self, settings: &SummarySettings, blocks: usize, seed: u64) -> [Summarised; 2] {
        let summary = self.summary(settings, blocks, seed);
        let second = self.second(&summary, blocks, seed + 1);
        [None, Some(&second)].map(|second| summary.finish(second, Control::none()).unwrap())
    }
}

fn all_measures() -> SummarySettings {
    SummarySettings::new(REGISTRY).with_sample(FEW)
}

fn is_close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}
