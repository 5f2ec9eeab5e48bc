//! What several unit tests need.

use crate::notation::obf::ObfEntry;
use crate::othello::{Bitboard, Color, Position};
use std::collections::VecDeque;
use std::io::{self, Read};

/// A position with this many empty squares, or the end of a shorter game, reached by pseudo-random play.
pub(crate) fn random_position(seed: u64, empties: u32) -> Position {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut position = Position::START;
    while position.empties().count() > empties && !position.is_over() {
        let moves = position.moves();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let chosen = (state >> 32) as usize % (moves.count() as usize).max(1);
        position = moves.into_iter().nth(chosen).map_or_else(|| position.pass(), |square| position.after(square));
    }
    position
}

/// A random position of which two squares of the centre, d4 and e5, are empty, as on a board that somebody has set up.
pub(crate) fn random_position_with_holes(seed: u64, empties: u32) -> Position {
    let position = random_position(seed, empties.saturating_sub(2));
    let holes = Bitboard(0x0000_0010_0800_0000);
    let [black, white] = [Color::Black, Color::White].map(|color| position.discs(color) & !holes);
    Position::new(black, white, position.mover()).expect("a board with most of its discs")
}

/// The positions of `tests/data/testset.obf`, which are of tournament games.
pub(crate) fn tournament_positions() -> impl Iterator<Item = Position> {
    let testset = include_str!("../tests/data/testset.obf");
    let entries = testset.lines().filter(|line| !line.starts_with('%')).map(|line| ObfEntry::parse(line).unwrap());
    entries.map(|entry| entry.position)
}

/// Boards as the side to move sees them: half of them reached by pseudo-random play, half with discs strewn anywhere, from
/// nearly empty to nearly full.
pub(crate) fn random_boards(seed: u64, count: usize) -> impl Iterator<Item = (Bitboard, Bitboard)> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let mut position = Position::START;
    (0..count).map(move |index| {
        if index % 2 == 0 {
            let moves = position.moves();
            let chosen = (next() >> 33) as usize % (moves.count() as usize).max(1);
            position = match moves.into_iter().nth(chosen) {
                Some(square) => position.after(square),
                None if position.opponent_moves().is_empty() => Position::START,
                None => position.pass(),
            };
            position.boards()
        } else {
            let occupied = match next() >> 62 {
                0 => next() & next(),
                1 => next(),
                2 => next() | next(),
                _ => next() | next() | next() | next(),
            };
            let mine = match next() >> 62 {
                0 => next() & next(),
                1 => next() | next(),
                _ => next(),
            };
            (Bitboard(occupied & mine), Bitboard(occupied & !mine))
        }
    })
}

/// An input that comes in pieces. Each end of a terminal is one key: whoever reads behind an empty piece would wait for the next.
pub(crate) struct Pieces(VecDeque<&'static [u8]>);

impl Pieces {
    /// The input.
    pub(crate) fn new(pieces: &[&'static [u8]]) -> Pieces {
        Pieces(pieces.iter().copied().collect())
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.0.pop_front().expect("nobody reads behind the end");
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}
