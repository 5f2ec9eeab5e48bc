//! A file that is only read, and seems to be written.

use parking_lot::Mutex;
use redb::StorageBackend;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes that are kept together where something was written.
const BLOCK: usize = 4096;

/// Where the library keeps its flags.
pub(super) const FLAGS: u64 = 9;
/// The flag of a file that is open for changes, or was left so.
pub(super) const LEFT_OPEN: u8 = 2;

/// A file for the book's library to check and mend as if it could be written: what is written stays in memory. It does not lock the file.
#[derive(Debug)]
pub(super) struct Overlay(Mutex<Contents>);

#[derive(Debug)]
struct Contents {
    file: File,
    /// The bytes of the file that count; behind them there are zeros.
    of_file: u64,
    length: u64,
    /// What was written, by the number of the block.
    written: BTreeMap<u64, Box<[u8; BLOCK]>>,
}

impl Overlay {
    pub(super) fn new(file: File) -> io::Result<Overlay> {
        let length = file.metadata()?.len();
        Ok(Overlay(Mutex::new(Contents { file, of_file: length, length, written: BTreeMap::new() })))
    }

    /// Makes a file of the library seem to be one that was closed.
    pub(super) fn seem_closed(&self) -> io::Result<()> {
        let mut flags = [0];
        self.read(FLAGS, &mut flags)?;
        self.write(FLAGS, &[flags[0] & !LEFT_OPEN])
    }
}

impl Contents {
    fn block(&mut self, number: u64) -> io::Result<Box<[u8; BLOCK]>> {
        if let Some(written) = self.written.get(&number) {
            return Ok(written.clone());
        }
        let mut block = Box::new([0; BLOCK]);
        let from = number * BLOCK as u64;
        let there = self.of_file.saturating_sub(from).min(BLOCK as u64) as usize;
        self.file.seek(SeekFrom::Start(from))?;
        self.file.read_exact(&mut block[..there])?;
        Ok(block)
    }

    /// Calls `each` with every block of a range of bytes: its number, where in it the range is, and where that part is in the range.
    fn blocks(
        &mut self,
        offset: u64,
        length: usize,
        mut each: impl FnMut(&mut Self, u64, usize, std::ops::Range<usize>) -> io::Result<()>,
    ) -> io::Result<()> {
        if offset.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut done = 0;
        while done < length {
            let at = offset + done as u64;
            let inside = (at % BLOCK as u64) as usize;
            let count = (BLOCK - inside).min(length - done);
            each(self, at / BLOCK as u64, inside, done..done + count)?;
            done += count;
        }
        Ok(())
    }
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.lock().blocks(offset, out.len(), |contents, number, inside, part| {
            let block = contents.block(number)?;
            out[part.clone()].copy_from_slice(&block[inside..inside + part.len()]);
            Ok(())
        })
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut contents = self.0.lock();
        contents.of_file = contents.of_file.min(length);
        let last = length / BLOCK as u64;
        contents.written.retain(|number, _| *number <= last);
        if let Some(block) = contents.written.get_mut(&last) {
            block[(length % BLOCK as u64) as usize..].fill(0);
        }
        contents.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.lock().blocks(offset, data.len(), |contents, number, inside, part| {
            let mut block = contents.block(number)?;
            block[inside..inside + part.len()].copy_from_slice(&data[part]);
            contents.written.insert(number, block);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::fs;

    #[test]
    fn it_reads_what_was_written_and_leaves_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut random = Random::new(4);
        let mut expected: Vec<u8> = (0..10_000).map(|_| random.below(256) as u8).collect();
        fs::write(&path, &expected).unwrap();
        let before = expected.clone();
        let overlay = Overlay::new(File::open(&path).unwrap()).unwrap();
        for round in 0..2000 {
            if round % 10 == 9 {
                let length = random.below(20_000);
                overlay.set_len(length as u64).unwrap();
                expected.resize(length, 0);
            }
            let from = random.below(expected.len() + 1);
            let length = random.below(expected.len() + 1 - from);
            let data = vec![round as u8; length.min(6000)];
            overlay.write(from as u64, &data).unwrap();
            expected[from..from + data.len()].copy_from_slice(&data);
            let mut found = vec![0; expected.len()];
            overlay.read(0, &mut found).unwrap();
            assert!(found == expected && overlay.len().unwrap() == expected.len() as u64, "{round}");
        }
        assert!(overlay.read(expected.len() as u64, &mut [0]).is_err() && overlay.write(u64::MAX, &[0]).is_err());
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}
