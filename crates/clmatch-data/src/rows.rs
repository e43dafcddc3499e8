//! Turns rows of text cells into a table. This is the careful path, which knows the line of everything that is wrong.

use crate::advice::Advice;
use crate::blocks::Chunk;
use crate::cell::{self, ParsedCell};
use crate::cell_form::CellForm;
use crate::columns::{ColumnPlan, Role};
use crate::dictionary::Dictionary;
use crate::error::{ColumnRef, ReadError, shorten_bytes};
use crate::list;
use crate::memory::MemoryBudget;
use crate::missing::{infinite, missing_label, missing_word};
use crate::notation::{self, Notation};
use crate::options::{Missing, ReadOptions};
use crate::real::FloatMatrix;
use crate::table::{FeatureColumn, LabelBuilder, RawTable, plain_name};

/// A table under construction.
#[derive(Debug)]
pub(crate) struct TableBuilder {
    plan: ColumnPlan,
    states: Vec<ColumnState>,
    values: Vec<f64>,
    labels: Option<LabelBuilder>,
    rows: usize,
    missing: Missing,
    /// Texts that the caller names as missing.
    missing_texts: Vec<String>,
    decimal_comma: bool,
    budget: MemoryBudget,
    /// How many rows decided about text columns. Once they have, texts that none of these rows has are refused.
    decided: Option<usize>,
}

/// What was seen of a column so far.
#[derive(Debug)]
enum ColumnState {
    Skip,
    Label,
    Number(SeenKinds),
    /// Lists of this many numbers.
    List(usize),
    Blank,
    /// `numbers` stays true as long as every cell could be a number.
    Text {
        dictionary: Dictionary,
        numbers: bool,
        only_if_text: bool,
    },
}

/// Whether a column has numbers, and whether it has words for true and false: it must not have both.
#[derive(Debug, Default)]
struct SeenKinds {
    number: bool,
    word: bool,
}

impl TableBuilder {
    /// A table without rows.
    pub(crate) fn new(plan: ColumnPlan, options: &ReadOptions) -> Self {
        let text = |only_if_text| ColumnState::Text {
            dictionary: Dictionary::default(),
            numbers: true,
            only_if_text,
        };
        let state = |role: &Role| match role {
            Role::Skip => ColumnState::Skip,
            Role::Label => ColumnState::Label,
            Role::Number => ColumnState::Number(SeenKinds::default()),
            Role::List(length) => ColumnState::List(*length),
            Role::Blank => ColumnState::Blank,
            Role::Category => text(false),
            Role::Either => text(true),
        };
        TableBuilder {
            states: plan.roles.iter().map(state).collect(),
            labels: plan.label().map(|_| LabelBuilder::default()),
            plan,
            values: Vec::new(),
            rows: 0,
            missing: options.missing,
            missing_texts: options.missing_values.clone(),
            decimal_comma: options.decimal_comma,
            budget: MemoryBudget::new(options),
            decided: None,
        }
    }

    /// How many rows there are since they were last [taken](Rows::take).
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Takes the rows out. What is known of the columns stays, for the rows that follow.
    pub(crate) fn take(&mut self) -> Chunk {
        Chunk {
            values: std::mem::take(&mut self.values),
            labels: self.labels.as_mut().map(|labels| std::mem::take(labels).finish()),
            rows: std::mem::take(&mut self.rows),
        }
    }

    /// Decides about text columns by the rows taken so far, whose values are `first`: a column that held only numbers becomes
    /// a column of numbers, and the others get no further categories.
    pub(crate) fn decide(&mut self, first: &mut [f64]) -> Vec<FeatureColumn> {
        let features = self.plan.features();
        let mut columns: Vec<FeatureColumn> = Vec::with_capacity(features);
        for ((state, name), form) in self.states.iter_mut().zip(&self.plan.names).zip(&self.plan.forms) {
            match state {
                ColumnState::Skip | ColumnState::Label | ColumnState::Blank => {}
                ColumnState::Number(_) => columns.push(FeatureColumn::number(name.clone())),
                ColumnState::List(length) => columns.extend(FeatureColumn::of_list(name, *length)),
                ColumnState::Text { dictionary, numbers, only_if_text } => {
                    let categories = dictionary.names().to_vec();
                    if *numbers && *only_if_text {
                        decode(first, features, columns.len(), &categories, form, self.decimal_comma);
                        columns.push(FeatureColumn::number(name.clone()));
                        *state = ColumnState::Number(SeenKinds::default());
                    } else {
                        columns.push(FeatureColumn { name: name.clone(), categories: Some(categories) });
                    }
                }
            }
        }
        self.decided = Some(first.len() / features.max(1));
        columns
    }

