//! What was changed since the last commit, or by that commit if nothing has changed since.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::shell::{cargo, output, root};

/// What was changed.
pub struct Changes {
    /// Packages of the workspace.
    pub packages: Vec<String>,
    /// Files of Python tests.
    pub python_tests: Vec<String>,
}

/// Collects the files that git reports as changed.
pub fn find() -> Result<Changes, String> {
    let mut files = listed(&["diff", "--name-only", "HEAD"])?;
    files.extend(listed(&["ls-files", "--others", "--exclude-standard"])?);
    if files.is_empty() {
        files = listed(&["diff", "--name-only", "HEAD~1", "HEAD"])?;
    }
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]), false)?;
    let metadata: Value = serde_json::from_slice(&metadata.out).map_err(|error| error.to_string())?;
    let folder = |package: &Value| {
        let manifest = package["manifest_path"].as_str()?.strip_suffix("Cargo.toml")?;
        let below = manifest.strip_prefix(root().to_str()?)?.trim_start_matches('/');
        Some((below.to_owned(), package["name"].as_str()?.to_owned()))
    };
    let folders: Vec<(String, String)> =
        metadata["packages"].as_array().into_iter().flatten().filter_map(folder).collect();
    Ok(of_files(&files, &folders))
}

fn listed(words: &[&str]) -> Result<BTreeSet<String>, String> {
    let ended = output(Command::new("git").args(words).current_dir(root()), false)?;
    if !ended.success {
        return Err(format!("git {} failed: {}", words.join(" "), ended.err));
    }
    Ok(String::from_utf8_lossy(&ended.out).lines().map(str::to_owned).collect())
}

/// The packages and tests that files belong to, given the folders of packages.
fn of_files(files: &BTreeSet<String>, folders: &[(String, String)]) -> Changes {
    let package = |file: &String| folders.iter().find(|(folder, _)| file.starts_with(folder.as_str()));
    let packages: BTreeSet<String> = files.iter().filter_map(package).map(|(_, name)| name.clone()).collect();
    let is_test = |file: &&String| file.starts_with("python/tests/test_") && file.ends_with(".py");
    Changes {
        packages: packages.into_iter().collect(),
        python_tests: files.iter().filter(is_test).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_packages() {
        let folders = [("crates/a/", "a"), ("crates/ab/", "ab"), ("xtask/", "xtask")];
        let folders = folders.map(|(folder, name)| (folder.to_owned(), name.to_owned()));
        let files = [
            "crates/ab/src/lib.rs",
            "xtask/src/main.rs",
            "python/tests/test_b.py",
            "python/tests/c.py",
            "README.md",
        ];
        let found = of_files(&files.map(str::to_owned).into(), &folders);
        assert_eq!(found.packages, ["ab", "xtask"]);
        assert_eq!(found.python_tests, ["python/tests/test_b.py"]);
    }
}
