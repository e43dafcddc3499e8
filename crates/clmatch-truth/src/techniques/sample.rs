//! A smaller dataset with the same mix of classes.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// At most `limit` points, ascending: each class keeps its share, at least one point, and the largest remainders are
/// rounded up. All points if there are no more than `limit`; one per class if there are more classes than that.
///
/// Time: O(n). Memory: O(n).
pub fn stratified(classes: &[u32], limit: usize, seed: u64) -> Vec<usize> {
    let n = classes.len();
    if n <= limit {
        return (0..n).collect();
    }
    let count = classes.iter().max().map_or(0, |&class| class as usize + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (point, &class) in classes.iter().enumerate() {
        members[class as usize].push(point);
    }
    let share = |class: usize| members[class].len() as u128 * limit as u128;
    let mut quotas: Vec<usize> = (0..count)
        .map(|class| ((share(class) / n as u128) as usize).max(usize::from(!members[class].is_empty())))
        .collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&class| std::cmp::Reverse(share(class) % n as u128));
    let mut left = limit.saturating_sub(quotas.iter().sum());
    for class in order {
        if left > 0 && quotas[class] < members[class].len() {
            quotas[class] += 1;
            left -= 1;
        }
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut kept: Vec<usize> = Vec::with_capacity(limit);
    for (members, &quota) in members.iter_mut().zip(&quotas) {
        let (chosen, _) = members.partial_shuffle(&mut random, quota);
        kept.extend_from_slice(chosen);
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_kept_and_the_seed_fixes_the_choice() {
        let classes: Vec<u32> =
            (0..1000).map(|at| if at % 10 == 0 { 1 } else { u32::from(at == 7) * 2 }).collect();
        let kept = stratified(&classes, 101, 5);
        let of = |class: u32| kept.iter().filter(|&&point| classes[point] == class).count();
        assert_eq!((of(0), of(1), of(2)), (90, 10, 1));
        assert!(kept.is_sorted() && kept.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(kept, stratified(&classes, 101, 5));
        assert_ne!(kept, stratified(&classes, 101, 6));
        assert_eq!(stratified(&classes, 1000, 5).len(), 1000);
        assert_eq!(stratified(&classes, 2, 5).len(), 3);
    }
}
