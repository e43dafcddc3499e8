//! A server in a thread, and a client that sends exactly what it is given.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use clmatch_kernels::Stop;
use clmatch_serve::{ServeSettings, serve};
use serde_json::Value;

/// Seconds after which an answer counts as missing: far more than any answer takes.
const LIMIT: Duration = Duration::from_secs(120);

/// A server that is stopped when the value is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

/// The answer of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::with(ServeSettings::default())
    }

    pub(crate) fn with(settings: ServeSettings) -> Server {
        let stop = Arc::new(Stop::new());
        let (send, receive) = channel();
        let flag = Arc::clone(&stop);
        let run = move || serve(settings, &flag, |address| send.send(address).unwrap()).unwrap();
        let thread = Some(std::thread::spawn(run));
        Server { address: receive.recv_timeout(LIMIT).unwrap(), stop, thread }
    }

    /// Ends the server and waits for it.
    pub(crate) fn end(&mut self) {
        self.stop.raise();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream
    }

    /// Sends a request with additional lines in its head.
    pub(crate) fn ask(&self, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let host = lines.iter().any(|line| line.to_lowercase().starts_with("host:"));
        let host = if host { String::new() } else { format!("Host: {}\r\n", self.address) };
        let more: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}{more}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a body may close the connection before it has received all of it.
        let _ = stream.write_all(body);
        read_answer(&mut stream)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], &[])
    }

    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.ask("POST", path, &[], body)
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path, &[], &[])
    }

    /// Waits until a job has ended, and returns it.
    pub(crate) fn ended(&self, job: &Value) -> Value {
        let address = job["address"].as_str().unwrap();
        for _ in 0..20_000 {
            let now = self.get(address).json();
            if !["queued", "running"].contains(&now["state"].as_str().unwrap()) {
                return now;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the job does not end: {job}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads until the server closes the connection.
pub(crate) fn read_answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => {}
    }
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_lowercase(), body: unchunked(head, body) }
}

/// The body of an answer that was sent in chunks.
fn unchunked(head: &str, body: &str) -> String {
    if !head.to_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    whole
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The text of a problem, after checking its format.
    #[track_caller]
    pub(crate) fn problem(&self) -> String {
        let json = self.json();
        assert_eq!(json["schema"], "clmatch/problem/1", "{self:?}");
        json["error"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Two classes that lie apart.
pub(crate) fn small_table() -> String {
    let row = |at: usize| format!("{},{},{}\n", at % 7, (at / 20) * 10 + at % 5, ["a", "b"][at / 20]);
    "x,y,label\n".to_owned() + &(0..40).map(row).collect::<String>()
}

/// A table that takes a while to score.
pub(crate) fn large_table(rows: usize) -> String {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(u32::MAX >> 1)
    };
    let names: Vec<String> = (0..12).map(|at| format!("f{at}")).collect();
    let mut text = names.join(",") + ",label\n";
    for at in 0..rows {
        let numbers: Vec<String> = (0..12).map(|_| format!("{:.4}", next())).collect();
        text += &format!("{},c{}\n", numbers.join(","), at % 8);
    }
    text
}
