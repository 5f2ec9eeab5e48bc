//! The weights as the search reads them: one row for every configuration.

use super::sums::{Accumulator, LINEAR, Row, Sums, Total};
use super::weights::{DISC_COUNTS, FactorWeights, rows};
use super::{HALF, RANK};
use crate::eval::pattern::windows::{LANE_VALUES, PLACES, WINDOWS, expand};
use crate::eval::pattern::{FAMILIES, Form, INSTANCES, MOBILITIES, OverPatterns, Sharing, State, mobility_pair};
use crate::eval::{STATIC_LIMIT, WithState};
use crate::game::DISC;
use crate::othello::Position;
use crate::pages::{self, Pages};
use std::ops::Range;
use std::sync::OnceLock;

/// Bits behind the point of the scale of the factors, and of the shares of the two knots.
const FACTOR_BITS: u32 = 20;
const KNOT_BITS: u32 = 12;

/// Tables for every span between two knots. Each is made when a position of it is first asked for, which takes some
/// milliseconds.
pub struct Tables {
    weights: FactorWeights,
    spans: Box<[OnceLock<Span>]>,
    /// By the number of empty squares, 0 to 63.
    stages: [Stage; 64],
    /// What a product of two factors counts in units of [`DISC`] / 2^[`FACTOR_BITS`].
    scale: i64,
}

/// Where a number of empty squares lies.
#[derive(Clone, Copy)]
struct Stage {
    span: u8,
    /// The row of the number of discs.
    discs: u8,
    /// The share of the next knot, of 2^[`KNOT_BITS`].
    next: u16,
}

/// Rows that are made at a time: what is read and written for them fits the first cache.
const BLOCK: usize = 64;

/// The tables between two knots.
struct Span {
    /// The rows of the configurations, [`PLACES`]`.length` of them.
    rows: Pages,
    /// By [`mobility_pair`].
    mobility: Box<[Sums; MOBILITIES * MOBILITIES]>,
    /// By the number of discs, 4 to 64.
    discs: Box<[Sums; DISC_COUNTS]>,
}

impl Span {
    fn new(weights: &FactorWeights, span: usize, scale: i64) -> Span {
        let sharing = Sharing::get();
        let mut table = pages::zeroed(PLACES.length * size_of::<Row>()).expect("memory for the evaluation");
        let mut packed = Vec::new();
        for family in 0..FAMILIES.len() {
            let numbers = sharing.range(family);
            pack(weights, span, scale, numbers.clone(), &mut packed);
            expand(table.as_chunks_mut().0, family, |number| packed[number - numbers.start]);
        }
        let sums = |row: &Row| Sums(row.map(|number| i16::from(number as i8)));
        pack(weights, span, scale, sharing.mobility(), &mut packed);
        let mobility = Box::new(std::array::from_fn(|pair| sums(&packed[pair])));
        pack(weights, span, scale, sharing.constant()..rows(), &mut packed);
        let discs = Box::new(std::array::from_fn(|discs| sums(&packed[discs])));
        Span { rows: table, mobility, discs }
    }
}

/// Makes the rows of these numbers for the positions between two knots. Those of most families fit the second cache.
fn pack(weights: &FactorWeights, span: usize, scale: i64, numbers: Range<usize>, packed: &mut Vec<Row>) {
    let factors: [&[i8]; RANK] = std::array::from_fn(|k| &weights.factor(k)[numbers.clone()]);
    let knots = [span, span + 1].map(|knot| &weights.linear(knot)[numbers.clone()]);
    packed.clear();
    packed.resize(numbers.len(), [0; size_of::<Row>()]);
    for (number, block) in packed.chunks_mut(BLOCK).enumerate() {
        let here = number * BLOCK..number * BLOCK + block.len();
        // The squares of the factors, which pairs of different rows do not have, are taken off the linear weight.
        let mut squares = [0; BLOCK];
        for (k, factors) in factors.iter().enumerate() {
            let (factors, sign) = (&factors[here.clone()], if k < HALF { 1 } else { -1 });
            squares.iter_mut().zip(factors).for_each(|(sum, &own)| *sum += sign * i32::from(own) * i32::from(own));
            block.iter_mut().zip(factors).for_each(|(row, &own)| row[k] = own as u8);
        }
        let knots = knots.map(|knot| &knot[here.clone()]);
        for (at, row) in block.iter_mut().enumerate() {
            let squares = rounded(i64::from(squares[at]) * scale, FACTOR_BITS) as i32;
            for (place, knot) in knots.iter().enumerate() {
                let weight = i32::from(knot[at]) * weights.to_units() - squares;
                let halves = halves(weight.clamp(-MOST_WEIGHT, MOST_WEIGHT));
                row[LINEAR + 2 * place..][..2].copy_from_slice(&halves.map(|half| half as u8));
            }
        }
    }
}

