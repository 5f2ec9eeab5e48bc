//! Reading and writing: spellings, bad input, and what is special in each format.

use crate::games::{OVER, game_from_anywhere, games_of};
use emilia::notation::game_file::{Format, GameFile, write};
use emilia::notation::ggf::{self, Ending, Ggf, GgfClock, GgfResult, TimedMove, Timing};
use emilia::notation::obf::ObfEntry;
use emilia::notation::sgf;
use emilia::notation::transcript::Transcript;
use emilia::notation::wthor;
use emilia::notation::{AnnotatedGame, NotationError, Problem, infer_mover, read_position};
use emilia::othello::{Color, GameRecord, IllegalMove, Move, Position, PositionError, Square};
use proptest::prelude::*;
use std::io::Cursor;
use std::time::Duration;

fn square(name: &str) -> Square {
    name.parse().unwrap_or_else(|_| panic!("{name} is no square"))
}

fn read(text: &str) -> GameRecord {
    read_position(text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn error(text: &str) -> NotationError {
    read_position(text).expect_err(text)
}

/// A game as SGF.
pub fn sgf_text(game: &AnnotatedGame) -> String {
    write(game, Format::Sgf).unwrap().text
}

fn moves(names: &str) -> GameRecord {
    let mut game = GameRecord::default();
    for name in names.split(' ') {
        game.take(Move::Place(square(name))).unwrap_or_else(|error| panic!("{names}: {error}"));
    }
    game
}

// ---- Spellings ----------------------------------------------------------------------------------------------------

/// After f5 d6 in every spelling that programs and people use.
#[test]
fn every_spelling_of_a_board_is_read() {
    let expected = *moves("f5 d6").position();
    let line = expected.to_string();
    assert_eq!(line, "---------------------------OX------OXX-----O-------------------- X");
    let rows = |squares: &str| -> Vec<String> {
        squares.as_bytes().chunks(8).map(|row| String::from_utf8(row.to_vec()).unwrap()).collect()
    };
    let squares = &line[..64];
    let spelled = |black, white, empty| squares.replace('X', black).replace('O', white).replace('-', empty);
    let spaced = |row: &String| row.chars().map(|c| format!("{c} ")).collect::<String>();
    let numbered: Vec<String> = rows(squares).iter().zip(1..).map(|(row, n)| format!("{n} {}", spaced(row))).collect();
    let on_both_sides: Vec<String> = numbered.iter().zip(1..).map(|(row, n)| format!("{row}{n}")).collect();
    let behind: Vec<String> = rows(squares).iter().zip(1..).map(|(row, n)| format!("{row} {n}")).collect();
    let mut upside_down = numbered.clone();
    upside_down.reverse();
    let boxed: Vec<String> =
        numbered.iter().map(|row| format!(" {}\n +---+---+", row.trim_end().replace(' ', "|"))).collect();
    for text in [
        line.clone(),
        format!("\u{feff}  {line}\r\n"),
        format!("{squares}X"),
        format!("{squares} black"),
        format!("{squares} *\n"),
        format!("{squares} b"),
        format!("{} x", spelled("x", "o", ".")),
        format!("{} *", spelled("*", "O", "_")),
        format!("{}\nB", spelled("b", "w", "-")),
        format!("{} \u{25cf}", spelled("\u{25cf}", "\u{25cb}", "\u{b7}")),
        format!("{} \u{26ab}\u{fe0f}", spelled("\u{26ab}\u{fe0f}", "\u{26aa}\u{fe0f}", "\u{1f7e9}")),
        format!("{line} to move"),
        format!("{}\n*", rows(&spelled("*", "O", "-")).join("\n")),
        format!("{} X", rows(squares).join("/")),
        rows(squares).iter().map(spaced).collect::<Vec<_>>().join("\n"),
        format!("BO[8 {} *]", rows(&spelled("*", "O", "-")).join(" ")),
        format!("bo[8{squares}X]"),
        format!("8 {} *", rows(&spelled("*", "O", "-")).join(" ")),
        format!("{expected:#}"),
        format!("{expected:#}").replace('\n', " "),
        numbered.join("\n"),
        numbered.join(" "),
        format!("a b c d e f g h {} a b c d e f g h X", on_both_sides.join(" ")),
        format!("  abcdefgh\n{}\n  abcdefgh\nX", behind.join("\n")),
        upside_down.join("\n"),
        upside_down.join(" "),
        format!("   A B C D E F G H\n +---+---+\n{}\n X to move", boxed.join("\n")),
        format!("= Next move: Black\n    a b c d e f g h\n{}", numbered.join("\n")),
        format!(
            "{} * to move\n4 {}   *: discs =  3    moves =  4\n{}",
            numbered[..3].join("\n"),
            spaced(&rows(squares)[3]),
            numbered[4..].join("\n")
        ),
        "8/8/3P4/3Ppp2/3Pp3/8/8/8 b - - 0 1".to_owned(),
        "8/8/3P4/3Ppp2/3Pp3/8/8/8".to_owned(),
        format!("% FFO style comment\n\n{line}; F6:+2; D3:-4; % best first"),
        format!("{line} % a comment"),
    ] {
        assert_eq!(read(&text).position(), &expected, "{text}");
    }
}

/// The same diagrams with White to move, which the number of discs alone would not tell after a pass.
#[test]
fn the_mover_is_read_where_it_stands() {
    let start = Position::START.pass();
    let squares = &start.to_string()[..64];
    let grid = format!("{start:#}");
    let rows = grid.lines().take(9).collect::<Vec<_>>().join("\n");
    for text in [
        format!("{squares} O"),
        format!("{squares}w"),
        format!("{squares} WHITE to play"),
        grid.clone(),
        format!("{rows}\nO"),
        format!("Turn: White\n{rows}"),
        format!("{rows}\n(white to move)"),
        format!("{rows}\nwhite to move\nblack 2"),
        format!("Next: White\n{rows}"),
        format!("{rows}\nWhite moves"),
        format!("{rows}\nIt is White's turn."),
        format!("Black moves first in Othello.\n{rows}\nWhite to move"),
        "8/8/8/3pP3/3Pp3/8/8/8 w".to_owned(),
    ] {
        assert_eq!(read(&text).position(), &start, "{text}");
    }
}

#[test]
fn moves_behind_the_side_to_move_are_played() {
    let start = Position::START.to_string();
    for text in ["f5 d6", " to move f5 d6", " to move: f5d6", " to play, 1. f5 d6"] {
        assert_eq!(
            read(&format!("{start}{}{text}", if text.starts_with(' ') { "" } else { " " })),
            moves("f5 d6"),
            "{text}"
        );
    }
    for words in [", 60 empty squares", ", d3 wins", ". f5 draws"] {
        assert_eq!(read(&format!("{start} to move{words}")).turns().len(), 0, "{words}");
    }
    assert_eq!(ObfEntry::parse(&format!("{start} to move; f5:+2")).unwrap().moves.len(), 1);
}

#[test]
fn a_missing_mover_is_inferred() {
    // Even and odd numbers of discs.
    let start = &Position::START.to_string()[..64];
    assert_eq!(read(start).position(), &Position::START);
    let after = *moves("f5").position();
    assert_eq!(read(&after.to_string()[..64]).position(), &after);
    // Only one side has a move, against the parity.
    let stuck = *moves("f5 f6 d3 g5 h5 h4 f7 h6").position();
    assert!(stuck.must_pass() && stuck.mover() == Color::Black);
    assert_eq!(read(&stuck.to_string()[..64]).position(), &stuck.pass());
    assert_eq!(infer_mover(stuck.discs(Color::Black), stuck.discs(Color::White)), Color::White);
    let odd = stuck.discs(Color::White) | square("a1").bit();
    assert_eq!(infer_mover(odd, stuck.discs(Color::Black)), Color::Black);
    // Said by the text, the side that must pass stays to move.
    assert_eq!(read(&stuck.to_string()).position(), &stuck);
    // The moves that follow decide: e3 is White's in the start position, d3 Black's.
    let game = read(&format!("{start} e3"));
    assert_eq!((game.start().mover(), game.turns().len()), (Color::White, 1));
    assert_eq!(read(&format!("{start} d3")).start().mover(), Color::Black);
    // Nobody's move: the error is that of the inferred side.
    let failure = error(&format!("{start} a1"));
    assert_eq!(failure.problem, Problem::Illegal(IllegalMove::TurnsNothing(square("a1"), Color::Black)));
}

#[test]
fn moves_may_follow_a_position() {
    let start = Position::START.to_string();
    let expected = moves("f5 d6 c3");
    for text in [
        format!("{start} f5d6c3"),
        format!("{}Xf5d6c3", &start[..64]),
        format!("{} f5d6c3", &start[..64]),
        format!("{start}\n1. f5 d6 2. c3"),
        format!("{:#}\nf5 d6 c3", Position::START),
        format!("{:#}\n\n1. F5 D6\n2. C3", Position::START),
        "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *] F5 D6 C3".to_owned(),
        "8/8/8/3pP3/3Pp3/8/8/8 b f5 d6 c3".to_owned(),
    ] {
        assert_eq!(read(&text), expected, "{text}");
    }
    // A b that is the mover, and one that begins a move.
    assert_eq!(read(&format!("{} b", &start[..64])).turns(), []);
    assert_eq!(read(&format!("{start} d3c3b3")).turns().len(), 3);
    let after = &moves("d3 c3").position().to_string()[..64];
    assert_eq!(read(&format!("{after} b3")).turns(), [Move::Place(square("b3"))]);
}

#[test]
fn transcripts_are_read_in_any_dress() {
    let expected = moves("f5 d6 c3 d3 c4");
    for text in [
        "f5d6c3d3c4",
        "F5D6C3D3C4",
        "F5d6C3d3C4",
        " f5 d6\tc3\r\nd3 c4\n",
        "1. f5 d6 2. c3 d3 3. c4",
        "1.f5 2.d6 3.c3 4.d3 5.c4",
        "1 f5 2 d6 3 c3 4 d3 5 c4",
        "1) f5 d6 2) c3 d3 3) c4",
        "f5-d6-c3-d3-c4",
        "f5, d6, c3, d3, c4",
        "f5 d6 c3 d3 c4 37-27",
        "f5\u{2013}d6\u{2014}c3 \u{2212} d3 c4 37\u{2013}27",
        "[Site \"kurnik\"]\n[Black \"x\"] [White \"y\"]\n\n1. f5 d6 2. c3 d3 3. c4 37-27\n",
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn passes_may_be_written_or_left_out() {
    let before = "f5 f6 d3 g5 h5 h4 f7 h6";
    let joined = before.replace(' ', "");
    let reply = moves(before).position().opponent_moves().into_iter().next().unwrap();
    let mut expected = moves(before);
    expected.take(Move::Pass).unwrap();
    expected.take(Move::Place(reply)).unwrap();
    for pass in ["", "pa", "PA", "ps", "PS", "pas", "pass", "Pass", "--", " -- ", " pa "] {
        assert_eq!(read(&format!("{joined}{pass}{reply}")), expected, "{pass}");
    }
    assert_eq!(Transcript(&expected).to_string(), format!("{joined}{reply}"));
    assert_eq!(format!("{:#}", Transcript(&expected)), format!("{}PA{}", joined.to_uppercase(), reply.to_upper()));
    assert_eq!(error("f5 pa").problem, Problem::Illegal(IllegalMove::MayNotPass(Color::White)));
}

// ---- Bad input ----------------------------------------------------------------------------------------------------

#[test]
fn errors_say_where_and_what() {
    let start = Position::START.to_string();
    let squares = &start[..64];
    let place = |text: &str| {
        let error = error(text);
        (error.line, error.column)
    };
    assert_eq!(error("").problem, Problem::Empty);
    assert_eq!(error(" \r\n\t").problem, Problem::Empty);
    assert!(error("").to_string().contains("expected 64 squares"));
    assert_eq!(error(&squares[..63]).problem, Problem::TooFewSquares(63));
    assert_eq!(place(&format!("{}\n{}", &squares[..32], squares[32..].replace('X', "?"))), (2, 4));
    let (before_the_mover, in_rows) = (format!("{} X", &squares[..63]), format!("BO[8 -------- {} *]", "-".repeat(55)));
    assert_eq!(place(&before_the_mover), (1, 65), "a square is missing");
    assert!(error(&before_the_mover).to_string().contains("expected the last of 64 squares"));
    assert_eq!(place(&in_rows), (1, 71));
    assert_eq!(place("f5 d6\nc3 z4"), (2, 4));
    for passes in ["pa ".repeat(123), "pa\n".repeat(200)] {
        let error = error(&format!("{OVER} {passes}"));
        assert_eq!((error.problem, error.turn), (Problem::Illegal(IllegalMove::GameTooLong), Some(123)));
    }
    assert_eq!(place("f5 d6\nc3 d3 a1"), (2, 7));
    assert_eq!(place("hello"), (1, 1));
    assert_eq!(place(&format!("{start} X")), (1, 68));
    assert_eq!(place("\u{25cb}\u{25cb}\u{25cb}?"), (1, 4));
    // More squares than a board has.
    assert_eq!(place(&format!("{squares}-- X")), (1, 65));
    // What is found is shown in ASCII, because protocols carry it.
    assert!(error("f5 \u{2026}").to_string().is_ascii());
    assert!(error("f5 \u{2026}").to_string().ends_with("found '\\u{2026}'"));
}

#[test]
fn digits_as_squares_are_refused() {
    let start = Position::START.to_string();
    for (black, white, digit) in [("0", "1", '1'), ("1", "0", '0'), ("X", "0", '0'), ("0", "O", '0'), ("1", "O", '1')] {
        let text = start.replace('O', "?").replace('X', black).replace('?', white);
        let failure = error(&text);
        assert_eq!((failure.line, failure.problem), (1, Problem::AmbiguousDigit(digit)), "{text}");
    }
    // In the first column too, where a digit could be a row number.
    assert_eq!(error(&start.replacen('-', "1", 1)).problem, Problem::AmbiguousDigit('1'));
    assert_eq!(error(&start.replacen('-', "0", 1)).problem, Problem::AmbiguousDigit('0'));
    let ggf = "(;GM[Othello]BO[8 -------- -------- -------- ---0*--- ---*0--- -------- -------- -------- *];)";
    assert_eq!(error(ggf).problem, Problem::AmbiguousDigit('0'));
    assert_eq!((error(ggf).line, error(ggf).column), (1, 49));
    assert!(error(ggf).to_string().contains("black for some programs and white for others"));
}

#[test]
fn impossible_boards_and_other_games_are_refused() {
    let three_discs = Position::START.to_string().replacen('O', "-", 1);
    assert_eq!(error(&three_discs).problem, Problem::Board(PositionError::TooFewDiscs(3)));
    for text in [
        "10 ---------- ----------",
        "BO[10 ---------- *]",
        "(;GM[Othello]TY[10]BO[10 ---------- *];)",
        "(;GM[Othello]TY[88];)",
        "(;GM[Othello]TY[8a]B[f5];)",
        "(;GM[Chess];)",
        "(;GM[1]FF[4]SZ[19];B[dd])",
        "(;GM[2]SZ[10];B[dd])",
    ] {
        assert!(matches!(error(text).problem, Problem::OtherGame(_)), "{text}: {}", error(text));
    }
    for text in ["9/8/8/8/8/8/8/8", "8/8/8/3pP4/3Pp3/8/8/8 b", "8/8/8/3pP2/3Pp3/8/8/8 b", "8/8/8/3pP3/3Pp3/8/8/7 b"] {
        assert!(matches!(error(text).problem, Problem::Expected { .. }), "{text}");
    }
}

#[test]
fn half_a_game_is_an_error_at_its_end() {
    let whole = "(;GM[Othello]PC[NBoard]PB[]PW[]RE[?]TI[5:00]TY[8]\
                 BO[8 ---------------------------O*------*O--------------------------- *]B[F5//4.1]W[D6];)";
    assert!(ggf::parse(whole).is_ok());
    for end in 1..whole.len() {
        let failure = ggf::parse(&whole[..end]).expect_err(&whole[..end]);
        assert_eq!(failure.line, 1);
        assert!(failure.column <= end + 1);
    }
    let whole = "(;GM[2]FF[4](;B[dc](;W[cc])))";
    for end in 1..whole.find(')').unwrap() {
        assert!(sgf::parse(&whole[..end]).is_err(), "{}", &whole[..end]);
    }
}

#[test]
fn passes_after_the_end_do_not_go_on_for_ever() {
    let over = moves("f5 d6 c5 f4 e7 f6 g5 e6 e3");
    assert!(over.position().is_over());
    let moves = Transcript(&over).to_string();
    assert_eq!(read(&format!("{moves} pa pa")).turns().len(), over.turns().len() + 2);
    assert!(read_position(&format!("{moves}{}", "pa".repeat(1000))).is_err());
    let ggf = Ggf(&AnnotatedGame::new(over.clone())).to_string().replace(";)", &"W[PA]B[PA]".repeat(1000));
    assert!(read_position(&format!("{ggf};)")).is_err());
    let sgf = sgf_text(&AnnotatedGame::new(over)).replace(')', &";W[];B[]".repeat(1000));
    assert!(read_position(&format!("{sgf})")).is_err());
}

#[test]
fn a_million_characters_are_read_or_refused_at_once() {
    // Anything that is not linear in the length would take minutes here.
    let n = 1 << 20;
    let start = Position::START.to_string();
    for unit in [
        "-",
        "X",
        "f5",
        "(;",
        "(",
        "PA",
        "--",
        "1 ",
        "1. ",
        "8/",
        " ",
        "\n",
        "[",
        "BO[",
        "%\n",
        "1--------\n",
        "a b c d e f g h ",
        "to move ",
    ] {
        let long = unit.repeat(n / unit.len());
        for text in [
            long.clone(),
            format!("{start} {long}"),
            format!("{:#}\n{long}", Position::START),
            format!("(;GM[Othello]PB[{long}"),
            format!("(;GM[Othello]{long}"),
            format!("(;GM[2]{long}"),
            format!("(;GM[2]C[{long}"),
        ] {
            // Only blanks, and the passes and comments of a finished reader, may be good.
            if let Err(error) = read_position(&text) {
                assert!(error.to_string().is_ascii());
            }
        }
        let _ = ObfEntry::parse(&format!("{start}; {long}"));
        let _ = TimedMove::parse(&long);
    }
    let properties = "XX[y]".repeat(n / 5);
    let ggf = ggf::parse(&format!("(;GM[Othello]{properties};)")).unwrap();
    assert_eq!(ggf.other.len(), n / 5);
    assert!(sgf::parse(&format!("(;GM[2]{properties}{}", "(;B[dc]".repeat(n / 7))).is_err());
}

#[test]
fn a_kind_of_game_that_ggf_cannot_carry_is_written_as_it_is_read() {
    let mut game = ggf::parse("(;GM[Othello]B[F5];)").unwrap();
    game.other = vec![("TY".to_owned(), "]8r2]".to_owned())];
    let written = Ggf(&game).to_string();
    assert!(written.contains("TY[8r2]"), "{written}");
    assert_eq!(Ggf(&ggf::parse(&written).unwrap()).to_string(), written);
}

proptest! {
    #[test]
    fn any_bytes_are_games_of_wthor_or_errors(mut bytes in prop::collection::vec(any::<u8>(), 0..300), games in 0u8..4) {
        let _ = wthor::names::<{ wthor::PLAYER }>(&bytes);
        // A header that announces as many games as there may be, so that records are read too.
        bytes.resize(16 + 68 * usize::from(games), 56);
        bytes[..4].copy_from_slice(&[20, 26, 2, 23]);
        bytes[4..10].copy_from_slice(&[games, 0, 0, 0, 0, 0]);
        bytes[12] = 8;
        let file = GameFile::new("bytes", Cursor::new(bytes)).unwrap();
        prop_assert_eq!(file.count(), usize::from(games));
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in any::<String>()) {
        let _ = read_position(&text);
        let _ = ggf::parse(&text);
        let _ = sgf::parse(&text);
        let _ = ObfEntry::parse(&text);
        let _ = TimedMove::parse(&text);
        let _ = text.parse::<GgfClock>();
    }

    #[test]
    fn no_likely_text_makes_a_reader_panic(
        text in "[-XO*.0-9a-h \n;:/\\[\\]()%+,]{0,90}",
        ggf in "\\(;GM\\[(Othello|2)\\]((B|W|BO|AB|AW|PL|TY|TI|RE|SZ)\\[[-a-h0-9XO*/:., ]{0,12}\\]){0,8}(;?\\))?",
    ) {
        let _ = read_position(&text);
        let _ = read_position(&ggf);
        let _ = ObfEntry::parse(&format!("{}{text}", Position::START));
    }

    /// A whole game with one piece cut out or repeated: whatever is read is a legal game, and what is not says where.
    #[test]
    fn mutated_games_are_read_or_refused(game in game_from_anywhere(), from in 0usize..600, length in 0usize..20, twice: bool) {
        let annotated = AnnotatedGame::new(game.clone());
        for text in [Ggf(&annotated).to_string(), sgf_text(&annotated), format!("{:#}", game.position())] {
            let (from, to) = (from.min(text.len()), (from + length).min(text.len()));
            let mutated = if twice {
                format!("{}{}", &text[..to], &text[from..])
            } else {
                format!("{}{}", &text[..from], &text[to..])
            };
            match read_position(&mutated) {
                Ok(read) => {
                    let mut replay = GameRecord::from_position(*read.start());
                    for &turn in read.turns() {
                        prop_assert!(replay.take(turn).is_ok());
                    }
                }
                Err(error) => prop_assert!(error.line >= 1 && error.column >= 1 && error.to_string().is_ascii()),
            }
        }
    }
}

// ---- The formats' own corners -------------------------------------------------------------------------------------

#[test]
fn ggf_is_read_as_nboard_and_ggs_write_it() {
    let text = "2 (;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[j\u{fffd}rg]PW[]RB[]RE[-22,87:t]TI[5:00]TY[8r4]\
                ZZ[unknown ; thing]BO[ 8 -------- -------- --------  ---O*--- ---*O--- -------- -------- --------  O ] \n \
                W[E3/3,25/5.0E-4]B[f3//1.9160000000000001]CO[good]KM[+1.5];)(;GM[Othello]TY[8]TB[23/1/14:00]TW[nonsense]B[f5];)";
    let games = games_of(text);
    let [first, second] = games.as_slice() else { panic!("two games are expected") };
    assert_eq!(ggf::parse(text).as_ref(), Ok(first));
    assert_eq!(read(&format!("\u{feff}{text}")), first.record);
    assert_eq!((first.black.name.as_str(), first.white.name.as_str(), first.black.rating), ("j\u{fffd}rg", "", None));
    assert_eq!(first.result, Some(GgfResult { score: -22.87, ending: Some(Ending::Timeout) }));
    assert_eq!(first.black.clock, Some(GgfClock::new(Duration::from_secs(300))));
    assert_eq!(first.black.clock, first.white.clock);
    assert_eq!(first.record.start(), &Position::START.pass());
    assert_eq!(first.timing[0], Timing { eval: Some(3.25), seconds: Some(0.0005) });
    assert_eq!((first.comments.len(), first.turn_comments.as_slice()), (0, &[(2, "good".to_owned())][..]));
    let other = [("TY", "8r4"), ("ZZ", "unknown ; thing"), ("KM", "+1.5")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(first.other, other);
    assert_eq!(second.record, moves("f5"));
    assert_eq!(second.white.clock, None);
    assert_eq!(second.black.clock.unwrap().grace, Duration::from_secs(840));
}

#[test]
fn ggf_is_written_as_the_strictest_reader_wants_it() {
    let mut ggf = AnnotatedGame::new(moves("f5 d6"));
    ggf.place = "NBoard".into();
    ggf.black.name = "a]b\nc".into();
    ggf.timing[1] = Timing { eval: Some(1.2), seconds: Some(4.17) };
    let clock = GgfClock::new(Duration::from_secs(300));
    (ggf.black.clock, ggf.white.clock) = (Some(clock), Some(clock));
    assert_eq!(
        Ggf(&ggf).to_string(),
        "(;GM[Othello]PC[NBoard]DT[]PB[a b c]PW[]RE[?]TI[5:00]TY[8]\
         BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6/1.20/4.17];)"
    );
}

#[test]
fn brackets_in_names_of_ggf_are_part_of_them() {
    for name in ["ada[1]", "[x]", "]", "a] - b"] {
        let game = ggf::parse(&format!("(;GM[Othello]PB[{name}] PW[{name}]\nB[f5]W[d6];)")).unwrap();
        assert_eq!((game.black.name.as_str(), game.white.name.as_str(), game.record.turns().len()), (name, name, 2));
    }
}

#[test]
fn passes_left_out_of_ggf_and_sgf_are_put_in() {
    let mut expected = moves("f5 f6 d3 g5 h5 h4 f7 h6");
    let reply = expected.position().opponent_moves().into_iter().next().unwrap();
    expected.take(Move::Pass).unwrap();
    expected.take(Move::Place(reply)).unwrap();
    let mut ggf = AnnotatedGame::new(expected.clone());
    ggf.timing[9].eval = Some(2.0);
    let text = Ggf(&ggf).to_string();
    for pass in ["", "B[PA]", "B[pass]", "B[--//1.5]"] {
        let read = ggf::parse(&text.replace("B[PA]", pass)).unwrap();
        assert_eq!((&read.record, read.timing.len(), read.timing[9].eval), (&expected, 10, Some(2.0)), "{pass}");
    }
    let sgf = sgf_text(&AnnotatedGame::new(expected.clone()));
    assert_eq!(sgf.matches(";B[").count(), 4);
    assert_eq!(sgf.matches("[]").count(), 0);
    assert_eq!(sgf::parse(&sgf).unwrap().record, expected);
    // A turn of the side that is not to move and need not wait is an error.
    let wrong = ggf::parse("(;GM[Othello]B[f5]\nB[d6];)").unwrap_err();
    assert_eq!((wrong.line, wrong.column), (2, 3));
    assert_eq!(wrong.problem, Problem::WrongSide(Color::Black, Color::White));
}

#[test]
fn lines_of_sgf_end_where_nothing_escapes_them() {
    let game = sgf::parse("(;GM[2]PB[a\\\nb]C[one\\\r\ntwo\nthree \\\\];B[fe])").unwrap();
    assert_eq!(game.black.name, "ab");
    assert_eq!(game.comments, ["onetwo\nthree \\"]);
}

#[test]
fn sgf_is_read_as_quarry_saves_it() {
    let text = "(;GM[2]FF[4]\nAP[Quarry:0.2.0]\nCA[UTF-8]\nSZ[8]\nPB[Human \\] player]\nPW[GRhino]\nRE[B+2]\nDT[2026-11-21]\n\
                \n;B[fe]\n;W[df]BL[590]\n;B[cc]C[(a comment; with \\] brackets)]\n(;W[dc]\n;B[cd])\n(;W[fd]))\n(;GM[2])\n";
    let sgf = sgf::parse(text).unwrap();
    assert_eq!(sgf.black.name, "Human ] player");
    assert_eq!(sgf.record, moves("f5 d6 c3 d3 c4"));
    assert_eq!(read(text), sgf.record);
    assert!(sgf_text(&sgf).contains("RE[B+2]"));
    let comment_first = sgf::parse("(;GM[2];C[good]B[fe];W[df])").unwrap();
    assert_eq!(comment_first.turn_comments, [(1, "good".to_owned())]);
    // Set-ups: whole boards, rectangles, the side to move given or taken from the first move.
    let setup = "(;FF[4]GM[2]SZ[8]AB[ed][de]AW[dd][ee]PL[W];W[ec])";
    assert_eq!(read(setup).start(), &Position::START.pass());
    for empty in ["dd:ee", "ee:dd", "ed:de"] {
        let setup = format!("(;GM[2]AE[{empty}]AB[dd:de]AW[ed:ee];W[cd])");
        assert_eq!(read(&setup).start().mover(), Color::White, "{setup}");
    }
    assert_eq!(read("(;GM[2];B[f5]PL[B];)").position().mover(), Color::Black);
    let failure = error("(;GM[2];B[fe]\n;W[zz])");
    assert_eq!((failure.line, failure.column), (2, 4));
    assert_eq!(
        error("(;GM[2];B[aa])").problem,
        Problem::Illegal(IllegalMove::TurnsNothing(square("a1"), Color::Black))
    );
    // Nobody has won by nothing.
    for result in ["W+0", "B+-0", "W+0.0"] {
        let game = sgf::parse(&format!("(;GM[2]RE[{result}];B[fe])")).unwrap();
        assert!(write(&game, Format::Ggf).unwrap().text.contains("RE[+0.000]"), "{result}");
    }
}

#[test]
fn obf_segments_of_every_kind_are_read() {
    let start = Position::START.to_string();
    let entry = ObfEntry::parse(&format!("{start}; f5:+2; D3 : -4;; --:+6 ; +4; % why not")).unwrap();
    assert_eq!(entry.moves, [(Move::Place(square("f5")), 2), (Move::Place(square("d3")), -4)]);
    assert_eq!((entry.score, entry.comment.as_deref()), (Some(4), Some("why not")));
    assert_eq!(entry.unread, ["--:+6"]);
    let unknown = ObfEntry::parse(&format!("{start}; f5:+2; --:-127; d3:?; c4: ; e6:+127")).unwrap();
    assert_eq!((unknown.moves.len(), unknown.unread.join(" ")), (1, "--:-127 d3:? c4:  e6:+127".to_owned()));
    assert_eq!(ObfEntry::parse(&start.replace(' ', "")).unwrap().position, Position::START);
    assert_eq!(ObfEntry::parse(&format!("{start}; f5:+65;")).unwrap_err().column, 72);
    for bad in ["; a1:+2;", "; f5:two;", "; f5", "; PS:+2;", " nonsense", "; f5:+2 d3:+4"] {
        assert!(ObfEntry::parse(&format!("{start}{bad}")).is_err(), "{bad}");
    }
}

#[test]
fn obf_infers_the_side_to_move_as_other_boards_do() {
    // Either side has a move in the first two, and only White in the last.
    for game in ["f5d6", "f5", "f5f6d3g5h5h4f7h6"] {
        let position = read(game).position().to_string();
        let squares = &position[..64];
        for line in [squares.to_owned(), format!("{squares};"), format!("{squares} ; +4; % a comment")] {
            assert_eq!(&ObfEntry::parse(&line).unwrap().position, read(squares).position(), "{line}");
        }
    }
    let squares = &Position::START.to_string()[..64];
    for (line, column, expected) in [
        (format!("{} X; f5:+2;", &squares[..63]), 65, "the last of 64 squares"),
        (format!("{}; f5:+2;", &squares[..63]), 64, "a square"),
        (format!("{squares}-; f5:+2;"), 65, "the side to move"),
        (format!("{squares} ?; f5:+2;"), 66, "the side to move"),
    ] {
        let error = ObfEntry::parse(&line).unwrap_err();
        assert!((error.line, error.column) == (1, column) && error.to_string().contains(expected), "{line}: {error}");
    }
}
