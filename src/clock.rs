//! How much time a move may take.
//!
//! A [`Clock`] is one side's time under any of the terms that clients use: none, a time for each move, a time for the
//! whole game with or without an increment, or a main time followed by periods for a number of moves (Canadian
//! overtime; with one move, the Japanese kind). It knows what it has measured itself and what the client last said, and
//! believes the smaller.
//!
//! The scheme for a game's time: positions with few enough empty squares are solved, which settles all moves that
//! follow, so about a third of the time is kept for that. The rest is shared among the moves before, with less for the
//! opening and more for the middle game, where errors are largest and the end is not yet in sight.

pub mod time_control;

use crate::search::Limits;
use std::time::Duration;

/// Seconds of a clock that does not come back that are never planned with.
const LAST_RESERVE: f64 = 0.05;

/// Seconds kept for every own move still to come: what happens between the client's clock and ours (pipes, a busy scheduler).
const MOVE_OVERHEAD: f64 = 0.03;

/// Time that a move costs by the client's clock beyond our own measurement; only the client's reports show it.
const UNSEEN: Duration = Duration::from_millis(10);

/// The most by which a whole number of seconds may be too large: clients round to whole seconds.
const ROUNDING: Duration = Duration::from_millis(500);

/// The time taken to be left when the client reports zero but still asks for a move.
const ROUNDED_TO_NOTHING: Duration = Duration::from_millis(100);

/// The part of the soft limit after which a search may end that is all but sure of its move.
const EARLY: f64 = 0.5;

/// Seconds above which times are not distinguished.
const FOREVER: f64 = 1e7;

/// The time for one move, counted from the moment it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// After this a search may end that is all but sure of its move, and one that is not may go on beyond `soft`. `None` if what a move does
    /// not use is lost.
    pub early: Option<Duration>,
    /// After this nothing new is begun, but by a search that is not sure of its move.
    pub soft: Duration,
    /// At this the search stops wherever it is.
    pub hard: Duration,
}

/// The limits of a search within a budget.
impl From<Option<TimeBudget>> for Limits {
    fn from(budget: Option<TimeBudget>) -> Limits {
        let (soft_time, hard_time) = budget.map(|budget| (budget.soft, budget.hard)).unzip();
        Limits { early_time: budget.and_then(|budget| budget.early), soft_time, hard_time, ..Limits::default() }
    }
}

impl TimeBudget {
    /// The budget of a time for each move that only the engine keeps: all but a tenth of it, and of longer times all but the reserve.
    pub fn per_move(time: Duration) -> TimeBudget {
        let time = time.as_secs_f64();
        let usable = time - LAST_RESERVE.min(time / 10.0);
        TimeBudget::from_seconds(0.9 * usable, usable)
    }

    fn from_seconds(soft: f64, hard: f64) -> TimeBudget {
        let hard = hard.clamp(0.0, FOREVER);
        let soft = Duration::from_secs_f64(soft.clamp(0.0, hard));
        TimeBudget { early: None, soft, hard: Duration::from_secs_f64(hard) }
    }

    /// The same budget where later moves have what this one leaves.
    fn saved_for_later(self) -> TimeBudget {
        TimeBudget { early: Some(self.soft.mul_f64(EARLY)), ..self }
    }
}

/// The time that one side still has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    terms: Terms,
    stage: Stage,
    /// What the client said is left in this stage, cautiously read and counted down since.
    said: Option<Duration>,
    /// What the moves in this stage probably cost beyond our measurement.
    unseen: Duration,
    trust: Trust,
}

/// The terms agreed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Terms {
    Unlimited,
    PerMove,
    Game { increment: Duration },
    Canadian { time: Duration, moves: u32 },
}

/// The stage of the terms that the side is in, by its own measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The time for one move, or the main time left.
    Main(Duration),
    /// The time left in a period and the moves that it is for, at least one. `sure` unless the period began by our measurement
    /// alone: then the client may have begun it one move earlier.
    Period { left: Duration, moves: u32, sure: bool },
}

/// How far our own measurement can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trust {
    /// The whole game was measured.
    Measured,
    /// Until the client says something: the game was changed, and the client's clock perhaps with it.
    UntilTold,
    /// Nothing: all that is known comes from the client's reports.
    Never,
}

impl Clock {
    /// A clock without limit.
    pub fn unlimited() -> Clock {
        Clock::new(Terms::Unlimited, Stage::Main(Duration::MAX))
    }

