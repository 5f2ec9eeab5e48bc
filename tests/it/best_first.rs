//! The best-first family as clients get it: results, limits, lines.

use crate::games::RandomGames;
use emilia::engine::{EngineOptions, OnMemoryCap, searches};
use emilia::eval::EvaluatorKind;
use emilia::notation::{obf::ObfEntry, read_position};
use emilia::othello::{Color, GameRecord, Move, Position};
use emilia::search::{
    Bound, Contempt, Control, Depth, Limits, MinimaxKind, Rbfms, Report, Score, Search, SearchDepth, StopSignal, Task,
    TimeBudget, mean_alpha_beta_evaluations, plain_minimax,
};
use std::collections::HashSet;
use std::time::{Duration, Instant};

fn task(position: Position) -> Task {
    Task::new(position, EvaluatorKind::Mobility.build())
}

pub fn evaluations(limit: u64) -> Limits {
    Limits { evaluations: Some(limit), ..Limits::default() }
}

fn think(search: &mut dyn Search, task: &Task, limits: Limits) -> Report {
    let report = search.think(task, &Control::with_limits(limits), &mut |report| check_report(task, report));
    check_report(task, &report);
    report
}

/// What is true of every report.
fn check_report(task: &Task, report: &Report) {
    let moves = task.position.moves().count().max(1) as usize;
    assert!(report.lines.len() >= task.lines.min(moves) && report.lines.len() <= moves);
    let turns: HashSet<_> = report.lines.iter().map(|line| line.turn).collect();
    assert_eq!(turns.len(), report.lines.len());
    let mut least = SearchDepth::Exact;
    for line in &report.lines {
        let mut game = GameRecord::from_position(task.position);
        for &turn in &line.pv {
            game.take(turn).unwrap();
        }
        assert_eq!(line.pv.first(), Some(&line.turn));
        if let SearchDepth::Plies(plies) = line.depth {
            // The length of the line, or the effort, which all lines have in common.
            let length = line.pv.iter().filter(|turn| turn.square().is_some()).count() as u8;
            assert!(plies == length || plies >= 1 && line.depth == report.depth, "{report:?}");
            least = match least {
                SearchDepth::Plies(other) => SearchDepth::Plies(other.min(plies)),
                _ => line.depth,
            };
        }
    }
    match (report.depth, least) {
        (SearchDepth::Plies(all), _) => assert!(
            report
                .lines
                .iter()
                .all(|line| line.depth.is_exact() || matches!(line.depth, SearchDepth::Plies(p) if p >= all))
        ),
        (SearchDepth::Exact, least) => assert_eq!(least, SearchDepth::Exact),
        // The score of the best move may be known where that of the position is not.
        (all, _) => assert!(report.lines.iter().all(|line| line.depth == all || line.depth.is_exact())),
    }
}

/// The value of a position under perfect play, by plain minimax.
pub fn exact(position: &Position, contempt: Contempt) -> i32 {
    let evaluator = EvaluatorKind::Mobility.build();
    let empties = position.empties().count();
    plain_minimax(MinimaxKind::AlphaBeta, position, empties, &*evaluator, contempt, &mut |_| false).value
}

/// An engine as a client gets it, but with one thread, a small table, and these changes.
fn engine(name: &str, change: impl FnOnce(&mut EngineOptions)) -> Box<dyn Search> {
    emilia::lab::register();
    let mut options = EngineOptions { threads: 1, hash_mb: 2, ..EngineOptions::default() };
    options.set("engine", name).unwrap();
    change(&mut options);
    (options.engine.build)(&options)
}

/// The names of all engines that can be chosen.
fn all_engines() -> Vec<&'static str> {
    emilia::lab::register();
    searches().iter().map(|search| search.name).collect()
}

/// The engines of the best-first family whose values at the end are results.
const PLAYERS: [&str; 4] = ["emilia", "best-first", "extension", "rbfms"];

#[test]
fn alpha_beta_before_a_complete_tree_comes_to_an_end() {
    let moves = "e6f4e3d2g3g5d3c5c4e7f5c3c2d6d7c1h5f6g6h2b4d8f7a4e8h7h6f8e2e1h8h4c6c7c8b8g7g8b6a6b7a8a7b2a2b1g4b5a1d1f3g2g1a5a3";
    let position = *read_position(moves).unwrap().position();
    let limits = Limits { depth: Depth::new(25), nodes: Some(5_000), ..Limits::default() };
    let mut search = engine("korf-extension", |options| options.start_depth = None);
    let task = Task::new(position, EvaluatorKind::Iago.build());
    let report = search.think(&task, &Control::with_limits(limits), &mut |_| {});
    assert_eq!(report.lines.len(), 1);
}

