//! Files that appear whole or not at all: a temporary file beside the target is written and then renamed, so that an interrupt
//! leaves either the old file or the new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is being written.
pub(crate) struct WholeFile {
    /// The path at which it will appear.
    place: PathBuf,
    /// The path at which it is written until then; `None` for a device or a pipe, which is written directly and never replaced.
    neighbour: Option<PathBuf>,
}

impl WholeFile {
    /// A file at `path`; if that is a link, the file that it leads to.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let (place, replaced) = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(io::Error::other("this is a folder")),
            Ok(there) if there.is_file() => (fs::canonicalize(path)?, true),
            Ok(_) => (path.to_owned(), false),
            Err(_) => (path.to_owned(), true),
        };
        let mut name =
            place.file_name().ok_or_else(|| io::Error::other("this is not the name of a file"))?.to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let neighbour = replaced.then(|| place.with_file_name(name));
        Ok(WholeFile { place, neighbour })
    }

    /// Opens the file to write to.
    pub(crate) fn create(&self) -> io::Result<File> {
        match &self.neighbour {
            Some(neighbour) => File::create(neighbour),
            None => File::options().write(true).open(&self.place),
        }
    }

    /// Moves the file to its place.
    pub(crate) fn appear(&self) -> io::Result<()> {
        self.neighbour.as_ref().map_or(Ok(()), |neighbour| fs::rename(neighbour, &self.place))
    }

    /// Removes what was written so far.
    pub(crate) fn discard(&self) {
        if let Some(neighbour) = &self.neighbour {
            let _ = fs::remove_file(neighbour);
        }
    }
}

/// Makes sure that a file is on the disk; a device has nothing to sync.
pub(super) fn keep(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// Writes a file that appears whole or not at all. Devices and pipes are written to directly.
///
/// # Errors
/// Those of the operating system.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = WholeFile::new(path)?;
    let written = file.create().and_then(|mut out| {
        out.write_all(bytes)?;
        keep(&out)
    });
    let appeared = written.and_then(|()| file.appear());
    if appeared.is_err() {
        file.discard();
    }
    appeared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_a_link_stays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        write_whole(&file, b"old").expect("written");
        write_whole(&file, b"new").expect("written");
        assert_eq!(fs::read(&file).expect("read"), b"new");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&file, &link).expect("a link");
            write_whole(&link, b"newer").expect("written");
            assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
            assert_eq!(fs::read(&file).expect("read"), b"newer");
        }
        assert!(write_whole(folder.path(), b"no").is_err());
        let left = fs::read_dir(folder.path()).expect("read").count();
        assert_eq!(left, if cfg!(unix) { 2 } else { 1 });
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_never_replaced() {
        use std::os::unix::fs::FileTypeExt;

        let null = Path::new("/dev/null");
        write_whole(null, b"nothing").expect("written");
        assert!(fs::metadata(null).expect("there").file_type().is_char_device());
    }
}
