//! A position and what it turned out to be worth.

use crate::othello::{Bitboard, Color, Position};
use crate::random::mix;
use crate::search::Score;

/// Stands in a file where no search was made.
const NO_SEARCH: i16 = i16::MIN;

/// How the value of a [`Sample`] is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LabelKind {
    /// The result of the game that went on from here.
    GameResult = 0,
    /// The result under perfect play.
    Exact = 1,
    /// The value of a search.
    Search = 2,
}

impl LabelKind {
    /// Every kind.
    pub const ALL: [LabelKind; 3] = [LabelKind::GameResult, LabelKind::Exact, LabelKind::Search];
}

/// A position to learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The discs of the side to move.
    pub player: Bitboard,
    /// The discs of the other side.
    pub opponent: Bitboard,
    /// Final disc difference for the side to move, −64 to 64, empty squares given to the winner. Where it is the value of
    /// a search, rounded.
    pub score: i8,
    /// The value of the search that was made of the position, if there was one, within ±64 discs.
    pub search: Option<Score>,
    /// How the score is known.
    pub kind: LabelKind,
    /// The number of the game that it came from; with the seed, the game's name.
    pub game: u64,
}

impl Sample {
    /// Bytes of a sample in a [`Chunk`](super::Chunk).
    pub const BYTES: usize = 22;

    /// A position with its score.
    pub fn new(position: &Position, score: i8, kind: LabelKind, game: u64) -> Sample {
        Sample { player: position.player(), opponent: position.opponent(), score, search: None, kind, game }
    }

    /// This sample with the value of a search.
    pub fn with_search(self, value: Score) -> Sample {
        let limit = Score::from_discs(64);
        Sample { search: Some(value.clamp(-limit, limit)), ..self }
    }

    /// The position. Samples do not keep colours: the side to move is called Black.
    pub fn position(&self) -> Position {
        Position::new(self.player, self.opponent, Color::Black).expect("samples hold legal boards")
    }

    /// Discs on the board, 4 to 64.
    pub fn discs(&self) -> u32 {
        (self.player | self.opponent).count()
    }

    /// Little-endian: player (8 bytes), opponent (8), score (1), kind (1), game counted from the chunk's first one (2), value
    /// of the search in 1/128 disc (2; −32768 for none).
    pub(super) fn write(&self, first_game: u64, out: &mut Vec<u8>) {
        let offset = u16::try_from(self.game - first_game).expect("a chunk has at most 65536 games");
        out.extend_from_slice(&self.player.0.to_le_bytes());
        out.extend_from_slice(&self.opponent.0.to_le_bytes());
        out.extend_from_slice(&[self.score as u8, self.kind as u8]);
        out.extend_from_slice(&offset.to_le_bytes());
        let search = self.search.map_or(NO_SEARCH, |value| value.units() as i16);
        out.extend_from_slice(&search.to_le_bytes());
    }

    /// `None` if the bytes are no sample: an impossible board, a score beyond ±64, an unknown kind.
    pub(super) fn read(bytes: &[u8; Sample::BYTES], first_game: u64) -> Option<Sample> {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let position = Position::new(Bitboard(word(0)), Bitboard(word(8)), Color::Black).ok()?;
        let score = bytes[16] as i8;
        let kind = *LabelKind::ALL.get(usize::from(bytes[17]))?;
        let game = first_game.checked_add(u64::from(u16::from_le_bytes([bytes[18], bytes[19]])))?;
        let search = match i16::from_le_bytes([bytes[20], bytes[21]]) {
            NO_SEARCH => None,
            units => Some(Score::from_units(units.into())).filter(|value| value.discs().abs() <= 64.0).map(Some)?,
        };
        (-64..=64).contains(&score).then(|| Sample { search, ..Sample::new(&position, score, kind, game) })
    }
}

/// Whether a game is held out: its positions measure what was learned from the others. `per_thousand` of a
/// thousand games are: of labels and of games those of the same seed and number.
pub fn is_held_out(seed: u64, game: u64, per_thousand: u32) -> bool {
    mix(mix(seed ^ 0x3c6e_f372_fe94_f82b).wrapping_add(game)) % 1000 < u64::from(per_thousand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_position;

    #[test]
    fn samples_come_back() {
        for (seed, kind) in (0..30).zip(LabelKind::ALL.into_iter().cycle()) {
            let position = random_position(seed, 4 + seed as u32);
            let sample = Sample::new(&position, seed as i8 * 4 - 64, kind, 5000 + seed);
            let sample =
                if seed % 2 == 0 { sample } else { sample.with_search(Score::from_units(seed as i32 * 561 - 8192)) };
            let mut bytes = Vec::new();
            sample.write(5000, &mut bytes);
            let bytes: [u8; Sample::BYTES] = bytes.try_into().unwrap();
            assert_eq!(Sample::read(&bytes, 5000), Some(sample));
            assert_eq!(
                (sample.position().player(), sample.discs()),
                (position.player(), 64 - position.empties().count())
            );
        }
    }

    #[test]
    fn bytes_that_are_no_sample_are_refused() {
        let mut good = Vec::new();
        Sample::new(&Position::START, 0, LabelKind::Exact, 0).write(0, &mut good);
        let good: [u8; Sample::BYTES] = good.try_into().unwrap();
        assert!(Sample::read(&good, 0).is_some());
        for (at, byte) in [(3, 0xff), (3, 0), (16, 65), (16, 0x80), (17, 3), (21, 0x21)] {
            let mut bad = good;
            bad[at] = byte;
            assert_eq!(Sample::read(&bad, 0), None, "byte {at} = {byte}");
        }
        assert_eq!(Sample::read(&[0xff; Sample::BYTES], u64::MAX), None);
    }

    #[test]
    fn the_share_of_held_out_games_is_as_asked() {
        let held_out = (0..20_000).filter(|&game| is_held_out(3, game, 50)).count();
        assert!((900..1100).contains(&held_out), "{held_out} of 20000");
        assert_eq!((0..1000).filter(|&game| is_held_out(3, game, 0)).count(), 0);
    }
}
