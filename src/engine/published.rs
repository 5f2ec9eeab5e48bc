//! Options of the searches as they were published, by the same names everywhere.

use super::EngineKind;
use super::option_table::{EngineOption, Given, Values, or_none, put, texts};
use crate::search::{
    AlphaBetaStart, Backup, BestFirstSettings, EndValues, LeafValue, Score, Selection, Tie, UctSettings,
};

/// What the engines `korf-best-first`, `korf-extension` and `uct` can be told; the others do not listen.
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
    /// Plies of alpha-beta at the leaves of `uct`, 0 to [`UctSettings::DEEPEST_LEAF`].
    pub leaf_depth: u8,
    /// How `uct` chooses a leaf.
    pub selection: Selection,
    /// Whether `uct` merges positions that are reached in several ways.
    pub transpositions: bool,
}

impl Default for PublishedOptions {
    fn default() -> PublishedOptions {
        let uct = UctSettings::default();
        PublishedOptions {
            tie: Tie::Korf,
            start_depth: Some(3),
            best_first_depth: None,
            c: Score::from_units(uct.c as i32),
            fpu: Score::from_units(uct.fpu as i32),
            backup: uct.backup,
            leaf: uct.leaf,
            leaf_depth: uct.leaf_depth as u8,
            selection: uct.selection,
            transpositions: uct.transpositions,
        }
    }
}

impl PublishedOptions {
    /// Pure best-first search with these options.
    pub(super) fn korf_best_first(&self) -> BestFirstSettings {
        BestFirstSettings {
            ends: EndValues::Infinite(self.tie),
            depth: self.best_first_depth.map(u32::from),
            ..BestFirstSettings::korf()
        }
    }

    /// Best-first extension with these options.
    pub(super) fn korf_extension(&self) -> BestFirstSettings {
        let start = match self.start_depth {
            Some(depth) => AlphaBetaStart::Depth(depth.into()),
            None => AlphaBetaStart::Share { divisor: 16 },
        };
        BestFirstSettings { start, ..self.korf_best_first() }
    }

    /// UCT with these options.
    pub(super) fn uct(&self) -> UctSettings {
        let ends = match (self.backup, self.leaf) {
            (Backup::Overwrite, LeafValue::Raw) => EndValues::Infinite(Tie::Zero),
            // A mean has no use for infinities, and neither has a win that is worth one unit.
            _ => EndValues::Outcome,
        };
        UctSettings {
            c: self.c.units() as f32,
            fpu: self.fpu.units() as f32,
            backup: self.backup,
            leaf: self.leaf,
            leaf_depth: self.leaf_depth.into(),
            selection: self.selection,
            transpositions: self.transpositions,
            ends,
            ..UctSettings::default()
        }
    }
}

/// The largest constant, in discs.
const MOST_DISCS: i32 = 1000;
const SWITCH: [&str; 2] = ["off", "on"];

/// What the options of the published searches are like.
const PLAIN: EngineOption = EngineOption { is_of_published_search: true, ..EngineOption::PLAIN };
/// What those of `uct` alone are like.
const OF_UCT: EngineOption = EngineOption { built_into: &[EngineKind::Uct], ..PLAIN };

/// The options of the searches as they were published.
pub(super) static TABLE: &[EngineOption] = &[
    EngineOption {
        name: "tie",
        value_name: "RULE",
        help: "What a tie is worth to the korf engines: hardly more than a loss, as in the paper, or zero",
        values: Values::Names(|| texts(Tie::ALL)),
        built_into: &[EngineKind::KorfBestFirst, EngineKind::KorfExtension],
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
        built_into: &[EngineKind::KorfExtension],
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
        built_into: &[EngineKind::KorfBestFirst, EngineKind::KorfExtension],
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
        ..OF_UCT
    },
    EngineOption {
        name: "fpu",
        value_name: "DISCS",
        help: "The first-play urgency of uct in discs",
        values: Values::Discs(-MOST_DISCS, MOST_DISCS),
        set: |options, given| put(&mut options.published.fpu, given.discs()),
        show: |options| options.published.fpu.discs().to_string(),
        ..OF_UCT
    },
    EngineOption {
        name: "backup",
        value_name: "KIND",
        help: "What inner nodes of uct are worth: what their best child is, or the mean of what was found below",
        values: Values::Names(|| texts(Backup::ALL)),
        set: |options, given| put(&mut options.published.backup, given.named(Backup::ALL)),
        show: |options| options.published.backup.to_string(),
        ..OF_UCT
    },
    EngineOption {
        name: "leaf",
        value_name: "KIND",
        help: "What leaves of uct are worth: their value, or its sign alone",
        values: Values::Names(|| texts(LeafValue::ALL)),
        set: |options, given| put(&mut options.published.leaf, given.named(LeafValue::ALL)),
        show: |options| options.published.leaf.to_string(),
        ..OF_UCT
    },
    EngineOption {
        name: "leaf-depth",
        value_name: "PLIES",
        help: "Plies of alpha-beta at the leaves of uct, 0 to 8",
        values: Values::Whole(0, UctSettings::DEEPEST_LEAF as u64),
        set: |options, given| put(&mut options.published.leaf_depth, given.whole()),
        show: |options| options.published.leaf_depth.to_string(),
        ..OF_UCT
    },
    EngineOption {
        name: "selection",
        value_name: "KIND",
        help: "How uct chooses a leaf: by value and exploration term, or by lot",
        values: Values::Names(|| texts(Selection::ALL)),
        set: |options, given| put(&mut options.published.selection, given.named(Selection::ALL)),
        show: |options| options.published.selection.to_string(),
        ..OF_UCT
    },
    EngineOption {
        name: "transpositions",
        value_name: "SWITCH",
        help: "Whether uct merges positions that are reached in several ways",
        values: Values::Names(|| texts(SWITCH)),
        set: |options, given| put(&mut options.published.transpositions, given.named(&SWITCH).map(|on| on == "on")),
        show: |options| SWITCH[usize::from(options.published.transpositions)].to_owned(),
        ..OF_UCT
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;

    #[test]
    fn options_reach_the_searches() {
        let mut engine = EngineOptions::default();
        let mut set = |name, value| {
            engine.set(name, value).unwrap();
            engine.published
        };
        let options = PublishedOptions::default();
        assert_eq!(options.korf_best_first().ends, EndValues::Infinite(Tie::Korf));
        set("tie", "zero");
        set("best-first-depth", "19");
        let options = set("start-depth", "5");
        assert_eq!(options.korf_best_first().ends, EndValues::Infinite(Tie::Zero));
        assert_eq!((options.korf_extension().depth, options.korf_best_first().depth), (Some(19), Some(19)));
        assert_eq!(options.korf_extension().start, AlphaBetaStart::Depth(5));
        assert_eq!(options.korf_best_first().start, AlphaBetaStart::None);
        let options = set("start-depth", "none");
        assert_eq!(options.korf_extension().start, AlphaBetaStart::Share { divisor: 16 });
        let options = set("c", "1.5");
        assert_eq!(options.uct().c, 192.0);
        assert_eq!(options.uct().ends, EndValues::Infinite(Tie::Zero));
        let options = set("backup", "average");
        assert_eq!(options.uct().ends, EndValues::Outcome);
    }
}
