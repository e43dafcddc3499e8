//! Whether there is a valley between two parts, in the plane of the difference of their centroids and the first principal
//! component of what is left.
//!
//! ```text
//! v = (c_s + 1) / (min c_p + 1)
//! ```
//!
//! where M is the size of the smaller part, k = M/3 between 2 and 10, R the larger of the parts' median distances to the k-th
//! neighbour within the part, c_p the 75% quantile over a part of the number of its points within R, and c_s the mean number of
//! points within R of the middles of the closest pairs across: each point of the smaller part is paired with the nearest point of
//! the other, and the closest fifth of these pairs, at least 5, are used. If the points are one cluster, v is about 1.

use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::matrix::Matrix;

/// Which quantile of the numbers of neighbours represents a part.
const DENSE: f64 = 0.75;
/// The share of the pairs across that is used, and the smallest number of pairs.
const CLOSEST: (f64, usize) = (0.2, 5);
/// How many iterations find the principal component, at most, and the change below which they stop.
const ITERATIONS: usize = 50;
const CONVERGED: f64 = 1e-9;

/// How deep the valley between two parts is: about 1 where there is none, near 0 where nothing lies between them. The values of a
/// feature whose step in `steps` is above 0 count as if they were spread evenly over a step; the plane is chosen before that.
///
/// Time: O(n d) for the plane, at worst O(n^2) in it. Memory: O(n).
pub(super) fn valley(points: &Matrix<'_>, second: &[bool], steps: &[f64]) -> f64 {
    let (mut first, mut other) = (Vec::new(), Vec::new());
    for (at, &second) in project(points, second, steps).iter().zip(second) {
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

/// The middles of the closest pairs of points in different parts.
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

/// Projects the points onto the plane.
fn project(points: &Matrix<'_>, second: &[bool], steps: &[f64]) -> Vec<[f64; 2]> {
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
    let mut places: Vec<[f64; 2]> = along.into_iter().zip(aside).map(|(x, y)| [x, y]).collect();
    let mut random = SplitMix::new(points.n_points() as u64);
    for (feature, &step) in steps.iter().enumerate().filter(|(_, step)| **step > 0.0) {
        for place in &mut places {
            const PARTS: usize = 1 << 30;
            let moved = step * ((random.below(PARTS) as f64 + 0.5) / PARTS as f64 - 0.5);
            *place = [place[0] + moved * across[feature], place[1] + moved * component[feature]];
        }
    }
    places
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
    clmatch_kernels::simd::sums::dot(a, b)
}

/// Scales a vector to length 1; 0 stays 0.
fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    // Divides by the largest number first, so that no square overflows or underflows.
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

/// Places sorted by their first coordinate, so that near places are found without a search through all of them.
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

    /// Visits points by their distance in the first coordinate, until its square exceeds the bound that `visit` returns.
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
        clmatch_kernels::quantile(&kth, 0.5).unwrap_or(0.0).sqrt()
    }

    /// The squared distance of a point of the plane to its k-th neighbour; the point itself is the one before the first.
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

    /// The quantile of the number of other points within a distance of each point.
    fn usual_count(&self, radius: f64) -> f64 {
        let mut counts: Vec<f64> =
            self.points.iter().map(|&place| self.count(place, radius) as f64 - 1.0).collect();
        counts.sort_by(f64::total_cmp);
        clmatch_kernels::quantile(&counts, DENSE).unwrap_or(0.0)
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
        // The parts lie on either side of x = 0; y has little of the rest, z most of it.
        let rest = [[0.1, 3.0], [-0.1, -3.0], [0.1, 3.0], [-0.1, -3.0]];
        let second = [false, false, true, true];
        for (gap, [x, y, z]) in [(1.0, [0.0; 3]), (10.0, [0.0; 3]), (10.0, [5.0, 70.0, -40.0])] {
            let along = second.map(|second| if second { gap } else { -gap });
            let rows: Vec<[f64; 3]> =
                along.iter().zip(rest).map(|(along, rest)| [x + along, y + rest[0], z + rest[1]]).collect();
            let places = project(&Matrix::from_rows(&rows).unwrap(), &second, &[0.0; 3]);
            for (place, along) in places.iter().zip(along) {
                assert!((place[0] - along).abs() < 1e-9, "{place:?}");
                assert!((place[1].abs() - 3.0).abs() < 0.01, "{place:?}");
            }
        }
    }

    /// Two values 1 apart, 50 points each: there is a valley if they count as they are, and none if they are rounded.
    #[test]
    fn rounded_values_are_spread_over_their_steps() {
        let points = Matrix::new((0..100).map(|row| f64::from(row / 50)).collect::<Vec<f64>>(), 1).unwrap();
        let second: Vec<bool> = (0..100).map(|row| row >= 50).collect();
        assert!(valley(&points, &second, &[0.0]) < 0.1);
        assert!(valley(&points, &second, &[1.0]) > 0.7);
        let places = project(&points, &second, &[1.0]);
        for (at, &[x, y]) in places.iter().enumerate() {
            let middle = if at < 50 { -0.5 } else { 0.5 };
            assert!((x - middle).abs() < 0.5 && y == 0.0, "{x} {y}");
        }
        // Evenly: each fifth of the step has about as many.
        let fifth = |low: f64| places.iter().filter(|place| (low..low + 0.2).contains(&place[0])).count();
        assert!((-5..5).all(|at| (2..=18).contains(&fifth(0.2 * f64::from(at)))), "{places:?}");
    }

    #[test]
    fn units_have_length_1_at_any_scale() {
        for scale in [1.0, 1e-200, 1e200] {
            let found = unit(vec![3.0 * scale, -4.0 * scale]);
            assert!((found[0] - 0.6).abs() < 1e-15 && (found[1] + 0.8).abs() < 1e-15, "{found:?}");
        }
        assert_eq!(unit(vec![0.0; 2]), [0.0; 2]);
    }

    /// Points along two axes at right angles, twice as far along one of them, including the case where that one is at right
    /// angles to (1, 1).
    #[test]
    fn the_principal_component_is_the_longer_axis() {
        for axis in [[0.6, 0.8], [-0.8, 0.6], [0.5_f64.sqrt(), -(0.5_f64.sqrt())]] {
            let [a, b] = axis;
            let rows = [2.0 * a, 2.0 * b, -2.0 * a, -2.0 * b, -b, a, b, -a];
            let found = principal_component(&rows, 2);
            assert!((dot(&found, &axis).abs() - 1.0).abs() < 1e-6, "{found:?} instead of {axis:?}");
        }
    }

    #[test]
    fn points_are_visited_from_the_nearest_along_the_first_axis() {
        let line = (0..10).map(|x| [f64::from(x), 0.0]);
        let plane = Plane::new(line.chain([[4.0, 1.0]]).collect());
        let visited = |place: [f64; 2], bound: f64| {
            let mut visited = Vec::new();
            plane.outwards(place, |point| {
                visited.push(point);
                bound
            });
            visited
        };
        // 3 is exactly at the bound, 6 is beyond it.
        assert_eq!(visited([4.25, 9.0], 1.5625), [[4.0, 1.0], [4.0, 0.0], [5.0, 0.0], [3.0, 0.0]]);
        // Places that are not to the left are on the right, in ascending order.
        assert_eq!(visited([4.0, 9.0], 1.0), [[4.0, 0.0], [4.0, 1.0], [3.0, 0.0], [5.0, 0.0]]);
    }

    #[test]
    fn of_equally_near_points_the_first_that_is_visited_counts() {
        let plane = Plane::new(vec![[5.0, 0.0], [3.0, 4.0], [0.0, 5.0]]);
        assert_eq!(plane.nearest([0.0, 0.0]), (25.0, [0.0, 5.0]));
    }

    #[test]
    fn middles_are_those_of_the_closest_fifth() {
        // The nearest place of the larger part is always 1.
        let line = |places: std::ops::Range<i32>| Plane::new(places.map(|x| [f64::from(x), 2.0]).collect());
        for (size, wanted) in [(3, 3), (5, 5), (20, 5), (30, 6), (31, 7)] {
            let found = middles_of_closest(&[line(1 - size..1), line(1..50)]);
            let expected: Vec<[f64; 2]> = (0..wanted).map(|at| [0.5 - 0.5 * f64::from(at), 2.0]).collect();
            assert_eq!(found, expected, "{size}");
        }
    }

    /// The definition, point by point, in the coordinates of the points: in two dimensions the plane contains everything.
    fn slow_valley(parts: [&[[f64; 2]]; 2], k: usize, closest: usize) -> f64 {
        let sorted = |mut numbers: Vec<f64>| {
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        let squares = |x: [f64; 2], of: &[[f64; 2]]| sorted(of.iter().map(|&y| square(x, y)).collect());
        let quantile = |numbers: Vec<f64>, share| clmatch_kernels::quantile(&sorted(numbers), share).unwrap();
        let radius = parts.map(|part| quantile(part.iter().map(|&x| squares(x, part)[k]).collect(), 0.5));
        let radius = radius[0].max(radius[1]);
        let within = |x: [f64; 2], of: &[[f64; 2]]| of.iter().filter(|&&y| square(x, y) <= radius).count();
        let others =
            |part: &[[f64; 2]]| -> Vec<f64> { part.iter().map(|&x| (within(x, part) - 1) as f64).collect() };
        let dense = parts.map(|part| quantile(others(part), 0.75));
        let [small, large] = if parts[0].len() < parts[1].len() { parts } else { [parts[1], parts[0]] };
        let mut pairs: Vec<(f64, [f64; 2])> = Vec::new();
        for &x in small {
            let near = large.iter().min_by(|y, z| square(x, **y).total_cmp(&square(x, **z))).unwrap();
            pairs.push((square(x, *near), [(x[0] + near[0]) / 2.0, (x[1] + near[1]) / 2.0]));
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let between: usize =
            pairs[..closest].iter().map(|&(_, middle)| within(middle, small) + within(middle, large)).sum();
        (between as f64 / closest as f64 + 1.0) / (dense[0].min(dense[1]) + 1.0)
    }

    #[test]
    fn valleys_are_those_of_the_definition() {
        let mut random = SplitMix::new(11);
        // Sizes, a third of the smaller one between 2 and 10, and a fifth of it that is at least 5. The medians of even sizes lie
        // between two distances, so that no point lies at the radius, where rounding would decide.
        for (sizes, k, closest) in [([20, 34], 6, 5), ([34, 20], 6, 5), ([60, 48], 10, 10), ([14, 12], 4, 5)]
        {
            for shift in [0.0, 0.7, 1.2, 9.0] {
                let mut number = || random.below(1 << 40) as f64 / f64::from(1 << 20) / f64::from(1 << 20);
                let mut part = |size: usize, shift: f64| -> Vec<[f64; 2]> {
                    (0..size).map(|_| [number() + shift, number() - shift]).collect()
                };
                let parts = [part(sizes[0], 0.0), part(sizes[1], shift)];
                let second: Vec<bool> = (0..sizes[0] + sizes[1]).map(|row| row >= sizes[0]).collect();
                let found = valley(&Matrix::from_rows(&parts.concat()).unwrap(), &second, &[0.0; 2]);
                let expected = slow_valley([&parts[0], &parts[1]], k, closest);
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{sizes:?}, {shift}: {found} instead of {expected}"
                );
            }
        }
    }
}
