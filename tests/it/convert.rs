//! `emilia convert` and `emilia positions`: nothing is lost on the way from one format to another without being told.

use crate::games::{game_from_anywhere, shared_path};
use crate::serve::{emilia, run, said};
use emilia::notation::game_file::{
    AnnotatedGame, Datum, Format, GameFile, Loss, PlayerInfo, Theory, Unwritable, WthorWriter, write,
};
use emilia::notation::ggf::{Ending, GgfClock, GgfResult, Timing};
use emilia::notation::obf::ObfEntry;
use emilia::othello::{GameRecord, Move, Position, canonical};
use proptest::prelude::*;
use std::collections::HashSet;
use std::io::Cursor;
use std::time::Duration;
use strum::VariantArray;

// ---- Round trips --------------------------------------------------------------------------------------------------

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z0-9_.:]{0,12}",
        1 => "[ -~\u{e9}\u{3b1}]{0,30}",
        1 => "[]{}()\\[\\\\\"; \n%-]{0,8}",
    ]
}

fn player() -> impl Strategy<Value = PlayerInfo> {
    let rating = prop::option::of((0u32..300_000).prop_map(|n| f64::from(n) / 100.0));
    let time = || prop_oneof![Just(0u64), 0..10_000_000u64, (0..10_000u64).prop_map(|s| s * 1_000_000)];
    let clock = (time(), time(), prop_oneof![3 => Just(120_000_000), 1 => time()]).prop_map(|times| {
        let [main, increment, grace] = <[u64; 3]>::from(times).map(Duration::from_micros);
        GgfClock { main, increment, grace }
    });
    (text(), rating, prop::option::of(clock)).prop_map(|(name, rating, clock)| PlayerInfo { name, rating, clock })
}

pub fn timing() -> impl Strategy<Value = Timing> {
    let eval = prop_oneof![
        Just(None),
        (-64..=64).prop_map(|n| Some(f64::from(n))),
        (-6400..=6400).prop_map(|n| Some(f64::from(n) / 100.0))
    ];
    (eval, prop::option::of((0u32..10_000_000).prop_map(|n| f64::from(n) / 1000.0)))
        .prop_map(|(eval, seconds)| Timing { eval, seconds })
}

fn result() -> impl Strategy<Value = Option<GgfResult>> {
    let endings = [None, None, Some(Ending::Resigned), Some(Ending::Timeout), Some(Ending::Agreed), Some(Ending::Left)];
    let score = prop_oneof![
        (-32..=32).prop_map(|n| f64::from(2 * n)),
        Just(64.0),
        Just(-64.0),
        (-640..=640).prop_map(|n| f64::from(n) / 10.0),
        (-64_000..=64_000).prop_map(|n| f64::from(n) / 1000.0)
    ];
    prop::option::of(
        (score, prop::sample::select(endings.to_vec())).prop_map(|(score, ending)| GgfResult { score, ending }),
    )
}

pub fn annotated() -> impl Strategy<Value = AnnotatedGame> {
    let record = prop_oneof![4 => crate::games::game(), 2 => game_from_anywhere(), 1 => crate::games::position().prop_map(GameRecord::from_position)];
    let sides = (
        player(),
        player(),
        text(),
        prop_oneof![text(), Just("2014.10.19 07:31:22".to_owned()), Just("2024".to_owned())],
    );
    let theory =
        prop::option::of((1u8..30, -32..=32).prop_map(|(empties, half)| Theory { empties, black_score: 2 * half }));
    let said = (
        result(),
        theory,
        prop_oneof![Just(Vec::new()), prop::collection::vec(timing(), 130)],
        prop::collection::vec(text(), 0..3),
        prop::collection::vec((1usize..130, text()), 0..3),
        prop::collection::vec(("(KM|KB|EV|Event|X_1|ZZ|TY|RE|Time|B|GM)", text()), 0..3),
        prop::collection::vec(-64..=64, 0..6),
        prop::option::of(-64..=64),
    );
    (record, sides, said).prop_map(|(record, (black, white, place, date), said)| {
        let (result, theory, mut timing, comments, turn_comments, other, values, score) = said;
        let turns = record.turns().len();
        timing.resize(turns, Timing::default());
        let start = *record.start();
        let moves: Vec<Move> = match start.must_pass() {
            true => vec![Move::Pass],
            false => start.moves().into_iter().map(Move::Place).collect(),
        };
        let mut comments: Vec<String> = comments;
        comments.retain(|text| !text.is_empty());
        let mut turn_comments: Vec<(usize, String)> =
            turn_comments.into_iter().filter(|(turn, text)| *turn <= turns && !text.is_empty()).collect();
        turn_comments.sort();
        AnnotatedGame {
            black,
            white,
            place,
            date,
            result,
            theory,
            timing,
            comments,
            turn_comments,
            scores: if turns == 0 { moves.into_iter().zip(values).collect() } else { Vec::new() },
            score: score.filter(|_| turns == 0),
            other,
            ..AnnotatedGame::new(record)
        }
    })
}

