//! Compares the kernel with its slow twin, on random and on hostile data, for all instruction sets and numbers of threads.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::schedule::Tournament;
use super::*;

const ALL: PairwiseRequest = PairwiseRequest { sums: true, nearest: true, extremes: true };
/// The promised error for f64, relative to each distance.
const F64_TOLERANCE: f64 = 5e-10;
/// The promised error for f32, compared with f64 on the same rounded data.
const F32_TOLERANCE: f64 = 5e-6;

/// Points in class order.
#[derive(Debug, Clone)]
struct Sample {
    values: Vec<f64>,
    features: usize,
    starts: Vec<usize>,
}

impl Sample {
    /// `point(rng, row, class)` for every row.
    fn new(
        sizes: &[usize],
        features: usize,
        seed: u64,
        mut point: impl FnMut(&mut ChaCha8Rng, usize, usize) -> Vec<f64>,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut starts = vec![0];
        let mut values = Vec::new();
        for (class, &size) in sizes.iter().enumerate() {
            for _ in 0..size {
                let row = values.len() / features;
                values.extend(point(&mut rng, row, class));
            }
            starts.push(values.len() / features);
        }
        Sample { values, features, starts }.prepared()
    }

    /// Normal points around a centre per class.
    fn blobs(sizes: &[usize], features: usize, spread: f64, seed: u64) -> Self {
        Sample::new(sizes, features, seed, |rng, _, class| {
            let angle = class as f64;
            (0..features).map(|k| (angle * (k + 1) as f64).sin() + spread * normal(rng)).collect()
        })
    }

    /// Centres and scales the points as the kernel expects.
    fn prepared(mut self) -> Self {
        let n = self.values.len() / self.features;
        for k in 0..self.features {
            let mean = self.values.iter().skip(k).step_by(self.features).sum::<f64>() / n as f64;
            self.values.iter_mut().skip(k).step_by(self.features).for_each(|x| *x -= mean);
        }
        let largest = self.values.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        if largest > 0.0 {
            let scale = 0.5_f64.powi(largest.log2().floor() as i32 + 1);
            self.values.iter_mut().for_each(|x| *x *= scale);
        }
        self
    }

    fn single(&self) -> Vec<f32> {
        self.values.iter().map(|&x| x as f32).collect()
    }

    fn fast(&self, level: Level) -> DistanceTables {
        all_pairs_at(level, Rows::F64(&self.values), self.features, &self.starts, ALL, Control::none())
    }

    fn fast_single(&self, level: Level) -> DistanceTables {
        all_pairs_at(level, Rows::F32(&self.single()), self.features, &self.starts, ALL, Control::none())
    }

    /// The sample after rounding to f32.
    fn rounded(&self) -> Sample {
        Sample { values: self.single().iter().map(|&x| f64::from(x)).collect(), ..self.clone() }
    }

