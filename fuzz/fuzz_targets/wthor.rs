//! WTHOR from any bytes: the games that are read are written in a form that reads the same.
#![no_main]

use emilia::notation::game_file::{Format, GameFile, WthorWriter};
use emilia::notation::wthor::{PLAYER, TOURNAMENT, names};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let _ = (names::<PLAYER>(bytes), names::<TOURNAMENT>(bytes));
    let Ok(games) = GameFile::new("fuzz", Cursor::new(bytes.to_vec())) else { return };
    let mut writer = WthorWriter::new();
    let mut written = Vec::new();
    for found in games.flatten().filter(|found| found.format == Format::Wthor) {
        if writer.add(&found.game).is_ok() {
            written.push(found.game.record);
        }
    }
    let again = GameFile::new("fuzz", Cursor::new(writer.finish().games)).expect("what was written is a file");
    assert!(again.map(|item| item.expect("what was written is a game").game.record).eq(written));
});
