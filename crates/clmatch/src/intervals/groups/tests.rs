use super::*;
use crate::{Labels, Points};

#[test]
fn every_two_groups_are_left_out_together_once() {
    let leaves_out = |replicate: usize, group: usize| !kept_groups(replicate)[group];
    for a in 0..GROUPS {
        let alone = (0..GROUPS).filter(|&replicate| leaves_out(replicate, a)).count();
        assert_eq!(alone, LEFT_OUT.len());
        for b in (0..GROUPS).filter(|&b| b != a) {
            let both = (0..GROUPS).filter(|&r| leaves_out(r, a) && leaves_out(r, b)).count();
            assert_eq!(both, 1, "{a} and {b}");
        }
    }
}

/// Classes of these sizes; the value of each row is a function of its place.
fn classes(sizes: &[usize], value: impl Fn(usize) -> f64) -> Classes<'static> {
    let labels: Vec<usize> = sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let points = Points::new((0..labels.len()).map(value).collect::<Vec<_>>(), 1).unwrap();
    Classes::new(points, &Labels::encode(labels)).unwrap()
}

#[test]
fn groups_are_even_and_no_class_vanishes() {
    let classes = classes(&[4, 4, 5, 100, 4, 30], |row| row as f64);
    for seed in 0..20 {
        let groups = Groups::new(&classes, seed).unwrap();
        let mut sizes = [0; GROUPS];
        groups.of_place.iter().for_each(|&group| sizes[usize::from(group)] += 1);
        assert_eq!(sizes, [7; GROUPS]);
        assert_eq!(groups.order, classes.order(), "rows of a class ascend");
        for replicate in 0..GROUPS {
            let (places, starts) = groups.kept(replicate);
            assert_eq!(places.len(), 112);
            assert!(starts.windows(2).all(|bounds| bounds[1] - bounds[0] >= 2), "{starts:?}");
        }
    }
}

/// Classes of 42 points or more have different sizes in every replicate, as they have in every sample; smaller classes do not.
#[test]
fn sizes_of_classes_vary() {
    let sizes = |sizes: [usize; 2]| {
        let groups = Groups::new(&classes(&sizes, |row| row as f64), 1).unwrap();
        let first = (0..GROUPS).map(|replicate| groups.kept(replicate).1[1] as f64).collect::<Vec<_>>();
        let mean = first.iter().sum::<f64>() / GROUPS as f64;
        first.iter().map(|size| (size - mean) * (size - mean)).sum::<f64>() / GROUPS as f64
    };
    // Hypergeometric: 200 x 160 x (16/21) (5/21) of 200 + 200 points would be 18.2.
    let varies = sizes([200, 200]);
    assert!((6.0..50.0).contains(&varies), "{varies}");
    assert!(sizes([41, 41]) < 1.0 && sizes([42, 42]) > 1.0);
}

#[test]
fn neither_the_order_of_rows_nor_the_names_of_classes_matters() {
    let value = |row: usize| (row * 37 % 101) as f64;
    let sorted = classes(&[30, 20, 11], value);
    let groups = Groups::new(&sorted, 5).unwrap();
    let place_of = |row: usize| groups.order.iter().position(|&known| known == row).unwrap();
    // Rows in another order, with the names of classes reversed.
    let shuffled: Vec<usize> = (0..61).map(|row| row * 17 % 61).collect();
    let name = |row: usize| {
        if row < 30 {
            "z"
        } else if row < 50 {
            "y"
        } else {
            "x"
        }
    };
    let points = Points::new(shuffled.iter().map(|&row| value(row)).collect::<Vec<_>>(), 1).unwrap();
    let other = Classes::new(points, &Labels::encode(shuffled.iter().map(|&row| name(row)))).unwrap();
    let of_other = Groups::new(&other, 5).unwrap();
    for (place, &row) in of_other.order.iter().enumerate() {
        assert_eq!(of_other.of_place[place], groups.of_place[place_of(shuffled[row])], "row {row}");
    }
    assert_eq!(of_other.sizes(), groups.sizes());
}

