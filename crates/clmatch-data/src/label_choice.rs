//! Which column holds the labels, why, and which other columns may hold them.

use crate::advice::{Advice, ColumnOption};
use crate::columns::find;
use crate::error::{ColumnRef, ReadError};
use crate::glimpse::{ColumnKind, Described};
use crate::names::{LABEL_NAMES, has_x, is_named};
use crate::options::ReadOptions;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::table::{Codes, plain_name};

/// The label column and what is known about it.
#[derive(Debug)]
pub(crate) struct LabelChoice {
    pub(crate) column: usize,
    pub(crate) origin: LabelOrigin,
}

/// Labels in a file of their own.
#[derive(Debug)]
pub(crate) struct LabelFile {
    pub(crate) codes: Codes,
    /// The column, if the file has several.
    pub(crate) column: Option<LabelOrigin>,
}

/// Finds the column that holds the labels in a file of labels for another file's rows: its only column, which needs no reason, or
/// the label column of a table. Options about the columns of the other file have no effect here.
///
/// # Errors
/// Those of [`choose`].
pub(crate) fn in_label_file(
    columns: &[Described],
    options: &ReadOptions,
) -> Result<(usize, Option<LabelOrigin>), ReadError> {
    let own = ReadOptions { label: options.label.clone(), ..ReadOptions::default() };
    let LabelChoice { column, origin } = choose(columns, &own)?;
    Ok((column, (columns.len() > 1).then_some(origin)))
}

/// Finds the label column. It is, in this order: the one named in the options; one whose name says label; the only nominal
/// attribute; the only column of text; the last column that is not an id.
///
/// # Errors
/// An option that names no column or more than one, a telling name that several columns have, or no column left.
pub(crate) fn choose(columns: &[Described], options: &ReadOptions) -> Result<LabelChoice, ReadError> {
    let names: Vec<ColumnRef> = columns.iter().map(|column| column.name.clone()).collect();
    if let Some(chosen) = &options.label {
        let column = find(&names, chosen, ColumnOption::Label)?;
        return Ok(choice(columns, column, LabelSource::Chosen, Vec::new()));
    }
    let mut open = Vec::new();
    let dropped: Vec<usize> = options
        .drop
        .iter()
        .map(|chosen| find(&names, chosen, ColumnOption::Drop))
        .collect::<Result<_, _>>()?;
    open.extend((0..columns.len()).filter(|column| !dropped.contains(column)));
    let named = named(columns, &open)?;
    let only = only(columns, &open);
    match (named.as_slice(), only) {
        // A quantity may well be called y or target, and the only text beside it is not a feature.
        ([column, ..], Some(only)) if columns[*column].is_target_number() && only.column != *column => {
            Ok(only)
        }
        ([column, others @ ..], _) => {
            let mut alternatives = others.to_vec();
            if is_named(&columns[*column].name, "y") {
                let texts = open.iter().filter(|&&other| other != *column && is_text_label(&columns[other]));
                alternatives.extend(texts);
            }
            Ok(choice(columns, *column, LabelSource::Name, alternatives))
        }
        ([], Some(only)) => Ok(only),
        ([], None) => last(columns, &open),
    }
}

fn choice(columns: &[Described], column: usize, source: LabelSource, others: Vec<usize>) -> LabelChoice {
    let name = |column: usize| plain_name(&columns[column].name);
    let alternatives = others.into_iter().map(name).collect();
    LabelChoice { column, origin: LabelOrigin { name: name(column), source, alternatives } }
}

/// Columns whose names say label, the clearest one first. `y` does not say label if there is an `x`.
fn named(columns: &[Described], open: &[usize]) -> Result<Vec<usize>, ReadError> {
    let names: Vec<ColumnRef> = columns.iter().map(|column| column.name.clone()).collect();
    let mut found = Vec::new();
    for known in LABEL_NAMES.iter().filter(|&&known| known != "y" || !has_x(&names)) {
        let mut own = open.iter().copied().filter(|&column| is_named(&columns[column].name, known));
        match (own.next(), own.next()) {
            (Some(column), Some(other)) if found.is_empty() => {
                return Err(ReadError::new(format!("columns {column} and {other} are both named '{known}'"))
                    .help(Advice::ChooseLabelByIndex));
            }
            (first, second) => found.extend(first.into_iter().chain(second)),
        }
    }
    Ok(found)
}

/// Whether a column holds text that may be the names of classes.
fn is_text_label(column: &Described) -> bool {
    matches!(column.glimpse.kind(), ColumnKind::Text | ColumnKind::Word) && column.may_be_label()
}

