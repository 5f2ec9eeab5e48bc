//! Judged games by their players: what each of them is good at, and what cost them most.

use super::answer::line;
use super::game_review::{NEGLIGIBLE, accuracy, to_a_tenth};
use super::review_text::{ReviewedGame, percent_of};
use crate::notation::{opening, printable};
use crate::othello::{Color, Move, Position, canonical};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// How many of the worst moves and of the openings a summary has.
const SHOWN: usize = 3;

/// The discs that are an opening.
const OPENING_TURNS: usize = 8;

/// What a player who has no name is called.
const NO_NAME: &str = "(no name)";

/// The parts of a game, by the most empty squares with which they begin.
const PHASES: [(&str, u8); 3] = [("opening", 60), ("middle", 40), ("end", 20)];

/// Turns with a choice in one part of the games.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Phase {
    /// How many.
    pub choices: u32,
    /// Discs lost in all.
    pub loss: f64,
}

impl Phase {
    /// Discs lost a turn on average; `None` without turns.
    pub fn mean(self) -> Option<f64> {
        (self.choices > 0).then(|| self.loss / f64::from(self.choices))
    }
}

/// A move that lost something.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Mistake {
    /// The file, as the user calls it.
    pub file: String,
    /// Which game of the file, from 1.
    pub game: usize,
    /// After how many turns.
    pub turn: usize,
    /// What was played.
    #[serde(rename = "move")]
    pub played: Move,
    /// What would have been best.
    pub best: Move,
    /// Discs lost.
    pub loss: f64,
    /// The page that shows it, if pages are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The name of the page of a game, by its number in its file, in a folder of pages.
pub fn page_of_game(game: usize) -> String {
    format!("game-{game}.html")
}

/// The page of a game, opened behind this turn.
pub fn page_of_turn(game: usize, turn: usize) -> String {
    format!("{}#{}", page_of_game(game), turn + 1)
}

/// What is known of a player.
#[derive(Clone, PartialEq, Debug, Default)]
struct Player {
    games: u32,
    won: u32,
    drawn: u32,
    lost: u32,
    phases: [Phase; PHASES.len()],
    /// The sum of 100 · 2^(−loss / [`HALF_ACCURACY_LOSS`](super::HALF_ACCURACY_LOSS)) over the choices.
    accuracy: f64,
    /// For each opening, up to symmetry, how often it was played.
    openings: HashMap<Position, Opening>,
    worst: Vec<Mistake>,
}

/// The first moves of games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Opening {
    /// How they went when they were first seen.
    pub moves: String,
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
    /// Games that began so, up to symmetry.
    pub games: u32,
}

/// The players of judged games.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ByPlayer {
    players: BTreeMap<String, Player>,
    /// The folder with the games' pages, if there is one.
    pages: Option<PathBuf>,
}

/// A player, and how well he or she has played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerSummary<'a> {
    /// The name.
    pub player: &'a str,
    /// Games.
    pub games: u32,
    /// Won.
    pub won: u32,
    /// Drawn.
    pub drawn: u32,
    /// Lost.
    pub lost: u32,
    /// Turns with a choice.
    pub choices: u32,
    /// Discs lost a turn with a choice; `None` where there was none.
    pub mean_loss: Option<f64>,
    /// The mean over the choices of 100 · 2^(−loss / [`HALF_ACCURACY_LOSS`](super::HALF_ACCURACY_LOSS)); `None` where there was none.
    #[serde(serialize_with = "to_a_tenth")]
    pub accuracy: Option<f64>,
    /// The parts of the games: opening, middle, end.
    pub phases: BTreeMap<&'static str, Phase>,
    /// The openings played most.
    pub openings: Vec<&'a Opening>,
    /// The moves that lost most, at least [`NEGLIGIBLE`] each.
    pub worst: &'a [Mistake],
}

impl ByPlayer {
    /// No players so far. If the games have pages in a folder, [`page_of_game`] each, mistakes say where they are shown.
    pub fn new(pages: Option<&Path>) -> ByPlayer {
        ByPlayer { players: BTreeMap::new(), pages: pages.map(Path::to_owned) }
    }

    /// Counts a game for both of its players. A position without moves is no game. A name that both sides have counts as one player
    /// who has played one game, and won one side of it and lost the other, or drawn once.
    pub fn add(&mut self, game: &ReviewedGame) {
        let found = &game.found.game;
        if found.is_position() {
            return;
        }
        let name = |color| Some(found.player(color).name.trim()).filter(|name| !name.is_empty()).unwrap_or(NO_NAME);
        for color in [Color::Black, Color::White] {
            let player = self.players.entry(name(color).to_owned()).or_default();
            let score = found.score_for_black().map(|score| color.signed(score));
            player.won += u32::from(score.is_some_and(|score| score > 0.0));
            player.lost += u32::from(score.is_some_and(|score| score < 0.0));
            player.add_turns(game, color, self.pages.as_deref());
            if color == Color::Black || name(color) != name(Color::Black) {
                player.games += 1;
                player.drawn += u32::from(score == Some(0.0));
                player.add_opening(game);
            }
        }
    }

