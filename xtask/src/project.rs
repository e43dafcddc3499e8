//! Documents of the project, held against what it is.

use std::collections::BTreeSet;
use std::fs;

use crate::shell::root;

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands behind a key at the start of a line, without quotes.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim_start_matches([' ', '=', ':']).trim().trim_matches('"'))
}

#[test]
fn version_changelog_and_citation_are_in_step() {
    let cargo = text("Cargo.toml");
    let version = value(&cargo, "version").expect("the workspace has a version");
    assert_eq!(value(&text("CITATION.cff"), "version"), Some(version));
    assert!(
        text("pyproject.toml").contains("dynamic = [\"version\"]"),
        "the wheel's version is that of its crate"
    );
    let changelog = text("CHANGELOG.md");
    let newest = changelog.lines().find_map(|line| line.strip_prefix("## ")).expect("a version");
    let released = newest.split_whitespace().next();
    assert!(
        released == Some("Unreleased") || released == Some(version),
        "the newest entry is of {newest}, the workspace's version is {version}"
    );
}

#[test]
fn every_dependency_has_its_reason() {
    let cargo = text("Cargo.toml");
    let declared = cargo.split("[workspace.dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
    let declared: BTreeSet<&str> = declared
        .expect("dependencies are declared in the workspace")
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with("clmatch"))
        .collect();
    let document = text("docs/dependencies.md");
    let told: BTreeSet<&str> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .flat_map(|names| names.split(", "))
        .filter(|name| *name != "crate")
        .collect();
    assert_eq!(told, declared);
}
