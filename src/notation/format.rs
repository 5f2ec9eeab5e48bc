//! The formats that files of games and positions have.

use strum::{Display, EnumString, VariantArray};
use thiserror::Error;

/// A format of games or positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = ParseFormatError, parse_err_fn = unknown)]
pub enum Format {
    /// The generic game format of GGS and NBoard: [`ggf`](crate::notation::ggf).
    Ggf,
    /// `GM[2]`, as Quarry saves it: [`sgf`](crate::notation::sgf).
    Sgf,
    /// As PlayOK writes it: [`pgn`](crate::notation::pgn).
    Pgn,
    /// A list of moves a line, from the standard start or behind a board: [`transcript`](crate::notation::transcript).
    Transcript,
    /// Logistello's logbook: [`logbook`](crate::notation::logbook).
    Logbook,
    /// Positions with the values of their moves, one a line: [`obf`](crate::notation::obf).
    Obf,
    /// The base of tournament games: [`wthor`](crate::notation::wthor).
    Wthor,
}

impl Format {
    /// The names of all formats, separated by commas.
    pub(super) fn names() -> String {
        Format::VARIANTS.iter().map(Format::to_string).collect::<Vec<_>>().join(", ")
    }

    /// The format that a file of this name is written in, by its ending.
    pub fn of_file_name(name: &str) -> Option<Format> {
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "ggf" => Format::Ggf,
            "sgf" => Format::Sgf,
            "pgn" => Format::Pgn,
            "txt" => Format::Transcript,
            "gam" => Format::Logbook,
            "obf" => Format::Obf,
            "wtb" => Format::Wthor,
            _ => return None,
        })
    }
}

/// The text names no format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected one of: {}", Format::names())]
pub struct ParseFormatError;

fn unknown(_: &str) -> ParseFormatError {
    ParseFormatError
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_formats_are_read() {
        for format in Format::VARIANTS {
            assert_eq!(format.to_string().parse(), Ok(*format));
        }
        assert!(ParseFormatError.to_string().starts_with("expected one of: ggf, sgf, pgn, "));
        assert_eq!(Format::of_file_name("a/WTH_2024.WTB"), Some(Format::Wthor));
        assert_eq!(Format::of_file_name("games"), None);
    }
}
