//! What the status says over NBoard while a search works, and of its memory.

use crate::conversation::{Does, engine_with, first_move, without_book};
use crate::nboard::{depth, full, hint, next, start, until};
use emilia::engine::{Engine, EngineOptions, MINIMAX, SearchBuilder};
use emilia::eval::EvaluatorKind;
use emilia::search::{Control, MemoryUse, Report, Search, SearchDepth, Task};
use std::time::Duration;

/// Has seen fourteen plies, and goes on until it is stopped.
fn busy(task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    sink(&Report { depth: SearchDepth::Plies(14), ..first_move(&task.position) });
    mute(task, control, sink)
}

/// Has seen five positions and nothing to tell, and goes on until it is stopped.
fn mute(task: &Task, control: &Control, _: &mut dyn FnMut(&Report)) -> Report {
    while !control.must_stop(5, 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    first_move(&task.position)
}

#[test]
fn the_status_says_every_second_how_far_a_search_is() {
    let cases: [(SearchBuilder, _, _, _); 4] = [
        (|_| Box::new(Does(busy)), "hint 1", "Analyzing", "status Depth 14: D3 +0.00"),
        (|_| Box::new(Does(busy)), "analyze", "Move 1", "status Move 1: depth 14"),
        (|_| Box::new(Does(busy)), "go", "Thinking", "status Depth 14: D3 +0.00"),
        (|_| Box::new(Does(mute)), "go", "Thinking", "nodestats 5 1."),
    ];
    for (builder, request, doing, progress) in cases {
        let client = start(engine_with(builder));
        client.send(request);
        assert_eq!(next(&client), format!("status {doing}"));
        let seen = until(&client, progress.split(' ').next().unwrap()).pop().unwrap();
        let is_as_expected = if progress.starts_with("status") { seen == progress } else { seen.starts_with(progress) };
        assert!(is_as_expected, "{seen}");
    }
}

#[test]
fn the_status_names_what_is_not_as_usual() {
    let usual = without_book();
    for (options, status) in [
        (usual.clone(), "status Thinking"),
        (EngineOptions { engine: &MINIMAX, ..usual.clone() }, "status Thinking: minimax"),
        (EngineOptions { eval: EvaluatorKind::Mobility, ..usual }, "status Thinking: emilia on mobility"),
    ] {
        let client = start(Engine::new(options));
        client.send("set depth 1");
        client.send("go");
        assert_eq!(until(&client, "status").pop().unwrap(), status);
        until(&client, "===");
    }
}

/// Says of the same move that it has seen more of it.
fn deeper(task: &Task, _: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    let report = |plies| Report { depth: SearchDepth::Plies(plies), ..first_move(&task.position) };
    (1..=3).for_each(|plies| sink(&report(plies)));
    report(3)
}

#[test]
fn a_move_that_stays_the_best_is_shown_with_each_depth() {
    let client = start(engine_with(|_| Box::new(Does(deeper))));
    let lines = hint(&client, "hint 1");
    let depths: Vec<_> = lines.iter().filter(|line| line.starts_with("search")).map(|line| depth(line).0).collect();
    assert_eq!(depths, ["1", "2", "3"], "{lines:?}");
}

#[test]
fn a_search_that_runs_on_shows_it_and_what_became_of_its_memory() {
    let client = start(engine_with(|_| Box::new(Does(full))));
    client.send("hint 1");
    assert!(until(&client, "status 512 MB are full: linear space").len() >= 3);
    // The heartbeat has the number of nodes that no report told, and says nothing twice.
    assert!(next(&client).starts_with("nodestats 777 "));
    assert!(next(&client).starts_with("nodestats 777 "));
}

/// Uses of memory, and what is told of them.
fn memories() -> [(Vec<MemoryUse>, Option<&'static str>); 4] {
    let none = MemoryUse::default();
    let pruned = MemoryUse { pruned_nodes: 5, tree_nodes: 9, ..none };
    let linear = |nodes| MemoryUse { linear_nodes: nodes, tree_nodes: 9, ..none };
    let ended = MemoryUse { ended_at_cap: true, ..pruned };
    [
        (vec![none, pruned, pruned], None),
        // A search in linear space from the start has no tree.
        (vec![MemoryUse { linear_nodes: 5, ..none }], None),
        (vec![linear(0), linear(1), linear(2)], Some("linear space")),
        (vec![none, ended, ended], Some("search ended")),
    ]
}

/// Reports the uses of memory of this number.
struct Memories(usize);

impl Search for Memories {
    fn think(&mut self, task: &Task, _: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let uses = &memories()[self.0].0;
        let report = |memory: &MemoryUse| Report { memory: *memory, ..first_move(&task.position) };
        uses.iter().for_each(|memory| sink(&report(memory)));
        report(uses.last().unwrap())
    }
}

#[test]
fn a_full_memory_is_told_once_and_pruning_not_at_all() {
    for (seed, (uses, told)) in (0..).zip(memories()) {
        let options = EngineOptions { seed, ..without_book() };
        let engine = Engine::with_searches(options, |options| Box::new(Memories(options.seed as usize)));
        let client = start(engine);
        for request in ["hint 1", "go"] {
            client.send(request);
            // That the search has ended is the last that is said: a `status` or an answer behind it would wipe it from the screen.
            let last = match told {
                Some("search ended") => "status 512 MB are full: search ended",
                _ if request == "go" => "===",
                _ => "status",
            };
            let mut lines = until(&client, if request == "go" { "status Thinking" } else { "status Analyzing" });
            while lines.last().unwrap() != last && !(last == "===" && lines.last().unwrap().starts_with(last)) {
                lines.push(next(&client));
            }
            client.send("ping 1");
            assert_eq!(next(&client), "pong 1", "{lines:?}");
            let full: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("status 512 MB are full: ")).collect();
            assert_eq!(full, Vec::from_iter(told), "{uses:?}");
        }
    }
}
