//! Measurements behind figures of the documentation: `cargo bench --bench measures -- NAME...`, or all without a name.

use emilia::book::{Database, Entry, Key, Leaf, PackedBook, Positions, Snapshot, look_up, pack};
use emilia::eval::pattern::{PackedWeights, PatternLinear, Sharing, State, Weights};
use emilia::eval::{Evaluator, EvaluatorKind, Incremental};
use emilia::game::DISC;
use emilia::othello::{Bitboard, Position, Square, flips};
use emilia::search::{
    AlphaBeta, AlphaBetaSettings, Contempt, Control, Depth, Limits, Score, Search, SearchDepth, Task,
    mean_alpha_beta_evaluations,
};
use emilia::training::{SelfPlay, SelfPlaySettings};
use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

const MEASUREMENTS: [(&str, fn()); 6] = [
    ("mean-evaluations", mean_evaluations),
    ("scale-in-discs", scale_in_discs),
    ("evaluation-cost", evaluation_cost),
    ("pattern-cost", pattern_cost),
    ("book", || book(500, &[10_000, 100_000, 200_000, 500_000, 1_000_000])),
    ("large-book", || book(10_000, &[1_000_000, 2_000_000, 5_000_000, 10_000_000])),
];

fn main() {
    // Without it, `cargo test` wants to know whether it runs, and nothing else.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let names: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let known = MEASUREMENTS.map(|(name, _)| name);
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        eprintln!("unknown measurement '{unknown}'; expected one of: {}", known.join(", "));
        std::process::exit(2);
    }
    for (name, measure) in MEASUREMENTS {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            println!("{name}");
            measure();
        }
    }
}

/// A generator of numbers below 2^31, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// A position after this many discs placed at random, in which the game is not over.
    fn position(&mut self, discs: u32) -> Position {
        loop {
            let mut position = Position::START;
            while !position.is_over() && position.empties().count() > 60 - discs {
                let moves: Vec<Square> = position.moves().into_iter().collect();
                position = match moves[..] {
                    [] => position.pass(),
                    _ => position.after(moves[self.below(moves.len())]),
                };
            }
            if !position.is_over() {
                return position;
            }
        }
    }
}

/// The table behind `mean_alpha_beta_evaluations`, in about a minute.
fn mean_evaluations() {
    let evaluator = EvaluatorKind::Mobility.build();
    let mut numbers = Numbers(1);
    for depth in 1..=10u8 {
        let positions = if depth < 8 { 480 } else { 96 };
        let mut sum = 0;
        for i in 0..positions {
            let limits = Limits { depth: Depth::new(depth), ..Limits::default() };
            let task = Task::new(numbers.position(8 + i % 19), evaluator.clone());
            let mut search = AlphaBeta::new(AlphaBetaSettings::default());
            sum += search.think(&task, &Control::with_limits(limits), &mut |_| {}).evaluations;
        }
        let (mean, table) = (sum / u64::from(positions), mean_alpha_beta_evaluations(depth));
        println!("depth {depth}: {mean} evaluations on average over {positions} positions, {table} in the table");
    }
}

/// What a value means in discs, by each evaluator, in about a minute.
fn scale_in_discs() {
    let settings = SelfPlaySettings {
        depth: Depth::new(3).unwrap(),
        exact: 12,
        random_plies: "8-50".parse().expect("a range of plies"),
        favoured_plies: "10-36".parse().expect("a range of plies"),
        ..SelfPlaySettings::default()
    };
    let mut player = SelfPlay::new(settings, 1, 1000, EvaluatorKind::Mobility.build());
    let samples: Vec<_> = (0..1000).flat_map(|number| player.game(number)).collect();
    let scores = || samples.iter().map(|sample| f64::from(sample.score));
    let spread = (scores().map(|score| score * score).sum::<f64>() / samples.len() as f64).sqrt();
    println!("{} positions, final scores {spread:.1} discs RMS", samples.len());
    println!("{:<18}{:>12}{:>12}{:>12}{:>12}", "evaluator", "slope", "correlation", "RMS error", "at limit");
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
        println!("{:<18}{:>12.3}{correlation:>12.3}{rms:>12.2}{limited:>12.4}", kind.name(), products / squares);
    }
}

