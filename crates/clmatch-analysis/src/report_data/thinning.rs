//! Fewer points that still show what there is.

/// Of every class at least this many points are kept.
const FEWEST: usize = 4;

/// How many of each class are kept, so that there are about `room` in all: as many as its share, but a few of each.
pub(super) fn shares(sizes: &[usize], room: usize) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    if all <= room {
        return sizes.to_vec();
    }
    sizes.iter().map(|&size| (size * room / all).max(FEWEST).min(size)).collect()
}

/// So many of `from` things, evenly spaced: their places, ascending.
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
