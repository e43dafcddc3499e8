//! All pairwise distances in one sweep, summed, ranked and bounded per class; nothing of size n^2 is kept.

use rayon::prelude::*;

use super::frame::Frame;
use super::squared_distance;

/// How many nearest neighbours are kept per point and class.
pub const NEIGHBOURS: usize = 5;

/// Which tables a sweep should fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sweep {
    /// Sums of distances from each point to each class.
    pub sums: bool,
    /// The smallest squared distances from each point to each class.
    pub nearest: bool,
    /// Smallest squared distance between, and largest within classes.
    pub extremes: bool,
}

/// Tables of distances; those that were not asked for are empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DistanceTables {
    /// n x K: `P(x, k)`, the sum of distances from x to the points of class k.
    pub sums: Vec<f64>,
    /// n x K x 5: the smallest squared distances from x to other points of class k, ascending, padded with infinity.
    pub nearest: Vec<f64>,
    /// K x K: smallest squared distance between points of two classes; infinity on the diagonal.
    pub separation: Vec<f64>,
    /// K: largest squared distance within a class.
    pub diameter: Vec<f64>,
}

/// What one point sees of the others.
#[derive(Debug, Clone)]
pub(crate) struct Outlook {
    /// Sum of distances to each class.
    pub(crate) sums: Vec<f64>,
    /// The smallest squared distances to each class.
    pub(crate) nearest: Vec<f64>,
    closest: Vec<f64>,
    farthest: f64,
}

/// Sweeps over all pairs of points, by differences.
///
/// Time: O(n^2 d). Memory: O(n K).
pub fn all_pairs(frame: &Frame, sweep: Sweep) -> DistanceTables {
    let count = frame.classes();
    let mut tables = DistanceTables::default();
    if sweep.extremes {
        tables.separation = vec![f64::INFINITY; count * count];
        tables.diameter = vec![0.0; count];
    }
    for class in 0..count {
        let outlooks: Vec<Outlook> = (frame.starts[class]..frame.starts[class + 1])
            .into_par_iter()
            .map(|point| outlook(frame, point, class))
            .collect();
        for outlook in outlooks {
            if sweep.sums {
                tables.sums.extend(outlook.sums);
            }
            if sweep.nearest {
                tables.nearest.extend(outlook.nearest);
            }
            if sweep.extremes {
                let row = &mut tables.separation[class * count..(class + 1) * count];
                row.iter_mut().zip(outlook.closest).for_each(|(least, closest)| *least = least.min(closest));
                tables.diameter[class] = tables.diameter[class].max(outlook.farthest);
            }
        }
    }
    tables
}

/// What a point of class `own` sees of the others. Time: O(n d). Memory: O(K).
pub(crate) fn outlook(frame: &Frame, point: usize, own: usize) -> Outlook {
    let count = frame.classes();
    let mut outlook = Outlook {
        sums: vec![0.0; count],
        nearest: vec![f64::INFINITY; count * NEIGHBOURS],
        closest: vec![f64::INFINITY; count],
        farthest: 0.0,
    };
    for class in 0..count {
        let nearest = &mut outlook.nearest[class * NEIGHBOURS..(class + 1) * NEIGHBOURS];
        for other in frame.starts[class]..frame.starts[class + 1] {
            if other == point {
                continue;
            }
            let square = squared_distance(frame.row(point), frame.row(other));
            outlook.sums[class] += square.sqrt();
            insert(nearest, square);
            if class == own {
                outlook.farthest = outlook.farthest.max(square);
            } else {
                outlook.closest[class] = outlook.closest[class].min(square);
            }
        }
    }
    outlook
}

/// Keeps the smallest values in ascending order.
fn insert(smallest: &mut [f64], value: f64) {
    let place = smallest.partition_point(|&kept| kept <= value);
    if place < smallest.len() {
        smallest[place..].rotate_right(1);
        smallest[place] = value;
    }
}
