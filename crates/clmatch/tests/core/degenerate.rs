//! Degenerate geometry: every case has a defined value, and none is NaN.

use clmatch::measure::{Kind, REGISTRY, find};
use clmatch::{Classes, Evaluation, Labels, Points, evaluate, evaluate_points};
use proptest::prelude::*;

use crate::datasets::{Dataset, cases, measures, relative};
use crate::twins::twin;

fn assert_values(context: &str, evaluation: &Evaluation, expected: &[(&str, f64)]) {
    for (id, value) in expected {
        assert_eq!(evaluation.value(id), Some(*value), "{context}: {id}");
    }
}

fn assert_all_but_standard(context: &str, evaluation: &Evaluation, expected: f64) {
    for measure in measures(|m| m.kind != Kind::Standard) {
        assert_eq!(evaluation.value(measure.id), Some(expected), "{context}: {}", measure.id);
    }
}

fn assert_never_nan(context: &str, evaluation: &Evaluation) {
    for (measure, (id, score)) in REGISTRY.iter().zip(&evaluation.scores) {
        for value in score.pairs.iter().chain([&score.value]) {
            assert!(!value.is_nan(), "{context}: {id} is NaN");
            if measure.range.1.is_finite() {
                assert!(value.is_finite(), "{context}: {id} {value}");
            }
        }
    }
}

/// Classes without extent: how many points lie at each place.
fn heaps<const D: usize>(heaps: &[(usize, [f64; D])]) -> Dataset {
    let classes: Vec<Vec<[f64; D]>> = heaps.iter().map(|&(count, place)| vec![place; count]).collect();
    Dataset::of(&classes.iter().map(|class| &class[..]).collect::<Vec<_>>())
}

#[test]
fn all_points_in_one_place() {
    for place in [[0.0, 0.0], [1.0 / 3.0, -7.7], [1e8 + 0.1, 1e-9], [1e300, -1e300]] {
        for sizes in [&[2, 2][..], &[3, 17], &[4, 5, 6]] {
            let dataset = heaps(&sizes.iter().map(|&count| (count, place)).collect::<Vec<_>>());
            let evaluation = dataset.evaluate_all();
            assert_all_but_standard("one place", &evaluation, 0.0);
            // CH as in scikit-learn; infinity is the worst value of DB and XB.
            let standard = [
                ("ch", 1.0),
                ("di", 0.0),
                ("ii", 0.0),
                ("xb", f64::INFINITY),
                ("db", f64::INFINITY),
                ("sc", 0.0),
            ];
            assert_values("one place", &evaluation, &standard);
        }
    }
}

#[test]
fn point_like_classes_apart() {
    let cases = [
        heaps(&[(2, [0.0, 0.0]), (2, [1.0, 1.0])]),
        heaps(&[(3, [0.1, 0.2]), (17, [0.3, 0.7])]),
        heaps(&[(2, [1e8, 0.0]), (9, [1e8 + 1.0, 0.0])]),
        heaps(&[(2, [1e-200, 0.0]), (5, [-1e-200, 3e-201])]),
        heaps(&[(4, [0.0, 0.0]), (4, [1.0 / 3.0, 0.0]), (7, [0.0, 1e3])]),
        heaps(&[(2, [0.0]), (2, [1.0]), (3, [3.0]), (4, [10.0])]),
    ];
    for dataset in &cases {
        let evaluation = dataset.evaluate_all();
        assert_all_but_standard("heaps apart", &evaluation, 1.0);
        // CH is 1 where W = 0, as in scikit-learn; all others have their best values.
        let standard = [
            ("ch", 1.0),
            ("di", f64::INFINITY),
            ("ii", f64::INFINITY),
            ("xb", 0.0),
            ("db", 0.0),
            ("sc", 1.0),
        ];
        assert_values("heaps apart", &evaluation, &standard);
    }
}

