//! Typed columns: Parquet and Arrow IPC (Feather), through the same record batches.

pub(crate) mod chunks;
mod claims;
mod column;
pub(crate) mod ipc;
pub(crate) mod parquet;
mod row_counter;
mod sink;
mod stored;
mod stored_columns;
mod target;
mod walk;
pub(crate) mod whole;

use std::ops::Range;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use rayon::prelude::*;

use crate::advice::Advice;
use crate::columns::{self, ColumnPlan, Role};
use crate::damaged::decoding;
use crate::error::{ColumnRef, ReadError, shorten};
use crate::glimpse::{Described, Glimpse};
use crate::label_choice::in_label_file;
use crate::options::ReadOptions;
use crate::provenance::LabelOrigin;
use crate::shown::{ShownCells, ShownChoice};
use crate::table::plain_name;
use crate::text_columns::{TextColumn, refuse};
use column::texts;

/// A column that is read, in the order of the file.
#[derive(Debug, Clone)]
struct ColumnPart {
    name: ColumnRef,
    role: Role,
    /// Whether it holds lists.
    list: bool,
    /// How many features it makes: the length of a list, or 1; 0 for the label.
    width: usize,
    /// The index of its first feature in a row.
    offset: usize,
}

impl ColumnPart {
    /// The indexes of its features in a row.
    fn columns(&self) -> Range<usize> {
        self.offset..self.offset + self.width
    }
}

/// A file whose columns can be examined before it is read.
trait ColumnFile {
    fn schema(&self) -> &SchemaRef;

    /// The first rows of all columns, if they can be read; lists may be left out.
    fn first_rows(&self) -> Option<RecordBatch>;

    /// The length of the first list of a column whose type does not give it.
    fn list_length(&self, root: usize) -> Result<usize, ReadError>;
}

/// Which parts of a file are read.
#[derive(Debug)]
struct ColumnarLayout {
    plan: ColumnPlan,
    /// The columns of the file that are read.
    roots: Vec<usize>,
    parts: Vec<ColumnPart>,
    /// How many features there are; a text column counts as one.
    features: usize,
    /// Whether all features are in single precision.
    single: bool,
}

impl ColumnarLayout {
    /// Decides what is read, by the first rows; `labels` is false when the labels come from elsewhere.
    fn of(file: &impl ColumnFile, options: &ReadOptions, labels: bool) -> Result<Self, ReadError> {
        let described = describe(file.schema(), file.first_rows().as_ref());
        ColumnarLayout::new(file.schema(), &described, options, labels, |root| file.list_length(root))
    }

    /// Decides what is read, by the columns as `described`. `list_length` finds the length of the lists of a column whose type
    /// does not give it.
    fn new(
        schema: &Schema,
        described: &[Described],
        options: &ReadOptions,
        labels: bool,
        list_length: impl Fn(usize) -> Result<usize, ReadError>,
    ) -> Result<Self, ReadError> {
        let mut plan = columns::plan_described(described, options, labels)?;
        refuse_texts(schema, &plan, described)?;
        let (mut roots, mut parts, mut features, mut single) = (Vec::new(), Vec::new(), 0, true);
        for (root, field) in schema.fields().iter().enumerate() {
            plan.roles[root] = role(field, plan.roles[root])?;
            let (role, name) = (plan.roles[root], plan.names[root].clone());
            let width = match (role, field.data_type()) {
                (Role::Skip, _) => continue,
                (Role::Label, _) => 0,
                (_, DataType::FixedSizeList(_, length)) => usize::try_from(*length).unwrap_or(0),
                (_, DataType::List(_) | DataType::LargeList(_)) => list_length(root)?,
                _ => 1,
            };
            if role != Role::Label {
                single &= is_single(field.data_type());
            }
            roots.push(root);
            parts.push(ColumnPart { name, role, list: is_list(field.data_type()), width, offset: features });
            features += width;
        }
        if features == 0 {
            return Err(ReadError::new("no column makes a feature: all lists are empty")
                .help("a dataset needs a label and at least one column of numbers"));
        }
        Ok(ColumnarLayout { plan, roots, parts, features, single })
    }

