//! Nodes such as a search to the end meets, and what their moves cost.

use super::{BEGINNINGS, EMPTIES, MoveOrderSettings};
use crate::othello::Position;
use crate::random::Random;
use crate::search::move_order::{MoveOrder, MoveTerms, NullWindows, TERMS, moves_with_terms};
use crate::training::chunk::Chunk;
use crate::training::container::FileError;
use crate::training::distinct_games::DistinctGames;
use crate::training::sample::{Sample, is_held_out};
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::Path;

/// How many of a thousand games are held out.
const HELD_OUT_PER_THOUSAND: u32 = 50;

/// A node of which some moves are good enough: the value exceeds its bound.
pub struct Node {
    pub(super) empties: u32,
    pub(super) moves: Box<[NodeMove]>,
    pub(super) is_held_out: bool,
}

/// A move of a node.
pub(super) struct NodeMove {
    /// The indices of the weights that its key is the sum of.
    pub(super) terms: [u16; TERMS],
    /// Positions visited until the node is settled if this move is tried first. For a move that does not exceed the bound: those of its
    /// own, and the mean of the moves that do.
    pub(super) cost: f32,
}

impl Node {
    /// The move that these weights try first.
    pub(super) fn first_by(&self, weights: &[i8]) -> &NodeMove {
        let key = |turn: &&NodeMove| turn.terms.iter().map(|&term| i32::from(weights[usize::from(term)])).sum::<i32>();
        self.moves.iter().min_by_key(key).expect("a node has moves")
    }

    /// The cost of the cheapest move.
    pub(super) fn least_cost(&self) -> f32 {
        self.moves.iter().map(|turn| turn.cost).fold(f32::INFINITY, f32::min)
    }
}

/// The nodes of the games of a folder, in their order. Of games that begin alike the first one counts. `progress` is called with how many
/// files are done and how many there are.
///
/// # Errors
/// If a file cannot be read or has labels, or the folder has none. Damaged files are left out, with a warning.
pub fn collect(
    settings: &MoveOrderSettings,
    games: &Path,
    progress: &dyn Fn(usize, usize),
) -> Result<Vec<Node>, FileError> {
    let order = MoveOrder::fewest_replies();
    let (mut nodes, mut distinct) = (Vec::new(), DistinctGames::default());
    let files = Chunk::files(games)?;
    for (number, file) in files.iter().enumerate() {
        match Chunk::read(file) {
            Ok(chunk) if !chunk.is_play() => return Err(FileError::content(file, "these are labels, and not games")),
            Ok(chunk) => {
                let seed = chunk.header.origin.seed;
                let of_game =
                    |search: &mut NullWindows, game: &&[Sample]| of_game(settings, &order, search, game, seed);
                let games = distinct.of_chunk(&chunk);
                let found = games.par_iter().map_init(|| NullWindows::new(&order), of_game);
                nodes.extend(found.collect::<Vec<_>>().into_iter().flatten());
            }
            Err(error) if error.is_damage() => log::warn!("left out: {error}"),
            Err(error) => return Err(error),
        }
        progress(number + 1, files.len());
    }
    Ok(nodes)
}

/// The nodes beside one game, of a folder of this seed.
fn of_game(
    settings: &MoveOrderSettings,
    order: &MoveOrder,
    search: &mut NullWindows,
    game: &[Sample],
    seed: u64,
) -> Vec<Node> {
    search.clear();
    let number = game[0].game;
    let is_held_out = is_held_out(seed, number, HELD_OUT_PER_THOUSAND);
    let mut random = Random::of_pair(settings.seed, number);
    let (mut nodes, mut known) = (Vec::new(), HashSet::new());
    for sample in game.iter().filter(|sample| BEGINNINGS.contains(&sample.position().empties().count())) {
        for _ in 0..settings.nodes {
            let Some((position, alpha)) = walk(sample, order, &mut random) else { continue };
            if known.insert((position.player(), position.opponent(), alpha)) {
                nodes.extend(node(search, &position, alpha, is_held_out));
            }
        }
    }
    nodes
}

