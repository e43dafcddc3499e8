//! The entries through which bytes from outside reach clmatch: an [`Entry`] takes any bytes, and may neither panic nor hang nor
//! take memory out of proportion. What it returns does not matter.
//!
//! `cargo xtask fuzz` searches with libFuzzer for bytes that break one; the test `smoke` changes the seeds at random for a few
//! seconds.

mod files;
mod requests;
mod results;
mod seeds;
mod words;

pub use files::scratch;

/// An entry for bytes.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name, which is also that of the fuzz target.
    pub name: &'static str,
    /// What to do with the bytes.
    pub run: fn(&[u8]),
    /// Bytes that are accepted, to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All entries.
pub const ENTRIES: &[Entry] = &[
    Entry { name: "csv", run: |bytes| files::read("csv", bytes), seeds: || seeds::written(&["csv", "tsv"]) },
    Entry {
        name: "json",
        run: |bytes| files::read("json", bytes),
        seeds: || seeds::written(&["json", "jsonl"]),
    },
    Entry { name: "arff", run: |bytes| files::read("arff", bytes), seeds: || seeds::written(&["arff"]) },
    Entry { name: "svmlight", run: |bytes| files::read("svm", bytes), seeds: || seeds::written(&["svm"]) },
    Entry { name: "npy", run: |bytes| files::read("npy", bytes), seeds: seeds::npy },
    Entry { name: "npz", run: |bytes| files::read("npz", bytes), seeds: || seeds::written(&["npz"]) },
    Entry {
        name: "parquet",
        run: |bytes| files::read("parquet", bytes),
        seeds: || seeds::written(&["parquet"]),
    },
    Entry { name: "arrow", run: |bytes| files::read("arrow", bytes), seeds: || seeds::written(&["arrow"]) },
    Entry { name: "anndata", run: |bytes| files::read("h5ad", bytes), seeds: seeds::anndata },
    Entry {
        name: "packed",
        run: |bytes| files::read("csv.gz", bytes),
        seeds: || seeds::written(&["csv.gz", "csv.zst", "csv.xz", "csv.bz2"]),
    },
    Entry { name: "labels", run: files::read_labels, seeds: seeds::labels },
    Entry {
        name: "blocks",
        run: files::read_in_blocks,
        seeds: || seeds::written(&["csv", "parquet", "arrow"]),
    },
    Entry { name: "summary", run: results::summary, seeds: seeds::summaries },
    Entry { name: "results", run: results::result_file, seeds: seeds::results },
    Entry { name: "resumed", run: results::resumed, seeds: seeds::results },
    Entry { name: "tables", run: results::tables, seeds: seeds::tables },
    Entry { name: "requests", run: requests::answer, seeds: requests::seeds },
    Entry { name: "options", run: words::options, seeds: seeds::options },
];

/// The entry with a name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}
