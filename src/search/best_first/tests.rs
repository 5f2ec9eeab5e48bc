//! The engines `best-first` and `extension` as a client sees them, and their tree under several threads.

use super::engine::Stored;
use super::relevance::OneTree;
use super::{BestFirst, BestFirstSettings, Component, OnMemoryCap};
use crate::eval::{Evaluator, EvaluatorKind};
use crate::game::DISC;
use crate::othello::{Bitboard, GameRecord, Position, Square};
use crate::search::tests::{by_alpha_beta, open_positions, small_best_first as settings, think, visiting};
use crate::search::tree::{ChunkPool, Node, Tree, after};
use crate::search::{Control, Limits, Score, Search, Task};
use crate::testing::random_position;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use strum::VariantArray;

fn task(position: Position, kind: EvaluatorKind) -> Task {
    Task::new(position, kind.build())
}

/// Positions of a search that fills 16 MB.
const LARGE: u64 = 1_600_000;

/// The one tree of an engine that has searched.
fn explorer_of(engine: &mut BestFirst) -> &mut OneTree {
    match engine.stored.as_mut().expect("there was a search") {
        Stored::Tree(explorer) => explorer,
        Stored::Shards(_) => panic!("there are several trees"),
    }
}

/// The tree is what it claims to be, and no worker has checked out a part of it. Returns the goal of its chances.
fn audit(engine: &BestFirst) -> i32 {
    let explorer = match engine.stored.as_ref().expect("there was a search") {
        Stored::Tree(explorer) => explorer,
        Stored::Shards(shards) => {
            let shards = shards.lock();
            shards.audit();
            return shards.top.policy.goal;
        }
    };
    explorer.audit().unwrap();
    for (node, position) in explorer.tree.places() {
        assert_eq!(explorer.tree.arena[node].busy, 0, "a worker is still at {position}");
    }
    explorer.policy.goal
}

/// An evaluation that counts how often it is asked.
struct Counting {
    evaluator: Arc<dyn Evaluator<Position>>,
    evaluations: AtomicU64,
}

impl Evaluator<Position> for Counting {
    fn evaluate(&self, position: &Position) -> i32 {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        self.evaluator.evaluate(position)
    }
}

/// A client that takes long over a report holds up the thread that reports, and no other.
#[test]
fn the_others_go_on_while_one_thread_reports() {
    // Far more than a worker does before it needs what the threads share.
    const ENOUGH: u64 = 300_000;
    let counting = Arc::new(Counting { evaluator: EvaluatorKind::Mobility.build(), evaluations: AtomicU64::default() });
    let made = || counting.evaluations.load(Ordering::Relaxed);
    let task = Task::new(random_position(1, 44), counting.clone());
    let [best_first, _] = settings(2);
    let mut made_meanwhile = None;
    BestFirst::new(best_first).think(&task, &Control::with_limits(visiting(LARGE)), &mut |_| {
        let (before, deadline) = (made(), Instant::now() + Duration::from_secs(60));
        while made_meanwhile.is_none() && made() < before + ENOUGH && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        made_meanwhile.get_or_insert_with(|| made() - before);
    });
    assert!(made_meanwhile >= Some(ENOUGH), "{made_meanwhile:?}");
}

#[test]
fn the_tree_is_in_order_after_one_thread_and_after_several() {
    for threads in [1, 2, 4] {
        let (nodes, seeds, moves) = if threads == 1 { (30_000, 3, 4) } else { (LARGE, 2, 2) };
        for settings in settings(threads) {
            let mut engine = BestFirst::new(settings);
            for seed in 0..seeds {
                let mut game = GameRecord::from_position(random_position(seed, 44));
                for _ in 0..moves {
                    let task =
                        task(*game.position(), [EvaluatorKind::Mobility, EvaluatorKind::Pattern][seed as usize % 2]);
                    let report = think(&mut engine, &task, visiting(nodes));
                    audit(&engine);
                    let line = &report.lines[0];
                    assert_eq!(line.pv[0], line.turn);
                    let mut play = game.clone();
                    line.pv.iter().for_each(|&turn| play.take(turn).unwrap());
                    game.take(line.turn).unwrap();
                }
            }
        }
    }
}

