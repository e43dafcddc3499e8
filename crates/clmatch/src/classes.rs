//! The only validator of labels: points and labels become [`Classes`], and nothing is checked again after that.
//!
//! ```
//! use clmatch::{Classes, DataError, Labels, Points};
//!
//! let points = Points::new(vec![0.0, 5.0, 0.1, 5.1], 1)?;
//! let classes = Classes::new(points.clone(), &Labels::encode(["a", "b", "a", "b"]))?;
//! assert_eq!((classes.n_classes(), classes.size(0)), (2, 2));
//! assert_eq!(classes.order(), [0, 2, 1, 3], "class after class");
//!
//! let one = Classes::new(points, &Labels::encode(["a"; 4])).unwrap_err();
//! assert!(matches!(one, DataError::OneClass { .. }));
//! # Ok::<(), DataError>(())
//! ```

use std::ops::Range;

use crate::error::DataError;
use crate::kernels::random::SplitMix;
use crate::labels::Labels;
use crate::points::Points;

/// What to do with classes of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Singletons {
    /// Keep them. Adjusted measures then fail and name the class; standard measures follow scikit-learn.
    #[default]
    Keep,
    /// Leave their points out.
    Drop,
}

/// Points that were left out before scoring.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Dropped {
    /// Points with the noise label.
    pub noise: usize,
    /// Names of classes that had a single point.
    pub singletons: Vec<String>,
}

/// A validated dataset: finite points in at least 2 classes, with fewer classes than points, grouped by class. The rows of each
/// class are in ascending order: sums read the data window by window, and find the rows of a class in a window side by side.
#[derive(Debug, Clone)]
pub struct Classes<'a> {
    points: Points<'a>,
    names: Vec<String>,
    order: Vec<usize>,
    starts: Vec<usize>,
    dropped: Dropped,
}

impl<'a> Classes<'a> {
    /// Validates points and labels, keeping every point.
    ///
    /// ```
    /// use clmatch::{Classes, Labels, Points};
    /// let points = Points::new(&[0.0, 0.1, 5.0, 5.1], 1)?;
    /// let classes = Classes::new(points, &Labels::encode(["low", "low", "high", "high"]))?;
    /// assert_eq!(classes.names(), ["high", "low"]);
    /// # Ok::<(), clmatch::DataError>(())
    /// ```
    ///
    /// # Errors
    /// See [`DataError`].
    pub fn new(points: Points<'a>, labels: &Labels) -> Result<Self, DataError> {
        Classes::with(points, labels, None, Singletons::Keep)
    }

    /// Validates points and labels. Leaves out points labelled `noise` (there need not be any) and, if `singletons` says so,
    /// classes of one point.
    ///
    /// # Errors
    /// See [`DataError`].
    pub fn with(
        points: Points<'a>,
        labels: &Labels,
        noise: Option<&str>,
        singletons: Singletons,
    ) -> Result<Self, DataError> {
        if points.n_points() != labels.len() {
            return Err(DataError::LengthMismatch { points: points.n_points(), labels: labels.len() });
        }
        let mut sizes = vec![0_usize; labels.names().len()];
        for &code in labels.codes() {
            sizes[code as usize] += 1;
        }
        let mut dropped = Dropped::default();
        let noise = noise.and_then(|noise| labels.names().iter().position(|name| name == noise));
        if let Some(code) = noise {
            dropped.noise = std::mem::take(&mut sizes[code]);
        }
        if singletons == Singletons::Drop {
            for (size, name) in sizes.iter_mut().zip(labels.names()).filter(|(size, _)| **size == 1) {
                *size = 0;
                dropped.singletons.push(name.clone());
            }
        }
        let kept: Vec<usize> = (0..sizes.len()).filter(|&code| sizes[code] > 0).collect();
        let remaining: usize = sizes.iter().sum();
        match kept[..] {
            [] => return Err(DataError::NothingLeft),
            [only] => return Err(DataError::OneClass { class: labels.names()[only].clone() }),
            _ if kept.len() >= remaining => {
                return Err(DataError::TooManyClasses { classes: kept.len(), points: remaining });
            }
            _ => {}
        }
        let (order, starts) = group(labels.codes(), &sizes, &kept);
        let names = kept.iter().map(|&code| labels.names()[code].clone()).collect();
        Ok(Classes { points, names, order, starts, dropped })
    }

