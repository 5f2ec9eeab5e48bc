//! From [`AnnotatedGame`] to the formats of text.

use super::content::Format;
use super::import::read_sgf_result;
use super::loss::{Loss, Part, Unwritable, losses};
use crate::notation::annotated_game::AnnotatedGame;
use crate::notation::ggf::{Ending, Ggf, GgfResult};
use crate::notation::logbook::LogbookGame;
use crate::notation::obf::ObfEntry;
use crate::notation::pgn::PgnGame;
use crate::notation::sgf::SgfGame;
use crate::notation::transcript::Transcript;
use crate::othello::{Color, GameRecord, Move, Position, Square};

/// A game in a format of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The game, with the line feed that ends it.
    pub text: String,
    /// What the format cannot hold.
    pub losses: Vec<Loss>,
}

/// Writes a game, or a position. For a game, OBF gets each position in which a disc is placed. [`Format::Wthor`] is refused; it is
/// written by [`WthorWriter`](super::WthorWriter).
///
/// # Errors
/// If the format has no games from this start, wants a result that the game does not have, or is not one of text.
pub fn write(game: &AnnotatedGame, format: Format) -> Result<Written, Unwritable> {
    let mut losses = losses(game, format);
    let text = match format {
        Format::Ggf => ggf(game, &mut losses),
        Format::Sgf => sgf(game, &mut losses),
        Format::Pgn => pgn(game, &mut losses),
        Format::Transcript => transcript(&game.record),
        Format::Logbook => logbook(game)?,
        Format::Obf => obf(game, &mut losses),
        Format::Wthor => return Err(Unwritable::NotText(format)),
    };
    Ok(Written { text, losses })
}

/// Notes that a text changes in being written.
fn check(losses: &mut Vec<Loss>, text: &str, is_kept: bool) {
    if !is_kept {
        losses.push(Loss::new(Part::Characters, format!("in {text:?}")));
    }
}

/// Whether a number has no more decimals than six, with which GGF is written.
fn is_short(number: f64) -> bool {
    let micros = number * 1e6;
    (micros - micros.round()).abs() < 1e-3
}

/// The properties whose names the format has, in order; the others are told as lost.
fn keep_other(
    game: &AnnotatedGame,
    losses: &mut Vec<Loss>,
    mut is_kept: impl FnMut(&str, &str) -> bool,
) -> Vec<(String, String)> {
    let mut kept = Vec::new();
    for (key, value) in &game.other {
        if is_kept(key, value) {
            kept.push((key.clone(), value.clone()));
        } else {
            losses.push(Loss::new(Part::Other, format!("{key}: {value}")));
        }
    }
    kept
}

fn ggf(game: &AnnotatedGame, losses: &mut Vec<Loss>) -> String {
    const KNOWN: [&str; 15] =
        ["GM", "PC", "DT", "PB", "PW", "RB", "RW", "TI", "TB", "TW", "TY", "RE", "BO", "CO", "KM"];
    // Every game of GGF says `TY[8]`, so a reader does not keep it.
    let is_type = |value: &str| {
        let kind = value.strip_prefix('s').unwrap_or(value);
        let is_othello = kind.starts_with('8') && !kind[1..].starts_with(|c: char| c.is_ascii_digit());
        is_othello && !kind.contains(['a', 'A']) && value != "8" && value.trim() == value
    };
    let mut has_type = false;
    let other = keep_other(game, losses, |key, value| match key {
        // There is room for one.
        "TY" => !has_type && is_type(value) && !std::mem::replace(&mut has_type, true),
        "KM" => true,
        _ => {
            (1..=3).contains(&key.len())
                && key.bytes().all(|byte| byte.is_ascii_uppercase())
                && !KNOWN.contains(&key)
                && !matches!(key, "B" | "W")
        }
    });
    let texts = [&game.place, &game.date, &game.black.name, &game.white.name];
    let said = game.comments.iter().chain(game.turn_comments.iter().map(|(_, text)| text));
    for text in texts.into_iter().chain(said).chain(other.iter().map(|(_, value)| value)) {
        check(losses, text, !text.contains([']', '\n', '\r']));
    }
    for (part, numbers) in [
        (Part::Evaluations, game.timing.iter().map(|timing| timing.eval).collect::<Vec<_>>()),
        (Part::Times, game.timing.iter().map(|timing| timing.seconds).collect()),
        (Part::Ratings, vec![game.black.rating, game.white.rating]),
        (Part::Result, vec![game.result.map(|result| result.score * 1e3)]),
    ] {
        if let Some(long) = numbers.into_iter().flatten().find(|number| !is_short(*number)) {
            losses.push(Loss::new(part, format!("decimals of {long}")));
        }
    }
    format!("{}\n", Ggf(&AnnotatedGame { other, ..game.clone() }))
}