    /// Records that the columns of numbers hold numbers, which the fast path found out.
    pub(crate) fn saw_numbers(&mut self) {
        for state in &mut self.states {
            if let ColumnState::Number(seen) = state {
                seen.number = true;
            }
        }
    }

    /// Appends a row: one cell per column.
    pub(crate) fn push<'a>(
        &mut self,
        line: u64,
        cells: impl ExactSizeIterator<Item = &'a [u8]>,
    ) -> Result<(), ReadError> {
        if cells.len() != self.states.len() {
            return Err(ragged(cells.len(), self.states.len()).line(line));
        }
        for (column, text) in cells.enumerate() {
            self.cell(column, text.trim_ascii())
                .map_err(|error| error.line(line).column(self.plan.names[column].clone()))?;
        }
        self.rows += 1;
        self.budget.check(self.values.len() as u64 * 8).map_err(|error| error.line(line))
    }

    fn cell(&mut self, column: usize, text: &[u8]) -> Result<(), ReadError> {
        let form = &self.plan.forms[column];
        let named_missing = self.missing_texts.iter().any(|missing| missing.as_bytes() == text);
        let read =
            |text| if named_missing { ParsedCell::Missing } else { form.read(text, self.decimal_comma) };
        match &mut self.states[column] {
            ColumnState::Skip => Ok(()),
            ColumnState::Blank if cell::read(text, false) == ParsedCell::Missing => Ok(()),
            ColumnState::Blank => Err(not_blank(text)),
            ColumnState::List(length) => list::push(text, *length, self.missing, &mut self.values),
            ColumnState::Label => label(self.labels.as_mut(), text, named_missing, self.missing),
            ColumnState::Number(seen) => {
                let value = match read(text) {
                    ParsedCell::Missing if self.missing == Missing::Error => return Err(missing_word(text)),
                    ParsedCell::Missing => f64::NAN,
                    ParsedCell::Text if form.notation != Notation::PLAIN => {
                        return Err(other_notation(text, form.notation));
                    }
                    cell => number(cell, text, seen, &self.plan.names[column], form)?,
                };
                self.values.push(value);
                Ok(())
            }
            ColumnState::Text { dictionary, numbers, only_if_text } => {
                let value = match read(text) {
                    ParsedCell::Missing if self.missing == Missing::Error => return Err(missing_word(text)),
                    ParsedCell::Missing => f64::NAN,
                    ParsedCell::Infinite if *only_if_text && *numbers => return Err(infinite()),
                    ParsedCell::TooLarge if *only_if_text && *numbers => return Err(too_large(text)),
                    cell => {
                        *numbers &= matches!(cell, ParsedCell::Number(_) | ParsedCell::Bool(_));
                        let known = dictionary.get(text);
                        match (known, self.decided) {
                            (Some(code), _) => f64::from(code),
                            (None, None) => f64::from(dictionary.code(text)?),
                            (None, Some(rows)) => {
                                return Err(new_category(text, rows, &self.plan.names[column]));
                            }
                        }
                    }
                };
                self.values.push(value);
                Ok(())
            }
        }
    }

    /// The whole table.
    pub(crate) fn finish(mut self) -> RawTable {
        let features = self.plan.features();
        let mut columns = Vec::with_capacity(features);
        for ((state, name), form) in self.states.into_iter().zip(self.plan.names).zip(&self.plan.forms) {
            match state {
                ColumnState::Skip | ColumnState::Label | ColumnState::Blank => {}
                ColumnState::Number(_) => columns.push(FeatureColumn::number(name)),
                ColumnState::List(length) => columns.extend(FeatureColumn::of_list(&name, length)),
                ColumnState::Text { dictionary, numbers, only_if_text } => {
                    let categories = dictionary.into_names();
                    if numbers && only_if_text {
                        let values = &mut self.values;
                        decode(values, features, columns.len(), &categories, form, self.decimal_comma);
                        columns.push(FeatureColumn::number(name));
                    } else {
                        columns.push(FeatureColumn { name, categories: Some(categories) });
                    }
                }
            }
        }
        RawTable {
            columns,
            matrix: FloatMatrix::F64(self.values),
            rows: self.rows,
            labels: self.labels.map(LabelBuilder::finish),
            complete: self.missing == Missing::Error,
            extent: None,
            notes: self.plan.notes,
            facts: self.plan.facts,
        }
    }
}

