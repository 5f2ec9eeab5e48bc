//! What the engine says to an NBoard client.

use crate::book::Draws;
use crate::game::DISC;
use crate::othello::Move;
use crate::protocol::printable_ascii;
use crate::search::{Bound, Line, Score, SearchDepth};
use std::fmt;
use std::time::Duration;

/// One line to the client; [`fmt::Display`] writes it without its line feed, in pure ASCII whatever is in it: a single
/// other character can end NBoard's reading for good.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// `pong N`: everything before the ping is dealt with.
    Pong(i32),
    /// `=== MOVE[/EVAL]/SECONDS`: the engine's move.
    Move {
        /// The move.
        turn: Move,
        /// The move's value for the side that makes it, if it was searched.
        score: Option<Score>,
        /// The time it took.
        elapsed: Duration,
    },
    /// `search PV EVAL 0 DEPTH [TEXT]`: the value of a move.
    Search(Hint),
    /// `book PV EVAL GAMES DEPTH [TEXT]`: the value of a move of the opening book.
    Book {
        /// The move.
        hint: Hint,
        /// How many learned games came through the position behind it.
        games: u32,
        /// Its values by what a draw is worth, where that matters.
        draws: Option<Draws>,
    },
    /// `nodestats NODES SECONDS`, both since the search began.
    NodeStats {
        /// Positions visited.
        nodes: u64,
        /// The time it took.
        elapsed: Duration,
    },
    /// `analysis MOVES EVAL`: the value of a position of the game.
    Analysis {
        /// How many turns of the game lead to the position.
        turns: usize,
        /// The value for Black, whoever is to move.
        score_for_black: Score,
    },
    /// `learned`: the answer to `learn`.
    Learned,
    /// `status TEXT`: what the engine is doing; empty when it is doing nothing.
    Status(String),
    /// `set myname NAME`: only letters and digits of the name are written.
    MyName(String),
}

/// The value of one move, as `search` reports it.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    /// The move and what the search knows about it.
    pub line: Line,
    /// The depth that NBoard shows. Of a move of the book it is the line's own. Of a search it is that of all lines of the report: NBoard takes
    /// its text for the name of an iteration and drops what belongs to another, so what this line alone has reached goes into the free text.
    pub depth: SearchDepth,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Pong(number) => write!(f, "pong {number}"),
            Reply::Move { turn, score: Some(score), elapsed } => {
                write!(f, "=== {turn:#}/{}/{}", discs(*score), seconds(*elapsed))
            }
            Reply::Move { turn, score: None, elapsed } => write!(f, "=== {turn:#}//{}", seconds(*elapsed)),
            // No game ends one disc apart: this is a draw, and what it is worth to the client.
            Reply::Search(hint) if hint.line.depth == SearchDepth::Exact && hint.line.score.units().abs() == DISC => {
                hint.write(f, "search", by_draws(Draws::DRAW), 0)
            }
            Reply::Search(hint) => hint.write(f, "search", hint.line.score, 0),
            Reply::Book { hint, games, draws: None } => hint.write(f, "book", hint.line.score, *games),
            Reply::Book { hint, games, draws: Some(draws) } => hint.write(f, "book", by_draws(*draws), *games),
            Reply::NodeStats { nodes, elapsed } => {
                // The client reads a signed 64-bit number.
                write!(f, "nodestats {} {}", (*nodes).min(i64::MAX as u64), seconds(*elapsed))
            }
            Reply::Analysis { turns, score_for_black } => write!(f, "analysis {turns} {}", discs(*score_for_black)),
            Reply::Learned => f.write_str("learned"),
            Reply::Status(text) if text.is_empty() => f.write_str("status"),
            Reply::Status(text) => write!(f, "status {}", printable_ascii(text)),
            Reply::MyName(name) => {
                f.write_str("set myname ")?;
                name.chars().filter(char::is_ascii_alphanumeric).try_for_each(|c| write!(f, "{c}"))
            }
        }
    }
}

impl Hint {
    fn write(&self, f: &mut fmt::Formatter<'_>, word: &str, value: impl fmt::Display, games: u32) -> fmt::Result {
        let Line { turn, score: _, bound, depth, value_plies: _, pv, visits } = &self.line;
        let turns = if pv.is_empty() { std::slice::from_ref(turn) } else { pv };
        write!(f, "{word} ")?;
        turns.iter().try_for_each(|turn| write!(f, "{turn:#}"))?;
        write!(f, " {value} {games} {}", self.depth)?;
        match bound {
            Bound::Exact => {}
            Bound::Lower => f.write_str(" at least")?,
            Bound::Upper => f.write_str(" at most")?,
        }
        if *depth != self.depth {
            write!(f, " depth {depth}")?;
        }
        if *visits > 0 {
            write!(f, " visits {visits}")?;
        }
        Ok(())
    }
}