/// A game written and read again, with what was told to be lost.
fn there_and_back(game: &AnnotatedGame, format: Format) -> Result<(Vec<AnnotatedGame>, Vec<Loss>), Unwritable> {
    let read = |bytes: Vec<u8>| GameFile::new("written", Cursor::new(bytes)).unwrap();
    let (file, losses) = if format == Format::Wthor {
        let mut writer = WthorWriter::new();
        let losses = writer.add(game)?;
        let files = writer.finish();
        let folder = tempfile::tempdir().unwrap();
        let [players, tournaments] = [("jou", files.players), ("trn", files.tournaments)].map(|(name, bytes)| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        });
        let games = read(files.games).with_name_files(Some(&players), Some(&tournaments)).unwrap();
        (games, [losses, files.losses].concat())
    } else {
        let written = write(game, format)?;
        (read(written.text.into_bytes()), written.losses)
    };
    let games = file.map(|item| item.unwrap_or_else(|error| panic!("{format}: {error}\n{:?}", write(game, format))));
    Ok((games.map(|found| found.game).collect(), losses))
}

/// The turns without passes behind the last disc.
fn discs(record: &GameRecord) -> &[Move] {
    let last = record.turns().iter().rposition(|turn| *turn != Move::Pass).map_or(0, |last| last + 1);
    &record.turns()[..last]
}

/// What differs between two games.
fn differences(a: &AnnotatedGame, b: &AnnotatedGame) -> Vec<Datum> {
    let names = |game: &AnnotatedGame| [game.black.name.clone(), game.white.name.clone()];
    let ratings = |game: &AnnotatedGame| [game.black.rating, game.white.rating];
    let clocks = |game: &AnnotatedGame| [game.black.clock, game.white.clock];
    let evals =
        |game: &AnnotatedGame| game.timing[..discs(&game.record).len()].iter().map(|t| t.eval).collect::<Vec<_>>();
    let times =
        |game: &AnnotatedGame| game.timing[..discs(&game.record).len()].iter().map(|t| t.seconds).collect::<Vec<_>>();
    // Several comments in one place may become one.
    let turn_comments = |game: &AnnotatedGame| {
        game.turn_comments.iter().fold(Vec::new(), |mut all: Vec<(usize, String)>, (turn, text)| {
            match all.last_mut() {
                Some((last, joined)) if last == turn => *joined += &format!("\n\n{text}"),
                _ => all.push((*turn, text.clone())),
            }
            all
        })
    };
    // So may those of the whole game. An empty one is none.
    let written =
        |game: &AnnotatedGame| game.comments.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>();
    let joined = [written(a).join("\n\n"), a.comments.join("\n\n"), written(a).join(" / "), a.comments.join(" / ")];
    let comments = written(b);
    let same_comments = comments == written(a) || joined.iter().any(|text| comments == [text.as_str()]);
    // What the board says may be said, and a game on the board that is over may be left unsaid.
    let result = a.result.is_some() && a.score_for_black() != b.score_for_black();
    let found = [
        (Datum::Players, names(a) != names(b)),
        (Datum::Ratings, ratings(a) != ratings(b)),
        (Datum::Clocks, clocks(a) != clocks(b)),
        (Datum::Place, a.place != b.place),
        (Datum::Date, a.date != b.date),
        (Datum::Result, result),
        (Datum::Ending, a.ending() != b.ending()),
        (Datum::Theory, a.theory != b.theory),
        (Datum::Evaluations, evals(a) != evals(b)),
        (Datum::Times, times(a) != times(b)),
        (Datum::Comments, !same_comments),
        (Datum::TurnComments, turn_comments(a) != turn_comments(b)),
        (Datum::MoveValues, (&a.scores, a.score) != (&b.scores, b.score)),
        (Datum::Passes, a.record.turns().len() != b.record.turns().len()),
        (Datum::Other, a.other.iter().any(|property| !b.other.contains(property))),
    ];
    found.into_iter().filter(|(_, differs)| *differs).map(|(datum, _)| datum).collect()
}

