//! What is said about a player before the match: `name=A cmd='engine -x' protocol=gtp depth=6`.

use crate::book::Book;
use crate::clock::time_control::{Terms, TimeControl};
use crate::engine::{EngineOption, EngineOptions, OptionError, Values};
use crate::eval::fingerprint;
use crate::search::Depth;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a program that speaks GTP is told of forced passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Passes {
    /// Not at all, as Quarry does; should the program then refuse the next move, with `play COLOR pass` from there on.
    #[default]
    Detect,
    /// Not at all.
    Implicit,
    /// With `play COLOR pass`.
    Explicit,
}

/// What a program that plays in a match speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
pub enum PlayerProtocol {
    /// NBoard, version 2.
    NBoard,
    /// Go text protocol, version 2.
    #[strum(to_string = "GTP")]
    Gtp,
}

/// Where the player's moves come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerKind {
    /// A program.
    Process {
        /// The program and its arguments.
        command: Vec<String>,
        /// Where it runs, if not where the match manager does.
        directory: Option<PathBuf>,
        /// What it speaks, if that is known.
        protocol: Option<PlayerProtocol>,
    },
    /// Emilia's own engine in this process.
    InProcess,
}

/// A player as it was described.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSpec {
    /// Its name in the records; no two are alike.
    pub name: String,
    /// Where its moves come from.
    pub kind: PlayerKind,
    /// Options of Emilia: set directly, by `emilia-set` over GTP, by `set emilia.` over NBoard.
    pub options: Vec<(String, String)>,
    /// Protocol lines to be sent to a program before its first game. Over GTP each must be answered.
    pub init: Vec<String>,
    /// Its own limits in place of the match's.
    pub terms: Terms,
    /// Whether the program is told of the limits. If not, its command line or `init` must see to them.
    pub tell_limits: bool,
    /// How it is told of passes.
    pub passes: Passes,
}

/// Why a description is not one of a player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Quotes that do not close: the text, and what is wrong with it.
    #[error("player '{0}': {1}")]
    Quoting(String, String),
    /// A word without `=`.
    #[error("player: '{0}' is not of the form KEY=VALUE")]
    NotAPair(String),
    /// An unknown key.
    #[error("player: unknown key '{0}'; expected one of: {KEYS}")]
    UnknownKey(String),
    /// A value that the key does not take: the player's name, the key, the value, and what would have been right.
    #[error("player {0}: {1}: '{2}' is not valid; expected {3}")]
    Value(String, &'static str, String, &'static str),
    /// An option of the player of this name that Emilia does not take.
    #[error("player {0}: {1}")]
    Option(String, OptionError),
    /// Something about the player of this name that is missing or contradicts the rest.
    #[error("player {0}: {1}")]
    Inconsistent(String, &'static str),
}

impl SpecError {
    fn value(player: &str, key: &'static str, value: &str, expected: &'static str) -> SpecError {
        SpecError::Value(player.to_owned(), key, value.to_owned(), expected)
    }
}

/// A player as text has it: the keys of `--player` and of a `[[player]]` table.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlayerText {
    /// The name; the program's file name or `emilia` if it is left out.
    pub name: Option<String>,
    /// The command line, quoted as in a shell. Without it the player is Emilia in this process.
    pub cmd: Option<String>,
    /// The working directory.
    pub dir: Option<PathBuf>,
    /// `gtp` or `nboard`; found out by asking if it is left out.
    pub protocol: Option<String>,
    /// The search, for Emilia.
    pub engine: Option<String>,
    /// The evaluation, for Emilia.
    pub eval: Option<String>,
    /// Any option of Emilia, as text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "option_texts")]
    pub option: BTreeMap<String, String>,
    /// Raw protocol lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// A clock of its own.
    pub clock: Option<TimeControl>,
    /// A fixed depth of its own.
    pub depth: Option<Depth>,
    /// Fixed nodes of its own.
    pub nodes: Option<u64>,
    /// Whether the program is told of the limits; it is unless this says no.
    pub tell_limits: Option<bool>,
    /// `detect`, `implicit` or `explicit`.
    pub passes: Option<String>,
}

