//! Learning which move the endgame search tries first: the weights of [`MoveOrder`].
//!
//! Where a search to the end asks whether a value exceeds a bound, one good move is enough, and it costs as many positions as it takes to
//! show that it is good. [`nodes`] finds nodes such as the search meets, and what each of their moves costs. [`descent`] finds the
//! weights with which the move that is tried first costs least.

mod descent;
mod nodes;

use super::settings_error::SettingsError;
use crate::search::move_order::MoveOrder;
pub use nodes::{Node, collect as collect_nodes};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Numbers of empty squares of the nodes.
const EMPTIES: RangeInclusive<u32> = 8..=13;
/// Numbers of empty squares of the positions of games from which nodes are reached.
const BEGINNINGS: RangeInclusive<u32> = 16..=20;

/// What is learned from, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MoveOrderSettings {
    /// Nodes that are looked for from each position of 16 to 20 empty squares.
    pub nodes: u32,
    /// Steps of the descent, each with all nodes.
    pub steps: u32,
    /// The size of the first step, in tens of units of the file. Steps fall to 0 like a cosine.
    pub rate: f64,
    /// This times the sum of the squares of the changes, in tens of units of the file, is added to the mean cost over that of the cheapest move.
    pub ridge: f64,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for MoveOrderSettings {
    fn default() -> MoveOrderSettings {
        MoveOrderSettings { nodes: 4, steps: 100, rate: 0.05, ridge: 5e-6, seed: 1 }
    }
}

impl MoveOrderSettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SettingsError> {
        SettingsError::check("move-order.nodes", (1..=1000).contains(&self.nodes), &self.nodes, "1 to 1000")?;
        SettingsError::check("move-order.steps", (1..=10_000).contains(&self.steps), &self.steps, "1 to 10000")?;
        let rate = self.rate;
        SettingsError::check("move-order.rate", rate > 0.0 && rate <= 10.0, &rate, "above 0, up to 10")?;
        SettingsError::check_not_negative(&[("move-order.ridge", self.ridge)])
    }
}

/// What the first move tried costs on held-out nodes with some number of empty squares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OrderCost {
    /// Empty squares.
    pub empties: u32,
    /// Nodes.
    pub nodes: usize,
    /// Positions visited with fewest replies first, over those with the cheapest move first.
    pub fewest_replies: f64,
    /// Positions visited with the learned order, over the same.
    pub learned: f64,
}

/// Weights, and what they cost on nodes of games that they were not learned from.
pub struct LearnedOrder {
    /// The weights as the program reads them.
    pub bytes: Vec<u8>,
    /// Nodes that they were learned from.
    pub nodes: usize,
    /// By empty squares, where nodes are held out.
    pub costs: Vec<OrderCost>,
}

/// Learns the weights. `progress` is called after each step. `None` if there is too little to learn from.
pub fn learn_move_order(settings: &MoveOrderSettings, nodes: &[Node], progress: &dyn Fn(u32)) -> Option<LearnedOrder> {
    let (held_out, training): (Vec<&Node>, Vec<&Node>) = nodes.iter().partition(|node| node.is_held_out);
    if training.is_empty() {
        return None;
    }
    let weights = descent::learn(settings, &training, progress);
    let replies = MoveOrder::fewest_replies();
    let costs = EMPTIES.filter_map(|empties| {
        let nodes: Vec<&Node> = held_out.iter().copied().filter(|node| node.empties == empties).collect();
        let ratio = |weights: &[i8]| {
            let first = |node: &&Node| f64::from(node.first_by(weights).cost);
            nodes.iter().map(first).sum::<f64>() / nodes.iter().map(|node| f64::from(node.least_cost())).sum::<f64>()
        };
        let (fewest_replies, learned) = (ratio(replies.weights()), ratio(&weights));
        (!nodes.is_empty()).then_some(OrderCost { empties, nodes: nodes.len(), fewest_replies, learned })
    });
    let costs = costs.collect();
    Some(LearnedOrder { bytes: weights.iter().map(|&weight| weight as u8).collect(), nodes: training.len(), costs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::move_order::{WEIGHTS, twin};
    use crate::training::{Chunk, Origin, testing};
    use tempfile::TempDir;

    fn games() -> TempDir {
        testing::games(0..2, Origin { command: "selfplay".to_owned(), ..Origin::default() })
    }

    fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn what_is_learned_is_the_same_with_any_number_of_threads() {
        let folder = games();
        let settings = MoveOrderSettings { nodes: 2, steps: 30, ..MoveOrderSettings::default() };
        let [one, three] = [1, 3].map(|threads| {
            with_threads(threads, || {
                let nodes = collect_nodes(&settings, folder.path(), &|_, _| {}).unwrap();
                let learned = learn_move_order(&settings, &nodes, &|_| {}).unwrap();
                let sum = |weights: &[i8]| {
                    let learned_from = nodes.iter().filter(|node| !node.is_held_out);
                    learned_from.map(|node| f64::from(node.first_by(weights).cost / node.least_cost())).sum::<f64>()
                };
                let weights: Vec<i8> = learned.bytes.iter().map(|&byte| byte as i8).collect();
                let costs = [sum(MoveOrder::fewest_replies().weights()), sum(&weights)];
                (learned.bytes, learned.nodes, costs)
            })
        });
        assert_eq!(one, three);
        let (bytes, nodes, [before, after]) = one;
        assert!(nodes > 100, "{nodes}");
        assert!(after < before, "{before} {after}");
        assert_eq!(bytes.len(), WEIGHTS);
        assert!(
            (0..WEIGHTS).all(|term| bytes[term] == bytes[twin(term)]),
            "edges and corners are learned with their mirror images"
        );
    }

    #[test]
    fn nodes_of_every_number_of_empty_squares_are_found_and_measured() {
        let folder = games();
        let settings = MoveOrderSettings { nodes: 3, steps: 2, ..MoveOrderSettings::default() };
        let mut nodes = collect_nodes(&settings, folder.path(), &|_, _| {}).unwrap();
        for empties in EMPTIES {
            assert!(nodes.iter().any(|node| node.empties == empties && node.moves.len() > 1), "{empties}");
        }
        // Of forty games one or two are held out, or none.
        nodes.iter_mut().for_each(|node| node.is_held_out = false);
        assert_eq!(learn_move_order(&settings, &nodes, &|_| {}).unwrap().costs, []);
        nodes.iter_mut().step_by(2).for_each(|node| node.is_held_out = true);
        let costs = learn_move_order(&settings, &nodes, &|_| {}).unwrap().costs;
        assert_eq!(costs.len(), EMPTIES.count());
        for cost in &costs {
            assert!(
                cost.nodes > 0 && (1.0..9.0).contains(&cost.fewest_replies) && (1.0..9.0).contains(&cost.learned),
                "{cost:?}"
            );
        }
    }

    #[test]
    fn labels_are_no_games() {
        let folder = games();
        let file = folder.path().join(Chunk::file_name(0));
        let mut chunk = Chunk::read(&file).unwrap();
        chunk.header.origin.command = "label".to_owned();
        chunk.write(&file).unwrap();
        let error = collect_nodes(&MoveOrderSettings::default(), folder.path(), &|_, _| {}).err().unwrap();
        assert!(error.to_string().contains("labels"), "{error}");
    }

    #[test]
    fn a_folder_without_games_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let settings = MoveOrderSettings::default();
        let error = collect_nodes(&settings, folder.path(), &|_, _| {}).err().unwrap().to_string();
        assert!(error.contains("no files of samples"), "{error}");
        assert!(learn_move_order(&settings, &[], &|_| {}).is_none());
    }
}
