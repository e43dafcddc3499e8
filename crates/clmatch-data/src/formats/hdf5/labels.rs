//! The labels of an AnnData file: a column of `obs`.

use hdf5_reader::group::Group;

use super::values::is_text;
use super::{AnnDataFile, DAMAGED, attribute, unreadable};
use crate::advice::Advice;
use crate::cell;
use crate::error::{ColumnRef, ReadError, shorten};
use crate::names::names_label;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::real::FloatMatrix;
use crate::table::{Codes, LabelBuilder};

/// Where files of AnnData 0.7 keep the categories of all columns.
const OLD_CATEGORIES: &str = "__categories";

/// Reads the named column, one whose name says label, or the only column of categories.
pub(super) fn read(file: &AnnDataFile, asked: Option<&str>) -> Result<(Codes, LabelOrigin), ReadError> {
    let obs = file.root.group("obs").map_err(|error| unreadable(&error))?;
    let columns = columns(&obs)?;
    let origin = match asked {
        Some(asked) => LabelOrigin::certain(named(&columns, asked)?, LabelSource::Chosen),
        None => guess(&obs, &columns)?,
    };
    let name = &origin.name;
    let codes = column(file, &obs, name).map_err(|error| error.column(ColumnRef::Name(name.clone())))?;
    Ok((codes, origin))
}

fn named(columns: &[String], asked: &str) -> Result<String, ReadError> {
    let is = |name: &&String| *name == asked || asked.strip_prefix("obs/") == Some(name);
    columns.iter().find(is).cloned().ok_or_else(|| {
        ReadError::new(format!("obs has no column '{}' to serve as the label", shorten(asked)))
            .help(format!("its columns are {}", quoted(columns)))
    })
}

/// Finds a column that must be the label: its name says so, or no other column has categories.
fn guess(obs: &Group, columns: &[String]) -> Result<LabelOrigin, ReadError> {
    let mut known = columns.iter().filter(|name| names_label(name));
    if let (Some(name), None) = (known.next(), known.next()) {
        return Ok(LabelOrigin::certain(name, LabelSource::Name));
    }
    let categories: Vec<String> = columns.iter().filter(|name| has_categories(obs, name)).cloned().collect();
    match &categories[..] {
        [only] => Ok(LabelOrigin::certain(only, LabelSource::OnlyCategories)),
        [] => Err(ReadError::new(format!("obs has no column of categories, only {}", quoted(columns)))
            .help(Advice::ChooseLabel)),
        several => Err(ReadError::new(format!(
            "obs has {} columns that may be the label: {}",
            several.len(),
            quoted(several)
        ))
        .help(Advice::ChooseLabel)),
    }
}

/// Whether a column has categories or texts.
fn has_categories(obs: &Group, name: &str) -> bool {
    let old = obs.group(OLD_CATEGORIES).is_ok_and(|group| group.dataset(name).is_ok());
    let text = obs.dataset(name).is_ok_and(|dataset| is_text(dataset.dtype()));
    old || text
        || obs.group(name).is_ok_and(|group| {
            matches!(
                attribute(&group, "encoding-type").as_deref(),
                Some("categorical" | "nullable-string-array")
            )
        })
}

fn quoted(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("'{}'", shorten(name))).collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    if shown.is_empty() { "nothing".to_owned() } else { shown.join(", ") + &more }
}

/// The columns of a table in order, without the names of rows.
pub(super) fn columns(group: &Group) -> Result<Vec<String>, ReadError> {
    let (groups, datasets) = group.member_names().map_err(|error| unreadable(&error))?;
    let index = attribute(group, "_index").unwrap_or_else(|| "_index".to_owned());
    let all: Vec<String> =
        groups.into_iter().chain(datasets).filter(|name| *name != index && name != OLD_CATEGORIES).collect();
    let order = group.attribute("column-order").ok().and_then(|order| order.read_strings().ok());
    let mut ordered: Vec<String> =
        order.unwrap_or_default().into_iter().filter(|name| all.contains(name)).collect();
    let rest: Vec<String> = all.into_iter().filter(|name| !ordered.contains(name)).collect();
    ordered.extend(rest);
    Ok(ordered)
}

fn column(file: &AnnDataFile, obs: &Group, name: &str) -> Result<Codes, ReadError> {
    let Ok(group) = obs.group(name) else {
        let dataset = obs.dataset(name).map_err(|error| unreadable(&error))?;
        if let Some(categories) = obs.group(OLD_CATEGORIES).ok().and_then(|group| group.dataset(name).ok()) {
            return categorical(&file.texts(&categories)?, file.numbers(&dataset)?);
        }
        return collect(file.texts(&dataset)?);
    };
    let dataset = |name: &str| group.dataset(name).map_err(|error| unreadable(&error));
    match attribute(&group, "encoding-type").as_deref() {
        Some("categorical") => {
            categorical(&file.texts(&dataset("categories")?)?, file.numbers(&dataset("codes")?)?)
        }
        Some("nullable-integer" | "nullable-boolean" | "nullable-string-array") => {
            let mut values = file.texts(&dataset("values")?)?;
            let mask = file.texts(&dataset("mask")?)?;
            if mask.len() != values.len() {
                return Err(ReadError::new("the mask has another length than the values").help(DAMAGED));
            }
            for (value, missing) in values.iter_mut().zip(mask) {
                if missing.as_deref() == Some("true") {
                    *value = None;
                }
            }
            collect(values)
        }
        other => Err(ReadError::new(format!(
            "labels cannot be read from '{}'",
            shorten(other.unwrap_or("a group"))
        ))
        .help(Advice::ChooseOtherLabel)),
    }
}

fn collect(texts: Vec<Option<String>>) -> Result<Codes, ReadError> {
    let mut labels = LabelBuilder::default();
    for text in texts {
        push(&mut labels, text.as_deref())?;
    }
    Ok(labels.finish())
}

fn push(labels: &mut LabelBuilder, text: Option<&str>) -> Result<(), ReadError> {
    match text.map(str::trim) {
        Some(text) if !cell::no_label(text.as_bytes()) => labels.push(text.as_bytes()),
        _ => {
            labels.push_missing();
            Ok(())
        }
    }
}

/// Codes below 0 are missing.
fn categorical(categories: &[Option<String>], codes: FloatMatrix) -> Result<Codes, ReadError> {
    let FloatMatrix::F64(codes) = codes else {
        return Err(ReadError::new("the codes of categories are no whole numbers").help(DAMAGED));
    };
    let mut labels = LabelBuilder::default();
    for code in codes {
        let category = match categories.get(code as usize) {
            _ if code < 0.0 => None,
            Some(category) => category.as_deref(),
            None => {
                let count = categories.len();
                return Err(
                    ReadError::new(format!("the code {code} is beyond the {count} categories")).help(DAMAGED)
                );
            }
        };
        push(&mut labels, category)?;
    }
    Ok(labels.finish())
}
