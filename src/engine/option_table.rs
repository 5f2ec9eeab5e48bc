//! The table of options: everything that is known of each stands in one entry, its field and default too. The command line, GTP,
//! NBoard, UGI and `docs/options.md` are made from it.
//!
//! A client sets options by the same names on the command line (`--hash 64`), over GTP (`emilia-set hash 64`), over NBoard
//! (`set emilia.hash 64`) and over UGI (`setoption name hash value 64`).

use super::eval_file::EvalFile;
use super::level::Level;
use super::opening_book::OpeningBook;
use super::option::{OptionEntry, OptionError, Values, texts};
use super::option_values::{MOST_DISCS_GIVEN, OptionValue};
use super::searches::{EMILIA, SearchEntry};
use super::uct_options::{Backup, LeafValue, Selection};
use crate::book::Book;
use crate::eval::{Evaluator, EvaluatorKind, Random, fingerprint};
use crate::othello::Position;
use crate::search::{Component, Depth, OnMemoryCap, Score, Selectivity, Tie};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// One option of the engine.
///
/// ```
/// use emilia::engine::{ALPHA_BETA, BEST_FIRST, EngineOption};
///
/// let memory = EngineOption::find("memory").unwrap();
/// assert_eq!(memory.default(), "512");
/// assert!(memory.is_read_by(&BEST_FIRST) && !memory.is_read_by(&ALPHA_BETA));
/// ```
pub type EngineOption = OptionEntry<EngineOptions>;

