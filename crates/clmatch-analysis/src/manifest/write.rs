//! Writes a manifest.

use std::path::Path;

use clmatch::Singletons;
use clmatch_data::{Missing, ReadOptions, Source};

/// A file of a folder, with the options that read it or the reason why none do.
#[derive(Debug, Clone)]
pub struct ListedFile {
    /// The dataset in the file.
    pub source: Source,
    /// The options that read it.
    pub read: Result<ReadOptions, String>,
    /// What becomes of its classes of a single point.
    pub singletons: Singletons,
}

/// The text of a manifest that is kept in a folder. Only options that are not the default ones are written; a file that cannot be
/// read becomes a comment that says why.
pub fn to_toml(folder: &Path, files: &[ListedFile]) -> String {
    let paragraphs: Vec<String> = files.iter().map(|file| paragraph(folder, file)).collect();
    paragraphs.join("\n")
}

fn paragraph(folder: &Path, file: &ListedFile) -> String {
    let place = relative(folder, file.source.address());
    // A path that is no text cannot stand in a manifest.
    let (options, path) = match (&file.read, place.to_str()) {
        (Ok(options), Some(path)) => (options, path),
        (Err(why), _) => return comment(&format!("left out: {}: {why}", place.display())),
        (Ok(_), None) => return comment(&format!("left out: {}: its name is not UTF-8", place.display())),
    };
    let mut text = format!("[[dataset]]\nname = {}\npath = {}\n", quoted(&file.source.name), quoted(path));
    for (key, value) in values(folder, options) {
        text.push_str(&format!("{key} = {value}\n"));
    }
    if file.singletons == Singletons::Drop {
        text.push_str("singletons = \"drop\"\n");
    }
    text
}

/// The options that are not the default ones.
fn values(folder: &Path, options: &ReadOptions) -> Vec<(&'static str, String)> {
    let list = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        (!names.is_empty()).then(|| format!("[{}]", names.join(", ")))
    };
    let flag = |set: bool| set.then(|| "true".to_owned());
    let text = |text: &Option<String>| text.as_deref().map(quoted);
    let labels = options.labels_file.as_deref().map(|path| relative(folder, path));
    let missing = (options.missing != Missing::default()).then(|| quoted(&options.missing.to_string()));
    [
        ("label", text(&options.label)),
        ("labels", labels.map(|path| quoted(&path.to_string_lossy()))),
        ("layer", text(&options.layer)),
        ("drop", list(&options.drop)),
        ("keep", list(&options.keep)),
        ("only", list(&options.only)),
        ("drop-text", flag(options.drop_text)),
        ("one-hot", list(&options.one_hot)),
        ("mixed", flag(options.mixed)),
        ("missing", missing),
        ("na", list(&options.missing_values)),
        ("decimal-comma", flag(options.decimal_comma)),
        ("header", options.header.map(|header| header.to_string())),
        ("skip-rows", (options.skip_rows > 0).then(|| options.skip_rows.to_string())),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

/// A path as seen from a folder, if it lies in it.
fn relative<'a>(folder: &Path, path: &'a Path) -> &'a Path {
    path.strip_prefix(folder).unwrap_or(path)
}

/// A text in quotes. JSON escapes all that TOML does not allow in quotes, except for one character.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A comment in one line.
fn comment(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {line}\n")
}
