//! A line of UGI: no bytes make the parser panic.
#![no_main]

use emilia::protocol::ugi::Command;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let _ = Command::parse(line);
});
