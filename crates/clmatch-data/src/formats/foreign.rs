//! Files that are recognised but not read: named, with one line that converts them.

use std::path::Path;

use crate::error::ReadError;

/// A format that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// What the format is, with its article.
    name: &'static str,
    /// What to do: `{in}` stands for the file, `{out}` for its name without extension.
    help: &'static str,
}

pub(crate) const EXCEL: Foreign = Foreign {
    name: "an Excel workbook",
    help: "export the sheet as CSV, or: python -c \"import pandas; pandas.read_excel('{in}').to_csv('{out}.csv', index=False)\"",
};
const SPREADSHEET: Foreign = Foreign { name: "an OpenDocument spreadsheet", ..EXCEL };
const OFFICE: Foreign =
    Foreign { name: "a text document or presentation", help: "export the table in it as CSV" };
pub(crate) const MATLAB: Foreign = Foreign {
    name: "a MATLAB file",
    help: "with the names of your variables for X and y: python -c \"import scipy.io as s, numpy; m = s.loadmat('{in}'); numpy.savez('{out}.npz', data=m['X'], label=m['y'].ravel())\"",
};
pub(crate) const MATLAB_HDF5: Foreign = Foreign {
    name: "a MATLAB file of version 7.3",
    help: "with the names of your variables for X and y: python -c \"import h5py, numpy; f = h5py.File('{in}'); numpy.savez('{out}.npz', data=f['X'][:].T, label=f['y'][:].ravel())\"",
};
pub(crate) const HDF5: Foreign = Foreign {
    name: "an HDF5 file that is not AnnData",
    help: "with the names of your datasets for X and y: python -c \"import h5py, numpy; f = h5py.File('{in}'); numpy.savez('{out}.npz', data=f['X'][:], label=f['y'][:])\"",
};
pub(crate) const OLD_ANNDATA: Foreign = Foreign {
    name: "an AnnData file of a version before 0.7",
    help: "write it again: python -c \"import anndata; anndata.read_h5ad('{in}').write_h5ad('{out}.new.h5ad')\"",
};
const PICKLE: Foreign = Foreign {
    name: "a Python pickle, and loading one can run any code",
    help: "if you trust it, and it holds a table: python -c \"import pandas; pandas.read_pickle('{in}').to_csv('{out}.csv', index=False)\"",
};
const PYTORCH: Foreign = Foreign {
    name: "a PyTorch file, and loading one can run any code",
    help: "if you trust it, save its tensors with numpy.savez('{out}.npz', data=…, label=…)",
};
const R_OBJECT: Foreign = Foreign {
    name: "an R object (RDS)",
    help: "write it as CSV: Rscript -e 'write.csv(readRDS(\"{in}\"), \"{out}.csv\", row.names = FALSE)'",
};
const R_WORKSPACE: Foreign = Foreign {
    name: "an R workspace (RData)",
    help: "write a table in it as CSV: Rscript -e 'x <- load(\"{in}\"); write.csv(get(x[1]), \"{out}.csv\", row.names = FALSE)'",
};
const SQLITE: Foreign = Foreign {
    name: "an SQLite database",
    help: "write a table as CSV: sqlite3 -header -csv {in} 'select * from TABLE' > {out}.csv",
};
const STATA: Foreign = Foreign {
    name: "a Stata file",
    help: "write it as CSV: python -c \"import pandas; pandas.read_stata('{in}').to_csv('{out}.csv', index=False)\"",
};
const SPSS: Foreign = Foreign {
    name: "an SPSS file",
    help: "write it as CSV: python -c \"import pandas; pandas.read_spss('{in}').to_csv('{out}.csv', index=False)\"",
};
const SAS: Foreign = Foreign {
    name: "a SAS file",
    help: "write it as CSV: python -c \"import pandas; pandas.read_sas('{in}').to_csv('{out}.csv', index=False)\"",
};
const ORC: Foreign = Foreign {
    name: "an ORC file",
    help: "write it as Parquet: python -c \"import pandas; pandas.read_orc('{in}').to_parquet('{out}.parquet')\"",
};
const OLD_FEATHER: Foreign = Foreign {
    name: "a Feather file of version 1",
    help: "write it as Parquet or Feather version 2: python -c \"import pandas; pandas.read_feather('{in}').to_parquet('{out}.parquet')\"",
};
const AVRO: Foreign = Foreign { name: "an Avro file", help: "write it as Parquet or CSV" };
const PDF: Foreign =
    Foreign { name: "a PDF document", help: "fetch the data behind it as CSV, or export the table" };
