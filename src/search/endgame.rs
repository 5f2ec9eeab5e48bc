//! Perfect play near the end: values in whole discs, by alpha-beta down to the last square.
//!
//! Three tiers. Far from the end the table is asked and moves are tried where the other side keeps the fewest replies
//! (fastest first). Below [`TABLE_FROM`] the table no longer pays. Below [`SORT_FROM`] moves are tried in the order of
//! parity alone: squares in quadrants with an odd number of empty squares first.

use super::Contempt;
use super::ordering::Candidates;
use super::selectivity::Selectivity;
use super::transposition::{Entry, TO_THE_END, TranspositionTable};
use crate::game::DISC;
use crate::othello::{Bitboard, Position, Square, final_score, flips, last_flips, legal_moves, stable_discs};
use arrayvec::ArrayVec;

/// From so many empty squares on the transposition table is asked.
const TABLE_FROM: u32 = 9;
/// From so many empty squares on moves are sorted by the mobility that they leave.
const SORT_FROM: u32 = 6;
/// If at least so many discs are to be exceeded, the other side's stable discs may forbid it.
const STABILITY_FROM: i32 = 0;
/// Nodes between two looks at the clock.
const CHECK_INTERVAL: u64 = 4096;
/// Beyond every score, in discs.
pub(super) const INFINITY: i32 = 127;

/// The four quadrants.
const QUADRANTS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// A solver at work.
pub(super) struct Solver<'a> {
    pub table: &'a TranspositionTable,
    pub contempt: Contempt,
    /// Positions visited, carried on from the search around it.
    pub nodes: u64,
    pub evaluations: u64,
    /// Asked every few thousand nodes, with nodes and evaluations so far.
    stop: &'a mut dyn FnMut(u64, u64) -> bool,
    /// Whether it said yes; the value returned then means nothing.
    pub stopped: bool,
    next_check: u64,
}

/// The discs of one position seen by the side to move, and what a draw is worth to it.
#[derive(Clone, Copy)]
struct Board {
    player: Bitboard,
    opponent: Bitboard,
    draw: i32,
}

impl Board {
    #[inline]
    fn empties(self) -> Bitboard {
        !(self.player | self.opponent)
    }

    #[inline]
    fn after(self, square: Square, turned: Bitboard) -> Board {
        Board { player: self.opponent ^ turned, opponent: self.player | turned | square.bit(), draw: -self.draw }
    }

    #[inline]
    fn pass(self) -> Board {
        Board { player: self.opponent, opponent: self.player, draw: -self.draw }
    }

    #[inline]
    fn outcome(self) -> i32 {
        match final_score(self.player, self.opponent) {
            0 => self.draw,
            score => score,
        }
    }
}

