//! Decoders of other crates panic on some damaged files. Such a panic becomes an error here, and prints nothing.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::error::{ReadError, shorten};

thread_local! {
    /// Whether a panic on this thread is about to become an error.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder that owns everything it works on; a panic in it means that the file is damaged.
///
/// Panics elsewhere are reported as before: only those on this thread within `decode` are silent.
pub(crate) fn decoding<T>(decode: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CAUGHT.get() {
                before(info);
            }
        }));
    });
    let outer = CAUGHT.replace(true);
    let ended = panic::catch_unwind(AssertUnwindSafe(decode));
    CAUGHT.set(outer);
    ended.unwrap_or_else(|panic| Err(error(panic.as_ref())))
}

fn error(panic: &(dyn Any + Send)) -> ReadError {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    ReadError::new(format!("the file cannot be decoded: {}", shorten(message)))
        .help("it is probably damaged or cut off: write it again, or get it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_an_error_stays_one() {
        assert_eq!(decoding(|| Ok(3)), Ok(3));
        let refused = decoding::<()>(|| Err(ReadError::new("no")));
        assert_eq!(refused.map_err(|error| error.what), Err("no".to_owned()));
        let panicked = decoding::<()>(|| panic!("offset {}", 7)).map_err(|error| error.what);
        assert_eq!(panicked, Err("the file cannot be decoded: offset 7".to_owned()));
    }
}