#[test]
fn two_of_three_point_like_classes_in_one_place() {
    let evaluation = heaps(&[(2, [0.1]), (3, [0.1]), (4, [0.7])]).evaluate_all();
    // Two pairs are apart, one is not.
    for measure in measures(|m| m.kind != Kind::Standard) {
        assert_eq!(evaluation.score(measure.id).unwrap().pairs, [0.0, 1.0, 1.0], "{}", measure.id);
    }
    // The silhouette is 0 for the 5 points that share a place, 1 for the other 4.
    let standard =
        [("ch", 1.0), ("di", 0.0), ("xb", f64::INFINITY), ("db", f64::INFINITY), ("sc", 4.0 / 9.0)];
    assert_values("two together", &evaluation, &standard);
}

/// A square and a smaller or equal one around the same centre.
fn concentric(inner: f64) -> Dataset {
    let ring = |r: f64| [[r, 0.0], [-r, 0.0], [0.0, r], [0.0, -r]];
    Dataset::of(&[&ring(1.0), &ring(inner)])
}

#[test]
fn centroids_that_coincide() {
    for offset in [0.0, 1.0 / 3.0, 1e8] {
        for inner in [0.5, 0.125, 1.0] {
            let evaluation = concentric(inner).map(|x| x + offset).evaluate_all();
            assert_never_nan("concentric", &evaluation);
            let exact = [("ch_a", 0.0), ("xb_a", 0.0), ("db_a", 0.0), ("ch", 0.0), ("ii", 0.0)];
            assert_values("concentric", &evaluation, &exact);
            assert_values("concentric", &evaluation, &[("xb", f64::INFINITY), ("db", f64::INFINITY)]);
            // Closer together than by chance.
            assert!(evaluation.value("ch_c").unwrap() <= 0.0);
            assert!(evaluation.value("db_c").unwrap() <= 0.0);
        }
    }
}

#[test]
fn the_same_points_in_both_classes() {
    let points = [[0.3, 1.1], [2.7, -0.4], [1.9, 2.2], [0.3, 5.5]];
    let evaluation = Dataset::of(&[&points, &points]).evaluate_all();
    assert_never_nan("twice the same", &evaluation);
    let exact = [("ch_a", 0.0), ("xb_a", 0.0), ("db_a", 0.0), ("ch", 0.0), ("di", 0.0), ("ii", 0.0)];
    assert_values("twice the same", &evaluation, &exact);
    // DI_A is not in this list: its worst case does not come from random labels.
    for id in ["ch_c", "db_c", "sc", "sc_a"] {
        assert!(evaluation.value(id).unwrap() <= 0.0, "{id} rewards classes that are the same");
    }
}

/// Points that are equally far from their centre.
fn spheres() -> Vec<(&'static str, Vec<Vec<f64>>)> {
    let turn = |at: f64| vec![(at * std::f64::consts::TAU).cos(), (at * std::f64::consts::TAU).sin()];
    let cube = |at: u32| (0..3).map(|f| f64::from(at >> f & 1)).collect();
    let cross =
        |at: usize| (0..10).map(|f| if f == at / 2 { 1.0 - 2.0 * (at % 2) as f64 } else { 0.0 }).collect();
    vec![
        ("antipodes", vec![vec![1.0, 2.0], vec![-1.0, -2.0]]),
        ("square", [0.0, 0.25, 0.5, 0.75].map(turn).to_vec()),
        ("pentagon", [0.0, 0.2, 0.4, 0.6, 0.8].map(turn).to_vec()),
        ("cube", (0..8).map(cube).collect()),
        ("cross in ten dimensions", (0..20).map(cross).collect()),
    ]
}

/// Two classes of the same points, which occur `i` times in the first and `j` times in the second.
fn twice(points: &[Vec<f64>], [i, j]: [usize; 2]) -> Dataset {
    let copies = |count: usize| (0..count).flat_map(|_| points.to_vec());
    let labels = (0..(i + j) * points.len()).map(|at| usize::from(at >= i * points.len())).collect();
    Dataset { rows: copies(i).chain(copies(j)).collect(), labels }
}