impl<'a> Solver<'a> {
    pub(super) fn new(
        table: &'a TranspositionTable,
        contempt: Contempt,
        stop: &'a mut dyn FnMut(u64, u64) -> bool,
    ) -> Solver<'a> {
        Solver { table, contempt, nodes: 0, evaluations: 0, stop, stopped: false, next_check: 0 }
    }

    /// The value of a position for its side to move, in discs: exact if it lies between `alpha` and `beta`, else a bound
    /// on the side of the one it passes.
    pub(super) fn solve(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        let empties = position.empties().count();
        if empties < TABLE_FROM {
            let draw = self.contempt.draw_for(position.mover());
            let board = Board { player: position.player(), opponent: position.opponent(), draw };
            return self.sorted(board, alpha, beta, empties);
        }
        if self.count_and_check() {
            return 0;
        }
        let moves = position.moves();
        if moves.is_empty() {
            let passed = position.pass();
            return if passed.moves().is_empty() {
                self.contempt.outcome(position) / DISC
            } else {
                -self.solve(&passed, -beta, -alpha)
            };
        }
        let (mut alpha, mut beta) = (alpha, beta);
        if alpha >= STABILITY_FROM {
            let limit = self.stability_limit(position);
            if limit <= alpha {
                return limit;
            }
        }
        let entry = self.table.probe(position);
        if let Some(entry) = entry.filter(|entry| entry.covers(TO_THE_END, Selectivity::NONE)) {
            let (lower, upper) = (entry.lower / DISC, entry.upper / DISC);
            if lower >= beta || lower == upper {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
            (alpha, beta) = (alpha.max(lower), beta.min(upper));
        }
        let mut children = Candidates::of(position, moves);
        // Enhanced transposition cut-off: a reply that is known to be bad enough for the other side settles the matter.
        if empties > TABLE_FROM {
            for candidate in &children {
                let known =
                    self.table.probe(&candidate.child).filter(|entry| entry.covers(TO_THE_END, Selectivity::NONE));
                if let Some(value) = known.map(|entry| -entry.upper / DISC).filter(|&value| value >= beta) {
                    return value;
                }
            }
        }
        children.sort_by_replies(entry.and_then(|entry| entry.best));
        let (mut best, mut best_move) = (-INFINITY, None);
        for candidate in &children {
            let bound = alpha.max(best);
            let mut value = if best == -INFINITY || beta - bound == 1 {
                -self.solve(&candidate.child, -beta, -bound)
            } else {
                -self.solve(&candidate.child, -bound - 1, -bound)
            };
            if value > bound && value < beta && best > -INFINITY && beta - bound > 1 {
                value = -self.solve(&candidate.child, -beta, -bound);
            }
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_move) = (value, Some(candidate.square));
                if best >= beta {
                    break;
                }
            }
        }
        let lower = if best > alpha { best } else { -INFINITY };
        let upper = if best < beta { best } else { INFINITY };
        let entry = Entry {
            lower: lower * DISC,
            upper: upper * DISC,
            depth: TO_THE_END,
            selectivity: Selectivity::NONE,
            best: best_move,
        };
        self.table.store(position, entry);
        best
    }

    /// The most that the side to move can still get, in discs, with the other side's stable discs lost to it.
    fn stability_limit(&self, position: &Position) -> i32 {
        let lost = stable_discs(position.opponent(), position.player()).count() as i32;
        let limit = 64 - 2 * lost;
        if limit < 0 { limit } else { limit.max(self.contempt.draw_for(position.mover())) }
    }

    /// Counts a node; every few thousand, asks whether to stop.
    pub(super) fn count_and_check(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.next_check = self.nodes + CHECK_INTERVAL;
            self.stopped |= (self.stop)(self.nodes, self.evaluations);
        }
        self.stopped
    }

    /// Fastest first, without the table.
    fn sorted(&mut self, board: Board, alpha: i32, beta: i32, empties: u32) -> i32 {
        if empties < SORT_FROM {
            return self.by_parity(board, alpha, beta, empties, false);
        }
        self.nodes += 1;
        let moves = legal_moves(board.player, board.opponent);
        if moves.is_empty() {
            let passed = board.pass();
            return if legal_moves(passed.player, passed.opponent).is_empty() {
                board.outcome()
            } else {
                -self.sorted(passed, -beta, -alpha, empties)
            };
        }
        let odd = odd_quadrants(board.empties());
        let mut children: ArrayVec<(u32, Board), { TABLE_FROM as usize }> = ArrayVec::new();
        for square in moves {
            let child = board.after(square, flips(square, board.player, board.opponent));
            let replies = legal_moves(child.player, child.opponent);
            let even = u32::from(!odd.contains(square));
            children.push((replies.count() * 2 + (replies & Bitboard::CORNERS).count() * 2 + even, child));
        }
        children.sort_unstable_by_key(|&(replies, _)| replies);
        let mut best = -INFINITY;
        for (_, child) in children {
            let value = -self.sorted(child, -beta, -alpha.max(best), empties - 1);
            if value > best {
                best = value;
                if best >= beta {
                    break;
                }
            }
        }
        best
    }

    /// The last few squares, those of odd quadrants first: whoever fills one of them may get the last move there.
    fn by_parity(&mut self, board: Board, alpha: i32, beta: i32, empties: u32, passed: bool) -> i32 {
        self.nodes += 1;
        let free = board.empties();
        if empties <= 1 {
            return free.into_iter().next().map_or_else(|| board.outcome(), |square| last_square(board, square));
        }
        let odd = odd_quadrants(free);
        let mut best = -INFINITY;
        for square in (free & odd).into_iter().chain(free & !odd) {
            let turned = flips(square, board.player, board.opponent);
            if turned.is_empty() {
                continue;
            }
            let child = board.after(square, turned);
            let value = -self.by_parity(child, -beta, -alpha.max(best), empties - 1, false);
            if value > best {
                best = value;
                if best >= beta {
                    return best;
                }
            }
        }
        if best > -INFINITY {
            best
        } else if passed {
            board.outcome()
        } else {
            -self.by_parity(board.pass(), -beta, -alpha, empties, true)
        }
    }
}

