//! What games between searches need to know of a game.

use crate::game::{DISC, Game};
use crate::lab::breakthrough::Breakthrough;
use crate::lab::random_tree::RandomTree;
use crate::lab::small_board::SixBySix;
use crate::othello::{Empties, Position};
use crate::search::{Contempt, EndValues, EndgameSolver, Work};
use std::cell::RefCell;

/// A game that searches are compared in.
pub trait Contest: Game {
    /// What finished games are worth to alpha-beta.
    const ENDS: EndValues;

    /// How far the game is: what budgets depend on. Empty squares, rows to go, or turns taken.
    fn stage(&self) -> u32;

    /// Plies to the end of the game, at most.
    fn plies_left(&self) -> u32 {
        self.stage()
    }

    /// The result for Black if the game is over, or so near its end, `solve_from` empty squares, that both sides would
    /// play it out perfectly.
    fn verdict(&self, solve_from: u32) -> Option<i32>;
}

thread_local! {
    /// Positions with more empty squares than this are never asked for.
    static SOLVER: RefCell<EndgameSolver> = RefCell::new(EndgameSolver::new(Empties::new(20).unwrap()));
}

impl Contest for Position {
    const ENDS: EndValues = EndValues::Outcome;

    fn stage(&self) -> u32 {
        self.empties().count()
    }

    fn verdict(&self, solve_from: u32) -> Option<i32> {
        if self.is_over() {
            return Some(self.score_for_black());
        }
        if self.empties().count() > solve_from {
            return None;
        }
        let value = SOLVER.with_borrow_mut(|solver| {
            solver.solve(self, Contempt::NONE, &mut Work::default(), &mut |_| false).expect("nobody says stop")
        });
        Some(self.mover().signed(value / DISC))
    }
}

impl Contest for RandomTree {
    const ENDS: EndValues = EndValues::Sum;

    fn stage(&self) -> u32 {
        self.depth().into()
    }

    fn plies_left(&self) -> u32 {
        RandomTree::plies_left(self).into()
    }

    fn verdict(&self, _: u32) -> Option<i32> {
        self.is_over().then(|| self.sum())
    }
}

impl Contest for SixBySix {
    const ENDS: EndValues = EndValues::Outcome;

    fn stage(&self) -> u32 {
        self.empties()
    }

    fn verdict(&self, _: u32) -> Option<i32> {
        self.is_over().then(|| self.score_for_black())
    }
}

impl Contest for Breakthrough {
    const ENDS: EndValues = EndValues::Outcome;

    fn stage(&self) -> u32 {
        self.rows_to_go()
    }

    fn verdict(&self, _: u32) -> Option<i32> {
        self.is_over().then(|| self.mover().signed(self.outcome().signum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Color;
    use crate::search::after;
    use crate::testing::random_position;

    #[test]
    fn a_verdict_is_what_perfect_play_gives() {
        for seed in 0..40 {
            let position = random_position(seed, 7);
            let exact = position.verdict(7).unwrap();
            if !position.is_over() {
                assert_eq!(position.verdict(3), None);
                let turns: Vec<_> = position.moves().into_iter().map(Some).collect();
                let turns = if turns.is_empty() { vec![None] } else { turns };
                let results = turns.into_iter().map(|turn| after(&position, turn).verdict(7).unwrap());
                let best = if position.mover() == Color::Black { results.max() } else { results.min() };
                assert_eq!(best, Some(exact));
            }
        }
    }
}
