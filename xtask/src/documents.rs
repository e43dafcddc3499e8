//! `cargo xtask docs`: generates the pages in `docs` that are made one per command and per measure, and builds the book if mdbook
//! is installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::shell::{cargo, output, root, run, target};

/// Writes the generated pages, then builds the book into `target/book`.
pub fn write() -> Result<(), String> {
    run(cargo().args(["build", "--workspace", "--bin", "clmatch"]))?;
    let command = target().join("debug").join(format!("clmatch{}", std::env::consts::EXE_SUFFIX));
    write_pages(&command, &root().join("docs"))?;
    match build() {
        Some(outcome) => outcome,
        None => {
            println!("the book was not built: there is no mdbook (cargo install mdbook)");
            Ok(())
        }
    }
}

/// Builds the book; `None` if mdbook is not installed.
pub fn build() -> Option<Result<(), String>> {
    output(Command::new("mdbook").arg("--version"), false).ok()?;
    Some(run(Command::new("mdbook").arg("build").arg(root().join("docs"))))
}

/// Replaces the pages of commands and measures by those that the command writes.
fn write_pages(command: &Path, docs: &Path) -> Result<(), String> {
    let commands = docs.join("commands");
    let measures = docs.join("measures");
    for folder in [&commands, &measures] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    run(Command::new(command).args(["man", "--markdown", "--dir"]).arg(&commands))?;
    let listed = printed(Command::new(command).args(["measures", "--format", "json"]))?;
    let listed: Value = serde_json::from_str(&listed).map_err(|error| format!("measures: {error}"))?;
    let mut index =
        String::from("# Measures\n\n| id | name | kind | a good score means |\n|---|---|---|---|\n");
    for measure in listed.as_array().into_iter().flatten() {
        let text = |key: &str| measure[key].as_str().unwrap_or_default();
        let (id, name, kind, meaning) = (text("id"), text("name"), text("kind"), text("meaning"));
        index += &format!("| [{id}]({id}.md) | {name} | {kind} | {meaning} |\n");
        let page = printed(Command::new(command).args(["measures", id, "--format", "markdown"]))?;
        write_file(&measures.join(format!("{id}.md")), &page)?;
    }
    write_file(&measures.join("index.md"), &index)?;
    let contents = docs.join("SUMMARY.md");
    let written =
        fs::read_to_string(&contents).map_err(|error| format!("{}: {error}", contents.display()))?;
    write_file(&contents, &with_pages(&written, docs)?)
}

/// The contents of the book with the generated pages below the entries that list them.
fn with_pages(contents: &str, docs: &Path) -> Result<String, String> {
    let mut lines = String::new();
    for line in contents.lines().filter(|line| !line.starts_with("  - ")) {
        lines += &format!("{line}\n");
        for (folder, first) in [("measures", "index.md"), ("commands", "clmatch.md")] {
            if line.ends_with(&format!("({folder}/{first})")) {
                let pages = fs::read_dir(docs.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
                let mut names: Vec<String> = pages
                    .filter_map(Result::ok)
                    .map(|page| page.file_name().to_string_lossy().into_owned())
                    .collect();
                names.sort();
                for name in names.iter().filter(|name| *name != first) {
                    lines += &format!("  - [{}]({folder}/{name})\n", name.trim_end_matches(".md"));
                }
            }
        }
    }
    Ok(lines)
}

fn write_file(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn printed(command: &mut Command) -> Result<String, String> {
    let ended = output(command, true)?;
    if !ended.success {
        return Err(format!("{command:?} failed"));
    }
    String::from_utf8(ended.out).map_err(|error| format!("{command:?}: {error}"))
}
