//! Finds the lowest point of a function of one variable, going downhill from a start.

/// The first step of the descent, and the factor by which each step grows.
const STEP: f64 = 0.05;
const GROWTH: f64 = 2.0;
/// The search ends when the place is known to this precision.
const WIDTH: f64 = 1e-9;
/// 1 / golden ratio.
const SHRINK: f64 = 0.618_033_988_749_894_9;

/// Goes downhill from `start` until the function rises again, and narrows down the lowest point by golden-section search. Exact
/// to about 1e-8, which is where values of a smooth function become equal in double precision.
///
/// Time: about 50 evaluations.
pub(super) fn minimum(f: impl Fn(f64) -> f64, start: f64, [low, high]: [f64; 2]) -> f64 {
    let start = start.clamp(low, high);
    let value = f(start);
    let (right, left) = ((start + STEP).min(high), (start - STEP).max(low));
    let (a, b) = if f(right) < value {
        descend(&f, start, STEP, [low, high])
    } else if f(left) < value {
        descend(&f, start, -STEP, [low, high])
    } else {
        (left, right)
    };
    golden(f, a.min(b), a.max(b))
}

/// Walks on with growing steps until the function no longer falls; the lowest point lies between the two ends.
fn descend(f: &impl Fn(f64) -> f64, start: f64, step: f64, [low, high]: [f64; 2]) -> (f64, f64) {
    let (mut before, mut here, mut step) = (start, (start + step).clamp(low, high), step);
    loop {
        step *= GROWTH;
        let next = (here + step).clamp(low, high);
        if next == here || f(next) >= f(here) {
            return (before, next);
        }
        (before, here) = (here, next);
    }
}

fn golden(f: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    let (mut c, mut d) = (b - SHRINK * (b - a), a + SHRINK * (b - a));
    let (mut f_c, mut f_d) = (f(c), f(d));
    while b - a > WIDTH {
        if f_c < f_d {
            (b, d, f_d) = (d, c, f_c);
            c = b - SHRINK * (b - a);
            f_c = f(c);
        } else {
            (a, c, f_c) = (c, d, f_d);
            d = a + SHRINK * (b - a);
            f_d = f(d);
        }
    }
    (a + b) / 2.0
}

#[cfg(test)]
mod tests {
    use super::minimum;

    #[test]
    fn lowest_points_by_hand() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-7, "{found}");
        for start in [-9.0, 2.9, 3.0, 8.0] {
            near(minimum(|x| (x - 3.0) * (x - 3.0), start, [-10.0, 10.0]), 3.0);
        }
        // |x| is not smooth at its lowest point; a function that keeps falling leads to the end of the interval.
        near(minimum(f64::abs, 7.3, [-10.0, 10.0]), 0.0);
        near(minimum(|x| -x, 0.0, [-10.0, 10.0]), 10.0);
        near(minimum(|x| x, 0.0, [-10.0, 10.0]), -10.0);
    }
}
