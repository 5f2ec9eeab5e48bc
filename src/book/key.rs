//! What the book calls a position, and the positions one move before and behind it.

use crate::othello::{Bitboard, Color, Position, Square, Symmetry, canonical, flips};

/// A position with a move to play, whichever way the board is turned and whoever has which colour.
///
/// Keys are ordered by their number of empty squares first: what comes later in a game comes before in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    empties: u8,
    player: Bitboard,
    opponent: Bitboard,
}

/// Where a move leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// To the position of this key, with the other side to move.
    Reply(Key),
    /// To the position of this key, with the same side to move: the other one must pass.
    Again(Key),
    /// To the end of the game, with this score in discs for the side that moved.
    Over(i32),
}

impl Next {
    /// The position, if the game goes on.
    pub fn key(self) -> Option<Key> {
        match self {
            Next::Reply(key) | Next::Again(key) => Some(key),
            Next::Over(_) => None,
        }
    }

    /// A value of the position behind the move as one for the side that moved.
    pub fn signed<T: std::ops::Neg<Output = T>>(self, value: T) -> T {
        if matches!(self, Next::Reply(_)) { -value } else { value }
    }
}

impl Key {
    /// The length of [`Key::to_bytes`].
    pub const BYTES: usize = 17;

    /// The key of a position that has a move, and the symmetry that leads from it to [`Key::position`].
    pub fn of(position: &Position) -> (Key, Symmetry) {
        let (image, symmetry) = canonical(position);
        (Key::named(image.player(), image.opponent()), symmetry)
    }

    fn named(player: Bitboard, opponent: Bitboard) -> Key {
        Key { empties: (!(player | opponent)).count() as u8, player, opponent }
    }

    /// The key of these discs if they are a position of the book's form.
    pub fn from_boards(player: u64, opponent: u64) -> Option<Key> {
        let (player, opponent) = (Bitboard(player), Bitboard(opponent));
        let position = Position::new(player, opponent, Color::Black).ok()?;
        let key = Key::named(player, opponent);
        (!position.moves().is_empty() && Key::of(&position).0 == key).then_some(key)
    }

    /// The discs of the side to move and of the other one.
    pub fn boards(&self) -> (u64, u64) {
        (self.player.0, self.opponent.0)
    }

    /// The position with Black to move.
    pub fn position(&self) -> Position {
        Position::new(self.player, self.opponent, Color::Black).expect("a key is made from a position")
    }

    /// The number of empty squares.
    pub fn empties(&self) -> u8 {
        self.empties
    }

    /// Bytes in the order of the keys.
    pub fn to_bytes(&self) -> [u8; Key::BYTES] {
        let mut bytes = [self.empties; Key::BYTES];
        bytes[1..9].copy_from_slice(&self.player.0.to_be_bytes());
        bytes[9..].copy_from_slice(&self.opponent.0.to_be_bytes());
        bytes
    }

    /// The key with these bytes, if there is one.
    pub fn from_bytes(bytes: &[u8; Key::BYTES]) -> Option<Key> {
        let word = |from: usize| u64::from_be_bytes(std::array::from_fn(|i| bytes[from + i]));
        Key::from_boards(word(1), word(9)).filter(|key| key.empties == bytes[0])
    }

