//! The searches as they were published: the paper's alpha-beta and its extension, UCT with overwritten values, and what
//! linear space costs in memory.

use crate::best_first::evaluations;
use crate::best_first_tree::never;
use crate::counting_allocator::peak_bytes_while;
use crate::games::RandomGames;
use emilia::engine::{Backup, Engine, EngineOptions, LeafValue, Request, Selection, searches};
use emilia::eval::{Evaluator, EvaluatorKind};
use emilia::game::Game;
use emilia::lab::random_tree::{PathCost, RandomTree, TreeShape};
use emilia::lab::{KORF_ALPHA_BETA, KORF_BEST_FIRST, KORF_EXTENSION, KorfAlphaBeta, UCT, Uct, UctSettings, UctTree};
use emilia::othello::{Color, Position};
use emilia::search::{
    AlphaBetaStart, Bound, Contempt, Control, Depth, EndValues, Explorer, KorfSettings, Limits, MinimaxKind,
    PlainResult, Progress, RbfmsSettings, Report, Score, Search, SearchDepth, Start, Task, linear_best_first,
    plain_minimax,
};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

fn plain<G: Game>(kind: MinimaxKind, position: &G, depth: u32, evaluator: &dyn Evaluator<G>) -> PlainResult<G::Move> {
    plain_minimax(kind, position, depth, evaluator, Contempt::NONE, &mut |_| false)
}

/// Counts how often it is asked.
struct Counted<'a, G: Game>(&'a dyn Evaluator<G>, AtomicU64);

impl<G: Game> Evaluator<G> for Counted<'_, G> {
    fn evaluate(&self, position: &G) -> i32 {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.evaluate(position)
    }
}

fn paper_tree(branching: u8, seed: u64) -> RandomTree {
    RandomTree::new(TreeShape::of_the_paper(branching), seed)
}

/// A random tree in which every position has the same number of children.
#[derive(Clone, PartialEq, Debug)]
struct Uniform(RandomTree, u8);

impl Game for Uniform {
    type Move = u8;
    type Moves = std::ops::Range<u8>;

    fn moves(&self) -> Self::Moves {
        0..self.1
    }
    fn after(&self, child: u8) -> Uniform {
        Uniform(self.0.after(child), self.1)
    }
    fn pass(&self) -> Uniform {
        unreachable!("there is always a move")
    }
    fn is_over(&self) -> bool {
        self.0.is_over()
    }
    fn outcome(&self) -> i32 {
        self.0.outcome()
    }
    fn mover(&self) -> Color {
        self.0.mover()
    }
}

impl Evaluator<Uniform> for PathCost {
    fn evaluate(&self, position: &Uniform) -> i32 {
        self.evaluate(&position.0)
    }
}

#[test]
fn korf_alpha_beta_is_ordered_alpha_beta_on_a_new_tree() {
    // On an empty tree it evaluates exactly what alpha-beta with fixed ordering evaluates.
    for branching in [2, 3, 8] {
        for seed in 0..20 {
            let root = Uniform(paper_tree(branching, seed), branching);
            for depth in 1..=5 {
                let counted = Counted(&PathCost, AtomicU64::new(0));
                let mut search = KorfAlphaBeta::new(&root, EndValues::Sum, 64 << 20);
                assert!(search.search(&root, Contempt::NONE, depth, (1, None), &counted, &mut never));
                let known = plain(MinimaxKind::Ordered, &root, depth, &PathCost);
                let best = &search.root_moves()[0];
                assert_eq!((best.value, best.line[0]), (known.value, known.pv.first().copied()));
                assert_eq!(search.work().evaluations, known.counts.evaluations);
                assert_eq!(search.work().evaluations, counted.1.load(Ordering::Relaxed));
            }
        }
    }
}

