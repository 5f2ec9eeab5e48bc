//! The search itself, for any game.

use super::UctSettings;
use crate::engine::{Backup, LeafValue, Selection};
use crate::eval::Evaluator;
use crate::game::{Game, Key};
use crate::lab::ordered_minimax::ordered_minimax;
use crate::random::Random;
use crate::search::{Contempt, RootMove, Rules, Work, after, turns};
use std::collections::HashMap;

/// How deep below the root a new root is looked for, passes included.
const DEEPEST_NEW_ROOT: usize = 4;
/// What an entry of the table of positions takes, about, its share of free slots included.
const TABLE_ENTRY: usize = 64;
/// What the minimax value counts beside the mean in implicit minimax backups: of 0.2, 0.4, 0.6 and 0.8 what did best with 10,000 evaluations.
const MINIMAX_SHARE: f64 = 0.6;
/// No node.
const NIL: u32 = u32::MAX;

/// A position. Values speak for its side to move.
#[derive(Clone, Copy, Debug)]
struct Node {
    value: i32,
    visits: u32,
    /// For means: the values found below, added up.
    sum: i64,
    /// The first of its edges.
    edges: u32,
    count: u8,
    /// Whether the value is a result: of a finished game, or by what is proven of the children.
    solved: bool,
}

impl Node {
    fn new(value: i32, solved: bool) -> Node {
        Node { value, visits: 0, sum: 0, edges: 0, count: 0, solved }
    }
}

/// A turn and where it leads.
#[derive(Clone, Copy, Debug)]
struct Edge<M> {
    turn: Option<M>,
    node: u32,
}

/// A search with its tree.
pub struct UctTree<G: Game> {
    settings: UctSettings,
    rules: Rules,
    root: G,
    nodes: Vec<Node>,
    edges: Vec<Edge<G::Move>>,
    /// The nodes of positions, where those that are reached in several ways are one node.
    known: HashMap<Key, u32>,
    path: Vec<u32>,
    random: Random,
    work: Work,
    is_full: bool,
}

impl<G: Game> UctTree<G> {
    /// A search of this position, whose game is not over.
    pub fn new(settings: UctSettings, position: &G) -> UctTree<G> {
        let rules = Rules { ends: settings.ends, contempt: Contempt::NONE, max: position.mover() };
        UctTree {
            settings,
            rules,
            root: position.clone(),
            nodes: vec![Node::new(0, false)],
            edges: Vec::new(),
            known: HashMap::new(),
            path: Vec::new(),
            random: Random::new(settings.seed),
            work: Work::default(),
            is_full: false,
        }
    }

    /// Begins a search of `position`, whose game is not over, with what the tree already holds of it: what lies below it
    /// is kept if it was reached from the last position in a few turns. Counts the work from 0 again.
    pub fn begin(&mut self, position: &G, contempt: Contempt) {
        let rules = Rules { ends: self.settings.ends, contempt, max: position.mover() };
        let found = if self.rules.agree_with(&rules) { self.find(0, &self.root.clone(), position, 0) } else { None };
        self.rules = rules;
        self.work = Work::default();
        self.is_full = false;
        self.root = position.clone();
        match found {
            Some(node) => self.keep_below(node),
            None => self.forget(),
        }
    }

    /// Empties the tree.
    pub fn forget(&mut self) {
        self.nodes = vec![Node::new(0, false)];
        self.edges = Vec::new();
        self.known = HashMap::new();
    }

    /// The work since [`UctTree::begin`].
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Nodes of the tree.
    pub fn stored_nodes(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// Bytes that the tree takes.
    pub fn stored_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge<G::Move>>()
            + self.known.capacity() * TABLE_ENTRY
    }

    /// Whether the tree has filled its memory, which ends the search.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The value of the root for its side to move.
    pub fn value(&self) -> i32 {
        self.nodes[0].value
    }

    /// Whether the result is known, as far as the values of finished games go.
    pub fn is_solved(&self) -> bool {
        self.nodes[0].solved
    }

    /// A value as clients of Othello see it.
    pub(super) fn score(&self, value: i32) -> crate::search::Score {
        self.rules.score(value)
    }

    /// One iteration; `false` if there is nothing left to do, or no memory to do it in.
    pub fn step(&mut self, evaluator: &dyn Evaluator<G>, stop: &mut dyn FnMut(&Work) -> bool) -> bool {
        if self.nodes[0].solved && self.nodes[0].count > 0 {
            return false;
        }
        let position = self.descend();
        let leaf = self.path[self.path.len() - 1];
        // A position that is reached in several ways may have been solved on another of them.
        if !self.nodes[leaf as usize].solved {
            if !self.expand(leaf, &position, evaluator, stop) {
                return false;
            }
            self.work.expansions += 1;
        }
        self.back_up();
        true
    }