/// Every engine that can be chosen, with one thread and with two where it takes several.
#[test]
fn the_end_of_the_game_is_solved_by_every_engine() {
    let mut games = RandomGames(5);
    for round in 0..16 {
        let discs = 51 + games.below(7);
        let position = games.position(discs);
        let contempt = [Contempt::NONE, Contempt::new(100).unwrap(), Contempt::new(-100).unwrap()][round % 3];
        let one = Task { contempt, ..task(position) };
        let all = Task { lines: 64, ..one.clone() };
        let result = exact(&position, contempt);
        // `baum-smith` solves nothing: it ends where, by the errors that it assumes, nothing would change its move.
        for kind in all_engines().into_iter().filter(|&kind| kind != "baum-smith") {
            let mut search = engine(kind, |options| options.threads = 1 + round as u32 % 2);
            // This one has a depth where none is said.
            let depth = Depth::new(60).filter(|_| kind == "korf-alpha-beta");
            let limits = Limits { depth, ..Limits::default() };
            let control = Control::with_limits(limits);
            let report = search.think(&one, &control, &mut |_| {});
            let found = report.lines[0].score.units();
            let knows_who_wins_alone = matches!(kind, "korf-best-first" | "korf-extension" | "uct" | "ubfm");
            if knows_who_wins_alone {
                // The published values know only who wins, ties are almost losses, and the search ends when it knows.
                assert_eq!((found > 0, found < 0), (result > 0, result < 0), "{kind} {position}");
                assert!(found == result || report.depth != SearchDepth::Exact, "{kind} {position}: {found}");
                continue;
            }
            assert_eq!(found, result, "{kind} {position}");
            if let [turn, reply, ..] = report.lines[0].pv[..] {
                let behind = position.take(turn).unwrap().take(reply).unwrap();
                assert_eq!(exact(&behind, contempt), result, "{kind} {position}: the reply is not the best");
            }
            if matches!(kind, "korf-alpha-beta" | "conspiracy") {
                // Their depth is in plies to the end.
                continue;
            }
            assert_eq!(report.depth, SearchDepth::Exact, "{kind} {position}");
            let report = search.think(&all, &control, &mut |_| {});
            assert_eq!(report.depth, SearchDepth::Exact, "{kind} {position}");
            assert_eq!(report.lines.len(), position.moves().count().max(1) as usize);
            for line in &report.lines {
                let child = position.take(line.turn).unwrap();
                assert_eq!(line.score.units(), -exact(&child, contempt), "{kind} {position} {}", line.turn);
            }
        }
    }
}

/// Behind e1 the best reply, which wins by 14, is solved before the others. Wherever the search ends, e1 is not said to be better than b7,
/// which loses by 8.
#[test]
fn a_search_in_linear_space_that_is_ended_knows_the_best_reply() {
    let board = "-OOO---O-OOOOOOOOOOOXOOOOOXOOXOOOXOOOXOOOOXOXOOOO-XXXXOO--XO-O-O X";
    let task = Task { lines: 1, ..task(*read_position(board).unwrap().position()) };
    let e1 = Move::Place("e1".parse().unwrap());
    for lines in [1, 2] {
        for nodes in (300..2000).step_by(20) {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let report = think(&mut *engine("rbfms", |_| {}), &Task { lines, ..task.clone() }, limits);
            let best = &report.lines[0];
            assert!(best.turn != e1 || best.score.discs() <= -8.0, "{nodes} {report:?}");
        }
    }
}

