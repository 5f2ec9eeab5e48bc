//! What the clients' clocks show, by the record of the game and by the engine's own watch.

use crate::clock::Clock;
use crate::notation::AnnotatedGame;
use crate::notation::ggf::GgfClock;
use crate::othello::{Color, GameRecord, Move, Position};
use std::collections::HashMap;
use std::time::Duration;

/// Time from which on a clock is no limit, in which a game would take a day.
const UNLIMITED: Duration = Duration::from_secs(24 * 60 * 60);

/// The clock of a side.
struct RecordClock {
    clock: Clock,
    /// What the record leaves of the main time and of the grace, which is added once when the main time is used up; `None` without a limit.
    left: Option<GgfClock>,
}

impl RecordClock {
    /// The clock at the start of a game. One without any time means that there is none: GUIs write it where no time is kept.
    fn new(at_start: Option<GgfClock>) -> RecordClock {
        let is_limit = |clock: &GgfClock| clock.main < UNLIMITED && clock.main + clock.increment > Duration::ZERO;
        let left = at_start.filter(is_limit);
        let clock = left.map_or_else(Clock::unlimited, |left| Clock::sudden_death(left.main, left.increment));
        RecordClock { clock, left }
    }

    fn spend(&mut self, cost: Duration) {
        self.clock.spend(cost);
        let Some(left) = &mut self.left else { return };
        let is_in_grace = cost >= left.main && !left.grace.is_zero();
        if is_in_grace {
            left.main += std::mem::take(&mut left.grace);
        }
        left.main = left.main.saturating_sub(cost).saturating_add(left.increment);
        if is_in_grace {
            // It is for the unforeseen, and planned with from now on.
            self.clock = Clock::sudden_death(left.main, left.increment);
        }
    }
}

/// The clocks of Black and White.
pub(super) struct Clocks([RecordClock; 2]);

impl Clocks {
    pub(super) fn unlimited() -> Clocks {
        Clocks([None, None].map(RecordClock::new))
    }

    /// After the last move of a game: the record has the times at its start and perhaps the time of each move.
    pub(super) fn after(game: &AnnotatedGame, own: &OwnMoveTimes) -> Clocks {
        let mut clocks = Clocks([game.black.clock, game.white.clock].map(RecordClock::new));
        let turns = game.record.positions().iter().zip(game.record.turns());
        for ((position, &turn), timing) in turns.zip(&game.timing) {
            clocks.spend(position.mover(), own.cost(position, turn, timing.seconds));
        }
        clocks
    }

    /// The clock of this side.
    pub(super) fn of(&self, side: Color) -> &Clock {
        &self.0[side as usize].clock
    }

    /// Counts a turn of this side that took `cost`. One of unknown cost changes nothing: to add the increment for it would be to plan with
    /// time that may be used up.
    pub(super) fn spend(&mut self, side: Color, cost: Option<Duration>) {
        if let Some(cost) = cost {
            self.0[side as usize].spend(cost);
        }
    }
}

/// How long this engine itself thought about its moves in the current game: what it answered in a position, and the time
/// until then. Clients need not send the times of moves, but their clocks run all the same.
#[derive(Default)]
pub(super) struct OwnMoveTimes(HashMap<Position, (Move, Duration)>);

impl OwnMoveTimes {
    /// A forced pass is not remembered: nothing is thought about it, and a client that leaves it out of the record does
    /// not charge it.
    pub(super) fn remember(&mut self, position: Position, answer: Move, elapsed: Duration) {
        if answer != Move::Pass {
            self.0.insert(position, (answer, elapsed));
        }
    }

    /// What a turn from this position takes from its side's clock when the client says that it took `seconds`; `None` if that is not
    /// known.
    pub(super) fn cost(&self, position: &Position, turn: Move, seconds: Option<f64>) -> Option<Duration> {
        let reported = seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        match (reported, self.0.get(position)) {
            // The less favourable one counts.
            (Some(reported), Some(&(answer, elapsed))) if answer == turn => Some(reported.max(elapsed)),
            // Another move than ours was played, and the client says how long that took.
            (Some(reported), _) => Some(reported),
            (None, own) => own.map(|&(_, elapsed)| elapsed),
        }
    }

