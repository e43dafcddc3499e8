//! AnnData files, from a fixture written by anndata itself.

use std::io::Read as _;

use clmatch::Values;
use clmatch_data::{Dataset, Missing, ReadError, ReadOptions, Source, read};

use crate::common::{Read, Refused, case, check, put};

/// See `fixtures/make_anndata.py`.
const PACKED: &[u8] = include_bytes!("../fixtures/cells.h5ad.gz");
const POINTS: [f32; 40] = [
    0.5, 0.25, 0.0, 8.0, 0.0, 1.5, 2.25, 0.0, 8.0, 0.0, 2.5, 4.25, 0.0, 7.0, 0.0, 0.5, 1.25, 0.0, 7.0, 0.0,
    1.5, 3.25, 0.0, 6.0, 100.0, 2.5, 0.25, 0.0, 6.0, 100.0, 0.5, 2.25, 0.0, 5.0, 100.0, 1.5, 4.25, 0.0, 5.0,
    100.0,
];

fn cells() -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(PACKED).read_to_end(&mut bytes).unwrap();
    bytes
}

fn options(layer: Option<&str>, label: &str) -> ReadOptions {
    ReadOptions {
        layer: layer.map(str::to_owned),
        label: Some(label.to_owned()),
        missing: Missing::Drop,
        ..ReadOptions::default()
    }
}

fn with(layer: Option<&str>, label: &str) -> Result<Dataset, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    read(&Source::new(put(folder.path(), "cells.h5ad", cells())), &options(layer, label))
}

#[test]
fn all_matrices_are_read() {
    let single = Values::from(POINTS.to_vec());
    let double =
        |factor: f64| Values::from(POINTS.iter().map(|&value| f64::from(value) * factor).collect::<Vec<_>>());
    for (layer, values) in [
        (None, single.clone()),
        (Some("X"), single.clone()),
        (Some("layers/csr"), single),
        (Some("layers/csc"), double(1.0)),
        (Some("csc"), double(1.0)),
        (Some("layers/lzf"), double(4.0)),
    ] {
        let dataset = with(layer, "cell_type").unwrap_or_else(|error| panic!("{layer:?}: {error}"));
        assert_eq!(*dataset.values(), values, "{layer:?}");
        assert_eq!(dataset.features(), ["CD3", "CD19", "zero", "CD8", "MS4A1"], "{layer:?}");
    }
    let pca = with(Some("obsm/X_pca"), "cell_type").unwrap();
    assert_eq!((pca.features()[1].as_str(), pca.values().get(3)), ("X_pca[1]", 2.25));
    let table = with(Some("obsm/table"), "cell_type").unwrap();
    assert_eq!(
        (table.features(), table.values().get(1)),
        (&["table[u]".to_owned(), "table[v]".to_owned()][..], 8.0)
    );
    let notes = with(None, "cell_type").unwrap().notes;
    let said = "the points are those of X; there are layers/csc, layers/csr, layers/lzf, obsm/X_pca and obsm/table too";
    assert!(notes.iter().any(|note| note.to_string() == said), "{notes:?}");
    assert!(with(Some("X"), "cell_type").unwrap().notes.iter().all(|note| note.to_string() != said));
}

#[test]
fn all_columns_can_be_labels() {
    for (column, names, codes) in [
        ("cell_type", &["T", "B"][..], &[0, 0, 1, 0, 1, 1, 0, 1][..]),
        ("obs/cell_type", &["T", "B"], &[0, 0, 1, 0, 1, 1, 0, 1]),
        ("batch", &["0", "1"], &[0, 0, 1, 1, 0, 0, 1, 1]),
        ("half", &["a", "b"], &[0, 1, 1, 0, 0, 1, 1]),
        ("passed", &["1", "3"], &[0, 1, 1, 0, 0, 1, 1]),
        ("doublet", &["false", "true"], &[0, 1, 0, 1, 0, 1, 0, 1]),
        ("old", &["p", "q"], &[0, 1, 0, 1, 1, 0, 1]),
        ("depth", &["0", "10", "20", "30", "40", "50", "60", "70"], &[0, 1, 2, 3, 4, 5, 6, 7]),
    ] {
        let dataset = with(None, column).unwrap_or_else(|error| panic!("{column}: {error}"));
        let found: Vec<&str> = (0..dataset.n_points()).map(|row| dataset.labels().name_of(row)).collect();
        let expected: Vec<&str> = codes.iter().map(|&code: &usize| names[code]).collect();
        assert_eq!(found, expected, "{column}");
    }
}

#[test]
fn what_is_not_there_is_refused_with_what_is() {
    let bytes = cells();
    let set = |layer: Option<&'static str>, label: Option<&'static str>| {
        move |options: &mut ReadOptions| {
            options.layer = layer.map(str::to_owned);
            options.label = label.map(str::to_owned);
        }
    };
    check(&[
        case(
            "which label",
            "a.h5ad",
            &bytes,
            Refused(&["obs has 4 columns that may be the label: 'cell_type', 'batch'", "choose the column"]),
        ),
        case(
            "no such label",
            "a.h5ad",
            &bytes,
            Refused(&["obs has no column 'type'", "'cell_type', 'batch', 'half', 'depth'"]),
        )
        .with(set(None, Some("type"))),
        case("no such layer", "a.h5ad", &bytes, Refused(&["no matrix 'obsm/X_umap'", "layers/csr"]))
            .with(set(Some("obsm/X_umap"), Some("batch"))),
        case("a missing label", "a.h5ad", &bytes, Refused(&["row 2: the label is missing"]))
            .with(set(None, Some("half"))),
        case("fewer features", "a.h5ad", &bytes, Read(8, 4, 2, &[])).with(|options| {
            options.label = Some("batch".into());
            options.drop = vec!["zero".into()];
        }),
        case("packed", "a.h5ad.gz", PACKED, Read(8, 5, 2, &[])).with(set(None, Some("batch"))),
        case("called csv", "a.csv", &bytes, Read(8, 5, 2, &["read as HDF5"])).with(set(None, Some("batch"))),
        case("memory", "a.h5ad", &bytes, Refused(&["may be used"])).with(|options| {
            options.label = Some("batch".into());
            options.memory_limit = Some(100);
        }),
        case("a layer of a table", "a.csv", "a,y\n1.5,x\n", Refused(&["has no layers to choose from"]))
            .with(set(Some("X"), None)),
        case("cut", "a.h5ad", &bytes[..bytes.len() - 8], Refused(&["bytes, but", "are there", "incomplete"]))
            .with(set(None, Some("batch"))),
    ]);
}

/// A file from an untrusted source: whatever is in it, there is an answer, no panic, and no memory beyond the limit.
#[test]
fn damaged_files_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = cells();
    let mut options = options(None, "cell_type");
    options.memory_limit = Some(1 << 24);
    let answer = |bytes: &[u8], options: &ReadOptions| {
        read(&Source::new(put(folder.path(), "cells.h5ad", bytes)), options)
    };
    for end in (16..bytes.len()).step_by(bytes.len() / 150) {
        assert!(answer(&bytes[..end], &options).is_err(), "cut at {end}");
    }
    // A multiplicative congruential generator: the same damage every time.
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for layer in [None, Some("layers/csr"), Some("layers/lzf"), Some("obsm/table")] {
        options.layer = layer.map(str::to_owned);
        for _ in 0..150 {
            let mut damaged = bytes.clone();
            for _ in 0..=random(4) {
                let at = random(damaged.len());
                damaged[at] = [0, 0xff, 0x7f, random(256) as u8][random(4)];
            }
            let _ = answer(&damaged, &options);
        }
    }
}
