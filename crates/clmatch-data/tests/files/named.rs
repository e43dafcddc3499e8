//! Files of formats that are not read are refused by name, with a way out, and never as "a NUL byte".

use crate::common::{Case, Refused, case, check, gzip, zip};

/// A header, then bytes that are not text.
fn file(head: &[u8]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.extend((0..600_u32).map(|at| (at * 37 % 256) as u8));
    bytes
}

fn named(
    name: &'static str,
    path: &'static str,
    bytes: impl AsRef<[u8]>,
    what: &'static [&'static str],
) -> Case {
    case(name, path, bytes, Refused(what))
}

#[test]
fn formats_that_are_not_read_are_named() {
    let workbook = zip(&[("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<workbook/>")]);
    let sheet = zip(&[("mimetype", b"application/vnd.oasis"), ("content.xml", b"<x/>")]);
    let mut matlab = file(b"MATLAB 7.3 MAT-file, Platform: GLNXA64");
    matlab.splice(512..512, *b"\x89HDF\r\n\x1a\n");
    let mut tar = vec![b'a'; 257];
    tar.extend(b"ustar\x0000");
    check(&[
        named(
            "xlsx",
            "a.xlsx",
            &workbook,
            &["an Excel workbook", "export the sheet as CSV", "pandas.read_excel"],
        ),
        named("xlsx called csv", "a.csv", &workbook, &["an Excel workbook"]),
        named("xls", "a.xls", file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), &["an Excel workbook"]),
        named("ods", "a.ods", sheet, &["an OpenDocument spreadsheet"]),
        named("docx", "a.docx", zip(&[("word/document.xml", b"<x/>")]), &["a text document"]),
        named("pytorch", "a.pt", zip(&[("archive/data.pkl", b"x")]), &["a PyTorch file"]),
        named("zip of text", "a.zip", zip(&[("iris.pdf", b"a,b")]), &["it holds iris.pdf", "unzip"]),
        named("mat", "a.mat", file(b"MATLAB 5.0 MAT-file, Platform"), &["a MATLAB file", "scipy.io"]),
        named("mat 7.3", "a.mat", matlab, &["a MATLAB file of version 7.3", "h5py"]),
        named("pickle", "a.pkl", file(b"\x80\x04\x95\x1f"), &["a Python pickle", "if you trust it"]),
        named("rds", "a.rds", gzip(&file(b"X\n\0\0\0\x03")), &["an R object (RDS)", "readRDS"]),
        named("rdata", "a.RData", gzip(&file(b"RDX3\nX\n\0\0")), &["an R workspace", "load("]),
        named("sqlite", "a.db", file(b"SQLite format 3\0"), &["an SQLite database", "sqlite3 -header -csv"]),
        named("pdf", "a.csv", file(b"%PDF-1.7\n"), &["a PDF document"]),
        named(
            "html",
            "iris.csv",
            "\n<!DOCTYPE html>\n<html><body>Not found</body></html>",
            &["a web page", "Raw"],
        ),
        named(
            "xml",
            "a.csv",
            "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>",
            &["an XML document"],
        ),
        named(
            "lfs",
            "a.csv",
            "version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
            &["Git LFS", "git lfs pull"],
        ),
        named("png", "a.png", file(b"\x89PNG\r\n\x1a\n"), &["an image"]),
        named("jpeg", "a.csv", file(b"\xff\xd8\xff\xe0"), &["an image"]),
        named("feather 1", "a.feather", file(b"FEA1\0\0"), &["a Feather file of version 1", "to_parquet"]),
        named("stata", "a.dta", "<stata_dta><header>", &["a Stata file", "read_stata"]),
        named("spss", "a.sav", file(b"$FL2@(#) SPSS"), &["an SPSS file"]),
        named("tar in gzip", "a.tar.gz", gzip(&tar), &["a tar archive", "tar -xf"]),
        named("7z", "a.7z", file(b"7z\xbc\xaf\x27\x1c"), &["a 7-Zip archive"]),
        named("unknown", "a.csv", file(b"\x01\x02\x03\0"), &["a binary file of a format that is not known"]),
        named(
            "unknown npy",
            "a.npy",
            file(b"\x01\x02\x03\0"),
            &["this is not NPY, nor any other format that is known"],
        ),
    ]);
}
