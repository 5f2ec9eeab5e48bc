use super::*;
use crate::eval::EvaluatorKind;
use crate::othello::Position;
use crate::search::tests::{by_alpha_beta, for_time, open_positions, small_best_first, think, to_depth, visiting};
use crate::search::{Depth, OnMemoryCap, StopSignal};
use crate::testing::random_position;
use std::time::Instant;

fn settings() -> BestFirstSettings {
    BestFirstSettings { memory: 8 << 20, ..small_best_first(1)[0] }
}

fn emilia() -> Emilia {
    Emilia::new(settings())
}

fn task(seed: u64, empties: u32) -> Task {
    let (_, position) = open_positions(seed..u64::MAX, |_| empties).next().unwrap();
    Task::new(position, EvaluatorKind::Pattern.build())
}

/// What the move of a report is worth, in discs.
fn worth(task: &Task, report: &Report) -> f64 {
    let position = task.position.take(report.lines[0].turn).unwrap();
    -by_alpha_beta(&Task { position, ..task.clone() }, Limits::default()).lines[0].score.discs()
}

#[test]
fn at_a_depth_the_value_of_the_move_is_that_of_a_search_as_deep_or_almost() {
    for seed in 0..3 {
        for (depth, behind_move) in [(2, 1), (6, 5), (7, 5)] {
            let task = task(100 * seed, 42);
            let settings = BestFirstSettings { selectivity: Selectivity::NONE, ..settings() };
            let report = think(&mut Emilia::new(settings), &task, to_depth(depth));
            let behind = Task { position: task.position.take(report.lines[0].turn).unwrap(), ..task };
            let table_bytes = settings.table_bytes;
            let settings = AlphaBetaSettings { table_bytes, threads: 1, selectivity: Selectivity::NONE };
            let value = think(&mut AlphaBeta::new(settings), &behind, to_depth(behind_move));
            assert_eq!(report.lines[0].score, -value.lines[0].score, "{} to depth {depth}", behind.position);
        }
    }
}

#[test]
fn a_move_that_is_chosen_among_several_gets_such_a_value() {
    let mut chosen = 0;
    for seed in 0..8 {
        let task = Task { margin: Some(Score::from_discs(6)), ..task(100 * seed, 42) };
        let settings = BestFirstSettings { selectivity: Selectivity::NONE, ..settings() };
        let mut emilia = Emilia::new(settings);
        let control = Control::with_limits(to_depth(6));
        let mut report = emilia.think(&task, &control, &mut |_| {});
        if report.lines.len() < 2 {
            continue;
        }
        chosen += 1;
        report.lines.swap(0, 1);
        let (turn, nodes) = (report.lines[0].turn, report.nodes);
        emilia.value_choice(&mut report, &task, &control);
        let behind = Task { position: task.position.take(turn).unwrap(), margin: None, ..task };
        let settings =
            AlphaBetaSettings { table_bytes: settings.table_bytes, threads: 1, selectivity: Selectivity::NONE };
        let value = think(&mut AlphaBeta::new(settings), &behind, to_depth(5));
        assert_eq!((report.lines.len(), report.lines[0].turn), (1, turn));
        assert_eq!(report.lines[0].score, -value.lines[0].score, "{}", behind.position);
        assert!(report.nodes > nodes);
    }
    assert!(chosen >= 3, "{chosen}");
}

#[test]
fn with_more_discs_moves_count_that_were_visited_less() {
    let few_visits = |discs| {
        let has_few = |seed: &u64| {
            let task = Task { margin: Some(Score::from_discs(discs)), ..task(100 * seed, 42) };
            let lines = think(&mut emilia(), &task, visiting(20_000)).lines;
            lines.iter().any(|line| line.visits < lines[0].visits / 8)
        };
        (0..12).filter(has_few).count()
    };
    assert!(few_visits(1) == 0 && few_visits(8) >= 3, "{}", few_visits(8));
}

