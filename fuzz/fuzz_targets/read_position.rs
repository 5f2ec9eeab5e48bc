//! The tolerant reader: what it reads is a legal game that comes back from its own spelling; what it refuses has a
//! place.
#![no_main]

use emilia::notation::read_position;
use emilia::notation::transcript::Transcript;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match read_position(text) {
        Ok(game) => {
            let written = format!("{} {:#}", game.start(), Transcript(&game));
            assert_eq!(read_position(&written).as_ref(), Ok(&game), "{written}");
        }
        Err(error) => assert!(error.line >= 1 && error.column >= 1 && error.to_string().is_ascii()),
    }
});
