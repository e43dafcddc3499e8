//! What a page shows of many datasets beyond the table: the distribution of their scores, and how far measures agree.

use clmatch::Measure;
use clmatch::measure::Better;
use clmatch_data::Scale;
use clmatch_data::catalogue::{Catalogue, Third};
use clmatch_truth::rank::{quantile, spearman};
use serde::Serialize;

use crate::ranking::Ranking;
use crate::scored::Scored;

/// Bins of the distribution.
const BINS: usize = 20;

/// Many datasets at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankingSummary {
    /// Where the bins of the distribution start, and where the last one ends.
    pub bins: [f64; 2],
    /// How many datasets lie in each bin.
    pub counts: Vec<usize>,
    /// The median score.
    pub median: f64,
    /// Where the bottom third of the catalogue ends, and where its top third begins.
    pub borders: Option<[f64; 2]>,
    /// The datasets in each third of the catalogue, the top third first; empty if the measure has no thirds.
    pub thirds: Vec<ThirdSummary>,
    /// How closely each other measure ranks the datasets as the first one does.
    pub agreement: Vec<MeasureAgreement>,
}

/// The datasets of one third.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThirdSummary {
    /// The third.
    pub third: Third,
    /// How many datasets are in it.
    pub datasets: usize,
    /// The median numbers of points, features and classes of these datasets; `None` if there are none.
    pub medians: Option<[f64; 3]>,
}

/// A measure other than the one that datasets are ranked by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasureAgreement {
    /// Its id.
    pub measure: String,
    /// Spearman's correlation of the two measures, both oriented so that higher is better; `None` if one has the same value
    /// everywhere.
    pub rank_correlation: Option<f64>,
}

/// Summarises all datasets of a ranking.
pub fn summary(ranking: &Ranking) -> RankingSummary {
    let datasets: Vec<&Scored> = ranking.ranked.iter().map(|ranked| &ranked.scored).collect();
    let by = ranking.by;
    let value = |measure: &Measure| -> Vec<f64> {
        datasets.iter().map(|scored| scored.scores.get(measure.id).unwrap_or(f64::NAN)).collect()
    };
    let own = value(by);
    let mut finite: Vec<f64> = own.iter().copied().filter(|value| value.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    let bins = range(by, &finite);
    RankingSummary {
        bins,
        counts: counts(&finite, bins),
        median: quantile(&finite, 0.5),
        borders: borders(by, datasets.first().map_or_else(Scale::default, |scored| scored.scale)),
        thirds: thirds(&datasets),
        agreement: ranking
            .measures
            .iter()
            .filter(|measure| measure.id != by.id)
            .map(|measure| MeasureAgreement {
                measure: measure.id.to_owned(),
                rank_correlation: agreement(by, &own, measure, &value(measure)),
            })
            .collect(),
    }
}

/// The range of a bounded measure, or else the range of the values.
fn range(by: &Measure, sorted: &[f64]) -> [f64; 2] {
    let (low, high) = (sorted.first().copied().unwrap_or(0.0), sorted.last().copied().unwrap_or(1.0));
    let (low, high) = (low.min(0.0), if by.range.1.is_finite() { by.range.1 } else { high });
    [low, if high > low { high } else { low + 1.0 }]
}

fn counts(values: &[f64], [low, high]: [f64; 2]) -> Vec<usize> {
    let mut counts = vec![0; BINS];
    for value in values {
        let share = (value - low) / (high - low);
        counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    counts
}

fn agreement(by: &Measure, own: &[f64], measure: &Measure, values: &[f64]) -> Option<f64> {
    let pairs = own.iter().zip(values).filter(|(a, b)| !a.is_nan() && !b.is_nan());
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.map(|(a, b)| (by.upward(*a), measure.upward(*b))).unzip();
    spearman(&a, &b)
}

/// The borders of the thirds: each is midway between the scores on its two sides of catalogued datasets with this scaling.
pub fn borders(by: &Measure, scale: Scale) -> Option<[f64; 2]> {
    let catalogue = Catalogue::scaled(scale)?;
    let mut values: Vec<f64> = catalogue.values(by.id)?.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    if by.better == Better::Lower {
        return None;
    }
    let of = |third: Third| {
        let inside = values
            .iter()
            .filter(|value| catalogue.standing(by, **value).is_some_and(|found| found.third == third));
        inside.copied().collect::<Vec<f64>>()
    };
    let [bottom, middle, top] = [Third::Bottom, Third::Middle, Third::Top].map(of);
    Some([(bottom.last()? + middle.first()?) / 2.0, (middle.last()? + top.first()?) / 2.0])
}

fn thirds(datasets: &[&Scored]) -> Vec<ThirdSummary> {
    if datasets.iter().all(|scored| scored.standing.is_none()) {
        return Vec::new();
    }
    let summary = |third: Third| {
        let inside: Vec<&&Scored> = datasets
            .iter()
            .filter(|scored| scored.standing.as_ref().is_some_and(|standing| standing.third == third))
            .collect();
        let median = |count: fn(&Scored) -> usize| {
            let mut counts: Vec<f64> = inside.iter().map(|scored| count(scored) as f64).collect();
            counts.sort_by(f64::total_cmp);
            quantile(&counts, 0.5)
        };
        ThirdSummary {
            third,
            datasets: inside.len(),
            medians: (!inside.is_empty())
                .then(|| [median(|one| one.points), median(|one| one.features), median(|one| one.classes)]),
        }
    };
    [Third::Top, Third::Middle, Third::Bottom].map(summary).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogued::CatalogueFilter;
    use clmatch::measure::{defaults, find};

    #[test]
    fn the_catalogue_falls_into_its_thirds() {
        let by = find("clm").unwrap();
        let ranking = Ranking::new(by, defaults(), CatalogueFilter::default().datasets(by), Vec::new());
        let found = summary(&ranking);
        let all = ranking.ranked.len();
        assert_eq!(found.counts.iter().sum::<usize>(), all);
        assert_eq!(found.thirds.iter().map(|third| third.datasets).sum::<usize>(), all);
        let [low, high] = found.borders.unwrap();
        let above = |bar: f64| {
            ranking.ranked.iter().filter(|one| one.scored.scores.get("clm").unwrap() > bar).count()
        };
        assert_eq!((above(high), all - above(low)), (found.thirds[0].datasets, found.thirds[2].datasets));
        assert_eq!(found.agreement.len(), 5);
        assert!(
            found.agreement.iter().all(|one| one.rank_correlation.unwrap() > 0.0),
            "{:?}",
            found.agreement
        );
    }

    #[test]
    fn few_and_odd_scores_have_a_summary_all_the_same() {
        let by = find("db").unwrap();
        for values in [&[][..], &[f64::INFINITY], &[f64::NAN, 3.0]] {
            let scored = values.iter().map(|&value| Scored::example("x", &[("db", value)])).collect();
            let found = summary(&Ranking::new(by, vec![by], scored, Vec::new()));
            assert!(found.bins[1] > found.bins[0]);
            assert_eq!((found.thirds.len(), found.borders), (0, None));
        }
    }
}