#[test]
fn korf_alpha_beta_keeps_its_values_and_its_tree() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut games = RandomGames(41);
    for discs in [6, 20, 44, 52] {
        let mut position = games.position(discs);
        let mut kept = KorfAlphaBeta::new(&position, EndValues::Outcome, 64 << 20);
        let (mut with_tree, mut without) = (0, 0);
        for turn in 0..8 {
            if position.is_over() {
                break;
            }
            assert!(kept.search(&position, Contempt::NONE, 4, (1, None), &*evaluator, &mut never));
            let known = plain(MinimaxKind::Full, &position, 4, &*evaluator);
            let best = kept.root_moves().swap_remove(0);
            assert_eq!(best.value, known.value, "{position} after {turn} turns");
            if turn > 0 {
                with_tree += kept.work().evaluations;
                without += plain(MinimaxKind::Ordered, &position, 4, &*evaluator).counts.evaluations;
            }
            // The expected reply comes.
            for turn in best.line.iter().take(2) {
                position = turn.map_or_else(|| position.pass(), |square| position.after(square));
            }
        }
        assert!(discs > 40 || with_tree < without, "{with_tree} {without}");
        // A lesser depth does not profit from what was seen beyond it.
        if !position.is_over() {
            kept.search(&position, Contempt::NONE, 2, (1, None), &*evaluator, &mut never);
            assert_eq!(kept.root_moves()[0].value, plain(MinimaxKind::Full, &position, 2, &*evaluator).value);
        }
    }
}

#[test]
fn korf_alpha_beta_evaluates_the_last_level_one_at_a_time() {
    // Two moves, two replies each, depth 2: both moves are evaluated for their order, then both replies to the first, and
    // of the second's only one if that refutes it.
    let shape = TreeShape { branching: 2, length: 9, cost: 100 };
    let mut refuted = 0;
    for seed in 0..200 {
        let root = RandomTree::new(shape, seed);
        if root.moves().len() < 2 || root.moves().any(|mv| root.after(mv).moves().len() < 2) {
            continue;
        }
        let mut search = KorfAlphaBeta::new(&root, EndValues::Sum, 1 << 20);
        search.search(&root, Contempt::NONE, 2, (1, None), &PathCost, &mut never);
        let mut moves: Vec<RandomTree> = root.moves().map(|mv| root.after(mv)).collect();
        moves.sort_by_key(|position| -position.sum());
        let replies = |position: &RandomTree| position.after(0).sum().min(position.after(1).sum());
        let cut = moves[1].after(0).sum() <= replies(&moves[0]);
        refuted += u64::from(cut);
        assert_eq!(search.work().evaluations, 6 - u64::from(cut), "{seed}");
    }
    assert!(refuted > 10, "{refuted}");
}

#[test]
fn korf_alpha_beta_goes_on_where_its_tree_does_not_fit() {
    let evaluator = EvaluatorKind::Mobility.build();
    let position = RandomGames(5).position(20);
    let mut search = KorfAlphaBeta::new(&position, EndValues::Outcome, 1);
    assert!(search.search(&position, Contempt::NONE, 6, (1, None), &*evaluator, &mut never));
    let known = plain(MinimaxKind::AlphaBeta, &position, 6, &*evaluator);
    assert_eq!(search.root_moves()[0].value, known.value);
    assert_eq!(search.root_moves().len() as u32, position.moves().count());
    assert!(search.stored_nodes() < 3_000);
    // Other lines that are wanted are searched too.
    let value = |square| -plain(MinimaxKind::AlphaBeta, &position.after(square), 5, &*evaluator).value;
    let mut values: Vec<i32> = position.moves().into_iter().map(value).collect();
    values.sort_unstable_by_key(|&value| std::cmp::Reverse(value));
    assert!(search.search(&position, Contempt::NONE, 6, (3, None), &*evaluator, &mut never));
    let found: Vec<i32> = search.root_moves().iter().map(|known| known.value).collect();
    assert_eq!(found[..3], values[..3]);
}

fn think(search: &mut dyn Search, task: &Task, limits: Limits) -> Report {
    search.think(task, &Control::with_limits(limits), &mut |_| {})
}

