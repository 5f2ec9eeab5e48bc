//! What a match is: read from a file and the command line, checked once.

use super::opening_source::{OpeningChoice, OpeningError, OpeningSource};
use super::player::{PlayerKind, PlayerSpec, PlayerText, SpecError, Timeouts};
use super::schedule::TournamentFormat;
use super::sprt::{Sprt, SprtError};
use crate::clock::time_control::{Terms, TimeControl};
use crate::search::Depth;
use crate::shard::{Shard, ShardError};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A match as a TOML file or the command line has it; the docs of the fields are the help of the command line. Everything may be left
/// out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Args)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchText {
    /// The players.
    #[arg(skip)]
    #[serde(default)]
    pub player: Vec<PlayerText>,
    /// round-robin, or gauntlet: the first player against each other one
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<TournamentFormat>,
    /// four-ply (all 244), classes (60 of them, one of each symmetry class), random:N plies, or a file of games or positions
    /// in any format [default: random:8]
    #[arg(long, value_name = "SOURCE")]
    pub openings: Option<String>,
    /// Cut openings from files after N plies
    #[arg(long, value_name = "N")]
    pub opening_plies: Option<u32>,
    /// Play openings in the order of their source instead of one that the seed decides
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub in_order: Option<bool>,
    /// Seed of random openings and of their order [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Pairs of games for each pairing [default: one for each opening; with random openings 100, or 20000 with
    /// --sprt]
    #[arg(long, value_name = "N", conflicts_with = "games")]
    pub pairs: Option<u64>,
    /// Games per pairing, in place of --pairs; an even number
    #[arg(long, value_name = "N")]
    pub games: Option<u64>,
    /// Time in seconds: 60 a game, 60+0.5 with an increment, or move:0.2 for each move
    #[arg(long, value_name = "CLOCK")]
    pub clock: Option<TimeControl>,
    /// Fixed depth in plies
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<Depth>,
    /// Fixed number of positions visited for a move
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Seconds that a move may take beyond the clock [default: 0.1]
    #[arg(long, value_name = "SECONDS")]
    pub grace: Option<f64>,
    /// Games played at a time [default: 1]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// Let the solver decide games from this number of empty squares on, 1 to 20 [default: never]
    #[arg(long, value_name = "EMPTIES")]
    pub adjudicate: Option<u32>,
    /// Stop as soon as a sequential test has decided, or after --pairs: `ELO0,ELO1[,ALPHA,BETA]`, rates 0.05 if left out
    #[arg(long, value_name = "TEST", value_parser = Sprt::parse, allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,
    /// Play only the pairs of games whose number, from 0, leaves the rest I when divided by N; `emilia merge --out FOLDER`
    /// puts the folders of the parts together, and --resume reports on the whole
    #[arg(long, value_name = "I/N", conflicts_with = "sprt")]
    pub shard: Option<String>,
    /// Write games.jsonl, games.ggf and report.txt, .json and .html to this folder
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Leave times out of the log, so that matches between deterministic players give the same log byte by byte
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub reproducible: Option<bool>,
    /// Seconds for a program to get ready [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub start_timeout: Option<f64>,
    /// Seconds for an answer that needs no thought [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub reply_timeout: Option<f64>,
    /// Seconds for a move without a clock [default: 600]
    #[arg(long, value_name = "SECONDS")]
    pub move_timeout: Option<f64>,
}