/// An inner node: the turns that lead to it from the root, where it is, and its position.
type Way = (Vec<Option<Square>>, u32, Position);

/// Every inner node by every way to it.
fn ways(explorer: &OneTree) -> Vec<Way> {
    let root = (Vec::new(), explorer.tree.root(), *explorer.tree.position().unwrap());
    let (mut open, mut found) = (vec![root], Vec::new());
    while let Some((turns, node, position)) = open.pop() {
        let kids = explorer.tree.kids(node);
        for (i, kid) in (explorer.tree.arena[node].kids..).zip(kids) {
            open.push((turns.iter().copied().chain([kid.turn]).collect(), i, after(&position, kid.turn)));
        }
        if !kids.is_empty() {
            found.push((turns, node, position));
        }
    }
    found
}

fn searched(seed: u64) -> BestFirst {
    let mut engine = BestFirst::new(settings(1)[0]);
    think(&mut engine, &task(random_position(seed, 40), EvaluatorKind::PatternLinear), visiting(30_000));
    audit(&engine);
    engine
}

#[test]
fn a_position_has_its_children_once() {
    for seed in 0..3 {
        let mut engine = searched(seed);
        let explorer = explorer_of(&mut engine);
        let mut kids_of = HashMap::new();
        let (mut nodes, mut shared) = (0, 0);
        for (_, node, position) in ways(explorer) {
            let this = explorer.tree.arena[node];
            assert_eq!(*kids_of.entry(position).or_insert(this.kids), this.kids, "{position}");
            nodes += 1;
            shared += u32::from(explorer.tree.shares(&this));
        }
        assert!(kids_of.len() < nodes && shared > 50, "{nodes} {shared}");
    }
}

#[test]
fn a_shared_node_is_refreshed_when_the_search_comes_through_it() {
    let mut refreshed = 0;
    for seed in 0..3 {
        let mut engine = searched(seed);
        let explorer = explorer_of(&mut engine);
        for (turns, ..) in ways(explorer) {
            explorer.restart();
            for turn in turns.iter().copied() {
                let kid = explorer.tree.kid_after(explorer.leaf().node, turn).unwrap();
                explorer.go_to(kid);
            }
            if explorer.refresh_shared(turns.len()) {
                let this = explorer.tree.arena[explorer.path[turns.len()].node];
                assert_eq!(this.chance(), explorer.tree.chance_by_kids(&this).0);
                refreshed += 1;
            }
        }
        audit(&engine);
    }
    assert!(refreshed > 10, "{refreshed}");
}