#[test]
fn copies_share_a_group_unless_values_are_coarse() {
    let together = |classes: &Classes<'_>, pairs: usize| {
        let groups = Groups::new(classes, 1).unwrap();
        (0..pairs).filter(|pair| groups.of_place[2 * pair] == groups.of_place[2 * pair + 1]).count()
    };
    // Every value twice in succession.
    let copies = classes(&[40, 40], |row| (row / 2) as f64 * 0.1);
    assert_eq!((together(&copies, 40), Groups::new(&copies, 1).unwrap().units), (40, vec![20, 20]));
    // Two values out of 80: each row is an observation of its own.
    let coarse = classes(&[40, 40], |row| (row / 2 % 10) as f64);
    assert!(together(&coarse, 40) < 10);
    assert_eq!(Groups::new(&coarse, 1).unwrap().units, [40, 40]);
    // Any number of copies of rows with two features, in one of two classes.
    let two = |copies: usize| {
        let value = |at: usize| {
            let (row, feature) = (at / 2, at % 2);
            let unit = if row < 30 * copies { row / copies } else { row };
            ((unit * (7919 + 104_729 * feature)) % 10_007) as f64
        };
        let rows = 30 * copies + 30;
        let points = Points::new((0..2 * rows).map(value).collect::<Vec<_>>(), 2).unwrap();
        let labels = Labels::encode((0..rows).map(|row| usize::from(row >= 30 * copies)));
        Groups::new(&Classes::new(points, &labels).unwrap(), 1).unwrap().units
    };
    for copies in [2, 3, 4, 10] {
        assert_eq!(two(copies), [30, 30], "{copies} copies");
    }
    // One row of 50 occurs twenty times more, all others once.
    let value = |at: usize| ((if at < 42 { at % 2 } else { at } * 7919) % 10_007) as f64;
    let points = Points::new((0..200).map(value).collect::<Vec<_>>(), 2).unwrap();
    let classes_of_fifty = Classes::new(points, &Labels::encode((0..100).map(|row| row / 50))).unwrap();
    assert_eq!(Groups::new(&classes_of_fifty, 1).unwrap().units, [30, 50]);
    // Six counts that are nearly always 0: rows are equal by chance.
    let count = |at: usize| f64::from(u8::from(SplitMix::new(at as u64).next().is_multiple_of(10)));
    let points = Points::new((0..600).map(count).collect::<Vec<_>>(), 6).unwrap();
    let counts = Classes::new(points, &Labels::encode((0..100).map(|row| row / 50))).unwrap();
    assert_eq!(Groups::new(&counts, 1).unwrap().units, [50, 50]);
    // A class of three distinct points would vanish from a replicate.
    let few = classes(&[40, 12], |row| if row < 40 { row as f64 } else { 100.0 + (row % 3) as f64 });
    assert_eq!(Groups::new(&few, 1).unwrap().units, [40, 12]);
}

#[test]
fn many_points_are_thinned_out_by_class() {
    let groups = Groups::of_at_most(&classes(&[9000, 60, 900], |row| row as f64), 1, 996).unwrap();
    assert_eq!(groups.starts, [0, 900, 942, 1032]);
    // The rare class matters most: 9/(1/900 + 1/42 + 1/90) over 9/(1/9000 + 1/60 + 1/900).
    let rows = |sizes: [f64; 3]| 1.0 / sizes.map(|size| 1.0 / size).iter().sum::<f64>();
    let shrink = (rows([900.0, 42.0, 90.0]) / rows([9000.0, 60.0, 900.0])).sqrt();
    assert!((groups.shrink() - shrink).abs() < 1e-12, "{} {shrink}", groups.shrink());
}

#[test]
fn the_sample_begins_above_the_threshold() {
    let data = classes(&[300, 200], |row| row as f64);
    for (most, dealt) in [(500, 500), (499, 500), (490, 490), (250, 250)] {
        let groups = Groups::of_at_most(&data, 1, most).unwrap();
        assert_eq!(groups.len(), dealt, "{most}");
        let expected = (dealt as f64 / 500.0).sqrt();
        assert!((groups.shrink() - expected).abs() < 1e-3, "{most}: {}", groups.shrink());
    }
}

#[test]
fn small_classes_are_refused_by_name() {
    let error = Groups::new(&classes(&[9, 3], |row| row as f64), 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the class '1' has 3 points, and an interval needs at least 4 in every class"
    );
}
