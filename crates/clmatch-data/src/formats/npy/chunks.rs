//! NPY in chunks of rows, in the order of the file.

use std::path::PathBuf;

use super::{NpyLayout, header, nothing_more, numbers, present};
use crate::blocks::{Chunk, ChunkPlace, Chunks, OpenPart, Parts, Start};
use crate::columns::{self, ColumnPlan, Role};
use crate::error::{ColumnRef, ReadError};
use crate::options::ReadOptions;
use crate::real::FloatMatrix;
use crate::select::select;
use crate::table::FeatureColumn;

/// Rows of NPY files, chunk by chunk.
struct ArrayChunks {
    parts: Parts,
    plan: ColumnPlan,
    first: PathBuf,
    open: Option<OpenArray>,
    place: ChunkPlace,
    chunk_rows: usize,
}

/// A part that is being read.
struct OpenArray {
    part: OpenPart,
    layout: NpyLayout,
    rows: usize,
    features: usize,
    done: usize,
}

/// Reads the header of the first part; `labels` is false when the labels come from elsewhere.
pub(crate) fn start(
    first: OpenPart,
    parts: Parts,
    options: &ReadOptions,
    labels: bool,
    chunk_rows: usize,
) -> Result<Start, ReadError> {
    let open = open(first)?;
    if labels && options.label.is_none() {
        return Err(crate::finish::no_labels());
    }
    let mut plan = columns::plan((0..open.features).map(ColumnRef::Index).collect(), options, labels)?;
    plan.notes.extend(open.layout.flattened());
    if plan.roles.contains(&Role::Category) {
        return Err(ReadError::new("columns of an array cannot become indicators in a stream")
            .help("give a table with names, such as Parquet"));
    }
    let path = open.part.part.path.clone();
    let (notes, facts, features) = (plan.notes.clone(), plan.facts.clone(), plan.features());
    let has_labels = plan.label().is_some();
    let place = ChunkPlace { part: path.clone(), first_row: 0 };
    let chunks = ArrayChunks { parts, plan, first: path, open: Some(open), place, chunk_rows };
    Ok(Start { chunks: Box::new(chunks), notes, facts, features, has_labels })
}

fn open(mut part: OpenPart) -> Result<OpenArray, ReadError> {
    let layout = header(&mut part.reader)?;
    let (rows, features) = layout.rows()?;
    let stored = if part.packed || part.part.is_stdin() { None } else { Some(&part.part.path) };
    let length = stored.and_then(|path| std::fs::metadata(path).ok()).map(|metadata| metadata.len());
    present(&layout, length)?;
    layout.check_numbers()?;
    if layout.fortran && rows > 1 && features > 1 {
        return Err(ReadError::new("the array is stored column by column, which cannot be streamed")
            .help("write it row by row: numpy.save(FILE, numpy.ascontiguousarray(array))"));
    }
    if rows == 0 || features == 0 {
        let what = format!("the matrix is empty: it has {rows} rows and {features} columns");
        return Err(ReadError::new(what).help("points need at least one row and one number each"));
    }
    Ok(OpenArray { part, layout, rows: rows as usize, features: features as usize, done: 0 })
}

impl Chunks for ArrayChunks {
    fn next(&mut self) -> Result<Option<Chunk>, ReadError> {
        loop {
            if self.open.is_none() {
                let Some(next) = self.parts.open_next()? else { return Ok(None) };
                self.enter(next)?;
            }
            let path = self.place.part.clone();
            match self.read_on().map_err(|error| error.in_file(&path))? {
                Some(chunk) => return Ok(Some(chunk)),
                None => self.open = None,
            }
        }
    }

    fn decide(&mut self, _: &mut Chunk) -> Vec<FeatureColumn> {
        let columns = self.plan.names.iter().zip(&self.plan.roles);
        let features = columns.filter(|(_, role)| !matches!(role, Role::Skip | Role::Label));
        features.map(|(name, _)| FeatureColumn::number(name.clone())).collect()
    }

    fn place(&self) -> &ChunkPlace {
        &self.place
    }

    fn part_rows(&self) -> Option<usize> {
        self.open.as_ref().map(|open| open.rows)
    }
}

impl ArrayChunks {
    fn enter(&mut self, next: OpenPart) -> Result<(), ReadError> {
        let path = next.part.path.clone();
        let opened = open(next).map_err(|error| error.in_file(&path))?;
        if opened.features != self.plan.names.len() {
            let (own, known, first) = (opened.features, self.plan.names.len(), self.first.display());
            return Err(ReadError::new(format!("there are {own} columns where {first} has {known}"))
                .help("parts of one dataset need the same columns in the same order")
                .in_file(&path));
        }
        self.place = ChunkPlace { part: path, first_row: 0 };
        self.open = Some(opened);
        Ok(())
    }

    fn read_on(&mut self) -> Result<Option<Chunk>, ReadError> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let count = (open.rows - open.done).min(self.chunk_rows);
        if count == 0 {
            nothing_more(&mut open.part.reader)?;
            return Ok(None);
        }
        self.place.first_row = open.done;
        let values: Vec<f64> = numbers(&mut open.part.reader, &open.layout, count * open.features, true)?;
        open.done += count;
        let table = select(FloatMatrix::F64(values), count, self.plan.clone())?;
        let FloatMatrix::F64(values) = table.matrix else { return Ok(None) };
        Ok(Some(Chunk { values, labels: table.labels, rows: count }))
    }
}
