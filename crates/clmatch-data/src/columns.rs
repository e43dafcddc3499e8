//! Which column is what: the label, features, text to be expanded, and what is left out.

use std::collections::HashMap;

use crate::advice::{Advice, ColumnOption};
use crate::error::{ColumnRef, ReadError, shorten};
use crate::note::Note;
use crate::options::ReadOptions;

/// What a column is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Left out.
    Skip,
    /// A feature that must be a number.
    Number,
    /// A feature whose values become indicator columns.
    Category,
    /// A feature that becomes indicator columns if it holds text.
    Either,
    /// The label.
    Label,
}

/// The role of each column of a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) names: Vec<ColumnRef>,
    pub(crate) roles: Vec<Role>,
    pub(crate) notes: Vec<Note>,
}

impl Plan {
    /// How many features there will be, text columns counted once.
    pub(crate) fn features(&self) -> usize {
        self.roles.iter().filter(|role| !matches!(role, Role::Skip | Role::Label)).count()
    }

    /// The label column.
    pub(crate) fn label(&self) -> Option<usize> {
        self.roles.iter().position(|role| *role == Role::Label)
    }
}

/// Names that say label.
const LABEL_NAMES: [&str; 5] = ["label", "class", "target", "species", "y"];

/// Whether a name says label.
pub(crate) fn names_label(name: &str) -> bool {
    LABEL_NAMES.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

/// The names of a header.
#[cfg(test)]
pub(crate) fn named<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Vec<ColumnRef> {
    names.into_iter().map(|name| ColumnRef::Name(name.into())).collect()
}

/// Decides what each column is; `labels` is false when the labels come from elsewhere.
///
/// # Errors
/// An option that names no column or several ones, or no feature left.
pub(crate) fn plan(names: Vec<ColumnRef>, options: &ReadOptions, labels: bool) -> Result<Plan, ReadError> {
    let mut notes = duplicates(&names);
    let label = if labels { Some(label_column(&names, options, &mut notes)?) } else { None };
    let mut roles = vec![Role::Number; names.len()];
    if !options.keep.is_empty() {
        roles.fill(Role::Skip);
        for chosen in &options.keep {
            roles[find(&names, chosen, ColumnOption::Keep)?] = Role::Number;
        }
    }
    for chosen in &options.drop {
        let column = find(&names, chosen, ColumnOption::Drop)?;
        if label == Some(column) && options.label.is_some() {
            return Err(ReadError::new(format!("the label, {}, is to be dropped", names[column]))
                .help(Advice::LabelIsDropped));
        }
        roles[column] = Role::Skip;
    }
    one_hot(&names, &mut roles, options)?;
    if let Some(label) = label {
        roles[label] = Role::Label;
    } else {
        notes.extend(label_among_features(&names, &roles));
    }
    let plan = Plan { names, roles, notes };
    if plan.features() == 0 {
        return Err(no_features(&plan));
    }
    Ok(plan)
}

fn one_hot(names: &[ColumnRef], roles: &mut [Role], options: &ReadOptions) -> Result<(), ReadError> {
    for chosen in &options.one_hot {
        if chosen == "*" {
            roles.iter_mut().filter(|role| **role == Role::Number).for_each(|role| *role = Role::Either);
        } else {
            let column = find(names, chosen, ColumnOption::OneHot)?;
            if roles[column] != Role::Skip {
                roles[column] = Role::Category;
            }
        }
    }
    Ok(())
}

fn no_features(plan: &Plan) -> ReadError {
    let what = match plan.label() {
        Some(label) => format!("there is no feature besides the label, {}", plan.names[label]),
        None => "no column is left as a feature".to_owned(),
    };
    ReadError::new(what).help("a dataset needs a label and at least one column of numbers")
}

/// The label column: the one that was asked for, one with a telling name, or the last one that is not dropped.
fn label_column(
    names: &[ColumnRef],
    options: &ReadOptions,
    notes: &mut Vec<Note>,
) -> Result<usize, ReadError> {
    if let Some(chosen) = &options.label {
        return find(names, chosen, ColumnOption::Label);
    }
    let dropped: Vec<usize> = options
        .drop
        .iter()
        .map(|chosen| find(names, chosen, ColumnOption::Drop))
        .collect::<Result<_, _>>()?;
    let mut left: Vec<usize> = (0..names.len()).filter(|column| !dropped.contains(column)).collect();
    for known in LABEL_NAMES {
        let is_known = |column: &usize| matches!(&names[*column], ColumnRef::Name(name) if name.trim().eq_ignore_ascii_case(known));
        let mut found = left.iter().copied().filter(is_known);
        match (found.next(), found.next()) {
            (Some(column), None) => return Ok(column),
            (Some(column), Some(other)) => {
                return Err(ReadError::new(format!("columns {column} and {other} both are named '{known}'"))
                    .help(Advice::ChooseLabelByIndex));
            }
            _ => {}
        }
    }
    let last = left
        .pop()
        .ok_or_else(|| ReadError::new("no column is left for the label").help(Advice::KeepLabel))?;
    notes.push(Note::LabelGuessed { column: crate::table::plain_name(&names[last]) });
    Ok(last)
}

/// The column of a file that holds nothing but labels: the only one, or the one that a table would have.
pub(crate) fn only_labels(names: &[ColumnRef], options: &ReadOptions) -> Result<usize, ReadError> {
    match (names, &options.label) {
        ([_], None) => Ok(0),
        (_, chosen) => {
            let chosen = ReadOptions { label: chosen.clone(), ..ReadOptions::default() };
            label_column(names, &chosen, &mut Vec::new())
        }
    }
}

/// The column that `chosen` names, or the one with that index.
fn find(names: &[ColumnRef], chosen: &str, option: ColumnOption) -> Result<usize, ReadError> {
    let is_chosen = |name: &ColumnRef| matches!(name, ColumnRef::Name(name) if name == chosen);
    let mut found = (0..names.len()).filter(|&column| is_chosen(&names[column]));
    match (found.next(), found.next()) {
        (Some(column), None) => return Ok(column),
        (Some(column), Some(other)) => {
            return Err(ReadError::new(format!(
                "columns {column} and {other} both are named '{}'",
                shorten(chosen)
            ))
            .help(Advice::ChooseByIndex(option)));
        }
        _ => {}
    }
    let index = chosen
        .trim()
        .parse::<i64>()
        .ok()
        .map(|index| if index < 0 { index.saturating_add(names.len() as i64) } else { index });
    match index.and_then(|index| usize::try_from(index).ok()).filter(|&index| index < names.len()) {
        Some(index) => Ok(index),
        None => Err(ReadError::new(format!("there is no column '{}' {}", shorten(chosen), option.purpose()))
            .help(format!("the columns are {}", list(names)))),
    }
}

/// The first names, for a help line.
fn list(names: &[ColumnRef]) -> String {
    const SHOWN: usize = 8;
    if let Some(ColumnRef::Index(_)) = names.first() {
        return format!("counted from 0 to {}: the file has no header", names.len() - 1);
    }
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("'{}'", shorten(&crate::table::plain_name(name))))
        .collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn duplicates(names: &[ColumnRef]) -> Vec<Note> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for name in names {
        if let ColumnRef::Name(name) = name {
            *times.entry(name).or_default() += 1;
        }
    }
    let mut found: Vec<(&str, usize)> = times.into_iter().filter(|(_, times)| *times > 1).collect();
    found.sort_unstable();
    found.into_iter().map(|(name, times)| Note::DuplicateName { column: name.to_owned(), times }).collect()
}

