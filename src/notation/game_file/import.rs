//! From the formats of text to [`AnnotatedGame`].

use super::content::{Format, Shape};
use crate::notation::annotated_game::AnnotatedGame;
use crate::notation::ggf::{self, Ending, GgfResult};
use crate::notation::logbook::LogbookGame;
use crate::notation::obf::ObfEntry;
use crate::notation::pgn::PgnGame;
use crate::notation::sgf::SgfGame;
use crate::notation::{NotationError, read_position};
use crate::othello::{Color, GameRecord, final_score};
use std::collections::HashSet;

/// The tags of PGN that a game has one field for.
const ONE_PGN_TAG: [&str; 6] = ["Black", "White", "BlackElo", "WhiteElo", "Site", "Date"];
/// The properties of SGF that a game has one field for, of those that the format's reader leaves to others.
const ONE_SGF_PROPERTY: [&str; 3] = ["BR", "WR", "PC"];

/// Reads one game, cut out of a file of this shape.
pub(super) fn read(shape: Shape, text: &str) -> Result<(Format, AnnotatedGame), NotationError> {
    match shape {
        Shape::Ggf => ggf::parse(text).map(|game| (Format::Ggf, game)),
        Shape::Sgf => SgfGame::parse(text).map(|game| (Format::Sgf, of_sgf(game))),
        Shape::Pgn => PgnGame::parse(text).map(|game| (Format::Pgn, of_pgn(game))),
        Shape::Lines if text.starts_with('+') => {
            LogbookGame::parse(text).map(|game| (Format::Logbook, of_logbook(game)))
        }
        Shape::Lines if text.contains(';') => ObfEntry::parse(text).map(|entry| (Format::Obf, of_obf(entry))),
        Shape::Lines | Shape::Whole | Shape::Wthor | Shape::Unknown => {
            let (text, comment) = text.split_once('%').map_or((text, None), |(text, note)| (text, Some(note.trim())));
            let record = read_position(text)?;
            let mut game = AnnotatedGame::new(record);
            game.comments.extend(comment.filter(|note| !note.is_empty()).map(str::to_owned));
            game.result = disc_counts(text).and_then(|counts| result_of_counts(counts, &game.record));
            Ok((if game.is_position() { Format::Obf } else { Format::Transcript }, game))
        }
    }
}

/// Reads what is there of a game whose file ends within it. `None` if nothing can be made of it.
pub(super) fn read_cut(shape: Shape, text: &str) -> Option<(Format, AnnotatedGame)> {
    let whole = match shape {
        // Up to the last property that is whole.
        Shape::Ggf => text[..=text.rfind(']')?].to_owned() + ";)",
        Shape::Sgf => text[..=text.rfind(']')?].to_owned() + ")",
        Shape::Pgn => {
            let last = text.rfind(char::is_whitespace)? + 1;
            let is_half_a_move = matches!(&text.as_bytes()[last..], [b'a'..=b'h' | b'A'..=b'H']);
            is_half_a_move.then(|| text[..last].to_owned())?
        }
        Shape::Lines | Shape::Whole | Shape::Wthor | Shape::Unknown => return None,
    };
    read(shape, &whole).ok().filter(|(_, game)| !game.is_position())
}

fn of_sgf(sgf: SgfGame) -> AnnotatedGame {
    let mut game = AnnotatedGame::new(sgf.game);
    (game.black.name, game.white.name, game.date) = (sgf.black, sgf.white, sgf.date);
    game.unread = sgf.unread;
    match read_sgf_result(&sgf.result) {
        Some(result) => game.result = Some(result),
        None if matches!(sgf.result.trim(), "" | "?") => {}
        None => game.other.push(("RE".to_owned(), sgf.result)),
    }
    let mut seen = HashSet::new();
    for (key, value) in sgf.other {
        // The first of several counts.
        if ONE_SGF_PROPERTY.contains(&key.as_str()) && !seen.insert(key.clone()) {
            game.unread.push(format!("{key}[{value}]"));
            continue;
        }
        let rating = value.trim().parse::<f64>().ok().filter(|rating| rating.is_finite());
        match (key.as_str(), rating) {
            ("BR", Some(_)) => game.black.rating = rating,
            ("WR", Some(_)) => game.white.rating = rating,
            ("PC", _) => game.place = value,
            _ => game.other.push((key, value)),
        }
    }
    for (turns, text) in sgf.comments {
        keep_comment(&mut game, turns, text);
    }
    for (turns, value) in sgf.values {
        let mover = turns.checked_sub(1).and_then(|turn| game.record.positions().get(turn)).map(|p| p.mover());
        match (mover, turns.checked_sub(1).and_then(|turn| game.timing.get_mut(turn))) {
            (Some(mover), Some(timing)) => timing.eval = Some(mover.signed(value)),
            _ => game.unread.push(format!("V[{value}]")),
        }
    }
    game
}

