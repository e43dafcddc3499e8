//! Layers forwards and backwards, and Adam's steps.
#![allow(unsafe_code)]

use clmatch_kernels::simd::{Isa, Level, Work};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::sparse::{self, Sparse};
use super::tanh::tanh;
use super::{Activation, Perceptron};
use crate::kernels::{MatrixView, Number};
use crate::softmax::{sigmoid, softmax};

/// Adam's decay rates of the first and second moments, and the term that keeps it from dividing by zero.
const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;
const LEAST: f32 = 1e-8;

/// The rows that a layer works on.
#[derive(Clone, Copy)]
pub(super) enum LayerInput<'a> {
    /// All numbers, row after row.
    Dense(&'a [f32]),
    /// The numbers other than zero, by row and by column.
    Sparse { rows: &'a Sparse, columns: &'a Sparse },
}

/// A layer: `inputs x outputs` weights, row after row, then the biases.
struct Layer {
    inputs: usize,
    outputs: usize,
    parameters: Vec<f32>,
    gradient: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    /// The output for the last batch.
    output: Vec<f32>,
}

impl Layer {
    /// Glorot's uniform weights: between -b and b, where b^2 = 6 / (inputs + outputs), or 2 / (inputs + outputs) for
    /// logistic units.
    fn new(inputs: usize, outputs: usize, activation: Activation, random: &mut ChaCha8Rng) -> Layer {
        let factor = if activation == Activation::Logistic { 2.0 } else { 6.0 };
        let bound = (factor / (inputs + outputs) as f32).sqrt();
        let count = (inputs + 1) * outputs;
        Layer {
            inputs,
            outputs,
            parameters: (0..count).map(|_| random.random_range(-bound..=bound)).collect(),
            gradient: vec![0.0; count],
            first: vec![0.0; count],
            second: vec![0.0; count],
            output: Vec::new(),
        }
    }

    fn weights(&self) -> &[f32] {
        &self.parameters[..self.inputs * self.outputs]
    }

    /// Computes the weighted sums of n rows.
    fn forward(&mut self, input: LayerInput<'_>, n: usize) {
        let mut output = std::mem::take(&mut self.output);
        output.clear();
        let biases = &self.parameters[self.inputs * self.outputs..];
        (0..n).for_each(|_| output.extend_from_slice(biases));
        match input {
            LayerInput::Sparse { rows, .. } => rows.add_product(1.0, self.weights(), &mut output),
            LayerInput::Dense(input) => {
                let weights = MatrixView::new(self.weights(), self.inputs, self.outputs);
                f32::product(1.0, MatrixView::new(input, n, self.inputs), weights, 1.0, &mut output);
            }
        }
        self.output = output;
    }

    /// The gradient by the parameters, from the gradient by the weighted sums.
    fn backward(&mut self, input: LayerInput<'_>, delta: &[f32], n: usize, alpha: f32) {
        let scale = 1.0 / n as f32;
        let (weights, biases) = self.gradient.split_at_mut(self.inputs * self.outputs);
        for (gradient, weight) in weights.iter_mut().zip(&self.parameters) {
            *gradient = alpha * scale * weight;
        }
        match input {
            LayerInput::Sparse { columns, .. } => columns.add_product(scale, delta, weights),
            LayerInput::Dense(input) => {
                let input = MatrixView::new(input, n, self.inputs).transposed();
                f32::product(scale, input, MatrixView::new(delta, n, self.outputs), 1.0, weights);
            }
        }
        biases.fill(0.0);
        for row in delta.chunks_exact(self.outputs) {
            biases.iter_mut().zip(row).for_each(|(bias, delta)| *bias += scale * delta);
        }
    }

    /// Takes one step of Adam.
    fn adam(&mut self, length: f32) {
        Level::best().run(Adam { layer: self, length });
    }
}

/// One step of Adam, for as many numbers at a time as the processor can handle.
struct Adam<'a> {
    layer: &'a mut Layer,
    length: f32,
}

impl Work<f32> for Adam<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f32>>(self) {
        let Adam { layer, length } = self;
        let moments = layer.first.iter_mut().zip(&mut layer.second);
        let parameters = layer.parameters.iter_mut().zip(&layer.gradient);
        for ((parameter, gradient), (first, second)) in parameters.zip(moments) {
            *first = FIRST * *first + (1.0 - FIRST) * gradient;
            *second = SECOND * *second + (1.0 - SECOND) * gradient * gradient;
            *parameter -= length * *first / (second.sqrt() + LEAST);
        }
    }
}

pub(super) struct Network {
    layers: Vec<Layer>,
    activation: Activation,
    alpha: f32,
    learning_rate: f64,
    /// The number of steps so far.
    pub(super) steps: i32,
}

