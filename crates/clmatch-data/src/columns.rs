//! Which column is what: the label, features, text to be expanded, and what is left out.

use std::collections::HashMap;

use crate::advice::{Advice, ColumnOption};
use crate::cell_form::CellForm;
use crate::error::{ColumnRef, ReadError, shorten};
use crate::glimpse::{ColumnKind, Described};
use crate::label_choice;
use crate::label_leaks;
use crate::names::names_label;
use crate::notation::Notation;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::{Facts, LeftOutColumn, LeftOutReason, SuspectedCopy};
use crate::table::plain_name;
use crate::text_columns::{has_texts_as_values, may_be_indicators};

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
    /// A feature whose cells are lists of this many numbers, each of which becomes a feature.
    List(usize),
    /// The label.
    Label,
    /// Nothing: the empty cell after the last delimiter of each row.
    Blank,
}

/// The role of each column of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnPlan {
    pub(crate) names: Vec<ColumnRef>,
    pub(crate) roles: Vec<Role>,
    /// How the cells of each column are read.
    pub(crate) forms: Vec<CellForm>,
    pub(crate) notes: Vec<Note>,
    pub(crate) facts: Facts,
}

impl ColumnPlan {
    /// How many features there will be; a text column counts as one.
    pub(crate) fn features(&self) -> usize {
        let width = |role: &Role| match role {
            Role::Skip | Role::Label | Role::Blank => 0,
            Role::List(length) => *length,
            Role::Number | Role::Category | Role::Either => 1,
        };
        self.roles.iter().map(width).sum()
    }

    /// The label column.
    pub(crate) fn label(&self) -> Option<usize> {
        self.roles.iter().position(|role| *role == Role::Label)
    }
}

/// The names of a header.
#[cfg(test)]
pub(crate) fn named<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Vec<ColumnRef> {
    names.into_iter().map(|name| ColumnRef::Name(name.into())).collect()
}

/// Decides what each column is by its name alone; `labels` is false when the labels come from elsewhere.
///
/// # Errors
/// An option that names no column or more than one, or no feature left.
pub(crate) fn plan(
    names: Vec<ColumnRef>,
    options: &ReadOptions,
    labels: bool,
) -> Result<ColumnPlan, ReadError> {
    let columns: Vec<Described> = names.into_iter().map(Described::unseen).collect();
    plan_described(&columns, options, labels)
}

/// Decides what each column is, by its name and what its first rows hold; `labels` is false when the labels come from
/// elsewhere.
///
/// # Errors
/// An option that names no column or more than one, or no feature left.
pub(crate) fn plan_described(
    columns: &[Described],
    options: &ReadOptions,
    labels: bool,
) -> Result<ColumnPlan, ReadError> {
    let names: Vec<ColumnRef> = columns.iter().map(|column| column.name.clone()).collect();
    let mut plan = ColumnPlan {
        roles: vec![Role::Number; names.len()],
        forms: columns.iter().map(|column| column.glimpse.form()).collect(),
        notes: duplicates(&names),
        facts: Facts { features_chosen: !options.only.is_empty(), ..Facts::default() },
        names,
    };
    let choice = if labels { Some(label_choice::choose(columns, options)?) } else { None };
    let label = choice.as_ref().map(|choice| choice.column);
    choose_features(&mut plan, label, options)?;
    let indicators = indicators(&plan.names, options)?;
    for (role, column) in plan.roles.iter_mut().zip(columns).filter(|(role, _)| **role == Role::Number) {
        *role = column.glimpse.list_length().map_or(*role, Role::List);
    }
    leave_out(&mut plan, label, &indicators, columns, options);
    one_hot(&mut plan.roles, &indicators, options);
    if options.mixed {
        mix(&mut plan, label, columns);
    }
    match choice {
        Some(choice) => {
            plan.roles[choice.column] = Role::Label;
            plan.facts.declared_classes = columns[choice.column].nominal;
            plan.notes.extend(Note::of_label(&choice.origin));
            plan.facts.label = Some(choice.origin);
        }
        None => plan.notes.extend(label_among_features(&plan.names, &plan.roles)),
    }
    plan.notes.extend(cell_notes(&plan.roles, columns));
    if plan.features() == 0 {
        return Err(no_features(&plan));
    }
    Ok(plan)
}

