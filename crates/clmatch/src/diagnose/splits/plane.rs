//! Is there a valley between two parts? Judged in the plane of the difference of their centroids and the first principal
//! component of what is left.
//!
//! ```text
//! v = (c_s + 1) / (min c_p + 1)
//! ```
//!
//! where M is the size of the smaller part, k = M/3 between 2 and 10, R the larger of the parts' median distances to the
//! k-th neighbour within the part, c_p the 75% quantile over a part of the number of its points within R, and c_s the mean
//! number of points within R of the middles of the closest pairs across: each point of the smaller part with the nearest
//! one of the other, and of these the closest fifth, at least 5. Points of one cluster have v about 1.

use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::matrix::Matrix;

/// Which quantile of the numbers of neighbours stands for a part.
const DENSE: f64 = 0.75;
/// Of the pairs across, the share that is looked at, and at least so many.
const CLOSEST: (f64, usize) = (0.2, 5);
/// When the principal component is found well enough.
const ITERATIONS: usize = 50;
const CONVERGED: f64 = 1e-9;

/// How deep the valley between two parts is: about 1 where there is none, near 0 where nothing lies between them.
///
/// Time: O(n d) for the plane, at worst O(n^2) in it. Memory: O(n).
pub(super) fn valley(points: &Matrix<'_>, second: &[bool]) -> f64 {
    let (mut first, mut other) = (Vec::new(), Vec::new());
    for (at, &second) in project(points, second).iter().zip(second) {
        if second { other.push(*at) } else { first.push(*at) }
    }
    let (small, large) = if first.len() <= other.len() { (first, other) } else { (other, first) };
    let parts = [Plane::new(small), Plane::new(large)];
    let k = (parts[0].points.len() / 3).clamp(2, 10);
    let radius = parts.iter().map(|part| part.median_of_kth(k)).fold(0.0, f64::max);
    let dense = parts.iter().map(|part| part.usual_count(radius)).fold(f64::INFINITY, f64::min);
    let middles = middles_of_closest(&parts);
    let count =
        |&middle: &[f64; 2]| parts.iter().map(|part| part.count(middle, radius)).sum::<usize>() as f64;
    let between = middles.iter().map(count).sum::<f64>() / middles.len() as f64;
    (between + 1.0) / (dense + 1.0)
}

/// The middles of the closest pairs across.
fn middles_of_closest([small, large]: &[Plane; 2]) -> Vec<[f64; 2]> {
    let mut pairs: Vec<(f64, [f64; 2])> = small
        .points
        .iter()
        .map(|&x| {
            let (square, y) = large.nearest(x);
            (square, [f64::midpoint(x[0], y[0]), f64::midpoint(x[1], y[1])])
        })
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted = ((CLOSEST.0 * pairs.len() as f64).ceil() as usize).max(CLOSEST.1).min(pairs.len());
    pairs[..wanted].iter().map(|&(_, middle)| middle).collect()
}

/// Places in the plane.
fn project(points: &Matrix<'_>, second: &[bool]) -> Vec<[f64; 2]> {
    let [a, b] = [false, true].map(|side| centroid(points, |row| second[row] == side));
    let middle: Vec<f64> = centroid(points, |_| true);
    let across = unit(a.iter().zip(&b).map(|(a, b)| b - a).collect());
    let mut rest: Vec<f64> = Vec::with_capacity(points.values().len());
    let mut along = Vec::with_capacity(points.n_points());
    for row in points.rows() {
        let centred = row.iter().zip(&middle).map(|(x, m)| x - m);
        let place: f64 = centred.clone().zip(&across).map(|(x, e)| x * e).sum();
        rest.extend(centred.zip(&across).map(|(x, e)| x - place * e));
        along.push(place);
    }
    let component = principal_component(&rest, points.n_features());
    let aside = rest.chunks_exact(points.n_features()).map(|row| dot(row, &component));
    along.into_iter().zip(aside).map(|(x, y)| [x, y]).collect()
}

/// The mean of some rows.
pub(super) fn centroid(points: &Matrix<'_>, is_in: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut sum = vec![0.0; points.n_features()];
    let mut count = 0.0;
    for (_, row) in points.rows().enumerate().filter(|(at, _)| is_in(*at)) {
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        count += 1.0;
    }
    sum.iter_mut().for_each(|sum| *sum /= count);
    sum
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    clmatch_simd::sums::dot(a, b)
}

/// The same direction with length 1; 0 stays 0.
fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    // By the largest first, so that no square leaves the range.
    let largest = vector.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest > 0.0 {
        vector.iter_mut().for_each(|x| *x /= largest);
        let length = dot(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

/// The direction of the largest variance of centred rows, by the power method.
fn principal_component(rows: &[f64], features: usize) -> Vec<f64> {
    let mut random = SplitMix::new(features as u64);
    let mut direction = unit((0..features).map(|_| random.below(1 << 20) as f64 + 1.0).collect());
    for _ in 0..ITERATIONS {
        let mut next = vec![0.0; features];
        for row in rows.chunks_exact(features) {
            let place = dot(row, &direction);
            next.iter_mut().zip(row).for_each(|(sum, x)| *sum += place * x);
        }
        let next = unit(next);
        let moved = squared_distance(&next, &direction);
        direction = next;
        if moved < CONVERGED {
            break;
        }
    }
    direction
}

/// Places sorted by their first coordinate, so that what is near is found without looking at all.
struct Plane {
    points: Vec<[f64; 2]>,
}

fn square(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])
}

