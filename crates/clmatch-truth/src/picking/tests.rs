//! Choices checked against brute force, and against what they promise.

use super::*;
use crate::results::Results;
use crate::stability::{DrawSettings, stability};

/// Random candidates: places in a plane, and scores of four methods of which one is better than the others.
fn candidates(count: usize, seed: u64) -> Candidates {
    use rand::RngExt;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut number = move || random.random_range(0.0..1.0);
    let scores: Vec<Vec<f64>> =
        (0..count).map(|_| vec![0.15 + number(), number(), number(), 0.4 * number()]).collect();
    let places: Vec<(f64, f64)> = (0..count).map(|_| (number(), number())).collect();
    let distance = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).hypot(a.1 - b.1);
    let distances = places.iter().map(|a| places.iter().map(|b| distance(a, b)).collect()).collect();
    Candidates { scores, distances }
}

fn picked(candidates: &Candidates, count: usize, diversity: f64) -> Result<Picked, PickError> {
    pick(candidates, PickSettings { count, diversity, seed: 7 }, Control::none())
}

/// The simplest program for the task: every choice, every draw.
fn brute_force(candidates: &Candidates, count: usize, floor: f64) -> (f64, Vec<usize>) {
    let mut best = (f64::NEG_INFINITY, Vec::new());
    for bits in 0_u32..1 << candidates.scores.len() {
        if bits.count_ones() as usize != count {
            continue;
        }
        let members: Vec<usize> = (0..candidates.scores.len()).filter(|at| bits >> at & 1 == 1).collect();
        let nearest = members.iter().map(|&a| {
            members
                .iter()
                .filter(|&&b| a != b)
                .map(|&b| candidates.distances[a][b])
                .fold(f64::INFINITY, f64::min)
        });
        if nearest.sum::<f64>() / (count as f64) < floor {
            continue;
        }
        let mut held = Vec::new();
        for a in 0..4 {
            for b in a + 1..4 {
                let (mut ahead, mut draws) = (0.0_f64, 0.0_f64);
                for draw in 0_u32..1 << count {
                    if draw.count_ones() as usize != count / 2 {
                        continue;
                    }
                    let mean = |method: usize| -> f64 {
                        (0..count)
                            .filter(|at| draw >> at & 1 == 1)
                            .map(|at| candidates.scores[members[at]][method])
                            .sum()
                    };
                    ahead += if mean(a) > mean(b) { 1.0 } else { 0.0 };
                    draws += 1.0;
                }
                held.push((ahead / draws).max(1.0 - ahead / draws));
            }
        }
        let stability = held.iter().sum::<f64>() / held.len() as f64;
        if stability > best.0 + 1e-12 {
            best = (stability, members);
        }
    }
    best
}

#[test]
fn few_choices_are_all_looked_at() {
    for (seed, count, diversity) in [(1, 4, 0.0), (2, 4, 1.0), (3, 5, 1.2), (4, 3, 1.1), (5, 2, 0.5)] {
        let candidates = candidates(9, seed);
        let found = picked(&candidates, count, diversity).unwrap();
        let evaluator = Evaluator::new(&candidates, count, 0, 0);
        let floor = diversity * mean_random_diversity(&evaluator, 7);
        let (stability, _) = brute_force(&candidates, count, floor);
        assert!(found.exact);
        assert!((found.pick.stability - stability).abs() < 1e-12, "{seed}: {found:?}, {stability}");
        assert!(found.pick.diversity >= diversity - 1e-9);
        let (alone, _) = brute_force(&candidates, count, 0.0);
        assert!((found.most_stable.stability - alone).abs() < 1e-12);
    }
}

/// There are more choices than are examined one by one, but not too many for the simple program.
#[test]
fn the_exchange_finds_what_brute_force_finds() {
    for (seed, diversity) in [(11, 0.0), (12, 1.0), (13, 1.15)] {
        let candidates = candidates(18, seed);
        let found = picked(&candidates, 6, diversity).unwrap();
        assert!(found.exact, "18564 choices");
        // The same search without the shortcut.
        let evaluator = Evaluator::new(&candidates, 6, 0, 0);
        let floor = diversity * mean_random_diversity(&evaluator, 7);
        let exchanged = search::by_exchange(&evaluator, floor, 7, Control::none()).unwrap();
        assert!((evaluator.stability(&exchanged) - found.pick.stability).abs() < 1e-12, "{seed}");
        assert!(evaluator.diversity(&exchanged) >= floor - 1e-12);
    }
}