/// A depth alone, and the same depth beside a limit that is far away, are one request.
#[test]
fn a_limit_that_is_far_away_changes_nothing() {
    let mut lost = 0;
    for (seed, empties) in (0..24).zip((18..24).cycle()) {
        let task = task(100 * seed, empties);
        let answer = |limits| {
            let report = think(&mut emilia(), &task, limits);
            (report.lines, report.depth, report.nodes)
        };
        let alone = answer(to_depth(8));
        lost += u32::from(alone.0[0].score < Score::from_discs(-10));
        let beside = answer(Limits { nodes: Some(1_000_000_000), ..to_depth(8) });
        assert_eq!(alone, beside, "{}", task.position);
    }
    assert!(lost >= 4, "{lost}");
}

#[test]
fn the_only_move_is_valued_by_alpha_beta() {
    let position = (0..).map(|seed| random_position(seed, 40)).find(|p| p.moves().count() == 1).unwrap();
    let task = Task::new(position, EvaluatorKind::Pattern.build());
    let report = think(&mut emilia(), &task, to_depth(6));
    assert_eq!(report.lines, by_alpha_beta(&task, to_depth(6)).lines);
}

#[test]
fn what_is_solved_follows_from_the_depth_and_the_other_limits() {
    let of = |depth: u8, nodes: u64| Limits {
        depth: Depth::new(depth),
        nodes: (nodes > 0).then_some(nodes),
        ..Limits::default()
    };
    for (limits, most) in [
        // A depth alone, and limits alone.
        (of(8, 0), 16),
        (of(16, 0), 24),
        (of(0, 10_000_000), 19),
        // A depth that the limits reach: as far as they allow, and no further than the depth alone.
        (of(16, 1_000_000_000), 24),
        (of(16, 10_000_000), 22),
        (of(20, 10_000_000), 22),
        // A depth out of reach is none.
        (of(30, 10_000_000), 19),
        (of(60, 10_000_000), 19),
    ] {
        let solvable = |empties| emilia().is_solvable(&task(100, empties), &limits);
        assert_eq!((10..=36).rev().find(|&empties| solvable(empties)), Some(most), "{limits:?}");
    }
    // A second is worth what the solver visits in it, and to a depth what the tree does.
    let second = for_time(Duration::from_secs(1));
    for (threads, limits, most) in
        [(1, second, 21), (2, second, 22), (1, Limits { depth: Depth::new(16), ..second }, 22)]
    {
        let emilia = Emilia::new(BestFirstSettings { threads, ..settings() });
        let solvable = |empties| emilia.is_solvable(&task(100, empties), &limits);
        assert_eq!((10..=36).rev().find(|&empties| solvable(empties)), Some(most), "{limits:?}");
    }
}

#[test]
fn a_tree_that_ends_at_its_memory_cap_ends_the_search() {
    let settings = BestFirstSettings { memory: 1 << 20, on_memory_cap: OnMemoryCap::Stop, ..settings() };
    let task = task(100, 44);
    let ten_minutes = for_time(Duration::from_secs(600));
    for limits in [visiting(100_000_000), ten_minutes, to_depth(30)] {
        let tree = think(&mut BestFirst::new(settings), &task, limits);
        let whole = think(&mut Emilia::new(settings), &task, limits);
        assert!(tree.memory.ended_at_cap && whole.memory.ended_at_cap, "{limits:?}");
        // The value's part, and what is visited until the limits are looked at.
        let most = tree.nodes + tree.nodes / VALUE_PART + LEAST_VALUE_NODES + 1_000;
        assert!((tree.nodes..most).contains(&whole.nodes), "{} of {most}, {limits:?}", whole.nodes);
    }
}

