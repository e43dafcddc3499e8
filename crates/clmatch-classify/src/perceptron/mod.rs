//! Multilayer perceptron.

mod network;
mod sparse;
mod tanh;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::classifier::Classifier;
use crate::columns::single;
use crate::split::{Split, winner};
use clmatch_kernels::{Stop, Stopped};

use self::network::{LayerInput, Network};
use self::sparse::Sparse;

/// The number of points whose gradients are averaged for one step.
const BATCH: usize = 200;
/// Training ends when the loss has not fallen below its best by this much ..
const TOLERANCE: f32 = 1e-4;
/// .. for this many passes in a row.
const PATIENCE: usize = 10;

/// The function that a hidden unit applies to its input.
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

/// Layers of equal width, trained by Adam on the cross-entropy with an l2 penalty, as in scikit-learn's `MLPClassifier`:
/// Glorot's initial weights, batches of 200, and an end when ten passes in a row bring no gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Perceptron {
    /// The number of hidden layers.
    pub layers: usize,
    /// The number of units in each hidden layer.
    pub units: usize,
    /// The function that the hidden units compute.
    pub activation: Activation,
    /// The weight of the l2 penalty.
    pub alpha: f64,
    /// The length of Adam's first steps.
    pub learning_rate: f64,
    /// The most passes over the training rows.
    pub passes: usize,
    /// The seed for the initial weights and the order of the rows.
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
    /// Makes passes over the training rows until nothing more is gained, or the weights are no longer finite.
    fn train(
        &self,
        network: &mut Network,
        rows: &TrainingRows,
        random: &mut ChaCha8Rng,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        let mut order: Vec<usize> = (0..rows.targets.len()).collect();
        let mut progress = TrainingProgress { best: f32::INFINITY, idle: 0 };
        for _ in 0..self.passes {
            order.shuffle(random);
            let loss = pass(network, rows, &order, stop)?;
            if !loss.is_finite() || progress.is_over(loss) {
                break;
            }
        }
        Ok(())
    }
}

/// Learns once from all rows in this order, batch after batch; returns the mean of their losses before each step.
fn pass(network: &mut Network, rows: &TrainingRows, order: &[usize], stop: &Stop) -> Result<f32, Stopped> {
    let (mut batch, mut targets) = (Batch::default(), Vec::new());
    let mut loss = 0.0;
    for places in order.chunks(BATCH) {
        stop.check()?;
        targets.clear();
        targets.extend(places.iter().map(|&place| rows.targets[place]));
        loss += network.step(batch.collect(&rows.values, places), &targets) * places.len() as f32;
    }
    Ok(loss / order.len() as f32)
}

/// The progress of training.
struct TrainingProgress {
    /// The lowest loss of a pass.
    best: f32,
    /// The number of passes in a row that brought no gain.
    idle: usize,
}

impl TrainingProgress {
    /// Whether a pass with this loss is the last one.
    fn is_over(&mut self, loss: f32) -> bool {
        self.idle = if loss > self.best - TOLERANCE { self.idle + 1 } else { 0 };
        self.best = self.best.min(loss);
        self.idle > PATIENCE
    }
}

/// Training rows with their classes.
struct TrainingRows {
    values: TrainingValues,
    targets: Vec<u32>,
}

/// Single-precision numbers, row after row.
enum TrainingValues {
    Dense { values: Vec<f32>, features: usize },
    Sparse(Sparse),
}

/// The numbers of some rows, in single precision.
fn numbers(split: &Split<'_>, rows: &[usize]) -> Vec<f32> {
    rows.iter().flat_map(|&row| split.data().row(row).iter().map(|x| single(*x))).collect()
}

impl TrainingValues {
    /// Drops zeros if the network supports that and there are many.
    fn new(values: Vec<f32>, features: usize, network: &Network) -> TrainingValues {
        let sparse = if network.takes_sparse() { Sparse::of(&values, features) } else { None };
        sparse.map_or(TrainingValues::Dense { values, features }, TrainingValues::Sparse)
    }
}

/// Reused memory for some of the rows.
#[derive(Default)]
struct Batch {
    values: Vec<f32>,
    /// The batch by row and by column.
    sparse: [Sparse; 2],
}

