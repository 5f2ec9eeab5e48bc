//! A line of GTP: no bytes make the parser panic.
#![no_main]

use emilia::protocol::gtp::parse_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let _ = parse_line(line);
});
