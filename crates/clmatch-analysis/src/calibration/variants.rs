//! The variants of the paper's ablation by name: each states which of the protocols D (T1), S (T2) and R (T4) a measure uses.
//!
//! `CH`, `CH D`, .., `CH DSR`. `CH DSR, unbiased` is the form of `ch_c`, and `DB SR, unbiased` that of `db_c`. All are
//! defined on two classes, as in the paper, so T3 has no part in them.

use clmatch::calibration::GrowthRate;
use clmatch::internals::{Needs, Plan, Statistics};
use clmatch::measure::{
    CalinskiHarabasz, DaviesBouldin, Dunn, IIndex, Silhouette, UnbiasedCalinskiHarabasz,
    UnbiasedDaviesBouldin, XieBeni,
};
use clmatch::protocol::{BaseMeasure, RawScore, Steps};
use clmatch::{Classes, Control, DataError, View};

use thiserror::Error;

/// A base measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// Calinski and Harabasz's index.
    Ch,
    /// Dunn's index.
    Di,
    /// The I index.
    Ii,
    /// Xie and Beni's index. Lower is better without protocols.
    Xb,
    /// Davies and Bouldin's index. Lower is better without protocols.
    Db,
    /// The silhouette coefficient.
    Sc,
}

impl Base {
    /// All of them, in the order of the paper.
    pub const ALL: [Base; 6] = [Base::Ch, Base::Di, Base::Ii, Base::Xb, Base::Db, Base::Sc];

    /// The name that the paper gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Base::Ch => "CH",
            Base::Di => "DI",
            Base::Ii => "II",
            Base::Xb => "XB",
            Base::Db => "DB",
            Base::Sc => "SC",
        }
    }

    /// The protocols that can be applied to it.
    pub const fn protocols(self) -> Protocols {
        match self {
            Base::Ch | Base::Di => Protocols { d: true, s: true, r: true },
            Base::Ii | Base::Xb | Base::Db => Protocols { d: false, s: true, r: true },
            Base::Sc => Protocols { d: false, s: true, r: false },
        }
    }

    /// All its variants, except the unbiased ones.
    pub fn variants(self) -> Vec<Variant> {
        let fit = Protocols::ALL.into_iter().filter(|protocols| protocols.within(self.protocols()));
        fit.map(|protocols| Variant { base: self, protocols, unbiased: false }).collect()
    }
}

/// Which protocols are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Protocols {
    /// T1, which removes the effect of the number of points.
    pub d: bool,
    /// T2, which removes the effect of shifts of distances.
    pub s: bool,
    /// T4, which sets the range.
    pub r: bool,
}

impl Protocols {
    /// All combinations, none first and all last, in the order in which the paper shows them.
    pub const ALL: [Protocols; 8] = [
        Protocols { d: false, s: false, r: false },
        Protocols { d: true, s: false, r: false },
        Protocols { d: false, s: true, r: false },
        Protocols { d: false, s: false, r: true },
        Protocols { d: true, s: true, r: false },
        Protocols { d: true, s: false, r: true },
        Protocols { d: false, s: true, r: true },
        Protocols { d: true, s: true, r: true },
    ];

    /// The letters of the protocols that are on, such as `DSR`; empty if all are off.
    pub fn letters(self) -> String {
        [(self.d, 'D'), (self.s, 'S'), (self.r, 'R')]
            .iter()
            .filter(|(on, _)| *on)
            .map(|(_, name)| name)
            .collect()
    }

    fn within(self, others: Protocols) -> bool {
        self.d <= others.d && self.s <= others.s && self.r <= others.r
    }
}

/// A measure with some protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    /// The measure.
    pub base: Base,
    /// The protocols that are on.
    pub protocols: Protocols,
    /// Whether scatter is estimated without bias, as in `ch_c` and `db_c`.
    pub unbiased: bool,
}

impl Variant {
    /// The 30 variants of the paper, measure by measure, and then the four unbiased ones.
    pub fn all() -> Vec<Variant> {
        let unbiased = |base, d, r| Variant { base, protocols: Protocols { d, s: true, r }, unbiased: true };
        let corrected = [
            unbiased(Base::Ch, true, false),
            unbiased(Base::Ch, true, true),
            unbiased(Base::Db, false, false),
            unbiased(Base::Db, false, true),
        ];
        Base::ALL.into_iter().flat_map(Base::variants).chain(corrected).collect()
    }

