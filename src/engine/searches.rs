//! The table of searches that can be chosen: a name and a constructor for each. Others are added from outside by [`register`].

use super::option_table::texts;
use super::options::{EngineOptions, OptionError};
use crate::search::{AlphaBeta, AlphaBetaSettings, BestFirst, BestFirstSettings, Emilia, Minimax, Rbfms, Search};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// Builds the search that the options ask for.
pub type SearchBuilder = fn(&EngineOptions) -> Box<dyn Search>;

/// A search that can be chosen by its name.
#[derive(Clone, Copy)]
pub struct SearchEntry {
    /// The name, as `--engine` takes it.
    pub name: &'static str,
    /// The options that the search is built with, by name. As long as their values stay, so may the search.
    pub reads: &'static [&'static str],
    /// The constructor.
    pub build: SearchBuilder,
}

/// Iterative-deepening alpha-beta with a transposition table.
pub static ALPHA_BETA: SearchEntry =
    SearchEntry { name: "alpha-beta", reads: &["threads", "selectivity", "hash"], build: alpha_beta };
/// Full-width minimax without any cut, as the textbooks have it: for comparisons.
pub static MINIMAX: SearchEntry = SearchEntry { name: "minimax", reads: &[], build: |_| Box::new(Minimax::new()) };
/// Best-first minimax that chooses the move, with alpha-beta for values and where the end can be seen.
pub static EMILIA: SearchEntry = SearchEntry {
    name: "emilia",
    reads: BEST_FIRST_READS,
    build: |options| Box::new(Emilia::new(best_first_settings(options, BestFirstSettings::best_first()))),
};
/// Best-first minimax with a stored tree, leaves chosen by relevance, and proofs near the end.
pub static BEST_FIRST: SearchEntry = SearchEntry {
    name: "best-first",
    reads: BEST_FIRST_READS,
    build: |options| Box::new(BestFirst::new(best_first_settings(options, BestFirstSettings::best_first()))),
};
/// Best-first minimax that begins with alpha-beta.
pub static EXTENSION: SearchEntry = SearchEntry {
    name: "extension",
    reads: BEST_FIRST_READS,
    build: |options| Box::new(BestFirst::new(best_first_settings(options, BestFirstSettings::extension()))),
};
/// Best-first minimax in linear space.
pub static RBFMS: SearchEntry = SearchEntry { name: "rbfms", reads: &[], build: |_| Box::new(Rbfms::new()) };

const BEST_FIRST_READS: &[&str] = &["threads", "selectivity", "hash", "memory", "on-memory-cap"];

/// The engine's own searches.
static OWN: [&SearchEntry; 6] = [&EMILIA, &ALPHA_BETA, &MINIMAX, &BEST_FIRST, &EXTENSION, &RBFMS];
static REGISTERED: OnceLock<&'static [&'static SearchEntry]> = OnceLock::new();

/// Adds searches to those that can be chosen by name in this process. Only the first call adds anything.
pub fn register(searches: &'static [&'static SearchEntry]) {
    REGISTERED.get_or_init(|| searches);
}

/// Every search that can be chosen by name: the engine's own, then those that were registered.
pub fn searches() -> Vec<&'static SearchEntry> {
    OWN.iter().chain(REGISTERED.get().copied().unwrap_or_default()).copied().collect()
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

/// No two searches have the same name.
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

impl FromStr for &'static SearchEntry {
    type Err = OptionError;

    fn from_str(name: &str) -> Result<&'static SearchEntry, OptionError> {
        let known = searches();
        let named = known.iter().find(|search| search.name == name);
        named.copied().ok_or_else(|| OptionError::Invalid {
            name: "engine",
            value: name.to_owned(),
            expected: format!("one of: {}", texts(&known).join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOption;

    #[test]
    fn searches_are_known_by_name_and_read_known_options() {
        for search in OWN {
            assert_eq!(search.name.parse(), Ok(search));
            assert!(search.reads.iter().all(|name| EngineOption::find(name).is_ok()), "{search}");
        }
        let error = "deep-blue".parse::<&SearchEntry>().unwrap_err().to_string();
        assert!(error.contains("one of: emilia, alpha-beta"), "{error}");
    }
}
