//! What the book says of a position, as somebody at the board sees it.

use super::graph::is_draw;
use super::key::turned_back;
use super::{BookError, Draws, Entry, Key, Leaf, Next, Positions, moves};
use crate::othello::{Move, Position};
use crate::search::{Bound, Contempt, Line, Score, SearchDepth};

/// A move of a position, and what the book knows of it.
#[derive(Clone, PartialEq, Debug)]
pub struct BookMove {
    /// The move.
    pub turn: Move,
    /// Its value for the side that moves; `None` if the position behind it waits to be searched.
    pub value: Option<Score>,
    /// What it is worth by what a draw is worth; `None` if that is the value.
    pub draws: Option<Draws>,
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

    /// What is known of this move, if anything is.
    pub fn known(&self, turn: Move) -> Option<&BookMove> {
        self.moves.iter().find(|found| found.turn == turn)
    }
}

/// What the book knows of a position, if it is there, with draws at this worth. Where the side to move must pass, the one move is the pass.
///
/// # Errors
/// If the book cannot be read.
pub fn look_up(
    book: &(impl Positions + ?Sized),
    position: &Position,
    contempt: Contempt,
) -> Result<Option<View>, BookError> {
    if position.must_pass() {
        let Some(view) = look_up(book, &position.pass(), contempt)? else { return Ok(None) };
        return Ok(Some(passed(&view)));
    }
    if position.is_over() {
        return Ok(None);
    }
    let (key, symmetry) = Key::of(position);
    let Some(entry) = book.get(&key)? else { return Ok(None) };
    let draw = draw(contempt, position);
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
                found.push(in_book(book, position, turn, (next, &behind), contempt)?);
            }
            _ if is_leaf => found.extend(of_leaf(&entry, turn, draw)),
            _ => {}
        }
    }
    // Of equal ones the one that was looked at more.
    found.sort_by_key(|found| std::cmp::Reverse((found.value, found.is_in_book, found.visits)));
    Ok(Some(View { entry: Entry { value: entry.worth(draw), ..entry }, moves: found }))
}

/// What a draw is worth to the side to move.
fn draw(contempt: Contempt, position: &Position) -> Score {
    Score::from_discs(contempt.draw_for(position.mover()))
}

/// The leaf with what it is worth if a draw is worth this.
fn worth_of_leaf(entry: &Entry, draw: Score) -> Option<(crate::othello::Square, Score, SearchDepth)> {
    leaf(entry).map(|(square, value, depth)| (square, if is_draw(entry) { draw } else { value }, depth))
}

fn leaf(entry: &Entry) -> Option<(crate::othello::Square, Score, SearchDepth)> {
    match entry.leaf {
        Leaf::Found { square, value, depth } => Some((square, value, depth)),
        Leaf::Unsearched | Leaf::NoneLeft => None,
    }
}

fn of_leaf(entry: &Entry, turn: Move, draw: Score) -> Option<BookMove> {
    let (_, result, depth) = leaf(entry)?;
    let (_, value, _) = worth_of_leaf(entry, draw)?;
    let discs = (result.units() / crate::game::DISC) as i8;
    let draws = is_draw(entry).then_some(Draws::DRAW);
    let (lower, upper) = if depth.is_exact() { (discs, discs) } else { (-64, 64) };
    let line = vec![turn];
    Some(BookMove {
        turn,
        value: Some(value),
        draws,
        lower,
        upper,
        is_in_book: false,
        depth,
        visits: 0,
        games: 0,
        line,
    })
}

fn in_book(
    book: &(impl Positions + ?Sized),
    position: &Position,
    turn: Move,
    (next, behind): (Next, &Entry),
    contempt: Contempt,
) -> Result<BookMove, BookError> {
    let (one, other) = (next.signed(behind.lower), next.signed(behind.upper));
    let BestPlay { line, depth, .. } = best_play(book, position, turn, contempt)?;
    Ok(BookMove {
        turn,
        value: worth(next, behind, draw(contempt, position)),
        draws: behind.draws.map(|draws| next.signed(draws)),
        lower: one.min(other),
        upper: one.max(other),
        is_in_book: true,
        depth,
        visits: behind.visits,
        games: behind.games,
        line,
    })
}

