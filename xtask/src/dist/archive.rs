//! The archive that users unpack: the command, its manual pages and completions, and the documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{failed, printed};
use crate::shell::{root, run, target};

const DOCUMENTS: [&str; 5] = ["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE-MIT", "LICENSE-APACHE"];
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// The command as it is released.
pub fn command() -> PathBuf {
    target().join(super::PROFILE).join(format!("clmatch{}", std::env::consts::EXE_SUFFIX))
}

/// Packs everything into one folder with the given name, and the folder into an archive.
pub fn write(into: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = into.join(name);
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(failed(&completions))?;
    let program = folder.join(command().file_name().unwrap_or_default());
    fs::copy(command(), &program).map_err(failed(&program))?;
    for document in DOCUMENTS {
        fs::copy(root().join(document), folder.join(document)).map_err(failed(Path::new(document)))?;
    }
    run(Command::new(&program).args(["man", "--dir"]).arg(folder.join("man")))?;
    for shell in SHELLS {
        let script = printed(Command::new(&program).args(["completions", shell]))?;
        let file = completions.join(format!("clmatch.{shell}"));
        fs::write(&file, script).map_err(failed(&file))?;
    }
    let archive = into.join(format!("{name}{}", if cfg!(windows) { ".zip" } else { ".tar.gz" }));
    let mut tar = Command::new("tar");
    // Windows' tar chooses the format by the file name; times stay those of the files.
    if cfg!(windows) {
        tar.arg("-acf");
    } else if cfg!(target_os = "linux") {
        tar.args(["--owner=0", "--group=0", "--numeric-owner", "--sort=name", "-czf"]);
    } else {
        tar.arg("-czf");
    }
    run(tar.arg(&archive).arg("-C").arg(into).arg(name))?;
    fs::remove_dir_all(&folder).map_err(failed(&folder))?;
    Ok(archive)
}