#[test]
fn one_thread_does_the_same_every_time() {
    for settings in settings(1) {
        let task = task(random_position(5, 40), EvaluatorKind::Pattern);
        let run = || {
            let report = think(&mut BestFirst::new(settings), &task, visiting(50_000));
            (report.lines, report.nodes, report.evaluations)
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn a_part_that_is_left_out_is_missed() {
    let play = |without| {
        let mut engine = BestFirst::new(BestFirstSettings { without, ..settings(1)[0] });
        let mut reports = Vec::new();
        for empties in [40, 12, 9] {
            let mut game = GameRecord::from_position(random_position(5, empties));
            engine.clear();
            for _ in 0..2 {
                let report = think(&mut engine, &task(*game.position(), EvaluatorKind::Pattern), visiting(20_000));
                game.take(report.lines[0].turn).unwrap();
                reports.push((report.lines, report.nodes));
            }
        }
        reports
    };
    let whole = play(None);
    for &component in Component::VARIANTS {
        assert_ne!(play(Some(component)), whole, "without {component}");
    }
}

/// A tree that may hold a thirtieth of what the search would like: it goes on, keeps the cap, and stays in order.
#[test]
fn the_memory_cap_is_kept() {
    for threads in [1, 2] {
        let nodes = if threads == 1 { 590_000 } else { LARGE };
        for on_memory_cap in OnMemoryCap::VARIANTS.iter().copied() {
            for settings in settings(threads) {
                let memory = 100 << 10;
                let mut engine = BestFirst::new(BestFirstSettings { memory, on_memory_cap, ..settings });
                let task = task(random_position(9, 40), EvaluatorKind::Pattern);
                let report = think(&mut engine, &task, visiting(nodes));
                audit(&engine);
                assert!(report.memory.tree_bytes <= memory as u64, "{report:?}");
                if !settings.alpha_beta_first {
                    let goes_on = on_memory_cap != OnMemoryCap::Stop;
                    assert!(report.memory.cap_was_reached(), "{on_memory_cap} {report:?}");
                    assert_eq!(report.nodes >= nodes, goes_on, "{on_memory_cap} {report:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_left_out_is_not_proven() {
    for (_, position) in open_positions(0..4, |_| 18) {
        let whole = task(position, EvaluatorKind::Pattern);
        let best = by_alpha_beta(&whole, Limits::default()).lines[0].turn;
        let others = Task { except: best.square().unwrap().bit(), ..whole };
        if (position.moves() & !others.except).is_empty() {
            continue;
        }
        let next = by_alpha_beta(&others, Limits::default()).lines[0].score;
        for settings in settings(1) {
            let found = &think(&mut BestFirst::new(settings), &others, Limits::default()).lines[0];
            assert_eq!((found.score, found.turn == best), (next, false), "{position}");
        }
    }
}

#[test]
fn a_copy_of_what_is_below_a_node_is_the_same() {
    let mut engine = searched(1);
    let explorer = explorer_of(&mut engine);
    let of_root = explorer.tree.arena[explorer.tree.root()];
    let mut nodes = 0;
    for (i, kid) in (of_root.kids..).zip(explorer.tree.kids(explorer.tree.root())) {
        let position = after(explorer.tree.position().unwrap(), kid.turn);
        let [pool, small] = [4 << 20, 1].map(ChunkPool::for_several);
        let mut copy = Tree::in_pool(pool, 4 << 20, &position).unwrap();
        copy.copy_from(&explorer.tree, i).unwrap();
        copy.audit(&position).unwrap();
        copy.audit_chances(copy.root(), &mut HashSet::new()).unwrap();
        // Every node by every way to it.
        let mut open = vec![(i, copy.root())];
        while let Some((one, other)) = open.pop() {
            let (a, b) = (explorer.tree.arena[one], copy.arena[other]);
            let known = |node: Node<Square>| (node.turn, node.value, node.lower, node.upper, node.visits, node.size);
            assert_eq!(known(a), known(b));
            assert_eq!(
                (a.chance(), a.most_relevant, a.count, a.flags),
                (b.chance(), b.most_relevant, b.count, b.flags)
            );
            open.extend((0..u32::from(a.count)).map(|kid| (a.kids + kid, b.kids + kid)));
            nodes += 1;
        }
        // One chunk is not enough for all.
        if kid.size > 4_000 {
            let mut copy = Tree::in_pool(small, 4 << 20, &position).unwrap();
            assert!(copy.copy_from(&explorer.tree, i).is_err());
        }
    }
    assert!(nodes > 10_000, "{nodes}");
}

#[test]
fn shards_keep_every_rule_at_the_cap() {
    for on_memory_cap in OnMemoryCap::VARIANTS.iter().copied() {
        let memory = 20 << 20;
        let settings = BestFirstSettings { memory, on_memory_cap, ..settings(2)[0] };
        let mut engine = BestFirst::new(settings);
        let report = think(&mut engine, &task(random_position(9, 44), EvaluatorKind::Pattern), visiting(LARGE));
        audit(&engine);
        let found = report.memory;
        assert!(found.tree_bytes <= memory as u64, "{report:?}");
        let (pruned, linear, ended) = (found.pruned_nodes > 0, found.linear_nodes > 0, found.ended_at_cap);
        match on_memory_cap {
            OnMemoryCap::Prune => assert!(pruned && !linear && !ended && report.nodes >= LARGE, "{report:?}"),
            OnMemoryCap::Rbfms => assert!(linear && !ended && report.nodes >= LARGE, "{report:?}"),
            OnMemoryCap::Stop => assert!(!pruned && !linear && ended && report.nodes < LARGE, "{report:?}"),
        }
    }
}

#[test]
fn shards_go_on_from_move_to_move() {
    // After a search so small that the next position is in a shard, and after one so large that it is in the top.
    for nodes in [600, 400_000] {
        for seed in 0..3 {
            let mut engine = BestFirst::new(BestFirstSettings { memory: 64 << 20, ..settings(2)[0] });
            let mut game = GameRecord::from_position(random_position(seed, 44));
            for _ in 0..3 {
                let report = think(&mut engine, &task(*game.position(), EvaluatorKind::Pattern), visiting(nodes));
                let goal = audit(&engine);
                report.lines[0].pv.iter().take(2).for_each(|&turn| game.take(turn).unwrap());
                let Some(Stored::Shards(shards)) = &mut engine.stored else {
                    panic!("several threads have several trees");
                };
                let shards = shards.get_mut();
                let before = shards.visits_of(game.position()).expect("what is expected was searched");
                shards.begin(&task(*game.position(), EvaluatorKind::Pattern), 1.0, true);
                assert_eq!(shards.visits_of(game.position()), Some(before));
                assert_eq!(shards.top.policy.goal, goal, "the chances in the trees are those of more than this");
            }
        }
    }
}

/// The best move may be solved while another one that wins is not.
#[test]
fn a_result_is_exact_only_where_no_move_can_be_worth_more() {
    let board = "OOOX--O-OOOO-O--OOOOO---OOOOOOOOOOOXO-OXOOOOOOXXO-X-OOOXOXXX-OOO O";
    let position = *crate::notation::read_position(board).unwrap().position();
    let task = Task { precision: crate::search::Precision::WinLossDraw, ..task(position, EvaluatorKind::Pattern) };
    let mut known = 0;
    for nodes in (20..40).map(|i| 1_000 * i) {
        let report = think(&mut BestFirst::new(settings(1)[0]), &task, visiting(nodes));
        known += u32::from(report.depth == crate::search::SearchDepth::WinLossDraw);
        assert!(!report.depth.is_exact() || report.lines[0].score == Score::from_units(16 * DISC), "{report:?}");
    }
    assert!(known > 0);
}

/// A move known to win is worth more to the tree than one that only looks better.
#[test]
fn the_value_of_a_move_known_to_win_is_beyond_every_estimate() {
    let mut known = 0;
    for (_, position) in open_positions(0..40, |_| 13) {
        let mut engine = BestFirst::new(settings(1)[0]);
        let report = think(&mut engine, &task(position, EvaluatorKind::Pattern), visiting(6_000));
        let moves = explorer_of(&mut engine).root_moves();
        let is_won = moves.iter().any(|m| m.lower > 0);
        known += u32::from(is_won);
        assert_eq!(is_won, moves[0].value > 64 * DISC, "{position} {moves:?}");
        let line = &report.lines[0];
        assert!(line.score.units().abs() <= 64 * DISC, "{report:?}");
        assert_eq!(is_won, line.depth.knows_winner() && line.score > Score::ZERO, "{report:?}");
    }
    assert!(known > 3, "{known}");
}

#[test]
fn moves_that_are_left_out_are_not_looked_at() {
    let mut solved = 0;
    for threads in [1, 2] {
        for settings in settings(threads) {
            let mut engine = BestFirst::new(settings);
            for (seed, position) in open_positions(0..12, |seed| if seed % 2 == 0 { 9 } else { 40 }) {
                let moves = position.moves();
                let all = Task { lines: 60, is_analysis: true, ..task(position, EvaluatorKind::Pattern) };
                let best = think(&mut engine, &all, visiting(20_000)).lines[0].turn.square();
                let except = best.map_or(Bitboard::EMPTY, Square::bit);
                if except == moves {
                    continue;
                }
                let some = Task { except, ..all.clone() };
                let report = think(&mut engine, &some, visiting(20_000));
                let found = report.lines.iter().filter_map(|line| line.turn.square()).collect::<Bitboard>();
                assert_eq!(found, moves & !except, "{position} {seed} {settings:?}");
                if report.depth.is_exact() {
                    let expected = by_alpha_beta(&some, Limits::default());
                    assert_eq!(report.lines[0].score, expected.lines[0].score, "{position} without {best:?}");
                    solved += 1;
                }
                // The next search looks at all moves again.
                assert_eq!(think(&mut engine, &all, visiting(20_000)).lines.len(), moves.count() as usize);
            }
        }
    }
    assert!(solved >= 8, "{solved}");
}
