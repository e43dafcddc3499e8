//! Writes the seeds of every entry into a folder named after it: `seeds CORPUS`.

use std::path::PathBuf;
use std::{env, fs, io};

use clmatch_fuzz::ENTRIES;

fn main() -> io::Result<()> {
    let corpus = PathBuf::from(env::args_os().nth(1).ok_or_else(|| io::Error::other("seeds CORPUS"))?);
    for entry in ENTRIES {
        let folder = corpus.join(entry.name);
        fs::create_dir_all(&folder)?;
        for (at, seed) in (entry.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{at}")), seed)?;
        }
    }
    Ok(())
}