    /// A clock with the same time for every move.
    pub fn per_move(time: Duration) -> Clock {
        Clock::new(Terms::PerMove, Stage::Main(time))
    }

    /// A clock with a time for the whole game, and an increment after each move.
    pub fn sudden_death(main: Duration, increment: Duration) -> Clock {
        Clock::new(Terms::Game { increment }, Stage::Main(main))
    }

    /// A clock with a main time, then periods of `time` for every `moves` moves; 0 moves count as one.
    pub fn canadian(main: Duration, time: Duration, moves: u32) -> Clock {
        let moves = moves.max(1);
        let stage = if main.is_zero() { Stage::Period { left: time, moves, sure: true } } else { Stage::Main(main) };
        Clock::new(Terms::Canadian { time, moves }, stage)
    }

    fn new(terms: Terms, stage: Stage) -> Clock {
        Clock { terms, stage, said: None, unseen: Duration::ZERO, trust: Trust::Measured }
    }

    /// Counts a move of this side that took `elapsed`.
    pub fn spend(&mut self, elapsed: Duration) {
        self.said = self.said.map(|said| said.saturating_sub(elapsed));
        self.unseen = self.unseen.saturating_add(UNSEEN);
        match (self.terms, self.stage) {
            (Terms::Unlimited, _) => {}
            (Terms::PerMove, _) => self.begin(self.stage),
            (Terms::Game { increment }, Stage::Main(main)) => {
                self.stage = Stage::Main(main.saturating_sub(elapsed).saturating_add(increment));
                self.said = self.said.map(|said| said.saturating_add(increment));
            }
            (Terms::Canadian { .. }, Stage::Main(main)) if elapsed < main => self.stage = Stage::Main(main - elapsed),
            // The period begins within the move that uses the main time up, and the move counts for it.
            (Terms::Canadian { time, moves }, Stage::Main(main)) => {
                self.said = None;
                self.stage = Stage::Period { left: time, moves, sure: false };
                self.spend(elapsed - main);
            }
            (Terms::Canadian { time, moves: all }, Stage::Period { left, moves, sure }) => {
                if moves > 1 {
                    self.stage = Stage::Period { left: left.saturating_sub(elapsed), moves: moves - 1, sure };
                } else {
                    self.begin(Stage::Period { left: time, moves: all, sure });
                }
            }
            (Terms::Game { .. }, Stage::Period { .. }) => unreachable!("only Canadian terms have periods"),
        }
    }

    fn begin(&mut self, stage: Stage) {
        *self = Clock { stage, said: None, unseen: Duration::ZERO, ..*self };
    }

    /// Takes the client's report of what is left: `moves` 0 means main time, otherwise moves to go in the period.
    ///
    /// The smaller of this and our own measurement counts, with two exceptions: after [`Clock::distrust`] the client's
    /// word replaces the measurement, and so it does when by our measurement the time is over, since the client goes on.
    /// A whole number of seconds is taken to be rounded and counts half a second less.
    pub fn set_left(&mut self, time: Duration, moves: u32) {
        let cautious = cautious(time);
        match (self.terms, self.stage) {
            // A client that reports zeros and yet asks for moves keeps no clock.
            (Terms::Unlimited, _) if time.is_zero() => return,
            (Terms::Unlimited, _) => {
                let told = match moves {
                    0 => Clock::sudden_death(cautious, Duration::ZERO),
                    _ => Clock::canadian(Duration::ZERO, time, moves),
                };
                *self = Clock { trust: Trust::Never, ..told };
            }
            // Every move begins with the full time; less is a report of something else, but better heeded.
            (Terms::PerMove, Stage::Main(full)) => self.said = (!time.is_zero() && time < full).then_some(cautious),
            (Terms::Canadian { time: full, moves: all }, _) if moves > 0 => {
                let whole = moves >= all && time >= full;
                let left = if whole { full } else { cautious };
                let left = match self.stage {
                    Stage::Period { left: own, moves: own_moves, .. }
                        if own_moves == moves && !own.is_zero() && self.trust == Trust::Measured =>
                    {
                        left.min(own.saturating_sub(self.unseen))
                    }
                    _ => left,
                };
                self.begin(Stage::Period { left, moves, sure: true });
            }
            (Terms::Canadian { .. }, Stage::Period { .. }) => {
                // Main time although we counted it as used up: the client must know.
                self.begin(Stage::Main(cautious));
            }
            (_, Stage::Main(own)) => {
                if own.is_zero() || self.trust != Trust::Measured {
                    self.begin(Stage::Main(cautious));
                }
                self.said = Some(cautious);
            }
            (_, Stage::Period { .. }) => unreachable!("only Canadian terms have periods"),
        }
        if self.trust == Trust::UntilTold {
            self.trust = Trust::Measured;
        }
    }

