//! Legal moves with the instructions that every machine has.

const NOT_EDGE_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The legal moves: parallel prefix over the eight directions. The edge columns are taken from the opposing discs so that
/// a horizontal or diagonal run cannot wrap around the board.
#[inline]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & NOT_EDGE_COLUMNS;
    let found =
        along(player, inner, 1) | along(player, opponent, 8) | along(player, inner, 7) | along(player, inner, 9);
    found & !(player | opponent)
}

/// The squares one step behind a run of `o` that starts next to a disc of `p`, both ways along one line direction.
#[inline]
const fn along(p: u64, o: u64, shift: u32) -> u64 {
    let mut up = o & (p << shift);
    let mut down = o & (p >> shift);
    up |= o & (up << shift);
    down |= o & (down >> shift);
    let pair_up = o & (o << shift);
    let pair_down = pair_up >> shift;
    up |= pair_up & (up << (2 * shift));
    down |= pair_down & (down >> (2 * shift));
    up |= pair_up & (up << (2 * shift));
    down |= pair_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}
