//! Points with classes to tune techniques on.

use clmatch_cluster::Matrix;
use clmatch_cluster::external::Truth;
use clmatch_kernels::{Control, Stop};
use clmatch_truth::techniques::{TechniqueScore, TruthSettings, ground_truth};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Points with their classes.
pub(crate) struct Data {
    pub(crate) values: Vec<f64>,
    pub(crate) features: usize,
    pub(crate) classes: Vec<u32>,
}

impl Data {
    pub(crate) fn matrix(&self) -> Matrix<'_> {
        Matrix::new(&self.values, self.features).unwrap()
    }

    pub(crate) fn truth(&self, plan: &TruthSettings) -> Vec<TechniqueScore> {
        ground_truth(&self.matrix(), &Truth::new(&self.classes), plan, Control::new(&Stop::new())).unwrap()
    }
}

/// Round clusters around given places, divided by the largest absolute value.
pub(crate) fn blobs(seed: u64, places: &[[f64; 2]], each: usize, spread: f64) -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for (class, place) in (0..).zip(places) {
        for _ in 0..each {
            let noise =
                |random: &mut ChaCha8Rng| (0..6).map(|_| random.random_range(-spread..spread)).sum::<f64>();
            values.extend(place.map(|centre| centre + noise(&mut random)));
            classes.push(class);
        }
    }
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    values.iter_mut().for_each(|value| *value /= largest);
    Data { values, features: 2, classes }
}

pub(crate) fn quick() -> TruthSettings {
    TruthSettings { birch_thresholds: 30, ..TruthSettings::default() }
}