#[test]
fn the_value_takes_its_part_of_what_the_tree_took() {
    let seconds = Duration::from_secs_f64;
    let time = TimeBudget { early: None, soft: seconds(2.0), hard: seconds(5.0) };
    let of_value = Limits { time: Some(time), ..Limits::default() };
    // The tree may have gone on to twice the soft time.
    for (used, soft, hard) in [(1.0, 1.03145, 1.16038), (4.0, 4.1252, 4.64085), (4.9, 5.0, 5.0)] {
        let limits = in_proportion(of_value, &Report { elapsed: seconds(used), ..Report::default() });
        let time = limits.time.unwrap();
        for (limit, expected) in [(time.soft, soft), (time.hard, hard)] {
            assert!((limit.as_secs_f64() - expected).abs() < 1e-4, "{limits:?} after {used} s");
        }
    }
}

#[test]
fn a_clear_choice_ends_a_search_that_may_end_early() {
    let limits = visiting(40_000);
    let ten_minutes = TimeBudget::all_of(Duration::from_secs(600));
    let early = Limits { time: Some(TimeBudget { early: Some(Duration::ZERO), ..ten_minutes }), ..limits };
    let think = |task: &Task, limits| think(&mut emilia(), task, limits);
    let (mut clear, mut same) = (0, 0);
    for seed in 0..20 {
        let task = task(100 * seed, 36);
        let [whole, part] = [limits, early].map(|limits| think(&task, limits));
        assert!(part.lines[0].score.units() != 0 && part.lines[0].depth != SearchDepth::Plies(0), "{part:?}");
        clear += u32::from(part.nodes < whole.nodes / 2);
        same += u32::from(part.lines[0].turn == whole.lines[0].turn);
        let varied = Task { margin: Some(Score::from_discs(1)), ..task };
        assert_eq!(think(&varied, early).nodes, think(&varied, limits).nodes);
    }
    assert!((5..20).contains(&clear) && same >= 18, "{clear} {same}");
    // The first moves are one by symmetry: nothing is to be chosen.
    let start = Task::new(Position::START, EvaluatorKind::Pattern.build());
    assert!(think(&start, early).nodes < 4_000);
}

/// The tree's own values are beyond every estimate where it has found a win, and off by many discs elsewhere.
#[test]
fn the_value_of_the_move_is_an_estimate_of_discs() {
    let (mut of_tree, mut of_emilia) = (0.0, 0.0);
    for seed in 0..36 {
        let task = task(100 * seed, 20);
        let report = think(&mut emilia(), &task, visiting(20_000));
        assert!(report.nodes <= 20_000 + 400, "{}", report.nodes);
        let truth = worth(&task, &report);
        let tree = think(&mut BestFirst::new(settings()), &task, visiting(20_000));
        of_emilia += (report.lines[0].score.discs() - truth).abs();
        of_tree += (tree.lines[0].score.discs() - truth).abs();
    }
    assert!(of_emilia < 0.8 * of_tree, "{of_emilia} {of_tree}");
}

#[test]
fn who_watches_sees_estimates_of_discs() {
    let (mut of_tree, mut of_watched, mut shown, mut counted) = (0.0, 0.0, 0, 0);
    for seed in 0..12 {
        let task = task(100 * seed, 20);
        let control = Control::with_limits(visiting(400_000));
        let report = BestFirst::new(settings()).think(&task, &control, &mut |_| {});
        let truth = worth(&task, &report);
        Watched::new(settings().selectivity).show(&report, &task, &control, &mut |seen| {
            assert_eq!((seen.lines.len(), seen.lines[0].turn), (1, report.lines[0].turn));
            assert!((report.nodes..=report.nodes + report.nodes / WATCHED_PART + 100).contains(&seen.nodes));
            of_watched += (seen.lines[0].score.discs() - truth).abs();
            of_tree += (report.lines[0].score.discs() - truth).abs();
            shown += 1;
            counted += u32::from(seen.nodes > report.nodes && seen.evaluations > report.evaluations);
        });
    }
    assert!(shown >= 10 && of_watched < 0.8 * of_tree, "{of_watched} {of_tree} of {shown}");
    assert!(counted >= 10, "what the values take is counted: {counted}");
    // Too few positions to say anything.
    let (task, control) = (task(0, 20), Control::with_limits(visiting(10_000)));
    let report = BestFirst::new(settings()).think(&task, &control, &mut |_| {});
    Watched::new(settings().selectivity).show(&report, &task, &control, &mut |_| panic!("{report:?}"));
}

