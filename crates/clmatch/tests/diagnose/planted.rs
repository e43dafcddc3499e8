//! Datasets for which it is known which classes overlap and which consist of several clusters.

use std::f64::consts::PI;

use clmatch::diagnose::{Diagnosis, Opinion, diagnose};
use clmatch::{Classes, Control, Labels, Points};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

/// The shape of a single cluster, whose standard deviations are about 1 or as stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Round and normal.
    Gaussian,
    /// Normal, and five to ten times as long in one direction as in the others.
    Elongated,
    /// Exponential in one half of the directions.
    Skewed,
    /// A ring of radius 3 in two directions, blurred by .5.
    Ring,
}

pub(crate) const SHAPES: [Shape; 4] = [Shape::Gaussian, Shape::Elongated, Shape::Skewed, Shape::Ring];

/// A seeded source of numbers.
pub(crate) struct Source(ChaCha8Rng);

impl Source {
    pub(crate) fn new(seed: u64) -> Source {
        Source(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(crate) fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        Uniform::new(low, high).unwrap().sample(&mut self.0)
    }

    /// An integer between `low` and `high`, both included.
    pub(crate) fn integer(&mut self, low: usize, high: usize) -> usize {
        Uniform::new_inclusive(low, high).unwrap().sample(&mut self.0)
    }

    pub(crate) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.integer(0, items.len() - 1)]
    }

    /// A random direction.
    pub(crate) fn direction(&mut self, features: usize) -> Vec<f64> {
        let direction: Vec<f64> = (0..features).map(|_| self.normal()).collect();
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        direction.iter().map(|x| x / length).collect()
    }

    /// Points of a cluster around 0.
    pub(crate) fn cluster(&mut self, shape: Shape, size: usize, features: usize) -> Vec<Vec<f64>> {
        let long = self.direction(features);
        let length = self.between(5.0, 10.0);
        let mut point = || -> Vec<f64> {
            let mut x: Vec<f64> = (0..features).map(|_| self.normal()).collect();
            match shape {
                Shape::Gaussian => {}
                Shape::Elongated => {
                    let far = self.normal() * length;
                    x.iter_mut().zip(&long).for_each(|(x, e)| *x += far * e);
                }
                Shape::Skewed => {
                    x.iter_mut().step_by(2).for_each(|x| *x = -self.between(1e-12, 1.0).ln() - 1.0);
                }
                Shape::Ring => {
                    let angle = self.between(-PI, PI);
                    x.iter_mut().for_each(|x| *x *= 0.5);
                    x[0] += 3.0 * angle.cos();
                    x[1] += 3.0 * angle.sin();
                }
            }
            x
        };
        (0..size).map(|_| point()).collect()
    }

    /// Centres that lie at least `apart` from each other, in the smallest box they fit in.
    pub(crate) fn centres(&mut self, count: usize, features: usize, apart: f64) -> Vec<Vec<f64>> {
        let mut side = apart;
        loop {
            let mut centres: Vec<Vec<f64>> = Vec::new();
            for _ in 0..50 * count {
                let new: Vec<f64> = (0..features).map(|_| self.between(0.0, side)).collect();
                if centres.len() < count && centres.iter().all(|other| distance(other, &new) >= apart) {
                    centres.push(new);
                }
            }
            if centres.len() == count {
                return centres;
            }
            side *= 1.2;
        }
    }
}

pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// Rows with classes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Planted {
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) labels: Vec<usize>,
}

impl Planted {
    /// Adds points of a class around a centre.
    pub(crate) fn add(&mut self, class: usize, centre: &[f64], points: Vec<Vec<f64>>) {
        for point in points {
            self.rows.push(point.iter().zip(centre).map(|(x, c)| x + c).collect());
            self.labels.push(class);
        }
    }

    pub(crate) fn with_classes<T>(&self, use_them: impl FnOnce(&Classes<'_>) -> T) -> T {
        let points = Points::from_rows(&self.rows).unwrap();
        use_them(&Classes::new(points, &Labels::encode(&self.labels)).unwrap())
    }

    /// The diagnosis if every point has a say and looks like its class.
    pub(crate) fn diagnosis(&self) -> Diagnosis {
        let keep = vec![true; self.rows.len()];
        let opinion = Opinion { keep: &keep, predicted: &self.labels };
        self.with_classes(|classes| diagnose(classes, opinion, 0, Control::none()).unwrap())
    }
}

/// How well the findings match what was planted.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) missed: usize,
}

impl Found {
    pub(crate) fn count(&mut self, planted: bool, found: bool) {
        self.right += usize::from(planted && found);
        self.wrong += usize::from(!planted && found);
        self.missed += usize::from(planted && !found);
    }

    pub(crate) fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong) as f64
    }

    pub(crate) fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed) as f64
    }
}