/// Applies the options about features.
fn choose_features(
    plan: &mut ColumnPlan,
    label: Option<usize>,
    options: &ReadOptions,
) -> Result<(), ReadError> {
    if !options.only.is_empty() {
        plan.roles.fill(Role::Skip);
        for chosen in &options.only {
            plan.roles[find(&plan.names, chosen, ColumnOption::Only)?] = Role::Number;
        }
    }
    for chosen in &options.keep {
        let column = find(&plan.names, chosen, ColumnOption::Keep)?;
        plan.roles[column] = Role::Number;
        plan.facts.kept.push(plan.names[column].clone());
    }
    for chosen in &options.drop {
        let column = find(&plan.names, chosen, ColumnOption::Drop)?;
        if label == Some(column) && options.label.is_some() {
            return Err(ReadError::new(format!("the label, {}, is to be dropped", plan.names[column]))
                .help(Advice::LabelIsDropped));
        }
        plan.roles[column] = Role::Skip;
    }
    Ok(())
}

/// Leaves out columns that are not features, and text columns if the options drop them. A text that seems to copy the label is
/// read, because all rows decide.
fn leave_out(
    plan: &mut ColumnPlan,
    label: Option<usize>,
    indicators: &[usize],
    columns: &[Described],
    options: &ReadOptions,
) {
    let codes = columns.iter().filter(|column| column.is_code()).count();
    let mut texts = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        if label == Some(place) || plan.roles[place] == Role::Skip || plan.facts.features_chosen {
            continue;
        }
        let copied = label.is_some_and(|label| label_leaks::copies(column, &columns[label]));
        let reason = if column.index {
            Some(LeftOutReason::PandasIndex)
        } else if column.is_text_id() {
            let is_time = column.glimpse.kind() == ColumnKind::Time;
            Some(if is_time { LeftOutReason::Time } else { LeftOutReason::DistinctText })
        } else if copied {
            Some(LeftOutReason::LabelCopy)
        } else if label_leaks::is_named_so(column, columns) {
            Some(LeftOutReason::LabelName)
        } else {
            (column.is_code() && codes <= FEW_CODES).then_some(LeftOutReason::Code)
        };
        let name = plain_name(&column.name);
        if plan.facts.kept.contains(&column.name) {
            plan.facts.kept_rightly.extend(reason.map(|_| column.name.clone()));
        } else if copied && !options.drop_text {
            plan.roles[place] = Role::Category;
            let asked = indicators.contains(&place);
            plan.facts.suspects.push(SuspectedCopy { column: column.name.clone(), asked });
        } else if indicators.contains(&place) {
            continue;
        } else if let Some(reason) = reason {
            plan.roles[place] = Role::Skip;
            plan.facts.left_out.push(LeftOutColumn { column: name, reason });
        } else if options.drop_text && matches!(column.glimpse.kind(), ColumnKind::Text | ColumnKind::Time) {
            plan.roles[place] = Role::Skip;
            texts.push(name);
        }
    }
    if !texts.is_empty() {
        plan.notes.push(Note::TextDropped { columns: texts });
    }
}

/// If more columns than this look like codes, they are numbers in a table of fixed width.
const FEW_CODES: usize = 2;

/// The columns that the options turn into indicators.
fn indicators(names: &[ColumnRef], options: &ReadOptions) -> Result<Vec<usize>, ReadError> {
    let named = options.one_hot.iter().filter(|chosen| *chosen != ALL);
    named.map(|chosen| find(names, chosen, ColumnOption::OneHot)).collect()
}

/// Stands for all columns of text.
pub(crate) const ALL: &str = "*";

fn one_hot(roles: &mut [Role], indicators: &[usize], options: &ReadOptions) {
    for &column in indicators {
        if roles[column] != Role::Skip {
            roles[column] = Role::Category;
        }
    }
    if options.one_hot.iter().any(|chosen| chosen == ALL) {
        roles.iter_mut().filter(|role| **role == Role::Number).for_each(|role| *role = Role::Either);
    }
}

/// Turns text columns with few values into indicators, and leaves the others out.
fn mix(plan: &mut ColumnPlan, label: Option<usize>, columns: &[Described]) {
    for (place, column) in columns.iter().enumerate() {
        if label == Some(place) || !matches!(plan.roles[place], Role::Number | Role::Either) {
            continue;
        }
        let glimpse = &column.glimpse;
        let asked = plan.facts.features_chosen || plan.facts.kept.contains(&column.name);
        plan.roles[place] = match glimpse.kind() {
            // The file declares names, some of which are digits.
            _ if column.nominal && glimpse.has_texts() => Role::Category,
            // Words for yes and no are numbers in a text file, but texts in a file with types.
            _ if !glimpse.is_text() && glimpse.kind() != ColumnKind::Number => Role::Either,
            ColumnKind::Number if has_texts_as_values(&column.name, glimpse) => Role::Category,
            ColumnKind::Text if asked || may_be_indicators(&column.name, glimpse) => Role::Category,
            kind @ (ColumnKind::Text | ColumnKind::Time) => {
                let reason = match kind {
                    ColumnKind::Time => LeftOutReason::Time,
                    _ if glimpse.has_few_values() => LeftOutReason::IdName,
                    _ => LeftOutReason::ManyTexts,
                };
                plan.facts.left_out.push(LeftOutColumn { column: plain_name(&column.name), reason });
                Role::Skip
            }
            _ => continue,
        };
    }
}