#[test]
fn korf_alpha_beta_gives_the_lines_that_are_wanted() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut games = RandomGames(17);
    for _ in 0..12 {
        let position = games.position(16);
        let full = |turn: emilia::othello::Move| {
            let child = position.take(turn).unwrap();
            -plain(MinimaxKind::Full, &child, 3, &*evaluator).value
        };
        let depth = Limits { depth: Depth::new(4), ..Limits::default() };
        let task = Task { lines: 3, ..Task::new(position, evaluator.clone()) };
        let report = think(&mut KorfAlphaBeta::engine(1 << 24), &task, depth);
        assert_eq!(report.lines.len(), 3.min(position.moves().count() as usize));
        for line in &report.lines {
            assert_eq!((line.bound, line.score.units()), (Bound::Exact, full(line.turn)), "{position}");
        }
        let margin = Some(Score::from_discs(3));
        let near = Task { margin, ..Task::new(position, evaluator.clone()) };
        let report = think(&mut KorfAlphaBeta::engine(1 << 24), &near, depth);
        let best = report.lines[0].score.units();
        let good = position
            .moves()
            .into_iter()
            .filter(|&square| full(emilia::othello::Move::Place(square)) >= best - 3 * 128)
            .count();
        assert_eq!(report.lines.len(), good, "{position}");
    }
}

#[test]
fn korf_alpha_beta_plays_the_end_perfectly() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut games = RandomGames(23);
    for _ in 0..12 {
        let start = games.position(52);
        let exact = plain(MinimaxKind::AlphaBeta, &start, 8, &*evaluator).value;
        let mut engine = KorfAlphaBeta::engine(1 << 24);
        let mut position = start;
        while !position.is_over() {
            let task = Task::new(position, evaluator.clone());
            let report = think(&mut engine, &task, Limits { depth: Depth::new(8), ..Limits::default() });
            assert_eq!(report.depth, SearchDepth::Exact, "{position}");
            position = position.take(report.lines[0].turn).unwrap();
        }
        let sign = if start.mover() == Color::Black { 128 } else { -128 };
        assert_eq!(position.score_for_black() * sign, exact, "{start}");
    }
}

#[test]
fn the_extension_begins_with_the_values_of_alpha_beta() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut games = RandomGames(31);
    for _ in 0..20 {
        let position = games.position(14);
        for depth in 1..=4 {
            let settings = KorfSettings { start: AlphaBetaStart::Depth(depth), ..KorfSettings::korf() };
            let mut search = Explorer::new(settings, &position);
            search.expand_root(&*evaluator);
            Start::new(settings.start).advance(&mut search, None, &*evaluator, &mut never);
            let known = plain(MinimaxKind::Full, &position, depth, &*evaluator);
            assert_eq!(search.value(), known.value, "{position}, depth {depth}");
            let line = &search.root_moves()[0].line;
            assert_eq!(line.iter().flatten().count() as u32, depth, "{position}");
            search.audit().unwrap();
            // Then it goes beyond, to the depth that it is told.
            let deeper = KorfSettings { depth: Some(9), ..settings };
            let mut search = Explorer::new(deeper, &position);
            search.expand_root(&*evaluator);
            Start::new(settings.start).advance(&mut search, None, &*evaluator, &mut never);
            while search.step(&*evaluator, &mut never) == Progress::Grown {}
            assert_eq!(search.root_moves()[0].line.iter().flatten().count(), 9, "{position}");
        }
    }
}

#[test]
fn published_engines_listen_to_their_options() {
    let position = RandomGames(3).position(12);
    let ask = |engine, options: &[(&str, &str)]| {
        let mut engine = Engine::new(EngineOptions { engine, nodes: Some(20_000), ..EngineOptions::default() });
        engine.set("eval", "mobility").unwrap();
        for (name, value) in options {
            engine.set(name, value).unwrap();
        }
        engine.start(Request::best_move(position)).wait().report
    };
    let shallow = ask(&KORF_BEST_FIRST, &[("best-first-depth", "3")]);
    assert_eq!(shallow.depth, SearchDepth::Plies(3));
    let extension = ask(&KORF_EXTENSION, &[("best-first-depth", "7"), ("start-depth", "4")]);
    assert_eq!(extension.depth, SearchDepth::Plies(7));
    let depth = ask(&KORF_ALPHA_BETA, &[("depth", "3")]);
    assert_eq!(depth.depth, SearchDepth::Plies(3));
    let usual = ask(&UCT, &[]);
    for (name, value) in [
        ("c", "20"),
        ("fpu", "-9"),
        ("backup", "average"),
        ("leaf", "win-loss"),
        ("leaf-depth", "2"),
        ("selection", "softmax"),
        ("transpositions", "on"),
    ] {
        assert_ne!(ask(&UCT, &[(name, value)]).lines, usual.lines, "{name}");
    }
}