/// Checks that a format keeps a game but for what it tells to lose, and gives back what it has kept.
fn check(game: &AnnotatedGame, format: Format) -> Option<AnnotatedGame> {
    let (mut games, losses) = match there_and_back(game, format) {
        Ok(back) => back,
        Err(Unwritable::Start(_)) => {
            assert!(*game.record.start() != Position::START);
            return None;
        }
        Err(Unwritable::NoMoves(_)) => {
            assert!(game.record.turns().is_empty());
            return None;
        }
        Err(Unwritable::Result(_)) => {
            assert!(game.score_for_black().is_none_or(|score| score % 2.0 != 0.0), "{game:?}");
            return None;
        }
        Err(error) => panic!("{format}: {error}"),
    };
    let told: HashSet<Datum> = losses.iter().map(|loss| loss.datum).collect();
    if format == Format::Obf && !game.is_position() {
        assert!(told.contains(&Datum::Turns));
        let placed = game.record.positions().iter().zip(game.record.turns()).filter(|(_, turn)| **turn != Move::Pass);
        let positions: Vec<Position> = placed.map(|(position, _)| *position).collect();
        assert_eq!(games.iter().map(|game| *game.record.start()).collect::<Vec<_>>(), positions);
        return None;
    }
    assert_eq!(games.len(), 1, "{format}: {game:?}");
    let back = games.remove(0);
    assert_eq!((back.record.start(), discs(&back.record)), (game.record.start(), discs(&game.record)), "{format}");
    for datum in differences(game, &back) {
        let is_text = matches!(
            datum,
            Datum::Players | Datum::Place | Datum::Date | Datum::Comments | Datum::TurnComments | Datum::Other
        );
        let is_told = told.contains(&datum) || is_text && told.contains(&Datum::Characters);
        assert!(is_told, "{format} loses {datum} and says only {losses:?}\n{game:?}\n{back:?}");
    }
    // What is called lost was there.
    for loss in &losses {
        assert!(loss.datum == Datum::Characters || !loss.detail.is_empty(), "{loss:?}");
    }
    Some(back)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every format alone, and every pair of them.
    #[test]
    fn nothing_is_lost_silently(game in annotated()) {
        for &first in Format::VARIANTS {
            let Some(kept) = check(&game, first) else { continue };
            for &second in Format::VARIANTS {
                check(&kept, second);
            }
        }
    }
}

#[test]
fn words_that_a_reader_of_sgf_would_take_for_a_result_are_told() {
    for words in ["0", " 0 ", "Draw", "jigo", "B+12", "W+R", "White + Time", "B+0", "?", ""] {
        let other = vec![("RE".to_owned(), words.to_owned())];
        let game = AnnotatedGame { other, ..AnnotatedGame::new(GameRecord::default()) };
        check(&game, Format::Sgf);
        assert!(!write(&game, Format::Sgf).unwrap().losses.is_empty(), "{words:?}");
    }
    for words in ["Void", "B+", "B+65", "00", "X+2", "adjourned"] {
        let other = vec![("RE".to_owned(), words.to_owned())];
        let game = AnnotatedGame { other, ..AnnotatedGame::new(GameRecord::default()) };
        assert_eq!(there_and_back(&game, Format::Sgf), Ok((vec![game], Vec::new())));
    }
}