impl Network {
    pub(super) fn new(
        setting: &Perceptron,
        features: usize,
        classes: usize,
        random: &mut ChaCha8Rng,
    ) -> Network {
        let last = if classes == 2 { 1 } else { classes };
        let mut widths = vec![features];
        widths.extend(std::iter::repeat_n(setting.units.max(1), setting.layers));
        widths.push(last);
        let layers =
            widths.windows(2).map(|pair| Layer::new(pair[0], pair[1], setting.activation, random)).collect();
        Network {
            layers,
            activation: setting.activation,
            alpha: setting.alpha as f32,
            learning_rate: setting.learning_rate,
            steps: 0,
        }
    }

    /// The number of scores per point: one for two classes, else one per class.
    pub(super) fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs
    }

    /// Whether the first layer can take sparse input.
    pub(super) fn takes_sparse(&self) -> bool {
        self.layers[0].outputs >= sparse::LEAST_COLUMNS
    }

    /// The scores of n rows, before they become probabilities.
    pub(super) fn scores(&mut self, input: &[f32], n: usize) -> Vec<f32> {
        self.forward(LayerInput::Dense(input), n);
        let last = self.layers.len() - 1;
        self.layers[last].output.clone()
    }

    fn forward(&mut self, input: LayerInput<'_>, n: usize) {
        let last = self.layers.len() - 1;
        for at in 0..=last {
            let (before, rest) = self.layers.split_at_mut(at);
            let layer = &mut rest[0];
            layer.forward(before.last().map_or(input, |layer| LayerInput::Dense(&layer.output)), n);
            if at < last {
                activate(self.activation, &mut layer.output);
            }
        }
    }

    /// Learns from a batch; returns its mean loss before the step.
    pub(super) fn step(&mut self, input: LayerInput<'_>, targets: &[u32]) -> f32 {
        let loss = self.differentiate(input, targets);
        self.steps += 1;
        let correction =
            (1.0 - f64::from(SECOND).powi(self.steps)).sqrt() / (1.0 - f64::from(FIRST).powi(self.steps));
        let length = (self.learning_rate * correction) as f32;
        self.layers.iter_mut().for_each(|layer| layer.adam(length));
        loss
    }

    /// The mean loss of a batch; leaves its gradient in the layers.
    fn differentiate(&mut self, input: LayerInput<'_>, targets: &[u32]) -> f32 {
        let n = targets.len();
        self.forward(input, n);
        let squares: f32 = self.layers.iter().map(|layer| sum_of_squares(layer.weights())).sum();
        let penalty = 0.5 * self.alpha * squares / n as f32;
        let last = self.layers.len() - 1;
        let (loss, mut delta) = cross_entropy(&self.layers[last].output, self.layers[last].outputs, targets);
        for at in (0..=last).rev() {
            let (before, rest) = self.layers.split_at_mut(at);
            let layer = &mut rest[0];
            let Some(previous) = before.last() else {
                layer.backward(input, &delta, n, self.alpha);
                break;
            };
            layer.backward(LayerInput::Dense(&previous.output), &delta, n, self.alpha);
            let mut lower = vec![0.0; n * layer.inputs];
            let weights = MatrixView::new(layer.weights(), layer.inputs, layer.outputs).transposed();
            f32::product(1.0, MatrixView::new(&delta, n, layer.outputs), weights, 0.0, &mut lower);
            slope(self.activation, &previous.output, &mut lower);
            delta = lower;
        }
        loss + penalty
    }
}

/// Uses sixteen sums, so that additions need not wait for each other.
fn sum_of_squares(numbers: &[f32]) -> f32 {
    let (groups, rest) = numbers.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for group in groups {
        sums.iter_mut().zip(group).for_each(|(sum, x)| *sum += x * x);
    }
    sums.iter().sum::<f32>() + rest.iter().map(|x| x * x).sum::<f32>()
}

/// The mean cross-entropy, and its derivatives by the scores of each point (not divided by their number).
fn cross_entropy(scores: &[f32], outputs: usize, targets: &[u32]) -> (f32, Vec<f32>) {
    let mut delta = scores.to_vec();
    let mut loss = 0.0;
    for (row, &target) in delta.chunks_exact_mut(outputs).zip(targets) {
        if let [score] = row {
            let signed = if target == 1 { *score } else { -*score };
            loss += (-signed.abs()).exp().ln_1p() + (-signed).max(0.0);
            *score = sigmoid(*score) - target as f32;
        } else {
            let score = row[target as usize];
            loss += softmax(row) - score;
            row[target as usize] -= 1.0;
        }
    }
    (loss / targets.len() as f32, delta)
}

