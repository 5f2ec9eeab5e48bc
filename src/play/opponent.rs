//! Emilia's moves at a level.

use crate::analysis::{AnalysisSettings, Review, Reviewer};
use crate::book::View;
use crate::engine::{Decision, Engine, EngineOptions, Event, Goal, Level, OpeningBook, Request};
use crate::notation::AnnotatedGame;
use crate::othello::{Empties, Move, Position};
use crate::search::{Contempt, Depth, Limits, Line, TimeBudget};
use crossbeam::channel::{Receiver, bounded, never, select};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Emilia as a person's opponent and adviser, at a [`Level`].
#[derive(Debug)]
pub struct Opponent {
    engine: Engine,
    interrupts: Receiver<()>,
}

impl Opponent {
    /// Emilia with this engine, at the level of its options.
    pub fn new(engine: Engine) -> Opponent {
        Opponent { engine, interrupts: never() }
    }

    /// What comes from here while a search runs ends it, and what it has found counts; a review it ends without a result. At other times
    /// nothing is received: who sends into a channel of capacity 0 learns by that whether something runs.
    pub fn with_interrupts(self, interrupts: Receiver<()>) -> Opponent {
        Opponent { interrupts, ..self }
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.engine.options().level
    }

    /// Plays at another level from now on.
    pub fn set_level(&mut self, level: Level) {
        self.engine.replace_options(EngineOptions { level, ..self.engine.options().clone() });
    }

    /// Another game begins: what was learned, and lost, in the last one has no effect on it.
    pub fn begin_game(&mut self) {
        self.engine.clear();
    }

    /// Waits until the engine is ready for a game that goes on from here.
    pub fn be_ready(&mut self, position: &Position) {
        self.engine.be_ready(position);
    }

    /// Tells where the game is now: pondering about another position ends.
    pub fn follow(&mut self, position: &Position) {
        self.engine.follow(position);
    }

    /// The turn to take, with its value in discs for the mover if it was searched. `None` if the game is over. With a budget, the move takes no
    /// longer.
    pub fn choose(&mut self, position: &Position, budget: Option<TimeBudget>) -> Option<(Move, Option<f64>)> {
        if position.is_over() {
            return None;
        }
        if position.must_pass() {
            return Some((Move::Pass, None));
        }
        let request = Request { limits: Limits { time: budget, ..Limits::default() }, ..Request::best_move(*position) };
        let decision = self.think(request.clone());
        let turn = decision.legal_turn(position);
        self.engine.ponder(&request, turn);
        let value = decision.report.lines.first().filter(|line| line.turn == turn).map(|line| line.score.discs());
        Some((turn, value))
    }

    /// At most this number of moves with their values, whatever the level: those that the book would play, and then the best of the others by a
    /// search. None is searched if an interrupt comes before any has a value.
    pub fn hint(&mut self, position: &Position, count: usize) -> Hint {
        let book = self.engine.options().book_to_play_from();
        let view = book.and_then(|book| book.view(position, Contempt::NONE));
        let of_book: Vec<Line> = view.iter().flat_map(View::playable).take(count).collect();
        let others = (position.moves().count() as usize).max(1).saturating_sub(of_book.len());
        let lines = others.min(count - of_book.len());
        if position.is_over() || lines == 0 {
            return Hint { of_book, searched: Vec::new() };
        }
        let time = Some(TimeBudget::all_of(HINT_TIME));
        let limits = Limits { depth: Some(HINT_DEPTH), time, ..Limits::default() };
        // A search that reads the book can leave moves out.
        let except = of_book.iter().filter_map(|line| line.turn.square()).collect();
        let request = Request { goal: Goal::Hint { lines }, limits, except, ..Request::best_move(*position) };
        let searched = self.think(request).report.lines.into_iter().take(lines).collect();
        Hint { of_book, searched }
    }

    /// The opening book, whether the level plays from it or not.
    pub fn book(&self) -> Option<&OpeningBook> {
        self.engine.options().book.as_ref()
    }

    /// What the moves of a game were worth, by a quick look at each; `None` if it has none, or if an interrupt came.
    pub fn review(&self, game: &AnnotatedGame) -> Option<Review> {
        if game.is_position() {
            return None;
        }
        // The review has threads of its own.
        self.engine.stop();
        let options =
            EngineOptions { depth: Some(REVIEW_DEPTH), time: None, nodes: None, ..self.engine.options().clone() };
        let settings = AnalysisSettings { exact_from: REVIEW_EXACT, ..AnalysisSettings::new(options) };
        let (interrupts, (end, ended)) = (&self.interrupts, bounded::<()>(0));
        let is_interrupted = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                select! {
                    recv(interrupts) -> interrupt => is_interrupted.store(interrupt.is_ok(), Ordering::Relaxed),
                    recv(ended) -> _ => {}
                }
            });
            let go_on = || !is_interrupted.load(Ordering::Relaxed);
            let review = Reviewer::new(settings).review_game(game, &mut |_| go_on());
            drop(end);
            go_on().then_some(review)
        })
    }

    fn think(&mut self, request: Request) -> Decision {
        let thinking = self.engine.start(request);
        let mut interrupts = self.interrupts.clone();
        loop {
            select! {
                recv(thinking.events()) -> event => if let Event::Finished(decision) = Event::from(event) {
                    return decision;
                },
                recv(interrupts) -> interrupt => {
                    if interrupt.is_ok() {
                        thinking.stop();
                    }
                    interrupts = never();
                }
            }
        }
    }
}

/// How deep and how long hints look.
const HINT_DEPTH: Depth = Depth::new(14).unwrap();
const HINT_TIME: Duration = Duration::from_millis(1500);

/// How deep a game is looked at when it is over, and the empty squares from which on it is solved.
const REVIEW_DEPTH: Depth = Depth::new(8).unwrap();
const REVIEW_EXACT: Empties = Empties::new(12).unwrap();

/// Moves with their values.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    /// Those that the opening book would play, the best first.
    pub of_book: Vec<Line>,
    /// The best of the others, by a search.
    pub searched: Vec<Line>,
}
