//! What the engine says to a UGI client.

use super::command::PASS;
use crate::engine::{EngineOption, EngineOptions, Values};
use crate::game::DISC;
use crate::notation::write_rows;
use crate::othello::{Color, Move, Position};
use crate::search::{Bound, Line, Report};
use std::fmt;

/// One line to the client, without its line feed; control characters in it become question marks.
#[derive(Clone, Debug)]
pub enum Reply<'a> {
    /// `id name NAME`
    Name,
    /// `id author AUTHOR`
    Author,
    /// `option name NAME type TYPE ...`
    Option {
        /// The option.
        option: &'a EngineOption,
        /// What it is set to stands as its default.
        options: &'a EngineOptions,
    },
    /// `ugiok`
    UgiOk,
    /// `readyok`
    ReadyOk,
    /// `response true` or `response false`
    Truth(bool),
    /// `response p1win`, `p2win`, `draw` or `none`
    Result(GameResult),
    /// `response FEN`
    Fen(Fen),
    /// `info depth ...`
    Info(Info<'a>),
    /// `info string TEXT`: what is wrong or odd, for people.
    Problem(String),
    /// `bestmove MOVE`
    BestMove(Move),
}

/// What has become of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// It goes on.
    Open,
    /// It is over, with this score for Black, who is player one, in discs.
    Score(i32),
}

/// A position as a board with numbers for the runs of empty squares, row 1 first, `x` for Black, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fen(pub Position);

/// One line of a report.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a> {
    /// The line.
    pub line: &'a Line,
    /// The report that it is from.
    pub report: &'a Report,
    /// Empty squares of the position.
    pub empties: u32,
}

impl fmt::Display for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Name => f.write_str(concat!("id name Emilia ", env!("CARGO_PKG_VERSION"))),
            Reply::Author => f.write_str("id author The Emilia authors"),
            Reply::Option { option, options } => write_option(f, option, &option.show(options)),
            Reply::UgiOk => f.write_str("ugiok"),
            Reply::ReadyOk => f.write_str("readyok"),
            Reply::Truth(truth) => write!(f, "response {truth}"),
            Reply::Result(result) => write!(f, "response {result}"),
            Reply::Fen(fen) => write!(f, "response {fen}"),
            Reply::Info(info) => info.fmt(f),
            Reply::Problem(text) => write!(f, "info string {}", on_one_line(text)),
            Reply::BestMove(turn) => write!(f, "bestmove {}", name_of(*turn)),
        }
    }
}

/// A text whose control characters are question marks. The path of a file may have any other character.
fn on_one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), "?")
}

fn name_of(turn: Move) -> String {
    turn.square().map_or_else(|| PASS.to_owned(), |square| square.to_string())
}

/// The options of UGI have the types of UCI; one that also takes `none`, or is too large for it, is a text.
fn write_option(f: &mut fmt::Formatter<'_>, option: &EngineOption, value: &str) -> fmt::Result {
    write!(f, "option name {} type ", option.name)?;
    match (option.names(), option.values) {
        (Some(names), _) => {
            write!(f, "combo default {value}")?;
            names.iter().try_for_each(|name| write!(f, " var {name}"))
        }
        (None, Values::Whole(least, most)) if !option.takes_none && most <= i32::MAX as u64 => {
            write!(f, "spin default {value} min {least} max {most}")
        }
        _ => write!(f, "string default {}", on_one_line(value)),
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::Open => "none",
            GameResult::Score(1..) => "p1win",
            GameResult::Score(0) => "draw",
            GameResult::Score(_) => "p2win",
        })
    }
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |color| if color == Color::Black { 'x' } else { 'o' };
        write_rows(f, &self.0, 0..8, letter)?;
        write!(f, " {}", letter(self.0.mover()))
    }
}

impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Info { line, report, empties } = *self;
        let depth = line.depth.plies().map_or(empties, u32::from);
        let centidiscs = (f64::from(line.score.units()) * 100.0 / f64::from(DISC)).round();
        let bound = match line.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let milliseconds = report.elapsed.as_millis();
        let per_second = report.nodes as f64 / report.elapsed.as_secs_f64().max(1e-6);
        write!(f, "info depth {depth} score cp {centidiscs}{bound} time {milliseconds} nodes {}", report.nodes)?;
        write!(f, " nps {per_second:.0} pv")?;
        line.pv.iter().try_for_each(|turn| write!(f, " {}", name_of(*turn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::read_position;
    use crate::search::{Score, SearchDepth};
    use std::time::Duration;

    #[test]
    fn options_have_types_of_uci() {
        let options = EngineOptions::default();
        let shown = |name: &str| {
            let option = EngineOption::all().find(|option| option.name == name).unwrap();
            Reply::Option { option, options: &options }.to_string()
        };
        assert!(shown("hash").starts_with("option name hash type spin default 64 min "), "{}", shown("hash"));
        assert!(shown("ponder").starts_with("option name ponder type combo default off var "), "{}", shown("ponder"));
        assert_eq!(shown("time"), "option name time type string default none");
        assert_eq!(shown("seed"), "option name seed type string default 0", "larger ones than a spin has");
        assert_eq!(shown("depth"), "option name depth type string default none", "a spin has no `none`");
        let percent = shown("selectivity");
        assert!(
            percent.starts_with("option name selectivity type combo default 73 var ") && percent.ends_with(" var 100")
        );
        assert_eq!(shown("book"), "option name book type string default builtin");
        assert_eq!(shown("level"), "option name level type spin default 8 min 1 max 8");
        assert!(shown("without").contains("default none ") && shown("without").ends_with(" var none"));
        for option in EngineOption::all() {
            let line = Reply::Option { option, options: &options }.to_string();
            assert!(!line.contains("  ") && line == line.trim(), "{line}");
        }
    }

    #[test]
    fn values_are_hundredths_of_a_disc() {
        let line =
            Line { bound: Bound::Upper, ..Line::new(vec![Move::Pass], Score::from_discs(-3), SearchDepth::Exact) };
        let report = Report { nodes: 500, elapsed: Duration::from_millis(250), ..Report::default() };
        let shown = Info { line: &line, report: &report, empties: 12 }.to_string();
        assert_eq!(shown, "info depth 12 score cp -300 upperbound time 250 nodes 500 nps 2000 pv 0000");
        let half =
            Line { score: Score::from_units(DISC / 2), bound: Bound::Exact, depth: SearchDepth::Plies(7), ..line };
        let shown = Info { line: &half, report: &report, empties: 12 }.to_string();
        assert_eq!(shown, "info depth 7 score cp 50 time 250 nodes 500 nps 2000 pv 0000");
    }

    #[test]
    fn positions_come_back_from_their_text() {
        assert_eq!(Fen(Position::START).to_string(), "8/8/8/3ox3/3xo3/8/8/8 x");
        for seed in 0..50 {
            let position = crate::testing::random_position(seed, seed as u32);
            let line = format!("position fen {}", Fen(position));
            let Ok(super::super::Command::Position(game)) = super::super::Command::parse(line.as_bytes()) else {
                panic!("{line}");
            };
            assert_eq!(*game.position(), position);
        }
        assert_eq!(read_position("8/8/8/3ox3/3xo3/8/8/8 x").unwrap().position(), &Position::START);
    }

    #[test]
    fn no_text_breaks_the_line() {
        assert_eq!(Reply::Problem("a\nb".to_owned()).to_string(), "info string a?b");
    }
}
