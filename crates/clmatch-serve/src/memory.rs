//! Reserves memory before it is used, so that work is refused rather than swapped.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;

use crate::problem::ApiProblem;

/// How many seconds a client should wait before it asks again.
const COME_BACK: u64 = 2;

/// How much memory may be used, and how much is.
#[derive(Debug)]
pub(crate) struct MemoryAccount {
    limit: u64,
    used: Mutex<u64>,
}

/// An amount of memory that is reserved until it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    account: Arc<MemoryAccount>,
    bytes: u64,
}

impl MemoryAccount {
    pub(crate) fn new(limit: u64) -> Arc<Self> {
        Arc::new(MemoryAccount { limit, used: Mutex::new(0) })
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Reserves memory, or says why not: more is wanted than there is at all, or than is free now.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: u64) -> Result<Reservation, ApiProblem> {
        if bytes > self.limit {
            let what = format!("this needs about {}, but {} may be used", human(bytes), human(self.limit));
            return Err(ApiProblem::new(StatusCode::PAYLOAD_TOO_LARGE, what)
                .help("use fewer rows or columns, or start the server with more memory (--memory)"));
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if *used + bytes > self.limit {
            return Err(ApiProblem::busy("other work has the memory that this needs", COME_BACK));
        }
        *used += bytes;
        Ok(Reservation { account: Arc::clone(self), bytes })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut used = self.account.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used -= self.bytes;
    }
}

/// Bytes with a unit: `3.3 kB`, `64 MB`.
pub(crate) fn human(bytes: u64) -> String {
    let (unit, size) = match bytes {
        0..1_000_000 => ("kB", 1e3),
        1_000_000..1_000_000_000 => ("MB", 1e6),
        _ => ("GB", 1e9),
    };
    let amount = bytes as f64 / size;
    if amount < 10.0 { format!("{amount:.1} {unit}") } else { format!("{amount:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_used_again() {
        let account = MemoryAccount::new(100);
        let first = account.reserve(60).unwrap();
        let refused = account.reserve(50).unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(account.reserve(101).unwrap_err().status, StatusCode::PAYLOAD_TOO_LARGE);
        let second = account.reserve(40).unwrap();
        assert!(account.reserve(1).is_err());
        assert_eq!([human(3291), human(64_000_000), human(2_500_000_000)], ["3.3 kB", "64 MB", "2.5 GB"]);
        drop((first, second));
        assert!(account.reserve(100).is_ok());
    }
}
