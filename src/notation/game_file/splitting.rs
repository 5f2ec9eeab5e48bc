//! Where a game ends and the next one begins, so that a damaged one does not take others with it.

use super::content::{Shape, is_comment, text_of};
use crate::notation::cursor::is_blank;
use crate::notation::ggf::{begins_in_parentheses, behind_count};
use crate::notation::pgn::tag_name;
use crate::notation::plain;
use crate::notation::transcript::parse_turns;
use crate::othello::{GameRecord, Move};
use std::collections::HashMap;
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
    // Variations of SGF begin like games.
    let begins =
        begins_in_parentheses(first) && (!is_sgf || first.split(')').next().is_some_and(|node| node.contains("GM[")));
    if begins || enough { Some(begins) } else { None }
}

/// Tags and moves, up to the first tag behind the moves. A game without moves ends where behind an empty line there are tags of which it has one.
fn tags_and_moves(bytes: &[u8], at_end: bool) -> Option<usize> {
    let (mut start, mut has_moves, mut in_comment) = (0, false, false);
    // Where tags were first, and where the lines begin that no empty one parts.
    let (mut tags, mut block) = (HashMap::new(), None);
    while start < bytes.len() {
        let end = bytes[start..].iter().position(|&byte| byte == b'\n').map(|newline| start + newline + 1);
        if end.is_none() && !at_end {
            return None;
        }
        let end = end.unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[start..end]);
        let is_empty = text.trim().is_empty();
        if let Some(name) = tag_name(&text) {
            if has_moves || in_comment {
                return Some(start);
            }
            let block = *block.get_or_insert(start);
            if *tags.entry(name.to_owned()).or_insert(start) < block {
                return Some(block);
            }
        } else if !has_moves && !is_empty {
            block.get_or_insert(start);
            has_moves = begins_moves(&text, &mut in_comment);
        } else if is_empty && !in_comment {
            block = None;
        }
        start = end;
    }
    None
}

/// Whether a line behind tags and comments begins the moves. Damaged tags are tags too. `in_comment`: whether a comment in braces is open before the
/// line, and behind it.
fn begins_moves(line: &str, in_comment: &mut bool) -> bool {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(is_blank);
        if *in_comment {
            let Some((_, behind)) = rest.split_once('}') else { return false };
            (rest, *in_comment) = (behind, false);
        } else if let Some(behind) = rest.strip_prefix('{') {
            (rest, *in_comment) = (behind, true);
        } else {
            return !rest.is_empty() && !rest.starts_with(['[', '%', '#', ';']);
        }
    }
}

/// A line, and those below it whose move numbers follow from it. Lines that cannot be played one after another, but each from the start, are a
/// numbered list of games.
fn line(bytes: &[u8], at_end: bool) -> Option<usize> {
    let line_end = |from: usize| bytes[from..].iter().position(|&byte| byte == b'\n').map(|newline| from + newline + 1);
    let first = line_end(0)?;
    let Some(mut line) = numbered_turns(&bytes[..first]).filter(|line| line.number == 1) else { return Some(first) };
    let mut end = first;
    let mut game = played(GameRecord::default(), &line.turns);
    let mut is_list = game.is_some();
    loop {
        let mut start = end;
        let below = loop {
            let rest = &bytes[start..];
            start += rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
            let below = line_end(start).or(at_end.then_some(bytes.len()))?;
            if !is_comment(&text_of(&bytes[start..below])) {
                break below;
            }
            start = below;
        };
        let next = line.number + line.turns.len().div_ceil(2);
        let is_whole = line.has_result;
        let Some(found) = numbered_turns(&bytes[start..below]).filter(|line| line.number == next) else {
            return Some(end);
        };
        (line, end) = (found, below);
        game = game.filter(|_| !is_whole).and_then(|game| played(game, &line.turns));
        is_list = is_list && played(GameRecord::default(), &line.turns).is_some();
        if game.is_none() && is_list {
            return Some(first);
        }
    }
}

/// A line of moves that begins with a number: of its first move, or of a game in a list.
struct NumberedTurns {
    number: usize,
    turns: Vec<Move>,
    /// Whether disc counts such as `37-27` end the line.
    has_result: bool,
}

fn numbered_turns(line: &[u8]) -> Option<NumberedTurns> {
    line.first().filter(|byte| byte.is_ascii_digit() || !byte.is_ascii())?;
    let moves = text_of(line.split(|&byte| byte == b'%').next()?);
    let moves = plain(&moves);
    let digits = moves.len() - moves.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: u16 = moves[..digits].parse().ok()?;
    let turns = parse_turns(&moves).ok().filter(|turns| !turns.is_empty())?;
    let last = moves.split_whitespace().next_back().and_then(|word| word.split_once('-'));
    let has_result = last.is_some_and(|(black, _)| black.parse::<u16>().is_ok());
    Some(NumberedTurns { number: number.into(), turns, has_result })
}

