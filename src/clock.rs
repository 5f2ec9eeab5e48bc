//! How much time a move may take.
//!
//! A [`Clock`] is one side's time under any of the time systems that clients use: none, a time for each move, a time for the
//! whole game with or without an increment, or a main time followed by periods for a number of moves (Canadian
//! overtime; with one move, the Japanese kind). It knows what it has measured itself and what the client last said, and
//! believes the smaller.
//!
//! The scheme for a game's time: positions with few enough empty squares are solved, which settles all moves that
//! follow, so a part of the time is kept for that. The rest is shared among the moves before, with less for the
//! opening and more for the middle game, where errors are largest and the end is not yet in sight.

pub mod time_control;

use crate::search::TimeBudget;
use std::time::Duration;

/// Seconds of a clock that does not come back that are never planned with.
const LAST_RESERVE: f64 = 0.05;

/// Seconds kept for every own move still to come: what happens between the client's clock and ours (pipes, a busy scheduler).
const MOVE_OVERHEAD: f64 = 0.03;

/// Time that a move costs by the client's clock beyond our own measurement; only the client's reports show it.
const UNSEEN: Duration = Duration::from_millis(10);

/// The most by which a whole number of seconds may be too large: clients round to whole seconds.
const ROUNDING: Duration = Duration::from_millis(500);

/// The time that is planned with where none is left but the client still asks for a move: it may round down, or let the game go on.
const NONE_LEFT: Duration = Duration::from_millis(100);

/// The part of the soft limit after which a search may end that is all but sure of its move.
const EARLY: f64 = 0.5;

/// Seconds above which times are not distinguished.
const FOREVER: f64 = 1e7;

impl TimeBudget {
    /// The budget of a time for each move that is measured in this process: all but a tenth of it, and of longer times all but the reserve.
    /// [`Clock::per_move`] keeps more back for a client that measures.
    pub fn per_move(time: Duration) -> TimeBudget {
        TimeBudget::of_one_move(time.as_secs_f64(), 0.1)
    }

    /// The budget of some seconds that no other move can have, of which at most a part is kept back.
    fn of_one_move(time: f64, most_kept: f64) -> TimeBudget {
        let usable = time - LAST_RESERVE.min(most_kept * time);
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
    time: Time,
    /// What the client said is left in this stage, cautiously read and counted down since.
    said: Option<Duration>,
    /// What the moves in this stage probably cost beyond our measurement.
    unseen: Duration,
    trust: Trust,
}

/// The time system agreed on, with what is left by our own measurement. Canadian overtime has `period` for every `moves` moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Time {
    Unlimited,
    PerMove(Duration),
    Game { left: Duration, increment: Duration },
    Canadian { period: Duration, moves: u32, stage: Stage },
}

/// The stage of Canadian overtime that the side is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The main time left.
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
    UntilReport,
    /// Nothing: all that is known comes from the client's reports.
    Never,
}

impl Clock {
    /// A clock without limit.
    pub fn unlimited() -> Clock {
        Clock::new(Time::Unlimited)
    }

    /// A clock with the same time for every move.
    pub fn per_move(time: Duration) -> Clock {
        Clock::new(Time::PerMove(time))
    }

    /// A clock with a time for the whole game, and an increment after each move.
    pub fn sudden_death(main: Duration, increment: Duration) -> Clock {
        Clock::new(Time::Game { left: main, increment })
    }

    /// A clock with a main time, then periods of `time` for every `moves` moves; 0 moves count as one.
    pub fn canadian(main: Duration, time: Duration, moves: u32) -> Clock {
        let moves = moves.max(1);
        let stage = if main.is_zero() { Stage::Period { left: time, moves, sure: true } } else { Stage::Main(main) };
        Clock::new(Time::Canadian { period: time, moves, stage })
    }

    fn new(time: Time) -> Clock {
        Clock { time, said: None, unseen: Duration::ZERO, trust: Trust::Measured }
    }

    /// Counts a move of this side that took `elapsed`.
    pub fn spend(&mut self, elapsed: Duration) {
        self.said = self.said.map(|said| said.saturating_sub(elapsed));
        self.unseen = self.unseen.saturating_add(UNSEEN);
        match &mut self.time {
            Time::Unlimited => {}
            Time::PerMove(_) => self.begin_stage(),
            Time::Game { left, increment } => {
                if elapsed >= *left && self.trust == Trust::Measured {
                    // If the client goes on, it has measured another time.
                    self.trust = Trust::UntilReport;
                }
                *left = left.saturating_sub(elapsed).saturating_add(*increment);
                self.said = self.said.map(|said| said.saturating_add(*increment));
            }
            Time::Canadian { period, moves: all, stage } => match stage {
                Stage::Main(main) if elapsed < *main => *main -= elapsed,
                // The period begins within the move that uses the main time up, and the move counts for it.
                Stage::Main(main) => {
                    let rest = elapsed - *main;
                    *stage = Stage::Period { left: *period, moves: *all, sure: false };
                    self.said = None;
                    // The rest is of the same move.
                    self.unseen = self.unseen.saturating_sub(UNSEEN);
                    self.spend(rest);
                }
                Stage::Period { left, moves, .. } if *moves > 1 => {
                    (*left, *moves) = (left.saturating_sub(elapsed), *moves - 1);
                }
                Stage::Period { left, moves, .. } => {
                    (*left, *moves) = (*period, *all);
                    self.begin_stage();
                }
            },
        }
    }

