//! What the evaluators are good for, and, run by hand in release mode, what they cost and what their values mean:
//! `cargo test --release --test it -- --ignored --nocapture evaluators`.

use crate::best_first::RandomGames;
use emilia::eval::EvaluatorKind;
use emilia::game::DISC;
use emilia::othello::{Color, Position};
use emilia::search::{AlphaBeta, AlphaBetaSettings, Control, Depth, Limits, Search, Task};
use emilia::training::{SelfPlay, SelfPlaySettings};
use std::hint::black_box;
use std::time::Instant;

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

#[test]
#[ignore = "a measurement of a minute: what a value means in discs"]
fn scale_in_discs() {
    let settings = SelfPlaySettings {
        depth: Depth::new(3).unwrap(),
        exact: 12,
        random_plies: "8-50".parse().unwrap(),
        favoured_plies: "10-36".parse().unwrap(),
        ..SelfPlaySettings::default()
    };
    let mut player = SelfPlay::new(settings, 1, 1000, EvaluatorKind::Mobility.build());
    let samples: Vec<_> = (0..1000).flat_map(|number| player.game(number)).collect();
    let scores = || samples.iter().map(|sample| f64::from(sample.score));
    let spread = (scores().map(|score| score * score).sum::<f64>() / samples.len() as f64).sqrt();
    eprintln!("{} positions, final scores {spread:.1} discs RMS", samples.len());
    eprintln!("{:<18}{:>12}{:>12}{:>12}{:>12}", "evaluator", "slope", "correlation", "RMS error", "at limit");
    for kind in EvaluatorKind::ALL {
        let evaluator = kind.build();
        let values: Vec<f64> =
            samples.iter().map(|s| f64::from(evaluator.evaluate(&s.position())) / f64::from(DISC)).collect();
        let products: f64 = values.iter().zip(scores()).map(|(value, score)| value * score).sum();
        let squares: f64 = values.iter().map(|value| value * value).sum();
        let correlation = products / (squares.sqrt() * spread * (samples.len() as f64).sqrt());
        let errors: f64 = values.iter().zip(scores()).map(|(value, score)| (value - score).powi(2)).sum();
        let rms = (errors / samples.len() as f64).sqrt();
        let limited = values.iter().filter(|value| value.abs() >= 63.0).count() as f64 / samples.len() as f64;
        eprintln!("{:<18}{:>12.3}{correlation:>12.3}{rms:>12.2}{limited:>12.4}", kind.name(), products / squares);
    }
}

#[test]
#[ignore = "a measurement of some seconds: the time that an evaluation takes"]
fn cost() {
    let mut games = RandomGames(3);
    let positions: Vec<Position> = (0..1024).map(|i| games.position(8 + i % 44)).collect();
    for kind in EvaluatorKind::ALL {
        let evaluator = kind.build();
        let mut best = f64::INFINITY;
        // The fastest of several passes: the machine does other work too.
        for _ in 0..40 {
            let started = Instant::now();
            for position in &positions {
                black_box(evaluator.evaluate(black_box(position)));
            }
            best = best.min(started.elapsed().as_secs_f64() / positions.len() as f64);
        }
        eprintln!("{:<18}{:>8.1} ns", kind.name(), best * 1e9);
    }
}