    /// Distrusts our own measurement until the client's next report, which replaces it: the game was changed (a move taken back,
    /// another position), and the client's clock perhaps with it.
    pub fn distrust(&mut self) {
        if self.trust == Trust::Measured {
            self.trust = Trust::UntilTold;
        }
    }

    /// The time for the next move with `empties` empty squares on the board; `None` if there is no limit.
    pub fn budget(&self, empties: u32) -> Option<TimeBudget> {
        let believed = |own: Duration| {
            let own = own.saturating_sub(self.unseen);
            self.said.map_or(own, |said| said.min(own)).as_secs_f64().min(FOREVER)
        };
        let own_moves = empties.div_ceil(2).max(1);
        Some(match (self.terms, self.stage) {
            (Terms::Unlimited, _) => return None,
            (Terms::PerMove, Stage::Main(time)) => {
                let time = believed(time);
                let usable = time - LAST_RESERVE.min(time / 2.0);
                TimeBudget::from_seconds(0.9 * usable, usable)
            }
            (Terms::Game { increment }, Stage::Main(main)) => {
                game_budget(believed(main), increment.as_secs_f64().min(FOREVER), false, empties)
            }
            (Terms::Canadian { time, moves }, Stage::Main(main)) => {
                let per_move = time.as_secs_f64().min(FOREVER) / f64::from(moves.min(own_moves));
                game_budget(believed(main), per_move, true, empties)
            }
            (_, Stage::Period { left, moves, sure: true }) => period_budget(believed(left), moves.min(own_moves)),
            // An equal share for every move fits any beginning of the period.
            (Terms::Canadian { time, moves }, Stage::Period { left, .. }) => {
                let even = time.as_secs_f64().min(FOREVER) / f64::from(moves);
                period_budget(believed(left).min(even), 1)
            }
            (_, Stage::Period { .. }) => unreachable!("only Canadian terms have periods"),
        })
    }
}

/// The time left by a client's report, read cautiously.
fn cautious(time: Duration) -> Duration {
    if time.subsec_nanos() != 0 {
        time // A client that reports fractions does not round to seconds.
    } else if time.is_zero() {
        ROUNDED_TO_NOTHING
    } else {
        time - ROUNDING
    }
}

/// The budget of a move from `left` seconds for the whole game when every move brings `gain` seconds: after the move, or,
/// `in_advance`, from the period that begins when `left` is used up.
fn game_budget(left: f64, gain: f64, in_advance: bool, empties: u32) -> TimeBudget {
    let own_moves = f64::from(empties.div_ceil(2).max(1));
    let overhead = (MOVE_OVERHEAD - gain).max(0.0) * own_moves;
    let usable = (left - LAST_RESERVE).max(0.0);
    let usable = usable - overhead.min(0.7 * usable);
    let gain = (gain - LAST_RESERVE.min(gain / 2.0)) * 0.8;
    let solvable = solvable_empties(usable);
    let share = if empties <= solvable {
        0.27 * usable
    } else {
        // The time that is not kept for solving, by the own moves until then.
        let moves = f64::from((empties - solvable).div_ceil(2).max(2));
        let weight = match empties {
            50.. => 0.7,
            37.. => 1.0,
            _ if empties >= solvable + 4 => 1.3,
            _ => 1.0,
        };
        0.9 * 0.6 * usable / moves * weight
    };
    let soft = share + gain;
    let most = if in_advance { usable / 3.0 + gain } else { (usable / 3.0 + gain).min(0.9 * usable) };
    TimeBudget::from_seconds(soft, (2.5 * soft).min(most)).saved_for_later()
}

/// The budget of a move from `left` seconds for the next `moves` moves, at least one.
fn period_budget(left: f64, moves: u32) -> TimeBudget {
    let moves = f64::from(moves.max(1));
    let overhead = MOVE_OVERHEAD * (moves - 1.0);
    let usable = left - (LAST_RESERVE + overhead).min(left / 2.0);
    let share = usable / moves;
    let hard = (2.5 * 0.8 * share).min(share.max(usable / 3.0));
    if moves > 1.0 {
        TimeBudget::from_seconds(0.8 * share, hard).saved_for_later()
    } else {
        TimeBudget::from_seconds(0.9 * share, hard)
    }
}

