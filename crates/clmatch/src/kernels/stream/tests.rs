//! Compares with the slow twins, on ordinary and hostile data, for every instruction set and route.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use clmatch_kernels::simd::Level;

use super::{MomentRequest, Moments, Origin, Route, SQUARE, compute, each_pair, moments};
use crate::kernels::frame::Frame;
use crate::kernels::moments::{ClassMoments, Spread};
use crate::kernels::twins as slow;
use crate::{Classes, Labels, Points};

/// The relative error by which fast and slow kernels may differ.
const TOLERANCE: f64 = 1e-9;
/// The error of a standard deviation, relative to its mean.
const FLOOR: f64 = 1e-13;
/// The rounding of coordinates, relative to the spread of the whole dataset.
const GRAIN: f64 = 2e-15;
const ALL: MomentRequest = MomentRequest { whole: true, pairs: true, roots: true, eta: true };
const SQUARES: MomentRequest = MomentRequest { whole: true, pairs: true, roots: false, eta: true };

/// A dataset in memory.
#[derive(Debug, Clone)]
struct Data {
    values: Vec<f64>,
    features: usize,
    codes: Vec<usize>,
}

impl Data {
    /// Gaussian-like classes of about `size` points each, in random order, `gap` apart.
    fn new(seed: u64, classes: usize, size: usize, features: usize, gap: f64) -> Data {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let centres: Vec<f64> =
            (0..classes * features).map(|_| gap * random.random_range(-1.0..1.0)).collect();
        // Two points of every class first, so that every class occurs.
        let mut codes: Vec<usize> = (0..2 * classes).map(|row| row % classes).collect();
        codes.extend((2 * classes..size * classes).map(|_| random.random_range(0..classes)));
        let values = codes
            .iter()
            .flat_map(|&code| (0..features).map(move |f| (code, f)))
            .map(|(code, f)| {
                let noise: f64 = (0..4).map(|_| random.random_range(-1.0..1.0)).sum();
                centres[code * features + f] + noise
            })
            .collect();
        Data { values, features, codes }
    }

    fn map(mut self, change: impl Fn(usize, f64) -> f64) -> Data {
        for (index, value) in self.values.iter_mut().enumerate() {
            *value = change(index, *value);
        }
        self
    }

    fn classes(&self) -> Classes<'_> {
        Classes::new(Points::new(&self.values, self.features).unwrap(), &Labels::encode(&self.codes)).unwrap()
    }
}

/// The slow twin of [`Moments`].
struct Twin {
    classes: ClassMoments,
    whole: Spread,
    pairs: Vec<Spread>,
    eta: Vec<f64>,
    unit: f64,
}

fn twin(classes: &Classes<'_>) -> Twin {
    let origin = Origin::exact(classes);
    let frame = Frame::new(classes, &origin);
    let of_classes = slow::classes(&frame);
    let everyone: Vec<usize> = (0..classes.n_classes()).collect();
    Twin {
        whole: slow::spread(&frame, &of_classes, &everyone),
        pairs: classes.pairs().map(|(i, j)| slow::spread(&frame, &of_classes, &[i, j])).collect(),
        eta: classes.pairs().map(|(i, j)| slow::eta(&frame, &of_classes, i, j)).collect(),
        classes: of_classes,
        unit: origin.unit,
    }
}

/// Whether `fast` agrees with `slow`, within the relative tolerance or within `floor`.
fn near(fast: f64, slow: f64, floor: f64) -> bool {
    (fast - slow).abs() <= TOLERANCE * slow.abs() + floor
}