/// What a move to a position in the book is worth to the side that moves, if a draw is worth this to it.
fn worth(next: Next, behind: &Entry, draw: Score) -> Option<Score> {
    behind.worth(next.signed(draw)).map(|value| next.signed(value))
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
    contempt: Contempt,
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
        let draw = draw(contempt, &position);
        let mut best: Option<(Score, Move, bool)> = None;
        for (square, next) in moves(&position) {
            let behind = match next.key() {
                Some(key) => book.get(&key)?,
                None => None,
            };
            if let Some(value) = behind.and_then(|behind| worth(next, &behind, draw))
                && best.is_none_or(|(known, ..)| value > known)
            {
                best = Some((value, Move::Place(square), true));
            }
        }
        if let Some((square, value, leaf_depth)) = worth_of_leaf(&entry, draw) {
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
    let Entry { value, draws, lower, upper, .. } = view.entry;
    let entry = Entry {
        value: value.map(|value| -value),
        draws: draws.map(|draws| -draws),
        lower: -upper,
        upper: -lower,
        ..view.entry
    };
    let best = view.moves.first();
    let line = std::iter::once(Move::Pass).chain(best.into_iter().flat_map(|best| best.line.iter().copied())).collect();
    let pass = BookMove {
        turn: Move::Pass,
        value: entry.value,
        draws: entry.draws,
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

#[cfg(test)]
mod tests {
    use super::super::graph::settle;
    use super::super::graph::tests::WEIGHTS;
    use super::*;
    use crate::othello::Color;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn what_a_draw_is_worth_chooses_the_move() {
        let square = |name: &str| name.parse::<crate::othello::Square>().unwrap();
        let root = Position::START.after(square("f5"));
        let mut book = BTreeMap::new();
        // Of two replies one is a draw, and after the other one the opponent of White, to move here, seems to be worth two discs less.
        for (reply, discs, depth) in [("d6", 0, SearchDepth::Exact), ("f6", -2, SearchDepth::Plies(10))] {
            let behind = root.after(square(reply));
            let key = Key::of(&behind).0;
            let first = key.position().moves().into_iter().next().unwrap();
            let leaf = Leaf::Found { square: first, value: Score::from_discs(discs), depth };
            book.insert(key, Entry { leaf, weights: WEIGHTS, ..Entry::UNSEARCHED });
        }
        let (key, symmetry) = Key::of(&root);
        let leaf = Leaf::Found {
            square: symmetry.square(square("f4")),
            value: Score::from_discs(-9),
            depth: SearchDepth::Plies(10),
        };
        book.insert(key, Entry { leaf, weights: WEIGHTS, ..Entry::UNSEARCHED });
        let keys: BTreeSet<Key> = book.keys().copied().collect();
        settle(&mut book, keys, WEIGHTS).unwrap();

        assert_eq!(root.mover(), Color::White);
        for (to_black, first, value) in [(0, "f6", 2), (1, "f6", 2), (-1, "f6", 2), (-3, "d6", 3), (-100, "d6", 100)] {
            let view = look_up(&book, &root, Contempt::new(to_black).unwrap()).unwrap().unwrap();
            let best = &view.moves[0];
            assert_eq!((best.turn.to_string(), best.value), (first.to_owned(), Some(Score::from_discs(value))));
            assert_eq!(view.entry.value, best.value);
            let draws = Draws { lost: Score::from_discs(2), won: Score::from_discs(100) };
            assert_eq!(view.entry.draws, Some(draws));
            assert_eq!(view.playable().next().unwrap().turn, best.turn);
        }
    }
}
