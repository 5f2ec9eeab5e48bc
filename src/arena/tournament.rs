//! A match from its first game to its last.

use super::log::{LogError, MatchLog, OPENINGS_CHECKSUM, PROGRAM, expect_free, is_begun};
use super::opening::opening_text;
use super::opening_source::{OpeningError, OpeningSource};
use super::player::{
    Answer, Fault, GameSetup, Player, PlayerKind, PlayerSpec, StartError, Timeouts, Turn, find_protocol, start,
};
use super::record::PlayedGame;
use super::referee::{self, Adjudicator, MatchRules, Seat};
use super::schedule::{Fixture, Schedule};
use super::settings::Settings;
use super::sprt::{self, Sprt};
use super::standings::Standings;
use crate::clock::time_control::{SideClock, Terms};
use crate::othello::{Color, GameRecord, Position};
use crossbeam::channel::{Receiver, Sender, unbounded};
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How many times a player is started anew, one time after the other, before the match is given up.
const STARTS: u32 = 3;
/// The pause between them.
const PAUSE: Duration = Duration::from_millis(500);

/// Why a match cannot begin, or go on.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// There are no openings.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The player of this name cannot be started.
    #[error("player {0}: {1}")]
    Player(String, StartError),
    /// The log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The game of this number is not the one that the schedule has: what the log says, and what should have been played.
    #[error("game {0} of the log was played by {1}, but the schedule has {2}; have the openings changed?")]
    OtherGame(u64, String, String),
    /// The log has more games than are asked for.
    #[error(
        "the folder has {games} games, more than the {wanted} that are asked for; ask for at least as many, or choose another folder"
    )]
    Fewer {
        /// Those of the log.
        games: u64,
        /// Those of the schedule.
        wanted: u64,
    },
    /// The thread that played the game of this number panicked.
    #[error("game {0} cannot be played: a thread of Emilia panicked")]
    Panicked(u64),
}

/// Why a match came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// Every game was played.
    Complete,
    /// The sequential test decided.
    Decided(sprt::Verdict),
    /// It was interrupted.
    Interrupted,
}

/// A match.
#[derive(Debug)]
pub struct Tournament {
    settings: Settings,
    openings: Arc<[GameRecord]>,
    schedule: Schedule,
    standings: Standings,
    log: Option<MatchLog>,
    resumed: u64,
}

impl Tournament {
    /// Gets everything ready for the first game: openings, players, and the log, if there is to be one. Every player is
    /// started once, so that whatever is wrong with one is found now, but not if an earlier run has played everything.
    pub fn prepare(settings: Settings, resume: bool) -> Result<Tournament, MatchError> {
        let openings = settings.openings.openings(&settings.selection)?;
        let pairs = settings.pairs.unwrap_or(openings.len() as u64);
        if pairs > openings.len() as u64 {
            let (have, source) = (openings.len(), &settings.openings);
            log::warn!("{source} has {have} different openings for {pairs} pairs; they are used again");
        }
        let schedule =
            Schedule::new(settings.format, settings.players.len(), pairs, openings.len()).of_shard(settings.shard);
        let names = settings.players.iter().map(|player| player.name.clone()).collect();
        let standings = Standings::new(names, &schedule);
        let openings = openings.into();
        let mut tournament = Tournament { openings, schedule, standings, log: None, settings, resumed: 0 };
        let folder = tournament.settings.out.clone();
        let goes_on = resume && folder.as_deref().is_some_and(is_begun);
        // Players that cannot play must not leave a log behind.
        if !goes_on {
            folder.as_deref().map_or(Ok(()), expect_free)?;
            tournament.check_players()?;
        }
        if let Some(folder) = folder {
            let (terms, shard) = (tournament.terms(), tournament.settings.shard);
            let is_over = |games: &[PlayedGame]| tournament.is_over_after(games);
            let (log, games) = MatchLog::open(&folder, &terms, shard, resume, is_over)?;
            tournament.log = Some(log);
            for game in &games {
                tournament.count_logged(game)?;
            }
            let games = games.len() as u64;
            if games > tournament.resumed {
                return Err(MatchError::Fewer { games, wanted: tournament.schedule.games() });
            }
        }
        if goes_on && tournament.resumed < tournament.schedule.games() && tournament.decision().is_none() {
            tournament.check_players()?;
        }
        Ok(tournament)
    }

