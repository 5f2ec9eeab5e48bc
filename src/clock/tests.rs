//! Tests of the clock: no budget overruns, in simulated games and in cases.

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

fn stage(clock: &Clock) -> Stage {
    let Time::Canadian { stage, .. } = clock.time else { panic!("{clock:?}") };
    stage
}

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
    assert!(soft(60) < soft(44) && soft(44) < soft(34) && soft(34) < soft(20));
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
fn a_move_asked_for_without_time_left_is_thought_about() {
    let left = |time| Clock::sudden_death(time, Duration::ZERO).budget(40).unwrap();
    assert_eq!(left(Duration::ZERO), left(NONE_LEFT));
    assert!(left(Duration::ZERO).hard > Duration::from_millis(1));
    let mut overrun = Clock::sudden_death(seconds(300.0), Duration::ZERO);
    overrun.spend(seconds(301.0));
    assert_eq!(overrun.budget(40), Some(left(NONE_LEFT)));
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
    assert_eq!(clock.budget(40), of(7.5), "no time system was agreed on");
    clock.set_left(seconds(20.0), 0);
    assert_eq!(clock.budget(40), of(19.5), "nor are they known now");
    let mut clock = Clock::sudden_death(seconds(3.0), seconds(2.0));
    clock.spend(seconds(4.0));
    clock.set_left(seconds(120.25), 0);
    let with_increment = Clock::sudden_death(seconds(120.25), seconds(2.0)).budget(40);
    assert_eq!(clock.budget(40), with_increment, "our flag fell before the increment");
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
    assert_eq!(stage(&clock), Stage::Period { left: seconds(19.5), moves: 2, sure: true });
    clock.spend(seconds(3.0));
    clock.spend(seconds(3.0));
    assert_eq!(stage(&clock), Stage::Period { left: seconds(30.0), moves: 5, sure: true });
    clock.set_left(seconds(30.0), 5);
    assert_eq!(
        stage(&clock),
        Stage::Period { left: seconds(30.0), moves: 5, sure: true },
        "a whole period is not rounded"
    );
}

#[test]
fn a_period_that_nobody_described_is_as_long_as_the_last_report() {
    let mut clock = Clock::unlimited();
    clock.set_left(seconds(2.0), 1);
    assert_eq!(stage(&clock), Stage::Period { left: seconds(1.5), moves: 1, sure: true });
    clock.set_left(seconds(12.0), 3);
    assert_eq!(stage(&clock), Stage::Period { left: seconds(11.5), moves: 3, sure: true });
    clock.set_left(seconds(30.0), 5);
    assert_eq!(stage(&clock), Stage::Period { left: seconds(29.5), moves: 5, sure: true });
    clock.set_left(seconds(60.0), 0);
    assert_eq!(stage(&clock), Stage::Main(seconds(59.5)));
    // The client has spoken of main time first.
    for mut clock in [Clock::unlimited(), Clock::sudden_death(seconds(60.0), seconds(1.0))] {
        clock.set_left(seconds(60.0), 0);
        clock.set_left(seconds(10.0), 1);
        assert_eq!(stage(&clock), Stage::Period { left: seconds(9.5), moves: 1, sure: true });
    }
}

#[test]
fn what_is_left_is_planned_with_to_the_millisecond() {
    let game = |main, increment| Clock::sudden_death(seconds(main), seconds(increment));
    let overtime = |main, time, moves| Clock::canadian(seconds(main), seconds(time), moves);
    let mut period_not_seen_to_begin = overtime(1.0, 30.0, 5);
    period_not_seen_to_begin.spend(seconds(2.0));
    // The clock, the empty squares, and the soft and the hard limit in milliseconds.
    for (clock, empties, soft, hard) in [
        (game(300.0, 0.0), 60, 7065, 17663),
        (game(300.0, 0.0), 45, 17956, 44889),
        (game(300.0, 0.0), 36, 52546, 99803),
        (game(300.0, 0.0), 30, 80865, 99833),
        (game(300.0, 0.0), 24, 80889, 99863),
        (game(60.0, 2.0), 45, 4797, 11993),
        (game(60.0, 2.0), 25, 17746, 21543),
        (game(60.0, 2.0), 23, 17746, 21543),
        (game(60.0, 2.0), 2, 17747, 21543),
        (game(5.0, 0.01), 60, 91, 226),
        (game(5.0, 0.01), 20, 1286, 1587),
        (game(1.0, 0.0), 60, 5, 13),
        (game(1.0, 0.0), 20, 176, 217),
        (game(3600.0, 10.0), 30, 979_946, 1_207_943),
        (overtime(60.0, 30.0, 5), 60, 6019, 15047),
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
    for (reported, believed) in [(4.25, 4.25), (0.0, 10.0), (20.0, 10.0), (4.25, 4.25)] {
        clock.set_left(seconds(reported), 0);
        assert_eq!(clock.budget(60), Clock::per_move(seconds(believed)).budget(60), "{reported}");
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
    assert_eq!(stage(&clock), Stage::Period { left: seconds(30.0), moves: 4, sure: false }, "used up to the last");
    assert_eq!(clock.unseen, UNSEEN, "one move");

    let period = |left, moves| Stage::Period { left: seconds(left), moves, sure: true };
    for (spent, is_distrusted, (reported, moves), expected) in [
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
        clock.set_left(seconds(reported), moves);
        assert_eq!(stage(&clock), expected, "{spent} s spent, then reported {reported} s for {moves} moves");
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
                let most = match clock.time {
                    Time::Unlimited => panic!("a budget where there is no limit"),
                    Time::Game { left: Duration::ZERO, .. } => NONE_LEFT,
                    Time::PerMove(left) | Time::Game { left, .. } => left,
                    Time::Canadian { period, stage: Stage::Main(main), .. } => main.saturating_add(period),
                    Time::Canadian { stage: Stage::Period { left, .. }, .. } => left,
                };
                prop_assert!(budget.hard <= most, "{budget:?} {clock:?}");
            }
        }
    }
}