#[test]
fn a_forced_turn_costs_little_in_any_search() {
    emilia::lab::register();
    let mut games = RandomGames(11);
    let mut find = |wanted: fn(&Position) -> bool| (0..).map(|i| games.position(20 + i % 25)).find(wanted).unwrap();
    let forced = find(|position| !position.must_pass() && position.moves().count() == 1);
    let passes = find(Position::must_pass);
    for engine in searches() {
        // Several threads may visit some more until they see that it is enough.
        for (threads, most) in [(1, 10_100), (2, 20_000)] {
            let mut engine = Engine::new(EngineOptions { engine, threads, ..EngineOptions::default() });
            for position in [forced, passes] {
                let decision = engine.start(Request::best_move(position)).wait();
                assert!(position.take(decision.turn.unwrap()).is_ok());
                assert!(decision.report.nodes <= most, "{engine:?}: {}", decision.report.nodes);
            }
        }
    }
}

/// UCT without exploration that goes by values alone, on random trees.
fn uct(settings: UctSettings) -> UctSettings {
    UctSettings { ends: EndValues::Sum, unit: 1 << 15, ..settings }
}

#[test]
fn uct_solves_small_trees() {
    for backup in [Backup::Overwrite, Backup::Average] {
        for selection in [Selection::Uct, Selection::Softmax] {
            for leaf_depth in [0, 2] {
                for seed in 0..12 {
                    let root = RandomTree::new(TreeShape { branching: 4, length: 5, cost: 300 }, seed);
                    let settings = UctSettings { backup, selection, leaf_depth, c: 100.0, ..UctSettings::default() };
                    let mut search = UctTree::new(uct(settings), &root);
                    let mut steps = 0;
                    while search.step(&PathCost, &mut never) {
                        steps += 1;
                        assert!(steps < 5_000);
                    }
                    let known = plain(MinimaxKind::Full, &root, 5, &PathCost);
                    assert_eq!((search.is_solved(), search.value()), (true, known.value));
                }
            }
        }
    }
}

#[test]
fn uct_without_exploration_is_best_first_search() {
    // C = 0 and no urgency: the leaf at the end of the principal variation, as in the paper.
    let evaluator = EvaluatorKind::Mobility.build();
    let position = RandomGames(8).position(10);
    let settings = KorfSettings { ends: EndValues::Outcome, ..KorfSettings::korf() };
    let mut best_first = Explorer::new(settings, &position);
    let ends = EndValues::Outcome;
    let mut search = UctTree::new(UctSettings { c: 0.0, fpu: 0.0, ends, ..UctSettings::default() }, &position);
    for step in 0..300 {
        best_first.step(&*evaluator, &mut never);
        assert!(search.step(&*evaluator, &mut never));
        assert_eq!(search.value(), best_first.value(), "{step}");
    }
}

#[test]
fn uct_merges_positions_and_keeps_its_tree() {
    let evaluator = EvaluatorKind::Mobility.build();
    for transpositions in [false, true] {
        let mut position = Position::START;
        let mut search = UctTree::new(UctSettings { transpositions, ..UctSettings::default() }, &position);
        let mut nodes = 0;
        for _ in 0..12 {
            for _ in 0..400 {
                search.step(&*evaluator, &mut never);
            }
            nodes += search.work().nodes;
            let best = search.root_moves().swap_remove(0);
            for turn in best.line.iter().take(2) {
                position = turn.map_or_else(|| position.pass(), |square| position.after(square));
            }
            search.begin(&position, Contempt::NONE);
            assert_eq!(search.value(), best.value, "what was known stays known");
        }
        assert!(transpositions || nodes > 12 * 400);
    }
    let repeated = |transpositions| {
        let seen = Seen(evaluator.clone(), Mutex::default());
        let mut search = UctTree::new(UctSettings { transpositions, ..UctSettings::default() }, &Position::START);
        for _ in 0..3_000 {
            search.step(&seen, &mut never);
        }
        search.work().evaluations - seen.1.lock().unwrap().len() as u64
    };
    assert_eq!(repeated(true), 0, "every position is evaluated once");
    assert!(repeated(false) > 0);
}

/// Remembers what it was asked about.
struct Seen(Arc<dyn Evaluator<Position>>, Mutex<HashSet<Position>>);

