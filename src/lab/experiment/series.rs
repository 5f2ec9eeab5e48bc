//! Series of pairs between two players, where they begin, and how both get the same number of evaluations.

use super::contest::Contest;
use super::duel::{Pair, PairScore, merge, play_pair};
use super::player::{Budgets, ByStage, Contender, Limit};
use super::{ExperimentError, Lab};
use crate::arena::opening_source::{OpeningChoice, OpeningSource};
use crate::othello::{Position, canonical};
use crate::random::Random;
use std::collections::{BTreeMap, HashMap};

/// Openings of Othello where errors are counted by pairs of games: of four plies, one of each class under the symmetries of the board, since
/// games from its images are the same games.
pub fn openings(lab: &Lab<'_>, default: &str, count: u64) -> Result<Vec<Position>, ExperimentError> {
    let source = match source(lab, default)? {
        OpeningSource::FourPly => OpeningSource::Classes,
        other => other,
    };
    positions(lab, &source, count)
}

/// All openings, and for each the number of its class under the symmetries of the board.
pub fn openings_by_class(
    lab: &Lab<'_>,
    default: &str,
    count: u64,
) -> Result<(Vec<Position>, Vec<usize>), ExperimentError> {
    let positions = positions(lab, &source(lab, default)?, count)?;
    let mut classes = HashMap::new();
    let clusters = positions.iter().map(|position| {
        let next = classes.len();
        *classes.entry(canonical(position).0).or_insert(next)
    });
    let clusters = clusters.collect();
    Ok((positions, clusters))
}

fn source(lab: &Lab<'_>, default: &str) -> Result<OpeningSource, ExperimentError> {
    Ok(lab.setup().openings.as_deref().unwrap_or(default).parse()?)
}

fn positions(lab: &Lab<'_>, source: &OpeningSource, count: u64) -> Result<Vec<Position>, ExperimentError> {
    let seed = lab.setup().seed;
    let choice = OpeningChoice { seed, in_order: true, plies: None, count: count as usize };
    let mut found = source.openings(&choice)?;
    if (found.len() as u64) > count {
        Random::new(seed).shuffle(&mut found);
        found.truncate(count as usize);
    }
    if let Some(pairs) = lab.setup().pairs.filter(|&pairs| pairs > found.len() as u64) {
        log::warn!("{} pairs in place of {pairs}: there are no more openings", found.len());
    }
    Ok(found.iter().map(|opening| *opening.position()).collect())
}

/// Plays a pair from each start; each is a unit of the lab.
///
/// # Errors
/// [`ExperimentError::Option`] if a start has so few empty squares, `solve_from`, that both sides play perfectly at once.
pub fn series<G: Contest>(
    lab: &mut Lab<'_>,
    key: &str,
    starts: &[G],
    first: &mut dyn Contender<G>,
    second: &mut dyn Contender<G>,
    solve_from: u32,
) -> Result<Vec<Pair>, ExperimentError> {
    if starts.iter().any(|start| start.verdict(solve_from).is_some()) {
        let openings = lab.setup().openings.as_deref().unwrap_or("default");
        let expected =
            format!("positions with more than {solve_from} empty squares, from which both sides play perfectly");
        return Err(ExperimentError::option("openings", openings, expected));
    }
    let mut pairs = Vec::with_capacity(starts.len());
    for (i, start) in starts.iter().enumerate() {
        pairs.push(lab.unit(&format!("{key}/{i}"), || play_pair(start, first, second, solve_from).0)?);
    }
    Ok(pairs)
}

/// Units that [`calibrate`] takes.
pub const CALIBRATION_UNITS: u64 = 2;
/// Pairs in each of them.
const CALIBRATION_PAIRS: usize = 6;

/// The evaluations that `model` makes for a move at each stage of a game, on average: first against itself, then against
/// the player that is to get as many, since what a kept tree saves depends on who plays.
pub fn calibrate<G: Contest, M: Contender<G>, P: Contender<G>>(
    lab: &mut Lab<'_>,
    key: &str,
    starts: &[G],
    model: impl Fn() -> M,
    player: impl Fn(Budgets) -> P,
    solve_from: u32,
) -> Result<Budgets, ExperimentError> {
    let starts = &starts[..starts.len().min(CALIBRATION_PAIRS)];
    let first = lab.unit(&format!("{key}/calibration/itself"), || {
        let mut spent = ByStage::new();
        for start in starts {
            let (_, stages) = play_pair(start, &mut model(), &mut model(), solve_from);
            stages.iter().for_each(|stage| merge(&mut spent, stage));
        }
        spent
    })?;
    let spent = lab.unit(&format!("{key}/calibration/opponent"), || {
        let mut player = player(Budgets(first));
        let mut spent = ByStage::new();
        for start in starts {
            let (_, [_, stages]) = play_pair(start, &mut player, &mut model(), solve_from);
            merge(&mut spent, &stages);
        }
        spent
    })?;
    Ok(Budgets(spent))
}