/// Number of empty squares up to which a third of `seconds` is likely to be enough for the exact result. 14 take about a tenth of a
/// second, and each further empty square about two and a half times as long.
fn solvable_empties(seconds: f64) -> u32 {
    let doublings = (seconds / 3.0 / 0.1).log2();
    (14.0 + 0.75 * doublings).clamp(8.0, 24.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(s: f64) -> Duration {
        Duration::from_secs_f64(s)
    }

    type Rounding = fn(f64) -> f64;

    /// A clock as the client keeps it, for comparison.
    struct Referee {
        main: f64,
        increment: f64,
        period: Option<(f64, u32)>,
        in_period: Option<(f64, u32)>,
    }

    impl Referee {
        /// Charges a move; false if the flag falls.
        fn charge(&mut self, used: f64) -> bool {
            if let Some((left, moves)) = self.in_period {
                return self.charge_period(left - used, moves);
            }
            match self.period {
                Some((time, moves)) if used >= self.main => {
                    let left = time - (used - self.main);
                    self.main = 0.0;
                    self.charge_period(left, moves)
                }
                _ => {
                    self.main -= used;
                    let in_time = self.main > 0.0;
                    self.main += self.increment;
                    in_time
                }
            }
        }

        fn charge_period(&mut self, left: f64, moves: u32) -> bool {
            self.in_period = if moves == 1 { self.period } else { Some((left, moves - 1)) };
            left > 0.0
        }

        fn report(&self, round: Rounding) -> (Duration, u32) {
            match self.in_period {
                Some((left, moves)) => (seconds(round(left.max(0.0))), moves),
                None => (seconds(round(self.main.max(0.0))), 0),
            }
        }
    }

    /// Plays a game of 30 own moves, always up to the hard limit and `overhead` seconds beyond; every fifth move the
    /// machine hiccups for another 30 ms.
    fn never_overruns(clock: &mut Clock, referee: &mut Referee, overhead: f64, rounding: Option<Rounding>) {
        for (number, empties) in (2..=60).rev().step_by(2).enumerate() {
            if let Some(round) = rounding {
                let (time, moves) = referee.report(round);
                clock.set_left(time, moves);
            }
            let budget = clock.budget(empties).unwrap();
            assert!(budget.soft <= budget.hard, "{budget:?}");
            let thought = budget.hard.as_secs_f64() + if number % 5 == 4 { 0.03 } else { 0.0 };
            clock.spend(seconds(thought));
            assert!(
                referee.charge(thought + overhead),
                "flag fell at {empties} empties after {thought} s; {clock:?}, referee main {} period {:?}",
                referee.main,
                referee.in_period
            );
        }
    }

    const ROUNDINGS: [Option<Rounding>; 4] = [None, Some(f64::floor), Some(f64::round), Some(f64::ceil)];

    #[test]
    fn sudden_death_never_overruns() {
        for main in [1.5, 2.0, 5.0, 10.0, 60.0, 300.0, 3600.0] {
            for increment in [0.0, 0.1, 1.0, 5.0, 30.0] {
                for rounding in ROUNDINGS {
                    let mut clock = Clock::sudden_death(seconds(main), seconds(increment));
                    let mut referee = Referee { main, increment, period: None, in_period: None };
                    never_overruns(&mut clock, &mut referee, 0.01, rounding);
                }
            }
        }
    }

    #[test]
    fn overtime_never_overruns() {
        for main in [0.0, 0.3, 1.0, 10.0, 600.0] {
            for time in [1.0, 2.0, 5.0, 30.0, 300.0] {
                for moves in [1, 2, 5, 10, 25] {
                    if time / f64::from(moves) < 0.1 {
                        continue; // Less than the hiccups of the simulated machine.
                    }
                    for rounding in ROUNDINGS {
                        let (main_time, period) = (seconds(main), seconds(time));
                        let mut clock = Clock::canadian(main_time, period, moves);
                        let in_period = (main == 0.0).then_some((time, moves));
                        let mut referee = Referee { main, increment: 0.0, period: Some((time, moves)), in_period };
                        never_overruns(&mut clock, &mut referee, 0.01, rounding);
                    }
                }
            }
        }
    }

    #[test]
    fn a_time_per_move_is_used_and_kept() {
        for time in [0.1, 1.0, 5.0, 60.0] {
            let mut clock = Clock::per_move(seconds(time));
            for empties in (2..=60).rev().step_by(2) {
                clock.set_left(seconds(time), 0);
                let hard = clock.budget(empties).unwrap().hard.as_secs_f64();
                assert!(hard <= time - 0.05 && hard >= time * 0.5, "{hard} of {time}");
                clock.spend(seconds(hard));
            }
        }
    }

    #[test]
    fn most_of_the_time_is_used() {
        for main in [5.0, 60.0, 300.0] {
            let mut clock = Clock::sudden_death(seconds(main), Duration::ZERO);
            let mut used = 0.0;
            for empties in (2..=60).rev().step_by(2) {
                let soft = clock.budget(empties).unwrap().soft;
                used += soft.as_secs_f64();
                clock.spend(soft);
            }
            assert!(used > 0.6 * main && used < main, "{used} of {main}");
        }
    }

    #[test]
    fn the_middle_game_gets_more_than_the_opening() {
        let clock = Clock::sudden_death(seconds(300.0), Duration::ZERO);
        let soft = |empties| clock.budget(empties).unwrap().soft;
        assert!(soft(60) < soft(44) && soft(44) < soft(32) && soft(32) < soft(20));
        let budget = clock.budget(44).unwrap();
        assert!(budget.hard <= budget.soft.mul_f64(2.51) && budget.hard <= seconds(100.0));
    }

    #[test]
    fn time_that_a_later_move_has_may_be_left() {
        for (clock, is_kept) in [
            (Clock::sudden_death(seconds(60.0), Duration::ZERO), true),
            (Clock::sudden_death(seconds(60.0), seconds(1.0)), true),
            (Clock::canadian(seconds(60.0), seconds(5.0), 1), true),
            (Clock::canadian(Duration::ZERO, seconds(30.0), 5), true),
            (Clock::canadian(Duration::ZERO, seconds(5.0), 1), false),
            (Clock::per_move(seconds(5.0)), false),
        ] {
            let budget = clock.budget(40).unwrap();
            assert_eq!(budget.early, is_kept.then_some(budget.soft.mul_f64(0.5)), "{clock:?}");
            assert_eq!(Limits::from(Some(budget)).early_time, budget.early);
        }
    }

    #[test]
    fn an_increment_is_used() {
        let clock = Clock::sudden_death(seconds(60.0), seconds(10.0));
        assert!(clock.budget(50).unwrap().soft > seconds(7.0));
        let clock = Clock::canadian(seconds(1.0), seconds(30.0), 1);
        assert!(clock.budget(50).unwrap().soft > seconds(20.0), "a nearly used main time does not hurry the move");
    }

    #[test]
    fn a_tenth_of_a_second_is_not_all_used() {
        for empties in 1..=60 {
            let clock = Clock::sudden_death(seconds(0.1), Duration::ZERO);
            assert!(clock.budget(empties).unwrap().hard < seconds(0.05));
            let clock = Clock::sudden_death(seconds(0.03), Duration::ZERO);
            assert_eq!(clock.budget(empties).unwrap().hard, Duration::ZERO);
        }
    }

    #[test]
    fn the_smaller_of_report_and_measurement_counts() {
        let mut clock = Clock::sudden_death(seconds(100.0), Duration::ZERO);
        let of = |s| Clock::sudden_death(seconds(s), Duration::ZERO).budget(40);
        clock.set_left(seconds(60.0), 0);
        assert_eq!(clock.budget(40), of(59.5), "the report, half a second less");
        clock.set_left(seconds(60.25), 0);
        assert_eq!(clock.budget(40), of(60.25), "a report in fractions is not rounded");
        clock.set_left(seconds(500.0), 0);
        assert_eq!(clock.budget(40), of(100.0), "our own measurement");
        let mut with_increment = Clock::sudden_death(seconds(100.0), seconds(2.0));
        with_increment.set_left(seconds(60.25), 0);
        with_increment.spend(seconds(10.0));
        let of_both = Clock::sudden_death(seconds(52.25), seconds(2.0)).budget(40);
        assert_eq!(with_increment.budget(40), of_both, "the report runs down like the clock");
        clock.spend(seconds(10.0));
        assert_eq!(clock.budget(40), of(89.99), "a little for what we cannot measure");
        clock.set_left(Duration::ZERO, 0);
        assert_eq!(clock.budget(40), of(0.1), "rounded to nothing");
    }

    #[test]
    fn the_report_replaces_a_measurement_that_is_void() {
        let of = |s| Clock::sudden_death(seconds(s), Duration::ZERO).budget(40);
        let mut clock = Clock::sudden_death(seconds(10.0), Duration::ZERO);
        clock.spend(seconds(9.0));
        clock.distrust();
        clock.set_left(seconds(8.0), 0);
        assert_eq!(clock.budget(40), of(7.5), "the clock was turned back with the game");
        clock.set_left(seconds(9.0), 0);
        assert_eq!(clock.budget(40), of(7.5), "but only once");
        clock.spend(seconds(20.0));
        clock.set_left(seconds(30.0), 0);
        assert_eq!(clock.budget(40), of(29.5), "our flag fell, but the client goes on");
        let mut clock = Clock::unlimited();
        clock.set_left(seconds(8.0), 0);
        assert_eq!(clock.budget(40), of(7.5), "no terms were told");
        clock.set_left(seconds(20.0), 0);
        assert_eq!(clock.budget(40), of(19.5), "nor are they known now");
    }

    #[test]
    fn a_clock_that_reads_zero_from_the_start_is_none() {
        let mut clock = Clock::unlimited();
        clock.set_left(Duration::ZERO, 0);
        assert_eq!(clock.budget(60), None);
    }

    #[test]
    fn a_report_tells_that_overtime_has_begun() {
        let mut clock = Clock::canadian(seconds(60.0), seconds(30.0), 5);
        clock.set_left(seconds(20.0), 2);
        assert_eq!(clock.stage, Stage::Period { left: seconds(19.5), moves: 2, sure: true });
        clock.spend(seconds(3.0));
        clock.spend(seconds(3.0));
        assert_eq!(clock.stage, Stage::Period { left: seconds(30.0), moves: 5, sure: true });
        clock.set_left(seconds(30.0), 5);
        assert_eq!(
            clock.stage,
            Stage::Period { left: seconds(30.0), moves: 5, sure: true },
            "a whole period is not rounded"
        );
    }

    #[test]
    fn what_is_left_is_planned_with_to_the_millisecond() {
        let game = |main, increment| Clock::sudden_death(seconds(main), seconds(increment));
        let overtime = |main, time, moves| Clock::canadian(seconds(main), seconds(time), moves);
        let mut period_not_seen_to_begin = overtime(1.0, 30.0, 5);
        period_not_seen_to_begin.spend(seconds(2.0));
        // The clock, the empty squares, and the soft and the hard limit in milliseconds.
        for (clock, empties, soft, hard) in [
            (game(300.0, 0.0), 60, 5652, 14130),
            (game(300.0, 0.0), 45, 13467, 33667),
            (game(300.0, 0.0), 36, 26273, 65683),
            (game(300.0, 0.0), 30, 42050, 99833),
            (game(300.0, 0.0), 24, 80889, 99863),
            (game(60.0, 2.0), 45, 4050, 10126),
            (game(60.0, 2.0), 25, 15588, 21543),
            (game(60.0, 2.0), 23, 21543, 21543),
            (game(60.0, 2.0), 2, 17747, 21543),
            (game(5.0, 0.01), 60, 79, 197),
            (game(5.0, 0.01), 20, 1587, 1587),
            (game(1.0, 0.0), 60, 4, 11),
            (game(1.0, 0.0), 20, 152, 217),
            (game(3600.0, 10.0), 30, 850_348, 1_207_943),
            (overtime(60.0, 30.0, 5), 60, 5839, 14598),
            (overtime(60.0, 30.0, 5), 2, 40146, 43943),
            (overtime(60.0, 0.04, 2), 20, 16168, 19958),
            (overtime(0.0, 30.0, 5), 60, 4773, 9943),
            (overtime(0.0, 30.0, 5), 3, 11968, 14960),
            (overtime(0.0, 30.0, 1), 60, 26955, 29950),
            (overtime(0.0, 0.08, 1), 60, 36, 40),
            (overtime(0.0, 0.3, 3), 60, 51, 63),
            (period_not_seen_to_begin, 50, 5355, 5950),
            (Clock::per_move(seconds(5.0)), 60, 4455, 4950),
            (Clock::per_move(seconds(0.06)), 60, 27, 30),
        ] {
            let budget = clock.budget(empties).unwrap();
            let limits = [budget.soft, budget.hard].map(|time| time.as_secs_f64() * 1e3);
            let is_near = [soft, hard].iter().zip(limits).all(|(&said, limit)| (limit - f64::from(said)).abs() < 0.51);
            assert!(is_near, "{limits:?} for {clock:?} at {empties} empty squares");
        }
        for (time, soft, hard) in [(2.0, 1755, 1950), (0.1, 81, 90)] {
            let budget = TimeBudget::per_move(seconds(time));
            assert_eq!([budget.soft, budget.hard].map(|time| time.as_millis()), [soft, hard]);
        }
    }

    #[test]
    fn a_report_about_one_move_is_of_that_move() {
        let mut clock = Clock::per_move(seconds(10.0));
        for (told, believed) in [(4.25, 4.25), (0.0, 10.0), (20.0, 10.0), (4.25, 4.25)] {
            clock.set_left(seconds(told), 0);
            assert_eq!(clock.budget(60), Clock::per_move(seconds(believed)).budget(60), "{told}");
        }
        clock.spend(seconds(1.0));
        assert_eq!(clock.budget(60), Clock::per_move(seconds(10.0)).budget(60), "the next move");
    }

    #[test]
    fn overtime_is_what_both_sides_say() {
        let mut clock = Clock::canadian(seconds(10.0), seconds(30.0), 5);
        clock.set_left(seconds(6.25), 0);
        assert_eq!(clock.budget(40), Clock::canadian(seconds(6.25), seconds(30.0), 5).budget(40), "main time");
        clock.spend(seconds(10.0));
        assert_eq!(clock.stage, Stage::Period { left: seconds(30.0), moves: 4, sure: false }, "used up to the last");

        let period = |left, moves| Stage::Period { left: seconds(left), moves, sure: true };
        for (spent, is_distrusted, (told, moves), stage) in [
            (10.0, false, (25.5, 4), period(19.99, 4)),
            (10.0, false, (15.5, 4), period(15.5, 4)),
            (10.0, false, (25.5, 3), period(25.5, 3)),
            (10.0, true, (25.5, 4), period(25.5, 4)),
            (40.0, false, (25.5, 4), period(25.5, 4)),
            (10.0, false, (0.0, 4), period(0.1, 4)),
            (10.0, false, (8.0, 0), Stage::Main(seconds(7.5))),
        ] {
            let mut clock = Clock::canadian(Duration::ZERO, seconds(30.0), 5);
            clock.spend(seconds(spent));
            if is_distrusted {
                clock.distrust();
            }
            clock.set_left(seconds(told), moves);
            assert_eq!(clock.stage, stage, "{spent} s spent, then told {told} s for {moves} moves");
        }
    }

    fn any_duration() -> impl Strategy<Value = Duration> {
        prop_oneof![
            Just(Duration::ZERO),
            Just(Duration::MAX),
            Just(Duration::from_nanos(1)),
            (any::<u64>(), 0..1_000_000_000u32).prop_map(|(s, n)| Duration::new(s, n)),
            (0..100_000u64).prop_map(Duration::from_millis),
        ]
    }

    proptest! {
        #[test]
        fn no_clock_panics_or_promises_more_than_it_has(
            kind in 0..4,
            main in any_duration(),
            second in any_duration(),
            moves in prop_oneof![Just(0), Just(u32::MAX), 1..50u32],
            steps in prop::collection::vec((any_duration(), prop_oneof![Just(0), Just(u32::MAX), 0..9u32], 0..3, 0..=60u32), 0..20),
        ) {
            let mut clock = match kind {
                0 => Clock::unlimited(),
                1 => Clock::per_move(main),
                2 => Clock::sudden_death(main, second),
                _ => Clock::canadian(main, second, moves),
            };
            for (time, moves, action, empties) in steps {
                match action {
                    0 => clock.spend(time),
                    1 => clock.set_left(time, moves),
                    _ => clock.distrust(),
                }
                if let Some(budget) = clock.budget(empties) {
                    prop_assert!(budget.soft <= budget.hard);
                    let most = match (clock.terms, clock.stage) {
                        (Terms::Canadian { time, .. }, Stage::Main(main)) => main.saturating_add(time),
                        (_, Stage::Main(left) | Stage::Period { left, .. }) => left,
                    };
                    prop_assert!(budget.hard <= most, "{budget:?} {clock:?}");
                }
            }
        }
    }
}