impl Evaluator<Position> for Seen {
    fn evaluate(&self, position: &Position) -> i32 {
        self.1.lock().unwrap().insert(*position);
        self.0.evaluate(position)
    }
}

#[test]
fn uct_with_signs_for_leaves_knows_nothing_between() {
    let evaluator = EvaluatorKind::Mobility.build();
    let settings = UctSettings { leaf: LeafValue::WinLoss, ends: EndValues::Outcome, ..UctSettings::default() };
    let mut search = UctTree::new(settings, &RandomGames(2).position(20));
    for _ in 0..200 {
        search.step(&*evaluator, &mut never);
        assert!([-settings.unit, 0, settings.unit].contains(&search.value()));
    }
}

#[test]
fn uct_keeps_to_its_memory_and_still_answers() {
    let task = Task::new(RandomGames(4).position(12), EvaluatorKind::Mobility.build());
    for transpositions in [false, true] {
        let settings = UctSettings { memory: 3 << 17, transpositions, ..UctSettings::default() };
        let report = think(&mut Uct::new(settings), &task, evaluations(1_000_000));
        assert!(report.evaluations < 20_000 && report.evaluations > 1_000, "{report:?}");
        // The table of positions grows by doubling alone.
        let least = if transpositions { 3 << 16 } else { (3 << 17) - 1_000 };
        assert!((least..=3 << 17).contains(&report.memory.tree_bytes), "{:?}", report.memory);
        assert!(task.position.take(report.lines[0].turn).is_ok());
    }
    let report = think(&mut Uct::new(UctSettings { memory: 0, ..UctSettings::default() }), &task, evaluations(1_000));
    assert!(!report.lines.is_empty());
}

#[test]
fn uct_plays_won_endings_to_the_win() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut games = RandomGames(12);
    let mut won = 0;
    for _ in 0..30 {
        let start = games.position(52);
        if plain(MinimaxKind::AlphaBeta, &start, 8, &*evaluator).value <= 0 {
            continue;
        }
        won += 1;
        let mut engine = Uct::new(UctSettings::default());
        let mut position = start;
        while !position.is_over() {
            let report = think(&mut engine, &Task::new(position, evaluator.clone()), Limits::default());
            position = position.take(report.lines[0].turn).unwrap();
        }
        let score = position.score_for_black() * if start.mover() == Color::Black { 1 } else { -1 };
        assert!(score > 0, "{start}");
    }
    assert!(won > 5);
}

#[test]
fn linear_space_takes_no_more_memory_for_a_hundredfold_work() {
    let peak = |branching: u8, expansions: u64| {
        let root = paper_tree(branching, 7);
        peak_bytes_while(|| {
            linear_best_first(&root, &PathCost, EndValues::Sum, RbfmsSettings::default(), &mut |call| {
                assert!(call.stack.len() <= usize::from(branching) * (call.stack.line().count() + 1));
                call.work.expansions >= expansions
            });
        })
    };
    for branching in [2, 5, 20] {
        let (little, much) = (peak(branching, 1_000), peak(branching, 100_000));
        assert!(much <= 4 * little && much < 100_000, "{branching}: {little} and {much} bytes");
        let settings = KorfSettings { ends: EndValues::Sum, ..KorfSettings::korf() };
        let mut search = Explorer::new(settings, &paper_tree(branching, 7));
        for _ in 0..20_000 {
            search.step(&PathCost, &mut never);
        }
        let stored = search.stored_bytes();
        assert!(stored > 10 * much as u64, "the stored tree grows: {stored} bytes");
    }
}

#[test]
fn korf_searches_play_whole_games_within_their_budget() {
    let evaluator = EvaluatorKind::Mobility.build();
    for engine in [&KORF_BEST_FIRST, &KORF_EXTENSION, &UCT] {
        let mut search = (engine.build)(&EngineOptions { engine, ..EngineOptions::default() });
        let mut position = Position::START;
        while !position.is_over() {
            let report = think(&mut *search, &Task::new(position, evaluator.clone()), evaluations(700));
            assert!(report.evaluations <= 700 + 64, "{engine}: {}", report.evaluations);
            position = position.take(report.lines[0].turn).unwrap();
        }
    }
}
