//! GGF from any bytes: a record that is read is written in a form that reads the same.
#![no_main]

use emilia::notation::ggf::GgfGame;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for game in GgfGame::parse_all(&String::from_utf8_lossy(bytes)).unwrap_or_default() {
        assert_eq!(game.timing.len(), game.game.turns().len());
        let written = game.to_string();
        let again = GgfGame::parse(&written).unwrap_or_else(|error| panic!("{written}\n{error}"));
        assert_eq!(again.game, game.game);
        assert_eq!(again.to_string(), written);
    }
});
