//! Long work: runs without the interpreter's lock, on a chosen number of threads, and can be stopped with Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clmatch::{Control, Stop};
use clmatch_kernels::Step;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How often to check for a signal: only the thread that called may do that, and it does nothing else.
const LOOK: Duration = Duration::from_millis(20);

/// The threads of a process; a forked process has none of its parent's threads.
struct Pool {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// The pool with this many threads of this process; created once.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = pools.iter().find(|known| known.process == process && known.threads == threads) {
        return Ok(Arc::clone(&known.pool));
    }
    let name = |index| format!("clmatch-{index}");
    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let made =
        made.map_err(|error| PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}")))?;
    let made = Arc::new(made);
    pools.push(Pool { process, threads, pool: Arc::clone(&made) });
    Ok(made)
}

/// The default number of threads.
fn available() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// How work runs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Running {
    /// The number of threads; one per processor if not given.
    threads: Option<usize>,
    /// Called with a text, the number of steps that are done, and their total number.
    progress: Option<Py<PyAny>>,
}

impl Running {
    /// Runs work. A signal stops it through the control and is raised, as is an exception of the listener; a panic becomes a
    /// `RuntimeError`.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Control<'_>) -> T + Send,
    ) -> PyResult<T> {
        let Some(listener) = &self.progress else { return run(py, self.threads, work) };
        let last = Mutex::new(None);
        let listen = |step: Step<'_>| {
            let step = (step.what.to_owned(), step.done, step.of);
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
        };
        let tell = |py: Python<'_>| -> PyResult<()> {
            match last.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(step) => listener.call1(py, step).map(drop),
                None => Ok(()),
            }
        };
        watched(py, self.threads, &tell, |control| work(control.with_progress(&listen)))
    }
}

/// Runs work on `threads` threads (all processors if not given). A signal stops it through the control and is raised; a
/// panic becomes a `RuntimeError`.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(Control<'_>) -> T + Send,
) -> PyResult<T> {
    watched(py, threads, &|_| Ok(()), work)
}

/// Like [`run`], but also calls `tell` from time to time on the thread that called.
fn watched<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    tell: &(dyn Fn(Python<'_>) -> PyResult<()> + Sync),
    work: impl FnOnce(Control<'_>) -> T + Send,
) -> PyResult<T> {
    let pool = pool(threads.unwrap_or_else(available))?;
    let stop = Stop::new();
    let (finished, interrupted) = py.detach(|| {
        let (send, receive) = channel();
        let stop = &stop;
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                let result = catch_unwind(AssertUnwindSafe(|| work(Control::new(stop))));
                // The receiver still exists: it lives until the scope ends.
                let _ = send.send(result);
            });
            let mut interrupted = None;
            loop {
                match receive.recv_timeout(LOOK) {
                    Ok(result) => break (Some(result), interrupted),
                    Err(RecvTimeoutError::Disconnected) => break (None, interrupted),
                    Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                        interrupted = Python::attach(|py| py.check_signals().and_then(|()| tell(py)).err());
                        if interrupted.is_some() {
                            stop.raise();
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    });
    match (finished, interrupted) {
        (_, Some(raised)) => Err(raised),
        (Some(Ok(value)), None) => Ok(value),
        _ => Err(PyRuntimeError::new_err(
            "clmatch failed on this input, which is a defect: please report it with the input",
        )),
    }
}