/// Options whose values need not be text.
fn option_texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let text = |value: toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let options = BTreeMap::<String, toml::Value>::deserialize(deserializer)?;
    Ok(options.into_iter().map(|(name, value)| (name, text(value))).collect())
}

/// The words of a text that is quoted as in a shell. Where a backslash is plain, as in the paths of Windows, it quotes nothing.
fn words(text: &str, backslash_is_plain: bool) -> Result<Vec<String>, SpecError> {
    /// Stands for a backslash while the text is split. No path has it.
    const BACKSLASH: &str = "\0";
    let split = |quoted: &str| {
        shell_words::split(quoted).map_err(|error| SpecError::Quoting(text.to_owned(), error.to_string()))
    };
    if !backslash_is_plain {
        return split(text);
    }
    let words = split(&text.replace('\\', BACKSLASH))?;
    Ok(words.into_iter().map(|word| word.replace(BACKSLASH, "\\")).collect())
}

const KEYS: &str =
    "name, cmd, dir, protocol, engine, eval, option.NAME, init, clock, depth, nodes, tell-limits, passes";

impl PlayerText {
    /// Reads `name=A cmd='engine -x' option.hash=16 …`; `init` may stand several times.
    pub fn parse(text: &str) -> Result<PlayerText, SpecError> {
        let words = words(text, cfg!(windows))?;
        let mut player = PlayerText::default();
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(|| SpecError::NotAPair(word.clone()))?;
            player.set(key, value)?;
        }
        Ok(player)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        let name = self.name.clone().unwrap_or_else(|| "?".to_owned());
        let bad = |key, expected| SpecError::value(&name, key, value, expected);
        let text = Some(value.to_owned());
        match key {
            "name" => self.name = text,
            "cmd" => self.cmd = text,
            "dir" => self.dir = Some(value.into()),
            "protocol" => self.protocol = text,
            "engine" => self.engine = text,
            "eval" => self.eval = text,
            "init" => self.init.push(value.to_owned()),
            "clock" => {
                self.clock = Some(value.parse().map_err(|_| bad("clock", "60, 60+0.5 or move:0.2 (seconds)"))?);
            }
            "depth" => self.depth = Some(value.parse().map_err(|_| bad("depth", DEPTHS))?),
            "nodes" => self.nodes = Some(value.parse().map_err(|_| bad("nodes", NODES))?),
            "tell-limits" => {
                self.tell_limits = Some(value.parse().map_err(|_| bad("tell-limits", "true or false"))?);
            }
            "passes" => self.passes = text,
            _ => match key.strip_prefix("option.") {
                Some(option) => {
                    self.option.insert(option.to_owned(), value.to_owned());
                }
                None => return Err(SpecError::UnknownKey(key.to_owned())),
            },
        }
        Ok(())
    }

    /// The name that it has in the match.
    pub(crate) fn called(&self) -> String {
        let command = || words(self.cmd.as_deref()?, cfg!(windows)).ok();
        self.name.clone().unwrap_or_else(|| default_name(command().as_deref()))
    }

    /// Checks the values and how they go together.
    pub fn validate(&self) -> Result<PlayerSpec, SpecError> {
        let command = self.cmd.as_deref().map(|text| words(text, cfg!(windows))).transpose()?;
        let name = self.called();
        let bad = |key, value: &str, expected| SpecError::value(&name, key, value, expected);
        if name.trim().is_empty() || name.chars().any(|c| c.is_control() || c == ']') {
            return Err(bad("name", &name, "a name without control characters and ']'"));
        }
        if command.as_ref().is_some_and(Vec::is_empty) {
            return Err(bad("cmd", "", "a program and its arguments"));
        }
        let protocol = match self.protocol.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("detect") => None,
            Some("gtp") => Some(PlayerProtocol::Gtp),
            Some("nboard") => Some(PlayerProtocol::NBoard),
            Some(other) => return Err(bad("protocol", other, "gtp, nboard or detect")),
        };
        let passes = match self.passes.as_deref() {
            None | Some("detect") => Passes::Detect,
            Some("implicit") => Passes::Implicit,
            Some("explicit") => Passes::Explicit,
            Some(other) => return Err(bad("passes", other, "detect, implicit or explicit")),
        };
        if self.nodes == Some(0) {
            return Err(bad("nodes", "0", NODES));
        }
        let kind = match command {
            Some(command) => PlayerKind::Process { command, directory: self.dir.clone(), protocol },
            None if protocol.is_some() || self.dir.is_some() || !self.init.is_empty() || self.passes.is_some() => {
                let problem = "protocol, dir, init and passes are for programs: give its command line as cmd=...";
                return Err(SpecError::Inconsistent(name, problem));
            }
            None => PlayerKind::InProcess,
        };
        let engine = self.engine.iter().map(|value| ("engine".to_owned(), value.clone()));
        let options = self.option.iter().map(|(name, value)| (name.clone(), value.clone()));
        // The evaluation may need its file, which is one of the options.
        let eval = self.eval.iter().map(|value| ("eval".to_owned(), value.clone()));
        let options = engine.chain(options).chain(eval).collect();
        let terms = Terms { time: self.clock, depth: self.depth, nodes: self.nodes };
        let tell_limits = self.tell_limits.unwrap_or(true);
        let spec = PlayerSpec { name, kind, options, init: self.init.clone(), terms, tell_limits, passes };
        if spec.kind == PlayerKind::InProcess {
            spec.engine_options().map_err(|error| SpecError::Option(spec.name.clone(), error))?;
        }
        Ok(spec)
    }
}

