//! What is known of the positions between the one asked for and those that the solver takes: a graph, a node for each position,
//! with proof numbers for the bound that is asked for.

use super::cost::CostModel;
use super::index::Index;
use crate::game::DISC;
use crate::othello::{Bitboard, Color, Empties, Position, Square};
use crate::search::tree::Full;
use crate::search::{BEYOND_DISCS, MOST_DISCS};

/// A cost greater than every other.
const NEVER: f32 = f32::INFINITY;
/// A pass among the turns to the children.
const PASS: u8 = 64;

/// One position. Values and bounds are its side to move's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    player: u64,
    opponent: u64,
    /// The place of the first child's edge among the edges.
    pub kids: u32,
    /// What it is expected to cost to prove that the value exceeds the bound asked for, and to prove that it does not, in
    /// positions; 0 and [`NEVER`] once that is done.
    pub proof: f32,
    pub disproof: f32,
    /// The number of the question that [`Node::proof`] and `disproof` are for.
    round: u16,
    /// The estimate, in units of [`DISC`].
    pub value: i16,
    /// Proven bounds in discs.
    pub lower: i8,
    pub upper: i8,
    /// Plies of the search that the estimate is from.
    pub depth: u8,
    /// Number of children, 0 for a leaf.
    pub count: u8,
    pub is_black: bool,
    /// Whether the solver has given it up.
    pub is_hard: bool,
    /// Whether a thread is at work here.
    pub is_busy: bool,
}

impl Node {
    /// A leaf with the estimate `value` in units of [`DISC`], from a search of `depth` plies, and bounds in discs.
    pub fn leaf(position: &Position, value: i32, depth: u8, (lower, upper): (i32, i32)) -> Node {
        Node {
            player: position.player().0,
            opponent: position.opponent().0,
            kids: 0,
            proof: 0.0,
            disproof: 0.0,
            round: 0,
            value: value.clamp(-MOST_DISCS * DISC, MOST_DISCS * DISC) as i16,
            lower: lower.clamp(-MOST_DISCS, MOST_DISCS) as i8,
            upper: upper.clamp(-MOST_DISCS, MOST_DISCS) as i8,
            depth,
            count: 0,
            is_black: position.mover() == Color::Black,
            is_hard: false,
            is_busy: false,
        }
    }

    pub fn position(&self) -> Position {
        let (player, opponent) = (Bitboard(self.player), Bitboard(self.opponent));
        let (black, white, mover) =
            if self.is_black { (player, opponent, Color::Black) } else { (opponent, player, Color::White) };
        Position::new(black, white, mover).expect("nodes are made from positions")
    }

    /// The discs of the side to move and of the other one.
    fn discs(&self) -> (u64, u64) {
        (self.player, self.opponent)
    }

    pub fn empties(&self) -> Empties {
        Empties::new((self.player | self.opponent).count_zeros() as u8).expect("nodes are made from positions")
    }

    pub fn is(&self, position: &Position) -> bool {
        self.discs() == (position.player().0, position.opponent().0)
            && self.is_black == (position.mover() == Color::Black)
    }

    /// Whether it is known if the value exceeds the bound asked for.
    pub fn is_decided(&self) -> bool {
        self.proof == 0.0 || self.disproof == 0.0
    }

    /// Takes over an estimate from a search of `depth` plies; without a value, only that a deeper one cannot be had.
    pub fn estimate(&mut self, value: Option<i32>, depth: u8) {
        let value = value.unwrap_or(self.value.into());
        self.value = value.clamp(i32::from(self.lower) * DISC, i32::from(self.upper) * DISC) as i16;
        self.depth = depth;
    }

    /// Takes over what has been proven: a bound in discs on the side of `alpha` that it says.
    pub fn learn(&mut self, alpha: i32, bound: i32) {
        if bound > alpha {
            self.lower = self.lower.max(bound as i8);
        } else {
            self.upper = self.upper.min(bound as i8);
        }
    }
}

/// A move from one position to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub node: u32,
    turn: u8,
}

impl Edge {
    pub fn new(node: u32, turn: Option<Square>) -> Edge {
        Edge { node, turn: turn.map_or(PASS, |square| square.index() as u8) }
    }