    /// Forgets what is not about this game. Where the game is another one or was taken back, its last position is to be
    /// thought about anew.
    pub(super) fn keep_for(&mut self, game: &GameRecord) {
        let Some((_, left)) = game.positions().split_last() else { return };
        let goes_on = self.0.keys().all(|position| game.positions().contains(position));
        if !goes_on {
            self.0.retain(|position, _| left.contains(position));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::ggf;

    const START: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

    fn game(clock: &str, moves: &str) -> AnnotatedGame {
        ggf::parse(&format!("(;GM[Othello]TI[{clock}]{START}{moves};)")).unwrap()
    }

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn place(name: &str) -> Move {
        Move::Place(name.parse().unwrap())
    }

    #[test]
    fn a_clock_without_time_is_none() {
        for zero in ["0", "00:00", "0/0"] {
            let clocks = Clocks::after(&game(zero, "B[F5]W[D6]"), &OwnMoveTimes::default());
            assert_eq!(clocks.of(Color::Black).budget(40), None, "{zero}");
        }
        assert!(Clocks::after(&game("0:00/5", ""), &OwnMoveTimes::default()).of(Color::Black).budget(40).is_some());
    }

    /// A clock of five minutes and two seconds for each move, after moves that took these seconds.
    fn after(moves: &[f64]) -> Clock {
        let mut clock = Clock::sudden_death(seconds(300.0), seconds(2.0));
        moves.iter().for_each(|&time| clock.spend(seconds(time)));
        clock
    }

    fn of_both(clocks: &Clocks) -> [Clock; 2] {
        [Color::Black, Color::White].map(|side| clocks.of(side).clone())
    }

    #[test]
    fn the_grace_is_planned_with_once_the_main_time_is_used_up() {
        let black =
            |clock, moves| Clocks::after(&game(clock, moves), &OwnMoveTimes::default()).of(Color::Black).clone();
        let left = |main, increment| Clock::sudden_death(seconds(main), seconds(increment));
        let first = "B[F5//301]W[D6]";
        assert_eq!(black("5:00", first), left(119.0, 0.0), "two minutes, if nothing is said of it");
        assert_eq!(black("5:00//0:10", first), left(9.0, 0.0));
        assert_eq!(black("5:00/2/0:10", first), left(11.0, 2.0));
        let budget = |clock: Clock| clock.budget(40);
        assert_eq!(budget(black("5:00//0", first)), budget(left(0.0, 0.0)), "there is none");
        assert_eq!(budget(black("5:00//0:10", "B[F5//301]W[D6]B[C3//20]")), budget(left(0.0, 0.0)), "it comes once");
        assert_eq!(black("5:00", "B[F5//300]"), left(120.0, 0.0), "used up to the last");
    }

    #[test]
    fn a_move_costs_the_longer_of_what_is_reported_and_what_was_measured() {
        let mut own = OwnMoveTimes::default();
        own.remember(Position::START, place("f5"), seconds(3.0));
        let cost = |name, reported| own.cost(&Position::START, place(name), reported);
        assert_eq!(cost("f5", None), Some(seconds(3.0)));
        assert_eq!(cost("f5", Some(2.0)), Some(seconds(3.0)));
        assert_eq!(cost("f5", Some(4.0)), Some(seconds(4.0)));
        assert_eq!(cost("f5", Some(f64::MAX)), Some(Duration::MAX));
        assert_eq!(cost("d3", Some(2.0)), Some(seconds(2.0)), "the client's time is of another move");
        assert_eq!(cost("d3", None), Some(seconds(3.0)), "the clock ran while we thought");
        let other = Position::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(own.cost(&other, place("d6"), Some(1.0)), Some(seconds(1.0)));
        assert_eq!(own.cost(&other, place("d6"), None), None);
    }

    #[test]
    fn a_record_without_times_is_charged_what_was_measured() {
        let game = game("5:00/2", "B[F5]W[D6]B[C3]W[D3]");
        let mut own = OwnMoveTimes::default();
        let clocks = Clocks::after(&game, &own);
        assert_eq!(of_both(&clocks), [after(&[]), after(&[])], "no increment for what nobody timed");
        for (number, time) in [(0, 40.0), (2, 50.0)] {
            own.remember(game.record.positions()[number], game.record.turns()[number], seconds(time));
        }
        let clocks = Clocks::after(&game, &own);
        assert_eq!(of_both(&clocks), [after(&[40.0, 50.0]), after(&[])]);
    }

    #[test]
    fn a_pass_that_was_left_out_neither_costs_nor_gains() {
        let moves = "B[F5//9]W[F6//1]B[D3//9]W[G5//1]B[H5//9]W[H4//1]B[F7//9]W[H6//1]";
        let reply = game("5:00/2", moves).record.position().opponent_moves().into_iter().next().unwrap();
        let game = game("5:00/2", &format!("{moves}W[{reply}//1]"));
        assert_eq!(game.record.turns()[8], Move::Pass);
        let mut own = OwnMoveTimes::default();
        own.remember(game.record.positions()[8], Move::Pass, seconds(0.1));
        let clocks = Clocks::after(&game, &own);
        assert_eq!(of_both(&clocks), [after(&[9.0; 4]), after(&[1.0; 5])]);
    }

    #[test]
    fn what_is_not_about_the_game_is_forgotten() {
        let long = game("5:00", "B[F5]W[D6]B[C3]");
        let [start, _, third, _] = long.record.positions() else { panic!("three moves") };
        let remember = || {
            let mut own = OwnMoveTimes::default();
            own.remember(*start, place("f5"), seconds(1.0));
            own.remember(*third, place("c3"), seconds(2.0));
            own
        };
        let known_after = |moves| {
            let mut own = remember();
            own.keep_for(&game("5:00", moves).record);
            (own.0.contains_key(start), own.0.contains_key(third))
        };
        assert_eq!(known_after("B[F5]W[D6]B[C3]W[D3]"), (true, true), "the game goes on");
        assert_eq!(known_after("B[F5]W[D6]"), (true, true), "our answer was not yet played");
        assert_eq!(known_after("B[F5]W[F6]"), (true, false), "taken back and played otherwise");
        assert_eq!(known_after("B[F5]"), (true, false), "taken back");
        assert_eq!(known_after(""), (false, false), "a new game");
    }
}
