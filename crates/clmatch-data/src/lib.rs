//! From files to data and back: readers, writers, scaling, missing values, embedded datasets.
//!
//! [`find`] walks files and folders, and [`read`] makes a [`Dataset`] of what was found. Formats are recognised by their
//! first bytes, then by the name of the file:
//!
//! | format | labels |
//! |---|---|
//! | CSV and its kin: `,` `;` tab `\|` or blanks, with or without header, quotes, `#` comments | a column |
//! | JSON rows: an array of objects, or an object a line | a name |
//! | Parquet, Arrow IPC files and streams (Feather): numbers, booleans, decimals, lists of numbers | a column |
//! | ARFF, dense and sparse | an attribute |
//! | svmlight, LIBSVM | the first word of a line |
//! | NPY of any numeric type and order, JSON arrays, zlib-compressed JSON (`data.bin`), SciPy's sparse matrices | a file beside, or a column by index |
//! | NPZ, and zip archives of `data.npy` or `data.bin`; parts of the rows (`x_train`, `x_test`) are joined | an array named label, labels, y, target, class, … |
//! | AnnData (`.h5ad`): `X`, layers, `obsm` | a column of `obs` |
//!
//! All of them may be packed with gzip, zstd, xz or bzip2, and labels may lie beside the points in a file of their own.
//! Files of many other formats are recognised and named, with a line that converts them.
//!
//! The use of a column is determined by its name and by what it holds, and nothing is guessed silently:
//! [`Dataset::label_origin`] says which column holds the labels and why, [`Dataset::left_out`] which columns number the rows or
//! are ids, [`Dataset::doubtful_ids`] which features may be ids. [`ReadOptions`] overrides all of it.
//!
//! Whatever cannot be read is refused with a [`ReadError`] that names the file, line and column and says what to do; whatever is
//! merely worth knowing is in [`Dataset::notes`]. f32 and f16 files stay in single precision, everything else becomes f64.
//!
//! [`Original`] writes the file that a dataset came from, with other labels or features; everything else in it stays.
//! [`write()`] writes points and labels: in the format that the name of a [`Target`] says, or in that of the file it was read from.
//!
//! ```
//! use clmatch_data::{embedded, Scale};
//!
//! let mut iris = embedded::load("iris").ok_or("iris is embedded")?;
//! assert_eq!((iris.n_points(), iris.n_features()), (150, 4));
//! iris.scale(Scale::MaxAbs);
//! let points = iris.points();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Code shared by the readers is not trimmed in builds that leave some of them out.
#![cfg_attr(
    not(all(feature = "arrow", feature = "gzip", feature = "hdf5", feature = "zip")),
    allow(dead_code, unused_imports)
)]

mod advice;
pub mod blocks;
pub mod catalogue;
pub mod catalogue_truth;
mod cell;
mod cell_form;
mod checksum;
mod classes;
mod columns;
mod damaged;
mod dataset;
mod dataset_options;
mod dictionary;
pub mod embedded;
mod encoding;
mod error;
mod extent;
mod finish;
mod formats;
mod freed_memory;
mod glimpse;
mod huge_pages;
mod ids;
mod input;
mod inspect;
mod join;
mod label_choice;
mod label_copies;
mod label_leaks;
mod layout;
mod list;
mod loss;
mod memory;
mod missing;
mod named_missing;
mod names;
mod notation;
mod note;
mod options;
mod packing;
mod provenance;
mod quantity;
mod read;
mod real;
mod recognise;
mod roles;
mod rows;
mod scale;
mod select;
mod sentinel;
mod shown;
mod source;
mod spans;
mod table;
mod text_columns;
mod write;

pub use advice::{Advice, ColumnOption};
pub use dataset::Dataset;
pub use dataset_options::DatasetOptions;
pub use error::{ColumnRef, Place, ReadError, ReadErrorKind};
pub use freed_memory::keep_freed_memory;
pub use input::standard_input;
pub use inspect::{
    ColumnRole, ColumnType, InspectedColumn, InspectedPoints, Inspection, InspectionStep, PointsLeftOut,
    Setting, SettingValue, inspect, inspect_bytes,
};
pub use label_copies::{CopySign, LabelCopy};
pub use loss::MissingIn;
pub use note::{Note, Severity};
pub use options::{Missing, ReadOptions};
pub use provenance::{IdSign, LabelOrigin, LabelSource, LeftOutColumn, LeftOutReason};
pub use read::{read, read_bytes};
pub use scale::{ColumnScaling, Scale, ScalingPass};
pub use shown::ShownColumn;
pub use source::{FoundDatasets, Source, find, find_noting};
pub use write::{Edits, Original, Target, WriteError, Written, WrittenLayout, write, write_whole};
