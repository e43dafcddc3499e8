//! Files: the readers, of whole files and in blocks.

use std::fs;
use std::path::{Path, PathBuf};

use clmatch_data::blocks::{BlockOptions, Blocks};
use clmatch_data::{Missing, ReadOptions, Source, read as read_source, read_bytes};

/// A folder for short-lived files: in memory if the system has such a folder, because a disk would be the slowest part.
pub fn scratch() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

/// Calls a function with a file that holds the bytes.
pub(crate) fn with_file(name: &str, bytes: &[u8], then: impl FnOnce(&Path)) {
    let Ok(folder) = tempfile::tempdir_in(scratch()) else { return };
    let path = folder.path().join(name);
    if fs::write(&path, bytes).is_ok() {
        then(&path);
    }
}

/// Reads a dataset from a file with this extension in the ways that differ most, and from memory with the same outcome.
pub(crate) fn read(extension: &str, bytes: &[u8]) {
    let name = format!("data.{extension}");
    with_file(&name, bytes, |path| {
        let careful = ReadOptions::default();
        let lenient =
            ReadOptions { label: Some("0".to_owned()), missing: Missing::Mean, ..ReadOptions::default() };
        for options in [careful, lenient] {
            let [file, memory] = [
                read_source(&Source::new(path), &options),
                read_bytes(&name, bytes.to_vec().into(), &options),
            ]
            .map(|read| read.map(|dataset| dataset.checksum()).ok());
            assert_eq!(file, memory, "a file and the same bytes in memory are read differently");
        }
    });
}

/// Reads a file of labels beside known points.
pub(crate) fn read_labels(bytes: &[u8]) {
    with_file("labels.csv", bytes, |labels| {
        let points = labels.with_file_name("points.csv");
        let rows: String = (0..12).map(|row| format!("{row}.5,{}.25\n", row * row % 7)).collect();
        if fs::write(&points, rows).is_err() {
            return;
        }
        let options = ReadOptions { labels_file: Some(labels.to_owned()), ..ReadOptions::default() };
        let _ = read_source(&Source::new(points), &options);
    });
}

/// Reads a file in small blocks, twice.
pub(crate) fn read_in_blocks(bytes: &[u8]) {
    let extension = match bytes {
        [b'P', b'A', b'R', b'1', ..] => "parquet",
        [b'A', b'R', b'R', b'O', ..] => "arrow",
        _ => "csv",
    };
    with_file(&format!("data.{extension}"), bytes, |path| {
        let mut how = BlockOptions::within(1 << 24);
        how.rows = Some(7);
        how.first_rows = 5;
        let paths: Vec<PathBuf> = vec![path.to_owned()];
        let Ok(mut blocks) = Blocks::open(&paths, &ReadOptions::default(), &how) else { return };
        let first = drain(&mut blocks);
        if first.is_some() && blocks.can_rewind() && blocks.rewind().is_ok() {
            assert_eq!(drain(&mut blocks), first, "the second reading differs");
        }
    });
}

/// The number of blocks; `None` if one cannot be read.
fn drain(blocks: &mut Blocks) -> Option<usize> {
    let mut count = 0;
    while blocks.next_block().ok()?.is_some() {
        count += 1;
    }
    Some(count)
}
