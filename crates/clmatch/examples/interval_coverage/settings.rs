//! The data that intervals are tried on. The grid was fixed before any of its results were seen; the constants of the method were
//! chosen with other numbers of points, classes, features and distances.

use clmatch::measure::{self, REGISTRY};
use clmatch::{Classes, DataError, Labels, Measure, Points};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal, StudentT};

/// How the points of classes are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// Gaussians.
    Round,
    /// Gaussians whose sizes range from 1 to 10.
    Unequal,
    /// Exponential in every feature.
    Skewed,
    /// Gaussians in which every point occurs twice.
    Copies,
    /// Gaussians rounded to half a deviation.
    Rounded,
    /// Student's t with 3 degrees of freedom in every feature.
    HeavyTails,
    /// Gaussians with this number of points in the first class.
    Rare(usize),
}

impl Shape {
    /// The name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Round => "round",
            Shape::Unequal => "sizes 1 : 10",
            Shape::Skewed => "skewed",
            Shape::Copies => "every point twice",
            Shape::Rounded => "rounded to half a deviation",
            Shape::HeavyTails => "heavy tails (t, 3 degrees)",
            Shape::Rare(_) => "one rare class",
        }
    }
}

/// Classes along the first feature.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) shape: Shape,
    pub(crate) points: usize,
    pub(crate) classes: usize,
    pub(crate) features: usize,
    /// Deviations between neighbouring classes.
    pub(crate) apart: f64,
    /// How many intervals are computed.
    pub(crate) draws: u64,
    pub(crate) measures: Vec<&'static Measure>,
}

const APART: [f64; 9] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0];

/// All settings of up to 1,000 points.
pub(crate) fn grid() -> Vec<Setting> {
    let (classes, features) = ([2, 3, 10], [2, 10, 50]);
    let mut all = Vec::new();
    let mut add = |shape, points: usize, classes: usize, features, apart, draws| {
        if points / classes >= 4 {
            let measures = REGISTRY.to_vec();
            all.push(Setting { shape, points, classes, features, apart, draws, measures });
        }
    };
    for (at, apart) in APART.into_iter().enumerate() {
        for points in [24, 50, 100] {
            for classes in classes {
                for features in features {
                    add(Shape::Round, points, classes, features, apart, 400);
                }
            }
        }
        for i in 0..3 {
            add(Shape::Round, 300, classes[(at + i) % 3], features[(at / 3 + i) % 3], apart, 300);
        }
        for i in 0..2 {
            add(Shape::Round, 1000, classes[(at + i) % 3], features[(at / 2 + i) % 3], apart, 200);
        }
        for shape in [Shape::Unequal, Shape::Skewed, Shape::Copies, Shape::Rounded, Shape::HeavyTails] {
            for (i, (points, draws)) in [(50, 400), (100, 400), (300, 300)].into_iter().enumerate() {
                add(shape, points, classes[(at + i) % 2], features[(at / 2 + i) % 3], apart, draws);
            }
        }
    }
    all
}

/// Settings on both sides of the sizes at which the computation of replicates changes: 65,536 numbers, and 20,000 points.
pub(crate) fn thresholds() -> Vec<Setting> {
    let named = |ids: &[&str]| ids.iter().filter_map(|id| measure::find(id)).collect::<Vec<_>>();
    let most = named(&["clm", "ch_a", "xb_a", "db_a", "di_a", "sc_a"]);
    let moments = named(&["ch_a", "xb_a", "db_a"]);
    let setting = |shape, points, features, apart, draws, measures: &[&'static Measure]| Setting {
        shape,
        points,
        classes: 2,
        features,
        apart,
        draws,
        measures: measures.to_vec(),
    };
    vec![
        setting(Shape::Round, 640, 100, 3.0, 100, &most),
        setting(Shape::Round, 680, 100, 3.0, 100, &most),
        setting(Shape::Round, 640, 100, 0.0, 100, &most),
        setting(Shape::Round, 680, 100, 0.0, 100, &most),
        setting(Shape::Round, 19_600, 2, 2.0, 40, &most),
        setting(Shape::Round, 20_400, 2, 2.0, 40, &most),
        setting(Shape::Rare(50), 19_600, 1, 1.5, 100, &moments),
        setting(Shape::Rare(50), 65_000, 1, 1.5, 100, &moments),
        setting(Shape::Rare(60), 200_000, 2, 2.0, 100, &moments),
    ]
}

impl Setting {
    fn sizes(&self) -> Vec<usize> {
        match self.shape {
            Shape::Rare(few) => vec![few, self.points - few],
            Shape::Unequal => {
                let weight = |class: usize| 10.0_f64.powf(class as f64 / (self.classes - 1) as f64);
                let all: f64 = (0..self.classes).map(weight).sum();
                let size = |class: usize| (self.points as f64 * weight(class) / all).round() as usize;
                (0..self.classes).map(|class| size(class).max(4)).collect()
            }
            _ => {
                let end = |class: usize| self.points * class / self.classes;
                (0..self.classes).map(|class| end(class + 1) - end(class)).collect()
            }
        }
    }

    /// A dataset with its rows in random order.
    pub(crate) fn draw(&self, seed: u64) -> Result<Classes<'static>, DataError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut rows: Vec<(Vec<f64>, usize)> = Vec::new();
        for (class, size) in self.sizes().into_iter().enumerate() {
            for at in 0..size {
                let row = match rows.last() {
                    Some((last, _)) if self.shape == Shape::Copies && at % 2 == 1 => last.clone(),
                    _ => self.row(class, &mut random),
                };
                rows.push((row, class));
            }
        }
        for last in (1..rows.len()).rev() {
            rows.swap(last, random.random_range(0..=last));
        }
        let labels = Labels::encode(rows.iter().map(|(_, class)| class));
        let values: Vec<f64> = rows.into_iter().flat_map(|(row, _)| row).collect();
        Classes::new(Points::new(values, self.features)?, &labels)
    }

    fn row(&self, class: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
        let value = |feature: usize| {
            let shift = if feature == 0 { self.apart * class as f64 } else { 0.0 };
            let noise: f64 = match self.shape {
                Shape::HeavyTails => StudentT::new(3.0).map_or(0.0, |tails| tails.sample(random)),
                Shape::Skewed => random.sample::<f64, _>(Exp1) - 1.0,
                _ => random.sample(StandardNormal),
            };
            let value = noise + shift;
            if self.shape == Shape::Rounded { (2.0 * value + 0.5).floor() } else { value }
        };
        (0..self.features).map(value).collect()
    }
}
