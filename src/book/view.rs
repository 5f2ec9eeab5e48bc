//! What the book says of a position, as somebody at the board sees it.

use super::graph::{Child, Neighbours, is_draw};
use super::{BookError, Draws, Entry, Key, Leaf, Positions};
use crate::game::DISC;
use crate::othello::{Bitboard, Move, Position, Square, Symmetry};
use crate::search::{Contempt, Line, Score, SearchDepth};
use std::cmp::Reverse;

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
    /// Whether the book has it by the position behind it. Else it is the leaf, the best move to no position with a value, or its image by a
    /// symmetry of the position; a position behind that may be in the book and wait to be searched.
    pub is_in_book: bool,
    /// How far the search has seen that found the leaf at the end of the line.
    pub depth: SearchDepth,
    /// The fingerprint of the evaluation of that search; 0 if it is not known.
    pub weights: u32,
    /// How often the growth of the book went through the position behind it.
    pub visits: u32,
    /// How many learned games came through the position behind it.
    pub games: u32,
    /// The best play by the book, beginning with the move and ending with a leaf.
    pub line: Vec<Move>,
}

impl BookMove {
    /// The move as a search would report it, if it has a value.
    fn as_line(&self) -> Option<Line> {
        Some(Line::new(self.line.clone(), self.value?, self.depth))
    }
}

/// What the book knows of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The entry, for the side to move; its squares are the book's.
    pub entry: Entry,
    /// The moves that the book knows, the best first, those that were not searched last.
    pub moves: Vec<BookMove>,
    /// The fingerprint of the evaluation that the book grew with last.
    pub weights: u32,
}

impl View {
    /// The moves to play by the book, the best first: those to positions with a value, and the leaf with its images if it is better than all of
    /// them. A leaf alone is played if its value is the result, because else a search knows as much.
    pub fn playable(&self) -> impl Iterator<Item = Line> {
        let is_worth_knowing = |found: &BookMove| found.value.is_some() && (found.is_in_book || found.depth.is_exact());
        let is_known = self.entry.value.is_some() && self.moves.iter().any(is_worth_knowing);
        let is_leaf_best = self.moves.first().is_some_and(|best| !best.is_in_book);
        let known = self.moves.iter().filter(move |found| is_known && (found.is_in_book || is_leaf_best));
        known.filter_map(BookMove::as_line)
    }

    /// The moves with a value, the best first; the leaf, which leads out of the book, may be among them.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.moves.iter().filter_map(BookMove::as_line)
    }

    /// What is known of this move, if anything is.
    pub fn known(&self, turn: Move) -> Option<&BookMove> {
        self.moves.iter().find(|found| found.turn == turn)
    }
}

/// What the book, which grew with these weights, knows of a position, if it is there, with draws at this worth. Where the side to move must
/// pass, the one move is the pass.
///
/// # Errors
/// If the book cannot be read.
pub fn look_up(
    book: &(impl Positions + ?Sized),
    weights: u32,
    position: &Position,
    contempt: Contempt,
) -> Result<Option<View>, BookError> {
    if position.must_pass() {
        let Some(view) = look_up(book, weights, &position.pass(), contempt)? else { return Ok(None) };
        return Ok(Some(passed(&view)));
    }
    if position.is_over() {
        return Ok(None);
    }
    let Some((entry, neighbours, symmetry)) = known(book, position)? else { return Ok(None) };
    let draw = draw(contempt, position);
    let leaves = images(position, neighbours.leaf.map(|(square, _)| square));
    let leaf = |square| of_leaf(&entry, &neighbours, square, draw);
    let mut found: Vec<BookMove> = leaves.into_iter().filter_map(leaf).collect();
    for child in neighbours.children.iter().filter(|child| !leaves.contains(child.square)) {
        found.push(in_book(book, position, child, contempt)?);
    }
    found.sort_by_key(|found| Reverse((found.rank(), found.turn.square().map(|square| place(symmetry, square)))));
    Ok(Some(View { entry: Entry { value: entry.worth(draw), ..entry }, moves: found, weights }))
}