/// A position that a search would meet below one of a game, and the bound that its value is compared with: at the beginning the result of the
/// game, or one disc less. Random moves alternate with moves that leave the fewest replies. `None` if the game ends before.
fn walk(sample: &Sample, order: &MoveOrder, random: &mut Random) -> Option<(Position, i32)> {
    let mut position = sample.position();
    let empties = EMPTIES.start() + random.below(EMPTIES.count()) as u32;
    let mut needs_good_move = random.below(2) == 0;
    let mut alpha = i32::from(sample.score) - i32::from(needs_good_move);
    while !position.is_over() {
        if position.must_pass() {
            position = position.pass();
        } else if position.empties().count() == empties {
            return Some((position, alpha));
        } else {
            let mut moves = moves_with_terms(&position);
            let chosen = if needs_good_move {
                moves.into_iter().min_by_key(|turn| order.sum(&turn.terms)).expect("no pass")
            } else {
                moves.swap_remove(random.below(moves.len()))
            };
            position = chosen.after;
        }
        (alpha, needs_good_move) = (-alpha - 1, !needs_good_move);
    }
    None
}

/// The node, if one of several moves is good enough.
fn node(search: &mut NullWindows, position: &Position, alpha: i32, is_held_out: bool) -> Option<Node> {
    let moves = moves_with_terms(position);
    if moves.len() < 2 {
        return None;
    }
    let mut tried = Vec::new();
    for turn in &moves {
        let (reply_exceeds, visited) = search.ask(&turn.after, -alpha - 1);
        tried.push((!reply_exceeds, visited as f32));
    }
    let good: Vec<f32> = tried.iter().filter(|(is_good, _)| *is_good).map(|&(_, visited)| visited).collect();
    if good.is_empty() {
        return None;
    }
    let then = good.iter().sum::<f32>() / good.len() as f32;
    let of_move = |(turn, (is_good, visited)): (&MoveTerms, (bool, f32))| NodeMove {
        terms: turn.terms.map(|term| term as u16),
        cost: if is_good { visited } else { visited + then },
    };
    let moves = moves.iter().zip(tried).map(of_move).collect();
    Some(Node { empties: position.empties().count(), moves, is_held_out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::game::DISC;
    use crate::search::{Contempt, MinimaxKind, plain_minimax};
    use crate::testing::random_position;

    #[test]
    fn a_move_that_is_not_good_enough_costs_one_that_is_besides() {
        let order = MoveOrder::fewest_replies();
        let evaluator = EvaluatorKind::DiscCount.build();
        let (mut good_ones, mut bad_ones, mut none) = (0, 0, 0);
        for seed in 0..200 {
            let (position, alpha) = (random_position(seed, 7), seed as i32 % 41 - 20);
            let moves = moves_with_terms(&position);
            let is_good = |turn: &MoveTerms| {
                let kind = MinimaxKind::AlphaBeta;
                let value = plain_minimax(kind, &turn.after, 60, &*evaluator, Contempt::NONE, &mut |_| false).value;
                -value > alpha * DISC
            };
            let good: Vec<bool> = moves.iter().map(is_good).collect();
            let Some(node) = node(&mut NullWindows::new(&order), &position, alpha, false) else {
                assert!(moves.len() < 2 || !good.contains(&true), "{position}");
                none += 1;
                continue;
            };
            let costs = |wanted: bool| {
                node.moves.iter().zip(&good).filter(move |(_, good)| **good == wanted).map(|(turn, _)| turn.cost)
            };
            let mean = costs(true).sum::<f32>() / costs(true).count() as f32;
            assert!(costs(true).all(|cost| cost >= 1.0) && costs(false).all(|cost| cost >= mean + 0.99), "{position}");
            (good_ones, bad_ones) = (good_ones + costs(true).count(), bad_ones + costs(false).count());
        }
        assert!(good_ones > 100 && bad_ones > 100 && none > 10, "{good_ones} {bad_ones} {none}");
    }
}