/// Discs with two decimals, and a sign only where it is needed.
fn discs(score: Score) -> impl fmt::Display {
    fmt::from_fn(move |f| f.write_str(score.to_string().trim_start_matches('+')))
}

/// What a move is worth if draws count for the side to move, and if they count for the other side: one number where that does not matter.
fn by_draws(draws: Draws) -> impl fmt::Display {
    fmt::from_fn(move |f| match [1, -1].map(|discs| draws.at(Score::from_discs(discs))) {
        [value, other] if value == other => write!(f, "{value}"),
        [value, other] => write!(f, "{value},{other}"),
    })
}

/// Plain decimals: clients do not read exponents.
fn seconds(time: Duration) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "{:.3}", time.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Move {
        Move::Place(name.parse().unwrap())
    }

    #[test]
    fn moves_carry_value_and_time() {
        let elapsed = Duration::from_micros(34_400);
        let reply = |turn, score| Reply::Move { turn, score, elapsed }.to_string();
        assert_eq!(reply(place("f5"), Some(Score::from_units(160))), "=== F5/1.25/0.034");
        assert_eq!(reply(place("a1"), Some(Score::from_units(-64))), "=== A1/-0.50/0.034");
        assert_eq!(reply(Move::Pass, None), "=== PA//0.034");
    }

    #[test]
    fn a_hint_names_its_own_depth_only_where_it_is_another() {
        let line =
            Line::new(vec![place("f5"), Move::Pass, place("c3")], Score::from_units(-64), SearchDepth::Plies(12));
        let hint = |line: &Line, depth| Reply::Search(Hint { line: line.clone(), depth }).to_string();
        assert_eq!(hint(&line, SearchDepth::Plies(12)), "search F5PAC3 -0.50 0 12");
        assert_eq!(hint(&line, SearchDepth::Plies(9)), "search F5PAC3 -0.50 0 9 depth 12");
        let book =
            Reply::Book { hint: Hint { line: line.clone(), depth: SearchDepth::Plies(9) }, games: 31, draws: None };
        assert_eq!(book.to_string(), "book F5PAC3 -0.50 31 9 depth 12");
        let draws = Some(Draws { lost: Score::from_discs(-2), won: Score::from_discs(100) });
        let book = Reply::Book { hint: Hint { line: line.clone(), depth: SearchDepth::Plies(9) }, games: 31, draws };
        assert_eq!(book.to_string(), "book F5PAC3 +1.00,-1.00 31 9 depth 12");
        let draws = Some(Draws { lost: Score::from_discs(-2), won: Score::from_units(-64) });
        let book = Reply::Book { hint: Hint { line: line.clone(), depth: SearchDepth::Plies(12) }, games: 0, draws };
        assert_eq!(book.to_string(), "book F5PAC3 -0.50,-1.00 0 12");
        let draws = Some(Draws { lost: Score::from_discs(4), won: Score::from_discs(100) });
        let book = Reply::Book { hint: Hint { line: line.clone(), depth: SearchDepth::Plies(12) }, games: 0, draws };
        assert_eq!(book.to_string(), "book F5PAC3 +4.00 0 12");
        let draw = Line { score: Score::from_discs(-1), depth: SearchDepth::Exact, ..line.clone() };
        assert_eq!(hint(&draw, SearchDepth::Exact), "search F5PAC3 +1.00,-1.00 0 100%");
        let line = Line { pv: vec![], visits: 7, bound: Bound::Lower, ..line };
        assert_eq!(hint(&line, SearchDepth::Exact), "search F5 -0.50 0 100% at least depth 12 visits 7");
    }

    #[test]
    fn numbers_never_have_an_exponent() {
        let elapsed = Duration::from_nanos(1);
        assert_eq!(Reply::NodeStats { nodes: u64::MAX, elapsed }.to_string(), "nodestats 9223372036854775807 0.000");
        let elapsed = Duration::from_secs(10_000_000);
        assert_eq!(Reply::NodeStats { nodes: 0, elapsed }.to_string(), "nodestats 0 10000000.000");
        let reply = Reply::Analysis { turns: 61, score_for_black: Score::from_discs(-64) };
        assert_eq!(reply.to_string(), "analysis 61 -64.00");
    }

    #[test]
    fn texts_are_pure_ascii_on_one_line() {
        assert_eq!(Reply::Status("É\n…ok".to_owned()).to_string(), "status ???ok");
        assert_eq!(Reply::Status(String::new()).to_string(), "status");
        assert_eq!(Reply::MyName("Émilia 12;".to_owned()).to_string(), "set myname milia12");
    }
}
