//! The environment of the peers.

use std::process::Command;

use super::thread_variables;
use super::worker::Worker;
use crate::python::Environment;
use crate::shell::output;

/// Peers without which the rest still runs: name, and what pip is told.
const OPTIONAL: [(&str, &[&str]); 5] = [
    ("genieclust", &["genieclust>=1.1.6"]),
    ("permetrics", &["permetrics>=2.0.0"]),
    ("hdbscan", &["hdbscan>=0.8.40"]),
    ("fast_hdbscan", &["fast_hdbscan>=0.2"]),
    // It pins versions of its dependencies that no longer install.
    ("pyivm", &["--no-deps", "pyivm==0.1.0"]),
];

/// Makes the environment, or takes the one that is there.
pub fn prepare() -> Result<Environment, String> {
    let environment = Environment::prepare("python-bench", "bench/requirements.txt", &[])?;
    for (name, arguments) in OPTIONAL {
        let probe = format!("import importlib.metadata; importlib.metadata.version('{name}')");
        if output(environment.python().args(["-c", &probe]), false).is_ok_and(|ended| ended.success) {
            continue;
        }
        let mut pip = environment.python();
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments);
        if let Err(error) = crate::shell::run(&mut pip) {
            println!("{name} cannot be installed and is left out: {error}");
        }
    }
    Ok(environment)
}

/// Starts them.
pub fn start(environment: &Environment) -> Result<Worker, String> {
    Worker::start("the side of the peers", &mut command(environment))
}

/// Python with the peers, about to run `bench/peers.py`.
pub fn command(environment: &Environment) -> Command {
    let mut python = environment.python();
    python.arg("bench/peers.py").envs(thread_variables());
    python
}
