//! What a search says.

use super::{Depth, Score, Selectivity};
use crate::othello::{Empties, Move};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// What a search knows at some moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The best moves in the order of preference, the one to play first; empty only if the game is over. Alpha-beta and
    /// minimax prefer by value, the best-first family by its rule for the final move, by visits or by value, and moves
    /// that only have their static value come last in linear space.
    ///
    /// Fewer than [`Task::lines`](super::Task::lines) if there are fewer moves, or while the first iteration has not come
    /// to all of them; more if a margin is set and more moves are within it.
    pub lines: Vec<Line>,
    /// The depth that every line has reached.
    pub depth: SearchDepth,
    /// Positions visited since the search began.
    pub nodes: u64,
    /// Static evaluations made since the search began; every position that the endgame solver visited counts as one.
    pub evaluations: u64,
    /// Time since the search was asked for.
    pub elapsed: Duration,
    /// The state of the memory that the search thinks with.
    pub memory: MemoryUse,
}

/// One move and what it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The move, or the pass that is forced.
    pub turn: Move,
    /// The move's value for the side to move.
    pub score: Score,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// The depth that the line has reached.
    pub depth: SearchDepth,
    /// The plies that were searched for the value, to the end of the game if it is solved, where the depth says something else: that of a tree
    /// stands for its effort.
    pub value_plies: Option<u8>,
    /// The expected play, beginning with `turn`.
    pub pv: Vec<Move>,
    /// Visits of this move in the best-first family; 0 in other searches.
    pub visits: u64,
}

impl Line {
    /// A line of expected play, not empty, with an exact value of this depth.
    pub fn new(pv: Vec<Move>, score: Score, depth: SearchDepth) -> Line {
        Line { turn: pv[0], score, bound: Bound::Exact, depth, value_plies: None, pv, visits: 0 }
    }

    /// The chance of the side to move to win with this line, from 0 to 1, a draw counted as half. Certain where it is known who wins.
    ///
    /// Between engines of about equal strength; `docs/strength.md` has it beside results.
    pub fn chance(&self) -> f64 {
        1.0 - 1.0 / (1.0 + self.odds())
    }

    /// The chance to win divided by that to lose.
    pub(crate) fn odds(&self) -> f64 {
        /// The logarithm of the odds for each disc of a static value, and what each ply of a search adds. Fitted to games by `scripts/chances.py`.
        const OF_DISC: f64 = 0.113;
        const OF_DISC_PER_PLY: f64 = 0.0255;
        match self.depth.plies() {
            Some(depth) => {
                let plies = f64::from(self.value_plies.unwrap_or(depth));
                (self.score.discs() * (OF_DISC + OF_DISC_PER_PLY * plies)).exp()
            }
            None => match self.score.units().signum() {
                1 => f64::INFINITY,
                0 => 1.0,
                _ => 0.0,
            },
        }
    }
}

/// How a score is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value of the search.
    Exact,
    /// The search's value is this or more.
    Lower,
    /// The search's value is this or less.
    Upper,
}

/// How far a search has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchDepth {
    /// A number of plies, then the static evaluation.
    Plies(u8),
    /// A number of plies, then the static evaluation, with cuts by shallower searches (ProbCut).
    Selective {
        /// Plies searched.
        plies: u8,
        /// How sure each cut is; not [`Selectivity::NONE`].
        selectivity: Selectivity,
    },
    /// To the end of the game: the score is the result under perfect play.
    Exact,
    /// To the end of the game, but only who wins is known: a score that is no bound is an estimate for the side that wins.
    WinLossDraw,
}

impl Default for SearchDepth {
    fn default() -> SearchDepth {
        SearchDepth::Plies(0)
    }
}

impl SearchDepth {
    /// Whether the score is the result under perfect play.
    pub const fn is_exact(self) -> bool {
        matches!(self, SearchDepth::Exact)
    }

    /// Whether it is known who wins under perfect play, be it with the score or without.
    pub const fn knows_winner(self) -> bool {
        self.plies().is_none()
    }

    /// The plies before the static evaluation; `None` where the search has seen the end of the game.
    pub const fn plies(self) -> Option<u8> {
        match self {
            SearchDepth::Plies(plies) | SearchDepth::Selective { plies, .. } => Some(plies),
            SearchDepth::Exact | SearchDepth::WinLossDraw => None,
        }
    }

    /// The depth as it is shown to clients, for a position with this many empty squares: with a percentage only where the end of the game was seen,
    /// so `12` for `12@73%`.
    pub fn shown(self, empties: Empties) -> SearchDepth {
        match self {
            SearchDepth::Selective { plies, .. } if plies < empties.count() => SearchDepth::Plies(plies),
            _ => self,
        }
    }
}

