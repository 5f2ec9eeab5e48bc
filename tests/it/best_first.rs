//! The best-first family from outside: the figures of the paper, the properties of its algorithms, memory, whole tasks.

use emilia::engine::{EngineOptions, OnMemoryCap, searches};
use emilia::eval::{Evaluator, EvaluatorKind};
use emilia::game::Game;
use emilia::lab::random_tree::{PathCost, RandomTree, TreeShape};
use emilia::othello::{Color, GameRecord, Move, Position};
use emilia::search::{
    AlphaBetaStart, Bound, ByValue, Contempt, Control, Depth, EndValues, Explorer, FinalMove, KorfSettings, Limits,
    MinimaxKind, Progress, Rbfms, RbfmsSettings, Report, Score, Search, SearchDepth, Start, StopSignal, Task, Work,
    linear_best_first, mean_alpha_beta_evaluations, plain_minimax,
};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The tree of figures 1 and 2: binary, nodes named by their branches from the root, left 0 and right 1.
#[derive(Clone, PartialEq, Debug)]
struct FigureTree(String);

impl Game for FigureTree {
    type Move = u8;
    type Moves = std::ops::Range<u8>;

    fn moves(&self) -> Self::Moves {
        0..2
    }
    fn after(&self, branch: u8) -> FigureTree {
        FigureTree(format!("{}{branch}", self.0))
    }
    fn pass(&self) -> FigureTree {
        unreachable!("there are always two moves")
    }
    fn is_over(&self) -> bool {
        false
    }
    fn outcome(&self) -> i32 {
        0
    }
    fn mover(&self) -> Color {
        if self.0.len().is_multiple_of(2) { Color::Black } else { Color::White }
    }
}

/// Its static values, seen by MAX; those of the grandchildren of 11, which the figures leave out, are far off.
struct FigureValues;

impl Evaluator<FigureTree> for FigureValues {
    fn evaluate(&self, node: &FigureTree) -> i32 {
        let for_max = match node.0.as_str() {
            "0" => 4,
            "1" => 6,
            "10" => 5,
            "11" => 2,
            "00" => 8,
            "01" => 1,
            _ => 100,
        };
        if node.mover() == Color::Black { for_max } else { -for_max }
    }
}

fn never(_: &Work) -> bool {
    false
}

#[test]
fn figure_1_expands_the_principal_leaves() {
    let mut search = Explorer::new(KorfSettings::korf(), &FigureTree(String::new()));
    let mut steps = Vec::new();
    for _ in 0..4 {
        assert_eq!(search.step(&FigureValues, &mut never), Progress::Grown);
        steps.push((search.last_expanded().unwrap().0.clone(), search.value()));
    }
    let expected = [("", 6), ("1", 4), ("0", 2)].map(|(name, value)| (name.to_owned(), value));
    assert_eq!(steps[..3], expected);
    assert_eq!(steps[3].0, "11");
    assert_eq!(search.work().evaluations, 8);
}

#[test]
fn figure_2_calls_and_windows() {
    const INFINITE: i32 = i32::MAX;
    let mut calls = Vec::new();
    linear_best_first(
        &FigureTree(String::new()),
        &FigureValues,
        EndValues::Sum,
        RbfmsSettings::default(),
        &mut |call| {
            // The figure's bounds are MAX's.
            let bounds =
                if call.position.mover() == Color::Black { (call.low, call.high) } else { (-call.high, -call.low) };
            calls.push((call.position.0.clone(), bounds.0, bounds.1));
            calls.len() == 5
        },
    );
    let expected =
        [("", -INFINITE, INFINITE), ("1", 4, INFINITE), ("0", 2, INFINITE), ("1", 1, INFINITE), ("11", 1, 5)];
    assert_eq!(calls, expected.map(|(name, low, high)| (name.to_owned(), low, high)));
}

/// Values made distinct, so that no rule about ties matters.
struct Dithered;

