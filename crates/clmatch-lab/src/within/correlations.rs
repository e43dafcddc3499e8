//! Mean correlations over datasets, draw by draw.

use clmatch_truth::rank::mean_and_deviation;

use super::paper::{CorrelationSpread, Published};
use super::{DRAWS, FIRST_TWO, Noise};
use crate::reading::Reading;

/// One cell of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CorrelationCell {
    /// The mean and deviation over datasets, each a mean over draws.
    pub(super) spread: CorrelationSpread,
    /// The standard deviation of the mean between draws.
    pub(super) between_draws: f64,
    /// The number of datasets whose correlation is undefined, a mean over draws.
    pub(super) undefined: f64,
}

/// The three cells of a standard measure and its adjusted form.
pub(super) fn cells(datasets: &[Noise], paper: &Published, reading: Reading) -> [CorrelationCell; 3] {
    let Published { standard, adjusted, .. } = *paper;
    // The authors' program uses the first two classes.
    let standard = if (standard, reading) == ("di", Reading::Authors) { FIRST_TWO } else { standard };
    let apart = usize::from(reading == Reading::Authors);
    [
        cell(datasets, reading, |one, draw| one.between((standard, draw), (adjusted, draw + apart))),
        cell(datasets, reading, |one, draw| one.with_noise(standard, draw)),
        cell(datasets, reading, |one, draw| one.with_noise(adjusted, draw)),
    ]
}

/// The mean correlation of a pair of rankings.
pub(super) fn cell(
    datasets: &[Noise],
    reading: Reading,
    rho: impl Fn(&Noise, usize) -> Option<f64>,
) -> CorrelationCell {
    let of_draw = |draw: usize| {
        let all: Vec<Option<f64>> = datasets.iter().map(|one| rho(one, draw)).collect();
        let undefined = all.iter().filter(|rho| rho.is_none()).count();
        let values: Vec<f64> = match reading {
            // A measure with the same value at all levels says nothing about the noise.
            Reading::Text => all.into_iter().map(|rho| rho.unwrap_or(0.0)).collect(),
            Reading::Authors => all.into_iter().flatten().collect(),
        };
        let (mean, deviation) = mean_and_deviation(&values);
        (mean, deviation, undefined as f64)
    };
    let draws: Vec<(f64, f64, f64)> = (0..DRAWS).map(of_draw).collect();
    let over =
        |of: fn(&(f64, f64, f64)) -> f64| mean_and_deviation(&draws.iter().map(of).collect::<Vec<_>>());
    let (mean, between_draws) = over(|draw| draw.0);
    CorrelationCell {
        spread: CorrelationSpread { mean, deviation: over(|draw| draw.1).0 },
        between_draws,
        undefined: over(|draw| draw.2).0,
    }
}

/// The mean over draws of a dataset's correlation with the noise; 0 where it is undefined.
pub(super) fn mean_with_noise(one: &Noise, id: &str) -> f64 {
    let draws = one.draws.len();
    (0..draws).map(|draw| one.with_noise(id, draw).unwrap_or(0.0)).sum::<f64>() / draws as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(values: &[f64]) -> Noise {
        // Two draws: the values, and the negated values.
        let draw = |sign: f64| values.iter().map(|value| vec![sign * value]).collect();
        Noise {
            dataset: "d".into(),
            measures: vec!["ch".into()],
            draws: vec![draw(1.0), draw(-1.0)],
            headline: Vec::new(),
        }
    }

    #[test]
    fn undefined_correlations_count_as_nothing_or_not_at_all() {
        let falling: Vec<f64> = (0..11).map(|level| -f64::from(level)).collect();
        let datasets = [noise(&falling), noise(&[1.0; 11])];
        let of = |reading| cell(&datasets, reading, |one, draw| one.with_noise("ch", draw));
        let (text, authors) = (of(Reading::Text), of(Reading::Authors));
        // 1 in even draws and -1 in odd ones, besides an undefined correlation.
        assert_eq!((text.spread.mean, text.between_draws, text.undefined), (0.0, 0.5, 1.0));
        assert_eq!((authors.spread.mean, authors.between_draws), (0.0, 1.0));
        assert_eq!((text.spread.deviation, authors.spread.deviation), (0.5, 0.0));
        assert_eq!(mean_with_noise(&datasets[0], "ch"), 0.0);
    }
}