const DEPTHS: &str = "a whole number of plies from 1 to 60";
const NODES: &str = "a whole number of at least 1";

fn default_name(command: Option<&[String]>) -> String {
    let program = command.and_then(<[String]>::first).map(PathBuf::from);
    let stem = program.as_deref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| "emilia".to_owned())
}

impl PlayerSpec {
    /// The options as this Emilia takes them.
    pub fn engine_options(&self) -> Result<EngineOptions, OptionError> {
        // Unless the options say otherwise: several games are played at a time, so a player takes one core; and searches are compared, so
        // no move comes from a book.
        let mut options = EngineOptions { threads: 1, book: None, ..EngineOptions::default() };
        for (name, value) in &self.options {
            options.set(name, value)?;
        }
        Ok(options)
    }

    /// The player with options that name files by whole paths, from the folder in which its program runs.
    pub(super) fn with_whole_paths(mut self) -> PlayerSpec {
        let folder = match &self.kind {
            PlayerKind::Process { directory: Some(directory), .. } => directory.clone(),
            _ => PathBuf::new(),
        };
        let is_path = |name: &str| EngineOption::find(name).is_ok_and(|option| matches!(option.values, Values::Path));
        for (name, value) in &mut self.options {
            if is_path(name) && !["none", Book::BUILTIN].contains(&value.as_str()) {
                *value =
                    std::path::absolute(folder.join(&*value)).map_or(value.clone(), |path| path.display().to_string());
            }
        }
        self
    }

    /// The fingerprint of the evaluation of a player in this process.
    pub fn weights(&self) -> Option<String> {
        let options = self.engine_options().ok().filter(|_| self.kind == PlayerKind::InProcess)?;
        Some(format!("{:08x}", fingerprint(&*options.evaluator())))
    }

    /// The seed of a player that chooses its moves at random: the number of the game is added to it.
    pub(super) fn random_seed(&self) -> Option<u64> {
        let option = |wanted: &str| self.options.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        option("variety").or(option("level")).map(|_| option("seed").and_then(|seed| seed.parse().ok()).unwrap_or(0))
    }

    /// Whether the player is said to think on the opponent's time, as Emilia is told to: by the option, or else on the command line or
    /// in a line of `init`.
    pub fn ponders(&self) -> bool {
        let option = self.options.iter().find(|(name, _)| name == "ponder").map(|(_, value)| value == "on");
        let command = match &self.kind {
            PlayerKind::Process { command, .. } => command.join(" "),
            PlayerKind::InProcess => String::new(),
        };
        let is_said = |line: &String| line.replace('=', " ").contains("ponder on");
        option.unwrap_or_else(|| self.init.iter().chain([&command]).any(is_said))
    }

