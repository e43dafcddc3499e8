//! NPZ.

use std::io::{self, Cursor, Write};

use super::binary::{npy_labels, npy_points};
use crate::dataset::Dataset;
use crate::formats::zip::{array_places, open};
use crate::input::ByteSource;
use crate::memory::MemoryBudget;

/// What is written of the arrays in an archive.
pub(super) struct ArchiveEdits<'a> {
    pub(super) result: &'a Dataset,
    /// Whether labels differ.
    pub(super) labels: bool,
    /// Whether rows are left out.
    pub(super) fewer: bool,
    /// Whether the points have other features.
    pub(super) features: bool,
    pub(super) budget: MemoryBudget,
}

/// An archive with other labels and, if they changed, other points, under the names that they have; and the names of the arrays
/// that cannot stay beside them. `None` if it has no array with the labels of all rows.
pub(super) fn npz_again(input: &ByteSource, edits: &ArchiveEdits<'_>) -> Option<(Vec<u8>, Vec<String>)> {
    let places = array_places(input, edits.budget).ok()?;
    let label = places.label?;
    let changed = edits.fewer || edits.features;
    let points = if changed { Some(places.points?) } else { None };
    let mut stored = open(input).ok()?;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut lost = Vec::new();
    for place in 0..stored.len() {
        let member = stored.by_index_raw(place).ok()?;
        let name = member.name().ok()?.into_owned();
        let options = zip::write::SimpleFileOptions::default().compression_method(member.compression());
        if place == label && edits.labels || points == Some(place) {
            archive.start_file(name, options.large_file(true)).ok()?;
            let write = if place == label { npy_labels } else { npy_points };
            let mut out = io::BufWriter::new(&mut archive);
            write(edits.result, &mut out).and_then(|()| out.flush()).ok()?;
        } else if if places.by_row.contains(&place) { !edits.fewer } else { !edits.features } {
            archive.raw_copy_file(member).ok()?;
        } else {
            lost.push(name.strip_suffix(".npy").unwrap_or(&name).to_owned());
        }
    }
    Some((archive.finish().ok()?.into_inner(), lost))
}

/// An archive with another content of one of its members: every other one stays.
pub(super) fn with_member(input: &ByteSource, name: &str, content: &[u8]) -> io::Result<Vec<u8>> {
    let mut stored = open(input).map_err(io::Error::other)?;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for place in 0..stored.len() {
        let member = stored.by_index_raw(place)?;
        if member.name()? == name {
            let options = member.options().large_file(true);
            archive.start_file(name, options)?;
            archive.write_all(content)?;
        } else {
            archive.raw_copy_file(member)?;
        }
    }
    Ok(archive.finish()?.into_inner())
}

/// An archive of `data.npy` and `label.npy`.
pub(super) fn npz(dataset: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .large_file(true);
    // The writer seeks back to fill in lengths. It writes to memory, because the target may be packed.
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("data.npy", options)?;
    npy_points(dataset, &mut io::BufWriter::new(&mut archive))?;
    archive.start_file("label.npy", options)?;
    npy_labels(dataset, &mut io::BufWriter::new(&mut archive))?;
    out.write_all(archive.finish()?.get_ref())
}