impl MatchText {
    /// Reads a TOML file.
    pub fn read(path: &Path) -> Result<MatchText, SettingsError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| SettingsError::File(name.clone(), error))?;
        toml::from_str(&text).map_err(|error| SettingsError::Toml(name, Box::new(error)))
    }

    /// This text with what another says in place of its own. A player takes the place of the one of its name; others are added.
    pub fn overridden_by(mut self, mut other: MatchText) -> MatchText {
        for player in &mut self.player {
            if let Some(i) = other.player.iter().position(|said| said.called() == player.called()) {
                *player = other.player.remove(i);
            }
        }
        self.player.append(&mut other.player);
        // The two ways to say how many are one.
        if other.pairs.is_some() || other.games.is_some() {
            (self.pairs, self.games) = (None, None);
        }
        // What a file says of its openings does not hold for others.
        if other.openings.is_some() {
            (self.opening_plies, self.in_order) = (None, None);
        }
        macro_rules! or_own {
            ($($field:ident)*) => { MatchText { player: self.player, $($field: other.$field.or(self.$field)),* } };
        }
        or_own!(
            format openings opening_plies in_order seed pairs games clock depth nodes grace concurrency adjudicate sprt
            shard out reproducible start_timeout reply_timeout move_timeout
        )
    }
}

/// Why a text is not a match.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file of this path cannot be read.
    #[error("cannot read '{0}': {1}")]
    File(String, std::io::Error),
    /// The file of this path is not TOML, or has keys or values that it should not have.
    #[error("{0}: {1}")]
    Toml(String, Box<toml::de::Error>),
    /// A player is wrong.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// The openings are wrong.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The test is wrong.
    #[error("sprt: {0}")]
    Sprt(#[from] SprtError),
    /// The shard is none.
    #[error("shard: {0}")]
    Shard(#[from] ShardError),
    /// Too few players.
    #[error(
        "expected at least two players, found {0}: give each with --player 'name=... cmd=...' or as [[player]] in the file"
    )]
    TooFewPlayers(usize),
    /// Two players of one name.
    #[error("two players are called '{0}'; expected different names")]
    SameName(String),
    /// A player of this name would think for ever.
    #[error("the player '{0}' has no limit; expected {1}")]
    NoLimit(String, &'static str),
    /// A number out of range: the setting, what was given, and what would have been right.
    #[error("{0}: {1} is not valid; expected {2}")]
    Value(&'static str, String, String),
}

/// A match whose parts fit together.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The players.
    pub players: Vec<PlayerSpec>,
    /// Who plays whom.
    pub format: TournamentFormat,
    /// Where the openings come from.
    pub openings: OpeningSource,
    /// Which of them, in which order.
    pub selection: OpeningChoice,
    /// Pairs of games for each pairing; if it was not said, as many as there are openings.
    pub pairs: Option<u64>,
    /// The limits of those who have none of their own.
    pub terms: Terms,
    /// Seconds that a move may take beyond the clock.
    pub grace: Duration,
    /// Games at a time.
    pub concurrency: usize,
    /// Empty squares from which the solver decides.
    pub adjudicate: Option<u32>,
    /// The sequential test.
    pub sprt: Option<Sprt>,
    /// Which pairs of games are played.
    pub shard: Shard,
    /// The folder of log and reports.
    pub out: Option<PathBuf>,
    /// Leave times out of the records.
    pub reproducible: bool,
    /// How long to wait where no clock runs.
    pub timeouts: Timeouts,
    /// The text behind all this, for the log.
    pub text: MatchText,
}

/// Pairs played from random openings if nothing is said.
const DEFAULT_PAIRS: u64 = 100;
/// The same with a sequential test, which needs thousands to decide about a few Elo.
const DEFAULT_PAIRS_OF_TEST: u64 = 20_000;
/// More random openings would take long to make, and much memory.
const MOST_RANDOM_PAIRS: u64 = 1_000_000;
const DEFAULT_OPENINGS: &str = "random:8";
const DEFAULT_GRACE: Duration = Duration::from_millis(100);
/// Beyond this many empty squares an adjudication would take longer than the game.
const MOST_ADJUDICATED: u32 = 20;
/// More games at a time than any machine has use for.
const MOST_CONCURRENT: usize = 512;
/// The longest time that can be set, in seconds.
const MOST_SECONDS: f64 = 1e6;