/// What puts a move before others, most of all its value: of equal ones the one of which more is proven, one to a position in the book, and one that was
/// looked at or played more. Of moves that are equal in all of this the first on the book's own board comes first.
type Rank = (Option<Score>, i8, bool, u32, u32);

impl BookMove {
    fn rank(&self) -> Rank {
        (self.value, self.lower, self.is_in_book, self.visits, self.games)
    }
}

/// The place of a square on the book's own board, to which this symmetry leads, the greater the earlier it comes.
fn place(symmetry: Symmetry, square: Square) -> Reverse<Square> {
    Reverse(symmetry.square(square))
}

/// A move and its images by the symmetries of a position.
fn images(position: &Position, square: Option<Square>) -> Bitboard {
    let images = |square| Symmetry::of(position).map(move |symmetry| symmetry.square(square));
    square.into_iter().flat_map(images).collect()
}

/// What a draw is worth to the side to move.
fn draw(contempt: Contempt, position: &Position) -> Score {
    Score::from_discs(contempt.draw_for(position.mover()))
}

/// The entry of a position and what is around it, on the board as it is turned here, with a leaf that was searched; and the symmetry that leads
/// to the book's own board.
fn known(
    book: &(impl Positions + ?Sized),
    position: &Position,
) -> Result<Option<(Entry, Neighbours, Symmetry)>, BookError> {
    let (key, symmetry) = Key::of(position);
    let Some(entry) = book.get(&key)? else { return Ok(None) };
    let leaf = entry.leaf.square().filter(|_| entry.leaf.is_searched());
    let leaf = leaf.map(|square| symmetry.inverse().square(square));
    Ok(Some((entry, Neighbours::around(book, position, leaf)?, symmetry)))
}

/// The leaf as a move to this square, or to its image, if a draw is worth this to the side to move.
fn of_leaf(entry: &Entry, neighbours: &Neighbours, square: Square, draw: Score) -> Option<BookMove> {
    let Leaf::Found { value, depth, .. } = entry.leaf else { return None };
    let (turn, is_draw) = (Move::Place(square), is_draw(entry));
    let discs = (value.units() / DISC) as i8;
    let (lower, upper) = if depth.is_exact() { (discs, discs) } else { (-64, 64) };
    // Games may have played it, so that the position behind it is there without a value.
    let behind = neighbours.children.iter().find(|child| child.square == square);
    let (visits, games) = behind.map_or((0, 0), |child| (child.entry.visits, child.entry.games));
    Some(BookMove {
        turn,
        value: Some(if is_draw { draw } else { value }),
        draws: is_draw.then_some(Draws::DRAW),
        lower,
        upper,
        is_in_book: false,
        depth,
        weights: entry.weights,
        visits,
        games,
        line: vec![turn],
    })
}

fn in_book(
    book: &(impl Positions + ?Sized),
    position: &Position,
    child: &Child,
    contempt: Contempt,
) -> Result<BookMove, BookError> {
    let Child { square, next, entry: behind } = child;
    let turn = Move::Place(*square);
    let (lower, upper) = child.bounds();
    let BestPlay { line, depth, weights } = best_play(book, position, turn, contempt)?;
    let at_leaf = position.empty_count().count() as usize - line.iter().filter(|turn| turn.square().is_some()).count();
    let depth = depth_of_line(depth, behind, at_leaf as u8 + 1);
    Ok(BookMove {
        turn,
        value: child.worth(draw(contempt, position)),
        draws: behind.draws.map(|draws| next.signed(draws)),
        lower,
        upper,
        is_in_book: true,
        depth,
        weights,
        visits: behind.visits,
        games: behind.games,
        line,
    })
}

/// The rank of a move to a position with a value, if a draw is worth this to the side to move.
fn rank(child: &Child, draw: Score) -> Option<Rank> {
    Some((Some(child.worth(draw)?), child.bounds().0, true, child.entry.visits, child.entry.games))
}

