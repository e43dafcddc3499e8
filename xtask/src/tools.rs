//! Programs that some tests need besides Rust and Python: a browser for pages, Java for Spark.

use std::process::Command;

use crate::shell::{output, run};

/// A program with its possible names, and the Debian packages that contain it.
struct Tool {
    what: &'static str,
    names: &'static [&'static str],
    /// An environment variable with its location.
    variable: &'static str,
    version: &'static str,
    packages: &'static [&'static str],
    tests: &'static str,
}

const TOOLS: [Tool; 2] = [
    Tool {
        what: "Chromium",
        names: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
        variable: "CHROMIUM",
        version: "--version",
        packages: &["chromium", "fonts-liberation"],
        tests: "tests of pages",
    },
    Tool {
        what: "Java",
        names: &["java"],
        variable: "JAVA_HOME",
        version: "-version",
        packages: &["openjdk-17-jre-headless"],
        tests: "tests with Spark",
    },
];

/// Installs missing programs, if that is allowed and possible. Otherwise says how to get them: the tests that need them are
/// skipped.
pub fn prepare(install: bool) {
    for tool in TOOLS.iter().filter(|tool| !tool.is_there()) {
        let missing = format!("there is no {}: {} will be skipped", tool.what, tool.tests);
        let packages = tool.packages.join(" ");
        if !install {
            println!("{missing} (cargo xtask test --install, or apt-get install {packages})");
        } else if !answers("apt-get", "--version") || !is_root() {
            println!("{missing}, since it cannot be installed here (it takes apt-get and root)");
        } else if let Err(error) = tool.install() {
            println!("{missing}, since it could not be installed: {error}");
        }
    }
}

impl Tool {
    fn is_there(&self) -> bool {
        std::env::var_os(self.variable).is_some() || self.names.iter().any(|name| answers(name, self.version))
    }

    fn install(&self) -> Result<(), String> {
        println!("installing {}", self.what);
        let install = ["install", "--yes", "--quiet", "--no-install-recommends"];
        run(Command::new("apt-get").args(["update", "--quiet"]))?;
        run(Command::new("apt-get").args(install).args(self.packages))
    }
}

fn answers(program: &str, version: &str) -> bool {
    output(Command::new(program).arg(version), false).is_ok_and(|ended| ended.success)
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