/// Notes on cells of features that are read otherwise than one might think.
fn cell_notes(roles: &[Role], columns: &[Described]) -> Vec<Note> {
    let features = || roles.iter().zip(columns).filter(|(role, _)| !matches!(role, Role::Skip | Role::Label));
    let names = |is: &dyn Fn(&Role, &Described) -> bool| -> Vec<String> {
        features()
            .filter(|(role, column)| is(role, column))
            .map(|(_, column)| plain_name(&column.name))
            .collect()
    };
    let written =
        |column: &Described| (column.glimpse.notation_seen(), column.glimpse.thousands_are_doubtful());
    let mut notations = Vec::new();
    for (_, column) in features().filter(|(role, _)| **role != Role::Category) {
        let own = written(column);
        if own.0 != Notation::PLAIN && !notations.contains(&own) {
            notations.push(own);
        }
    }
    let mut notes = Vec::new();
    for own in notations {
        let columns = names(&|role, column| *role != Role::Category && written(column) == own);
        notes.push(Note::NumbersWritten { columns, read_as: own.0.read_as(), doubtful: own.1 });
    }
    let dashes = names(&|_, column| column.glimpse.has_dashes() && !column.glimpse.is_text());
    notes.extend((!dashes.is_empty()).then_some(Note::DashIsMissing { columns: dashes }));
    let none = |role: &Role, column: &Described| {
        let as_text = matches!(role, Role::Category | Role::Either) && column.glimpse.is_text();
        column.glimpse.none().filter(|_| as_text)
    };
    let text = features().find_map(|(role, column)| none(role, column));
    notes.extend(text.map(|text| Note::NoneIsValue {
        columns: names(&|role, column| none(role, column).is_some()),
        text,
    }));
    notes
}

fn no_features(plan: &ColumnPlan) -> ReadError {
    let what = match plan.label() {
        Some(label) => format!("there is no feature besides the label, {}", plan.names[label]),
        None => "no column is left as a feature".to_owned(),
    };
    let named = |left: &LeftOutColumn| format!("'{}' ({})", shorten(&left.column), left.reason.short());
    let left_out: Vec<String> = plan.facts.left_out.iter().map(named).collect();
    let what = if left_out.is_empty() { what } else { format!("{what}; left out: {}", left_out.join(", ")) };
    ReadError::new(what).help("a dataset needs a label and at least one column of numbers")
}

/// The column with the name `chosen`, or else the one with that index.
pub(crate) fn find(names: &[ColumnRef], chosen: &str, option: ColumnOption) -> Result<usize, ReadError> {
    let is_chosen = |name: &ColumnRef| matches!(name, ColumnRef::Name(name) if name == chosen);
    let mut found = (0..names.len()).filter(|&column| is_chosen(&names[column]));
    match (found.next(), found.next()) {
        (Some(column), None) => return Ok(column),
        (Some(column), Some(other)) => {
            return Err(ReadError::new(format!(
                "columns {column} and {other} are both named '{}'",
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
    let shown: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("'{}'", shorten(&plain_name(name)))).collect();
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
        assert!(roles(&["a", "b", "b"], &with(|o| o.only = vec!["b".into()])).is_err());
        assert!(roles(&["y", "y", "b"], &ReadOptions::default()).is_err());
        assert!(roles(&["y"], &ReadOptions::default()).is_err());
        let both = with(|o| {
            o.label = Some("b".into());
            o.drop = vec!["b".into()];
        });
        assert!(roles(&["a", "b"], &both).is_err());
    }

    #[test]
    fn only_and_one_hot_choose_features() {
        use Role::{Category, Either, Label, Number, Skip};
        let only = with(|o| o.only = vec!["b".into()]);
        assert_eq!(roles(&["a", "b", "y"], &only).unwrap(), [Skip, Number, Label]);
        let keep = with(|o| o.keep = vec!["b".into()]);
        assert_eq!(roles(&["a", "b", "y"], &keep).unwrap(), [Number, Number, Label]);
        let some = with(|o| o.one_hot = vec!["a".into()]);
        assert_eq!(roles(&["a", "b", "y"], &some).unwrap(), [Category, Number, Label]);
        let all = with(|o| o.one_hot = vec!["*".into()]);
        assert_eq!(roles(&["a", "b", "y"], &all).unwrap(), [Either, Either, Label]);
    }
}
