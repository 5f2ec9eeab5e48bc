//! Games and positions come back from what is written of them.

use crate::games::{game, game_from_anywhere, games_of, position};
use crate::notation::sgf_text;
use emilia::notation::ggf::{self, Ending, Ggf, GgfClock, GgfResult, TimedMove, Timing};
use emilia::notation::obf::ObfEntry;
use emilia::notation::sgf;
use emilia::notation::transcript::{self, Transcript};
use emilia::notation::{AnnotatedGame, PlayerInfo, read_position};
use emilia::othello::{GameRecord, Move, Square};
use proptest::prelude::*;
use std::time::Duration;

fn timing() -> impl Strategy<Value = Timing> {
    let eval = prop::option::of((-6400i32..=6400).prop_map(|n| f64::from(n) / 100.0));
    let seconds = prop::option::of((0u32..10_000_000).prop_map(|n| f64::from(n) / 1000.0));
    (eval, seconds).prop_map(|(eval, seconds)| Timing { eval, seconds })
}

fn clock() -> impl Strategy<Value = GgfClock> {
    let time = || prop_oneof![Just(0u64), 0..10_000_000u64, (0..4000u64).prop_map(|s| s * 1_000_000)];
    (time(), time(), prop_oneof![Just(120_000_000), time()]).prop_map(|(main, increment, grace)| GgfClock {
        main: Duration::from_micros(main),
        increment: Duration::from_micros(increment),
        grace: Duration::from_micros(grace),
    })
}

fn result() -> impl Strategy<Value = GgfResult> {
    let endings = vec![None, Some(Ending::Resigned), Some(Ending::Timeout), Some(Ending::Agreed), Some(Ending::Left)];
    (-64_000i32..=64_000, prop::sample::select(endings))
        .prop_map(|(n, ending)| GgfResult { score: f64::from(n) / 1000.0, ending })
}

fn ggf_game() -> impl Strategy<Value = AnnotatedGame> {
    let name = || "[ -\\\\^-~\u{e9}]{0,12}";
    let rating = || prop::option::of((0u32..300_000).prop_map(|n| f64::from(n) / 100.0));
    let names = (name(), name(), name(), name());
    let numbers =
        (rating(), rating(), prop::option::of(clock()), prop::option::of(clock()), prop::option::of(result()));
    let rest = (
        prop::collection::vec(name().prop_map(String::from), 0..3),
        prop::collection::vec(("(KM|KB|X[A-Z])", name()), 0..3),
    );
    (game_from_anywhere(), prop::collection::vec(timing(), 150), names, numbers, rest).prop_map(
        |(game, timing, (place, date, black, white), numbers, (comments, other))| {
            let (black_rating, white_rating, black_clock, white_clock, result) = numbers;
            let timing = timing[..game.turns().len()].to_vec();
            let other = [vec![("TY".to_owned(), "s8r20".to_owned())], other].concat();
            let black = PlayerInfo { name: black, rating: black_rating, clock: black_clock };
            let white = PlayerInfo { name: white, rating: white_rating, clock: white_clock };
            AnnotatedGame { place, date, black, white, timing, comments, other, result, ..AnnotatedGame::new(game) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn boards_come_back(position in position()) {
        let wanted = GameRecord::from_position(position);
        for text in [format!("{position}"), format!("{position:#}"), format!("{position:#}").replace('\n', " ")] {
            prop_assert_eq!(&read_position(&text).unwrap(), &wanted, "{}", text);
        }
    }

    #[test]
    fn boards_without_a_mover_come_back_in_games_without_passes(game in game()) {
        let position = game.position();
        let passes = game.turns().contains(&Move::Pass) || position.must_pass();
        prop_assume!(!passes);
        let read = read_position(&position.to_string()[..64]).unwrap();
        prop_assert_eq!(read.position(), position);
    }

    #[test]
    fn transcripts_come_back(game in game()) {
        prop_assume!(!game.turns().is_empty());
        for text in [Transcript(&game).to_string(), format!("{:#}", Transcript(&game))] {
            prop_assert_eq!(&transcript::parse(&text).unwrap(), &game, "{}", text);
            prop_assert_eq!(&read_position(&text).unwrap(), &game, "{}", text);
        }
        let numbered: String = game.turns().iter().zip(1..).map(|(turn, n)| format!("{n}. {turn} ")).collect();
        prop_assert_eq!(&read_position(&numbered).unwrap(), &game, "{}", numbered);
    }

    #[test]
    fn positions_with_moves_come_back(game in game_from_anywhere()) {
        let text = format!("{} {}", game.start(), Transcript(&game));
        prop_assert_eq!(&read_position(&text).unwrap(), &game, "{}", text);
        let diagram = format!("{:#}\n{:#}", game.start(), Transcript(&game));
        prop_assert_eq!(&read_position(&diagram).unwrap(), &game, "{}", diagram);
    }

    #[test]
    fn ggf_comes_back(ggf in ggf_game()) {
        let text = Ggf(&ggf).to_string();
        prop_assert!(!text.contains(['\n', '\r']));
        prop_assert_eq!(&ggf::parse(&text).unwrap(), &ggf, "{}", text);
        prop_assert_eq!(&read_position(&text).unwrap(), &ggf.record, "{}", text);
        prop_assert_eq!(games_of(&format!("2 {text}{text}\n1 {text}")).len(), 3);
    }

    #[test]
    fn timed_moves_come_back(timing in timing(), square in 0u8..65) {
        let turn = Square::new(square).map_or(Move::Pass, Move::Place);
        let timed = TimedMove { turn, eval: timing.eval, seconds: timing.seconds };
        prop_assert_eq!(TimedMove::parse(&timed.to_string()), Ok(timed));
        let with_commas = timed.to_string().replace('.', ",").to_lowercase();
        prop_assert_eq!(TimedMove::parse(&with_commas), Ok(timed));
    }

    #[test]
    fn sgf_comes_back(game in game_from_anywhere(), black in "[ -~]{0,12}", white in "[]\\\\a]{0,6}") {
        let mut game = AnnotatedGame { result: Some(GgfResult::of_score(2)), ..AnnotatedGame::new(game) };
        (game.black.name, game.white.name) = (black, white);
        let text = sgf_text(&game);
        prop_assert!(text.contains("RE[B+2]"));
        prop_assert_eq!(&sgf::parse(&text).unwrap(), &game, "{}", text);
        prop_assert_eq!(&read_position(&text).unwrap(), &game.record, "{}", text);
    }

    #[test]
    fn obf_comes_back(
        position in position(),
        scores in prop::collection::vec(-64i32..=64, 60),
        score in prop::option::of(-64i32..=64),
        comment in prop::option::of("[!-~]([ -~]{0,8}[!-~])?"),
    ) {
        let turns: Vec<Move> = match position.moves() {
            moves if moves.is_empty() => vec![Move::Pass],
            moves => moves.into_iter().map(Move::Place).collect(),
        };
        let moves = turns.into_iter().zip(scores).collect();
        let entry = ObfEntry { position, moves, score, comment, unread: Vec::new() };
        let line = entry.to_string();
        prop_assert_eq!(&ObfEntry::parse(&line).unwrap(), &entry, "{}", line);
        let read = read_position(&line).unwrap();
        prop_assert_eq!(read.position(), &position, "{}", line);
    }
}