const WEB_PAGE: Foreign = Foreign {
    name: "a web page (HTML)",
    help: "fetch the file itself; on GitHub, the address behind the button Raw",
};
const XML: Foreign = Foreign {
    name: "an XML document",
    help: "if a server sent it, it may be an error message; fetch the data as CSV",
};
const LFS: Foreign =
    Foreign { name: "a pointer of Git LFS, not the data", help: "fetch the data with git lfs pull" };
const IMAGE: Foreign = Foreign {
    name: "an image",
    help: "write the pixels of all images as one matrix, a row per image, with numpy.save",
};
const SOUND: Foreign =
    Foreign { name: "a sound or video file", help: "write its features as one matrix with numpy.save" };
const TAR: Foreign = Foreign { name: "a tar archive", help: "unpack it: tar -xf {in}" };
const SEVEN_ZIP: Foreign = Foreign { name: "a 7-Zip archive", help: "unpack it: 7z x {in}" };
const RAR: Foreign = Foreign { name: "a RAR archive", help: "unpack it: unrar x {in}" };
const LZ4: Foreign = Foreign {
    name: "a file packed with lz4",
    help: "unpack it: lz4 -d {in} {out}, or pack it with gzip, zstd, xz or bzip2",
};
const COMPRESS: Foreign = Foreign { name: "a file packed with compress", help: "unpack it: gzip -d {in}" };
const PROGRAM: Foreign = Foreign { name: "a program", help: "give a file with data" };
const UNKNOWN: Foreign = Foreign {
    name: "a binary file of a format that is not known",
    help: "known are CSV and its kin, Excel, JSON, NPY, NPZ, Parquet, Arrow, ARFF, svmlight and AnnData; the file may be damaged",
};
const UTF16: Foreign = Foreign {
    name: "a text in UTF-16 without a byte-order mark",
    help: "convert it: iconv -f UTF-16LE -t utf-8 {in} > {out}.utf8.csv",
};
const UTF16_BE: Foreign =
    Foreign { help: "convert it: iconv -f UTF-16BE -t utf-8 {in} > {out}.utf8.csv", ..UTF16 };

/// The first bytes of formats.
const MAGIC: [(&[u8], Foreign); 32] = [
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", EXCEL),
    (b"MATLAB 5.0 MAT-file", MATLAB),
    (b"RDX2\n", R_WORKSPACE),
    (b"RDX3\n", R_WORKSPACE),
    (b"RDA2\n", R_WORKSPACE),
    (b"RDA3\n", R_WORKSPACE),
    (b"X\n\0\0\0", R_OBJECT),
    (b"A\n2\n", R_OBJECT),
    (b"A\n3\n", R_OBJECT),
    (b"SQLite format 3\0", SQLITE),
    (b"<stata_dta>", STATA),
    (b"$FL2", SPSS),
    (b"$FL3", SPSS),
    (b"HEADER RECORD*******LIBRARY", SAS),
    (b"ORC", ORC),
    (b"FEA1", OLD_FEATHER),
    (b"Obj\x01", AVRO),
    (b"%PDF-", PDF),
    (b"version https://git-lfs.github.com/spec/", LFS),
    (b"\x89PNG\r\n\x1a\n", IMAGE),
    (b"\xff\xd8\xff", IMAGE),
    (b"GIF87a", IMAGE),
    (b"GIF89a", IMAGE),
    (b"II*\0", IMAGE),
    (b"MM\0*", IMAGE),
    (b"RIFF", SOUND),
    (b"7z\xbc\xaf\x27\x1c", SEVEN_ZIP),
    (b"Rar!\x1a\x07", RAR),
    (b"\x04\x22\x4d\x18", LZ4),
    (b"\x1f\x9d", COMPRESS),
    (b"\x7fELF", PROGRAM),
    (b"MZ\x90\0", PROGRAM),
];

