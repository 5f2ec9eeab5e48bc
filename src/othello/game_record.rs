//! A game: where it started and what was played.

use super::{IllegalMove, Move, Position};

/// A start position and the turns taken from it, each legal; the positions in between are kept, so taking a turn back
/// costs nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    positions: Vec<Position>,
    turns: Vec<Move>,
}

impl GameRecord {
    /// The most turns of a record: 60 discs, as many passes between them, and the two passes that may end a
    /// game. Without a bound, passes after the end would go on for as long as somebody says them.
    pub const LONGEST: usize = 122;

    /// A game that starts from this position.
    pub fn from_position(start: Position) -> GameRecord {
        GameRecord { positions: vec![start], turns: Vec::new() }
    }

    /// The position the game started from.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The position after the last turn.
    pub fn position(&self) -> &Position {
        self.positions.last().expect("the start is always there")
    }

    /// Every position, the start first; one more than there are turns.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The turns, passes included.
    pub fn turns(&self) -> &[Move] {
        &self.turns
    }

    /// Takes a turn, as [`Position::take`] does; an illegal one, or one beyond [`GameRecord::LONGEST`], changes nothing.
    ///
    /// # Errors
    /// If the turn is not legal, or the record is full; nothing changes then.
    pub fn take(&mut self, turn: Move) -> Result<(), IllegalMove> {
        if self.turns.len() >= GameRecord::LONGEST {
            return Err(IllegalMove::GameTooLong);
        }
        let next = self.position().take(turn)?;
        self.positions.push(next);
        self.turns.push(turn);
        Ok(())
    }

    /// Like [`GameRecord::take`], but first passes for a side that must and whose pass was left out of the record.
    ///
    /// # Errors
    /// If the turn is not legal either way, or the record is full; nothing changes then.
    pub fn take_with_implied_pass(&mut self, turn: Move) -> Result<(), IllegalMove> {
        if matches!(turn, Move::Place(_)) && self.position().must_pass() {
            self.take(Move::Pass)?;
            return self.take(turn).inspect_err(|_| {
                self.undo();
            });
        }
        self.take(turn)
    }

    /// The game until this number of discs were placed, with a pass that followed.
    pub fn until(&self, discs: u32) -> GameRecord {
        let mut placed = 0;
        let length = self.turns.iter().take_while(|&&turn| {
            placed += u32::from(turn != Move::Pass);
            placed <= discs
        });
        self.first(length.count())
    }

    /// The game's first turns.
    pub fn first(&self, turns: usize) -> GameRecord {
        GameRecord { positions: self.positions[..=turns].to_vec(), turns: self.turns[..turns].to_vec() }
    }

    /// Takes the last turn back; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let turn = self.turns.pop()?;
        self.positions.pop();
        Some(turn)
    }
}

impl Default for GameRecord {
    /// A game from the standard start.
    fn default() -> GameRecord {
        GameRecord::from_position(Position::START)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Bitboard, Color};

    #[test]
    fn passes_after_the_end_end_too() {
        let over = Position::new(Bitboard::CENTRE, Bitboard::EMPTY, Color::White).unwrap();
        let mut game = GameRecord::from_position(over);
        for _ in 0..GameRecord::LONGEST {
            game.take(Move::Pass).unwrap();
        }
        assert_eq!(game.take(Move::Pass), Err(IllegalMove::GameTooLong));
        assert_eq!(game.turns().len(), GameRecord::LONGEST);
    }

    #[test]
    fn an_illegal_turn_after_an_implied_pass_changes_nothing() {
        // Black is out of moves after this opening; White's reply is implied to follow a pass.
        let mut game = GameRecord::default();
        for name in ["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6"] {
            game.take(Move::Place(name.parse().unwrap())).unwrap();
        }
        assert!(game.position().must_pass());
        let before = game.clone();
        assert!(game.take_with_implied_pass(Move::Place("d4".parse().unwrap())).is_err());
        assert_eq!(game, before);
        let reply = game.position().opponent_moves().into_iter().next().unwrap();
        game.take_with_implied_pass(Move::Place(reply)).unwrap();
        assert_eq!(game.turns().len(), before.turns().len() + 2);
        game.undo();
        game.undo();
        assert_eq!(game, before);
        assert_eq!(GameRecord::default().undo(), None);
        let length = |discs| before.until(discs).turns().len();
        assert_eq!([0, 7, 8, 9].map(length), [0, 7, 8, 8]);
        game.take(Move::Pass).unwrap();
        assert_eq!(game.until(8), game, "with the pass that followed");
    }
}
