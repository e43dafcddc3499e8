//! Compares the three features with their slow twins: sorted lists, and distances from classes that a point has really left.

use std::sync::Mutex;

use clmatch_kernels::Cholesky;
use clmatch_kernels::{Control, Step};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::class_distances::{ClassDistances, Coordinates};
use super::evidence::Surroundings;
use super::{Opinion, diagnose};
use crate::kernels::frame::Frame;
use crate::kernels::neighbourhoods::{NEAREST_OF_CLASS, NEIGHBOURS, sweep};
use crate::kernels::squared_distance;
use crate::kernels::stream::Origin;
use crate::{Classes, Labels, Points};

/// Allows for sums in another order, and for corrections of rank one.
const TOLERANCE: f64 = 1e-7;

fn frame(values: Vec<f64>, features: usize, labels: &[usize]) -> Frame {
    let labels = Labels::encode(labels);
    let classes = Classes::new(Points::new(values, features).unwrap(), &labels).unwrap();
    Frame::new(&classes, &Origin::exact(&classes))
}

/// Normal points around a centre per class; every seventh is a copy of the one before it.
fn blobs(sizes: &[usize], features: usize, seed: u64) -> Frame {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let (mut values, mut labels): (Vec<f64>, Vec<usize>) = (Vec::new(), Vec::new());
    for (class, &size) in sizes.iter().enumerate() {
        let centre: Vec<f64> = (0..features).map(|_| 2.0 * normal()).collect();
        for point in 0..size {
            if point % 7 == 6 {
                values.extend_from_within(values.len() - features..);
            } else {
                values.extend(centre.iter().map(|c| c + normal()));
            }
            labels.push(class);
        }
    }
    frame(values, features, &labels)
}

fn weights(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.random_range(0.05..1.0)).collect()
}

#[test]
fn neighbours_are_those_of_a_sorted_list() {
    for (sizes, features) in [
        (&[40, 30, 200][..], 3),
        (&[3; 90], 5),
        (&[9, 2], 2),
        (&[1, 6, 70], 40),
        (&[500, 24, 24, 25, 47], 1),
        (&[30, 60], 300),
        // Chunks of columns that reach their largest size: from 64 panels of 24 points of one class on.
        (&[1700, 30], 1),
    ] {
        let frame = blobs(sizes, features, 1);
        let (n, classes) = (frame.len(), frame.classes());
        let found = sweep(&frame, Control::none(), |around| {
            let of_place = |place: usize| {
                let squares: Vec<f64> = around.neighbours(place).iter().map(|of| of.square).collect();
                let means: Vec<Option<f64>> = (0..classes).map(|k| around.mean_distance(place, k)).collect();
                (squares, means)
            };
            (0..around.points.len()).map(of_place).collect::<Vec<_>>()
        });
        let found: Vec<(Vec<f64>, Vec<Option<f64>>)> = found.unwrap().into_iter().flatten().collect();
        assert_eq!(found.len(), n);
        for (x, (squares, means)) in found.iter().enumerate() {
            let sorted = |points: std::ops::Range<usize>| {
                let others = points.filter(|&y| y != x);
                let mut all: Vec<f64> =
                    others.map(|y| squared_distance(frame.row(x), frame.row(y))).collect();
                all.sort_by(f64::total_cmp);
                all
            };
            let all = sorted(0..n);
            assert_eq!(squares.len(), NEIGHBOURS.min(n - 1));
            let close = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * b;
            assert!(squares.iter().zip(&all).all(|(&a, &b)| close(a, b)), "{sizes:?}: {squares:?} {all:?}");
            for (class, mean) in means.iter().enumerate() {
                let mut near = sorted(frame.starts[class]..frame.starts[class + 1]);
                near.truncate(NEAREST_OF_CLASS);
                let twin = near.iter().map(|square| square.sqrt()).sum::<f64>() / near.len() as f64;
                assert_eq!(mean.is_none(), near.is_empty());
                assert!(mean.is_none_or(|mean| close(mean, twin)), "{mean:?} instead of {twin}");
            }
        }
    }
}

