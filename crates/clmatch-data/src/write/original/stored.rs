//! A file with named columns, and what becomes of its rows and columns.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::super::WriteError;
use super::super::target::Target;
use super::Edits;
use super::plan::{ColumnPlan, RowPlan, WritePlan};
use super::text::{TextFile, TextKind};
use crate::columns::{ColumnPlan as Roles, Role, plan_described};
use crate::dataset::Dataset;
use crate::encoding::Encoding;
use crate::error::ReadError;
#[cfg(feature = "arrow")]
use crate::formats::arrow::whole::WholeFile;
use crate::formats::csv::TableLayout;
use crate::formats::detect::FileFormat;
use crate::formats::json_table::{self, JsonTree};
use crate::formats::{arff, csv, excel, records};
use crate::glimpse::Described;
use crate::input::{ByteSource, read_all};
use crate::label_choice;
use crate::memory::MemoryBudget;
use crate::options::ReadOptions;
use crate::provenance::LabelOrigin;
use crate::read::read_labels;
use crate::recognise::format_of;
use crate::table::{Codes, plain_name};

/// The content of a file.
pub(super) enum Content {
    Text(TextFile),
    #[cfg(feature = "arrow")]
    Columns(WholeFile),
}

/// A file with named columns.
pub(super) struct StoredTable {
    pub(super) content: Content,
    pub(super) format: FileFormat,
    pub(super) described: Vec<Described>,
    /// The label column; `None` if the labels have a file of their own.
    pub(super) label: Option<usize>,
    pub(super) origin: Option<LabelOrigin>,
    /// The name of the labels in a file of their own, if they have one there.
    pub(super) label_name: Option<String>,
    /// The name of the file.
    pub(super) name: PathBuf,
    /// How the text is encoded, if not as UTF-8.
    pub(super) encoding: Option<Encoding>,
    /// The archive that holds the file, and its name there.
    pub(super) archive: Option<(ByteSource, String)>,
    /// One label per row.
    pub(super) labels: Codes,
}

impl StoredTable {
    pub(super) fn read(
        input: &ByteSource,
        format: FileFormat,
        label_file: Option<PathBuf>,
        options: &ReadOptions,
    ) -> Result<Option<StoredTable>, ReadError> {
        let bytes = || read_all(input.reader()?, MemoryBudget::new(options));
        let text_until = |kind, bytes: Vec<u8>, end: Option<u64>, described: &[Described]| {
            let names = described.iter().map(|column| column.name.clone()).collect();
            let end = end.and_then(|end| usize::try_from(end).ok()).unwrap_or(bytes.len()).min(bytes.len());
            Content::Text(TextFile { bytes, end, kind, names, decimal_comma: options.decimal_comma })
        };
        let text = |kind, bytes, described: &[Described]| text_until(kind, bytes, None, described);
        let delimited = |input: &ByteSource| {
            let TableLayout { dialect, described, footer } = csv::layout(input, options)?;
            let bytes = read_all(input.reader()?, MemoryBudget::new(options))?;
            Ok((text_until(TextKind::Delimited(dialect), bytes, footer, &described), described))
        };
        let tree = match format {
            FileFormat::JsonLines => json_table::described_columns(input, options)?,
            _ => None,
        };
        let (content, described) = match format {
            FileFormat::Text => delimited(input)?,
            FileFormat::Excel => delimited(&excel::to_text(input, MemoryBudget::new(options))?.0)?,
            FileFormat::JsonLines if let Some(described) = tree => {
                let bytes = bytes()?;
                let tree = JsonTree::find(&bytes)?;
                (text(TextKind::Tree(tree), bytes, &described), described)
            }
            FileFormat::Records | FileFormat::JsonLines => {
                let array = format == FileFormat::Records;
                let described = records::described_columns(input, array, options)?;
                (text(TextKind::Objects { array }, bytes()?, &described), described)
            }
            FileFormat::Arff => {
                let bytes = bytes()?;
                let mut layout = arff::spans::layout(input, &bytes, options)?;
                let described = std::mem::take(&mut layout.described);
                (text(TextKind::Arff(layout), bytes, &described), described)
            }
            FileFormat::Svmlight => (text(TextKind::Svmlight, bytes()?, &[]), Vec::new()),
            #[cfg(feature = "arrow")]
            FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream => {
                let file = WholeFile::read(input, format)?;
                let described = file.describe();
                (Content::Columns(file), described)
            }
            _ => return Ok(None),
        };
        let mut table = StoredTable {
            content,
            format,
            described,
            label: None,
            origin: None,
            label_name: None,
            name: PathBuf::new(),
            encoding: None,
            archive: None,
            labels: Codes::default(),
        };
        match label_file {
            Some(file) => {
                let rows = table.rows()?;
                let found = read_labels(&file, rows, options)?;
                table.label_name = match found.column {
                    Some(column) => Some(column.name),
                    None if format_of(&file) == Some(FileFormat::Text) => {
                        csv::only_name(&ByteSource::file(&file)?, rows)?
                    }
                    None => None,
                };
                table.labels = found.codes;
            }
            None if format == FileFormat::Svmlight => table.take_labels(0)?,
            None => {
                let choice = label_choice::choose(&table.described, options)?;
                table.origin = Some(choice.origin);
                table.take_labels(choice.column)?;
            }
        }
        Ok(Some(table))
    }

