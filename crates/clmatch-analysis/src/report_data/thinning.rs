//! Thins points so that the rest still shows what there is.

/// At least this many points of every class are kept.
const FEWEST: usize = 4;

/// How many points of each class are kept so that there are about `room` in all: in proportion to its size, but at least a few.
pub(super) fn shares(sizes: &[usize], room: usize) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    if all <= room {
        return sizes.to_vec();
    }
    sizes.iter().map(|&size| (size * room / all).max(FEWEST).min(size)).collect()
}

/// The places of `take` evenly spaced ones of `from` things, ascending.
pub(super) fn evenly(from: usize, take: usize) -> impl Iterator<Item = usize> {
    let take = take.min(from);
    (0..take).map(move |at| at * from / take)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_classes_keep_a_few_points() {
        assert_eq!(shares(&[5, 3], 100), [5, 3]);
        assert_eq!(shares(&[9000, 990, 10, 2], 1000), [899, 98, 4, 2]);
    }

    #[test]
    fn what_is_kept_is_spread_evenly() {
        assert_eq!(evenly(10, 5).collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        assert_eq!(evenly(3, 5).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(evenly(0, 5).count(), 0);
    }
}