#[test]
fn no_game_begins_in_a_comment() {
    let comments = vec!["sent: set game (;GM[Othello]PC[NBoard]TY[8];)\n(;FF[4]GM[2])".to_owned()];
    let game = AnnotatedGame { comments, ..AnnotatedGame::new(emilia::notation::transcript::parse("f5d6").unwrap()) };
    assert_eq!(there_and_back(&game, Format::Sgf), Ok((vec![game.clone()], Vec::new())));
    check(&game, Format::Ggf);
}

#[test]
fn types_that_a_reader_of_ggf_would_not_find_are_told() {
    for types in [vec!["8"], vec!["8 "], vec!["8]"], vec!["8r]"], vec!["s8r20", "8"], vec!["8r4", "s8"], vec![""]] {
        let other = types.iter().map(|value| ("TY".to_owned(), value.to_string())).collect();
        let game = AnnotatedGame { other, ..AnnotatedGame::new(GameRecord::default()) };
        check(&game, Format::Ggf);
        assert!(!write(&game, Format::Ggf).unwrap().losses.is_empty(), "{types:?}");
    }
    let other = vec![("TY".to_owned(), "s8r20".to_owned())];
    let game = AnnotatedGame { other, ..AnnotatedGame::new(GameRecord::default()) };
    assert_eq!(there_and_back(&game, Format::Ggf), Ok((vec![game], Vec::new())));
}

#[test]
fn what_a_reader_passes_over_is_told() {
    for (text, lost) in [
        ("(;GM[2]SZ[8];B[dc]BL[30](;W[cc])(;W[ce](;B[fe])(;B[ff])))", vec!["BL[30]", "2 variations"]),
        ("(;GM[Othello]RE[soon]TI[x]B[f5/good/fast];)", vec!["RE[soon]", "TI[x]", "B[f5/good/fast]"]),
        ("(;GM[Othello]RE[+1e9]B[f5];)", vec!["RE[+1e9]"]),
        ("[Result \"1-0\"]\n\n1. f5 $1 (1. d3) 37-27", vec!["a glyph", "1 variation", "Result 1-0"]),
        (
            "[Black \"ada\"]\n[Black \"eve\"]\n[Date \"2024\"]\n[Date \"2025\"]\n\n1. f5 *",
            vec!["Black eve", "Date 2025"],
        ),
        ("(;GM[2]SZ[8]BR[1]PC[a]BR[2]PC[b];B[dc])", vec!["BR[2]", "PC[b]"]),
    ] {
        let game = GameFile::new("text", Cursor::new(text)).unwrap().next().unwrap().unwrap().game;
        for format in [Format::Ggf, Format::Sgf, Format::Pgn, Format::Transcript, Format::Obf] {
            let losses = write(&game, format).unwrap().losses;
            let unread: Vec<&str> =
                losses.iter().filter(|loss| loss.datum == Datum::Unread).map(|loss| loss.detail.as_str()).collect();
            assert_eq!(unread, lost, "{format}");
        }
    }
}

// ---- The command --------------------------------------------------------------------------------------------------

