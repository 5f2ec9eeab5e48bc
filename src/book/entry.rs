//! What the book knows of a position.

use super::Draws;
use crate::game::DISC;
use crate::othello::Square;
use crate::search::{Score, SearchDepth, Selectivity};

/// What is known of a position. Values and bounds are for its side to move; squares are those of [`Key::position`](super::Key::position).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it is worth: the best of the leaf and of the moves in the book; `None` until it was searched.
    pub value: Option<Score>,
    /// What it is worth by what a draw is worth; `None` if that is the value.
    pub draws: Option<Draws>,
    /// The least final score that is proven, in discs.
    pub lower: i8,
    /// The greatest final score that is proven, in discs.
    pub upper: i8,
    /// The best of the moves that are not in the book.
    pub leaf: Leaf,
    /// The fingerprint of the evaluation that found the leaf; in a packed book that of the whole book, or 0 if it was another one.
    pub weights: u32,
    /// How often the growth of the book went through here; 0 in a packed book.
    pub visits: u32,
    /// How many of the games that the book has learned came through here; 0 in a packed book.
    pub games: u32,
    /// What the growth of the book has to pay, in units of 1/128 disc, to reach the next position to be searched from here;
    /// [`Entry::NOTHING_TO_DO`] if there is none.
    pub cost: u32,
}

/// The best of the moves that lead to no position with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// It is not known.
    Unsearched,
    /// Every move leads to a position with a value.
    NoneLeft,
    /// It was found by a search.
    Found {
        /// The move.
        square: Square,
        /// Its value.
        value: Score,
        /// How far the search has seen.
        depth: SearchDepth,
    },
}

impl Leaf {
    /// The move, if it was found.
    pub fn square(self) -> Option<Square> {
        match self {
            Leaf::Found { square, .. } => Some(square),
            Leaf::Unsearched | Leaf::NoneLeft => None,
        }
    }

    /// Whether a search has found the move. A book of another program may have the value of a position alone: then any move stands for it.
    pub(super) fn is_searched(self) -> bool {
        matches!(self, Leaf::Found { depth, .. } if depth.plies() != Some(0))
    }
}

/// The codes of leaves that are no squares.
const NOT_FOUND: u8 = 64;
const NONE_LEFT: u8 = 65;
const NO_VALUE: i16 = i16::MIN;
/// The code of a search that has seen the end of the game, where others have the confidence of their cuts.
const EXACT: u8 = 0;
const MOST: i16 = 64 * DISC as i16;

impl Entry {
    /// The cost where nothing is left to be searched.
    pub const NOTHING_TO_DO: u32 = u32::MAX;
    /// The length of [`Entry::judgement`].
    pub const JUDGEMENT_BYTES: usize = 9;
    /// The place of the leaf's square in it.
    pub(super) const SQUARE: usize = 4;
    /// The length of [`Entry::to_bytes`].
    pub const BYTES: usize = Entry::JUDGEMENT_BYTES + 16;

    /// A position of which nothing is known.
    pub const UNSEARCHED: Entry = Entry {
        value: None,
        draws: None,
        lower: -64,
        upper: 64,
        leaf: Leaf::Unsearched,
        weights: 0,
        visits: 0,
        games: 0,
        cost: 0,
    };

    /// A position to which a book has just grown.
    pub const ADDED: Entry = Entry { visits: 1, ..Entry::UNSEARCHED };

