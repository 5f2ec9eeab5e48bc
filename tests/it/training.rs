//! `emilia train` as a user calls it: a miniature of the whole loop, from the first game to weights that the program plays
//! with.

use crate::serve::{emilia, kill_after};
use emilia::eval::factorization::{FactorWeights, RANK};
use emilia::eval::pattern::{PackedWeights, Weights};
use emilia::eval::{Evaluator, EvaluatorKind, Pattern, PatternLinear};
use emilia::game::DISC;
use emilia::othello::Position;
use emilia::training::{AnyFit, Chunk, Dataset, FitSettings, Source};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// `emilia train` with these words, files relative to a folder.
fn train(folder: &Path, words: &str) -> Command {
    let mut command = emilia(&["train"]);
    command.args(words.split_whitespace()).current_dir(folder);
    command
}

fn run(folder: &Path, words: &str) -> Output {
    let output = train(folder, words).output().unwrap();
    assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn refusal(folder: &Path, words: &str) -> String {
    let output = train(folder, words).output().unwrap();
    assert!(!output.status.success(), "{words}");
    String::from_utf8(output.stderr).unwrap()
}

/// The files of samples with their bytes.
fn samples(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = Chunk::files(folder).unwrap();
    files.into_iter().map(|file| (file.file_name().unwrap().into(), fs::read(&file).unwrap())).collect()
}

/// Root mean square error in discs on the games held out, over positions with 30 discs and more.
fn held_out_error(folder: &Path, evaluator: &dyn Evaluator<Position>) -> f64 {
    let source = Source { folder: folder.to_owned(), weight: 1.0 };
    let data = Dataset::read(&[source], &FitSettings::default(), &mut |_, _| {}).unwrap();
    let (mut sum, mut count) = (0.0, 0);
    for point in (30..64).flat_map(|discs| &data.with_discs(discs).held_out) {
        let value = f64::from(evaluator.evaluate(&point.position())) / f64::from(DISC);
        sum += (value - f64::from(point.target)).powi(2);
        count += 1;
    }
    assert!(count > 1000, "{count}");
    (sum / f64::from(count)).sqrt()
}

const GAMES: &str = "--depth 1 --exact 8 --chunk 100 --seed 4";

#[test]
fn the_whole_loop_in_miniature() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    run(folder, &format!("selfplay --out games --games 3000 {GAMES}"));
    run(folder, "label --games games --out beside --set label.depth=2 --set label.exact=8 --set label.share=0.05");
    let fit = "fit --form linear --data games --data beside=0.5 --set fit.phases=6 --set fit.most-passes=12";
    let table = run(folder, &format!("{fit} --out one --threads 1")).stdout;
    assert_eq!(String::from_utf8(table).unwrap().lines().count(), 7, "a line for each phase");
    run(folder, &format!("{fit} --out two --threads 2"));
    let bytes = |file: &str| fs::read(folder.join(file)).unwrap();
    assert!(bytes("one/weights.fit") == bytes("two/weights.fit"), "the number of threads changes the weights");
    assert_eq!(bytes("one/curve.csv"), bytes("two/curve.csv"));
    assert!(bytes("one/curve.svg").starts_with(b"<svg"));

    run(folder, "pack --weights one/weights.fit --out pattern.weights");
    assert!(run(folder, "pack --weights one/weights.fit --out -").stdout == bytes("pattern.weights"));
    let pattern = PatternLinear::new(PackedWeights::read(&folder.join("pattern.weights")).unwrap());
    struct Even;
    impl Evaluator<Position> for Even {
        fn evaluate(&self, _: &Position) -> i32 {
            0
        }
    }
    let games = folder.join("games");
    let (before, hand_made) =
        (held_out_error(&games, &Even), held_out_error(&games, &*EvaluatorKind::Mobility.build()));
    let after = held_out_error(&games, &pattern);
    assert!(after < 0.75 * before, "a quarter of the error is learned away: {before} discs before, {after} after");
    assert!(after < 0.95 * hand_made, "better than what was made by hand: {hand_made} discs, {after} learned");

    let said =
        run(folder, "fit --form linear --data beside --set fit.phases=1 --set fit.most-passes=1 --out alone").stderr;
    assert!(
        String::from_utf8(said).unwrap().contains(" that were not read count too: expected the folder of the games")
    );

    // The form with factors, beginning from nothing.
    let fit = "fit --data games --data beside=0.5 --set factorization.start=nothing --set factorization.passes=3 \
        --set factorization.linear-rate=0.05 --set factorization.batch=256";
    let table = run(folder, &format!("{fit} --out three --threads 1")).stdout;
    assert_eq!(String::from_utf8(table).unwrap().lines().count(), 5, "a line for each pass and one before");
    run(folder, &format!("{fit} --out four --threads 2"));
    assert!(bytes("three/weights.fit") == bytes("four/weights.fit"), "the number of threads changes the weights");
    run(folder, "pack --weights three/weights.fit --out factorization.weights");
    let factors = Pattern::new(FactorWeights::read(&folder.join("factorization.weights")).unwrap());
    let with_factors = held_out_error(&games, &factors);
    assert!(with_factors < 0.75 * before, "{before} discs before, {with_factors} after");

    // From the program's weights, steps of no length lead to these weights.
    let fit = "fit --data games --set factorization.start=pattern --set factorization.passes=1 \
        --set factorization.rate=0 --set factorization.linear-rate=0 --set factorization.spread=0";
    run(folder, &format!("{fit} --out five"));
    run(folder, "pack --weights five/weights.fit --out same.weights");
    let (same, program) = (FactorWeights::read(&folder.join("same.weights")).unwrap(), Pattern::embedded_weights());
    assert!((0..program.knots()).all(|knot| same.linear(knot) == program.linear(knot)));
    assert!((0..RANK).all(|k| same.factor(k) == program.factor(k)));
    let error = refusal(folder, &format!("{fit} --set factorization.knots=5 --out five"));
    assert!(error.contains("factorization.knots = 5"), "{error}");

    // The order of moves.
    for (file, threads) in [("order", 1), ("again", 2)] {
        let table =
            run(folder, &format!("move-order --games games --out {file} --threads {threads} --set move-order.steps=5"));
        assert_eq!(
            String::from_utf8(table.stdout).unwrap().lines().count(),
            7,
            "a line for 8 to 13 empty squares each"
        );
    }
    assert!(bytes("order") == bytes("again"), "the number of threads changes the order");
    assert_eq!(bytes("order").len(), fs::metadata("assets/move-order.weights").unwrap().len() as usize);
    let Output { stdout, stderr, .. } =
        run(folder, "move-order --games games --out - --set move-order.nodes=1 --set move-order.steps=1");
    assert_eq!(stdout.len(), bytes("order").len(), "the weights alone");
    assert!(String::from_utf8(stderr).unwrap().contains("fewest replies first"), "and the table beside them");
    assert!(!folder.join("-").exists());
    let error = refusal(folder, "move-order --games beside --out order");
    assert!(error.contains("000000.samples") && error.contains("labels"), "{error}");
    assert!(refusal(folder, "move-order --games games --out none/order").contains("none/order"));

    // And round again, with what was learned.
    // The file says which form it has.
    for eval in ["pattern", "pattern-linear"] {
        run(folder, &format!("selfplay --out more --games 100 --eval {eval} --eval-file pattern.weights {GAMES}"));
    }
    let chunk = Chunk::read(&folder.join("more/000000.samples")).unwrap();
    assert_eq!(chunk.header.origin.evaluator, "pattern-linear");
    let error = refusal(
        folder,
        &format!("selfplay --out games --games 3000 --eval pattern --eval-file factorization.weights {GAMES}"),
    );
    assert!(error.contains("000000.samples' was made in another way: its fingerprint is"), "{error}");
    let AnyFit::Linear(fit) = AnyFit::read(&folder.join("one/weights.fit")).unwrap() else { panic!("the linear form") };
    assert_eq!((fit.header.origin.games, fit.header.origin.sources.len()), (3000, 2));
}