    /// The disc placed; `None` is a pass.
    pub fn turn(&self) -> Option<Square> {
        Square::new(self.turn)
    }
}

/// The graph, its root and the bound asked for.
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    edges: Vec<Edge>,
    index: Index,
    most_nodes: usize,
    cost: CostModel,
    /// Turns of the root that are left out of account.
    excluded: Vec<Option<Square>>,
    side: Color,
    /// What the root's value is asked to exceed, in discs.
    alpha: i32,
    round: u16,
}

/// Edges for each node, at most.
const EDGES: usize = 2;
/// Bytes for each node with its edges, its place in the index, and what dropping nodes takes for a while.
const NODE_BYTES: usize = size_of::<Node>() + EDGES * size_of::<Edge>() + Index::NODE_BYTES + 2 * size_of::<u32>();
/// Number of nodes that a graph holds at least, however small its memory: enough for the root and its children.
const LEAST_NODES: usize = 100;
/// The root's place.
pub(super) const ROOT: u32 = 0;

impl Graph {
    /// A graph of one node, in at most `bytes` bytes.
    pub fn new(root: Node, cost: CostModel, bytes: usize) -> Graph {
        let mut graph = Graph {
            nodes: Vec::new(),
            edges: Vec::new(),
            index: Index::default(),
            most_nodes: (bytes / NODE_BYTES).clamp(LEAST_NODES, u32::MAX as usize / 4),
            cost,
            excluded: Vec::new(),
            side: if root.is_black { Color::Black } else { Color::White },
            alpha: 0,
            round: 0,
        };
        graph.add(root);
        graph
    }

    pub fn root(&self) -> &Node {
        &self.nodes[ROOT as usize]
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.edges.capacity() * size_of::<Edge>() + self.index.bytes()
    }

    /// What the value of a node is asked to exceed, in discs.
    pub fn alpha_of(&self, node: &Node) -> i32 {
        if self.is_sides(node) { self.alpha } else { -self.alpha - 1 }
    }

    /// The middle between the results that exceed the bound and those that do not, for the node's side to move: scores differ
    /// by two discs.
    pub fn middle_of(&self, node: &Node) -> i32 {
        if self.is_sides(node) { self.alpha } else { -self.alpha }
    }

    fn is_sides(&self, node: &Node) -> bool {
        node.is_black == (self.side == Color::Black)
    }

    /// How far the estimate is above the bound, in discs.
    fn gap(&self, node: &Node) -> f32 {
        f32::from(node.value) / DISC as f32 - self.middle_of(node) as f32
    }

    /// Positions that the solver is expected to visit to find out whether a node's value exceeds the bound.
    pub fn null_window_cost(&self, node: &Node) -> f32 {
        CostModel::positions(node.empties(), self.gap(node))
    }

    /// The probability that a node's value exceeds the bound.
    pub fn probability(&self, node: &Node) -> f32 {
        self.cost.probability(node.empties(), node.depth, self.gap(node))
    }

    pub fn find(&self, position: &Position) -> Option<u32> {
        self.index.find(position, |node| self.nodes[node as usize].is(position))
    }

    pub fn kids(&self, node: &Node) -> &[Edge] {
        &self.edges[node.kids as usize..][..usize::from(node.count)]
    }

    /// The edges to the root's children that are not excluded.
    pub fn root_kids(&self) -> impl Iterator<Item = &Edge> {
        self.kids(self.root()).iter().filter(|edge| !self.excluded.contains(&edge.turn()))
    }

    /// Adds a leaf that is not there yet.
    fn add(&mut self, node: Node) -> u32 {
        let place = self.nodes.len() as u32;
        if self.nodes.len() == self.nodes.capacity() {
            let more = self.nodes.len().clamp(1 << 10, 1 << 20).min(self.most_nodes.saturating_sub(self.nodes.len()));
            self.nodes.reserve_exact(more.max(1));
        }
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.index.add(place, self.most_nodes, |place| nodes[place as usize].discs());
        place
    }

