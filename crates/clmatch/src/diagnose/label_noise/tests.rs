//! The model of the labels against its definition, written out.

use super::*;

/// Classes.
const K: usize = 4;
/// Sums in another order.
const TOLERANCE: f64 = 1e-12;
/// Differences instead of derivatives, and what is added to the diagonal before a step.
const ROUGH: f64 = 1e-7;

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

/// Of 30 certain points of class 0, 5 carry label 1 and 3 label 3; of 30 of class 2, 2 carry label 1. With 10 more points
/// that are added to each class, these are rates of .125, .075 and .05.
fn rates() -> PairRates {
    let (mut features, mut labels): (Vec<[f64; FEATURES]>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
    for (class, label, count) in
        [(0, 0, 22), (0, 1, 5), (0, 3, 3), (1, 1, 60), (2, 1, 2), (2, 2, 28), (3, 3, 30)]
    {
        let sure = (0..K).map(|other| if other == class { [0.0; FEATURES] } else { [-3.0, -20.0, -1.0] });
        let sure: Vec<[f64; FEATURES]> = sure.collect();
        (0..count).for_each(|_| features.extend(&sure));
        labels.extend(vec![Some(label); count]);
    }
    let rates = PairRates::new(&features, &Candidates::all(labels.len(), K), &labels, &[30; K]);
    assert_eq!(rates.of_label(1), [(0, 0.125), (2, 0.05)]);
    assert_eq!(rates.of_label(3), [(0, 0.075)]);
    rates
}

struct Sample {
    features: Vec<[f64; FEATURES]>,
    labels: Vec<Option<u32>>,
    candidates: Candidates,
    rates: PairRates,
}

impl Sample {
    /// Points with all kinds of features and labels, one without a label.
    fn new() -> Sample {
        let points = 23;
        let feature =
            |x: usize, k: usize, a: usize| -((7 * x + 5 * k + 3 * a + x * k * (a + 1)) as f64 % 11.0) / 4.0;
        let features =
            (0..points * K).map(|at| std::array::from_fn(|a| feature(at / K, at % K, a))).collect();
        let labels = (0..points).map(|x| (x != 5).then_some((x % K) as u32)).collect();
        Sample { features, labels, candidates: Candidates::all(points, K), rates: rates() }
    }

    fn data(&self) -> LabelledFeatures<'_> {
        LabelledFeatures {
            features: &self.features,
            labels: &self.labels,
            candidates: &self.candidates,
            classes: K,
            rates: &self.rates,
        }
    }

    /// The features of the classes at every point, with its label.
    fn points(&self) -> impl Iterator<Item = (&[[f64; FEATURES]], Option<usize>)> {
        let labels = self.labels.iter().map(|label| label.map(|label| label as usize));
        self.features.chunks_exact(K).zip(labels)
    }

    /// r(y | k), 0 where wrong labels are not frequent.
    fn frequent(&self, y: usize, k: usize) -> f64 {
        let found = self.rates.of_label(y as u32).iter().find(|(class, _)| *class as usize == k);
        found.map_or(0.0, |&(_, rate)| rate)
    }

    /// t(y | k).
    fn label_given_class(&self, model: &LabelNoise, y: usize, k: usize) -> f64 {
        let wrong = |y: usize| self.frequent(y, k).max(model.rate / (K - 1) as f64);
        if y == k { 1.0 - (0..K).filter(|&y| y != k).map(wrong).sum::<f64>() } else { wrong(y) }
    }

    /// p(k | x) t(y | k) of every class.
    fn joint(&self, model: &LabelNoise, features: &[[f64; FEATURES]], y: usize) -> Vec<f64> {
        let p = softmax(model, features);
        (0..K).map(|k| p[k] * self.label_given_class(model, y, k)).collect()
    }

    fn log_likelihood(&self, model: &LabelNoise) -> f64 {
        let of = |features, y| self.joint(model, features, y).iter().sum::<f64>().ln();
        self.points().filter_map(|(features, label)| Some(of(features, label?))).sum()
    }
}

fn softmax(model: &LabelNoise, features: &[[f64; FEATURES]]) -> Vec<f64> {
    let score = |f: &[f64; FEATURES]| (0..FEATURES).map(|a| model.weights[a] * f[a]).sum::<f64>().exp();
    let total: f64 = features.iter().map(score).sum();
    features.iter().map(|f| score(f) / total).collect()
}

