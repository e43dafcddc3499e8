//! The changes of cargo-mutants: what is replaced by what, in which function.

use std::path::Path;

use serde_json::Value;

use crate::shell::{cargo, output};

/// A place in a file: a line and a column, both from 1, in characters.
pub type Place = (u64, u64);

/// One change of the source.
pub struct Mutant {
    /// File, line, column and change.
    pub name: String,
    /// The file, from the root of the checkout.
    pub file: String,
    /// What is changed, without the line, so that it holds when lines move: `replace < with <= in f`.
    pub change: String,
    /// The line that is changed.
    pub line: u64,
    /// The text that is replaced.
    pub span: (Place, Place),
    pub replacement: String,
    /// The whole function around it.
    pub function: (Place, Place),
    /// Whether the whole body of the function is replaced.
    pub whole_body: bool,
}

/// Asks cargo-mutants for all changes to the files that match a glob.
pub fn mutants(root: &Path, globs: &[&str]) -> Result<Vec<Mutant>, String> {
    let mut command = cargo();
    command.current_dir(root).args(["mutants", "--list", "--json", "--workspace"]);
    for glob in globs {
        command.args(["--file", glob]);
    }
    let ended = output(&mut command, false)?;
    if !ended.success {
        return Err(format!("cargo-mutants lists nothing (cargo install cargo-mutants?): {}", ended.err));
    }
    let listed: Vec<Value> = serde_json::from_slice(&ended.out).map_err(|error| error.to_string())?;
    listed.iter().filter(|one| !one["function"].is_null()).map(read).collect()
}

fn read(mutant: &Value) -> Result<Mutant, String> {
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or("a text is missing in the list");
    let name = text(&mutant["name"])?;
    let change = name.splitn(4, ':').nth(3).unwrap_or(&name).trim().to_owned();
    let span = span(&mutant["span"])?;
    Ok(Mutant {
        name,
        file: text(&mutant["file"])?,
        change,
        line: span.0.0,
        span,
        replacement: text(&mutant["replacement"])?,
        function: self::span(&mutant["function"]["span"])?,
        whole_body: mutant["genre"] == "FnValue",
    })
}

fn span(value: &Value) -> Result<(Place, Place), String> {
    let place = |end: &str| {
        let number = |key: &str| value[end][key].as_u64().ok_or("a place is missing in the list");
        Ok::<_, String>((number("line")?, number("column")?))
    };
    Ok((place("start")?, place("end")?))
}
