use super::*;

fn error(text: &str) -> String {
    let error = parse(text).unwrap_err();
    format!("{error}, turn {:?}", error.turn)
}

#[test]
fn errors_have_places() {
    assert_eq!(error("[Black \"a\"]\n\n1. f5 d6 2. a1"), "line 3, column 13: a1 turns no disc for black, turn Some(3)");
    assert!(error("[Black ada").starts_with("line 1, column 8: expected '\"' before"));
    assert!(error("[Black \"ada").starts_with("line 1, column 12: expected '\"' behind"));
    assert!(error("f5 37-27 d6").starts_with("line 1, column 10: expected the end after the result"));
    assert!(error("f5 37-27\n1. f5").starts_with("line 2, column 1: expected the end after the result"));
    // Characters count as they stand in the text.
    assert!(
        error("[A \"\u{2013}\"] {\u{2013}} \u{ff26}\u{ff15} a1").starts_with("line 1, column 16: a1 turns no disc")
    );
    assert!(error("f5 {").contains("'}' at its end"));
    assert!(error("f5 (d6 {)}").starts_with("line 1, column 4: expected a variation"));
    assert!(error("1. f5 2x").contains("'.' after a move number"));
    assert!(error(&"-- ".repeat(9)).contains("black may not pass"));
}

#[test]
fn what_other_programs_add_is_passed_over_and_counted() {
    let text = "[A \"b \\\"c\\\" \\\\\"]\n% set aside\n1. f5! $3 d6?? (1... f6 {(} (f4)) 2. c3 ; to the end\n d3 1/2-1/2 {drawn}";
    let game = parse(text).unwrap();
    assert_eq!(game.other[0], ("A".to_owned(), "b \"c\" \\".to_owned()));
    assert_eq!(transcript::Transcript(&game.record).to_string(), "f5d6c3d3");
    assert_eq!(game.turn_comments, [(3, "to the end".to_owned()), (4, "drawn".to_owned())]);
    assert_eq!(game.result, Some(GgfResult::of_score(0)));
    assert_eq!(game.unread, ["a mark behind a move", "a glyph", "a mark behind a move", "1 variation"]);
}

#[test]
fn a_tag_that_cannot_be_read_takes_nothing_with_it() {
    for (tags, black, unread) in [
        ("[Black \"ada\"]\n[White-Elo \"1200\"]\n", "ada", "[White-Elo \"1200\"]"),
        ("[Event \"The \"Big\" One\"]\r\n[Black \"ada\"]\r\n", "ada", "[Event \"The \"Big\" One\"]"),
        ("[A[1] \"x] y\" ] [Black \"ada\"]\n", "ada", "[A[1] \"x] y\" ]"),
        ("[Black \"ada\"] [A-B \"x\"] ", "ada", "[A-B \"x\"]"),
        ("[Black \"ada\"\n", "", "[Black \"ada\""),
        ("[Black ada]\n", "", "[Black ada]"),
    ] {
        let game = parse(&format!("{tags}[White \"bob\"]\n\n1. f5 d6 37-27")).unwrap();
        assert_eq!((game.black.name.as_str(), game.white.name.as_str()), (black, "bob"), "{tags}");
        assert_eq!((game.unread, game.record.turns().len()), (vec![unread.to_owned()], 2), "{tags}");
        let game = parse(&format!("{tags}1. f5 d6 37-27")).unwrap();
        assert_eq!((game.black.name.as_str(), game.record.turns().len()), (black, 2), "{tags}");
    }
}

#[test]
fn comments_stand_among_the_tags() {
    let game = parse("{of a\nday}\n[Black \"ada\"]\n\n{b} ; c\n[White \"bob\"]\n\n{d} 1. f5 *").unwrap();
    assert_eq!((game.black.name.as_str(), game.white.name.as_str()), ("ada", "bob"));
    assert_eq!(game.comments, ["of a day", "b", "c", "d"]);
}

