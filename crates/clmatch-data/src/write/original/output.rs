//! A file with named columns, written with changes: in its own format and in the same wrapping, or in another format.

use std::io;
use std::path::Path;

use super::super::target::{Target, TargetShape};
use super::super::{WriteError, Written, WrittenLayout, all_or_none, archive, delimiter, failed};
use super::Edits;
use super::plan::{ColumnPlan, WritePlan};
use super::sheet::Sheet;
use super::stored::{Content, StoredTable};
use super::text::TextKind;
use crate::error::ColumnRef;
use crate::formats::csv::sniff::{Delimiter, Dialect};
use crate::formats::detect::{FileFormat, promised};
use crate::packing::without_packing;
use crate::table::plain_name;

impl StoredTable {
    /// Writes the table with changes; `None` if the target holds nothing but points and labels.
    pub(super) fn write(
        &self,
        edits: &Edits<'_>,
        columns: Vec<ColumnPlan>,
        target: &Target,
    ) -> Result<Option<Written>, WriteError> {
        let TargetShape::One(format) = target.shape_for_tables() else { return Ok(None) };
        let same = self.is_same_format(format, target);
        // In an archive the file keeps its format.
        let format = if format == FileFormat::Zip && same { self.format } else { format };
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
            let (sheet, footer) = match &self.content {
                Content::Text(file) => {
                    let sheet = Sheet::of_text(file);
                    (sheet.map_err(|error| failed(target, &io::Error::other(error)))?, file.footer())
                }
                #[cfg(feature = "arrow")]
                Content::Columns(file) => (Sheet::of_columns(file), None),
            };
            let mut sheet = sheet.changed(&plan);
            lost = std::mem::take(&mut sheet.lost);
            lost.extend(footer.map(|line| format!("the footer '{line}'")));
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
        let mut names = plan.column.iter().map(String::as_str).chain(plan.classes_of(|_| true));
        if let (Some(encoding), None) = (self.encoding, &sheet)
            && let Some(name) = names.find(|name| encoding.encode(name.as_bytes()).is_none())
        {
            return Err(target.refuse(
                format!("'{name}' cannot be written in {}, the encoding of this file", encoding.name()),
                "choose another name, or another format, such as .json or .parquet",
            ));
        }
        let stored = |out: &mut dyn io::Write| match (&sheet, &self.content) {
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
        let wrapped = sheet.is_none() && (self.encoding.is_some() || self.archive.is_some());
        let mut part = |out: &mut dyn io::Write| {
            if !wrapped {
                return stored(out);
            }
            let mut bytes = Vec::new();
            stored(&mut bytes)?;
            out.write_all(&self.wrapped(bytes, target)?)
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

    /// The bytes of the file in its encoding, and in the archive that it was read from if another one is written.
    fn wrapped(&self, bytes: Vec<u8>, target: &Target) -> io::Result<Vec<u8>> {
        let bytes = match self.encoding {
            Some(encoding) => encoding.encode(&bytes).ok_or_else(|| {
                io::Error::other(format!("a name cannot be written in {}", encoding.name()))
            })?,
            None => bytes,
        };
        match &self.archive {
            Some((archive, name)) if target.shape == TargetShape::One(FileFormat::Zip) => {
                archive::with_member(archive, name, &bytes)
            }
            _ => Ok(bytes),
        }
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
        if self.format == FileFormat::Excel {
            return false;
        }
        if format == FileFormat::Zip {
            return self.archive.is_some();
        }
        let file = match &self.content {
            Content::Text(file) => file,
            #[cfg(feature = "arrow")]
            Content::Columns(_) => {
                return matches!(format, FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream);
            }
        };
        match &file.kind {
            TextKind::Delimited(Dialect { delimiter: own, .. }) => {
                let ends = || extension(&self.name).is_some_and(|end| Some(end) == extension(&target.path));
                format == FileFormat::Text && (fits_name(*own, &target.path) || ends())
            }
            TextKind::Tree(_) => {
                let lines = promised(&target.path) == Some(FileFormat::JsonLines);
                matches!(format, FileFormat::Records | FileFormat::JsonLines) && !lines
            }
            _ => self.format == format,
        }
    }
}

/// Whether a table with this delimiter may have this name: it has no other extension than its own, or one that says nothing else.
fn fits_name(own: Delimiter, path: &Path) -> bool {
    match extension(path).as_deref() {
        Some("csv") => matches!(own, Delimiter::Byte(b',' | b';')),
        Some("tsv" | "tab") => own == Delimiter::Byte(b'\t'),
        Some("psv") => own == Delimiter::Byte(b'|'),
        // Standard output gets CSV.
        None if path.as_os_str() == "-" => matches!(own, Delimiter::Byte(b',' | b';')),
        _ => true,
    }
}

/// The extension of a name, in small letters and without that of its packing.
fn extension(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    without_packing(&name).rsplit_once('.').map(|(_, end)| end.to_owned())
}
