//! Gradient descent on what the first move tried costs.
//!
//! A move is tried first with a chance proportional to exp(−key), so that the mean cost has a gradient. Nodes with each number of empty
//! squares count alike. A step is Adam's (Kingma and Ba, ICLR 2015), with all nodes.

use super::nodes::Node;
use super::{EMPTIES, MoveOrderSettings};
use crate::search::move_order::{MoveOrder, WEIGHTS, twin};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Units of the file in 1 of a key here.
const UNITS: f64 = 10.0;
/// Shares of the mean gradient, and of the mean square, that a step keeps.
const MEAN_KEPT: f64 = 0.9;
const SQUARE_KEPT: f64 = 0.99;
/// Keeps a step finite.
const LEAST_SCALE: f64 = 1e-9;
/// At most as many parts of the nodes have a sum of their own. These are added in order, so the result does not depend on threads.
const PARTS: usize = 64;

/// The weights that make the first move cheapest.
pub(super) fn learn(settings: &MoveOrderSettings, nodes: &[&Node], progress: &dyn Fn(u32)) -> Vec<i8> {
    let mut least = BTreeMap::new();
    for node in nodes {
        *least.entry(node.empties).or_insert(0.0) += f64::from(node.least_cost());
    }
    let share = |node: &Node| 1.0 / (EMPTIES.count() as f64 * least[&node.empties]);
    // A configuration and its mirror image share one weight, that of the lesser index.
    let twins: Vec<usize> = (0..WEIGHTS).map(|term| term.min(twin(term))).collect();
    let start: Vec<f64> =
        MoveOrder::fewest_replies().weights().iter().map(|&weight| f64::from(weight) / UNITS).collect();
    let mut weights = start.clone();
    let (mut means, mut squares) = (vec![0.0; WEIGHTS], vec![0.0; WEIGHTS]);
    for step in 1..=settings.steps {
        let mut gradient = vec![0.0; WEIGHTS];
        let parts: Vec<Vec<f64>> = nodes
            .par_chunks(nodes.len().div_ceil(PARTS))
            .map(|part| {
                let mut sum = vec![0.0; WEIGHTS];
                part.iter().for_each(|node| add_gradient(node, share(node), &weights, &mut sum));
                sum
            })
            .collect();
        for part in parts {
            gradient.iter_mut().zip(part).for_each(|(all, part)| *all += part);
        }
        for (term, &twin) in twins.iter().enumerate().filter(|&(term, &twin)| twin < term) {
            gradient[twin] += gradient[term];
        }
        let done = f64::from(step - 1) / f64::from(settings.steps);
        let rate = settings.rate * 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
        let corrections = [MEAN_KEPT, SQUARE_KEPT].map(|kept: f64| 1.0 - kept.powi(step as i32));
        for term in (0..WEIGHTS).filter(|&term| twins[term] == term) {
            let slope = gradient[term] + 2.0 * settings.ridge * (weights[term] - start[term]);
            means[term] = MEAN_KEPT * means[term] + (1.0 - MEAN_KEPT) * slope;
            squares[term] = SQUARE_KEPT * squares[term] + (1.0 - SQUARE_KEPT) * slope * slope;
            let scale = (squares[term] / corrections[1]).sqrt() + LEAST_SCALE;
            weights[term] -= rate * means[term] / corrections[0] / scale;
        }
        for term in 0..WEIGHTS {
            weights[term] = weights[twins[term]];
        }
        progress(step);
    }
    // A weight that does not fit into a byte is cut.
    weights.iter().map(|weight| (weight * UNITS).round() as i8).collect()
}

/// Adds the gradient of the mean cost of a node.
fn add_gradient(node: &Node, share: f64, weights: &[f64], sum: &mut [f64]) {
    let key = |terms: &[u16]| terms.iter().map(|&term| weights[usize::from(term)]).sum::<f64>();
    let keys: Vec<f64> = node.moves.iter().map(|turn| key(&turn.terms)).collect();
    let least = keys.iter().copied().fold(f64::INFINITY, f64::min);
    let chances: Vec<f64> = keys.iter().map(|key| (least - key).exp()).collect();
    let all: f64 = chances.iter().sum();
    let mean = node.moves.iter().zip(&chances).map(|(turn, chance)| f64::from(turn.cost) * chance).sum::<f64>() / all;
    for (turn, chance) in node.moves.iter().zip(&chances) {
        let slope = -share * chance / all * (f64::from(turn.cost) - mean);
        turn.terms.iter().for_each(|&term| sum[usize::from(term)] += slope);
    }
}
