//! The values of all variants on one part of a base dataset, in both readings.

use clmatch_kernels::Stop;
use clmatch_truth::techniques::stratified;
use rand::RngExt;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;

use super::conditions::{CONDITIONS, DIMENSIONS, Size, Test};
use crate::bench::Base;
use crate::failure::Failure;
use crate::reading::Reading;
use clmatch_analysis::calibration::gaussians::Sample;
use clmatch_analysis::calibration::variants::{Variant, statistics};

/// The number of label shuffles over which the authors' worst case of DI is averaged.
const SHUFFLES: usize = 20;
/// The number of closest and farthest pairs that are kept for the shuffles: one of them nearly always decides.
const ENDS: usize = 64;

/// A variant that can be computed, with its growth rate if it has R.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contender {
    pub(super) variant: Variant,
    k: f64,
    rule: Rule,
}

/// What the authors' program does differently from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    AsDefined,
    /// DB without protocols becomes 1/DB.
    Inverse,
    /// The worst case of DI with R becomes the mean over shuffled labels.
    ShuffledWorst,
}

/// The variants that can be computed; those with R need a growth rate.
pub(super) fn contenders(reading: Reading) -> Vec<Contender> {
    let of = |variant: Variant| {
        let (stands_for, rule) = match (reading, variant.name().as_str()) {
            (Reading::Authors, "DB") => (variant, Rule::Inverse),
            (Reading::Authors, "DI R") => (variant, Rule::ShuffledWorst),
            (Reading::Authors, "XB R") => (Variant::find("II R").unwrap_or(variant), Rule::AsDefined),
            _ => (variant, Rule::AsDefined),
        };
        match (variant.protocols.r, stands_for.growth()) {
            (false, _) => Some(Contender { variant, k: f64::NAN, rule }),
            (true, k) => k.map(|k| Contender { variant, k: k.value, rule }),
        }
    };
    Variant::all().into_iter().filter_map(of).collect()
}

impl Contender {
    /// The variant that is computed in place of this one.
    fn computed(self, reading: Reading) -> Variant {
        match (reading, self.variant.name().as_str()) {
            (Reading::Authors, "XB R") => Variant::find("II R").unwrap_or(self.variant),
            _ => self.variant,
        }
    }
}

/// The values of one dataset, by test, condition and variant.
pub(super) type Values = Vec<[Vec<f64>; CONDITIONS]>;

/// Computes the values on the parts of a base dataset for all conditions of both tests.
pub(super) fn values(
    base: &Base,
    contenders: &[Contender],
    reading: Reading,
    stop: &Stop,
) -> Result<Values, Failure> {
    let sample = base.sample(DIMENSIONS);
    let mut random = base.source.choices();
    let mut all = Vec::new();
    for test in Test::ALL {
        let mut of_test: [Vec<f64>; CONDITIONS] = Default::default();
        for (values, size) in of_test.iter_mut().zip(test.sizes(&mut random)) {
            stop.check()?;
            let part = part(&sample, size, reading, &mut random);
            *values = of_part(&part, contenders, reading, &mut random)?;
        }
        all.push(of_test);
    }
    Ok(all)
}

/// Draws some of the points, keeping the shares of the classes or not, depending on the reading.
fn part(sample: &Sample, size: Size, reading: Reading, random: &mut ChaCha8Rng) -> Sample {
    let labels = sample.labels();
    let points = match reading {
        Reading::Text => stratified(labels, size.points, random.random()),
        Reading::Authors => index::sample(random, labels.len(), size.points).into_vec(),
    };
    sample.part(&points, size.dimensions)
}

fn of_part(
    part: &Sample,
    contenders: &[Contender],
    reading: Reading,
    random: &mut ChaCha8Rng,
) -> Result<Vec<f64>, Failure> {
    let computed: Vec<Variant> = contenders.iter().map(|one| one.computed(reading)).collect();
    let statistics = statistics(&part.classes()?, &computed)?;
    let view = statistics.whole();
    let mut values = Vec::with_capacity(contenders.len());
    for (contender, variant) in contenders.iter().zip(computed) {
        values.push(match contender.rule {
            Rule::AsDefined => variant.value(&view, contender.k),
            Rule::Inverse => 1.0 / variant.value(&view, contender.k),
            Rule::ShuffledWorst => {
                let own = variant.form(&view).value;
                let worst = ClosestAndFarthest::of(part).shuffled(part.labels(), random);
                rescaled(own, &worst, contender.k)
            }
        });
    }
    Ok(values)
}

/// `(L - E)/(1 - E)` in double precision, where L is the logistic function of `k` times the value and E is its mean over
/// the worst cases. If both are 1 to the last digit, they cannot be told apart, and the result is 0.
fn rescaled(value: f64, worst: &[f64], k: f64) -> f64 {
    let logistic = |value: f64| 1.0 / (1.0 + (-k * value).exp());
    let expected = worst.iter().map(|&value| logistic(value)).sum::<f64>() / worst.len() as f64;
    if expected < 1.0 { (logistic(value) - expected) / (1.0 - expected) } else { 0.0 }
}

/// The closest and farthest pairs of points, which determine DI for any labels.
struct ClosestAndFarthest {
    closest: Vec<TwoPoints>,
    farthest: Vec<TwoPoints>,
}

