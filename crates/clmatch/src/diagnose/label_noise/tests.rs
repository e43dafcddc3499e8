//! Compares the model of the labels with its definition, written out.

use super::*;

/// The number of classes.
const K: usize = 4;
/// Allows for sums in another order.
const TOLERANCE: f64 = 1e-12;
/// Allows for differences instead of derivatives, and for what is added to the diagonal before a step.
const ROUGH: f64 = 1e-7;

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

struct Sample {
    features: Vec<[f64; FEATURES]>,
    labels: Vec<Option<u32>>,
    candidates: CandidateClasses,
    pairs: LabelPairs,
    known: Vec<Option<u32>>,
}

impl Sample {
    /// Points in class order with all kinds of features, one of them without a label, and one whose class is known.
    fn new() -> Sample {
        let points = 23;
        let feature =
            |x: usize, k: usize, a: usize| -((7 * x + 5 * k + 3 * a + x * k * (a + 1)) as f64 % 11.0) / 4.0;
        let features =
            (0..points * K).map(|at| std::array::from_fn(|a| feature(at / K, at % K, a))).collect();
        let labels = (0..points).map(|x| (x != 5).then_some((x / 6) as u32)).collect();
        let candidates = CandidateClasses::all(points, K);
        let pairs = LabelPairs::new(&candidates, &[0, 6, 12, 18, 23], &[0, 1, 2, 3]);
        let known = (0..points).map(|x| (x == 9).then_some(3)).collect();
        Sample { features, labels, candidates, pairs, known }
    }

    fn data(&self) -> LabelledFeatures<'_> {
        LabelledFeatures {
            features: &self.features,
            labels: &self.labels,
            candidates: &self.candidates,
            pairs: &self.pairs,
            known: &self.known,
        }
    }

    /// Models with few wrong labels, with the most that are allowed, and with wrong labels of one kind.
    fn models(&self) -> [LabelNoise; 3] {
        let mut of_one_kind = vec![4.0; K * K];
        of_one_kind[3] = 20.0;
        let rates = [
            self.pairs.alike(0.06, EACH),
            self.pairs.alike(0.4, ALIKE),
            self.pairs.rates(&of_one_kind, 0.1, EACH),
        ];
        rates.map(|rates| LabelNoise { weights: [0.7, 0.2, 1.1], rates })
    }

    /// The features of the classes at every point, with the point's label and its class, if they are known.
    fn points(&self) -> impl Iterator<Item = (&[[f64; FEATURES]], Option<usize>, Option<usize>)> {
        let place = |place: &Option<u32>| place.map(|place| place as usize);
        let labels =
            self.labels.iter().zip(&self.known).map(move |(label, known)| (place(label), place(known)));
        self.features.chunks_exact(K).zip(labels).map(|(features, (label, known))| (features, label, known))
    }

    /// p(k | x) t(y | k) of every class.
    fn joint(&self, model: &LabelNoise, features: &[[f64; FEATURES]], y: usize) -> Vec<f64> {
        let p = softmax(model, features);
        (0..K).map(|k| p[k] * model.rates.of((y * K + k) as u32)).collect()
    }

    fn log_likelihood(&self, model: &LabelNoise) -> f64 {
        let of = |features, y, known: Option<usize>| {
            let joint = self.joint(model, features, y);
            known.map_or(joint.iter().sum::<f64>(), |k| joint[k]).ln()
        };
        self.points().filter_map(|(features, label, known)| Some(of(features, label?, known))).sum()
    }
}

fn softmax(model: &LabelNoise, features: &[[f64; FEATURES]]) -> Vec<f64> {
    let score = |f: &[f64; FEATURES]| (0..FEATURES).map(|a| model.weights[a] * f[a]).sum::<f64>().exp();
    let total: f64 = features.iter().map(score).sum();
    features.iter().map(|f| score(f) / total).collect()
}