impl fmt::Display for SearchDepth {
    /// The depth in full: `12`, `24@73%`, `100%`, `100%W`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchDepth::Plies(plies) => write!(f, "{plies}"),
            SearchDepth::Selective { plies, selectivity } => write!(f, "{plies}@{selectivity}%"),
            SearchDepth::Exact => f.write_str("100%"),
            SearchDepth::WinLossDraw => f.write_str("100%W"),
        }
    }
}

/// The text is no depth as [`SearchDepth`] shows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no depth of a search; expected plies such as 12, or 20@98% with cuts, or 100% or 100%W for the end of the game"
)]
pub struct SearchDepthError(String);

impl FromStr for SearchDepth {
    type Err = SearchDepthError;

    /// Reads what is shown.
    fn from_str(text: &str) -> Result<SearchDepth, SearchDepthError> {
        let plies = |text: &str| text.parse().ok().map(Depth::plies);
        let depth = match (text, text.split_once('@')) {
            ("100%", _) => Some(SearchDepth::Exact),
            ("100%W", _) => Some(SearchDepth::WinLossDraw),
            (_, None) => plies(text).map(SearchDepth::Plies),
            (_, Some((depth, percent))) => {
                let selectivity = percent.strip_suffix('%').and_then(|percent| percent.parse::<u8>().ok());
                let selectivity = selectivity.and_then(|percent| Selectivity::try_from(i64::from(percent)).ok());
                let selectivity = selectivity.filter(|selectivity| *selectivity != Selectivity::NONE);
                plies(depth).zip(selectivity).map(|(plies, selectivity)| SearchDepth::Selective { plies, selectivity })
            }
        };
        depth.ok_or_else(|| SearchDepthError(text.to_owned()))
    }
}

/// The state of a search's table or tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Bytes in use by the stored tree; 0 for a search that keeps none.
    pub tree_bytes: u64,
    /// Nodes in the stored tree.
    pub tree_nodes: u64,
    /// Nodes freed by pruning at the memory cap since the search began.
    pub pruned_nodes: u64,
    /// Nodes expanded in linear space, by RBFMS, since the search began.
    pub linear_nodes: u64,
    /// Whether the search ended because the tree had filled its memory.
    pub ended_at_cap: bool,
}

impl MemoryUse {
    /// Whether a stored tree filled its memory, so that the search had to go on in linear space, to prune, or to end.
    pub const fn cap_was_reached(&self) -> bool {
        self.ended_at_cap || self.pruned_nodes > 0 || self.is_in_linear_space()
    }

    /// Whether a search that stores a tree goes on in linear space.
    pub const fn is_in_linear_space(&self) -> bool {
        self.linear_nodes > 0 && self.tree_nodes > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_symmetric_and_grow_with_what_is_seen() {
        let line = |discs, depth| Line::new(vec![Move::Pass], Score::from_discs(discs), depth);
        for (discs, chance) in [(2, 1.0), (0, 0.5), (-64, 0.0)] {
            assert_eq!(line(discs, SearchDepth::Exact).chance(), chance);
        }
        let at = |discs, plies| line(discs, SearchDepth::Plies(plies)).chance();
        assert_eq!(at(0, 8), 0.5);
        assert!((at(3, 8) + at(-3, 8) - 1.0).abs() < 1e-12);
        assert!(0.5 < at(3, 8) && at(3, 8) < at(3, 20) && at(3, 20) < at(6, 20) && at(64, 60) <= 1.0);
        // The effort of a tree says nothing of a value that a shallower search has found.
        let of_tree = Line { value_plies: Some(8), ..line(3, SearchDepth::Plies(20)) };
        assert_eq!(of_tree.chance(), at(3, 8));
    }

    #[test]
    fn a_depth_is_read_as_it_is_shown() {
        for text in ["1", "60", "20@98%", "24@73%", "100%", "100%W"] {
            assert_eq!(text.parse::<SearchDepth>().unwrap().to_string(), text);
        }
        for text in ["", "0", "61", "20@98", "20@100%", "20@50%", "20@", "@98%", "98%", "exact"] {
            let error = text.parse::<SearchDepth>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}'")) && error.contains("expected"), "{error}");
        }
    }

    #[test]
    fn a_percentage_tells_that_the_end_was_seen() {
        let shown = |plies| {
            let depth = SearchDepth::Selective { plies, selectivity: Selectivity::BOLDEST };
            depth.shown(Empties::new(24).unwrap()).to_string()
        };
        assert_eq!([12, 23, 24].map(shown), ["12", "23", "24@73%"]);
        assert_eq!(SearchDepth::WinLossDraw.shown(Empties::MOST), SearchDepth::WinLossDraw);
    }

    #[test]
    fn depths_print_as_nboard_reads_them() {
        assert_eq!(SearchDepth::Plies(12).to_string(), "12");
        assert_eq!(SearchDepth::Selective { plies: 24, selectivity: Selectivity::BOLDEST }.to_string(), "24@73%");
        assert_eq!(SearchDepth::Exact.to_string(), "100%");
        assert_eq!(SearchDepth::WinLossDraw.to_string(), "100%W");
    }
}
