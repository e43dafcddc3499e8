//! Two processes that hold the data and time jobs on request: ours and the peers'.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A process that answers each line with `ok ...` or `error ...`.
pub struct Worker {
    name: &'static str,
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
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
        Ok(Worker { name, child, requests, answers: BufReader::new(answers) })
    }

    /// Sends a request and waits for what follows the `ok`.
    pub fn ask(&mut self, request: &str) -> Result<String, String> {
        let name = self.name;
        let requests = self.requests.as_mut().ok_or_else(|| format!("{name} was stopped"))?;
        writeln!(requests, "{request}").map_err(|error| format!("{name} ended before {request}: {error}"))?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(|error| format!("{name}: {error}"))?;
        match answer.trim_end().split_once(' ').unwrap_or((answer.trim_end(), "")) {
            ("ok", rest) => Ok(rest.to_owned()),
            ("error", why) => Err(why.to_owned()),
            _ => Err(format!("{name} ended during {request}")),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Without requests it ends by itself.
        self.requests = None;
        let _ = self.child.wait();
    }
}
