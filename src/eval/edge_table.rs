//! What an edge is worth: the ten squares of an edge and its two X-squares, looked up in a table that Emilia computes
//! for itself.

use crate::othello::Position;
use crate::othello::line::{self, column, ternary};
use std::sync::LazyLock;

/// The squares of an edge: X-square, corner, C, A, B, B, A, C, corner, X-square.
const SQUARES: usize = line::LONGEST;
const CONFIGURATIONS: usize = 3usize.pow(SQUARES as u32);

/// The squares of the edge proper, between the X-squares.
const EDGE: u64 = 0b01_1111_1110;
/// How often the values of all edges are improved.
const SWEEPS: usize = 5;

/// A value for each of the 59,049 configurations of an edge and its X-squares, seen by the side to move.
///
/// The recipe is Norvig's (*Paradigms of Artificial Intelligence Programming*, section 18.9), after the edge tables of
/// Iago (Rosenbloom 1982) and Bill (Lee and Mahajan 1990): a static value by square and stability, then five sweeps,
/// fullest edges first, in which the side to move may play on each empty square with some probability or leave the edge
/// alone, and takes the best that it is given. The units are Norvig's: a corner 700, an edge of one colour 7,800.
///
/// The value is not antisymmetric: the side to move has the first chance to play.
pub(super) struct EdgeTable(Box<[i16]>);

impl EdgeTable {
    /// The table, computed when it is first asked for (some 30 ms).
    pub(super) fn get() -> &'static EdgeTable {
        static TABLE: LazyLock<EdgeTable> = LazyLock::new(EdgeTable::compute);
        &TABLE
    }

    /// The sum over the four edges, for the side to move; at most 32,767 · 4 either way.
    #[inline]
    pub(super) fn sum(&self, position: &Position) -> i32 {
        edges(position.player().0)
            .into_iter()
            .zip(edges(position.opponent().0))
            .map(|(player, opponent)| i32::from(self.0[ternary(player, opponent)]))
            .sum()
    }

    fn compute() -> EdgeTable {
        let mut by_discs: [Vec<usize>; SQUARES + 1] = Default::default();
        let mut values = vec![0; CONFIGURATIONS];
        for (number, value) in values.iter_mut().enumerate() {
            let edge = Configuration::of_number(number);
            by_discs[edge.discs() as usize].push(number);
            *value = edge.static_value();
        }
        for _ in 0..SWEEPS {
            for number in by_discs[1..SQUARES].iter().rev().flatten() {
                values[*number] = Configuration::of_number(*number).improved_value(&values);
            }
        }
        EdgeTable(
            values.into_iter().map(|value| i16::try_from(value).expect("an edge is worth some thousands")).collect(),
        )
    }
}

/// The four edges of a board as sets of the ten squares: top, bottom, left, right.
#[inline]
fn edges(board: u64) -> [u64; 4] {
    let x = |square: u32| board >> square & 1;
    let (b2, g2, b7, g7) = (x(9), x(14), x(49), x(54));
    [
        b2 | (board & 0xff) << 1 | g2 << 9,
        b7 | board >> 56 << 1 | g7 << 9,
        b2 | column(board, 0) << 1 | b7 << 9,
        g2 | column(board, 7) << 1 | g7 << 9,
    ]
}

/// One configuration, as the two sets of discs.
#[derive(Clone, Copy)]
struct Configuration {
    player: u64,
    opponent: u64,
}

/// How safe a disc on the edge is, as columns of the table of static values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Safety {
    Stable,
    SemiStable,
    Unstable,
}

/// The kinds of squares, with what a disc there is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    X,
    Corner,
    C,
    A,
    B,
}

impl Kind {
    const fn of(square: usize) -> Kind {
        match if square < SQUARES / 2 { square } else { SQUARES - 1 - square } {
            0 => Kind::X,
            1 => Kind::Corner,
            2 => Kind::C,
            3 => Kind::A,
            _ => Kind::B,
        }
    }

    const fn worth(self, safety: Safety) -> i32 {
        match (self, safety) {
            // A disc on an X-square is semi-stable or unstable, one in a corner stable.
            (Kind::X, Safety::Stable | Safety::SemiStable) => 0,
            (Kind::X, Safety::Unstable) => -2000,
            (Kind::Corner, _) => 700,
            (Kind::C, Safety::Stable) => 1200,
            (Kind::C | Kind::A | Kind::B, Safety::SemiStable) => 200,
            (Kind::C, Safety::Unstable) => -25,
            (Kind::A | Kind::B, Safety::Stable) => 1000,
            (Kind::A, Safety::Unstable) => 75,
            (Kind::B, Safety::Unstable) => 50,
        }
    }
}

/// The X-square of a corner, or the corner of an X-square.
const fn beyond(square: usize) -> usize {
    match square {
        0 => 1,
        1 => 0,
        8 => 9,
        _ => 8,
    }
}

