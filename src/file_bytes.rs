//! The bytes of a file where they lie: mapped into memory, so that a file may be larger than the memory that is free.

use memmap2::Mmap;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file, or those that stand for one.
#[derive(Debug)]
pub enum FileBytes {
    /// Of a file on disk.
    Mapped(Mmap),
    /// Of a pipe, or of no file at all.
    Kept(Cow<'static, [u8]>),
}

impl FileBytes {
    /// Maps a file; what is no file on disk, such as a pipe, is read into memory.
    ///
    /// # Errors
    /// If it cannot be opened, mapped or read.
    pub fn open(path: &Path) -> io::Result<FileBytes> {
        let mut file = File::open(path)?;
        if file.metadata()?.is_file() {
            // SAFETY: the map is only read. Emilia writes files aside and renames them, so the bytes stay as they are as long as no other
            // program writes into the file; results that still grow are locked by who writes them, and only cut behind their whole lines.
            return Ok(FileBytes::Mapped(unsafe { Mmap::map(&file)? }));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(FileBytes::Kept(bytes.into()))
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            FileBytes::Mapped(map) => map,
            FileBytes::Kept(bytes) => bytes,
        }
    }
}
