//! Writing a file so that nobody ever finds half of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is written aside and gets its name when it is whole. Should anything fail, or should it be dropped before, what
/// had the name keeps it.
#[derive(Debug)]
pub(crate) struct WholeFile {
    file: Option<BufWriter<File>>,
    /// The file beside the one that is wanted; none for a device or a pipe, which has no whole and no half.
    aside: Option<PathBuf>,
    path: PathBuf,
}

impl WholeFile {
    /// Begins to write. The folder must be there, and the name must not be a folder's.
    pub(crate) fn create(path: &Path) -> io::Result<WholeFile> {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(found) if !found.is_file() => {
                let file = BufWriter::new(File::options().write(true).open(path)?);
                return Ok(WholeFile { file: Some(file), aside: None, path: path.to_owned() });
            }
            Ok(_) | Err(_) => {}
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        // Two processes may write the same file at the same time: the later one wins, and neither writes into the other's.
        name.push(format!(".{}.partial", std::process::id()));
        let aside = path.with_file_name(name);
        let file = BufWriter::new(File::create(&aside)?);
        Ok(WholeFile { file: Some(file), aside: Some(aside), path: path.to_owned() })
    }

    /// Waits until the disk has the file, and gives it its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            let whole = file.into_inner().map_err(io::IntoInnerError::into_error);
            let renamed = whole.and_then(|file| match &self.aside {
                Some(aside) => {
                    file.sync_all()?;
                    fs::rename(aside, &self.path)
                }
                None => Ok(()),
            });
            renamed.inspect_err(|_| self.remove())?;
        }
        Ok(())
    }

    fn remove(&self) {
        // Half a file would only take room, which may be what was missing.
        let _ = self.aside.as_ref().map(fs::remove_file);
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            self.remove();
        }
    }
}

/// Writes a file aside, waits until the disk has it, and gives it its name. Should anything fail, what had the name
/// before keeps it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("emilia-whole-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        let mut given_up = WholeFile::create(&path).unwrap();
        given_up.write_all(b"third").unwrap();
        drop(given_up);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert!(write_whole(&folder, b"a folder is not replaced").is_err());
        assert!(write_whole(&folder.join("none/file"), b"").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(&folder).unwrap();
    }
}