/// The first bytes of a SAS table after its zeros.
const SAS_MAGIC: [u8; 4] = [0xc2, 0xea, 0x81, 0x60];

/// Recognises a format that is not read by the first bytes of a file, unpacked.
pub(crate) fn recognise(head: &[u8]) -> Option<Foreign> {
    if let Some((magic, found)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        // These few letters may well start a text.
        let binary = !matches!(*magic, b"ORC" | b"RIFF" | b"A\n2\n" | b"A\n3\n") || head.contains(&0);
        let image = head.get(8..12) == Some(b"WEBP");
        return binary.then_some(if *found == SOUND && image { IMAGE } else { *found });
    }
    if head.get(257..262) == Some(b"ustar") {
        return Some(TAR);
    }
    if head.get(..12).is_some_and(|start| start == [0; 12]) && head.get(12..16) == Some(&SAS_MAGIC) {
        return Some(SAS);
    }
    match head {
        // Pickles of protocol 2 and later give their version, and begin with a frame, an object or a container.
        [0x80, 2..=5, 0x95 | b'c' | b'}' | b']' | b'(' | b'q' | b'X' | 0x8c, ..] => Some(PICKLE),
        [b'B', b'M', ..] if head.get(6..10) == Some(&[0; 4]) => Some(IMAGE),
        // Old Stata files: version, byte order, file type, unused.
        [0x71..=0x73, 1 | 2, 1, 0, ..] => Some(STATA),
        _ => markup(head).or_else(|| utf16(head)).or_else(|| is_binary(head).then_some(UNKNOWN)),
    }
}

/// UTF-16 without a byte-order mark: of each two bytes the same one is often zero, and the other one never.
fn utf16(head: &[u8]) -> Option<Foreign> {
    const SHARE: usize = 4;
    let (pairs, _) = head.as_chunks::<2>();
    let zeros = |place: usize| pairs.iter().filter(|pair| pair[place] == 0).count();
    let is_control = |pair: &&[u8; 2]| {
        pair.contains(&0) && pair.iter().any(|&byte| byte < 32 && byte != 0 && !byte.is_ascii_whitespace())
    };
    if pairs.len() < 8 || pairs.iter().any(|pair| is_control(&pair)) {
        return None;
    }
    match (zeros(0), zeros(1)) {
        (0, low) if SHARE * low > pairs.len() => Some(UTF16),
        (high, 0) if SHARE * high > pairs.len() => Some(UTF16_BE),
        _ => None,
    }
}

/// Web pages and XML.
fn markup(head: &[u8]) -> Option<Foreign> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let starts = |known: &str| {
        text.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()))
    };
    if ["<!doctype html", "<html", "<head", "<body"].into_iter().any(starts) {
        return Some(WEB_PAGE);
    }
    if !starts("<?xml") {
        return None;
    }
    let html = text.windows(5).take(1 << 10).any(|window| window.eq_ignore_ascii_case(b"<html"));
    Some(if html { WEB_PAGE } else { XML })
}

/// Whether there are zero bytes together with other control characters or bytes that are not text. A text whose only such bytes
/// are zeros is judged where its lines are known, and so is UTF-16.
fn is_binary(head: &[u8]) -> bool {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return false;
    }
    let zeros = head.iter().filter(|&&byte| byte == 0).count();
    let control = head.iter().any(|&byte| byte < 32 && byte != 0 && !byte.is_ascii_whitespace());
    zeros > 0
        && (control
            || zeros * 4 > head.len()
            || std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some()))
}

