//! What happens on one line of up to eight squares, for every line that there is.

use crate::othello::Square;
use crate::othello::line::turned;

/// By the place of the new disc and the opposing discs: the squares where a disc of the player would close a run.
static CLOSERS: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut opponent = 0;
        while opponent < 256 {
            table[place][opponent] = closers(place, opponent);
            opponent += 1;
        }
        place += 1;
    }
    table
};

/// By the place of the new disc and the discs that close its runs: the discs between.
static TURNED: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut ends = 0;
        while ends < 256 {
            table[place][ends] = turned(ends as u64, !ends as u64 & 0xff, place) as u8;
            ends += 1;
        }
        place += 1;
    }
    table
};

/// The discs that turn in the row of the square alone.
#[inline]
pub(super) fn turned_in_row(square: Square, player: u64, opponent: u64) -> u64 {
    let (column, first) = (usize::from(square.column()), square.row() * 8);
    let closers = CLOSERS[column][(opponent >> first & 0xff) as usize];
    let ends = closers & (player >> first) as u8;
    u64::from(TURNED[column][usize::from(ends)]) << first
}

const fn closers(place: usize, opponent: usize) -> u8 {
    let mut found = 0;
    let mut end = place + 1;
    while end < 8 && opponent >> end & 1 != 0 {
        end += 1;
    }
    if end < 8 && end > place + 1 {
        found |= 1 << end;
    }
    let mut end = place;
    while end > 0 && opponent >> (end - 1) & 1 != 0 {
        end -= 1;
    }
    if end > 0 && end < place {
        found |= 1 << (end - 1);
    }
    found
}
