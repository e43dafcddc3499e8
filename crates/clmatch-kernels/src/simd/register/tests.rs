use super::*;
use crate::simd::isa::{Isa, Work};
use crate::simd::level::{Dispatch, Level};

/// More lanes than any register has.
const MOST: usize = 16;
/// The places of the numbers, the last one first.
const REVERSE: [u32; MOST] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
/// Relative error of a square root from its factors, in units of rounding.
const ROOT_ROUNDINGS: f64 = 4.0;

/// The operands of all operations: two registers, lane by lane.
struct Operations<T>([T; MOST], [T; MOST]);

struct Results {
    lanes: usize,
    /// Sum, difference, product, smaller, larger, fused, root, root from factors, kept where less, gathered in
    /// reverse, lanes added to 1.
    values: [[f64; MOST]; 11],
}

/// # Safety
/// The processor has the instruction set of `R`.
#[inline(always)]
unsafe fn results<R: Register>(left: &[R::T; MOST], right: &[R::T; MOST]) -> Results {
    // SAFETY: the caller guarantees the instruction set; no register has more numbers than the arrays.
    unsafe {
        let (x, y) = (R::load(left.as_ptr()), R::load(right.as_ptr()));
        let [g, t] = x.root();
        let factor = R::splat(R::T::narrow(R::ROOT));
        let mut unaligned = vec![0_u8; size_of_val(left) + 1];
        unaligned.as_mut_ptr().add(1).copy_from(left.as_ptr().cast(), size_of_val(left));
        let registers = [
            x.add(y),
            x.sub(y),
            x.mul(y),
            x.min(y),
            x.max(y),
            x.mul_add(y, R::splat(R::T::narrow(3.0))),
            x.sqrt(),
            g.mul(t).mul(factor),
            x.keep(x.less(y), y),
            R::gather(unaligned.as_ptr().add(1).cast(), REVERSE.as_ptr()),
        ];
        let mut values = [[1.0; MOST]; 11];
        for (register, values) in registers.into_iter().zip(&mut values) {
            let mut stored = [R::T::ZERO; MOST];
            register.store(stored.as_mut_ptr());
            *values = stored.map(R::T::wide);
        }
        x.add_to(values[10].as_mut_ptr());
        Results { lanes: R::N, values }
    }
}

impl<T: Float> Work<T> for Operations<T> {
    type Output = [Results; 3];

    #[inline(always)]
    unsafe fn work<I: Isa<T = T>>(self) -> [Results; 3] {
        // SAFETY: the caller guarantees the instruction set.
        unsafe {
            [
                results::<I::R>(&self.0, &self.1),
                results::<I::Group>(&self.0, &self.1),
                results::<I::Side>(&self.0, &self.1),
            ]
        }
    }
}

fn check<T: Dispatch>(rounding: f64) {
    // With whole numbers and halves, all results but the roots are exact.
    let left: [f64; MOST] = std::array::from_fn(|i| (i * 7 % 11) as f64 * 0.5);
    let right: [f64; MOST] = std::array::from_fn(|i| (i * 5 % 13) as f64 * 0.5);
    for level in Level::ALL {
        let operations = Operations(left.map(T::narrow), right.map(T::narrow));
        for results in level.run(operations) {
            for lane in 0..results.lanes {
                let (x, y) = (left[lane], right[lane]);
                let (least, reverse) = (x.min(y), left[MOST - 1 - lane]);
                let root = T::narrow(x.sqrt()).wide();
                let expected =
                    [x + y, x - y, x * y, least, x.max(y), x * y + 3.0, root, root, least, reverse, x + 1.0];
                for (at, (values, expected)) in results.values.iter().zip(expected).enumerate() {
                    let slack = if at == 7 { ROOT_ROUNDINGS * rounding * expected } else { 0.0 };
                    assert!(
                        (values[lane] - expected).abs() <= slack,
                        "{level:?}, operation {at}, lane {lane} of {}: {} for {x} and {y}",
                        results.lanes,
                        values[lane]
                    );
                }
            }
        }
    }
}

#[test]
fn every_operation_does_what_it_says_in_every_lane() {
    check::<f64>(f64::EPSILON);
    check::<f32>(f64::from(f32::EPSILON));
}
