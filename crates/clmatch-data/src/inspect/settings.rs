//! Settings that differ between two ways to read a file, without the words of any one front end.

use clmatch::Singletons;
use serde::{Deserialize, Serialize};

use crate::options::ReadOptions;

/// A setting, under the name that Python uses for it; the command puts hyphens for underscores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The name, such as `decimal_comma`.
    pub name: String,
    /// The value.
    pub value: SettingValue,
}

/// The value of a [`Setting`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// Yes or no.
    Flag(bool),
    /// One column, or one of several choices.
    Text(String),
    /// Columns.
    Columns(Vec<String>),
}

/// How a dataset is read and what becomes of its classes of one point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    pub(super) options: ReadOptions,
    pub(super) singletons: Singletons,
}

/// The settings of `after` that `before` does not have, with their whole values.
pub(super) fn changed(before: &Reading, after: &Reading) -> Vec<Setting> {
    let mut changed = Vec::new();
    let mut add = |name: &str, value| changed.push(Setting { name: name.to_owned(), value });
    let (old, new) = (&before.options, &after.options);
    if let (true, Some(label)) = (old.label != new.label, &new.label) {
        add("label", SettingValue::Text(label.clone()));
    }
    let columns = [
        ("drop", &old.drop, &new.drop),
        ("keep", &old.keep, &new.keep),
        ("one_hot", &old.one_hot, &new.one_hot),
        ("na", &old.missing_values, &new.missing_values),
    ];
    if old.mixed != new.mixed {
        add("mixed", SettingValue::Flag(new.mixed));
    }
    for (name, _, new) in columns.into_iter().filter(|(_, old, new)| old != new && !new.is_empty()) {
        add(name, SettingValue::Columns(new.clone()));
    }
    if old.missing != new.missing {
        add("missing", SettingValue::Text(new.missing.to_string()));
    }
    if old.decimal_comma != new.decimal_comma {
        add("decimal_comma", SettingValue::Flag(new.decimal_comma));
    }
    if let (true, Some(header)) = (old.header != new.header, new.header) {
        add("header", SettingValue::Flag(header));
    }
    if before.singletons != after.singletons && after.singletons == Singletons::Drop {
        add("singletons", SettingValue::Text("drop".to_owned()));
    }
    changed
}