/// At the same depth, for every line that was asked for, and in as many positions.
#[test]
fn the_default_is_as_exact_as_alpha_beta() {
    let (mut games, mut solved) = (RandomGames(7), 0);
    for round in 0..60 {
        let position = games.position(42 + round % 10);
        let limits = Limits { depth: Depth::new(4 + 2 * (round as u8 % 3)), ..Limits::default() };
        for lines in [1, 3] {
            let wanted = Task { lines, is_analysis: true, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            let answer = |kind, task| engine(kind, |_| {}).think(task, &Control::with_limits(limits), &mut |_| {});
            let (default, alpha_beta) = (answer("emilia", &wanted), answer("alpha-beta", &wanted));
            assert_eq!(default.lines, alpha_beta.lines, "{position}");
            let played = answer("emilia", &Task { lines: 1, is_analysis: false, ..wanted.clone() });
            assert_eq!(played.depth.is_exact(), alpha_beta.depth.is_exact(), "{position}");
            if alpha_beta.depth.is_exact() {
                assert_eq!(played.lines[0].score, alpha_beta.lines[0].score, "{position}");
                solved += 1;
            }
        }
    }
    assert!(solved > 40, "{solved}");
}

/// Compares the default with alpha-beta over the 120 endgames of 14 to 24 empty squares: the values that they show, and the moves that the
/// default plays. Returns how many are exact.
fn exact_endgames(depth: u8) -> usize {
    let endgames = include_str!("../data/endgames.obf").lines().map(|line| ObfEntry::parse(line).unwrap());
    let limits = Limits { depth: Depth::new(depth), ..Limits::default() };
    let mut solved = 0;
    for ObfEntry { position, moves, .. } in endgames {
        let wanted = Task { is_analysis: true, ..Task::new(position, EvaluatorKind::Pattern.build()) };
        let answer = |kind, task| engine(kind, |_| {}).think(task, &Control::with_limits(limits), &mut |_| {});
        let (default, alpha_beta) = (answer("emilia", &wanted), answer("alpha-beta", &wanted));
        assert_eq!((&default.lines, default.nodes), (&alpha_beta.lines, alpha_beta.nodes), "{position}");
        if alpha_beta.depth.is_exact() {
            solved += 1;
            let played = answer("emilia", &Task { is_analysis: false, ..wanted.clone() });
            for report in [alpha_beta, played] {
                assert!(report.depth.is_exact(), "{position}");
                assert_eq!(report.lines[0].score, Score::from_discs(moves[0].1), "{position}");
            }
        }
    }
    solved
}

#[test]
fn the_default_solves_endgames_at_a_depth_as_alpha_beta_does() {
    assert_eq!(exact_endgames(12), 76);
}

#[test]
fn the_default_plays_all_endgames_right_at_depth_sixteen() {
    let limits = Limits { depth: Depth::new(16), ..Limits::default() };
    for line in include_str!("../data/endgames.obf").lines() {
        let ObfEntry { position, moves, .. } = ObfEntry::parse(line).unwrap();
        let wanted = Task::new(position, EvaluatorKind::Pattern.build());
        let report = engine("emilia", |_| {}).think(&wanted, &Control::with_limits(limits), &mut |_| {});
        assert!(report.depth.is_exact() && report.lines[0].score == Score::from_discs(moves[0].1), "{line} {report:?}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn the_default_solves_all_endgames_at_depth_sixteen() {
    assert_eq!(exact_endgames(16), 120);
}

#[test]
fn the_end_is_played_out_without_a_mistake() {
    // Each time the root moves to a node that may have been solved without its children.
    let mut games = RandomGames(6);
    for kind in PLAYERS {
        for _ in 0..10 {
            let start = games.position(49);
            let mut engine = engine(kind, |_| {});
            let mut position = start;
            while !position.is_over() {
                let report = think(&mut *engine, &task(position), Limits::default());
                position = position.take(report.lines[0].turn).unwrap();
            }
            let sign = if start.mover() == Color::Black { 128 } else { -128 };
            assert_eq!(position.score_for_black() * sign, exact(&start, Contempt::NONE), "{kind} {start}");
        }
    }
}

/// More nodes than it takes to solve a position with eight empty squares.
const ONE_SOLVE: u64 = 2_000;

#[test]
fn limits_are_kept_and_there_is_always_a_move() {
    let mut games = RandomGames(80);
    for kind in PLAYERS.into_iter().chain(["korf-best-first"]) {
        let position = games.position(24);
        let mut search = engine(kind, |_| {});
        for limit in [1, 2, 50, 1_000, 20_000] {
            search.clear();
            let report = think(&mut *search, &task(position), evaluations(limit));
            // The children of one node more at most, or of the root, or one leaf solved to the end of the game.
            assert!(report.evaluations <= limit + 64 + ONE_SOLVE, "{kind} {limit}: {}", report.evaluations);
            assert!(report.evaluations >= limit.min(500), "{kind} {limit}: {}", report.evaluations);
            let report = think(&mut *search, &task(position), Limits { nodes: Some(limit), ..Limits::default() });
            assert!(report.nodes <= limit + 64 + ONE_SOLVE, "{kind} {limit}: {}", report.nodes);
        }
        search.clear();
        let depth = Limits { depth: Depth::new(4), ..Limits::default() };
        let spent = think(&mut *search, &task(position), depth).evaluations;
        if matches!(kind, "rbfms" | "korf-best-first") {
            let expected = mean_alpha_beta_evaluations(4);
            assert!(spent >= expected && spent < expected + 64 + ONE_SOLVE, "{kind} {spent}");
        }
        let signal = StopSignal::default();
        signal.stop();
        let stopped = Control::new(Limits::default(), signal, Instant::now());
        assert!(!search.think(&task(position), &stopped, &mut |_| {}).lines.is_empty());
        let no_time = Limits { time: Some(TimeBudget::all_of(Duration::ZERO)), ..Limits::default() };
        assert!(!think(&mut *search, &task(position), no_time).lines.is_empty());
    }
}

#[test]
fn a_number_of_positions_is_kept() {
    let mut games = RandomGames(81);
    let alone = ["emilia", "alpha-beta", "best-first", "extension", "rbfms", "korf-best-first", "uct", "ubfm", "mtdf"];
    let together = ["emilia", "alpha-beta", "best-first", "extension", "mtdf"];
    // These end by themselves, or have done what there is to do.
    let may_end_early = ["minimax", "korf-extension", "korf-alpha-beta", "baum-smith", "conspiracy"];
    let alone = alone.into_iter().chain(may_end_early).map(|kind| (kind, 1));
    for (kind, threads) in alone.chain(together.map(|kind| (kind, 2))) {
        let mut visited = |discs, limit: u64| {
            let wanted = Task::new(games.position(discs), EvaluatorKind::Pattern.build());
            let limits = Limits { nodes: Some(limit), ..Limits::default() };
            let control = Control::with_limits(limits);
            let nodes = engine(kind, |options| options.threads = threads).think(&wanted, &control, &mut |_| {}).nodes;
            // The solver does not look for the last few squares: each thread may be there.
            let more = (limit / 50).max(100) * if discs < 40 { 1 } else { threads as u64 };
            assert!(nodes <= limit + more, "{kind}, {threads} threads, {discs} discs: {nodes} of {limit}");
            nodes
        };
        for (discs, limit) in [(20, 1_000), (24, 20_000), (30, 200_000)] {
            let nodes = visited(discs, limit);
            assert!(nodes >= limit * 9 / 10 || may_end_early.contains(&kind), "{kind}: {nodes} of {limit}");
        }
        // Near the end the solver visits some positions between two looks at the limits.
        for discs in 40..=52 {
            for limit in [300, 1_000, 3_000, 10_000] {
                visited(discs, limit);
            }
        }
    }
}

#[test]
fn after_a_new_game_an_engine_answers_as_a_new_one() {
    let first = RandomGames(82).position(20);
    let answer = |report: Report| (report.nodes, report.evaluations, report.depth, format!("{:?}", report.lines));
    for kind in all_engines() {
        let mut used = engine(kind, |_| {});
        let line = think(&mut *used, &task(first), evaluations(5_000)).lines.swap_remove(0).pv;
        // The moves that were expected: of what is below them the engine knows most.
        let mut game = GameRecord::from_position(first);
        line.iter().take(2).for_each(|&turn| game.take(turn).unwrap());
        let second = task(*game.position());
        used.clear();
        let again = answer(think(&mut *used, &second, evaluations(5_000)));
        assert_eq!(again, answer(think(&mut *engine(kind, |_| {}), &second, evaluations(5_000))), "{kind}");
    }
}

#[test]
fn several_lines_are_searched() {
    let position = RandomGames(90).position(16);
    let moves = position.moves().count() as usize;
    for kind in PLAYERS.into_iter().chain(["korf-best-first"]) {
        let several = Task { lines: 4, ..task(position) };
        let report = think(&mut *engine(kind, |_| {}), &several, evaluations(20_000));
        assert_eq!(report.lines.len(), 4.min(moves));
        assert!(report.lines[1..].iter().all(|line| line.visits > 60), "{kind} {report:?}");
    }
    let all = Task { lines: 64, ..task(position) };
    for kind in PLAYERS {
        assert_eq!(think(&mut *engine(kind, |_| {}), &all, evaluations(500)).lines.len(), moves, "{kind}");
    }
}

/// Four lines of the middle game, none of them a mere static value.
fn check_four_lines(report: &Report) {
    assert_eq!(report.lines.len(), 4);
    for line in &report.lines {
        assert!(line.pv.len() > 1 && line.visits > 1, "{report:?}");
        assert!(!matches!(line.depth, SearchDepth::Plies(0..=1)), "{report:?}");
        assert_eq!(line.bound, Bound::Exact);
    }
    assert!(!matches!(report.depth, SearchDepth::Plies(0..=1)));
}

#[test]
fn several_lines_are_searched_in_linear_space() {
    let mut games = RandomGames(91);
    for discs in [8, 16, 24, 36] {
        let position = std::iter::from_fn(|| Some(games.position(discs))).find(|p| p.moves().count() >= 5).unwrap();
        let several = Task { lines: 4, ..task(position) };
        let report = think(&mut Rbfms, &several, evaluations(50_000));
        check_four_lines(&report);
        assert!(report.lines.is_sorted_by_key(|line| -line.score));
        let visits: Vec<u64> = report.lines.iter().map(|line| line.visits).collect();
        assert!(visits.iter().all(|&n| n > 100), "{visits:?}");
        let near = Task { margin: Some(Score::from_units(256)), ..task(position) };
        let report = think(&mut Rbfms, &near, evaluations(50_000));
        assert!(report.lines.iter().all(|line| line.visits > 1 && line.pv.len() > 1), "{report:?}");
        assert!(report.lines.iter().all(|line| line.score.units() >= report.lines[0].score.units() - 256));
    }
}

#[test]
fn several_lines_are_searched_on_at_the_cap() {
    let mut games = RandomGames(92);
    for kind in ["best-first", "korf-best-first"] {
        let position = std::iter::from_fn(|| Some(games.position(18))).find(|p| p.moves().count() >= 5).unwrap();
        let several = Task { lines: 4, ..task(position) };
        let search = |limit| {
            let full = |options: &mut EngineOptions| {
                (options.memory_mb, options.on_memory_cap) = (1, OnMemoryCap::Rbfms);
            };
            think(&mut *engine(kind, full), &several, evaluations(limit))
        };
        let report = search(300_000);
        check_four_lines(&report);
        assert!(report.memory.linear_nodes > 1_000, "{kind} {:?}", report.memory);
        // Nobody starves: the least searched line has got on since the cap was reached.
        let least = |report: &Report| report.lines.iter().map(|line| line.visits).min().unwrap();
        let later = search(1_200_000);
        check_four_lines(&later);
        assert!(least(&later) > least(&report), "{kind} {} {}", least(&later), least(&report));
        let (all, first) = (later.lines.iter().map(|line| line.visits).sum::<u64>(), least(&later));
        assert!(first > all / 100, "{kind} {first} of {all}");
    }
}

#[test]
fn a_pass_at_the_root_is_a_line() {
    // Black has no move here, White has.
    let mut game = GameRecord::default();
    for name in ["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6"] {
        game.take(Move::Place(name.parse().unwrap())).unwrap();
    }
    let position = *game.position();
    assert!(position.must_pass());
    for kind in PLAYERS.into_iter().chain(["korf-best-first", "korf-extension"]) {
        let report = think(&mut *engine(kind, |_| {}), &task(position), evaluations(3_000));
        assert_eq!((report.lines.len(), report.lines[0].turn), (1, Move::Pass), "{kind}");
        assert!(report.lines[0].pv.len() > 2, "{kind}");
    }
}

/// What the solver visits in linear space counts, and ends the search.
#[test]
fn positions_solved_at_the_cap_are_counted_and_limited() {
    let position = RandomGames(33).position(41);
    for threads in [1, 2] {
        let full = |options: &mut EngineOptions| {
            (options.memory_mb, options.on_memory_cap, options.threads) = (1, OnMemoryCap::Rbfms, threads);
        };
        let limit = Limits { nodes: Some(1_000_000), ..Limits::default() };
        let report = think(&mut *engine("best-first", full), &task(position), limit);
        assert!(report.nodes < 1_000_000 + 40_000, "{report:?}");
        assert!(report.memory.linear_nodes > 1_000, "{report:?}");
        assert!(report.depth.is_exact() || report.nodes >= 1_000_000, "{report:?}");
    }
}
