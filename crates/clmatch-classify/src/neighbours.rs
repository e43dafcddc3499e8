//! k nearest neighbours.

use crate::classifier::Classifier;
use crate::distances::Distances;
use crate::split::{Split, largest};
use clmatch_kernels::{Stop, Stopped};

/// Predicts the most frequent class among the k nearest training points; among equally frequent classes, the first.
///
/// Points at the same distance count in the order of their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearestNeighbours {
    /// How many neighbours vote; at most as many as there are training points.
    pub neighbours: usize,
}

impl NearestNeighbours {
    /// How many test points are predicted correctly by 1, 2, .. `neighbours` neighbours, from distances that were
    /// computed once for all folds. The vote of k neighbours is the vote of k - 1 neighbours and one more.
    ///
    /// Time: O(m (n + k log k + k K)) for m test points, n training points and K classes.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn hits_up_to(
        &self,
        split: &Split<'_>,
        distances: &Distances<'_>,
        stop: &Stop,
    ) -> Result<Vec<usize>, Stopped> {
        let votes = self.votes(split, distances, stop)?;
        let at = |k: usize| votes.iter().map(|of_point| of_point[k]).collect::<Vec<u32>>();
        Ok((0..self.most(split)).map(|k| split.hits(&at(k))).collect())
    }

    fn most(&self, split: &Split<'_>) -> usize {
        self.neighbours.clamp(1, split.train().len())
    }

    /// For each test point, the predictions of 1, 2, .. neighbours.
    fn votes(
        &self,
        split: &Split<'_>,
        distances: &Distances<'_>,
        stop: &Stop,
    ) -> Result<Vec<Vec<u32>>, Stopped> {
        let most = self.most(split);
        let mut squared = Vec::new();
        let mut order: Vec<usize> = Vec::new();
        let vote = |&point: &usize| {
            stop.check()?;
            distances.to(point, split.train(), &mut squared);
            let nearer = |a: &usize, b: &usize| squared[*a].total_cmp(&squared[*b]).then(a.cmp(b));
            order.clear();
            order.extend(0..squared.len());
            order.select_nth_unstable_by(most - 1, nearer);
            order[..most].sort_unstable_by(nearer);
            let mut counts = vec![0_u32; split.classes()];
            let count = |&neighbour: &usize| {
                counts[split.targets()[neighbour] as usize] += 1;
                largest(&counts)
            };
            Ok(order[..most].iter().map(count).collect())
        };
        split.test().iter().map(vote).collect()
    }
}

impl Classifier for NearestNeighbours {
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        // Only the distances of the test points are needed.
        let distances = Distances::with_limit(split.data(), 0, stop)?;
        let votes = self.votes(split, &distances, stop)?;
        Ok(votes.iter().map(|of_point| of_point[of_point.len() - 1]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;

    #[test]
    fn votes_by_hand() {
        // From 0: classes 1, 0, 0, 1, 1 in order of distance.
        let values = [0.0, 1.0, -2.0, 3.0, -4.0, 5.0];
        let points = Matrix::new(&values, 1).unwrap();
        let data = Data::new(&points, &[0, 1, 0, 0, 1, 1]).unwrap();
        let split = Split::new(data, vec![1, 2, 3, 4, 5], vec![0]);
        let distances = Distances::new(data, &Stop::new()).unwrap();
        let neighbours = NearestNeighbours { neighbours: 9 };
        // 1; then a tie, which the first class wins; 0 leads; a tie; 1 leads.
        assert_eq!(neighbours.votes(&split, &distances, &Stop::new()).unwrap(), [[1, 0, 0, 0, 1]]);
        assert_eq!(neighbours.hits_up_to(&split, &distances, &Stop::new()).unwrap(), [0, 1, 1, 1, 0]);
        for (k, class) in [(1, 1), (2, 0), (5, 1)] {
            assert_eq!(NearestNeighbours { neighbours: k }.predict(&split, &Stop::new()).unwrap(), [class]);
        }
    }
}