fn agrees(fast: &Moments, slow: &Twin, wanted: MomentRequest) {
    let ratio = fast.origin.unit / slow.unit;
    let square = ratio * ratio;
    // Coordinates in the frame of the slow twin are rounded to this.
    let grain = GRAIN * slow.whole.total.sqrt();
    let of_square = |value: f64| grain * (value.sqrt() + grain);
    for (index, (&a, &b)) in fast.classes.variances.iter().zip(&slow.classes.variances).enumerate() {
        assert!(near(a * square, b, of_square(b)), "variance {index}: {:e} {b:e}", a * square);
    }
    for (index, (&a, &b)) in fast.classes.gaps.iter().zip(&slow.classes.gaps).enumerate() {
        assert!(near(a * square, b, of_square(b)), "gap {index}: {:e} {b:e}", a * square);
    }
    for (index, (&a, &b)) in fast.classes.radii.iter().zip(&slow.classes.radii).enumerate() {
        assert!(near(a * ratio, b, grain), "radius {index}: {:e} {b:e}", a * ratio);
    }
    assert_eq!(fast.classes.radii.len(), if wanted.roots { slow.classes.radii.len() } else { 0 });
    let check = |name: &str, a: &Spread, b: &Spread| {
        assert!(
            near(a.total * square, b.total, of_square(b.total)),
            "{name} T: {:e} {b:?}",
            a.total * square
        );
        let floor = FLOOR * b.total + of_square(b.total);
        assert!(near(a.s2 * square, b.s2, floor), "{name} s2: {:e} {b:?}", a.s2 * square);
        if wanted.roots {
            assert!(near(a.radius * ratio, b.radius, grain), "{name} radius: {:e} {b:?}", a.radius * ratio);
            let floor = FLOOR * b.radius + grain;
            assert!(near(a.s1 * ratio, b.s1, floor), "{name} s1: {:e} {b:?}", a.s1 * ratio);
        } else {
            assert!(a.s1.is_nan() && a.radius.is_nan());
        }
    };
    check("whole", fast.whole.as_ref().unwrap(), &slow.whole);
    assert_eq!(fast.pairs.len(), slow.pairs.len());
    for (index, (a, b)) in fast.pairs.iter().zip(&slow.pairs).enumerate() {
        check(&format!("pair {index}"), a, b);
    }
    assert_eq!(fast.eta.len(), slow.eta.len());
    for (index, (&a, &b)) in fast.eta.iter().zip(&slow.eta).enumerate() {
        let size = slow.pairs[index].total.sqrt();
        let floor = 1e-12 + 10.0 * grain / size.max(grain).max(f64::MIN_POSITIVE);
        assert!(near(a, b, floor) || a.is_nan() && b.is_nan(), "eta of pair {index}: {a:e} {b:e}");
    }
}

/// Compares all routes and instruction sets with the slow twin.
fn agrees_everywhere(data: &Data) {
    let classes = data.classes();
    let slow = twin(&classes);
    for level in Level::ALL {
        for origin in [None, Some(Origin::exact(&classes))] {
            agrees(&compute(&classes, origin.clone(), ALL, level, None), &slow, ALL);
            for route in [Route::Scatter, Route::Table] {
                let fast = compute(&classes, origin.clone(), SQUARES, level, Some(route));
                agrees(&fast, &slow, SQUARES);
            }
        }
    }
}

/// A random distortion of the data; with `strength` 0 they stay as they are.
#[derive(Debug, Clone, Copy)]
enum Hostility {
    None,
    Tight(f64),
    Outlier(f64),
    Constant,
    Duplicates,
    Sphere,
    Unequal(f64),
}

fn hostility() -> impl Strategy<Value = Hostility> {
    prop_oneof![
        Just(Hostility::None),
        (1.0..9.0).prop_map(|power: f64| Hostility::Tight(10.0_f64.powf(-power))),
        (1.0..9.0).prop_map(|power: f64| Hostility::Outlier(10.0_f64.powf(power))),
        Just(Hostility::Constant),
        Just(Hostility::Duplicates),
        Just(Hostility::Sphere),
        (0.0..6.0).prop_map(|power: f64| Hostility::Unequal(10.0_f64.powf(power))),
    ]
}

