//! Legal moves with the instructions that every machine has.

/// Every column but a and h.
pub(super) const NOT_EDGE_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The legal moves: parallel prefix over the directions. The edge columns are taken from the opposing discs so that a
/// horizontal or diagonal run cannot wrap around the board.
///
/// Always inlined: loops over many positions become vector code only then.
#[inline(always)]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & NOT_EDGE_COLUMNS;
    let found =
        along_row(player, opponent) | along(player, opponent, 8) | along(player, inner, 7) | along(player, inner, 9);
    found & !(player | opponent)
}

/// The squares one step behind a run of `o` that starts next to a disc of `p`, both ways along the rows; others of which
/// some may hold a disc.
#[inline(always)]
pub(super) fn along_row(p: u64, o: u64) -> u64 {
    let o = o & NOT_EDGE_COLUMNS;
    // Upwards an addition carries through the whole run; the edge columns, empty of `o`, stop it.
    let up = ((p << 1) & o).wrapping_add(o) & !o;
    let mut down = o & (p >> 1);
    down |= o & (down >> 1);
    let pair = o & (o >> 1);
    down |= pair & (down >> 2);
    down |= pair & (down >> 2);
    up | (down >> 1)
}

/// The squares one step behind a run of `o` that starts next to a disc of `p`, both ways along one line direction.
#[inline(always)]
fn along(p: u64, o: u64, step: u32) -> u64 {
    let mut up = o & (p << step);
    let mut down = o & (p >> step);
    up |= o & (up << step);
    down |= o & (down >> step);
    let pair_up = o & (o << step);
    let pair_down = pair_up >> step;
    up |= pair_up & (up << (2 * step));
    down |= pair_down & (down >> (2 * step));
    up |= pair_up & (up << (2 * step));
    down |= pair_down & (down >> (2 * step));
    (up << step) | (down >> step)
}
