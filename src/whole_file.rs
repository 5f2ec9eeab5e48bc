//! Writing a file so that nobody ever finds half of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, TempPath};

/// What a path names, for writing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// A device, a pipe or an open file (`/dev/stdout`): it is written as it is, and nothing takes its place.
    InPlace,
    /// A file, there or not, by the path at the end of all symbolic links.
    File(PathBuf),
}

/// The most symbolic links from one to the next, as in Linux.
const MOST_LINKS: usize = 40;

impl Destination {
    /// What this path names.
    ///
    /// # Errors
    /// If it is a folder, or if the system cannot tell.
    pub(crate) fn of(path: &Path) -> io::Result<Destination> {
        if cfg!(windows) && is_device_of_windows(path) {
            return Ok(Destination::InPlace);
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Ok(Destination::InPlace),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => {}
        }
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let Ok(target) = fs::read_link(&path) else { break };
            let folder = folder(&path);
            // The links in there are no paths but open files, of which each has its place and its mode.
            if cfg!(target_os = "linux") && fs::canonicalize(folder).is_ok_and(|folder| folder.starts_with("/proc")) {
                return Ok(Destination::InPlace);
            }
            path = folder.join(target);
        }
        Ok(Destination::File(path))
    }
}

/// Whether Windows takes a path for a device, of which it tells nothing. Windows 10 takes these names for devices with a folder and an ending, too: there
/// `nul.sgf` is written nowhere.
fn is_device_of_windows(path: &Path) -> bool {
    ["NUL", "CON", "CONOUT$"].iter().any(|device| path.as_os_str().eq_ignore_ascii_case(device))
}

/// Why the system refused, in the program's words where it is the usual reason.
pub(crate) fn why(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound if error.get_ref().is_none() => "not found".to_owned(),
        ErrorKind::IsADirectory if error.get_ref().is_none() => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

/// An error that names the folder of a file to be written, if it is not there.
pub(crate) fn expect_folder(path: &Path) -> io::Result<()> {
    let folder = folder(path);
    if folder.exists() {
        return Ok(());
    }
    Err(io::Error::new(
        ErrorKind::NotFound,
        format!("the folder '{}' is not there", folder.to_string_lossy().escape_debug()),
    ))
}

/// An error if a file is there that the user may not write. To replace it, the system would only ask whether the folder may be written.
fn expect_permission(path: &Path) -> io::Result<()> {
    match File::options().write(true).open(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error),
        _ => Ok(()),
    }
}

/// The folder that a path is in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that is written aside and gets its name when it is whole. Should anything fail, or should it be dropped before, what
/// had the name keeps it. What takes the place of another file has its permissions. [`Destination`] says what is not replaced.
#[derive(Debug)]
pub(crate) struct WholeFile {
    file: BufWriter<File>,
    /// If there is none, the bytes are where they are to be.
    aside: Option<Aside>,
}

/// Where the bytes are until the file is whole.
#[derive(Debug)]
enum Aside {
    /// In a file without a name, of which nothing is left if the process is killed, for the file of this path.
    #[cfg(target_os = "linux")]
    Nameless(PathBuf),
    /// In a file with a name, for the file of the second path.
    Named(TempPath, PathBuf),
}

impl WholeFile {
    /// Begins to write. The folder must be there, and the name must not be a folder's.
    pub(crate) fn create(path: &Path) -> io::Result<WholeFile> {
        let Destination::File(path) = Destination::of(path)? else {
            let file = BufWriter::new(File::options().append(true).open(path)?);
            return Ok(WholeFile { file, aside: None });
        };
        let permissions = fs::metadata(&path).ok().map(|found| found.permissions());
        expect_folder(&path)?;
        expect_permission(&path)?;
        let (file, aside) = open_aside(path)?;
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        Ok(WholeFile { file: BufWriter::new(file), aside: Some(aside) })
    }

    /// Waits until the disk has the file, and gives it its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let Some(aside) = self.aside else { return Ok(()) };
        file.sync_all()?;
        let (named, path) = match aside {
            #[cfg(target_os = "linux")]
            Aside::Nameless(path) => (linux::name(&file, folder(&path))?, path),
            Aside::Named(named, path) => (named, path),
        };
        named.persist(path).map_err(|error| error.error)
    }
}

