//! An option by itself: what it is called, what it takes, how it is read from text and shown as text.

use crate::game::DISC;
use crate::search::{Score, Selectivity};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// Why an option was refused. The message names the option and what it takes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is no option of the first name; the second text has the names that there are.
    #[error("unknown option '{0}'; expected one of: {1}")]
    Unknown(String, String),
    /// The option does not take this value.
    #[error("{name}: '{value}' is not valid; expected {expected}")]
    Invalid {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// The values that the option takes.
        expected: String,
    },
    /// The file cannot be used.
    #[error("{name}: '{path}' is refused: {problem}")]
    File {
        /// The option.
        name: &'static str,
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The system does not have the memory that an option asks for, in MB.
    #[error("{0}: {1} MB of memory could not be had on this machine")]
    NoMemory(&'static str, u32),
}

impl OptionError {
    /// The name and what is wrong, in few words: for a client that shows no more.
    pub fn in_short(&self) -> String {
        match self {
            OptionError::Unknown(name, _) => format!("unknown option '{name}'"),
            OptionError::Invalid { name, value, .. } => format!("{name}: '{value}' is not valid"),
            OptionError::File { name, problem, .. } => format!("{name}: {problem}"),
            OptionError::NoMemory(name, mb) => format!("{name}: no memory for {mb} MB"),
        }
    }
}

/// An option among those of `O`.
#[derive(Debug)]
pub struct OptionEntry<O> {
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
    /// Whether the option is only for experiments: of the searches as they were published, or to measure a part of a search.
    pub is_for_experiments: bool,
    /// Whether the option has a meaning for every search without being built into them.
    pub(super) read_by_all: bool,
    pub(super) set: fn(&mut O, &Given) -> Result<(), OptionError>,
    pub(super) show: fn(&O) -> String,
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
    /// A number of seconds, from [`LEAST_SECONDS`] to [`MOST_SECONDS`].
    Seconds,
    /// The path of a file.
    Path,
}

/// The shortest time for a move, in seconds.
pub const LEAST_SECONDS: f64 = 0.001;
/// The longest time for a move, in seconds.
pub const MOST_SECONDS: f64 = 1e6;

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Names(names) => write!(f, "one of: {}", names().join(", ")),
            Values::Percent => write!(f, "one of: {}", texts(Selectivity::all()).join(", ")),
            Values::Whole(least, u64::MAX) => write!(f, "a whole number of at least {least}"),
            Values::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Values::Discs(least, most) => write!(f, "discs from {least} to {most}"),
            Values::Seconds => write!(f, "seconds from {LEAST_SECONDS} to {MOST_SECONDS}"),
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
    name: &'static str,
    values: Values,
    pub text: &'a str,
}

impl Given<'_> {
    fn or_refused<T>(&self, value: Option<T>) -> Result<T, OptionError> {
        let Given { name, values, text } = *self;
        value.ok_or_else(|| OptionError::Invalid { name, value: text.to_owned(), expected: values.to_string() })
    }

    pub fn parsed<T: FromStr>(&self) -> Result<T, OptionError> {
        self.or_refused(self.text.parse().ok())
    }

    /// The one of several values whose name is the text.
    pub fn named<T: Copy + fmt::Display>(&self, known: &[T]) -> Result<T, OptionError> {
        self.or_refused(known.iter().copied().find(|one| one.to_string() == self.text))
    }

    pub fn whole<T: TryFrom<u64>>(&self) -> Result<T, OptionError> {
        let Values::Whole(least, most) = self.values else { unreachable!("the option takes a whole number") };
        let number = self.text.parse().ok().filter(|number| (least..=most).contains(number));
        self.or_refused(number.and_then(|number| T::try_from(number).ok()))
    }

    pub fn discs(&self) -> Result<Score, OptionError> {
        let Values::Discs(least, most) = self.values else { unreachable!("the option takes discs") };
        let range = f64::from(least)..=f64::from(most);
        let discs = self.text.parse::<f64>().ok().filter(|discs| range.contains(discs));
        self.or_refused(discs.map(|discs| Score::from_units((discs * f64::from(DISC)).round() as i32)))
    }

    pub fn seconds(&self) -> Result<Duration, OptionError> {
        let seconds = self.text.parse().ok().filter(|seconds| (LEAST_SECONDS..=MOST_SECONDS).contains(seconds));
        self.or_refused(seconds.map(Duration::from_secs_f64))
    }
}

impl<O> OptionEntry<O> {
    /// The template of most options.
    pub(super) const PLAIN: OptionEntry<O> = OptionEntry {
        name: "",
        value_name: "",
        help: "",
        detail: "",
        values: Values::Path,
        takes_none: false,
        default_in_words: None,
        is_for_experiments: false,
        read_by_all: false,
        set: |_, _| Ok(()),
        show: |_| String::new(),
    };

    /// Sets the option from text.
    ///
    /// # Errors
    /// If the option does not take the text; nothing changes then.
    pub fn set(&self, options: &mut O, text: &str) -> Result<(), OptionError> {
        (self.set)(options, &Given { name: self.name, values: self.values, text })
    }

    /// All values that the option takes, `none` too, if they have names or are percentages.
    pub fn names(&self) -> Option<Vec<String>> {
        let names = match self.values {
            Values::Names(names) => names(),
            Values::Percent => texts(Selectivity::all()),
            Values::Whole(..) | Values::Discs(..) | Values::Seconds | Values::Path => return None,
        };
        Some(names.into_iter().chain(self.takes_none.then(|| "none".to_owned())).collect())
    }

    /// The option's value as text that [`OptionEntry::set`] takes.
    pub fn show(&self, options: &O) -> String {
        (self.show)(options)
    }
}