/// Makes [`EngineOptions`], its defaults and the table. An entry is a field, its type and default, and in braces what is not as in
/// [`OptionEntry::PLAIN`]. The type says how a text is read and how the value is shown.
macro_rules! engine_options {
    ($($field:ident: $type:ty = $default:expr; {
        name: $name:literal,
        value_name: $value_name:literal,
        help: $help:literal,
        $($entry:tt)*
    })+) => {
        /// Everything that a client may set. The defaults suit a GUI that starts several copies.
        #[derive(Clone, Debug, PartialEq)]
        pub struct EngineOptions {
            $(#[doc = concat!($help, ".")] pub $field: $type,)+
        }

        impl Default for EngineOptions {
            fn default() -> EngineOptions {
                EngineOptions { $($field: $default,)+ }
            }
        }

        /// Every option, in the order in which they can be set one after the other.
        static TABLE: &[EngineOption] = &[$(EngineOption {
            name: $name,
            value_name: $value_name,
            help: $help,
            set: |options, given| {
                options.$field = OptionValue::read(given)?;
                Ok(())
            },
            show: |options| options.$field.show(),
            $($entry)*
            ..EngineOption {
                values: <$type as OptionValue>::VALUES,
                takes_none: <$type as OptionValue>::TAKES_NONE,
                ..EngineOption::PLAIN
            }
        }),+];
    };
}

/// The most plies of alpha-beta at a leaf of `uct`.
const DEEPEST_LEAF: u64 = 8;

engine_options! {
    engine: &'static SearchEntry = &EMILIA; {
        name: "engine",
        value_name: "NAME",
        help: "The search",
        read_by_all: true,
    }
    eval_file: Option<EvalFile> = None; {
        name: "eval-file",
        value_name: "PATH",
        help: "Weights of a pattern evaluation, or none: those that are part of the program",
        detail: "The file says which form it has. So with a file `--eval pattern` and `--eval pattern-linear` do the same.",
        read_by_all: true,
    }
    eval: EvaluatorKind = EvaluatorKind::default(); {
        name: "eval",
        value_name: "NAME",
        help: "The static evaluation",
        detail: "[evaluation.md](evaluation.md) describes them.",
        read_by_all: true,
    }
    threads: u32 = cores(); {
        name: "threads",
        value_name: "N",
        help: "Search threads of emilia, alpha-beta, best-first, extension and mtdf",
        detail: "`emilia`, `best-first` and `extension` use at most 192 in their trees, and one where the memory is less than 16 MB. `emilia analyze` \
                 shares them out among positions.",
        values: Values::Whole(1, EngineOptions::MOST_THREADS as u64),
        default_in_words: Some("the cores"),
    }
    selectivity: Selectivity = Selectivity::BOLDEST; {
        name: "selectivity",
        value_name: "PERCENT",
        help: "How sure alpha-beta's cuts by shallower searches are, in percent; 100 for neither cuts nor extensions",
        detail: "The score of a solved position is exact in any case.",
    }
    hash_mb: u32 = 64; {
        name: "hash",
        value_name: "MB",
        help: "Size of the transposition table in MB (2^20 bytes), taken as it fills",
        values: Values::Whole(1, 1 << 20),
    }
    memory_mb: u32 = 512; {
        name: "memory",
        value_name: "MB",
        help: "Cap of the stored tree in MB (2^20 bytes), taken as it fills",
        values: Values::Whole(1, 1 << 20),
    }
    on_memory_cap: OnMemoryCap = OnMemoryCap::default(); {
        name: "on-memory-cap",
        value_name: "WAY",
        help: "What to do when the tree has filled its memory: go on in linear space, free the least promising subtrees, or end \
               the search",
        detail: "With `stop`, `emilia` ends the tree, and then searches the value of its move, for one part in 32 of what the tree took. \
                 With several threads, `rbfms` also frees the subtree that was left alone longest where a new one needs memory.",
    }
    depth: Option<Depth> = None; {
        name: "depth",
        value_name: "PLIES",
        help: "Bound on the depth in plies, 1 to 60, or none",
        detail: "`emilia` takes about 1.25 times as long as alpha-beta at this depth, in the mean of a game, and solves what \
                 alpha-beta solves at it; `best-first` and `extension` take a third to two thirds of alpha-beta's time. `korf-alpha-beta` searches to one depth, 6 if \
                 none is set; more time or positions do not make it search deeper.",
        read_by_all: true,
    }
    time: Option<Duration> = None; {
        name: "time",
        value_name: "SECONDS",
        help: "Seconds for a move, or none",
        detail: "Without it, the client's clock decides. Without a clock, a depth or a limit, a move at level 8 takes two seconds over a protocol.",
        read_by_all: true,
    }
    nodes: Option<u64> = None; {
        name: "nodes",
        value_name: "N",
        help: "Bound on the positions visited for a move, or none",
        detail: "What the default engine shows meanwhile, over NBoard and UGI, takes up to 1/64 more.",
        values: Values::Whole(1, u64::MAX),
        read_by_all: true,
    }
    seed: u64 = 0; {
        name: "seed",
        value_name: "N",
        help: "Seed of everything random",
        detail: "With `variety` or a `level` below 8, and without `seed`, what serves a client takes it from the time, so that its games differ.",
        values: Values::Whole(0, u64::MAX),
        read_by_all: true,
    }
    variety: Score = Score::ZERO; {
        name: "variety",
        value_name: "DISCS",
        help: "In the first twenty plies, play any move that is at most this many discs worse than the best",
        detail: "Without it, two engines without a book play one game for ever. `seed` repeats the moves. A best-first search leaves out a move on \
                 which it spent less than an eighth of what it spent on the best; with N discs, less than an eighth of an Nth.",
        values: Values::Discs(0, 64),
        read_by_all: true,
    }
    level: Level = Level::FULL; {
        name: "level",
        value_name: "N",
        help: "How strong to play: 1 (beginner) to 8 (full strength)",
        detail: "Below 8 a move loses some discs, at random by `seed`: from six in the mean at 1 to a seventh of a disc at 7 ([play.md](play.md#levels)). Every \
                 move is searched to the level's depth or `depth`, whichever is less; `book`, `variety` and `ponder` do not count. Values asked for are as \
                 at full strength. In `emilia play` the default is 4.",
        read_by_all: true,
    }
    book: Option<OpeningBook> = Some(OpeningBook::builtin()); {
        name: "book",
        value_name: "PATH",
        help: "Opening book to play from: a file, builtin for the one that is part of the program, or none",
        detail: "In this process's players of a match the default is none. `variety` chooses among the moves of the book too. [book.md](book.md) says how to \
                 make one.",
    }
    ponder: bool = false; {
        name: "ponder",
        value_name: "SWITCH",
        help: "Whether to think on, with all threads, while the opponent thinks",
        detail: "It ends after a minute. In `emilia play` the default is on.",
        read_by_all: true,
    }
    tie: Tie = Tie::Korf; {
        name: "tie",
        value_name: "RULE",
        help: "What a tie is worth to the korf engines: hardly more than a loss, as in the paper, or zero",
        is_for_experiments: true,
    }
    start_depth: Option<u8> = Some(3); {
        name: "start-depth",
        value_name: "PLIES",
        help: "Plies of alpha-beta that korf-extension begins with, 1 to 20, or none: a sixteenth of the evaluations",
        values: Values::Whole(1, 20),
        is_for_experiments: true,
    }
    best_first_depth: Option<u8> = None; {
        name: "best-first-depth",
        value_name: "PLIES",
        help: "Plies to the principal leaf at which a korf search has thought enough, 1 to 120, or none",
        values: Values::Whole(1, 120),
        is_for_experiments: true,
    }
    without: Option<Component> = None; {
        name: "without",
        value_name: "PART",
        help: "The part of best-first that is left out, to measure what it is worth, with one thread; or none",
        is_for_experiments: true,
    }
    c: Score = Score::from_discs(2); {
        name: "c",
        value_name: "DISCS",
        help: "The C of uct in discs: exploration constant, or temperature of the softmax selection",
        values: Values::Discs(0, MOST_DISCS_GIVEN),
        is_for_experiments: true,
    }
    fpu: Score = Score::from_discs(2); {
        name: "fpu",
        value_name: "DISCS",
        help: "The first-play urgency of uct in discs",
        is_for_experiments: true,
    }
    backup: Backup = Backup::default(); {
        name: "backup",
        value_name: "KIND",
        help: "What inner nodes of uct are worth: what their best child is, the mean of what was found below, or both weighed",
        is_for_experiments: true,
    }
    leaf: LeafValue = LeafValue::default(); {
        name: "leaf",
        value_name: "KIND",
        help: "What leaves of uct are worth: their value, or its sign alone",
        is_for_experiments: true,
    }
    leaf_depth: u8 = 0; {
        name: "leaf-depth",
        value_name: "PLIES",
        help: "Plies of alpha-beta at the leaves of uct, 0 to 8",
        values: Values::Whole(0, DEEPEST_LEAF),
        is_for_experiments: true,
    }
    selection: Selection = Selection::default(); {
        name: "selection",
        value_name: "KIND",
        help: "How uct chooses a leaf: by value and exploration term, or at random, better values more often",
        is_for_experiments: true,
    }
    transpositions: bool = false; {
        name: "transpositions",
        value_name: "SWITCH",
        help: "Whether uct merges positions that are reached in several ways",
        is_for_experiments: true,
    }
}

