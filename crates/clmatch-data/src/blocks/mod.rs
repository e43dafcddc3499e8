//! Datasets that need not fit into memory: read in blocks of rows, from one file or many, or from standard input.
//!
//! Decisions are made as by [`read`](crate::read): the format by the first bytes, delimiter and header by the first lines,
//! the label and the columns to leave out by names and by what columns hold. Where all rows decide in memory, the first rows
//! decide here ([`BlockOptions::first_rows`]), and a note says so. A later row that contradicts them is an error with file and
//! row, never a silent change.
//!
//! ```
//! use clmatch_data::ReadOptions;
//! use clmatch_data::blocks::{BlockOptions, Blocks};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("rows.csv");
//! std::fs::write(&path, "x,y,class\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n")?;
//! let mut blocks = Blocks::open(&[path], &ReadOptions::default(), &BlockOptions::within(1 << 30))?;
//! while let Some(block) = blocks.next_block()? {
//!     println!("{} values", block.values.len());
//! }
//! assert_eq!((blocks.points(), blocks.features()), (4, &["x".to_owned(), "y".to_owned()][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod block_options;
mod chunk;
mod decision;
mod files;
mod labelled;
mod part;
mod reading;
mod stream;

pub use self::block::Block;
pub use self::block_options::BlockOptions;
pub use self::files::Growth;
pub use self::reading::{Blocks, Bytes};

pub(crate) use self::chunk::{Chunk, ChunkPlace, Chunks, Start, other_columns};
pub(crate) use self::part::{FilePart, OpenPart, Parts, reopen};
