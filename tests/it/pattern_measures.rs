//! Measurements of the pattern evaluation, run by hand in release mode:
//! `cargo test --release --test it -- --ignored --nocapture pattern_measures`.

use crate::best_first::RandomGames;
use emilia::eval::pattern::{PackedWeights, Pattern, Sharing, State};
use emilia::eval::{Evaluator, Incremental};
use emilia::othello::{Bitboard, Position, Square, flips};
use std::hint::black_box;
use std::time::Instant;

/// Weights of two discs at most: as large as learned ones, and no easier to compress.
fn random_weights(phases: usize) -> PackedWeights {
    let mut random = 1u64;
    let weights = (0..phases * Sharing::get().len()).map(|_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 57) as i16 - 64
    });
    PackedWeights::new(phases, 32, weights.collect(), Vec::new()).unwrap()
}

/// Nanoseconds for one of the calls of `work`, the best of several rounds.
fn nanoseconds<T>(items: &[T], work: impl Fn(&T) -> i32) -> f64 {
    let round = || {
        let started = Instant::now();
        black_box(items.iter().fold(0i32, |sum, item| sum.wrapping_add(work(item))));
        started.elapsed().as_secs_f64() * 1e9 / items.len() as f64
    };
    (0..50).map(|_| round()).fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement: the time of an update, an evaluation, and loading"]
fn speed() {
    struct Played {
        position: Position,
        state: State,
        square: Square,
        turned: Bitboard,
        child: Position,
    }

    let weights = random_weights(30);
    let bytes = weights.to_bytes();
    let pattern = Pattern::new(weights);
    let loading = (0..5).map(|_| {
        let started = Instant::now();
        black_box(Pattern::new(PackedWeights::from_bytes(black_box(&bytes)).unwrap()));
        started.elapsed()
    });
    let loading: Vec<_> = loading.collect();
    eprintln!("{} bytes of random weights for 30 phases, loaded in {loading:?}", bytes.len());

    let mut games = RandomGames(3);
    // Phase after phase, as a search sees them.
    let positions = (16..44).flat_map(|plies| [plies; 200]).map(|plies| games.position(plies));
    let moves: Vec<Played> = positions
        .flat_map(|position| {
            position.moves().into_iter().map(move |square| Played {
                position,
                state: State::of(&position),
                square,
                turned: flips(square, position.player(), position.opponent()),
                child: position.after(square),
            })
        })
        .collect();
    let update = nanoseconds(&moves, |m| i32::from(m.state.after(m.square, m.turned).configurations().next().unwrap()));
    let value = nanoseconds(&moves, |m| pattern.value(&m.state, &m.position));
    let both = nanoseconds(&moves, |m| pattern.value(&m.state.after(m.square, m.turned), &m.child));
    let anew = nanoseconds(&moves, |m| pattern.evaluate(&m.position));
    eprintln!(
        "{} moves: update {update:.1} ns, evaluation {value:.1} ns, both {both:.1} ns; anew {anew:.1} ns",
        moves.len()
    );
}
