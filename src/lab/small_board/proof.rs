//! Best first: proof number search over a graph of positions, with the depth-first solver at its leaves.
//!
//! As in the engine's own proofs, the numbers of a leaf are what its solving is expected to cost, the more the less likely the answer
//! is by a shallow search.

use super::Solver;
use super::alpha_beta::{AlphaBeta, UNIT};
use super::board::{Board, Shape};
use std::collections::HashMap;

/// Empty squares up to which a leaf is solved; others are expanded.
const SOLVE_FROM: u32 = 18;
/// Plies of the search that gives a leaf its estimate.
const ESTIMATE_PLIES: u32 = 4;
/// Growth of the logarithm of a solve's cost with each empty square.
const LOG_PER_SQUARE: f64 = 0.5;
/// Discs that change the odds of an answer by a factor of e.
const SCALE: f64 = 6.0;
/// The least distance of a probability from 0 and 1.
const DOUBT: f64 = 0.002;

const ROOT: u32 = 0;

struct Node {
    /// The position that stands for those that are the same by symmetry.
    board: Board,
    /// Whether the side to move is the root's.
    is_roots: bool,
    /// Cost of showing that the side to move has more than it is asked for, and of showing that it has not: 0 and infinite once shown.
    proof: f64,
    disproof: f64,
    kids: Vec<u32>,
}

/// A solver.
pub struct Proof<'a> {
    shape: &'a Shape,
    leaves: AlphaBeta<'a>,
    pub(super) solve_from: u32,
    nodes: Vec<Node>,
    index: HashMap<(Board, bool), u32>,
    /// Positions stored in the largest graph so far.
    pub most_stored: usize,
    expanded: u64,
}

impl Solver for Proof<'_> {
    fn bound(&mut self, board: &Board, alpha: i32) -> i32 {
        self.nodes.clear();
        self.index.clear();
        self.place(board, true, alpha);
        let mut path = Vec::new();
        while !self.is_decided(ROOT) {
            self.descend(&mut path);
            self.grow(path[path.len() - 1], alpha);
            path.iter().rev().for_each(|&place| self.back_up(place));
        }
        self.most_stored = self.most_stored.max(self.nodes.len());
        // Scores of one board are all even or all odd, but for a draw by empty squares; the next one is a safe bound.
        if self.nodes[ROOT as usize].proof == 0.0 { alpha + 1 } else { alpha }
    }
}

impl<'a> Proof<'a> {
    /// A solver whose depth-first part has a table of two to the power of `log` pairs of positions.
    pub fn new(shape: &'a Shape, log: u32) -> Proof<'a> {
        Proof {
            shape,
            leaves: AlphaBeta::new(shape, log),
            solve_from: SOLVE_FROM,
            nodes: Vec::new(),
            index: HashMap::new(),
            most_stored: 0,
            expanded: 0,
        }
    }

    /// Positions visited: nodes of the graph, and those of the searches at its leaves.
    pub fn visited(&self) -> u64 {
        self.leaves.nodes + self.expanded
    }

    /// Memory of the largest graph, about, and of the table.
    pub fn bytes(&self) -> usize {
        let each = size_of::<Node>() + size_of::<((Board, bool), u32)>() + size_of::<[u32; 8]>();
        self.most_stored * each + self.leaves.bytes()
    }

    fn is_decided(&self, place: u32) -> bool {
        let node = &self.nodes[place as usize];
        node.proof == 0.0 || node.disproof == 0.0
    }

    /// What the side to move is asked to exceed at a node.
    fn asked(is_roots: bool, alpha: i32) -> i32 {
        if is_roots { alpha } else { -alpha - 1 }
    }

    /// The place of a position, which is made a leaf if it is new.
    fn place(&mut self, board: &Board, is_roots: bool, alpha: i32) -> u32 {
        let board = self.shape.canonical(board);
        if let Some(&place) = self.index.get(&(board, is_roots)) {
            return place;
        }
        self.expanded += 1;
        let asked = Self::asked(is_roots, alpha);
        let estimate = self.leaves.estimate(&board, ESTIMATE_PLIES, -i32::MAX, i32::MAX);
        let gap = f64::from(estimate) / f64::from(UNIT) - f64::from(asked) - 0.5;
        let p = (1.0 / (1.0 + (-gap / SCALE).exp())).clamp(DOUBT, 1.0 - DOUBT);
        let cost = (LOG_PER_SQUARE * f64::from(self.shape.empties(&board).count())).exp();
        let place = self.nodes.len() as u32;
        let (proof, disproof) = (cost / (p * p), cost / ((1.0 - p) * (1.0 - p)));
        self.nodes.push(Node { board, is_roots, proof, disproof, kids: Vec::new() });
        self.index.insert((board, is_roots), place);
        place
    }

    /// Writes the way to the leaf that decides most: always the child that is cheapest to refute.
    fn descend(&mut self, path: &mut Vec<u32>) {
        path.clear();
        let mut place = ROOT;
        loop {
            path.push(place);
            // It may be known in another way by now.
            self.back_up(place);
            let node = &self.nodes[place as usize];
            if node.kids.is_empty() || self.is_decided(place) {
                return;
            }
            let cost = |kid: &&u32| self.nodes[**kid as usize].disproof;
            place = *node.kids.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).expect("it has children");
        }
    }

    /// Solves or expands a leaf.
    fn grow(&mut self, place: u32, alpha: i32) {
        if self.is_decided(place) {
            return;
        }
        let Node { board, is_roots, .. } = self.nodes[place as usize];
        let moves = self.shape.moves(&board);
        let is_over = moves.is_empty() && self.shape.moves(&board.pass()).is_empty();
        if is_over || self.shape.empties(&board).count() <= self.solve_from {
            let asked = Self::asked(is_roots, alpha);
            let exceeds = self.leaves.bound(&board, asked) > asked;
            let node = &mut self.nodes[place as usize];
            (node.proof, node.disproof) = if exceeds { (0.0, f64::INFINITY) } else { (f64::INFINITY, 0.0) };
            return;
        }
        let children: Vec<Board> = if moves.is_empty() {
            vec![board.pass()]
        } else {
            moves.into_iter().map(|square| board.after(square)).collect()
        };
        let mut kids: Vec<u32> = children.iter().map(|child| self.place(child, !is_roots, alpha)).collect();
        kids.sort_unstable();
        kids.dedup();
        self.nodes[place as usize].kids = kids;
    }

    /// Computes the numbers of a node from its children's: one must fail for the proof, all must succeed for the disproof.
    fn back_up(&mut self, place: u32) {
        let node = &self.nodes[place as usize];
        if node.kids.is_empty() {
            return;
        }
        let (mut proof, mut disproof) = (f64::INFINITY, 0.0);
        for &kid in &node.kids {
            let kid = &self.nodes[kid as usize];
            proof = kid.disproof.min(proof);
            disproof += kid.proof;
        }
        let node = &mut self.nodes[place as usize];
        (node.proof, node.disproof) = (proof, disproof);
    }
}