#[test]
fn the_result_is_read_from_the_tag_where_it_says_more() {
    for (tag, end, score, unread) in [
        ("37-27", "37-27", Some(10.0), None),
        ("37-27", "37-2", Some(10.0), None),
        ("37-27", "37-2\n", Some(35.0), Some("Result 37-27")),
        ("37-27", "37-2 {so far}", Some(35.0), Some("Result 37-27")),
        ("37-27", "27-37", Some(-10.0), Some("Result 37-27")),
        ("40-24", "*", Some(16.0), None),
        ("40-24", "* {so far}", Some(16.0), None),
        ("*", "*", None, None),
        ("?", "*", None, None),
        ("soon", "*", None, Some("Result soon")),
        // As text processors write it.
        ("37-27", "37\u{2013}27", Some(10.0), None),
        ("37\u{2013}27", "37-27", Some(10.0), None),
        ("37\u{2013}27", "*", Some(10.0), None),
        ("1/2-1/2", "\u{bd}-\u{bd}", Some(0.0), None),
        ("\u{bd}\u{2013}\u{bd}", "1/2-1/2", Some(0.0), None),
        ("\u{bd}-\u{bd}", "*", Some(0.0), None),
        ("32-32", "\u{ff13}\u{ff12}\u{ff0d}\u{ff13}\u{ff12}", Some(0.0), None),
    ] {
        let game = parse(&format!("[Result \"{tag}\"]\n\n1. f5 d6 {end}")).unwrap();
        assert_eq!(game.result, score.map(GgfResult::of_score), "{tag} {end}");
        assert_eq!(game.unread, unread.into_iter().collect::<Vec<_>>(), "{tag} {end}");
    }
}

#[test]
fn typographic_characters_are_kept_in_tags_and_comments() {
    let game = parse(
        "[Black \"\u{ff21}\u{2013}\u{201c}x\u{201d}\"]\n\n\u{ff11}. \u{ff26}\u{ff15} {\u{2013} \u{ff21}} d6 ; \u{2013}\n32\u{2013}32",
    )
    .unwrap();
    assert_eq!(game.black.name, "\u{ff21}\u{2013}\u{201c}x\u{201d}");
    assert_eq!(game.turn_comments, [(1, "\u{2013} \u{ff21}".to_owned()), (2, "\u{2013}".to_owned())]);
    assert_eq!((game.record.turns().len(), game.result), (2, Some(GgfResult::of_score(0))));
}

#[test]
fn words_behind_the_result_are_left_out() {
    for (end, unread, comments) in [
        ("c", &["c"][..], 0),
        ("{so far}\n\nThe second day:\r\n(late) ; and more\n", &["The second day:", "(late) ; and more"], 1),
        ("\nPS: f5 d6\n; of a day", &["PS: f5 d6"], 1),
        ("c\n{never closed\n$1", &["c", "{never closed"], 0),
        ("37-27 *", &["37-27 *"], 0),
    ] {
        let game = parse(&format!("1. f5 d6 40-24 {end}")).unwrap();
        assert_eq!((game.record.turns().len(), game.result), (2, Some(GgfResult::of_score(16))), "{end}");
        assert_eq!(game.unread, unread, "{end}");
        assert_eq!(game.turn_comments.len(), comments, "{end}");
    }
}