impl Hostility {
    fn apply(self, mut data: Data) -> Data {
        let features = data.features;
        let codes = data.codes.clone();
        match self {
            Hostility::None => data,
            // Class c at its centre, shrunk.
            Hostility::Tight(share) => data.map(|index, value| {
                let code = codes[index / features];
                ((code * 31 + index % features) % 17) as f64 + value * share
            }),
            Hostility::Outlier(size) => {
                let row = data.codes.len() / 2;
                data.values[row * features] = size;
                data
            }
            Hostility::Constant => data.map(|index, value| if index % features == 0 { 0.1 } else { value }),
            Hostility::Duplicates => data.map(|_, value| value.round()),
            Hostility::Sphere => {
                for row in data.values.chunks_exact_mut(features) {
                    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-9);
                    row.iter_mut().for_each(|x| *x /= length);
                }
                data
            }
            Hostility::Unequal(ratio) => data.map(|index, value| match codes[index / features] {
                0 => value * ratio,
                _ => value,
            }),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(0x5EED), ..ProptestConfig::default() })]

    #[test]
    fn fast_kernels_agree_with_slow_ones(
        seed in any::<u64>(), classes in 2_usize..12, size in 2_usize..90, features in 1_usize..40,
        gap in 0.0_f64..30.0, hostility in hostility(),
    ) {
        agrees_everywhere(&hostility.apply(Data::new(seed, classes, size, features, gap)));
    }

    #[test]
    fn scale_and_offset_do_not_matter(
        seed in any::<u64>(), classes in 2_usize..6, features in 1_usize..20, power in -150_i32..150,
    ) {
        // Small integers and a power of two, so that scaled and shifted data are exact.
        let data = Data::new(seed, classes, 30, features, 5.0).map(|_, value| (value * 16.0).round());
        let scale = 2.0_f64.powi((f64::from(power) / 2.0_f64.log10()) as i32);
        let offset = data.clone().map(|index, value| value + 1e8 * (index % features + 1) as f64);
        for (changed, factor) in [(data.clone().map(|_, value| value * scale), scale), (offset, 1.0)] {
            for wanted in [ALL, SQUARES] {
                let mut plain = twin(&data.classes());
                plain.unit *= factor;
                agrees(&moments(&changed.classes(), None, wanted), &plain, wanted);
            }
        }
    }
}

#[test]
fn shapes_at_the_edges_agree() {
    let shapes = [(2, 2, 1), (2, 3, 1), (90, 3, 3), (130, 4, 9), (3, 5, 700), (2, 2000, 64), (20, 300, 8)];
    // Up to seven blocks of eight features, which need tiles of every width.
    let widths = [(2, 150, 16), (3, 100, 23), (2, 140, 25), (2, 70, 40), (3, 65, 48), (2, 130, 55)];
    for (classes, size, features) in shapes.into_iter().chain(widths) {
        agrees_everywhere(&Data::new(7, classes, size, features, 1.0));
    }
}

#[test]
fn a_point_far_away_does_not_blind_the_other_classes() {
    // Integers, so that differences are exact wherever the data lie: two classes without the point, compared with the moments
    // that they have alone.
    let plain = Data::new(29, 3, 40, 9, 3.0).map(|_, value| (value * 4096.0).round());
    let others: Vec<usize> = (0..plain.codes.len()).filter(|&row| plain.codes[row] != 0).collect();
    let alone = Data {
        values: others.iter().flat_map(|row| plain.values[row * 9..(row + 1) * 9].to_vec()).collect(),
        features: 9,
        codes: others.iter().map(|&row| plain.codes[row]).collect(),
    };
    let expected = moments(&alone.classes(), None, ALL);
    for (far, offset) in [(1e15, 0.0), (1e15, 1e9), (-4e15, 1e11), (1e60, 0.0)] {
        let mut data = plain.clone();
        data.values[0] = far;
        let data = data.map(|_, value| value + offset);
        for (origin, level) in [None, Some(Origin::exact(&data.classes()))]
            .into_iter()
            .zip(Level::ALL.into_iter().filter(|level| level.available()))
        {
            let found = compute(&data.classes(), origin, ALL, level, None);
            let unit = found.origin.unit / expected.origin.unit;
            let close = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * b.abs();
            let (gap, pair) = (found.classes.gaps[5], &found.pairs[2]);
            assert!(close(gap * unit * unit, expected.classes.gaps[1]), "{far:e} {offset:e}: gap {gap:e}");
            assert!(close(pair.s2 * unit * unit, expected.pairs[0].s2), "{far:e} {offset:e}: {pair:?}");
            assert!(close(pair.s1 * unit, expected.pairs[0].s1), "{far:e} {offset:e}: {pair:?}");
            assert!(close(found.eta[2], expected.eta[0]), "{far:e} {offset:e}: eta {}", found.eta[2]);
        }
    }
}

