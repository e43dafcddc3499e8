//! Moves places apart, as little as possible.

/// Some bounds along a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A run of touching places, positioned as if there were no gaps between its members.
struct LabelRun {
    sum: f64,
    count: usize,
}

impl LabelRun {
    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// The places in the given order, at least `gap` from each other, and within the bounds if there is room.
///
/// Equal places keep the order in which they are given. The sum of squared moves is minimal, before the bounds are applied.
pub(crate) fn spread_labels(places: &[f64], gap: f64, bounds: Bounds) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    // Without the gaps, places must not descend: neighbours that do are joined at their mean.
    let mut runs: Vec<LabelRun> = Vec::new();
    for (rank, &at) in order.iter().enumerate() {
        let mut run = LabelRun { sum: places[at] - rank as f64 * gap, count: 1 };
        while let Some(before) = runs.pop_if(|before| before.mean() > run.mean()) {
            run = LabelRun { sum: before.sum + run.sum, count: before.count + run.count };
        }
        runs.push(run);
    }
    let means = runs.iter().flat_map(|run| std::iter::repeat_n(run.mean(), run.count));
    let last = bounds.high - gap * places.len().saturating_sub(1) as f64;
    let mut moved = vec![0.0; places.len()];
    for ((rank, &at), mean) in order.iter().enumerate().zip(means) {
        moved[at] = mean.min(last).max(bounds.low) + rank as f64 * gap;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Bounds = Bounds { low: -1e6, high: 1e6 };

    #[test]
    fn places_move_as_little_as_they_must() {
        assert_eq!(spread_labels(&[0.0, 20.0], 10.0, FREE), [0.0, 20.0]);
        assert_eq!(spread_labels(&[5.0, 5.0], 10.0, FREE), [0.0, 10.0]);
        // The first two move apart to 15 and 25, which pushes the third: together they are centred at 18.
        assert_eq!(spread_labels(&[24.0, 10.0, 20.0], 10.0, FREE), [28.0, 8.0, 18.0]);
        assert_eq!(spread_labels(&[], 10.0, FREE), [0.0; 0]);
    }

    #[test]
    fn places_stay_within_their_bounds() {
        let bounds = Bounds { low: 0.0, high: 30.0 };
        assert_eq!(spread_labels(&[0.0, 0.0, 0.0], 10.0, bounds), [0.0, 10.0, 20.0]);
        assert_eq!(spread_labels(&[30.0, 30.0], 10.0, bounds), [20.0, 30.0]);
        // There is too little room: the gaps take precedence.
        assert_eq!(spread_labels(&[0.0, 0.0], 40.0, bounds), [0.0, 40.0]);
    }
}
