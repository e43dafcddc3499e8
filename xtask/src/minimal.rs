//! The build without default features: it reads CSV and NPY, scores, and says what it was built without.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{cargo, output, root, run, target};

/// Builds the smallest command beside the artefacts of the other builds: what has the same features is built once. Only what reads
/// is built anew, without optimisation, as there is little to compute. Returns a copy of the command, which the next build replaces.
pub fn build() -> Result<PathBuf, String> {
    run(cargo()
        .args(["build", "--quiet", "--package", "clmatch-cli", "--no-default-features"])
        .args(["--features", "shared-builds"])
        .args(["--config", "profile.dev.package.clmatch-data.opt-level=0"]))?;
    let folder = target().join("minimal");
    let name = format!("clmatch{}", std::env::consts::EXE_SUFFIX);
    let copy = folder.join(&name);
    fs::create_dir_all(&folder)
        .and_then(|()| fs::copy(target().join("debug").join(&name), &copy))
        .map_err(|error| format!("{}: {error}", copy.display()))?;
    Ok(copy)
}

/// Runs the smallest command.
pub fn check(built: &Path) -> Result<(), String> {
    let folder = built.parent().unwrap_or(built);
    let clmatch = |words: &[&str]| {
        let ended = output(std::process::Command::new(built).args(words), false)?;
        Ok::<_, String>((ended.success, String::from_utf8_lossy(&ended.out).into_owned() + &ended.err))
    };
    let expect = |words: &[&str], success: bool, said: &str| {
        let (ended, text) = clmatch(words)?;
        if ended == success && text.contains(said) {
            Ok(())
        } else {
            Err(format!("clmatch {} does not say '{said}', but: {text}", words.join(" ")))
        }
    };
    let iris = root().join("crates/clmatch-data/data/iris.csv").display().to_string();
    expect(&["score", &iris, "--measures", "clm", "--format", "csv"], true, "0.850175626718")?;
    let place = |name: &str| folder.join(name).display().to_string();
    let foreign: [(&str, &[u8], &str); 4] = [
        ("x.parquet", b"PAR1\x15\x04", "cannot read Parquet"),
        ("x.h5ad", b"\x89HDF\r\n\x1a\n\0\0", "cannot read HDF5"),
        ("x.npz", b"PK\x03\x04\0\0", "cannot read a zip archive"),
        ("x.csv.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "cannot read gzip"),
    ];
    for (name, bytes, said) in foreign {
        fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"))?;
        expect(&["score", &place(name)], false, said)?;
        expect(&["score", &place(name)], false, "--features")?;
    }
    expect(&["serve"], false, "--features serve")?;
    expect(
        &["relabel", &iris, "-o", &place("y.parquet"), "--merge", "setosa,virginica"],
        false,
        "cannot write Parquet",
    )
}
