//! Points that cover the unit cube evenly: a Latin hypercube, the best spread of several draws.
//!
//! Each of the n slices of every dimension holds exactly one of the n points, so that even if only one dimension matters,
//! it is sampled at n places.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::tune::space::Space;

/// The number of hypercubes that are drawn; the one with the largest smallest distance is taken.
const DRAWS: usize = 20;

/// Draws n points, snapped to settings. Time: O(n^2 D).
pub(crate) fn latin_hypercube(space: &Space, n: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut best = (f64::NEG_INFINITY, Vec::new());
    for _ in 0..DRAWS {
        let points = draw(space, n, random);
        let spread = smallest_gap(space, &points);
        if spread > best.0 {
            best = (spread, points);
        }
    }
    best.1
}

fn draw(space: &Space, n: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut points = vec![Vec::new(); n];
    let mut slices: Vec<usize> = (0..n).collect();
    for _ in space.dimensions() {
        slices.shuffle(random);
        for (point, &slice) in points.iter_mut().zip(&slices) {
            point.push((slice as f64 + random.random::<f64>()) / n as f64);
        }
    }
    points.iter_mut().for_each(|point| space.snap(point));
    points
}

fn smallest_gap(space: &Space, points: &[Vec<f64>]) -> f64 {
    let axes = space.axes();
    let gap = |a: &[f64], b: &[f64]| -> f64 {
        axes.iter().zip(a.iter().zip(b)).map(|(axis, (&x, &y))| axis.squared_gap(x, y)).sum()
    };
    let pairs = points.iter().enumerate().flat_map(|(i, a)| points[..i].iter().map(move |b| gap(a, b)));
    pairs.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::dimension::Dimension;
    use rand::SeedableRng;

    #[test]
    fn the_smallest_gap_by_hand() {
        let space =
            Space::new([("x", Dimension::real(0.0, 1.0)), ("kind", Dimension::choice(["a", "b"]))]).unwrap();
        // Squares: 0.25 between the first two, 1.5625 and 1.0625 to the third, which has the other name.
        let points = [vec![0.0, 0.25], vec![0.5, 0.25], vec![0.75, 0.75]];
        assert_eq!(smallest_gap(&space, &points), 0.25);
        assert_eq!(smallest_gap(&space, &points[1..]), 1.0625);
        assert_eq!(smallest_gap(&space, &points[..1]), f64::INFINITY);
    }

    #[test]
    fn of_twenty_draws_the_first_with_the_widest_gaps_is_taken() {
        let space = Space::new([("x", Dimension::real(0.0, 1.0)), ("y", Dimension::real(0.0, 1.0))]).unwrap();
        let spread = |points: &[Vec<f64>]| {
            let mut least = f64::INFINITY;
            for i in 0..points.len() {
                for j in 0..i {
                    let (dx, dy) = (points[i][0] - points[j][0], points[i][1] - points[j][1]);
                    least = least.min(dx * dx + dy * dy);
                }
            }
            least
        };
        // A single point has no gap: all draws are equal.
        for (n, seed) in [(1, 1), (2, 2), (5, 3), (9, 4)] {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut twin = random.clone();
            let draws: Vec<Vec<Vec<f64>>> = (0..20).map(|_| draw(&space, n, &mut twin)).collect();
            let most = draws.iter().map(|points| spread(points)).fold(0.0, f64::max);
            let widest = draws.iter().position(|points| spread(points) == most).unwrap();
            assert_eq!(latin_hypercube(&space, n, &mut random), draws[widest]);
        }
    }
}
