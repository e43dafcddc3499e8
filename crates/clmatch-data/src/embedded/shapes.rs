//! Generated points in the plane, after the paper's first figure: labels that match clusters, and ways in which they fail to.

use std::f64::consts::PI;

use clmatch::Labels;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use crate::dataset::Dataset;
use crate::extent::Extent;
use crate::provenance::{LabelOrigin, LabelSource};

/// Fixed, so that every machine shows the same scores.
const SEED: u64 = 2023;

/// Points in the plane with a label each.
#[derive(Debug, Default)]
pub(super) struct Shape {
    values: Vec<f64>,
    labels: Vec<&'static str>,
}

impl Shape {
    /// As a dataset with the features x and y.
    pub(super) fn into_dataset(self, name: &str) -> Dataset {
        let extent = Extent::of(&self.values);
        Dataset {
            name: name.to_owned(),
            features: vec!["x".to_owned(), "y".to_owned()],
            values: self.values.into(),
            largest: extent.largest,
            unit: 1.0,
            labels: Labels::encode(self.labels),
            kept_rows: None,
            notes: Vec::new(),
            label: Some(LabelOrigin::certain("label", LabelSource::Embedded)),
            left_out: Vec::new(),
            doubtful_ids: Vec::new(),
            noise: None,
            shown: Vec::new(),
        }
    }

    fn push(&mut self, (x, y): (f64, f64), label: &'static str) {
        self.values.extend([x, y]);
        self.labels.push(label);
    }

    /// A round cluster.
    fn blob(&mut self, draw: &mut Draw, centre: (f64, f64), spread: f64, count: usize, label: &'static str) {
        for _ in 0..count {
            let point = draw.around(centre, spread);
            self.push(point, label);
        }
    }
}

/// Random numbers from the seed.
struct Draw {
    random: ChaCha8Rng,
    standard: Normal<f64>,
}

impl Draw {
    fn new() -> Self {
        // A spread of 1 is always valid, so this cannot fail.
        let standard = Normal::new(0.0, 1.0).unwrap_or_else(|_| unreachable!("1 is a valid spread"));
        Draw { random: ChaCha8Rng::seed_from_u64(SEED), standard }
    }

    fn around(&mut self, (x, y): (f64, f64), spread: f64) -> (f64, f64) {
        let dx = self.standard.sample(&mut self.random);
        let dy = self.standard.sample(&mut self.random);
        (x + spread * dx, y + spread * dy)
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end)
    }

    fn unit(&mut self) -> f64 {
        self.random.random_range(0.0..1.0)
    }
}

/// Four classes, each a cluster of its own.
pub(super) fn well_matched() -> Shape {
    let (mut shape, mut draw) = (Shape::default(), Draw::new());
    for (centre, label) in [((0.0, 0.0), "a"), ((10.0, 1.0), "b"), ((1.0, 11.0), "c"), ((11.0, 10.0), "d")] {
        shape.blob(&mut draw, centre, 1.0, 100, label);
    }
    shape
}

/// Three clusters; the points of one of them carry two labels at random.
pub(super) fn two_labels_one_cluster() -> Shape {
    let (mut shape, mut draw) = (Shape::default(), Draw::new());
    shape.blob(&mut draw, (0.0, 0.0), 1.0, 120, "a");
    shape.blob(&mut draw, (10.0, 1.0), 1.0, 120, "b");
    for _ in 0..200 {
        let point = draw.around((4.0, 10.0), 1.0);
        let label = ["leopard", "cheetah"][draw.below(2)];
        shape.push(point, label);
    }
    shape
}

/// Four clusters of two classes; one class has three of them, on all sides of the other.
pub(super) fn one_label_several_clusters() -> Shape {
    let (mut shape, mut draw) = (Shape::default(), Draw::new());
    for centre in [(-8.0, -5.0), (8.0, -5.0), (0.0, 9.0)] {
        shape.blob(&mut draw, centre, 1.0, 100, "vehicle");
    }
    shape.blob(&mut draw, (0.0, 0.0), 1.0, 120, "animal");
    shape
}

/// One round cluster, cut in two along a line through its middle.
pub(super) fn adjacent_classes() -> Shape {
    let (mut shape, mut draw) = (Shape::default(), Draw::new());
    for _ in 0..400 {
        let point = draw.around((0.0, 0.0), 1.0);
        shape.push(point, if point.0 < 0.0 { "left" } else { "right" });
    }
    shape
}

/// Two interleaved half circles with a little noise: separated, but not round.
pub(super) fn moons() -> Shape {
    const NOISE: f64 = 0.06;
    let (mut shape, mut draw) = (Shape::default(), Draw::new());
    for index in 0..400 {
        let angle = PI * draw.unit();
        let (centre, label) = if index % 2 == 0 {
            ((angle.cos(), angle.sin()), "upper")
        } else {
            ((1.0 - angle.cos(), 0.5 - angle.sin()), "lower")
        };
        let point = draw.around(centre, NOISE);
        shape.push(point, label);
    }
    shape
}

/// Three clusters whose labels are drawn by lot.
pub(super) fn random_labels() -> Shape {
    let (mut shape, mut draw) = (Shape::default(), Draw::new());
    for centre in [(0.0, 0.0), (10.0, 1.0), (4.0, 10.0)] {
        for _ in 0..120 {
            let point = draw.around(centre, 1.0);
            let label = ["a", "b", "c"][draw.below(3)];
            shape.push(point, label);
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_fixes_every_point() {
        assert_eq!(well_matched().values, well_matched().values);
        let dataset = moons().into_dataset("moons");
        assert_eq!(dataset.n_points(), 400);
        assert_eq!(dataset.labels.names(), ["lower", "upper"]);
    }
}
