//! `loadsgf`: a game from a file.

use super::game::GtpGame;
use super::reply::Failure;
use crate::notation::sgf;
use std::fs::{self, File};
use std::io::{self, Read};

/// The most bytes of a game record.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the game in a file, up to the move before the one with this number: discs count from 1, passes do not.
pub(super) fn load(path: &str, before: Option<u32>) -> Result<GtpGame, Failure> {
    let text = read(path).map_err(|error| Failure::CannotLoad(error.to_string()))?;
    let record = sgf::parse(&text).map_err(|error| Failure::CannotLoad(error.to_string()))?.record;
    let record = match before {
        Some(number) => record.until(number.saturating_sub(1)),
        None => record,
    };
    Ok(GtpGame::from_record(record))
}

fn read(path: &str) -> io::Result<String> {
    // A device or a pipe could keep the session waiting for ever.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("too large for the record of a game"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_most_bytes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        for (bytes, is_read) in [(MAX_BYTES, true), (MAX_BYTES + 1, false)] {
            file.as_file().set_len(bytes).unwrap();
            assert_eq!(read(path).is_ok(), is_read, "{bytes} bytes");
        }
    }
}
