//! The file that was read, written again with other labels or other features: every other column, ids and texts among them,
//! stays as it is, in its place and under its name.
//!
//! In the same format a text file keeps every other byte, and a file with typed columns their types. Another format that has
//! named columns gets all of them. All other formats hold nothing but points and labels, and are written by
//! [`write`](crate::write()).

mod around;
#[cfg(feature = "arrow")]
mod columnar;
mod output;
#[cfg(feature = "arrow")]
mod pandas;
mod plan;
mod sheet;
mod stored;
mod text;
mod tree;

use std::io;
use std::path::{Path, PathBuf};

use clmatch::Labels;

#[cfg(feature = "zip")]
use super::archive::ArchiveEdits;
use super::target::{Target, TargetShape};
use super::{WriteError, Written, WrittenLayout, all_or_none, failed, write};
use crate::dataset::Dataset;
use crate::encoding::{Encoding, encoding_of, to_utf8};
use crate::error::ReadError;
use crate::formats::detect::FileFormat;
use crate::formats::zip;
use crate::input::ByteSource;
use crate::layout::{LabelledFile, folder_dataset, labels_beside};
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::read::{describe, read, read_stdin};
use crate::recognise::{format_of, recognise};
use crate::source::Source;
use crate::table::Codes;
use stored::StoredTable;

/// A dataset together with the file that it is read from, so that the file can be written again with changes.
#[derive(Debug)]
pub struct Original {
    source: Source,
    /// Standard input, which cannot be read twice.
    stdin: Option<ByteSource>,
    options: ReadOptions,
}

/// What to change in a file.
pub struct Edits<'a> {
    /// The points as they were read.
    pub read: &'a Dataset,
    /// The points that stay, in their order, with their new labels and the features that are written.
    pub result: &'a Dataset,
    /// The rows of points that are left out, counted from 1.
    pub dropped: &'a [usize],
    /// The new label of a row that is no point because something is missing, by its number and its old label; `None` leaves the
    /// row out.
    pub unread: &'a dyn Fn(usize, &str) -> Option<String>,
    /// For each feature as it was read, whether it is among those of the result; `None` if no column changes but the label.
    pub features: Option<&'a [bool]>,
    /// The name of a new column for the labels; without it, they replace the old ones.
    pub column: Option<&'a str>,
}

impl Original {
    /// The file of a source.
    ///
    /// # Errors
    /// Standard input that cannot be read.
    pub fn open(source: &Source, options: &ReadOptions) -> Result<Original, ReadError> {
        let is_stdin = source.path.as_os_str() == "-";
        let stdin = is_stdin.then(|| ByteSource::stdin(MemoryBudget::new(options))).transpose()?;
        Ok(Original { source: source.clone(), stdin, options: options.clone() })
    }

    /// Reads the dataset.
    ///
    /// # Errors
    /// Those of [`read`](crate::read()).
    pub fn read(&self) -> Result<Dataset, ReadError> {
        match &self.stdin {
            Some(input) => read_stdin(input.clone(), &self.source.name, &self.options),
            None => read(&self.source, &self.options),
        }
    }

    /// Reads nothing but the labels: the points have a single feature, which is 0. Rows without a label are no points. `None`
    /// if the file has no named columns.
    ///
    /// # Errors
    /// Rows that cannot be told apart.
    pub fn read_labels(&self) -> Result<Option<Dataset>, ReadError> {
        let Some(table) = self.table()? else { return Ok(None) };
        let rows: Vec<usize> =
            (0..table.labels.codes.len()).filter(|&row| table.labels.codes[row] != Codes::MISSING).collect();
        let codes: Vec<u32> = rows.iter().map(|&row| table.labels.codes[row]).collect();
        let labels = Labels::from_codes(codes, &table.labels.names);
        let dataset = Dataset::new(&self.source.name, vec!["0".to_owned()], vec![0.0; rows.len()], labels);
        let dataset = dataset.map_err(|error| ReadError::new(error.to_string()))?;
        let notes = table.origin.as_ref().and_then(Note::of_label).into_iter().collect();
        let kept_rows = (rows.len() < table.labels.codes.len()).then_some(rows);
        Ok(Some(Dataset { kept_rows, label: table.origin, notes, ..dataset }))
    }

    /// Writes the file with changes.
    ///
    /// # Errors
    /// A label that the format cannot hold, a new column whose name is taken, or an error of the operating system.
    pub fn write(&self, edits: &Edits<'_>, target: &Target) -> Result<Written, WriteError> {
        // What is wrong with the file was said when it was read.
        let table = self.table().ok().flatten().filter(|table| table.belongs_to(edits.read));
        if let Some(table) = &table
            && let Some(columns) = table.column_plans(edits, &self.options)
            && let Some(written) = table.write(edits, columns, target)?
        {
            return Ok(written);
        }
        if edits.column.is_some() {
            return Err(target.refuse(
                "only a table with named columns can have the new labels beside the old ones",
                "choose another format, such as .csv, or leave out the name of the column",
            ));
        }
        #[cfg(feature = "zip")]
        if let Some(written) = self.write_archive(edits, target)? {
            return Ok(written);
        }
        let lost = match &table {
            Some(table) => table.other_columns(edits.read),
            None => self.lost_without_table(edits.read),
        };
        write(edits.result, target).map(|written| Written { lost, ..written })
    }