fn open_aside(path: PathBuf) -> io::Result<(File, Aside)> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = linux::nameless(folder(&path)) {
        return Ok((file, Aside::Nameless(path)));
    }
    let (file, named) = aside().tempfile_in(folder(&path))?.into_parts();
    Ok((file, Aside::Named(named, path)))
}

fn aside() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".emilia-").suffix(".partial");
    #[cfg(unix)]
    {
        // What the user's mask leaves of everything; `tempfile` itself would let nobody else read.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(target_os = "linux")]
mod linux {
    //! Files without a name. Not every file system has them.

    use super::aside;
    use rustix::fs::{AtFlags, CWD, OFlags, linkat};
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::{Path, PathBuf};
    use tempfile::TempPath;

    fn path_of(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }

    /// A new file in this folder, if it can be given a name later.
    pub(super) fn nameless(folder: &Path) -> io::Result<File> {
        let file = File::options().write(true).custom_flags(OFlags::TMPFILE.bits() as i32).open(folder)?;
        path_of(&file).symlink_metadata().map(|_| file)
    }

    /// Gives it one. A link takes no other file's place, so this name is not yet the one that it is to have.
    pub(super) fn name(file: &File, folder: &Path) -> io::Result<TempPath> {
        let link = |path: &Path| Ok(linkat(CWD, path_of(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?);
        aside().make_in(folder, link).map(|named| named.into_temp_path())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
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

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        let mut given_up = WholeFile::create(&path).unwrap();
        given_up.write_all(b"third").unwrap();
        drop(given_up);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert!(write_whole(folder.path(), b"a folder is not replaced").is_err());
        assert!(write_whole(&folder.path().join("none/file"), b"").is_err());
        assert_eq!(names(folder.path()), ["file"], "nothing is left beside it");
    }

    #[test]
    fn a_file_written_aside_by_name_is_replaced_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for text in ["first", "second"] {
            let (file, named) = aside().tempfile_in(folder.path()).unwrap().into_parts();
            let mut whole = WholeFile { file: BufWriter::new(file), aside: Some(Aside::Named(named, path.clone())) };
            whole.write_all(text.as_bytes()).unwrap();
            assert_eq!(names(folder.path()).len(), 1 + usize::from(text == "second"));
            whole.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn devices_of_windows_are_known_by_their_names() {
        assert!(["NUL", "nul", "con"].iter().all(|name| is_device_of_windows(Path::new(name))));
        assert!(!["null", "nul.sgf", "games/nul"].iter().any(|name| is_device_of_windows(Path::new(name))));
        #[cfg(windows)]
        write_whole(Path::new("NUL"), b"gone").unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).unwrap();
        symlink("far/second", at("first")).unwrap();
        symlink("../target", at("far/second")).unwrap();
        for text in ["made", "replaced"] {
            write_whole(&at("first"), text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(at("target")).unwrap(), text);
            assert!(at("first").is_symlink() && at("far/second").is_symlink() && !at("target").is_symlink());
        }
        fs::set_permissions(at("target"), fs::Permissions::from_mode(0o640)).unwrap();
        write_whole(&at("first"), b"again").unwrap();
        assert_eq!(fs::metadata(at("target")).unwrap().permissions().mode() & 0o777, 0o640);
        fs::write(at("plain"), "").unwrap();
        write_whole(&at("new"), b"").unwrap();
        assert_eq!(at("new").metadata().unwrap().permissions(), at("plain").metadata().unwrap().permissions());
        symlink("round", at("round")).unwrap();
        assert!(write_whole(&at("round"), b"").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_may_not_be_written_is_not_replaced() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "precious").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        // The system lets its administrator write it.
        let is_refused = File::options().write(true).open(&path).is_err();
        assert_eq!(write_whole(&path, b"new").is_err(), is_refused);
        assert_eq!(fs::read_to_string(&path).unwrap() == "precious", is_refused);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_written_in_place() {
        for device in ["/dev/null", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            assert_eq!(Destination::of(Path::new(device)).unwrap(), Destination::InPlace, "{device}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = File::create(&path).unwrap();
        (&file).write_all(b"before ").unwrap();
        let open = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file)));
        write_whole(&open, b"after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before after");
    }
}