#[test]
fn the_same_points_in_both_classes_on_a_sphere() {
    // s1 = s2 = 0: the limits would be -1 for the silhouette, whose a leaves out the point itself.
    for (name, points) in spheres() {
        for (copies, offset) in
            [([1, 1], 0.0), ([1, 1], 1.0 / 3.0), ([3, 3], 0.0), ([2, 3], 0.0), ([1, 40], 1e3)]
        {
            let context = format!("{name}, {copies:?} times, at {offset}");
            let dataset = twice(&points, copies).map(|x| x + offset);
            let evaluation = dataset.evaluate_all();
            assert_never_nan(&context, &evaluation);
            for measure in measures(|m| m.kind != Kind::Standard && m.kind != Kind::Own) {
                assert_eq!(evaluation.value(measure.id), Some(0.0), "{context}: {}", measure.id);
            }
            // Separation is 0, and at most 3 of 5 neighbours, or 2 of 3, have the other label.
            let clm = evaluation.value("clm").unwrap();
            assert!((0.0..0.05).contains(&clm), "{context}: clm {clm}");
            let standard =
                [("ch", 0.0), ("di", 0.0), ("ii", 0.0), ("xb", f64::INFINITY), ("db", f64::INFINITY)];
            assert_values(&context, &evaluation, &standard);
            let points = dataset.with_classes(|classes| {
                evaluate_points(classes, &[find("sc_a").unwrap()]).unwrap().points[0].values.clone()
            });
            assert!(points.iter().all(|value| *value == Some(0.0)), "{context}: {points:?}");
        }
    }
}

#[test]
fn the_same_points_on_a_sphere_in_single_precision() {
    for (name, points) in spheres() {
        // Coordinates that are not exact in f32 leave the sphere when they are rounded.
        if name == "pentagon" {
            continue;
        }
        let dataset = twice(&points, [2, 3]);
        let single: Vec<f32> = dataset.rows.iter().flatten().map(|&x| x.round() as f32).collect();
        let labels = Labels::encode(&dataset.labels);
        let classes = Classes::new(Points::new(&single, dataset.features()).unwrap(), &labels).unwrap();
        let sc_a = evaluate(&classes, &[find("sc_a").unwrap()]).unwrap().value("sc_a");
        assert_eq!(sc_a, Some(0.0), "{name}");
    }
    // All distances are equal, but sums of them in f32 are not quite.
    let corner = |at: usize| (0..60).map(move |f| if f == at { 0.3_f32 } else { 0.0 });
    let corners: Vec<f32> = (0..60).flat_map(corner).collect();
    let labels = Labels::encode((0..60).map(|at| at < 23));
    let classes = Classes::new(Points::new(&corners, 60).unwrap(), &labels).unwrap();
    assert_eq!(evaluate(&classes, &[find("sc_a").unwrap()]).unwrap().value("sc_a"), Some(0.0), "simplex");
}

#[test]
fn classes_on_a_sphere_that_are_not_the_same_points() {
    // A square and the same one rotated: the centroids coincide, the points do not, and every point is nearer to the other class,
    // however small the rotation.
    let turn = |at: f64| vec![(at * std::f64::consts::TAU).cos(), (at * std::f64::consts::TAU).sin()];
    let square: Vec<Vec<f64>> = [0.0, 0.25, 0.5, 0.75].map(turn).to_vec();
    for angle in [1e-5, 0.01, 0.1] {
        let mut rows = square.clone();
        rows.extend([0.0, 0.25, 0.5, 0.75].map(|at| turn(at + angle)));
        let evaluation = Dataset { rows, labels: vec![0, 0, 0, 0, 1, 1, 1, 1] }.evaluate_all();
        assert_values(
            "turned square",
            &evaluation,
            &[("sc_a", -1.0), ("di_a", 0.0), ("ch_a", 0.0), ("xb_a", 0.0)],
        );
    }
    // Halves of a circle: all limits say that they are apart, except that of DB_A, which divides by e^(V/s2).
    let halves: Vec<Vec<f64>> = (0..8).map(|at| turn(f64::from(at) / 8.0 + 0.01)).collect();
    let evaluation = Dataset { rows: halves, labels: vec![0, 0, 0, 0, 1, 1, 1, 1] }.evaluate_all();
    let stated = [("ch_a", 1.0), ("xb_a", 1.0), ("ch_c", 1.0), ("db_c", 1.0), ("di_a", 1.0), ("db_a", 0.0)];
    assert_values("halves of a circle", &evaluation, &stated);
}

