//! Small labelled datasets, and the changes to them that the laws and axioms are about.

use clmatch::measure::REGISTRY;
use clmatch::{Classes, Evaluation, Labels, Measure, Points, evaluate, measure};
use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

/// Rows of coordinates, and a class for each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dataset {
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) labels: Vec<usize>,
}

/// How many random cases a property is tried on; they are the same every time.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(0x5EED);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

pub(crate) fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn normal(random: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(random)
}

pub(crate) fn uniform(random: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    Uniform::new(low, high).unwrap().sample(random)
}

/// An integer between `low` and `high`, both included.
pub(crate) fn integer(random: &mut ChaCha8Rng, low: usize, high: usize) -> usize {
    Uniform::new_inclusive(low, high).unwrap().sample(random)
}

impl Dataset {
    /// Classes given one after the other.
    pub(crate) fn of<const D: usize>(classes: &[&[[f64; D]]]) -> Dataset {
        let mut dataset = Dataset { rows: Vec::new(), labels: Vec::new() };
        for (label, class) in classes.iter().enumerate() {
            dataset.rows.extend(class.iter().map(|row| row.to_vec()));
            dataset.labels.extend(class.iter().map(|_| label));
        }
        dataset
    }

    /// Classes on a line.
    pub(crate) fn line(classes: &[&[f64]]) -> Dataset {
        let classes: Vec<Vec<[f64; 1]>> = classes.iter().map(|c| c.iter().map(|&x| [x]).collect()).collect();
        Dataset::of(&classes.iter().map(|class| &class[..]).collect::<Vec<_>>())
    }

    /// Round normal classes of standard deviation 1; the centre of class c lies at `gap` on axis c (modulo d),
    /// further out for every round.
    pub(crate) fn blobs(seed: u64, sizes: &[usize], features: usize, gap: f64) -> Dataset {
        let mut random = random(seed);
        let mut dataset = Dataset { rows: Vec::new(), labels: Vec::new() };
        for (label, &size) in sizes.iter().enumerate() {
            for _ in 0..size {
                let mut row: Vec<f64> = (0..features).map(|_| normal(&mut random)).collect();
                row[label % features] += gap * (1 + label / features) as f64;
                dataset.rows.push(row);
                dataset.labels.push(label);
            }
        }
        dataset
    }