/// The threads that the machine runs at a time. Asked once: on Linux the answer is read from several files.
fn cores() -> u32 {
    static CORES: OnceLock<u32> = OnceLock::new();
    *CORES.get_or_init(|| {
        std::thread::available_parallelism().map_or(1, |n| n.get().min(EngineOptions::MOST_THREADS as usize) as u32)
    })
}

impl EngineOption {
    /// Every option, in the order in which they can be set one after the other.
    pub fn all() -> impl Iterator<Item = &'static EngineOption> {
        TABLE.iter()
    }

    /// The option with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<&'static EngineOption, OptionError> {
        let known = || texts(EngineOption::all().map(|option| option.name)).join(", ");
        let option = EngineOption::all().find(|option| option.name == name);
        option.ok_or_else(|| OptionError::Unknown(name.to_owned(), known()))
    }

    /// The option's default as text that [`EngineOption::set`] takes.
    pub fn default(&self) -> String {
        self.show(&EngineOptions::default())
    }

    /// Whether the option means something for this search.
    pub fn is_read_by(&self, search: &SearchEntry) -> bool {
        self.read_by_all || search.reads.contains(&self.name)
    }

    /// The warning for a client that sets the option though this search does not read it.
    pub fn warning(&self, search: &SearchEntry) -> Option<String> {
        (!self.is_read_by(search)).then(|| format!("{} is not read by {search}", self.name))
    }
}

impl EngineOptions {
    /// The most threads that are accepted.
    pub(super) const MOST_THREADS: u32 = 1024;

