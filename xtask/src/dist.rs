//! `cargo xtask dist`: builds the files of a release in `target/dist`: the archive with the command, its manual pages and
//! completions; the wheel; the list of everything that was compiled in; checksums.

mod archive;
mod sbom;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::python::Environment;
use crate::shell::{cargo, output, run, target};

/// The profile for released files.
const PROFILE: &str = "shipped";

pub fn write() -> Result<(), String> {
    let folder = target().join("dist");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let metadata = sbom::metadata()?;
    let version = sbom::version(&metadata)?;

    println!("building the command");
    run(cargo().args(["build", "--profile", PROFILE, "--locked", "--bin", "clmatch"]))?;
    let name = format!("clmatch-{version}-{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let archive = archive::write(&folder, &name)?;
    println!("{}: {}", archive.display(), needs(&archive::command())?);

    let environment = Environment::prepare("python-dist", "python/requirements-dist.txt", &[])?;
    let wheel = environment.build_wheel(PROFILE)?;
    let wheel_name = wheel.file_name().ok_or("a wheel without a name")?;
    fs::copy(&wheel, folder.join(wheel_name)).map_err(failed(&wheel))?;

    let list = folder.join(format!("clmatch-{version}.cdx.json"));
    fs::write(&list, sbom::document(&metadata)?).map_err(failed(&list))?;
    write_checksums(&folder)?;
    for file in files(&folder)? {
        println!("{}", file.display());
    }
    Ok(())
}

/// Which version of the C library the command requires, from the version names in it.
fn needs(program: &Path) -> Result<String, String> {
    let bytes = fs::read(program).map_err(failed(program))?;
    let newest =
        bytes.windows(6).enumerate().filter(|(_, window)| window == b"GLIBC_").filter_map(|(at, _)| {
            let text: String = bytes[at + 6..]
                .iter()
                .map(|byte| char::from(*byte))
                .take_while(|c| c.is_ascii_digit() || *c == '.')
                .collect();
            let mut numbers = text.split('.').map_while(|number| number.parse::<u32>().ok());
            Some((numbers.next()?, numbers.next()?))
        });
    Ok(newest.max().map_or_else(
        || "asks for no version of glibc".to_owned(),
        |(major, minor)| format!("needs glibc {major}.{minor} or later"),
    ))
}

/// Writes a line for each file, as `sha256sum --check` reads it.
fn write_checksums(folder: &Path) -> Result<(), String> {
    let mut lines = String::new();
    for file in files(folder)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        lines.push_str(&format!("{}  {name}\n", checksum(&file)?));
    }
    let list = folder.join("SHA256SUMS");
    fs::write(&list, lines).map_err(failed(&list))
}

fn checksum(file: &Path) -> Result<String, String> {
    let mut reader = fs::File::open(file).map_err(failed(file))?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match reader.read(&mut piece).map_err(failed(file))? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            length => hash.update(&piece[..length]),
        }
    }
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(failed(folder))?;
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// What a program prints, or an error if it fails.
fn printed(command: &mut std::process::Command) -> Result<Vec<u8>, String> {
    let ended = output(command, true)?;
    if ended.success { Ok(ended.out) } else { Err(format!("{command:?} failed")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_sha256() {
        let folder = std::env::temp_dir().join(format!("clmatch-dist-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        fs::write(folder.join("abc"), "abc").expect("a file");
        write_checksums(&folder).expect("checksums");
        let list = fs::read_to_string(folder.join("SHA256SUMS")).expect("a list");
        let _ = fs::remove_dir_all(&folder);
        // The first example of FIPS 180-2.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc\n";
        assert_eq!(list, expected);
    }
}
