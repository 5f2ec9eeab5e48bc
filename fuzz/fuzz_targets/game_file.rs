//! Files in any format: whatever the bytes, the reading ends, errors have places, and every game can be written as GGF and read
//! again.
#![no_main]

use emilia::notation::game_file::{Format, GameFile, write};
use emilia::notation::ggf;
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let Ok(games) = GameFile::new("fuzz", Cursor::new(bytes.to_vec())) else { return };
    for (item, number) in games.zip(1..) {
        match item {
            Ok(found) => {
                assert_eq!(found.place.number, number);
                let text = write(&found.game, Format::Ggf).expect("GGF holds every game").text;
                let again = ggf::parse(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
                assert_eq!(again.record, found.game.record);
            }
            Err(error) => assert!(error.number == number && error.to_string().starts_with("fuzz: ")),
        }
    }
});