#[test]
fn who_ran_out_of_time_is_told_and_written() {
    let timeout = Some(Ending::Timeout);
    for (result, termination, score, ending, kept) in [
        ("1-0", "time forfeit", 64.0, timeout, false),
        ("0-1", "Time forfeit", -64.0, timeout, false),
        ("37-27", "time forfeit", 10.0, timeout, false),
        ("1/2-1/2", "time forfeit", 0.0, timeout, false),
        ("1-0", "ada won on time", 64.0, timeout, true),
        ("0-1", "White: timeout", -64.0, timeout, true),
        ("1-0", "Normal", 64.0, Some(Ending::Resigned), true),
        ("1-0", "sometimes", 64.0, Some(Ending::Resigned), true),
        ("1-0", "Normal; time control 5 min", 64.0, Some(Ending::Resigned), true),
        ("32-32", "Game ended in time", 0.0, None, true),
        ("37-27", "normal", 10.0, None, true),
    ] {
        let game =
            parse(&format!("[Result \"{result}\"]\n[Termination \"{termination}\"]\n\n1. f5 d6 {result}")).unwrap();
        assert_eq!(game.result, Some(GgfResult { score, ending }), "{termination}");
        assert_eq!(game.other("Termination"), kept.then_some(termination));
        let written = write(&game);
        assert_eq!((parse(&written.text).as_ref(), written.losses), (Ok(&game), Vec::new()), "{}", written.text);
    }
    // Without a result nobody has lost.
    let game = parse("[Termination \"time forfeit\"]\n\n1. f5 *").unwrap();
    assert_eq!((game.result, parse(&write(&game).text).as_ref()), (None, Ok(&game)));
}

#[test]
fn an_end_by_time_that_cannot_be_written_is_told() {
    let record = transcript::parse("f5d6").unwrap();
    for (score, ending, other, lost) in [
        (12.0, Some(Ending::Timeout), None, &[][..]),
        (3.0, Some(Ending::Timeout), None, &[Datum::Ending, Datum::Result]),
        (2.5, Some(Ending::Timeout), None, &[Datum::Result, Datum::Ending]),
        (12.0, None, Some("time forfeit"), &[Datum::Other]),
        (64.0, Some(Ending::Resigned), Some("lost on time"), &[Datum::Other]),
        (12.0, None, Some("normal"), &[]),
    ] {
        let other = other.map(|value| ("Termination".to_owned(), value.to_owned())).into_iter().collect();
        let result = Some(GgfResult { score, ending });
        let game = AnnotatedGame { result, other, ..AnnotatedGame::new(record.clone()) };
        let written = write(&game);
        let told: Vec<Datum> = written.losses.iter().map(|loss| loss.datum).collect();
        assert_eq!(told, lost, "{}", written.text);
        if lost.is_empty() {
            assert_eq!(parse(&written.text).as_ref(), Ok(&game));
        }
    }
}

