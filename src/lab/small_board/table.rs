//! What the depth-first solver remembers of positions.

use super::board::Board;
use crate::othello::{Bitboard, Square};
use crate::random::mix;

/// What is known of a position: bounds in discs for the side to move, and the move that was best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    board: Board,
    pub lower: i8,
    pub upper: i8,
    best: u8,
    /// Empty squares, 0 in a free place.
    empties: u8,
}

/// No move.
const NONE: u8 = 64;

impl Entry {
    fn unknown(board: &Board, empties: u32) -> Entry {
        Entry { board: *board, lower: -64, upper: 64, best: NONE, empties: empties as u8 }
    }

    pub fn best(&self) -> Option<Square> {
        Square::new(self.best)
    }
}

/// Two places for each remainder of the hash: one for the position with the most empty squares, one for the last.
pub(super) struct Table(Vec<[Entry; 2]>);

impl Table {
    /// A table of two to the power of `log` pairs of places.
    pub fn new(log: u32) -> Table {
        let free = Entry::unknown(&Board { player: Bitboard::EMPTY, opponent: Bitboard::EMPTY }, 0);
        Table(vec![[free; 2]; 1 << log])
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }

    #[inline]
    fn index(&self, board: &Board) -> usize {
        mix(board.player.0 ^ mix(board.opponent.0)) as usize & (self.0.len() - 1)
    }

    #[inline]
    pub fn probe(&self, board: &Board) -> Option<&Entry> {
        self.0[self.index(board)].iter().find(|entry| entry.empties > 0 && entry.board == *board)
    }

    /// Remembers a bound on the side of `alpha` where the value lies, and the move that gave it.
    pub fn store(&mut self, board: &Board, empties: u32, alpha: i32, bound: i32, best: Square) {
        let index = self.index(board);
        let places = &mut self.0[index];
        let known = places.iter().position(|entry| entry.empties > 0 && entry.board == *board);
        let mut entry = known.map_or(Entry::unknown(board, empties), |place| places[place]);
        if bound > alpha {
            (entry.lower, entry.best) = (bound as i8, best.index() as u8);
        } else {
            entry.upper = bound as i8;
            if entry.best == NONE {
                entry.best = best.index() as u8;
            }
        }
        let place = known.unwrap_or_else(|| {
            if entry.empties < places[0].empties {
                return 1;
            }
            places[1] = places[0];
            0
        });
        places[place] = entry;
    }
}