    /// A JSON object and a line feed for each player, those with most games first.
    pub fn json(&self) -> String {
        self.summaries().map(|player| line(&player)).collect()
    }

    /// A few lines for each player, those with most games first.
    pub fn table(&self) -> String {
        let players: Vec<String> = self.summaries().map(|player| player.text()).collect();
        players.join("\n")
    }

    /// Every player, those with most games first.
    pub fn summaries(&self) -> impl Iterator<Item = PlayerSummary<'_>> {
        let mut players: Vec<_> = self.players.iter().collect();
        players.sort_by_key(|(_, player)| Reverse(player.games));
        players.into_iter().map(|(name, player)| player.summary(name))
    }
}

impl Player {
    fn add_opening(&mut self, game: &ReviewedGame) {
        let record = &game.found.game.record;
        if *record.start() != Position::START || record.turns().len() < OPENING_TURNS {
            return;
        }
        let new = || Opening {
            moves: record.turns()[..OPENING_TURNS].iter().map(Move::to_string).collect(),
            name: opening(&record.positions()[..=OPENING_TURNS]),
            games: 0,
        };
        let key = canonical(&record.positions()[OPENING_TURNS]).0;
        self.openings.entry(key).or_insert_with(new).games += 1;
    }

    fn add_turns(&mut self, game: &ReviewedGame, color: Color, pages: Option<&Path>) {
        for turn in game.review.chosen().iter().filter(|turn| turn.is_choice() && turn.position.mover() == color) {
            let Some(played) = &turn.played else { continue };
            let loss = turn.loss();
            let empties = turn.position.empty_count().count();
            let phase = PHASES.iter().rposition(|&(_, most)| empties <= most).unwrap_or(0);
            self.phases[phase].choices += 1;
            self.phases[phase].loss += loss;
            self.accuracy += accuracy(loss);
            let number = game.found.place.number;
            self.worst.push(Mistake {
                file: game.file.clone(),
                game: number,
                page: pages.map(|folder| folder.join(page_of_turn(number, turn.turn)).display().to_string()),
                turn: turn.turn,
                played: played.turn,
                best: turn.best.turn,
                loss,
            });
        }
        // Of equal losses the first counts.
        self.worst.retain(|mistake| mistake.loss >= NEGLIGIBLE);
        self.worst.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        self.worst.truncate(SHOWN);
    }

    fn summary<'a>(&'a self, name: &'a str) -> PlayerSummary<'a> {
        let Player { games, won, drawn, lost, ref worst, .. } = *self;
        let all = Phase {
            choices: self.phases.iter().map(|phase| phase.choices).sum(),
            loss: self.phases.iter().map(|phase| phase.loss).sum(),
        };
        let mut openings: Vec<_> = self.openings.values().collect();
        openings.sort_by_key(|opening| (Reverse(opening.games), &opening.moves));
        openings.truncate(SHOWN);
        PlayerSummary {
            player: name,
            games,
            won,
            drawn,
            lost,
            choices: all.choices,
            mean_loss: all.mean(),
            accuracy: (all.choices > 0).then(|| self.accuracy / f64::from(all.choices)),
            phases: phase_names().zip(self.phases).collect(),
            openings,
            worst,
        }
    }
}

/// The parts of a game in their order.
pub fn phase_names() -> impl Iterator<Item = &'static str> {
    PHASES.iter().map(|(name, _)| *name)
}

