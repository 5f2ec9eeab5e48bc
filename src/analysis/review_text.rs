//! Judged games as text: JSON lines, CSV, OBF, GGF, tables. `docs/analysis.md` describes them.

use super::answer::{Reach, line};
use super::{MoveValue, PlayerReview, Review, ReviewedTurn, TurningPoint};
use crate::csv::quoted;
use crate::notation::game_file::{AnnotatedGame, FileGame, Format, GamePlace, Written, write};
use crate::notation::obf::ObfEntry;
use crate::notation::{opening, printable};
use crate::othello::{Color, Move};
use serde::Serialize;
use std::collections::BTreeMap;

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
    #[serde(skip_serializing_if = "is_zero")]
    opening_turns: usize,
    score: Option<i32>,
    turns: Vec<JsonTurn<'a>>,
    turning_point: Option<TurningPoint>,
    worst: Option<usize>,
    players: BTreeMap<&'static str, &'a PlayerReview>,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
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

/// An accuracy in percent, as far as there is one.
pub(super) fn percent_of(accuracy: Option<f64>) -> String {
    accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.1}%"))
}

impl Review {
    /// In words, a line each: how well both sides of this game played, their worst moves, and what decided it.
    pub fn summary(&self, game: &AnnotatedGame) -> Vec<String> {
        let mut lines = Vec::new();
        for color in [Color::Black, Color::White] {
            let name = name(game, color);
            let PlayerReview { choices, best, loss, accuracy, .. } = self.player(color);
            lines.push(format!(
                "{name}: accuracy {}, {best} of {choices} choices best, {loss:.2} discs lost",
                percent_of(*accuracy)
            ));
            lines.extend(self.worst_of(color).map(|worst| format!("{name}'s worst: {}", worst.loss_in_words())));
        }
        let point = self.turning_point_to(game.score_for_black());
        lines.extend(point.map(|point| format!("decided by move {} ({}): {point}", point.turn + 1, point.mover)));
        lines
    }
}

/// A player's name, or the colour.
fn name(game: &AnnotatedGame, color: Color) -> String {
    match printable(&game.player(color).name).trim() {
        "" => color.to_string(),
        name => name.to_owned(),
    }
}

impl ReviewedGame {
    /// What decided the game, if it was a move.
    pub fn turning_point(&self) -> Option<TurningPoint> {
        self.review.turning_point_to(self.found.game.score_for_black())
    }