    /// Whether nothing is left to be played after these games.
    fn is_over_after(&self, games: &[PlayedGame]) -> bool {
        let mut standings = Standings::new(self.standings.names.clone(), &self.schedule);
        for game in games {
            if let Some(fixture) = self.schedule.fixture(game.game) {
                standings.add(&fixture, game);
            }
        }
        let test = sprt_of(&self.settings, &standings);
        games.len() as u64 >= self.schedule.games()
            || test.is_some_and(|(.., verdict)| verdict != sprt::Verdict::Undecided)
    }

    /// Starts every player once.
    fn check_players(&mut self) -> Result<(), MatchError> {
        let set_up = self.openings.iter().any(|opening| *opening.start() != Position::START);
        let Settings { players, terms, timeouts, .. } = &mut self.settings;
        players.iter_mut().try_for_each(|player| {
            check_player(player, terms, *timeouts, set_up)
                .map_err(|error| MatchError::Player(player.name.clone(), error))
        })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What must stay the same when the match is resumed: the settings, and of a file of openings what is in it. Of a match that is over,
    /// version and weights are those by which it was played.
    pub fn terms(&self) -> Value {
        let mut terms = self.settings.identity();
        if matches!(self.settings.openings, OpeningSource::File(_)) {
            // In an order that does not depend on the seed, which is a term of its own.
            let mut openings: Vec<String> = self.openings.iter().map(|opening| opening_text(opening) + "\n").collect();
            openings.sort_unstable();
            terms[OPENINGS_CHECKSUM] = format!("{:08x}", crc32fast::hash(openings.concat().as_bytes())).into();
        }
        if let Some(log) = &self.log {
            for name in PROGRAM.into_iter().filter(|name| !log.terms()[*name].is_null()) {
                terms[name] = log.terms()[name].clone();
            }
        }
        terms
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The openings in the order in which they are played.
    pub fn openings(&self) -> &[GameRecord] {
        &self.openings
    }

    /// Where the match stands.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// How many games an earlier run had finished.
    pub fn resumed(&self) -> u64 {
        self.resumed
    }

    /// The ratio of the sequential test, if there is one.
    pub fn sprt(&self) -> Option<(Sprt, f64, sprt::Verdict)> {
        sprt_of(&self.settings, &self.standings)
    }

    /// What the sequential test has decided, if it has.
    fn decision(&self) -> Option<sprt::Verdict> {
        self.sprt().map(|(.., verdict)| verdict).filter(|verdict| *verdict != sprt::Verdict::Undecided)
    }

    /// Counts a game of an earlier run.
    fn count_logged(&mut self, game: &PlayedGame) -> Result<(), MatchError> {
        let Some(fixture) = self.schedule.fixture(game.game) else { return Ok(()) };
        let players = &self.settings.players;
        let opening = &self.openings[fixture.opening];
        let (black, white) = (&players[fixture.black].name, &players[fixture.white].name);
        let begins = game
            .record()
            .is_ok_and(|record| record.start() == opening.start() && record.turns().starts_with(opening.turns()));
        if !begins || (black, white) != (&game.black, &game.white) {
            let found = format!("{} and {} ({})", game.black, game.white, game.moves);
            let expected = format!("{black} and {white} ({})", opening_text(opening));
            return Err(MatchError::OtherGame(game.game, found, expected));
        }
        self.resumed += 1;
        self.standings.add(&fixture, game);
        Ok(())
    }

    /// Plays what is left. `observer` sees the match after every game; setting `interrupt` ends it, without the games
    /// that are not over.
    pub fn run(
        &mut self,
        interrupt: &AtomicBool,
        observer: &mut dyn FnMut(&Tournament),
    ) -> Result<Conclusion, MatchError> {
        let (jobs, queue) = unbounded::<Fixture>();
        let (results, finished) = unbounded();
        let abandon = Arc::new(AtomicBool::new(false));
        let (settings, openings) = (self.settings.clone(), Arc::clone(&self.openings));
        std::thread::scope(|scope| {
            for number in 0..settings.concurrency {
                let worker = Worker::new(&settings, &openings, &abandon);
                let (queue, results) = (queue.clone(), results.clone());
                let builder = std::thread::Builder::new().name(format!("game {number}"));
                builder.spawn_scoped(scope, move || worker.run(&queue, &results)).expect("a thread can be started");
            }
            drop((queue, results));
            let conclusion = self.collect(jobs, &finished, interrupt, observer);
            // Where every game is over, the programs have time to end by themselves.
            if !matches!(conclusion, Ok(Conclusion::Complete)) {
                abandon.store(true, Ordering::Relaxed);
            }
            conclusion
        })
    }

    /// Hands out games and takes results, which are counted in the order of the schedule.
    fn collect(
        &mut self,
        jobs: Sender<Fixture>,
        finished: &Receiver<Result<PlayedGame, MatchError>>,
        interrupt: &AtomicBool,
        observer: &mut dyn FnMut(&Tournament),
    ) -> Result<Conclusion, MatchError> {
        // How far games may run ahead of one that takes long; all of these would be lost if the match were killed.
        let window = 4 * self.settings.concurrency as u64 + 4;
        let mut waiting: BTreeMap<u64, PlayedGame> = BTreeMap::new();
        let mut next = self.resumed;
        let mut sent = next;
        loop {
            if let Some(verdict) = self.decision() {
                return Ok(Conclusion::Decided(verdict));
            }
            if next >= self.schedule.games() {
                return Ok(Conclusion::Complete);
            }
            if interrupt.load(Ordering::Relaxed) {
                return Ok(Conclusion::Interrupted);
            }
            while sent < next + window
                && let Some(fixture) = self.schedule.game(sent)
            {
                let _ = jobs.send(fixture);
                sent += 1;
            }
            match finished.recv_timeout(Duration::from_millis(100)) {
                Ok(game) => {
                    let game = game?;
                    if let Some(place) = self.schedule.place(game.game) {
                        waiting.insert(place, game);
                    }
                }
                Err(crossbeam::channel::RecvTimeoutError::Timeout) => {}
                Err(crossbeam::channel::RecvTimeoutError::Disconnected) => return Ok(Conclusion::Interrupted),
            }
            while let Some(game) = waiting.remove(&next) {
                self.count(&game)?;
                next += 1;
                observer(self);
                // Nothing behind the game that decides is counted.
                if self.decision().is_some() {
                    break;
                }
            }
        }
    }

    fn count(&mut self, game: &PlayedGame) -> Result<(), MatchError> {
        if let Some(log) = &mut self.log {
            log.append(game)?;
        }
        if let Some(fixture) = self.schedule.fixture(game.game) {
            self.standings.add(&fixture, game);
        }
        Ok(())
    }
}

/// The sequential test of a match with these settings, its ratio, and what it says. Equal pairs count once, since a copy is no evidence.
fn sprt_of(settings: &Settings, standings: &Standings) -> Option<(Sprt, f64, sprt::Verdict)> {
    let sprt = settings.sprt?;
    let pairs = standings.pairings.first()?.different_pairs;
    Some((sprt, sprt.log_likelihood_ratio(&pairs), sprt.verdict(&pairs)))
}

/// Starts a player once; its protocol is written into the description.
fn check_player(spec: &mut PlayerSpec, terms: &Terms, timeouts: Timeouts, set_up: bool) -> Result<(), StartError> {
    let found = if spec.kind == PlayerKind::InProcess { None } else { Some(find_protocol(spec, timeouts)?) };
    if let PlayerKind::Process { protocol, .. } = &mut spec.kind {
        *protocol = found;
    }
    let player = start(spec, terms, timeouts, &Arc::default())?;
    if let Some(warning) = player.warning() {
        log::warn!("player {}: {warning}", spec.name);
    }
    if set_up && !player.takes_positions() {
        return Err(StartError::Unsupported(
            "it cannot be given a position, and there are openings that do not begin at the standard start".to_owned(),
        ));
    }
    Ok(())
}

/// Plays one game after another with players of its own.
struct Worker<'a> {
    settings: &'a Settings,
    openings: &'a [GameRecord],
    abandon: &'a Arc<AtomicBool>,
    players: Vec<Option<Box<dyn Player>>>,
    adjudicator: Option<Adjudicator>,
}

impl<'a> Worker<'a> {
    fn new(settings: &'a Settings, openings: &'a [GameRecord], abandon: &'a Arc<AtomicBool>) -> Worker<'a> {
        let players = settings.players.iter().map(|_| None).collect();
        Worker { settings, openings, abandon, players, adjudicator: settings.adjudicate.map(Adjudicator::new) }
    }

    fn run(mut self, queue: &Receiver<Fixture>, results: &Sender<Result<PlayedGame, MatchError>>) {
        for fixture in queue {
            let result = loop {
                if self.abandon.load(Ordering::Relaxed) {
                    return;
                }
                // The result of a thread that ends without one would be waited for.
                let played = catch_unwind(AssertUnwindSafe(|| self.play(&fixture)));
                // A game without a result is void.
                if let Some(result) = played.unwrap_or(Err(MatchError::Panicked(fixture.game))).transpose() {
                    break result;
                }
            };
            let over = result.is_err();
            let _ = results.send(result);
            if over {
                return;
            }
        }
    }

    /// Plays a game; `None` if it was abandoned or is void.
    fn play(&mut self, fixture: &Fixture) -> Result<Option<PlayedGame>, MatchError> {
        let mut black = self.seated(fixture.black)?;
        let mut white = self.seated(fixture.white)?;
        let rules = MatchRules { grace: self.settings.grace, timed_records: !self.settings.reproducible };
        let settings = self.settings;
        let clock = |player: usize| SideClock::new(settings.players[player].terms(&settings.terms).time);
        let seats = [(fixture.black, &mut black), (fixture.white, &mut white)].map(|(number, player)| Seat {
            name: &settings.players[number].name,
            player,
            clock: clock(number),
        });
        let opening = &self.openings[fixture.opening];
        let game = referee::play(fixture, opening, seats, &rules, self.adjudicator.as_mut(), self.abandon);
        // Who was asked in such a game may still think about it.
        let Some(game) = game else { return Ok(None) };
        let failed = game.failed();
        if failed.is_some() {
            log::info!("game {}: {}: {}", fixture.game, game.end, game.detail.as_deref().unwrap_or_default());
        }
        // A player that failed is dropped here, which ends its process; the next game starts it anew.
        let seats = [(Color::Black, fixture.black, black), (Color::White, fixture.white, white)];
        for (_, number, seated) in seats.into_iter().filter(|(color, ..)| failed != Some(*color)) {
            let mut player = seated.player;
            player.end();
            self.players[number] = Some(player);
        }
        Ok(Some(game))
    }

    /// Takes a player from its place, starting it if need be.
    fn seated(&mut self, number: usize) -> Result<SeatedPlayer<'a>, MatchError> {
        let (settings, abandon) = (self.settings, self.abandon);
        let spec = &settings.players[number];
        let seated = |player, is_new| SeatedPlayer { player, is_new, spec, settings, abandon };
        if let Some(player) = self.players[number].take() {
            return Ok(seated(player, false));
        }
        let mut attempt = 1;
        loop {
            match start(spec, &settings.terms, settings.timeouts, abandon) {
                Ok(player) => return Ok(seated(player, true)),
                Err(error) if attempt == STARTS || self.abandon.load(Ordering::Relaxed) => {
                    return Err(MatchError::Player(spec.name.clone(), error));
                }
                Err(error) => log::warn!("player {}: {error}; trying again", spec.name),
            }
            attempt += 1;
            std::thread::sleep(PAUSE);
        }
    }
}

/// A player for one game. Should its program have ended since the last one, which is no fault in any game, it is started anew.
struct SeatedPlayer<'a> {
    player: Box<dyn Player>,
    /// Whether it has played no game yet.
    is_new: bool,
    spec: &'a PlayerSpec,
    settings: &'a Settings,
    abandon: &'a Arc<AtomicBool>,
}