    /// Gives a leaf its children. Those that are in the graph already stay as they are.
    ///
    /// # Errors
    /// If there is no memory; nothing changes then.
    pub fn expand(&mut self, leaf: u32, kids: &[(Option<Square>, Node)]) -> Result<(), Full> {
        if !self.has_room_for(kids.len()) {
            return Err(Full);
        }
        let first = self.edges.len();
        if self.edges.capacity() < first + kids.len() {
            let more = first.clamp(1 << 10, 1 << 20).min(EDGES * self.most_nodes - first);
            self.edges.reserve_exact(more);
        }
        for (turn, kid) in kids {
            let place = match self.find(&kid.position()) {
                Some(place) => {
                    self.bring_up_to_date(place);
                    place
                }
                None => {
                    let place = self.add(*kid);
                    self.refresh(place);
                    place
                }
            };
            self.edges.push(Edge::new(place, *turn));
        }
        // The likely answer first, so that it is the first of equals.
        let nodes = &self.nodes;
        self.edges[first..].sort_by_key(|edge| nodes[edge.node as usize].value);
        let leaf = &mut self.nodes[leaf as usize];
        (leaf.kids, leaf.count) = (first as u32, kids.len() as u8);
        Ok(())
    }

    /// Computes the proof numbers of a node anew; those of its children are right.
    pub fn refresh(&mut self, place: u32) {
        let mut node = self.nodes[place as usize];
        node.round = self.round;
        if node.count > 0 {
            self.gather(&mut node, place == ROOT);
        } else {
            // What the solver has given up is known to cost more than it may.
            let least = if node.is_hard { super::LEAF_LIMIT as f32 } else { 0.0 };
            (node.proof, node.disproof) =
                self.cost.of_proof_and_disproof(node.empties(), node.depth, self.gap(&node), least);
        }
        let alpha = self.alpha_of(&node);
        if i32::from(node.lower) > alpha {
            (node.proof, node.disproof) = (0.0, NEVER);
        } else if i32::from(node.upper) <= alpha {
            (node.proof, node.disproof) = (NEVER, 0.0);
        }
        self.nodes[place as usize] = node;
    }

    /// The proof numbers from those of the children: one of these must fail for the proof, all of them must succeed for the disproof.
    fn gather(&self, node: &mut Node, is_root: bool) {
        let (mut lower, mut upper, mut value) = (-BEYOND_DISCS, -BEYOND_DISCS, i16::MIN);
        (node.proof, node.disproof) = (NEVER, 0.0);
        for edge in self.kids(node) {
            if is_root && self.excluded.contains(&edge.turn()) {
                continue;
            }
            let kid = &self.nodes[edge.node as usize];
            lower = lower.max(-i32::from(kid.upper));
            upper = upper.max(-i32::from(kid.lower));
            value = value.max(-kid.value);
            node.proof = node.proof.min(kid.disproof);
            node.disproof += kid.proof;
        }
        node.lower = node.lower.max(lower as i8);
        node.upper = node.upper.min(upper as i8);
        let (lower, upper) = (i32::from(node.lower) * DISC, i32::from(node.upper) * DISC);
        node.value = i32::from(value).clamp(lower, upper) as i16;
    }

    /// Asks whether the root's value exceeds `alpha`.
    pub fn ask(&mut self, alpha: i32) {
        self.alpha = alpha;
        self.work_out_everything();
    }

