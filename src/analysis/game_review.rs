//! What the moves of a game were worth.

use super::turning_point::{OPEN, TurningPoint};
use super::{AnalysisSettings, Thinker};
use crate::notation::AnnotatedGame;
use crate::othello::{Color, Empties, GameRecord, Move, Outcome, Position, Symmetry};
use crate::search::{Bound, Depth, Line, Report, Score, SearchDepth};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// The loss in discs that halves the accuracy of a move.
pub const HALF_ACCURACY_LOSS: f64 = 4.0;

/// Losses smaller than this, in discs, are taken for nothing.
pub const NEGLIGIBLE: f64 = 0.5;

/// A value that a search found for a move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveValue {
    /// The move.
    #[serde(rename = "move")]
    pub turn: Move,
    /// Its value for the mover.
    #[serde(rename = "value")]
    pub score: Score,
    /// How far it was searched, in plies before the move.
    #[serde(skip)]
    pub depth: SearchDepth,
    /// The expected play, beginning with the move.
    pub pv: Vec<Move>,
}

impl MoveValue {
    /// What a search found.
    pub fn of_line(line: &Line) -> MoveValue {
        MoveValue { turn: line.turn, score: line.score, depth: line.depth, pv: line.pv.clone() }
    }

    /// The result for the mover; `None` if that is open: the move is not solved, and its value is nearer to 0 than [`OPEN`].
    pub fn outcome(&self) -> Option<Outcome> {
        let is_open = !self.depth.is_exact() && self.score.discs().abs() < OPEN;
        (!is_open).then(|| Outcome::of_score(self.score.units()))
    }
}

/// One position of a game, and the turn that was taken there.
#[derive(Clone, PartialEq, Debug)]
pub struct ReviewedTurn {
    /// The number of the turn, from 0, passes counted.
    pub turn: usize,
    /// The position.
    pub position: Position,
    /// How many moves were legal; 0 for a forced pass.
    pub choices: u32,
    /// What was played, with its value; `None` for a position that nothing was played in.
    pub played: Option<MoveValue>,
    /// The best move. Where the one that was played turned out at least as good, it is that one.
    pub best: MoveValue,
    /// The best of the moves that were not played, if there was another.
    pub alternative: Option<MoveValue>,
    /// Every move that the search gave a value, best first.
    pub lines: Vec<MoveValue>,
}

impl ReviewedTurn {
    /// What the turn gave away: the value of the best move less its own, in discs. [`ReviewedTurn::best`] says why it is not negative.
    pub fn loss(&self) -> f64 {
        self.played.as_ref().map_or(0.0, |played| self.best.score.discs() - played.score.discs())
    }

    /// Whether the player could have done anything else.
    pub fn is_choice(&self) -> bool {
        self.choices > 1 && self.played.is_some()
    }

    /// What it lost, in words; the number is the one after it, passes counted: `b2, move 35, lost 31.90; c1 was better`.
    pub fn loss_in_words(&self) -> String {
        let played = self.played.as_ref().map_or(Move::Pass, |played| played.turn);
        format!("{played}, move {}, lost {:.2}; {} was better", self.turn + 1, self.loss(), self.best.turn)
    }
}

/// How well a player has played.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct PlayerReview {
    /// Turns with a choice.
    pub choices: u32,
    /// Those of them that lost less than [`NEGLIGIBLE`].
    pub best: u32,
    /// Discs lost in all.
    pub loss: f64,
    /// The mean over the choices of 100 · 2^(−loss / [`HALF_ACCURACY_LOSS`]); `None` where there was no choice.
    #[serde(serialize_with = "to_a_tenth")]
    pub accuracy: Option<f64>,
    /// The turn that lost most, if any lost [`NEGLIGIBLE`] or more.
    pub worst: Option<usize>,
}

pub(super) fn to_a_tenth<S: Serializer>(accuracy: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    accuracy.map(|accuracy| (accuracy * 10.0).round() / 10.0).serialize(serializer)
}