/// When those who watch see something is a matter of the clock; what they see at the end is none.
#[test]
fn who_watches_changes_no_answer() {
    let mut gave_up = 0;
    let early = [36, 30, 27].map(|empties| (empties, 600_000));
    let late = [22, 23].map(|empties| (empties, 200_000)).repeat(5);
    for (seed, (empties, nodes)) in (0..).zip(early.into_iter().chain(late)) {
        let [seen, alone] = [true, false].map(|is_watched| {
            let task = Task { is_watched, ..task(100 * seed, empties) };
            emilia().think(&task, &Control::with_limits(visiting(nodes)), &mut |_| {})
        });
        assert_eq!((&seen.lines, seen.depth), (&alone.lines, alone.depth), "{empties}");
        assert!(alone.nodes <= nodes + 4_000 && seen.nodes <= nodes + nodes / WATCHED_PART + 4_000, "{}", seen.nodes);
        gave_up += u32::from(alone.lines[0].value_plies.is_none());
    }
    assert!(gave_up > 0);
}

#[test]
fn a_search_that_is_stopped_answers_with_a_value_of_alpha_beta() {
    let mut heard_again = 0;
    for (seed, is_watched) in (0..12).map(|seed| (seed, seed % 2 == 0)) {
        let task = Task { is_watched, ..task(100 * seed, 33) };
        for limits in [Limits::default(), for_time(Duration::from_secs(600))] {
            let signal = StopSignal::default();
            let control = Control::new(limits, signal.clone(), Instant::now());
            let (mut shown, mut stopped_at) = (None, 0);
            let report = emilia().think(&task, &control, &mut |report| {
                if report.nodes > 150_000 {
                    signal.stop();
                    (shown, stopped_at) = (report.lines.first().cloned(), report.nodes);
                }
            });
            // Limits are looked at every few thousand positions.
            assert!(report.nodes < stopped_at + STOPPED_VALUE_NODES + 10_000, "{stopped_at}: {report:?}");
            let line = &report.lines[0];
            assert!(line.value_plies.is_some() && line.depth.plies() > line.value_plies, "{report:?}");
            // Who has seen a value of the move hears it again.
            if let Some(seen) = shown.filter(|seen| is_watched && seen.turn == line.turn) {
                assert_eq!((seen.score, seen.pv), (line.score, line.pv.clone()));
                heard_again += 1;
            }
        }
    }
    assert!(heard_again > 6, "{heard_again}");
}

#[test]
fn a_search_that_is_stopped_keeps_its_limit() {
    let task = task(0, 33);
    let of_evaluations = |evaluations| Limits { evaluations: Some(evaluations), ..Limits::default() };
    for [before, limits] in [[18_500, 20_000].map(visiting), [18_500, 20_000].map(of_evaluations)] {
        let mut report = think(&mut BestFirst::new(settings()), &task, before);
        let counted = |report: &Report| if limits.nodes.is_some() { report.nodes } else { report.evaluations };
        assert!(counted(&report) < 19_000, "{report:?}");
        let signal = StopSignal::default();
        signal.stop();
        emilia().value(&mut report, &task, &Control::new(limits, signal, Instant::now()), None, None);
        assert!(counted(&report) <= 20_000 + 100 && report.lines[0].value_plies.is_some(), "{report:?}");
    }
}