/// The outcome with one empty square left: whoever can takes it, the side to move first.
fn last_square(board: Board, square: Square) -> i32 {
    let mine = board.player.count() as i32;
    let turned = last_flips(square, board.player) as i32;
    if turned > 0 {
        return or_draw(2 * (mine + turned) + 2 - 64, board.draw);
    }
    let turned = last_flips(square, board.opponent) as i32;
    if turned > 0 {
        return or_draw(2 * (mine - turned) - 64, board.draw);
    }
    board.outcome()
}

fn or_draw(score: i32, draw: i32) -> i32 {
    if score == 0 { draw } else { score }
}

fn odd_quadrants(empties: Bitboard) -> Bitboard {
    let odd = QUADRANTS.into_iter().filter(|quadrant| (empties.0 & quadrant).count_ones() % 2 == 1);
    Bitboard(odd.fold(0, |set, quadrant| set | quadrant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_position;

    /// Plain negamax over every line of play.
    fn brute_force(position: &Position, contempt: Contempt) -> i32 {
        let moves = position.moves();
        if moves.is_empty() {
            let passed = position.pass();
            return if passed.moves().is_empty() {
                contempt.outcome(position) / DISC
            } else {
                -brute_force(&passed, contempt)
            };
        }
        moves.into_iter().map(|square| -brute_force(&position.after(square), contempt)).max().expect("a move")
    }

    #[test]
    fn equal_to_brute_force_in_every_window() {
        let mut table = TranspositionTable::new(1 << 20);
        for seed in 0..300 {
            let contempt = Contempt::new([0, 0, 100, -3][seed as usize % 4]).unwrap();
            let position = random_position(seed, [4, 6, 8, 9][seed as usize / 4 % 4]);
            let truth = brute_force(&position, contempt);
            table.clear();
            table.new_search(contempt);
            let mut never = |_, _| false;
            let mut solver = Solver::new(&table, contempt, &mut never);
            for bound in [truth - 5, truth - 1, truth, truth + 1, truth + 5] {
                let value = solver.solve(&position, bound, bound + 1);
                if truth > bound {
                    assert!(value > bound && value <= truth, "{position}: {value} for {truth} above {bound}");
                } else {
                    assert!(value <= bound && value >= truth, "{position}: {value} for {truth} up to {bound}");
                }
            }
            assert_eq!(solver.solve(&position, -INFINITY, INFINITY), truth, "{position} {contempt:?}");
        }
    }

    #[test]
    fn an_early_end_gives_the_empties_to_the_winner() {
        let table = TranspositionTable::new(1 << 16);
        let mut never = |_, _| false;
        let mut solver = Solver::new(&table, Contempt::NONE, &mut never);
        let wiped_out = Position::new(Bitboard::CENTRE, Bitboard::EMPTY, crate::othello::Color::White).unwrap();
        assert_eq!(solver.solve(&wiped_out, -INFINITY, INFINITY), -64);
    }
}
