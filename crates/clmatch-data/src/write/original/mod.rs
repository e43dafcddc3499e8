//! The file that was read, written again with other labels or other features: every other column, ids and texts among them,
//! stays as it is, in its place and under its name.
//!
//! In the same format a text file keeps every other byte, and a file with typed columns their types. Another format that has
//! named columns gets all of them. All other formats hold nothing but points and labels, and are written by
//! [`write`](crate::write()).

#[cfg(feature = "arrow")]
mod columnar;
mod plan;
mod sheet;
mod stored;
mod text;

use std::io;
use std::path::{Path, PathBuf};

use clmatch::Labels;

use super::target::{Target, TargetShape};
use super::{WriteError, Written, WrittenLayout, all_or_none, failed, write};
use crate::dataset::Dataset;
use crate::error::ReadError;
use crate::formats::detect::FileFormat;
use crate::input::ByteSource;
use crate::layout::labels_beside;
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::read::{read, read_stdin};
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

    /// Writes an archive of arrays with other labels; `None` if rows or features are left out, since each array would have to
    /// lose its own part of them.
    #[cfg(feature = "zip")]
    fn write_archive(&self, edits: &Edits<'_>, target: &Target) -> Result<Option<Written>, WriteError> {
        let path = &self.source.path;
        let whole = edits.features.is_none() && edits.read.kept_rows.is_none() && edits.dropped.is_empty();
        let inside = self.options.label.is_none() && self.label_file(FileFormat::Zip).is_none();
        let wanted = target.shape == TargetShape::One(FileFormat::Zip) && self.stdin.is_none();
        if !(whole && inside && wanted) || format_of(path) != Some(FileFormat::Zip) {
            return Ok(None);
        }
        let input = recognise(ByteSource::File(path.clone()), path, MemoryBudget::new(&self.options));
        let bytes = input.ok().and_then(|(input, _)| super::archive::npz_with_labels(&input, edits.result));
        let Some(bytes) = bytes else { return Ok(None) };
        let part = |out: &mut dyn io::Write| out.write_all(&bytes);
        all_or_none(&mut [Box::new(part)], std::slice::from_ref(&target.path), target.packing)
            .map_err(|error| failed(target, &error))?;
        let keep = crate::ids::like_ids(edits.result, false);
        let files = vec![target.path.clone()];
        Ok(Some(Written { files, keep, layout: WrittenLayout::SameFile, ..Written::points() }))
    }

    /// What a file without a table holds besides points and labels.
    fn lost_without_table(&self, read: &Dataset) -> Vec<String> {
        let unused = |note: &Note| if let Note::Unused { names } = note { names.clone() } else { Vec::new() };
        match format_of(&self.source.path) {
            Some(FileFormat::Zip) => read.notes.iter().flat_map(unused).collect(),
            Some(FileFormat::Hdf5) => {
                vec!["all of the AnnData file but the points and their labels".to_owned()]
            }
            _ => Vec::new(),
        }
    }

    /// Reads the file as a table with named columns; `None` for a folder, an embedded dataset and other formats.
    fn table(&self) -> Result<Option<StoredTable>, ReadError> {
        let path = &self.source.path;
        if self.source.is_embedded() || path.is_dir() {
            return Ok(None);
        }
        let input = match &self.stdin {
            Some(input) => input.clone(),
            None => ByteSource::file(path)?,
        };
        let (input, format) = recognise(input, path, MemoryBudget::new(&self.options))?;
        StoredTable::read(&input, format, self.label_file(format), &self.options)
    }

    /// The file with the labels, if they have their own.
    fn label_file(&self, format: FileFormat) -> Option<PathBuf> {
        let own = self.options.labels_file.as_deref().or(self.source.labelling());
        let beside = || match (&self.stdin, &self.options.label) {
            (None, None) => labels_beside(&self.source.path, !format.has_names()),
            _ => None,
        };
        own.map(Path::to_owned).or_else(beside)
    }
}