/// A game and what its moves were worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Review {
    /// The turns in their order. A game without turns has one entry, its position.
    pub turns: Vec<ReviewedTurn>,
    /// How many turns at the beginning of the game were nobody's choice: they are judged and count for neither side.
    pub given: usize,
    /// The turn that decided the game, if one did.
    pub turning_point: Option<TurningPoint>,
    /// The turn that lost most, if any lost [`NEGLIGIBLE`] or more.
    pub worst: Option<usize>,
    /// How well Black played.
    pub black: PlayerReview,
    /// How well White played.
    pub white: PlayerReview,
    /// The final score for Black in discs, if the game was played to its end.
    pub score: Option<i32>,
    /// Positions visited.
    pub nodes: u64,
    /// The time that it took.
    pub elapsed: Duration,
}

impl Review {
    /// The turns that the players chose.
    pub fn chosen(&self) -> &[ReviewedTurn] {
        chosen(&self.turns, self.given)
    }

    /// How well a side played.
    pub fn player(&self, color: Color) -> &PlayerReview {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The turn of a side that lost most, if any lost [`NEGLIGIBLE`] or more.
    pub fn worst_of(&self, color: Color) -> Option<&ReviewedTurn> {
        let worst = self.player(color).worst?;
        self.worst_among(|turn| turn == worst)
    }

    /// Of the turns of which this is true the one that lost most, if any lost [`NEGLIGIBLE`] or more.
    pub fn worst_among(&self, is_meant: impl Fn(usize) -> bool) -> Option<&ReviewedTurn> {
        worst(self.turns.iter().filter(|turn| is_meant(turn.turn)))
    }

    /// The turning point, unless the game ended with another result than this, for Black: by the clock, for example. A game without a result has none
    /// unless its end is solved.
    pub fn turning_point_to(&self, score: Option<f64>) -> Option<TurningPoint> {
        let is_solved = || self.turns.last().is_some_and(|turn| turn.best.depth.knows_winner());
        self.turning_point.filter(|point| score.map_or_else(is_solved, |score| point.leads_to(score)))
    }
}

/// Judges one game after another.
///
/// ```
/// use emilia::analysis::{Reviewer, AnalysisSettings};
/// use emilia::engine::EngineOptions;
/// use emilia::notation::read_position;
/// use emilia::search::Depth;
///
/// let game = read_position("f5f4").unwrap();
/// let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
/// let mut reviewer = Reviewer::new(AnalysisSettings { depth: Depth::new(6), ..AnalysisSettings::new(options) });
/// let review = reviewer.review(&game);
/// // The parallel opening is a mistake.
/// assert_eq!(review.worst, Some(1));
/// assert!(review.white.accuracy < review.black.accuracy);
/// ```
#[derive(Debug)]
pub struct Reviewer {
    thinker: Thinker,
    settings: AnalysisSettings,
    nodes: u64,
    elapsed: Duration,
}

impl Reviewer {
    /// Judges by searches like this one; at least the two best moves of a position get their values.
    pub fn new(settings: AnalysisSettings) -> Reviewer {
        let lines = settings.lines.max(2);
        let settings = AnalysisSettings { lines, outcome_only: false, ..settings };
        let thinker = Thinker::new(settings.options.clone());
        Reviewer { thinker, settings, nodes: 0, elapsed: Duration::ZERO }
    }

    /// Judges a game from its end to its beginning, so that what is known of a position serves the one before.
    pub fn review(&mut self, game: &GameRecord) -> Review {
        self.judge(game, 0, &mut |_| true)
    }

    /// [`Reviewer::review`] of a game whose [`AnnotatedGame::opening_turns`] count for neither side. The listener hears how many turns are
    /// judged; where it says `false`, the turns before are left out.
    pub fn review_game(&mut self, game: &AnnotatedGame, listener: &mut dyn FnMut(usize) -> bool) -> Review {
        self.judge(&game.record, game.opening_turns(), listener)
    }

    fn judge(&mut self, game: &GameRecord, given: usize, listener: &mut dyn FnMut(usize) -> bool) -> Review {
        (self.nodes, self.elapsed) = (0, Duration::ZERO);
        let mut turns: Vec<ReviewedTurn> = Vec::new();
        if game.turns().is_empty() {
            turns.extend(self.reviewed(0, game.start(), None));
        }
        for (turn, &played) in game.turns().iter().enumerate().rev() {
            turns.extend(self.reviewed(turn, &game.positions()[turn], Some(played)));
            if !listener(game.turns().len() - turn) {
                break;
            }
        }
        turns.reverse();
        let end = game.position();
        let chosen = chosen(&turns, given);
        Review {
            turning_point: TurningPoint::find(chosen, end),
            worst: worst(chosen.iter()).map(|turn| turn.turn),
            black: player(chosen, Color::Black),
            white: player(chosen, Color::White),
            score: end.is_over().then(|| end.score_for_black()),
            turns,
            given,
            nodes: self.nodes,
            elapsed: self.elapsed,
        }
    }

