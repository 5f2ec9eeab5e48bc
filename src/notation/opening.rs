//! The names of openings: what players call the positions of the first moves.

use super::transcript;
use crate::othello::{Bitboard, Position, canonical};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Moves from the standard start and the name of the position behind them, a line each.
const OPENINGS: &str = include_str!("../../assets/openings.txt");

/// The discs of the side to move and of the other one, the same for positions that turn or mirror into each other.
type Boards = (Bitboard, Bitboard);

/// The name of the opening of a game with these positions, the start first: that of the last one that has a name. In whatever order its
/// moves were played, and however the board lies, a position has the same name.
///
/// ```
/// use emilia::notation::{opening, read_position};
/// assert_eq!(opening(read_position("f5d6c3d3c4").unwrap().positions()), Some("Tiger"));
/// assert_eq!(opening(read_position("c4e3f6e6f5c5").unwrap().positions()), Some("Tiger"));
/// ```
pub fn opening(positions: &[Position]) -> Option<&'static str> {
    static NAMES: OnceLock<HashMap<Boards, &'static str>> = OnceLock::new();
    let names = NAMES.get_or_init(|| named().map(|(position, name)| (boards(&position), name)).collect());
    positions.iter().rev().find_map(|position| names.get(&boards(position)).copied())
}

fn boards(position: &Position) -> Boards {
    canonical(position).0.boards()
}

fn named() -> impl Iterator<Item = (Position, &'static str)> {
    OPENINGS.lines().map(|line| {
        let (moves, name) = line.split_once(' ').expect("a test reads the table");
        (*transcript::parse(moves).expect("a test reads the table").position(), name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;

    #[test]
    fn every_opening_has_one_name_however_the_board_lies() {
        let mut seen = HashMap::new();
        for (position, name) in named() {
            assert_eq!(seen.insert(boards(&position), name), None, "{name} is another one too");
            assert!(!name.trim().is_empty() && position.empties().count() >= 36, "{name}");
            for symmetry in Symmetry::ALL {
                assert_eq!(opening(&[symmetry.position(&position)]), Some(name));
            }
        }
        assert_eq!(seen.len(), 78);
    }

    #[test]
    fn the_last_position_with_a_name_counts() {
        let of = |moves| opening(transcript::parse(moves).unwrap().positions());
        assert_eq!(of("f5d6c4g5"), Some("No-Cat"));
        assert_eq!(of("f5d6c4g5c6c5"), Some("Swallow"));
        assert_eq!(of("f5d6c4d3c3"), Some("Tiger"), "the moves in another order");
        assert_eq!(of("f5d6"), Some("Perpendicular"));
        assert_eq!(of("f5"), None);
    }
}
