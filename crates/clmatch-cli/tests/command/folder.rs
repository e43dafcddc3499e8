//! A temporary folder with data files, in which the command runs.

use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use tempfile::TempDir;

/// Two clusters, each with its own label.
pub const TWO: &str = "x,y,label\n0,0,a\n0,1,a\n1,0,a\n1,1,a\n9,9,b\n9,8,b\n8,9,b\n8,8,b\n";
/// Three classes, two of which share a cluster.
pub const THREE: &str = "x,y,class\n0,0,p\n1,1,p\n0,1,q\n1,0,q\n0.5,0.4,p\n0.4,0.5,q\n7,7,r\n8,7,r\n7,8,r\n";

/// The time limit for a run: far more than any needs, so that only one that hangs is killed, and fails its test.
const LIMIT: Duration = Duration::from_secs(600);
/// How long to wait between two checks whether something has happened.
const LOOK: Duration = Duration::from_millis(10);

pub struct Folder(TempDir);

/// The outcome of a run of the command.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder that holds one file.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        Folder::new().and(name, content)
    }

    pub fn and(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clmatch"));
        command.current_dir(self.0.path()).env_remove("COLUMNS").timeout(LIMIT);
        command
    }

    /// Runs `clmatch` with words separated by spaces.
    pub fn run(&self, words: &str) -> Ran {
        Ran::of(self.command().args(words.split_whitespace()).output().unwrap())
    }

    /// The JSON output of a run that succeeds.
    pub fn json(&self, words: &str) -> serde_json::Value {
        let ran = self.run(words);
        assert_eq!(ran.code, 0, "{words}: {}", ran.err);
        json(&ran.out)
    }

    /// Starts the command without waiting for its end.
    pub fn start(&self, words: &str) -> Child {
        std::process::Command::new(env!("CARGO_BIN_EXE_clmatch"))
            .args(words.split_whitespace())
            .current_dir(self.0.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts the command, and presses Ctrl-C as soon as `is_time` says so.
    pub fn interrupted(&self, words: &str, is_time: impl Fn() -> bool) -> Ran {
        let child = self.start(words);
        let start = Instant::now();
        while !is_time() {
            if start.elapsed() > LIMIT {
                signal("-KILL", child.id());
                panic!("{words}: there was never time to interrupt it");
            }
            std::thread::sleep(LOOK);
        }
        signal("-INT", child.id());
        Ran::once_ended(child)
    }

    /// Runs the command and expects success and nothing on standard error.
    pub fn out(&self, words: &str) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words}");
        ran.out
    }
}

impl Ran {
    pub fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Waits for the end of a run; one that does not end is killed, and fails its test.
    pub fn once_ended(child: Child) -> Ran {
        let id = child.id();
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        match ended.recv_timeout(LIMIT) {
            Ok(output) => Ran::of(output.unwrap()),
            Err(_) => {
                signal("-KILL", id);
                panic!("a run took longer than {} s", LIMIT.as_secs());
            }
        }
    }
}

fn signal(name: &str, process: u32) {
    std::process::Command::new("kill").args([name, &process.to_string()]).status().unwrap();
}

/// Parses a text as JSON.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}
