//! A node of a stored tree.

use super::chance::Chance;
use crate::eval::SPREAD_UNIT;
use crate::search::INFINITY;

/// Not every child was generated: alpha-beta cut the others off.
pub const PARTIAL: u8 = 1;
/// A leaf whose value comes from a search that is no longer stored.
pub const DEEP: u8 = 2;
/// A node that was [`DEEP`] and has children again, with too few expansions to replace its value yet.
pub const REGROWING: u8 = 4;
/// The first and the last node of a free block.
pub(super) const FREE: u8 = 128;

/// A node of a stored tree. Its position is not kept: it follows from the path.
///
/// Values are for the side to move at the node.
#[derive(Clone, Copy, Debug)]
pub struct Node<M> {
    /// Expansions made at this node and below it.
    pub visits: u64,
    /// The static value, or the best that the children give.
    pub value: i32,
    /// Proven: the result of the game under perfect play is at least this.
    pub lower: i32,
    /// Proven: the result of the game under perfect play is at most this.
    pub upper: i32,
    /// The first child, if `count` is not 0. In a free block: the next free block of its list.
    pub kids: u32,
    /// Nodes stored below this one. In a free block: its length.
    pub size: u32,
    /// The turn that led here, `None` for a pass.
    pub turn: Option<M>,
    /// [`Chance::relevance`] of the node.
    pub relevance: i16,
    /// [`Chance::weight`] of the node.
    pub weight: f32,
    /// Which child the relevance comes from.
    pub most_relevant: u8,
    /// Number of children.
    pub count: u8,
    /// Bits: [`PARTIAL`], [`DEEP`], [`REGROWING`].
    pub flags: u8,
    /// Leaves at this node or below it that workers have checked out.
    pub busy: u8,
    /// How far the static value may err, in [`SPREAD_UNIT`] for an ordinary one.
    pub spread: u8,
}

const _: () = assert!(size_of::<Node<crate::othello::Square>>() <= 40);

impl<M> Default for Node<M> {
    /// A leaf worth nothing that no turn leads to.
    fn default() -> Node<M> {
        Node::leaf(None, 0)
    }
}

impl<M> Node<M> {
    /// A leaf with a static value.
    #[inline]
    pub fn leaf(turn: Option<M>, value: i32) -> Node<M> {
        Node {
            visits: 0,
            value,
            lower: -INFINITY,
            upper: INFINITY,
            kids: 0,
            size: 0,
            turn,
            relevance: 0,
            weight: 1.0,
            most_relevant: 0,
            count: 0,
            flags: 0,
            busy: 0,
            spread: SPREAD_UNIT,
        }
    }

    /// A leaf with a known result.
    #[inline]
    pub fn solved(turn: Option<M>, value: i32) -> Node<M> {
        Node { lower: value, upper: value, ..Node::leaf(turn, value) }
    }

    /// The node without its children.
    pub fn without_children(self) -> Node<M> {
        Node { kids: 0, count: 0, size: 0, ..self }
    }

    /// Whether the result under perfect play is known.
    #[inline]
    pub fn is_solved(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether anything is known of the result under perfect play.
    #[inline]
    pub fn has_proofs(&self) -> bool {
        self.lower > -INFINITY || self.upper < INFINITY
    }

    /// Whether these proofs differ from those of another node.
    #[inline]
    pub fn proves_other_than(&self, other: &Node<M>) -> bool {
        (self.lower, self.upper) != (other.lower, other.upper)
    }

    /// The node's chance.
    #[inline]
    pub fn chance(&self) -> Chance {
        Chance { weight: self.weight, relevance: self.relevance }
    }

    /// Makes this the node's chance.
    #[inline]
    pub fn set_chance(&mut self, chance: Chance) {
        (self.weight, self.relevance) = (chance.weight, chance.relevance);
    }

    /// Gives a leaf its chance of more than `goal`, from what is proven or from its value, which errs by `deviation` where its spread is
    /// the ordinary one.
    #[inline]
    pub fn estimate_chance(&mut self, goal: i32, deviation: f32) {
        let by_value = || {
            let deviation = deviation * f32::from(self.spread) / f32::from(SPREAD_UNIT);
            let chance = Chance::of_value((self.value - goal) as f32 / deviation);
            if self.is_solved() {
                chance.solved()
            } else if self.has(DEEP) {
                chance.after_searches(self.visits)
            } else {
                chance
            }
        };
        self.set_chance(Chance::of_proofs(self.lower, self.upper).unwrap_or_else(by_value));
    }

    /// Forgets up to `nodes` nodes below; returns how many of them the node knew of.
    pub fn shrink(&mut self, nodes: u32) -> u32 {
        let known = nodes.min(self.size);
        self.size -= known;
        known
    }

    /// Whether there are no children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.count == 0
    }

    /// Expansions made at this node and below it, those under way included.
    #[inline]
    pub fn visits_with_busy(&self) -> u64 {
        self.visits + u64::from(self.busy)
    }

    /// Whether a flag is set.
    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}