    /// Forgets what was learned from earlier games.
    pub fn clear(&mut self) {
        self.thinker.clear();
    }

    /// Judges a turn; `None` behind the end of the game, where a record may still have passes.
    fn reviewed(&mut self, turn: usize, position: &Position, played: Option<Move>) -> Option<ReviewedTurn> {
        if position.is_over() {
            return None;
        }
        let report = self.think(position, &self.settings.clone());
        let mut lines = values(&report);
        let shown = played.or(lines.first().map(|line| line.turn));
        let alternative = lines.iter().find(|line| Some(line.turn) != shown).cloned();
        let played = played.map(|turn| {
            known_value(position, turn, &lines).unwrap_or_else(|| self.value_of(position, turn, report.depth))
        });
        if let Some(played) = &played
            && lines.iter().all(|line| line.turn != played.turn)
        {
            let place = lines.partition_point(|line| line.score >= played.score);
            lines.insert(place, played.clone());
        }
        let first = lines.first()?;
        let best = match &played {
            Some(played) if played.score >= first.score => played,
            _ => first,
        };
        Some(ReviewedTurn {
            turn,
            position: *position,
            choices: position.moves().count(),
            best: best.clone(),
            played,
            alternative,
            lines,
        })
    }

    /// The value of a move that is not among the best: that of the position behind it, searched one ply less deep than the best were, at most.
    fn value_of(&mut self, position: &Position, turn: Move, depth: SearchDepth) -> MoveValue {
        let unknown = MoveValue { turn, score: Score::ZERO, depth: SearchDepth::default(), pv: vec![turn] };
        // The turns of a record are legal.
        let Ok(child) = position.take(turn) else { return unknown };
        if child.is_over() {
            return MoveValue { score: Score::from_discs(-child.score()), depth: SearchDepth::Exact, ..unknown };
        }
        if depth == SearchDepth::Plies(1) {
            // The shortest search of the child sees a ply further.
            let lines = usize::MAX;
            let all = AnalysisSettings {
                depth: Some(Depth::LEAST),
                lines,
                exact_from: Empties::NONE,
                ..self.settings.clone()
            };
            if let Some(value) = known_value(position, turn, &values(&self.think(position, &all))) {
                return value;
            }
        }
        // The whole of a limit for one move would let it see further than the best were seen.
        let seen = match depth {
            SearchDepth::Plies(plies) | SearchDepth::Selective { plies, .. } => Depth::new(plies),
            SearchDepth::Exact | SearchDepth::WinLossDraw => None,
        };
        let settings = AnalysisSettings {
            depth: seen.or(self.settings.depth).map(Depth::shallower),
            // A position that was solved has its moves solved, one that was not has none.
            exact_from: if depth.is_exact() { child.empty_count() } else { self.settings.exact_from.after(1) },
            lines: 1,
            ..self.settings.clone()
        };
        let report = self.think(&child, &settings);
        let Some(line) = report.lines.first() else { return unknown };
        let pv = std::iter::once(turn).chain(line.pv.iter().copied()).collect();
        MoveValue { turn, score: -line.score, depth: one_deeper(line.depth), pv }
    }

