//! The move that decided a game.

use super::game_review::ReviewedTurn;
use crate::othello::{Color, Outcome, Position};
use serde::{Serialize, Serializer};
use std::fmt;

/// Discs. A value that is not solved and nearer to 0 than this leaves the game open, and a move that loses less decides nothing but what
/// is solved.
pub const OPEN: f64 = 3.0;

/// The turn that decided a game: the mistake after which its result was never in doubt again.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct TurningPoint {
    /// The number of the turn.
    pub turn: usize,
    /// Who took it.
    pub mover: Color,
    /// What the best move led to, for the mover; `None` if the game was open.
    #[serde(serialize_with = "open_or_outcome")]
    pub before: Option<Outcome>,
    /// The result that the game had, for the mover.
    pub after: Outcome,
}

fn open_or_outcome<S: Serializer>(before: &Option<Outcome>, serializer: S) -> Result<S::Ok, S::Error> {
    match before {
        Some(outcome) => outcome.serialize(serializer),
        None => serializer.serialize_str("open"),
    }
}

impl TurningPoint {
    /// The turning point of a game that ended here; `None` if no single move decided it.
    ///
    /// The result of a game that is not over is that of the last value, if this is beyond doubt.
    pub(super) fn find(turns: &[ReviewedTurn], end: &Position) -> Option<TurningPoint> {
        let result = match end.is_over() {
            true => Outcome::of_score(end.score_for_black()),
            false => {
                let last = turns.last()?;
                seen_by(last.position.mover(), last.played.as_ref()?.outcome()?)
            }
        };
        let last = turns.iter().rposition(|turn| is_in_doubt(turn, result))?;
        let loser = match result {
            Outcome::Loss => Color::Black,
            Outcome::Win => Color::White,
            Outcome::Draw => ahead(&turns[last]),
        };
        let is_mistake =
            |turn: &&ReviewedTurn| turn.position.mover() == loser && is_in_doubt(turn, result) && can_decide(turn);
        // Values that are not solved drift out of doubt; then the worst move in doubt since the loser last stood even has decided.
        let stands_even = |turn: &ReviewedTurn| turn.best.score.units() == 0 || ahead(turn) == loser;
        let even = turns[..=last].iter().rposition(stands_even).unwrap_or(0);
        let mistakes = turns[even..last].iter().filter(is_mistake);
        // Of equal losses the first counts.
        let worst = mistakes.rev().max_by(|a, b| a.loss().total_cmp(&b.loss()));
        let turn = Some(&turns[last]).filter(is_mistake).or(worst)?;
        let (before, after) = (turn.best.outcome(), seen_by(loser, result));
        Some(TurningPoint { turn: turn.turn, mover: loser, before, after })
    }

    /// Whether it led to this score for Black.
    pub fn leads_to(&self, score: f64) -> bool {
        let outcome = match self.mover.signed(score) {
            score if score > 0.0 => Outcome::Win,
            score if score < 0.0 => Outcome::Loss,
            _ => Outcome::Draw,
        };
        outcome == self.after
    }

    /// What the game was for the mover before: `a win`, `a draw`, `an open game`.
    pub fn before_in_words(&self) -> String {
        self.before.map_or_else(|| "an open game".to_owned(), |before| format!("a {before}"))
    }
}

impl fmt::Display for TurningPoint {
    /// `an open game became a loss`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} became a {}", self.before_in_words(), self.after)
    }
}

/// An outcome for Black as this side sees it, and back.
fn seen_by(color: Color, outcome: Outcome) -> Outcome {
    Outcome::of_score(color.signed(outcome.half_points() as i32 - 1))
}

/// Whether the position of a turn led to something else than this result for Black, or was open. For a draw an open one is no doubt.
fn is_in_doubt(turn: &ReviewedTurn, result: Outcome) -> bool {
    match turn.best.outcome() {
        None => result != Outcome::Draw,
        Some(outcome) => seen_by(turn.position.mover(), outcome) != result,
    }
}

/// Who is ahead in the position of a turn, however little; the mover if nobody is.
fn ahead(turn: &ReviewedTurn) -> Color {
    let mover = turn.position.mover();
    if turn.best.score.units() < 0 { !mover } else { mover }
}

