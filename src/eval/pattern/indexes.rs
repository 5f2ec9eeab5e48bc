//! The configurations of all patterns in one position, kept up to date move by move.

use super::geometry::{ALL_INSTANCES, INSTANCES, Sharing};
use crate::othello::{Bitboard, Position, Square};

/// Lanes of a state: the instances, filled up to whole vector registers.
const LANES: usize = INSTANCES.next_multiple_of(16);

/// A configuration is stored with this added, so that the least possible one is not negative.
///
/// It is half of the numbers that 16 bits can hold, so what is stored for the negated configuration is the negated
/// number, and the tables can be read without an addition.
const OFFSET: u16 = 1 << 15;

/// The configuration of every pattern instance as the side to move sees it.
///
/// ```
/// use emilia::eval::pattern::State;
/// use emilia::othello::{Position, Square, flips};
///
/// let (start, f5) = (Position::START, "f5".parse::<Square>().unwrap());
/// let turned = flips(f5, start.player(), start.opponent());
/// assert_eq!(State::of(&start).after(f5, turned), State::of(&start.after(f5)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub struct State([u16; LANES]);

/// What a disc of the side to move on a square adds to each configuration.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Row([u16; LANES]);

/// The rows of discs of the side to move, by square: what the square counts in every instance that has it.
static ROWS: [Row; 64] = rows(1);

/// What a disc that changes sides, from −1 to 1, adds to each configuration, by square.
static TURNED_ROWS: [Row; 64] = rows(2);

const fn rows(factor: u16) -> [Row; 64] {
    let mut rows = [Row([0; LANES]); 64];
    let mut i = 0;
    while i < INSTANCES {
        let family = &ALL_INSTANCES[i].squares;
        let squares = family.square_indices();
        let mut k = 0;
        while k < squares.len() {
            rows[squares[k] as usize].0[i] = factor * family.power(k);
            k += 1;
        }
        i += 1;
    }
    rows
}

impl State {
    /// The state of a position.
    pub fn of(position: &Position) -> State {
        let mut lanes = [OFFSET; LANES];
        for square in position.player() {
            add(&mut lanes, &ROWS[square.index()]);
        }
        for square in position.opponent() {
            for (lane, digit) in lanes.iter_mut().zip(&ROWS[square.index()].0) {
                *lane = lane.wrapping_sub(*digit);
            }
        }
        State(lanes)
    }

    /// The state after the side to move has placed a disc on `square` and turned these discs, as the other side sees it.
    #[inline]
    pub fn after(&self, square: Square, turned: Bitboard) -> State {
        let mut lanes = self.0;
        add(&mut lanes, &ROWS[square.index()]);
        for square in turned {
            add(&mut lanes, &TURNED_ROWS[square.index()]);
        }
        State(lanes).pass()
    }

    /// The state of the position with the other side to move.
    #[inline]
    pub fn pass(&self) -> State {
        State(self.0.map(u16::wrapping_neg))
    }

    /// The configuration of every instance, in the order of [`ALL_INSTANCES`].
    pub fn configurations(&self) -> impl ExactSizeIterator<Item = i16> {
        self.0[..INSTANCES].iter().map(|&lane| (lane ^ OFFSET) as i16)
    }

    /// The packed weight of every instance, as [`Sharing`] numbers them.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = u32> {
        let sharing = Sharing::get();
        let both = ALL_INSTANCES.iter().zip(self.configurations());
        both.map(move |(instance, configuration)| sharing.number(instance.family, configuration))
    }

    /// The configurations with 2^15 added, and what fills up the lanes behind them.
    #[inline]
    pub(in crate::eval) fn lanes(&self) -> &[u16; LANES] {
        &self.0
    }
}

#[inline]
fn add(lanes: &mut [u16; LANES], row: &Row) {
    for (lane, digit) in lanes.iter_mut().zip(&row.0) {
        *lane = lane.wrapping_add(*digit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::flips;
    use crate::testing::{random_position, random_position_with_holes};

    /// The configurations by their definition.
    fn by_definition(position: &Position) -> Vec<i16> {
        let digit = |square| match position.color_at(square) {
            Some(color) if color == position.mover() => 1,
            Some(_) => -1,
            None => 0,
        };
        // The squares from the edge to the centre, those of one distance from the last to the first.
        let configuration = |squares: &[Square]| {
            let mut squares = squares.to_vec();
            squares.reverse();
            squares.sort_by_key(|square| {
                let (column, row) = (i32::from(square.column()), i32::from(square.row()));
                -(2 * column - 7).pow(2) - (2 * row - 7).pow(2)
            });
            squares.iter().fold(0, |sum, &square| 3 * sum + digit(square))
        };
        ALL_INSTANCES.iter().map(|instance| configuration(&instance.squares.squares().collect::<Vec<_>>())).collect()
    }

    /// Counts the leaves, and holds the state kept up to date to the one made anew in every node.
    fn perft(position: &Position, state: &State, depth: u32) -> u64 {
        assert_eq!(*state, State::of(position), "{position}");
        if depth == 0 {
            return 1;
        }
        let moves = position.moves();
        if moves.is_empty() {
            let passed = position.pass();
            return if passed.moves().is_empty() { 1 } else { perft(&passed, &state.pass(), depth - 1) };
        }
        let child = |square| {
            let turned = flips(square, position.player(), position.opponent());
            perft(&position.after(square), &state.after(square, turned), depth - 1)
        };
        moves.into_iter().map(child).sum()
    }

    #[test]
    fn perft_through_the_state() {
        assert_eq!(perft(&Position::START, &State::of(&Position::START), 7), 55_092);
        let mut leaves = 0;
        for seed in 0..200 {
            let random = if seed % 4 == 3 { random_position_with_holes } else { random_position };
            let position = random(seed, 1 + (seed % 50) as u32);
            leaves += perft(&position, &State::of(&position), 3);
        }
        assert!(leaves > 10_000, "{leaves}");
    }

    #[test]
    fn configurations_are_what_they_are_defined_to_be() {
        for seed in 0..60 {
            let position = random_position(seed, seed as u32);
            let state = State::of(&position);
            assert!(state.configurations().eq(by_definition(&position)), "{position}");
            assert!(state.pass().configurations().eq(by_definition(&position.pass())), "{position}");
        }
    }
}
