//! Which column holds the labels, why, and which other columns may hold them.

use crate::advice::{Advice, ColumnOption};
use crate::columns::{ALL, find};
use crate::error::{ColumnRef, ReadError};
use crate::glimpse::{ColumnKind, Described};
use crate::label_leaks::{holds_parts, is_name_of_parts};
use crate::names::{
    LABEL_NAMES, WEAK_LABEL_NAMES, has_x, is_named, is_often_predicted, is_period, names_outcome,
};
use crate::note::Note;
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
    /// What was noticed on the way.
    pub(crate) notes: Vec<Note>,
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
/// attribute; the only column of text; the last column that is not an id. A column that the options make a feature is not the
/// label.
///
/// # Errors
/// An option that names no column or more than one, a telling name that several columns have, or no column left.
pub(crate) fn choose(columns: &[Described], options: &ReadOptions) -> Result<LabelChoice, ReadError> {
    let names: Vec<ColumnRef> = columns.iter().map(|column| column.name.clone()).collect();
    let all = |chosen: &[String], option| -> Result<Vec<usize>, ReadError> {
        chosen.iter().filter(|name| *name != ALL).map(|chosen| find(&names, chosen, option)).collect()
    };
    let indicators = all(&options.one_hot, ColumnOption::OneHot)?;
    if let Some(chosen) = &options.label {
        let column = find(&names, chosen, ColumnOption::Label)?;
        if indicators.contains(&column) {
            return Err(ReadError::new(format!(
                "the label, {}, is to be turned into indicators",
                names[column]
            ))
            .help("one column cannot be the label and a feature: choose another one for either"));
        }
        return Ok(choice(columns, column, LabelSource::Chosen, Vec::new()));
    }
    let dropped = all(&options.drop, ColumnOption::Drop)?;
    let mut features = indicators;
    features.extend(all(&options.keep, ColumnOption::Keep)?);
    let is_part = |column: usize| is_name_of_parts(&plain_name(&names[column]), names.iter().map(plain_name));
    let open: Vec<usize> = (0..columns.len())
        .filter(|column| {
            !dropped.contains(column)
                && !features.contains(column)
                && !is_part(*column)
                && !holds_parts(&columns[*column])
        })
        .collect();
    let named = named(columns, &open)?;
    let only = only(columns, &open);
    let weak = weakly_named(columns, &open);
    let texts = |column: usize| {
        open.iter().copied().filter(move |&other| other != column && is_text_label(&columns[other]))
    };
    match (named.as_slice(), only) {
        // A quantity may well be called y or target, and the only text beside it is not a feature.
        ([column, ..], Some(only)) if columns[*column].is_target_number() && only.column != *column => {
            Ok(only)
        }
        ([column, others @ ..], _) => {
            let mut alternatives = others.to_vec();
            if is_named(&columns[*column].name, "y") {
                alternatives.extend(texts(*column));
            }
            alternatives.extend(weak.iter().filter(|&&other| is_outcome(&columns[other].name)));
            Ok(choice(columns, *column, LabelSource::Name, alternatives))
        }
        ([], only) => match (weak.as_slice(), only) {
            // Groups and clusters of numbers may be features.
            ([column, ..], Some(only)) if is_grouping(&columns[*column].name) && only.column != *column => {
                Ok(only)
            }
            ([column, others @ ..], _) => {
                let others = others.iter().copied().filter(|&other| !is_grouping(&columns[other].name));
                Ok(choice(columns, *column, LabelSource::Name, others.collect()))
            }
            ([], Some(only)) => Ok(only),
            ([], None) => last(columns, &open, &dropped),
        },
    }
}

/// Columns that may hold classes under a name that says label where nothing else does, the clearest one first.
fn weakly_named(columns: &[Described], open: &[usize]) -> Vec<usize> {
    let may = |column: &Described| column.is_unseen() || column.may_be_label();
    let mut found = Vec::new();
    for known in WEAK_LABEL_NAMES {
        let mut own = open.iter().copied().filter(|&column| is_named(&columns[column].name, known));
        if let (Some(column), None) = (own.next(), own.next())
            && may(&columns[column])
        {
            found.push(column);
        }
    }
    found
}

/// Whether a name says that the column is what the others are to explain.
fn is_outcome(name: &ColumnRef) -> bool {
    ["outcome", "diagnosis", "survived"].iter().any(|known| is_named(name, known))
}

