//! Random relabellings of a set: the worst case of a measure by simulation (T4-a).

use super::frame::Frame;
use super::random::SplitMix;
use super::squared_distance;

/// How many relabellings are drawn.
pub const SHUFFLES: usize = 100;
/// The seed of the relabellings.
const SEED: u64 = 0x5EED;

/// The numbers of one relabelling that the I index needs.
#[derive(Debug, Clone, Copy)]
pub struct Relabelling {
    /// Sum of the distances of points to the centroid of their own class.
    pub within: f64,
    /// Largest squared distance between two centroids.
    pub widest: f64,
}

/// Relabels the points of some classes at random, keeping the class sizes.
///
/// Time: O(shuffles (N d + k^2 d)). Memory: O(N + k d).
pub fn relabellings(frame: &Frame, members: &[usize]) -> Vec<Relabelling> {
    let mut rows: Vec<usize> = members.iter().flat_map(|&k| frame.starts[k]..frame.starts[k + 1]).collect();
    let sizes: Vec<usize> = members.iter().map(|&class| frame.size(class)).collect();
    let mut random = SplitMix::new(SEED);
    (0..SHUFFLES)
        .map(|_| {
            random.shuffle(&mut rows);
            relabelling(frame, &rows, &sizes)
        })
        .collect()
}

fn relabelling(frame: &Frame, rows: &[usize], sizes: &[usize]) -> Relabelling {
    let mut within = 0.0;
    let mut centroids: Vec<Vec<f64>> = Vec::with_capacity(sizes.len());
    let mut rest = rows;
    for &size in sizes {
        let (class, others) = rest.split_at(size);
        rest = others;
        let mut centroid = vec![0.0; frame.features];
        for &row in class {
            for (sum, x) in centroid.iter_mut().zip(frame.row(row)) {
                *sum += x / size as f64;
            }
        }
        within += class.iter().map(|&row| squared_distance(frame.row(row), &centroid).sqrt()).sum::<f64>();
        centroids.push(centroid);
    }
    let widest = centroids
        .iter()
        .enumerate()
        .flat_map(|(i, a)| centroids[..i].iter().map(move |b| squared_distance(a, b)))
        .fold(0.0, f64::max);
    Relabelling { within, widest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::stream::Origin;
    use crate::{Classes, Labels, Points};

    #[test]
    fn a_relabelling_by_hand() {
        let points = Points::new(&[0.0, 4.0, 1.0, 9.0, 2.0, 8.0], 1).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1, 2, 2])).unwrap();
        let origin = Origin::exact(&classes);
        let frame = Frame::new(&classes, &origin);
        let unit = (frame.row(1)[0] - frame.row(0)[0]) / 4.0;
        // {0, 9} around 4.5, {4, 8} around 6, {1, 2} around 1.5: distances of 9 + 4 + 1, and 4.5 between the centroids farthest apart.
        let found = relabelling(&frame, &[0, 3, 1, 5, 2, 4], &[2, 2, 2]);
        assert!((found.within / unit - 14.0).abs() < 1e-12, "{found:?}");
        assert!((found.widest / (unit * unit) - 20.25).abs() < 1e-12, "{found:?}");
    }
}