impl Configuration {
    fn of_number(number: usize) -> Configuration {
        let (player, opponent) = line::sets(number, SQUARES);
        Configuration { player, opponent }
    }

    fn discs(self) -> u32 {
        (self.player | self.opponent).count_ones()
    }

    /// The edge seen by the other side.
    fn reversed(self) -> Configuration {
        Configuration { player: self.opponent, opponent: self.player }
    }

    fn is_empty_at(self, square: usize) -> bool {
        (self.player | self.opponent) >> square & 1 == 0
    }

    /// The value without a look at the moves: own discs by square and safety, less the opponent's.
    fn static_value(self) -> i32 {
        self.worth_of_player() - self.reversed().worth_of_player()
    }

    fn worth_of_player(self) -> i32 {
        let own = (0..SQUARES).filter(|square| self.player >> square & 1 != 0);
        own.map(|square| Kind::of(square).worth(self.safety(square))).sum()
    }

    /// How safe the player's disc on this square is.
    fn safety(self, square: usize) -> Safety {
        match Kind::of(square) {
            Kind::Corner => return Safety::Stable,
            Kind::X if self.is_empty_at(beyond(square)) => return Safety::Unstable,
            Kind::X => return Safety::SemiStable,
            Kind::C | Kind::A | Kind::B => {}
        }
        // What ends the run of own discs on either side: nothing if it is the end of the edge.
        let not_own = |square: &usize| self.player >> square & 1 == 0;
        let ends = [(square + 1..=8).find(not_own), (1..square).rev().find(not_own)];
        match ends.map(|end| end.map(|square| self.is_empty_at(square))) {
            [Some(true), Some(false)] | [Some(false), Some(true)] => Safety::Unstable,
            [Some(true), Some(true)] => Safety::SemiStable,
            [Some(false), Some(false)] if (self.player | self.opponent) & EDGE != EDGE => Safety::SemiStable,
            _ => Safety::Stable,
        }
    }

    /// The value with the moves that the player may make here, by the values of the edges they lead to.
    fn improved_value(self, values: &[i32]) -> i32 {
        let value_of = |edge: Configuration| values[ternary(edge.player, edge.opponent)];
        let mut chances = [(0.0, 0); SQUARES + 1];
        chances[0] = (1.0, value_of(self));
        let mut count = 1;
        for square in (0..SQUARES).filter(|&square| self.is_empty_at(square)) {
            chances[count] = (self.probability(square), -value_of(self.after(square)));
            count += 1;
        }
        let chances = &mut chances[..count];
        chances.sort_by_key(|&(_, value)| -value);
        // The player takes the best chance if it is given, else the next best; leaving the edge alone always is.
        let (mut expected, mut rest) = (0.0, 1.0);
        for &(probability, value) in &*chances {
            expected += rest * probability * f64::from(value);
            rest -= rest * probability;
        }
        expected.round() as i32
    }

    /// What turns along the edge if the player moves here.
    fn flips(self, square: usize) -> u64 {
        if EDGE >> square & 1 == 0 { 0 } else { line::turned(self.player & EDGE, self.opponent & EDGE, square) }
    }

    /// The edge after the player's move, seen by the opponent.
    fn after(self, square: usize) -> Configuration {
        let turned = self.flips(square);
        Configuration { player: self.opponent ^ turned, opponent: self.player | turned | 1 << square }
    }

