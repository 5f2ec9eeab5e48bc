//! Measurements of the best-first family, run by hand in release mode:
//! `cargo test --release --test it -- --ignored --nocapture best_first_measures`.

use crate::best_first::RandomGames;
use emilia::eval::{Evaluator, EvaluatorKind};
use emilia::experiment::stopwatch::Stopwatch;
use emilia::othello::{Color, Position};
use emilia::search::{
    AlphaBeta, AlphaBetaSettings, AlphaBetaStart, BestFirst, BestFirstSettings, Contempt, Control, Depth,
    KorfAlphaBeta, Limits, MinimaxKind, PlainCounts, Search, Task, mean_alpha_beta_evaluations, plain_minimax,
};

fn ordered(position: &Position, depth: u32, evaluator: &dyn Evaluator<Position>) -> (PlainCounts, Position) {
    let result = plain_minimax(MinimaxKind::Ordered, position, depth, evaluator, Contempt::NONE, &mut |_| false);
    (result.counts, position.after(result.pv[0]))
}

/// Makes a search.
type Builder<'a> = &'a dyn Fn() -> Box<dyn Search>;

#[test]
#[ignore = "a measurement of a minute: the table behind mean_alpha_beta_evaluations"]
fn mean_evaluations() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut games = RandomGames(1);
    for depth in 1..=10u8 {
        let positions = if depth < 8 { 480 } else { 96 };
        let mut sum = 0;
        for i in 0..positions {
            let position = games.position(8 + i % 19);
            let limits = Limits { depth: Depth::new(depth), ..Limits::default() };
            let task = Task::new(position, evaluator.clone());
            sum += AlphaBeta::new(AlphaBetaSettings::default())
                .think(&task, &Control::with_limits(limits), &mut |_| {})
                .evaluations;
        }
        let mean = sum / positions as u64;
        let table = mean_alpha_beta_evaluations(depth);
        eprintln!("depth {depth}: {mean} evaluations on average over {positions} positions, {table} in the table");
        assert!(mean < 2 * table && table < 2 * mean);
    }
}

#[test]
#[ignore = "a measurement: evaluations per second against plain alpha-beta"]
fn speed() {
    for kind in EvaluatorKind::ALL {
        let evaluator = kind.build();
        let position = RandomGames(2).position(24);
        let (counts, _) = ordered(&position, 8, &*evaluator);
        let fixed = || -> Box<dyn Search> { Box::new(KorfAlphaBeta::engine(512 << 20)) };
        let stored = |settings| move || -> Box<dyn Search> { Box::new(BestFirst::new(settings)) };
        let forms: [(&str, Builder<'_>); 4] = [
            ("korf-alpha-beta", &fixed),
            ("korf-best-first", &stored(BestFirstSettings::korf())),
            ("best-first", &stored(BestFirstSettings::modern())),
            ("extension", &stored(BestFirstSettings::extension())),
        ];
        // The best of several rounds, taken in turn: other work on the machine only makes a round slower.
        let mut best = [0f64; 4];
        for _ in 0..7 {
            for (best, (name, form)) in best.iter_mut().zip(&forms) {
                let limits = match *name {
                    "korf-alpha-beta" => Limits { depth: Depth::new(8), ..Limits::default() },
                    _ => Limits { evaluations: Some(counts.evaluations), ..Limits::default() },
                };
                let task = Task::new(position, evaluator.clone());
                let mut search = form();
                let watch = Stopwatch::start();
                let report = search.think(&task, &Control::with_limits(limits), &mut |_| {});
                *best = best.max(report.evaluations as f64 / watch.elapsed().as_secs_f64());
            }
        }
        eprint!("{kind}, {} evaluations:", counts.evaluations);
        for (speed, (name, _)) in best.iter().zip(&forms) {
            eprint!(" {name} {:.2} M/s ({:.2})", speed / 1e6, speed / best[0]);
        }
        eprintln!();
    }
}

/// Plays out a game from an opening; the sum of its discs for Black.
fn play(opening: Position, settings: BestFirstSettings, best_first: Color, depth: u32, spent: &mut [u64; 2]) -> i32 {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut engine = BestFirst::new(settings);
    let mut position = opening;
    while !position.is_over() {
        if position.must_pass() {
            position = position.pass();
            continue;
        }
        // Both sides play the end perfectly.
        let empties = position.empties().count();
        if empties <= 9 {
            let end =
                plain_minimax(MinimaxKind::Ordered, &position, empties, &*evaluator, Contempt::NONE, &mut |_| false);
            position = position.after(end.pv[0]);
            continue;
        }
        let (counts, reply) = ordered(&position, depth, &*evaluator);
        if position.mover() == best_first {
            // As many evaluations as alpha-beta would need here.
            let task = Task::new(position, evaluator.clone());
            let limits = Limits { evaluations: Some(counts.evaluations), ..Limits::default() };
            let report = engine.think(&task, &Control::with_limits(limits), &mut |_| {});
            spent[0] += report.evaluations;
            position = position.take(report.lines[0].turn).expect("a legal move");
        } else {
            spent[1] += counts.evaluations;
            position = reply;
        }
    }
    position.score_for_black()
}

#[test]
#[ignore = "a measurement of minutes: best-first against plain alpha-beta at equal evaluations"]
fn strength() {
    let depth: u32 = std::env::var("EMILIA_DEPTH").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let pairs: u64 = std::env::var("EMILIA_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let modern = BestFirstSettings::modern();
    let extension = BestFirstSettings::extension();
    let explores = |exploration, form| BestFirstSettings { exploration, ..form };
    let starts = |below: u32| BestFirstSettings {
        start: AlphaBetaStart::Depth(depth.saturating_sub(below).max(1)),
        ..extension
    };
    let forms = [
        ("korf-best-first", BestFirstSettings::korf()),
        ("best-first", modern),
        ("best-first, C = 0", explores(0.0, modern)),
        ("best-first, C = 256", explores(256.0, modern)),
        ("best-first, C = 512", explores(512.0, modern)),
        ("extension", extension),
        ("extension, C = 0", explores(0.0, extension)),
        ("extension, C = 256", explores(256.0, extension)),
        ("extension, C = 512", explores(512.0, extension)),
        ("extension, alpha-beta one ply less", starts(1)),
        ("extension, alpha-beta two plies less", starts(2)),
        ("extension, alpha-beta three plies less", starts(3)),
    ];
    let only = std::env::var("EMILIA_FORM").unwrap_or_default();
    for (name, settings) in forms.into_iter().filter(|(name, _)| name.contains(&only)) {
        let mut games = RandomGames(4);
        let (mut won, mut lost, mut drawn, mut discs) = (0, 0, 0, 0);
        let mut spent = [0, 0];
        for _ in 0..pairs {
            let opening = games.position(8);
            for color in [Color::Black, Color::White] {
                let black = play(opening, settings, color, depth, &mut spent);
                let score = if color == Color::Black { black } else { -black };
                discs += score;
                match score.signum() {
                    1 => won += 1,
                    -1 => lost += 1,
                    _ => drawn += 1,
                }
            }
        }
        let percent = 100.0 * (f64::from(won) + 0.5 * f64::from(drawn)) / (2 * pairs) as f64;
        let mean = f64::from(discs) / (2 * pairs) as f64;
        let share = spent[0] as f64 / spent[1] as f64;
        eprintln!(
            "{name} against alpha-beta {depth}: +{won} ={drawn} -{lost}, {percent:.1} %, {mean:+.1} discs, \
             {share:.2} of its evaluations"
        );
    }
}
