//! Iago: edge stability, internal stability, current and potential mobility.

use super::edge_table::EdgeTable;
use super::mobility::{current_mobility, ratio};
use super::{Evaluator, STATIC_LIMIT};
use crate::othello::{Bitboard, Position, stable_discs};

/// The evaluator of Iago (Rosenbloom, *A World-Championship-Level Othello Program*, Artificial Intelligence 19, 1982):
///
/// `ESAC(m) · EdgeStability + 36 · InternalStability + CMAC(m) · CurrentMobility + 99 · PotentialMobility`
///
/// with the application coefficients `ESAC(m) = 312 + 6.24 m` and `CMAC(m) = 50 + 2 m` (from move 26 on `75 + m`) of the
/// number `m` of the move to be made, 1 to 60, and every feature from −1,000 to 1,000:
/// * edge stability: the sum of the edge table over the four edges, 32,000 points being 1,000; the table is computed as
///   for [`Edge`](super::Edge);
/// * internal stability: stable discs off the edge (those that [`stable_discs`] proves);
/// * current mobility: legal moves;
/// * potential mobility: the mean of three ratios, of the other side's discs beside an empty square, of the empty squares
///   beside the other side's discs, and of the pairs of these.
///
/// 12,288 points are one disc, at all stages of the game: fitted, so that a value is about the expected final disc
/// difference (`docs/evaluation.md`).
///
/// A ratio is `1000 (own − other) / (own + other + 2)`, for internal stability too. All but edge stability are
/// antisymmetric; the edge table knows who is to move.
#[derive(Clone, Copy)]
pub struct Iago {
    table: &'static EdgeTable,
}

/// Iago's points per unit of [`DISC`](crate::game::DISC).
const POINTS_PER_UNIT: i32 = 96;

const EDGE_SQUARES: Bitboard = Bitboard(0xff81_8181_8181_81ff);

impl Default for Iago {
    fn default() -> Iago {
        Iago { table: EdgeTable::get() }
    }
}

impl Iago {
    /// The feature edge stability, from −1,000 to 1,000 for the side to move.
    pub fn edge_stability(&self, position: &Position) -> i32 {
        (self.table.sum(position) / 32).clamp(-FULL, FULL)
    }

    /// The value without the term of edge stability.
    pub fn without_edge_stability(&self, position: &Position) -> i32 {
        Features { edge_stability: 0, ..Features::of(position, self) }.units(position)
    }
}

/// The number of the move to be made, from 1 at the start to 60 before the last square, and on a full board.
#[inline]
pub(super) fn move_number(position: &Position) -> i32 {
    61 - position.empties().count().max(1) as i32
}

/// `CMAC(m)`.
#[inline]
pub(super) fn current_mobility_weight(m: i32) -> i32 {
    if m <= 25 { 50 + 2 * m } else { 75 + m }
}

/// The weight of a ratio that makes it a feature.
const FULL: i32 = 1_000;

/// The features, each from −1,000 to 1,000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Features {
    edge_stability: i32,
    internal_stability: i32,
    current_mobility: i32,
    potential_mobility: i32,
}

impl Features {
    #[inline]
    fn of(position: &Position, iago: &Iago) -> Features {
        let (player, opponent) = position.boards();
        let inner_stable = |own, other| (stable_discs(own, other) & !EDGE_SQUARES).count();
        Features {
            edge_stability: iago.edge_stability(position),
            internal_stability: ratio(inner_stable(player, opponent), inner_stable(opponent, player), FULL),
            current_mobility: current_mobility(position, FULL),
            potential_mobility: potential_mobility(player, opponent, position.empties()),
        }
    }

    /// The weighted sum for the move with this number.
    #[inline]
    fn points(self, m: i32) -> i32 {
        (31_200 + 624 * m) * self.edge_stability / 100
            + 36 * self.internal_stability
            + current_mobility_weight(m) * self.current_mobility
            + 99 * self.potential_mobility
    }

