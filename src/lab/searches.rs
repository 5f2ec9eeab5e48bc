//! What the laboratory adds to the searches that can be chosen.

use super::{BaumSmith, Conspiracy, KorfAlphaBeta, Uct, UctSettings};
use crate::engine::{self, Backup, EngineOptions, LeafValue, SearchEntry};
use crate::search::{
    AlphaBeta, AlphaBetaSettings, AlphaBetaStart, EndValues, KorfBestFirst, KorfSettings, Search, Tie,
};

/// Best-first minimax as Korf and Chickering published it.
pub static KORF_BEST_FIRST: SearchEntry = SearchEntry {
    name: "korf-best-first",
    reads: &["memory", "on-memory-cap", "tie", "best-first-depth"],
    leaves_moves_out: false,
    build: |options| stored_tree(options, best_first_settings(options)),
};
/// Their best-first extension: alpha-beta to one depth, then best-first to another.
pub static KORF_EXTENSION: SearchEntry = SearchEntry {
    name: "korf-extension",
    reads: &["memory", "on-memory-cap", "tie", "best-first-depth", "start-depth"],
    leaves_moves_out: false,
    build: |options| stored_tree(options, extension_settings(options)),
};
/// The alpha-beta that they compared both with: full width, fixed depth, the tree kept between moves.
pub static KORF_ALPHA_BETA: SearchEntry = SearchEntry {
    name: "korf-alpha-beta",
    reads: &["memory"],
    leaves_moves_out: false,
    build: |options| Box::new(KorfAlphaBeta::engine(options.memory_bytes())),
};
/// Best-first minimax with the selection of Monte Carlo tree search.
pub static UCT: SearchEntry = SearchEntry {
    name: "uct",
    reads: &["memory", "seed", "c", "fpu", "backup", "leaf", "leaf-depth", "selection", "transpositions"],
    leaves_moves_out: false,
    build: |options| {
        let (memory, seed) = (options.memory_bytes(), options.seed);
        Box::new(Uct::new(UctSettings { memory, seed, ..uct_settings(options) }))
    },
};

/// Unbounded best-first minimax with completion, which plays the move that most iterations went through (Cohen-Solal).
pub static UBFM: SearchEntry = SearchEntry {
    name: "ubfm",
    reads: &["memory"],
    leaves_moves_out: false,
    build: |options| Box::new(Uct::new(UctSettings { memory: options.memory_bytes(), ..UctSettings::ubfm() })),
};
/// Best-first search with distributions (Baum and Smith).
pub static BAUM_SMITH: SearchEntry = SearchEntry {
    name: "baum-smith",
    reads: &["memory"],
    leaves_moves_out: false,
    build: |options| Box::new(BaumSmith::new(options.memory_bytes())),
};
/// Conspiracy numbers (McAllester).
pub static CONSPIRACY: SearchEntry = SearchEntry {
    name: "conspiracy",
    reads: &["memory"],
    leaves_moves_out: false,
    build: |options| Box::new(Conspiracy::new(options.memory_bytes())),
};
/// The engine's alpha-beta with null windows alone at the root (Plaat and others).
pub static MTDF: SearchEntry = SearchEntry {
    name: "mtdf",
    reads: &["threads", "selectivity", "hash"],
    leaves_moves_out: false,
    build: |options| {
        let (table_bytes, threads) = (options.hash_bytes(), options.threads as usize);
        Box::new(AlphaBeta::mtdf(AlphaBetaSettings { table_bytes, threads, selectivity: options.selectivity }))
    },
};

/// Every search of the laboratory.
static OWN: [&SearchEntry; 8] =
    [&KORF_BEST_FIRST, &KORF_EXTENSION, &KORF_ALPHA_BETA, &UCT, &UBFM, &BAUM_SMITH, &CONSPIRACY, &MTDF];

/// Lets the searches of the laboratory be chosen by name, like the engine's own. The command line does so when it begins.
pub fn register() {
    engine::register(&OWN);
}

