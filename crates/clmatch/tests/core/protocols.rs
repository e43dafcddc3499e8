//! The thirty variants of the paper's ablation, each compared with the table of its form, written out naively.

use clmatch::calibration::GrowthRate;
use clmatch::measure::{CalinskiHarabasz, DaviesBouldin, Dunn, IIndex, Silhouette, XieBeni, find};
use clmatch::protocol::{
    BaseMeasure, DatasetMeasure, Max, Mean, Min, OverPairs, TakesT1, TakesT2, TakesT3, TakesT4, Variant,
};

use crate::datasets::{Dataset, random, relative};
use crate::twins::{self, Pair};
use rand::seq::SliceRandom;

/// Allows for the same sums in two orders.
const TWIN: f64 = 1e-9;
/// Allows for the geometric median being found by iteration.
const MEDIAN: f64 = 1e-7;
/// Allows for two samples, of 100 and of 2000 relabellings.
const MONTE_CARLO: f64 = 0.01;

fn examples() -> Vec<Dataset> {
    vec![Dataset::blobs(1, &[9, 14], 3, 1.5), Dataset::blobs(2, &[20, 5], 2, 0.7)]
}

fn assert_variant<M: DatasetMeasure>(
    name: &str,
    variant: Variant<M>,
    dataset: &Dataset,
    expected: f64,
    tolerance: f64,
) {
    let score = dataset.with_classes(|classes| variant.evaluate(classes).unwrap());
    assert!(score.pairs.is_empty());
    assert!(relative(score.value, expected) < tolerance, "{name}: {} is not {expected}", score.value);
}

/// R if the worst case is 0.
fn from_zero(k: GrowthRate, value: f64) -> f64 {
    (k.value * value / 2.0).tanh()
}

/// R in general.
fn from_worst(k: GrowthRate, value: f64, worst: f64) -> f64 {
    let (l, e) = (twins::logistic(k.value * value), twins::logistic(k.value * worst));
    (l - e) / (1.0 - e)
}

fn pair(dataset: &Dataset) -> Pair {
    let groups = twins::groups(dataset);
    Pair::new(&groups[0], &groups[1])
}

#[test]
fn eight_variants_of_ch() {
    for dataset in &examples() {
        let pair = pair(dataset);
        let ch = twins::calinski_harabasz(&twins::groups(dataset));
        let ch_1 = ch / (pair.total() - 2.0);
        let zez = pair.z * pair.z.exp();
        let (sized, base) = (pair.total() * zez, CalinskiHarabasz);
        assert_variant("CH", base.plain(), dataset, ch, TWIN);
        assert_variant("CH R", base.t4(GrowthRate::CH_R), dataset, from_zero(GrowthRate::CH_R, ch), TWIN);
        assert_variant("CH D", base.t1(), dataset, ch_1, TWIN);
        assert_variant(
            "CH DR",
            base.t1().t4(GrowthRate::CH_DR),
            dataset,
            from_zero(GrowthRate::CH_DR, ch_1),
            TWIN,
        );
        assert_variant("CH S", base.t2(), dataset, sized, TWIN);
        assert_variant(
            "CH SR",
            base.t2().t4(GrowthRate::CH_SR),
            dataset,
            from_zero(GrowthRate::CH_SR, sized),
            TWIN,
        );
        assert_variant("CH DS", base.t1().t2(), dataset, zez, TWIN);
        assert_variant(
            "CH DSR",
            base.t1().t2().t4(GrowthRate::CH),
            dataset,
            from_zero(GrowthRate::CH, zez),
            TWIN,
        );
    }
}