    fn begin_stage(&mut self) {
        (self.said, self.unseen) = (None, Duration::ZERO);
    }

    /// Takes the client's report of what is left: `moves` 0 means main time, otherwise moves to go in the period.
    ///
    /// The smaller of this and our own measurement counts, with two exceptions: after [`Clock::distrust`] the client's
    /// word replaces the measurement, and so it does when by our measurement the time is over, since the client goes on.
    /// A whole number of seconds is taken to be rounded and counts half a second less.
    pub fn set_left(&mut self, time: Duration, moves: u32) {
        let cautious = cautious(time);
        match &mut self.time {
            // A client that reports zeros and yet asks for moves keeps no clock.
            Time::Unlimited if time.is_zero() => return,
            // A period, which nobody has described.
            Time::Unlimited | Time::Game { .. } if moves > 0 => {
                *self = Clock { trust: Trust::Never, ..Clock::canadian(Duration::ZERO, cautious, moves) };
            }
            Time::Unlimited => {
                *self = Clock { trust: Trust::Never, ..Clock::sudden_death(cautious, Duration::ZERO) };
            }
            // Every move begins with the full time; less is a report of something else, but better heeded.
            Time::PerMove(full) => self.said = (!time.is_zero() && time < *full).then_some(cautious),
            Time::Canadian { period, moves: all, stage } if moves > 0 => {
                // Of a time system that nobody described it is not known what a whole period has.
                let whole = self.trust != Trust::Never && moves >= *all && time >= *period;
                let left = if whole { *period } else { cautious };
                let left = match *stage {
                    Stage::Period { left: own, moves: own_moves, .. }
                        if own_moves == moves && !own.is_zero() && self.trust == Trust::Measured =>
                    {
                        left.min(own.saturating_sub(self.unseen))
                    }
                    _ => left,
                };
                *stage = Stage::Period { left, moves, sure: true };
                self.begin_stage();
            }
            Time::Game { left: own, .. } | Time::Canadian { stage: Stage::Main(own), .. } => {
                if own.is_zero() || self.trust != Trust::Measured {
                    *own = cautious;
                    self.begin_stage();
                }
                self.said = Some(cautious);
            }
            Time::Canadian { stage, .. } => {
                // Main time although we counted it as used up: the client must know.
                *stage = Stage::Main(cautious);
                self.begin_stage();
            }
        }
        if self.trust == Trust::UntilReport {
            self.trust = Trust::Measured;
        }
    }

    /// Distrusts our own measurement until the client's next report, which replaces it: the game was changed (a move taken back,
    /// another position), and the client's clock perhaps with it.
    pub fn distrust(&mut self) {
        if self.trust == Trust::Measured {
            self.trust = Trust::UntilReport;
        }
    }

    /// The time for the next move with `empties` empty squares on the board; `None` if there is no limit.
    pub fn budget(&self, empties: u32) -> Option<TimeBudget> {
        let believed = |own: Duration| {
            let own = own.saturating_sub(self.unseen);
            self.said.map_or(own, |said| said.min(own)).as_secs_f64().min(FOREVER)
        };
        let own_moves = empties.div_ceil(2).max(1);
        Some(match self.time {
            Time::Unlimited => return None,
            Time::PerMove(time) => TimeBudget::of_one_move(believed(time), 0.5),
            Time::Game { left, increment } => {
                let left = if left.is_zero() { NONE_LEFT.as_secs_f64() } else { believed(left) };
                game_budget(left, increment.as_secs_f64().min(FOREVER), false, empties)
            }
            Time::Canadian { period, moves, stage: Stage::Main(main) } => {
                let per_move = period.as_secs_f64().min(FOREVER) / f64::from(moves.min(own_moves));
                game_budget(believed(main), per_move, true, empties)
            }
            Time::Canadian { stage: Stage::Period { left, moves, sure: true }, .. } => {
                period_budget(believed(left), moves.min(own_moves))
            }
            // An equal share for every move fits any beginning of the period.
            Time::Canadian { period, moves, stage: Stage::Period { left, .. } } => {
                let even = period.as_secs_f64().min(FOREVER) / f64::from(moves);
                period_budget(believed(left).min(even), 1)
            }
        })
    }
}

/// The time left by a client's report, read cautiously.
fn cautious(time: Duration) -> Duration {
    if time.subsec_nanos() != 0 {
        time // A client that reports fractions does not round to seconds.
    } else if time.is_zero() {
        NONE_LEFT
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

/// Number of empty squares from which on the default may be expected to have solved the position in its share of `seconds`. It solves what takes a
/// sixteenth of the share on average: with one thread 20 empty squares in one second, and one more each time the seconds double.
fn solvable_empties(seconds: f64) -> u32 {
    (20.0 + seconds.log2()).clamp(8.0, 28.0) as u32
}

#[cfg(test)]
mod tests;
