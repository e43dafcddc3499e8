use super::*;

/// The rounding of sums in another order.
const ROUNDING: f64 = 1e-12;

/// Scattered numbers in -1 to 1 that are the same every time.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
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

fn near(fast: f64, slow: f64) -> bool {
    (fast - slow).abs() <= ROUNDING * slow
}

const NOBODY: Nearest = Nearest { centre: 9, first: 9.0, second: 9.0 };

#[test]
fn the_two_nearest_are_those_of_the_definition() {
    for (rows, count, features) in [(1, 1, 1), (15, 2, 3), (16, 8, 2), (17, 9, 5), (70, 23, 17)] {
        let (points, centres) = (numbers(rows * features, 3), numbers(count * features, 4));
        let blocks = Blocks::new(points.chunks_exact(features), features);
        let groups = Groups::new(centres.chunks_exact(features), features);
        let mut best = vec![NOBODY; blocks.count() * BLOCK];
        two_nearest(&blocks, 0..blocks.count(), &groups, &mut best);
        for level in Level::ALL {
            let mut nearest = vec![NOBODY; blocks.count() * BLOCK];
            let (blocks, groups) = (&blocks.values[..], &groups.values[..]);
            level.run(TwoNearest { blocks, groups, features, nearest: &mut nearest });
            assert!(level < Level::best() || nearest == best);
            for (point, nearest) in points.chunks_exact(features).zip(&nearest) {
                let mut squares: Vec<(f64, usize)> =
                    centres.chunks_exact(features).map(|centre| slow(point, centre)).zip(0..).collect();
                squares.sort_by(|a, b| a.0.total_cmp(&b.0));
                assert_eq!(nearest.centre as usize, squares[0].1, "{level:?}");
                assert!(near(nearest.first, squares[0].0), "{level:?}");
                match squares.get(1) {
                    Some(second) => assert!(near(nearest.second, second.0), "{level:?}"),
                    None => assert_eq!(nearest.second, f64::INFINITY, "{level:?}"),
                }
            }
        }
    }
}

#[test]
fn the_first_of_equal_centres_is_nearest_and_a_coinciding_one_has_distance_zero() {
    let centres = [3.0, 1.0, 1.0, 1.0];
    let (blocks, groups) = (Blocks::new([1.0].chunks(1), 1), Groups::new(centres.chunks(1), 1));
    let mut nearest = vec![NOBODY; BLOCK];
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
                assert!(near(tile(&blocks, p / BLOCK, &groups, c / GROUP)[c % GROUP][p % BLOCK], direct));
                assert!(near(squared_distance(point, centre), direct));
                for level in Level::ALL {
                    assert!(near(level.run(Square { a: point, b: centre }), direct), "{level:?}");
                }
            }
        }
    }
}

#[test]
fn all_instruction_sets_fill_the_same_tile() {
    for features in [1, 2, 7, 40] {
        let (block, group) = (numbers(BLOCK * features, 1), numbers(GROUP * features, 2));
        let tiles = Level::ALL.map(|level| level.run(OneTile { block: &block, group: &group }));
        for other in &tiles {
            assert!(tiles[0].iter().flatten().zip(other.iter().flatten()).all(|(a, b)| near(*a, *b)));
        }
        // Levels that fuse do so in the same order; if they are not available, the portable one is used for both.
        assert_eq!(tiles[1], tiles[2], "{features}");
    }
}

/// The definition of [`lowest`], point by point.
#[test]
fn the_lowest_share_is_that_of_the_definition() {
    let features = 3;
    let (points, centres) = (numbers(32 * features, 7), numbers(8 * features, 8));
    let mut shares: Vec<f64> = (0..32).map(|at| 1.0 / f64::from(at % 5 + 1)).collect();
    shares[30..].fill(f64::NAN);
    let (query_shares, selves) = ([0.5; GROUP], [2, 5, 9, 17, usize::MAX, 0, 1, 29]);
    let queries = QueryGroup { shares: &query_shares, selves: &selves };
    let blocks = Blocks::new(points.chunks_exact(features), features);
    let groups = Groups::new(centres.chunks_exact(features), features);
    for level in Level::ALL {
        let mut lows = vec![Lowest::default(); GROUP];
        for block in 0..2 {
            level.run(LowestShare {
                block: blocks.range(block..block + 1),
                at: block * BLOCK,
                group: groups.group(0),
                shares: &shares[block * BLOCK..][..BLOCK],
                queries: &queries,
                lowest: &mut lows,
            });
        }
        for (query, (centre, low)) in centres.chunks_exact(features).zip(&lows).enumerate() {
            let height = |at: usize| slow(&points[at * features..][..features], centre) / (shares[at] + 0.5);
            let others = (0..30).filter(|&at| at != selves[query]);
            let at = others.min_by(|&a, &b| height(a).total_cmp(&height(b))).unwrap();
            let (found, value) = low.first();
            assert_eq!(found, at, "{level:?}");
            assert!(near(value, height(at)), "{level:?}");
        }
    }
}
