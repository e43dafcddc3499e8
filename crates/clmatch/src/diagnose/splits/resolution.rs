//! The resolution of features: the step between values that were rounded, counted, or answered on a scale.
//!
//! A feature has a step if at least half of the points share their value in it with another point. The step is the median, over
//! all points, of the distance from a point's value to the nearest other value: 1 for integers, whatever gaps there are between
//! clusters of them.

use clmatch_kernels::parallel;

use crate::kernels::frame::Frame;

/// The step of each feature, or 0 if it has none.
///
/// Time: O(n d log n). Memory: O(n) for each thread.
pub(super) fn steps(frame: &Frame) -> Vec<f64> {
    let values = |feature: usize| frame.rows.iter().skip(feature).step_by(frame.features).copied();
    parallel::map_range(frame.features, |feature| step(values(feature).collect()))
}

fn step(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let runs: Vec<&[f64]> = values.chunk_by(|a, b| a == b).collect();
    let alone = runs.iter().filter(|run| run.len() == 1).count();
    if 2 * alone > values.len() || runs.len() < 2 {
        return 0.0;
    }
    let gap = |at: usize| runs[at + 1][0] - runs[at][0];
    let nearest = |at: usize| match at {
        0 => gap(0),
        _ if at + 1 == runs.len() => gap(at - 1),
        _ => gap(at - 1).min(gap(at)),
    };
    let mut gaps: Vec<f64> =
        runs.iter().enumerate().flat_map(|(at, run)| vec![nearest(at); run.len()]).collect();
    gaps.sort_by(f64::total_cmp);
    clmatch_kernels::quantile(&gaps, 0.5).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_by_hand() {
        assert_eq!(step(vec![3.0, 1.0, 1.0, 2.0, 2.0, 3.0, 9.0]), 1.0);
        // A gap between clusters of integers does not count as a step.
        assert_eq!(step((0..60).map(|row| f64::from(row % 6 + 90 * (row % 2))).collect()), 2.0);
        // 2 of 4 points share their value, at distances of 4, 4, 2.5 and 2.5; then 2 of 5.
        assert_eq!(step(vec![0.5, 0.5, 4.5, 7.0]), 3.25);
        assert_eq!(step(vec![0.5, 0.5, 4.5, 7.0, 8.0]), 0.0);
        // Zeros among measured values do not make a step either, apart from the distance to the nearest of them.
        let measured = (0..40).map(|row| if row % 2 == 0 { 0.0 } else { 0.125 + f64::from(row * row) });
        assert_eq!(step(measured.collect()), 1.125);
        assert_eq!(step(vec![7.0; 30]), 0.0);
        assert_eq!(step((0..30).map(f64::from).collect()), 0.0);
    }
}