/// Among many points that coincide, neighbours are drawn from all classes, not from the first.
#[test]
fn equally_far_points_of_all_classes_are_neighbours() {
    let frame = frame(vec![1.0; 300], 1, &(0..300).map(|row| row / 100).collect::<Vec<usize>>());
    let found = sweep(&frame, Control::none(), |around| {
        (0..around.points.len()).flat_map(|at| around.neighbours(at).to_vec()).collect::<Vec<_>>()
    });
    let mut votes = [0; 3];
    for neighbour in found.unwrap().into_iter().flatten() {
        assert_eq!(neighbour.square, 0.0);
        votes[neighbour.point as usize / 100] += 1;
    }
    let each = 300 * NEIGHBOURS / 3;
    assert!(votes.iter().all(|&votes| votes > each * 9 / 10 && votes < each * 11 / 10), "{votes:?}");
}

/// m(x, k)^2 with points really left out and the covariance really computed again.
fn without(points: &Frame, scaled: &[f64], weights: &[f64], x: usize) -> Vec<f64> {
    let (n, d, classes) = (points.len(), points.features, points.classes());
    let row = |y: usize| &scaled[y * d..(y + 1) * d];
    let others = |class: usize| (points.starts[class]..points.starts[class + 1]).filter(move |&y| y != x);
    let mean = |class: usize| {
        let total: f64 = others(class).map(|y| weights[y]).sum();
        (0..d)
            .map(|f| others(class).map(|y| weights[y] * row(y)[f]).sum::<f64>() / total)
            .collect::<Vec<f64>>()
    };
    let means: Vec<Vec<f64>> = (0..classes).map(mean).collect();
    let freedom = weights.iter().sum::<f64>() - classes as f64;
    let mut s = vec![0.0; d * d];
    for (class, mean) in means.iter().enumerate() {
        for y in others(class) {
            for f in 0..d {
                for g in 0..d {
                    let product = (row(y)[f] - mean[f]) * (row(y)[g] - mean[g]);
                    s[f * d + g] += 0.9 * weights[y] * product / freedom;
                }
            }
        }
    }
    (0..d).for_each(|f| s[f * d + f] += 0.1);
    assert_eq!(n, weights.len());
    let factor = Cholesky::factor(s, d).unwrap();
    let square = |mean: &Vec<f64>| {
        let gap: Vec<f64> = row(x).iter().zip(mean).map(|(x, c)| x - c).collect();
        gap.iter().zip(factor.solve(&gap)).map(|(a, b)| a * b).sum()
    };
    means.iter().map(square).collect()
}

/// Every feature divided by its deviation within classes.
fn scaled(points: &Frame) -> Vec<f64> {
    let (n, d, classes) = (points.len(), points.features, points.classes());
    let mut within = vec![0.0; d];
    for class in 0..classes {
        let size = points.size(class) as f64;
        for (f, within) in within.iter_mut().enumerate() {
            let mean = points.class(class).map(|row| row[f]).sum::<f64>() / size;
            *within += points.class(class).map(|row| (row[f] - mean).powi(2)).sum::<f64>();
        }
    }
    let deviation: Vec<f64> = within.iter().map(|within| (within / (n - classes) as f64).sqrt()).collect();
    points.rows.iter().enumerate().map(|(at, x)| x / deviation[at % d]).collect()
}

#[test]
fn distances_from_classes_do_not_know_the_point() {
    // The last dataset has more features than points.
    for (sizes, features) in [(&[20, 9, 30][..], 4), (&[5, 4], 3), (&[12, 10, 9], 25), (&[8, 9], 60)] {
        let frame = blobs(sizes, features, 2);
        let weights = weights(frame.len(), 3);
        let distances = ClassDistances::new(&Coordinates::standardised(&frame), &weights);
        let scaled = scaled(&frame);
        for x in 0..frame.len() {
            for (class, twin) in without(&frame, &scaled, &weights, x).into_iter().enumerate() {
                let found = distances.square(x, class);
                let error = (found - twin).abs() / twin;
                assert!(error < 10.0 * TOLERANCE, "{sizes:?} x {features}: {found} instead of {twin}");
            }
        }
        let plain = ClassDistances::new(&Coordinates::plain(&frame), &vec![1.0; frame.len()]);
        let others: Vec<&[f64]> = frame.class(0).skip(1).collect();
        let mean: Vec<f64> = (0..features)
            .map(|f| others.iter().map(|row| row[f]).sum::<f64>() / others.len() as f64)
            .collect();
        assert!((plain.square(0, 0) - squared_distance(frame.row(0), &mean)).abs() < TOLERANCE);
    }
}

