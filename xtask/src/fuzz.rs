//! `cargo xtask fuzz [SECONDS]`: libFuzzer looks for bytes that break an entry, for so many seconds each.

use std::fs;
use std::process::Command;

use crate::shell::{output, root, run};

/// Seconds for each entry unless asked otherwise.
const SECONDS: u32 = 60;
/// What no input may take, in seconds.
const TIMEOUT: u32 = 20;
/// Bytes of an input at most.
const LONGEST: u32 = 1 << 16;
/// What one input may take, in megabytes: at once, and in all.
const MEMORY: [u32; 2] = [1024, 4096];

/// Fuzzes every entry, and tells which were broken.
pub fn all(words: &[&str]) -> Result<(), String> {
    let seconds = match words {
        [] => SECONDS,
        [seconds] => seconds.parse().map_err(|_| format!("'{seconds}' is no number of seconds"))?,
        _ => return Err("cargo xtask fuzz [SECONDS]".into()),
    };
    if output(Command::new("cargo").args(["fuzz", "--version"]), false).map_or(true, |ended| !ended.success) {
        return Err("there is no cargo-fuzz: cargo install cargo-fuzz".into());
    }
    let corpus = root().join("fuzz").join("corpus");
    fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    // The seeds, and the names of the entries with them.
    run(cargo()
        .args(["run", "--quiet", "--manifest-path", "entries/Cargo.toml", "--example", "seeds"])
        .arg(&corpus))?;
    let mut names: Vec<String> = fs::read_dir(&corpus)
        .map_err(|error| format!("{}: {error}", corpus.display()))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    run(&mut fuzz("build", &[]))?;
    let mut broken = Vec::new();
    for name in names {
        println!("fuzzing {name} for {seconds} s");
        let folder = corpus.join(&name).display().to_string();
        let options = [
            format!("-max_total_time={seconds}"),
            format!("-timeout={TIMEOUT}"),
            format!("-max_len={LONGEST}"),
            format!("-malloc_limit_mb={}", MEMORY[0]),
            format!("-rss_limit_mb={}", MEMORY[1]),
            "-print_final_stats=1".to_owned(),
        ];
        let words: Vec<&str> =
            [folder.as_str(), "--"].into_iter().chain(options.iter().map(String::as_str)).collect();
        if run(fuzz("run", &words).env("CLMATCH_FUZZ_ENTRY", &name)).is_err() {
            broken.push(name);
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("broken: {}; the bytes are in fuzz/artifacts", broken.join(", ")))
    }
}

fn cargo() -> Command {
    let mut cargo = crate::shell::cargo();
    cargo.current_dir(root().join("fuzz"));
    cargo
}

/// cargo-fuzz, which wants options of the compiler that are not stable.
fn fuzz(task: &str, words: &[&str]) -> Command {
    let mut fuzz = cargo();
    // Threads of the readers confuse nothing but leak checks.
    fuzz.env("RUSTC_BOOTSTRAP", "1")
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .args(["fuzz", task, "entry"])
        .args(words);
    fuzz
}
