//! Multilayer perceptron.

mod network;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::classifier::Classifier;
use crate::split::{Split, largest};
use clmatch_stop::{Stop, Stopped};

use self::network::Network;

/// Points whose gradients are averaged for one step.
const BATCH: usize = 200;
/// Training ends when the loss has not fallen by this much ..
const TOLERANCE: f32 = 1e-4;
/// .. below its best for so many passes in a row.
const PATIENCE: usize = 10;

/// What a hidden unit makes of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activation {
    /// x
    Identity,
    /// 1 / (1 + exp(-x))
    Logistic,
    /// tanh x
    Tanh,
    /// max(0, x)
    Relu,
}

/// Layers of equal width, trained by Adam on the cross-entropy with an l2 penalty, as scikit-learn's `MLPClassifier`:
/// Glorot's initial weights, batches of 200, and an end when ten passes in a row bring nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Perceptron {
    /// How many hidden layers there are.
    pub layers: usize,
    /// How many units each of them has.
    pub units: usize,
    /// What they compute.
    pub activation: Activation,
    /// The weight of the l2 penalty.
    pub alpha: f64,
    /// The length of Adam's first steps.
    pub learning_rate: f64,
    /// Passes over the training rows at most.
    pub passes: usize,
    /// Decides about initial weights and the order of the rows.
    pub seed: u64,
}

impl Default for Perceptron {
    fn default() -> Self {
        Perceptron {
            layers: 1,
            units: 100,
            activation: Activation::Relu,
            alpha: 1e-4,
            learning_rate: 1e-3,
            passes: 200,
            seed: 0,
        }
    }
}

impl Perceptron {
    /// Passes over the training rows until nothing is gained, or the weights are no numbers any more.
    fn train(
        &self,
        network: &mut Network,
        rows: &Rows,
        random: &mut ChaCha8Rng,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        let mut order: Vec<usize> = (0..rows.targets.len()).collect();
        let (mut best, mut idle) = (f32::INFINITY, 0);
        let mut batch = Rows { values: Vec::new(), targets: Vec::new(), features: rows.features };
        for _ in 0..self.passes {
            order.shuffle(random);
            let mut loss = 0.0;
            for places in order.chunks(BATCH) {
                stop.check()?;
                batch.collect(rows, places);
                loss += network.step(&batch.values, &batch.targets) * places.len() as f32;
            }
            loss /= order.len() as f32;
            if !loss.is_finite() {
                break;
            }
            idle = if loss > best - TOLERANCE { idle + 1 } else { 0 };
            best = best.min(loss);
            if idle > PATIENCE {
                break;
            }
        }
        Ok(())
    }
}

/// Rows in single precision with their classes.
struct Rows {
    values: Vec<f32>,
    targets: Vec<u32>,
    features: usize,
}

impl Rows {
    fn of(split: &Split<'_>, rows: &[usize], targets: &[u32]) -> Rows {
        let values = rows.iter().flat_map(|&row| split.data().row(row).iter().map(|x| *x as f32)).collect();
        Rows { values, targets: targets.to_vec(), features: split.data().n_features() }
    }

    /// Takes the rows at some places of others.
    fn collect(&mut self, all: &Rows, places: &[usize]) {
        self.values.clear();
        self.targets.clear();
        for &place in places {
            self.values.extend_from_slice(&all.values[place * all.features..][..all.features]);
            self.targets.push(all.targets[place]);
        }
    }
}

impl Classifier for Perceptron {
    /// Time: O(passes n w), where w counts the weights. Memory: O(n d + w).
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        if split.classes() < 2 {
            return Ok(vec![0; split.test().len()]);
        }
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut network = Network::new(self, split.data().n_features(), split.classes(), &mut random);
        let train = Rows::of(split, split.train(), split.targets());
        self.train(&mut network, &train, &mut random, stop)?;
        let test = Rows::of(split, split.test(), &[]);
        let scores = network.scores(&test.values, split.test().len());
        let outputs = network.outputs();
        let classify =
            |scores: &[f32]| if outputs == 1 { u32::from(scores[0] > 0.0) } else { largest(scores) };
        Ok(scores.chunks_exact(outputs).map(classify).collect())
    }
}