    /// Sets one option from text.
    ///
    /// # Errors
    /// If there is no such option, or it does not take the value; nothing changes then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        EngineOption::find(name)?.set(self, value)
    }

    /// The value of one option as text that [`EngineOptions::set`] takes.
    ///
    /// # Errors
    /// If there is no such option.
    pub fn get(&self, name: &str) -> Result<String, OptionError> {
        Ok(EngineOption::find(name)?.show(self))
    }

    /// The warning for a client that has set an option that the search or the evaluation does not read, or a book or an evaluation where another
    /// evaluation has grown the book.
    pub fn warning(&self, name: &str) -> Option<String> {
        let is_of_evaluation = ["eval", "eval-file"].contains(&name);
        let of_file = || {
            let is_unread = self.eval_file.is_some() && !self.reads_eval_file();
            (is_of_evaluation && is_unread).then(|| format!("eval-file is not read by {}", self.eval))
        };
        let of_book = || {
            // Nobody chose the book of the program.
            let is_chosen = |book: &&OpeningBook| book.to_string() != Book::BUILTIN;
            let is_asked_about = |book: &&OpeningBook| name == "book" || is_of_evaluation && is_chosen(book);
            let book = self.book_to_play_from().filter(is_asked_about)?;
            let is_other = book.weights()? != fingerprint(&*self.evaluator());
            is_other.then(|| "book: its values are another evaluation's".to_owned())
        };
        EngineOption::find(name).ok()?.warning(self.engine).or_else(of_file).or_else(of_book)
    }

    /// The warnings about all options that do not have their defaults.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let is_set = |option: &&EngineOption| option.show(self) != option.default();
        EngineOption::all().filter(is_set).filter_map(|option| self.warning(option.name))
    }

    fn reads_eval_file(&self) -> bool {
        matches!(self.eval, EvaluatorKind::Pattern | EvaluatorKind::PatternLinear)
    }

    /// The static evaluation that the options ask for.
    pub fn evaluator(&self) -> Arc<dyn Evaluator<Position>> {
        match (self.eval, &self.eval_file) {
            (_, Some(file)) if self.reads_eval_file() => file.evaluator(),
            (EvaluatorKind::Random, _) => Arc::new(Random::new(self.seed)),
            (kind, _) => kind.build(),
        }
    }

    /// The opening book, if the search plays from one.
    pub fn book_to_play_from(&self) -> Option<&OpeningBook> {
        self.book.as_ref().filter(|_| self.engine.reads.contains(&"book"))
    }

    /// Whether these options ask for the same static evaluation.
    pub fn evaluates_like(&self, other: &EngineOptions) -> bool {
        let same_data = match self.eval {
            _ if self.reads_eval_file() => self.eval_file == other.eval_file,
            EvaluatorKind::Random => self.seed == other.seed,
            _ => true,
        };
        self.eval == other.eval && same_data
    }

    /// The size of the transposition table in bytes.
    pub(crate) fn hash_bytes(&self) -> usize {
        megabytes(self.hash_mb)
    }

    /// The cap of the stored tree in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        megabytes(self.memory_mb)
    }

    /// Whether any option bounds how long a search may go on.
    pub fn is_bounded(&self) -> bool {
        self.depth.is_some() || self.time.is_some() || self.nodes.is_some()
    }
}

