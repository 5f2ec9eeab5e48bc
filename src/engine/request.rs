//! Questions to the engine, and what it says to them.

use crate::othello::{Bitboard, Move, Position};
use crate::search::{Contempt, Limits, Report};
use crossbeam::channel::RecvError;
use std::time::Duration;

/// The time for a move when neither the client nor the options say anything.
pub const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(2);

/// What a client wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// One move to play: [`EngineOptions::level`](super::EngineOptions::level) and `variety` apply, a forced move or pass costs about
    /// ten thousand positions at most, and without any limit the search takes [`DEFAULT_MOVE_TIME`] at full strength.
    Move,
    /// The values of the best moves, at least one; without a limit the search goes on until it is stopped or has solved
    /// the position.
    Hint {
        /// Number of moves; more than there are means all.
        lines: usize,
    },
    /// Who wins under perfect play, and a move that keeps it so: [`WinLossDraw`](crate::search::Precision::WinLossDraw). Without a limit
    /// the search goes on until it is stopped or knows.
    WinLossDraw,
}

/// A question to the engine: a position, a goal and limits.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The position; if the game is over, the answer is an empty report.
    pub position: Position,
    /// What is wanted.
    pub goal: Goal,
    /// The client's limits. The options' limits apply as well; the tighter one counts.
    pub limits: Limits,
    /// Whether a move without any limit is thought about until the search is stopped or knows, not for [`DEFAULT_MOVE_TIME`].
    pub is_endless: bool,
    /// What a draw is worth.
    pub contempt: Contempt,
    /// Moves that are not to be looked at: not all of them. Searches heed it whose entry
    /// [says so](super::SearchEntry::leaves_moves_out).
    pub except: Bitboard,
}

impl Request {
    /// The move to play, with the options' limits alone.
    pub fn best_move(position: Position) -> Request {
        Request {
            position,
            goal: Goal::Move,
            limits: Limits::default(),
            is_endless: false,
            contempt: Contempt::NONE,
            except: Bitboard::EMPTY,
        }
    }

    /// The values of the best moves, with the options' limits alone.
    pub fn hint(position: Position, lines: usize) -> Request {
        Request { goal: Goal::Hint { lines }, ..Request::best_move(position) }
    }

    /// Who wins under perfect play, with the options' limits alone.
    pub fn win_loss_draw(position: Position) -> Request {
        Request { goal: Goal::WinLossDraw, ..Request::best_move(position) }
    }
}

/// What a search says while it runs and when it is done.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// Better founded lines than before. The last report of a search always comes, so a client that shows reports has
    /// nothing to add at the end.
    Report(Report),
    /// The end, also of a search that was stopped; the last event.
    Finished(Decision),
}

impl From<Result<Event, RecvError>> for Event {
    /// What was received of a search, before its last event. One whose thread is gone has no result.
    fn from(received: Result<Event, RecvError>) -> Event {
        received.unwrap_or_else(|_| {
            log::error!("the search ended without a decision");
            Event::Finished(Decision::default())
        })
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Decision {
    /// The turn to take, a pass if it is forced; `None` if the game is over.
    pub turn: Option<Move>,
    /// The last report. Its first line is about `turn`.
    pub report: Report,
}

impl Decision {
    /// The turn, if it is legal in this position; else any that is, so that a client is never left without one.
    pub fn legal_turn(&self, position: &Position) -> Move {
        match self.turn {
            Some(turn) if position.take(turn).is_ok() => turn,
            turn => {
                log::error!("the search found no legal move but {turn:?} in {position}; taking any");
                position.moves().into_iter().next().map_or(Move::Pass, Move::Place)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_is_not_legal_is_replaced() {
        let start = Position::START;
        let decision = |turn| Decision { turn, report: Report::default() };
        let d3 = Move::Place("d3".parse().unwrap());
        assert_eq!(decision(Some(d3)).legal_turn(&start), d3);
        for turn in [None, Some(Move::Pass), Some(Move::Place("a1".parse().unwrap()))] {
            assert!(start.take(decision(turn).legal_turn(&start)).is_ok());
        }
    }
}