    /// The variant with a name.
    pub fn find(name: &str) -> Option<Variant> {
        Variant::all().into_iter().find(|variant| variant.name() == name)
    }

    /// Its name: `CH DSR`, or `DB SR, unbiased`.
    pub fn name(self) -> String {
        let letters = self.protocols.letters();
        let gap = if letters.is_empty() { "" } else { " " };
        let remark = if self.unbiased { ", unbiased" } else { "" };
        format!("{}{gap}{letters}{remark}", self.base.name())
    }

    /// Its known growth rate. With S, II and XB become one measure; `ch_c` takes the rate of CH_A, which it estimates.
    pub fn growth(self) -> Option<GrowthRate> {
        let name = match (self.base, self.protocols.s, self.unbiased) {
            (Base::Ii, true, _) => format!("XB {}", self.protocols.letters()),
            (Base::Ch, _, true) => format!("CH {}", self.protocols.letters()),
            _ => self.name(),
        };
        GrowthRate::ALL.into_iter().find(|k| k.variant == name)
    }

    /// The statistics that it needs.
    pub fn needs(self) -> Needs {
        let (steps, ranged) = (self.steps(), self.protocols.r);
        match (self.base, self.unbiased) {
            (Base::Ch, false) => CalinskiHarabasz.needs(steps, ranged),
            (Base::Ch, true) => UnbiasedCalinskiHarabasz.needs(steps, ranged),
            (Base::Db, false) => DaviesBouldin.needs(steps, ranged),
            (Base::Db, true) => UnbiasedDaviesBouldin.needs(steps, ranged),
            (Base::Di, _) => Dunn.needs(steps, ranged),
            (Base::Ii, _) => IIndex.needs(steps, ranged),
            (Base::Xb, _) => XieBeni.needs(steps, ranged),
            (Base::Sc, _) => Silhouette.needs(steps, ranged),
        }
    }

    /// The value that R is applied to, for which higher is better, together with its worst case.
    pub fn form(self, view: &View<'_>) -> RawScore {
        let steps = self.steps();
        match (self.base, self.unbiased) {
            (Base::Ch, false) => CalinskiHarabasz.raw_score(steps, view),
            (Base::Ch, true) => UnbiasedCalinskiHarabasz.raw_score(steps, view),
            (Base::Db, false) => DaviesBouldin.raw_score(steps, view),
            (Base::Db, true) => UnbiasedDaviesBouldin.raw_score(steps, view),
            (Base::Di, _) => Dunn.raw_score(steps, view),
            (Base::Ii, _) => IIndex.raw_score(steps, view),
            (Base::Xb, _) => XieBeni.raw_score(steps, view),
            (Base::Sc, _) => Silhouette.raw_score(steps, view),
        }
    }

    /// The value as it is defined: with R, its score at growth rate k; without R, the measure's own value, for which lower may be
    /// better.
    pub fn value(self, view: &View<'_>, k: f64) -> f64 {
        if self.protocols.r {
            return view.point_like().unwrap_or_else(|| self.form(view).rescale(k));
        }
        let steps = self.steps();
        match (self.base, self.unbiased) {
            (Base::Ch, false) => CalinskiHarabasz.value(steps, view),
            (Base::Ch, true) => UnbiasedCalinskiHarabasz.value(steps, view),
            (Base::Db, false) => DaviesBouldin.value(steps, view),
            (Base::Db, true) => UnbiasedDaviesBouldin.value(steps, view),
            (Base::Di, _) => Dunn.value(steps, view),
            (Base::Ii, _) => IIndex.value(steps, view),
            (Base::Xb, _) => XieBeni.value(steps, view),
            (Base::Sc, _) => Silhouette.value(steps, view),
        }
    }

    fn steps(self) -> Steps {
        Steps { d: self.protocols.d, s: self.protocols.s }
    }
}

/// Why variants have no value on a dataset.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum VariantError {
    /// The dataset cannot be scored, or the work was stopped.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Variants are defined on two classes.
    #[error("the dataset has {classes} classes, and the variants of the ablation are defined on 2")]
    NotTwo {
        /// How many it has.
        classes: usize,
    },
}