#[test]
fn a_folder_of_few_games_is_told_how_it_grows() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let games = "--depth 1 --exact 2 --threads 1";
    run(folder, &format!("selfplay --out games --games 5 {games}"));
    let error = refusal(folder, &format!("selfplay --out games --games 12 {games}"));
    assert!(error.contains("has 5 games, and files of 12 were asked for; add --chunk 5"), "{error}");
    run(folder, &format!("selfplay --out games --games 12 {games} --chunk 5"));
    assert_eq!(samples(&folder.join("games")).len(), 3);
}

#[test]
fn another_shard_does_not_bring_another_seed() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let games = "selfplay --out games --games 4 --chunk 2 --depth 1 --exact 2 --threads 1";
    run(folder, &format!("{games} --shard 0/2 --seed 1"));
    let error = refusal(folder, &format!("{games} --shard 1/2 --seed 2"));
    assert!(error.contains("000000.samples' was made in another way: its seed is 1, and 2 was asked for"), "{error}");
    run(folder, &format!("{games} --shard 1/2 --seed 1"));
}

#[test]
fn games_killed_and_gone_on_with_are_those_played_at_once() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let games = "--games 4000 --chunk 20 --depth 1 --exact 8 --seed 6";
    run(folder, &format!("selfplay --out whole {games} --threads 1"));
    let files = || Chunk::files(&folder.join("parts")).map_or(0, |files| files.len());
    kill_after(train(folder, &format!("selfplay --out parts {games}")), || files() >= 3);
    let there = samples(&folder.join("parts")).len();
    assert!((3..200).contains(&there), "{there} of 200 files were there when it was killed");
    run(folder, &format!("selfplay --out parts {games} --shard 1/2"));
    run(folder, &format!("selfplay --out parts {games} --shard 0/2"));
    assert!(samples(&folder.join("parts")) == samples(&folder.join("whole")), "the files differ");
}

