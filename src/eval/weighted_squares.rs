//! Weighted squares: corners are good, the squares beside an empty board's corners bad.

use super::{Evaluator, STATIC_LIMIT};
use crate::othello::{Bitboard, Position, Square};

/// The classical table of square values, symmetric in all eight ways, scaled to discs.
///
/// The relative weights are those of Norvig, *Paradigms of Artificial Intelligence Programming*, chapter 18. Their sum
/// over a board runs from about −1000 to 1000; one disc is 12.8 points, fitted like the weights of
/// [`Mobility`](super::Mobility).
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedSquares;

/// Units of [`DISC`](crate::game::DISC) for one point of the table.
const SCALE: i32 = 10;

/// The squares that share one weight.
struct Class {
    squares: Bitboard,
    weight: i32,
}

/// The weights of one quadrant, from its corner; rows and columns 4 to 7 mirror 3 to 0.
const QUADRANT: [[i32; 4]; 4] = [[120, -20, 20, 5], [-20, -40, -5, -5], [20, -5, 15, 3], [5, -5, 3, 3]];

/// The table as bitboards, so that a position is weighed with a few population counts.
const CLASSES: [Class; 8] = {
    let weights = [120, -20, -40, 20, 5, -5, 15, 3];
    let mut classes = [const { Class { squares: Bitboard::EMPTY, weight: 0 } }; 8];
    let mut i = 0;
    while i < classes.len() {
        classes[i] = Class { squares: Bitboard(squares_of_weight(weights[i])), weight: weights[i] };
        i += 1;
    }
    classes
};

const fn squares_of_weight(weight: i32) -> u64 {
    let mut squares = 0;
    let mut index = 0;
    while index < 64 {
        let (near, far) = Square::from_low_bits(index).edge_distances();
        if QUADRANT[near][far] == weight {
            squares |= 1 << index;
        }
        index += 1;
    }
    squares
}

impl WeightedSquares {
    /// The weighted difference in points of the table, before scaling.
    #[inline]
    pub(super) fn points(position: &Position) -> i32 {
        let (p, o) = position.boards();
        let difference = |squares| (p & squares).count() as i32 - (o & squares).count() as i32;
        CLASSES.iter().map(|class| class.weight * difference(class.squares)).sum()
    }
}

impl Evaluator<Position> for WeightedSquares {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        (WeightedSquares::points(position) * SCALE).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Color, GameRecord, Move};

    #[test]
    fn every_square_has_its_weight() {
        assert_eq!(CLASSES.iter().map(|class| class.squares.count()).sum::<u32>(), 64);
        assert_eq!(Bitboard(squares_of_weight(120)), Bitboard::CORNERS);
    }

    #[test]
    fn hand_counted_positions() {
        assert_eq!(WeightedSquares.evaluate(&Position::START), 0);
        // f5 turns e5: black d5, e4, e5, f5 (3 + 3 + 3 + 3) against white d4 (3); White is to move.
        let mut game = GameRecord::default();
        game.take(Move::Place("f5".parse().unwrap())).unwrap();
        assert_eq!(WeightedSquares.evaluate(game.position()), (3 - 12) * SCALE);
        // A black corner (120) beside a black C-square (-20) and X-square (-40), centre black (4 times 3).
        let black = ["a1", "b1", "b2"].map(|s| s.parse::<Square>().unwrap()).into_iter().collect::<Bitboard>();
        let position = Position::new(black | Bitboard::CENTRE, Bitboard::EMPTY, Color::Black).unwrap();
        assert_eq!(WeightedSquares.evaluate(&position), 72 * SCALE);
        assert_eq!(WeightedSquares.evaluate(&position.pass()), -72 * SCALE);
    }
}
