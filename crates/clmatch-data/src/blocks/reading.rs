//! A dataset that is read in blocks of rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use clmatch_kernels::{Control, Stopped};

use super::block::{Block, memory_block};
use super::block_options::{BLOCK_ROWS, BlockOptions};
use super::files;
use super::part::FilePart;
use super::stream::{BlockStream, Lost};
use crate::advice::Advice;
use crate::checksum::BlockChecksum;
use crate::classes;
use crate::damaged::decoding;
use crate::dataset::Dataset;
use crate::embedded;
use crate::error::ReadError;
use crate::loss::{self, MissingIn};
use crate::note::Note;
use crate::options::{Missing, ReadOptions};
use crate::provenance::{LabelOrigin, LeftOutColumn};

/// At most this many bytes per block, unless a single row takes more.
const BLOCK_BYTES: usize = 1 << 22;
/// How many blocks may wait between reading and processing.
const WAITING: usize = 4;
/// More different labels than this cannot be classes.
const MOST_CLASSES: usize = 1 << 20;

/// How much was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes {
    /// How many bytes were read so far, as they are stored.
    pub done: u64,
    /// How many bytes there are altogether, if that is known.
    pub of: Option<u64>,
}

/// A dataset that is read in blocks.
pub struct Blocks {
    name: String,
    parts: Vec<FilePart>,
    options: ReadOptions,
    how: BlockOptions,
    features: Vec<String>,
    reading: BlockSource,
    /// The fingerprint of all blocks returned so far.
    checksum: BlockChecksum,
    points: u64,
    lost: Lost,
    /// Columns that had the same value in every row so far, with that value.
    constant: Option<Vec<(usize, f64)>>,
    bytes: Arc<AtomicU64>,
    length: Option<u64>,
    /// The modification time and length of each file when it was opened.
    versions: Vec<Option<Version>>,
}

type Version = (u64, Option<std::time::SystemTime>);

