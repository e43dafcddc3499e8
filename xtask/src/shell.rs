//! Runs other programs, each with a time limit.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for a program: far more than any needs, so that only one that hangs is killed.
const LIMIT: Duration = Duration::from_secs(4 * 60 * 60);
/// How long to wait between two checks whether a program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The cargo that runs this task.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// The folder that builds are written to.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// Runs a program to its end; an error if it cannot start or fails.
pub fn run(command: &mut Command) -> Result<(), String> {
    let name = format!("{command:?}");
    let mut child = command.spawn().map_err(|error| format!("{name} did not start: {error}"))?;
    match wait(&mut child, LIMIT) {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(why) => Err(format!("{name} {why}")),
    }
}

/// Runs a program, shows its output as it comes, and returns it with whether the program succeeded.
pub fn tee(command: &mut Command) -> Result<(String, bool), String> {
    let name = format!("{command:?}");
    let end = Instant::now() + LIMIT;
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| format!("{name} did not start: {error}"))?;
    let lines = child.stdout.take().map(lines);
    let mut text = String::new();
    while let Some(lines) = &lines {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                println!("{line}");
                text.push_str(&line);
                text.push('\n');
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                stop(&mut child);
                return Err(format!("{name} {}", too_long(LIMIT)));
            }
        }
    }
    let left = end.saturating_duration_since(Instant::now());
    let status = wait(&mut child, left).map_err(|why| format!("{name} {why}"))?;
    Ok((text, status.success()))
}

/// The outcome of a program.
pub struct Ended {
    pub success: bool,
    pub out: Vec<u8>,
    pub err: String,
}

/// Runs a program to its end, and returns its output, including its errors unless they are shown.
pub fn output(command: &mut Command, show_errors: bool) -> Result<Ended, String> {
    let name = format!("{command:?}");
    let errors = if show_errors { Stdio::inherit() } else { Stdio::piped() };
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .map_err(|error| format!("{name} did not start: {error}"))?;
    let [out, err] = [child.stdout.take().map(everything), child.stderr.take().map(everything)];
    let status = wait(&mut child, LIMIT).map_err(|why| format!("{name} {why}"))?;
    // Both pipes are closed, unless a program that it started still holds them.
    let [out, err] = [out, err].map(|pipe| pipe.and_then(|pipe| pipe.recv_timeout(LIMIT).ok()));
    let err = String::from_utf8_lossy(&err.unwrap_or_default()).into_owned();
    Ok(Ended { success: status.success(), out: out.unwrap_or_default(), err })
}

/// Waits for the end of a program, and kills it if it takes too long.
pub fn wait(child: &mut Child, limit: Duration) -> Result<ExitStatus, String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Err(error) => return Err(format!("cannot be waited for: {error}")),
            Ok(None) if start.elapsed() > limit => {
                stop(child);
                return Err(too_long(limit));
            }
            Ok(None) => thread::sleep(LOOK),
        }
    }
}

/// Kills a program at once.
pub fn stop(child: &mut Child) {
    if child.kill().is_ok() {
        let _ = child.wait();
    }
}

fn too_long(limit: Duration) -> String {
    format!("took longer than {} s and was ended", limit.as_secs())
}

/// The lines from a pipe, as they arrive.
pub fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Everything from a pipe, once it is closed.
fn everything(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, all) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        sender.send(bytes)
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_is_ended() {
        let mut child = Command::new("sleep").arg("600").spawn().expect("sleep is everywhere");
        let start = Instant::now();
        assert!(wait(&mut child, Duration::from_millis(100)).is_err());
        assert!(start.elapsed() < Duration::from_secs(60));
        // The program was killed and waited for: there is nothing left to kill.
        assert!(child.try_wait().is_ok_and(|status| status.is_some()));
    }

    #[test]
    fn output_and_success_are_told() {
        let ended = output(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]), false);
        let ended = ended.expect("sh is everywhere");
        assert_eq!(
            (ended.success, ended.out.as_slice(), ended.err.as_str()),
            (false, &b"out\n"[..], "err\n")
        );
        assert_eq!(tee(Command::new("echo").arg("two words")), Ok(("two words\n".to_owned(), true)));
    }
}
