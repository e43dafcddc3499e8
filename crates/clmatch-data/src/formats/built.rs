//! Which formats and packings this build reads and writes, which depends on the features of the crate.

use crate::advice::Advice;
use crate::error::ReadError;
use crate::formats::detect::FileFormat;
use crate::packing::FilePacking;

/// What a format or a packing needs: a feature of the crate, and whether this build has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needed {
    what: &'static str,
    feature: &'static str,
    built: bool,
}

impl Needed {
    const fn new(what: &'static str, feature: &'static str, built: bool) -> Self {
        Needed { what, feature, built }
    }

    /// What is wrong and what to do, if this build lacks the feature; `doing` is "read" or "write".
    pub(crate) fn lacking(self, doing: &str) -> Option<(String, Advice)> {
        let Needed { what, feature, built } = self;
        let help = if doing == "read" { "convert the file to CSV or NPY" } else { "write CSV or NPY" };
        (!built).then(|| {
            let what = format!("this build of clmatch cannot {doing} {what}");
            (what, format!("build clmatch with `--features {feature}`, or {help}").into())
        })
    }

    /// Refuses to read if this build lacks the feature.
    pub(crate) fn check(self) -> Result<(), ReadError> {
        self.lacking("read").map_or(Ok(()), |(what, help)| Err(ReadError::new(what).help(help)))
    }
}

impl FileFormat {
    /// What this format needs beyond what every build has.
    pub(crate) fn needed(self) -> Option<Needed> {
        let (feature, built) = match self {
            FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream => {
                ("arrow", cfg!(feature = "arrow"))
            }
            FileFormat::Bin => ("gzip", cfg!(feature = "gzip")),
            FileFormat::Excel => ("excel", cfg!(feature = "excel")),
            FileFormat::Hdf5 => ("hdf5", cfg!(feature = "hdf5")),
            FileFormat::Zip => ("zip", cfg!(feature = "zip")),
            FileFormat::Npy
            | FileFormat::Json
            | FileFormat::Records
            | FileFormat::JsonLines
            | FileFormat::Arff
            | FileFormat::Svmlight
            | FileFormat::Text => return None,
        };
        Some(Needed::new(self.name(), feature, built))
    }
}

impl FilePacking {
    /// What this packing needs beyond what every build has.
    pub(crate) fn needed(self) -> Option<Needed> {
        match self {
            FilePacking::None => None,
            FilePacking::Gzip => Some(Needed::new("gzip", "gzip", cfg!(feature = "gzip"))),
            FilePacking::Zstd => Some(Needed::new("zstd", "zstd", cfg!(feature = "zstd"))),
            FilePacking::Xz => Some(Needed::new("xz", "xz", cfg!(feature = "xz"))),
            FilePacking::Bzip2 => Some(Needed::new("bzip2", "bzip2", cfg!(feature = "bzip2"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_lacks_is_named_with_its_feature() {
        assert!(Needed::new("Parquet", "arrow", true).check().is_ok());
        let error = Needed::new("Parquet", "arrow", false).check().expect_err("it is not built in");
        assert_eq!(error.to_string(), "this build of clmatch cannot read Parquet");
        let advice = error.advice.expect("it says what to do").to_string();
        assert_eq!(advice, "build clmatch with `--features arrow`, or convert the file to CSV or NPY");
        let (what, help) = Needed::new("xz", "xz", false).lacking("write").expect("it is not built in");
        assert_eq!(what, "this build of clmatch cannot write xz");
        assert_eq!(help.to_string(), "build clmatch with `--features xz`, or write CSV or NPY");
    }
}