    /// One normal cloud with meaningless labels.
    pub(crate) fn noise(seed: u64, sizes: &[usize], features: usize) -> Dataset {
        Dataset::blobs(seed, sizes, features, 0.0)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn features(&self) -> usize {
        self.rows[0].len()
    }

    pub(crate) fn count(&self) -> usize {
        self.labels.iter().max().unwrap() + 1
    }

    pub(crate) fn sizes(&self) -> Vec<usize> {
        (0..self.count()).map(|class| self.labels.iter().filter(|&&label| label == class).count()).collect()
    }

    /// Hands validated classes to `use_them`.
    pub(crate) fn with_classes<T>(&self, use_them: impl FnOnce(&Classes<'_>) -> T) -> T {
        let points = Points::from_rows(&self.rows).unwrap();
        use_them(&Classes::new(points, &Labels::encode(&self.labels)).unwrap())
    }

    pub(crate) fn evaluate(&self, measures: &[&'static Measure]) -> Evaluation {
        self.with_classes(|classes| evaluate(classes, measures).unwrap())
    }

    /// The scores of every measure of the registry.
    pub(crate) fn evaluate_all(&self) -> Evaluation {
        self.evaluate(REGISTRY)
    }

    /// The value of one measure.
    pub(crate) fn value(&self, id: &str) -> f64 {
        self.evaluate(&[measure::find(id).unwrap()]).scores[0].1.value
    }

    /// The values of some measures, in their order.
    pub(crate) fn values(&self, measures: &[&'static Measure]) -> Vec<f64> {
        self.evaluate(measures).scores.iter().map(|(_, score)| score.value).collect()
    }

    /// The same points with other labels.
    pub(crate) fn relabelled(&self, labels: Vec<usize>) -> Dataset {
        Dataset { rows: self.rows.clone(), labels }
    }

    /// The same points and class sizes with meaningless labels.
    pub(crate) fn shuffled_labels(&self, seed: u64) -> Dataset {
        let mut labels = self.labels.clone();
        labels.shuffle(&mut random(seed));
        self.relabelled(labels)
    }

    /// The rows in another order.
    pub(crate) fn in_order(&self, order: &[usize]) -> Dataset {
        Dataset {
            rows: order.iter().map(|&row| self.rows[row].clone()).collect(),
            labels: order.iter().map(|&row| self.labels[row]).collect(),
        }
    }

    /// Only two of the classes.
    pub(crate) fn pair(&self, i: usize, j: usize) -> Dataset {
        let kept: Vec<usize> = (0..self.len()).filter(|&row| [i, j].contains(&self.labels[row])).collect();
        let mut pair = self.in_order(&kept);
        pair.labels.iter_mut().for_each(|label| *label = usize::from(*label == j));
        pair
    }

    /// A random share of every class.
    pub(crate) fn subsample(&self, share: f64, seed: u64) -> Dataset {
        let mut random = random(seed);
        let mut kept = Vec::new();
        for class in 0..self.count() {
            let mut rows: Vec<usize> = (0..self.len()).filter(|&row| self.labels[row] == class).collect();
            rows.shuffle(&mut random);
            kept.extend(&rows[..(share * rows.len() as f64).round() as usize]);
        }
        self.in_order(&kept)
    }

    /// Applies a function to every coordinate.
    pub(crate) fn map(&self, change: impl Fn(f64) -> f64) -> Dataset {
        let rows = self.rows.iter().map(|row| row.iter().map(|&x| change(x)).collect()).collect();
        Dataset { rows, labels: self.labels.clone() }
    }

    /// A2: adds one private coordinate per point, so that every squared distance grows by exactly `beta`.
    pub(crate) fn shifted(&self, beta: f64) -> Dataset {
        let mut shifted = self.clone();
        for (at, row) in shifted.rows.iter_mut().enumerate() {
            row.extend((0..self.len()).map(|other| if other == at { (beta / 2.0).sqrt() } else { 0.0 }));
        }
        shifted
    }

    /// Adds one coordinate per class, so that squared distances between classes grow by exactly `growth`, and those within
    /// classes stay the same.
    pub(crate) fn classes_apart(&self, growth: f64) -> Dataset {
        let count = self.count();
        let mut apart = self.clone();
        for (row, &label) in apart.rows.iter_mut().zip(&self.labels) {
            row.extend((0..count).map(|class| if class == label { (growth / 2.0).sqrt() } else { 0.0 }));
        }
        apart
    }

    /// `T` of all points.
    pub(crate) fn total_scatter(&self) -> f64 {
        let mut total = 0.0;
        for feature in 0..self.features() {
            let mean = self.rows.iter().map(|row| row[feature]).sum::<f64>() / self.len() as f64;
            total += self.rows.iter().map(|row| (row[feature] - mean).powi(2)).sum::<f64>();
        }
        total / self.len() as f64
    }

    pub(crate) fn squared_distance(&self, a: usize, b: usize) -> f64 {
        self.rows[a].iter().zip(&self.rows[b]).map(|(x, y)| (x - y) * (x - y)).sum()
    }
}

/// Measures of the registry that satisfy a condition; panics if there are none, so that a loop over them cannot be empty.
pub(crate) fn measures(which: impl Fn(&Measure) -> bool) -> Vec<&'static Measure> {
    let found: Vec<_> = REGISTRY.iter().copied().filter(|measure| which(measure)).collect();
    assert!(!found.is_empty());
    found
}

/// The difference of two numbers relative to the larger one; 0 for equal infinities.
pub(crate) fn relative(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()) }
}