impl Settings {
    /// Checks a text.
    pub fn new(text: MatchText) -> Result<Settings, SettingsError> {
        let players = text.player.iter().map(PlayerText::validate).collect::<Result<Vec<_>, _>>()?;
        if players.len() < 2 {
            return Err(SettingsError::TooFewPlayers(players.len()));
        }
        for (i, player) in players.iter().enumerate() {
            if players[..i].iter().any(|other| other.name == player.name) {
                return Err(SettingsError::SameName(player.name.clone()));
            }
        }
        let openings: OpeningSource = text.openings.as_deref().unwrap_or(DEFAULT_OPENINGS).parse()?;
        check_combinations(&text, &openings, players.len())?;
        let default_pairs = if text.sprt.is_some() { DEFAULT_PAIRS_OF_TEST } else { DEFAULT_PAIRS };
        let default_pairs = matches!(openings, OpeningSource::Random(_)).then_some(default_pairs);
        let pairs = pairs(&text)?.or(default_pairs);
        let selection = OpeningChoice {
            seed: text.seed.unwrap_or(0),
            in_order: text.in_order.unwrap_or(false),
            plies: text.opening_plies,
            count: usize::try_from(pairs.unwrap_or(0)).unwrap_or(usize::MAX),
        };
        let terms = Terms { time: text.clock, depth: text.depth, nodes: text.nodes };
        if terms.nodes == Some(0) {
            return Err(bad("nodes", 0, "a whole number of at least 1"));
        }
        if let Some(player) = players.iter().find(|p| p.tell_limits && p.terms(&terms) == Terms::default()) {
            let expected =
                "a clock, a depth or a number of nodes (or tell-limits=false for a player that knows its own)";
            return Err(SettingsError::NoLimit(player.name.clone(), expected));
        }
        let is_unbounded = |player: &&PlayerSpec| {
            let is_silent = !player.tell_limits && player.kind == PlayerKind::InProcess;
            is_silent && player.engine_options().is_ok_and(|options| !options.is_bounded())
        };
        if let Some(player) = players.iter().find(is_unbounded) {
            let expected = "option.depth, option.nodes or option.time, because of tell-limits=false";
            return Err(SettingsError::NoLimit(player.name.clone(), expected));
        }
        let concurrency = text.concurrency.unwrap_or(1);
        if !(1..=MOST_CONCURRENT).contains(&concurrency) {
            return Err(bad("concurrency", concurrency, format!("a number of games from 1 to {MOST_CONCURRENT}")));
        }
        if let Some(empties) = text.adjudicate.filter(|n| !(1..=MOST_ADJUDICATED).contains(n)) {
            return Err(bad("adjudicate", empties, format!("empty squares from 1 to {MOST_ADJUDICATED}")));
        }
        let Timeouts { start, reply, thought } = Timeouts::default();
        let timeout = |name, value, default| seconds(name, value, 0.01, default);
        let timeouts = Timeouts {
            start: timeout("start-timeout", text.start_timeout, start)?,
            reply: timeout("reply-timeout", text.reply_timeout, reply)?,
            thought: timeout("move-timeout", text.move_timeout, thought)?,
        };
        Ok(Settings {
            players,
            format: text.format.unwrap_or_default(),
            openings,
            selection,
            pairs,
            terms,
            grace: seconds("grace", text.grace, 0.0, DEFAULT_GRACE)?,
            concurrency,
            adjudicate: text.adjudicate,
            sprt: text.sprt,
            shard: text.shard.as_deref().map_or(Ok(Shard::default()), str::parse)?,
            out: text.out.clone(),
            reproducible: text.reproducible.unwrap_or(false),
            timeouts,
            text,
        })
    }

