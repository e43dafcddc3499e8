//! Folds for cross-validation.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::data::Data;
use crate::split::Split;

/// A division of points into folds; each fold is predicted from all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    /// The fold of each point.
    of: Vec<u32>,
    count: usize,
}

/// Why fold numbers do not make [`Folds`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldsError {
    /// There is nothing to learn from.
    #[error("there must be at least two folds")]
    TooFew,
    /// The fold numbers have a gap.
    #[error("fold {fold} has no points")]
    Empty {
        /// The missing fold, numbered from 0.
        fold: usize,
    },
}

impl Folds {
    /// At most `count` folds (and at most one per point) with the classes in nearly equal shares, as in scikit-learn's
    /// `StratifiedKFold`: the sizes of any two folds differ by at most one, and so do their numbers of points of each
    /// class.
    ///
    /// Time: O(n + count K), where K is the number of classes.
    pub fn stratified(classes: &[u32], count: usize, seed: u64) -> Folds {
        let count = count.min(classes.len()).max(1);
        let most = classes.iter().max().map_or(0, |&class| class as usize + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); most];
        for (point, &class) in classes.iter().enumerate() {
            members[class as usize].push(point);
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut of = vec![0; classes.len()];
        let mut dealt = 0;
        for class in &members {
            // Points are dealt out in turn, in the order of their classes: this class gets the next turns.
            let mut turns: Vec<u32> =
                (dealt..dealt + class.len()).map(|turn| (turn % count) as u32).collect();
            dealt += class.len();
            turns.shuffle(&mut random);
            class.iter().zip(turns).for_each(|(&point, fold)| of[point] = fold);
        }
        Folds { of, count }
    }

    /// Takes folds that were made elsewhere: the fold of each point, from 0.
    ///
    /// # Errors
    /// If there are fewer than two folds, or one has no points.
    pub fn given(of: Vec<u32>) -> Result<Folds, FoldsError> {
        let count = of.iter().max().map_or(0, |&fold| fold as usize + 1);
        if count < 2 {
            return Err(FoldsError::TooFew);
        }
        match (0..count).find(|&fold| !of.contains(&(fold as u32))) {
            Some(fold) => Err(FoldsError::Empty { fold }),
            None => Ok(Folds { of, count }),
        }
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of each point.
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// One split per fold.
    ///
    /// # Panics
    /// If the number of points differs from that of the folds.
    pub fn splits<'a>(&self, data: Data<'a>) -> Vec<Split<'a>> {
        assert_eq!(data.n_points(), self.of.len(), "one fold per point");
        let split = |fold: usize| {
            let (test, train) = (0..self.of.len()).partition(|&point| self.of[point] as usize == fold);
            Split::new(data, train, test)
        };
        (0..self.count).map(split).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::Matrix;

    #[test]
    fn shares_differ_by_one_at_most() {
        let classes: Vec<u32> = (0..103).map(|point| [0, 2, 2, 3, 3, 3, 3][point % 7]).collect();
        let folds = Folds::stratified(&classes, 5, 1);
        let count = |class: Option<u32>, fold: u32| {
            let wanted = |&point: &usize| {
                folds.of()[point] == fold && class.is_none_or(|class| classes[point] == class)
            };
            (0..103).filter(wanted).count()
        };
        for class in [None, Some(0), Some(2), Some(3)] {
            let sizes: Vec<usize> = (0..5).map(|fold| count(class, fold)).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{class:?} {sizes:?}");
        }
        assert_ne!(folds, Folds::stratified(&classes, 5, 2));
        assert_eq!(folds, Folds::stratified(&classes, 5, 1));
    }

    #[test]
    fn what_classes_leave_over_is_dealt_out_in_turn() {
        // Dealing each class to four folds leaves two points over: ten in all, of which two folds get three and two get
        // two.
        let classes: Vec<u32> = (0..30).map(|point| point / 6).collect();
        let folds = Folds::stratified(&classes, 4, 1);
        let mut sizes: Vec<usize> =
            (0..4).map(|fold| folds.of().iter().filter(|&&of| of == fold).count()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [7, 7, 8, 8]);
    }

    #[test]
    fn every_point_is_predicted_once_from_the_others() {
        let values: Vec<f64> = (0..11).map(f64::from).collect();
        let classes = [0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1];
        let points = Matrix::new(&values, 1).unwrap();
        let data = Data::new(&points, &classes).unwrap();
        let splits = Folds::stratified(&classes, 5, 3).splits(data);
        let mut seen: Vec<usize> = splits.iter().flat_map(|split| split.test().to_vec()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..11).collect::<Vec<_>>());
        for split in &splits {
            assert_eq!(split.train().len() + split.test().len(), 11);
            assert!(split.test().iter().all(|row| !split.train().contains(row)));
        }
    }

    #[test]
    fn fewer_points_than_folds_leave_one_out() {
        assert_eq!(Folds::stratified(&[0, 1, 1], 5, 0).count(), 3);
        assert_eq!(Folds::given(vec![0, 2, 2]), Err(FoldsError::Empty { fold: 1 }));
        assert_eq!(Folds::given(vec![0, 0]), Err(FoldsError::TooFew));
        let folds = Folds::given(vec![1, 0, 1]).unwrap();
        assert_eq!((folds.count(), folds.of()), (2, &[1, 0, 1][..]));
    }
}