/// The best class has 0 in every feature, and differences are those of the definitions.
#[test]
fn features_are_their_definitions() {
    let frame = blobs(&[30, 25, 8], 4, 4);
    let weights = weights(frame.len(), 5);
    let distances = ClassDistances::new(&Coordinates::standardised(&frame), &weights);
    let around = Surroundings::new(&frame, &distances, Control::none()).unwrap();
    let features = around.features(&distances, &frame.starts, &weights);
    let class_of = |y: usize| frame.starts.partition_point(|&start| start <= y) - 1;
    // Duplicates among the neighbours may come in another order, so only points with a unique 15th neighbour are checked.
    let mut checked = 0;
    for x in 0..frame.len() {
        let mut near: Vec<(f64, usize)> = (0..frame.len())
            .filter(|&y| y != x)
            .map(|y| (squared_distance(frame.row(x), frame.row(y)).sqrt(), y))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        if near[14].0 == near[15].0 {
            continue;
        }
        checked += 1;
        let vote = |r: f64| 1.0 / (r / near[14].0 + 0.1);
        let mean = near[..15].iter().map(|&(r, _)| vote(r)).sum::<f64>() / 15.0;
        let twin = |class: usize| {
            let votes: f64 = near[..15]
                .iter()
                .filter(|&&(_, y)| class_of(y) == class)
                .map(|&(r, y)| vote(r) / mean * weights[y])
                .sum();
            let of_class: Vec<f64> =
                near.iter().filter(|&&(_, y)| class_of(y) == class).map(|&(r, _)| r).take(5).collect();
            let nearest = of_class.iter().sum::<f64>() / of_class.len() as f64;
            let prior = frame.size(class) as f64 / frame.len() as f64;
            let of_class = &weights[frame.starts[class]..frame.starts[class + 1]];
            let share = of_class.iter().sum::<f64>() / weights.iter().sum::<f64>();
            [(votes + prior).ln(), share.ln() - distances.square(x, class) / 2.0, -nearest.ln()]
        };
        let twins = [twin(0), twin(1), twin(2)];
        for feature in 0..3 {
            let best = twins.iter().map(|of| of[feature]).fold(f64::NEG_INFINITY, f64::max);
            for class in 0..3 {
                let (found, twin) = (features[x * 3 + class][feature], twins[class][feature] - best);
                assert!((found - twin).abs() <= TOLERANCE * twin.abs().max(1.0), "{feature}: {found} {twin}");
            }
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn steps_of_a_diagnosis_are_counted_from_1() {
    let values: Vec<f64> = (0..12).map(|row| f64::from(row * row % 7 + 20 * (row / 6))).collect();
    let predicted: Vec<usize> = (0..12).map(|row| row / 6).collect();
    let classes = Classes::new(Points::new(values, 1).unwrap(), &Labels::encode(&predicted)).unwrap();
    let heard = Mutex::new(Vec::new());
    let listen = |step: Step<'_>| heard.lock().unwrap().push((step.what.to_owned(), step.done, step.of));
    let opinion = Opinion { keep: &[true; 12], predicted: &predicted };
    diagnose(&classes, opinion, 0, Control::none().with_progress(&listen)).unwrap();
    let expected = ["pairs of classes", "merges", "parts of classes", "actions"];
    let expected = expected.iter().zip(1..).map(|(what, step)| ((*what).to_owned(), step, 4));
    assert_eq!(heard.into_inner().unwrap(), expected.collect::<Vec<(String, usize, usize)>>());
}
