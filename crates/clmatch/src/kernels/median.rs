//! The geometric median of a set of points: the place with the smallest mean distance to them.
//!
//! Weiszfeld's iteration `y' = sum(x / |x - y|) / sum(1 / |x - y|)` with the correction of Vardi and Zhang (2000)
//! for an iterate that falls on a point: it neither divides by zero nor gets stuck there.

use super::squared_distance;

/// Steps shorter than this, relative to the mean distance, end the iteration. The mean distance is flat around
/// its minimum, so its own error is of the order of the square of this.
const STEP: f64 = 1e-9;
/// Points closer than this to the place, relative to the mean distance, count as lying there. A place that rounding
/// puts beside a point instead of on it would otherwise be stuck there, or not, with the order of the points.
const HERE: f64 = 1e-9;
/// A mean distance that falls by less than this share no longer improves.
const GAIN: f64 = 1e-15;
/// The iteration ends here whatever happens.
const ITERATIONS: usize = 1000;

/// Mean distance of the points to their geometric median.
///
/// Time: O(N d) per iteration. Memory: O(d).
pub fn mean_distance_to_median<'a>(points: impl Iterator<Item = &'a [f64]> + Clone, start: &[f64]) -> f64 {
    let mut place = start.to_vec();
    let here = HERE * mean_distance(points.clone(), start);
    let mut best = f64::INFINITY;
    for _ in 0..ITERATIONS {
        let step = weiszfeld(points.clone(), &mut place, here);
        let stalled = step.mean >= best * (1.0 - GAIN);
        best = best.min(step.mean);
        if stalled || step.length <= STEP * step.mean {
            break;
        }
    }
    // Towards a median that is itself a point the iteration may creep: try the nearest one.
    let nearest =
        points.clone().min_by(|a, b| squared_distance(a, &place).total_cmp(&squared_distance(b, &place)));
    nearest.map_or(best, |point| best.min(mean_distance(points, point)))
}

fn mean_distance<'a>(points: impl Iterator<Item = &'a [f64]>, place: &[f64]) -> f64 {
    let (sum, count) = points
        .fold((0.0, 0.0), |(sum, count), point| (sum + squared_distance(point, place).sqrt(), count + 1.0));
    sum / count
}

struct Step {
    /// Mean distance of the points to the place before the step.
    mean: f64,
    /// How far the place moved.
    length: f64,
}

fn weiszfeld<'a>(points: impl Iterator<Item = &'a [f64]>, place: &mut [f64], near: f64) -> Step {
    let mut pull = vec![0.0; place.len()];
    let (mut weight, mut distances, mut count, mut here) = (0.0, 0.0, 0.0, 0.0);
    for point in points {
        count += 1.0;
        let distance = squared_distance(point, place).sqrt();
        distances += distance;
        if distance <= near {
            here += 1.0;
            continue;
        }
        weight += 1.0 / distance;
        for ((sum, x), y) in pull.iter_mut().zip(point).zip(place.iter()) {
            *sum += (x - y) / distance;
        }
    }
    let strength = squared_distance(&pull, &vec![0.0; pull.len()]).sqrt();
    // Points at the place hold it back with unit force each; it stays if they are stronger than the pull.
    let free = if strength > here { 1.0 - here / strength } else { 0.0 };
    let mut length = 0.0;
    if weight > 0.0 {
        for (y, sum) in place.iter_mut().zip(&pull) {
            *y += free * sum / weight;
        }
        length = free * strength / weight;
    }
    Step { mean: distances / count, length }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_median(points: &[[f64; 2]], start: [f64; 2]) -> f64 {
        mean_distance_to_median(points.iter().map(|p| &p[..]), &start)
    }

    #[test]
    fn triangle_has_its_fermat_point() {
        // Equilateral triangle with side 1: the median is the centroid, 1/sqrt(3) from each corner.
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.75_f64.sqrt()]];
        assert!((to_median(&corners, [0.1, 0.2]) - 1.0 / 3.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn starting_on_a_point_does_not_stick() {
        let points = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0], [0.0, 0.0], [2.0, 1.5]];
        let from_corner = to_median(&points, [0.0, 0.0]);
        let from_outside = to_median(&points, [9.0, -7.0]);
        assert!((from_corner - from_outside).abs() < 1e-9);
    }

    #[test]
    fn starting_beside_a_point_does_not_stick_either() {
        let points = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0], [0.0, 0.0], [2.0, 1.5]];
        let from_outside = to_median(&points, [9.0, -7.0]);
        for offset in [1e-17, 1e-14, 1e-11, 1e-8] {
            assert!((to_median(&points, [offset, 0.0]) - from_outside).abs() < 1e-9, "{offset}");
        }
    }

    #[test]
    fn heavy_point_is_its_own_median() {
        let points = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert!((to_median(&points, [0.3, 0.3]) - 2.0 / 5.0).abs() < 1e-9);
        assert_eq!(to_median(&[[2.0, 2.0]; 4], [2.0, 2.0]), 0.0);
    }
}
