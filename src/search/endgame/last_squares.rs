//! Null windows with one to four empty squares: nine nodes of ten are here.
//!
//! No move lists, no loops over bits: every empty square is a variable. A move is tried where the squares' quadrants say
//! that its parity is best. All values are fail-soft: a bound on the value on the side of `alpha` where it lies.

use super::BEYOND_DISCS;
use super::Solver;
use super::board::Board;
use super::parity::{Parity, quadrant};
use crate::othello::{Bitboard, Square, flips, last_flips};

/// A bound on the value with one empty square, on the side of `alpha` where it lies, for the side with the discs `player`; all other
/// discs are the other side's.
#[inline]
fn last_square(player: Bitboard, alpha: i32, square: Square) -> i32 {
    // The score if the other side takes the square without turning anything.
    let score = 2 * player.count() as i32 - 64;
    let turned = last_flips(square, player) as i32;
    if turned != 0 {
        return score + 2 * turned + 2;
    }
    // If neither side can play on the square, it is the winner's.
    let unplayed = if score >= 0 { score + 2 } else { score };
    if unplayed <= alpha {
        return unplayed;
    }
    match last_flips(square, !player) as i32 {
        0 => unplayed,
        turned => score - 2 * turned,
    }
}

impl Solver<'_> {
    /// A bound on the value with two empty squares. `PASSED`: the other side has just found no move.
    #[inline]
    fn two<const PASSED: bool>(&mut self, board: Board, alpha: i32, first: Square, second: Square) -> i32 {
        let mut best = -BEYOND_DISCS;
        if board.may_turn_at(first) {
            let turned = flips(first, board.player, board.opponent);
            if !turned.is_empty() {
                self.nodes += 1;
                best = -last_square(board.opponent ^ turned, -alpha - 1, second);
                if best > alpha {
                    return best;
                }
            }
        }
        if board.may_turn_at(second) {
            let turned = flips(second, board.player, board.opponent);
            if !turned.is_empty() {
                self.nodes += 1;
                return best.max(-last_square(board.opponent ^ turned, -alpha - 1, first));
            }
        }
        if best > -BEYOND_DISCS {
            best
        } else if PASSED {
            board.score()
        } else {
            -self.two::<true>(board.pass(), -alpha - 1, first, second)
        }
    }

    /// A bound on the value with three empty squares, tried in this order. `PASSED`: the other side has just found no move.
    fn three<const PASSED: bool>(&mut self, board: Board, alpha: i32, squares: [Square; 3]) -> i32 {
        let [a, b, c] = squares;
        let mut best = -BEYOND_DISCS;
        for [square, first, second] in [[a, b, c], [b, a, c], [c, a, b]] {
            let turned = flips(square, board.player, board.opponent);
            if turned.is_empty() {
                continue;
            }
            self.nodes += 1;
            best = best.max(-self.two::<false>(board.after(square, turned), -alpha - 1, first, second));
            if best > alpha {
                return best;
            }
        }
        if best > -BEYOND_DISCS {
            best
        } else if PASSED {
            board.score()
        } else {
            -self.three::<true>(board.pass(), -alpha - 1, squares)
        }
    }

    /// A bound on the value with four empty squares.
    pub(super) fn four(&mut self, board: Board, alpha: i32, parity: Parity) -> i32 {
        if let Some(limit) = board.stability_limit(alpha, 4) {
            return limit;
        }
        let empties = board.empties();
        let odd = empties & parity.odd_squares();
        // The single squares first, where two quadrants are odd and two squares share an even one.
        let [mut a, mut b, mut c, mut d] = if odd.count() == 2 {
            let ([a, b], [c, d]) = (two_squares(odd), two_squares(empties ^ odd));
            [a, b, c, d]
        } else {
            let mut squares = empties.into_iter();
            [(); 4].map(|()| squares.next().expect("four empty squares"))
        };
        let mut paired = false;
        match parity.odd_quadrants() {
            2 if odd.count() == 4 => {
                // A single square and three of one quadrant: the single one first.
                if quadrant(a) == quadrant(b) {
                    if quadrant(c) == quadrant(a) {
                        std::mem::swap(&mut a, &mut d)
                    } else {
                        std::mem::swap(&mut a, &mut c)
                    }
                } else if quadrant(a) == quadrant(c) {
                    std::mem::swap(&mut a, &mut b);
                }
            }
            0 => {
                // Two pairs: side by side, so that the other square of a pair is tried first once one is taken.
                paired = true;
                if quadrant(a) == quadrant(c) {
                    std::mem::swap(&mut b, &mut c);
                } else if quadrant(a) == quadrant(d) {
                    std::mem::swap(&mut b, &mut d);
                }
            }
            _ => {}
        }
        let (after_c, after_d) = if paired { ([d, a, b], [c, a, b]) } else { ([a, b, d], [a, b, c]) };
        let order = [(a, [b, c, d]), (b, [a, c, d]), (c, after_c), (d, after_d)];
        let value = self.four_in_order(board, alpha, &order);
        if value > -BEYOND_DISCS {
            return value;
        }
        let value = self.four_in_order(board.pass(), -alpha - 1, &order);
        if value > -BEYOND_DISCS { -value } else { board.score() }
    }

    /// The best of these moves, each with the order of the squares left; less than any score if none is legal.
    #[inline]
    fn four_in_order(&mut self, board: Board, alpha: i32, order: &[(Square, [Square; 3]); 4]) -> i32 {
        let mut best = -BEYOND_DISCS;
        for &(square, rest) in order {
            let turned = flips(square, board.player, board.opponent);
            if turned.is_empty() {
                continue;
            }
            self.nodes += 1;
            best = best.max(-self.three::<false>(board.after(square, turned), -alpha - 1, rest));
            if best > alpha {
                break;
            }
        }
        best
    }

    /// A bound on the value with one to four empty squares.
    pub(super) fn last_squares(&mut self, board: Board, alpha: i32) -> i32 {
        let empties = board.empties();
        let squares: arrayvec::ArrayVec<Square, 4> = empties.into_iter().take(4).collect();
        match squares[..] {
            [] => board.score(),
            [a] => last_square(board.player, alpha, a),
            [a, b] => self.two::<false>(board, alpha, a, b),
            [a, b, c] => {
                let order = if quadrant(a) == quadrant(b) {
                    [c, a, b]
                } else if quadrant(a) == quadrant(c) {
                    [b, a, c]
                } else {
                    [a, b, c]
                };
                self.three::<false>(board, alpha, order)
            }
            _ => self.four(board, alpha, Parity::of(empties)),
        }
    }
}

/// The two squares of a set of two.
#[inline]
fn two_squares(set: Bitboard) -> [Square; 2] {
    let low = set.0.trailing_zeros();
    [Square::from_low_bits(low), Square::from_low_bits(63 - set.0.leading_zeros())]
}