#[test]
fn classes_of_one_point_have_moments() {
    let mut data = Data::new(1, 3, 9, 5, 2.0);
    data.codes[0] = 3;
    let classes = data.classes();
    agrees(&moments(&classes, None, ALL), &twin(&classes), ALL);
}

#[test]
fn many_rows_agree() {
    for hostility in [Hostility::None, Hostility::Sphere, Hostility::Tight(1e-7), Hostility::Outlier(1e8)] {
        agrees_everywhere(&hostility.apply(Data::new(3, 5, 8_000, 12, 1.0)));
    }
}

/// One task, and two from 512 KiB on, three thirds of which are four; more rows of a class than a slice has, with few enough
/// classes that rows are cut into windows, and with more, so that they are cut by class; more features than a task can keep.
#[test]
fn every_way_to_cut_rows_into_tasks_agrees() {
    for (classes, size, features) in [
        (2, 32_767, 1),
        (2, 32_768, 1),
        (3, 16_384, 2),
        (62, 300, 2),
        (63, 300, 2),
        (66, 300, 2),
        (2, 20, 190),
    ] {
        let mut data = Data::new(31, classes, size, features, 1.0);
        let rows = data.codes.len();
        if classes > 3 {
            // Half of all rows are in one class, scattered over the data.
            (2 * classes..rows).filter(|row| row % 7 < 3).for_each(|row| data.codes[row] = 5);
        }
        assert!(classes < 4 || data.codes.iter().filter(|&&code| code == 5).count() > 4096);
        agrees_everywhere(&data);
    }
}

#[test]
fn pairs_come_in_their_order_however_tables_are_walked() {
    for count in [0, 1, 2, SQUARE + 1, SQUARE * SQUARE, SQUARE * SQUARE + 1, SQUARE * (SQUARE + 1)] {
        let in_order = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
        assert!(each_pair(count, |i, j| (i, j)).into_iter().eq(in_order), "{count}");
    }
}

#[test]
fn extreme_numbers_stay_finite() {
    let plain = Data::new(11, 3, 20, 4, 3.0);
    for scale in [1e-320, 1e-300, 1e-150, 1e150, 1e300, 2e307] {
        let data = plain.clone().map(|_, value| value * scale);
        let (fast, slow) = (moments(&data.classes(), None, ALL), moments(&plain.classes(), None, ALL));
        for (a, b) in fast.pairs.iter().zip(&slow.pairs) {
            // Numbers below 1e-308 have fewer digits.
            let tolerance = if scale < 1e-310 { 1e-2 } else { 1e-9 };
            assert!(
                (a.total / a.s2 - b.total / b.s2).abs() <= tolerance * b.total / b.s2,
                "{scale:e}: {a:?} {b:?}"
            );
            assert!((a.radius / a.s1 - b.radius / b.s1).abs() <= tolerance * b.radius / b.s1, "{scale:e}");
        }
    }
    for values in
        [vec![f64::MAX, -f64::MAX, 0.0, 1.0], vec![5e-324, 0.0, 1e-323, 0.0], vec![0.0; 4], vec![7.0; 4]]
    {
        let data = Data { values, features: 1, codes: vec![0, 0, 1, 1] };
        let fast = moments(&data.classes(), None, ALL);
        assert!(fast.pairs.iter().all(|pair| pair.total.is_finite() && pair.s1.is_finite()));
    }
}

#[test]
fn a_sample_that_misses_the_point_is_made_up_for() {
    // Nearly all points coincide; the rest are far away and in no sample.
    let mut data = Data::new(5, 2, 2_000, 3, 0.0).map(|_, _| 1.0);
    for (index, value) in data.values[3001..3013].iter_mut().enumerate() {
        *value = 1e200 * (index as f64 - 4.0);
    }
    let classes = data.classes();
    agrees(&moments(&classes, None, ALL), &twin(&classes), ALL);
    agrees(&moments(&classes, None, SQUARES), &twin(&classes), SQUARES);
}

