//! What Emilia says: typed replies and failures, and the frame around them.

use super::analysis::StreamFormat;
use crate::engine::{EngineOptions, OptionError};
use crate::othello::{Color, Empties, Move, Position, Square};
use crate::protocol::printable_ascii;
use crate::search::{Bound, Line, Report};
use std::fmt;
use thiserror::Error;

/// A command's result.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// Success without a text.
    Done,
    /// A line, or several.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// A turn: `F5` or `pass`.
    Turn(Move),
    /// A finished game's score for Black, in discs: `B+12`, `W+4`, `0`.
    Score(i32),
    /// A finished game's result in words, for people; the score is Black's, in discs.
    Winner(i32),
    /// A side.
    Side(Color),
    /// A picture for people.
    Board(Position),
    /// GoGui's board: row 8 first, because GoGui draws row 1 at the bottom.
    RulesBoard(Position),
    /// The turns that a position allows: squares, a pass, or nothing at the end of a game.
    Turns(Position),
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Done => Ok(()),
            Reply::Text(text) => f.write_str(text),
            Reply::Truth(truth) => truth.fmt(f),
            Reply::Turn(turn) => Vertex(*turn).fmt(f),
            Reply::Score(0) => f.write_str("0"),
            Reply::Score(score) => write!(f, "{}+{}", if *score > 0 { 'B' } else { 'W' }, score.unsigned_abs()),
            Reply::Winner(0) => f.write_str("Draw"),
            Reply::Winner(score) if *score > 0 => write!(f, "Black wins by {score}"),
            Reply::Winner(score) => write!(f, "White wins by {}", score.unsigned_abs()),
            Reply::Side(color) => color.fmt(f),
            Reply::Board(position) => {
                // The first line stands behind the `=`, so that it cannot be one of the picture.
                let diagram = format!("{position:#}");
                match diagram.rsplit_once('\n') {
                    Some((picture, summary)) => write!(f, "{summary}\n{picture}"),
                    None => f.write_str(&diagram),
                }
            }
            Reply::RulesBoard(position) => write_rules_board(f, position),
            Reply::Turns(position) if position.must_pass() => Vertex(Move::Pass).fmt(f),
            Reply::Turns(position) => {
                let names: Vec<String> = position.moves().into_iter().map(Square::to_upper).collect();
                f.write_str(&names.join(" "))
            }
        }
    }
}

fn write_rules_board(f: &mut fmt::Formatter<'_>, position: &Position) -> fmt::Result {
    for row in (0..8).rev() {
        let symbols =
            (0..8).filter_map(|column| Square::at(column, row)).map(|square| match position.color_at(square) {
                Some(Color::Black) => "X",
                Some(Color::White) => "O",
                None => ".",
            });
        f.write_str(&symbols.collect::<Vec<_>>().join(" "))?;
        if row > 0 {
            f.write_str("\n")?;
        }
    }
    Ok(())
}

/// A turn as GTP writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vertex(pub Move);

impl fmt::Display for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Move::Place(square) => f.pad(&square.to_upper()),
            Move::Pass => f.pad("pass"),
        }
    }
}