/// Models whose e / 3 is below all rates of pairs, between them, and equal to the largest.
fn models() -> [LabelNoise; 3] {
    [0.06, 0.21, 0.375].map(|rate| LabelNoise { weights: [0.7, 0.2, 1.1], rate })
}

#[test]
fn verdicts_are_those_of_the_definition() {
    let sample = Sample::new();
    for model in models() {
        let verdicts = model.verdicts(sample.data());
        assert_eq!(verdicts.len(), sample.labels.len());
        for (verdict, (features, label)) in verdicts.iter().zip(sample.points()) {
            let wrong = label.map_or(0.0, |y| {
                let joint = sample.joint(&model, features, y);
                1.0 - joint[y] / joint.iter().sum::<f64>()
            });
            near(verdict.wrong, wrong, TOLERANCE);
            let p = softmax(&model, features);
            assert!(p.iter().all(|&other| other <= p[verdict.likely] + TOLERANCE));
        }
    }
}

#[test]
fn sums_are_those_of_the_definition() {
    let sample = Sample::new();
    for model in models() {
        let sums = model.sums(sample.data());
        near(sums.log_likelihood, sample.log_likelihood(&model), TOLERANCE);
        assert_eq!(sums.count, 22.0);
        let mut wrong = 0.0;
        let mut hessian = [[0.0; FEATURES]; FEATURES];
        for (features, label) in sample.points() {
            let Some(y) = label else { continue };
            let joint = sample.joint(&model, features, y);
            // A rate that is no larger than e / (K - 1) makes no frequent kind.
            let by_chance =
                (0..K).filter(|&k| k != y && sample.frequent(y, k) <= model.rate / (K - 1) as f64);
            wrong += by_chance.map(|k| joint[k]).sum::<f64>() / joint.iter().sum::<f64>();
            // The covariance of the features under p.
            let p = softmax(&model, features);
            let mean = |a: usize| (0..K).map(|k| p[k] * features[k][a]).sum::<f64>();
            for a in 0..FEATURES {
                for b in 0..FEATURES {
                    let product = |k: usize| (features[k][a] - mean(a)) * (features[k][b] - mean(b));
                    hessian[a][b] += (0..K).map(|k| p[k] * product(k)).sum::<f64>();
                }
            }
        }
        near(sums.wrong, wrong, TOLERANCE);
        for a in 0..FEATURES {
            (0..FEATURES).for_each(|b| near(sums.hessian[a][b], hessian[a][b], 10.0 * TOLERANCE));
            let moved = |by: f64| {
                let mut weights = model.weights;
                weights[a] += by;
                sample.log_likelihood(&LabelNoise { weights, ..model })
            };
            near(sums.gradient[a], (moved(1e-5) - moved(-1e-5)) / 2e-5, ROUGH);
        }
    }
}

/// Every class may be far away in one of the features.
#[test]
fn classes_that_are_all_far_away_have_shares() {
    let mut shares = Vec::new();
    let model = LabelNoise { weights: [1.0, 1.0, 0.0], rate: START_RATE };
    model.shares(&[[-2000.0, 0.0, 0.0], [0.0, -2001.0, 0.0]], &mut shares);
    let first = 1.0 / (1.0 + (-1.0_f64).exp());
    near(shares[0], first, TOLERANCE);
    near(shares[1], 1.0 - first, TOLERANCE);
}

#[test]
fn the_objective_by_hand() {
    let model = LabelNoise { weights: [1.0, 2.0, 3.0], rate: 0.2 };
    let sums = Sums { log_likelihood: -7.25, ..Sums::default() };
    // A ridge of .01 / 2 times 1 + 4 + 9, and half a wrong label among 10.
    let expected = -7.25 - 0.07 + 0.5 * 0.2_f64.ln() + 9.5 * 0.8_f64.ln();
    near(model.objective(&sums), expected, TOLERANCE);
}

#[test]
fn a_step_solves_newtons_equations() {
    let model = LabelNoise { weights: START, rate: START_RATE };
    let hessian = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
    let sums = Sums { gradient: [3.0, -2.0, 1.0], hessian, ..Sums::default() };
    let step = model.step(&sums);
    for a in 0..FEATURES {
        let product: f64 = hessian[a].iter().zip(step).map(|(h, step)| h * step).sum();
        near(product + 0.01 * step[a], sums.gradient[a] - 0.01 * START[a], ROUGH);
    }
}