    /// Computes all proof numbers anew.
    pub fn work_out_everything(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            // The round counter has wrapped: no node's numbers are to be taken for current.
            self.nodes.iter_mut().for_each(|node| node.round = 0);
            self.round = 1;
        }
        self.bring_up_to_date(ROOT);
    }

    /// Computes the proof numbers that are still those of an earlier question, here and below.
    fn bring_up_to_date(&mut self, place: u32) {
        let node = self.nodes[place as usize];
        if node.round == self.round {
            return;
        }
        for i in node.kids..node.kids + u32::from(node.count) {
            self.bring_up_to_date(self.edges[i as usize].node);
        }
        self.refresh(place);
    }

    /// Leaves turns of the root out of account, and forgets its bounds.
    pub fn exclude(&mut self, turns: Vec<Option<Square>>) {
        self.excluded = turns;
        let root = &mut self.nodes[ROOT as usize];
        (root.lower, root.upper) = (-MOST_DISCS as i8, MOST_DISCS as i8);
        self.refresh(ROOT);
    }

    /// Writes to `path` the way to the node that decides most about the root's proof: always the child that is cheapest to
    /// refute. `false` if other threads are at work on everything that this comes to.
    pub fn descend(&mut self, path: &mut Vec<u32>) -> bool {
        path.clear();
        path.push(ROOT);
        let mut place = ROOT;
        loop {
            // It may be known in another way by now.
            self.bring_up_to_date(place);
            self.refresh(place);
            let node = self.nodes[place as usize];
            if node.is_decided() || node.count == 0 {
                return !node.is_busy;
            }
            let mut best = (NEVER, None);
            for edge in self.kids(&node) {
                let kid = &self.nodes[edge.node as usize];
                if kid.is_busy && kid.count == 0 || place == ROOT && self.excluded.contains(&edge.turn()) {
                    continue;
                }
                if kid.disproof < best.0 {
                    best = (kid.disproof, Some(edge.node));
                }
            }
            let Some(next) = best.1 else { return false };
            path.push(next);
            place = next;
        }
    }

    /// Backs up what has changed at the end of a path to its beginning.
    pub fn back_up(&mut self, path: &[u32]) {
        path.iter().rev().for_each(|&place| self.refresh(place));
    }

    /// Makes leaves of all nodes whose answer to the question is known, and drops what only they led to. Places change. Another
    /// question may have to find some of it again, mostly in the transposition table.
    pub fn drop_decided(&mut self) {
        const GONE: u32 = u32::MAX;
        let mut places = vec![GONE; self.nodes.len()];
        let mut open = vec![ROOT];
        places[ROOT as usize] = ROOT;
        while let Some(place) = open.pop() {
            let mut node = self.nodes[place as usize];
            let alpha = self.alpha_of(&node);
            if place != ROOT && (i32::from(node.lower) > alpha || i32::from(node.upper) <= alpha) {
                (node.count, node.kids) = (0, 0);
                self.nodes[place as usize] = node;
            }
            for edge in &self.edges[node.kids as usize..][..usize::from(node.count)] {
                if std::mem::replace(&mut places[edge.node as usize], 0) == GONE {
                    open.push(edge.node);
                }
            }
        }
        // Nodes move down in their order, and so do blocks of edges in theirs.
        let mut blocks: Vec<u32> = Vec::new();
        let mut kept = 0;
        for (old, place) in places.iter_mut().enumerate() {
            if *place == GONE {
                continue;
            }
            *place = kept;
            self.nodes[kept as usize] = self.nodes[old];
            if self.nodes[kept as usize].count > 0 {
                blocks.push(kept);
            }
            kept += 1;
        }
        self.nodes.truncate(kept as usize);
        blocks.sort_unstable_by_key(|&place| self.nodes[place as usize].kids);
        let mut end = 0;
        for place in blocks {
            let node = &mut self.nodes[place as usize];
            let (from, count) = (node.kids as usize, usize::from(node.count));
            node.kids = end as u32;
            for i in 0..count {
                let Edge { node, turn } = self.edges[from + i];
                self.edges[end + i] = Edge { node: places[node as usize], turn };
            }
            end += count;
        }
        self.edges.truncate(end);
        let nodes = &self.nodes;
        self.index.rebuild(nodes.len() as u32, |place| nodes[place as usize].discs());
    }

    /// Whether there is memory for `kids` children.
    pub fn has_room_for(&self, kids: usize) -> bool {
        self.nodes.len() + kids <= self.most_nodes && self.edges.len() + kids <= EDGES * self.most_nodes
    }

    /// Whether less than an eighth of the memory is free.
    pub fn is_nearly_full(&self) -> bool {
        let left = |used: usize, most: usize| most.saturating_sub(used) < most / 8;
        left(self.nodes.len(), self.most_nodes) || left(self.edges.len(), EDGES * self.most_nodes)
    }
}