impl Evaluator<RandomTree> for Dithered {
    fn evaluate(&self, position: &RandomTree) -> i32 {
        let noise = format!("{position:?}").bytes().fold(0u32, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        let value = position.sum() * 65_536 + (noise.wrapping_mul(2_654_435_769) >> 16) as i32;
        if position.mover() == Color::Black { value } else { -value }
    }
}

/// The nodes expanded by the stored search and those that RBFMS calls itself on, each once, in order, up to the first
/// principal leaf that ends the game.
fn expansion_orders(
    root: &RandomTree,
    evaluator: &dyn Evaluator<RandomTree>,
    early_return: bool,
) -> (Vec<RandomTree>, Vec<RandomTree>) {
    const EXPANSIONS: usize = 60;
    let settings = KorfSettings { ends: EndValues::Sum, ..KorfSettings::korf() };
    let mut search = Explorer::new(settings, root);
    let mut stored = Vec::new();
    while stored.len() < EXPANSIONS && !principal_leaf(&search, root).is_over() {
        assert_eq!(search.step(evaluator, &mut never), Progress::Grown);
        stored.push(*search.last_expanded().unwrap());
    }
    let mut linear: Vec<RandomTree> = Vec::new();
    let wanted = stored.len();
    let settings = RbfmsSettings { early_return, depth: None };
    linear_best_first(root, evaluator, EndValues::Sum, settings, &mut |call| {
        if !linear.contains(call.position) {
            if linear.len() == wanted {
                return true;
            }
            linear.push(*call.position);
        }
        false
    });
    (stored, linear)
}

fn principal_leaf(search: &Explorer<RandomTree>, root: &RandomTree) -> RandomTree {
    let moves = search.root_moves();
    let line = moves.first().map_or(&[][..], |best| &best.line);
    line.iter().fold(*root, |position, turn| position.after(turn.expect("random trees have no passes")))
}

#[test]
fn rbfms_expands_in_the_order_of_the_stored_search() {
    let mut compared = 0;
    for branching in 2..=6 {
        for length in [6, 12, 30] {
            for seed in 0..15 {
                let paper = RandomTree::new(TreeShape { branching, length, cost: 1 << 15 }, seed);
                let tied = RandomTree::new(TreeShape { branching, length, cost: 2 }, seed);
                for (root, evaluator, early_return) in [
                    (&paper, &PathCost as &dyn Evaluator<RandomTree>, true),
                    (&paper, &PathCost, false),
                    (&tied, &PathCost, false),
                    (&tied, &Dithered, true),
                ] {
                    let (stored, linear) = expansion_orders(root, evaluator, early_return);
                    assert_eq!(stored, linear, "{root:?}, early return {early_return}");
                    compared += stored.len();
                }
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// Positions of random games, by a generator of its own so that they stay the same for ever.
pub struct RandomGames(pub u64);

impl RandomGames {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    /// A position after so many discs placed at random, in which the game is not over.
    pub fn position(&mut self, discs: usize) -> Position {
        loop {
            let mut position = Position::START;
            for _ in 0..discs {
                if position.must_pass() {
                    position = position.pass();
                }
                let moves: Vec<_> = position.moves().into_iter().collect();
                if moves.is_empty() {
                    break;
                }
                position = position.after(moves[self.below(moves.len())]);
            }
            if !position.is_over() && position.empties().count() as usize == 60 - discs {
                return position;
            }
        }
    }
}

fn task(position: Position) -> Task {
    Task::new(position, EvaluatorKind::Mobility.build())
}

fn evaluations(limit: u64) -> Limits {
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
        (all, _) => assert!(report.lines.iter().all(|line| line.depth == all)),
    }
}

fn exact(position: &Position, contempt: Contempt) -> i32 {
    let evaluator = EvaluatorKind::Mobility.build();
    let empties = position.empties().count();
    plain_minimax(MinimaxKind::AlphaBeta, position, empties, &*evaluator, contempt, &mut |_| false).value
}

/// The published search.
fn published() -> KorfSettings {
    KorfSettings::korf()
}

/// Search by value at its best: results at the end, an exploration term of two discs, the most visited move.
fn by_visits() -> KorfSettings {
    let policy = ByValue { exploration: 256.0, final_move: FinalMove::MostVisits };
    KorfSettings { ends: EndValues::Outcome, policy, ..KorfSettings::korf() }
}

/// The same, begun with alpha-beta.
fn begun() -> KorfSettings {
    KorfSettings { start: AlphaBetaStart::Share { divisor: 16 }, ..by_visits() }
}

fn exploring(exploration: f32, settings: KorfSettings) -> KorfSettings {
    KorfSettings { policy: ByValue { exploration, ..settings.policy }, ..settings }
}

const FORMS: [fn() -> KorfSettings; 3] = [published, by_visits, begun];

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
fn the_tree_is_sound_after_every_iteration() {
    let evaluator = EvaluatorKind::Mobility.build();
    for (i, form) in FORMS.into_iter().enumerate() {
        for (exploration, discs) in [(0.0, 20), (300.0, 30), (0.0, 47), (300.0, 50)] {
            let position = RandomGames(i as u64).position(discs);
            let settings = exploring(exploration, form());
            let mut search = Explorer::new(settings, &position);
            let mut start = Start::new(settings.start);
            for _ in 0..300 {
                start.advance(&mut search, Some(2000), &*evaluator, &mut never);
                search.audit().unwrap();
                if search.step(&*evaluator, &mut never) == Progress::Done {
                    break;
                }
                search.audit().unwrap();
            }
            let moves = search.root_moves();
            assert_eq!(moves.len(), position.moves().count() as usize);
            assert!(moves.iter().any(|m| m.value == search.value()));
        }
    }
}

#[test]
fn visits_add_up_and_the_principal_variation_has_one_value() {
    let evaluator = EvaluatorKind::Mobility.build();
    let position = RandomGames(3).position(25);
    let settings = KorfSettings { ends: EndValues::Outcome, ..KorfSettings::korf() };
    let mut search = Explorer::new(settings, &position);
    for expansions in 1..500 {
        search.step(&*evaluator, &mut never);
        let moves = search.root_moves();
        assert_eq!(search.work().expansions, expansions);
        assert_eq!(moves.iter().map(|m| m.visits).sum::<u64>(), expansions - 1);
        // The leaf at its end was evaluated statically: that is the value of the root.
        let mut end = position;
        let mut sign = 1;
        for turn in &moves[0].line {
            end = turn.map_or_else(|| end.pass(), |square| end.after(square));
            sign = -sign;
        }
        assert_eq!(search.value(), sign * evaluator.evaluate(&end));
    }
}

#[test]
fn one_ply_deep_is_alpha_beta_at_depth_one() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut games = RandomGames(11);
    for _ in 0..200 {
        let discs = 4 + games.below(50);
        let position = games.position(discs);
        if position.must_pass() {
            continue;
        }
        let settings = KorfSettings { depth: Some(1), ends: EndValues::Outcome, ..KorfSettings::korf() };
        let mut search = Explorer::new(settings, &position);
        while search.step(&*evaluator, &mut never) == Progress::Grown {}
        let alpha_beta =
            plain_minimax(MinimaxKind::AlphaBeta, &position, 1, &*evaluator, Contempt::NONE, &mut |_| false);
        let chosen = &search.root_moves()[0];
        // A forced pass costs no ply and is searched through.
        let chosen_child = position.after(chosen.line[0].unwrap());
        if !chosen_child.must_pass() {
            assert_eq!(
                (chosen.line[0], chosen.value),
                (alpha_beta.pv.first().copied(), alpha_beta.value),
                "{position}"
            );
        }
    }
}

#[test]
fn a_whole_tree_is_exact() {
    for form in FORMS {
        for seed in 0..40 {
            let shape = TreeShape { branching: 4, length: 6, cost: if seed % 2 == 0 { 2 } else { 1000 } };
            let root = RandomTree::new(shape, seed);
            let settings = KorfSettings { ends: EndValues::Sum, ..form() };
            let mut search = Explorer::new(settings, &root);
            let mut start = Start::new(settings.start);
            while search.step(&PathCost, &mut never) == Progress::Grown {
                start.advance(&mut search, None, &PathCost, &mut never);
            }
            let full = plain_minimax(MinimaxKind::Full, &root, 6, &PathCost, Contempt::NONE, &mut |_| false);
            assert!(search.is_solved());
            assert_eq!(search.value(), full.value);
            let chosen = &search.root_moves()[0];
            assert_eq!(chosen.value, full.value);
            search.audit().unwrap();
            let (answer, _) =
                linear_best_first(&root, &PathCost, EndValues::Sum, RbfmsSettings::default(), &mut |_| false);
            assert_eq!((answer.value, answer.solved), (full.value, true));
        }
    }
}

#[test]
fn forced_moves_are_followed_to_the_end() {
    for length in [1, 2, 50] {
        let chain = RandomTree::new(TreeShape { branching: 1, length, cost: 9 }, 3);
        let end = (0..length).fold(chain, |position, _| position.after(0));
        let settings = KorfSettings { ends: EndValues::Sum, ..by_visits() };
        let mut search = Explorer::new(settings, &chain);
        while search.step(&PathCost, &mut never) == Progress::Grown {}
        assert_eq!(search.value(), end.sum());
        let (answer, _) =
            linear_best_first(&chain, &PathCost, EndValues::Sum, RbfmsSettings::default(), &mut |_| false);
        assert_eq!((answer.value, answer.solved), (end.sum(), true));
    }
}

fn expansions(position: &Position, settings: KorfSettings, count: usize) -> Vec<Position> {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut search = Explorer::new(settings, position);
    let mut expanded = Vec::new();
    while expanded.len() < count && search.step(&*evaluator, &mut never) == Progress::Grown {
        expanded.push(*search.last_expanded().unwrap());
    }
    expanded
}

#[test]
fn a_larger_budget_begins_like_a_smaller_one_and_colours_do_not_matter() {
    let mut games = RandomGames(21);
    for discs in [6, 20, 35, 48] {
        let position = games.position(discs);
        for settings in [published(), exploring(200.0, by_visits())] {
            let long = expansions(&position, settings, 400);
            assert!(long.starts_with(&expansions(&position, settings, 150)));
            let swapped = expansions(&position.swap_colors(), settings, 400);
            assert_eq!(swapped.iter().map(Position::swap_colors).collect::<Vec<_>>(), long);
        }
    }
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
        for kind in all_engines() {
            let mut search = engine(kind, |options| options.threads = 1 + round as u32 % 2);
            // This one has a depth where none is said.
            let depth = Depth::new(60).filter(|_| kind == "korf-alpha-beta");
            let limits = Limits { depth, ..Limits::default() };
            let control = Control::with_limits(limits);
            let report = search.think(&one, &control, &mut |_| {});
            let found = report.lines[0].score.units();
            let knows_who_wins_alone = matches!(kind, "korf-best-first" | "korf-extension" | "uct");
            if knows_who_wins_alone {
                // The published values know only who wins, ties are almost losses, and the search ends when it knows.
                assert_eq!((found > 0, found < 0), (result > 0, result < 0), "{kind} {position}");
                continue;
            }
            assert_eq!(found, result, "{kind} {position}");
            if kind == "korf-alpha-beta" {
                // Its depth is in plies to the end.
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

#[test]
fn ties_follow_the_rule_and_contempt() {
    use emilia::search::Tie;
    // A position that is drawn under perfect play.
    let mut games = RandomGames(77);
    let drawn = std::iter::from_fn(|| Some(games.position(54)))
        .find(|position| exact(position, Contempt::NONE) == 0 && position.moves().count() > 1)
        .unwrap();
    let evaluator = EvaluatorKind::Mobility.build();
    let value = |ends, contempt| {
        let mut search = Explorer::new(KorfSettings { ends, ..KorfSettings::korf() }, &drawn);
        search.begin(&drawn, contempt);
        while search.step(&*evaluator, &mut never) == Progress::Grown {}
        search.value()
    };
    assert_eq!(value(EndValues::Infinite(Tie::Korf), Contempt::NONE), 1 - (1 << 30));
    assert_eq!(value(EndValues::Infinite(Tie::Zero), Contempt::NONE), 0);
    let ten = Contempt::new(10).unwrap();
    assert_eq!(value(EndValues::Infinite(Tie::Zero), ten), ten.draw_for(drawn.mover()) * 128);
}

/// Settings with so little memory that the cap is reached at once: one chunk for each 64 kB.
fn capped(on_memory_cap: OnMemoryCap, form: fn() -> KorfSettings) -> KorfSettings {
    KorfSettings { memory: 256 << 10, on_memory_cap, ..form() }
}

#[test]
fn at_the_cap_the_search_goes_on() {
    let evaluator = EvaluatorKind::Mobility.build();
    for on_memory_cap in [OnMemoryCap::Rbfms, OnMemoryCap::Prune] {
        for (i, form) in FORMS.into_iter().enumerate() {
            let position = RandomGames(i as u64 + 30).position(18);
            let settings = exploring([0.0, 0.0, 150.0][i], capped(on_memory_cap, form));
            let mut search = Explorer::new(settings, &position);
            let mut start = Start::new(settings.start);
            let mut full_at = None;
            let mut fullest = 0;
            let mut iterations = 0;
            for iteration in 0..12_000u64 {
                start.advance(&mut search, Some(20_000), &*evaluator, &mut never);
                let enough = &mut |work: &Work| work.expansions >= 50_000;
                match search.step(&*evaluator, enough) {
                    Progress::Stopped => break,
                    progress => iterations += u64::from(progress == Progress::Grown),
                }
                assert!(search.stored_bytes() <= settings.memory as u64);
                fullest = fullest.max(search.stored_nodes());
                let work = *search.work();
                if full_at.is_none() && work.pruned_nodes + work.linear_nodes > 0 {
                    full_at = Some(iteration);
                    search.audit().unwrap();
                }
                if iteration % 500 == 0 {
                    search.audit().unwrap();
                }
            }
            search.audit().unwrap();
            let work = search.work();
            assert!(full_at.unwrap() < 2_000, "{full_at:?}");
            assert!(fullest > 6_000, "{fullest}");
            match on_memory_cap {
                OnMemoryCap::Rbfms => assert!(work.linear_nodes > 8_000 && work.pruned_nodes == 0, "{work:?}"),
                _ => assert!(work.pruned_nodes > 20_000 && work.linear_nodes == 0, "{work:?}"),
            }
            // A search in linear space counts by its expansions, but where visits decide as one choice.
            let counted = match on_memory_cap {
                OnMemoryCap::Rbfms if settings.policy.exploration != 0.0 => iterations,
                _ => work.expansions,
            };
            let visits: u64 = search.root_moves().iter().map(|m| m.visits).sum();
            assert!(visits <= counted && visits > counted / 2, "{visits} of {counted}, {work:?}");
        }
    }
}

#[test]
fn the_search_ends_at_the_cap_where_it_is_to_stop_there() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut position = RandomGames(33).position(14);
    let mut search = Explorer::new(capped(OnMemoryCap::Stop, by_visits), &position);
    // The tree is kept from move to move, and there is always room for something below the new root.
    for _ in 0..6 {
        search.begin(&position, Contempt::NONE);
        while search.step(&*evaluator, &mut never) == Progress::Grown {}
        search.audit().unwrap();
        let work = search.work();
        assert!(search.stored_nodes() > 6_000 && work.pruned_nodes + work.linear_nodes == 0, "{work:?}");
        let turn = search.root_moves()[0].line[0];
        position = turn.map_or_else(|| position.pass(), |square| position.after(square));
    }
}

#[test]
fn endgames_are_solved_under_the_cap() {
    let evaluator = EvaluatorKind::Mobility.build();
    for on_memory_cap in [OnMemoryCap::Rbfms, OnMemoryCap::Prune] {
        for seed in 0..3 {
            let position = RandomGames(seed + 50).position(51);
            let settings = KorfSettings { memory: 1, ..capped(on_memory_cap, by_visits) };
            let mut search = Explorer::new(settings, &position);
            while search.step(&*evaluator, &mut never) == Progress::Grown {}
            assert!(search.is_solved());
            assert!(search.work().linear_nodes + search.work().pruned_nodes > 0, "{:?}", search.work());
            assert_eq!(search.value(), exact(&position, Contempt::NONE));
            search.audit().unwrap();
        }
    }
}

#[test]
fn the_tree_moves_with_the_game() {
    let evaluator = EvaluatorKind::Mobility.build();
    for settings in [by_visits(), begun(), capped(OnMemoryCap::Prune, by_visits), capped(OnMemoryCap::Rbfms, begun)] {
        let mut position = RandomGames(60).position(10);
        let mut search = Explorer::new(settings, &position);
        while !position.is_over() {
            let mut start = Start::new(settings.start);
            for _ in 0..700 {
                start.advance(&mut search, Some(5_000), &*evaluator, &mut never);
                let enough = &mut |work: &Work| work.expansions >= 20_000;
                if search.step(&*evaluator, enough) != Progress::Grown {
                    break;
                }
            }
            search.audit().unwrap();
            // Our move and the expected reply, sometimes another one, sometimes more turns at once.
            let best = search.root_moves().swap_remove(0);
            let turns = 1 + position.empties().count() as usize % 4;
            let mut next = position;
            for turn in best.line.iter().take(turns) {
                next = turn.map_or_else(|| next.pass(), |square| next.after(square));
            }
            position = next;
            if position.is_over() {
                break;
            }
            let known = best.line.len() > turns;
            let before = search.stored_nodes();
            search.begin(&position, Contempt::NONE);
            search.audit().unwrap();
            if known {
                assert!(!search.root_moves().is_empty(), "the tree was kept");
            }
            assert!(search.stored_nodes() <= before);
        }
    }
}

#[test]
fn what_was_known_after_a_move_stays_known() {
    let evaluator = EvaluatorKind::Mobility.build();
    let position = RandomGames(70).position(12);
    let mut search = Explorer::new(by_visits(), &position);
    for _ in 0..2_000 {
        search.step(&*evaluator, &mut never);
    }
    let best = search.root_moves().swap_remove(0);
    let next = position.after(best.line[0].unwrap());
    search.begin(&next, Contempt::NONE);
    assert_eq!(search.value(), -best.value);
    let moves = search.root_moves();
    assert_eq!(moves.iter().map(|m| m.visits).sum::<u64>(), best.visits - 1);
    assert_eq!(search.work(), &Work::default());
    // What lies elsewhere is freed while the search goes on.
    let before = search.stored_nodes();
    for _ in 0..500 {
        search.step(&*evaluator, &mut never);
    }
    let added = search.work().nodes;
    assert!(search.stored_nodes() < before + added, "{before} + {added} > {}", search.stored_nodes());
    // A position that is not below the root begins anew.
    search.begin(&position, Contempt::NONE);
    assert!(search.root_moves().is_empty());
    search.audit().unwrap();
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
        let no_time = Limits { hard_time: Some(Duration::ZERO), ..Limits::default() };
        assert!(!think(&mut *search, &task(position), no_time).lines.is_empty());
    }
}

#[test]
fn a_number_of_positions_is_kept() {
    let mut games = RandomGames(81);
    for kind in ["emilia", "alpha-beta", "best-first", "extension", "rbfms", "korf-best-first", "uct"] {
        for (discs, limit) in [(20, 1_000), (24, 20_000), (30, 200_000)] {
            let wanted = Task::new(games.position(discs), EvaluatorKind::Pattern.build());
            let limits = Limits { nodes: Some(limit), ..Limits::default() };
            let control = Control::with_limits(limits);
            let nodes = engine(kind, |_| {}).think(&wanted, &control, &mut |_| {}).nodes;
            assert!(nodes <= limit + limit / 50 + 200, "{kind}: {nodes} of {limit}");
            assert!(nodes >= limit * 9 / 10, "{kind}: {nodes} of {limit}");
        }
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
        let report = think(&mut Rbfms::new(), &several, evaluations(50_000));
        check_four_lines(&report);
        assert!(report.lines.is_sorted_by_key(|line| -line.score));
        let visits: Vec<u64> = report.lines.iter().map(|line| line.visits).collect();
        assert!(visits.iter().all(|&n| n > 100), "{visits:?}");
        let near = Task { margin: Some(Score::from_units(256)), ..task(position) };
        let report = think(&mut Rbfms::new(), &near, evaluations(50_000));
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

#[test]
fn linear_space_is_linear() {
    let evaluator = EvaluatorKind::Mobility.build();
    let position = RandomGames(95).position(14);
    let mut widest = [0, 0];
    for (largest, expansions) in widest.iter_mut().zip([300, 30_000]) {
        linear_best_first(&position, &*evaluator, EndValues::Outcome, RbfmsSettings::default(), &mut |call| {
            *largest = call.stack.len().max(*largest);
            let bound = call.stack.line().count() * 33;
            assert!(call.stack.len() <= bound);
            call.work.expansions >= expansions
        });
    }
    // A hundredfold work, and still a stack of a few lines.
    assert!(widest[1] < 3 * widest[0], "{widest:?}");
}
