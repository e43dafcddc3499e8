//! How much memory a dataset may take. This is checked before reading, so that nothing starts to swap.

use clmatch::memory::available;
pub(crate) use clmatch::memory::human;

use crate::advice::Advice;
use crate::error::ReadError;
use crate::huge_pages;
use crate::options::ReadOptions;
use crate::real::MatrixElement;

/// The largest matrix that may be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryBudget {
    limit: u64,
}

impl MemoryBudget {
    /// The limit in the options, or else three quarters of what the system has available, or else none.
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let limit = options.memory_limit.or_else(available);
        // No vector can be larger than this. Sizes that overflow are therefore refused on every system.
        MemoryBudget { limit: limit.unwrap_or(u64::MAX).min(isize::MAX as u64) }
    }

    /// The limit in bytes.
    pub(crate) fn limit(self) -> u64 {
        self.limit
    }

    /// Refuses a matrix of `bytes`, an estimate made before reading or what was read so far.
    pub(crate) fn check(self, bytes: u64) -> Result<(), ReadError> {
        if bytes <= self.limit {
            return Ok(());
        }
        let (need, have) = (human(bytes), human(self.limit));
        let what = format!("the matrix would take about {need}, but {have} may be used");
        Err(ReadError::too_large_for_memory(what))
    }

    /// Refuses a matrix of `rows` by `columns` numbers of `size` bytes.
    pub(crate) fn check_shape(self, rows: u64, columns: u64, size: u64) -> Result<(), ReadError> {
        self.check(rows.saturating_mul(columns).saturating_mul(size))
    }
}

/// Zeros in memory that the system gives out untouched; returns an error instead of aborting if there is not enough.
pub(crate) fn zeros<T: MatrixElement>(count: usize) -> Result<Vec<T>, ReadError> {
    let cannot = |_| {
        let need = human((count as u64).saturating_mul(size_of::<T>() as u64));
        ReadError::new(format!("the matrix takes {need}, more than the system hands out"))
            .help(Advice::UseFewerColumnsOrRows)
    };
    // This reserves and frees the memory as a test: a plain vector of zeros is not written to until it is used.
    Vec::<T>::new().try_reserve_exact(count).map_err(cannot)?;
    let mut values = vec![T::ZERO; count];
    huge_pages::ask_for(&mut values);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ReadErrorKind;

    #[test]
    fn limits_are_kept_and_overflow_is_too_much() {
        let budget = MemoryBudget { limit: 1000 };
        assert!(budget.check(1000).is_ok());
        let error = budget.check(1001).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::TooLargeForMemory);
        assert_eq!(error.what, "the matrix would take about 1.0 kB, but 1.0 kB may be used");
        assert!(budget.check_shape(u64::MAX, u64::MAX, 8).is_err());
        let unlimited =
            MemoryBudget::new(&ReadOptions { memory_limit: Some(u64::MAX), ..ReadOptions::default() });
        assert!(unlimited.check_shape(u64::MAX, 2, 8).is_err());
        assert!(zeros::<f64>(1 << 59).unwrap_err().what.contains("4.6 EB"));
        assert_eq!(zeros::<f32>(3).unwrap(), [0.0; 3]);
    }
}