/// The greatest linear weight in units of [`DISC`]: its high byte is one.
const MOST_WEIGHT: i32 = 0x7eff;

/// A number as 256 times a byte and another byte, both signed.
fn halves(number: i32) -> [i8; 2] {
    let low = number as i8;
    [((number - i32::from(low)) >> 8) as i8, low]
}

/// A number with bits behind the point as the nearest whole one.
#[inline]
fn rounded(number: i64, bits: u32) -> i64 {
    (number + (1 << (bits - 1))) >> bits
}

impl Form for Tables {
    type Weights = FactorWeights;

    fn new(weights: FactorWeights) -> Tables {
        let spans = weights.knots() - 1;
        let stage = |empties: usize| {
            let place = (60 - empties.min(60)) * spans;
            let span = (place / 60).min(spans - 1);
            let next = (((place - 60 * span) << KNOT_BITS) + 30) / 60;
            Stage { span: span as u8, discs: 60 - empties.min(60) as u8, next: next as u16 }
        };
        let units = i64::from(weights.factor_units());
        Tables {
            spans: (0..spans).map(|_| OnceLock::new()).collect(),
            stages: std::array::from_fn(stage),
            // Half of a product, in units of a disc.
            scale: ((i64::from(DISC / 2) << FACTOR_BITS) + units * units / 2) / (units * units),
            weights,
        }
    }

    fn with_state(evaluation: &OverPatterns<Tables>) -> WithState<'_> {
        WithState::Pattern(evaluation)
    }

    #[inline]
    fn value(&self, state: &State, position: &Position) -> i32 {
        let Stage { span, discs, next } = self.stages[position.empties().count() as usize % 64];
        let span = usize::from(span);
        let span = self.spans[span].get_or_init(|| Span::new(&self.weights, span, self.scale));
        let table: &[Row; PLACES.length] = span.rows.as_chunks().0.first_chunk().expect("a span has all its rows");
        let lanes = state.lanes();
        // Two sums, so that additions need not wait for one another. Rows have bytes, so no sum leaves 16 bits.
        let mut sums = [&span.discs[usize::from(discs)], &span.mobility[mobility_pair(position)]].map(Accumulator::new);
        add_chunk::<0>(&mut sums, table, lanes);
        add_chunk::<1>(&mut sums, table, lanes);
        add_chunk::<2>(&mut sums, table, lanes);
        add_chunk::<3>(&mut sums, table, lanes);
        add_chunk::<4>(&mut sums, table, lanes);
        add_chunk::<5>(&mut sums, table, lanes);
        add_chunk::<6>(&mut sums, table, lanes);
        add_chunk::<7>(&mut sums, table, lanes);
        let [sums, others] = sums;
        self.combine(sums.total(others), next)
    }
}

impl Tables {
    /// The value from the sums of the rows.
    #[inline]
    fn combine(&self, Total { squares, linear }: Total, next: u16) -> i32 {
        let linear = |at: usize| i64::from(linear[at]) * 256 + i64::from(linear[at + 1]);
        let next = i64::from(next);
        let between = linear(0) * ((1 << KNOT_BITS) - next) + linear(2) * next;
        let value = rounded((between << (FACTOR_BITS - KNOT_BITS)) + i64::from(squares) * self.scale, FACTOR_BITS);
        value.clamp(-i64::from(STATIC_LIMIT), STATIC_LIMIT.into()) as i32
    }
}

/// Adds the rows of eight instances. The number of the chunk is a constant, and so are the places of their windows.
#[inline(always)]
fn add_chunk<const N: usize>(sums: &mut [Accumulator; 2], table: &[Row; PLACES.length], lanes: &[u16; INSTANCES]) {
    for i in CHUNK * N..CHUNK * (N + 1) {
        let window: &[Row; LANE_VALUES] = table[WINDOWS[i]..].first_chunk().expect("windows end in the table");
        sums[i % 2].add(&window[usize::from(lanes[i])]);
    }
}

/// Instances of a chunk.
const CHUNK: usize = 8;

