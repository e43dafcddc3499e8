//! What single points see of all others, where a sweep over all pairs would take too long.

use super::frame::Frame;
use super::pairs::NEAREST;
use super::squared_distance;

/// Distances from one point to all others, class by class.
#[derive(Debug, Clone)]
pub(crate) struct Outlook {
    /// Sum of distances to each class.
    pub(crate) sums: Vec<f64>,
    /// K x 5: the smallest squared distances to other points of each class, ascending, padded with infinity.
    pub(crate) nearest: Vec<f64>,
}

/// What a point sees of the others. Time: O(n d). Memory: O(K).
pub(crate) fn outlook(frame: &Frame, point: usize) -> Outlook {
    let count = frame.classes();
    let mut outlook = Outlook { sums: vec![0.0; count], nearest: vec![f64::INFINITY; count * NEAREST] };
    for class in 0..count {
        let nearest = &mut outlook.nearest[class * NEAREST..(class + 1) * NEAREST];
        for other in frame.starts[class]..frame.starts[class + 1] {
            if other != point {
                let square = squared_distance(frame.row(point), frame.row(other));
                outlook.sums[class] += square.sqrt();
                insert(nearest, square);
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
