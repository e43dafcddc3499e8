//! Checks the project's documents against the project itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{cargo, output, root};

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The value that follows a key at the start of a line, without quotes.
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

/// The documents: those at the root, and all below the documentation folders.
fn documents() -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = ["docs", "lab", "bench"].map(|folder| root().join(folder)).to_vec();
    let mut found: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)).to_vec();
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The lines of a document that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The targets of the links and images of a document.
fn links(text: &str) -> Vec<String> {
    let addresses = prose(text).flat_map(|line| line.split("](").skip(1));
    addresses.filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
}

/// The anchors of a document: its headings in lower case, words joined by hyphens.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document can be read");
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link.as_str(), ""));
            let folder = document.parent().unwrap_or(Path::new(""));
            let leads_to = if path.is_empty() { document.clone() } else { folder.join(path) };
            let there = leads_to.exists()
                && (anchor.is_empty()
                    || fs::read_to_string(&leads_to).is_ok_and(|text| anchors(&text).contains(anchor)));
            if !there {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_of_the_book_is_in_its_contents() {
    let docs = root().join("docs");
    let contents: BTreeSet<PathBuf> =
        links(&text("docs/SUMMARY.md")).iter().map(|link| docs.join(link)).collect();
    let pages: BTreeSet<PathBuf> = documents()
        .into_iter()
        .filter(|page| page.starts_with(&docs) && page.file_name().is_some_and(|name| name != "SUMMARY.md"))
        .collect();
    assert_eq!(contents, pages);
}

/// For each crate of the workspace, the other crates that it depends on directly.
fn crates() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]), false);
    let metadata = metadata.expect("cargo describes the workspace").out;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let name = |value: &serde_json::Value| value["name"].as_str().expect("a name").to_owned();
    let crates = packages.iter().map(|package| {
        let dependencies = package["dependencies"].as_array().expect("dependencies").iter();
        let dependencies = dependencies.filter(|dependency| dependency["kind"].is_null()).map(name);
        (name(package), dependencies.filter(|name| name.starts_with("clmatch")).collect())
    });
    crates.filter(|(name, _)| name.starts_with("clmatch") && !name.ends_with("-fuzz")).collect()
}

/// All crates that a crate depends on.
fn below<'a>(name: &str, crates: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a str> {
    crates[name].iter().flat_map(|name| below(name, crates).into_iter().chain([name.as_str()])).collect()
}

#[test]
fn the_drawing_of_the_crates_is_true() {
    let crates = crates();
    let mut arrows = BTreeSet::new();
    for (upper, dependencies) in &crates {
        for lower in dependencies {
            let follows = dependencies.iter().any(|other| below(other, &crates).contains(lower.as_str()));
            if !follows {
                arrows.insert(format!("{upper} --> {lower}"));
            }
        }
    }
    let page = text("docs/guide/layout.md");
    let drawing = page.split("graph TD").nth(1).and_then(|rest| rest.split("```").next());
    let drawn = drawing.expect("a drawing").lines().map(|line| line.trim().to_owned());
    assert_eq!(drawn.filter(|line| !line.is_empty()).collect::<BTreeSet<_>>(), arrows);
}