fn activate(activation: Activation, values: &mut [f32]) {
    match activation {
        Activation::Identity => {}
        Activation::Logistic => values.iter_mut().for_each(|x| *x = sigmoid(*x)),
        Activation::Tanh => tanh(values),
        Activation::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
    }
}

/// Multiplies derivatives by the slope of the activation, which follows from the activation's value.
fn slope(activation: Activation, values: &[f32], delta: &mut [f32]) {
    let pairs = delta.iter_mut().zip(values);
    match activation {
        Activation::Identity => {}
        Activation::Logistic => pairs.for_each(|(delta, y)| *delta *= y * (1.0 - y)),
        Activation::Tanh => pairs.for_each(|(delta, y)| *delta *= 1.0 - y * y),
        Activation::Relu => pairs.for_each(|(delta, y)| *delta *= f32::from(u8::from(*y > 0.0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn steps_of_adam_by_hand() {
        let setting = Perceptron { layers: 0, learning_rate: 0.1, alpha: 0.0, ..Perceptron::default() };
        let mut network = Network::new(&setting, 1, 2, &mut ChaCha8Rng::seed_from_u64(5));
        network.layers[0].parameters = vec![0.5, -0.25];
        // Kingma and Ba, algorithm 1, in double precision: a score of w x + b, whose gradient is (p - y) x and p - y.
        let (mut parameters, mut first, mut second) = ([0.5, -0.25], [0.0; 2], [0.0; 2]);
        for step in 1..=3 {
            let x = [2.0, -1.0, 0.5][step - 1];
            let probability = 1.0 / (1.0 + f64::exp(-(parameters[0] * x + parameters[1])));
            let gradient = [(probability - 1.0) * x, probability - 1.0];
            for at in 0..2 {
                first[at] = 0.9 * first[at] + 0.1 * gradient[at];
                second[at] = 0.999 * second[at] + 0.001 * gradient[at] * gradient[at];
                let unbiased = [
                    first[at] / (1.0 - 0.9_f64.powi(step as i32)),
                    second[at] / (1.0 - 0.999_f64.powi(step as i32)),
                ];
                parameters[at] -= 0.1 * unbiased[0] / (unbiased[1].sqrt() + 1e-8);
            }
            network.step(LayerInput::Dense(&[x as f32]), &[1]);
            for (found, expected) in network.layers[0].parameters.iter().zip(parameters) {
                assert!((f64::from(*found) - expected).abs() < 1e-5, "step {step}: {found} {expected}");
            }
        }
    }

    #[test]
    fn gradients_near_zero_hardly_move_anything() {
        let mut layer = Layer::new(1, 1, Activation::Identity, &mut ChaCha8Rng::seed_from_u64(5));
        layer.parameters = vec![0.0, 5.0];
        layer.gradient = vec![1e-6, 0.0];
        layer.adam(2.0);
        // The moments are .1 g = 1e-7 and .001 g^2 = 1e-15, whose root 3.16e-8 is not much above the 1e-8 beside it.
        let expected = -2.0 * 1e-7 / (1e-15_f32.sqrt() + 1e-8);
        assert!((layer.parameters[0] - expected).abs() < 1e-3, "{} {expected}", layer.parameters[0]);
        assert_eq!(layer.parameters[1], 5.0);
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let input: Vec<f32> = (0..12).map(|i| (i * 7 % 5) as f32 / 4.0 - 0.4).collect();
        let activations = [Activation::Identity, Activation::Logistic, Activation::Tanh, Activation::Relu];
        for (activation, classes) in activations.into_iter().flat_map(|a| [(a, 2), (a, 3)]) {
            let setting = Perceptron { layers: 2, units: 4, activation, alpha: 0.1, ..Perceptron::default() };
            let mut random = ChaCha8Rng::seed_from_u64(5);
            let mut network = Network::new(&setting, 3, classes, &mut random);
            let targets = [0, 1, (classes - 1) as u32, 0];
            network.differentiate(LayerInput::Dense(&input), &targets);
            let gradients: Vec<Vec<f32>> =
                network.layers.iter().map(|layer| layer.gradient.clone()).collect();
            for (layer, gradient) in gradients.iter().enumerate() {
                for (at, derivative) in gradient.iter().enumerate() {
                    let mut loss = |shift: f32| {
                        network.layers[layer].parameters[at] += shift;
                        let loss = network.differentiate(LayerInput::Dense(&input), &targets);
                        network.layers[layer].parameters[at] -= shift;
                        loss
                    };
                    let slow = (loss(0.01) - loss(-0.01)) / 0.02;
                    let place = format!("{activation:?}, layer {layer}, parameter {at}");
                    assert!((derivative - slow).abs() < 2e-3, "{place}: {derivative} {slow}");
                }
            }
        }
    }
}