    /// Goes down to a node without children, or a solved one, and returns its position.
    fn descend(&mut self) -> G {
        let mut position = self.root.clone();
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        path.push(0);
        let mut node = 0;
        while self.nodes[node].count > 0 && (node == 0 || !self.nodes[node].solved) {
            let edge = self.choose(node);
            position = after(&position, edge.turn);
            path.push(edge.node);
            node = edge.node as usize;
        }
        self.path = path;
        position
    }

    fn edges(&self, node: usize) -> &[Edge<G::Move>] {
        let Node { edges, count, .. } = self.nodes[node];
        &self.edges[edges as usize..][..usize::from(count)]
    }

    /// The edge to follow: among the children that are not solved yet, if there are any.
    fn choose(&mut self, node: usize) -> Edge<G::Move> {
        let start = self.nodes[node].edges as usize;
        let open = |edge: &Edge<G::Move>| !self.nodes[edge.node as usize].solved;
        let any_open = self.edges(node).iter().any(open);
        let candidates = self.edges(node).iter().enumerate().filter(|(_, edge)| !any_open || open(edge));
        let UctSettings { c, fpu, selection, .. } = self.settings;
        let value = |edge: &Edge<G::Move>| -self.merit(&self.nodes[edge.node as usize]);
        let chosen = match selection {
            Selection::Uct => {
                let log = f64::from(self.nodes[node].visits.max(1)).ln();
                let mut best = (f64::NEG_INFINITY, 0);
                for (i, edge) in candidates {
                    let urgency = match self.nodes[edge.node as usize].visits {
                        0 => f64::from(fpu),
                        n => f64::from(c) * (log / f64::from(n)).sqrt(),
                    };
                    if value(edge) + urgency > best.0 {
                        best = (value(edge) + urgency, i);
                    }
                }
                best.1
            }
            Selection::Softmax => {
                let temperature = f64::from(c).max(1e-6);
                let candidates: Vec<(usize, f64)> = candidates.map(|(i, edge)| (i, value(edge))).collect();
                let most = candidates.iter().map(|&(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
                let weight = |value: f64| ((value - most) / temperature).exp();
                let sum: f64 = candidates.iter().map(|&(_, value)| weight(value)).sum();
                let mut lot = self.random.fraction() * sum;
                let drawn = candidates.iter().find(|&&(_, value)| {
                    lot -= weight(value);
                    lot < 0.0
                });
                drawn.or(candidates.last()).map_or(0, |&(i, _)| i)
            }
        };
        self.edges[start + chosen]
    }

    /// What a node is worth where it is chosen, for its side to move.
    fn merit(&self, node: &Node) -> f64 {
        let value = f64::from(node.value);
        if self.settings.backup != Backup::Implicit || node.visits == 0 || node.solved {
            return value;
        }
        let mean = node.sum as f64 / f64::from(node.visits);
        MINIMAX_SHARE * value + (1.0 - MINIMAX_SHARE) * mean
    }

    /// Gives a node its children; `false` if it was stopped meanwhile or there is no memory.
    fn expand(
        &mut self,
        node: u32,
        position: &G,
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> bool {
        let children: Vec<(Option<G::Move>, G)> = turns(position).map(|turn| (turn, after(position, turn))).collect();
        if !self.make_room(children.len()) {
            log::info!("the tree is full with {} nodes", self.nodes.len());
            self.is_full = true;
            return false;
        }
        let mut values = Vec::with_capacity(children.len());
        for (_, child) in &children {
            let key = if self.settings.transpositions { child.key() } else { None };
            let known = key.and_then(|key| self.known.get(&key).copied());
            let value = match known {
                Some(_) => None,
                None => match self.leaf(child, evaluator, stop) {
                    Some(leaf) => Some(leaf),
                    None => return false,
                },
            };
            values.push((key, known, value));
        }
        let start = self.edges.len() as u32;
        for ((turn, _), (key, known, leaf)) in children.into_iter().zip(values) {
            let child = known.unwrap_or(self.nodes.len() as u32);
            if let Some(leaf) = leaf {
                self.nodes.push(leaf);
                if let Some(key) = key {
                    self.known.insert(key, child);
                }
            }
            self.edges.push(Edge { turn, node: child });
        }
        let count = (self.edges.len() as u32 - start) as u8;
        let node = &mut self.nodes[node as usize];
        (node.edges, node.count) = (start, count);
        true
    }

    /// Makes room for a node's children; `false` if there is no memory. Nodes and edges are doubled, and at last get what
    /// is left.
    fn make_room(&mut self, children: usize) -> bool {
        if self.nodes.len() < 64 {
            return true;
        }
        let is_full = |length: usize, capacity: usize| length + children > capacity;
        let table = self.known.capacity();
        let table = if is_full(self.known.len(), table) { table * TABLE_ENTRY } else { 0 };
        let Some(left) = self.settings.memory.checked_sub(self.stored_bytes() + table) else { return false };
        let (nodes, edges) = (&mut self.nodes, &mut self.edges);
        if is_full(nodes.len(), nodes.capacity()) || is_full(edges.len(), edges.capacity()) {
            let most = left / (size_of::<Node>() + size_of::<Edge<G::Move>>());
            let more = nodes.capacity().max(edges.capacity()).min(most);
            nodes.reserve_exact(nodes.capacity() - nodes.len() + more);
            edges.reserve_exact(edges.capacity() - edges.len() + more);
        }
        let is_short = is_full(nodes.len(), nodes.capacity()) || is_full(edges.len(), edges.capacity());
        !is_short && nodes.len() < NIL as usize - 256
    }

    /// The node of a new position; `None` if it was stopped meanwhile.
    fn leaf(
        &mut self,
        position: &G,
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> Option<Node> {
        self.work.nodes += 1;
        if position.is_over() {
            return Some(Node::new(self.rules.outcome(position), true));
        }
        let value = if self.settings.leaf_depth == 0 {
            self.work.evaluations += 1;
            evaluator.evaluate(position)
        } else {
            let (depth, contempt) = (self.settings.leaf_depth, self.rules.contempt);
            ordered_minimax(position, depth, evaluator, contempt, &mut self.work, stop)?.value
        };
        Some(Node::new(
            match self.settings.leaf {
                LeafValue::Raw => value,
                LeafValue::WinLoss => value.signum() * self.settings.unit,
            },
            false,
        ))
    }

    /// Carries what was found at the end of the path up to the root.
    fn back_up(&mut self) {
        let mut found = 0;
        for level in (0..self.path.len()).rev() {
            let node = self.path[level] as usize;
            let (best, proven) = self.value_of_children(node);
            let is_leaf = level + 1 == self.path.len();
            let was_solved = self.nodes[node].solved;
            found = if is_leaf { best.unwrap_or(self.nodes[node].value) } else { -found };
            let node = &mut self.nodes[node];
            node.visits = node.visits.saturating_add(1);
            node.sum += i64::from(found);
            if was_solved {
                continue;
            }
            node.solved = proven;
            node.value = match (best, self.settings.backup) {
                (Some(best), Backup::Overwrite | Backup::Implicit) => best,
                (Some(best), Backup::Average) if proven => best,
                _ => (node.sum / i64::from(node.visits)) as i32,
            };
        }
    }

    /// What the children say of a node: the value of the best, and whether that is proven: by all of them, or by one that
    /// is a win and nothing better than to win can be had.
    fn value_of_children(&self, node: usize) -> (Option<i32>, bool) {
        let children = || self.edges(node).iter().map(|edge| &self.nodes[edge.node as usize]);
        let best = children().map(|child| -child.value).max();
        let all = self.nodes[node].count > 0 && children().all(|child| child.solved);
        let won = children().any(|child| child.solved && self.rules.is_final_win(-child.value));
        (best, all || won)
    }

    /// The moves at the root, the one to play first: by value + ln(visits). A solved child, which the search leaves alone,
    /// counts with the visits of the most visited one.
    pub fn root_moves(&self) -> Vec<RootMove<G::Move>> {
        let most = self.edges(0).iter().map(|edge| self.nodes[edge.node as usize].visits).max().unwrap_or(0);
        let merit = |edge: &Edge<G::Move>| {
            let node = &self.nodes[edge.node as usize];
            let visits = if node.solved { most } else { node.visits };
            -self.merit(node) / f64::from(self.settings.unit) + f64::from(visits.max(1)).ln()
        };
        let mut ranked: Vec<(f64, &Edge<G::Move>)> = self.edges(0).iter().map(|edge| (merit(edge), edge)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let describe = |edge: &Edge<G::Move>| {
            let Node { value, visits, solved, .. } = self.nodes[edge.node as usize];
            let (lower, upper) = if solved { (-value, -value) } else { (-i32::MAX, i32::MAX) };
            RootMove { line: self.line(edge), value: -value, lower, upper, visits: visits.into() }
        };
        ranked.into_iter().map(|(_, edge)| describe(edge)).collect()
    }

    /// The best play beginning with a turn.
    fn line(&self, first: &Edge<G::Move>) -> Vec<Option<G::Move>> {
        let mut line = vec![first.turn];
        let mut node = first.node as usize;
        let least = |a: &Edge<G::Move>, b: &Edge<G::Move>| {
            self.nodes[a.node as usize].value <= self.nodes[b.node as usize].value
        };
        while let Some(best) = self.edges(node).iter().reduce(|a, b| if least(a, b) { a } else { b }) {
            line.push(best.turn);
            node = best.node as usize;
        }
        line
    }

    /// The node of a position a few turns below this one.
    fn find(&self, node: usize, at: &G, wanted: &G, depth: usize) -> Option<u32> {
        if at == wanted {
            return Some(node as u32);
        }
        if depth == DEEPEST_NEW_ROOT {
            return None;
        }
        self.edges(node).iter().find_map(|edge| self.find(edge.node as usize, &after(at, edge.turn), wanted, depth + 1))
    }

    /// Makes a node the root and forgets what does not lie below it.
    fn keep_below(&mut self, root: u32) {
        if root == 0 {
            return;
        }
        let old_nodes = std::mem::take(&mut self.nodes);
        let old_edges = std::mem::take(&mut self.edges);
        let mut moved = vec![NIL; old_nodes.len()];
        let mut order = vec![root];
        moved[root as usize] = 0;
        let mut next = 0;
        while next < order.len() {
            let Node { edges, count, .. } = old_nodes[order[next] as usize];
            next += 1;
            for edge in &old_edges[edges as usize..][..usize::from(count)] {
                if moved[edge.node as usize] == NIL {
                    moved[edge.node as usize] = order.len() as u32;
                    order.push(edge.node);
                }
            }
        }
        self.nodes.reserve_exact(order.len());
        self.edges.reserve_exact(order.iter().map(|&old| usize::from(old_nodes[old as usize].count)).sum());
        for &old in &order {
            let node = old_nodes[old as usize];
            let edges = &old_edges[node.edges as usize..][..usize::from(node.count)];
            self.nodes.push(Node { edges: self.edges.len() as u32, ..node });
            self.edges.extend(edges.iter().map(|edge| Edge { node: moved[edge.node as usize], ..*edge }));
        }
        self.known.retain(|_, node| {
            *node = moved[*node as usize];
            *node != NIL
        });
        // A finished subtree without moves cannot say which of them to play.
        let root = &mut self.nodes[0];
        root.solved &= root.count > 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::lab::random_tree::{PathCost, RandomTree, TreeShape};
    use crate::othello::Position;
    use crate::search::EndValues;

    /// Checks that values and visits are what the children say.
    fn audit<G: Game>(tree: &UctTree<G>) {
        // Where positions are merged, a parent off the path learns of a change only when the search comes there again.
        let is_merged = tree.settings.transpositions;
        for (i, node) in tree.nodes.iter().enumerate() {
            assert!(node.edges as usize + usize::from(node.count) <= tree.edges.len(), "node {i}: {node:?}");
            assert!(tree.edges(i).iter().all(|edge| (edge.node as usize) < tree.nodes.len()), "node {i}: {node:?}");
            if let (Some(best), proven) = tree.value_of_children(i)
                && !is_merged
            {
                assert_eq!(node.solved, proven, "node {i}: {node:?}");
                assert!(tree.settings.backup == Backup::Average || node.value == best, "node {i}, {best}: {node:?}");
                let below: u32 = tree.edges(i).iter().map(|edge| tree.nodes[edge.node as usize].visits).sum();
                assert_eq!(node.visits, below + 1, "node {i}: {node:?}");
            }
        }
    }

    #[test]
    fn nodes_are_what_their_children_say() {
        let default = UctSettings { c: 100.0, ends: EndValues::Sum, unit: 1 << 15, ..UctSettings::default() };
        for backup in [Backup::Overwrite, Backup::Average] {
            for selection in [Selection::Uct, Selection::Softmax] {
                for seed in 0..12 {
                    let root = RandomTree::new(TreeShape { branching: 4, length: 5, cost: 300 }, seed);
                    let mut tree = UctTree::new(UctSettings { backup, selection, ..default }, &root);
                    while tree.step(&PathCost, &mut |_| false) {
                        audit(&tree);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_kept_below_a_new_root_fits_together() {
        let evaluator = EvaluatorKind::Mobility.build();
        for transpositions in [false, true] {
            let mut position = Position::START;
            let mut tree = UctTree::new(UctSettings { transpositions, ..UctSettings::default() }, &position);
            for _ in 0..12 {
                for _ in 0..400 {
                    tree.step(&*evaluator, &mut |_| false);
                }
                audit(&tree);
                for turn in tree.root_moves().swap_remove(0).line.iter().take(2) {
                    position = turn.map_or_else(|| position.pass(), |square| position.after(square));
                }
                tree.begin(&position, Contempt::NONE);
                audit(&tree);
            }
        }
    }
}