/// The name of a file in a folder.
pub fn file(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

pub const GGF: &str = "(;GM[Othello]PC[GGS/os]DT[2003]PB[ada]PW[bob]RE[+2.000]TI[5:00]TY[8]B[f5/1.5/0.1]W[d6//2];)\n";

#[test]
fn a_warning_has_no_control_characters_of_a_file() {
    let (_, _, stderr) = said(&["convert", "--to", "transcript"], GGF.replace("ada", "\u{1b}[31mred"));
    assert!(stderr.contains("[31mred") && !stderr.contains('\u{1b}'), "{stderr:?}");
}

#[test]
fn losses_are_told_once_with_the_first_game() {
    let input = GGF.repeat(3);
    let (code, stdout, stderr) = said(&["convert", "--to", "transcript"], &input);
    assert_eq!((code, stdout.as_str()), (0, "f5d6\nf5d6\nf5d6\n"));
    let place = "standard input: line 1: game 1";
    for line in [
        format!("emilia: warning: transcript cannot hold names of players: 3 games, first {place}: ada, bob\n"),
        format!("emilia: warning: transcript cannot hold times of moves: 3 games, first {place}: of 2 moves\n"),
        format!("emilia: warning: transcript cannot hold the result: 3 games, first {place}: +2\n"),
    ] {
        assert!(stderr.contains(&line), "{stderr}");
    }
    assert_eq!(stderr.lines().count(), 7, "{stderr}");
    let (code, stdout, stderr) = said(&["convert", "--to", "ggf", "--strict"], &input);
    assert_eq!((code, stdout.lines().count(), stderr.as_str()), (0, 3, ""));
}

#[test]
fn numbers_that_ggf_cannot_hold_are_told() {
    let (code, _, stderr) = said(&["convert", "--to", "ggf"], "(;GM[2]BR[1e12];B[fe]V[1e10];W[df]V[0.1234567])");
    assert!(code == 0 && stderr.contains("ggf cannot hold ratings: 1 game"), "{stderr}");
    assert!(stderr.contains("values of moves") && stderr.contains("digits of 10000000000\n"), "{stderr}");
}

#[test]
fn the_games_of_a_player_and_by_number_are_chosen() {
    let games: String = [("Ada", "f5d6"), ("Eve", "f5f6"), ("Ada", "f5f4"), ("Eve", "e6f4")]
        .map(|(name, moves)| format!("[Black \"{name} B.\"]\n[White \"bob\"]\n\n{moves}\n\n"))
        .concat();
    for (choice, expected) in [
        (&["--player", "ADA"][..], "f5d6\nf5f4\n"),
        (&["--player", "bob"], "f5d6\nf5f6\nf5f4\ne6f4\n"),
        (&["--game", "2"], "f5f6\n"),
        (&["--game", "4,1-2"], "f5d6\nf5f6\ne6f4\n"),
        (&["--player", "eve", "--game", "3-4"], "e6f4\n"),
    ] {
        let (code, stdout, _) = said(&[&["convert", "--to", "transcript"], choice].concat(), &games);
        assert_eq!((code, stdout.as_str()), (0, expected), "{choice:?}");
        let judged = said(&[&["analyze", "-", "--json", "--depth", "1", "--threads", "1"], choice].concat(), &games);
        assert_eq!(judged.1.lines().count(), expected.lines().count(), "{choice:?}: {}", judged.2);
    }
    assert_eq!(said(&["positions", "--game", "2", "--empties", "58"], &games).1.lines().count(), 1);
    let none = "there is no game of a player 'Zoe' with such a number (--game)\n";
    for command in [&["convert", "--to", "transcript"][..], &["positions"], &["analyze", "-"]] {
        let (code, _, stderr) = said(&[command, &["--player", "Zoe", "--game", "1"]].concat(), &games);
        assert!(code == 1 && stderr.ends_with(none), "{command:?}: {code} {stderr}");
    }
    for wrong in ["0", "3-2", "x"] {
        assert_eq!(said(&["convert", "--to", "ggf", "--game", wrong], &games).0, 2);
    }
    assert_eq!(said(&["analyze", "-", "--game", "1", "--shard", "0/2"], &games).0, 2);
}

#[test]
fn openings_are_told_by_name() {
    let games = "f5d6c3d3c4 34-30\nc4e3f6e6f5 30-34\nf5f6 32-32\n";
    let (code, stdout, stderr) = said(&["positions", "--openings"], games);
    assert_eq!((code, stderr.as_str(), stdout.lines().count()), (0, "", 3), "{stdout}");
    let row = stdout.lines().nth(1).unwrap();
    assert!(row.starts_with("       2   50.0 %") && row.ends_with("f5d6c3d3c4"), "{stdout}");
    assert_eq!(said(&["positions", "--openings", "--least", "2"], games).1.lines().count(), 2);
    assert_eq!(said(&["positions", "--openings", "--count"], games).0, 2);
}

#[test]
fn names_that_are_missing_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = file(&folder, "games.wtb");
    assert_eq!(said(&["convert", "--out", &out], GGF.repeat(2)).0, 0);
    let [players, beside, wrong] = ["players", "games.jou", "games.trn"].map(|name| file(&folder, name));
    std::fs::rename(&beside, &players).unwrap();
    let (code, _, stderr) = said(&["convert", "--to", "ggf", "--players", &wrong, &out], "");
    assert!(code == 1 && stderr.starts_with(&format!("emilia: {wrong}: 68 bytes; expected 56 for")), "{stderr}");
    for command in [&["convert", "--to", "ggf"][..], &["show"], &["positions"], &["analyze", "--depth", "1"]] {
        let (code, _, stderr) = said(&[command, &[&out]].concat(), "");
        let warning = "games.wtb: the names of its players (.jou) and tournaments (.trn) are not beside it";
        assert!(code == 0 && stderr.matches(warning).count() == 1, "{command:?}: {stderr}");
    }
    // A file that cannot be read is told too, and another one may be named. Other formats need none.
    std::fs::copy(&wrong, &beside).unwrap();
    let (code, _, stderr) = said(&["convert", "--to", "ggf", &out], "");
    let told = format!("emilia: warning: {out}: {beside}: 68 bytes; expected 56 for");
    assert!(code == 0 && stderr.starts_with(&told), "{stderr}");
    let (code, stdout, stderr) = said(&["convert", "--to", "ggf", "--players", &players, &out], "");
    assert!((code, stderr.as_str()) == (0, "") && stdout.contains("PB[ada]"), "{stdout}{stderr}");
    let (code, stdout, _) = said(&["convert", "--to", "transcript", "--players", &wrong], "f5d6\n");
    assert_eq!((code, stdout.as_str()), (0, "f5d6\n"));
}

