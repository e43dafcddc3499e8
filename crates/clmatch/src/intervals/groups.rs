//! Which points each replicate of the block jackknife leaves out.

use crate::classes::Classes;
use crate::error::DataError;
use crate::kernels::random::SplitMix;

/// Into how many groups the points are dealt, and how many replicates there are.
pub const GROUPS: usize = 21;
/// Replicate r leaves out these groups plus r, modulo [`GROUPS`]: a perfect difference set, so that every two groups are left
/// out together equally often.
const LEFT_OUT: [usize; 5] = [0, 1, 4, 14, 16];
/// What one over the number of groups is to an ordinary jackknife: `kept / (left out x replicates)`.
pub(crate) const FACTOR: f64 = (GROUPS - LEFT_OUT.len()) as f64 / (LEFT_OUT.len() as f64 * GROUPS as f64);
/// With so many points in a class no replicate leaves fewer than 2 of them: at most two of four groups in a row are left out.
pub(crate) const SMALLEST_CLASS: usize = 4;
/// More points than these are thinned out before they are dealt.
pub(crate) const MOST_POINTS: usize = 20_000;
/// A class is not thinned out below this: two points in every group.
const KEPT_OF_CLASS: usize = 2 * GROUPS;

/// Whether a replicate keeps each group.
pub(crate) fn kept_groups(replicate: usize) -> [bool; GROUPS] {
    let mut kept = [true; GROUPS];
    LEFT_OUT.iter().for_each(|group| kept[(group + replicate) % GROUPS] = false);
    kept
}

/// Points dealt into groups, class by class. It depends on the class of each point, the number of points and the seed, not on
/// coordinates: the replicates of several representations of the same rows leave out the same rows.
#[derive(Debug, Clone)]
pub(crate) struct Dealt {
    /// Rows of the input, class after class, within a class in the order of the input.
    pub(crate) order: Vec<usize>,
    /// Where each class starts.
    pub(crate) starts: Vec<usize>,
    /// The group of each place in the order.
    pub(crate) groups: Vec<u8>,
}

impl Dealt {
    /// Deals the points: each class is shuffled, and one counter runs on across all classes.
    ///
    /// # Errors
    /// A class with too few points.
    pub(crate) fn new(classes: &Classes<'_>, seed: u64, most: usize) -> Result<Dealt, DataError> {
        let small = (0..classes.n_classes()).find(|&class| classes.size(class) < SMALLEST_CLASS);
        if let Some(class) = small {
            let name = classes.names()[class].clone();
            let (size, needed) = (classes.size(class), SMALLEST_CLASS);
            return Err(DataError::TooFewForInterval { class: name, size, needed });
        }
        let mut random = SplitMix::new(seed);
        let share = (most as f64 / classes.n_points() as f64).min(1.0);
        let mut counter = 0;
        let (mut order, mut groups, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for class in 0..classes.n_classes() {
            let mut rows = classes.order()[classes.range(class)].to_vec();
            random.shuffle(&mut rows);
            let kept = (rows.len() as f64 * share).ceil() as usize;
            rows.truncate(kept.max(KEPT_OF_CLASS));
            let mut dealt: Vec<(u8, usize)> =
                rows.iter().enumerate().map(|(at, &row)| (((counter + at) % GROUPS) as u8, row)).collect();
            counter += rows.len();
            dealt.sort_unstable_by_key(|&(_, row)| row);
            order.extend(dealt.iter().map(|&(_, row)| row));
            groups.extend(dealt.iter().map(|&(group, _)| group));
            starts.push(order.len());
        }
        Ok(Dealt { order, starts, groups })
    }

    /// How many points were dealt.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether a replicate keeps each place.
    pub(crate) fn mask(&self, replicate: usize) -> Vec<bool> {
        let kept = kept_groups(replicate);
        self.groups.iter().map(|&group| kept[usize::from(group)]).collect()
    }

    /// The places that a replicate keeps, and where its classes start among them.
    pub(crate) fn kept(&self, replicate: usize) -> (Vec<usize>, Vec<usize>) {
        let kept = kept_groups(replicate);
        let mut places = Vec::with_capacity(self.len());
        let mut starts = vec![0];
        for bounds in self.starts.windows(2) {
            places.extend((bounds[0]..bounds[1]).filter(|&place| kept[usize::from(self.groups[place])]));
            starts.push(places.len());
        }
        (places, starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Labels, Points};

    #[test]
    fn every_two_groups_are_left_out_together_once() {
        let leaves_out = |replicate: usize, group: usize| !kept_groups(replicate)[group];
        for a in 0..GROUPS {
            let alone = (0..GROUPS).filter(|&replicate| leaves_out(replicate, a)).count();
            assert_eq!(alone, LEFT_OUT.len());
            for b in (0..GROUPS).filter(|&b| b != a) {
                let both = (0..GROUPS).filter(|&r| leaves_out(r, a) && leaves_out(r, b)).count();
                assert_eq!(both, 1, "{a} and {b}");
            }
        }
    }

    fn classes(sizes: &[usize]) -> Classes<'static> {
        let labels: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
        let points = Points::new((0..labels.len()).map(|x| x as f64).collect::<Vec<_>>(), 1).unwrap();
        Classes::new(points, &Labels::encode(labels)).unwrap()
    }

    #[test]
    fn groups_are_even_and_no_class_vanishes() {
        let classes = classes(&[4, 4, 5, 100, 4, 30]);
        for seed in 0..20 {
            let dealt = Dealt::new(&classes, seed, MOST_POINTS).unwrap();
            let mut sizes = [0; GROUPS];
            dealt.groups.iter().for_each(|&group| sizes[usize::from(group)] += 1);
            assert!(sizes.iter().all(|size| (7..=7).contains(size)), "{sizes:?}");
            let mut rows = dealt.order.clone();
            rows.sort_unstable();
            assert_eq!(rows, (0..147).collect::<Vec<_>>());
            for replicate in 0..GROUPS {
                let (places, starts) = dealt.kept(replicate);
                assert_eq!(places.len(), 112);
                assert!(starts.windows(2).all(|bounds| bounds[1] - bounds[0] >= 2), "{starts:?}");
            }
        }
    }

    #[test]
    fn many_points_are_thinned_out_by_class() {
        let dealt = Dealt::new(&classes(&[9000, 60, 900]), 1, 996).unwrap();
        assert_eq!(dealt.starts, [0, 900, 942, 1032]);
    }

    #[test]
    fn small_classes_are_refused_by_name() {
        let error = Dealt::new(&classes(&[9, 3]), 1, MOST_POINTS).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the class '1' has 3 points, and an interval needs at least 4 in every class"
        );
    }
}