const _: () = assert!(INSTANCES == 8 * CHUNK, "eight chunks have all rows");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;
    use crate::random::Random;
    use crate::testing::random_position;

    /// Small weights of all kinds.
    fn random_weights(knots: usize, seed: u64) -> FactorWeights {
        let mut random = Random::new(seed);
        let linear = (0..knots * rows()).map(|_| random.below(129) as i16 - 64).collect();
        let factors = (0..RANK * rows()).map(|_| random.below(41) as i8 - 20).collect();
        FactorWeights::new(32, 128, linear, factors).unwrap()
    }

    /// The rows of a position.
    fn rows_of(position: &Position) -> Vec<usize> {
        let sharing = Sharing::get();
        let mut rows: Vec<usize> = State::of(position).numbers().map(|row| row as usize).collect();
        rows.push(sharing.mobility().start + mobility_pair(position));
        rows.push(sharing.constant() + usize::from(position.empty_count().placed()));
        rows
    }

    /// The formula, pair by pair, in discs.
    fn by_definition(weights: &FactorWeights, position: &Position) -> f64 {
        let rows = rows_of(position);
        let place = f64::from(position.empty_count().placed()) * (weights.knots() - 1) as f64 / 60.0;
        let knot = (place as usize).min(weights.knots() - 2);
        let way = place - knot as f64;
        let linear = |knot: usize| rows.iter().map(|&row| f64::from(weights.linear(knot)[row]) / 32.0).sum::<f64>();
        let mut value = (1.0 - way) * linear(knot) + way * linear(knot + 1);
        for k in 0..RANK {
            let sign = if k < RANK / 2 { 1.0 } else { -1.0 };
            let factor = |row: usize| f64::from(weights.factor(k)[row]) / f64::from(weights.factor_units());
            for (i, &one) in rows.iter().enumerate() {
                value += rows[i + 1..].iter().map(|&other| sign * factor(one) * factor(other)).sum::<f64>();
            }
        }
        value
    }

    fn value(tables: &Tables, position: &Position) -> i32 {
        tables.value(&State::of(position), position)
    }

    #[test]
    fn the_integers_are_the_formula() {
        let mut beyond = 0;
        for (knots, seed) in [(2, 1), (7, 2), (11, 3)] {
            let weights = random_weights(knots, seed);
            let tables = Tables::new(weights.clone());
            for seed in 0..120 {
                let position = random_position(seed, seed as u32 % 61);
                let exact = by_definition(&weights, &position) * f64::from(DISC);
                let limit = f64::from(STATIC_LIMIT);
                beyond += i32::from(exact.abs() > limit);
                // A rounded square for each of 66 rows, and the interpolation in steps of 1/4096.
                let error = f64::from(value(&tables, &position)) - exact.clamp(-limit, limit);
                assert!(error.abs() < 12.0, "{position}: {exact} and {error} more");
            }
        }
        assert!(beyond < 200, "most values are within the limits: {beyond}");
    }

    #[test]
    fn positions_that_play_alike_have_one_value() {
        let tables = Tables::new(random_weights(7, 5));
        for seed in 0..60 {
            let position = random_position(seed, seed as u32);
            let expected = value(&tables, &position);
            for symmetry in Symmetry::ALL {
                assert_eq!(value(&tables, &symmetry.position(&position)), expected, "{position} {symmetry:?}");
            }
            assert_eq!(value(&tables, &position.swap_colors()), expected, "{position}");
        }
    }

    /// The example of docs/evaluation.md.
    #[test]
    fn an_example_by_hand() {
        // Two factors: v_1 counts positive, v_7 negative. A diagonal of six full of own discs has w = 1, v_1 = 2, v_7 = ½;
        // 18 discs have w = ½ at 4 discs and 3½ at 64, v_1 = ¾, v_7 = 1.
        let sharing = Sharing::get();
        let diagonal = FAMILIES.iter().position(|family| family.name == "diagonal 6").unwrap();
        let full = *sharing.of_family(diagonal).last().unwrap() as usize;
        let discs = sharing.constant() + 14;
        let (mut linear, mut factors) = (vec![0; 2 * rows()], vec![0; RANK * rows()]);
        for knot in 0..2 {
            linear[knot * rows() + full] = 32;
        }
        (linear[discs], linear[rows() + discs]) = (16, 112);
        (factors[full], factors[HALF * rows() + full]) = (64, 16);
        (factors[discs], factors[HALF * rows() + discs]) = (24, 32);
        let tables = Tables::new(FactorWeights::new(32, 32, linear, factors).unwrap());
        let board = "--X-X--- ---X---- ----X-X- ---OOXX- ---OO-X- -O---O-X O-----O- -------X X";
        let position = *crate::notation::read_position(board).unwrap().position();
        assert_eq!(position.empties().count(), 46);
        // w: 1 + (½ + (3½ − ½) · 14/60) = 2.2; pairs: 2 · ¾ − ½ · 1 = 1; together 3.2 discs.
        assert!((f64::from(value(&tables, &position)) / f64::from(DISC) - 3.2).abs() < 0.02);
        // The other side has no full diagonal: ½ + 0.7 discs.
        assert!((f64::from(value(&tables, &position.pass())) / f64::from(DISC) - 1.2).abs() < 0.02);
    }

    #[test]
    fn large_linear_weights_keep_both_bytes() {
        for number in [0, 1, 127, 128, 255, 256, -1, -128, -129, 8191 * 4, MOST_WEIGHT, -MOST_WEIGHT] {
            let [high, low] = halves(number.clamp(-MOST_WEIGHT, MOST_WEIGHT));
            assert_eq!(i32::from(high) * 256 + i32::from(low), number.clamp(-MOST_WEIGHT, MOST_WEIGHT));
        }
    }
}