fn sgf(game: &AnnotatedGame, losses: &mut Vec<Loss>) -> String {
    const KNOWN: [&str; 22] = [
        "GM", "FF", "CA", "AP", "SZ", "ST", "PB", "PW", "DT", "RE", "BR", "WR", "PC", "AB", "AW", "AE", "PL", "B", "W",
        "C", "V", "KM",
    ];
    // Words that no reader takes for a result, or for a result that is not known.
    let is_words = |value: &str| !matches!(value.trim(), "" | "?") && read_sgf_result(value).is_none();
    let is_result = |value: &str| game.result.is_none() && is_words(value);
    let is_free = |key: &str, value: &str| {
        !key.is_empty()
            && key.bytes().all(|byte| byte.is_ascii_uppercase())
            && (!KNOWN.contains(&key) || key == "KM" || (key == "RE" && is_result(value)))
    };
    let mut other = Vec::new();
    let mut add = |key: &str, value: String| {
        if !value.is_empty() {
            other.push((key.to_owned(), value));
        }
    };
    add("PC", game.place.clone());
    add("BR", game.black.rating.map_or_else(String::new, |rating| rating.to_string()));
    add("WR", game.white.rating.map_or_else(String::new, |rating| rating.to_string()));
    other.extend(keep_other(game, losses, is_free));
    let words = other.iter().position(|(key, _)| key == "RE").map(|at| other.remove(at).1);
    // There is room for one.
    other.retain(|(key, value)| {
        let is_second = key == "RE";
        if is_second {
            losses.push(Loss::new(Part::Other, format!("{key}: {value}")));
        }
        !is_second
    });
    let result = match game.result {
        Some(result) => sgf_result(result, losses),
        None => words.unwrap_or_default(),
    };
    let root = game.comments.iter().map(|text| (0, text.clone()));
    let mover = |turn: usize| game.record.positions()[turn].mover();
    let values = game.timing.iter().enumerate().filter_map(|(turn, timing)| {
        let value = timing.eval?;
        Some((turn + 1, mover(turn).signed(value)))
    });
    let sgf = SgfGame {
        black: game.black.name.clone(),
        white: game.white.name.clone(),
        date: game.date.clone(),
        result,
        comments: root.chain(game.turn_comments.iter().cloned()).collect(),
        values: values.collect(),
        other,
        ..SgfGame::new(game.record.clone())
    };
    sgf.to_string()
}

/// `B+12`, or `B+R` where nothing but the winner counts.
fn sgf_result(result: GgfResult, losses: &mut Vec<Loss>) -> String {
    let winner = if result.score < 0.0 { Color::White } else { Color::Black }.letter();
    let is_whole = result.score.abs() == 64.0;
    match result.ending {
        Some(Ending::Resigned) if is_whole => return format!("{winner}+R"),
        Some(Ending::Timeout) if is_whole => return format!("{winner}+T"),
        Some(Ending::Left) if is_whole => return format!("{winner}+F"),
        Some(how) => losses.push(Loss::new(Part::Ending, how.to_string())),
        None => {}
    }
    if result.score == 0.0 { "0".to_owned() } else { format!("{winner}+{}", result.score.abs()) }
}

fn pgn(game: &AnnotatedGame, losses: &mut Vec<Loss>) -> String {
    const KNOWN: [&str; 10] =
        ["site", "date", "time", "black", "blackelo", "white", "whiteelo", "result", "fen", "setup"];
    let (date, time) = match game.date.split_once(' ') {
        Some((date, time)) if !date.is_empty() && !time.is_empty() => (date, Some(time)),
        _ => (game.date.as_str(), None),
    };
    let result = pgn_result(game, losses);
    let rating = |rating: Option<f64>| rating.map(|rating| rating.to_string()).unwrap_or_default();
    let tags = [
        ("Site", game.place.clone()),
        ("Date", date.to_owned()),
        ("Time", time.unwrap_or_default().to_owned()),
        ("Black", game.black.name.clone()),
        ("BlackElo", rating(game.black.rating)),
        ("White", game.white.name.clone()),
        ("WhiteElo", rating(game.white.rating)),
        ("Result", result.clone()),
    ];
    let tags = tags.into_iter().filter(|(_, value)| !value.is_empty()).map(|(key, value)| (key.to_owned(), value));
    let mut tags: Vec<(String, String)> = tags.collect();
    tags.extend(keep_other(game, losses, |key, _| {
        !key.is_empty()
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && (!KNOWN.contains(&key.to_ascii_lowercase().as_str()) || (key == "Time" && game.date.is_empty()))
    }));
    for (_, value) in &tags {
        check(losses, value, !value.contains(['\n', '\r']));
    }
    let root = game.comments.iter().map(|text| (0, text.clone()));
    let comments: Vec<(usize, String)> = root.chain(game.turn_comments.iter().cloned()).collect();
    for (_, text) in &comments {
        let is_plain = text.split_whitespace().collect::<Vec<_>>().join(" ") == *text;
        check(losses, text, is_plain && !text.contains('}'));
    }
    let pgn = PgnGame { tags, comments, result: Some(result), ..PgnGame::new(game.record.clone()) };
    format!("{pgn}\n")
}

