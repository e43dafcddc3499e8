use std::sync::mpsc::channel;

use bytes::Bytes;

use super::*;
use crate::memory::MemoryAccount;

fn subject() -> JobSubject {
    JobSubject { kind: "score", title: "x".to_owned(), dataset: None }
}

fn outcome(bytes: usize) -> JobOutcome {
    JobOutcome { content_type: "application/json", body: Bytes::from(vec![b' '; bytes]), page: None }
}

fn wait(job: &Job) -> JobState {
    let limit = Instant::now() + Duration::from_secs(60);
    while job.kept_bytes().is_none() {
        assert!(Instant::now() < limit, "the job does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    job.state()
}

/// Jobs with one worker that ends with the test.
fn with_worker(queue: usize, limit: Duration, test: impl FnOnce(&Arc<Jobs>, &Arc<MemoryAccount>)) {
    let (jobs, memory) = (Jobs::new(queue, limit), MemoryAccount::new(1000));
    let workers = jobs.start(1).unwrap();
    test(&jobs, &memory);
    jobs.close();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    assert!(memory.reserve(1000).is_ok(), "all memory was given back");
}

#[test]
fn a_full_queue_refuses_and_what_was_taken_is_done() {
    with_worker(2, Duration::from_secs(60), |jobs, memory| {
        let (go, wait_for_go) = channel::<()>();
        let slow: Work = Box::new(move |_| {
            wait_for_go.recv().unwrap();
            Ok(outcome(1))
        });
        let first = jobs.submit(subject(), slow, memory.reserve(10).unwrap()).unwrap();
        while matches!(first.state(), JobState::Queued) {
            std::thread::yield_now();
        }
        let quick = || jobs.submit(subject(), Box::new(|_| Ok(outcome(1))), memory.reserve(10).unwrap());
        let taken = [quick().unwrap(), quick().unwrap()];
        let refused = quick().unwrap_err();
        assert!(refused.error.contains("busy") && refused.help.is_some(), "{refused:?}");
        jobs.cancel(&taken[1]);
        assert!(matches!(taken[1].state(), JobState::Cancelled));
        go.send(()).unwrap();
        assert!(matches!(wait(&first), JobState::Done(_)));
        assert!(matches!(wait(&taken[0]), JobState::Done(_)));
    });
}

#[test]
fn work_is_cancelled_limited_and_survives_a_panic() {
    with_worker(4, Duration::from_millis(100), |jobs, memory| {
        let endless = || -> Work {
            Box::new(|control| {
                loop {
                    control.check().map_err(AnalysisError::from)?;
                    control.report("searching", 1, 2);
                    std::thread::sleep(Duration::from_millis(1));
                }
            })
        };
        let submit = |work| jobs.submit(subject(), work, memory.reserve(10).unwrap()).unwrap();
        let late = submit(endless());
        let JobState::Failed(problem) = wait(&late) else { panic!("{:?}", late.state()) };
        assert!(problem.error.contains("longer than the 0.1 seconds"), "{}", problem.error);
        let cancelled = submit(endless());
        while !matches!(cancelled.state(), JobState::Running(_)) {
            std::thread::yield_now();
        }
        jobs.cancel(&cancelled);
        assert!(matches!(wait(&cancelled), JobState::Cancelled));
        let panicked = submit(Box::new(|_| panic!("a defect")));
        assert!(matches!(wait(&panicked), JobState::Failed(problem) if problem.error.contains("defect")));
        assert!(matches!(wait(&submit(Box::new(|_| Ok(outcome(1))))), JobState::Done(_)));
    });
}

#[test]
fn what_is_kept_is_bounded() {
    with_worker(4, Duration::from_secs(60), |jobs, memory| {
        let half = KEPT_BYTES / 2 + 1;
        let large = || {
            let job =
                jobs.submit(subject(), Box::new(move |_| Ok(outcome(half))), memory.reserve(1).unwrap());
            let job = job.unwrap();
            wait(&job);
            job.id
        };
        let (first, second) = (large(), large());
        let third = large();
        assert!(jobs.find(first).is_err() && jobs.find(second).is_err() && jobs.find(third).is_ok());
    });
}
