//! Games from the bytes of a file, one by one, each with the place that it comes from.
//!
//! One game that makes no sense costs itself alone: the next one is read as if nothing had been.

use crate::notation::ggf::{GgfGame, GgfResult};
use crate::notation::sgf::{SgfGame, is_sgf};
use crate::notation::wthor::{WthorFile, WthorGame};
use crate::notation::{NotationError, read_position};
use std::iter::from_fn;

/// Where a game stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The file, as the user calls it.
    pub file: String,
    /// The line that it begins on, from 1; 0 in files without lines.
    pub line: u64,
}

/// A game and what is known of it. GGF has room for all that the other formats say; a bare position is a game without turns.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceGame {
    /// Where it stands.
    pub origin: Origin,
    /// The game.
    pub record: GgfGame,
}

/// A game that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceError {
    /// Where it stands.
    pub origin: Origin,
    /// What is wrong with it.
    pub problem: String,
}

/// One game of a file, or why there is none.
pub type SourceItem = Result<SourceGame, SourceError>;

/// Games of a file.
pub type Games = Box<dyn Iterator<Item = SourceItem> + Send>;

/// The games of a file: GGF, SGF or WTHOR, or a transcript, a board or an OBF line on each line; which of them it is, its
/// content tells.
pub fn games(file: &str, bytes: Vec<u8>) -> Games {
    let file = file.to_owned();
    // No text has such a byte, and a header of WTHOR always has some.
    if bytes.iter().take(16).any(|&byte| byte == 0) {
        return wthor(file, &bytes);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || c == '\u{feff}');
    if begin.starts_with('(') { records(file, text) } else { lines(file, text) }
}

fn wthor(file: String, bytes: &[u8]) -> Games {
    let origin = move || Origin { file: file.clone(), line: 0 };
    match WthorFile::parse(bytes) {
        Ok(base) => {
            let game = move |game: WthorGame| match game.broken {
                Some(broken) => Err(SourceError { origin: origin(), problem: broken.to_string() }),
                None => {
                    let mut record = GgfGame::new(game.game);
                    (record.black, record.white) = (format!("player {}", game.black), format!("player {}", game.white));
                    record.result =
                        game.black_discs.map(|discs| GgfResult { score: 2.0 * f64::from(discs) - 64.0, ending: None });
                    if base.year > 0 {
                        record.date = base.year.to_string();
                    }
                    Ok(SourceGame { origin: origin(), record })
                }
            };
            Box::new(base.games.into_iter().map(game))
        }
        Err(error) => Box::new(std::iter::once(Err(SourceError { origin: origin(), problem: error.to_string() }))),
    }
}

/// A position or a transcript a line; a text that only makes sense as a whole, such as a diagram, is one.
fn lines(file: String, text: String) -> Games {
    let read = |text: &str| read_position(text).map(GgfGame::new);
    let content = |line: &str| {
        let line = line.trim_start_matches('\u{feff}').trim();
        (!line.is_empty() && !line.starts_with('%')).then(|| line.to_owned())
    };
    let origin = move |line: u64| Origin { file: file.clone(), line };
    let mut contents = text.lines().filter_map(content);
    let first_is_one = contents.next().is_none_or(|first| read(&first).is_ok());
    if !first_is_one && let Ok(record) = read(&text) {
        return Box::new(std::iter::once(Ok(SourceGame { origin: origin(1), record })));
    }
    let mut offset = 0;
    let mut number = 0;
    Box::new(from_fn(move || {
        while offset < text.len() {
            let rest = &text[offset..];
            let line = rest.split_inclusive('\n').next().unwrap_or(rest);
            offset += line.len();
            number += 1;
            let Some(line) = content(line) else { continue };
            return Some(match read(&line) {
                Ok(record) => Ok(SourceGame { origin: origin(number), record }),
                Err(error) => Err(SourceError {
                    origin: origin(number),
                    problem: format!("column {}: {}", error.column, error.problem),
                }),
            });
        }
        None
    }))
}