    /// What must stay the same when a match is resumed, as the first line of its log: the version of this program and the weights of the
    /// players in it too. How many games there are, how many at a time and how long to wait may change.
    pub fn identity(&self) -> serde_json::Value {
        serde_json::json!({
            "emilia-match": 1,
            "version": env!("CARGO_PKG_VERSION"),
            "weights": self.players.iter().map(PlayerSpec::weights).collect::<Vec<_>>(),
            "player": self.text.player,
            "format": self.format,
            "openings": self.openings.to_string(),
            "opening-plies": self.selection.plies,
            "in-order": self.selection.in_order,
            "seed": self.selection.seed,
            "limits": self.terms.to_string(),
            "grace": self.grace.as_secs_f64(),
            "adjudicate": self.adjudicate,
            "sprt": self.sprt,
            "reproducible": self.reproducible,
            "shard": (self.shard.count() > 1).then(|| self.shard.to_string()),
        })
    }
}

fn bad(name: &'static str, value: impl ToString, expected: impl Into<String>) -> SettingsError {
    SettingsError::Value(name, value.to_string(), expected.into())
}

/// Refuses what has no effect or no sense beside other settings.
fn check_combinations(text: &MatchText, openings: &OpeningSource, players: usize) -> Result<(), SettingsError> {
    if let Some(plies) = text.opening_plies.filter(|_| !matches!(openings, OpeningSource::File(_))) {
        return Err(bad("opening-plies", plies, "openings from a file: only these are cut"));
    }
    if text.in_order == Some(true) && matches!(openings, OpeningSource::Random(_)) {
        return Err(bad("in-order", true, "openings that have an order: four-ply, classes or a file"));
    }
    let asked = match (text.pairs, text.games) {
        (Some(pairs), _) => Some(("pairs", pairs, MOST_RANDOM_PAIRS)),
        (None, games) => games.map(|games| ("games", games, 2 * MOST_RANDOM_PAIRS)),
    };
    if let (OpeningSource::Random(_), Some((name, asked, most))) = (openings, asked)
        && asked > most
    {
        return Err(bad(name, asked, format!("at most {most} with random openings; a file of openings takes more")));
    }
    if let Some(shard) = text.shard.as_ref().filter(|_| text.out.is_none()) {
        return Err(bad("shard", shard, "out too, the folder that emilia merge reads"));
    }
    if let Some(sprt) = &text.sprt {
        sprt.validate()?;
        if players != 2 {
            return Err(bad("sprt", format!("{players} players"), "two players"));
        }
        if text.shard.is_some() {
            return Err(bad("shard", "a part", "a whole match: a sequential test must see every game"));
        }
    }
    Ok(())
}

fn pairs(text: &MatchText) -> Result<Option<u64>, SettingsError> {
    const MOST: u64 = 1 << 32;
    match (text.pairs, text.games) {
        (Some(_), Some(games)) => Err(bad("games", games, "either games or pairs")),
        (None, Some(games)) if games % 2 != 0 => {
            Err(bad("games", games, "an even number: every opening is played with both colours"))
        }
        (None, Some(games)) if !(2..=2 * MOST).contains(&games) => {
            Err(bad("games", games, format!("a number from 2 to {}", 2 * MOST)))
        }
        (Some(pairs), None) if !(1..=MOST).contains(&pairs) => {
            Err(bad("pairs", pairs, format!("a number from 1 to {MOST}")))
        }
        (pairs, games) => Ok(pairs.or(games.map(|games| games / 2))),
    }
}