/// Disc counts such as `37-27`; `1-0` for a game that Black won without a count; `*` if it is not known.
fn pgn_result(game: &AnnotatedGame, losses: &mut Vec<Loss>) -> String {
    let Some(score) = game.whole_score() else {
        if let Some(result) = game.result {
            losses.push(Loss::new(Part::Result, format!("{:+}", result.score)));
            losses.extend(result.ending.map(|how| Loss::new(Part::Ending, how.to_string())));
        }
        return "*".to_owned();
    };
    let end = game.record.position();
    if let Some(how) = game.ending() {
        if how == Ending::Resigned && score.abs() == 64 && !end.is_over() {
            return if score > 0 { "1-0" } else { "0-1" }.to_owned();
        }
        losses.push(Loss::new(Part::Ending, how.to_string()));
    }
    if end.is_over() && score == end.score_for_black() {
        // What lies on the board; the empty squares are the winner's all the same.
        return format!("{}-{}", end.discs(Color::Black).count(), end.discs(Color::White).count());
    }
    if score % 2 != 0 {
        losses.push(Loss::new(Part::Result, format!("{score:+}")));
        return "*".to_owned();
    }
    format!("{}-{}", (64 + score) / 2, (64 - score) / 2)
}

fn transcript(record: &GameRecord) -> String {
    let start = record.start();
    match (*start == Position::START, record.turns().is_empty()) {
        (_, true) => format!("{start}\n"),
        (true, false) => format!("{}\n", Transcript(record)),
        (false, false) => format!("{start} {}\n", Transcript(record)),
    }
}

fn logbook(game: &AnnotatedGame) -> Result<String, Unwritable> {
    if *game.record.start() != Position::START || game.is_position() {
        return Err(Unwritable::Start(Format::Logbook));
    }
    let score = game.whole_score().ok_or(Unwritable::Result(Format::Logbook))?;
    Ok(format!("{}\n", LogbookGame { game: game.record.clone(), score: Some(score) }))
}

fn obf(game: &AnnotatedGame, losses: &mut Vec<Loss>) -> String {
    let line = |position: Position, moves: Vec<(Move, i32)>, score, comment: Option<String>| {
        format!("{}\n", ObfEntry { position, moves, score, comment, unread: Vec::new() })
    };
    if game.is_position() {
        let comment = game.comments.join(" / ");
        check(
            losses,
            &comment,
            comment.split('\n').count() == 1 && !comment.contains('\r') && comment.trim() == comment,
        );
        let comment = (!comment.is_empty()).then_some(comment);
        return line(*game.record.start(), game.scores.clone(), game.score, comment);
    }
    let mut text = String::new();
    let mut fractions = 0;
    let turns = game.record.positions().iter().zip(game.record.turns());
    for (i, (position, &turn)) in turns.enumerate() {
        let eval = game.timing.get(i).and_then(|timing| timing.eval);
        let whole = eval.filter(|eval| eval.fract() == 0.0 && eval.abs() <= 64.0).map(|eval| eval as i32);
        fractions += usize::from(eval.is_some() && (whole.is_none() || turn == Move::Pass));
        let Some(square) = turn.square() else { continue };
        let (mut moves, mut score) = (whole.map(|value| (turn, value)).into_iter().collect(), None);
        if i == 0 && (!game.scores.is_empty() || game.score.is_some()) {
            (moves, score) = (game.scores.clone(), game.score);
        }
        text += &line(*position, moves, score, Some(played(i, square)));
    }
    if fractions > 0 {
        losses.push(Loss::new(Part::Evaluations, format!("{fractions} that are not whole discs")));
    }
    text
}

fn played(turns_before: usize, square: Square) -> String {
    format!("move {}: {square}", turns_before + 1)
}