    /// The keys that lead here by one move, and by one move and the pass behind it, each once.
    pub fn predecessors(&self) -> Vec<Key> {
        let (player, opponent) = (self.player, self.opponent);
        let mut keys = Vec::new();
        // The side that is not to move has moved.
        take_back(opponent, player, &mut keys);
        // The side to move has moved, and the other one could not.
        if self.position().opponent_moves().is_empty() {
            take_back(player, opponent, &mut keys);
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// The moves of a position and where they lead.
pub fn moves(position: &Position) -> impl Iterator<Item = (Square, Next)> + use<> {
    let position = *position;
    position.moves().into_iter().map(move |square| (square, next(&position, square)))
}

/// Where a legal move leads.
pub fn next(position: &Position, square: Square) -> Next {
    let after = position.after(square);
    if !after.moves().is_empty() {
        Next::Reply(Key::of(&after).0)
    } else if after.must_pass() {
        Next::Again(Key::of(&after.pass()).0)
    } else {
        Next::Over(-after.score())
    }
}

/// The steps from a square to its eight neighbours.
const DIRECTIONS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Adds the positions from which `mover` came here by one move.
fn take_back(mover: Bitboard, other: Bitboard, keys: &mut Vec<Key>) {
    for square in mover {
        // What may have been turned in each direction: nothing, or the first discs of a row that another one ends.
        let turned = DIRECTIONS.map(|step| beginnings(square, step, mover));
        let mut sets = vec![Bitboard::EMPTY];
        for beginnings in turned {
            let before = sets.len();
            for beginning in beginnings {
                for i in 0..before {
                    sets.push(sets[i] | beginning);
                }
            }
        }
        // The first of the sets is empty, and no move turns nothing.
        for &set in &sets[1..] {
            let (player, opponent) = (mover & !set & !square.bit(), other | set);
            if flips(square, player, opponent) == set
                && let Ok(position) = Position::new(player, opponent, Color::Black)
            {
                keys.push(Key::of(&position).0);
            }
        }
    }
}

/// The beginnings of the row of discs next to a square, without all of them.
fn beginnings(square: Square, (columns, rows): (i8, i8), discs: Bitboard) -> impl Iterator<Item = Bitboard> {
    let mut at = Some(square);
    let mut set = Bitboard::EMPTY;
    let mut step = move || {
        let from = at?;
        at = Square::at(from.column().wrapping_add_signed(columns), from.row().wrapping_add_signed(rows))
            .filter(|&square| discs.contains(square));
        at
    };
    let mut next = step();
    std::iter::from_fn(move || {
        set |= next?.bit();
        next = step();
        next.map(|_| set)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_position, random_position_with_holes};
    use std::collections::BTreeSet;

    #[test]
    fn keys_come_back_from_their_bytes_and_go_by_empty_squares() {
        for seed in 0..200 {
            let position = random_position(seed, seed as u32 % 60);
            if position.moves().is_empty() {
                continue;
            }
            let key = Key::of(&position).0;
            assert_eq!(Key::from_bytes(&key.to_bytes()), Some(key));
            assert_eq!(Key::of(&position.swap_colors()).0, key);
            for (_, next) in moves(&position) {
                assert!(next.key().is_none_or(|next| next < key && next.to_bytes() < key.to_bytes()));
            }
        }
        assert_eq!(Key::from_boards(1, 1), None);
        assert_eq!(Key::from_boards(0, u64::MAX), None, "no move");
        let (player, opponent) = Key::of(&random_position(1, 40)).0.boards();
        assert_eq!(Key::from_boards(player.swap_bytes(), opponent.swap_bytes()), None, "not the image that names it");
    }

    #[test]
    fn every_position_is_found_from_each_of_its_successors() {
        for seed in 0..300 {
            let random = if seed % 4 == 3 { random_position_with_holes } else { random_position };
            let position = random(seed, 4 + seed as u32 % 56);
            if position.moves().is_empty() {
                continue;
            }
            let key = Key::of(&position).0;
            for (square, next) in moves(&position) {
                let Some(next) = next.key() else { continue };
                assert!(next.predecessors().contains(&key), "{position} {square}");
            }
        }
    }

    #[test]
    fn what_comes_before_a_position_leads_to_it() {
        for seed in 0..40 {
            let position = random_position(seed, 36 + seed as u32 % 20);
            let key = Key::of(&position).0;
            let before = key.predecessors();
            assert!(!before.is_empty());
            assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), before.len());
            for before in before {
                assert!(moves(&before.position()).any(|(_, next)| next.key() == Some(key)), "{position}");
            }
        }
    }

    #[test]
    fn a_pass_is_seen_from_both_sides() {
        let passes = (0..).map(|seed| random_position(seed, 8)).find(Position::must_pass).unwrap();
        let again = Key::of(&passes.pass()).0;
        let leads: Vec<Next> =
            again.predecessors().iter().flat_map(|key| moves(&key.position())).map(|(_, next)| next).collect();
        assert!(leads.contains(&Next::Again(again)));
    }
}