#[test]
fn what_has_no_game_is_told_alike() {
    let folder = tempfile::tempdir().unwrap();
    let [empty, binary] = ["empty.txt", "program"].map(|name| file(&folder, name));
    std::fs::write(&empty, "# nothing\n").unwrap();
    std::fs::write(&binary, b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0".repeat(100)).unwrap();
    for (path, told) in [(&empty, "no game or position\n"), (&binary, "in no known format (known: ggf")] {
        for (command, code) in [
            (&["convert", "--to", "ggf"][..], 1),
            (&["positions"], 1),
            (&["analyze"], 1),
            (&["show"], 1),
            (&["solve"], 2),
        ] {
            let (found, stdout, stderr) = said(&[command, &[path]].concat(), "");
            assert_eq!((found, stdout.as_str()), (code, ""), "{command:?}: {stderr}");
            assert!(stderr.starts_with(&format!("emilia: {path}: {told}")), "{command:?}: {stderr}");
        }
    }
}

#[test]
fn transcripts_are_read_as_people_paste_them() {
    let games =
        "# wide letters, and a mark without width\r\u{ff26}\u{ff15}\u{ff24}\u{ff16}\r\"f5f6\"\r\u{200b}f5\u{200b}f4\r";
    let (code, stdout, stderr) = said(&["convert", "--to", "transcript"], games);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "f5d6\nf5f6\nf5f4\n", ""));
    // The result too.
    let (code, stdout, _) = said(&["convert", "--to", "logbook"], "\"f5\u{2013}d6 37\u{2013}27\"");
    assert_eq!((code, stdout.as_str()), (0, "+f5-d6: +10 10\n"));
    for (format, text, expected) in [
        ("logbook", "\u{200b}\"+f5\u{2013}d6: \u{2212}02 10\"".to_owned(), "+f5-d6: -02 10\n".to_owned()),
        (
            "obf",
            format!("\u{201c}{}; f5:\u{2212}2;\u{201d} % \"a\u{2013}b\"", Position::START),
            format!("{}; F5:-2; % \"a\u{2013}b\"\n", Position::START),
        ),
    ] {
        assert_eq!(said(&["convert", "--to", format], &text), (0, expected, String::new()), "{text}");
    }
    let (_, _, stderr) = said(&["convert", "--to", "transcript"], "f5d6\r\u{ff26}\u{ff15}\u{ff21}\u{ff11}\rf5\r\n");
    assert!(stderr.starts_with("emilia: standard input: line 2, column 3: game 2, move 2: a1"), "{stderr}");
}