#[test]
fn a_weight_of_0_moves_only_if_it_would_rise() {
    let model = LabelNoise { weights: [0.0, 0.5, 0.0], rate: START_RATE };
    let hessian = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
    let step = model.step(&Sums { gradient: [-1.0, 2.0, 0.0], hessian, ..Sums::default() });
    assert_eq!([step[0], step[2]], [0.0; 2]);
    near(step[1], (2.0 - 0.01 * 0.5) / 3.01, ROUGH);
    // Of two that depend on each other: 4.01 x + y = 1, x + 3.01 y = 2 - .005.
    let step = model.step(&Sums { gradient: [1.0, 2.0, 0.0], hessian, ..Sums::default() });
    let determinant = 4.01 * 3.01 - 1.0;
    near(step[0], (3.01 - 1.995) / determinant, ROUGH);
    near(step[1], (4.01 * 1.995 - 1.0) / determinant, ROUGH);
}

/// A feature that tells nothing has no curvature: the ridge alone takes its weight to 0.
#[test]
fn the_weight_of_a_feature_that_tells_nothing_vanishes() {
    let model = LabelNoise { weights: START, rate: START_RATE };
    let step = model.step(&Sums::default());
    (0..FEATURES).for_each(|a| near(step[a], -START[a], ROUGH));
}

/// Two features that are the same share a step, however large they are beside the ridge.
#[test]
fn equal_features_move_alike() {
    let model = LabelNoise { weights: [1.0, 1.0, 0.0], rate: START_RATE };
    let large = 1e9;
    let hessian = [[large, large, 0.0], [large, large, 0.0], [0.0; 3]];
    let step = model.step(&Sums { gradient: [large, large, -1.0], hessian, ..Sums::default() });
    near(step[0], 0.5, 1e-5);
    near(step[1], 0.5, 1e-5);
    assert_eq!(step[2], 0.0);
}

/// A model improved with these sums, on data without labels, of which the logarithm of the likelihood is 0.
fn improved(model: LabelNoise, sums: Sums) -> Option<LabelNoise> {
    let (candidates, rates) = (Candidates::all(1, 2), PairRates::default());
    let data = LabelledFeatures {
        features: &[[0.0; FEATURES]; 2],
        labels: &[None],
        candidates: &candidates,
        classes: 2,
        rates: &rates,
    };
    model.improved(&sums, data, 0.0).map(|(next, _)| next)
}

/// A step of 8 leads to a weight w of 9, then 5, 3, 2. The objective is -.005 w^2 and a constant, and must reach that of 2.5.
#[test]
fn a_step_is_halved_until_it_helps() {
    let model = LabelNoise { weights: [1.0, 0.0, 0.0], rate: 0.2 };
    let sums = Sums {
        log_likelihood: 0.005 - 0.005 * 2.5 * 2.5,
        wrong: 3.5,
        count: 10.0,
        gradient: [8.01, -1.0, -1.0],
        hessian: [[0.99, 0.0, 0.0], [0.0; 3], [0.0; 3]],
    };
    let next = improved(model, sums).unwrap();
    near(next.weights[0], 2.0, ROUGH);
    assert_eq!([next.weights[1], next.weights[2]], [0.0; 2]);
    // 3.5 and half a wrong label, among 10 and 10 labels.
    near(next.rate, 0.2, TOLERANCE);
}

/// Nothing can be gained here: the step is 0, and the objective is .5 ln .05 + 9.5 ln .95 = -1.985 before and after it.
#[test]
fn a_step_may_lose_what_is_rounding() {
    let model = LabelNoise { weights: [0.0; FEATURES], rate: 0.05 };
    let after_a_loss_of = |loss: f64| improved(model, Sums { log_likelihood: loss, ..Sums::default() });
    assert_eq!(after_a_loss_of(0.0), Some(model));
    assert_eq!(after_a_loss_of(1e-12), Some(model));
    assert_eq!(after_a_loss_of(4e-12), None);
}

#[test]
fn of_equal_numbers_the_first_is_the_largest() {
    assert_eq!(first_largest(&[1.0, 3.0, 3.0, 2.0]), 1);
    assert_eq!(first_largest(&[2.0, 2.0]), 0);
}
