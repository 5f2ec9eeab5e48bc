//! Games and positions come back from what is written of them.

use crate::convert::{annotated, timing};
use crate::games::{game, game_from_anywhere, games_of, position};
use crate::notation::sgf_text;
use emilia::notation::ggf::{self, Ggf, GgfResult, TimedMove};
use emilia::notation::obf::ObfEntry;
use emilia::notation::transcript::{self, Transcript};
use emilia::notation::{AnnotatedGame, read_position};
use emilia::othello::{GameRecord, Move, Square};
use proptest::prelude::*;

/// A game of nothing but what GGF holds.
fn ggf_game() -> impl Strategy<Value = AnnotatedGame> {
    annotated().prop_map(|game| {
        let turn_comments = Vec::new();
        let mut game = AnnotatedGame { theory: None, turn_comments, scores: Vec::new(), score: None, ..game };
        game.other.retain(|(key, _)| ["KM", "KB", "ZZ"].contains(&key.as_str()));
        let names = [&mut game.place, &mut game.date, &mut game.black.name, &mut game.white.name];
        let texts = names.into_iter().chain(&mut game.comments);
        texts.chain(game.other.iter_mut().map(|(_, text)| text)).for_each(|text| text.retain(|c| !"]\n".contains(c)));
        game.other.insert(0, ("TY".to_owned(), "s8r20".to_owned()));
        game
    })
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
        // A game that was played to its end is written with the result that it has on the board.
        let on_board = ggf.score_on_board().filter(|_| !ggf.is_position()).map(|score| GgfResult { score, ending: None });
        let expected = AnnotatedGame { result: ggf.result.or(on_board), ..ggf.clone() };
        prop_assert_eq!(&ggf::parse(&text).unwrap(), &expected, "{}", text);
        prop_assert_eq!(&read_position(&text).unwrap(), &ggf.record, "{}", text);
        prop_assert_eq!(games_of(&format!("2 {text}{text}\n1 {text}")).len(), 3);
        prop_assert_eq!(&read_position(&sgf_text(&ggf)).unwrap(), &ggf.record);
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