    /// Refuses another part of the same table if its columns or their types differ from those of the first part.
    fn check_part(&self, schema: &Schema, first: &std::path::Path) -> Result<(), ReadError> {
        let names: Vec<ColumnRef> =
            schema.fields().iter().map(|field| ColumnRef::Name(field.name().clone())).collect();
        if let Some(error) = crate::blocks::other_columns(&self.plan.names, &names, first) {
            return Err(error);
        }
        for (&root, part) in self.roots.iter().zip(&self.parts) {
            let field = &schema.fields()[root];
            let other_length = matches!(field.data_type(), DataType::FixedSizeList(_, length) if usize::try_from(*length) != Ok(part.width));
            let other_shape = other_length || is_list(field.data_type()) != part.list;
            if role(field, part.role)? != part.role || (other_shape && part.role != Role::Label) {
                let what = format!(
                    "the type of the column is {}, another one than in {}",
                    field.data_type(),
                    first.display()
                );
                return Err(ReadError::new(what)
                    .column(part.name.clone())
                    .help("parts of one dataset need the same columns in the same order"));
            }
        }
        Ok(())
    }

    /// How many rows of the matrix stay in the second-level cache while they are written column by column.
    fn chunk_rows(&self) -> usize {
        ((1 << 15) / self.features).max(16)
    }

    /// Whether the order of rows matters for no column but the label.
    fn plain(&self) -> bool {
        self.parts.iter().all(|part| matches!(part.role, Role::Number | Role::Label))
    }
}

/// How many rows show what a column holds.
const DESCRIBED_ROWS: usize = 2000;

/// Columns, with what a first batch of rows shows about them.
fn describe(schema: &Schema, first: Option<&RecordBatch>) -> Vec<Described> {
    let index = pandas_index(schema);
    let column = |(root, field): (usize, &FieldRef)| {
        let mut glimpse = Glimpse::default();
        if let Some(array) = first.and_then(|batch| batch.columns().get(root)) {
            let first = array.slice(0, array.len().min(DESCRIBED_ROWS));
            // The reader of the column reports what is wrong with it.
            let _ = decoding(|| {
                look_at(&first, &mut glimpse);
                Ok(())
            });
        }
        glimpse.close();
        let (index, list) = (index.contains(field.name()), is_list(field.data_type()));
        Described { glimpse, index, list, ..Described::unseen(ColumnRef::Name(field.name().clone())) }
    };
    schema.fields().par_iter().enumerate().map(column).collect()
}

/// Adds the values of a column; values that cannot be shown as text are left to the reader.
fn look_at(array: &ArrayRef, glimpse: &mut Glimpse) {
    let kind = array.data_type();
    if let (true, Some(width)) = (kind.is_temporal(), kind.primitive_width()) {
        let data = array.to_data();
        let stored = data.buffers().first().map_or(&[][..], |buffer| buffer.as_slice());
        let values = stored.chunks_exact(width).skip(data.offset()).take(array.len());
        values.enumerate().for_each(|(row, value)| match array.is_null(row) {
            true => glimpse.push_missing(),
            false => glimpse.push_time(value),
        });
        return;
    }
    let text = is_text(kind);
    let _ = texts(array, &mut |cell| {
        match cell.map(|cell| cell.trim().as_bytes()) {
            Some(cell) if text => glimpse.push_text(cell),
            Some(cell) => glimpse.push(cell, false),
            None => glimpse.push_missing(),
        }
        Ok(())
    });
}

/// The columns that hold the index of a pandas table, according to its metadata.
fn pandas_index(schema: &Schema) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Pandas {
        /// Names of columns, or descriptions of ranges that are not stored.
        index_columns: Vec<serde_json::Value>,
    }
    let found = schema.metadata().get("pandas").and_then(|text| serde_json::from_str::<Pandas>(text).ok());
    let columns = found.map(|pandas| pandas.index_columns).unwrap_or_default();
    columns.iter().filter_map(|column| column.as_str().map(str::to_owned)).collect()
}

/// Refuses, in one error, all columns of text that are neither left out nor turned into indicators.
fn refuse_texts(schema: &Schema, plan: &ColumnPlan, described: &[Described]) -> Result<(), ReadError> {
    let fields = schema.fields().iter().zip(&plan.roles).zip(described);
    let texts: Vec<TextColumn<'_>> = fields
        .filter(|((field, role), _)| **role == Role::Number && is_text(field.data_type()))
        .map(|(_, column)| TextColumn { name: &column.name, glimpse: &column.glimpse })
        .collect();
    refuse(&texts).map_or(Ok(()), Err)
}