    fn think(&mut self, position: &Position, settings: &AnalysisSettings) -> Report {
        let report = self.thinker.think(position, settings).report;
        self.nodes += report.nodes;
        self.elapsed += report.elapsed;
        report
    }
}

/// The moves of a report whose values are no mere bounds.
fn values(report: &Report) -> Vec<MoveValue> {
    report.lines.iter().filter(|line| line.bound == Bound::Exact).map(MoveValue::of_line).collect()
}

/// The value of a turn if one of the lines has it, or has that of a turn which a symmetry of the position makes of it.
fn known_value(position: &Position, turn: Move, lines: &[MoveValue]) -> Option<MoveValue> {
    let image = |symmetry: Symmetry| {
        let line = lines.iter().find(|line| symmetry.turn(line.turn) == turn)?;
        Some(MoveValue { turn, pv: line.pv.iter().map(|&turn| symmetry.turn(turn)).collect(), ..line.clone() })
    };
    Symmetry::of(position).find_map(image)
}

fn one_deeper(depth: SearchDepth) -> SearchDepth {
    match depth {
        SearchDepth::Plies(plies) => SearchDepth::Plies(plies + 1),
        SearchDepth::Selective { plies, selectivity } => SearchDepth::Selective { plies: plies + 1, selectivity },
        to_the_end => to_the_end,
    }
}

fn chosen(turns: &[ReviewedTurn], given: usize) -> &[ReviewedTurn] {
    &turns[turns.partition_point(|turn| turn.turn < given)..]
}

/// The turn that lost most, if any lost [`NEGLIGIBLE`] or more; of equal losses the first.
fn worst<'a>(turns: impl DoubleEndedIterator<Item = &'a ReviewedTurn>) -> Option<&'a ReviewedTurn> {
    let lost = turns.filter(|turn| turn.loss() >= NEGLIGIBLE);
    lost.rev().max_by(|a, b| a.loss().total_cmp(&b.loss()))
}

/// The accuracy of a move with this loss, in discs: 100, halved with every [`HALF_ACCURACY_LOSS`].
pub(super) fn accuracy(loss: f64) -> f64 {
    100.0 * (-loss / HALF_ACCURACY_LOSS).exp2()
}