#[test]
fn a_line_has_the_deepest_value_that_its_proof_allows() {
    let turn = Move::Place("c4".parse().unwrap());
    let value = |plies, discs| Value { turn, score: Score::from_discs(discs), plies, pv: vec![turn] };
    let line = |depth, discs| Line { visits: 1, ..Line::new(vec![turn], Score::from_discs(discs), depth) };
    let deepest = |values: &[Value], line: &Line| {
        Value::deepest(values.iter().cloned(), line).map(|value| (value.plies, value.score.discs()))
    };
    let (open, won) = (line(SearchDepth::Plies(20), 5), line(SearchDepth::WinLossDraw, 1));
    assert_eq!(deepest(&[value(9, 3), value(7, 2)], &open), Some((9, 3.0)));
    assert_eq!(deepest(&[value(9, 3), value(9, 2)], &open), Some((9, 2.0)), "of equals the last");
    assert_eq!(deepest(&[value(9, -3), value(7, 2)], &won), Some((7, 2.0)));
    assert_eq!(deepest(&[value(9, -3)], &won), None);
    assert_eq!(deepest(&[Value { turn: Move::Pass, ..value(9, 3) }], &open), None);
}

/// The tree looks for a win: where there is none, its moves lose more discs than they must.
#[test]
fn a_lost_game_is_lost_by_few_discs() {
    let (mut of_tree, mut of_emilia, mut lost) = (0.0, 0.0, 0);
    for seed in 0..60 {
        let task = task(100 * seed, 17);
        let best = by_alpha_beta(&task, Limits::default()).lines[0].score.discs();
        if best >= 0.0 || task.position.moves().count() < 2 {
            continue;
        }
        let limits = visiting(40_000);
        let mut emilia = emilia();
        let report = think(&mut emilia, &task, limits);
        let tree = think(&mut BestFirst::new(settings()), &task, limits);
        assert!(report.nodes <= 40_000 + 400, "{}", report.nodes);
        assert_eq!(report.memory.tree_nodes > 0, emilia.search.stored.is_some());
        of_emilia += best - worth(&task, &report);
        of_tree += best - worth(&task, &tree);
        lost += 1;
    }
    assert!(lost >= 20 && of_emilia < 0.5 * of_tree, "{of_emilia} {of_tree} of {lost}");
}

#[test]
fn what_is_shown_of_a_lost_game_is_as_deep_as_the_tree_and_says_what_memory_is_taken() {
    let (mut emilia, task) = (emilia(), task(0, 20));
    let mut report = think(&mut emilia.search, &task, visiting(20_000));
    let (memory, least) = (report.memory, report.depth.plies().unwrap());
    let mut shown = Vec::new();
    let control = Control::with_limits(visiting(2_000_000));
    assert!(emilia.lose_by_less(&mut report, &task, &control, &mut |report| shown.push(report.clone())));
    assert!(shown.len() >= 2 && shown.iter().all(|r| r.depth.plies().is_none_or(|plies| plies >= least)), "{shown:?}");
    assert!(shown.iter().chain([&report]).all(|report| report.memory == memory));
    // Where hardly anything is left, the tree's answer stays, and says what was visited.
    let mut report = think(&mut emilia.search, &task, visiting(20_000));
    let (lines, before) = (report.lines.clone(), report.nodes);
    emilia.clear();
    let control = Control::with_limits(visiting(before + 100));
    assert!(!emilia.lose_by_less(&mut report, &task, &control, &mut |_| {}));
    assert!(report.lines == lines && report.nodes > before, "{} {before}", report.nodes);
}

#[test]
fn the_tree_gives_up_near_the_end_if_anything_is_limited() {
    let within = |limits, empties| emilia().gives_up(&task(100, empties), &limits).is_some();
    for (limits, most) in [
        (visiting(10_000), Some(19)),
        (visiting(1_000_000), Some(26)),
        (to_depth(8), Some(21)),
        (to_depth(12), Some(25)),
        (Limits { nodes: Some(1_000_000_000), ..to_depth(12) }, Some(25)),
        (Limits { nodes: Some(10_000), ..to_depth(12) }, Some(19)),
        (Limits::default(), None),
    ] {
        assert_eq!((10..=36).rev().find(|&empties| within(limits, empties)), most, "{limits:?}");
    }
    let varied = Task { margin: Some(Score::from_discs(1)), ..task(100, 14) };
    assert!(emilia().gives_up(&varied, &visiting(10_000)).is_none());
}