    /// One JSON object and a line feed; `timed` says whether it has the time.
    pub fn json(&self, timed: bool) -> String {
        let Review { turns, worst, black, white, score, nodes, elapsed, .. } = &self.review;
        let FileGame { place, game, .. } = &self.found;
        line(&JsonGame {
            number: place.number,
            file: &self.file,
            line: place.line,
            black: &game.black.name,
            white: &game.white.name,
            date: &game.date,
            opening: opening(game.record.positions()),
            opening_turns: game.opening_turns(),
            score: *score,
            turns: turns.iter().map(JsonTurn::new).collect(),
            turning_point: self.turning_point(),
            worst: *worst,
            players: BTreeMap::from([("black", black), ("white", white)]),
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
    pub fn ggf(&self) -> Written {
        let mut game = self.found.game.clone();
        // With values, the opening of a match would be the players' to who reads it.
        for turn in self.review.chosen() {
            if let (Some(played), Some(timing)) = (&turn.played, game.timing.get_mut(turn.turn)) {
                timing.eval = Some((played.score.discs() * 1e6).round() / 1e6);
            }
        }
        let Review { black, white, .. } = &self.review;
        let player = |name: &str, player: &PlayerReview| {
            format!("{name} accuracy {}, {:.2} discs lost", percent_of(player.accuracy), player.loss)
        };
        if black.choices + white.choices > 0 {
            const SIGNED: &str = "Emilia: ";
            let mut comment = format!("{SIGNED}{}; {}", player("Black", black), player("White", white));
            if let Some(point) = self.turning_point() {
                comment += &format!("; decided by move {} ({})", point.turn + 1, point.mover);
            }
            // A game that was analysed before has the comment of then.
            game.comments.retain(|comment| !comment.starts_with(SIGNED));
            game.comments.push(comment);
        }
        write(&game, Format::Ggf).expect("GGF holds every game")
    }

    /// Where the game is: `games.ggf, line 2`, or where its number is another one than that of the line, `games.ggf, game 2, line 7`.
    pub fn heading(&self) -> String {
        let GamePlace { number, line } = self.found.place;
        match line {
            None => format!("{}, game {number}", self.file),
            Some(line) if line == number => format!("{}, line {line}", self.file),
            Some(line) => format!("{}, game {number}, line {line}", self.file),
        }
    }

    /// A table for a person.
    pub fn table(&self) -> String {
        let (place, game) = (self.heading(), &self.found.game);
        let (black, white) = (name(game, Color::Black), name(game, Color::White));
        let result = self.review.score.map_or_else(String::new, |score| format!(", {score:+} for Black"));
        let opening = opening(game.record.positions()).map_or_else(String::new, |name| format!(", {name}"));
        let mut text = format!("{place}: {black} against {white}{opening}{result}\n");
        text += "turn       move    value  best    value  else    value   loss  depth\n";
        let marks = [
            (self.review.black.worst, "worst"),
            (self.review.white.worst, "worst"),
            (self.turning_point().map(|point| point.turn), "decides"),
        ];
        let opening_turns = game.opening_turns();
        for turn in &self.review.turns {
            if turn.turn == opening_turns && opening_turns > 0 {
                text += "    here the players begin\n";
            }
            let marks = marks.iter().filter(|(marked, _)| *marked == Some(turn.turn)).map(|(_, mark)| *mark);
            text += &row(turn, &marks.collect::<Vec<_>>().join(", "));
        }
        for line in self.review.summary(game) {
            text += &format!("{line}\n");
        }
        text.push('\n');
        text
    }
}

fn row(turn: &ReviewedTurn, mark: &str) -> String {
    let both = |found: Option<&MoveValue>| {
        let both = found.map(|found| (format!("{:#}", found.turn), found.score.to_string()));
        let (name, value) = both.unwrap_or_default();
        format!("{name:<4} {value:>8}")
    };
    let loss = if turn.loss() > 0.0 { format!("{:.2}", turn.loss()) } else { String::new() };
    let row = format!(
        "{:>3} {:<6} {}  {}  {} {loss:>6}  {}",
        turn.turn + 1,
        turn.position.mover(),
        both(turn.played.as_ref()),
        both(Some(&turn.best)),
        both(turn.alternative.as_ref()),
        reach(turn)
    );
    let mark = if mark.is_empty() { String::new() } else { format!("  <- {mark}") };
    format!("{}{mark}\n", row.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{AnalysisSettings, Reviewer};
    use crate::engine::EngineOptions;
    use crate::notation::game_file::GameFile;
    use crate::search::Depth;

    #[test]
    fn the_worst_move_of_each_side_is_marked_and_named() {
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        let mut reviewer = Reviewer::new(AnalysisSettings { depth: Depth::new(6), ..AnalysisSettings::new(options) });
        let mut found = GameFile::new("one", std::io::Cursor::new("f5f4e3f6")).unwrap().next().unwrap().unwrap();
        (found.game.black.name, found.game.white.name) = ("a\x1b[31m\nda".to_owned(), "\n".to_owned());
        let game = ReviewedGame { file: "one".to_owned(), review: reviewer.review(&found.game.record), found };
        let worst = game.review.worst_of(Color::White).unwrap();
        assert_eq!(worst.turn, 1, "the parallel opening");
        let table = game.table();
        let marked: Vec<&str> = table.lines().filter(|line| line.contains("  <- worst")).collect();
        let row = marked.into_iter().find(|line| line.starts_with("  2 white  F4 "));
        let (header, row) = (table.lines().nth(1).unwrap(), row.unwrap_or_else(|| panic!("{table}")));
        assert_eq!(header.find("move"), row.find("F4"), "{table}");
        let end = |line: &str, word: &str| line.rfind(word).map(|at| at + word.len());
        assert_eq!(end(header, "loss"), end(row, &format!("{:.2}", worst.loss())), "{table}");
        assert!(table.contains("\nwhite's worst: f4, move 2, lost ") && table.contains(" was better\n"), "{table}");
        assert!(table.contains("\na[31mda: accuracy ") && !table.contains('\x1b'), "{table}");
        assert!(game.json(false).contains("\"worst\":1"), "{}", game.json(false));
    }

    #[test]
    fn who_reads_a_game_of_a_match_again_knows_its_opening() {
        let text = "(;GM[Othello]PC[emilia match]PB[a]PW[b]TY[8]RE[?]B[f5]W[f4]B[e3/1/0.1]W[f6/-1/0.1];)";
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        let mut reviewer = Reviewer::new(AnalysisSettings { depth: Depth::new(2), ..AnalysisSettings::new(options) });
        let read = |text: String| GameFile::new("one", std::io::Cursor::new(text)).unwrap().next().unwrap().unwrap();
        let found = read(text.to_owned());
        let review = reviewer.review_game(&found.game, &mut |_| true);
        let game = ReviewedGame { file: "one".to_owned(), review, found };
        let table = game.table();
        let third = table.lines().position(|line| line.starts_with("  3 black ")).unwrap();
        assert_eq!(table.lines().nth(third - 1), Some("    here the players begin"));
        assert!(game.json(false).contains("\"opening_turns\":2,"), "{}", game.json(false));
        let again = read(game.ggf().text);
        let value_of_third = game.review.turns[2].played.as_ref().map(value);
        assert_eq!((again.game.opening_turns(), again.game.timing[2].eval), (2, value_of_third));
        let twice = ReviewedGame { found: again, ..game };
        assert_eq!(read(twice.ggf().text).game.comments.len(), 1, "an old comment gives way");
        fn value(played: &MoveValue) -> f64 {
            (played.score.discs() * 1e6).round() / 1e6
        }
    }

    #[test]
    fn no_move_decides_a_game_that_was_lost_otherwise() {
        let point = TurningPoint { turn: 1, mover: Color::White, before: None, after: crate::othello::Outcome::Loss };
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        let mut reviewer = Reviewer::new(AnalysisSettings { depth: Depth::new(1), ..AnalysisSettings::new(options) });
        for (result, is_told) in [("+64.000:t", true), ("-64.000:t", false)] {
            let text = format!("(;GM[Othello]PB[a]PW[b]TY[8]RE[{result}]B[f5]W[f4];)");
            let found = GameFile::new("one", std::io::Cursor::new(text)).unwrap().next().unwrap().unwrap();
            let mut review = reviewer.review(&found.game.record);
            review.turning_point = Some(point);
            let game = ReviewedGame { file: "one".to_owned(), review, found };
            assert_eq!(game.turning_point().is_some(), is_told);
            assert_eq!(game.table().contains("decided by move 2 (white): an open game became a loss"), is_told);
        }
    }
}