/// Whether a column of such a name is often a feature.
fn is_grouping(name: &ColumnRef) -> bool {
    ["category", "group", "cluster", "clusters"].iter().any(|known| is_named(name, known))
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
    let only = |column: usize, source, mut others: Vec<usize>| {
        others.extend(to_predict(columns, open, column));
        Some(choice(columns, column, source, others))
    };
    let nominal = those(&|column| column.nominal && !column.index);
    if let [column] = nominal.as_slice() {
        return only(*column, LabelSource::OnlyNominal, Vec::new());
    }
    let is_text = |column: &Described| column.glimpse.kind() == ColumnKind::Text;
    let texts = those(&|column| is_text(column) && column.may_be_label());
    let words = those(&|column| column.glimpse.kind() == ColumnKind::Word && !column.index);
    let others = those(&|column| is_text(column) && !column.may_be_label() && !column.is_text_id());
    match (texts.as_slice(), words.as_slice()) {
        ([text], []) if others.is_empty() => only(*text, LabelSource::OnlyText, words),
        ([text], _) => only(*text, LabelSource::OnlyClassNames, words),
        ([], [word]) if others.is_empty() => only(*word, LabelSource::OnlyText, Vec::new()),
        ([], [word]) => only(*word, LabelSource::OnlyClassNames, Vec::new()),
        _ => None,
    }
}

/// The column that a table of numbers probably is to predict, although `label` is its only text: a quantity that is named so;
/// the last quantity of a time series, or the only whole numbers, if they are the last ones.
fn to_predict(columns: &[Described], open: &[usize], label: usize) -> Option<usize> {
    /// More different whole numbers than this count something, where classes are named.
    const COUNTED: usize = 10;
    let is_number =
        |column: &Described| column.glimpse.kind() == ColumnKind::Number && !column.is_number_id();
    let numbers: Vec<usize> =
        open.iter().copied().filter(|&column| column != label && is_number(&columns[column])).collect();
    let is_quantity = |column: &&usize| columns[**column].is_target_number();
    let names: Vec<ColumnRef> = columns.iter().map(|column| column.name.clone()).collect();
    let is_y = |column: usize| has_x(&names) && is_named(&names[column], "y");
    let predicted = |column: &&usize| is_often_predicted(&names[**column]) && !is_y(**column);
    if let Some(column) = numbers.iter().filter(is_quantity).find(predicted) {
        return Some(*column);
    }
    let (last, before) = numbers.split_last()?;
    let in_order = numbers.iter().chain([&label]).any(|&column| is_period(&names[column]));
    let fractional = |column: &usize| columns[*column].glimpse.is_fractional();
    let counted = columns[*last].glimpse.distinct() > COUNTED && !fractional(last);
    let only_whole = before.len() > 1 && before.iter().all(fractional) && counted;
    let is_last = open.last() == Some(last);
    (is_last && (only_whole || (in_order && is_quantity(&last)))).then_some(*last)
}