/// What an archive without arrays is, by the names of its members.
pub(crate) fn archive(names: &[String]) -> Option<Foreign> {
    let any = |known: &str| names.iter().any(|name| name.starts_with(known));
    if any("xl/") {
        Some(EXCEL)
    } else if any("word/") || any("ppt/") {
        Some(OFFICE)
    } else if any("content.xml") && any("mimetype") {
        Some(SPREADSHEET)
    } else if names.iter().any(|name| name.ends_with("/data.pkl") || name == "data.pkl") {
        Some(PYTORCH)
    } else {
        None
    }
}

impl Foreign {
    /// Whether the format has a name.
    pub(crate) fn is_known(self) -> bool {
        self != UNKNOWN
    }

    /// Whether it is a workbook of Excel or OpenDocument.
    pub(crate) fn is_workbook(self) -> bool {
        self == EXCEL || self == SPREADSHEET
    }

    /// The error that names the format, with the line that converts it.
    pub(crate) fn refuse(self, path: &Path) -> ReadError {
        ReadError::new(format!("this is {}; clmatch does not read it", self.name)).help(self.help(path))
    }

    /// The error for a file of this format that cannot be read.
    #[cfg(feature = "excel")]
    pub(crate) fn unreadable(self, path: &Path, error: impl std::fmt::Display) -> ReadError {
        ReadError::new(format!("this is {} that cannot be read: {error}", self.name)).help(self.help(path))
    }

    fn help(self, path: &Path) -> String {
        let (file, out) = names(path);
        self.help.replace("{in}", &file).replace("{out}", &out)
    }
}

/// The file, and the start of the name of another one, as they can be typed; placeholders if they would need quotes.
fn names(path: &Path) -> (String, String) {
    let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "-_./+@%".contains(c));
    let stem = || Some(path.with_extension("").to_str()?.to_owned());
    match (path.to_str(), stem()) {
        (Some(file), Some(stem)) if file != "-" && plain(file) => (file.to_owned(), stem),
        _ => ("FILE".to_owned(), "FILE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(head: &[u8], file: &str) -> (String, String) {
        let error = recognise(head).unwrap_or_else(|| panic!("{head:?}")).refuse(Path::new(file));
        (error.what, error.advice.unwrap().to_string())
    }

    #[test]
    fn files_are_named_with_a_line_that_converts_them() {
        let (what, help) = refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a/glass.xls");
        assert_eq!(what, "this is an Excel workbook; clmatch does not read it");
        let python = "python -c \"import pandas; pandas.read_excel('a/glass.xls').to_csv('a/glass.csv', index=False)\"";
        assert_eq!(help, format!("export the sheet as CSV, or: {python}"));
        let (_, help) = refused(b"SQLite format 3\0", "it's here.db");
        assert_eq!(help, "write a table as CSV: sqlite3 -header -csv FILE 'select * from TABLE' > FILE.csv");
        assert!(refused(b" <!DOCTYPE html><html>", "iris.csv").0.contains("a web page"));
        assert!(refused(b"\x80\x04\x95\x10\0", "x.pkl").0.contains("a Python pickle"));
        assert!(refused(b"RIFF\x10\0\0\0WEBPVP8 ", "x.csv").0.contains("an image"));
        assert!(refused(&[1, 2, 0, 0, 9, 200, 0], "x.csv").0.contains("a binary file of a format"));
    }

    #[test]
    fn text_is_left_alone() {
        for text in [
            &b"a,b\n1,2\n"[..],
            b"ORC,ELF\n1,2\n",
            b"RIFF,b\n1,2\n",
            b"BM,MZ\n1,2\n",
            b"A\n2\n3\n",
            b"X\n1\n2\n",
            b"x\xe4y,b\n1,2\n",
            b"a,b\n1,\0\n",
            b"\xff\xfea\0,\0b\0",
            b"<5,>7\n1,2\n",
            b"",
        ] {
            assert_eq!(recognise(text), None, "{text:?}");
        }
    }
}