fn player(turns: &[ReviewedTurn], color: Color) -> PlayerReview {
    let chosen = turns.iter().filter(|turn| turn.is_choice() && turn.position.mover() == color);
    let mut review = PlayerReview { worst: worst(chosen.clone()).map(|turn| turn.turn), ..PlayerReview::default() };
    let mut sum = 0.0;
    for turn in chosen {
        let loss = turn.loss();
        review.choices += 1;
        review.best += u32::from(loss < NEGLIGIBLE);
        review.loss += loss;
        sum += accuracy(loss);
    }
    review.accuracy = (review.choices > 0).then(|| sum / f64::from(review.choices));
    review
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::testing::random_position;

    fn reviewer(depth: u8, exact_from: u8) -> Reviewer {
        let exact_from = Empties::new(exact_from).unwrap();
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        Reviewer::new(AnalysisSettings { depth: Depth::new(depth), exact_from, ..AnalysisSettings::new(options) })
    }

    /// The game that always takes the first legal move.
    fn first_moves(start: Position) -> GameRecord {
        let mut game = GameRecord::from_position(start);
        while !game.position().is_over() {
            let turn = game.position().moves().into_iter().next().map_or(Move::Pass, Move::Place);
            game.take(turn).unwrap();
        }
        game
    }

    #[test]
    fn no_first_move_is_a_mistake() {
        for first in ["c4", "d3", "e6", "f5"] {
            let mut game = GameRecord::from_position(Position::START);
            game.take(Move::Place(first.parse().unwrap())).unwrap();
            let review = reviewer(5, 0).review(&game);
            assert_eq!((review.turns[0].loss(), review.black.accuracy), (0.0, Some(100.0)), "{first}");
        }
    }

    /// The final score under perfect play, by the rules alone.
    fn minimax(position: &Position) -> i32 {
        if position.is_over() {
            return position.score();
        }
        if position.must_pass() {
            return -minimax(&position.pass());
        }
        position.moves().into_iter().map(|square| -minimax(&position.after(square))).max().unwrap()
    }

    #[test]
    fn no_move_is_seen_further_than_the_best() {
        let mut others = 0;
        for seed in 0..24 {
            let mut reviewer = reviewer(1, 0);
            if seed < 12 {
                reviewer.settings = AnalysisSettings { depth: None, nodes: Some(1_000), ..reviewer.settings.clone() };
            }
            let start = random_position(seed, 34);
            let Some(turn) = start.moves().into_iter().last() else { continue };
            let mut game = GameRecord::from_position(start);
            game.take(Move::Place(turn)).unwrap();
            let ReviewedTurn { best, played: Some(played), .. } = reviewer.review(&game).turns[0].clone() else {
                panic!("{start}")
            };
            assert!(played.depth.plies() <= best.depth.plies(), "{played:?} {best:?}");
            others += u32::from(played.turn != best.turn);
        }
        assert!(others > 8, "{others}");
    }

    #[test]
    fn losses_near_the_end_are_those_of_perfect_play() {
        for seed in 0..30 {
            let game = first_moves(random_position(seed, 7));
            let review = reviewer(1, 60).review(&game);
            assert_eq!(review.turns.len(), game.turns().len());
            let mut lost = [0.0; 2];
            for (reviewed, pair) in review.turns.iter().zip(game.positions().windows(2)) {
                let (best, after) = (minimax(&pair[0]), -minimax(&pair[1]));
                let played = reviewed.played.as_ref().unwrap();
                assert_eq!(reviewed.best.score, Score::from_discs(best), "{}", pair[0]);
                assert_eq!(played.score, Score::from_discs(after), "{}", pair[0]);
                assert!(reviewed.best.depth.is_exact() && played.depth.is_exact());
                assert_eq!(reviewed.loss(), f64::from(best - after));
                let others = pair[0].moves().into_iter().map(Move::Place).filter(|&turn| turn != played.turn);
                let other = others.map(|turn| -minimax(&pair[0].take(turn).unwrap())).max();
                assert_eq!(reviewed.alternative.as_ref().map(|other| other.score), other.map(Score::from_discs));
                if reviewed.is_choice() {
                    lost[pair[0].mover() as usize] += reviewed.loss();
                }
            }
            assert_eq!((review.black.loss, review.white.loss), (lost[0], lost[1]));
            let worst =
                [Color::Black, Color::White].map(|color| review.worst_of(color).map_or(0.0, ReviewedTurn::loss));
            assert_eq!(review.worst.map_or(0.0, |turn| review.turns[turn].loss()), worst[0].max(worst[1]));
            let end = game.position();
            assert_eq!(review.score, Some(end.score_for_black()));
            check_turning_point(&review, &game);
        }
    }

    /// After the turning point best play leads to what was played.
    fn check_turning_point(review: &Review, game: &GameRecord) {
        let score = |position: &Position| {
            let score = minimax(position);
            Outcome::of_score(position.mover().signed(score))
        };
        let result = score(game.position());
        let decided = review.turning_point.map_or(0, |point| point.turn + 1);
        assert!(game.positions()[decided..].iter().all(|position| score(position) == result));
        if let Some(point) = review.turning_point {
            assert_ne!(score(&game.positions()[point.turn]), result);
            assert!(Some(point.after) < point.before);
        }
    }

    #[test]
    fn a_position_and_passes_behind_the_end_are_reviewed_too() {
        let position = random_position(3, 20);
        let review = reviewer(3, 0).review(&GameRecord::from_position(position));
        assert_eq!((review.turns.len(), review.turns[0].lines.len()), (1, 2));
        assert!(review.turns[0].alternative.as_ref().is_some_and(|other| other.turn != review.turns[0].best.turn));
        assert_eq!((review.worst, review.black.accuracy), (None, None));
        let mut game = first_moves(random_position(4, 3));
        let turns = game.turns().len();
        game.take(Move::Pass).unwrap();
        assert_eq!(reviewer(1, 0).review(&game).turns.len(), turns);
    }

    #[test]
    fn accuracy_halves_with_every_four_discs() {
        let value = |discs| MoveValue {
            turn: Move::Pass,
            score: Score::from_discs(discs),
            depth: SearchDepth::Exact,
            pv: Vec::new(),
        };
        let turn = |loss, choices| ReviewedTurn {
            turn: 0,
            position: Position::START,
            choices,
            played: Some(value(10 - loss)),
            best: value(10),
            alternative: None,
            lines: Vec::new(),
        };
        let review = player(&[turn(0, 4), turn(4, 2), turn(8, 2), turn(0, 1)], Color::Black);
        assert_eq!((review.choices, review.best, review.loss), (3, 1, 12.0));
        assert_eq!(turn(8, 2).loss_in_words(), "pa, move 1, lost 8.00; pa was better");
        assert!((review.accuracy.unwrap() - 175.0 / 3.0).abs() < 1e-9, "{:?}", review.accuracy);
    }
}
