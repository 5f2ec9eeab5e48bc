//! The table of options: everything that is known of each stands in one entry. The command line, GTP, NBoard and
//! `docs/options.md` are made from it.

use super::options::{EvalFile, check_weights};
use super::searches::{SearchEntry, searches};
use super::{EngineOptions, OptionError, published};
use crate::eval::EvaluatorKind;
use crate::game::DISC;
use crate::search::{Depth, OnMemoryCap, Score, Selectivity};
use std::fmt;
use std::str::FromStr;
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
#[derive(Debug)]
pub struct EngineOption {
    /// The name in every protocol; on the command line behind `--`.
    pub name: &'static str,
    /// The name of the value in the help.
    pub value_name: &'static str,
    /// What the option does, without a full stop.
    pub help: &'static str,
    /// What `docs/options.md` says besides, in sentences.
    pub detail: &'static str,
    /// The values that the option takes.
    pub values: Values,
    /// Whether the option also takes `none`.
    pub takes_none: bool,
    /// The default in words, where it depends on the machine or on how the engine is used.
    pub default_in_words: Option<&'static str>,
    /// Whether the option is only for the searches as they were published.
    pub is_of_published_search: bool,
    /// Whether the option has a meaning for every search without being built into them.
    pub(super) read_by_all: bool,
    pub(super) set: fn(&mut EngineOptions, &Given) -> Result<(), OptionError>,
    pub(super) show: fn(&EngineOptions) -> String,
}

/// The values that an option takes besides `none`. Displayed, they are what an error message expects.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these names.
    Names(fn() -> Vec<String>),
    /// The percentage of a [`Selectivity`].
    Percent,
    /// A whole number, from the least to the greatest.
    Whole(u64, u64),
    /// A number of discs, from the least to the greatest.
    Discs(i32, i32),
    /// A number of seconds, from [`SHORTEST`] to [`LONGEST`].
    Seconds,
    /// The path of a file.
    Path,
}

/// The shortest time for a move, in seconds.
pub const SHORTEST: f64 = 0.001;
/// The longest time for a move, in seconds.
pub const LONGEST: f64 = 1e6;

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Names(names) => write!(f, "one of: {}", names().join(", ")),
            Values::Percent => write!(f, "one of: {}", texts(Selectivity::all()).join(", ")),
            Values::Whole(least, u64::MAX) => write!(f, "a whole number of at least {least}"),
            Values::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Values::Discs(least, most) => write!(f, "discs from {least} to {most}"),
            Values::Seconds => write!(f, "seconds from {SHORTEST} to {LONGEST}"),
            Values::Path => f.write_str("the path of a file"),
        }
    }
}

/// The names of values.
pub(super) fn texts<T: fmt::Display>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

/// A text that an option is to be set to.
pub(super) struct Given<'a> {
    option: &'static EngineOption,
    text: &'a str,
}

impl Given<'_> {
    fn or_refused<T>(&self, value: Option<T>) -> Result<T, OptionError> {
        let EngineOption { name, values, .. } = *self.option;
        value.ok_or_else(|| OptionError::Invalid { name, value: self.text.to_owned(), expected: values.to_string() })
    }

    /// `None` for the text `none`, or what is read from any other text.
    pub fn unless_none<T>(&self, read: fn(&Self) -> Result<T, OptionError>) -> Result<Option<T>, OptionError> {
        if self.text == "none" { Ok(None) } else { read(self).map(Some) }
    }

    pub fn parsed<T: FromStr>(&self) -> Result<T, OptionError> {
        self.or_refused(self.text.parse().ok())
    }

    /// The one of several values whose name is the text.
    pub fn named<T: Copy + fmt::Display>(&self, known: &[T]) -> Result<T, OptionError> {
        self.or_refused(known.iter().copied().find(|one| one.to_string() == self.text))
    }

    pub fn whole<T: TryFrom<u64>>(&self) -> Result<T, OptionError> {
        let Values::Whole(least, most) = self.option.values else { unreachable!("the option takes a whole number") };
        let number = self.text.parse().ok().filter(|number| (least..=most).contains(number));
        self.or_refused(number.and_then(|number| T::try_from(number).ok()))
    }

    pub fn discs(&self) -> Result<Score, OptionError> {
        let Values::Discs(least, most) = self.option.values else { unreachable!("the option takes discs") };
        let range = f64::from(least)..=f64::from(most);
        let discs = self.text.parse::<f64>().ok().filter(|discs| range.contains(discs));
        self.or_refused(discs.map(|discs| Score::from_units((discs * f64::from(DISC)).round() as i32)))
    }

    fn seconds(&self) -> Result<Duration, OptionError> {
        let seconds = self.text.parse().ok().filter(|seconds| (SHORTEST..=LONGEST).contains(seconds));
        self.or_refused(seconds.map(Duration::from_secs_f64))
    }
}

