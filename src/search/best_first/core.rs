//! Best-first search in one tree, for any game: one iteration goes down to a leaf, expands it and backs its value up.
//!
//! What varies is in four places: a [`Policy`] initialises nodes, chooses among children, backs up and prefers a move; [`Leaves`]
//! say what new nodes are worth; [`OnMemoryCap`] says what happens when the tree is full; and several
//! threads work in several trees (`shards`).

use super::{Leaves, OnMemoryCap, Policy, Rules, StaticLeaves, Work};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::Contempt;
use crate::search::tree::chance::Chance;
use crate::search::tree::{Node, PARTIAL, REGROWING, Tree, after};

/// Nodes of cut-off subtrees freed at each iteration: more than one iteration adds, so that the work ends.
const SWEEP: usize = 64;
/// Nodes freed at a time when one iteration needs memory at once.
pub(super) const SWEEP_FOR_ROOM: usize = 1024;
/// Iterations for each one that goes to the least visited line behind the first, when several lines are wanted.
const LINES_EVERY: u64 = 3;
/// A search by relevance stays below a node for this part of the node's visits, 1/16, unless its chance changes much. A few
/// expansions more or less hardly matter in the choice between siblings, and neighbours in the tree are neighbours in the caches.
pub(super) const STAY: u64 = 16;

/// One node of the current path.
#[derive(Clone, Debug)]
pub struct Step<G: Game> {
    pub node: u32,
    pub position: G,
    /// The turn that led here; `None` for a pass, and at the root.
    pub turn: Option<G::Move>,
    /// Plies from the root, passes not counted.
    pub plies: u32,
    /// The last iteration for which the search stays below this node without asking whether another one is due.
    pub until: u64,
    /// The node's chance as its parent has it.
    pub reported: Chance,
}

/// What an iteration came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A leaf was expanded or solved.
    Grown,
    /// There is nothing left to do: the result is known, the depth is reached, or the principal leaf is won.
    Done,
    /// The iteration was stopped from outside before it was complete.
    Stopped,
    /// There is no memory left, and the search is to end there.
    Full,
}

/// Where the way down to the next leaf led.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// To a leaf that has children to get.
    ToLeaf,
    /// Nowhere: there is nothing left to do.
    Done,
    /// Nowhere: every leaf that could be chosen is checked out.
    Waiting,
}

/// A best-first search of one game, with its tree.
///
/// It goes by value, as the paper does, unless another policy is named.
pub struct Explorer<G: Game, P = super::ByValue> {
    pub(super) tree: Tree<G>,
    pub(super) policy: P,
    pub(super) rules: Rules,
    pub(super) work: Work,
    /// The path from the root to where the last change came to rest.
    pub(super) path: Vec<Step<G>>,
    pub(super) lines: usize,
    /// Moves that the root does not get as children.
    left_out: Vec<G::Move>,
    /// Iterations since [`Explorer::begin`].
    pub(super) iterations: u64,
    /// The depth in plies of the principal leaf at which the search ends.
    pub(super) deepest: Option<u32>,
    last: Option<G>,
    pub(super) on_memory_cap: OnMemoryCap,
    pub(super) cap_was_reached: bool,
    /// The children of the leaf at hand; empty between iterations.
    children: Vec<Node<G::Move>>,
}

impl<G: Game, P: Policy<G>> Explorer<G, P> {
    /// A search of this position with this tree, which is empty.
    pub(super) fn with_tree(
        policy: P,
        rules: Rules,
        tree: Tree<G>,
        on_memory_cap: OnMemoryCap,
        position: &G,
    ) -> Explorer<G, P> {
        let mut explorer = Explorer {
            tree,
            policy,
            rules,
            work: Work::default(),
            path: Vec::new(),
            lines: 1,
            left_out: Vec::new(),
            iterations: 0,
            deepest: None,
            last: None,
            on_memory_cap,
            cap_was_reached: false,
            children: Vec::new(),
        };
        explorer.begin(position, rules.contempt);
        explorer
    }

