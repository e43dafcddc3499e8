//! `cargo xtask bench`: builds what the groups need, and starts the harness in the folder `bench`.

use std::process::Command;

use crate::python::Environment;
use crate::shell::{cargo, output, run, target};

/// Optional peers, without which the rest still runs: their names and pip arguments.
const OPTIONAL: [(&str, &[&str]); 5] = [
    ("genieclust", &["genieclust>=1.1.6"]),
    ("permetrics", &["permetrics>=2.0.0"]),
    ("hdbscan", &["hdbscan>=0.8.40"]),
    ("fast_hdbscan", &["fast_hdbscan>=0.2"]),
    // It pins versions of its dependencies that can no longer be installed.
    ("pyivm", &["--no-deps", "pyivm==0.1.0"]),
];

pub fn run_groups(words: &[&str]) -> Result<(), String> {
    let environment = Environment::prepare("python-bench", "bench/requirements.txt", &[])?;
    if words.contains(&"--help") {
        return run(harness(&environment).args(words));
    }
    // Wrong arguments are reported before anything is built.
    let builds = output(harness(&environment).arg("--builds").args(words), true)?;
    if !builds.success {
        return Err("cargo xtask bench cannot be started".into());
    }
    let builds = String::from_utf8_lossy(&builds.out).into_owned();
    let release = ["build", "--release", "--quiet"];
    for build in builds.split_whitespace() {
        match build {
            "command" => run(cargo().args(release).args(["--workspace", "--bin", "clmatch"]))?,
            "package" => environment.install_package("release").map(|_| ())?,
            _ => run(cargo().args(release).args(["-p", "clmatch-cluster", "--example", "bench_worker"]))?,
        }
    }
    install_peers(&environment);
    run(harness(&environment).args(words))
}

fn harness(environment: &Environment) -> Command {
    let mut python = environment.python();
    python.arg("bench/run.py").env("CARGO_TARGET_DIR", target());
    python
}

fn install_peers(environment: &Environment) {
    for (name, arguments) in OPTIONAL {
        let probe = format!("import importlib.metadata; importlib.metadata.version('{name}')");
        if output(environment.python().args(["-c", &probe]), false).is_ok_and(|ended| ended.success) {
            continue;
        }
        let mut pip = environment.python();
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments);
        if let Err(error) = run(&mut pip) {
            println!("{name} cannot be installed and is left out: {error}");
        }
    }
}