/// Why a command was refused. The texts of the standard commands are those of the protocol's draft.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// No command has this name.
    #[error("unknown command")]
    UnknownCommand,
    /// The arguments are too few, too many or of the wrong kind.
    #[error("syntax error")]
    Syntax,
    /// The same of a command for which the draft has no text: what it takes.
    #[error("expected {0}")]
    Expected(&'static str),
    /// Longer than any command may be.
    #[error("line too long")]
    LineTooLong,
    /// Only 8 is played.
    #[error("unacceptable size")]
    UnacceptableSize,
    /// The turn cannot be taken.
    #[error("illegal move")]
    IllegalMove,
    /// A move was asked for the side that is not to move, while the other has one.
    #[error("illegal move: it is {0}'s turn")]
    NotToMove(Color),
    /// Nothing was played.
    #[error("cannot undo")]
    CannotUndo,
    /// The game is not over.
    #[error("cannot score")]
    CannotScore,
    /// The file cannot be read, or is no game of Othello.
    #[error("cannot load file: {0}")]
    CannotLoad(String),
    /// Only Othello is played.
    #[error("unsupported game")]
    UnsupportedGame,
    /// The text is not a position.
    #[error("cannot read the position: {0}")]
    BadPosition(String),
    /// The option does not exist or does not take this value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// `avoid` or `allow` for more than the next move.
    #[error("avoid and allow are heeded for the next move only: their depth must be 1")]
    RestrictionTooDeep,
    /// `avoid` or `allow` where a move is generated.
    #[error("avoid and allow are heeded in analyses only")]
    RestrictedGenMove,
    /// `avoid` and `allow` leave nothing to look at.
    #[error("no move is left")]
    NoMoveLeft,
    /// This search cannot leave moves out.
    #[error("{0} looks at all moves")]
    LooksAtAllMoves(&'static str),
    /// `emilia-stats` before anything was searched.
    #[error("no search yet")]
    NoSearchYet,
}

/// A whole response: `=` or `?`, the id, the text, an empty line.
///
/// Whatever the text, the frame is kept: empty lines in it vanish, and what is not printable ASCII becomes a question mark.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// The id of the command.
    pub id: Option<u32>,
    /// The command's result.
    pub outcome: Result<Reply, Failure>,
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, text) = match &self.outcome {
            Ok(reply) => ('=', reply.to_string()),
            Err(failure) => ('?', failure.to_string()),
        };
        write!(f, "{}", Head { mark, id: self.id })?;
        for (number, line) in clean_lines(&text).enumerate() {
            write!(f, "{}{line}", if number == 0 { " " } else { "\n" })?;
        }
        f.write_str("\n\n")
    }
}

/// The beginning of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// `=` or `?`.
    pub mark: char,
    /// The id of the command.
    pub id: Option<u32>,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mark)?;
        self.id.map_or(Ok(()), |id| id.fmt(f))
    }
}

fn clean_lines(text: &str) -> impl Iterator<Item = String> {
    text.split('\n').map(str::trim_end).filter(|line| !line.is_empty()).map(printable_ascii)
}

/// ` pv` and the expected play.
fn write_pv(f: &mut fmt::Formatter<'_>, line: &Line) -> fmt::Result {
    f.write_str(" pv")?;
    line.pv.iter().try_for_each(|turn| write!(f, " {}", Vertex(*turn)))
}

/// One line of `emilia-analyze`: a line of a report, which is its `rank`th best move, from 1.
pub fn analysis_line<'a>(rank: usize, line: &'a Line, report: &'a Report, empties: Empties) -> impl fmt::Display + 'a {
    fmt::from_fn(move |f| {
        let bound = match line.bound {
            Bound::Exact => "",
            Bound::Lower => ">=",
            Bound::Upper => "<=",
        };
        let chance = line.chance();
        write!(f, "rank {rank} move {} score {bound}{} chance {chance:.4}", Vertex(line.turn), line.score)?;
        write!(f, " depth {}", line.depth.shown(empties))?;
        write!(f, " visits {} nodes {} seconds {:.3}", line.visits, report.nodes, report.elapsed.as_secs_f64())?;
        write_pv(f, line)
    })
}

/// A report in the format of other engines, which is not [`StreamFormat::Emilia`]: all moves in one line.
pub fn info_line(format: StreamFormat, report: &Report) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let lines = &report.lines;
        // Alpha-beta does not count by move.
        let equal_part = report.nodes / lines.len().max(1) as u64;
        let odds = |line: &Line| line.odds().clamp(LEAST_ODDS, 1.0 / LEAST_ODDS);
        let all_odds: f64 = lines.iter().map(odds).sum();
        for (order, line) in lines.iter().enumerate() {
            let (chance, prior) = (line.chance(), odds(line) / all_odds);
            let visits = if line.visits > 0 { line.visits } else { equal_part.max(1) };
            let gap = if order > 0 { " " } else { "" };
            write!(f, "{gap}info move {} visits {visits} ", Vertex(line.turn))?;
            let number = |chance: f64| match format {
                StreamFormat::KataGo => format!("{chance:.6}"),
                _ => format!("{:.0}", chance * 1e4),
            };
            write!(f, "winrate {}", number(chance))?;
            if format != StreamFormat::LeelaZero {
                let discs = line.score.discs();
                write!(f, " scoreMean {discs:.6} scoreLead {discs:.6}")?;
            }
            write!(f, " prior {} order {order}", number(prior))?;
            write_pv(f, line)?;
        }
        Ok(())
    })
}

