//! `emilia book`: making, growing and looking at opening books.

mod combine;
mod exchange;
mod grow;
mod look;
mod tasks;

use super::game_choice::GameChoice;
use super::game_input::{GameFiles, NamedGame};
use super::options::WeightsArguments;
use super::output::{Failures, complain, counted, say, warn};
use super::progress::StatusLine;
use crate::book::{Book, BookError, Contents, Database, LEARNED_PLIES, RECORD, Snapshot, pack};
use crate::eval::{EvaluatorKind, fingerprint};
use crate::notation::game_file::GameFileError;
use crate::othello::GameRecord;
use clap::{Args, Subcommand};
use crossbeam::channel::{Receiver, RecvTimeoutError, bounded};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a command waits for a book that another program has.
const PATIENCE: Duration = Duration::from_secs(2);
/// Games that are learned as one unit of work.
const GAMES_AT_ONCE: usize = 200;

/// Opening books: docs/book.md says what they hold and how they grow.
///
/// To walk through one: `emilia play --color both --book BOOK`, where `book` shows what it knows.
#[derive(Args, Clone, Debug)]
pub(super) struct BookArguments {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum BookCommand {
    /// Make a book of the start position, to let it grow
    New(NewArguments),
    /// Search and add positions where they matter most; the same command goes on
    Grow(grow::GrowArguments),
    /// Add the positions of games, to be searched as the book grows; games that are given again count again
    Learn(LearnArguments),
    /// Show what the book knows of a position
    Show(look::ShowArguments),
    /// Count what is in a book
    Stat(look::StatArguments),
    /// Compare the checksums, compute every value again from the leaves, and say what is wrong
    Check(CheckArguments),
    /// Write a small book that never changes, to play from
    Pack(PackArguments),
    /// Make a book of all that several books know
    Merge(combine::MergeArguments),
    /// Make a book of the part of another that matters most
    Prune(combine::PruneArguments),
    /// Write the searches that are next as queries for `emilia analyze`
    Tasks(tasks::TasksArguments),
    /// Take the answers to `tasks` into the book, in any order
    Take(tasks::TakeArguments),
    /// Write a book of Edax (.dat) or Egaroucid (.egbk3)
    Export(exchange::ExportArguments),
    /// Make a book of one of Edax (.dat) or Egaroucid (.egbk3)
    Import(exchange::ImportArguments),
}

#[derive(Args, Clone, Debug)]
struct NewArguments {
    /// The book to make
    book: PathBuf,
    #[command(flatten)]
    weights: WeightsArguments,
}

#[derive(Args, Clone, Debug)]
struct LearnArguments {
    /// The book
    book: PathBuf,
    /// Learn positions with at most this number of discs placed
    #[arg(long, value_name = "N", default_value_t = LEARNED_PLIES, value_parser = clap::value_parser!(u32).range(1..=60))]
    plies: u32,
    #[command(flatten)]
    choice: GameChoice,
    #[command(flatten)]
    input: GameFiles,
}

#[derive(Args, Clone, Debug)]
struct CheckArguments {
    /// The book, packed or not
    book: PathBuf,
}

#[derive(Args, Clone, Debug)]
struct PackArguments {
    /// The book to pack
    book: PathBuf,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// Runs one command.
pub(super) fn run(arguments: &BookArguments) -> Result<(), String> {
    super::log_output::to_stderr();
    match &arguments.command {
        BookCommand::New(arguments) => {
            let weights = fingerprint(&*arguments.weights.evaluator(EvaluatorKind::default())?);
            Database::create(&arguments.book, weights).map(drop).map_err(at(&arguments.book))
        }
        BookCommand::Grow(arguments) => grow::run(arguments),
        BookCommand::Learn(arguments) => learn(arguments),
        BookCommand::Show(arguments) => look::show(arguments),
        BookCommand::Stat(arguments) => look::stat(arguments),
        BookCommand::Check(arguments) => check(arguments),
        BookCommand::Merge(arguments) => combine::run_merge(arguments),
        BookCommand::Prune(arguments) => combine::run_prune(arguments),
        BookCommand::Tasks(arguments) => tasks::run_tasks(arguments),
        BookCommand::Take(arguments) => tasks::run_take(arguments),
        BookCommand::Export(arguments) => exchange::run_export(arguments),
        BookCommand::Import(arguments) => exchange::run_import(arguments),
        BookCommand::Pack(arguments) => {
            let book = Book::open(&arguments.book).map_err(at(&arguments.book))?;
            let Contents::Database(book) = book.now().map_err(at(&arguments.book))? else {
                return Err(at(&arguments.book)("the book is packed already"));
            };
            warn_of_weights(&arguments.book, book.weights);
            let positions = pack(&book, &arguments.out).map_err(making(&arguments.book, &arguments.out))?;
            say(format_args!("{}, {RECORD} bytes each", counted(positions, "position")));
            let left_out = book.count().map_err(at(&arguments.book))?.saturating_sub(positions);
            if left_out > 0 {
                say(format_args!("without a value until they are searched, and left out: {left_out}"));
            }
            Ok(())
        }
    }
}

/// Names the book in what is said of it.
fn at<E: Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("'{}': {error}", path.display())
}

/// Says that a book grew last with weights of this fingerprint, if those of the program are others.
fn warn_of_weights(path: &Path, weights: u32) {
    warn_of_other_weights(path, weights, ("the program's", program_weights()), "");
}

/// Says that a book grew last with weights of this fingerprint, if these, whose they are said to be, are others, and what comes of that.
fn warn_of_other_weights(path: &Path, weights: u32, (whose, others): (&str, u32), outcome: &str) {
    if weights != others {
        let outcome = if outcome.is_empty() { String::new() } else { format!("; {outcome}") };
        warn(at(path)(format!("it grew last with the weights {weights:08x}; {whose} are {others:08x}{outcome}")));
    }
}

/// The fingerprint of the program's own weights.
fn program_weights() -> u32 {
    fingerprint(&*EvaluatorKind::default().build())
}

/// Names the file that is made in what is said of it, and the book that it is made of where that is damaged.
fn making(source: &Path, path: &Path) -> impl Fn(BookError) -> String {
    move |error| match error {
        BookError::Damaged(_) | BookError::NotABook(_) => at(source)(error),
        error => at(path)(error),
    }
}

fn learn(arguments: &LearnArguments) -> Result<(), String> {
    Book::expect_growing(&arguments.book).map_err(at(&arguments.book))?;
    let interrupt = super::on_interrupt()?;
    let line = StatusLine::of_messages();
    let (mut found, mut left_out, mut failures) = (0, LeftOut::default(), Failures::default());
    let mut learning = Learning::new(arguments);
    let games = read_aside(arguments.input.clone(), arguments.choice.clone());
    while !interrupt.load(Ordering::Relaxed) {
        let item = games.recv_timeout(Duration::from_millis(50));
        if let Ok(item) = &item {
            found += 1;
            learning.read = item.as_ref().map_or_else(|error| error.number, |game| game.found.place.number);
        }
        match item {
            Ok(Ok(game)) => learning.waiting.extend(left_out.learnable(game.found.game.record, arguments.plies)),
            Ok(Err(error)) => failures.unread(&error),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if learning.waiting.len() == GAMES_AT_ONCE {
            learning.keep()?;
            let Learning { learned, new, .. } = learning;
            line.show(learned, || format!("{} learned, {new} new positions", counted(learned, "game")));
        }
    }
    learning.keep()?;
    line.finish();
    say(format_args!("{} learned, {}", counted(learning.learned, "game"), counted(learning.new, "new position")));
    left_out.say(arguments.plies);
    if interrupt.load(Ordering::Relaxed) {
        return Err(match learning.rest() {
            Some(numbers) => format!("interrupted; --game {numbers} learns the rest"),
            None => "interrupted; what was learned is in the book, and would be counted again".to_owned(),
        });
    }
    arguments.choice.check(found)?;
    failures.end("read")
}

/// Games on their way into a book.
struct Learning<'a> {
    arguments: &'a LearnArguments,
    /// Opened when there is something to be learned: whoever makes the games may need it, or take long.
    book: Option<Database>,
    waiting: Vec<GameRecord>,
    /// The number of the last game that was read.
    read: usize,
    /// That of the last one when the book had what was read.
    kept: usize,
    /// Games in the book.
    learned: u64,
    /// Positions that the book did not have.
    new: u64,
}

impl Learning<'_> {
    fn new(arguments: &LearnArguments) -> Learning<'_> {
        Learning { arguments, book: None, waiting: Vec::new(), read: 0, kept: 0, learned: 0, new: 0 }
    }

    /// Learns the games that wait. An error says what was learned before: it would be counted again.
    fn keep(&mut self) -> Result<(), String> {
        self.try_to_keep().map_err(|error| {
            let error = at(&self.arguments.book)(error);
            let learned = counted(self.learned, "game");
            match self.rest() {
                _ if self.learned == 0 => error,
                Some(numbers) => format!("{error}; in the book by now: {learned}; --game {numbers} learns the rest"),
                None => format!("{error}; in the book by now: {learned}, which would be counted again"),
            }
        })
    }

    fn try_to_keep(&mut self) -> Result<(), BookError> {
        if !self.waiting.is_empty() && self.book.is_none() {
            self.book = Some(Database::open_when_free(&self.arguments.book, PATIENCE)?);
        }
        if let Some(book) = &self.book {
            self.new += book.learn(&self.waiting, self.arguments.plies)?;
        }
        self.learned += self.waiting.len() as u64;
        self.waiting.clear();
        self.kept = self.read;
        Ok(())
    }

    /// The numbers of the games that are not in the book, if the same command finds them again.
    fn rest(&self) -> Option<String> {
        let LearnArguments { choice, input, .. } = self.arguments;
        choice.numbers_behind(self.kept).filter(|_| input.is_one_file())
    }
}