fn label(
    labels: Option<&mut LabelBuilder>,
    text: &[u8],
    named_missing: bool,
    missing: Missing,
) -> Result<(), ReadError> {
    let Some(labels) = labels else { return Ok(()) };
    if !named_missing && !cell::no_label(text) {
        labels.push(text)
    } else if missing == Missing::Error {
        Err(missing_label())
    } else {
        labels.push_missing();
        Ok(())
    }
}

fn number(
    cell: ParsedCell,
    text: &[u8],
    seen: &mut SeenKinds,
    name: &ColumnRef,
    form: &CellForm,
) -> Result<f64, ReadError> {
    let value = match cell {
        ParsedCell::Number(number) => {
            seen.number = true;
            number
        }
        ParsedCell::Bool(value) => {
            seen.word = true;
            f64::from(u8::from(value))
        }
        ParsedCell::Infinite => return Err(infinite()),
        ParsedCell::TooLarge => return Err(too_large(text)),
        ParsedCell::Missing | ParsedCell::Text => return Err(not_a_number(text, name, form)),
    };
    if seen.number && seen.word { Err(not_a_number(text, name, form)) } else { Ok(value) }
}

/// Replaces the codes of a column's texts with the numbers that the texts spell.
fn decode(
    values: &mut [f64],
    features: usize,
    column: usize,
    texts: &[String],
    form: &CellForm,
    decimal_comma: bool,
) {
    let meanings: Vec<f64> = texts
        .iter()
        .map(|text| match form.read(text.as_bytes(), decimal_comma) {
            ParsedCell::Number(number) => number,
            ParsedCell::Bool(value) => f64::from(u8::from(value)),
            _ => f64::NAN,
        })
        .collect();
    for value in values.iter_mut().skip(column).step_by(features).filter(|value| !value.is_nan()) {
        *value = meanings[*value as usize];
    }
}

/// The error for a row of the wrong length; the caller says where.
pub(crate) fn ragged(found: usize, expected: usize) -> ReadError {
    let s = if found == 1 { "" } else { "s" };
    ReadError::new(format!("the row has {found} value{s} where {expected} are expected"))
        .help("every row needs one value per column; check delimiters and quotes")
}

/// The error for text in a feature; the caller says where.
pub(crate) fn not_a_number(text: &[u8], name: &ColumnRef, form: &CellForm) -> ReadError {
    let name = crate::error::shorten(&plain_name(name));
    let help = match (Notation::of(text, false), notation::with_decimal_comma(text)) {
        // Among words it is a word.
        (Some(_), _) if form.none_is_value => Advice::DropOrOneHot(name),
        // The first rows have no thousands, so that nothing says what the comma is.
        (Some(_), _) if !form.decimal_commas => Advice::MendRowOrDropColumn,
        (_, Some(_)) => Advice::DecimalComma,
        (_, None) => Advice::DropOrOneHot(name),
    };
    ReadError::new(format!("'{}' is not a number", shorten_bytes(text))).help(help)
}

/// The error for a number that is not written like the others of its column; the caller says where.
fn other_notation(text: &[u8], notation: Notation) -> ReadError {
    let what = format!(
        "'{}' is not written like the numbers of the first rows, which are read {}",
        shorten_bytes(text),
        notation.read_as()
    );
    ReadError::new(what).help(Advice::MendRowOrDropColumn)
}

/// The error for text after the last delimiter; the caller says where.
fn not_blank(text: &[u8]) -> ReadError {
    let what = format!(
        "'{}' stands in the last column, which has no name and is empty in the first rows",
        shorten_bytes(text)
    );
    ReadError::new(what).help("give the column a name if it belongs to the table")
}

/// The error for a text that is not in any of the first rows; the caller says where.
pub(crate) fn new_category(text: &[u8], rows: usize, name: &ColumnRef) -> ReadError {
    let text = shorten_bytes(text);
    ReadError::new(format!(
        "'{text}' is none of the texts of the first {rows} rows, which decide about indicators"
    ))
    .help(Advice::DropNamedColumn(crate::error::shorten(&plain_name(name))))
}

/// The error for a number that double precision cannot hold; the caller says where.
pub(crate) fn too_large(text: &[u8]) -> ReadError {
    ReadError::new(format!("'{}' is beyond the range of double precision", shorten_bytes(text)))
        .help(Advice::MendRowOrDropColumn)
}