#[test]
fn a_fit_that_was_killed_goes_on_after_its_last_whole_pass() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    run(folder, &format!("selfplay --out games --games 1000 {GAMES}"));
    let fit =
        "fit --data games --set factorization.passes=4 --set factorization.patience=9 --set factorization.batch=64";
    run(folder, &format!("{fit} --out whole"));
    let kept = folder.join("parts/passes.checkpoint");
    kill_after(train(folder, &format!("{fit} --out parts")), || kept.exists());
    let pass = fs::read(&kept).unwrap();
    run(folder, &format!("{fit} --out parts"));
    let bytes = |file: &str| fs::read(folder.join(file)).unwrap();
    assert!(bytes("parts/weights.fit") == bytes("whole/weights.fit"), "the weights differ");

    // A damaged file, and one of another fit, are not gone on with.
    fs::write(&kept, &pass[..pass.len() - 7]).unwrap();
    let said = run(folder, &format!("{fit} --out parts")).stderr;
    assert!(String::from_utf8(said).unwrap().contains("begun anew"), "a cut file is named");
    assert!(bytes("parts/weights.fit") == bytes("whole/weights.fit"), "the weights differ");
    let said = run(folder, &format!("{fit} --out parts --set factorization.seed=2")).stderr;
    assert!(String::from_utf8(said).unwrap().contains("of another fit"), "a file of other settings is named");

    let error = refusal(folder, &format!("{fit} --out wild --set factorization.rate=1e30"));
    assert!(error.contains("pass 1 diverged"), "{error}");

    // Weights that are no numbers are not packed.
    let mut fitted = bytes("whole/weights.fit");
    let at = fitted.len() - 8;
    fitted[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let content = fitted.len() - 4;
    let checksum = crc32fast::hash(&fitted[..content]);
    fitted[content..].copy_from_slice(&checksum.to_le_bytes());
    fs::write(folder.join("whole/weights.fit"), &fitted).unwrap();
    let error = refusal(folder, "pack --weights whole/weights.fit --out a");
    assert!(error.contains("NaN"), "{error}");
}

