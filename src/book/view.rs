//! What the book says of a position, as somebody at the board sees it.

use super::key::turned_back;
use super::{BookError, Entry, Key, Leaf, Next, Positions, moves};
use crate::othello::{Move, Position};
use crate::search::{Bound, Line, Score, SearchDepth};

/// A move of a position, and what the book knows of it.
#[derive(Clone, PartialEq, Debug)]
pub struct BookMove {
    /// The move.
    pub turn: Move,
    /// Its value for the side that moves; `None` if the position behind it waits to be searched.
    pub value: Option<Score>,
    /// The least final score that is proven, in discs.
    pub lower: i8,
    /// The greatest final score that is proven, in discs.
    pub upper: i8,
    /// Whether the position behind it is in the book; else the move is the leaf, the best one that is not.
    pub is_in_book: bool,
    /// How far the search has seen that found the leaf at the end of the line.
    pub depth: SearchDepth,
    /// How often the growth of the book went through it.
    pub visits: u32,
    /// How many learned games came through the position behind it.
    pub games: u32,
    /// The best play by the book, beginning with the move and ending with a leaf.
    pub line: Vec<Move>,
}

/// What the book knows of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The entry, for the side to move; its squares are the book's.
    pub entry: Entry,
    /// The moves that the book knows, the best first, those that were not searched last.
    pub moves: Vec<BookMove>,
}

impl View {
    /// The moves to play by the book, the best first: those to positions with a value, unless a move that is not in the book seems better.
    pub fn playable(&self) -> impl Iterator<Item = Line> {
        let is_best_in_book = self.moves.first().is_some_and(|best| best.is_in_book);
        let is_known = self.entry.value.is_some() && is_best_in_book;
        self.in_book().filter(move |_| is_known)
    }

    /// The moves to positions with a value, the best first.
    pub fn in_book(&self) -> impl Iterator<Item = Line> {
        let of_book = self.moves.iter().filter(|found| found.is_in_book);
        of_book.filter_map(|found| {
            let &BookMove { turn, value, depth, .. } = found;
            Some(Line { turn, score: value?, bound: Bound::Exact, depth, pv: found.line.clone(), visits: 0 })
        })
    }

    /// How many learned games played this move.
    pub fn games(&self, turn: Move) -> u32 {
        self.moves.iter().find(|found| found.turn == turn).map_or(0, |found| found.games)
    }
}

/// What the book knows of a position, if it is there. Where the side to move must pass, the one move is the pass.
///
/// # Errors
/// If the book cannot be read.
pub fn look_up(book: &(impl Positions + ?Sized), position: &Position) -> Result<Option<View>, BookError> {
    if position.must_pass() {
        let Some(view) = look_up(book, &position.pass())? else { return Ok(None) };
        return Ok(Some(passed(&view)));
    }
    if position.is_over() {
        return Ok(None);
    }
    let (key, symmetry) = Key::of(position);
    let Some(entry) = book.get(&key)? else { return Ok(None) };
    let mut found = Vec::new();
    for (square, next) in moves(position) {
        let behind = match next.key() {
            Some(key) => book.get(&key)?,
            None => None,
        };
        let turn = Move::Place(square);
        let is_leaf = leaf(&entry).is_some_and(|(leaf, ..)| turned_back(symmetry, leaf) == turn);
        match behind {
            Some(behind) if behind.value.is_some() || !is_leaf => {
                found.push(in_book(book, position, turn, next, &behind)?);
            }
            _ if is_leaf => found.extend(of_leaf(&entry, turn)),
            _ => {}
        }
    }
    // Of equal ones the one that was looked at more.
    found.sort_by_key(|found| std::cmp::Reverse((found.value, found.is_in_book, found.visits)));
    Ok(Some(View { entry, moves: found }))
}