impl Player for SeatedPlayer<'_> {
    fn begin(&mut self, setup: &GameSetup) -> Result<(), Fault> {
        let begun = self.player.begin(setup);
        let Err(fault @ Fault::Crashed(_)) = &begun else { return begun };
        if self.is_new {
            return begun;
        }
        log::warn!("player {}: between two games {fault}; it is started anew", self.spec.name);
        match start(self.spec, &self.settings.terms, self.settings.timeouts, self.abandon) {
            Ok(player) => self.player = player,
            Err(error) => {
                log::warn!("player {}: {error}", self.spec.name);
                return begun;
            }
        }
        self.player.begin(setup)
    }

    fn play(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        self.player.play(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::player::PlayerText;
    use super::super::settings::MatchText;
    use super::*;

    #[test]
    fn a_panic_is_not_waited_for() {
        let player = ["name=A depth=1", "name=B depth=1"].map(|words| PlayerText::parse(words).unwrap());
        let settings = Settings::new(MatchText { player: player.to_vec(), ..MatchText::default() }).unwrap();
        let ((jobs, queue), (results, finished)) = (unbounded(), unbounded());
        let abandon = Arc::default();
        // There is no such opening.
        jobs.send(Fixture { game: 3, pair: 1, opening: 0, black: 1, white: 0 }).unwrap();
        Worker::new(&settings, &[], &abandon).run(&queue, &results);
        assert!(matches!(finished.try_recv(), Ok(Err(MatchError::Panicked(3)))));
    }
}