#[test]
fn times_without_a_date_keep_their_order() {
    let game = parse("[Time \"1:00\"]\n[A \"b\"]\n[Time \"2:00\"]\n\n1. f5 *").unwrap();
    let times = |game: &AnnotatedGame| {
        let times = game.other.iter().filter(|(key, _)| key == "Time");
        times.map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    assert_eq!(times(&game), ["1:00", "2:00"]);
    assert_eq!(parse(&write(&game).text).as_ref(), Ok(&game));
}

#[test]
fn moves_are_numbered_and_fill_lines_of_79_bytes() {
    let mut record = GameRecord::default();
    while !record.position().is_over() {
        record.take(record.position().moves().into_iter().next().map_or(Move::Pass, Move::Place)).unwrap();
    }
    let turns = record.turns().len();
    // With its braces and the number of the first move, the longer comment makes a line of just 79 bytes.
    for (comment, beginning) in [(74, "} 1.\n"), (75, "}\n1. "), (90, "}\n1. ")] {
        let comments = vec!["x".repeat(comment)];
        let text = write(&AnnotatedGame { comments, ..AnnotatedGame::new(record.clone()) }).text;
        let moves = text.split_once("\n\n").unwrap().1.trim_end();
        assert!(moves.contains(beginning), "{moves}");
        let lines: Vec<&str> = moves.lines().collect();
        for two in lines.windows(2) {
            let next = two[1].split(' ').next().unwrap();
            assert!((two[0].len() <= 79 || comment == 90) && two[0].len() + 1 + next.len() > 79, "{moves}");
        }
        let words: Vec<&str> = moves.split([' ', '\n']).skip(1).collect();
        assert_eq!(words.len(), turns + turns.div_ceil(2) + 1, "{moves}");
        let numbers = words.iter().step_by(3).take(turns / 2);
        assert!((1..).zip(numbers).all(|(n, word)| *word == format!("{n}.")), "{moves}");
    }
}

#[test]
fn starts_and_passes_come_back() {
    for seed in 0..30 {
        let mut record = GameRecord::from_position(crate::testing::random_position(seed, 40));
        while !record.position().is_over() {
            let turn = record.position().moves().into_iter().next().map_or(Move::Pass, Move::Place);
            record.take(turn).unwrap();
        }
        let game = AnnotatedGame {
            result: Some(GgfResult::of_score(record.position().score_for_black())),
            comments: vec!["begin".into()],
            turn_comments: vec![(5, "x".repeat(90))],
            ..AnnotatedGame::new(record)
        };
        let text = write(&game).text;
        assert_eq!(parse(&text).as_ref(), Ok(&game), "{text}");
        // Without a count, the result is the one on the board.
        let end = game.record.position();
        let [black, white] = [Color::Black, Color::White].map(|color| end.discs(color).count());
        if black != white {
            let won = if black > white { "1-0" } else { "0-1" };
            let said = parse(&text.replace(&format!("{black}-{white}"), won)).unwrap();
            assert_eq!((said.result, said.contradiction()), (game.result, None), "{text}");
        }
    }
}

#[test]
fn ratings_in_words_come_back() {
    let game = parse("[BlackElo \"?\"]\n[WhiteElo \"3 dan\"]\n\n1. f5 *").unwrap();
    assert_eq!(game.other, [("WhiteElo".to_owned(), "3 dan".to_owned())]);
    let written = write(&game);
    assert_eq!((parse(&written.text).as_ref(), written.losses), (Ok(&game), Vec::new()), "{}", written.text);
    let of_nobody = parse("[BlackElo \"-\"]\n[WhiteElo \"\"]\n\n1. f5 *").unwrap();
    assert_eq!((of_nobody.other, of_nobody.black.rating), (Vec::new(), None));
}

#[test]
fn another_game_behind_the_result_is_an_error() {
    let start = Position::START;
    for game in ["(;GM[Othello]B[f5];)", "2 (;GM[Othello]\nB[f5];)", &format!("{start}; f5:+0;"), &start.to_string()] {
        let error = parse(&format!("1. f5 *\n{game}")).unwrap_err().to_string();
        assert!(error.starts_with("line 2, column 1: expected the end after the result"), "{game}: {error}");
    }
    // A line across a page is no board.
    for line in ["-".repeat(64), "=".repeat(64)] {
        assert_eq!(parse(&format!("1. f5 *\n{line}")).unwrap().unread, [line]);
    }
}

#[test]
fn a_position_may_be_a_game_with_tags() {
    let read = |text: &str| crate::notation::read_position(text);
    let game = read("[Black \"a\"]\n\n1. f5 {so far} d6 (1... f6) *").unwrap();
    assert_eq!(transcript::Transcript(&game).to_string(), "f5d6");
    let start = fen(&Position::START.pass()).to_string();
    assert_eq!(read(&format!("[FEN \"{start}\"]\n\n*")).unwrap().position(), &Position::START.pass());
    assert!(read("[A \"b\"]\n\n1. f5 {a} a1").unwrap_err().to_string().starts_with("line 3, column 11: a1"));
    // Other things stand behind tags too.
    for text in ["1) f5 2) d6", "f5,d6", "f5-d6"] {
        assert_eq!(read(&format!("[A \"b\"]\n{text}")).unwrap(), game, "{text}");
    }
    // But not where the tags have a start of their own.
    for text in ["[FEN \"zzz\"]\n\n1. f5 d6".to_owned(), format!("[FEN \"{start}\"]\n\n1) f5 2) d6")] {
        assert!(read(&text).is_err(), "{text}");
    }
    let board = format!("[A \"b\"]\n{:#}", Position::START.pass());
    assert_eq!(read(&board).unwrap().position(), &Position::START.pass());
}
