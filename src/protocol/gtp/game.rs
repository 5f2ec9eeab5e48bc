//! The game as GTP clients conduct it: commands that name a colour, passes played or left out, and undo by command.

use super::reply::Failure;
use crate::othello::{Color, GameRecord, Move, Position};

/// A game and which of its turns each command took.
#[derive(Clone, Debug, Default)]
pub struct GtpGame {
    record: GameRecord,
    /// How many turns there were before each command that can be taken back.
    commands: Vec<usize>,
}

/// What `genmove` has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// Choose a move in this position, whose side to move is the colour asked for.
    Choose(Position),
    /// Answer `pass`: the colour has no move.
    Pass,
}

impl GtpGame {
    /// A game already begun; each move in it can be taken back, together with a pass just before it.
    pub fn from_record(record: GameRecord) -> GtpGame {
        let turns = record.turns();
        let commands = (0..turns.len()).filter(|&i| i == 0 || turns[i - 1] != Move::Pass).collect();
        GtpGame { record, commands }
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.record.position()
    }

    /// What is to be done for a demand for a move of this colour. If the other side is to move and has to pass, the pass is implied.
    ///
    /// # Errors
    /// If the other side is to move and has a move, and the colour has one too.
    pub fn demand(&self, color: Color) -> Result<Demand, Failure> {
        let position = self.position();
        if self.cannot_move(color) {
            Ok(Demand::Pass)
        } else if position.mover() == color {
            Ok(Demand::Choose(*position))
        } else if position.moves().is_empty() {
            Ok(Demand::Choose(position.pass()))
        } else {
            Err(Failure::NotToMove(position.mover()))
        }
    }

    /// Takes a turn of this colour, with the other side's pass before it if that was left out. A pass is taken whenever the colour has no
    /// move, whichever side is to move, also when the game is over.
    ///
    /// # Errors
    /// If the turn is not legal; nothing changes then.
    pub fn play(&mut self, color: Color, turn: Move) -> Result<(), Failure> {
        let before = self.record.turns().len();
        let outcome = match turn {
            Move::Pass if !self.cannot_move(color) => Err(Failure::IllegalMove),
            // Out of turn, or behind the end of the game, it changes nothing.
            Move::Pass if self.position().mover() != color || self.position().is_over() => Ok(()),
            Move::Pass => self.take(turn),
            Move::Place(_) if self.position().mover() == color => self.take(turn),
            Move::Place(_) => self.take(Move::Pass).and_then(|()| self.take(turn)),
        };
        match outcome {
            Ok(()) => self.commands.push(before),
            Err(_) => self.take_back_to(before),
        }
        outcome
    }

    /// Takes back the turns of the last command, played and implied passes included.
    ///
    /// # Errors
    /// If there is no command to take back.
    pub fn undo(&mut self) -> Result<(), Failure> {
        let before = self.commands.pop().ok_or(Failure::CannotUndo)?;
        self.take_back_to(before);
        Ok(())
    }

    fn take(&mut self, turn: Move) -> Result<(), Failure> {
        self.record.take(turn).map_err(|_| Failure::IllegalMove)
    }

    fn take_back_to(&mut self, turns: usize) {
        while self.record.turns().len() > turns {
            self.record.undo();
        }
    }

    fn cannot_move(&self, color: Color) -> bool {
        let position = self.position();
        let moves = if position.mover() == color { position.moves() } else { position.opponent_moves() };
        moves.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn place(name: &str) -> Move {
        Move::Place(name.parse().unwrap())
    }

    fn played(moves: &str) -> GtpGame {
        let mut game = GtpGame::default();
        for (number, name) in moves.split(' ').enumerate() {
            let color = if number % 2 == 0 { Black } else { White };
            game.play(color, place(name)).unwrap();
        }
        game
    }

    /// Black is to move and has no move; White has.
    fn black_must_pass() -> GtpGame {
        played("f5 f6 d3 g5 h5 h4 f7 h6")
    }

    /// White has no disc left.
    fn over() -> GtpGame {
        played("e6 f4 e3 f6 g5 d6 e7 f5 c5")
    }

    fn a_move_of(game: &GtpGame, color: Color) -> Move {
        match game.demand(color).unwrap() {
            Demand::Choose(position) => Move::Place(position.moves().into_iter().next().unwrap()),
            Demand::Pass => Move::Pass,
        }
    }

    #[test]
    fn a_pass_may_be_played() {
        let mut game = black_must_pass();
        assert_eq!(game.demand(Black), Ok(Demand::Pass));
        game.play(Black, Move::Pass).unwrap();
        let after_pass = *game.position();
        game.play(Black, Move::Pass).unwrap();
        assert_eq!(*game.position(), after_pass, "played twice it is one pass");
        let reply = a_move_of(&game, White);
        game.play(White, reply).unwrap();
        game.undo().unwrap();
        game.undo().unwrap();
        game.undo().unwrap();
        assert_eq!(game.position(), black_must_pass().position());
    }

    #[test]
    fn a_pass_may_be_left_out() {
        let mut game = black_must_pass();
        let reply = a_move_of(&game, White);
        game.play(White, reply).unwrap();
        assert_eq!(game.position().mover(), Black);
        game.undo().unwrap();
        assert_eq!(game.position(), black_must_pass().position(), "one command, two turns");
    }

    #[test]
    fn an_illegal_move_after_a_pass_left_out_changes_nothing() {
        let mut game = black_must_pass();
        assert_eq!(game.play(White, place("d4")), Err(Failure::IllegalMove));
        assert_eq!(game.position(), black_must_pass().position());
    }

    #[test]
    fn both_sides_pass_at_the_end() {
        let mut game = over();
        // More often than a record has turns.
        let passes = [White, Black, White, White].repeat(50);
        for &color in &passes {
            assert_eq!(game.demand(color), Ok(Demand::Pass));
            game.play(color, Move::Pass).unwrap();
        }
        for _ in 0..=passes.len() {
            game.undo().unwrap();
        }
        assert!(!game.position().is_over());
    }

    #[test]
    fn a_game_read_can_be_taken_back_move_by_move() {
        let mut record = GameRecord::default();
        for name in ["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6"] {
            record.take(place(name)).unwrap();
        }
        let before_pass = *record.position();
        let reply = record.position().opponent_moves().into_iter().next().unwrap();
        record.take_with_implied_pass(Move::Place(reply)).unwrap();
        let mut game = GtpGame::from_record(record);
        game.undo().unwrap();
        assert_eq!(*game.position(), before_pass);
        for _ in 0..8 {
            game.undo().unwrap();
        }
        assert_eq!((*game.position(), game.undo()), (Position::START, Err(Failure::CannotUndo)));
    }
}