    /// How likely it is that the player can move here when it wants to, or at least that it is let.
    fn probability(self, square: usize) -> f64 {
        let kind = Kind::of(square);
        if kind == Kind::X {
            return 0.5;
        }
        if self.flips(square) != 0 {
            return 1.0;
        }
        if kind == Kind::Corner {
            let x = beyond(square);
            return match (self.is_empty_at(x), self.player >> x & 1 != 0) {
                (true, _) => 0.1,
                (false, true) => 0.001,
                (false, false) => 0.9,
            };
        }
        let beside = 1 << (square - 1) | 1 << (square + 1);
        let chance = match ((self.player & beside).count_ones(), (self.opponent & beside).count_ones()) {
            (0, 0) => 0.1,
            (0, 1) => 0.4,
            (0, _) => 0.7,
            (1, 0) => 0.05,
            (1, _) => 0.3,
            _ => 0.01,
        };
        if self.reversed().flips(square) != 0 { chance / 2.0 } else { chance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Color;

    /// `.` empty, `o` own, `e` the enemy's; the ten squares in order.
    fn edge(text: &str) -> Configuration {
        assert_eq!(text.len(), SQUARES);
        let set = |wanted| text.bytes().enumerate().filter(|(_, c)| *c == wanted).fold(0, |set, (i, _)| set | 1 << i);
        Configuration { player: set(b'o'), opponent: set(b'e') }
    }

    fn value(text: &str) -> i32 {
        let Configuration { player, opponent } = edge(text);
        i32::from(EdgeTable::get().0[ternary(player, opponent)])
    }

    #[test]
    fn static_values_by_hand() {
        for (text, expected) in [
            ("..........", 0),
            // Two corners, two C, two A, two B, all stable; X-squares beside taken corners count nothing.
            (".oooooooo.", 2 * 700 + 2 * 1200 + 4 * 1000),
            ("eooooooooo", 7800),
            // The X-square of an empty corner.
            ("o.........", -2000),
            (".........e", 2000),
            // A run with an empty square on both sides is semi-stable.
            ("...oo.....", 400),
            // A run with one side open and the enemy on the other is unstable: own A 75, the enemy's B 50 likewise.
            ("...oe.....", 75 - 50),
            // A run between two enemies is semi-stable as long as the edge is not full; those have an end each to be taken at.
            ("...eoe....", -75 + 200 - 50),
            (".eeeeeeoe.", -2 * 700 - 1200 - 4 * 1000 + 1200),
            // Anchored at a corner: stable.
            (".oo.......", 700 + 1200),
        ] {
            assert_eq!(edge(text).static_value(), expected, "{text}");
            assert_eq!(edge(text).reversed().static_value(), -expected, "{text}");
        }
    }

    #[test]
    fn moves_turn_along_the_edge_alone() {
        let bits = |squares: &[usize]| squares.iter().fold(0, |set, square| set | 1 << square);
        assert_eq!(edge("..eeo.....").flips(1), bits(&[2, 3]));
        assert_eq!(edge(".oe.eo....").flips(3), bits(&[2, 4]));
        assert_eq!(edge("e.eeeeeeeo").flips(1), 0, "the X-square at the other end closes nothing");
        assert_eq!(edge("..eo......").flips(0), 0);
        let after = edge("..eeo.....").after(1);
        assert_eq!((after.player, after.opponent), (0, bits(&[1, 2, 3, 4])));
    }

    #[test]
    fn probabilities_are_the_published_ones() {
        for (text, square, expected) in [
            ("..........", 0, 0.5),
            ("..........", 1, 0.1),
            ("e.........", 1, 0.9),
            ("o.........", 1, 0.001),
            ("..eo......", 1, 1.0),
            ("..........", 4, 0.1),
            ("...e......", 4, 0.4),
            ("...e.e....", 4, 0.7),
            ("...o......", 4, 0.05),
            ("...o.e....", 4, 0.3),
            ("...o.o....", 4, 0.01),
            // The enemy could turn the own disc by moving there.
            ("..eo......", 4, 0.025),
        ] {
            assert_eq!(edge(text).probability(square), expected, "{text} {square}");
        }
    }

    #[test]
    fn table_entries_by_hand() {
        assert_eq!(value("ooooooooeo"), edge("ooooooooeo").static_value(), "full edges keep their static value");
        // Leaving it alone is best: 7,100 for the stable line and 2,000 for the enemy's X-square beside an empty corner.
        assert_eq!(value("e.oooooooo"), 9100);
        // That edge seen by the enemy, who reaches the corner once in a thousand and then stands at 700 − 7,100:
        // −9100 → 0.001 · −6400 + 0.999 · −9100 = −9097.3 → −9097 → −9094.3 → −9091.3 → −9088.3 → −9085.3.
        assert_eq!(value("o.eeeeeeee"), -9085);
        // Both X-squares beside taken corners: nothing changes by moving there.
        assert_eq!(value(".oooooooo."), 7800);
    }

    #[test]
    fn an_edge_reads_the_same_from_both_ends() {
        let mirrored = |set: u64| set.reverse_bits() >> (64 - SQUARES);
        let table = EdgeTable::get();
        for number in 0..CONFIGURATIONS {
            let Configuration { player, opponent } = Configuration::of_number(number);
            assert_eq!(table.0[number], table.0[ternary(mirrored(player), mirrored(opponent))], "{number}");
        }
    }

    #[test]
    fn a_board_has_four_edges() {
        let position = |black: &str| {
            let black = black.split(' ').map(|s| s.parse::<crate::othello::Square>().unwrap()).collect();
            Position::new(black, crate::othello::Bitboard::CENTRE, Color::Black).unwrap()
        };
        let empty = value("..........");
        let sum = |black| EdgeTable::get().sum(&position(black));
        // A C-square lies on one edge, a corner and an X-square on two.
        assert_eq!(sum("b1"), value("..o.......") + 3 * empty);
        assert_eq!(sum("h7"), value(".......o..") + 3 * empty);
        assert_eq!(sum("a8"), 2 * value(".o........") + 2 * empty);
        assert_eq!(sum("g7 d8"), value("o.........") + value("....o....o") + 2 * empty);
    }
}