/// The last column that is not an index, an id, a code or a time.
fn last(columns: &[Described], open: &[usize], dropped: &[usize]) -> Result<LabelChoice, ReadError> {
    let is_other = |column: &Described| {
        column.index
            || column.is_text_id()
            || column.is_number_id()
            || column.is_code()
            || column.glimpse.kind() == ColumnKind::Time
    };
    let last = open.iter().copied().rfind(|&column| !is_other(&columns[column])).or(open.last().copied());
    let last =
        last.ok_or_else(|| ReadError::new("no column is left for the label").help(Advice::KeepLabel))?;
    let is_outcome = |column: usize| names_outcome(&columns[column].name);
    let certain = is_outcome(last) && columns[last].may_be_label();
    let others = open.iter().copied().filter(|&column| {
        let other = &columns[column];
        column != last && other.may_be_label() && other.is_like_codes() && (!certain || is_outcome(column))
    });
    let end = (0..columns.len()).rfind(|column| !dropped.contains(column));
    let source = if end == Some(last) { LabelSource::LastColumn } else { LabelSource::LastPossible };
    Ok(choice(columns, last, source, others.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glimpse::Glimpse;

    /// Columns by name and content: `n` numbers, `c` few whole numbers, `t` few texts, `w` yes and no, `i` row numbers,
    /// `u` a different text in each row, `q` many whole numbers.
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
                    'q' => (row * 37 % 101).to_string(),
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
        use LabelSource::{LastColumn, LastPossible, Name, OnlyClassNames, OnlyText};
        check(&[("a", 'n'), ("Class", 'c'), ("b", 'n')], "Class", Name, &[]);
        check(&[("a", 'n'), ("species", 't'), ("class", 't')], "class", Name, &["species"]);
        // x and y are coordinates.
        check(&[("x", 'n'), ("y", 'n'), ("cell_type", 't')], "cell_type", OnlyText, &[]);
        check(&[("X", 'n'), ("Y", 'c'), ("g", 'c')], "g", LastColumn, &["Y"]);
        // A quantity is not the label if there is a text.
        check(&[("a", 'n'), ("kind", 't'), ("y", 'n')], "kind", OnlyText, &["y"]);
        check(&[("a", 'n'), ("kind", 't'), ("y", 'c')], "y", Name, &["kind"]);
        check(&[("a", 'n'), ("won", 'w'), ("b", 'n')], "won", OnlyText, &[]);
        check(&[("kind", 't'), ("won", 'w'), ("b", 'n')], "kind", OnlyClassNames, &["won"]);
        // Ids are not labels, wherever they are.
        check(&[("a", 'n'), ("kind", 'c'), ("no", 'i'), ("name", 'u')], "kind", LastPossible, &[]);
        check(&[("name", 'u'), ("kind", 't'), ("a", 'n')], "kind", OnlyText, &[]);
        // More than one column may be meant.
        check(&[("p", 'c'), ("a", 'n'), ("q", 'c')], "q", LastColumn, &["p"]);
        check(&[("p", 't'), ("a", 'n'), ("q", 't')], "q", LastColumn, &["p"]);
    }

    #[test]
    fn weak_names_say_label_where_nothing_else_does() {
        use LabelSource::{LastColumn, LastPossible, Name, OnlyText};
        for name in ["labels", "outcome", "Diagnosis", "survived", "category", "group", "cluster"] {
            check(&[("a", 'n'), (name, 'c'), ("b", 'c')], name, Name, &[]);
            check(
                &[(name, 'c'), ("species", 't'), ("b", 'c')],
                "species",
                Name,
                match name {
                    "outcome" | "Diagnosis" | "survived" => std::slice::from_ref(&name),
                    _ => &[],
                },
            );
        }
        check(&[("a", 'n'), ("group", 'n'), ("b", 'c')], "b", LastColumn, &[]);
        check(&[("group", 'c'), ("kind", 't'), ("b", 'n')], "kind", OnlyText, &[]);
        check(&[("outcome", 'c'), ("sex", 't'), ("b", 'n')], "outcome", Name, &[]);
        check(&[("cluster", 'c'), ("group", 'c'), ("b", 'n')], "group", Name, &[]);
        // Predictions, folds and parts are no label.
        check(&[("kind", 't'), ("a", 'n'), ("split", 't')], "kind", OnlyText, &[]);
        check(&[("a", 'n'), ("kind", 'c'), ("y_pred", 'c'), ("fold", 'c')], "kind", LastPossible, &[]);
    }

    #[test]
    fn the_only_text_of_a_regression_is_a_doubtful_label() {
        use LabelSource::OnlyText;
        check(&[("Price", 'n'), ("fuel", 't'), ("weight", 'n')], "fuel", OnlyText, &["Price"]);
        check(&[("year", 'n'), ("month", 't'), ("passengers", 'n')], "month", OnlyText, &["passengers"]);
        check(&[("sex", 't'), ("a", 'n'), ("b", 'n'), ("rings", 'q')], "sex", OnlyText, &["rings"]);
        check(&[("kind", 't'), ("a", 'n'), ("b", 'n')], "kind", OnlyText, &[]);
    }

    #[test]
    fn features_are_not_taken_as_the_label() {
        let found = columns(&[("a", 'n'), ("b", 'c'), ("kind", 't')]);
        let with = |one_hot: &[&str], keep: &[&str], label: Option<&str>| {
            let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let options = ReadOptions {
                one_hot: own(one_hot),
                keep: own(keep),
                label: label.map(Into::into),
                ..ReadOptions::default()
            };
            choose(&found, &options).map(|choice| choice.origin.name)
        };
        assert_eq!(with(&["*"], &[], None).unwrap(), "kind");
        assert_eq!(with(&["kind"], &[], None).unwrap(), "b");
        assert_eq!(with(&[], &["kind"], None).unwrap(), "b");
        assert_eq!(with(&["a", "b", "kind"], &[], None).unwrap_err().what, "no column is left for the label");
        let both = with(&["kind"], &[], Some("kind")).unwrap_err();
        assert_eq!(both.what, "the label, column 'kind', is to be turned into indicators");
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
        assert_eq!(choice.origin, LabelOrigin::certain("kind", LabelSource::LastPossible));
    }
}
