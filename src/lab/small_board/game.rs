//! Othello on 6x6 squares as a game for the generic searches.

use super::{Board, Shape};
use crate::eval::Evaluator;
use crate::game::{DISC, Game};
use crate::othello::{Color, Square, Squares};
use std::sync::LazyLock;

static SHAPE: LazyLock<Shape> =
    LazyLock::new(|| Shape::all().into_iter().find(|shape| shape.name == "6x6").expect("a board of the experiment"));

/// A position of Othello on 6x6 squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SixBySix {
    board: Board,
    mover: Color,
}

impl SixBySix {
    /// The position that the game begins with.
    pub fn start() -> SixBySix {
        SixBySix { board: SHAPE.start(), mover: Color::Black }
    }

    /// The number of empty squares.
    pub fn empties(&self) -> u32 {
        SHAPE.empties(&self.board).count()
    }

    /// The score of a finished game for Black, in discs.
    pub fn score_for_black(&self) -> i32 {
        self.mover.signed(SHAPE.score(&self.board))
    }
}

impl Game for SixBySix {
    type Move = Square;
    type Moves = Squares;

    fn moves(&self) -> Squares {
        SHAPE.moves(&self.board).into_iter()
    }

    fn after(&self, square: Square) -> SixBySix {
        SixBySix { board: self.board.after(square), mover: !self.mover }
    }

    fn pass(&self) -> SixBySix {
        SixBySix { board: self.board.pass(), mover: !self.mover }
    }

    fn is_over(&self) -> bool {
        [self.board, self.board.pass()].iter().all(|board| SHAPE.moves(board).is_empty())
    }

    fn outcome(&self) -> i32 {
        SHAPE.score(&self.board) * DISC
    }

    fn mover(&self) -> Color {
        self.mover
    }
}

/// A sum of differences between the sides, each with what one of them is worth in units of [`DISC`].
#[derive(Clone, Copy, Debug)]
pub struct Differences {
    /// A disc.
    pub discs: i32,
    /// A move that a side would have if it were to move.
    pub moves: i32,
    /// A corner.
    pub corners: i32,
}

impl Evaluator<SixBySix> for Differences {
    fn evaluate(&self, position: &SixBySix) -> i32 {
        let of = |board: &Board| {
            let corners = (board.player & SHAPE.corners).count() as i32;
            self.discs * board.player.count() as i32
                + self.moves * SHAPE.moves(board).count() as i32
                + self.corners * corners
        };
        of(&position.board) - of(&position.board.pass())
    }
}