    /// Writes an archive of arrays with other labels and points; `None` for other archives.
    #[cfg(feature = "zip")]
    fn write_archive(&self, edits: &Edits<'_>, target: &Target) -> Result<Option<Written>, WriteError> {
        let path = &self.source.path;
        let part = LabelledFile { points: path.clone(), labels: None };
        let inside = self.options.label.is_none() && self.label_file(&part, FileFormat::Zip).is_none();
        let wanted = target.shape == TargetShape::One(FileFormat::Zip) && self.stdin.is_none();
        if !(inside && wanted) || format_of(path) != Some(FileFormat::Zip) {
            return Ok(None);
        }
        let budget = MemoryBudget::new(&self.options);
        let read = edits.read;
        let fewer = read.kept_rows.is_some() || !edits.dropped.is_empty();
        let other = |row: usize| read.labels.name_of(row) != edits.result.labels.name_of(row);
        let archive = ArchiveEdits {
            result: edits.result,
            labels: fewer || (0..read.n_points()).any(other),
            fewer,
            features: edits.features.is_some(),
            budget,
        };
        let input = recognise(ByteSource::File(path.clone()), path, budget);
        let written = input.ok().and_then(|(input, _)| super::archive::npz_again(&input, &archive));
        let Some((bytes, mut lost)) = written else { return Ok(None) };
        if archive.fewer || archive.features {
            lost.extend(read.left_out.iter().map(|column| column.column.clone()));
        }
        let part = |out: &mut dyn io::Write| out.write_all(&bytes);
        all_or_none(&mut [Box::new(part)], std::slice::from_ref(&target.path), target.packing)
            .map_err(|error| failed(target, &error))?;
        let keep = crate::ids::like_ids(edits.result, false);
        let files = vec![target.path.clone()];
        let layout = if archive.features { WrittenLayout::Points } else { WrittenLayout::SameFile };
        Ok(Some(Written { files, keep, lost, layout, ..Written::points() }))
    }

    /// What a file holds besides points and labels if it cannot be written as a table.
    fn lost_without_table(&self, read: &Dataset) -> Vec<String> {
        let unused = |note: &Note| if let Note::Unused { names } = note { names.clone() } else { Vec::new() };
        match format_of(&self.source.path) {
            Some(FileFormat::Hdf5) => {
                return vec!["all of the AnnData file but the points and their labels".to_owned()];
            }
            Some(FileFormat::Zip) => {
                let arrays: Vec<String> = read.notes.iter().flat_map(unused).collect();
                if !arrays.is_empty() {
                    return arrays;
                }
            }
            _ => {}
        }
        let described = match self.stdin {
            None => describe(&self.source, &self.options).ok().flatten(),
            Some(_) => None,
        };
        match described {
            Some(table) => {
                let is = |name: &str| read.label.as_ref().is_some_and(|label| label.name == name);
                let mut others = stored::other_columns(&table.columns, None, read);
                others.retain(|name| !(table.holds_label && is(name)));
                others
            }
            None => read.left_out.iter().map(|column| column.column.clone()).collect(),
        }
    }

    /// Reads the file as a table with named columns; `None` for an embedded dataset, for a folder with several parts of the rows,
    /// and for other formats.
    fn table(&self) -> Result<Option<StoredTable>, ReadError> {
        if self.source.is_embedded() {
            return Ok(None);
        }
        let mut part = LabelledFile { points: self.source.path.clone(), labels: None };
        if part.points.is_dir() {
            match folder_dataset(&part.points).map(<[LabelledFile; 1]>::try_from) {
                Some(Ok([only])) => part = only,
                _ => return Ok(None),
            }
        }
        let budget = MemoryBudget::new(&self.options);
        let stored = match &self.stdin {
            Some(input) => input.clone(),
            None => ByteSource::file(&part.points)?,
        };
        let (mut input, mut format) = recognise(stored.clone(), &part.points, budget)?;
        let (mut stored, mut archive) = (stored, None);
        if format == FileFormat::Zip
            && let Some(table) = zip::only_table(&input, budget)?
        {
            stored = table.content;
            archive = Some((input, table.name.clone()));
            (input, format) = recognise(stored.clone(), Path::new(&table.name), budget)?;
        }
        let name = archive.as_ref().map_or_else(|| part.points.clone(), |(_, name)| name.into());
        let encoding = if format.is_text() { encoding_of(&stored, budget)? } else { None };
        if encoding == Some(Encoding::Windows1252) {
            input = to_utf8(&input, Encoding::Windows1252, budget)?;
        }
        let labels = self.label_file(&part, format);
        let table = StoredTable::read(&input, format, labels, &self.options)?;
        Ok(table.map(|table| StoredTable { name, encoding, archive, ..table }))
    }

    /// The file with the labels of a part, if they have their own.
    fn label_file(&self, part: &LabelledFile, format: FileFormat) -> Option<PathBuf> {
        let own = self.options.labels_file.as_deref().or(part.labels.as_deref()).or(self.source.labelling());
        let beside = || match (&self.stdin, &self.options.label) {
            (None, None) => labels_beside(&part.points, !format.has_names()),
            _ => None,
        };
        own.map(Path::to_owned).or_else(beside)
    }
}
