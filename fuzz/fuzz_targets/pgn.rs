//! PGN from any text: a game that is read is written in a form that reads the same.
#![no_main]

use emilia::notation::pgn::PgnGame;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match PgnGame::parse(text) {
        Ok(game) => {
            let written = game.to_string();
            let again = PgnGame::parse(&written).unwrap_or_else(|error| panic!("{written}\n{error}"));
            assert_eq!(again.game, game.game);
            assert_eq!(again.tags, game.tags);
            assert_eq!(again.to_string(), written);
        }
        Err(error) => assert!(error.line >= 1 && error.column >= 1),
    }
});
