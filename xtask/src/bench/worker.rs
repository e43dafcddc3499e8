//! Two processes that hold the data and time jobs on request: ours and the peers'.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::shell::{lines, stop, wait};

/// What a request may take: far more than any does, so that only one that hangs is given up.
const ANSWER: Duration = Duration::from_secs(60 * 60);
/// What a process may take to end once nothing more is asked of it.
const END: Duration = Duration::from_secs(60);

/// A process that answers each line with `ok ...` or `error ...`.
pub struct Worker {
    name: &'static str,
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Worker {
    pub fn start(name: &'static str, command: &mut Command) -> Result<Worker, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name} did not start: {error}"))?;
        let requests = child.stdin.take();
        let answers = child.stdout.take().ok_or_else(|| format!("{name} has no output"))?;
        Ok(Worker { name, child, requests, answers: lines(answers) })
    }

    /// Sends a request and waits for what follows the `ok`.
    pub fn ask(&mut self, request: &str) -> Result<String, String> {
        let name = self.name;
        let requests = self.requests.as_mut().ok_or_else(|| format!("{name} was stopped"))?;
        writeln!(requests, "{request}").map_err(|error| format!("{name} ended before {request}: {error}"))?;
        let answer = match self.answers.recv_timeout(ANSWER) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => return Err(format!("{name} ended during {request}")),
            Err(RecvTimeoutError::Timeout) => {
                // An answer that comes later would be taken for that of another request.
                self.requests = None;
                stop(&mut self.child);
                return Err(format!("{name} took longer than {} s for {request}", ANSWER.as_secs()));
            }
        };
        match answer.split_once(' ').unwrap_or((&answer, "")) {
            ("ok", rest) => Ok(rest.trim_end().to_owned()),
            ("error", why) => Err(why.trim_end().to_owned()),
            _ => Err(format!("{name} ended during {request}")),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Without requests it ends by itself.
        self.requests = None;
        let _ = wait(&mut self.child, END);
    }
}
