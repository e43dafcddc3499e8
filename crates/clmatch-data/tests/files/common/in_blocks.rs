//! Reads a dataset in blocks of several sizes, and compares it with what reading all at once gives.

use std::path::PathBuf;

use clmatch_data::blocks::{BlockOptions, Blocks};
use clmatch_data::{Dataset, Missing, ReadError, ReadOptions};

/// The numbers of rows per block.
pub const SIZES: [usize; 3] = [1, 7, 1000];

/// Everything that the blocks of a dataset add up to.
#[derive(Debug, PartialEq)]
pub struct Whole {
    pub features: Vec<String>,
    pub values: Vec<u64>,
    pub labels: Vec<String>,
    pub label: String,
    pub left_out: Vec<String>,
    pub doubtful: Vec<String>,
    pub notes: Vec<String>,
}

impl Whole {
    pub fn of(dataset: &Dataset) -> Whole {
        Whole {
            features: dataset.features().to_vec(),
            values: (0..dataset.values().len()).map(|at| dataset.values().get(at).to_bits()).collect(),
            labels: (0..dataset.n_points()).map(|row| dataset.labels().name_of(row).to_owned()).collect(),
            label: format!("{:?}", dataset.label_origin()),
            left_out: dataset.left_out().iter().map(|column| format!("{column:?}")).collect(),
            doubtful: dataset.doubtful_ids().to_vec(),
            notes: sorted(dataset.notes.iter().map(ToString::to_string).collect()),
        }
    }
}

/// Reads all blocks of a dataset.
pub fn whole(paths: &[PathBuf], options: &ReadOptions, how: &BlockOptions) -> Result<Whole, ReadError> {
    let mut blocks = Blocks::open(paths, options, how)?;
    gather(&mut blocks, how.rows)
}

/// Reads the blocks that are left.
pub fn gather(blocks: &mut Blocks, rows: Option<usize>) -> Result<Whole, ReadError> {
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    let mut next = (0, 0);
    while let Some(block) = blocks.next_block()? {
        assert!(rows.is_none_or(|rows| block.labels.len() <= rows), "a block is too large");
        let expected = if block.part == next.0 { next.1 } else { 0 };
        assert_eq!(block.first_row, expected, "rows are counted");
        next = (block.part, block.first_row + block.labels.len() as u64);
        values.extend(block.values.iter().map(|value| value.to_bits()));
        labels.extend((0..block.labels.len()).map(|row| block.labels.name_of(row).to_owned()));
    }
    Ok(Whole {
        features: blocks.features().to_vec(),
        values,
        labels,
        label: format!("{:?}", blocks.label_origin()),
        left_out: blocks.left_out().iter().map(|column| format!("{column:?}")).collect(),
        doubtful: blocks.doubtful_ids().to_vec(),
        notes: sorted(blocks.notes().iter().map(ToString::to_string).collect()),
    })
}

/// Names the first of several fields that differ.
pub fn differs(expected: &Result<Whole, ReadError>, found: &Result<Whole, ReadError>) -> Option<String> {
    let text = |error: &ReadError| {
        let help = error.advice.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("error: {error}\nhelp: {help}")
    };
    match (expected, found) {
        (Ok(expected), Ok(found)) if expected == found => None,
        (Ok(expected), Ok(found)) if expected.values == found.values && expected.labels == found.labels => {
            let but_rows = |whole: &Whole| Whole { values: Vec::new(), labels: Vec::new(), ..clone(whole) };
            Some(format!("{:?}\nis not\n{:?}", but_rows(found), but_rows(expected)))
        }
        (Ok(expected), Ok(found)) => {
            let place = expected.labels.iter().zip(&found.labels).position(|(a, b)| a != b);
            let (own, all) = (found.labels.len(), expected.labels.len());
            Some(format!("rows differ: {own} of {all}, first other label {place:?}"))
        }
        (Err(expected), Err(found)) if text(expected) == text(found) => None,
        (Err(expected), Err(found)) => Some(format!("{}\nis not\n{}", text(found), text(expected))),
        (Err(expected), Ok(_)) => Some(format!("read although {}", text(expected))),
        (Ok(_), Err(found)) => Some(text(found)),
    }
}

fn clone(whole: &Whole) -> Whole {
    let Whole { features, values, labels, label, left_out, doubtful, notes } = whole;
    Whole {
        features: features.clone(),
        values: values.clone(),
        labels: labels.clone(),
        label: label.clone(),
        left_out: left_out.clone(),
        doubtful: doubtful.clone(),
        notes: notes.clone(),
    }
}

fn sorted(mut notes: Vec<String>) -> Vec<String> {
    notes.sort();
    notes
}

/// What is wrong with reading a file in blocks, if anything. Files that cannot be read in blocks must be refused with a reason.
pub fn differs_in_blocks(
    path: &std::path::Path,
    options: &ReadOptions,
    expected: &Result<Dataset, ReadError>,
) -> Option<String> {
    let expected = expected.as_ref().map(Whole::of).map_err(Clone::clone);
    // Small blocks of a large file take long, and show nothing more.
    let large = std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 1 << 21);
    SIZES.into_iter().filter(|&rows| !large || rows == 1000).find_map(|rows| {
        let how = BlockOptions { rows: Some(rows), ..BlockOptions::within(1 << 28) };
        let found = whole(&[path.to_owned()], options, &how);
        let unable = |error: &ReadError| {
            let words = [
                "cannot be read in blocks",
                "cannot be streamed",
                "in a file of their own are streamed only",
                "known only when all",
            ];
            words.iter().any(|words| error.what.contains(words))
        };
        let excused = found.as_ref().is_err_and(unable)
            || options.memory_limit.is_some()
            || options.missing == Missing::Mean;
        if excused {
            return None;
        }
        differs(&expected, &found).map(|text| format!("in blocks of {rows}: {text}"))
    })
}