/// Nanoseconds for one of the calls of `work`, the best of several rounds: the machine does other work too.
fn nanoseconds<T>(items: &[T], work: impl Fn(&T) -> i32) -> f64 {
    let round = || {
        let started = Instant::now();
        black_box(items.iter().fold(0i32, |sum, item| sum.wrapping_add(work(black_box(item)))));
        started.elapsed().as_secs_f64() * 1e9 / items.len() as f64
    };
    (0..50).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// The time of one evaluation, by each evaluator.
fn evaluation_cost() {
    let mut numbers = Numbers(3);
    let positions: Vec<Position> = (0..1024).map(|i| numbers.position(8 + i % 44)).collect();
    for kind in EvaluatorKind::ALL {
        let evaluator = kind.build();
        let cost = nanoseconds(&positions, |position| evaluator.evaluate(position));
        println!("{:<18}{cost:>8.1} ns", kind.name());
    }
}

/// A move from a middle-game position, with the pattern evaluation's state before it.
struct Played {
    position: Position,
    state: State,
    square: Square,
    turned: Bitboard,
    child: Position,
}

/// The time that the pattern evaluation takes for an update, an evaluation, and loading.
fn pattern_cost() {
    let mut numbers = Numbers(1);
    // Weights of two discs at most: as large as learned ones, and no easier to compress.
    let weights = (0..30 * Sharing::get().count()).map(|_| numbers.below(128) as i16 - 64).collect();
    let weights = PackedWeights::new(30, 32, weights).expect("weights for 30 phases");
    let bytes = weights.to_bytes();
    let pattern = PatternLinear::new(weights);
    for _ in 0..5 {
        let started = Instant::now();
        black_box(PatternLinear::new(PackedWeights::from_bytes(black_box(&bytes)).expect("what was written")));
        println!("{} bytes of random weights for 30 phases, loaded in {:?}", bytes.len(), started.elapsed());
    }
    // Phase after phase, as a search sees them.
    let positions = (16..44).flat_map(|plies| [plies; 200]).map(|plies| numbers.position(plies));
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
    let first = |state: State| i32::from(state.configurations().next().expect("there are patterns"));
    let update = nanoseconds(&moves, |m| first(m.state.after(m.square, m.turned)));
    let value = nanoseconds(&moves, |m| pattern.value(&m.state, &m.position));
    let both = nanoseconds(&moves, |m| pattern.value(&m.state.after(m.square, m.turned), &m.child));
    let anew = nanoseconds(&moves, |m| pattern.evaluate(&m.position));
    println!(
        "{} moves: update {update:.1} ns, evaluation {value:.1} ns, both {both:.1} ns; anew {anew:.1} ns",
        moves.len()
    );
}

/// How fast a book takes the positions of so many games a transaction with their values until it has each of these numbers of
/// positions, how large it is then, and how long a look-up of a position and a view of all its moves take at the end.
fn book(games_at_once: usize, goals: &[u64]) {
    const WEIGHTS: u32 = 1;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book");
    let book = Database::create(&path, WEIGHTS).expect("a new book");
    let mut numbers = Numbers(1);
    let (mut positions, mut before, mut since) = (1, 1, Instant::now());
    for &goal in goals {
        while positions < goal {
            let add = |book: &mut dyn emilia::book::PositionsMut| {
                let mut changed = BTreeSet::new();
                for _ in 0..games_at_once {
                    let mut position = Position::START;
                    while position.empties().count() > 38 && !position.moves().is_empty() {
                        let key = Key::of(&position).0;
                        if book.get(&key)?.is_none_or(|entry| entry.value.is_none()) {
                            let moves = key.position().moves();
                            let square = moves.into_iter().nth(numbers.below(moves.count() as usize)).expect("a move");
                            let value = Score::from_units(numbers.below(2000) as i32 - 1000);
                            let leaf = Leaf::Found { square, value, depth: SearchDepth::Plies(16) };
                            book.put(&key, &Entry { leaf, weights: WEIGHTS, ..Entry::UNSEARCHED })?;
                            changed.insert(key);
                        }
                        let moves = position.moves();
                        let square = moves.into_iter().nth(numbers.below(moves.count() as usize)).expect("a move");
                        position = position.after(square);
                    }
                }
                Ok(changed)
            };
            book.update(WEIGHTS, add).expect("the disk takes it");
            positions = book.read().and_then(|book| book.count()).expect("the book is there");
        }
        let bytes = std::fs::metadata(&path).expect("the book is there").len();
        let rate = (positions - before) as f64 / since.elapsed().as_secs_f64();
        println!(
            "{positions} positions: {rate:.0} insertions/s, {:.1} bytes a position",
            bytes as f64 / positions as f64
        );
        (before, since) = (positions, Instant::now());
    }
    drop(book);
    let packed = folder.path().join("packed");
    let grown = Snapshot::open(&path).expect("the book is there");
    let mut keys = Vec::new();
    let mut each = |key, _| {
        keys.push(key);
        Ok(())
    };
    grown.each(&mut each).expect("the book is whole");
    pack(&grown, &packed).expect("the disk takes it");
    let bytes = std::fs::metadata(&packed).expect("it was packed").len();
    println!("packed: {:.1} bytes a position", bytes as f64 / keys.len() as f64);
    let wanted: Vec<Key> = (0..200_000).map(|_| keys[numbers.below(keys.len())]).collect();
    let measure = |name: &str, open: &dyn Fn() -> Box<dyn Positions>| {
        let mean = |since: Instant, calls: usize| since.elapsed().as_secs_f64() * 1e6 / calls as f64;
        let since = Instant::now();
        let book = open();
        let opened = mean(since, 1);
        let since = Instant::now();
        let found = wanted.iter().filter(|key| book.get(key).is_ok_and(|entry| entry.is_some())).count();
        let look_ups = mean(since, wanted.len());
        let viewed = &wanted[..2_000];
        let view = |key: &Key| look_up(&*book, 0, &key.position(), Contempt::default()).expect("the book is whole");
        let since = Instant::now();
        let seen = viewed.iter().filter_map(view).count();
        let views = mean(since, viewed.len());
        println!(
            "{name}: opened in {opened:.0} us, {look_ups:.2} us a look-up, {found} found, {views:.0} us a view, {seen} seen"
        );
    };
    drop(grown);
    measure("database", &|| Box::new(Snapshot::open(&path).expect("the book is there")));
    measure("packed", &|| Box::new(PackedBook::open(&packed).expect("it was packed")));
}