#[test]
fn eight_variants_of_di() {
    for dataset in &examples() {
        let (pair, groups) = (pair(dataset), twins::groups(dataset));
        let (apart, wide) = (twins::separation(&groups), twins::diameter(&groups));
        let shifted = ((apart - wide) / pair.s1).exp();
        let (b, m, g, p) = (pair.between(), pair.wider(), pair.to_median(), Pair::within(&pair.all()));
        let (mean, worst) = (((b - m) / pair.s1).exp(), ((g - p) / pair.s1).exp());
        assert_variant("DI", Dunn.plain(), dataset, apart / wide, TWIN);
        assert_variant(
            "DI R",
            Dunn.t4(GrowthRate::DI_R),
            dataset,
            from_zero(GrowthRate::DI_R, apart / wide),
            TWIN,
        );
        assert_variant("DI S", Dunn.t2(), dataset, shifted, TWIN);
        assert_variant(
            "DI SR",
            Dunn.t2().t4(GrowthRate::DI_SR),
            dataset,
            from_zero(GrowthRate::DI_SR, shifted),
            TWIN,
        );
        assert_variant("DI D", Dunn.t1(), dataset, b / m, TWIN);
        assert_variant(
            "DI DR",
            Dunn.t1().t4(GrowthRate::DI_DR),
            dataset,
            from_worst(GrowthRate::DI_DR, b / m, g / p),
            MEDIAN,
        );
        assert_variant("DI DS", Dunn.t1().t2(), dataset, mean, TWIN);
        assert_variant(
            "DI DSR",
            Dunn.t1().t2().t4(GrowthRate::DI),
            dataset,
            from_worst(GrowthRate::DI, mean, worst),
            MEDIAN,
        );
    }
}

#[test]
fn four_variants_of_ii() {
    for dataset in &examples() {
        let (pair, ii) = (pair(dataset), twins::i_index(&twins::groups(dataset)));
        let shifted = pair.z.exp() * pair.gap.sqrt() / pair.s1;
        assert_variant("II", IIndex.plain(), dataset, ii, TWIN);
        assert_variant("II S", IIndex.t2(), dataset, shifted, TWIN);
        assert_variant(
            "II SR",
            IIndex.t2().t4(GrowthRate::XB),
            dataset,
            from_zero(GrowthRate::XB, shifted),
            TWIN,
        );

        // II R: the worst case is the mean over random labels. The library draws 100 of them; here another 2000 are drawn.
        let ranged = IIndex.t4(GrowthRate::II_R);
        let of = |dataset: &Dataset| dataset.with_classes(|c| ranged.evaluate(c).unwrap().value);
        let found = of(dataset);
        assert_eq!(found.to_bits(), of(dataset).to_bits(), "relabellings have a fixed seed");
        let mut labels = dataset.labels.clone();
        let mut random = random(99);
        let mut worst = 0.0;
        for _ in 0..2000 {
            labels.shuffle(&mut random);
            let relabelled = twins::i_index(&twins::groups(&dataset.relabelled(labels.clone())));
            worst += twins::logistic(GrowthRate::II_R.value * relabelled) / 2000.0;
        }
        let expected = (twins::logistic(GrowthRate::II_R.value * ii) - worst) / (1.0 - worst);
        assert!((found - expected).abs() < MONTE_CARLO, "II R: {found} is not about {expected}");
        assert!(found > 0.0 && found < 1.0);
    }
}

#[test]
fn four_variants_of_xb() {
    for dataset in &examples() {
        let pair = pair(dataset);
        let xb = twins::xie_beni(&twins::groups(dataset));
        let shifted = pair.z.exp() * pair.gap.sqrt() / pair.s1;
        assert!(relative(xb, pair.w / pair.gap) < TWIN);
        assert_variant("XB", XieBeni.plain(), dataset, xb, TWIN);
        assert_variant(
            "XB R",
            XieBeni.t4(GrowthRate::XB_R),
            dataset,
            from_zero(GrowthRate::XB_R, 1.0 / xb),
            TWIN,
        );
        assert_variant("XB S", XieBeni.t2(), dataset, shifted, TWIN);
        assert_variant(
            "XB SR",
            XieBeni.t2().t4(GrowthRate::XB),
            dataset,
            from_zero(GrowthRate::XB, shifted),
            TWIN,
        );
    }
}