/// The values of a position's moves as GoGui draws them: a label on each square, a colour on the best, and a text below the board.
pub fn value_labels(report: &Report, empties: Empties) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let Some(best) = report.lines.first() else { return Ok(()) };
        let squares = report.lines.iter().filter_map(|line| Some((line.turn.square()?, line)));
        for (square, line) in squares.clone() {
            // A square has no room for more than four letters. -0 becomes 0.
            let discs = (line.score.discs() * 10.0).round() / 10.0 + 0.0;
            let digits = usize::from(!line.depth.is_exact() && discs.abs() < 10.0);
            writeln!(f, "LABEL {} {discs:.digits$}", square.to_upper())?;
        }
        // Some searches have the most visited move in front.
        let most = report.lines.iter().map(|line| line.score).max();
        for (square, _) in squares.filter(|(_, line)| Some(line.score) == most) {
            writeln!(f, "COLOR green {}", square.to_upper())?;
        }
        let depth = report.depth.shown(empties);
        write!(f, "TEXT {} {}, depth {depth}:", Vertex(best.turn), best.score)?;
        best.pv.iter().try_for_each(|turn| write!(f, " {}", Vertex(*turn)))
    })
}

/// A move of the opening book, as `emilia-book` reports it, with how many learned games came through the position behind it.
pub fn book_line(line: &Line, empties: Empties, games: u32) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let depth = line.depth.shown(empties);
        write!(f, "move {} score {} depth {depth} games {games}", Vertex(line.turn), line.score)?;
        write_pv(f, line)
    })
}

/// The last search and the options that it ran with, as `emilia-stats` reports it: a name and a value on each line.
///
/// The `engine`, `nodes` visited, static `evaluations`, `seconds`, `nps` (nodes per second), `depth` as far as all lines were searched,
/// `score` in discs for the side that moved, `pv`, `tree-bytes` and `tree-nodes` stored, and `memory-cap`, which says
/// whether the stored tree was full and what was done then.
pub fn search_stats<'a>(report: &'a Report, empties: Empties, options: &'a EngineOptions) -> impl fmt::Display + 'a {
    fmt::from_fn(move |f| {
        let Report { lines, depth, nodes, evaluations, elapsed, memory } = report;
        let depth = depth.shown(empties);
        let seconds = elapsed.as_secs_f64();
        // A search may be over before the clock has moved.
        let per_second = *nodes as f64 / seconds.max(1e-6);
        writeln!(f, "engine {}\nnodes {nodes}\nevaluations {evaluations}", options.engine)?;
        writeln!(f, "seconds {seconds:.3}\nnps {per_second:.0}\ndepth {depth}")?;
        if let Some(line) = lines.first() {
            let pv: Vec<String> = line.pv.iter().map(|turn| Vertex(*turn).to_string()).collect();
            writeln!(f, "score {}\npv {}", line.score, pv.join(" "))?;
        }
        writeln!(f, "tree-bytes {}\ntree-nodes {}", memory.tree_bytes, memory.tree_nodes)?;
        match (memory.linear_nodes, memory.pruned_nodes) {
            _ if !memory.cap_was_reached() => f.write_str("memory-cap not reached"),
            _ if memory.ended_at_cap => f.write_str("memory-cap reached, the search ended there"),
            (linear, 0) => write!(f, "memory-cap reached, {linear} nodes expanded in linear space"),
            (0, pruned) => write!(f, "memory-cap reached, {pruned} nodes pruned"),
            (linear, pruned) => {
                write!(f, "memory-cap reached, {pruned} nodes pruned, {linear} nodes expanded in linear space")
            }
        }
    })
}