    fn rows(&self) -> Result<usize, ReadError> {
        match &self.content {
            Content::Text(file) => {
                let mut rows = 0;
                file.rows(&mut |_| {
                    rows += 1;
                    Ok(())
                })?;
                Ok(rows)
            }
            #[cfg(feature = "arrow")]
            Content::Columns(file) => Ok(file.batches.iter().map(arrow_array::RecordBatch::num_rows).sum()),
        }
    }

    /// Takes the labels from a column.
    fn take_labels(&mut self, column: usize) -> Result<(), ReadError> {
        let mut labels = crate::table::LabelBuilder::default();
        let mut push = |text: &[u8]| match text.trim_ascii() {
            none if crate::cell::no_label(none) => {
                labels.push_missing();
                Ok(())
            }
            text => labels.push(text),
        };
        match &self.content {
            Content::Text(file) => file.rows(&mut |record| push(&file.text(record, column)))?,
            #[cfg(feature = "arrow")]
            Content::Columns(file) => {
                file.texts(column)?
                    .iter()
                    .try_for_each(|text| push(text.as_deref().unwrap_or_default().as_bytes()))?;
            }
        }
        self.labels = labels.finish();
        self.label = Some(column);
        Ok(())
    }

    /// Whether the labels of a dataset are those of its rows, so that no label can get into another row.
    pub(super) fn belongs_to(&self, dataset: &Dataset) -> bool {
        (0..dataset.n_points()).all(|point| {
            let code = self.labels.codes.get(dataset.row_number(point) - 1);
            let name = code.and_then(|&code| self.labels.names.get(code as usize));
            name.is_some_and(|name| name == dataset.labels.name_of(point))
        })
    }

    /// The names of the columns that are neither features nor labels.
    pub(super) fn other_columns(&self, dataset: &Dataset) -> Vec<String> {
        other_columns(&self.described, self.label, dataset)
    }

