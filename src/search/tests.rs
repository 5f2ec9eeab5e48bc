//! What the tests of the searches have in common, and tests of several searches.

use super::*;
use crate::eval::EvaluatorKind;
use crate::othello::GameRecord;
use crate::testing::random_position;
use std::ops::Range;
use web_time::Instant;

/// Positions of random games that are not over, with their seeds.
pub(super) fn open_positions(seeds: Range<u64>, empties: impl Fn(u64) -> u32) -> impl Iterator<Item = (u64, Position)> {
    seeds.map(move |seed| (seed, random_position(seed, empties(seed)))).filter(|(_, position)| !position.is_over())
}

/// Limits of a depth in plies.
pub(super) fn to_depth(depth: u8) -> Limits {
    Limits { depth: Depth::new(depth), ..Limits::default() }
}

/// Limits of a time.
pub(super) fn for_time(time: std::time::Duration) -> Limits {
    Limits { time: Some(TimeBudget::all_of(time)), ..Limits::default() }
}

/// Limits of a soft time alone.
pub(super) fn for_soft_time(soft: std::time::Duration) -> Limits {
    Limits { time: Some(TimeBudget { early: None, soft, hard: std::time::Duration::MAX }), ..Limits::default() }
}

/// Limits of a number of positions.
pub(super) fn visiting(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// What a search says that has these limits alone.
pub(super) fn think(search: &mut dyn Search, task: &Task, limits: Limits) -> Report {
    search.think(task, &Control::with_limits(limits), &mut |_| {})
}

/// Alpha-beta with an empty table of a megabyte.
pub(super) fn small_alpha_beta() -> AlphaBeta {
    AlphaBeta::new(AlphaBetaSettings { table_bytes: 1 << 20, ..AlphaBetaSettings::default() })
}

/// What [`small_alpha_beta`] says.
pub(super) fn by_alpha_beta(task: &Task, limits: Limits) -> Report {
    think(&mut small_alpha_beta(), task, limits)
}

/// The engines `best-first` and `extension` with little memory.
pub(super) fn small_best_first(threads: usize) -> [BestFirstSettings; 2] {
    [BestFirstSettings::best_first(), BestFirstSettings::extension()].map(|settings| BestFirstSettings {
        threads,
        table_bytes: 1 << 20,
        memory: 16 << 20,
        ..settings
    })
}

/// The scores of all lines.
pub(super) fn scores(report: &Report) -> Vec<Score> {
    report.lines.iter().map(|line| line.score).collect()
}

/// The outcome of the game that a line ends with, for the side to move at its beginning.
pub(super) fn outcome_of(task: &Task, line: &Line) -> Score {
    let mut game = GameRecord::from_position(task.position);
    line.pv.iter().for_each(|&turn| game.take(turn).unwrap());
    let end = game.position();
    assert!(end.is_over(), "{} {line:?}", task.position);
    let outcome = Score::from_units(task.contempt.outcome(end));
    if end.mover() == task.position.mover() { outcome } else { -outcome }
}

/// What is said to be solved is the result, and what is said to be decided has that winner, however little was visited: also where the best
/// move so far is solved and the others are not.
#[test]
fn nothing_is_said_to_be_solved_that_is_not() {
    let [best_first, extension] = small_best_first(1);
    type Constructor<'a> = &'a dyn Fn() -> Box<dyn Search>;
    let korf = KorfSettings { memory: 1 << 20, ..KorfSettings::korf() };
    let korf_extension = KorfSettings { start: AlphaBetaStart::Share { divisor: 16 }, ..korf };
    let searches: [(&str, Constructor); 6] = [
        ("best-first", &|| Box::new(BestFirst::new(best_first))),
        ("extension", &|| Box::new(BestFirst::new(extension))),
        ("emilia", &|| Box::new(Emilia::new(best_first))),
        ("rbfms", &|| Box::new(Rbfms)),
        ("korf-best-first", &|| Box::new(KorfBestFirst::new(korf))),
        ("korf-extension", &|| Box::new(KorfBestFirst::new(korf_extension))),
    ];
    let known = [
        "OOOX-XOOOOOX-XOOOOOOXXOXOOOXOX--OXXXOX----XOOXX-XXOXXXXXOOOOOOOX O",
        "OOO-O-X-OXOOOXO--XOOX----XXXXXXXOXXOXOX-XXXXOXXXXXOOXXXOXXXXXXO- O",
    ];
    let known = known.map(|text| *crate::notation::read_position(text).unwrap().position());
    let random = open_positions(300..400, |seed| 2 + (seed % 10) as u32).map(|(_, position)| position);
    let (mut settled, mut open, mut bounds) = (0, 0, 0);
    for position in known.into_iter().chain(random) {
        let task = Task::new(position, EvaluatorKind::Pattern.build());
        let results = by_alpha_beta(&Task { lines: 64, ..task.clone() }, Limits::default()).lines;
        let result = results[0].score;
        for (name, search) in searches {
            for nodes in [200, 1_000, 5_000, 20_000] {
                let report = think(&mut *search(), &task, visiting(nodes));
                let said = report.lines[0].score;
                match report.depth {
                    SearchDepth::Exact => assert_eq!(said, result, "{name} {nodes} {position}"),
                    SearchDepth::WinLossDraw => {
                        assert_eq!(said.units().signum(), result.units().signum(), "{name} {nodes} {position}");
                    }
                    _ => open += 1,
                }
                settled += u32::from(report.depth.knows_winner());
                let all = Task { lines: 64, ..task.clone() };
                for line in think(&mut *search(), &all, visiting(nodes)).lines {
                    let result = results.iter().find(|known| known.turn == line.turn).unwrap().score;
                    let (said, result) = (line.score.units(), result.units());
                    let holds = match (line.depth, line.bound) {
                        (SearchDepth::Exact, _) => said == result,
                        (SearchDepth::WinLossDraw, Bound::Lower) => said <= result && said > 0,
                        (SearchDepth::WinLossDraw, Bound::Upper) => said >= result && said < 0,
                        (SearchDepth::WinLossDraw, Bound::Exact) => said.signum() == result.signum(),
                        _ => true,
                    };
                    assert!(holds, "{name} {nodes} {position} {line:?}: {result}");
                    bounds += u32::from(line.bound != Bound::Exact);
                }
            }
        }
    }
    assert!(settled > 50 && open > 50 && bounds > 50, "{settled} {open} {bounds}");
}

/// Limits of some thousand positions are kept in the last plies of a game too, where the solver has most of the work.
#[test]
fn small_limits_are_kept_near_the_end() {
    for (seed, position) in open_positions(0..12, |seed| 12 + (seed % 6) as u32) {
        let task = Task { lines: 3, is_analysis: true, ..Task::new(position, EvaluatorKind::Pattern.build()) };
        let searches: [Box<dyn Search>; 2] = [Box::new(small_alpha_beta()), Box::new(Rbfms)];
        for mut search in searches {
            let report = think(&mut *search, &task, visiting(1_000));
            assert!(report.nodes < 1_400, "{seed}: {}", report.nodes);
        }
    }
}

#[test]
fn several_threads_keep_a_limit_and_always_have_a_move() {
    let alpha_beta = || AlphaBeta::new(AlphaBetaSettings { threads: 3, ..AlphaBetaSettings::default() });
    let [best_first, extension] = small_best_first(3).map(|settings| move || BestFirst::new(settings));
    type Constructor<'a> = &'a dyn Fn() -> Box<dyn Search>;
    let searches: [(Constructor, u64); 3] = [
        (&|| Box::new(alpha_beta()), 10_000),
        (&|| Box::new(best_first()), 60_000),
        (&|| Box::new(extension()), 60_000),
    ];
    let task = Task::new(random_position(6, 42), EvaluatorKind::Pattern.build());
    for (search, slack) in searches {
        for nodes in [1, 5_000, 200_000] {
            let report = think(&mut *search(), &task, visiting(nodes));
            assert!(task.position.take(report.lines[0].turn).is_ok());
            assert!(report.nodes <= nodes + slack, "{} of {nodes}", report.nodes);
        }
        // One that is stopped before it begins.
        let signal = StopSignal::default();
        signal.stop();
        let control = Control::new(Limits::default(), signal, Instant::now());
        let report = search().think(&task, &control, &mut |_| {});
        assert!(task.position.take(report.lines[0].turn).is_ok());
    }
}