    /// The weighted sum in units of [`DISC`](crate::game::DISC).
    #[inline]
    fn units(self, position: &Position) -> i32 {
        (self.points(move_number(position)) / POINTS_PER_UNIT).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

#[inline]
fn potential_mobility(player: Bitboard, opponent: Bitboard, empties: Bitboard) -> i32 {
    let frontier = |discs: Bitboard| (empties.neighbours() & discs).count();
    let touching = |discs: Bitboard| (discs.neighbours() & empties).count();
    let pairs = |discs: Bitboard| neighbouring_pairs(discs, empties);
    (ratio(frontier(opponent), frontier(player), FULL)
        + ratio(touching(opponent), touching(player), FULL)
        + ratio(pairs(opponent), pairs(player), FULL))
        / 3
}

/// How many pairs of a square of `a` and a square of `b` touch; the sets have no square in common.
#[inline]
fn neighbouring_pairs(a: Bitboard, b: Bitboard) -> u32 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (a, b) = (a.0, b.0);
    let (east, west) = ((a << 1) & NOT_A, (a >> 1) & NOT_H);
    [east, west, a << 8, a >> 8, east << 8, east >> 8, west << 8, west >> 8]
        .into_iter()
        .map(|shifted| (shifted & b).count_ones())
        .sum()
}

impl Evaluator<Position> for Iago {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        Features::of(position, self).units(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Color, Square};
    use crate::testing::random_position;

    fn features(position: &Position) -> Features {
        Features::of(position, &Iago::default())
    }

    #[test]
    fn the_coefficients_are_the_published_ones() {
        let unit = |edge_stability, internal_stability, current_mobility, potential_mobility| Features {
            edge_stability,
            internal_stability,
            current_mobility,
            potential_mobility,
        };
        // ESAC(50) = 312 + 312 = 624; CMAC(25) = 100; CMAC(26) = 101; CMAC(1) = 52.
        assert_eq!(unit(1_000, 0, 0, 0).points(50), 624_000);
        assert_eq!(unit(0, 1_000, 0, 0).points(50), 36_000);
        assert_eq!(unit(0, 0, 1_000, 0).points(25), 100_000);
        assert_eq!(unit(0, 0, 1_000, 0).points(26), 101_000);
        assert_eq!(unit(0, 0, -1_000, 0).points(1), -52_000);
        assert_eq!(unit(0, 0, 0, 1_000).points(1), 99_000);
        assert_eq!(move_number(&Position::START), 1);
        assert_eq!(move_number(&random_position(1, 1)), 60);
    }

    #[test]
    fn hand_computed_positions() {
        // After f5 both sides have three moves and nothing is stable. White, to move, has d4 alone: one frontier disc,
        // five empty squares beside it, five pairs. Black's e4, d5, e5 and f5 all touch empty squares, thirteen of them,
        // in 4 + 5 + 4 + 6 pairs.
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        let found = features(&position);
        assert_eq!((found.current_mobility, found.internal_stability), (0, 0));
        assert_eq!(neighbouring_pairs(position.player(), position.empties()), 5);
        assert_eq!(neighbouring_pairs(position.opponent(), position.empties()), 19);
        assert_eq!(found.potential_mobility, (3_000 / 7 + 8_000 / 20 + 14_000 / 26) / 3);
    }

    #[test]
    fn stable_discs_off_the_edge_count() {
        // Black holds the corner a1, the squares beside it and the next ones: b2 is stable and off the edge.
        let black = ["a1", "b1", "c1", "a2", "b2", "a3"].map(|s| s.parse::<Square>().unwrap()).into_iter().collect();
        let position = Position::new(black, Bitboard::CENTRE, Color::White).unwrap();
        assert_eq!(features(&position).internal_stability, -1_000 / 3);
    }

    #[test]
    fn edge_stability_can_be_left_out() {
        let iago = Iago::default();
        // Black owns the whole top edge, and nobody can move.
        let position = Position::new(Bitboard(0xff), Bitboard::CENTRE, Color::Black).unwrap();
        assert!(iago.edge_stability(&position) > 0);
        assert!(iago.evaluate(&position) > iago.without_edge_stability(&position));
        // Edge stability alone knows who is to move.
        for seed in 0..60 {
            let position = random_position(seed, seed as u32);
            let without = iago.without_edge_stability(&position);
            assert_eq!(without, -iago.without_edge_stability(&position.pass()), "{position}");
        }
    }

    #[test]
    fn pairs_are_counted_once_for_each_disc() {
        for seed in 0..40 {
            let position = random_position(seed, 1 + seed as u32);
            let (discs, empties) = (position.player(), position.empties());
            let slow: u32 = empties.into_iter().map(|square| (square.bit().neighbours() & discs).count()).sum();
            assert_eq!(neighbouring_pairs(discs, empties), slow, "{position}");
        }
    }

    #[test]
    fn all_but_the_edges_changes_sides() {
        for seed in 0..60 {
            let position = random_position(seed, seed as u32);
            let (here, there) = (features(&position), features(&position.pass()));
            assert_eq!(here.internal_stability, -there.internal_stability);
            assert_eq!(here.current_mobility, -there.current_mobility);
            assert_eq!(here.potential_mobility, -there.potential_mobility);
        }
    }
}