#[test]
fn four_variants_of_db() {
    for dataset in &examples() {
        let (pair, db) = (pair(dataset), twins::davies_bouldin(&twins::groups(dataset)));
        assert_variant("DB", DaviesBouldin.plain(), dataset, db, TWIN);
        assert_variant(
            "DB R",
            DaviesBouldin.t4(GrowthRate::DB_R),
            dataset,
            from_zero(GrowthRate::DB_R, 1.0 / db),
            TWIN,
        );
        assert_variant("DB S", DaviesBouldin.t2(), dataset, pair.db_s(), TWIN);
        let expected = from_zero(GrowthRate::DB, pair.db_s());
        assert_variant("DB SR", DaviesBouldin.t2().t4(GrowthRate::DB), dataset, expected, TWIN);
    }
}

#[test]
fn two_variants_of_sc() {
    for dataset in &examples() {
        assert_variant("SC", Silhouette.plain(), dataset, twins::silhouette(&twins::groups(dataset)), TWIN);
        assert_variant("SC S", Silhouette.t2(), dataset, pair(dataset).sc_a(), TWIN);
    }
}

#[test]
fn t3_takes_the_mean_the_worst_or_the_best_pair() {
    let dataset = Dataset::blobs(3, &[8, 12, 10, 5], 3, 1.5);
    let of = |variant: Variant<CalinskiHarabasz, OverPairs>| {
        dataset.with_classes(|c| variant.evaluate(c).unwrap())
    };
    let ranged = CalinskiHarabasz.t1().t2().t4(GrowthRate::CH);
    let mut pairs = Vec::new();
    for i in 0..4 {
        pairs.extend((i + 1..4).map(|j| pair(&dataset.pair(i, j)).ch_a()));
    }
    let (mean, min, max) = (of(ranged.t3(Mean)), of(ranged.t3(Min)), of(ranged.t3(Max)));
    for (found, expected) in mean.pairs.iter().zip(&pairs) {
        assert!(relative(*found, *expected) < TWIN);
    }
    assert_eq!((&mean.pairs, &mean.pairs), (&min.pairs, &max.pairs));
    assert!(relative(mean.value, twins::mean(&pairs)) < TWIN);
    assert!(relative(min.value, pairs.iter().copied().fold(1.0, f64::min)) < TWIN);
    assert!(relative(max.value, pairs.iter().copied().fold(0.0, f64::max)) < TWIN);
    assert!(min.value < mean.value && mean.value < max.value);
    // T3 alone: a standard measure as the mean over its pairs.
    let alone = dataset.with_classes(|classes| Silhouette.t3(Mean).evaluate(classes).unwrap());
    let of_pair = |(i, j)| twins::silhouette(&twins::groups(&dataset.pair(i, j)));
    let expected = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(of_pair);
    assert!(relative(alone.value, twins::mean(&expected)) < TWIN);
}

#[test]
fn protocols_commute_and_the_registry_is_built_from_them() {
    let dataset = Dataset::blobs(4, &[8, 12, 10], 3, 1.5);
    fn value<M: BaseMeasure>(variant: Variant<M, OverPairs>, dataset: &Dataset) -> u64 {
        dataset.with_classes(|classes| variant.evaluate(classes).unwrap().value).to_bits()
    }
    let bits = |id: &str| dataset.evaluate(&[find(id).unwrap()]).scores[0].1.value.to_bits();
    let ch_a = CalinskiHarabasz.t1().t2().t4(GrowthRate::CH).t3(Mean);
    assert_eq!(ch_a, CalinskiHarabasz.t3(Mean).t4(GrowthRate::CH).t2().t1());
    assert_eq!(value(ch_a, &dataset), bits("ch_a"));
    assert_eq!(value(XieBeni.t2().t4(GrowthRate::XB).t3(Mean), &dataset), bits("xb_a"));
    assert_eq!(value(IIndex.t2().t4(GrowthRate::XB).t3(Mean), &dataset), bits("xb_a"));
    assert_eq!(value(DaviesBouldin.t2().t4(GrowthRate::DB).t3(Mean), &dataset), bits("db_a"));
    assert_eq!(value(Dunn.t1().t2().t4(GrowthRate::DI).t3(Mean), &dataset), bits("di_a"));
    assert_eq!(value(Silhouette.t2().t3(Mean), &dataset), bits("sc_a"));
}