fn leaf(entry: &Entry) -> Option<(crate::othello::Square, Score, SearchDepth)> {
    match entry.leaf {
        Leaf::Found { square, value, depth } => Some((square, value, depth)),
        Leaf::Unsearched | Leaf::NoneLeft => None,
    }
}

fn of_leaf(entry: &Entry, turn: Move) -> Option<BookMove> {
    let (_, value, depth) = leaf(entry)?;
    let discs = (value.units() / crate::game::DISC) as i8;
    let (lower, upper) = if depth.is_exact() { (discs, discs) } else { (-64, 64) };
    let line = vec![turn];
    Some(BookMove { turn, value: Some(value), lower, upper, is_in_book: false, depth, visits: 0, games: 0, line })
}

fn in_book(
    book: &(impl Positions + ?Sized),
    position: &Position,
    turn: Move,
    next: Next,
    behind: &Entry,
) -> Result<BookMove, BookError> {
    let (one, other) = (next.signed(behind.lower), next.signed(behind.upper));
    let BestPlay { line, depth, .. } = best_play(book, position, turn)?;
    Ok(BookMove {
        turn,
        value: behind.value.map(|value| next.signed(value)),
        lower: one.min(other),
        upper: one.max(other),
        is_in_book: true,
        depth,
        visits: behind.visits,
        games: behind.games,
        line,
    })
}

/// The best play from a move on.
pub(super) struct BestPlay {
    /// The moves, passes included.
    pub line: Vec<Move>,
    /// How far the search at its end has seen.
    pub depth: SearchDepth,
    /// The fingerprint of the evaluation of that search.
    pub weights: u32,
}

/// The best play from a move on.
pub(super) fn best_play(
    book: &(impl Positions + ?Sized),
    position: &Position,
    first: Move,
) -> Result<BestPlay, BookError> {
    let mut play = BestPlay { line: vec![first], depth: SearchDepth::default(), weights: 0 };
    let Ok(mut position) = position.take(first) else { return Ok(play) };
    loop {
        if position.must_pass() {
            play.line.push(Move::Pass);
            position = position.pass();
        }
        let (key, symmetry) = Key::of(&position);
        let Some(entry) = book.get(&key)? else { break };
        let mut best: Option<(Score, Move, bool)> = None;
        for (square, next) in moves(&position) {
            let behind = match next.key() {
                Some(key) => book.get(&key)?,
                None => None,
            };
            if let Some(value) = behind.and_then(|behind| behind.value).map(|value| next.signed(value))
                && best.is_none_or(|(known, ..)| value > known)
            {
                best = Some((value, Move::Place(square), true));
            }
        }
        if let Some((square, value, leaf_depth)) = leaf(&entry) {
            (play.depth, play.weights) = (leaf_depth, entry.weights);
            let turn = turned_back(symmetry, square);
            let is_open = position.take(turn).is_ok() && best.is_none_or(|(known, ..)| value > known);
            if is_open {
                best = Some((value, turn, false));
            }
        }
        let Some((_, turn, goes_on)) = best else { break };
        play.line.push(turn);
        match position.take(turn) {
            Ok(after) if goes_on => position = after,
            _ => break,
        }
    }
    Ok(play)
}

/// What the side that must pass sees of the position behind the pass.
fn passed(view: &View) -> View {
    let Entry { value, lower, upper, .. } = view.entry;
    let entry = Entry { value: value.map(|value| -value), lower: -upper, upper: -lower, ..view.entry };
    let best = view.moves.first();
    let line = std::iter::once(Move::Pass).chain(best.into_iter().flat_map(|best| best.line.iter().copied())).collect();
    let pass = BookMove {
        turn: Move::Pass,
        value: entry.value,
        lower: entry.lower,
        upper: entry.upper,
        is_in_book: true,
        depth: best.map_or(SearchDepth::default(), |best| best.depth),
        visits: entry.visits,
        games: entry.games,
        line,
    };
    View { entry, moves: vec![pass] }
}
