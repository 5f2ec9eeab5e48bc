//! Files of games: what is in them, what is damaged in them, and what packs them.

use crate::counting_allocator::peak_bytes_while;
use crate::games::random_game;
use emilia::notation::game_file::{FileGame, Format, GameFile, GameFileError, WthorWriter, write};
use emilia::notation::ggf::GgfResult;
use emilia::othello::{Move, Position};
use std::io::{self, Read, Write};

/// The games and errors of some bytes.
fn read(bytes: impl AsRef<[u8]>) -> Vec<Result<FileGame, GameFileError>> {
    let bytes = bytes.as_ref().to_vec();
    let whole: Vec<_> = GameFile::new("file", io::Cursor::new(bytes.clone())).expect("the format").collect();
    let in_bits: Vec<_> = GameFile::new("file", Trickle { bytes, at: 0 }).expect("the format").collect();
    assert_eq!(in_bits.len(), whole.len(), "bit by bit");
    for pair in whole.iter().zip(&in_bits) {
        match pair {
            (Ok(a), Ok(b)) => assert_eq!(a, b),
            (a, b) => assert_eq!(a.as_ref().unwrap_err().to_string(), b.as_ref().unwrap_err().to_string()),
        }
    }
    whole
}

/// Gives a few bytes at a time, as a slow pipe does.
struct Trickle {
    bytes: Vec<u8>,
    at: usize,
}