/// Evaluations of one move at most, for each that alpha-beta makes on average: the paper's "or runs out of time".
const PATIENCE: u64 = 20;
/// Pairs of a tournament that looks for the depth at which both take the same time.
pub const HORIZON_PAIRS: usize = 8;

/// The depth of the principal leaf at which best-first makes most nearly as many evaluations as alpha-beta of this depth, `model`, and the most
/// evaluations for a move. The depth is found as in the paper: tournament by tournament, the depth of the side that took less being raised, from
/// a first guess on.
pub fn horizon<G: Contest, M: Contender<G>, P: Contender<G>>(
    lab: &mut Lab<'_>,
    key: &str,
    starts: &[G],
    model: impl Fn() -> M,
    (depth, first_guess): (u32, u32),
    player: impl Fn(Limit) -> P,
    solve_from: u32,
) -> Result<(u32, u64), ExperimentError> {
    let starts = &starts[..starts.len().min(HORIZON_PAIRS)];
    let mean = lab.unit(&format!("{key}/alpha-beta"), || {
        let pair = |start: &G| play_pair(start, &mut model(), &mut model(), solve_from).0;
        PairScore::of(&starts.iter().map(pair).collect::<Vec<Pair>>()).first.per_move().ceil() as u64
    })?;
    let most = PATIENCE * mean;
    if depth == 1 {
        // Both are the same player then: the best of the children by their static values.
        return Ok((1, most));
    }
    let mut known: BTreeMap<u32, f64> = BTreeMap::new();
    let mut plies = first_guess;
    let most_plies = starts.iter().map(Contest::plies_left).max().unwrap_or(0);
    // The ratio grows with the depth, so that this goes one way and stops where it crosses 1, or at the end of the game.
    while plies <= most_plies && !known.contains_key(&plies) {
        let mut candidate = player(Limit::Plies(plies, most));
        let key = format!("{key}/horizon {plies}");
        let pairs = series(lab, &key, starts, &mut candidate, &mut model(), solve_from)?;
        let share = PairScore::of(&pairs).share_spent();
        known.insert(plies, share);
        plies = if share < 1.0 { plies + 1 } else { (plies - 1).max(2) };
    }
    let nearest = known.iter().min_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs()));
    Ok((nearest.map_or(plies, |(&plies, _)| plies), most))
}

#[cfg(test)]
mod tests {
    use super::super::lab::tests::unwatched_lab;
    use super::super::player::{BestFirstPlayer, FixedDepth, Limit};
    use super::super::{Ledger, Setup};
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::lab::random_tree::{PathCost, RandomTree, TreeShape};
    use crate::search::{EndValues, KorfSettings};
    use crate::testing::random_position;
    use std::sync::Arc;

    #[test]
    fn calibration_makes_the_sides_spend_alike() {
        let mut lab = unwatched_lab(Setup::default(), Ledger::in_memory());
        let shape = TreeShape { length: 30, ..TreeShape::of_the_paper(6) };
        let starts: Vec<RandomTree> = (0..20).map(|seed| RandomTree::new(shape, seed)).collect();
        let fixed = || FixedDepth::new(4, Arc::new(PathCost));
        let settings = KorfSettings { ends: EndValues::Sum, ..KorfSettings::korf() };
        let best_first = |budgets| BestFirstPlayer::new(settings, Limit::Budgets(budgets), Arc::new(PathCost));
        let budgets = calibrate(&mut lab, "x", &starts, fixed, best_first, 0).unwrap();
        let pairs = series(&mut lab, "x", &starts, &mut best_first(budgets), &mut fixed(), 0).unwrap();
        let score = PairScore::of(&pairs);
        assert!((0.8..1.25).contains(&score.share_spent()), "{}", score.share_spent());
        assert_eq!(score.tally.games(), 40);
    }

    #[test]
    fn near_the_end_a_horizon_lies_within_the_game() {
        let mut lab = unwatched_lab(Setup::default(), Ledger::in_memory());
        let evaluator = EvaluatorKind::Mobility.build();
        let mut starts: Vec<Position> = (0..6).map(|seed| random_position(seed, 6)).collect();
        starts.retain(|start| !start.is_over());
        let fixed = || FixedDepth::new(5, evaluator.clone());
        let best_first = |limit| BestFirstPlayer::new(KorfSettings::korf(), limit, evaluator.clone());
        let (plies, _) = horizon(&mut lab, "x", &starts, fixed, (5, 4), best_first, 5).unwrap();
        assert!(plies <= 6, "{plies}");
        let error = series(&mut lab, "y", &starts, &mut fixed(), &mut fixed(), 6).unwrap_err().to_string();
        assert!(error.contains("openings: 'default' is not valid; expected positions with more than 6"), "{error}");
    }
}
