//! A temporary folder with data files, in which the command runs.

use std::path::PathBuf;

use assert_cmd::Command;
use tempfile::TempDir;

/// Two clusters, with their own labels and nothing else.
pub const TWO: &str = "x,y,label\n0,0,a\n0,1,a\n1,0,a\n1,1,a\n9,9,b\n9,8,b\n8,9,b\n8,8,b\n";
/// Three classes, of which two share a cluster.
pub const THREE: &str = "x,y,class\n0,0,p\n1,1,p\n0,1,q\n1,0,q\n0.5,0.4,p\n0.4,0.5,q\n7,7,r\n8,7,r\n7,8,r\n";

pub struct Folder(TempDir);

/// What a run of the command left.
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
        command.current_dir(self.0.path()).env_remove("COLUMNS");
        command
    }

    /// Runs `clmatch` with words separated by spaces.
    pub fn run(&self, words: &str) -> Ran {
        let output = self.command().args(words.split_whitespace()).output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs it and expects success and a silent standard error.
    pub fn out(&self, words: &str) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words}");
        ran.out
    }
}