fn label_among_features(names: &[ColumnRef], roles: &[Role]) -> Vec<Note> {
    let used = names.iter().zip(roles).filter(|(_, role)| **role != Role::Skip);
    used.filter_map(|(name, _)| match name {
        ColumnRef::Name(name) if names_label(name) => Some(Note::LabelAmongFeatures { column: name.clone() }),
        _ => None,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(names: &[&str], options: &ReadOptions) -> Result<Vec<Role>, ReadError> {
        plan(named(names.iter().copied()), options, true).map(|plan| plan.roles)
    }

    fn with(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
        let mut options = ReadOptions::default();
        change(&mut options);
        options
    }

    #[test]
    fn the_label_is_found_by_name_index_or_position() {
        use Role::{Label, Number, Skip};
        let names = ["a", "Class", "b"];
        assert_eq!(roles(&names, &ReadOptions::default()).unwrap(), [Number, Label, Number]);
        let last = with(|o| o.label = Some("-1".into()));
        assert_eq!(roles(&names, &last).unwrap(), [Number, Number, Label]);
        let first = with(|o| o.label = Some("a".into()));
        assert_eq!(roles(&names, &first).unwrap(), [Label, Number, Number]);
        let dropped = with(|o| o.drop = vec!["1".into()]);
        assert_eq!(roles(&names, &dropped).unwrap(), [Number, Skip, Label]);
        // A name wins over an index.
        let name = with(|o| o.label = Some("0".into()));
        assert_eq!(roles(&["1", "0"], &name).unwrap(), [Number, Label]);
    }

    #[test]
    fn wrong_names_are_refused_with_the_list() {
        let error = roles(&["a", "b"], &with(|o| o.label = Some("c".into()))).unwrap_err();
        assert_eq!(error.what, "there is no column 'c' to serve as the label");
        assert_eq!(error.advice.unwrap().to_string(), "the columns are 'a', 'b'");
        assert!(roles(&["a", "b"], &with(|o| o.drop = vec!["-3".into()])).is_err());
        assert!(roles(&["a", "b", "b"], &with(|o| o.keep = vec!["b".into()])).is_err());
        assert!(roles(&["y", "y", "b"], &ReadOptions::default()).is_err());
        assert!(roles(&["y"], &ReadOptions::default()).is_err());
        let both = with(|o| {
            o.label = Some("b".into());
            o.drop = vec!["b".into()];
        });
        assert!(roles(&["a", "b"], &both).is_err());
    }

    #[test]
    fn keep_and_one_hot_choose_features() {
        use Role::{Category, Either, Label, Number, Skip};
        let keep = with(|o| o.keep = vec!["b".into()]);
        assert_eq!(roles(&["a", "b", "y"], &keep).unwrap(), [Skip, Number, Label]);
        let some = with(|o| o.one_hot = vec!["a".into()]);
        assert_eq!(roles(&["a", "b", "y"], &some).unwrap(), [Category, Number, Label]);
        let all = with(|o| o.one_hot = vec!["*".into()]);
        assert_eq!(roles(&["a", "b", "y"], &all).unwrap(), [Either, Either, Label]);
    }
}
