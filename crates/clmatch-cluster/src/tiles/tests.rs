use super::*;

/// Rounding of sums in another order.
const ROUNDING: f64 = 1e-12;

/// Scattered numbers in -1 to 1 that are the same every time.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn slow(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[test]
fn the_two_nearest_are_those_of_the_definition() {
    for (rows, count, features) in [(1, 1, 1), (15, 2, 3), (16, 8, 2), (17, 9, 5), (70, 23, 17)] {
        let (points, centres) = (numbers(rows * features, 3), numbers(count * features, 4));
        let blocks = Blocks::new(points.chunks_exact(features), features);
        let groups = Groups::new(centres.chunks_exact(features), features);
        let mut nearest = vec![Nearest { centre: 0, first: 0.0, second: 0.0 }; blocks.count() * BLOCK];
        two_nearest(&blocks, 0..blocks.count(), &groups, &mut nearest);
        for (point, nearest) in points.chunks_exact(features).zip(&nearest) {
            let mut squares: Vec<(f64, usize)> =
                centres.chunks_exact(features).map(|centre| slow(point, centre)).zip(0..).collect();
            squares.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(nearest.centre as usize, squares[0].1);
            assert!((nearest.first - squares[0].0).abs() <= ROUNDING * squares[0].0);
            match squares.get(1) {
                Some(second) => assert!((nearest.second - second.0).abs() <= ROUNDING * second.0),
                None => assert_eq!(nearest.second, f64::INFINITY),
            }
        }
    }
}

#[test]
fn the_first_of_equal_centres_is_nearest_and_a_coinciding_one_has_distance_zero() {
    let centres = [3.0, 1.0, 1.0, 1.0];
    let (blocks, groups) = (Blocks::new([1.0].chunks(1), 1), Groups::new(centres.chunks(1), 1));
    let mut nearest = vec![Nearest { centre: 9, first: 9.0, second: 9.0 }; BLOCK];
    two_nearest(&blocks, 0..1, &groups, &mut nearest);
    assert_eq!(nearest[0], Nearest { centre: 1, first: 0.0, second: 0.0 });
}

#[test]
fn a_tile_and_a_single_distance_are_those_of_the_definition() {
    for features in [1, 15, 16, 17, 50] {
        let (points, centres) = (numbers(20 * features, 5), numbers(11 * features, 6));
        let blocks = Blocks::new(points.chunks_exact(features), features);
        let groups = Groups::new(centres.chunks_exact(features), features);
        assert_eq!((blocks.count(), groups.count()), (2, 2));
        for (p, point) in points.chunks_exact(features).enumerate() {
            for (c, centre) in centres.chunks_exact(features).enumerate() {
                let direct = slow(point, centre);
                let tiled = tile(&blocks, p / BLOCK, &groups, c / GROUP)[c % GROUP][p % BLOCK];
                assert!((tiled - direct).abs() <= ROUNDING * direct);
                assert!((squared_distance(point, centre) - direct).abs() <= ROUNDING * direct);
            }
        }
    }
}
