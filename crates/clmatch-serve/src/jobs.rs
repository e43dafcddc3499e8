//! Jobs: a bounded queue, workers, and what is kept of finished jobs.

mod job;

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clmatch_analysis::AnalysisError;
use clmatch_kernels::{Control, Step};
use clmatch_render::pages::PageError;

use crate::memory::Reservation;
use crate::problem::ApiProblem;

pub(crate) use job::{Job, JobOutcome, JobState, JobSubject};

/// How many finished jobs are kept, and how many bytes of results.
const KEPT: usize = 256;
const KEPT_BYTES: usize = 128_000_000;
/// How many seconds a client should wait before it asks again.
const COME_BACK: u64 = 3;

/// What a job does.
pub(crate) type Work = Box<dyn FnOnce(Control<'_>) -> Result<JobOutcome, WorkError> + Send>;

/// Why work has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    /// The analysis failed, or was stopped.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The dataset could not be read; what its columns were taken for is known.
    #[error("{}", .0.error)]
    Refused(ApiProblem),
    /// There is a result, but its page could not be made.
    #[error(transparent)]
    Page(#[from] PageError),
}

/// A waiting job, with what it needs.
struct WaitingJob {
    job: Arc<Job>,
    work: Work,
    /// Released when the job has ended.
    memory: Reservation,
}

/// The queue and all jobs.
pub(crate) struct Jobs {
    inner: Mutex<Inner>,
    /// Notified of every new task, and of the end.
    changed: Condvar,
    queue: usize,
    time_limit: Duration,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<WaitingJob>,
    all: BTreeMap<u64, Arc<Job>>,
    last: u64,
    closed: bool,
}

impl Jobs {
    pub(crate) fn new(queue: usize, time_limit: Duration) -> Arc<Self> {
        Arc::new(Jobs { inner: Mutex::default(), changed: Condvar::new(), queue, time_limit })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the threads that do the work.
    pub(crate) fn start(self: &Arc<Self>, workers: usize) -> std::io::Result<Vec<JoinHandle<()>>> {
        let start = |at| {
            let jobs = Arc::clone(self);
            std::thread::Builder::new().name(format!("job-{at}")).spawn(move || jobs.work())
        };
        (0..workers.max(1)).map(start).collect()
    }

    /// Accepts a job, unless too many are waiting.
    pub(crate) fn submit(
        &self,
        subject: JobSubject,
        work: Work,
        memory: Reservation,
    ) -> Result<Arc<Job>, ApiProblem> {
        let mut inner = self.lock();
        if inner.closed {
            return Err(ApiProblem::busy("it is about to stop", COME_BACK));
        }
        if inner.waiting.len() >= self.queue {
            let why = format!("{} jobs are waiting already", inner.waiting.len());
            return Err(ApiProblem::busy(&why, COME_BACK));
        }
        inner.last += 1;
        let job = Arc::new(Job::new(inner.last, subject));
        inner.all.insert(job.id, Arc::clone(&job));
        inner.forget_old();
        inner.waiting.push_back(WaitingJob { job: Arc::clone(&job), work, memory });
        self.changed.notify_one();
        Ok(job)
    }

    pub(crate) fn find(&self, id: u64) -> Result<Arc<Job>, ApiProblem> {
        self.lock().all.get(&id).cloned().ok_or_else(|| {
            ApiProblem::not_found(format!("there is no job {id}"))
                .help(format!("the last {KEPT} jobs are kept, and those with large results for less long"))
        })
    }

    /// All jobs, newest first.
    pub(crate) fn all(&self) -> Vec<Arc<Job>> {
        self.lock().all.values().rev().cloned().collect()
    }

    /// Stops a job, whether it is waiting or running.
    pub(crate) fn cancel(&self, job: &Job) {
        let mut inner = self.lock();
        job.stop.raise();
        if let Some(at) = inner.waiting.iter().position(|task| task.job.id == job.id) {
            inner.waiting.remove(at);
            job.end(JobState::Cancelled);
        }
    }

    /// Refuses new jobs and stops all others.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.waiting.drain(..).for_each(|task| task.job.end(JobState::Cancelled));
        inner.all.values().for_each(|job| job.stop.raise());
        self.changed.notify_all();
    }

    /// Runs one worker until the end.
    fn work(&self) {
        while let Some(task) = self.next() {
            let WaitingJob { job, work, memory } = task;
            let state = self.run(&job, work);
            // Whoever is notified of the end may request the same memory at once.
            drop(memory);
            job.end(state);
            self.lock().forget_old();
        }
    }

    fn next(&self) -> Option<WaitingJob> {
        let mut inner = self.lock();
        loop {
            if let Some(task) = inner.waiting.pop_front() {
                return Some(task);
            }
            if inner.closed {
                return None;
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, job: &Job, work: Work) -> JobState {
        job.begin();
        let deadline = Instant::now() + self.time_limit;
        let listen = |step: Step<'_>| job.progressed(step);
        let control = Control::new(&job.stop).until(deadline).with_progress(&listen);
        let ended = catch_unwind(AssertUnwindSafe(|| work(control)));
        // Some work returns the best result so far when it is stopped: whoever cancels does not want it.
        if job.stop.check().is_err() {
            return JobState::Cancelled;
        }
        match ended {
            Ok(Ok(outcome)) => JobState::Done(Arc::new(outcome)),
            Ok(Err(WorkError::Analysis(AnalysisError::Stopped(_)))) => JobState::Failed(self.too_long()),
            Ok(Err(WorkError::Analysis(error))) => JobState::Failed(ApiProblem::from(&error)),
            Ok(Err(WorkError::Refused(problem))) => JobState::Failed(problem),
            Ok(Err(WorkError::Page(error))) => JobState::Failed(ApiProblem::from(error)),
            Err(_) => JobState::Failed(ApiProblem::defect()),
        }
    }

    fn too_long(&self) -> ApiProblem {
        let seconds = self.time_limit.as_secs_f64();
        ApiProblem::new(
            axum::http::StatusCode::GATEWAY_TIMEOUT,
            format!("this takes longer than the {seconds} seconds that a job may take"),
        )
        .help("use fewer rows or measures, or start the server with a longer --time-limit")
    }
}

impl Inner {
    /// Forgets the oldest finished jobs, until the kept ones are few and small enough.
    fn forget_old(&mut self) {
        let ended: Vec<(u64, usize)> =
            self.all.values().filter_map(|job| Some((job.id, job.kept_bytes()?))).collect();
        let (mut count, mut bytes) = (ended.len(), ended.iter().map(|(_, bytes)| bytes).sum::<usize>());
        for (id, size) in ended {
            if count <= KEPT && bytes <= KEPT_BYTES {
                break;
            }
            self.all.remove(&id);
            count -= 1;
            bytes -= size;
        }
    }
}

#[cfg(test)]
mod tests;
