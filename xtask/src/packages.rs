//! The published packages: every crate that the command and the library need, complete and without a reference to this
//! workspace's folders.

use std::process::Command;

use serde_json::Value;

use crate::shell::{cargo, output};

/// The crates that are published, as cargo describes them.
fn published() -> Result<Vec<Value>, String> {
    let metadata = printed(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    // In this metadata, `publish = false` is an empty list of registries.
    Ok(packages.iter().filter(|package| package["publish"].is_null()).cloned().collect())
}

/// `cargo xtask semver TAG`: compares the interfaces of all published crates with those of a release.
pub fn semver(tag: &str) -> Result<(), String> {
    if output(cargo().args(["semver-checks", "--version"]), false).map_or(true, |ended| !ended.success) {
        return Err("there is no cargo-semver-checks: cargo install cargo-semver-checks --locked".into());
    }
    let mut checks = cargo();
    checks.args(["semver-checks", "--baseline-rev", tag]);
    for package in published()? {
        checks.args(["--package", package["name"].as_str().unwrap_or_default()]);
    }
    crate::shell::run(&mut checks)
}

fn printed(command: &mut Command) -> Result<String, String> {
    let ended = output(command, false)?;
    let text = String::from_utf8_lossy(&ended.out).into_owned();
    if ended.success { Ok(text) } else { Err(format!("{command:?} failed: {}", ended.err)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Component, Path, PathBuf};

    use super::*;
    use crate::shell::root;

    /// The files of a package, below its folder.
    fn files(name: &str) -> Vec<PathBuf> {
        let list = ["package", "--list", "--allow-dirty", "--offline", "--package", name];
        let list = printed(cargo().args(list)).expect("cargo lists the files");
        list.lines().map(PathBuf::from).collect()
    }

    /// The files that a source file includes, as they are written, without those of its tests.
    fn included(text: &str) -> Vec<&str> {
        let mut doctest = false;
        let mut found = Vec::new();
        for line in text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().lines() {
            for call in ["include_str!(\"", "include_bytes!(\"", "include!(\""] {
                let rest = line.split(call).nth(1).filter(|_| !doctest);
                found.extend(rest.and_then(|rest| rest.split('"').next()));
            }
            doctest = line.trim() == "#[cfg(doctest)]";
        }
        found
    }

    /// A path without `..`.
    fn straight(path: &Path) -> PathBuf {
        path.components().fold(PathBuf::new(), |mut straight, part| {
            match part {
                Component::ParentDir => drop(straight.pop()),
                part => straight.push(part),
            }
            straight
        })
    }

    /// The command and the Python package have the features of the whole workspace, so that each can use what the other has
    /// built.
    #[test]
    fn builds_share_their_packages() {
        let tree = |what: &[&str]| {
            let mut tree = cargo();
            tree.args(["tree", "--offline", "--no-dedupe", "--prefix", "none", "--format", "{p} {f}"]);
            let text = printed(tree.args(what)).expect("cargo lists what it would build");
            text.lines().map(str::to_owned).collect::<BTreeSet<String>>()
        };
        let all = tree(&["--workspace", "--edges", "normal,build,dev"]);
        for package in ["clmatch-cli", "clmatch-py"] {
            let alone = tree(&["--package", package, "--edges", "normal,build"]);
            let apart: Vec<&String> = alone.difference(&all).collect();
            assert!(apart.is_empty(), "{package}: see the feature shared-builds of clmatch-cli; {apart:?}");
        }
    }

    #[test]
    fn includes_are_found() {
        let text = "const A: &str = include_str!(\"../a.csv\");\n#[cfg(doctest)]\n#[doc = include_str!(\"../b.md\")]\n\
            #[cfg(test)]\nmod tests {\n include_str!(\"c\");\n}\n";
        assert_eq!(included(text), ["../a.csv"]);
        assert_eq!(straight(Path::new("/a/b/../c")), Path::new("/a/c"));
    }

    /// What the registry requires of a package and its manifest lacks.
    fn undescribed(package: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        for key in ["description", "license", "readme", "keywords", "categories"] {
            let value = &package[key];
            if value.is_null() || value.as_array().is_some_and(Vec::is_empty) {
                wrong.push(format!("{} has no {key}", package["name"]));
            }
        }
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            if dependency["path"].is_string() && dependency["req"] == "*" {
                wrong.push(format!("{}: {} has no version", package["name"], dependency["name"]));
            }
        }
        wrong
    }

    /// Files that the sources of a package include, but the package does not contain.
    fn included_from_outside(package: &Value) -> Vec<String> {
        let name = package["name"].as_str().expect("a package has a name");
        let manifest = Path::new(package["manifest_path"].as_str().expect("a package has a manifest"));
        let folder = manifest.parent().expect("a manifest lies in a folder");
        let files = files(name);
        assert!(files.contains(&PathBuf::from("src/lib.rs")), "{name}: {files:?}");
        let mut wrong = Vec::new();
        let sources = files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs"));
        for file in sources.filter(|file| !file.ends_with("tests.rs")) {
            let path = folder.join(file);
            let text = fs::read_to_string(&path).expect("a source file can be read");
            for include in included(&text) {
                let target = straight(&path.with_file_name(include));
                if !target.strip_prefix(folder).is_ok_and(|own| files.iter().any(|file| file == own)) {
                    wrong.push(format!("{} includes {include}, which is not packaged", path.display()));
                }
            }
        }
        wrong
    }

    #[test]
    fn packages_hold_what_they_are_built_from_and_are_described() {
        let published = published().expect("cargo lists the packages");
        let names: Vec<&str> = published.iter().filter_map(|package| package["name"].as_str()).collect();
        for name in ["clmatch", "clmatch-cli", "clmatch-data", "clmatch-serve"] {
            assert!(names.contains(&name), "{name} is published");
        }
        for name in ["clmatch-py", "clmatch-fuzz", "xtask"] {
            assert!(!names.contains(&name), "{name} is not published");
        }
        let mut wrong = Vec::new();
        for package in &published {
            wrong.extend(undescribed(package));
            wrong.extend(included_from_outside(package));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn crates_ask_for_the_version_of_the_workspace() {
        let cargo = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has a manifest");
        let version = cargo.lines().find_map(|line| line.strip_prefix("version = ")).expect("a version");
        // Only crates among the dependencies, not those whose profile is set.
        for line in cargo.lines().filter(|line| line.starts_with("clmatch") && line.contains("path = ")) {
            assert!(line.contains(&format!("version = {version}")), "{line}: the workspace is {version}");
        }
    }
}