#[test]
fn single_precision_is_read_as_it_is() {
    for (size, features) in [(700, 21), (90, 77)] {
        let data = Data::new(9, 4, size, features, 2.0).map(|_, value| f64::from(value as f32));
        let single: Vec<f32> = data.values.iter().map(|&value| value as f32).collect();
        let labels = Labels::encode(&data.codes);
        let classes = Classes::new(Points::new(&single, data.features).unwrap(), &labels).unwrap();
        let slow = twin(&data.classes());
        for level in Level::ALL {
            agrees(&compute(&classes, None, ALL, level, None), &slow, ALL);
            agrees(&compute(&classes, None, SQUARES, level, Some(Route::Scatter)), &slow, SQUARES);
        }
    }
}

#[test]
fn dropped_rows_do_not_count() {
    let data = Data::new(13, 4, 400, 6, 2.0);
    let labels = Labels::encode(&data.codes);
    let points = Points::new(&data.values, data.features).unwrap();
    let classes = Classes::with(points, &labels, Some("2"), crate::Singletons::Keep).unwrap();
    agrees(&moments(&classes, None, ALL), &twin(&classes), ALL);
    agrees(&moments(&classes, None, SQUARES), &twin(&classes), SQUARES);
}

fn bits(moments: &Moments) -> Vec<u64> {
    let spread = |s: &Spread| [s.total, s.s2, s.radius, s.s1];
    let classes = &moments.classes;
    let of_classes =
        classes.centroids.iter().chain(&classes.variances).chain(&classes.radii).chain(&classes.gaps);
    let of_sets = moments.pairs.iter().chain(&moments.whole).flat_map(spread);
    of_classes.copied().chain(of_sets).chain(moments.eta.iter().copied()).map(f64::to_bits).collect()
}

#[test]
fn threads_do_not_change_a_bit() {
    for (classes, size, features) in [(3, 9_000, 10), (80, 300, 5), (4, 2, 3)] {
        let data = Data::new(17, classes, size, features, 1.0);
        let classes = data.classes();
        for (wanted, route) in [(ALL, Route::Table), (SQUARES, Route::Scatter), (SQUARES, Route::Table)] {
            for origin in [None, Some(Origin::exact(&classes))] {
                let run = |threads: usize| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| compute(&classes, origin.clone(), wanted, Level::best(), Some(route)))
                };
                let one = bits(&run(1));
                assert!([2, 3, 8].iter().all(|&threads| bits(&run(threads)) == one));
            }
        }
    }
}

#[test]
fn instruction_sets_with_fused_multiply_add_agree_to_the_bit() {
    let data = Data::new(19, 5, 500, 37, 1.0);
    let classes = data.classes();
    for (wanted, route) in [(ALL, Route::Table), (SQUARES, Route::Scatter)] {
        let results: Vec<_> = Level::ALL
            .into_iter()
            .filter(|&level| level != Level::Portable)
            .map(|level| bits(&compute(&classes, None, wanted, level, Some(route))))
            .collect();
        assert!(results.windows(2).all(|two| two[0] == two[1]));
    }
}

#[test]
fn exact_origin_centres_far_features_and_is_just_wide_enough() {
    for scale in [1e-300, 1.0, 1e300] {
        // The first feature lies around 0, the others farther and farther away.
        let far = |index: usize| [0.0, 30.0, 1e3, -1e6][index % 4];
        let data = Data::new(23, 3, 50, 4, 2.0).map(|index, value| (value + far(index)) * scale);
        let origin = Origin::exact(&data.classes());
        for (f, centre) in origin.centre.iter().enumerate() {
            let feature = || data.values[f..].iter().step_by(4).copied();
            let (low, high) =
                (feature().fold(f64::INFINITY, f64::min), feature().fold(-f64::INFINITY, f64::max));
            let expected = if f == 0 { 0.0 } else { low / 2.0 + high / 2.0 };
            assert!((centre - expected).abs() <= 1e-15 * expected.abs(), "{centre} {expected}");
        }
        let deviations =
            data.values.iter().enumerate().map(|(index, value)| value - origin.centre[index % 4]);
        let largest = deviations.fold(0.0, |largest: f64, value| largest.max(value.abs()));
        assert!(largest <= origin.unit && 2.0 * largest >= origin.unit, "{largest:e} {:e}", origin.unit);
        assert_eq!(origin.unit.to_bits() << 12, 0, "a power of two");
    }
}
