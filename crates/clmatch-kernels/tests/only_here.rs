//! Instructions are chosen only in `src/simd`.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Words that appear only in code for a certain instruction set.
const WORDS: [&str; 4] = ["std::arch", "core::arch", "target_feature", "is_x86_feature_detected"];

/// All Rust files of a folder except those that may name an instruction set, and except this one.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.file_name().and_then(|name| name.to_str()) {
            Some("target" | "simd" | "only_here.rs") => {}
            _ if path.is_dir() => found.extend(sources(&path)),
            _ if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            _ => {}
        }
    }
    found
}

#[test]
fn only_the_simd_module_names_an_instruction_set() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let files: Vec<PathBuf> =
        ["crates", "xtask"].iter().flat_map(|folder| sources(&root.join(folder))).collect();
    assert!(
        files.iter().any(|path| path.ends_with("clmatch/src/lib.rs")),
        "the other crates are not beside this one"
    );
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for word in WORDS {
            assert!(
                !text.contains(word),
                "{} has `{word}`: its place is clmatch-kernels/src/simd",
                path.display()
            );
        }
    }
}