#[test]
fn a_constraint_costs_stability_and_buys_diversity() {
    let candidates = candidates(30, 21);
    let found = picked(&candidates, 10, 1.3).unwrap();
    assert!(!found.exact);
    assert!(found.pick.diversity >= 1.3 && found.pick.stability <= found.most_stable.stability + 1e-12);
    assert!(
        found.most_stable.stability > found.random.stability_range.1,
        "better than 95% of random choices"
    );
    assert_eq!(found.pick, picked(&candidates, 10, 1.3).unwrap().pick, "the same seed, the same choice");
    let free = picked(&candidates, 10, 0.0).unwrap();
    assert_eq!(free.pick.members, free.most_stable.members);
}

#[test]
fn stability_is_that_of_the_library() {
    for (count, draws) in [(10, 20_000), (16, 20_000)] {
        let candidates = candidates(20, 31);
        let found = picked(&candidates, count, 1.0).unwrap();
        let results = Results {
            datasets: (0..20).map(|at| format!("d{at:02}")).collect(),
            methods: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            scores: candidates.scores.clone(),
        };
        let drawn = DrawSettings { size: count / 2, draws, seed: 5, replacement: false };
        let expected = stability(&results, &found.pick.members, drawn).unwrap().mean_stability();
        assert!((found.pick.stability - expected).abs() < 0.01, "{} {expected}", found.pick.stability);
    }
}

#[test]
fn copies_of_one_dataset_are_not_diverse() {
    let mut twins = candidates(12, 41);
    // The most stable choice would take copies of a dataset on which the methods differ clearly.
    for at in 0..6 {
        twins.scores[at] = vec![1.0, 0.7, 0.4, 0.1];
        for other in 0..12 {
            let far = if other < 6 { 0.0 } else { twins.distances[0][other] };
            twins.distances[at][other] = far;
            twins.distances[other][at] = far;
        }
    }
    let alone = picked(&twins, 4, 0.0).unwrap();
    assert_eq!(alone.pick.stability, 1.0);
    let diverse = picked(&twins, 4, 1.0).unwrap();
    assert!(diverse.pick.members.iter().filter(|&&at| at < 6).count() < 4, "{diverse:?}");
}

#[test]
fn agreement_by_hand() {
    // Over all three datasets a > b > c; over the last two b > a, and c ties with a.
    let scores = vec![vec![0.9, 0.3, 0.0], vec![0.2, 0.4, 0.2], vec![0.2, 0.3, 0.2]];
    let distances = vec![vec![0.0, 1.0, 1.0], vec![1.0, 0.0, 1.0], vec![1.0, 1.0, 0.0]];
    let evaluator = Evaluator::new(&Candidates { scores, distances }, 2, 0, 0);
    assert_eq!(evaluator.agreement(&[0, 1, 2]), 1.0);
    assert_eq!(evaluator.agreement(&[1, 2]), (0.0 + 0.5 + 1.0) / 3.0);
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let few = candidates(5, 51);
    assert_eq!(picked(&few, 6, 1.0).unwrap_err().to_string(), "6 datasets cannot be chosen from 5");
    assert_eq!(picked(&few, 1, 1.0).unwrap_err(), PickError::NothingToRank);
    let error = picked(&few, 3, 50.0).unwrap_err();
    assert!(matches!(error, PickError::TooSimilar { largest } if largest > 1.0), "{error:?}");
    let all = picked(&few, 5, 1.0).unwrap();
    assert_eq!(all.pick.members, [0, 1, 2, 3, 4]);
    assert_eq!(all.pick, all.most_stable);
}

#[test]
fn all_alike_is_as_diverse_as_anything_can_be() {
    let mut alike = candidates(6, 61);
    alike.distances = vec![vec![0.0; 6]; 6];
    let error = picked(&alike, 3, 1.0).unwrap_err();
    assert_eq!(error, PickError::TooSimilar { largest: 0.0 });
    assert!(picked(&alike, 3, 0.0).is_ok());
}