#[test]
fn strict_leaves_nothing_where_something_would_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let out = file(&folder, "games.txt");
    let (code, stdout, stderr) = said(&["convert", "--strict", "--out", &out], GGF);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(stderr, "emilia: standard input: line 1: game 1: transcript cannot hold names of players (ada, bob)\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // Nothing of the first game either, with the loss in the second one.
    let games = "(;GM[2]PB[ada];B[fe])\n(;GM[2]PB[eve]BL[30];B[fe];W[df]BL[20])\n";
    let (code, stdout, stderr) = said(&["convert", "--to", "ggf", "--strict"], games);
    assert!(code == 1 && stdout.is_empty() && stderr.contains("game 2: ggf cannot hold "), "{stdout}{stderr}");
}

#[test]
fn a_game_that_cannot_be_converted_does_not_stop_the_others() {
    let input = "f5d6\nf5f5\nf5f6 30-34\n";
    let (code, stdout, stderr) = said(&["convert", "--to", "logbook"], input);
    assert_eq!((code, stdout.as_str()), (1, "+f5-f6: -04 10\n"));
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "emilia: standard input: line 1: game 1: logbook needs a result in whole discs, and this game is not over and has none",
            "emilia: standard input: line 2, column 3: game 2, move 2: f5 is occupied",
            "emilia: 2 games could not be converted"
        ]
    );
    let (code, _, stderr) = said(&["convert", "no/such/file", "--to", "ggf"], "");
    assert!(code == 1 && stderr.starts_with("emilia: no/such/file: not found"), "{stderr}");
    let (code, _, stderr) = said(&["convert", "--out", "games"], "f5");
    assert!(code == 2 && stderr.contains("--to"), "{stderr}");
    let (code, _, stderr) = said(&["convert", "--to", "gff"], "f5");
    assert!(code == 2 && stderr.contains("ggf"), "{stderr}");
}

#[test]
fn wthor_is_written_with_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let out = file(&folder, "games.wtb");
    let (code, _, stderr) = said(&["convert", "--out", &out], GGF);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("wthor cannot hold clocks") && !stderr.contains("names"), "{stderr}");
    let (code, stdout, stderr) = said(&["convert", &out, "--to", "pgn"], "");
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        stdout,
        "[Site \"GGS/os\"]\n[Date \"2003\"]\n[Black \"ada\"]\n[White \"bob\"]\n[Result \"33-31\"]\n\n1. f5 d6 33-31\n\n"
    );
    let output = run(emilia(&["convert", "--to", "wthor"]), GGF);
    assert_eq!(output.stdout, std::fs::read(&out).unwrap());
    assert!(String::from_utf8_lossy(&output.stderr).contains("names of players"));
    // The games would be written over the names.
    for name in ["games.jou", "other.TRN"] {
        let out = file(&folder, name);
        let before = std::fs::read(&out).ok();
        let (code, _, stderr) = said(&["convert", "--to", "wthor", "--out", &out], GGF);
        assert!(code == 2 && stderr.contains("such as .wtb"), "{stderr}");
        assert_eq!(std::fs::read(&out).ok(), before, "{name}");
    }
}

