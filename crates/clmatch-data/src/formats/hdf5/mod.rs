//! HDF5. Only AnnData files (`.h5ad`) are read: a matrix of points, and a column of `obs` with the labels.
//!
//! | part | layouts |
//! |---|---|
//! | points: `X`, `raw/X`, `layers/…`, `obsm/…` | dense, CSR, CSC; in `obsm` also tables |
//! | labels: a column of `obs` | categories (of AnnData 0.7, too), texts, integers, numbers, booleans, with missing values |
//!
//! Files of other programs are refused with the name of the program and what they hold.

mod labels;
mod lzf;
mod matrix;
mod values;

use hdf5_reader::error::Error;
use hdf5_reader::group::Group;
use hdf5_reader::{Hdf5File, OpenOptions};

use crate::columns;
use crate::error::ReadError;
use crate::formats::foreign;
use crate::input::ByteSource;
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::select::select;
use crate::table::RawTable;

/// Reads a table; `labels` is false when the labels come from elsewhere.
pub(crate) fn read(input: &ByteSource, options: &ReadOptions, labels: bool) -> Result<RawTable, ReadError> {
    let file = AnnDataFile::open(input, MemoryBudget::new(options))?;
    let (layer, note) = matrix::choose(&file, options.layer.as_deref())?;
    let codes = if labels { Some(labels::read(&file, options.label.as_deref())?) } else { None };
    let points = matrix::read(&file, &layer)?;
    let plan = columns::plan(points.names, options, false)?;
    let mut table = select(points.matrix, points.rows, plan)?;
    table.notes.extend(note);
    if let Some((codes, origin)) = codes {
        table.labels = Some(codes);
        table.notes.extend(Note::of_label(&origin));
        table.facts.label = Some(origin);
    }
    Ok(table)
}

/// An open AnnData file.
struct AnnDataFile {
    root: Group,
    /// How many bytes the file has.
    stored: u64,
    budget: MemoryBudget,
}

impl AnnDataFile {
    fn open(input: &ByteSource, budget: MemoryBudget) -> Result<Self, ReadError> {
        if input.head(64)?.starts_with(b"MATLAB") {
            return Err(foreign::MATLAB_HDF5.refuse(input.path()));
        }
        let limit = usize::try_from(budget.limit()).unwrap_or(usize::MAX);
        let options = OpenOptions::default().with_max_read_bytes(limit).with_filter_registry(lzf::registry());
        let opened = match input {
            ByteSource::File(path) => Hdf5File::open_with_options(path, options),
            ByteSource::Memory(bytes) => Hdf5File::from_bytes_with_options(bytes, options),
        };
        let opened = opened.map_err(|error| unreadable(&error))?;
        let stored = input.stored()?;
        let block = opened.superblock();
        let declared = block.base_address.saturating_add(block.eof_address);
        if block.eof_address != u64::MAX && declared > stored {
            return Err(ReadError::new(format!(
                "the file should have {declared} bytes, but {stored} are there"
            ))
            .help(DAMAGED));
        }
        let root = opened.root_group().map_err(|error| unreadable(&error))?;
        let (groups, datasets) = root.member_names().map_err(|error| unreadable(&error))?;
        let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
        if has(&datasets, "obs") {
            return Err(foreign::OLD_ANNDATA.refuse(input.path()));
        }
        if !has(&groups, "obs") {
            let found: Vec<String> =
                groups.into_iter().map(|name| name + "/").chain(datasets).take(8).collect();
            let mut error = foreign::HDF5.refuse(input.path());
            error.what = format!("{}; it holds {}", error.what, found.join(", "));
            return Err(error);
        }
        Ok(AnnDataFile { root, stored, budget })
    }
}

const DAMAGED: &str = "the file is incomplete or damaged: fetch or write it again";

/// Converts an error of the HDF5 reader.
fn unreadable(error: &Error) -> ReadError {
    match error {
        Error::Context { source, .. } => unreadable(source),
        Error::UnexpectedEof { .. } | Error::OffsetOutOfBounds(_) => {
            ReadError::new("the data ends early").help(DAMAGED)
        }
        Error::Io(error) => crate::input::damaged(error),
        Error::ResourceLimit(_) => {
            ReadError::too_large_for_memory("the data take more memory than may be used")
        }
        Error::UnsupportedFilter(filter) => {
            ReadError::new(format!("the data are packed in a way that is not read ({filter})")).help(
                "write it again with gzip: python -c \"import anndata; \
                 anndata.read_h5ad('FILE').write_h5ad('NEW.h5ad', compression='gzip')\"",
            )
        }
        other => ReadError::new(format!("the HDF5 data cannot be read: {other}")).help(DAMAGED),
    }
}

/// The text of an attribute, if the attribute exists and is a text.
fn attribute(group: &Group, name: &str) -> Option<String> {
    group.attribute(name).ok()?.read_string().ok()
}