/// The statistics of two classes that some variants need, computed once; access them through [`Statistics::whole`].
///
/// # Errors
/// [`VariantError::NotTwo`] for any other number of classes; a class with a single point.
pub fn statistics(classes: &Classes<'_>, variants: &[Variant]) -> Result<Statistics, VariantError> {
    if classes.n_classes() != 2 {
        return Err(VariantError::NotTwo { classes: classes.n_classes() });
    }
    if let Some(class) = (0..classes.n_classes()).find(|&class| classes.size(class) == 1) {
        let class = classes.names()[class].clone();
        return Err(DataError::Singleton { class, measure: "a variant of the ablation" }.into());
    }
    let needs = variants.iter().fold(Needs::default(), |needs, variant| needs.union(variant.needs()));
    Ok(Statistics::compute(classes, Plan::whole(needs), Control::none()).map_err(DataError::from)?)
}

/// The forms of a dataset of two classes, one for each variant.
///
/// # Errors
/// The errors of [`statistics`].
pub fn forms(classes: &Classes<'_>, variants: &[Variant]) -> Result<Vec<RawScore>, VariantError> {
    let statistics = statistics(classes, variants)?;
    let view = statistics.whole();
    Ok(variants.iter().map(|variant| variant.form(&view)).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clmatch::protocol::{DatasetMeasure, Mean, TakesT1, TakesT2, TakesT4, Variant as Composed};
    use clmatch::{Labels, Points, measure};

    use super::super::gaussians::{Source, TwoGaussians};
    use super::*;

    const SOURCE: Source = Source { seed: 1, number: 1 };
    /// An arbitrary growth rate.
    const GROWTH: f64 = 0.7;
    /// The moments of a dataset and those of its only pair are summed in two orders, and from two origins, depending on what else
    /// is computed.
    const TWO_ORDERS: f64 = 1e-12;

    fn value(name: &str, classes: &Classes<'_>) -> f64 {
        let all = Variant::all();
        let statistics = statistics(classes, &all).unwrap();
        Variant::find(name).unwrap().value(&statistics.whole(), GROWTH)
    }

    #[test]
    fn thirty_variants_and_four_more_have_names_that_find_them() {
        let all = Variant::all();
        let names: HashSet<String> = all.iter().map(|variant| variant.name()).collect();
        assert_eq!((all.len(), names.len()), (34, 34));
        assert!(all.iter().all(|&variant| Variant::find(&variant.name()) == Some(variant)));
        assert_eq!(Base::ALL.map(|base| base.variants().len()), [8, 8, 4, 4, 4, 2]);
        assert_eq!(all[7].name(), "CH DSR");
        assert_eq!(Variant::find("SC R"), None);
    }

    #[test]
    fn growth_rates_belong_to_their_variants() {
        let growth = |name: &str| Variant::find(name).unwrap().growth().map(|k| k.value);
        assert_eq!(growth("CH DSR"), Some(GrowthRate::CH.value));
        assert_eq!(growth("CH DSR, unbiased"), Some(GrowthRate::CH.value));
        assert_eq!(growth("DB SR, unbiased"), Some(GrowthRate::DB_C.value));
        assert_eq!([growth("II SR"), growth("XB SR")], [Some(GrowthRate::XB.value); 2]);
        assert_eq!(growth("II R"), Some(GrowthRate::II_R.value));
        assert_eq!(growth("CH DS"), None);
    }

    #[test]
    fn values_are_those_of_the_composed_measures() {
        let sample = TwoGaussians::draw(SOURCE).sample(60, 5, SOURCE);
        let classes = sample.classes().unwrap();
        fn of<M: DatasetMeasure>(composed: Composed<M>, classes: &Classes<'_>) -> f64 {
            composed.evaluate(classes).unwrap().value
        }
        fn of_pair<M: BaseMeasure>(composed: Composed<M>, classes: &Classes<'_>) -> f64 {
            composed.t3(Mean).evaluate(classes).unwrap().value
        }
        let (ch, di, ii) = (CalinskiHarabasz, Dunn, IIndex);
        let (xb, db, sc) = (XieBeni, DaviesBouldin, Silhouette);
        let expected = [
            ("CH", of(ch.plain(), &classes)),
            ("CH D", of(ch.t1(), &classes)),
            ("CH S", of(ch.t2(), &classes)),
            ("CH R", of(ch.t4(GROWTH), &classes)),
            ("CH DS", of(ch.t1().t2(), &classes)),
            ("CH DR", of(ch.t1().t4(GROWTH), &classes)),
            ("CH SR", of(ch.t2().t4(GROWTH), &classes)),
            ("CH DSR", of(ch.t1().t2().t4(GROWTH), &classes)),
            ("DI", of(di.plain(), &classes)),
            ("DI D", of(di.t1(), &classes)),
            ("DI S", of(di.t2(), &classes)),
            ("DI R", of(di.t4(GROWTH), &classes)),
            ("DI DS", of(di.t1().t2(), &classes)),
            ("DI DR", of(di.t1().t4(GROWTH), &classes)),
            ("DI SR", of(di.t2().t4(GROWTH), &classes)),
            ("DI DSR", of(di.t1().t2().t4(GROWTH), &classes)),
            ("II", of(ii.plain(), &classes)),
            ("II S", of(ii.t2(), &classes)),
            ("II R", of(ii.t4(GROWTH), &classes)),
            ("II SR", of(ii.t2().t4(GROWTH), &classes)),
            ("XB", of(xb.plain(), &classes)),
            ("XB S", of(xb.t2(), &classes)),
            ("XB R", of(xb.t4(GROWTH), &classes)),
            ("XB SR", of(xb.t2().t4(GROWTH), &classes)),
            ("DB", of(db.plain(), &classes)),
            ("DB S", of(db.t2(), &classes)),
            ("DB R", of(db.t4(GROWTH), &classes)),
            ("DB SR", of(db.t2().t4(GROWTH), &classes)),
            ("SC", of(sc.plain(), &classes)),
            ("SC S", of(sc.t2(), &classes)),
            ("CH DS, unbiased", of_pair(UnbiasedCalinskiHarabasz.plain(), &classes)),
            ("CH DSR, unbiased", of_pair(UnbiasedCalinskiHarabasz.t4(GROWTH), &classes)),
            ("DB S, unbiased", of_pair(UnbiasedDaviesBouldin.plain(), &classes)),
            ("DB SR, unbiased", of_pair(UnbiasedDaviesBouldin.t4(GROWTH), &classes)),
        ];
        assert_eq!(expected.len(), Variant::all().len());
        for (name, expected) in expected {
            let found = value(name, &classes);
            assert!((found / expected - 1.0).abs() < TWO_ORDERS, "{name}: {found} is not {expected}");
        }
    }

    #[test]
    fn known_growth_rates_give_the_registered_measures() {
        let sample = TwoGaussians::draw(SOURCE).sample(60, 5, SOURCE);
        let classes = sample.classes().unwrap();
        let ids = [
            ("CH DSR", "ch_a"),
            ("XB SR", "xb_a"),
            ("DB SR", "db_a"),
            ("DI DSR", "di_a"),
            ("CH DSR, unbiased", "ch_c"),
            ("DB SR, unbiased", "db_c"),
        ];
        for (name, id) in ids {
            let variant = Variant::find(name).unwrap();
            let k = variant.growth().unwrap().value;
            let found = forms(&classes, &[variant]).unwrap()[0].rescale(k);
            let registered = clmatch::evaluate(&classes, &[measure::find(id).unwrap()]).unwrap();
            let registered = registered.value(id).unwrap();
            assert!((found - registered).abs() < TWO_ORDERS, "{name}: {found} is not {registered}");
        }
    }

    #[test]
    fn three_classes_are_refused_and_point_like_ones_have_their_stated_value() {
        let points = || Points::new(&[0.0, 0.0, 5.0, 5.0, 9.0, 9.0], 1).unwrap();
        let three = Classes::new(points(), &Labels::encode([0, 0, 1, 1, 2, 2])).unwrap();
        assert_eq!(forms(&three, &Variant::all()), Err(VariantError::NotTwo { classes: 3 }));
        let apart = Points::new(&[0.0, 0.0, 5.0, 5.0], 1).unwrap();
        let apart = Classes::new(apart, &Labels::encode([0, 0, 1, 1])).unwrap();
        assert_eq!(value("DB SR", &apart), 1.0);
    }
}
