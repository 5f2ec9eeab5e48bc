//! WTHOR from any bytes: the reader of whole files and the one of games one by one find the same games, and what they find is
//! written in a form that reads the same.
#![no_main]

use emilia::notation::game_file::{GameFile, WthorWriter};
use emilia::notation::wthor::{WthorFile, parse_players, parse_tournaments};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

/// How gzip and Zstandard begin: the reader of files unpacks these first.
const PACKED: [&[u8]; 2] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];

fuzz_target!(|bytes: &[u8]| {
    if PACKED.iter().any(|magic| bytes.starts_with(magic)) {
        return;
    }
    let _ = (parse_players(bytes), parse_tournaments(bytes));
    let Ok(whole) = WthorFile::parse(bytes) else { return };
    let Ok(games) = GameFile::new("fuzz", Cursor::new(bytes.to_vec())) else { return };
    let mut writer = WthorWriter::new();
    let mut written = Vec::new();
    for (one, expected) in games.zip(&whole.games) {
        assert_eq!(one.is_err(), expected.broken.is_some());
        if let Ok(found) = one {
            assert_eq!(found.game.record, expected.game);
            if writer.add(&found.game).is_ok() {
                written.push(found.game.record);
            }
        }
    }
    let again = WthorFile::parse(&writer.finish().games).expect("what was written is a file");
    assert!(again.games.iter().map(|game| &game.game).eq(&written));
});
