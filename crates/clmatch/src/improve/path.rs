//! The score depending on the number of features: subsets that grow by the best features, each containing the one before.

use super::greedy::Climb;
use super::search_problem::SearchProblem;

/// At most this many sizes are tried.
pub(crate) const POINTS: usize = 40;

/// Numbers of features from 1 to all: each of them, or some that grow by a factor.
pub(crate) fn sizes(features: usize, most: usize) -> Vec<usize> {
    if features <= most {
        return (1..=features).collect();
    }
    let step = (features as f64).ln() / (most - 1) as f64;
    let mut sizes: Vec<usize> = (0..most).map(|at| (step * at as f64).exp().round() as usize).collect();
    sizes.dedup();
    if let Some(last) = sizes.last_mut() {
        *last = features;
    }
    sizes
}

/// Grows a subset through the sizes, adding the most promising features first; stops early when the clock does.
pub(crate) fn forward(problem: &SearchProblem<'_>, sizes: &[usize]) -> Vec<Vec<f64>> {
    let free = SearchProblem { penalty: 0.0, min_features: 0, ..*problem };
    let single = free.model.points.single_scores(&free.model.pairs, free.formula);
    let first = |a: &usize, b: &usize| single[*b].total_cmp(&single[*a]).then(a.cmp(b));
    let mut order: Vec<usize> = (0..single.len()).collect();
    order.sort_by(first);
    let mut weights = vec![0.0; single.len()];
    let Some(&start) = sizes.first() else { return Vec::new() };
    order[..start].iter().for_each(|&f| weights[f] = 1.0);
    let mut climb = Climb::new(&free, weights);
    let mut path = vec![climb.weights.clone()];
    for pair in sizes.windows(2) {
        if free.clock.expired() {
            break;
        }
        let values = climb.moves();
        let mut outside: Vec<usize> = (0..values.len()).filter(|&f| climb.weights[f] == 0.0).collect();
        outside.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
        outside.truncate(pair[1] - pair[0]);
        climb.flip(&outside);
        path.push(climb.weights.clone());
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_from_one_to_all() {
        assert_eq!(sizes(3, 10), [1, 2, 3]);
        for features in [41, 100, 4096] {
            let sizes = sizes(features, POINTS);
            assert!(sizes.len() <= POINTS && sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
            assert_eq!((sizes[0], sizes[sizes.len() - 1]), (1, features));
        }
    }
}
