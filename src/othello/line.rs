//! Lines of squares as small sets, bit `i` being the line's square `i`, and their numbers in base three, by which tables are looked up.

/// The number of squares in the longest line: an edge with its two X-squares.
pub(crate) const LONGEST: usize = 10;

/// For each set of squares of a line, bit `i` being its square `i`, the sum of `3^i`.
static POWERS: [u16; 1 << LONGEST] = {
    let mut powers = [0; 1 << LONGEST];
    let mut bits = 0;
    while bits < powers.len() {
        let (mut i, mut power) = (0, 1);
        while i < LONGEST {
            if bits >> i & 1 != 0 {
                powers[bits] += power;
            }
            i += 1;
            power *= 3;
        }
        bits += 1;
    }
    powers
};

/// The number of a line with digit 0 for an empty square, 1 for an own disc and 2 for one of the opponent's; the first
/// square counts least. Only the lowest ten bits of both sets count.
#[inline]
pub(crate) const fn ternary(player: u64, opponent: u64) -> usize {
    POWERS[player as usize % POWERS.len()] as usize + 2 * POWERS[opponent as usize % POWERS.len()] as usize
}

/// The sets of the number of a line: the inverse of [`ternary`].
pub(crate) fn sets(mut number: usize, squares: usize) -> (u64, u64) {
    let (mut player, mut opponent) = (0, 0);
    for i in 0..squares {
        match number % 3 {
            1 => player |= 1 << i,
            2 => opponent |= 1 << i,
            _ => {}
        }
        number /= 3;
    }
    (player, opponent)
}

/// The opponent's discs of a line that a disc of the player's on this square turns.
pub(crate) const fn turned(player: u64, opponent: u64, square: usize) -> u64 {
    let (mut up, mut bit) = (0, 2 << square);
    while opponent & bit != 0 {
        up |= bit;
        bit <<= 1;
    }
    if player & bit == 0 {
        up = 0;
    }
    let (mut down, mut bit) = (0, (1 << square) >> 1);
    while opponent & bit != 0 {
        down |= bit;
        bit >>= 1;
    }
    if player & bit == 0 {
        down = 0;
    }
    up | down
}

/// A column of the board as a line, the top row first.
#[inline]
pub(crate) const fn column(board: u64, column: u32) -> u64 {
    const FIRST: u64 = 0x0101_0101_0101_0101;
    // The product gathers the eight bits in the highest byte.
    ((board >> column) & FIRST).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sets_agree() {
        assert_eq!(ternary(0b1, 0b110), 1 + 2 * 3 + 2 * 9);
        for number in 0..3usize.pow(LONGEST as u32) {
            let (player, opponent) = sets(number, LONGEST);
            assert_eq!(player & opponent, 0);
            assert_eq!(ternary(player, opponent), number);
        }
    }
}
