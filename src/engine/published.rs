//! Options of the searches as they were published, by the same names everywhere.

use super::option_table::{EngineOption, Given, Values, or_none, put, texts};
use super::uct_options::{Backup, LeafValue, Selection};
use crate::search::{Score, Tie};
use strum::VariantArray;

/// Options of the engines `korf-best-first`, `korf-extension` and `uct`; the other engines do not read them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedOptions {
    /// What a tie is worth to `korf-best-first` and `korf-extension`.
    pub tie: Tie,
    /// Plies of alpha-beta that `korf-extension` begins with, 1 to 20; if unset, as deep as a sixteenth of the
    /// evaluations goes.
    pub start_depth: Option<u8>,
    /// Plies from the root to the principal leaf at which `korf-best-first` and `korf-extension` have thought enough, 1
    /// to 120.
    pub best_first_depth: Option<u8>,
    /// The C of `uct`, 0 to 1,000 discs.
    pub c: Score,
    /// The first-play urgency of `uct`, −1,000 to 1,000 discs.
    pub fpu: Score,
    /// What inner nodes of `uct` are worth.
    pub backup: Backup,
    /// What leaves of `uct` are worth.
    pub leaf: LeafValue,
    /// Plies of alpha-beta at the leaves of `uct`, 0 to 8.
    pub leaf_depth: u8,
    /// How `uct` chooses a leaf.
    pub selection: Selection,
    /// Whether `uct` merges positions that are reached in several ways.
    pub transpositions: bool,
}

impl Default for PublishedOptions {
    fn default() -> PublishedOptions {
        PublishedOptions {
            tie: Tie::Korf,
            start_depth: Some(3),
            best_first_depth: None,
            c: Score::from_discs(2),
            fpu: Score::from_discs(2),
            backup: Backup::default(),
            leaf: LeafValue::default(),
            leaf_depth: 0,
            selection: Selection::default(),
            transpositions: false,
        }
    }
}

/// The most plies of alpha-beta at a leaf of `uct`.
const DEEPEST_LEAF: u64 = 8;
/// The largest absolute value of an option of `uct` in discs.
const MOST_DISCS: i32 = 1000;
const SWITCH: [&str; 2] = ["off", "on"];

/// The template of the options of the published searches.
const PLAIN: EngineOption = EngineOption { is_of_published_search: true, ..EngineOption::PLAIN };
/// The options of the searches as they were published.
pub(super) static TABLE: &[EngineOption] = &[
    EngineOption {
        name: "tie",
        value_name: "RULE",
        help: "What a tie is worth to the korf engines: hardly more than a loss, as in the paper, or zero",
        values: Values::Names(|| texts(Tie::ALL)),
        set: |options, given| put(&mut options.published.tie, given.named(Tie::ALL)),
        show: |options| options.published.tie.to_string(),
        ..PLAIN
    },
    EngineOption {
        name: "start-depth",
        value_name: "PLIES",
        help: "Plies of alpha-beta that korf-extension begins with, 1 to 20, or none: a sixteenth of the evaluations",
        values: Values::Whole(1, 20),
        takes_none: true,
        set: |options, given| put(&mut options.published.start_depth, given.unless_none(Given::whole)),
        show: |options| or_none(options.published.start_depth),
        ..PLAIN
    },
    EngineOption {
        name: "best-first-depth",
        value_name: "PLIES",
        help: "Plies to the principal leaf at which a korf search has thought enough, 1 to 120, or none",
        values: Values::Whole(1, 120),
        takes_none: true,
        set: |options, given| put(&mut options.published.best_first_depth, given.unless_none(Given::whole)),
        show: |options| or_none(options.published.best_first_depth),
        ..PLAIN
    },
    EngineOption {
        name: "c",
        value_name: "DISCS",
        help: "The C of uct in discs: exploration constant, or temperature of the softmax selection",
        values: Values::Discs(0, MOST_DISCS),
        set: |options, given| put(&mut options.published.c, given.discs()),
        show: |options| options.published.c.discs().to_string(),
        ..PLAIN
    },
    EngineOption {
        name: "fpu",
        value_name: "DISCS",
        help: "The first-play urgency of uct in discs",
        values: Values::Discs(-MOST_DISCS, MOST_DISCS),
        set: |options, given| put(&mut options.published.fpu, given.discs()),
        show: |options| options.published.fpu.discs().to_string(),
        ..PLAIN
    },
    EngineOption {
        name: "backup",
        value_name: "KIND",
        help: "What inner nodes of uct are worth: what their best child is, or the mean of what was found below",
        values: Values::Names(|| texts(Backup::VARIANTS)),
        set: |options, given| put(&mut options.published.backup, given.named(Backup::VARIANTS)),
        show: |options| options.published.backup.to_string(),
        ..PLAIN
    },
    EngineOption {
        name: "leaf",
        value_name: "KIND",
        help: "What leaves of uct are worth: their value, or its sign alone",
        values: Values::Names(|| texts(LeafValue::VARIANTS)),
        set: |options, given| put(&mut options.published.leaf, given.named(LeafValue::VARIANTS)),
        show: |options| options.published.leaf.to_string(),
        ..PLAIN
    },
    EngineOption {
        name: "leaf-depth",
        value_name: "PLIES",
        help: "Plies of alpha-beta at the leaves of uct, 0 to 8",
        values: Values::Whole(0, DEEPEST_LEAF),
        set: |options, given| put(&mut options.published.leaf_depth, given.whole()),
        show: |options| options.published.leaf_depth.to_string(),
        ..PLAIN
    },
    EngineOption {
        name: "selection",
        value_name: "KIND",
        help: "How uct chooses a leaf: by value and exploration term, or by lot",
        values: Values::Names(|| texts(Selection::VARIANTS)),
        set: |options, given| put(&mut options.published.selection, given.named(Selection::VARIANTS)),
        show: |options| options.published.selection.to_string(),
        ..PLAIN
    },
    EngineOption {
        name: "transpositions",
        value_name: "SWITCH",
        help: "Whether uct merges positions that are reached in several ways",
        values: Values::Names(|| texts(SWITCH)),
        set: |options, given| put(&mut options.published.transpositions, given.named(&SWITCH).map(|on| on == "on")),
        show: |options| SWITCH[usize::from(options.published.transpositions)].to_owned(),
        ..PLAIN
    },
];