    /// What becomes of each column; `None` if that cannot be told, or the format has no columns to take out.
    pub(super) fn column_plans(&self, edits: &Edits<'_>, options: &ReadOptions) -> Option<Vec<ColumnPlan>> {
        let Some(kept) = edits.features else { return Some(vec![ColumnPlan::Keep; self.described.len()]) };
        if let Content::Text(file) = &self.content
            && !file.has_all_columns()
        {
            return None;
        }
        let roles = plan_described(&self.described, options, self.label.is_some()).ok()?;
        let Roles { names, roles, .. } = roles;
        let left_out: HashSet<&str> =
            edits.read.left_out.iter().map(|column| column.column.as_str()).collect();
        let (mut next, mut written) = (0, 0);
        let mut plans = Vec::with_capacity(names.len());
        for (name, role) in names.iter().zip(roles) {
            let name = plain_name(name);
            if matches!(role, Role::Skip | Role::Label) || left_out.contains(name.as_str()) {
                plans.push(ColumnPlan::Keep);
                continue;
            }
            // The column itself, its indicators, or the values of its lists.
            let is_own = |feature: &String, first: bool| {
                feature
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| if rest.is_empty() { first } else { rest.starts_with(['=', '[']) })
            };
            let first = next;
            while edits.read.features.get(next).is_some_and(|feature| is_own(feature, next == first)) {
                next += 1;
                if edits.read.features[next - 1] == name {
                    break;
                }
            }
            let count = kept[first..next].iter().filter(|kept| **kept).count();
            plans.push(match count {
                _ if first == next => return None,
                0 => ColumnPlan::Remove,
                _ => ColumnPlan::Features((written..written + count).collect()),
            });
            written += count;
        }
        (next == edits.read.features.len() && written == edits.result.features.len()).then_some(plans)
    }

    /// What becomes of each row.
    pub(super) fn plan<'a>(
        &self,
        edits: &Edits<'a>,
        columns: Vec<ColumnPlan>,
        target: &Target,
    ) -> Result<WritePlan<'a>, WriteError> {
        let names: Vec<String> = self.described.iter().map(|column| plain_name(&column.name)).collect();
        let taken = |name: &str| names.iter().any(|own| own == name);
        if let Some(name) = edits.column.filter(|name| taken(name)) {
            return Err(target.refuse(format!("there is a column '{name}' already"), "choose another name"));
        }
        let column = match (edits.column, self.label) {
            (Some(name), _) => Some(name.to_owned()),
            (None, Some(_)) => None,
            // The labels come from another file.
            (None, None) => {
                let own = self.label_name.clone().filter(|name| !taken(name));
                Some(own.unwrap_or_else(|| super::super::label_name(&names)))
            }
        };
        let mut classes = self.labels.names.clone();
        let mut places: HashMap<String, u32> = classes.iter().cloned().zip(0..).collect();
        let mut class = |name: &str| {
            *places.entry(name.to_owned()).or_insert_with(|| {
                classes.push(name.to_owned());
                classes.len() as u32 - 1
            })
        };
        let of_result: Vec<u32> = edits.result.labels.names().iter().map(|name| class(name)).collect();
        let dropped: HashSet<usize> = edits.dropped.iter().copied().collect();
        let (mut point, mut next) = (0, 0);
        let mut rows = Vec::with_capacity(self.labels.codes.len());
        for (row, &code) in self.labels.codes.iter().enumerate() {
            let old = Some(code).filter(|&code| code != Codes::MISSING);
            let is_point = point < edits.read.n_points() && edits.read.row_number(point) == row + 1;
            point += usize::from(is_point);
            let plan = if !is_point {
                let name = old.map_or("", |code| self.labels.names[code as usize].as_str());
                let new = (edits.unread)(row + 1, name);
                let stays = new.is_some();
                RowPlan {
                    stays,
                    old,
                    new: new.filter(|new| !new.is_empty()).map(|new| class(&new)),
                    point: 0,
                }
            } else if dropped.contains(&(row + 1)) {
                RowPlan { stays: false, old, new: old, point: 0 }
            } else {
                let new = of_result[edits.result.labels.codes()[next] as usize];
                next += 1;
                RowPlan { stays: true, old, new: Some(new), point: next - 1 }
            };
            rows.push(plan);
        }
        debug_assert_eq!(next, edits.result.n_points());
        Ok(WritePlan { rows, classes, label: self.label, column, columns, result: edits.result })
    }
}

/// The names of columns that are neither features of a dataset nor its label, which is at `label` if it is among them.
pub(super) fn other_columns(columns: &[Described], label: Option<usize>, dataset: &Dataset) -> Vec<String> {
    let is_feature = |name: &str| {
        dataset.features.iter().any(|feature| {
            let rest = feature.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '[']))
        })
    };
    let columns = columns.iter().enumerate().filter(|(place, _)| Some(*place) != label);
    columns.map(|(_, column)| plain_name(&column.name)).filter(|name| !is_feature(name)).collect()
}