impl Plane {
    fn new(mut points: Vec<[f64; 2]>) -> Plane {
        points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        Plane { points }
    }

    /// How many points lie within a distance.
    fn count(&self, place: [f64; 2], radius: f64) -> usize {
        let from = self.points.partition_point(|point| point[0] < place[0] - radius);
        let near = self.points[from..].iter().take_while(|point| point[0] <= place[0] + radius);
        near.filter(|&&point| square(point, place) <= radius * radius).count()
    }

    /// Visits points by their distance in the first coordinate, until `visit` has a bound on squares that they exceed.
    fn outwards(&self, place: [f64; 2], mut visit: impl FnMut([f64; 2]) -> f64) {
        let mut right = self.points.partition_point(|point| point[0] < place[0]);
        let mut left = right;
        let mut bound = f64::INFINITY;
        let away = |at: usize| (self.points[at][0] - place[0]) * (self.points[at][0] - place[0]);
        loop {
            let to_left = (left > 0).then(|| away(left - 1));
            let to_right = (right < self.points.len()).then(|| away(right));
            let next = match (to_left, to_right) {
                (Some(a), Some(b)) if a <= b => (a, true),
                (Some(a), None) => (a, true),
                (_, Some(b)) => (b, false),
                (None, None) => return,
            };
            if next.0 > bound {
                return;
            }
            let at = if next.1 {
                left -= 1;
                left
            } else {
                right += 1;
                right - 1
            };
            bound = visit(self.points[at]);
        }
    }

    /// The nearest point, with its squared distance.
    fn nearest(&self, place: [f64; 2]) -> (f64, [f64; 2]) {
        let mut best = (f64::INFINITY, place);
        self.outwards(place, |point| {
            let square = square(point, place);
            if square < best.0 {
                best = (square, point);
            }
            best.0
        });
        best
    }

    /// The median distance of a point to its k-th neighbour.
    fn median_of_kth(&self, k: usize) -> f64 {
        let mut kth: Vec<f64> = self.points.iter().map(|&place| self.kth(place, k)).collect();
        kth.sort_by(f64::total_cmp);
        clmatch_numerics::quantile(&kth, 0.5).unwrap_or(0.0).sqrt()
    }

    /// The squared distance of a point of the plane to its k-th neighbour: itself is the one before the first.
    fn kth(&self, place: [f64; 2], k: usize) -> f64 {
        let mut smallest: Vec<f64> = Vec::with_capacity(k + 2);
        self.outwards(place, |point| {
            let square = square(point, place);
            let at = smallest.partition_point(|&kept| kept <= square);
            smallest.insert(at, square);
            smallest.truncate(k + 1);
            smallest.get(k).copied().unwrap_or(f64::INFINITY)
        });
        smallest.last().copied().unwrap_or(0.0)
    }

    /// The quantile of how many other points a point has within a distance.
    fn usual_count(&self, radius: f64) -> f64 {
        let mut counts: Vec<f64> =
            self.points.iter().map(|&place| self.count(place, radius) as f64 - 1.0).collect();
        counts.sort_by(f64::total_cmp);
        clmatch_numerics::quantile(&counts, DENSE).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_a_search_through_all() {
        let mut random = SplitMix::new(7);
        let mut number = || random.below(40) as f64;
        let points: Vec<[f64; 2]> = (0..200).map(|_| [number(), number()]).collect();
        let plane = Plane::new(points.clone());
        for &place in &points {
            let mut squares: Vec<f64> = points.iter().map(|&point| square(point, place)).collect();
            squares.sort_by(f64::total_cmp);
            assert_eq!(plane.kth(place, 7), squares[7]);
            assert_eq!(plane.count(place, 5.0), squares.iter().filter(|&&square| square <= 25.0).count());
        }
        let far = [100.5, -3.0];
        let expected = points.iter().map(|&point| square(point, far)).fold(f64::INFINITY, f64::min);
        assert_eq!(plane.nearest(far).0, expected);
    }

    #[test]
    fn the_plane_has_the_difference_and_the_widest_rest() {
        // Parts at x = -1 and 1; y has little, z most of the rest.
        let rows = [[-1.0, 0.1, 3.0], [-1.0, -0.1, -3.0], [1.0, 0.1, 3.0], [1.0, -0.1, -3.0]];
        let places = project(&Matrix::from_rows(&rows).unwrap(), &[false, false, true, true]);
        for (place, row) in places.iter().zip(rows) {
            assert!((place[0] - row[0]).abs() < 1e-9, "{place:?}");
            assert!((place[1].abs() - 3.0).abs() < 0.01, "{place:?}");
        }
    }
}