/// A setting in seconds, from `least` on; the default if it is not there.
fn seconds(name: &'static str, value: Option<f64>, least: f64, default: Duration) -> Result<Duration, SettingsError> {
    match value {
        None => Ok(default),
        Some(value) if (least..=MOST_SECONDS).contains(&value) => Ok(Duration::from_secs_f64(value)),
        Some(value) => Err(bad(name, value, format!("seconds from {least} to {MOST_SECONDS}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{EvaluatorKind, fingerprint};
    use serde_json::json;

    #[test]
    fn the_command_line_has_the_last_word() {
        let file = MatchText { pairs: Some(5), depth: Depth::new(3), seed: Some(1), ..MatchText::default() };
        let line = MatchText { games: Some(8), depth: Depth::new(6), ..MatchText::default() };
        let text = file.overridden_by(line);
        assert_eq!((text.pairs, text.games, text.depth, text.seed), (None, Some(8), Depth::new(6), Some(1)));
        assert_eq!(pairs(&text).unwrap(), Some(4));
    }

    #[test]
    fn a_player_that_is_called_like_one_of_the_file_takes_its_place() {
        let text = |players: &[&str]| MatchText {
            player: players.iter().map(|words| PlayerText::parse(words).unwrap()).collect(),
            ..MatchText::default()
        };
        let file = || text(&["cmd='/opt/edax -gtp'", "name=A depth=1"]);
        for (said, expected) in [("name=edax depth=9", vec!["edax", "A"]), ("name=B", vec!["edax", "A", "B"])] {
            let players = file().overridden_by(text(&[said])).player;
            assert_eq!(players.iter().map(PlayerText::called).collect::<Vec<_>>(), expected);
            assert_eq!(players[0].cmd.is_some(), said == "name=B");
        }
    }

    #[test]
    fn a_test_has_more_pairs_than_a_match_unless_their_number_is_said() {
        let player = |name: &str| PlayerText::parse(&format!("name={name} depth=1")).unwrap();
        let pairs = |sprt: Option<&str>, pairs| {
            let sprt = sprt.map(|text| Sprt::parse(text).unwrap());
            let player = vec![player("a"), player("b")];
            Settings::new(MatchText { player, sprt, pairs, ..MatchText::default() }).unwrap().pairs
        };
        assert_eq!((pairs(None, None), pairs(Some("0,5"), None)), (Some(100), Some(20_000)));
        assert_eq!(pairs(Some("0,5"), Some(7)), Some(7));
    }

    #[test]
    fn there_are_no_more_random_openings_than_can_be_made() {
        let player = ["name=a depth=1", "name=b depth=1"].map(|words| PlayerText::parse(words).unwrap()).to_vec();
        let text = MatchText { player, ..MatchText::default() };
        let problem = |text| Settings::new(text).unwrap_err().to_string();
        let pairs = MatchText { pairs: Some(1_000_001), ..text.clone() };
        assert!(problem(pairs.clone()).starts_with("pairs: 1000001 is not valid; expected at most 1000000 with"));
        let games = MatchText { games: Some(2_000_002), ..text.clone() };
        assert!(problem(games).starts_with("games: 2000002 is not valid; expected at most 2000000 with random"));
        let of_file = MatchText { openings: Some("a.txt".to_owned()), ..pairs };
        for text in [MatchText { pairs: Some(1_000_000), ..text }, of_file] {
            assert!(Settings::new(text).is_ok());
        }
    }

    #[test]
    fn how_many_and_how_fast_is_no_part_of_the_identity() {
        let player =
            |name: &str| PlayerText { name: Some(name.to_owned()), depth: Depth::new(1), ..PlayerText::default() };
        let text = MatchText { player: vec![player("a"), player("b")], pairs: Some(2), ..MatchText::default() };
        let identity = |text: &MatchText| Settings::new(text.clone()).unwrap().identity();
        let more = MatchText { pairs: Some(9), concurrency: Some(4), move_timeout: Some(1.0), ..text.clone() };
        assert_eq!(identity(&text), identity(&more));
        let (terms, weights) = (identity(&text), format!("{:08x}", fingerprint(&*EvaluatorKind::default().build())));
        assert_eq!(terms["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(terms["weights"], json!([weights, weights]));
        for other in [
            MatchText { seed: Some(1), ..text.clone() },
            MatchText { openings: Some("classes".to_owned()), ..text.clone() },
            MatchText { player: vec![player("a"), player("c")], ..text.clone() },
            MatchText { grace: Some(1.0), ..text.clone() },
        ] {
            assert_ne!(identity(&text), identity(&other));
        }
    }
}
