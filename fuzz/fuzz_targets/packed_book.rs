//! A packed book of any bytes: it is refused, or whatever is looked up in it is an answer.
#![no_main]

use emilia::book::{PackedBook, Positions, look_up};
use emilia::othello::Position;
use emilia::search::Contempt;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The checksum, which no mutation would hit.
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&bytes[..28]);
        hasher.update(&bytes[32..]);
        bytes[28..32].copy_from_slice(&hasher.finalize().to_le_bytes());
    }
    let Ok(book) = PackedBook::built(bytes) else { return };
    let contempt = Contempt::new(-3).expect("a few discs");
    let look = |position: &Position| look_up(&book, book.weights, position, contempt).expect("it lies in memory");
    look(&Position::START);
    let mut seen = 0;
    let _ = book.each(&mut |key, _| {
        look(&key.position());
        seen += 1;
        Ok(())
    });
    assert!(seen <= book.count());
});