#[test]
fn a_class_without_extent_beside_or_inside_one_with() {
    let ring = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.6, 0.7]];
    for place in [[0.0, 0.0], [0.12, 0.14], [0.3, -0.2], [4.0, 5.0]] {
        for count in [2, 5, 30] {
            let dataset = Dataset::of(&[&ring, &vec![place; count]]);
            let evaluation = dataset.evaluate_all();
            let context = format!("{count} points at {place:?}");
            assert_never_nan(&context, &evaluation);
            for measure in measures(|m| m.kind != Kind::Own) {
                let (found, expected) = (evaluation.value(measure.id).unwrap(), twin(measure.id, &dataset));
                // This is the centroid of the ring, where the second place lies: what the twin has left there is rounding.
                let coincide = place == [0.12, 0.14];
                match measure.id {
                    "xb" | "db" if coincide => assert_eq!(found, f64::INFINITY, "{context}: {}", measure.id),
                    id => {
                        let error = relative(found, expected).min((found - expected).abs());
                        assert!(error < 1e-7, "{context}: {id} {found} is not {expected}");
                    }
                }
            }
            let clm = evaluation.value("clm").unwrap();
            assert!((0.0..=1.0).contains(&clm), "{context}: clm {clm}");
        }
    }
}

#[test]
fn constant_features_change_nothing() {
    let dataset = Dataset::blobs(1, &[9, 7, 5], 2, 1.0);
    let mut wider = dataset.clone();
    wider.rows.iter_mut().for_each(|row| row.splice(1..1, [0.1, -1e6]).for_each(drop));
    let (plain, wider) = (dataset.evaluate_all(), wider.evaluate_all());
    for measure in REGISTRY {
        let (a, b) = (plain.value(measure.id).unwrap(), wider.value(measure.id).unwrap());
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{}: {a} is not {b}", measure.id);
    }
}

#[test]
fn a_line_in_space_is_a_line() {
    let line = Dataset::line(&[&[0.0, 1.0, 2.5, 4.0], &[3.0, 5.0, 6.0], &[7.0, 7.5, 8.0]]);
    let mut tilted = line.clone();
    // The direction (2, -1, 2)/3 has length 1.
    tilted.rows.iter_mut().for_each(|row| *row = [2.0, -1.0, 2.0].map(|u| row[0] * u / 3.0).to_vec());
    let (line, tilted) = (line.evaluate_all(), tilted.evaluate_all());
    for measure in REGISTRY {
        let (a, b) = (line.value(measure.id).unwrap(), tilted.value(measure.id).unwrap());
        assert!((a - b).abs() <= 1e-7 * a.abs().max(1.0), "{}: {a} is not {b}", measure.id);
    }
}

#[test]
fn all_points_equally_far_from_the_centre() {
    // s1 = s2 = 0 with extent. Corners of a square, labelled by side: D = 4, V_i = 1, T = 2, B = 1.
    let sides = Dataset::of(&[&[[1.0, 1.0], [1.0, -1.0]], &[[-1.0, 1.0], [-1.0, -1.0]]]).evaluate_all();
    assert_never_nan("square by sides", &sides);
    // D' = 4 - 1 - 1 > 0 and V' = 2 < T' = 8/3: clearly apart. DB_A divides by e^(V/s2).
    let stated = [("ch_a", 1.0), ("xb_a", 1.0), ("db_a", 0.0), ("ch_c", 1.0), ("db_c", 1.0), ("sc_a", 1.0)];
    assert_values("square by sides", &sides, &stated);
    // eta: u = h_i - h_j is 2 (0 + 1) - 2/3 (4 + 1) = -4/3 on one side, 4/3 on the other: eta = 1. nu: one of the three other
    // corners has the same label, for all points alike: the votes are (2 4; 4 2).
    let votes: f64 = (2.0 / 3.0) * (2.0_f64 / 3.0 * 2.0).ln() + (1.0 / 3.0) * (1.0_f64 / 3.0 * 2.0).ln();
    // kappa: all sides are equally long, so the only cut joins all corners: 0; u = 1 by eta alone.
    let clm = (1.0 + 0.0 + votes / 2.0_f64.ln()) / 3.0;
    assert!((sides.value("clm").unwrap() - clm).abs() < 1e-12);

    // If the corners are labelled by diagonal, the centroids coincide.
    let diagonals = Dataset::of(&[&[[1.0, 1.0], [-1.0, -1.0]], &[[1.0, -1.0], [-1.0, 1.0]]]).evaluate_all();
    assert_never_nan("square by diagonals", &diagonals);
    let stated = [("ch_a", 0.0), ("xb_a", 0.0), ("db_a", 0.0), ("ch_c", 0.0), ("db_c", 0.0)];
    assert_values("square by diagonals", &diagonals, &stated);
    // The classes are not the same points: every point is nearer to the other class.
    assert_eq!(diagonals.value("sc_a"), Some(-1.0));
}

