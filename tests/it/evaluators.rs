//! What the evaluators are good for.

use crate::games::RandomGames;
use emilia::eval::EvaluatorKind;
use emilia::othello::{Color, Position};
use emilia::search::{AlphaBeta, AlphaBetaSettings, Control, Depth, Limits, Search, Task};

/// Plays a game out from an opening by alpha-beta at one depth; the score for Black.
fn play(opening: Position, black: EvaluatorKind, white: EvaluatorKind, depth: u8) -> i32 {
    let mut searches =
        [(); 2].map(|()| AlphaBeta::new(AlphaBetaSettings { table_bytes: 1 << 20, ..AlphaBetaSettings::default() }));
    let limits = Limits { depth: Depth::new(depth), ..Limits::default() };
    let mut position = opening;
    while !position.is_over() {
        let (search, kind) = match position.mover() {
            Color::Black => (&mut searches[0], black),
            Color::White => (&mut searches[1], white),
        };
        let report = search.think(&Task::new(position, kind.build()), &Control::with_limits(limits), &mut |_| {});
        position = position.take(report.lines[0].turn).expect("a search plays legal turns");
    }
    position.score_for_black()
}

#[test]
fn what_was_learned_beats_the_square_table() {
    let mut games = RandomGames(11);
    let openings: Vec<Position> = (0..15).map(|_| games.position(10)).filter(|p| !p.is_over()).collect();
    for kind in [EvaluatorKind::Bill, EvaluatorKind::BillGaussian] {
        let mut points = 0;
        for &opening in &openings {
            let as_black = play(opening, kind, EvaluatorKind::WeightedSquares, 2);
            let as_white = -play(opening, EvaluatorKind::WeightedSquares, kind, 2);
            points += as_black.signum() + as_white.signum() + 2;
        }
        let share = f64::from(points) / (4.0 * openings.len() as f64);
        assert!(share > 0.65, "{kind} scored {share}");
    }
}