#[test]
fn verdicts_are_those_of_the_definition() {
    let sample = Sample::new();
    for model in sample.models() {
        let verdicts = model.verdicts(sample.data());
        assert_eq!(verdicts.len(), sample.labels.len());
        for (verdict, (features, label, _)) in verdicts.iter().zip(sample.points()) {
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
    for model in sample.models() {
        let sums = model.sums(sample.data());
        near(sums.log_likelihood, sample.log_likelihood(&model), TOLERANCE);
        let (mut counts, mut hessian) = (vec![0.0; K * K], [[0.0; FEATURES]; FEATURES]);
        for (features, label, known) in sample.points() {
            let Some(y) = label else { continue };
            let joint = sample.joint(&model, features, y);
            for k in 0..K {
                let share = joint[k] / joint.iter().sum::<f64>();
                counts[y * K + k] += known.map_or(share, |known| f64::from(u8::from(known == k)));
            }
            // The covariance of the features under p.
            let p = softmax(&model, features);
            let mean = |a: usize| (0..K).map(|k| p[k] * features[k][a]).sum::<f64>();
            for (a, row) in hessian.iter_mut().enumerate() {
                for (b, sum) in row.iter_mut().enumerate() {
                    let product = |k: usize| (features[k][a] - mean(a)) * (features[k][b] - mean(b));
                    *sum += (0..K).map(|k| p[k] * product(k)).sum::<f64>();
                }
            }
        }
        sums.counts.iter().zip(&counts).for_each(|(found, expected)| near(*found, *expected, TOLERANCE));
        for (a, row) in hessian.iter().enumerate() {
            (0..FEATURES).for_each(|b| near(sums.hessian[a][b], row[b], 10.0 * TOLERANCE));
            let moved = |by: f64| {
                let mut model = model.clone();
                model.weights[a] += by;
                sample.log_likelihood(&model)
            };
            near(sums.gradient[a], (moved(1e-5) - moved(-1e-5)) / 2e-5, ROUGH);
        }
    }
}

/// Chunks of points have the same total wherever they end: at 512 points, within a class.
#[test]
fn sums_of_chunks_are_those_of_all_points() {
    let sample = Sample::new();
    let times = 60;
    let by_label = |y: usize| (0..23).filter(move |x| x / 6 == y);
    let places: Vec<usize> = (0..K).flat_map(|y| (0..times).flat_map(move |_| by_label(y))).collect();
    let candidates = CandidateClasses::all(places.len(), K);
    let starts = [0, 6, 12, 18, 23].map(|start| start * times);
    let many = Sample {
        features: places.iter().flat_map(|&x| sample.features[x * K..(x + 1) * K].to_vec()).collect(),
        labels: places.iter().map(|&x| sample.labels[x]).collect(),
        pairs: LabelPairs::new(&candidates, &starts, &[0, 1, 2, 3]),
        known: places.iter().map(|&x| sample.known[x]).collect(),
        candidates,
    };
    assert!(places.len() > 2 * CHUNK);
    let model = &sample.models()[2];
    let [one, all] = [model.sums(sample.data()), model.sums(many.data())];
    near(all.log_likelihood, times as f64 * one.log_likelihood, 1e-9);
    all.counts.iter().zip(&one.counts).for_each(|(all, one)| near(*all, times as f64 * one, 1e-9));
    (0..FEATURES).for_each(|a| near(all.gradient[a], times as f64 * one.gradient[a], 1e-9));
}

/// Every class may be far away in one of the features.
#[test]
fn classes_that_are_all_far_away_have_shares() {
    let mut shares = Vec::new();
    let model = with_weights([1.0, 1.0, 0.0]);
    model.shares(&[[-2000.0, 0.0, 0.0], [0.0, -2001.0, 0.0]], &mut shares);
    let first = 1.0 / (1.0 + (-1.0_f64).exp());
    near(shares[0], first, TOLERANCE);
    near(shares[1], 1.0 - first, TOLERANCE);
}

/// Two classes without points.
fn two() -> LabelPairs {
    LabelPairs::new(&CandidateClasses::all(2, 2), &[0, 1, 2], &[0, 1])
}

fn with_weights(weights: [f64; FEATURES]) -> LabelNoise {
    LabelNoise { weights, rates: two().alike(START_RATE, EACH) }
}

#[test]
fn the_objective_by_hand() {
    let model = LabelNoise { weights: [1.0, 2.0, 3.0], rates: two().alike(0.2, EACH) };
    let sums = LikelihoodSums { log_likelihood: -7.25, ..LikelihoodSums::default() };
    // A ridge of .01 / 2 times 1 + 4 + 9, and half a wrong label among 10. The rates are the expected ones.
    let expected = -7.25 - 0.07 + 0.5 * 0.2_f64.ln() + 9.5 * 0.8_f64.ln();
    near(model.objective(&sums, &two(), 0.2), expected, TOLERANCE);
    // If another rate is expected, either class has 10 labels of the prior.
    let of_class = 7.0 * (0.8_f64 / 0.7).ln() + 3.0 * (0.2_f64 / 0.3).ln();
    let expected = -7.32 + 0.5 * 0.3_f64.ln() + 9.5 * 0.7_f64.ln() + 2.0 * of_class;
    near(model.objective(&sums, &two(), 0.3), expected, TOLERANCE);
}

#[test]
fn a_step_solves_newtons_equations() {
    let model = with_weights(START);
    let hessian = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
    let sums = LikelihoodSums { gradient: [3.0, -2.0, 1.0], hessian, ..LikelihoodSums::default() };
    let step = model.step(&sums);
    for a in 0..FEATURES {
        let product: f64 = hessian[a].iter().zip(step).map(|(h, step)| h * step).sum();
        near(product + 0.01 * step[a], sums.gradient[a] - 0.01 * START[a], ROUGH);
    }
}

#[test]
fn a_weight_of_0_moves_only_if_it_would_rise() {
    let model = with_weights([0.0, 0.5, 0.0]);
    let hessian = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
    let step =
        model.step(&LikelihoodSums { gradient: [-1.0, 2.0, 0.0], hessian, ..LikelihoodSums::default() });
    assert_eq!([step[0], step[2]], [0.0; 2]);
    near(step[1], (2.0 - 0.01 * 0.5) / 3.01, ROUGH);
    // Two weights that depend on each other: 4.01 x + y = 1, x + 3.01 y = 2 - .005.
    let step =
        model.step(&LikelihoodSums { gradient: [1.0, 2.0, 0.0], hessian, ..LikelihoodSums::default() });
    let determinant = 4.01 * 3.01 - 1.0;
    near(step[0], (3.01 - 1.995) / determinant, ROUGH);
    near(step[1], (4.01 * 1.995 - 1.0) / determinant, ROUGH);
}

/// A feature without information has no curvature: the ridge alone takes its weight to 0.
#[test]
fn the_weight_of_a_feature_that_tells_nothing_vanishes() {
    let model = with_weights(START);
    let step = model.step(&LikelihoodSums::default());
    (0..FEATURES).for_each(|a| near(step[a], -START[a], ROUGH));
}

/// Two equal features share a step, however large they are compared with the ridge.
#[test]
fn equal_features_move_alike() {
    let model = with_weights([1.0, 1.0, 0.0]);
    let large = 1e9;
    let hessian = [[large, large, 0.0], [large, large, 0.0], [0.0; 3]];
    let step =
        model.step(&LikelihoodSums { gradient: [large, large, -1.0], hessian, ..LikelihoodSums::default() });
    near(step[0], 0.5, 1e-5);
    near(step[1], 0.5, 1e-5);
    assert_eq!(step[2], 0.0);
}

/// A model improved with these sums, on data without labels, for which the log-likelihood is 0.
fn improved(model: &LabelNoise, sums: &LikelihoodSums, usual: f64) -> Option<LabelNoise> {
    let (candidates, pairs) = (CandidateClasses::all(2, 2), two());
    let data = LabelledFeatures {
        features: &[[0.0; FEATURES]; 4],
        labels: &[None; 2],
        candidates: &candidates,
        pairs: &pairs,
        known: &[None; 2],
    };
    model.improved(sums, data, usual).map(|(next, _)| next)
}

/// A step of 8 leads to a weight w of 9, then 5, 3, 2. The objective is -.005 w^2 plus a constant, and must reach that of 2.5.
#[test]
fn a_step_is_halved_until_it_helps() {
    let model = LabelNoise { weights: [1.0, 0.0, 0.0], rates: two().alike(0.2, EACH) };
    let sums = LikelihoodSums {
        log_likelihood: 0.005 - 0.005 * 2.5 * 2.5,
        gradient: [8.01, -1.0, -1.0],
        hessian: [[0.99, 0.0, 0.0], [0.0; 3], [0.0; 3]],
        counts: vec![0.0; 4],
    };
    let next = improved(&model, &sums, 0.2).unwrap();
    near(next.weights[0], 2.0, ROUGH);
    assert_eq!([next.weights[1], next.weights[2]], [0.0; 2]);
    assert_eq!(next.rates, model.rates);
}

/// There is nothing to gain here: the step is 0, and the objective is .5 ln .05 + 9.5 ln .95 = -1.985 before and after it.
#[test]
fn a_step_may_lose_what_is_rounding() {
    let model = with_weights([0.0; FEATURES]);
    let after_a_loss_of = |loss: f64| {
        let sums = LikelihoodSums { log_likelihood: loss, counts: vec![0.0; 4], ..LikelihoodSums::default() };
        improved(&model, &sums, START_RATE)
    };
    assert_eq!(after_a_loss_of(0.0), Some(model.clone()));
    assert_eq!(after_a_loss_of(1e-12), Some(model.clone()));
    assert_eq!(after_a_loss_of(4e-12), None);
}

/// 60 of 200 points of class 0 carry the label 1 where the votes leave little doubt about the class. Labels that are nearly all
/// right, and classes that overlap there, are worse explanations.
#[test]
fn wrong_labels_of_one_kind_have_a_rate_of_their_own() {
    let feature =
        |other: bool, x: usize| if other { [-2.5 + 0.1 * (x % 7) as f64, 0.0, -0.1] } else { [0.0; 3] };
    let class = |x: usize| usize::from(!(0..140).contains(&x) && !(340..400).contains(&x));
    // Class order: 140 points of class 0, then 200 of class 1 and 60 of class 0 with the label 1.
    let features: Vec<[f64; FEATURES]> =
        (0..400).flat_map(|x| [feature(class(x) != 0, x), feature(class(x) != 1, x)]).collect();
    let labels: Vec<Option<u32>> = (0..400).map(|x| Some(u32::from(x >= 140))).collect();
    let candidates = CandidateClasses::all(400, 2);
    let pairs = LabelPairs::new(&candidates, &[0, 140, 400], &[0, 1]);
    let data = LabelledFeatures {
        features: &features,
        labels: &labels,
        candidates: &candidates,
        pairs: &pairs,
        known: &[None; 400],
    };
    let model = LabelNoise::fit(data, None, Control::none()).unwrap();
    // Pairs of a label and a class: (0, 0), (0, 1), (1, 0), (1, 1).
    near(model.rates.of(2), 0.3, 0.03);
    near(model.rates.of(1), 0.0, 0.02);
    let verdicts = model.verdicts(data);
    assert!(verdicts[340..].iter().all(|verdict| verdict.wrong > 0.9));
    assert!(verdicts[..340].iter().all(|verdict| verdict.wrong < 0.1));
}

#[test]
fn of_equal_numbers_the_first_is_the_largest() {
    assert_eq!(first_largest(&[1.0, 3.0, 3.0, 2.0]), 1);
    assert_eq!(first_largest(&[2.0, 2.0]), 0);
}