/// The only nominal attribute, or the only column of text.
fn only(columns: &[Described], open: &[usize]) -> Option<LabelChoice> {
    let those = |is: &dyn Fn(&Described) -> bool| -> Vec<usize> {
        open.iter().copied().filter(|&column| is(&columns[column])).collect()
    };
    let nominal = those(&|column| column.nominal && !column.index);
    if let [column] = nominal.as_slice() {
        return Some(choice(columns, *column, LabelSource::OnlyNominal, Vec::new()));
    }
    let texts = those(&|column| column.glimpse.kind() == ColumnKind::Text && column.may_be_label());
    let words = those(&|column| column.glimpse.kind() == ColumnKind::Word && !column.index);
    match (texts.as_slice(), words.as_slice()) {
        ([text], _) => Some(choice(columns, *text, LabelSource::OnlyText, words)),
        ([], [word]) => Some(choice(columns, *word, LabelSource::OnlyText, Vec::new())),
        _ => None,
    }
}

/// The last column that is not an index, an id or a time.
fn last(columns: &[Described], open: &[usize]) -> Result<LabelChoice, ReadError> {
    let is_other = |column: &Described| {
        column.index
            || column.is_text_id()
            || column.is_number_id()
            || column.glimpse.kind() == ColumnKind::Time
    };
    let last = open.iter().copied().rfind(|&column| !is_other(&columns[column])).or(open.last().copied());
    let last =
        last.ok_or_else(|| ReadError::new("no column is left for the label").help(Advice::KeepLabel))?;
    let others = open.iter().copied().filter(|&column| column != last && columns[column].may_be_label());
    Ok(choice(columns, last, LabelSource::LastColumn, others.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glimpse::Glimpse;

    /// Columns by name and content: `n` numbers, `c` few whole numbers, `t` few texts, `w` yes and no, `i` row numbers,
    /// `u` a different text in each row.
    fn columns(described: &[(&str, char)]) -> Vec<Described> {
        let column = |(name, content): &(&str, char)| {
            let mut glimpse = Glimpse::default();
            for row in 0..30_usize {
                let cell = match content {
                    'n' => format!("{}", (row * 7919 % 101) as f64 / 8.0),
                    'c' => (row % 3).to_string(),
                    't' => ["red", "blue", "green"][row % 3].to_owned(),
                    'w' => ["yes", "no"][row % 2].to_owned(),
                    'i' => row.to_string(),
                    _ => format!("text {row}"),
                };
                glimpse.push(cell.as_bytes(), false);
            }
            glimpse.close();
            Described { glimpse, ..Described::unseen(ColumnRef::Name((*name).into())) }
        };
        described.iter().map(column).collect()
    }

    #[track_caller]
    fn check(described: &[(&str, char)], name: &str, source: LabelSource, alternatives: &[&str]) {
        let found = choose(&columns(described), &ReadOptions::default()).unwrap();
        let expected = LabelOrigin {
            name: name.into(),
            source,
            alternatives: alternatives.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(found.origin, expected);
    }

    #[test]
    fn labels_are_found_by_name_then_by_content() {
        use LabelSource::{LastColumn, Name, OnlyText};
        check(&[("a", 'n'), ("Class", 'c'), ("b", 'n')], "Class", Name, &[]);
        check(&[("a", 'n'), ("species", 't'), ("class", 't')], "class", Name, &["species"]);
        // x and y are coordinates.
        check(&[("x", 'n'), ("y", 'n'), ("cell_type", 't')], "cell_type", OnlyText, &[]);
        check(&[("X", 'n'), ("Y", 'c'), ("g", 'c')], "g", LastColumn, &["Y"]);
        // A quantity is not the label if there is a text.
        check(&[("a", 'n'), ("kind", 't'), ("y", 'n')], "kind", OnlyText, &[]);
        check(&[("a", 'n'), ("kind", 't'), ("y", 'c')], "y", Name, &["kind"]);
        check(&[("a", 'n'), ("won", 'w'), ("b", 'n')], "won", OnlyText, &[]);
        check(&[("kind", 't'), ("won", 'w'), ("b", 'n')], "kind", OnlyText, &["won"]);
        // Ids are not labels, wherever they are.
        check(&[("a", 'n'), ("kind", 'c'), ("no", 'i'), ("name", 'u')], "kind", LastColumn, &[]);
        check(&[("name", 'u'), ("kind", 't'), ("a", 'n')], "kind", OnlyText, &[]);
        // More than one column may be meant.
        check(&[("p", 'c'), ("a", 'n'), ("q", 'c')], "q", LastColumn, &["p"]);
        check(&[("p", 't'), ("a", 'n'), ("q", 't')], "q", LastColumn, &["p"]);
    }

    #[test]
    fn the_only_nominal_attribute_is_the_label() {
        let mut found = columns(&[("kind", 'c'), ("a", 'n'), ("b", 'c')]);
        found[0].nominal = true;
        let choice = choose(&found, &ReadOptions::default()).unwrap();
        assert_eq!(choice.origin, LabelOrigin::certain("kind", LabelSource::OnlyNominal));
    }

    #[test]
    fn a_stored_index_is_no_label() {
        let mut found = columns(&[("a", 'n'), ("kind", 'c'), ("cell", 't')]);
        found[2].index = true;
        let choice = choose(&found, &ReadOptions::default()).unwrap();
        assert_eq!(choice.origin, LabelOrigin::certain("kind", LabelSource::LastColumn));
    }
}