/// A game with further turns, if they are legal.
fn played(mut game: GameRecord, turns: &[Move]) -> Option<GameRecord> {
    turns.iter().all(|turn| game.take_with_implied_pass(*turn).is_ok()).then_some(game)
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
    fn games_without_moves_are_cut_at_tags_that_they_have() {
        for games in [
            &["[A \"1\"]\n[B \"1\"]", "[A \"2\"]\n[B \"2\"]\n\n1. f5 37-27"][..],
            &["[A \"1\"]", "% c\n[B \"2\"]\n; d\n[A \"2\"]", "[A \"3\"]"],
            &["[A \"1\"]\n[A \"2\"]\n\n[B \"2\"]\n\n1. f5"],
            &["[A \"1\"]\n\n{ a\n\nb } [B-C \"2\"]\n[B \"2\"]", "[A \"2\"]"],
        ] {
            assert_eq!(cut(Shape::Pgn, &games.join("\n\n")), games);
        }
    }

    #[test]
    fn comments_and_damaged_tags_are_no_moves() {
        for game in [
            "{ archive of ada }\n[A \"1\"]\n\n1. f5",
            "{ archive\n\nof { ada } ; and bob\n{}{} [x\n[A \"1\"]\n\n1. f5",
            "[A \"1\"]\n[A-B \"1\"]\n[\u{e9} \"1\"]\n[C 1]\n[D \"2\n[E \"3\"]\n\n1. f5",
        ] {
            assert_eq!(cut(Shape::Pgn, &format!("{game}\n[A \"2\"]\n")), [game, "[A \"2\"]"]);
        }
        assert_eq!(cut(Shape::Pgn, "{ never closed\n[A \"1\"]"), ["{ never closed", "[A \"1\"]"]);
        assert_eq!(cut(Shape::Pgn, "{ of a day } 1. f5\n[A \"1\"]"), ["{ of a day } 1. f5", "[A \"1\"]"]);
        assert_eq!(cut(Shape::Pgn, "[A \"1\"]\n\n1. f5 *\n\x1a[A \"2\"]"), ["[A \"1\"]\n\n1. f5 *", "\x1a[A \"2\"]"]);
    }

    #[test]
    fn lines_are_cut_and_numbered_moves_held_together() {
        assert_eq!(cut(Shape::Lines, "f5d6\nf5f6\n"), ["f5d6", "f5f6"]);
        assert_eq!(
            cut(Shape::Lines, "1. f5 d6\n2. c3 d3\n\n3. c4\n1. f5 f6\nf5"),
            ["1. f5 d6\n2. c3 d3\n\n3. c4", "1. f5 f6", "f5"]
        );
        assert_eq!(cut(Shape::Lines, "1 F5 D6\n2 C3 D3\n1 f5 d6 2 c3\n"), ["1 F5 D6\n2 C3 D3", "1 f5 d6 2 c3"]);
        assert_eq!(cut(Shape::Lines, "1 f5\n2 d6\n3 c3 d3 4 c4\n5 f4"), ["1 f5\n2 d6\n3 c3 d3 4 c4\n5 f4"]);
        // Comments, and moves that are no good.
        for game in [
            "1. f5 d6 % 1. e4\n2. c3 d3",
            "1. f5 d6 % \n\n# of a day\n% 2\n 2. c3 d3",
            "1. f5 d6\n2. c3 a1\n3. c4",
            "1. f5 f5\n2. f5 d6",
            "\u{ff11}. \u{ff26}\u{ff15}\u{2013}d6\n\u{ff12}. c3",
        ] {
            assert_eq!(
                cut(Shape::Lines, &format!("{game}\n% another one\n1. f5 f6")),
                [game, "% another one", "1. f5 f6"]
            );
        }
    }

    #[test]
    fn the_games_of_a_numbered_list_are_cut() {
        for list in [
            ["1 f5d6c3", "2 f5d6c4", "3 f5f6e6"],
            ["1. f5d6c3", "2. f5d6c4", "3) f5f6e6"],
            ["1\tf5d6c3d3", "2\tf5d6c4", "3\tf5f6"],
            ["7 f5d6", "8 f5f6", "9 f5f4"],
            ["1 f5d6", "2 f5f6", "3 f5f4"],
            ["1. f5d6", "2. c4e3 % c4", "3. f5f4"],
            ["1 f5", "2 d3", "3 f5"],
            ["1. f5d6 37-27", "2. c4e3 30-34", "3. c4c3"],
            ["12", "12 f5d6", "65536 f5d6"],
        ] {
            assert_eq!(cut(Shape::Lines, &list.join("\n      ")), list);
        }
    }
}
