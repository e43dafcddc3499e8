//! Random search: the baseline that a guided search must beat.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::tune::outcome::{Evaluation, Outcome, SearchError};
use crate::tune::setting::Setting;
use crate::tune::space::Space;

/// Evaluates independent draws, uniform over the unit cube of the space, and keeps the best.
///
/// # Errors
/// If no evaluation succeeded.
pub fn maximize(
    space: &Space,
    evaluations: usize,
    seed: u64,
    mut objective: impl FnMut(&Setting) -> f64,
) -> Result<Outcome, SearchError> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let evaluate = |_| {
        let setting = space.draw(&mut random);
        let value = objective(&setting);
        Evaluation { setting, value }
    };
    Outcome::of((0..evaluations).map(evaluate).collect())
}
