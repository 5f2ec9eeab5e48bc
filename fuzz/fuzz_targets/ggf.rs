//! GGF from any bytes: a record that is read is written in a form that reads the same.
#![no_main]

use emilia::notation::ggf::{self, Ggf};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(game) = ggf::parse(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(game.timing.len(), game.record.turns().len());
    let written = Ggf(&game).to_string();
    let again = ggf::parse(&written).unwrap_or_else(|error| panic!("{written}\n{error}"));
    assert_eq!(again.record, game.record);
    assert_eq!(Ggf(&again).to_string(), written);
});
