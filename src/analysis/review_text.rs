//! Judged games as text: JSON lines, CSV, OBF, GGF, tables. `docs/analysis.md` describes them.

use super::answer::{Reach, line};
use super::{MoveValue, PlayerReview, Review, ReviewedTurn, TurningPoint};
use crate::notation::game_file::{FileGame, Format, Unwritable, Written, write};
use crate::notation::obf::ObfEntry;
use crate::notation::opening;
use crate::othello::{Color, Move};
use serde::Serialize;

/// A judged game of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct ReviewedGame {
    /// The file, as the user calls it.
    pub file: String,
    /// The game, and where it is in the file.
    pub found: FileGame,
    /// What its moves were worth.
    pub review: Review,
}

#[derive(Serialize)]
struct JsonGame<'a> {
    number: usize,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    black: &'a str,
    white: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    date: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<&'static str>,
    score: Option<i32>,
    turns: Vec<JsonTurn<'a>>,
    turning_point: Option<TurningPoint>,
    worst: Option<usize>,
    players: JsonPlayers<'a>,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

#[derive(Serialize)]
struct JsonPlayers<'a> {
    black: &'a PlayerReview,
    white: &'a PlayerReview,
}

#[derive(Serialize)]
struct JsonTurn<'a> {
    turn: usize,
    board: String,
    mover: Color,
    choices: u32,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    played: Option<Move>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    best: &'a MoveValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<&'a MoveValue>,
    #[serde(flatten)]
    reach: Reach,
}

impl<'a> JsonTurn<'a> {
    fn new(turn: &'a ReviewedTurn) -> JsonTurn<'a> {
        JsonTurn {
            turn: turn.turn,
            board: turn.position.to_string(),
            mover: turn.position.mover(),
            choices: turn.choices,
            played: turn.played.as_ref().map(|played| played.turn),
            value: turn.played.as_ref().map(|played| played.score.discs()),
            loss: turn.played.as_ref().map(|_| turn.loss()),
            best: &turn.best,
            alternative: turn.alternative.as_ref(),
            reach: reach(turn),
        }
    }
}

/// How far a turn was searched: where the best move and the one that was played differ, as far as both were.
fn reach(turn: &ReviewedTurn) -> Reach {
    let best = Reach::new(turn.best.depth, &turn.position);
    let Some(played) = &turn.played else { return best };
    let played = Reach::new(played.depth, &turn.position);
    let less = (played.exact, played.depth, played.selectivity) < (best.exact, best.depth, best.selectivity);
    if less { played } else { best }
}

impl ReviewedGame {
    /// One JSON object and a line feed; `timed` says whether the time is told.
    pub fn json(&self, timed: bool) -> String {
        let Review { turns, turning_point, worst, black, white, score, nodes, elapsed } = &self.review;
        let FileGame { place, game, .. } = &self.found;
        line(&JsonGame {
            number: place.number,
            file: &self.file,
            line: place.line,
            black: &game.black.name,
            white: &game.white.name,
            date: &game.date,
            opening: opening(game.record.positions()),
            score: *score,
            turns: turns.iter().map(JsonTurn::new).collect(),
            turning_point: *turning_point,
            worst: *worst,
            players: JsonPlayers { black, white },
            nodes: *nodes,
            seconds: timed.then_some(elapsed.as_secs_f64()),
        })
    }

    /// The names of the columns of [`ReviewedGame::csv`].
    pub const CSV_HEADER: &str = "game,file,line,black,white,turn,mover,move,value,best,best_value,alternative,\
                                  alternative_value,loss,depth,selectivity,exact,board\n";

    /// A row for each turn.
    pub fn csv(&self) -> String {
        let FileGame { place, game, .. } = &self.found;
        let game = format!(
            "{},{},{},{},{}",
            place.number,
            quoted(&self.file),
            place.line.map_or_else(String::new, |line| line.to_string()),
            quoted(&game.black.name),
            quoted(&game.white.name)
        );
        let both = |found: Option<&MoveValue>| {
            found.map_or_else(|| ",".to_owned(), |found| format!("{},{}", found.turn, found.score.discs()))
        };
        let row = |turn: &ReviewedTurn| {
            let Reach { depth, selectivity, exact } = reach(turn);
            let loss = turn.played.as_ref().map_or_else(String::new, |_| turn.loss().to_string());
            format!(
                "{game},{},{},{},{},{},{loss},{depth},{selectivity},{exact},{}\n",
                turn.turn,
                turn.position.mover(),
                both(turn.played.as_ref()),
                both(Some(&turn.best)),
                both(turn.alternative.as_ref()),
                turn.position
            )
        };
        self.review.turns.iter().map(row).collect()
    }

