//! The table of searches that can be chosen: a name and a constructor for each. Others are added from outside by [`register`].

use super::option_table::EngineOptions;
use crate::search::{AlphaBeta, AlphaBetaSettings, BestFirst, BestFirstSettings, Emilia, Minimax, Rbfms, Search};
use parking_lot::RwLock;
use std::fmt;

/// Builds the search that the options ask for.
pub type SearchBuilder = fn(&EngineOptions) -> Box<dyn Search>;

/// A search that can be chosen by its name.
#[derive(Clone, Copy)]
pub struct SearchEntry {
    /// The name, as `--engine` takes it.
    pub name: &'static str,
    /// The options that the search reads, by name. As long as their values stay, but for the book, so does the search.
    pub reads: &'static [&'static str],
    /// Whether it heeds [`Request::except`](super::Request::except) in questions for values.
    pub leaves_moves_out: bool,
    /// The constructor.
    pub build: SearchBuilder,
}

/// Iterative-deepening alpha-beta with a transposition table.
pub static ALPHA_BETA: SearchEntry = SearchEntry {
    name: "alpha-beta",
    reads: &["threads", "selectivity", "hash"],
    leaves_moves_out: true,
    build: alpha_beta,
};
/// Full-width minimax without any cut, as the textbooks have it: for comparisons.
pub static MINIMAX: SearchEntry =
    SearchEntry { name: "minimax", reads: &[], leaves_moves_out: false, build: |_| Box::new(Minimax) };
/// Best-first minimax that chooses the move, with alpha-beta for values and where the end can be seen.
pub static EMILIA: SearchEntry = SearchEntry {
    name: "emilia",
    reads: &["threads", "selectivity", "hash", "memory", "on-memory-cap", "book"],
    leaves_moves_out: true,
    build: |options| Box::new(Emilia::new(best_first_settings(options, BestFirstSettings::best_first()))),
};
/// Best-first minimax with a stored tree, leaves chosen by relevance, and proofs near the end.
pub static BEST_FIRST: SearchEntry = SearchEntry {
    name: "best-first",
    reads: &["threads", "selectivity", "hash", "memory", "on-memory-cap", "without"],
    leaves_moves_out: true,
    build: |options| {
        let settings = BestFirstSettings { without: options.without, ..BestFirstSettings::best_first() };
        Box::new(BestFirst::new(best_first_settings(options, settings)))
    },
};
/// Best-first minimax that begins with alpha-beta.
pub static EXTENSION: SearchEntry = SearchEntry {
    name: "extension",
    reads: &["threads", "selectivity", "hash", "memory", "on-memory-cap"],
    leaves_moves_out: true,
    build: |options| Box::new(BestFirst::new(best_first_settings(options, BestFirstSettings::extension()))),
};
/// Best-first minimax in linear space.
pub static RBFMS: SearchEntry =
    SearchEntry { name: "rbfms", reads: &[], leaves_moves_out: false, build: |_| Box::new(Rbfms) };

/// The engine's own searches.
static OWN: [&SearchEntry; 6] = [&EMILIA, &ALPHA_BETA, &MINIMAX, &BEST_FIRST, &EXTENSION, &RBFMS];
static REGISTERED: RwLock<Vec<&SearchEntry>> = RwLock::new(Vec::new());

/// Adds searches to those that can be chosen by name in this process. A search can be registered again.
///
/// # Panics
/// If another search has the same name.
pub fn register(entries: &[&'static SearchEntry]) {
    let mut registered = REGISTERED.write();
    for &entry in entries {
        match OWN.iter().chain(&*registered).find(|known| known.name == entry.name) {
            Some(known) => assert!(std::ptr::eq(*known, entry), "two searches are called {entry}"),
            None => registered.push(entry),
        }
    }
}

/// Every search that can be chosen by name: the engine's own, then those that were registered.
pub fn searches() -> Vec<&'static SearchEntry> {
    OWN.iter().chain(&*REGISTERED.read()).copied().collect()
}

fn alpha_beta(options: &EngineOptions) -> Box<dyn Search> {
    Box::new(AlphaBeta::new(AlphaBetaSettings {
        table_bytes: options.hash_bytes(),
        threads: options.threads as usize,
        selectivity: options.selectivity,
    }))
}

fn best_first_settings(options: &EngineOptions, settings: BestFirstSettings) -> BestFirstSettings {
    BestFirstSettings {
        memory: options.memory_bytes(),
        on_memory_cap: options.on_memory_cap,
        table_bytes: options.hash_bytes(),
        threads: options.threads as usize,
        selectivity: options.selectivity,
        ..settings
    }
}

/// No two searches that can be chosen have the same name.
impl PartialEq for SearchEntry {
    fn eq(&self, other: &SearchEntry) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for SearchEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for SearchEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EngineOption, OnMemoryCap};
    use crate::search::Selectivity;

    #[test]
    fn searches_are_known_by_name_and_read_known_options() {
        for search in OWN {
            assert!(search.reads.iter().all(|name| EngineOption::find(name).is_ok()), "{search}");
            // A hint leaves out the moves of the book.
            assert!(!search.reads.contains(&"book") || search.leaves_moves_out, "{search}");
            let mut options = EngineOptions::default();
            options.set("engine", search.name).unwrap();
            assert_eq!(options.engine, search);
            assert_eq!(searches().iter().filter(|&&other| other == search).count(), 1);
        }
        let error = EngineOptions::default().set("engine", "deep-blue").unwrap_err().to_string();
        assert!(error.starts_with("engine: 'deep-blue' is not valid; expected one of: emilia, alpha-beta"), "{error}");
    }

    #[test]
    fn a_search_is_built_with_what_the_options_say() {
        let options = EngineOptions {
            memory_mb: 3,
            hash_mb: 2,
            threads: 5,
            on_memory_cap: OnMemoryCap::Stop,
            selectivity: Selectivity::NONE,
            ..EngineOptions::default()
        };
        let settings = BestFirstSettings {
            memory: 3 << 20,
            table_bytes: 2 << 20,
            threads: 5,
            on_memory_cap: OnMemoryCap::Stop,
            selectivity: Selectivity::NONE,
            ..BestFirstSettings::best_first()
        };
        assert_eq!(best_first_settings(&options, BestFirstSettings::best_first()), settings);
    }

    #[test]
    fn a_search_is_registered_once_whoever_asks() {
        register(&[&EMILIA]);
        assert_eq!(searches().iter().filter(|search| search.name == "emilia").count(), 1);
    }

    #[test]
    #[should_panic(expected = "two searches are called emilia")]
    fn two_searches_of_one_name_are_refused() {
        static OTHER: SearchEntry = SearchEntry { name: "emilia", ..MINIMAX };
        register(&[&OTHER]);
    }
}
