//! How a best-first search decides.

use super::Explorer;
use super::exploration::EXPLORATION_TABLES;
use crate::game::Game;
use crate::search::tree::{Node, Tree};

/// What a best-first search does with a node: how it initialises one, chooses a child, backs up, and which move it prefers.
pub trait Policy<G: Game>: Sized {
    /// Whether the depth that is reported is that of an alpha-beta search which costs as much, and not the length of the line.
    const DEPTH_IS_EFFORT: bool = false;

    /// Initialises the children of the end of the path, which are new.
    fn value_children(_: &mut Explorer<G, Self>) {}

    /// Initialises the leaf at the end of the path again, after its value has changed.
    fn value_leaf(_: &mut Explorer<G, Self>) {}

    /// The level of the path at which the next descent begins.
    fn resume_level(search: &Explorer<G, Self>) -> usize;

    /// The child that the policy names by a rule of its own, if it does.
    #[inline]
    fn favourite(_: &Explorer<G, Self>, _: &Node<G::Move>) -> Option<usize> {
        None
    }

    /// C of the search by value, see [`ByValue::exploration`].
    fn exploration(&self) -> f32;

    /// Backs up the change at the end of the path. `before`: the node there as it was. `regrown`: the highest level at which a regrown
    /// subtree has replaced its node's value.
    fn back_up(search: &mut Explorer<G, Self>, before: Node<G::Move>, regrown: Option<usize>);

    /// The rank of a move in the choice of the one to play, as long as it is not proven; larger is better. `None` where its value alone
    /// decides.
    fn support(search: &Explorer<G, Self>, child: &Node<G::Move>) -> Option<u64>;

    /// Backs up what was left for later.
    fn finish_backing_up(_: &mut Explorer<G, Self>) {}

    /// Changes what values are compared with, if it is time for that.
    fn update_goal(_: &mut Explorer<G, Self>) {}

    /// Prepares for a next descent that begins at the root.
    fn restart(&mut self) {}

    /// Forgets what it has of the tree, which is empty now.
    fn forget(&mut self) {}

    /// Checks what the policy keeps in the tree; for tests.
    fn audit(&self, _: &Tree<G>) -> Result<(), String> {
        Ok(())
    }

    /// The child to go on with; `None` if all are solved or checked out.
    #[inline]
    fn choose(search: &Explorer<G, Self>, node: &Node<G::Move>) -> Option<usize> {
        Self::favourite(search, node).or_else(|| {
            let kids = search.tree.arena.block(node.kids, node.count);
            let c = search.policy.exploration();
            if c == 0.0 {
                kids.iter().position(|kid| -kid.lower > node.lower)
            } else {
                EXPLORATION_TABLES.choose(c, node, kids)
            }
        })
    }
}

/// Which move a search by value plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalMove {
    /// The one with the best value, as in the paper.
    BestValue,
    /// The one that most expansions went through: a good value that few of them support has not been tested yet.
    MostVisits,
}

/// The paper's policy: the child with the best value, whose value the parent gets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ByValue {
    /// C of the exploration term C·√(ln N / n) that is added to a child's value in the selection, N and n the visits of the parent and
    /// the child. In units of the evaluation; 0 for none. About as large as the evaluation's error.
    pub exploration: f32,
    /// Which move is played.
    pub final_move: FinalMove,
}

impl<G: Game> Policy<G> for ByValue {
    /// The level of the end of the path, unless other children may be chosen this time.
    fn resume_level(search: &Explorer<G, Self>) -> usize {
        if search.policy.exploration != 0.0 || search.lines > 1 { 0 } else { search.path.len() - 1 }
    }

    fn exploration(&self) -> f32 {
        self.exploration
    }

    /// Backs up as far as anything changes; the path ends there.
    fn back_up(search: &mut Explorer<G, Self>, mut before: Node<G::Move>, regrown: Option<usize>) {
        let mut level = search.path.len() - 1;
        while level > 0 {
            let (child, parent) = (search.path[level].node, search.path[level - 1].node);
            let now = &search.tree.arena[child];
            let (proofs, value) = (now.proves_other_than(&before), now.value != before.value);
            if !value && !proofs && regrown.is_none_or(|highest| level <= highest) {
                break;
            }
            before = search.tree.arena[parent];
            if value {
                search.tree.reposition(parent, (child - before.kids) as usize);
            }
            search.tree.refresh(parent, proofs);
            level -= 1;
        }
        search.path.truncate(level + 1);
    }

    fn support(search: &Explorer<G, Self>, child: &Node<G::Move>) -> Option<u64> {
        (search.policy.final_move == FinalMove::MostVisits).then_some(child.visits)
    }
}
