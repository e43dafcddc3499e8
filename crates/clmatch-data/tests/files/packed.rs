//! xz and bzip2, and JSON rows.

use std::io::Write;

use crate::common::{Read, Refused, case, check, f64s, npy, zip};
use clmatch_data::ReadOptions;

/// Twelve rows, two features, two classes.
const ROWS: &str = "x,y,label\n0.5,0.25,a\n1.5,1.25,b\n2.5,4.25,a\n3.5,2.25,b\n0.5,2.25,a\n1.5,4.25,b\n2.5,1.25,a\n\
    3.5,0.25,b\n0.5,1.25,a\n1.5,4.25,b\n2.5,2.25,a\n3.5,2.25,b\n";

/// [`ROWS`], packed by Python's lzma with preset 6.
const XZ: &str = "fd377a585a000004e6d6b4460200210116000000742fe5a3e0008d00395d003c0b0b22e88e5d26efa5f3935288eb94fabc4b\
    77fa84859f17edc72163c54852d2c6bb232a48e162bcf9fc520ccd07b296ca9af10fbff18600000000000f3ca297d5759712\
    0001558e010000000f247c29b1c467fb020000000004595a";

fn xz() -> Vec<u8> {
    (0..XZ.len()).step_by(2).map(|at| u8::from_str_radix(&XZ[at..at + 2], 16).unwrap()).collect()
}

fn bz2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn xz_and_bzip2_are_unpacked() {
    let packed = xz();
    let array = npy("<f8", false, "(3, 2)", &f64s(&[1.5, 1.0, 2.5, 2.0, 1.5, 1.0]));
    let archive = zip(&[("X.npy", &array), ("y.npy", &npy("|S1", false, "(3,)", b"aba"))]);
    let twice = [bz2(ROWS.as_bytes()), bz2(b"9.5,9.5,a\n")].concat();
    let mut large = packed.clone();
    // The size of the dictionary in the block header: 4 GiB, with the header's checksum adjusted.
    large[16] = 40;
    let checksum = crc32(&large[12..20]).to_le_bytes();
    large[20..24].copy_from_slice(&checksum);
    check(&[
        case("xz", "a.csv.xz", &packed, Read(12, 2, 2, &[])),
        case("xz whatever its name", "a.csv", &packed, Read(12, 2, 2, &[])),
        case("bzip2", "a.csv.bz2", bz2(ROWS.as_bytes()), Read(12, 2, 2, &[])),
        case("two streams", "a.csv.bz2", twice, Read(13, 2, 2, &[])),
        case("array in bzip2", "a.npy.bz2", bz2(&array), Read(3, 1, 2, &[]))
            .with(|options| options.label = Some("-1".into())),
        case("archive in bzip2", "a.npz.bz2", bz2(&archive), Read(3, 2, 2, &[])),
        case(
            "xz cut",
            "a.csv.xz",
            &packed[..packed.len() - 40],
            Refused(&["the data ends early", "damaged"]),
        ),
        case(
            "bzip2 cut",
            "a.csv.bz2",
            &bz2(ROWS.as_bytes())[..60],
            Refused(&["the data ends early", "damaged"]),
        ),
        case("xz that asks for 4 GiB", "a.csv.xz", large, Refused(&["more memory than is allowed", "xz -9"])),
        case("a text that starts like bzip2", "a.csv", b"BZh9,y\n1.5,a\n2.5,b\n", Read(2, 1, 2, &[])),
    ]);
}

/// Whatever is cut off or changed, there is an answer, and no panic.
#[test]
fn damaged_streams_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, bytes: &[u8]| {
        let path = crate::common::put(folder.path(), name, bytes);
        clmatch_data::read(&clmatch_data::Source::new(path), &ReadOptions::default())
    };
    for (name, bytes) in [("a.csv.xz", xz()), ("a.csv.bz2", bz2(ROWS.as_bytes()))] {
        assert!(read(name, &bytes).is_ok());
        for end in 10..bytes.len() {
            assert!(read(name, &bytes[..end]).is_err(), "{name} cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            // Bytes without a checksum may be read even if they are damaged.
            let _ = read(name, &changed);
        }
    }
}

/// The CRC-32 that xz uses.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

#[test]
fn json_rows_are_tables() {
    let records = r#"[{"a": 1.5, "b": 2, "species": "x"}, {"a": 3.5, "b": 2, "species": "z"}]"#;
    let lines = "{\"a\":1.5,\"species\":\"x\"}\n{\"a\":2.5,\"species\":\"z\"}\n";
    check(&[
        case("records", "a.json", records, Read(2, 2, 2, &[])),
        case("records called csv", "a.csv", records, Read(2, 2, 2, &["read as JSON records"])),
        case("lines", "a.jsonl", lines, Read(2, 1, 2, &[])),
        case("ndjson in bzip2", "a.ndjson.bz2", bz2(lines.as_bytes()), Read(2, 1, 2, &[])),
        case("lines called json", "a.json", lines, Read(2, 1, 2, &[])),
        case(
            "text column",
            "a.json",
            r#"[{"c":"red","y":1},{"c":"blue","y":2}]"#,
            Refused(&["column 'c'", "'red'"]),
        ),
        case("one hot", "a.json", r#"[{"c":"red","y":1},{"c":"blue","y":2}]"#, Read(2, 2, 2, &[]))
            .with(|options| options.one_hot = vec!["c".into()]),
        case(
            "a missing key",
            "a.json",
            r#"[{"a":1.5,"y":1},{"y":2},{"a":4.5,"y":2}]"#,
            Read(2, 1, 2, &["1 of 3 rows"]),
        )
        .with(|options| options.missing = clmatch_data::Missing::Drop),
        case(
            "columns",
            "a.json",
            r#"{"a": {"0": 1, "1": 2}, "y": {"0": "x", "1": "z"}}"#,
            Read(2, 1, 2, &[]),
        ),
        case(
            "other tables",
            "a.json",
            r#"{"p": {"a": 1, "b": 2}, "q": {"a": 3, "b": 4}}"#,
            Refused(&["holds columns or tables", "orient='records'"]),
        ),
        case("cut", "a.json", &records[..50], Refused(&["row 2", "ends where"])),
        case("not json after all", "a.csv", "{\"a\" b\n1 2\n", Refused(&["where ':' is expected"])),
    ]);
}