impl Batch {
    /// Copies the rows at some places into the batch.
    fn collect(&mut self, all: &TrainingValues, places: &[usize]) -> LayerInput<'_> {
        match all {
            TrainingValues::Sparse(all) => {
                let [rows, columns] = &mut self.sparse;
                rows.collect(all, places);
                columns.transpose(rows);
                LayerInput::Sparse { rows, columns }
            }
            TrainingValues::Dense { values, features } => {
                self.values.clear();
                for &place in places {
                    self.values.extend_from_slice(&values[place * features..][..*features]);
                }
                LayerInput::Dense(&self.values)
            }
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
        let values = TrainingValues::new(numbers(split, split.train()), split.data().n_features(), &network);
        let train = TrainingRows { values, targets: split.targets().to_vec() };
        self.train(&mut network, &train, &mut random, stop)?;
        let scores = network.scores(&numbers(split, split.test()), split.test().len());
        Ok(scores.chunks_exact(network.outputs()).map(winner).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network of three hidden units that never learns, and rows of two features for it.
    fn idle_network(setting: &Perceptron, n: usize) -> (Network, TrainingRows) {
        let network = Network::new(setting, 2, 3, &mut ChaCha8Rng::seed_from_u64(3));
        let values = (0..2 * n).map(|at| (at * at % 37) as f32 / 9.0 + at as f32 / n as f32).collect();
        let targets = (0..n as u32).map(|row| row * row % 3).collect();
        (network, TrainingRows { values: TrainingValues::Dense { values, features: 2 }, targets })
    }

    const IDLE: Perceptron = Perceptron {
        layers: 1,
        units: 3,
        activation: Activation::Tanh,
        alpha: 0.0,
        learning_rate: 0.0,
        passes: 50,
        seed: 0,
    };

    #[test]
    fn the_loss_of_a_pass_is_the_mean_over_all_rows() {
        // One batch of 200 and one of 50, against all rows at once.
        let (mut network, rows) = idle_network(&IDLE, 250);
        let order: Vec<usize> = (0..250).collect();
        let loss = pass(&mut network, &rows, &order, &Stop::new()).unwrap();
        let at_once = network.step(Batch::default().collect(&rows.values, &order), &rows.targets);
        assert!(at_once > 0.1 && (loss - at_once).abs() < 1e-5, "{loss} {at_once}");
    }

    #[test]
    fn zeros_can_be_left_out() {
        let features = 300;
        let values: Vec<f32> = (0..250 * features)
            .map(|at| if at * at % 17 == 0 { (at % 23) as f32 / 9.0 - 1.0 } else { 0.0 })
            .collect();
        let targets: Vec<u32> = (0..250).map(|row| row * row % 3).collect();
        let train = |sparse: bool, units: usize| {
            let setting = Perceptron { units, passes: 5, ..Perceptron::default() };
            let mut random = ChaCha8Rng::seed_from_u64(7);
            let mut network = Network::new(&setting, features, 3, &mut random);
            let rows = if sparse {
                TrainingValues::new(values.clone(), features, &network)
            } else {
                TrainingValues::Dense { values: values.clone(), features }
            };
            assert_eq!(matches!(rows, TrainingValues::Sparse(_)), sparse && units >= 16);
            let rows = TrainingRows { values: rows, targets: targets.clone() };
            setting.train(&mut network, &rows, &mut random, &Stop::new()).unwrap();
            network.scores(&values, targets.len())
        };
        for units in [15, 16, 100] {
            let [found, expected] = [true, false].map(|sparse| train(sparse, units));
            assert!(expected.iter().any(|score| *score > 0.1));
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-4, "{units} units: {found} {expected}");
            }
        }
    }

    #[test]
    fn eleven_passes_in_a_row_without_gain_are_the_end() {
        // The first pass is always a gain; then the same loss, repeated ten more times, is none.
        let passes_of = |passes: usize, broken: bool| {
            let (mut network, mut rows) = idle_network(&IDLE, 6);
            if let (TrainingValues::Dense { values, .. }, true) = (&mut rows.values, broken) {
                values.fill(f32::NAN);
            }
            let mut random = ChaCha8Rng::seed_from_u64(7);
            Perceptron { passes, ..IDLE }.train(&mut network, &rows, &mut random, &Stop::new()).unwrap();
            network.steps
        };
        assert_eq!([5, 11, 12, 50].map(|passes| passes_of(passes, false)), [5, 11, 12, 12]);
        assert_eq!(passes_of(50, true), 1);
    }

    #[test]
    fn a_gain_is_the_tolerance_below_the_best() {
        let passes_until_the_end = |loss_of: &dyn Fn(usize) -> f32| {
            let mut progress = TrainingProgress { best: f32::INFINITY, idle: 0 };
            (1..100).find(|&pass| progress.is_over(loss_of(pass)))
        };
        // Half of the tolerance is not enough, even though the best loss moves along.
        assert_eq!(passes_until_the_end(&|pass| 1.0 - pass as f32 * TOLERANCE / 2.0), Some(12));
        assert_eq!(passes_until_the_end(&|pass| 1.0 - pass as f32 * TOLERANCE * 1.5), None);
        // Exactly the tolerance, in the eleventh pass: eleven more passes follow.
        assert_eq!(passes_until_the_end(&|pass| if pass < 11 { 1.0 } else { 1.0 - TOLERANCE }), Some(22));
    }
}