    /// All points, including those that were left out.
    pub fn points(&self) -> &Points<'a> {
        &self.points
    }

    /// How many points belong to a class.
    pub fn n_points(&self) -> usize {
        self.order.len()
    }

    /// How many classes there are.
    pub fn n_classes(&self) -> usize {
        self.names.len()
    }

    /// The names of the classes, in natural order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many points a class has.
    pub fn size(&self, class: usize) -> usize {
        self.starts[class + 1] - self.starts[class]
    }

    /// The rows of the input, class after class; within a class, in the order of the input.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Where each class starts in [`Classes::order`], followed by the end of the last one: one number more than there are
    /// classes.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The place of a class in [`Classes::order`].
    pub fn range(&self, class: usize) -> Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }

    /// How many points have the coordinates of another point.
    ///
    /// Time: O(n d + n log n).
    pub fn repeated_points(&self) -> usize {
        // Two different rows with the same 64-bit hash are too rare to matter.
        let mut hashes: Vec<u64> = self.order.iter().map(|&row| self.hash_of_row(row, 0)).collect();
        hashes.sort_unstable();
        hashes.chunk_by(|a, b| a == b).map(<[u64]>::len).filter(|&count| count > 1).sum()
    }

    /// A hash of the coordinates of a row.
    pub(crate) fn hash_of_row(&self, row: usize, seed: u64) -> u64 {
        let features = self.points.n_features();
        let values = (row * features..(row + 1) * features).map(|at| self.points.values().get(at));
        // Adding 0 turns -0 into 0.
        let step = |hash: u64, value: f64| SplitMix::new(hash ^ (value + 0.0).to_bits()).next();
        values.fold(SplitMix::new(seed).next(), step)
    }

    /// Some of the points under the same names, regrouped into classes by the caller: rows of the input, class after class.
    ///
    /// # Panics
    /// If the rows of a class are not in ascending order.
    pub(crate) fn regrouped(&self, order: Vec<usize>, starts: Vec<usize>) -> Classes<'_> {
        assert!(starts.len() == self.starts.len() && starts[self.n_classes()] == order.len());
        let ascends = |class: &[usize]| order[class[0]..class[1]].is_sorted_by(|a, b| a < b);
        assert!(starts.windows(2).all(ascends), "the rows of a class ascend, none twice");
        let (points, names) = (self.points.borrowed(), self.names.clone());
        Classes { points, names, order, starts, dropped: Dropped::default() }
    }

    /// The rows of a block, grouped by the number of their class below `count`. Classes may be empty, and rows without a class
    /// are left out. This is not a valid dataset: it is only for kernels that sum over rows.
    pub(crate) fn of_block(points: Points<'a>, codes: &[u32], count: usize) -> Classes<'a> {
        let mut sizes = vec![0_usize; count];
        codes.iter().filter(|&&code| (code as usize) < count).for_each(|&code| sizes[code as usize] += 1);
        let mut starts = vec![0];
        sizes.iter().for_each(|size| starts.push(starts[starts.len() - 1] + size));
        let (mut next, mut order) = (starts.clone(), vec![0; starts[count]]);
        for (row, &code) in codes.iter().enumerate().filter(|(_, code)| (**code as usize) < count) {
            order[next[code as usize]] = row;
            next[code as usize] += 1;
        }
        Classes { points, names: vec![String::new(); count], order, starts, dropped: Dropped::default() }
    }

    /// A dataset with its own copy of the rows, class after class, which cannot be read in a wrong order.
    #[cfg(test)]
    pub(crate) fn copied(&self) -> Classes<'static> {
        use crate::points::Values;
        fn rows<T: Copy>(values: &[T], features: usize, order: &[usize]) -> Vec<T> {
            order.iter().flat_map(|row| &values[row * features..(row + 1) * features]).copied().collect()
        }
        let features = self.points.n_features();
        let points = match self.points.values() {
            Values::F64(values) => Points::new(rows(values, features, &self.order), features),
            Values::F32(values) => Points::new(rows(values, features, &self.order), features),
        };
        let (names, starts) = (self.names.clone(), self.starts.clone());
        let order = (0..self.order.len()).collect();
        Classes { points: points.unwrap(), names, order, starts, dropped: Dropped::default() }
    }

    /// What was left out.
    pub fn dropped(&self) -> &Dropped {
        &self.dropped
    }

    /// All pairs of classes `(i, j)` with `i < j`, in the order in which pair tables are stored.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let count = self.n_classes();
        (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)))
    }
}

