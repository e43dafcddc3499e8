//! Objectives with known maxima.

use std::f64::consts::PI;

use clmatch_truth::tune::{Dimension, Setting, Space};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) fn real(setting: &Setting, name: &str) -> f64 {
    setting.real(name).unwrap()
}

pub(crate) fn branin_space() -> Space {
    Space::new([("x", Dimension::real(-5.0, 10.0)), ("y", Dimension::real(0.0, 15.0))]).unwrap()
}

/// Minus Branin's function: three maxima of -0.397887.
pub(crate) fn branin(setting: &Setting) -> f64 {
    let (x, y) = (real(setting, "x"), real(setting, "y"));
    let valley = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
    -(valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0)
}

pub(crate) fn hartmann_space() -> Space {
    Space::new((0..6).map(|i| (format!("x{i}"), Dimension::real(0.0, 1.0)))).unwrap()
}

/// Minus Hartmann's function of six variables: the greatest of its maxima is 3.32237.
pub(crate) fn hartmann(setting: &Setting) -> f64 {
    const HEIGHTS: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    const SLOPES: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const CENTRES: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    let hill = |k: usize| {
        let along = |d: usize| SLOPES[k][d] * (real(setting, &format!("x{d}")) - CENTRES[k][d]).powi(2);
        HEIGHTS[k] * (-(0..6).map(along).sum::<f64>()).exp()
    };
    (0..4).map(hill).sum()
}

/// The two integers of two techniques: a space of 4459 settings.
pub(crate) fn integer_space() -> Space {
    Space::new([("kmax", Dimension::integer(2, 50)), ("branching", Dimension::integer(10, 100))]).unwrap()
}

/// A ripple on a hill; its maximum is near kmax = 12 and branching = 73.
pub(crate) fn ripple(setting: &Setting) -> f64 {
    let kmax = setting.integer("kmax").unwrap() as f64;
    let branching = setting.integer("branching").unwrap() as f64;
    let (a, b) = ((kmax - 12.0) / 49.0, (branching - 73.0) / 91.0);
    (-4.0 * a * a - 3.0 * b * b).exp() + 0.1 * (9.0 * a).cos() + 0.1 * (7.0 * b).cos()
}

/// A classifier's space: a choice, an integer, a logarithmic and a linear real.
pub(crate) fn mixed_space() -> Space {
    Space::new([
        ("kernel", Dimension::choice(["linear", "poly", "rbf", "sigmoid"])),
        ("cost", Dimension::log_real(1e-3, 1e3)),
        ("depth", Dimension::log_integer(1, 64)),
        ("shrink", Dimension::real(0.0, 1.0)),
    ])
    .unwrap()
}

/// Its maximum is 1, at `kernel=rbf cost=10 depth=8 shrink=0.7`; each kernel has its own best cost.
pub(crate) fn mixed(setting: &Setting) -> f64 {
    let (offset, best_cost) = match setting.choice("kernel").unwrap() {
        "linear" => (0.25, 0.1),
        "poly" => (0.4, 1.0),
        "rbf" => (0.0, 10.0),
        _ => (0.6, 100.0),
    };
    let cost = (real(setting, "cost") / best_cost).log10() / 3.0;
    let depth = (setting.integer("depth").unwrap() as f64 / 8.0).log2() / 3.0;
    let shrink = real(setting, "shrink") - 0.7;
    1.0 - offset - 0.6 * cost * cost - 0.3 * depth * depth - 0.8 * shrink * shrink
}

/// Normal noise by the polar form of Box and Muller.
pub(crate) struct Noise {
    random: ChaCha8Rng,
    deviation: f64,
}

impl Noise {
    pub(crate) fn new(seed: u64, deviation: f64) -> Noise {
        // A stream other than that of the search with the same seed.
        Noise { random: ChaCha8Rng::seed_from_u64(seed ^ 0x9e37_79b9), deviation }
    }

    pub(crate) fn draw(&mut self) -> f64 {
        let (u, v): (f64, f64) = (self.random.random(), self.random.random());
        self.deviation * (-2.0 * (1.0 - u).ln()).sqrt() * (2.0 * PI * v).cos()
    }
}

#[test]
fn the_objectives_have_their_published_maxima() {
    let space = branin_space();
    for best in ["x=-3.14159265 y=12.275", "x=3.14159265 y=2.275", "x=9.42477796 y=2.475"] {
        assert!((branin(&space.parse(best).unwrap()) + 0.397_887).abs() < 1e-5);
    }
    let best = "x0=0.20169 x1=0.150011 x2=0.476874 x3=0.275332 x4=0.311652 x5=0.6573";
    assert!((hartmann(&hartmann_space().parse(best).unwrap()) - 3.32237).abs() < 1e-5);
    let best = mixed_space().parse("kernel=rbf cost=10 depth=8 shrink=0.7").unwrap();
    assert!((mixed(&best) - 1.0).abs() < 1e-12);
}