enum BlockSource {
    /// A dataset in files.
    Stream(Box<BlockStream>),
    /// A dataset that comes with the program.
    Memory { dataset: Box<Dataset>, at: usize },
}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Blocks").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Blocks {
    /// Opens a dataset: a file, the parts of a dataset in several files or folders, `-` for standard input, or an
    /// [embedded dataset](crate::embedded). Reads the first rows and decides by them what the columns are.
    ///
    /// # Errors
    /// Those of [`read`](crate::read), as far as the first rows show them; a format that cannot be read in blocks; missing values
    /// that are to be replaced by a mean, which is known only at the end.
    pub fn open(paths: &[PathBuf], options: &ReadOptions, how: &BlockOptions) -> Result<Self, ReadError> {
        if let Some(dataset) = embedded_at(paths, options)? {
            return Ok(Blocks::of(dataset, options, how));
        }
        if options.missing == Missing::Mean {
            return Err(ReadError::new("the mean of a column is known only when all of its rows were read")
                .help(Advice::DropRowsInStream));
        }
        let parts = files::parts_of(paths, options)?;
        Blocks::open_parts(files::name_of(paths), parts, options, how)
    }

    fn open_parts(
        name: String,
        parts: Vec<FilePart>,
        options: &ReadOptions,
        how: &BlockOptions,
    ) -> Result<Self, ReadError> {
        let versions: Vec<Option<Version>> = parts.iter().map(version).collect();
        let opened = decoding(|| files::start(&parts, options, how));
        let (mut start, queue) = opened.map_err(|error| error.in_file(&parts[0].path))?;
        if !start.has_labels {
            return Err(crate::finish::no_labels().in_file(&parts[0].path));
        }
        start.notes.extend(unused(&parts));
        let rows = how.deciding_rows(start.features);
        let stream = BlockStream::new(start, rows, options)?;
        let length = versions.iter().map(|version| version.map(|(length, _)| length)).sum();
        Ok(Blocks {
            name,
            parts,
            options: options.clone(),
            how: how.clone(),
            features: stream.decision.features(),
            reading: BlockSource::Stream(Box::new(stream)),
            checksum: BlockChecksum::default(),
            points: 0,
            lost: Lost::default(),
            constant: None,
            bytes: queue.bytes,
            length,
            versions,
        })
    }

    /// A dataset that is in memory already.
    fn of(dataset: Dataset, options: &ReadOptions, how: &BlockOptions) -> Self {
        let length = (dataset.n_points() * dataset.n_features() * 8) as u64;
        Blocks {
            name: dataset.name.clone(),
            parts: Vec::new(),
            options: options.clone(),
            how: how.clone(),
            features: dataset.features().to_vec(),
            reading: BlockSource::Memory { dataset: Box::new(dataset), at: 0 },
            checksum: BlockChecksum::default(),
            points: 0,
            lost: Lost::default(),
            constant: None,
            bytes: Arc::default(),
            length: Some(length),
            versions: Vec::new(),
        }
    }

    /// What to call the dataset.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the features.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// Where the labels come from.
    pub fn label_origin(&self) -> Option<&LabelOrigin> {
        match &self.reading {
            BlockSource::Stream(stream) => stream.decision.facts.label.as_ref(),
            BlockSource::Memory { dataset, .. } => dataset.label_origin(),
        }
    }

    /// Columns that are not features, although no option leaves them out.
    pub fn left_out(&self) -> &[LeftOutColumn] {
        match &self.reading {
            BlockSource::Stream(stream) => &stream.decision.facts.left_out,
            BlockSource::Memory { dataset, .. } => dataset.left_out(),
        }
    }

    /// Features that may be ids.
    pub fn doubtful_ids(&self) -> &[String] {
        match &self.reading {
            BlockSource::Stream(stream) => &stream.decision.doubtful,
            BlockSource::Memory { dataset, .. } => dataset.doubtful_ids(),
        }
    }

    /// How many points were returned so far.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// A fingerprint of the points and labels returned so far. It does not depend on the size of the blocks, and differs from
    /// that of a dataset in memory.
    pub fn checksum(&self) -> String {
        self.checksum.digest()
    }

    /// How many files there are.
    pub fn n_parts(&self) -> usize {
        self.parts.len().max(1)
    }

    /// How many bytes were read.
    pub fn bytes(&self) -> Bytes {
        let done = self.bytes.load(Ordering::Relaxed);
        Bytes { done, of: self.length.filter(|_| self.how.growth.is_none()) }
    }

    /// Whether all rows can be read again. Standard input and a growing file cannot.
    pub fn can_rewind(&self) -> bool {
        self.how.growth.is_none() && !self.parts.iter().any(FilePart::is_stdin)
    }

    /// Goes back to the first row.
    ///
    /// # Errors
    /// A source that can be read only once, or a file that has changed since it was opened.
    pub fn rewind(&mut self) -> Result<(), ReadError> {
        if let BlockSource::Memory { at, .. } = &mut self.reading {
            *at = 0;
            (self.points, self.checksum, self.constant) = (0, BlockChecksum::default(), None);
            self.bytes.store(0, Ordering::Relaxed);
            return Ok(());
        }
        if !self.can_rewind() {
            return Err(ReadError::new("standard input can be read only once").help("give a file"));
        }
        for (part, known) in self.parts.iter().zip(&self.versions) {
            if version(part) != *known {
                return Err(ReadError::new("the file has changed since it was read first")
                    .help("wait until it is complete, and start again")
                    .in_file(&part.path));
            }
        }
        let again = Blocks::open_parts(self.name.clone(), self.parts.clone(), &self.options, &self.how)?;
        *self = again;
        Ok(())
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// Anything wrong with the rows, with file and place; at the end, labels that turn out to be numbers to predict.
    pub fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        let rows = self.block_rows();
        let features = self.features.len();
        let block = match &mut self.reading {
            BlockSource::Memory { dataset, at } => memory_block(dataset, at, rows, &self.bytes),
            BlockSource::Stream(stream) => stream.next_block(rows, features, &self.parts, &mut self.lost)?,
        };
        match block {
            Some(block) => {
                self.points += block.labels.len() as u64;
                self.checksum.update(&block.values, &block.labels)?;
                if self.checksum.names().len() > MOST_CLASSES {
                    return Err(too_many_classes());
                }
                self.watch_constant(&block);
                Ok(Some(block))
            }
            None => {
                // In a file that grows, the end is not the end of the data.
                if self.lost.rows > 0 && (self.points == 0 || self.how.growth.is_none()) {
                    let (rows, of) = (self.lost.rows, self.lost.rows + self.points as usize);
                    loss::accept_loss(rows, of, &self.worst(), self.options.missing)
                        .map_err(|error| error.in_file(&self.parts[0].path))?;
                }
                self.checked_labels()?;
                Ok(None)
            }
        }
    }

    /// Reads all blocks on a thread of its own and calls `take` with each in turn.
    ///
    /// # Errors
    /// Those of [`Blocks::next_block`] and `take`, and [`Stopped`] if `control` says so. Progress is reported in bytes.
    pub fn each<E>(
        &mut self,
        what: &str,
        control: Control<'_>,
        mut take: impl FnMut(Block) -> Result<(), E>,
    ) -> Result<(), E>
    where
        E: From<ReadError> + From<Stopped>,
    {
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                loop {
                    let next = self.next_block().transpose();
                    let Some(next) = next else { break };
                    let failed = next.is_err();
                    // Sending fails once the receiver has given up.
                    if sender.send((next, self.bytes())).is_err() || failed {
                        break;
                    }
                }
            });
            // Dropped on every way out, so that the reader never waits for a receiver that is gone.
            let receiver = receiver;
            for (block, bytes) in &receiver {
                control.check()?;
                take(block?)?;
                control.report(what, bytes.done as usize, bytes.of.unwrap_or(0) as usize);
            }
            Ok(())
        })
    }

    /// The notes on the dataset; complete once all blocks were read.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = match &self.reading {
            BlockSource::Memory { dataset, .. } => return dataset.notes.clone(),
            BlockSource::Stream(stream) => {
                let mut notes = stream.decision.notes.clone();
                let rows = stream.decision.rows;
                notes.extend((!stream.whole).then_some(Note::DecidedByFirstRows { rows }));
                notes
            }
        };
        notes.extend(self.checked_labels().unwrap_or_default());
        let (rows, of) = (self.lost.rows, self.lost.rows + self.points as usize);
        notes.extend((rows > 0).then(|| Note::RowsDropped { rows, of, worst: self.worst() }));
        let constant = self.constant.iter().flatten().map(|(column, _)| self.features[*column].clone());
        let columns: Vec<String> = constant.collect();
        notes.extend((!columns.is_empty() && self.points > 1).then_some(Note::Constant { columns }));
        notes
    }

    /// Where most values are missing.
    fn worst(&self) -> Vec<MissingIn> {
        match &self.reading {
            BlockSource::Stream(stream) => self.lost.missing.worst(&stream.decision.columns_read()),
            BlockSource::Memory { .. } => Vec::new(),
        }
    }

    /// The notes on all labels.
    fn checked_labels(&self) -> Result<Vec<Note>, ReadError> {
        let BlockSource::Stream(stream) = &self.reading else { return Ok(Vec::new()) };
        let facts = &stream.decision.facts;
        let checked = classes::check_names(self.checksum.names(), self.points as usize, facts);
        checked.map_err(|error| error.in_file(self.parts.first().map_or(Path::new(""), |part| &part.path)))
    }

    fn block_rows(&self) -> usize {
        let most = (BLOCK_BYTES / (8 * self.features.len().max(1))).clamp(1, BLOCK_ROWS);
        self.how.rows.unwrap_or(most).max(1)
    }

    /// Updates the constant columns. Few columns survive the first block, so this costs far less than a pass over all values.
    fn watch_constant(&mut self, block: &Block) {
        let features = self.features.len();
        let constant = self
            .constant
            .get_or_insert_with(|| block.values.iter().take(features).copied().enumerate().collect());
        for row in block.values.chunks_exact(features) {
            if constant.is_empty() {
                break;
            }
            constant.retain(|&(column, value)| row[column] == value);
        }
    }
}

fn embedded_at(paths: &[PathBuf], options: &ReadOptions) -> Result<Option<Dataset>, ReadError> {
    let [only] = paths else { return Ok(None) };
    let name = only.to_str().filter(|name| embedded::about(name).is_some() && !only.exists());
    name.map(|name| embedded::read(name, options)).transpose()
}

fn version(part: &FilePart) -> Option<Version> {
    if part.is_stdin() {
        return None;
    }
    let metadata = std::fs::metadata(&part.path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

fn unused(parts: &[FilePart]) -> Option<Note> {
    let names = files::unused_beside(parts);
    (!names.is_empty()).then_some(Note::Unused { names })
}

fn too_many_classes() -> ReadError {
    ReadError::new(format!("there are more than {MOST_CLASSES} different labels")).help(Advice::ChooseLabel)
}
