//! Thinking: every search takes a [`Task`] and a [`Control`], sends [`Report`]s to a sink while it runs, and returns the
//! last one. No search prints, and none knows a protocol.

mod alpha_beta;
mod best_first;
mod endgame;
mod limits;
mod minimax;
mod ordering;
mod rbfms;
mod report;
mod score;
mod selectivity;
#[cfg(test)]
mod tests;
mod threads;
mod transposition;
mod tree;

pub use alpha_beta::{AlphaBeta, AlphaBetaSettings};
pub use best_first::{
    AlphaBetaStart, BestFirst, BestFirstSettings, ByValue, Component, Emilia, EndValues, EndgameSolver, Explorer,
    FinalMove, KorfBestFirst, KorfSettings, OnMemoryCap, Progress, RootMove, Start, Tie, Work,
    mean_alpha_beta_evaluations,
};
pub(crate) use best_first::{Budget, Interrupted, Rules, Schedule, evaluation_error, least_depth, line_to};
pub(crate) use endgame::move_order;
pub use limits::{Control, Depth, DepthError, Limits, StopSignal, TimeBudget};
pub use minimax::{Minimax, MinimaxKind, PlainCounts, PlainResult, plain_minimax, plain_minimax_along};
pub use rbfms::{Answer, Call, Rbfms, RbfmsSettings, Sibling, Stack, linear_best_first};
pub use report::{Bound, Line, MemoryUse, Report, SearchDepth, SearchDepthError};
pub use score::{Contempt, Score};
pub use selectivity::{Selectivity, SelectivityError};
pub(crate) use tree::{after, turns};

use crate::eval::Evaluator;
use crate::game::DISC;
use crate::othello::{Bitboard, Position};
use std::sync::Arc;

/// Beyond every value of every game.
const INFINITY: i32 = i32::MAX;
/// Beyond every score of Othello in discs, whatever a draw is worth. It fits into a byte of a table.
const BEYOND_DISCS: i32 = 127;
/// The largest result, in discs.
const MOST_DISCS: i32 = 64;
/// Beyond every value of Othello, in units of [`DISC`]. It fits into two bytes of a table.
const BEYOND: i32 = BEYOND_DISCS * DISC;

/// What is to be known of a position in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precision {
    /// The score.
    #[default]
    Score,
    /// The score, but who wins before by how much: alpha-beta, where it reaches the end of the game, first asks who wins, and then for the
    /// score among the moves that keep the outcome. The other searches find the score.
    OutcomeFirst,
    /// Who wins. Alpha-beta, where it reaches the end of the game, then only asks whether the score is above, at or below
    /// 0 and reports [`SearchDepth::WinLossDraw`], with the score +1 disc as a lower bound, 0, or −1 disc as an upper
    /// bound. So does best-first where it proves; the other searches find the score.
    WinLossDraw,
}

/// What is to be searched. The position has a turn to take: the game is not over.
#[derive(Clone)]
pub struct Task {
    /// The position; every reported score is for its side to move.
    pub position: Position,
    /// How many of the best moves are wanted with their exact values, at least 1.
    pub lines: usize,
    /// If set, every move whose value is at most this far below the best is wanted too.
    pub margin: Option<Score>,
    /// Whether the values are what is wanted, and not a move to play.
    pub is_analysis: bool,
    /// Whether reports are shown as the search goes on. Then `emilia` says in each of them what the move is worth; else they have the values by
    /// which the tree chooses.
    pub is_watched: bool,
    /// Squares that are not to be played now, though another one is left: alpha-beta and the best-first searches find the best of the
    /// other moves. The other searches do not read it.
    pub except: Bitboard,
    /// Whether the score is wanted or only its sign.
    pub precision: Precision,
    /// What a draw is worth.
    pub contempt: Contempt,
    /// The static evaluation.
    pub evaluator: Arc<dyn Evaluator<Position>>,
}

impl Task {
    /// The best move of a position, draws worth nothing.
    pub fn new(position: Position, evaluator: Arc<dyn Evaluator<Position>>) -> Task {
        Task {
            position,
            lines: 1,
            margin: None,
            is_analysis: false,
            is_watched: false,
            except: Bitboard::EMPTY,
            precision: Precision::Score,
            contempt: Contempt::NONE,
            evaluator,
        }
    }

    /// How many of these lines, best first, the task wants to see: [`Task::lines`] of them, and those within the margin.
    pub fn lines_to_report(&self, lines: &[Line]) -> usize {
        let Some(best) = lines.first() else { return 0 };
        let within = |line: &&Line| self.margin.is_some_and(|m| line.score.units() >= best.score.units() - m.units());
        lines.iter().take_while(within).count().max(self.lines).min(lines.len())
    }
}

/// A way of thinking that keeps what it has learned (a table, a tree) from one call to the next.
pub trait Search: Send {
    /// Searches until the task is done, a limit is reached or the control says stop. At least the first line of the
    /// report is there whatever the limits, and its turn is legal. The sink gets a report whenever the lines have become
    /// better founded; what is returned may repeat the last one, with the final counts.
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report;

    /// Says what the first move of an answer to a task with a margin is worth, if the values of the answer serve to compare moves alone.
    /// The control is that of the answer.
    fn value_choice(&mut self, _answer: &mut Report, _task: &Task, _control: &Control) {}

    /// Forgets everything learned.
    fn clear(&mut self) {}
}
