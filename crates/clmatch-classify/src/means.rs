//! Means of groups of rows.

/// The means of the features over groups of rows, group after group. Each row comes with its group.
///
/// A mean is the first row of its group plus the mean difference from that row, so that a feature that is constant in a
/// group has exactly that value as its mean. The rounding of a sum of equal numbers would be mistaken for spread.
///
/// Time: O(n d). Memory: O(d) for each group.
pub(crate) fn group_means<'a>(
    rows: impl Iterator<Item = (usize, &'a [f64])>,
    sizes: &[usize],
    features: usize,
) -> Vec<f64> {
    let mut first: Vec<Option<&[f64]>> = vec![None; sizes.len()];
    let mut means = vec![0.0; sizes.len() * features];
    for (group, row) in rows {
        let origin = *first[group].get_or_insert(row);
        let mean = means[group * features..][..features].iter_mut();
        let size = sizes[group] as f64;
        mean.zip(row.iter().zip(origin)).for_each(|(mean, (x, origin))| *mean += (x - origin) / size);
    }
    for (mean, origin) in means.chunks_exact_mut(features.max(1)).zip(first) {
        mean.iter_mut().zip(origin.unwrap_or_default()).for_each(|(mean, origin)| *mean += origin);
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_by_hand() {
        let rows: [&[f64]; 4] = [&[1.0, 5.0], &[2.0, 7.0], &[4.0, 7.0], &[6.0, 7.0]];
        let means = group_means([1, 0, 0, 0].into_iter().zip(rows), &[3, 1], 2);
        assert_eq!(means, [4.0, 7.0, 1.0, 5.0]);
    }

    #[test]
    fn what_is_constant_is_its_own_mean() {
        // The sum of n tenths, divided by n, differs from one tenth for most n.
        for n in 1..200 {
            let rows = std::iter::repeat_n((0, [0.1, 1e9 / 7.0].as_slice()), n);
            assert_eq!(group_means(rows, &[n], 2), [0.1, 1e9 / 7.0], "{n}");
        }
    }
}
