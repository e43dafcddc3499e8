//! What earlier runs wrote: results, records of unfinished runs, tables, summaries.

use std::fs;

use clmatch::summary::{SecondPass, Summary};
use clmatch_analysis::Scored;
use clmatch_analysis::comparison::StoredScores;
use clmatch_analysis::result_files::read_result;
use clmatch_analysis::resume::{Identity, Record};
use clmatch_truth::results;

use crate::files::with_file;

/// The serialised form of summaries. What is accepted must survive a round trip.
pub(crate) fn summary(bytes: &[u8]) {
    if let Ok(summary) = Summary::from_bytes(bytes) {
        assert_eq!(
            Summary::from_bytes(&summary.to_bytes()).map(|again| again.to_bytes()),
            Ok(summary.to_bytes())
        );
    }
    if let Ok(second) = SecondPass::from_bytes(bytes) {
        assert_eq!(
            SecondPass::from_bytes(&second.to_bytes()).map(|again| again.to_bytes()),
            Ok(second.to_bytes())
        );
    }
}

/// A result, read as `report` and `diff` read it.
pub(crate) fn result_file(bytes: &[u8]) {
    for name in ["result.json", "result.csv", "result.md"] {
        with_file(name, bytes, |path| {
            let _ = read_result(path);
            let _ = StoredScores::read(path);
        });
    }
}

/// The record of a run that is to be continued. Its lines must be kept.
pub(crate) fn resumed(bytes: &[u8]) {
    with_file("record.jsonl", bytes, |path| {
        let opened = Record::<Scored>::open(path, Identity::new("score"), None);
        drop(opened);
        let after = fs::read(path).unwrap_or_default();
        assert!(after.starts_with(bytes), "lines of a record were lost");
    });
}

/// Tables of scores that other programs wrote.
pub(crate) fn tables(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = results::read(&text);
    let _ = results::read_column(&text, "score");
}