/// Counting sort of the rows by class: linear, and stable within a class.
fn group(codes: &[u32], sizes: &[usize], kept: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut starts = vec![0];
    let mut next = vec![usize::MAX; sizes.len()];
    for &code in kept {
        let start = starts[starts.len() - 1];
        next[code] = start;
        starts.push(start + sizes[code]);
    }
    let mut order = vec![0; starts[kept.len()]];
    for (row, &code) in codes.iter().enumerate() {
        let place = &mut next[code as usize];
        if *place != usize::MAX {
            order[*place] = row;
            *place += 1;
        }
    }
    (order, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: usize) -> Points<'static> {
        Points::new((0..count).map(|x| x as f64).collect::<Vec<f64>>(), 1).unwrap()
    }

    fn refused(labels: &[&str]) -> DataError {
        Classes::new(line(labels.len()), &Labels::encode(labels)).unwrap_err()
    }

    #[test]
    fn rows_are_grouped_by_class_in_stable_order() {
        let classes = Classes::new(line(5), &Labels::encode(["b", "a", "b", "c", "a"])).unwrap();
        assert_eq!(classes.order(), [1, 4, 0, 2, 3]);
        assert_eq!(classes.starts(), [0, 2, 4, 5]);
        assert_eq!(classes.range(1), 2..4);
        assert_eq!(classes.pairs().collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn impossible_datasets_are_refused() {
        assert_eq!(refused(&["a", "a"]), DataError::OneClass { class: "a".into() });
        assert_eq!(refused(&["a", "b"]), DataError::TooManyClasses { classes: 2, points: 2 });
        let error = Classes::new(line(2), &Labels::encode(["a"])).unwrap_err();
        assert_eq!(error, DataError::LengthMismatch { points: 2, labels: 1 });
    }

    #[test]
    fn noise_and_single_points_are_dropped_on_request() {
        let labels = Labels::encode([-1, 0, 0, 1, 1, 2, -1]);
        let classes = Classes::with(line(7), &labels, Some("-1"), Singletons::Drop).unwrap();
        assert_eq!(classes.names(), ["0", "1"]);
        assert_eq!(classes.order(), [1, 2, 3, 4]);
        assert_eq!(classes.dropped(), &Dropped { noise: 2, singletons: vec!["2".into()] });
        let without = Classes::with(line(7), &labels, Some("9"), Singletons::Keep).unwrap();
        assert_eq!((without.n_points(), without.dropped()), (7, &Dropped::default()));
        let few = Labels::encode([-1, -1, 0, 1]);
        let error = Classes::with(line(4), &few, Some("-1"), Singletons::Drop).unwrap_err();
        assert_eq!(error, DataError::NothingLeft);
    }

    #[test]
    fn points_that_are_there_more_than_once_are_counted() {
        let values = vec![1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 0.0, 1.0, -0.0, 1.0];
        let points = Points::new(values, 2).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1, 1])).unwrap();
        assert_eq!(classes.repeated_points(), 4);
    }

    #[test]
    fn classes_can_be_regrouped_into_ascending_rows_alone() {
        let classes = Classes::new(line(5), &Labels::encode(["b", "a", "b", "c", "a"])).unwrap();
        let regrouped = classes.regrouped(vec![0, 4, 1, 3, 2], vec![0, 2, 4, 5]);
        assert_eq!((regrouped.order(), regrouped.size(1)), (&[0, 4, 1, 3, 2][..], 2));
        for order in [[4, 0, 1, 3, 2], [0, 4, 3, 3, 2]] {
            let regroup = || classes.regrouped(order.to_vec(), vec![0, 2, 4, 5]).n_points();
            assert!(std::panic::catch_unwind(regroup).is_err(), "{order:?}");
        }
    }

    #[test]
    fn integers_are_converted() {
        let points = Points::new(&[u8::MAX, 0, 7, 9][..], 2).unwrap();
        assert_eq!(points.values().get(0), 255.0);
    }
}