impl PlayerSummary<'_> {
    fn text(&self) -> String {
        let PlayerSummary { player, games, won, drawn, lost, accuracy, mean_loss, .. } = self;
        let name = printable(player);
        let games = if *games == 1 { "1 game".to_owned() } else { format!("{games} games") };
        let mut text =
            format!("{name}: {games}, {won} won, {drawn} drawn, {lost} lost; accuracy {}\n", percent_of(*accuracy));
        if let Some(loss) = mean_loss {
            let of_phase = |name| Some(format!("{name} {:.2}", self.phases[name].mean()?));
            let phases: Vec<String> = phase_names().filter_map(of_phase).collect();
            text += &format!("  discs lost a move  {loss:.2}: {}\n", phases.join(", "));
        }
        let in_words = |Opening { moves, name, games }: &Opening| {
            let name = name.map_or_else(String::new, |name| format!(" {name}"));
            format!("{moves}{name} ({games})")
        };
        let openings: Vec<String> = self.openings.iter().map(|opening| in_words(opening)).collect();
        if !openings.is_empty() {
            text += &format!("  openings           {}\n", openings.join(", "));
        }
        for (i, Mistake { file, game, turn, played, best, loss, page }) in self.worst.iter().enumerate() {
            let label = if i == 0 { "worst moves" } else { "" };
            let place = match page {
                Some(page) => page.clone(),
                None => format!("{file} --game {game} --move {}", turn + 1),
            };
            text += &format!("  {label:<17}  {played} lost {loss:.2}, {best} was better: {place}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{AnalysisSettings, Reviewer};
    use crate::engine::EngineOptions;
    use crate::game::DISC;
    use crate::notation::game_file::GameFile;
    use crate::search::{Depth, Score};

    #[test]
    fn a_negligible_loss_is_no_mistake() {
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        let mut reviewer = Reviewer::new(AnalysisSettings { depth: Depth::new(1), ..AnalysisSettings::new(options) });
        let found = GameFile::new("one", std::io::Cursor::new("f5d6")).unwrap().next().unwrap().unwrap();
        let mut review = reviewer.review(&found.game.record);
        for (turn, loss) in review.turns.iter_mut().zip([DISC / 2 - 1, DISC / 2]) {
            let played = turn.played.as_ref().unwrap().score;
            turn.best.score = Score::from_units(played.units() + loss);
        }
        let mut players = ByPlayer::default();
        players.add(&ReviewedGame { file: "one".to_owned(), review, found });
        let player = players.summaries().next().unwrap();
        assert_eq!(player.worst.iter().map(|mistake| (mistake.turn, mistake.loss)).collect::<Vec<_>>(), [(1, 0.5)]);
    }

    #[test]
    fn players_are_summed_up_over_their_games() {
        let game = |black: &str, white: &str, moves: &str| {
            let moves = moves.as_bytes().chunks(2).zip(["B", "W"].iter().cycle());
            let moves: String =
                moves.map(|(name, color)| format!("{color}[{}]", String::from_utf8_lossy(name))).collect();
            format!(
                "(;GM[Othello]PB[{black}]PW[{white}]TY[8]RE[+4]BO[8 {} *]{moves};)\n",
                "---------------------------O*------*O---------------------------"
            )
        };
        let text =
            game("ada", "bob", "f5d6c3d3c4f4f6g5") + &game("ada", "", "d3c5f6f5e6e3d6f7") + &game("bob", "ada", "f5f4");
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        let mut reviewer = Reviewer::new(AnalysisSettings { depth: Depth::new(8), ..AnalysisSettings::new(options) });
        let mut players_of = |text: String| {
            let mut players = ByPlayer::default();
            for found in GameFile::new("games", std::io::Cursor::new(text)).unwrap() {
                let found = found.unwrap();
                let review = reviewer.review_game(&found.game, &mut |_| true);
                players.add(&ReviewedGame { file: "games".to_owned(), review, found });
            }
            players
        };
        let players = players_of(text);
        let table = players.table();
        assert!(table.starts_with("ada: 3 games, 2 won, 0 drawn, 1 lost; accuracy "), "{table}");
        assert!(
            table.contains("\nbob: 2 games, 1 won, 0 drawn, 1 lost") && table.contains("\n(no name): 1 game"),
            "{table}"
        );
        assert!(table.contains("  openings           f5d6c3d3c4f4f6g5 No-Kung (1)\n"), "{table}");
        let alone = players_of(game("", "", "f5d6c3d3c4f4f6g5"));
        let table = alone.table();
        assert!(table.starts_with("(no name): 1 game, 1 won, 0 drawn, 1 lost"), "{table}");
        assert!(table.contains("  openings           f5d6c3d3c4f4f6g5 No-Kung (1)\n"), "{table}");
        let [alone] = &alone.summaries().collect::<Vec<_>>()[..] else { panic!("{table}") };
        assert_eq!(alone.choices, 8, "those of both sides");
        let of_match = "(;GM[Othello]PC[emilia match]PB[a]PW[b]TY[8]B[f5]W[f4]B[e3/1/1]W[f6/1/1];)";
        let given = players_of(of_match.to_owned());
        assert!(given.summaries().all(|player| player.choices == 1), "{}", given.table());
        let idle = players_of(game("ada", "bob", "f5"));
        let [ada, bob] = &idle.summaries().collect::<Vec<_>>()[..] else { panic!("{}", idle.table()) };
        assert_eq!(
            (ada.mean_loss, bob.mean_loss, bob.accuracy),
            (Some(0.0), None, None),
            "who had no choice has no mean loss"
        );
        assert_eq!(idle.table().matches("discs lost a move").count(), 1, "{}", idle.table());
        let table = players.table();
        // The parallel opening is a mistake.
        assert!(table.contains(" f4 lost ") && table.contains("games --game 3 --move 2\n"), "{table}");
        let first: serde_json::Value = serde_json::from_str(players.json().lines().next().unwrap()).unwrap();
        assert_eq!((&first["player"], &first["games"], &first["choices"]), (&"ada".into(), &3.into(), &9.into()));
        let accuracy = first["accuracy"].as_f64().unwrap();
        assert_eq!((accuracy * 10.0).round() / 10.0, accuracy, "to a tenth");
    }
}