/// GGF and SGF: each game in parentheses.
fn records(file: String, text: String) -> Games {
    let mut offset = 0;
    let mut line = 1;
    Box::new(from_fn(move || {
        let begin = offset + text[offset..].find('(')?;
        line += newlines(&text[offset..begin]);
        let (first_line, length) = (line, record_length(&text[begin..]));
        offset = begin + length;
        line += newlines(&text[begin..offset]);
        let game = &text[begin..offset];
        let origin = Origin { file: file.clone(), line: first_line };
        Some(match record(game) {
            Ok(record) => Ok(SourceGame { origin, record }),
            Err(error) => {
                let at = first_line + error.line as u64 - 1;
                Err(SourceError { origin: Origin { line: at, ..origin }, problem: error.problem.to_string() })
            }
        })
    }))
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

/// The length in bytes of the record that begins here. Parentheses within values do not count.
fn record_length(text: &str) -> usize {
    // Only in SGF is a backslash more than itself.
    let escapes = is_sgf(text);
    let (mut depth, mut in_value, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_value && escapes => escaped = true,
            b']' => in_value = false,
            b'[' => in_value = true,
            b'(' if !in_value => depth += 1,
            b')' if !in_value => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn record(text: &str) -> Result<GgfGame, NotationError> {
    if !is_sgf(text) {
        return GgfGame::parse(text);
    }
    let sgf = SgfGame::parse(text)?;
    let mut record = GgfGame::new(sgf.game);
    record.result = sgf_result(&sgf.result);
    (record.black, record.white, record.date) = (sgf.black, sgf.white, sgf.date);
    Ok(record)
}

/// `B+12`, `W+4`, `0` or `Draw`.
fn sgf_result(text: &str) -> Option<GgfResult> {
    let score = match text.trim() {
        "0" | "Draw" => 0.0,
        text => {
            let (side, discs) = text.split_once('+')?;
            let discs: f64 = discs.parse().ok().filter(|discs| (0.0..=64.0).contains(discs))?;
            match side {
                "B" => discs,
                "W" => -discs,
                _ => return None,
            }
        }
    };
    Some(GgfResult { score, ending: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;

    fn read(text: &str) -> Vec<Result<(u64, usize), (u64, String)>> {
        games("f", text.as_bytes().to_vec())
            .map(|item| match item {
                Ok(game) => Ok((game.origin.line, game.record.game.turns().len())),
                Err(error) => Err((error.origin.line, error.problem)),
            })
            .collect()
    }

    #[test]
    fn records_are_told_apart_and_a_bad_one_costs_itself_alone() {
        let ggf =
            "\u{feff}2 (;GM[Othello]PB[a (b\nc]B[F5//1]W[D6];)\n\n(;GM[Othello]B[F5]\nW[A1];)(;GM[Othello]B[D3];)";
        let found = read(ggf);
        assert_eq!((&found[0], &found[2]), (&Ok((1, 2)), &Ok((5, 1))));
        let (line, problem) = found[1].clone().unwrap_err();
        assert!(line == 5 && problem.contains("a1 turns no disc"), "{line} {problem}");
        let sgf = "(;GM[2]SZ[8]RE[B+4]C[a \\] ) b];B[dc](;W[cc])(;W[ce]))\n(;GM[2];B[dc]";
        let found = read(sgf);
        assert_eq!(found[0], Ok((1, 2)));
        assert!(found[1].is_err() && found.len() == 2, "{found:?}");
        let first = games("f", sgf.as_bytes().to_vec()).next().unwrap().unwrap();
        assert_eq!(first.record.result.map(|result| result.score), Some(4.0));
    }

    #[test]
    fn lines_are_positions_or_transcripts() {
        let text = format!("% comment\n\nf5d6c3\r\n{}; f5:+0; % x\nf5f5\n{:#}", Position::START, "f5");
        let found = read(&text);
        assert_eq!((&found[0], &found[1], &found[3]), (&Ok((3, 3)), &Ok((4, 0)), &Ok((6, 1))));
        assert!(found[2].clone().unwrap_err().1.contains("column 3: f5 is occupied"), "{found:?}");
        let diagram = format!("{:#}", Position::START);
        assert_eq!(read(&diagram), [Ok((1, 0))]);
        assert_eq!(read(""), []);
        assert_eq!(read("(").len(), 1);
    }

    #[test]
    fn a_base_of_games_is_whole_or_refused() {
        let mut bytes = vec![0; 16 + 2 * 68];
        (bytes[4], bytes[10], bytes[11]) = (2, 0xd0, 0x07);
        (bytes[16 + 6], bytes[16 + 8], bytes[16 + 9]) = (40, 56, 64);
        bytes[16 + 68 + 8] = 11;
        let found: Vec<SourceItem> = games("w", bytes.clone()).collect();
        let first = found[0].as_ref().unwrap();
        assert_eq!((first.record.game.turns().len(), first.record.date.as_str()), (2, "2000"));
        assert_eq!(first.record.result.map(|result| result.score), Some(16.0));
        assert!(found[1].as_ref().unwrap_err().problem.starts_with("move 1: a1"), "{found:?}");
        bytes.truncate(100);
        let found: Vec<SourceItem> = games("w", bytes).collect();
        assert!(found.len() == 1 && found[0].as_ref().unwrap_err().problem.contains("100 bytes"), "{found:?}");
    }
}
