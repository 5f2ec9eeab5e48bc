//! Breakthrough (Dan Troyka, 2000) on 8x8 squares: a third game for the searches. A piece goes one square straight or slantwise forward,
//! captures slantwise alone, and who first reaches the last row wins.

use crate::eval::Evaluator;
use crate::game::{DISC, Game};
use crate::othello::Color;

/// A position, seen by the side to move, which goes up the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breakthrough {
    player: u64,
    opponent: u64,
    mover: Color,
}

const LEFT_FILE: u64 = 0x0101_0101_0101_0101;
const LAST_ROW: u64 = 0xff;
/// What a won game is worth.
const WON: i32 = 64 * DISC;

impl Breakthrough {
    /// Each side has two rows.
    pub const START: Breakthrough = Breakthrough { player: 0xffff, opponent: 0xffff << 48, mover: Color::Black };

    /// The rows that all pieces together are away from their last ones.
    pub fn rows_to_go(&self) -> u32 {
        let rows =
            |pieces: u64| -> u32 { (0..8).map(|row| (7 - row) * (pieces >> (8 * row) & LAST_ROW).count_ones()).sum() };
        rows(self.player) + rows(self.opponent.swap_bytes())
    }

    /// The squares that are reached by going this many squares up, from the squares of the side to move.
    fn reached(&self, step: u32) -> u64 {
        match step {
            7 => (self.player & !LEFT_FILE) << 7 & !self.player,
            9 => (self.player & !(LEFT_FILE << 7)) << 9 & !self.player,
            _ => self.player << 8 & !(self.player | self.opponent),
        }
    }
}

impl Game for Breakthrough {
    /// The square that a piece leaves, and how many squares up it goes.
    type Move = (u8, u8);
    type Moves = std::vec::IntoIter<(u8, u8)>;

    fn moves(&self) -> Self::Moves {
        let mut moves = Vec::with_capacity(40);
        if !self.is_over() {
            for step in [8, 7, 9] {
                let mut reached = self.reached(step);
                while reached != 0 {
                    moves.push(((reached.trailing_zeros() - step) as u8, step as u8));
                    reached &= reached - 1;
                }
            }
        }
        moves.into_iter()
    }

    fn after(&self, (from, step): (u8, u8)) -> Breakthrough {
        let to = 1 << (from + step);
        let player = self.player & !(1 << from) | to;
        Breakthrough { player: (self.opponent & !to).swap_bytes(), opponent: player.swap_bytes(), mover: !self.mover }
    }

    fn pass(&self) -> Breakthrough {
        unreachable!("the piece that is farthest ahead has a move until the game is over")
    }

    fn is_over(&self) -> bool {
        self.opponent & LAST_ROW != 0 || self.player == 0
    }

    /// Only the side to move can have lost.
    fn outcome(&self) -> i32 {
        -WON
    }

    fn mover(&self) -> Color {
        self.mover
    }
}

/// The pieces, and the squares of the rows that they have gone: the rows alone would say nothing, as each move goes one.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    /// What the square of a row is worth, a piece being worth [`DISC`].
    pub row: i32,
}

impl Evaluator<Breakthrough> for Pieces {
    fn evaluate(&self, position: &Breakthrough) -> i32 {
        let value = |pieces: u64| {
            let rows: u32 = (0..8).map(|row| row * row * (pieces >> (8 * row) & LAST_ROW).count_ones()).sum();
            pieces.count_ones() as i32 * DISC + rows as i32 * self.row
        };
        value(position.player) - value(position.opponent.swap_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn perft(position: Breakthrough, depth: u32) -> u64 {
        if depth == 0 { 1 } else { position.moves().map(|mv| perft(position.after(mv), depth - 1)).sum() }
    }

    #[test]
    fn games_go_by_the_rules() {
        // 8 straight moves and 14 slantwise ones; nothing meets before the third turn of a side.
        assert_eq!([1, 2].map(|depth| perft(Breakthrough::START, depth)), [22, 484]);
        let mut random = Random::new(1);
        let mut captures = 0;
        for _ in 0..100 {
            let mut position = Breakthrough::START;
            while !position.is_over() {
                let moves = position.moves();
                assert!(moves.len() > 0);
                let (from, step) = moves.clone().nth(random.below(moves.len())).unwrap();
                let pieces = |position: &Breakthrough| (position.player | position.opponent).count_ones();
                let next = position.after((from, step));
                let is_capture = position.opponent & 1 << (from + step) != 0;
                assert!(!is_capture || step != 8);
                assert_eq!(pieces(&next), pieces(&position) - u32::from(is_capture));
                assert_eq!(next.mover(), !position.mover());
                for row in [0, DISC / 10] {
                    let mirrored =
                        Breakthrough { player: next.opponent.swap_bytes(), opponent: next.player.swap_bytes(), ..next };
                    assert_eq!(Pieces { row }.evaluate(&next), -Pieces { row }.evaluate(&mirrored));
                }
                captures += u32::from(is_capture);
                position = next;
            }
        }
        assert!(captures > 300, "{captures}");
    }
}
