//! A folder of look-alikes of real exports, ranked: the label and the ids of each are known, and nothing may be misread silently.
//! A table is read correctly, or a doubt is reported about the very column, or it is refused.

mod one_step;
mod programs;
mod r;
mod sheet;
mod spreadsheets;
mod uci;

use std::collections::HashMap;

use serde_json::Value;

use self::sheet::{LookAlike, Truth};
use crate::folder::Folder;

fn all() -> Vec<LookAlike> {
    [uci::files(), r::files(), spreadsheets::files(), programs::files()].into_iter().flatten().collect()
}

/// What is wrong with how a file was read, if anything.
fn misread(truth: &LookAlike, found: &Value) -> Option<String> {
    let error = found["error"].as_str();
    match (truth.refused, error) {
        (Some(words), Some(error)) if error.contains(words) => return None,
        (Some(words), Some(error)) => return Some(format!("'{words}' is not in '{error}'")),
        (Some(_), None) => return Some(format!("was not refused: {found}")),
        (None, Some(error)) => return Some(format!("was refused: {error}")),
        (None, None) => {}
    }
    let list = |value: &Value| -> Vec<String> {
        let text = |one: &Value| one.as_str().or(one["column"].as_str()).unwrap_or_default().to_owned();
        value.as_array().map(|all| all.iter().map(text).collect()).unwrap_or_default()
    };
    let (left_out, doubtful) = (list(&found["left_out"]), list(&found["doubtful_ids"]));
    let of =
        |kind: Truth| truth.columns.iter().filter(move |(_, truth)| *truth == kind).map(|(name, _)| name);
    let label = of(Truth::Label).next()?;
    let taken = &found["label"];
    let candidates = list(&taken["alternatives"]);
    if taken["name"] != label.as_str() && !candidates.contains(label) {
        return Some(format!("{taken} is taken for the label, and nothing is said about '{label}'"));
    }
    if let Some(id) = of(Truth::Id).find(|id| !left_out.contains(id) && !doubtful.contains(id)) {
        return Some(format!("'{id}' is an id and a feature, and nothing is said about it"));
    }
    if let Some(lost) = of(Truth::Feature).find(|feature| left_out.contains(feature)) {
        return Some(format!("'{lost}' is a feature, and was left out"));
    }
    let features = truth.columns.len() - 1 - left_out.len();
    (found["features"] != features)
        .then(|| format!("there are {} features, not {features}", found["features"]))
}

#[test]
fn nothing_is_misread_in_silence() {
    let files = all();
    assert!(files.len() >= 60, "{} files", files.len());
    let mut folder = Folder::new();
    for file in &files {
        folder = folder.and(&format!("exports/{}", file.file), &file.bytes);
    }
    let ran = folder.run("rank exports --measures ch_a --format json");
    let found: Vec<Value> =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.err));
    let mut by_name: HashMap<&str, Vec<&Value>> = HashMap::new();
    for one in &found {
        by_name.entry(one["dataset"].as_str().unwrap()).or_default().push(one);
    }
    let mut wrong = Vec::new();
    for file in &files {
        let stem = file.file.rsplit_once('.').unwrap().0;
        let same: &[&Value] = by_name.get(stem).map_or(&[], Vec::as_slice);
        // Files with the same stem differ only in their content.
        let verdicts: Vec<Option<String>> = same.iter().map(|found| misread(file, found)).collect();
        if !verdicts.contains(&None) {
            wrong.push(format!("{}: {verdicts:?}", file.file));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} of {} files", wrong.join("\n"), wrong.len(), files.len());
}

#[test]
fn what_is_left_out_or_doubtful_is_said() {
    let files = all();
    let mut folder = Folder::new();
    for file in
        files.iter().filter(|file| ["glass.data", "breast-cancer-wisconsin.data"].contains(&file.file))
    {
        folder = folder.and(file.file, &file.bytes);
    }
    let ran = folder.run("score glass.data");
    assert_eq!(
        ran.err,
        "note: the last column, '10', serves as the label; --label chooses another\n\
         note: the column '0' was left out: it numbers the rows; --keep 0 uses it as a feature\n"
    );
    assert!(ran.out.contains("\nlabel: 10 (the last column)\n"), "{}", ran.out);
    let kept = folder.run("score glass.data --keep 0");
    assert!(
        !kept.err.contains("left out") && kept.out.starts_with("glass: 214 points, 10 features"),
        "{}",
        kept.err
    );
    let ran = folder.run("score breast-cancer-wisconsin.data");
    let warning = "warning: the column '0' serves as a feature but may be an id: ";
    assert!(ran.err.contains(warning), "{}", ran.err);
    assert!(ran.err.contains("--drop 0 leaves it out, --keep 0 says that it is a feature\n"), "{}", ran.err);
    let settled = folder.run("score breast-cancer-wisconsin.data --keep 0");
    assert!(!settled.err.contains(warning), "{}", settled.err);
    let ran = folder.run("rank glass.data --measures ch_a");
    assert!(ran.err.contains("note: glass: not used as a feature: 0\n"), "{}", ran.err);
}