/// How far a position is seen whose best line ends with a search of this depth, of a position with `empties` empty squares.
pub(super) fn depth_of_line(depth: SearchDepth, entry: &Entry, empties: u8) -> SearchDepth {
    match depth {
        _ if entry.is_solved() => SearchDepth::Exact,
        // A search that has seen the end of the game proves nothing of other lines.
        SearchDepth::Exact => SearchDepth::Plies(empties),
        depth => depth,
    }
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
        let Some((entry, neighbours, symmetry)) = known(book, &position)? else { return Ok(play) };
        let draw = draw(contempt, &position);
        // The move that `look_up` has first, so that the line is what is played, and images of a position have images of its line.
        let ranked = |child: &Child| Some(((rank(child, draw)?, place(symmetry, child.square)), child.square));
        let best = neighbours.children.iter().filter_map(ranked).max();
        let leaves = images(&position, neighbours.leaf.map(|(square, _)| square));
        let leaf = leaves.into_iter().max_by_key(|square| place(symmetry, *square));
        let leaf = leaf.and_then(|square| of_leaf(&entry, &neighbours, square, draw));
        if let Some(leaf) = leaf.filter(|leaf| best.is_none_or(|((best, _), _)| leaf.rank() > best)) {
            play.line.push(leaf.turn);
            return Ok(BestPlay { depth: leaf.depth, weights: entry.weights, ..play });
        }
        let Some((_, square)) = best else { return Ok(play) };
        play.line.push(Move::Place(square));
        position = position.after(square);
    }
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
        weights: best.map_or(0, |best| best.weights),
        visits: entry.visits,
        games: entry.games,
        line,
    };
    View { entry, moves: vec![pass], weights: view.weights }
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{WEIGHTS, add, first_move, found, searched};
    use super::*;
    use crate::othello::Color;
    use std::collections::BTreeMap;

    #[test]
    fn what_a_draw_is_worth_chooses_the_move() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        let root = Position::START.after(square("f5"));
        let mut book = BTreeMap::new();
        // Of two replies one is a draw, and after the other one the game seems even.
        for (reply, discs, depth) in [("d6", 0, SearchDepth::Exact), ("f6", 0, SearchDepth::Plies(10))] {
            let key = Key::of(&root.after(square(reply))).0;
            add(&mut book, key, searched(found(first_move(&key), discs, depth)));
        }
        let (key, symmetry) = Key::of(&root);
        add(&mut book, key, searched(found(symmetry.square(square("f4")), -9, SearchDepth::Plies(10))));

        assert_eq!(root.mover(), Color::White);
        for (to_black, first, value) in [(1, "f6", 0), (100, "f6", 0), (-1, "d6", 1), (-100, "d6", 1)] {
            let view = look_up(&book, WEIGHTS, &root, Contempt::new(to_black).unwrap()).unwrap().unwrap();
            let best = &view.moves[0];
            assert_eq!((best.turn.to_string(), best.value), (first.to_owned(), Some(Score::from_discs(value))));
            assert_eq!(view.entry.value, best.value);
            let draws = Draws { lost: Score::ZERO, won: Score::from_discs(100) };
            assert_eq!(view.entry.draws, Some(draws));
            assert_eq!(view.playable().next().unwrap().turn, best.turn);
        }
    }

    #[test]
    fn a_result_at_the_end_of_a_line_is_none_of_its_beginning() {
        let root = Position::START.after("f5".parse().unwrap());
        let mut book = BTreeMap::new();
        let reply = root.after("d6".parse().unwrap());
        // Of the two known answers the best is solved, and the other one is not.
        for (square, discs, depth) in [("c3", -2, SearchDepth::Exact), ("c4", 6, SearchDepth::Plies(10))] {
            let key = Key::of(&reply.after(square.parse().unwrap())).0;
            add(&mut book, key, searched(found(first_move(&key), discs, depth)));
        }
        for (position, other) in [(reply, "c6"), (root, "f4")] {
            let (key, symmetry) = Key::of(&position);
            let leaf = found(symmetry.square(other.parse().unwrap()), -30, SearchDepth::Plies(8));
            add(&mut book, key, searched(leaf));
        }
        let view = look_up(&book, WEIGHTS, &root, Contempt::NONE).unwrap().unwrap();
        assert_eq!((view.moves[0].value, view.moves[0].depth), (Some(Score::from_discs(-2)), SearchDepth::Plies(57)));
    }

    #[test]
    fn a_leaf_is_played_where_the_book_knows_worse_moves() {
        let root = Position::START.after("f5".parse().unwrap());
        let (key, symmetry) = Key::of(&root);
        let leaf = found(symmetry.square("f4".parse().unwrap()), 3, SearchDepth::Plies(8));
        let mut book = BTreeMap::from([(key, Entry::UNSEARCHED)]);
        add(&mut book, key, searched(leaf));
        let played = |book: &BTreeMap<Key, Entry>| -> Vec<String> {
            let view = look_up(book, WEIGHTS, &root, Contempt::NONE).unwrap().unwrap();
            view.playable().map(|line| line.turn.to_string()).collect()
        };
        assert!(played(&book).is_empty(), "a search knows as much");
        let reply = Key::of(&root.after("d6".parse().unwrap())).0;
        add(&mut book, reply, searched(found(first_move(&reply), 5, SearchDepth::Plies(8))));
        assert_eq!(played(&book), ["f4", "d6"]);
        add(&mut book, reply, searched(found(first_move(&reply), -5, SearchDepth::Plies(8))));
        assert_eq!(played(&book), ["d6"]);
    }

    #[test]
    fn a_leaf_has_the_images_that_the_position_gives_it() {
        let mut book = BTreeMap::new();
        let (key, symmetry) = Key::of(&Position::START);
        add(&mut book, key, searched(found(symmetry.square("f5".parse().unwrap()), 0, SearchDepth::Exact)));
        let view = look_up(&book, WEIGHTS, &Position::START, Contempt::NONE).unwrap().unwrap();
        let played: Vec<String> = view.playable().map(|line| line.turn.to_string()).collect();
        assert_eq!(played, ["d3", "c4", "f5", "e6"]);
    }

    #[test]
    fn symmetric_positions_have_symmetric_lines() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        let mut book = BTreeMap::new();
        // Behind f5d6 two replies are equal.
        let after = Position::START.after(square("f5")).after(square("d6"));
        for reply in ["c3", "c4"] {
            let key = Key::of(&after.after(square(reply))).0;
            add(&mut book, key, searched(found(first_move(&key), 1, SearchDepth::Plies(8))));
        }
        for (position, leaf) in [(after, "c7"), (Position::START.after(square("f5")), "f4"), (Position::START, "f5")] {
            let (key, symmetry) = Key::of(&position);
            add(&mut book, key, searched(found(symmetry.square(square(leaf)), -30, SearchDepth::Plies(8))));
        }
        let view = look_up(&book, WEIGHTS, &Position::START, Contempt::NONE).unwrap().unwrap();
        assert_eq!(view.moves.len(), 4);
        for found in &view.moves {
            let image =
                |symmetry: Symmetry| view.moves[0].line.iter().map(|turn| symmetry.turn(*turn)).collect::<Vec<_>>();
            assert!(Symmetry::of(&Position::START).any(|symmetry| image(symmetry) == found.line), "{:?}", found.line);
            // What is played is what the line says.
            let position = Position::START.take(found.line[0]).unwrap().take(found.line[1]).unwrap();
            let next = look_up(&book, WEIGHTS, &position, Contempt::NONE).unwrap().unwrap();
            assert_eq!(next.moves[0].turn, found.line[2]);
        }
    }

    #[test]
    fn the_line_of_a_move_is_what_is_played_where_moves_are_equal() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        let root = Position::START.after(square("f5"));
        let after = root.after(square("d6"));
        for favourite in ["c3", "c4", "c5"] {
            let mut book = BTreeMap::new();
            for reply in ["c3", "c4", "c5"] {
                let key = Key::of(&after.after(square(reply))).0;
                let visits = if reply == favourite { 9 } else { 1 };
                add(&mut book, key, Entry { visits, ..searched(found(first_move(&key), 1, SearchDepth::Plies(8))) });
            }
            for (position, leaf) in [(after, "c7"), (root, "f4")] {
                let (key, symmetry) = Key::of(&position);
                add(&mut book, key, searched(found(symmetry.square(square(leaf)), -30, SearchDepth::Plies(8))));
            }
            let first = |position: Position| {
                look_up(&book, WEIGHTS, &position, Contempt::NONE).unwrap().unwrap().moves.remove(0)
            };
            assert_eq!(first(after).turn.to_string(), favourite);
            assert_eq!(first(root).line[..2], ["d6", favourite].map(|name| Move::Place(square(name))));
        }
    }

    #[test]
    fn a_leaf_that_games_have_played_has_their_number() {
        let root = Position::START.after("f5".parse().unwrap());
        let (key, symmetry) = Key::of(&root);
        let leaf = symmetry.square("d6".parse().unwrap());
        let behind = Key::of(&root.after("d6".parse().unwrap())).0;
        let mut book = BTreeMap::from([(key, searched(found(leaf, 3, SearchDepth::Plies(8))))]);
        add(&mut book, behind, Entry { games: 4, visits: 2, ..Entry::UNSEARCHED });
        let view = look_up(&book, WEIGHTS, &root, Contempt::NONE).unwrap().unwrap();
        let [found] = &view.moves[..] else { panic!("{view:?}") };
        assert_eq!((found.turn.to_string(), found.is_in_book), ("d6".to_owned(), false));
        assert_eq!((found.value, found.visits, found.games), (Some(Score::from_discs(3)), 2, 4));
    }

    #[test]
    fn a_leaf_alone_is_played_if_it_is_the_result() {
        let root = Position::START.after("f5".parse().unwrap());
        let (key, symmetry) = Key::of(&root);
        let mut book = BTreeMap::from([(key, Entry::UNSEARCHED)]);
        add(&mut book, key, searched(found(symmetry.square("f4".parse().unwrap()), 0, SearchDepth::Exact)));
        let view = look_up(&book, WEIGHTS, &root, Contempt::NONE).unwrap().unwrap();
        let played: Vec<Line> = view.playable().collect();
        assert_eq!(
            (played.len(), played[0].turn.to_string(), played[0].depth),
            (1, "f4".to_owned(), SearchDepth::Exact)
        );
    }

    #[test]
    fn a_leaf_that_is_in_the_book_by_now_is_not_played_for_its_old_value() {
        let root = Position::START.after("f5".parse().unwrap());
        let mut book = BTreeMap::new();
        let depth = SearchDepth::Plies(8);
        // Behind the leaf, which promised nine discs, the mover loses three; the other reply loses one.
        for (reply, discs) in [("f4", 3), ("d6", 1)] {
            let key = Key::of(&root.after(reply.parse().unwrap())).0;
            add(&mut book, key, searched(found(first_move(&key), discs, depth)));
        }
        let (key, symmetry) = Key::of(&root);
        add(&mut book, key, searched(found(symmetry.square("f4".parse().unwrap()), 9, depth)));

        let view = look_up(&book, WEIGHTS, &root, Contempt::NONE).unwrap().unwrap();
        assert_eq!((view.entry.value, view.moves[0].turn.to_string()), (Some(Score::from_discs(-1)), "d6".to_owned()));
        let first = Move::Place("f5".parse().unwrap());
        let play = best_play(&book, &Position::START, first, Contempt::NONE).unwrap();
        assert_eq!(play.line[..2], [first, view.moves[0].turn], "the line goes on as the position behind it says");
        assert_eq!((play.line.len(), play.depth, play.weights), (3, depth, WEIGHTS));
    }
}