impl Read for Trickle {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = (self.bytes.len() - self.at).min(out.len()).min(1 + self.at % 7);
        out[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn error(item: &Result<FileGame, GameFileError>) -> String {
    item.as_ref().map(|game| panic!("{game:?} is read")).unwrap_or_else(GameFileError::to_string)
}

/// The first 36 moves of a game without passes so far.
fn moves() -> Vec<String> {
    let turns = (0..).map(|seed| random_game(seed).turns()[..36].to_vec()).find(|turns| !turns.contains(&Move::Pass));
    turns.unwrap().iter().map(Move::to_string).collect()
}

#[test]
fn an_illegal_move_is_told_with_its_number_and_the_next_game_is_served() {
    let moves = moves();
    let color = |i: usize| if i.is_multiple_of(2) { 'B' } else { 'W' };
    let played: String = moves.iter().enumerate().map(|(i, name)| format!("{}[{name}]", color(i))).collect();
    let bad = format!("(;GM[Othello]PB[ada]{played}B[d4//2.5];)");
    let file = format!("(;GM[Othello]B[f5];)\n{bad}\n(;GM[Othello]B[e6];)\n");
    let games = read(&file);
    let column = bad.find("d4/").unwrap() + 1;
    assert_eq!(error(&games[1]), format!("file: line 2, column {column}: game 2, move 37: d4 is occupied"));
    let next = games[2].as_ref().unwrap();
    assert_eq!((next.place.number, next.place.line, games.len()), (3, Some(3), 3));
    // The same in the other formats.
    let names = moves.join(" ");
    let sgf: String = moves.iter().enumerate().map(|(i, name)| format!(";{}[{name}]", color(i))).collect();
    let logbook: String =
        moves.iter().enumerate().map(|(i, name)| format!("{}{name}", if i % 2 == 0 { '+' } else { '-' })).collect();
    for (good, bad) in [
        ("(;GM[2];B[f5])".to_owned(), format!("(;GM[2]{sgf};B[d4])")),
        ("[Black \"a\"]\n\nf5 d6".to_owned(), format!("[Black \"b\"]\n\n{names} d4")),
        ("f5d6".to_owned(), format!("{names} d4")),
        ("+f5-d6: +02 10".to_owned(), format!("{logbook}+d4: -64 10")),
    ] {
        let games = read(format!("{good}\n\n{bad}\n\n{good}\n"));
        assert!(error(&games[1]).contains(": game 2, move 37: d4 is occupied"), "{}", error(&games[1]));
        assert!(games.len() == 3 && games[2].is_ok(), "{games:?}");
    }
}

#[test]
fn a_truncated_file_of_wthor_gives_the_games_that_are_whole() {
    let mut writer = WthorWriter::new();
    for text in ["f5d6c3 37-27", "f5f6 30-34", "e6f4 32-32"] {
        writer.add(&read(text)[0].as_ref().unwrap().game).unwrap();
    }
    let mut bytes = writer.finish().games;
    assert_eq!(read(&bytes).iter().filter(|game| game.is_ok()).count(), 3);
    let cut = read(&bytes[..16 + 68 + 10]);
    assert_eq!(cut[0].as_ref().unwrap().game.record.turns().len(), 3);
    assert_eq!(error(&cut[1]), "file: game 2: byte 94: the file ends within this game; its header announces 3 games");
    assert_eq!(cut.len(), 2);
    bytes.push(1);
    assert_eq!(error(&read(&bytes)[3]), "file: game 4: byte 220: more bytes behind the last of 3 games");
    // The second move of the second game.
    bytes.pop();
    bytes[16 + 68 + 9] = 19;
    let broken = read(&bytes);
    assert_eq!(error(&broken[1]), "file: byte 84: game 2, move 2 is 19; expected 10 times the row plus the column");
    assert!(broken[2].is_ok());
    for end in 1..16 {
        let error =
            GameFile::new("file", io::Cursor::new(bytes[..end].to_vec())).and_then(|mut games| games.next().unwrap());
        assert!(error.is_err(), "{end}");
    }
}

#[test]
fn a_game_that_was_played_to_its_end_has_its_result() {
    let mut game = read("e6f4e3f6g5d6e7f5c5").remove(0).unwrap().game;
    game.result = None;
    assert!(write(&game, Format::Ggf).unwrap().text.contains("RE[+64.000]"));
    assert!(write(&game, Format::Sgf).unwrap().text.contains("RE[B+64]"));
    game.record.undo();
    assert!(
        write(&game, Format::Ggf).unwrap().text.contains("RE[?]")
            && !write(&game, Format::Sgf).unwrap().text.contains("RE[")
    );
}

#[test]
fn a_year_of_wthor_is_one() {
    for (date, year) in [
        ("1998", "1998"),
        ("2003.12.15_13:24:03.MST", "2003"),
        ("20200501", "2020"),
        ("20200501123000", "2020"),
        ("20201501", ""),
        ("879884561", ""),
        ("1231-1999", ""),
        ("", ""),
    ] {
        let mut writer = WthorWriter::new();
        let ggf = format!("(;GM[Othello]DT[{date}]PB[ada]PW[bob]RE[+4.000]TY[8]B[f5];)");
        let losses = writer.add(&read(&ggf)[0].as_ref().unwrap().game).unwrap();
        let is_lost = losses.iter().any(|loss| loss.to_string().starts_with("the date"));
        assert_eq!(
            (read(writer.finish().games)[0].as_ref().unwrap().game.date.as_str(), is_lost),
            (year, year != date),
            "{date}"
        );
    }
}

#[test]
fn names_that_wthor_cannot_tell_apart_are_told() {
    let mut writer = WthorWriter::new();
    let mut told = |black: &str| {
        let ggf = format!("(;GM[Othello]PB[{black}]PW[bob]RE[+4.000]TY[8]B[f5];)");
        let losses = writer.add(&read(ggf)[0].as_ref().unwrap().game).unwrap();
        losses.iter().find(|loss| loss.to_string().starts_with("how two names differ")).map(|loss| loss.detail.clone())
    };
    assert_eq!(told("Alexander Longname Junior One"), None);
    assert_eq!(told("Alexander Longname Junior One"), None);
    let both = r#""Alexander Longname Junior One" and "Alexander Longname Junior Two""#;
    assert_eq!(told("Alexander Longname Junior Two").as_deref(), Some(both));
}

#[test]
fn words_around_a_diagram_may_have_the_sign_of_comments() {
    let squares = format!("{:#}", Position::START).lines().take(9).collect::<Vec<_>>().join("\n");
    for (text, turns, comments) in [
        (format!("{squares}\n% from a book\nWhite to move\n"), 0, &["from a book"][..]),
        (format!("100% Joe (black) - bob (white)\n{squares}\nWhite to move\n"), 0, &[]),
        (format!("{squares}\n% one\nI am 100% sure: white to move\n % two\ne3\n"), 1, &["one\ntwo"]),
    ] {
        let [Ok(found)] = &read(&text)[..] else { panic!("{text}") };
        assert_eq!(found.game.record.start(), &Position::START.pass(), "{text}");
        assert_eq!(
            (found.game.record.turns().len(), &found.game.comments[..]),
            (turns, &comments.iter().map(|c| c.to_string()).collect::<Vec<_>>()[..]),
            "{text}"
        );
    }
}

#[test]
fn lines_of_many_kinds_stand_in_one_file() {
    let start = Position::START;
    let file = format!(
        "\u{feff}% comment\r\n{start}; F5:+0; % start\r\nf5d6\n{start} e6f4\n+d3-c3: -04 10\nno game\n8/8/8/3Pp3/3pP3/8/8/8 b\n1. f5 d6\n2. c3 37-27\nf5"
    );
    let games = read(&file);
    let formats: Vec<Option<Format>> = games.iter().map(|game| game.as_ref().ok().map(|game| game.format)).collect();
    let [obf, transcript, logbook] = [Format::Obf, Format::Transcript, Format::Logbook].map(Some);
    assert_eq!(formats, [obf, transcript, transcript, logbook, None, obf, transcript, transcript]);
    assert!(error(&games[4]).starts_with("file: line 6, column 1: game 5: expected a square"), "{}", error(&games[4]));
    let first = &games[0].as_ref().unwrap().game;
    assert_eq!((first.scores.len(), first.comments.as_slice()), (1, &["start".to_owned()][..]));
    assert_eq!(games[6].as_ref().unwrap().game.result.unwrap().score, 10.0);
    assert_eq!(games[7].as_ref().unwrap().place.line, Some(10));
}

#[test]
fn comments_stand_above_games_of_every_format() {
    let diagram = format!("{:#}", Position::START);
    for (game, format) in [
        ("(;GM[Othello]B[f5];)", Format::Ggf),
        ("(;GM[2];B[f5])", Format::Sgf),
        ("[Black \"ada\"]\n% set aside\n[White \"bob\"]\n\nf5", Format::Pgn),
        ("f5", Format::Transcript),
        ("+f5: -02 10", Format::Logbook),
        (&diagram, Format::Obf),
    ] {
        let games = read(format!("################\n# games of a Sunday\n% of May\n{game}\n"));
        let [Ok(found)] = &games[..] else { panic!("{games:?}") };
        assert_eq!((found.format, found.place.line), (format, Some(4)));
    }
    let pgn = read("[Black \"ada\"]\n\nf5 d6\n# the next one\n[Black \"eve\"]\n\nf5\n");
    let names: Vec<_> = pgn.into_iter().map(|game| game.unwrap().game.black.name).collect();
    assert_eq!(names, ["ada", "eve"]);
    let [Ok(found)] = &read("[Black \"ada\"]\n  # not so far left\n[White \"bob\"]\n\n1. f5 *\n")[..] else { panic!() };
    assert_eq!((found.game.white.name.as_str(), found.game.record.turns().len()), ("bob", 1));
}

#[test]
fn of_a_game_of_pgn_that_is_cut_off_the_whole_moves_are_read() {
    let cut = |end: &str| read(format!("[Black \"{{ada\"]\n\n1. f5 {{a}} d6 {end}"));
    let half_words = ["2", "37-", "1/2", "c", "-", "2. p", "; {to the end\n2. c", "2.c"];
    for end in half_words.into_iter().chain(["{a comment", "{a {second} {", "(1... f6 2. c3", "(1... f6 {a) b"]) {
        let games = cut(end);
        let [Ok(found)] = &games[..] else { panic!("{games:?}") };
        assert!(found.cut.is_some() && found.game.record.turns().len() == 2, "{end}");
    }
    for end in ["c9 ; {no comment", "c9 {a comment", "2. a1", "37-27 c3"] {
        assert!(matches!(cut(end)[..], [Err(_)]), "{end}");
    }
    for (end, left_out) in [
        ("37-27 c", "c"),
        ("37-27 {a comment", "{a comment"),
        ("37-27\nc4 was better", "c4 was better"),
        ("37-27\n2 d3 and more", "2 d3 and more"),
    ] {
        let games = cut(end);
        let [Ok(found)] = &games[..] else { panic!("{games:?}") };
        assert!(found.cut.is_none() && found.game.result == Some(GgfResult::of_score(10)), "{end}");
        assert_eq!(found.game.unread, [left_out]);
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn packed_files_are_read() {
    let text = "f5d6c3\nf5f6\n";
    let expected: Vec<FileGame> = read(text).into_iter().map(Result::unwrap).collect();
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let games = read(gzip(&wide)).into_iter().map(|game| game.unwrap().game);
    assert!(games.eq(expected.iter().map(|found| found.game.clone())));
    let gzip = gzip(text.as_bytes());
    let zstd = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    // A frame to be passed over, as the seekable format has.
    let skipped = [&[0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd].concat();
    for packed in [&gzip, &zstd, &skipped] {
        let games: Vec<FileGame> = read(packed).into_iter().map(Result::unwrap).collect();
        assert_eq!(games, expected);
        // Several members, and damage.
        assert_eq!(read([&packed[..], packed].concat()).len(), 4);
        let games = GameFile::new("file", io::Cursor::new(packed[..packed.len() - 5].to_vec()));
        let last = games.and_then(|games| games.last().unwrap()).unwrap_err();
        assert!(last.is_final() && last.to_string().contains("cannot be read"), "{last}");
        assert!(
            *packed == gzip || last.to_string().ends_with("cannot be read: damaged or truncated zstd data"),
            "{last}"
        );
    }
    // The last block of a tape is filled up with zeros; anything else behind a member is damage.
    let zeros = vec![0; 100_000];
    assert_eq!(read([&gzip[..], &zeros].concat()).len(), 2);
    assert_eq!(read([&gzip[..], &zeros, &gzip].concat()).len(), 4);
    let games = GameFile::new("file", io::Cursor::new([&gzip[..], b"more"].concat()));
    assert!(games.and_then(|games| games.last().unwrap()).is_err());
}

#[test]
fn what_is_too_long_is_passed() {
    let long = "x".repeat(10 << 20);
    for (good, bad) in [("f5d6", long.clone()), ("(;GM[Othello]B[f5];)", format!("(;GM[Othello]CO[{long}"))] {
        let games = read_at_once(format!("{good}\n{bad}\n{good}\n"));
        assert_eq!(games.len(), 3);
        assert_eq!(error(&games[1]), "file: game 2: line 2: no end within 1048576 bytes, which no game needs");
        assert_eq!(games[2].as_ref().unwrap().place.line, Some(3));
    }
}

#[test]
fn a_comment_without_an_end_takes_no_more_memory_than_a_long_game() {
    for comment in ["#", "%"] {
        let text = io::Cursor::new(format!("(;GM[Othello]B[f5];)\n{comment}")).chain(io::repeat(b'y').take(32 << 20));
        let peak = peak_bytes_while(|| assert_eq!(GameFile::new("file", text).unwrap().count(), 1));
        assert!(peak < 8 << 20, "{peak}");
    }
}

fn read_at_once(text: String) -> Vec<Result<FileGame, GameFileError>> {
    GameFile::new("file", io::Cursor::new(text.into_bytes())).unwrap().collect()
}

#[test]
fn names_in_latin_1_are_read() {
    let games = read(b"(;GM[Othello]PB[Andr\xe9]B[f5];)(;GM[Othello]PB[Andr\xc3\xa9]B[f5];)");
    for game in games {
        assert_eq!(game.unwrap().game.black.name, "Andr\u{e9}");
    }
    // Each byte is a character, those that UTF-8 would go on with too.
    let first = b"(;GM[Othello]PB[\xa0\xb0\xe9]B[f5];)";
    let games = read([&first[..], b"(;GM[Othello]B[a1];)"].concat());
    assert!(error(&games[1]).starts_with(&format!("file: line 1, column {}: game 2", first.len() + 16)));
}

#[test]
fn an_input_that_breaks_ends_the_reading() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let mut games = GameFile::new("file", io::Cursor::new("f5d6 and more\nf5".repeat(10)).chain(Broken)).unwrap();
    let last = games.by_ref().take(100).last().unwrap().unwrap_err();
    assert_eq!(last.to_string(), "file: game 11: cannot be read: the disk is on fire");
    assert!(games.next().is_none());
}
