//! Where a game ends and the next one begins, so that a damaged one does not take others with it.

use super::content::{Shape, behind_count, is_tag};
use crate::notation::transcript::parse_turns;
use std::str;

/// The length of the game that begins here, with what ends it; `None` if more must be seen, which is never so at the end of
/// the file. The bytes are not empty and begin with no blank.
pub(super) fn game_length(shape: Shape, bytes: &[u8], at_end: bool) -> Option<usize> {
    let found = match shape {
        Shape::Ggf => in_parentheses(bytes, at_end, false),
        Shape::Sgf => in_parentheses(bytes, at_end, true),
        Shape::Pgn => tags_and_moves(bytes, at_end),
        Shape::Lines => line(bytes, at_end),
        Shape::Whole | Shape::Wthor | Shape::Empty | Shape::Unknown => None,
    };
    found.or_else(|| at_end.then_some(bytes.len()))
}

/// A game of GGF or a game tree of SGF. It ends with its last parenthesis, or where another one clearly begins; what is no
/// game is one piece up to the next game.
fn in_parentheses(bytes: &[u8], at_end: bool, is_sgf: bool) -> Option<usize> {
    let opening = bytes.iter().position(|&byte| byte == b'(').filter(|&at| {
        // Before the parenthesis only the number of the games may stand.
        at <= 8 && str::from_utf8(&bytes[..at]).is_ok_and(|count| behind_count(&format!("{count}(")).is_some())
    });
    let (mut depth, mut in_value, mut escaped) = (0usize, false, false);
    let first = opening.unwrap_or(0);
    for (i, &byte) in bytes.iter().enumerate().skip(first) {
        if byte == b'\n' && begins_game(&bytes[i + 1..], is_sgf, at_end)? {
            return Some(i + 1);
        }
        if opening.is_none() {
            continue;
        }
        // A value may have anything in it, but hardly the beginning of a game.
        if i > first && byte == b'(' && bytes[i..].starts_with(b"(;GM[") {
            return Some(i);
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' if is_sgf && in_value => escaped = true,
            b']' => in_value = false,
            _ if in_value => {}
            b'[' => in_value = true,
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 || !is_sgf {
                    return Some(i + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// How far ahead the kind of a game is looked for.
const AHEAD: usize = 80;

/// Whether a line begins a game; `None` if more must be seen.
fn begins_game(line: &[u8], is_sgf: bool, at_end: bool) -> Option<bool> {
    let line = &line[..line.len().min(AHEAD)];
    let enough = at_end || line.len() == AHEAD || line.contains(&b'\n');
    let text = String::from_utf8_lossy(line);
    let first = text.lines().next().unwrap_or_default();
    let begins = behind_count(first).is_some_and(|record| {
        // Variations of SGF begin like games.
        record[1..].trim_start().starts_with(';')
            && (!is_sgf || record.split(')').next().is_some_and(|node| node.contains("GM[")))
    });
    if begins || enough { Some(begins) } else { None }
}

/// Tags and moves, up to the first tag behind the moves.
fn tags_and_moves(bytes: &[u8], at_end: bool) -> Option<usize> {
    let (mut start, mut has_moves) = (0, false);
    while start < bytes.len() {
        let end = bytes[start..].iter().position(|&byte| byte == b'\n').map(|newline| start + newline + 1);
        if end.is_none() && !at_end {
            return None;
        }
        let end = end.unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[start..end]);
        if is_tag(&text) {
            if has_moves {
                return Some(start);
            }
        } else if !text.trim().is_empty() && !text.starts_with(['%', '#', ';']) {
            has_moves = true;
        }
        start = end;
    }
    None
}

/// A line, and those below it whose move numbers follow from it.
fn line(bytes: &[u8], at_end: bool) -> Option<usize> {
    let line_end = |from: usize| bytes[from..].iter().position(|&byte| byte == b'\n').map(|newline| from + newline + 1);
    let mut end = line_end(0)?;
    let Some((1, mut next)) = move_numbers(&bytes[..end]) else { return Some(end) };
    loop {
        let rest = &bytes[end..];
        let blanks = rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let below = line_end(end + blanks).or(at_end.then_some(bytes.len()))?;
        match move_numbers(&bytes[end + blanks..below]) {
            Some((number, behind)) if number == next => (end, next) = (below, behind),
            _ => return Some(end),
        }
    }
}

/// The number that a line of moves begins with, and the number of the move that follows. A list of games may be numbered too.
fn move_numbers(line: &[u8]) -> Option<(usize, usize)> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number: u16 = str::from_utf8(&line[..digits]).ok()?.parse().ok()?;
    let turns = parse_turns(str::from_utf8(line).ok()?).ok().filter(|turns| !turns.is_empty())?;
    Some((number.into(), usize::from(number) + turns.len().div_ceil(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a text into its games, and checks that seeing it bit by bit gives the same.
    fn cut(shape: Shape, text: &str) -> Vec<&str> {
        let mut games = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let length = game_length(shape, rest.as_bytes(), true).unwrap();
            for end in 1..rest.len() {
                let early = game_length(shape, &rest.as_bytes()[..end], false);
                assert!(
                    early.is_none() || early == Some(length),
                    "{:?}: {early:?}, not {length}",
                    &rest.as_bytes()[..end]
                );
            }
            games.push(rest[..length].trim_end());
            rest = rest[length..].trim_start();
        }
        games
    }

    #[test]
    fn games_in_parentheses_are_cut() {
        let cut = |text| cut(Shape::Ggf, text);
        assert_eq!(
            cut("1 (;GM[Othello]CO[a)b];)\n2 (;B[f5];)(;B[f5];)"),
            ["1 (;GM[Othello]CO[a)b];)", "2 (;B[f5];)", "(;B[f5];)"]
        );
        // A bracket that is not closed, at the end of a line and within it; an end that is missing; junk.
        assert_eq!(cut("(;PB[a;)\n(;PB[b];)"), ["(;PB[a;)", "(;PB[b];)"]);
        assert_eq!(cut("(;PB[a;)(;GM[Othello];)"), ["(;PB[a;)", "(;GM[Othello];)"]);
        assert_eq!(cut("(;PB[a]\n 2 (;PB[b];)"), ["(;PB[a]\n 2 (;PB[b];)"]);
        assert_eq!(cut("(;PB[a]\n2 (;PB[b];)"), ["(;PB[a]", "2 (;PB[b];)"]);
        assert_eq!(cut("junk (here)\nmore\n(;PB[b];)"), ["junk (here)\nmore", "(;PB[b];)"]);
    }

    #[test]
    fn game_trees_are_cut() {
        let cut = |text| cut(Shape::Sgf, text);
        assert_eq!(
            cut("(;GM[2];B[dc]\n(;W[cc])\n(;W[ce]C[\\])]))(;GM[2])"),
            ["(;GM[2];B[dc]\n(;W[cc])\n(;W[ce]C[\\])]))", "(;GM[2])"]
        );
        assert_eq!(cut("(;GM[2]PB[x\n(;FF[4]GM[2])"), ["(;GM[2]PB[x", "(;FF[4]GM[2])"]);
    }

    #[test]
    fn tagged_games_are_cut() {
        let games = "[A \"1\"]\n% a comment\n[B \"2\"]\n\n1. f5 {[%x] \n[not a tag]}\n2. c3\n\n[A \"2\"]\n\n[C \"3\"]\nf5 {never closed\n[A \"3\"]\n";
        assert_eq!(
            cut(Shape::Pgn, games),
            [
                "[A \"1\"]\n% a comment\n[B \"2\"]\n\n1. f5 {[%x] \n[not a tag]}\n2. c3",
                "[A \"2\"]\n\n[C \"3\"]\nf5 {never closed",
                "[A \"3\"]"
            ]
        );
    }

    #[test]
    fn lines_are_cut_and_numbered_moves_held_together() {
        let cut = |text| cut(Shape::Lines, text);
        assert_eq!(cut("f5d6\nf5f6\n"), ["f5d6", "f5f6"]);
        assert_eq!(cut("1. f5 d6\n2. c3 d3\n\n3. c4\n1. f5 f6\nf5"), ["1. f5 d6\n2. c3 d3\n\n3. c4", "1. f5 f6", "f5"]);
        assert_eq!(cut("1 F5 D6\n2 C3 D3\n1 f5 d6 2 c3\n"), ["1 F5 D6\n2 C3 D3", "1 f5 d6 2 c3"]);
        assert_eq!(cut("1 f5\n2 d6\n3 c3 d3 4 c4\n5 f4"), ["1 f5\n2 d6\n3 c3 d3 4 c4\n5 f4"]);
    }

    #[test]
    fn the_games_of_a_numbered_list_are_cut() {
        for list in [
            ["1 f5d6c3", "2 f5d6c4", "3 f5f6e6"],
            ["1. f5d6c3", "2. f5d6c4", "3) f5f6e6"],
            ["1\tf5d6c3d3", "2\tf5d6c4", "3\tf5f6"],
            ["7 f5d6", "8 f5f6", "9 f5f4"],
            ["12", "12 f5d6", "65536 f5d6"],
        ] {
            assert_eq!(cut(Shape::Lines, &list.join("\n      ")), list);
        }
    }
}