/// Finds the column of a file of labels, which is the only one read, and the origin of the labels if there are several columns.
fn label_column(
    schema: &Schema,
    first: Option<&RecordBatch>,
    options: &ReadOptions,
) -> Result<(usize, [ColumnPart; 1], Option<LabelOrigin>), ReadError> {
    let (places, described): (Vec<usize>, Vec<Described>) =
        describe(schema, first).into_iter().enumerate().filter(|(_, column)| !column.index).unzip();
    if described.is_empty() {
        return Err(ReadError::new("there is no column").help("give a file with one label per row"));
    }
    let (place, column) = in_label_file(&described, options)?;
    let root = places[place];
    let role = role(&schema.fields()[root], Role::Label)?;
    Ok((
        root,
        [ColumnPart { name: described[place].name.clone(), role, list: false, width: 0, offset: 0 }],
        column,
    ))
}

/// Chooses the columns that are shown beside the points, and returns their indexes in the order in which a reader returns them.
fn shown_columns(schema: &Schema, choice: &ShownChoice) -> Result<(ShownCells, Vec<usize>), ReadError> {
    let name = |field: &FieldRef| ColumnRef::Name(field.name().clone());
    let names: Vec<ColumnRef> = schema.fields().iter().map(name).collect();
    let readable = |root: usize| {
        let kind = schema.field(root).data_type();
        is_text(kind) || is_number(kind)
    };
    let shown = choice.among(&names, readable)?;
    if let Some(&root) = shown.places().iter().find(|&&root| !readable(root)) {
        let what = format!("values of the type {} cannot be shown", schema.field(root).data_type());
        return Err(ReadError::new(what)
            .column(names[root].clone())
            .help("texts, numbers, booleans and categories can be shown"));
    }
    let mut roots = shown.places().to_vec();
    roots.sort_unstable();
    Ok((shown, roots))
}

/// Adds a batch of the columns at `roots` to those that are shown.
fn show(shown: &mut ShownCells, roots: &[usize], batch: &RecordBatch) -> Result<(), ReadError> {
    for (at, root) in shown.places().to_vec().iter().enumerate() {
        let Some(array) = roots.binary_search(root).ok().and_then(|column| batch.columns().get(column))
        else {
            continue;
        };
        texts(array, &mut |cell| shown.push(at, cell.unwrap_or_default().as_bytes()))?;
    }
    Ok(())
}

/// The role of a column whose type is known: text is either a category or refused.
fn role(field: &Field, role: Role) -> Result<Role, ReadError> {
    let name = || ColumnRef::Name(field.name().clone());
    match role {
        Role::Skip => Ok(role),
        Role::Label if is_text(field.data_type()) || is_number(field.data_type()) => Ok(role),
        Role::Label => Err(ReadError::new(format!("labels of the type {} are not known", field.data_type()))
            .column(name())
            .help(Advice::ChooseOtherLabel)),
        Role::Category | Role::Either if is_text(field.data_type()) => Ok(Role::Category),
        Role::Category if is_number(field.data_type()) => Ok(role),
        _ if is_number(field.data_type()) || is_list(field.data_type()) => Ok(Role::Number),
        _ => {
            let column = shorten(&plain_name(&name()));
            let help = if is_text(field.data_type()) {
                Advice::DropOrOneHot(column)
            } else {
                Advice::DropNamedColumn(column)
            };
            let what = if is_text(field.data_type()) { "text" } else { "values that are not numbers" };
            Err(ReadError::new(format!("the column holds {what} (its type is {})", field.data_type()))
                .column(name())
                .help(help))
        }
    }
}

fn is_number(kind: &DataType) -> bool {
    use DataType::{Boolean, Decimal32, Decimal64, Decimal128, Decimal256};
    kind.is_numeric() && !matches!(kind, Decimal32(..) | Decimal64(..) | Decimal256(..))
        || matches!(kind, Boolean | Decimal128(..))
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values) || is_number(values),
        _ => false,
    }
}

fn is_list(kind: &DataType) -> bool {
    match kind {
        DataType::FixedSizeList(field, _) | DataType::List(field) | DataType::LargeList(field) => {
            is_number(field.data_type())
        }
        _ => false,
    }
}

fn is_single(kind: &DataType) -> bool {
    match kind {
        DataType::Float16 | DataType::Float32 => true,
        DataType::FixedSizeList(field, _) | DataType::List(field) | DataType::LargeList(field) => {
            is_single(field.data_type())
        }
        _ => false,
    }
}

/// Whether any column of lists has a type that does not give their length.
fn has_open_lists(fields: &Fields) -> bool {
    fields.iter().any(|field| matches!(field.data_type(), DataType::List(_) | DataType::LargeList(_)))
}
