//! Jobs: progress, cancelling, limits, a full queue, the end of the server.

use std::io::Write;
use std::time::{Duration, Instant};

use clmatch_serve::ServeSettings;

use crate::client::{Server, large_table, small_table};

/// Work that takes far longer than a test waits, unless it is stopped.
const LONG: &str = "/api/score?name=x.csv&null=10000&ci=true";

fn running(server: &Server, job: &serde_json::Value) {
    let start = Instant::now();
    while server.get(job["address"].as_str().unwrap()).json()["state"] != "running" {
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

/// Waits until there is a job and it is running.
fn first_runs(server: &Server) {
    let start = Instant::now();
    while server.get("/api/jobs").json().get(0).is_none_or(|job| job["state"] != "running") {
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn a_job_is_cancelled_while_it_runs_and_while_it_waits() {
    let server = Server::with(ServeSettings { workers: 1, ..ServeSettings::default() });
    let table = large_table(20_000);
    let first = server.post(LONG, table.as_bytes()).json();
    let second = server.post(LONG, table.as_bytes()).json();
    running(&server, &first);
    assert_eq!(server.get(second["address"].as_str().unwrap()).json()["state"], "queued");
    let early = server.get(first["result"].as_str().unwrap());
    assert_eq!((early.status, early.problem().as_str()), (409, "job 1 is not done yet"));
    assert_eq!(server.delete(second["address"].as_str().unwrap()).json()["state"], "cancelled");
    server.delete(first["address"].as_str().unwrap());
    let start = Instant::now();
    assert_eq!(server.ended(&first)["state"], "cancelled");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(server.get(first["result"].as_str().unwrap()).status, 409);
    // The worker keeps working.
    assert_eq!(server.post("/api/score?dataset=iris&wait=60", &[]).status, 200);
}

#[test]
fn a_job_that_takes_too_long_is_ended_and_says_so() {
    let server =
        Server::with(ServeSettings { time_limit: Duration::from_millis(200), ..ServeSettings::default() });
    let answer = server.post(&format!("{LONG}&wait=100"), large_table(20_000).as_bytes());
    assert_eq!(answer.status, 504, "{answer:?}");
    assert!(answer.problem().contains("longer than the 0.2 seconds"), "{answer:?}");
    assert!(answer.json()["help"].as_str().unwrap().contains("--time-limit"));
}

#[test]
fn a_full_queue_and_full_memory_say_busy() {
    let server = Server::with(ServeSettings { workers: 1, queue: 1, ..ServeSettings::default() });
    let table = large_table(20_000);
    let first = server.post(LONG, table.as_bytes()).json();
    running(&server, &first);
    assert_eq!(server.post("/api/score?dataset=iris", &[]).status, 202);
    let refused = server.post("/api/score?dataset=iris", &[]);
    assert_eq!(refused.status, 503);
    assert!(refused.problem().contains("busy") && refused.header("retry-after").is_some(), "{refused:?}");
    drop(server);

    // Two jobs of 48 MB and their uploads do not fit into 97 MB.
    let server = Server::with(ServeSettings { memory: 97_000_000, ..ServeSettings::default() });
    let first = server.post(LONG, table.as_bytes());
    assert_eq!(first.status, 202, "{first:?}");
    let second = server.post("/api/score?dataset=iris", &[]);
    assert_eq!(second.status, 503, "{second:?}");
    assert!(second.problem().contains("memory"), "{second:?}");
    server.delete("/api/jobs/1");
    server.ended(&first.json());
    assert_eq!(server.post("/api/score?dataset=iris&wait=60", &[]).status, 200);
}

#[test]
fn who_goes_away_takes_the_job_along() {
    let server = Server::start();
    let table = large_table(20_000);
    let mut stream = server.connect();
    let head = format!(
        "POST {LONG}&wait=100 HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n",
        server.address,
        table.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(table.as_bytes()).unwrap();
    first_runs(&server);
    drop(stream);
    let job = server.get("/api/jobs/1").json();
    assert_eq!(server.ended(&job)["state"], "cancelled");
}

#[test]
fn the_end_of_the_server_cancels_and_answers() {
    let mut server = Server::with(ServeSettings { workers: 1, ..ServeSettings::default() });
    let table = large_table(20_000);
    let mut waiting = server.connect();
    let head = format!(
        "POST {LONG}&wait=100 HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        server.address,
        table.len()
    );
    waiting.write_all(head.as_bytes()).unwrap();
    waiting.write_all(table.as_bytes()).unwrap();
    first_runs(&server);
    let queued = server.post("/api/score?name=x.csv", small_table().as_bytes());
    assert_eq!(queued.status, 202);
    let start = Instant::now();
    server.end();
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    let answer = crate::client::read_answer(&mut waiting);
    assert_eq!((answer.status, answer.problem().as_str()), (409, "job 1 was cancelled"), "{answer:?}");
}