fn keep_comment(game: &mut AnnotatedGame, turns: usize, text: String) {
    match turns {
        0 => game.comments.push(text),
        _ => game.turn_comments.push((turns, text)),
    }
}

/// `B+12`, `W+R`, `0`, `Draw`, ...
pub(super) fn read_sgf_result(text: &str) -> Option<GgfResult> {
    let text = text.trim();
    if text == "0" || text.eq_ignore_ascii_case("draw") || text.eq_ignore_ascii_case("jigo") {
        return Some(GgfResult { score: 0.0, ending: None });
    }
    let (winner, how) = text.split_once('+')?;
    let sign = match winner.trim() {
        "B" | "b" | "Black" => 1.0,
        "W" | "w" | "White" => -1.0,
        _ => return None,
    };
    let (size, ending) = match how.trim() {
        "R" | "Resign" => (64.0, Some(Ending::Resigned)),
        "T" | "Time" => (64.0, Some(Ending::Timeout)),
        "F" | "Forfeit" => (64.0, Some(Ending::Left)),
        number => (number.parse::<f64>().ok().filter(|size| (0.0..=64.0).contains(size))?, None),
    };
    Some(GgfResult { score: sign * size, ending })
}

fn of_pgn(pgn: PgnGame) -> AnnotatedGame {
    let mut game = AnnotatedGame::new(pgn.game);
    game.unread = pgn.unread;
    let mut result = pgn.result;
    let mut time = None;
    let mut seen = HashSet::new();
    for (key, value) in pgn.tags {
        // The first of several counts.
        if ONE_PGN_TAG.contains(&key.as_str()) && !seen.insert(key.clone()) {
            game.unread.push(format!("{key} {value}"));
            continue;
        }
        let rating = value.trim().parse::<f64>().ok().filter(|rating| rating.is_finite());
        match (key.as_str(), rating) {
            ("Black", _) => game.black.name = value,
            ("White", _) => game.white.name = value,
            ("BlackElo", Some(_)) => game.black.rating = rating,
            ("WhiteElo", Some(_)) => game.white.rating = rating,
            ("Site", _) => game.place = value,
            ("Date", _) => game.date = value,
            ("Time", _) if time.is_none() => time = Some(value),
            // What stands behind the moves is the same and says more often the truth.
            ("Result", _) if result.is_none() => result = Some(value),
            ("Result", _) if result.as_deref() != Some(value.as_str()) => game.unread.push(format!("Result {value}")),
            ("Result", _) => {}
            _ => game.other.push((key, value)),
        }
    }
    match time {
        Some(time) if game.date.is_empty() => game.other.push(("Time".to_owned(), time)),
        Some(time) => game.date = format!("{} {time}", game.date),
        None => {}
    }
    for (turns, text) in pgn.comments {
        keep_comment(&mut game, turns, text);
    }
    match result.as_deref() {
        None | Some("*" | "?" | "") => {}
        Some("1/2-1/2") => game.result = Some(GgfResult { score: 0.0, ending: None }),
        Some(text) => match disc_counts(text).and_then(|counts| result_of_counts(counts, &game.record)) {
            Some(result) => game.result = Some(result),
            None => game.unread.push(format!("Result {text}")),
        },
    }
    game
}

/// The two numbers of a text that ends with a result such as `37-27`.
fn disc_counts(text: &str) -> Option<(u32, u32)> {
    let last = text.split_whitespace().next_back()?;
    let (black, white) = last.split_once('-')?;
    let number = |text: &str| text.parse().ok().filter(|&n: &u32| n <= 64 && !text.starts_with('+'));
    Some((number(black)?, number(white)?))
}

/// The result that two numbers tell: discs of Black and White, or 1 and 0 for a game won without a count.
fn result_of_counts((black, white): (u32, u32), record: &GameRecord) -> Option<GgfResult> {
    let end = record.position();
    let discs = [Color::Black, Color::White].map(|color| end.discs(color));
    let score = if end.is_over() && discs.map(|discs| discs.count()) == [black, white] {
        // The empty squares are the winner's.
        final_score(discs[0], discs[1])
    } else if (black, white) == (1, 0) {
        64
    } else if (black, white) == (0, 1) {
        -64
    } else if black + white <= 64 {
        black as i32 - white as i32
    } else {
        return None;
    };
    let ending = (black + white == 1 && !end.is_over()).then_some(Ending::Resigned);
    Some(GgfResult { score: f64::from(score), ending })
}

fn of_logbook(logbook: LogbookGame) -> AnnotatedGame {
    let result = logbook.score.map(|score| GgfResult { score: f64::from(score), ending: None });
    AnnotatedGame { result, ..AnnotatedGame::new(logbook.game) }
}

fn of_obf(entry: ObfEntry) -> AnnotatedGame {
    AnnotatedGame {
        scores: entry.moves,
        score: entry.score,
        comments: entry.comment.into_iter().collect(),
        unread: entry.unread,
        ..AnnotatedGame::new(GameRecord::from_position(entry.position))
    }
}