    /// The limits of this player in a match with these limits: its own if it has any.
    pub fn terms(&self, of_the_match: &Terms) -> Terms {
        if self.terms == Terms::default() { *of_the_match } else { self.terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Result<PlayerSpec, SpecError> {
        PlayerText::parse(text)?.validate()
    }

    #[test]
    fn a_program_and_emilia_herself() {
        let program =
            spec("name=A cmd='my engine -x' protocol=GTP option.hash=16 init='foo 1' init=bar clock=5+0.1").unwrap();
        assert_eq!(program.name, "A");
        let command = ["my", "engine", "-x"].map(str::to_owned).to_vec();
        assert_eq!(program.kind, PlayerKind::Process { command, directory: None, protocol: Some(PlayerProtocol::Gtp) });
        assert_eq!(program.options, [("hash".to_owned(), "16".to_owned())]);
        assert_eq!(program.init, ["foo 1", "bar"]);
        assert_eq!(program.terms(&Terms::default()).time, "5+0.1".parse().ok());
        let emilia = spec("engine=minimax eval=weighted-squares depth=3").unwrap();
        assert_eq!(
            (emilia.name.as_str(), emilia.kind.clone(), emilia.terms.depth),
            ("emilia", PlayerKind::InProcess, Depth::new(3))
        );
        assert_eq!(emilia.engine_options().unwrap().engine.name, "minimax");
        assert_eq!(spec("cmd='/opt/edax/bin/edax -gtp'").unwrap().name, "edax");
    }

    #[test]
    fn paths_of_windows_keep_their_backslashes() {
        let plain = |text| words(text, true).unwrap();
        assert_eq!(plain(r"name=A cmd='C:\my engine\e.exe nboard'"), ["name=A", r"cmd=C:\my engine\e.exe nboard"]);
        assert_eq!(plain(r#""C:\my engine\e.exe" \\host\e 'it''s'"#), [r"C:\my engine\e.exe", r"\\host\e", "its"]);
        assert_eq!(words(r"my\ engine '\'", false).unwrap(), ["my engine", r"\"]);
        assert_eq!(
            words(r"C:\e 'nboard", true).unwrap_err().to_string(),
            words(r"C:\e 'nboard", false).unwrap_err().to_string()
        );
    }

    #[test]
    fn who_is_told_to_ponder_is_known_to() {
        for text in
            ["option.ponder=on", "cmd='e gtp --ponder on'", "cmd='e --ponder=on'", "cmd=e init='emilia-set ponder on'"]
        {
            assert!(spec(text).unwrap().ponders(), "{text}");
        }
        for text in ["name=a", "cmd='e gtp'", "cmd='e --ponder off'", "cmd='e --ponder on' option.ponder=off"] {
            assert!(!spec(text).unwrap().ponders(), "{text}");
        }
    }

    #[test]
    fn own_limits_replace_those_of_the_match() {
        let of_the_match = Terms { depth: Depth::new(4), ..Terms::default() };
        assert_eq!(spec("name=a").unwrap().terms(&of_the_match), of_the_match);
        assert_eq!(spec("nodes=100").unwrap().terms(&of_the_match), Terms { nodes: Some(100), ..Terms::default() });
    }

    #[test]
    fn errors_name_what_was_expected() {
        for (text, part) in [
            ("name='A", "quote"),
            ("A", "KEY=VALUE"),
            ("nam=A", "expected one of: name"),
            ("name=A cmd=x protocol=uci", "player A: protocol: 'uci' is not valid; expected gtp, nboard"),
            ("name=A protocol=gtp", "cmd="),
            ("name=A depth=0", "from 1 to 60"),
            ("name=A depth=deep", "from 1 to 60"),
            ("name=A nodes=0", "at least 1"),
            ("name=A cmd=''", "a program"),
            ("name=A]", "without control characters"),
            ("name=A cmd=x passes=never", "implicit"),
            ("name=A clock=soon", "60+0.5"),
            ("name=A engine=deep-blue", "one of: emilia"),
            ("name=A option.hash=0", "from 1"),
            ("name=A tell-limits=maybe", "true or false"),
        ] {
            let error = spec(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
