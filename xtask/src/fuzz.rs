//! `cargo xtask fuzz [SECONDS]`: runs libFuzzer for this many seconds on each entry, to find bytes that break it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{cargo, output, root, run};

/// Seconds for each entry by default.
const SECONDS: u32 = 60;
/// The time limit for an input, in seconds.
const TIMEOUT: u32 = 20;
/// The largest input, in bytes.
const LONGEST: u32 = 1 << 16;
/// The memory limits for one input, in megabytes: for a single allocation, and in total.
const MEMORY: [u32; 2] = [1024, 4096];

/// Fuzzes every entry, and reports which ones were broken.
pub fn all(words: &[&str]) -> Result<(), String> {
    let seconds = match words {
        [] => SECONDS,
        [seconds] => seconds.parse().map_err(|_| format!("'{seconds}' is no number of seconds"))?,
        _ => return Err("cargo xtask fuzz [SECONDS]".into()),
    };
    if output(Command::new("cargo").args(["fuzz", "--version"]), false).map_or(true, |ended| !ended.success) {
        return Err("there is no cargo-fuzz: cargo install cargo-fuzz".into());
    }
    let corpus = work().join("corpus");
    let findings = work().join("findings");
    for folder in [&corpus, &findings] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    // Writes the seeds, which also names the entries.
    run(cargo().args(["run", "--quiet", "--package", "clmatch-fuzz", "--example", "seeds"]).arg(&corpus))?;
    // Uses the dependencies in the versions that are released.
    let lock = targets().join("Cargo.lock");
    fs::copy(root().join("Cargo.lock"), &lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let mut names: Vec<String> = fs::read_dir(&corpus)
        .map_err(|error| format!("{}: {error}", corpus.display()))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    run(&mut build())?;
    let program = program()?;
    let mut broken = Vec::new();
    for name in names {
        println!("fuzzing {name} for {seconds} s");
        let options = [
            format!("-max_total_time={seconds}"),
            format!("-timeout={TIMEOUT}"),
            format!("-max_len={LONGEST}"),
            format!("-malloc_limit_mb={}", MEMORY[0]),
            format!("-rss_limit_mb={}", MEMORY[1]),
            format!("-artifact_prefix={}/{name}-", findings.display()),
            "-print_final_stats=1".to_owned(),
        ];
        // Threads of the readers confuse leak checks.
        let mut fuzz = Command::new(&program);
        fuzz.arg(corpus.join(&name)).args(options).env("ASAN_OPTIONS", "detect_leaks=0");
        if run(fuzz.env("CLMATCH_FUZZ_ENTRY", &name)).is_err() {
            broken.push(name);
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("broken: {}; the bytes are in {}", broken.join(", "), findings.display()))
    }
}

/// Where inputs, findings and the build are kept.
fn work() -> PathBuf {
    root().join("target").join("fuzz")
}

/// The workspace of the fuzz targets, separate from the project's own: cargo-fuzz builds everything in it with a sanitizer.
fn targets() -> PathBuf {
    root().join("fuzz").join("libfuzzer")
}

fn build_folder() -> PathBuf {
    work().join("build")
}

/// Builds with cargo-fuzz, which needs unstable compiler options.
fn build() -> Command {
    let mut build = cargo();
    build.env("RUSTC_BOOTSTRAP", "1").args(["fuzz", "build", "--fuzz-dir"]).arg(targets());
    build.arg("--target-dir").arg(build_folder()).arg("entry");
    build
}

/// The built program; cargo-fuzz would check for changes, and rebuild, before every entry.
fn program() -> Result<PathBuf, String> {
    let folders =
        fs::read_dir(build_folder()).map_err(|error| format!("{}: {error}", build_folder().display()))?;
    let mut programs = folders.filter_map(|entry| Some(entry.ok()?.path().join("release").join("entry")));
    programs.find(|program| program.is_file()).ok_or_else(|| "cargo-fuzz built no entry".to_owned())
}
