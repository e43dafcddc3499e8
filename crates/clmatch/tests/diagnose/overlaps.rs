//! Overlapping pairs are found, and no other pairs.

use clmatch::diagnose::PairVerdict;

use crate::planted::{Found, Planted, Shape, Source, distance};

/// A dataset of round classes at least 6 deviations apart, some of which have a partner 1 to 2.5 deviations away.
fn dataset(seed: u64) -> (Planted, Vec<(usize, usize)>) {
    let mut source = Source::new(seed);
    let features = source.one_of(&[2, 3, 5, 10, 20, 50]);
    let count = source.integer(3, 20);
    let balanced = source.integer(0, 1) == 0;
    let usual = source.integer(60, 150);
    // Leaves room for a partner next to every centre.
    let mut centres = source.centres(count, features, 6.0 + 2.5);
    let partners = (count / 4).max(1);
    let mut pairs = Vec::new();
    for pair in 0..partners {
        let (a, b) = (2 * pair, 2 * pair + 1);
        let away = source.between(1.0, 2.5);
        let direction = source.direction(features);
        centres[b] = centres[a].iter().zip(direction).map(|(c, e)| c + away * e).collect();
        pairs.push((a, b));
    }
    let mut planted = Planted::default();
    for (class, centre) in centres.iter().enumerate() {
        let size = if balanced { usual } else { (usual as f64 * source.between(0.3, 3.0)) as usize };
        let points = source.cluster(Shape::Gaussian, size, features);
        planted.add(class, centre, points);
    }
    let apart = |&(i, j): &(usize, usize)| distance(&centres[i], &centres[j]) >= 6.0;
    assert!((0..count).all(|j| (0..j).all(|i| pairs.contains(&(i, j)) || apart(&(i, j)))));
    (planted, pairs)
}

#[test]
fn overlapping_pairs_are_found_and_no_others() {
    let mut found = Found::default();
    for seed in 0..60 {
        let (planted, truth) = dataset(seed);
        for pair in planted.diagnosis().pairs {
            let mixed = matches!(pair.verdict, PairVerdict::OneCluster | PairVerdict::Overlapping);
            found.count(truth.contains(&pair.classes), mixed);
            if truth.contains(&pair.classes) != mixed {
                println!("{seed}: {pair:?}");
            }
        }
    }
    println!("{found:?}: precision {:.3}, recall {:.3}", found.precision(), found.recall());
    assert!(found.precision() >= 0.95 && found.recall() >= 0.95, "{found:?}");
}

/// The verdict that is most frequent in 20 draws of two classes, and how frequent it is.
fn usual_verdict(draw: impl Fn(&mut Source) -> Planted) -> (PairVerdict, usize) {
    let verdict = |seed: u64| draw(&mut Source::new(seed)).diagnosis().pairs[0].verdict;
    let verdicts: Vec<PairVerdict> = (0..20).map(verdict).collect();
    let count = |verdict: &PairVerdict| verdicts.iter().filter(|other| *other == verdict).count();
    verdicts.iter().map(|verdict| (*verdict, count(verdict))).max_by_key(|(_, count)| *count).unwrap()
}

/// Two round classes of 150 points in `features` dimensions, `apart` deviations apart.
fn two_gaussians(source: &mut Source, features: usize, apart: f64) -> Planted {
    let mut planted = Planted::default();
    for class in 0..2 {
        let mut centre = vec![0.0; features];
        centre[0] = apart * class as f64;
        let points = source.cluster(Shape::Gaussian, 150, features);
        planted.add(class, &centre, points);
    }
    planted
}

#[test]
fn verdicts_follow_the_distance_of_two_gaussians() {
    for (apart, expected) in [
        (0.0, PairVerdict::OneCluster),
        (1.0, PairVerdict::OneCluster),
        (2.0, PairVerdict::OneCluster),
        (4.0, PairVerdict::Touching),
        (6.0, PairVerdict::Separate),
        (9.0, PairVerdict::Separate),
    ] {
        for features in [2, 10] {
            let (verdict, draws) = usual_verdict(|source| two_gaussians(source, features, apart));
            println!("{apart} {features}: {verdict:?} {draws}");
            assert!(
                verdict == expected && draws >= 15,
                "{apart} in {features}: {verdict:?} in {draws} of 20"
            );
        }
    }
}

#[test]
fn two_halves_of_a_cluster_are_one_cluster() {
    for features in [2, 10] {
        let (verdict, draws) = usual_verdict(|source| {
            let points = source.cluster(Shape::Gaussian, 300, features);
            let labels = points.iter().map(|x| usize::from(x[0] > 0.0)).collect();
            Planted { rows: points, labels }
        });
        println!("{features}: {verdict:?} {draws}");
        assert!(verdict == PairVerdict::OneCluster && draws >= 18, "{verdict:?} in {draws} of 20");
    }
}

#[test]
fn moons_are_separate_until_they_are_blurred() {
    let moons = |noise: f64| {
        move |source: &mut Source| {
            let mut planted = Planted::default();
            for class in 0..2 {
                for _ in 0..150 {
                    let angle = source.between(0.0, std::f64::consts::PI);
                    let (x, y) = (angle.cos(), angle.sin());
                    let (x, y) = if class == 0 { (x, y) } else { (1.0 - x, 0.5 - y) };
                    planted.rows.push(vec![x + noise * source.normal(), y + noise * source.normal()]);
                    planted.labels.push(class);
                }
            }
            planted
        }
    };
    for (noise, expected) in
        [(0.1, PairVerdict::Separate), (0.2, PairVerdict::Touching), (0.3, PairVerdict::Overlapping)]
    {
        let (verdict, draws) = usual_verdict(moons(noise));
        println!("{noise}: {verdict:?} {draws}");
        assert_eq!(verdict, expected, "{noise}: {draws} of 20");
    }
}