#[derive(Debug, Clone, Copy)]
struct TwoPoints {
    square: f64,
    ends: [u32; 2],
}

impl ClosestAndFarthest {
    /// Time: O(n^2 d).
    fn of(part: &Sample) -> ClosestAndFarthest {
        let count = part.labels().len();
        let mut pairs = Vec::with_capacity(count * (count - 1) / 2);
        for x in 0..count {
            for y in 0..x {
                let square = part.point(x).iter().zip(part.point(y)).map(|(a, b)| (a - b) * (a - b)).sum();
                pairs.push(TwoPoints { square, ends: [x as u32, y as u32] });
            }
        }
        let upward = |a: &TwoPoints, b: &TwoPoints| a.square.total_cmp(&b.square);
        let ends = ENDS.min(pairs.len());
        let least = |pairs: &mut Vec<TwoPoints>,
                     order: &dyn Fn(&TwoPoints, &TwoPoints) -> std::cmp::Ordering| {
            if ends < pairs.len() {
                pairs.select_nth_unstable_by(ends, order);
            }
            let mut found = pairs[..ends].to_vec();
            found.sort_by(order);
            found
        };
        let closest = least(&mut pairs, &upward);
        let farthest = least(&mut pairs, &|a, b| upward(b, a));
        ClosestAndFarthest { closest, farthest }
    }

    /// DI for the labels after each of [`SHUFFLES`] shuffles.
    fn shuffled(&self, labels: &[u32], random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut labels = labels.to_vec();
        let shuffle = |_| {
            labels.shuffle(random);
            self.dunn(&labels)
        };
        (0..SHUFFLES).map(shuffle).collect()
    }

    /// DI for some labels; if none of the kept pairs decides, the last one stands for those behind it.
    fn dunn(&self, labels: &[u32]) -> f64 {
        let same = |pair: &TwoPoints| labels[pair.ends[0] as usize] == labels[pair.ends[1] as usize];
        let apart = self.closest.iter().find(|pair| !same(pair)).or(self.closest.last());
        let wide = self.farthest.iter().find(|pair| same(pair)).or(self.farthest.last());
        let (apart, wide) = (apart.map_or(0.0, |pair| pair.square), wide.map_or(0.0, |pair| pair.square));
        if wide > 0.0 { (apart / wide).sqrt() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use clmatch_analysis::calibration::gaussians::{Source, TwoGaussians};

    const SOURCE: Source = Source { seed: 1, number: 1 };

    fn sample() -> Sample {
        TwoGaussians::draw(SOURCE).sample(60, 5, SOURCE)
    }

    #[test]
    fn di_from_the_ends_is_di() {
        let part = sample();
        let di = Variant::find("DI").unwrap();
        let statistics = statistics(&part.classes().unwrap(), &[di]).unwrap();
        let found = ClosestAndFarthest::of(&part).dunn(part.labels());
        let expected = di.value(&statistics.whole(), f64::NAN);
        // The closest pairs of different classes may lie behind those that are kept, but not with so few points.
        assert!((found / expected - 1.0).abs() < 1e-9 || found < expected, "{found} {expected}");
        let shuffled =
            ClosestAndFarthest::of(&part).shuffled(part.labels(), &mut ChaCha8Rng::seed_from_u64(1));
        assert!(shuffled.len() == SHUFFLES && shuffled.iter().all(|&di| di > 0.0 && di < 1.0));
    }

    #[test]
    fn the_authors_rules_change_three_variants_and_the_sample() {
        let whole = sample();
        let of = |reading| {
            let contenders = contenders(reading);
            let values = of_part(&whole, &contenders, reading, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
            contenders.iter().map(|one| one.variant.name()).zip(values).collect::<Vec<_>>()
        };
        let (text, authors) = (of(Reading::Text), of(Reading::Authors));
        let differ: Vec<&str> =
            text.iter().zip(&authors).filter(|(a, b)| a.1 != b.1).map(|(a, _)| a.0.as_str()).collect();
        assert_eq!(differ, ["DI R", "XB R", "DB"]);
        let find = |list: &[(String, f64)], name: &str| list.iter().find(|one| one.0 == name).unwrap().1;
        assert_eq!(find(&authors, "XB R"), find(&authors, "II R"));
        assert_eq!(find(&authors, "DB"), 1.0 / find(&text, "DB"));
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let size = Size { points: 30, dimensions: 3 };
        let firsts = |reading, random: &mut ChaCha8Rng| {
            let drawn = part(&whole, size, reading, random);
            drawn.labels().iter().filter(|&&label| label == 0).count()
        };
        let text: Vec<usize> = (0..8).map(|_| firsts(Reading::Text, &mut random)).collect();
        let authors: Vec<usize> = (0..8).map(|_| firsts(Reading::Authors, &mut random)).collect();
        assert!(
            text.iter().all(|&count| count == text[0]) && authors.iter().any(|&count| count != authors[0])
        );
    }

    #[test]
    fn the_range_by_hand() {
        // The logistic function of 0 is 1/2: the result is twice what lies above it.
        assert!((rescaled(1.0, &[0.0], 1.0) - (2.0 / (1.0 + (-1.0_f64).exp()) - 1.0)).abs() < 1e-12);
        assert_eq!(rescaled(1.0, &[1.0], 1000.0), 0.0);
    }
}
