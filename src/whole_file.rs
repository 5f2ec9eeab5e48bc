//! Writing a file so that nobody ever finds half of it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file aside, waits until the disk has it, and gives it its name. Should anything fail, what had the name
/// before keeps it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    // Two processes may write the same file at the same time: the later one wins, and neither writes into the other's.
    name.push(format!(".{}.partial", std::process::id()));
    let aside = path.with_file_name(name);
    let written = File::create(&aside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&aside, path)
    });
    written.inspect_err(|_| {
        // Half a file would only take room, which may be what was missing.
        let _ = fs::remove_file(&aside);
    })
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
        assert!(write_whole(&folder, b"a folder is not replaced").is_err());
        assert!(write_whole(&folder.join("none/file"), b"").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(&folder).unwrap();
    }
}