#[test]
fn the_games_of_others_go_through_every_format() {
    let Some(ggf) = shared_path("games/ggs-sample.ggf") else { return };
    let Some(wthor) = shared_path("games/WTH_2024.wtb") else { return };
    for (path, formats) in [(ggf, Format::VARIANTS), (wthor, &[Format::Ggf, Format::Wthor][..])] {
        for found in GameFile::open(&path).unwrap().take(200) {
            let game = found.unwrap().game;
            for &format in formats {
                check(&game, format);
            }
        }
    }
}

#[test]
fn positions_are_listed_once() {
    // The four first moves are one position; the last answer is one of the three before it, turned.
    let games = "f5d6\nf5f4\ne6f6\nd3c5 37-27\n";
    let (code, stdout, stderr) = said(&["positions"], games);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let positions: Vec<Position> = stdout.lines().map(|line| ObfEntry::parse(line).unwrap().position).collect();
    let images: HashSet<_> = positions.iter().map(|position| canonical(position).0).collect();
    assert_eq!((positions.len(), images.len()), (5, 5), "{stdout}");
    let (_, all, _) = said(&["positions", "--no-symmetry"], games);
    assert_eq!(all.lines().count(), 1 + 3 + 4);
    let (_, some, _) = said(&["positions", "--empties", "59-60"], games);
    assert_eq!(some.lines().count(), 2);
    let (_, counted, _) = said(&["positions", "--count", "--least", "2"], games);
    let comments: Vec<&str> = counted.lines().map(|line| line.split("% ").nth(1).unwrap()).collect();
    assert_eq!(comments[..2], ["4", "4"], "{counted}");
    let (code, _, stderr) = said(&["positions", "--empties", "20-10"], games);
    assert!(code == 2 && stderr.contains("from 0 to 60"), "{stderr}");
    // Values that are known stay.
    let line = format!("{}; F5:+0; % start", Position::START);
    assert_eq!(said(&["positions"], format!("{line}\n{line}\nf9\n")), (
        1,
        format!("{line}\n"),
        "emilia: standard input: line 3, column 1: game 3: expected a square (X or * black, O white, - or . empty), found 'f'\n\
         emilia: 1 game could not be read\n"
            .to_owned()
    ));
}

#[test]
fn one_year_is_kept_and_several_are_told() {
    let game = |date: &str| {
        let record = emilia::notation::transcript::parse("f5d6").unwrap();
        let result = Some(GgfResult::of_score(2));
        AnnotatedGame { date: date.to_owned(), result, ..AnnotatedGame::new(record) }
    };
    for (dates, kept, told) in [
        (&["2024", "2024"][..], "2024", 0),
        (&["", ""], "", 0),
        (&["2024", "2023"], "", 1),
        (&["", "2023"], "", 1),
        (&["2024-05-01", "2024"], "2024", 0),
    ] {
        let mut writer = WthorWriter::new();
        let lost: usize = dates.iter().map(|date| writer.add(&game(date)).unwrap().len()).sum();
        let files = writer.finish();
        assert_eq!((files.losses.len(), lost), (told, usize::from(dates[0].len() > 4)), "{dates:?}");
        let mut back = GameFile::new("file", Cursor::new(files.games)).unwrap();
        assert_eq!(back.next().unwrap().unwrap().game.date, kept);
    }
}

#[test]
fn nobody_has_number_0_in_the_files_of_wthor_but_who_has_no_name() {
    let record = emilia::notation::transcript::parse("f5d6").unwrap();
    let result = Some(GgfResult::of_score(2));
    let named = |name: &str| PlayerInfo { name: name.to_owned(), ..PlayerInfo::default() };
    let mut writer = WthorWriter::new();
    let (black, white) = (named("Ada"), named(""));
    writer.add(&AnnotatedGame { black, white, result, ..AnnotatedGame::new(record) }).unwrap();
    let files = writer.finish();
    assert_eq!(files.players.len(), 16 + 2 * 20);
    let mut games = GameFile::new("file", Cursor::new(files.games)).unwrap();
    let game = games.next().unwrap().unwrap().game;
    assert_eq!((game.black.name.as_str(), game.white.name.as_str(), game.place.as_str()), ("player 1", "", ""));
}
