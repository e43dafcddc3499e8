//! The browser that tests of pages need.

use std::process::Command;

use crate::shell::{output, run};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Installs Debian's Chromium where there is no browser and it may; otherwise the tests of pages skip themselves, in words.
pub fn prepare() {
    let there = |program: &str| {
        output(Command::new(program).arg("--version"), false).is_ok_and(|ended| ended.success)
    };
    if std::env::var_os("CHROMIUM").is_some() || NAMES.iter().any(|name| there(name)) {
        return;
    }
    if !there("apt-get") || !is_root() {
        println!("there is no Chromium, and it cannot be installed here: the tests of pages will be skipped");
        return;
    }
    println!("installing Chromium");
    let install = ["install", "--yes", "--quiet", "--no-install-recommends", "chromium", "fonts-liberation"];
    let installed = run(Command::new("apt-get").args(["update", "--quiet"]))
        .and_then(|()| run(Command::new("apt-get").args(install)));
    if let Err(error) = installed {
        println!("Chromium cannot be installed ({error}): the tests of pages will be skipped");
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
