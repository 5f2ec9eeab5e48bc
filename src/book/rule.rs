//! The rules by which a book grows: what a move costs on the way to the position that is searched next.

use super::Entry;
use super::graph::{Child, loss};
use crate::game::DISC;
use crate::search::Score;
use strum::{Display, EnumString, VariantArray};

/// How the costs of a book are counted. The cheapest position is searched next.
///
/// All rules count what a move loses, whichever side plays it, and what learned games have played counts less: its loss is divided by 2 from
/// one game on, by 3 from three, by 4 from seven. A cost of 1 is half a disc.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, EnumString, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum GrowthRule {
    /// A ply costs 1, a disc 2: T. R. Lincke's drop-out expansion.
    #[default]
    DropOut,
    /// A cost is the logarithm of a chance. A move that is a disc behind another one is half as likely to be the best one, and the chances of all
    /// moves of a position are 1 together; moves to one position are one. So a line costs the logarithm of the chance that both sides play it.
    Relevance,
    /// What the moves lose in whole discs, each loss rounded up, counts first, and then the plies: after the command `deviate` of Edax, which
    /// grows by a bound on the loss.
    Deviate,
}

impl GrowthRule {
    /// The number that a file has for it.
    pub(super) const fn number(self) -> u64 {
        self as u64
    }

    /// The rule with this number.
    pub(super) fn of_number(number: u64) -> Option<GrowthRule> {
        GrowthRule::VARIANTS.iter().copied().find(|rule| rule.number() == number)
    }

    /// The unit in which people read a cost.
    pub const fn unit(self) -> &'static str {
        match self {
            GrowthRule::DropOut => "plies",
            GrowthRule::Relevance | GrowthRule::Deviate => "half discs",
        }
    }

    /// What the moves from a position cost: to these positions of the book, and out of it by the leaf, if it has this value.
    pub(super) fn costs(self, from: &Entry, children: &[Child], leaf: Option<Score>) -> MoveCosts {
        let lost = |child: &Child| {
            let loss = child.value().map_or(0, |value| loss(from, value));
            let digits = (u64::from(child.entry.games) + 1).ilog2();
            loss / (1 + digits)
        };
        let mut costs =
            MoveCosts { children: children.iter().map(lost).collect(), leaf: leaf.map(|value| loss(from, value)) };
        match self {
            // The last ply is left out: each unit of work has one.
            GrowthRule::DropOut => costs.children.iter_mut().for_each(|cost| *cost += COST_UNIT),
            GrowthRule::Relevance => {
                let chance = |&cost: &u32| (-f64::from(cost) / f64::from(DISC)).exp2();
                let is_first = |i: usize| children[..i].iter().all(|other| other.next.key() != children[i].next.key());
                let once = costs.children.iter().enumerate().filter(|&(i, _)| is_first(i)).map(|(_, cost)| cost);
                let chances: f64 = once.chain(&costs.leaf).map(chance).sum();
                let choice = (chances.log2() * f64::from(DISC)).round() as u32;
                costs.children.iter_mut().chain(&mut costs.leaf).for_each(|cost| *cost += choice);
            }
            GrowthRule::Deviate => {
                let whole = |cost: &mut u32| *cost = cost.next_multiple_of(DISC as u32);
                costs.children.iter_mut().chain(&mut costs.leaf).for_each(whole);
                costs.children.iter_mut().for_each(|cost| *cost += 1);
            }
        }
        costs
    }
}

/// A cost of 1 as people read it, in units of 1/128 disc: what a ply of drop-out expansion costs.
pub const COST_UNIT: u32 = DISC as u32 / 2;

/// What the moves from a position cost, in units of 1/128 disc.
pub(super) struct MoveCosts {
    /// Those to positions of the book, in their order.
    pub children: Vec<u32>,
    /// That of the leaf.
    pub leaf: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::super::moves;
    use super::*;

    /// Positions after the moves of one that are worth this number of discs to the side that moves there.
    fn children(discs: &[(i32, u32)]) -> Vec<Child> {
        let position = crate::testing::random_position(1, 50);
        let child = |((square, next), &(discs, games)): (_, &(i32, u32))| Child {
            square,
            next,
            entry: Entry { value: Some(Score::from_discs(-discs)), games, ..Entry::UNSEARCHED },
        };
        let children: Vec<Child> = moves(&position).zip(discs).map(child).collect();
        assert_eq!(children.len(), discs.len());
        children
    }

    fn costs(rule: GrowthRule, discs: &[(i32, u32)], leaf: i32) -> (Vec<u32>, u32) {
        let best = discs.iter().map(|&(discs, _)| discs).chain([leaf]).max().map(Score::from_discs);
        let from = Entry { value: best, ..Entry::UNSEARCHED };
        let costs = rule.costs(&from, &children(discs), Some(Score::from_discs(leaf)));
        (costs.children, costs.leaf.unwrap())
    }

    #[test]
    fn each_rule_counts_what_it_says() {
        let moves = [(5, 0), (2, 0), (2, 1), (-1, 7)];
        let disc = DISC as u32;
        let halves = |costs: [u32; 4]| costs.map(|cost| cost * disc / 2).to_vec();
        assert_eq!(costs(GrowthRule::DropOut, &moves, 4), (halves([1, 7, 4, 4]), disc));
        // 1.5 discs of a loss of 3 count where a game has played the move, of 6 where seven have.
        let chances: f64 = [0.0, -3.0, -1.5, -1.5, -1.0f64].map(f64::exp2).iter().sum();
        let choice = (chances.log2() * f64::from(DISC)).round() as u32;
        let behind = halves([0, 6, 3, 3]).into_iter().map(|cost| cost + choice).collect();
        assert_eq!(costs(GrowthRule::Relevance, &moves, 4), (behind, disc + choice));
        assert_eq!(costs(GrowthRule::Relevance, &[(5, 0)], 5), (vec![disc], disc), "one of two");
        let twice = children(&[(5, 0)]).into_iter().chain(children(&[(5, 0)])).collect::<Vec<_>>();
        let from = Entry { value: Some(Score::from_discs(5)), ..Entry::UNSEARCHED };
        assert_eq!(GrowthRule::Relevance.costs(&from, &twice, None).children, [0, 0], "no choice");
        let behind = [0, 3, 2, 2].map(|discs| discs * disc + 1).to_vec();
        assert_eq!(costs(GrowthRule::Deviate, &moves, 4), (behind, disc));
    }

    #[test]
    fn a_file_has_a_number_for_each_rule() {
        for rule in GrowthRule::VARIANTS {
            assert_eq!(GrowthRule::of_number(rule.number()), Some(*rule));
            assert_eq!(rule.to_string().parse(), Ok(*rule));
        }
        assert_eq!(GrowthRule::of_number(9), None);
        assert_eq!(GrowthRule::DropOut.number(), 0, "books that name no rule grow by this one");
    }
}