    /// Begins a search of `position`, which is not over, with what the tree already holds of it.
    ///
    /// If it was reached from the last position in a few turns, the tree below it is kept with its values and visits.
    /// Counts the work from 0 again.
    pub fn begin(&mut self, position: &G, contempt: Contempt) {
        let rules = Rules { contempt, max: position.mover(), ..self.rules };
        if !self.rules.agree_with(&rules) {
            self.tree.clear();
        }
        self.rules = rules;
        if !self.tree.move_to(position) {
            self.policy.forget();
        }
        self.work = Work::default();
        self.lines = 1;
        self.left_out.clear();
        self.iterations = 0;
        self.last = None;
        self.cap_was_reached = false;
        self.restart();
    }

    /// How many of the root's moves are to be well founded and, in the end, solved.
    pub fn want_lines(&mut self, lines: usize) {
        self.lines = lines.max(1);
        self.restart();
    }

    /// Leaves moves of the root out, which has no children yet, though not all of them.
    pub(super) fn leave_out(&mut self, moves: impl IntoIterator<Item = G::Move>) {
        self.left_out.extend(moves);
    }

    /// Forgets everything; [`Explorer::begin`] comes next.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.path.clear();
        self.policy.forget();
    }

    /// The work since [`Explorer::begin`].
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// The value of the root for its side to move.
    pub fn value(&self) -> i32 {
        self.root().value
    }

    /// The node of the root.
    #[inline]
    pub(super) fn root(&self) -> &Node<G::Move> {
        &self.tree.arena[self.tree.root()]
    }

    /// Whether the value of the root is the result under perfect play.
    pub fn is_solved(&self) -> bool {
        self.root().is_solved()
    }

    /// Nodes of the stored tree, those not freed yet included.
    pub fn stored_nodes(&self) -> u64 {
        self.tree.nodes() as u64
    }

    /// Nodes below a position that is the root or a few turns below it, if it is in the tree.
    pub fn nodes_below(&self, position: &G) -> Option<u64> {
        self.tree.node_of(position).map(|node| self.tree.arena[node].size.into())
    }

    /// Bytes taken for the stored tree: never more than its cap, or than the 20 KB that a tree begins with.
    pub fn stored_bytes(&self) -> u64 {
        self.tree.bytes() as u64
    }

    /// The position that the last iteration expanded or solved.
    pub fn last_expanded(&self) -> Option<&G> {
        self.last.as_ref()
    }

    /// Checks that tree and memory are what they claim to be, for tests: children in order, values and proofs as the
    /// children have them, sizes and visits that add up, no node lost, none in two places.
    ///
    /// # Errors
    /// What was found wrong.
    pub fn audit(&self) -> Result<(), String> {
        let position = self.tree.position().ok_or("there is no tree")?;
        self.tree.audit(position)?;
        self.policy.audit(&self.tree)
    }

    /// Begins the next descent at the root.
    pub(super) fn restart(&mut self) {
        self.path.clear();
        self.policy.restart();
        if let Some(position) = self.tree.position() {
            let node = self.tree.root();
            let reported = self.tree.arena[node].chance();
            self.path.push(Step { node, position: position.clone(), turn: None, plies: 0, until: 0, reported });
        }
    }

    /// Gives the root its children if it has none, with static values, so that there is a move to answer with.
    pub fn expand_root(&mut self, evaluator: &dyn Evaluator<G>) {
        self.give_root_children(&mut StaticLeaves::new(self.rules, evaluator, &mut |_| false));
    }

    /// Gives the root its children if it has none.
    pub(super) fn give_root_children<L: Leaves<G>>(&mut self, leaves: &mut L) {
        let root = self.root();
        if root.is_leaf() || root.has(PARTIAL) {
            self.iterate(leaves);
        }
    }

    /// One iteration with static leaves. `stop` is asked now and then in one that takes long, in linear space.
    pub fn step(&mut self, evaluator: &dyn Evaluator<G>, stop: &mut dyn FnMut(&Work) -> bool) -> Progress {
        self.iterate(&mut StaticLeaves::new(self.rules, evaluator, stop))
    }

    /// One iteration: the leaf to expand next gets its children, and what that changes is backed up.
    pub(in crate::search) fn iterate<L: Leaves<G>>(&mut self, leaves: &mut L) -> Progress {
        match self.go_to_leaf() {
            Way::ToLeaf => self.grow(leaves),
            // From a tree that grows itself nothing is checked out.
            Way::Done | Way::Waiting => Progress::Done,
        }
    }

    /// The end of the path.
    #[inline]
    pub(super) fn leaf(&self) -> &Step<G> {
        self.path.last().expect("the path begins at the root")
    }

    /// Whether there is nothing left to find out.
    pub(super) fn is_done(&self) -> bool {
        let root = self.root();
        if root.is_leaf() || root.has(PARTIAL) {
            return false;
        }
        self.rules.is_final_win(root.value) || self.are_lines_solved()
    }

    /// Whether the values of the wanted lines are proven to be the best.
    pub(super) fn are_lines_solved(&self) -> bool {
        if self.lines == 1 { self.root().is_solved() } else { self.open_root_moves().next().is_none() }
    }

    /// Whether leaves are searched in linear space now.
    #[inline]
    pub(super) fn is_linear(&self) -> bool {
        self.cap_was_reached && self.on_memory_cap == OnMemoryCap::Rbfms
    }

    /// Makes the path lead to the leaf to expand next, if there is one. What the path has in common with the last one stays.
    pub(super) fn go_to_leaf(&mut self) -> Way {
        if self.tree.has_garbage() {
            self.tree.sweep(SWEEP);
        }
        P::update_goal(self);
        loop {
            match self.descend() {
                // What came up on the way may make it another leaf.
                None => {}
                Some(Way::ToLeaf) if !self.is_linear() && self.share() => {}
                Some(way) => return way,
            }
        }
    }

    /// Goes down to a node that has children to get; `None` where a shared node was refreshed on the way.
    fn descend(&mut self) -> Option<Way> {
        if self.is_done() {
            return Some(Way::Done);
        }
        let now = self.iterations + 1;
        let mut level = P::resume_level(self);
        let mut began_at_root = level == 0;
        loop {
            if self.refresh_shared(level) {
                return None;
            }
            let node = self.tree.arena[self.path[level].node];
            if node.is_leaf() || node.has(PARTIAL) {
                break;
            }
            let chosen =
                if level == 0 && self.lines > 1 { Some(self.choose_at_root()) } else { P::choose(self, &node) };
            let child = match chosen {
                Some(i) => node.kids + i as u32,
                None if node.busy == 0 => node.kids,
                None if began_at_root => return Some(Way::Waiting),
                // Everything here is checked out, but something elsewhere may not be.
                None => {
                    (level, began_at_root) = (0, true);
                    continue;
                }
            };
            level += 1;
            if self.path.get(level).is_none_or(|known| known.node != child) {
                self.path.truncate(level);
                self.go_to(child);
            }
            self.path[level].until = now + self.tree.arena[child].visits / STAY;
        }
        self.path.truncate(level + 1);
        let step = self.leaf();
        let leaf = &self.tree.arena[step.node];
        if leaf.busy > 0 {
            return Some(Way::Waiting);
        }
        // A solved leaf has no children to get: the game may be over there.
        let is_deep = self.deepest.is_some_and(|deepest| step.plies >= deepest) && step.plies > 0;
        if leaf.is_solved() || is_deep {
            return Some(Way::Done);
        }
        self.iterations = now;
        Some(Way::ToLeaf)
    }

    /// Updates the node at a level of the path, which may share its children with others, from these. Returns whether that changed much:
    /// then it was backed up, and the path may lead elsewhere.
    #[inline]
    pub(super) fn refresh_shared(&mut self, level: usize) -> bool {
        let node = self.path[level].node;
        let before = self.tree.arena[node];
        level > 0 && self.tree.shares(&before) && self.refresh_at(level, before)
    }

    fn refresh_at(&mut self, level: usize, before: Node<G::Move>) -> bool {
        let node = self.path[level].node;
        self.tree.refresh(node, true);
        self.tree.refresh_chance(node);
        let now = self.tree.arena[node];
        let value = self.is_linear() && now.value != before.value;
        let has_changed = now.proves_other_than(&before) || value || !now.chance().is_near(before.chance());
        if has_changed {
            self.path.truncate(level + 1);
            P::back_up(self, before, None);
        } else {
            // A changed chance would have to be backed up.
            self.tree.arena[node] = Node { most_relevant: now.most_relevant, ..before };
        }
        has_changed
    }

    /// Gives the leaf at the end of the path the children that its position has elsewhere in the tree. Returns whether it has some.
    pub(super) fn share(&mut self) -> bool {
        let Step { node, position, .. } = self.path.last().expect("the path begins at the root");
        let (node, before) = (*node, self.tree.arena[*node]);
        let Some(added) = self.tree.share(node, position) else {
            return false;
        };
        self.add_nodes(added);
        self.work.expansions += 1;
        let regrown = self.add_visits(1);
        P::back_up(self, before, regrown);
        true
    }

    /// Counts nodes that were added below the end of the path in the nodes above it.
    pub(super) fn add_nodes(&mut self, nodes: u32) {
        for step in &self.path[..self.path.len() - 1] {
            let size = &mut self.tree.arena[step.node].size;
            *size = size.saturating_add(nodes);
        }
    }

    /// Adds a child of the last node to the path.
    pub(super) fn go_to(&mut self, child: u32) {
        let turn = self.tree.arena[child].turn;
        let step = self.leaf();
        let (position, plies) = (after(&step.position, turn), step.plies + u32::from(turn.is_some()));
        let reported = self.tree.arena[child].chance();
        self.path.push(Step { node: child, position, turn, plies, until: 0, reported });
    }

    /// The root's children that have to be searched on for the wanted lines: not solved, and possibly among the best.
    fn open_root_moves(&self) -> impl Iterator<Item = (usize, &Node<G::Move>)> {
        let kids = self.tree.kids(self.tree.root());
        let mut proven: Vec<i32> = kids.iter().map(|kid| -kid.upper).collect();
        proven.sort_unstable_by_key(|&value| std::cmp::Reverse(value));
        let known = proven[self.lines.min(proven.len()) - 1];
        let is_open = move |kid: &Node<G::Move>| !kid.is_solved() && -kid.lower > known;
        kids.iter().enumerate().filter(move |(_, kid)| is_open(kid))
    }

    /// Shares the iterations among the wanted lines: most go where the search would go anyway, some to the least visited
    /// of the others.
    fn choose_at_root(&self) -> usize {
        let root = self.root();
        let is_turn = self.iterations.is_multiple_of(LINES_EVERY);
        if is_turn || self.is_linear() {
            let ranking = self.ranking();
            let wanted = &ranking[..self.lines.min(ranking.len())];
            let behind = self.open_root_moves().filter(|(i, _)| wanted[1..].contains(i));
            // Iterations in linear space differ in length: there the share counts in visits too.
            let share = root.visits / (LINES_EVERY * (wanted.len() as u64 - 1).max(1));
            if let Some((i, kid)) = behind.min_by_key(|(_, kid)| kid.visits)
                && (is_turn || kid.visits < share)
            {
                return i;
            }
        }
        // The move that would be played need not be the best by value: by that it would never be looked at again.
        let favourite = P::favourite(self, root);
        favourite.unwrap_or_else(|| self.open_root_moves().next().map_or(0, |(i, _)| i))
    }

    /// Expands the leaf at the end of the path, or at the memory cap searches it in linear space, and backs up what that changes.
    fn grow<L: Leaves<G>>(&mut self, leaves: &mut L) -> Progress {
        let Step { node, position, .. } = self.leaf().clone();
        let progress = match self.make_room(&position) {
            Room::There => {
                let mut children = std::mem::take(&mut self.children);
                children.clear();
                children.extend_from_slice(self.tree.kids(node));
                let is_complete = leaves.children(&position, &mut children, &mut self.work);
                if self.path.len() == 1 {
                    children.retain(|child| child.turn.is_none_or(|turn| !self.left_out.contains(&turn)));
                }
                let progress = if is_complete { self.give_children(&children) } else { Progress::Stopped };
                self.children = children;
                progress
            }
            Room::None => Progress::Full,
            Room::LinearFromNowOn => {
                // This path may have been chosen by other rules than those that hold from now on.
                P::finish_backing_up(self);
                self.restart();
                self.last = Some(position);
                return self.iterate(leaves);
            }
            Room::Linear => {
                let before = self.tree.arena[node];
                let (visits, progress) = self.search_in_linear_space(node, &position, leaves);
                let regrown = self.add_visits(visits);
                P::value_leaf(self);
                P::back_up(self, before, regrown);
                progress
            }
        };
        self.last = Some(position);
        progress
    }

    /// Gives the leaf at the end of the path its children, all there are, and backs up what that changes.
    pub(super) fn give_children(&mut self, children: &[Node<G::Move>]) -> Progress {
        let Step { node, position, .. } = self.path.last().expect("the path begins at the root");
        let (node, before) = (*node, self.tree.arena[*node]);
        let Ok(added) = self.tree.adopt(node, position, children, true) else {
            return Progress::Full;
        };
        self.add_nodes(added);
        self.work.expansions += 1;
        let regrown = self.add_visits(1);
        P::value_children(self);
        P::back_up(self, before, regrown);
        Progress::Grown
    }

    /// Finds memory for the children of the leaf at the end of the path, at the cap by the rule for it.
    #[inline]
    fn make_room(&mut self, position: &G) -> Room {
        if self.tree.has_room_for(position) { Room::There } else { self.make_room_at_cap(position) }
    }

    fn make_room_at_cap(&mut self, position: &G) -> Room {
        if self.sweep_for(position) {
            return Room::There;
        }
        if !self.cap_was_reached {
            self.cap_was_reached = true;
            let (nodes, bytes) = (self.stored_nodes(), self.stored_bytes());
            log::info!("the tree is full with {nodes} nodes in {bytes} bytes: {}", self.on_memory_cap);
            if self.is_linear() {
                return Room::LinearFromNowOn;
            }
        }
        match self.on_memory_cap {
            OnMemoryCap::Rbfms => return Room::Linear,
            OnMemoryCap::Stop => return Room::None,
            OnMemoryCap::Prune => {}
        }
        let path: Vec<u32> = self.path.iter().map(|step| step.node).collect();
        loop {
            let pruned = self.tree.prune(&path);
            self.work.pruned_nodes += pruned;
            if self.sweep_for(position) {
                return Room::There;
            }
            if pruned == 0 {
                // The path and the principal variations fill the tree.
                return Room::Linear;
            }
        }
    }

    /// Frees what was cut off until there is memory for the children of a position. Returns whether there is.
    fn sweep_for(&mut self, position: &G) -> bool {
        while self.tree.sweep(SWEEP_FOR_ROOM) {
            if self.tree.has_room_for(position) {
                return true;
            }
        }
        false
    }

    /// Cuts off everything below the node at the end of the path.
    pub(super) fn cut_off(&mut self) {
        let mut size = self.tree.collapse(self.leaf().node);
        for step in self.path[..self.path.len() - 1].iter().rev() {
            size = self.tree.arena[step.node].shrink(size);
        }
    }

    /// Whether the tree has filled its memory and that was the end of the search.
    pub(super) fn ended_at_cap(&self) -> bool {
        self.cap_was_reached && self.on_memory_cap == OnMemoryCap::Stop
    }

    /// Counts visits along the path; returns the highest level at which a regrown subtree has replaced its node's searched value. At the
    /// end of the path, the node has its new value then.
    pub(super) fn add_visits(&mut self, visits: u64) -> Option<usize> {
        let mut regrown = None;
        for (level, step) in self.path.iter().enumerate().rev() {
            let node = &mut self.tree.arena[step.node];
            node.visits += visits;
            if node.has(REGROWING) && !node.is_leaf() && self.tree.trust_regrown(step.node) {
                regrown = Some(level);
            }
        }
        if regrown == Some(self.path.len() - 1) {
            self.tree.refresh(self.leaf().node, true);
        }
        regrown
    }
}

/// Memory for the children of a leaf.
enum Room {
    There,
    /// There is no memory, and the search ends.
    None,
    /// There is no memory, and the leaf is searched in linear space.
    Linear,
    /// There is no memory for the first time, and leaves are searched in linear space from now on.
    LinearFromNowOn,
}