/// Sets `place` to an option's value, unless the text was refused.
pub(super) fn put<T>(place: &mut T, value: Result<T, OptionError>) -> Result<(), OptionError> {
    *place = value?;
    Ok(())
}

pub(super) fn or_none<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

impl EngineOption {
    /// The template of most options.
    pub(super) const PLAIN: EngineOption = EngineOption {
        name: "",
        value_name: "",
        help: "",
        detail: "",
        values: Values::Path,
        takes_none: false,
        default_in_words: None,
        is_of_published_search: false,
        read_by_all: false,
        set: |_, _| Ok(()),
        show: |_| String::new(),
    };

    /// Every option, in the order in which they can be set one after the other.
    pub fn all() -> impl Iterator<Item = &'static EngineOption> {
        TABLE.iter().chain(published::TABLE)
    }

    /// The option with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<&'static EngineOption, OptionError> {
        EngineOption::all().find(|option| option.name == name).ok_or_else(|| OptionError::Unknown(name.to_owned()))
    }

    /// Sets the option from text.
    ///
    /// # Errors
    /// If the option does not take the text; nothing changes then.
    pub fn set(&'static self, options: &mut EngineOptions, text: &str) -> Result<(), OptionError> {
        (self.set)(options, &Given { option: self, text })
    }

    /// The option's value as text that [`EngineOption::set`] takes.
    pub fn show(&self, options: &EngineOptions) -> String {
        (self.show)(options)
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

/// The options of the engine; those of the searches as they were published stand in [`published::TABLE`].
static TABLE: &[EngineOption] = &[
    EngineOption {
        name: "engine",
        value_name: "NAME",
        help: "The search",
        values: Values::Names(|| texts(searches())),
        read_by_all: true,
        default_in_words: Some("`emilia` where a client is served, else `alpha-beta`"),
        set: |options, given| put(&mut options.engine, given.named(&searches())),
        show: |options| options.engine.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "eval-file",
        value_name: "PATH",
        help: "Weights of the pattern evaluation, or none: those that are part of the program",
        takes_none: true,
        read_by_all: true,
        set: |options, given| {
            let file = given.unless_none(|given| EvalFile::read(given.text))?;
            check_weights("eval-file", options.eval, file.as_ref())?;
            options.eval_file = file;
            Ok(())
        },
        show: |options| or_none(options.eval_file.as_ref().map(EvalFile::path)),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "eval",
        value_name: "NAME",
        help: "The static evaluation",
        detail: "[evaluation.md](evaluation.md) describes them.",
        values: Values::Names(|| texts(EvaluatorKind::ALL)),
        read_by_all: true,
        set: |options, given| {
            let eval = given.named(&EvaluatorKind::ALL)?;
            check_weights("eval", eval, options.eval_file.as_ref())?;
            options.eval = eval;
            Ok(())
        },
        show: |options| options.eval.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "threads",
        value_name: "N",
        help: "Search threads of emilia, alpha-beta, best-first and extension",
        detail: "`emilia`, `best-first` and `extension` use at most 192 in their trees, and one where the memory is less than 16 MB. `emilia analyze` \
                 shares them out among positions.",
        values: Values::Whole(1, EngineOptions::MOST_THREADS as u64),
        default_in_words: Some("the cores"),
        set: |options, given| put(&mut options.threads, given.whole()),
        show: |options| options.threads.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "selectivity",
        value_name: "PERCENT",
        help: "How sure alpha-beta's cuts on the word of a shallower search are, in percent; 100 for none",
        detail: "The score of a solved position is exact in any case.",
        values: Values::Percent,
        set: |options, given| put(&mut options.selectivity, given.parsed()),
        show: |options| options.selectivity.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "hash",
        value_name: "MB",
        help: "Size of the transposition table in MB, taken as it fills",
        values: Values::Whole(1, 1 << 20),
        set: |options, given| put(&mut options.hash_mb, given.whole()),
        show: |options| options.hash_mb.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "memory",
        value_name: "MB",
        help: "Cap of the stored tree in MB, taken as it fills",
        values: Values::Whole(1, 1 << 20),
        set: |options, given| put(&mut options.memory_mb, given.whole()),
        show: |options| options.memory_mb.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "on-memory-cap",
        value_name: "WAY",
        help: "What to do when the tree has filled its memory: go on in linear space, free the least promising subtrees, or end \
               the search",
        detail: "With several threads, `rbfms` also frees the subtree that was left alone longest where a new one needs memory.",
        values: Values::Names(|| texts(OnMemoryCap::ALL)),
        set: |options, given| put(&mut options.on_memory_cap, given.named(OnMemoryCap::ALL)),
        show: |options| options.on_memory_cap.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "depth",
        value_name: "PLIES",
        help: "Bound on the depth in plies, 1 to 60, or none",
        detail: "The best-first family gets the evaluations that alpha-beta spends on average at this depth; `emilia` also solves \
                 what alpha-beta solves at it.",
        values: Values::Whole(Depth::LEAST.plies() as u64, Depth::MOST.plies() as u64),
        takes_none: true,
        read_by_all: true,
        set: |options, given| put(&mut options.depth, given.unless_none(Given::parsed)),
        show: |options| or_none(options.depth),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "time",
        value_name: "SECONDS",
        help: "Time per move, or none: the client's clock",
        detail: "Without a clock, a depth or a limit, a move takes two seconds.",
        values: Values::Seconds,
        takes_none: true,
        read_by_all: true,
        set: |options, given| put(&mut options.time, given.unless_none(Given::seconds)),
        show: |options| or_none(options.time.map(|time| time.as_secs_f64())),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "nodes",
        value_name: "N",
        help: "Bound on the positions visited for a move, or none",
        values: Values::Whole(1, u64::MAX),
        takes_none: true,
        read_by_all: true,
        set: |options, given| put(&mut options.nodes, given.unless_none(Given::whole)),
        show: |options| or_none(options.nodes),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "seed",
        value_name: "N",
        help: "Seed of everything random",
        values: Values::Whole(0, u64::MAX),
        read_by_all: true,
        set: |options, given| put(&mut options.seed, given.whole()),
        show: |options| options.seed.to_string(),
        ..EngineOption::PLAIN
    },
    EngineOption {
        name: "variety",
        value_name: "DISCS",
        help: "In the first twelve plies, play any move within this many discs of the best",
        detail: "Without it, two engines without a book play one game for ever.",
        values: Values::Discs(0, 64),
        read_by_all: true,
        set: |options, given| put(&mut options.variety, given.discs()),
        show: |options| options.variety.discs().to_string(),
        ..EngineOption::PLAIN
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::MINIMAX;

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
                option.is_of_published_search || searches().iter().any(|search| option.is_read_by(search)),
                "{}",
                option.name
            );
            assert!(!option.help.is_empty() && !option.help.ends_with('.'), "{}", option.name);
        }
        let warning = EngineOption::find("hash").unwrap().warning(&MINIMAX);
        assert_eq!(warning.as_deref(), Some("hash is not read by minimax"));
        assert_eq!(EngineOption::find("depth").unwrap().warning(&MINIMAX), None);
    }
}
