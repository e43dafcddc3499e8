//! Exhaustive search: every setting of a finite space.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::tune::outcome::{Evaluation, Outcome, SearchError};
use crate::tune::setting::Setting;
use crate::tune::space::Space;

/// The size of the largest space that is searched exhaustively.
pub const MOST_SETTINGS: u64 = 1 << 20;

/// Evaluates all settings in the order of [`Space::all`]; the first among equals is the best.
///
/// # Errors
/// If the space is infinite or has more than [`MOST_SETTINGS`] settings, or no evaluation succeeded.
pub fn maximize(space: &Space, mut objective: impl FnMut(&Setting) -> f64) -> Result<Outcome, SearchError> {
    let size = searchable_size(space)?;
    let evaluate = |index| {
        let setting = space.nth(index);
        let value = objective(&setting);
        Evaluation { setting, value }
    };
    Outcome::of((0..size).map(evaluate).collect())
}

/// Like [`maximize`], but on several threads. The outcome is the same for any number of threads, provided the objective
/// depends on nothing but the setting.
///
/// # Errors
/// Like those of [`maximize`].
pub fn maximize_parallel(
    space: &Space,
    threads: usize,
    objective: impl Fn(&Setting) -> f64 + Sync,
) -> Result<Outcome, SearchError> {
    let size = searchable_size(space)?;
    let next = AtomicU64::new(0);
    let work = || {
        let claim = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < size);
        let evaluate = |index| (index, objective(&space.nth(index)));
        std::iter::from_fn(claim).map(evaluate).collect::<Vec<(u64, f64)>>()
    };
    let mut values = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut values = work();
        for other in others {
            // A panic of the objective continues here, as it would on one thread.
            values.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        values
    });
    values.sort_unstable_by_key(|&(index, _)| index);
    let evaluation = |(index, value)| Evaluation { setting: space.nth(index), value };
    Outcome::of(values.into_iter().map(evaluation).collect())
}

fn searchable_size(space: &Space) -> Result<u64, SearchError> {
    let size = space.size();
    size.filter(|&size| size <= MOST_SETTINGS)
        .ok_or(SearchError::TooManySettings { size, most: MOST_SETTINGS })
}