#[test]
fn corners_of_a_simplex_have_no_classes() {
    // All distances are equal: any labels are as good as any others. s1 = s2 = 0 and D' = 0.
    for (low, high) in [(2, 2), (2, 5), (4, 4), (20, 30), (3, 97)] {
        let count = low + high;
        let corner = |at: usize| (0..count).map(|f| f64::from(u8::from(f == at))).collect::<Vec<f64>>();
        let labels = (0..count).map(|at| usize::from(at >= low)).collect();
        let dataset = Dataset { rows: (0..count).map(corner).collect(), labels };
        for scale in [1.0, 0.3, 1e7] {
            let evaluation = dataset.map(|x| x * scale).evaluate_all();
            assert_never_nan("simplex", &evaluation);
            let exact = [("ch_c", 0.0), ("db_c", 0.0), ("db_a", 0.0), ("sc_a", 0.0), ("sc", 0.0)];
            for (id, expected) in exact {
                let found = evaluation.value(id).unwrap();
                assert!((found - expected).abs() < 1e-9, "simplex {low}+{high}, scale {scale}: {id} {found}");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]
    #[test]
    fn tiny_grids_never_give_nan(
        features in 1_usize..=3,
        numbers in proptest::collection::vec(0_u8..3, 36),
        labels in proptest::collection::vec(0_usize..3, 4..=12),
        scale in prop_oneof![Just(1.0), Just(0.1), Just(1e-160), Just(1e200)],
    ) {
        // Makes the labels a partition with at least 2 points in every class.
        let mut labels = labels;
        (labels[0], labels[1], labels[2], labels[3]) = (0, 0, 1, 1);
        let last = labels.iter().filter(|&&label| label == 2).count();
        if last == 1 {
            labels.iter_mut().for_each(|label| *label = (*label).min(1));
        }
        let row = |at: usize| numbers[at * features..(at + 1) * features].iter().map(|&x| f64::from(x) * scale);
        let dataset = Dataset { rows: (0..labels.len()).map(|at| row(at).collect()).collect(), labels };
        let evaluation = dataset.evaluate_all();
        assert_never_nan("grid", &evaluation);
        for (measure, (id, score)) in REGISTRY.iter().zip(&evaluation.scores) {
            prop_assert!(score.value >= measure.range.0 && score.value <= measure.range.1, "{id} {}", score.value);
        }
    }

    #[test]
    fn single_points_never_give_nan_in_standard_measures(
        numbers in proptest::collection::vec(0_u8..3, 12),
        labels in proptest::collection::vec(0_usize..4, 3..=12),
    ) {
        let mut labels = labels;
        (labels[0], labels[1], labels[2]) = (0, 1, 1);
        let rows = numbers[..labels.len()].iter().map(|&x| vec![f64::from(x)]).collect();
        let evaluation = Dataset { rows, labels }.evaluate(&measures(|m| m.kind == Kind::Standard));
        for (id, score) in &evaluation.scores {
            prop_assert!(!score.value.is_nan(), "{id}");
        }
    }
}