fn stored_tree(options: &EngineOptions, settings: KorfSettings) -> Box<dyn Search> {
    let (memory, on_memory_cap) = (options.memory_bytes(), options.on_memory_cap);
    Box::new(KorfBestFirst::new(KorfSettings { memory, on_memory_cap, ..settings }))
}

fn best_first_settings(options: &EngineOptions) -> KorfSettings {
    KorfSettings {
        ends: EndValues::Infinite(options.tie),
        depth: options.best_first_depth.map(u32::from),
        ..KorfSettings::korf()
    }
}

fn extension_settings(options: &EngineOptions) -> KorfSettings {
    let start = match options.start_depth {
        Some(depth) => AlphaBetaStart::Depth(depth.into()),
        None => AlphaBetaStart::Share { divisor: 16 },
    };
    KorfSettings { start, ..best_first_settings(options) }
}

fn uct_settings(options: &EngineOptions) -> UctSettings {
    let ends = match (options.backup, options.leaf) {
        (Backup::Overwrite, LeafValue::Raw) => EndValues::Infinite(Tie::Zero),
        // A mean has no use for infinities, and neither has a win that is worth one unit.
        _ => EndValues::Outcome,
    };
    UctSettings {
        c: options.c.units() as f32,
        fpu: options.fpu.units() as f32,
        backup: options.backup,
        leaf: options.leaf,
        leaf_depth: options.leaf_depth.into(),
        selection: options.selection,
        transpositions: options.transpositions,
        ends,
        ..UctSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use crate::search::{Control, Limits, Task};

    #[test]
    fn the_searches_can_be_chosen_and_read_known_options() {
        register();
        register();
        for search in OWN {
            let mut options = EngineOptions::default();
            options.set("engine", search.name).unwrap();
            assert_eq!(options.engine, search);
            assert!(search.reads.iter().all(|name| engine::EngineOption::find(name).is_ok()), "{search}");
        }
        assert_eq!(engine::searches().len(), 6 + OWN.len());
    }

    #[test]
    fn searches_whose_tree_is_full_end_and_say_so() {
        for search in [&UCT, &UBFM, &BAUM_SMITH, &CONSPIRACY] {
            let options = EngineOptions { engine: search, memory_mb: 1, ..EngineOptions::default() };
            let task = Task::new(Position::START, options.evaluator());
            let control = Control::with_limits(Limits { nodes: Some(1_000_000), ..Limits::default() });
            let report = (search.build)(&options).think(&task, &control, &mut |_| {});
            assert!(report.memory.ended_at_cap && report.nodes < 1_000_000, "{search} {report:?}");
        }
    }

    #[test]
    fn options_reach_the_searches() {
        let mut options = EngineOptions::default();
        assert_eq!(uct_settings(&options), UctSettings::default());
        assert_eq!(best_first_settings(&options).ends, EndValues::Infinite(Tie::Korf));
        for (name, value) in [("tie", "zero"), ("best-first-depth", "19"), ("start-depth", "5"), ("c", "1.5")] {
            options.set(name, value).unwrap();
        }
        let (best_first, extension) = (best_first_settings(&options), extension_settings(&options));
        assert_eq!(best_first.ends, EndValues::Infinite(Tie::Zero));
        assert_eq!((extension.depth, best_first.depth), (Some(19), Some(19)));
        assert_eq!((extension.start, best_first.start), (AlphaBetaStart::Depth(5), AlphaBetaStart::None));
        let uct = uct_settings(&options);
        assert_eq!((uct.c, uct.ends), (192.0, EndValues::Infinite(Tie::Zero)));
        options.set("start-depth", "none").unwrap();
        options.set("backup", "average").unwrap();
        assert_eq!(extension_settings(&options).start, AlphaBetaStart::Share { divisor: 16 });
        assert_eq!(uct_settings(&options).ends, EndValues::Outcome);
    }
}
