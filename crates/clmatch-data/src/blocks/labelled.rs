//! Rows whose labels are in a file of their own. The labels of a part are kept in memory, four bytes each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::chunk::{Chunk, ChunkPlace, Chunks, Start};
use crate::error::ReadError;
use crate::label_choice::LabelFile;
use crate::layout::{self, PAIRS};
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::read::read_labels;
use crate::table::{Codes, FeatureColumn};

/// Adds labels to chunks.
struct LabelledChunks {
    chunks: Box<dyn Chunks>,
    /// The file with the labels of each part.
    files: HashMap<PathBuf, PathBuf>,
    options: ReadOptions,
    current: Option<(PathBuf, Codes)>,
}

/// Puts rows and labels together; `files` gives the file of labels of each part.
///
/// # Errors
/// Rows whose number is not known in advance, labels that cannot be read, or a different number of labels.
pub(crate) fn with_labels(
    mut start: Start,
    files: HashMap<PathBuf, PathBuf>,
    options: &ReadOptions,
) -> Result<Start, ReadError> {
    let part = start.chunks.place().part.clone();
    let file = files.get(&part).cloned().ok_or_else(crate::finish::no_labels)?;
    let LabelFile { codes, column, notes } = read(&file, start.chunks.part_rows(), options)?;
    start.notes.extend(notes);
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    start.facts.label = Some(match column {
        Some(column) => {
            start.notes.extend(Note::of_label(&column));
            LabelOrigin { name: format!("{} in {name}", column.name), ..column }
        }
        None => LabelOrigin::certain(name, LabelSource::File),
    });
    let authors = PAIRS.iter().any(|(_, label)| file.ends_with(label));
    if options.labels_file.is_none() && !authors && layout::labelling(&file.to_string_lossy()).is_none() {
        start.notes.push(Note::LabelsBeside { path: file });
    }
    let chunks = start.chunks;
    start.chunks =
        Box::new(LabelledChunks { chunks, files, options: options.clone(), current: Some((part, codes)) });
    start.has_labels = true;
    Ok(start)
}

fn read(file: &Path, rows: Option<usize>, options: &ReadOptions) -> Result<LabelFile, ReadError> {
    let rows = rows.ok_or_else(|| {
        ReadError::new(
            "labels in a file of their own are streamed only with files that tell how many rows they have",
        )
        .help("put the labels into a column of the table, or give the rows as NPY or Parquet")
    })?;
    let found = read_labels(file, rows, options).map_err(|error| error.in_file(file))?;
    if found.codes.codes.len() != rows {
        let what = format!("there are {} labels for {rows} rows", found.codes.codes.len());
        return Err(ReadError::new(what).help("give exactly one label for each row").in_file(file));
    }
    Ok(found)
}

impl Chunks for LabelledChunks {
    fn next(&mut self) -> Result<Option<Chunk>, ReadError> {
        let Some(mut chunk) = self.chunks.next()? else { return Ok(None) };
        let ChunkPlace { part, first_row } = self.chunks.place();
        if self.current.as_ref().is_none_or(|(current, _)| current != part) {
            let file = self.files.get(part).ok_or_else(|| {
                ReadError::new("this part has no labels, but others have")
                    .help("put a file with labels beside each part, such as y_train and y_test")
                    .in_file(part)
            })?;
            let codes = read(file, self.chunks.part_rows(), &self.options)?.codes;
            self.current = Some((part.clone(), codes));
        }
        if let Some((_, codes)) = &self.current {
            let own = codes.codes[*first_row..*first_row + chunk.rows].to_vec();
            chunk.labels = Some(Codes { codes: own, names: codes.names.clone() });
        }
        Ok(Some(chunk))
    }

    fn decide(&mut self, first: &mut Chunk) -> Vec<FeatureColumn> {
        self.chunks.decide(first)
    }

    fn place(&self) -> &ChunkPlace {
        self.chunks.place()
    }

    fn part_rows(&self) -> Option<usize> {
        self.chunks.part_rows()
    }
}
