//! A book of Edax or Egaroucid of any bytes: it is read, or an error says where it is wrong.
#![no_main]

use emilia::book::{BookError, ForeignBook};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match ForeignBook::read(bytes) {
        Ok(_) => {}
        Err(BookError::Foreign { offset, problem }) => assert!(offset <= bytes.len() as u64 && !problem.is_empty()),
        Err(other) => panic!("{other}"),
    }
});