/// Games of which no position is learned.
#[derive(Default)]
struct LeftOut {
    /// They begin with too many discs.
    late: u64,
    /// They begin at the end of a game.
    over: u64,
}

impl LeftOut {
    /// The game, if positions of it with at most this number of discs placed are learned.
    fn learnable(&mut self, game: GameRecord, plies: u32) -> Option<GameRecord> {
        if game.start().is_over() {
            self.over += 1;
        } else if game.start().empties().count() + plies < 60 {
            self.late += 1;
        } else {
            return Some(game);
        }
        None
    }

    fn say(&self, plies: u32) {
        let late = format!("they begin with more than {plies} discs placed (--plies)");
        for (count, why) in [(self.late, &*late), (self.over, "they are over where they begin")] {
            if count > 0 {
                say(format_args!("not learned, because {why}: {}", counted(count, "game")));
            }
        }
    }
}

/// The games of files, read by a thread of its own: whoever waits for somebody who types can be interrupted.
fn read_aside(input: GameFiles, choice: GameChoice) -> Receiver<Result<NamedGame, GameFileError>> {
    let (sender, games) = bounded(GAMES_AT_ONCE);
    std::thread::spawn(move || input.chosen(&choice).all(|item| sender.send(item).is_ok()));
    games
}

fn check(arguments: &CheckArguments) -> Result<(), String> {
    let path = &arguments.book;
    let (positions, faults) = match Book::open(path).map_err(at(path))? {
        // It was compared with its checksum when it was opened.
        Book::Packed(packed) => {
            warn_of_weights(path, packed.weights);
            (packed.count() as u64, packed.check(&mut |fault| complain(fault)).map_err(at(path))?)
        }
        Book::Database(_) => {
            let snapshot = Snapshot::open_and_check_pages(path).map_err(at(path))?;
            warn_of_weights(path, snapshot.weights);
            let faults = snapshot.check(&mut |fault| complain(fault)).map_err(at(path))?;
            (snapshot.count().map_err(at(path))?, faults)
        }
    };
    say(format_args!("{}, {}", counted(positions, "position"), counted(faults, "fault")));
    if faults == 0 { Ok(()) } else { Err(at(path)("the book is damaged")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Move;
    use clap::Parser;
    use std::ffi::OsStr;
    use std::fs;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        learn: LearnArguments,
    }

    #[test]
    fn where_learning_fails_it_says_what_is_in_the_book() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        drop(Database::create(&path, 5).unwrap());
        let line = [OsStr::new("learn"), path.as_os_str(), OsStr::new("games.txt")];
        let CommandLine { learn } = CommandLine::parse_from(line);
        let mut game = GameRecord::default();
        game.take(Move::Place("f5".parse().unwrap())).unwrap();

        let mut learning = Learning::new(&learn);
        learning.read = 1;
        learning.keep().unwrap();
        drop(Database::open(&path).expect("what has learned nothing yet is not in the way"));
        learning.waiting.push(game.clone());
        learning.read = 3;
        learning.keep().unwrap();
        // The second game that it is to learn is the fifth of the file, and the book is gone.
        learning.book = None;
        fs::remove_file(&path).unwrap();
        learning.waiting.push(game.clone());
        learning.read = 5;
        let error = learning.keep().unwrap_err();
        assert!(error.ends_with("': not found; in the book by now: 1 game; --game 4- learns the rest"), "{error}");

        let mut learning = Learning::new(&learn);
        learning.waiting.push(game);
        assert!(learning.keep().unwrap_err().ends_with("': not found"));
    }
}
