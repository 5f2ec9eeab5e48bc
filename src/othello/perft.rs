//! Counting the leaves of the game tree, the classical check of a move generator.

use super::moves::{count_moves, legal_moves_of_many};
use super::{Bitboard, Position, flips, legal_moves};

/// How a forced pass counts. Both conventions are in use; they agree up to 8 plies from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassRule {
    /// A pass uses up a ply.
    Ply,
    /// A pass is free: the side that can move moves at the same depth.
    Free,
}

/// The number of positions reached by `depth` plies of play; a game that ends earlier counts once.
///
/// The positions one ply above the leaves are all made; their moves are counted, not played ("bulk counting"). Nothing
/// is looked up and no symmetry is used.
///
/// ```
/// use emilia::othello::{PassRule, Position, perft};
/// assert_eq!(perft(&Position::START, 6, PassRule::Ply), 8_200);
/// ```
pub fn perft(position: &Position, depth: u32, rule: PassRule) -> u64 {
    let mut count = Count { rule, leaves: 0, above_leaves: Batch::new(), two_above: Batch::new() };
    count.visit(position.player(), position.opponent(), depth);
    count.expand();
    count.finish();
    count.leaves
}

/// Positions that wait until there are enough of them to generate their moves together.
struct Batch {
    players: [u64; Batch::SIZE],
    opponents: [u64; Batch::SIZE],
    len: usize,
}

impl Batch {
    const SIZE: usize = 256;
    /// More than the moves of any position: 60 squares are empty at most.
    const RESERVE: usize = 60;

    fn new() -> Batch {
        Batch { players: [0; Batch::SIZE], opponents: [0; Batch::SIZE], len: 0 }
    }

    /// Adds the positions after the moves.
    #[inline]
    fn push_children(&mut self, player: Bitboard, opponent: Bitboard, moves: Bitboard) {
        // The mask spares a test of the bounds, which `is_full` has made.
        debug_assert!(self.len + moves.count() as usize <= Batch::SIZE);
        let mut len = self.len;
        for square in moves {
            let turned = flips(square, player, opponent);
            self.players[len % Batch::SIZE] = (opponent ^ turned).0;
            self.opponents[len % Batch::SIZE] = (player | turned | square.bit()).0;
            len += 1;
        }
        self.len = len;
    }

    /// Whether the moves of one more position may not fit.
    #[inline]
    fn is_full(&self) -> bool {
        self.len > Batch::SIZE - Batch::RESERVE
    }
}

/// A count in progress. The last two plies are not walked depth first but collected, because many positions that need
/// the same thing done keep all lanes of the vector unit busy, and one does not.
struct Count {
    rule: PassRule,
    leaves: u64,
    above_leaves: Batch,
    two_above: Batch,
}

impl Count {
    fn visit(&mut self, player: Bitboard, opponent: Bitboard, depth: u32) {
        if depth == 0 {
            self.leaves += 1;
            return;
        }
        let moves = legal_moves(player, opponent);
        if moves.is_empty() {
            if legal_moves(opponent, player).is_empty() {
                self.leaves += 1;
            } else {
                self.visit(opponent, player, if self.rule == PassRule::Ply { depth - 1 } else { depth });
            }
        } else if depth == 1 {
            self.leaves += u64::from(moves.count());
        } else if depth == 2 {
            self.above_leaves.push_children(player, opponent, moves);
            if self.above_leaves.is_full() {
                self.finish();
            }
        } else if depth == 3 {
            self.two_above.push_children(player, opponent, moves);
            if self.two_above.is_full() {
                self.expand();
            }
        } else {
            for square in moves {
                let turned = flips(square, player, opponent);
                self.visit(opponent ^ turned, player | turned | square.bit(), depth - 1);
            }
        }
    }

    /// Makes the children of the positions two plies above the leaves.
    fn expand(&mut self) {
        let batch = &mut self.two_above;
        let mut moves = [0; Batch::SIZE];
        let len = std::mem::take(&mut batch.len);
        legal_moves_of_many(&batch.players[..len], &batch.opponents[..len], &mut moves[..len]);
        for (index, &moves) in moves[..len].iter().enumerate() {
            let player = Bitboard(self.two_above.players[index]);
            let opponent = Bitboard(self.two_above.opponents[index]);
            if moves == 0 {
                self.visit(player, opponent, 2);
                continue;
            }
            self.above_leaves.push_children(player, opponent, Bitboard(moves));
            if self.above_leaves.is_full() {
                self.finish();
            }
        }
    }

    /// Counts the moves of the positions above the leaves.
    fn finish(&mut self) {
        let batch = &mut self.above_leaves;
        let len = std::mem::take(&mut batch.len);
        let (players, opponents) = (&batch.players[..len], &batch.opponents[..len]);
        let (moves, without) = count_moves(players, opponents);
        self.leaves += moves;
        if without == 0 {
            return;
        }
        match self.rule {
            // A pass leads to one leaf, the end of a game is one.
            PassRule::Ply => self.leaves += without,
            PassRule::Free => {
                for (&player, &opponent) in players.iter().zip(opponents) {
                    let (player, opponent) = (Bitboard(player), Bitboard(opponent));
                    if legal_moves(player, opponent).is_empty() {
                        self.leaves += u64::from(legal_moves(opponent, player).count().max(1));
                    }
                }
            }
        }
    }
}