/// The odds that a proven loss counts with among the moves.
const LEAST_ODDS: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{MemoryUse, Score, SearchDepth};

    #[test]
    fn no_text_breaks_the_frame() {
        let response = |outcome| Response { id: None, outcome }.to_string();
        let text = "\n\na\r\n \n\nb\u{7}\n\u{e9}\n\n";
        assert_eq!(response(Ok(Reply::Text(text.into()))), "= a\nb?\n?\n\n");
        assert_eq!(response(Err(Failure::CannotLoad("\n\n".into()))), "? cannot load file:\n\n");
    }

    #[test]
    fn results_and_memory_are_put_into_words() {
        for (score, text, words) in [(4, "B+4", "Black wins by 4"), (-4, "W+4", "White wins by 4"), (0, "0", "Draw")] {
            assert_eq!([Reply::Score(score), Reply::Winner(score)].map(|reply| reply.to_string()), [text, words]);
        }
        let options = EngineOptions::default();
        for (linear_nodes, pruned_nodes, ended_at_cap, words) in [
            (0, 0, false, "memory-cap not reached"),
            (7, 0, false, "memory-cap reached, 7 nodes expanded in linear space"),
            (0, 8, false, "memory-cap reached, 8 nodes pruned"),
            (7, 8, false, "memory-cap reached, 8 nodes pruned, 7 nodes expanded in linear space"),
            (0, 8, true, "memory-cap reached, the search ended there"),
        ] {
            let memory = MemoryUse { tree_bytes: 64, tree_nodes: 1, pruned_nodes, linear_nodes, ended_at_cap };
            let report = &Report { memory, ..Report::default() };
            let stats = search_stats(report, Empties::MOST, &options).to_string();
            assert_eq!(stats.lines().last(), Some(words));
        }
    }

    #[test]
    fn labels_fit_a_square_and_all_best_moves_are_coloured() {
        let line = |name: &str, units, depth| {
            let turn = Move::Place(name.parse().unwrap());
            Line::new(vec![turn, turn], Score::from_units(units), depth)
        };
        let plies = SearchDepth::Plies(8);
        let lines = vec![
            line("d3", 160, plies),
            line("c4", 160, plies),
            line("f5", -1630, plies),
            line("e6", -256, SearchDepth::Exact),
            line("b2", -5, plies),
        ];
        let report = &Report { lines, depth: plies, ..Report::default() };
        assert_eq!(
            value_labels(report, Empties::MOST).to_string(),
            "LABEL D3 1.3\nLABEL C4 1.3\nLABEL F5 -13\nLABEL E6 -2\nLABEL B2 0.0\nCOLOR green D3\nCOLOR green C4\n\
             TEXT D3 +1.25, depth 8: D3 D3"
        );
        let report = &Report::default();
        assert_eq!(value_labels(report, Empties::MOST).to_string(), "");
    }

    #[test]
    fn nodes_and_priors_are_shared_among_the_moves() {
        let line = |name: &str, discs| {
            let turn = Move::Place(name.parse().unwrap());
            let (score, depth) = (Score::from_discs(discs), SearchDepth::Exact);
            Line::new(vec![turn], score, depth)
        };
        let lines = vec![line("d3", 2), line("c4", 2), line("f5", -2)];
        let report = &Report { lines, nodes: 100, ..Report::default() };
        let begins =
            |format, with: &str| assert!(info_line(format, report).to_string().starts_with(with), "{format:?}");
        let scores = "scoreMean 2.000000 scoreLead 2.000000";
        begins(
            StreamFormat::KataGo,
            &format!("info move D3 visits 33 winrate 1.000000 {scores} prior 0.500000 order 0 pv D3 info"),
        );
        begins(
            StreamFormat::Sabaki,
            &format!("info move D3 visits 33 winrate 10000 {scores} prior 5000 order 0 pv D3 info"),
        );
        assert_eq!(
            info_line(StreamFormat::LeelaZero, report).to_string(),
            "info move D3 visits 33 winrate 10000 prior 5000 order 0 pv D3 \
             info move C4 visits 33 winrate 10000 prior 5000 order 1 pv C4 \
             info move F5 visits 33 winrate 0 prior 0 order 2 pv F5"
        );
    }
}