    /// A line for each position, with the moves that have a value, rounded to whole discs; what was played is in the
    /// comment.
    pub fn obf(&self) -> String {
        let entry = |turn: &ReviewedTurn| {
            let played = turn
                .played
                .as_ref()
                .map_or_else(String::new, |played| format!(", {:#} played, loss {:.2}", played.turn, turn.loss()));
            let reach = reach(turn);
            let depth = if reach.exact { "" } else { "depth " };
            let place = format!("{} game {} turn {}", self.file, self.found.place.number, turn.turn);
            let comment = format!("{place}{played}, {depth}{reach}");
            let discs = |found: &MoveValue| (found.turn, found.score.discs().round().clamp(-64.0, 64.0) as i32);
            let moves = turn.lines.iter().map(discs).collect();
            let entry =
                ObfEntry { position: turn.position, moves, score: None, comment: Some(comment), unread: Vec::new() };
            format!("{entry}\n")
        };
        self.review.turns.iter().map(entry).collect()
    }

    /// The game with the value of each move for its player beside it, and a comment on the players; and what its file says
    /// that GGF cannot hold. Values are rounded to a millionth of a disc, as finely as GGF has them.
    ///
    /// # Errors
    ///
    /// None: there is no game that GGF refuses.
    pub fn ggf(&self) -> Result<Written, Unwritable> {
        let mut game = self.found.game.clone();
        for turn in &self.review.turns {
            if let (Some(played), Some(timing)) = (&turn.played, game.timing.get_mut(turn.turn)) {
                timing.eval = Some((played.score.discs() * 1e6).round() / 1e6);
            }
        }
        let Review { black, white, .. } = &self.review;
        let player = |name: &str, player: &PlayerReview| {
            format!("{name} accuracy {:.1}%, {:.2} discs lost", player.accuracy, player.loss)
        };
        let mut comment = format!("Emilia: {}; {}", player("Black", black), player("White", white));
        if let Some(point) = self.review.turning_point {
            comment += &format!("; decided by turn {} ({})", point.turn + 1, point.mover);
        }
        game.comments.push(comment);
        write(&game, Format::Ggf)
    }

    /// A table for a person.
    pub fn table(&self) -> String {
        let FileGame { place, game, .. } = &self.found;
        let place = match place.line {
            None => format!("{}, game {}", self.file, place.number),
            Some(line) => format!("{}, line {line}", self.file),
        };
        let name = |color: Color| match game.player(color).name.as_str() {
            "" => color.to_string(),
            name => name.to_owned(),
        };
        let (black, white) = (name(Color::Black), name(Color::White));
        let result = self.review.score.map_or_else(String::new, |score| format!(", {score:+} for Black"));
        let opening = opening(game.record.positions()).map_or_else(String::new, |name| format!(", {name}"));
        let mut text = format!("{place}: {black} against {white}{opening}{result}\n");
        text += "turn        move    value  best    value  else    value   loss  depth\n";
        for turn in &self.review.turns {
            text += &self.row(turn);
        }
        for (name, player) in [(black, &self.review.black), (white, &self.review.white)] {
            let PlayerReview { choices, best, loss, accuracy } = player;
            text +=
                &format!("{name}: accuracy {accuracy:.1}%, {best} of {choices} choices best, {loss:.2} discs lost\n");
        }
        if let Some(point) = self.review.turning_point {
            let (before, after) = (point.before, point.after);
            text += &format!("decided by turn {} ({}): a {before} became a {after}\n", point.turn + 1, point.mover);
        }
        text.push('\n');
        text
    }

    fn row(&self, turn: &ReviewedTurn) -> String {
        let both = |found: Option<&MoveValue>| {
            let both = found.map(|found| (format!("{:#}", found.turn), found.score.to_string()));
            let (name, value) = both.unwrap_or_default();
            format!("{name:<4} {value:>8}")
        };
        let decided = self.review.turning_point.is_some_and(|point| point.turn == turn.turn);
        let loss = if turn.loss() > 0.0 { format!("{:.2}", turn.loss()) } else { String::new() };
        let row = format!(
            "{:>3} {:<6} {}  {}  {} {loss:>6}  {}{}",
            turn.turn + 1,
            turn.position.mover(),
            both(turn.played.as_ref()),
            both(Some(&turn.best)),
            both(turn.alternative.as_ref()),
            reach(turn),
            if decided { "  <- decides" } else { "" }
        );
        row.trim_end().to_owned() + "\n"
    }
}

/// A field of CSV.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
