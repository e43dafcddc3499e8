//! The list of everything that is compiled in (a software bill of materials), in the CycloneDX 1.5 format.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use super::{failed, printed};
use crate::shell::{cargo, root};

/// The crate of the command.
const COMMAND: &str = "clmatch-cli";

/// Cargo's metadata about the workspace and its dependencies.
pub fn metadata() -> Result<Value, String> {
    let printed = printed(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    serde_json::from_slice(&printed).map_err(|error| format!("cargo metadata: {error}"))
}

/// The version of the command.
pub fn version(metadata: &Value) -> Result<String, String> {
    let package = packages(metadata).find(|package| package["name"] == COMMAND);
    let version = package.and_then(|package| package["version"].as_str());
    version.map(str::to_owned).ok_or_else(|| format!("cargo metadata names no version of {COMMAND}"))
}

/// The document, which is always the same for the same lock file.
pub fn document(metadata: &Value) -> Result<String, String> {
    let lock = root().join("Cargo.lock");
    let checksums = checksums(&fs::read_to_string(&lock).map_err(failed(&lock))?);
    let used = compiled_in(metadata)?;
    let mut components = Vec::new();
    for package in packages(metadata).filter(|package| used.contains(text(package, "id"))) {
        let [name, version] = ["name", "version"].map(|key| text(package, key));
        let mut component = json!({
            "type": "library",
            "bom-ref": format!("pkg:cargo/{name}@{version}"),
            "name": name,
            "version": version,
            "purl": format!("pkg:cargo/{name}@{version}"),
            // The slash of old manifests means "or".
            "licenses": [{ "expression": text(package, "license").replace('/', " OR ") }],
        });
        if let Some(checksum) = checksums.get(&(name.to_owned(), version.to_owned())) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        components.push(component);
    }
    components.sort_by_key(|component| text(component, "purl").to_owned());
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": "clmatch", "name": "clmatch", "version": version(metadata)?,
        } },
        "components": components,
    });
    serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The ids of all packages that the command needs at run time: not those of tests and build scripts.
fn compiled_in(metadata: &Value) -> Result<BTreeSet<&str>, String> {
    let nodes =
        metadata["resolve"]["nodes"].as_array().ok_or("cargo metadata has no graph of dependencies")?;
    let needs: BTreeMap<&str, &Value> = nodes.iter().map(|node| (text(node, "id"), &node["deps"])).collect();
    let command = packages(metadata).find(|package| package["name"] == COMMAND);
    let mut open: Vec<&str> = command.map(|package| text(package, "id")).into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let dependencies = needs.get(id).and_then(|deps| deps.as_array()).into_iter().flatten();
        let normal = |dependency: &&Value| {
            dependency["dep_kinds"].as_array().into_iter().flatten().any(|kind| kind["kind"].is_null())
        };
        open.extend(dependencies.filter(normal).map(|dependency| text(dependency, "pkg")));
    }
    Ok(found)
}

/// The checksums of a lock file by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let field = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    packages
        .filter_map(|package| {
            Some(((field(package, "name")?, field(package, "version")?), field(package, "checksum")?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_in_is_listed_and_what_tests_need_is_not() {
        let metadata = metadata().expect("cargo metadata");
        let document = document(&metadata).expect("a document");
        let document: Value = serde_json::from_str(&document).expect("JSON");
        let names: Vec<&str> = document["components"]
            .as_array()
            .expect("components")
            .iter()
            .map(|part| text(part, "name"))
            .collect();
        for there in ["clmatch", "rayon", "parquet", "serde_json"] {
            assert!(names.contains(&there), "{there} is missing");
        }
        for absent in ["insta", "proptest", "pyo3", "xtask"] {
            assert!(!names.contains(&absent), "{absent} is not part of the command");
        }
        let rayon =
            document["components"].as_array().and_then(|all| all.iter().find(|part| part["name"] == "rayon"));
        assert_eq!(rayon.map(|part| text(&part["hashes"][0], "content").len()), Some(64));
    }
}
