//! The trees of the best-first family from outside: the figures of the paper, what is true of every tree, and the memory cap.

use crate::best_first::exact;
use crate::games::RandomGames;
use emilia::engine::OnMemoryCap;
use emilia::eval::{Evaluator, EvaluatorKind};
use emilia::game::Game;
use emilia::lab::random_tree::{PathCost, RandomTree, TreeShape};
use emilia::othello::{Color, Position};
use emilia::search::{
    AlphaBetaStart, ByValue, Contempt, EndValues, Explorer, FinalMove, KorfSettings, MinimaxKind, Progress,
    RbfmsSettings, Start, Tie, Work, linear_best_first, plain_minimax,
};

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

pub fn never(_: &Work) -> bool {
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

#[test]
fn ties_follow_the_rule_and_contempt() {
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

/// Settings with so little memory that the cap is reached at once: thirteen chunks, which are 6,656 nodes.
fn capped(on_memory_cap: OnMemoryCap, form: fn() -> KorfSettings) -> KorfSettings {
    KorfSettings { memory: 268 << 10, on_memory_cap, ..form() }
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
        assert!(search.stored_nodes() > 6_500 && work.pruned_nodes + work.linear_nodes == 0, "{work:?}");
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

#[test]
fn linear_space_is_linear() {
    let evaluator = EvaluatorKind::Mobility.build();
    let position = RandomGames(95).position(14);
    let largest_stack = |expansions| {
        let mut largest = 0;
        linear_best_first(&position, &*evaluator, EndValues::Outcome, RbfmsSettings::default(), &mut |call| {
            largest = call.stack.len().max(largest);
            assert!(call.stack.len() <= call.stack.line().count() * 33);
            call.work.expansions >= expansions
        });
        largest
    };
    // A hundredfold work, and still a stack of a few lines.
    let (small, large) = (largest_stack(300), largest_stack(30_000));
    assert!(large < 3 * small, "{small} {large}");
}
