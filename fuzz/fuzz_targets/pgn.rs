//! PGN from any text: a game that is read is written in a form that reads the same.
#![no_main]

use emilia::notation::game_file::{Datum, Format, write};
use emilia::notation::pgn;
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;

fuzz_target!(|text: &str| {
    match pgn::parse(text) {
        Ok(game) => {
            let write = |game| write(game, Format::Pgn).expect("PGN holds every game");
            let written = write(&game);
            let text = written.text;
            let again = pgn::parse(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
            assert_eq!(again.record, game.record);
            assert_eq!((&again.black, &again.white), (&game.black, &game.white));
            assert_eq!((&again.place, &again.date), (&game.place, &game.date));
            if written.losses.iter().all(|loss| loss.datum != Datum::Result) {
                assert_eq!(again.score_for_black(), game.score_for_black());
                // Of several tags `Time` another one may come first.
                let lines = |text: &str| -> BTreeSet<String> { text.lines().map(str::to_owned).collect() };
                assert_eq!(lines(&write(&again).text), lines(&text));
            }
        }
        Err(error) => assert!(error.line >= 1 && error.column >= 1),
    }
});