#[test]
fn what_makes_no_sense_is_said() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("training.toml"), "[fit]\nrigde = 5\n").unwrap();
    fs::write(folder.join("weights.fit"), "no weights").unwrap();
    for name in ["empty", "a=b", "games", "renamed"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::write(folder.join("games/000000.samples"), "").unwrap();
    fs::write(folder.join("renamed/1.samples"), "").unwrap();
    for (words, expected) in [
        ("selfplay --out a --games 10 --depth 0", "1 to 60"),
        ("selfplay --out a --games 10 --selectivity 50", "73, 87, 95"),
        ("selfplay --out a --games 10 --confidence 50", "73, 87, 95"),
        ("selfplay --out a --games 10 --random-plies 50-8", "expected FROM-TO"),
        ("selfplay --out a --games 10 --exact 31", "1..=30"),
        ("selfplay --out a --games 10 --favoured-plies 25-30", "expected --favoured-plies within 0-24"),
        ("selfplay --out a --games 10 --random-plies 4-7 --favoured-plies 8-9", "expected --favoured-plies within 4-7"),
        ("selfplay --out a --games 10 --shard 2/2", "expected I/N"),
        ("selfplay --out weights.fit --games 10", "weights.fit"),
        ("selfplay --out weights.fit --games 10", "a file has that name; expected a folder"),
        ("selfplay --out a --games 10 --eval mobility --eval-file weights.fit", "not read with --eval mobility"),
        ("label --games empty --out a", "no files of samples in 'empty'"),
        ("label --games nowhere --out a", "nowhere"),
        ("label --games renamed --out a", "'renamed/1.samples': expected a name such as 000000.samples"),
        ("fit --data empty --out a", "no files of samples in 'empty'"),
        ("fit --data empty=much --out a", "no number above 0 and up to a million"),
        ("fit --data empty --out a --config training.toml", "rigde"),
        ("fit --data empty --out a --config none.toml", "'none.toml': not found"),
        ("fit --data empty --out a --set fit.phases=0", "1 to 60"),
        ("fit --data empty --data ./empty=2 --out a", "'./empty' is given twice"),
        ("fit --data empty --out a --set factorization.knots=5", "7, as the weights of `factorization.start"),
        ("fit --data empty --out a --set fit.ridge=5", "--set fit.ridge is not read by `train fit --form factors`"),
        ("fit --data empty --out a --form linear --set factorization.knots=5", "--set factorization.knots is not read"),
        ("pack --weights nothing.fit --out a --set fit.ridge=5", "--set fit.ridge is not read by `train pack`"),
        ("bill --samples empty", "no files of samples in 'empty'"),
        ("fit --data empty --out weights.fit", "weights.fit"),
        ("fit --data empty --out weights.fit", "a file has that name; expected a folder"),
        ("fit --data a=b --out a", "no files of samples in 'a=b'"),
        ("report weights.fit --svg weights.fit", "is read, and would be replaced"),
        ("report set.obf --eval weights.fit --svg weights.fit", "is read, and would be replaced"),
        ("move-order --games games --out games/000000.samples", "is read, and would be replaced"),
        ("pack --weights weights.fit --out ./weights.fit", "is read, and would be replaced"),
        ("probcut --depth 5", "6..=16"),
        ("probcut --solved 12", "13..=26"),
        ("probcut --eval-file none --write", "expected a file of weights"),
        ("pack --weights weights.fit --out a", "does not begin with EMIFIT01 or EMIFIT02"),
        ("pack --weights nothing.fit --out a", "nothing.fit"),
        ("fit --data empty --out a --set factorization.rank=7", "an even number"),
    ] {
        let error = refusal(folder, words);
        assert!(error.contains(expected), "{words}: {error}");
    }
    assert!(!folder.join("a").exists() || fs::read_dir(folder.join("a")).unwrap().next().is_none());
}