    /// Whether the result under perfect play is known.
    pub fn is_solved(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether the leaf is worth what it is under perfect play.
    pub fn has_exact_leaf(&self) -> bool {
        matches!(self.leaf, Leaf::Found { depth, .. } if depth.is_exact())
    }

    /// What it is worth if a draw is worth this to the side to move.
    pub fn worth(&self, draw: Score) -> Option<Score> {
        match self.draws {
            Some(draws) if draw != Score::ZERO => Some(draws.at(draw)),
            _ => self.value,
        }
    }

    /// The value, the bounds and the leaf: what a packed book keeps.
    pub fn judgement(&self) -> [u8; Entry::JUDGEMENT_BYTES] {
        let value = self.value.map_or(NO_VALUE, units);
        let (code, leaf_value, plies, confidence) = match self.leaf {
            Leaf::Unsearched => (NOT_FOUND, 0, 0, EXACT),
            Leaf::NoneLeft => (NONE_LEFT, 0, 0, EXACT),
            Leaf::Found { square, value, depth } => {
                let (plies, confidence) = match depth {
                    SearchDepth::Plies(plies) => (plies, Selectivity::NONE.percent()),
                    SearchDepth::Selective { plies, selectivity } => (plies, selectivity.percent()),
                    SearchDepth::Exact => (0, EXACT),
                    // Nothing asks for it here: it says less than any depth.
                    SearchDepth::WinLossDraw => (0, Selectivity::NONE.percent()),
                };
                (square.index() as u8, units(value), plies, confidence)
            }
        };
        let mut bytes = [0; Entry::JUDGEMENT_BYTES];
        bytes[..2].copy_from_slice(&value.to_le_bytes());
        bytes[2] = self.lower as u8;
        bytes[3] = self.upper as u8;
        bytes[Entry::SQUARE] = code;
        bytes[5..7].copy_from_slice(&leaf_value.to_le_bytes());
        bytes[7] = plies;
        bytes[8] = confidence;
        bytes
    }

    /// The entry with this judgement, if the bytes are one.
    pub fn of_judgement(bytes: &[u8; Entry::JUDGEMENT_BYTES]) -> Option<Entry> {
        let &[v0, v1, lower, upper, code, l0, l1, plies, confidence] = bytes;
        let score = |units: i16| (-MOST..=MOST).contains(&units).then(|| Score::from_units(units.into()));
        let value = match i16::from_le_bytes([v0, v1]) {
            NO_VALUE => None,
            units => Some(score(units)?),
        };
        let leaf = match code {
            NOT_FOUND => Leaf::Unsearched,
            NONE_LEFT => Leaf::NoneLeft,
            index => {
                let depth = match confidence {
                    EXACT => SearchDepth::Exact,
                    percent => match Selectivity::try_from(i64::from(percent)).ok()? {
                        Selectivity::NONE => SearchDepth::Plies(plies),
                        selectivity => SearchDepth::Selective { plies, selectivity },
                    },
                };
                Leaf::Found { square: Square::new(index)?, value: score(i16::from_le_bytes([l0, l1]))?, depth }
            }
        };
        let (lower, upper) = (lower as i8, upper as i8);
        (-64 <= lower && lower <= upper && upper <= 64).then_some(Entry {
            value,
            lower,
            upper,
            leaf,
            ..Entry::UNSEARCHED
        })
    }

    /// The whole entry, but for [`Entry::draws`].
    pub fn to_bytes(&self) -> [u8; Entry::BYTES] {
        let mut bytes = [0; Entry::BYTES];
        let (judgement, words) = bytes.split_at_mut(Entry::JUDGEMENT_BYTES);
        judgement.copy_from_slice(&self.judgement());
        for (word, place) in [self.weights, self.visits, self.games, self.cost].iter().zip(words.chunks_mut(4)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The entry with these bytes, if they are one; its value is the same whatever a draw is worth.
    pub fn from_bytes(bytes: &[u8; Entry::BYTES]) -> Option<Entry> {
        let entry = Entry::of_judgement(bytes.first_chunk()?)?;
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[Entry::JUDGEMENT_BYTES + 4 * i + k]));
        Some(Entry { weights: word(0), visits: word(1), games: word(2), cost: word(3), ..entry })
    }
}

fn units(score: Score) -> i16 {
    score.units().clamp((-MOST).into(), MOST.into()) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn entries_come_back_from_their_bytes() {
        let found =
            |units, depth| Leaf::Found { square: "f5".parse().unwrap(), value: Score::from_units(units), depth };
        for leaf in [
            Leaf::Unsearched,
            Leaf::NoneLeft,
            found(-8192, SearchDepth::Exact),
            found(13, SearchDepth::Plies(7)),
            found(1, SearchDepth::Selective { plies: 24, selectivity: Selectivity::BOLDEST }),
        ] {
            for value in [None, Some(Score::ZERO), Some(Score::from_discs(-64))] {
                let entry = Entry {
                    value,
                    draws: None,
                    lower: -3,
                    upper: 64,
                    leaf,
                    weights: 7,
                    visits: 1 << 30,
                    games: 2,
                    cost: u32::MAX,
                };
                assert_eq!(Entry::from_bytes(&entry.to_bytes()), Some(entry));
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_entry_or_none(bytes in proptest::array::uniform9(any::<u8>())) {
            if let Some(entry) = Entry::of_judgement(&bytes) {
                prop_assert_eq!(Entry::of_judgement(&entry.judgement()), Some(entry));
            }
        }
    }
}
