//! A file with named columns, and what becomes of its rows and columns.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::super::target::{Target, TargetShape};
use super::super::{WriteError, Written, WrittenLayout, all_or_none, delimiter, failed};
use super::Edits;
use super::plan::{ColumnPlan, RowPlan, WritePlan};
use super::sheet::Sheet;
use super::text::{TextFile, TextKind};
use crate::columns::{ColumnPlan as Roles, Role, plan_described};
use crate::dataset::Dataset;
use crate::error::{ColumnRef, ReadError};
#[cfg(feature = "arrow")]
use crate::formats::arrow::whole::WholeFile;
use crate::formats::csv::sniff::{Delimiter, Dialect};
use crate::formats::detect::FileFormat;
use crate::formats::{arff, csv, records};
use crate::glimpse::Described;
use crate::input::{ByteSource, read_all};
use crate::label_choice;
use crate::memory::MemoryBudget;
use crate::options::ReadOptions;
use crate::packing::without_packing;
use crate::provenance::LabelOrigin;
use crate::read::read_labels;
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
        let text = |kind, bytes, described: &[Described]| {
            let names = described.iter().map(|column| column.name.clone()).collect();
            Content::Text(TextFile { bytes, kind, names, decimal_comma: options.decimal_comma })
        };
        let (content, described) = match format {
            FileFormat::Text => {
                let (dialect, described) = csv::layout(input, options)?;
                (text(TextKind::Delimited(dialect), bytes()?, &described), described)
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
        let mut table =
            StoredTable { content, format, described, label: None, origin: None, labels: Codes::default() };
        match label_file {
            Some(file) => {
                let rows = table.rows()?;
                table.labels = read_labels(&file, rows, options)?.codes;
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
        let is_feature = |name: &str| {
            dataset.features.iter().any(|feature| {
                let rest = feature.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '[']))
            })
        };
        let columns = self.described.iter().enumerate().filter(|(place, _)| Some(*place) != self.label);
        columns.map(|(_, column)| plain_name(&column.name)).filter(|name| !is_feature(name)).collect()
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

    /// Writes the table with changes; `None` if the target holds nothing but points and labels.
    pub(super) fn write(
        &self,
        edits: &Edits<'_>,
        columns: Vec<ColumnPlan>,
        target: &Target,
    ) -> Result<Option<Written>, WriteError> {
        let TargetShape::One(format) = target.shape_for_tables() else { return Ok(None) };
        let same = self.is_same_format(format, target);
        let named = matches!(
            format,
            FileFormat::Text
                | FileFormat::JsonLines
                | FileFormat::Records
                | FileFormat::Parquet
                | FileFormat::Arrow
                | FileFormat::ArrowStream
                | FileFormat::Arff
        );
        if !same && (!named || self.format == FileFormat::Svmlight) {
            return Ok(None);
        }
        let plan = self.plan(edits, columns, target)?;
        if plan.column.is_some() && self.format == FileFormat::Svmlight {
            return Ok(None);
        }
        let refused = |name: &str| {
            target.refuse(
                format!("the label '{name}' does not fit into this file"),
                "choose another format, such as .csv",
            )
        };
        let mut lost = Vec::new();
        let sheet = if same {
            None
        } else {
            let sheet = match &self.content {
                Content::Text(file) => {
                    Sheet::of_text(file).map_err(|error| failed(target, &io::Error::other(error)))?
                }
                #[cfg(feature = "arrow")]
                Content::Columns(file) => Sheet::of_columns(file),
            };
            let mut sheet = sheet.changed(&plan);
            lost = std::mem::take(&mut sheet.lost);
            if let (Some(name), FileFormat::JsonLines | FileFormat::Records) = (sheet.twice(), format) {
                return Err(target.refuse(
                    format!("two columns are called '{name}', which JSON cannot tell apart"),
                    "choose another format, such as .csv",
                ));
            }
            Some(sheet)
        };
        if let (Content::Text(file), None) = (&self.content, &sheet)
            && let Some(name) = file.refused(&plan.classes_of(|_| true))
        {
            return Err(refused(name));
        }
        let mut part = |out: &mut dyn io::Write| match (&sheet, &self.content) {
            (None, Content::Text(file)) => file.write(&plan, out),
            #[cfg(feature = "arrow")]
            (None, Content::Columns(file)) => super::columnar::write(file, &plan, format, out),
            (Some(sheet), _) => match format {
                FileFormat::Records | FileFormat::JsonLines => {
                    sheet.objects(format == FileFormat::Records, out)
                }
                FileFormat::Arff => sheet.arff(&edits.read.name, out),
                #[cfg(feature = "arrow")]
                FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream => {
                    super::columnar::write_sheet(sheet, format, out)
                }
                _ => sheet.delimited(delimiter(&target.path), out),
            },
        };
        if target.is_stdout() {
            super::super::to_stdout(&mut part).map_err(|error| failed(target, &error))?;
        } else {
            all_or_none(&mut [Box::new(part)], std::slice::from_ref(&target.path), target.packing)
                .map_err(|error| failed(target, &error))?;
        }
        let files = if target.is_stdout() { Vec::new() } else { vec![target.path.clone()] };
        let layout = if same { WrittenLayout::SameFile } else { WrittenLayout::Columns };
        let has_names = sheet.is_some() || self.has_names();
        let (label, others) = self.written_names(&plan, has_names, &lost);
        let keep = crate::ids::like_ids(edits.result, has_names);
        Ok(Some(Written { files, label, keep, others, lost, layout }))
    }

    /// Whether the columns of the file have names of their own.
    fn has_names(&self) -> bool {
        self.described.iter().any(|column| matches!(column.name, ColumnRef::Name(_)))
    }

    /// The name of the written label column, and those of the columns that are no features; where columns have no names or
    /// share one, their indices.
    fn written_names(
        &self,
        plan: &WritePlan<'_>,
        has_names: bool,
        lost: &[String],
    ) -> (Option<String>, Vec<String>) {
        if self.format == FileFormat::Svmlight {
            return (None, Vec::new());
        }
        // Names in their order, with whether the column is the label, another one, or a feature.
        let mut names: Vec<(String, char)> = Vec::new();
        for (place, column) in self.described.iter().enumerate() {
            let name = plain_name(&column.name);
            if plan.label == Some(place) {
                names.push((name, if plan.column.is_some() { 'o' } else { 'l' }));
                names.extend(plan.column.iter().map(|name| (name.clone(), 'l')));
                continue;
            }
            match &plan.columns[place] {
                ColumnPlan::Keep if lost.contains(&name) => {}
                ColumnPlan::Keep => names.push((name, 'o')),
                ColumnPlan::Remove => {}
                ColumnPlan::Features(features) => {
                    names.extend(features.iter().map(|&feature| (plan.feature(feature).to_owned(), 'f')));
                }
            }
        }
        if plan.label.is_none() {
            names.extend(plan.column.iter().map(|name| (name.clone(), 'l')));
        }
        let reference = |place: usize| {
            let name = &names[place].0;
            let unclear = name.is_empty()
                || name.contains(',')
                || names.iter().filter(|(other, _)| other == name).count() > 1;
            if has_names && !unclear { name.clone() } else { place.to_string() }
        };
        let of = |kind| {
            (0..names.len()).filter(|&place| names[place].1 == kind).map(reference).collect::<Vec<_>>()
        };
        (of('l').pop(), of('o'))
    }

    /// Whether the target is written like this file.
    fn is_same_format(&self, format: FileFormat, target: &Target) -> bool {
        let file = match &self.content {
            Content::Text(file) => file,
            #[cfg(feature = "arrow")]
            Content::Columns(_) => {
                return matches!(format, FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream);
            }
        };
        match &file.kind {
            TextKind::Delimited(Dialect { delimiter: own, .. }) => {
                format == FileFormat::Text && fits_name(*own, &target.path)
            }
            _ => self.format == format,
        }
    }

    /// What becomes of each row.
    fn plan<'a>(
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
            (None, None) => Some(super::super::label_name(&names)),
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

/// Whether a table with this delimiter may have this name: it has no other extension than its own, or one that says nothing else.
fn fits_name(own: Delimiter, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match without_packing(&name).rsplit_once('.').map(|(_, end)| end) {
        Some("csv") => matches!(own, Delimiter::Byte(b',' | b';')),
        Some("tsv" | "tab") => own == Delimiter::Byte(b'\t'),
        Some("psv") => own == Delimiter::Byte(b'|'),
        // Standard output gets CSV.
        None if name == "-" => matches!(own, Delimiter::Byte(b',' | b';')),
        _ => true,
    }
}