    /// Compares both precisions and all instruction sets with the twin.
    fn check(&self) {
        let (twin, single_twin) = (slow(self), slow(&self.rounded()));
        for level in Level::ALL {
            if level.available() {
                agree(&self.fast(level), &twin, F64_TOLERANCE, level);
                agree(&self.fast_single(level), &single_twin, F32_TOLERANCE, level);
            }
        }
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// The definition, as a double loop over differences.
fn slow(sample: &Sample) -> DistanceTables {
    let Sample { values, features, starts } = sample;
    let (n, classes) = (values.len() / features, starts.len() - 1);
    let mut tables = DistanceTables {
        sums: vec![0.0; n * classes],
        nearest: vec![f64::INFINITY; n * classes * NEAREST],
        separation: vec![f64::INFINITY; classes * classes],
        diameter: vec![0.0; classes],
    };
    for (i, x) in values.chunks_exact(*features).enumerate() {
        let own = starts.partition_point(|&start| start <= i) - 1;
        for class in 0..classes {
            let mut squares: Vec<f64> = (starts[class]..starts[class + 1])
                .filter(|&j| j != i)
                .map(|j| x.iter().zip(&values[j * features..]).map(|(x, y)| (x - y) * (x - y)).sum())
                .collect();
            squares.sort_by(f64::total_cmp);
            tables.sums[i * classes + class] = squares.iter().map(|square| square.sqrt()).sum();
            let list = (i * classes + class) * NEAREST;
            for (to, &from) in tables.nearest[list..list + NEAREST].iter_mut().zip(&squares) {
                *to = from;
            }
            if let (Some(&low), Some(&high)) = (squares.first(), squares.last()) {
                if class == own {
                    tables.diameter[class] = tables.diameter[class].max(high);
                } else {
                    let separation = &mut tables.separation[own * classes + class];
                    *separation = separation.min(low);
                }
            }
        }
    }
    tables
}

fn agree(fast: &DistanceTables, slow: &DistanceTables, tolerance: f64, level: Level) {
    for (name, fast, slow, tolerance) in [
        ("sums", &fast.sums, &slow.sums, tolerance),
        // The error of squares is twice that of distances.
        ("nearest", &fast.nearest, &slow.nearest, 2.0 * tolerance),
        ("separation", &fast.separation, &slow.separation, 2.0 * tolerance),
        ("diameter", &fast.diameter, &slow.diameter, 2.0 * tolerance),
    ] {
        assert_eq!(fast.len(), slow.len(), "{name}");
        for (place, (&fast, &slow)) in fast.iter().zip(slow).enumerate() {
            let same = fast == slow || (fast - slow).abs() <= tolerance * slow.abs();
            assert!(same, "{name}[{place}] with {level:?}: {fast:e} instead of {slow:e}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(0x5EED), ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_twin_on_any_shape(
        sizes in prop_oneof![
            prop::collection::vec(1_usize..300, 1..4),
            prop::collection::vec(1_usize..30, 1..20),
            prop::collection::vec(1_usize..4, 1..60),
        ],
        features in prop_oneof![1_usize..12, 12_usize..80],
        spread in 0.01..2.0,
        seed: u64,
    ) {
        Sample::blobs(&sizes, features, spread, seed).check();
    }
}

#[test]
fn agrees_around_the_edges_of_panels_and_blocks() {
    for n in [2, 7, 8, 9, 23, 24, 25, 47, 48, 49, 95, 96, 97, 143, 145, 767, 769] {
        Sample::blobs(&[1, n - 1], 9, 0.5, n as u64).check();
        Sample::blobs(&[n / 2, n - n / 2], 33, 0.5, n as u64).check();
    }
}

/// Up to six features in f64, and eight in f32, are compared by differences.
#[test]
fn agrees_on_both_sides_of_few_features() {
    for features in 5..=10 {
        Sample::blobs(&[60, 70, 1], features, 0.5, features as u64).check();
    }
}

/// Blocks grow with the number of points, up to 1920. Any size gives the same tables, whether the points fit into one block or
/// many.
#[test]
fn agrees_in_blocks_of_every_size() {
    for (features, sizes) in [(3, &[48, 96, 480][..]), (33, &[48, 144, 240, 1920]), (300, &[48, 240])] {
        let sample = Sample::blobs(&[150, 1, 230, 40], features, 0.5, 7);
        let (twin, single_twin, narrow) = (slow(&sample), slow(&sample.rounded()), sample.single());
        for &size in sizes {
            for level in Level::ALL {
                let (starts, request, control) = (&sample.starts[..], ALL, Control::none());
                let double =
                    AllPairs { values: &sample.values[..], features, starts, size, request, control };
                let single = AllPairs { values: &narrow[..], features, starts, size, request, control };
                agree(&level.run(double), &twin, F64_TOLERANCE, level);
                agree(&level.run(single), &single_twin, F32_TOLERANCE, level);
            }
        }
    }
    // As many blocks as keep threads busy, each no larger than the cache holds; small blocks for many features or many tiny
    // classes.
    assert_eq!([960, 961, 38_400, 1 << 20].map(|n| block_size::<f64>(n, 2, 2)), [48, 96, 1920, 1920]);
    assert_eq!([256, 257].map(|features| block_size::<f64>(10_000, features, 2)), [240, 240]);
    assert_eq!([250, 251].map(|classes| block_size::<f64>(8000, 10, classes * 2)), [432, 240]);
}

#[test]
fn agrees_where_features_come_in_several_parts() {
    for features in [255, 256, 257, 511, 512, 513, 1200] {
        Sample::blobs(&[30, 1, 50, 40], features, 0.5, 3).check();
    }
}

#[test]
fn agrees_on_duplicates() {
    let sample = Sample::new(&[60, 60, 30], 20, 5, |rng, row, _| {
        let mut rng = if row % 3 == 0 { rng.clone() } else { ChaCha8Rng::seed_from_u64(row as u64 % 7) };
        (0..20).map(|_| 3.0 + normal(&mut rng)).collect()
    });
    assert!(slow(&sample).nearest.iter().filter(|&&square| square == 0.0).count() > 100);
    sample.check();
}

#[test]
fn agrees_on_tight_clusters_far_apart() {
    for tightness in [1e-3, 1e-6, 1e-9, 1e-13] {
        // The points as separate classes, and mixed at random.
        Sample::blobs(&[200, 200], 24, tightness, 1).check();
        Sample::new(&[150, 150], 24, 2, |rng, _, _| {
            let place = if rng.random::<bool>() { 1.0 } else { -2.0 };
            (0..24).map(|_| place + tightness * normal(rng)).collect()
        })
        .check();
    }
}

#[test]
fn agrees_on_one_huge_outlier() {
    for (outlier, position) in [(1e3, 0), (1e8, 77), (1e30, 150), (1e140, 299)] {
        Sample::new(&[100, 200], 12, 3, |rng, row, _| {
            let scale = if row == position { outlier } else { 1.0 };
            (0..12).map(|_| scale * normal(rng)).collect()
        })
        .check();
    }
}

#[test]
fn agrees_on_scales_far_apart() {
    // Centring would round the small numbers away: this test is about what the kernel sees.
    let mut sample = Sample::blobs(&[90, 90, 90], 10, 0.3, 4);
    for (row, x) in sample.values.chunks_exact_mut(10).enumerate() {
        let scale = [1.0, 1e-12, 1e-18, 1e-40, 1e-140][row % 5];
        x.iter_mut().for_each(|x| *x *= scale);
    }
    agree_wide(&sample);
}

/// As [`Sample::check`], for data whose squares are outside the range of f32, so that f32 input is computed in f64.
fn agree_wide(sample: &Sample) {
    let (twin, single_twin) = (slow(sample), slow(&sample.rounded()));
    for level in Level::ALL {
        agree(&sample.fast(level), &twin, F64_TOLERANCE, level);
        agree(&sample.fast_single(level), &single_twin, F64_TOLERANCE, level);
    }
}

#[test]
fn agrees_on_constant_features_and_on_nothing_but_zeros() {
    Sample::new(&[40, 40], 16, 6, |rng, _, _| {
        (0..16).map(|k| if k % 4 == 0 { normal(rng) } else { 1e3 }).collect()
    })
    .check();
    Sample::new(&[100, 3], 16, 6, |_, _, _| vec![7.0; 16]).check();
    Sample::new(&[300], 1, 6, |rng, _, _| vec![normal(rng)]).check();
}

#[test]
fn agrees_with_very_many_classes() {
    Sample::blobs(&[4; 300], 7, 0.5, 8).check();
    Sample::blobs(&[1; 200], 11, 0.5, 9).check();
    Sample::blobs(&[10; 40], 30, 0.5, 10).check();
}

#[test]
fn instructions_agree_closely() {
    let sample = Sample::blobs(&[333, 100, 77], 40, 0.7, 11);
    let portable = sample.fast(Level::Portable);
    for level in Level::ALL {
        agree(&sample.fast(level), &portable, 1e-12, level);
    }
}

#[test]
fn threads_do_not_matter_to_the_bit() {
    for (sizes, features) in [(&[700, 300, 500][..], 20), (&[3; 100], 5), (&[130, 1, 90], 600)] {
        let sample = Sample::blobs(sizes, features, 0.4, 12);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (sample.fast(Level::best()), sample.fast_single(Level::best())))
        };
        let one = with(1);
        for threads in [2, 3, 8] {
            assert!(with(threads) == one, "{threads} threads differ from one");
        }
    }
}

#[test]
fn only_what_is_asked_for_is_computed() {
    let sample = Sample::blobs(&[70, 50], 10, 0.4, 13);
    let whole = sample.fast(Level::best());
    for bits in 0..8 {
        let request = PairwiseRequest { sums: bits & 1 > 0, nearest: bits & 2 > 0, extremes: bits & 4 > 0 };
        let part =
            all_pairs(Rows::F64(&sample.values), 10, &sample.starts, request, Control::none()).unwrap();
        assert_eq!(part.sums, if request.sums { whole.sums.clone() } else { vec![] });
        assert_eq!(part.nearest, if request.nearest { whole.nearest.clone() } else { vec![] });
        assert_eq!(part.separation, if request.extremes { whole.separation.clone() } else { vec![] });
        assert_eq!(part.diameter, if request.extremes { whole.diameter.clone() } else { vec![] });
    }
}

#[test]
fn every_pair_of_blocks_meets_once_and_no_block_twice_in_a_round() {
    for blocks in 0..20 {
        let tournament = Tournament::new(blocks);
        let mut met = std::collections::HashSet::new();
        let mut busy = std::collections::HashSet::new();
        let mut round = 0;
        for index in 0..tournament.meetings() {
            let meeting = tournament.meeting(index);
            assert!(meeting.a <= meeting.b && meeting.round >= round);
            round = meeting.round;
            assert!(met.insert((meeting.a, meeting.b)), "{meeting:?} twice");
            assert!(busy.insert((round, meeting.a)));
            assert!(meeting.a == meeting.b || busy.insert((round, meeting.b)));
        }
        assert!((0..blocks).all(|b| (0..=b).all(|a| met.contains(&(a, b)))));
    }
}