/// Bytes of a number of megabytes, or as many as can be counted.
pub(super) fn megabytes(n: u32) -> usize {
    (n as usize).saturating_mul(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Database;
    use crate::engine::{MINIMAX, searches};
    use crate::eval::pattern::{PackedWeights, Sharing, Weights};

    #[test]
    fn every_option_can_be_read_and_set_back() {
        let mut options = EngineOptions::default();
        for option in EngineOption::all() {
            option.set(&mut options, &option.default()).unwrap();
            assert_eq!(option.set(&mut options, "none").is_ok(), option.takes_none, "{}", option.name);
            option.set(&mut options, &option.default()).unwrap();
        }
        assert_eq!(options, EngineOptions::default());
    }

    #[test]
    fn names_are_unique_and_every_option_is_read_by_some_search() {
        for (i, option) in EngineOption::all().enumerate() {
            assert_eq!(EngineOption::all().position(|other| other.name == option.name), Some(i));
            assert!(
                option.is_for_experiments || searches().iter().any(|search| option.is_read_by(search)),
                "{}",
                option.name
            );
            assert!(!option.help.is_empty() && !option.help.ends_with('.'), "{}", option.name);
        }
        let warning = EngineOption::find("hash").unwrap().warning(&MINIMAX);
        assert_eq!(warning.as_deref(), Some("hash is not read by minimax"));
        assert_eq!(EngineOption::find("depth").unwrap().warning(&MINIMAX), None);
    }

    #[test]
    fn a_file_of_weights_is_read_when_it_is_set() {
        let mut options = EngineOptions::default();
        let length = Sharing::get().count();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        let file = path.to_str().unwrap();
        PackedWeights::new(1, 32, vec![8; length]).unwrap().write(&path).unwrap();
        options.set("eval-file", file).unwrap();
        options.set("eval", "pattern").unwrap();
        assert_eq!(options.get("eval-file").unwrap(), file);
        // A quarter of a disc for each of 64 patterns, for the mobilities and for the constant.
        assert_eq!(options.evaluator().evaluate(&Position::START), 66 * crate::game::DISC / 4);

        options.set("eval", "mobility").unwrap();
        for name in ["eval", "eval-file"] {
            assert_eq!(options.warning(name).as_deref(), Some("eval-file is not read by mobility"));
        }
        options.set("eval", "pattern").unwrap();
        assert_eq!(options.warnings().next(), None, "nobody chose the book of the program, which is of other weights");
        let book = folder.path().join("book");
        drop(Database::create(&book, 5).unwrap());
        options.set("book", book.to_str().unwrap()).unwrap();
        let of_book = "book: its values are another evaluation's";
        assert!(["book", "eval-file"].iter().all(|name| options.warning(name).as_deref() == Some(of_book)));
        options.set("book", "none").unwrap();

        let before = options.clone();
        assert!(before.evaluates_like(&options));
        std::fs::write(&path, "weights").unwrap();
        let error = options.set("eval-file", file).unwrap_err().to_string();
        assert!(error.starts_with("eval-file") && error.contains(file) && error.contains("magic"), "{error}");
        assert_eq!(options, before);
        PackedWeights::new(1, 32, vec![1; length]).unwrap().write(&path).unwrap();
        options.set("eval-file", file).unwrap();
        assert!(!options.evaluates_like(&before), "other weights under the old name");
        std::fs::remove_file(&path).unwrap();
        let error = options.set("eval-file", file).unwrap_err().to_string();
        assert!(error.starts_with("eval-file"), "{error}");
    }

    #[test]
    fn the_seed_is_part_of_the_random_evaluation_alone() {
        let seeded = |eval, seed| EngineOptions { eval, seed, ..EngineOptions::default() };
        let value = |options: &EngineOptions| options.evaluator().evaluate(&Position::START);
        for (eval, differs) in [(EvaluatorKind::Random, true), (EvaluatorKind::Mobility, false)] {
            let (one, other) = (seeded(eval, 1), seeded(eval, 2));
            assert_eq!(one.evaluates_like(&other), !differs);
            assert_eq!(value(&one) != value(&other), differs);
        }
    }

    #[test]
    fn each_limit_alone_bounds_a_search() {
        assert!(!EngineOptions::default().is_bounded());
        for (name, value) in [("depth", "3"), ("time", "1"), ("nodes", "1000")] {
            let mut options = EngineOptions::default();
            options.set(name, value).unwrap();
            assert!(options.is_bounded(), "{name}");
        }
    }

    #[test]
    fn refusals_name_the_option_and_the_range() {
        let mut options = EngineOptions::default();
        for (name, value) in [
            ("engine", "deep-blue"),
            ("eval", ""),
            ("hash", "0"),
            ("hash", "-1"),
            ("memory", "99999999999999999999"),
            ("on-memory-cap", "explode"),
            ("depth", "61"),
            ("time", "NaN"),
            ("time", "-1"),
            ("variety", "65"),
            ("threads", "0"),
            ("selectivity", "74"),
            ("tie", "half"),
            ("start-depth", "0"),
            ("best-first-depth", "121"),
            ("c", "-1"),
            ("c", "inf"),
            ("fpu", "1001"),
            ("backup", "sum"),
            ("leaf", ""),
            ("leaf-depth", "9"),
            ("selection", "random"),
            ("transpositions", "yes"),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("expected"), "{error}");
        }
        assert!(options.set("colour", "red").unwrap_err().to_string().contains("variety"));
        assert_eq!(options, EngineOptions::default());
    }
}