/// Whether a turn lost so much that it may have decided the game.
fn can_decide(turn: &ReviewedTurn) -> bool {
    let is_solved = turn.best.depth.is_exact() && turn.played.as_ref().is_some_and(|played| played.depth.is_exact());
    turn.loss() >= if is_solved { f64::MIN_POSITIVE } else { OPEN }
}

#[cfg(test)]
mod tests {
    use super::super::MoveValue;
    use super::*;
    use crate::othello::Move;
    use crate::search::{Score, SearchDepth};

    const DEEP: SearchDepth = SearchDepth::Plies(12);

    /// Turns of both sides in turn, Black first: the values of the best move and of the one that was played, for Black.
    fn found(values: &[(f64, f64, SearchDepth)]) -> Option<(usize, Option<Outcome>, Outcome)> {
        let turn = |(turn, &(best, played, depth)): (usize, &(f64, f64, SearchDepth))| {
            let position = if turn % 2 == 0 { Position::START } else { Position::START.pass() };
            let value = |discs: f64| MoveValue {
                turn: Move::Pass,
                score: Score::from_units((position.mover().signed(discs) * 128.0) as i32),
                depth,
                pv: Vec::new(),
            };
            let (best, played) = (value(best), Some(value(played)));
            ReviewedTurn { turn, position, choices: 4, played, best, alternative: None, lines: Vec::new() }
        };
        let turns: Vec<ReviewedTurn> = values.iter().enumerate().map(turn).collect();
        let point = TurningPoint::find(&turns, &Position::START)?;
        assert_eq!(point.mover, turns[point.turn].position.mover());
        Some((point.turn, point.before, point.after))
    }

    #[test]
    fn a_small_loss_in_the_opening_decides_nothing() {
        let exact = SearchDepth::Exact;
        let opening = [(0.0, 0.0, DEEP), (0.0, 1.3, DEEP), (1.3, 1.3, DEEP)];
        assert_eq!(found(&opening), None, "an open game has no result");
        let ending = [(0.0, 6.0, exact), (6.0, -2.0, exact), (-2.0, 4.0, exact), (4.0, 4.0, exact)];
        let game = [&opening[..], &ending].concat();
        assert_eq!(found(&game), Some((5, Some(Outcome::Win), Outcome::Loss)));
        assert_eq!(found(&game[..4]), Some((3, Some(Outcome::Draw), Outcome::Loss)));
    }

    #[test]
    fn where_values_drift_the_worst_move_since_the_loser_stood_even_decides() {
        let game = [(1.0, -3.0, DEEP), (-1.0, -1.0, DEEP), (-1.0, -6.0, DEEP), (-2.5, -2.5, DEEP), (-2.9, -3.1, DEEP)];
        assert_eq!(found(&game), Some((2, None, Outcome::Loss)));
        // A worse move before decides nothing if the game was open again.
        let game = [(0.0, -8.0, DEEP), (-8.0, -1.0, DEEP), (-1.0, -5.0, DEEP), (-5.0, -5.0, DEEP)];
        assert_eq!(found(&game), Some((2, None, Outcome::Loss)));
        // Step by step, no single move decides.
        let game = [(0.0, -1.5, DEEP), (-1.5, -1.5, DEEP), (-1.5, -3.0, DEEP), (-3.0, -3.0, DEEP)];
        assert_eq!(found(&game), None);
    }

    #[test]
    fn a_draw_is_decided_by_who_had_won() {
        let exact = SearchDepth::Exact;
        let game = [(0.0, 0.0, DEEP), (0.0, 8.0, DEEP), (8.0, 0.0, exact), (0.0, 0.0, exact)];
        assert_eq!(found(&game), Some((2, Some(Outcome::Win), Outcome::Draw)));
        let point = TurningPoint { turn: 2, mover: Color::Black, before: Some(Outcome::Win), after: Outcome::Draw };
        assert!(point.leads_to(0.0) && !point.leads_to(-2.0));
        let open = TurningPoint { before: None, after: Outcome::Loss, mover: Color::White, ..point };
        assert!(open.leads_to(2.0) && open.to_string() == "an open game became a loss");
        let json = serde_json::to_string(&open).unwrap();
        assert_eq!(json, r#"{"turn":2,"mover":"white","before":"open","after":"loss"}"#);
    }
}
