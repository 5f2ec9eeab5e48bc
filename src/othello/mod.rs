//! The rules of Othello and nothing else: squares, positions, moves, symmetries, and the count of the game tree.

mod bitboard;
mod empties;
mod flips;
mod game_record;
pub(crate) mod line;
mod moves;
mod outcome;
mod perft;
mod position;
mod rays;
mod square;
mod stability;
mod symmetry;

pub use bitboard::{Bitboard, Squares};
pub use empties::{Empties, EmptiesError};
pub use flips::{flips, last_flips};
pub use game_record::GameRecord;
pub use moves::legal_moves;
pub use outcome::Outcome;
pub use perft::{PassRule, perft};
pub use position::{Color, IllegalMove, Move, Position, PositionError, final_score};
pub use square::{ParseSquareError, Square};
pub use stability::stable_discs;
pub use symmetry::{Symmetry, canonical};
