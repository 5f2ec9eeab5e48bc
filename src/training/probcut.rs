//! Measuring how far shallow searches err, for ProbCut, and what their static values are too low by.
//!
//! Positions of Emilia's own play, some of them off the path of good play, are searched to every depth without any
//! selective cut, and near the end solved. The differences between the values of shallow and deep searches of the same
//! parity, by empty squares and both depths, give one standard deviation each; [`ErrorModel`]'s two surfaces are fitted to
//! their logarithms, each weighted by the number of positions behind it.
//!
//! Each position is also played out, unless it is solved. The tempo is what makes the values of all depths agree with the results in the
//! mean, by least squares.

use crate::eval::{ErrorModel, Evaluator, error_terms, shallow_depth_to_end, tempo_terms};
use crate::othello::{Empties, Position};
use crate::random::Random;
use crate::search::{AlphaBeta, AlphaBetaSettings, Control, Depth, Limits, Search, SearchDepth, Selectivity, Task};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbcutSettings {
    /// Positions to search, 100 or more.
    pub positions: u32,
    /// The deepest search, 4 to 16 plies.
    pub depth: u8,
    /// Positions with at most this many empty squares are solved too.
    pub solved_empties: Empties,
    /// Which positions.
    pub seed: u64,
}

impl Default for ProbcutSettings {
    fn default() -> ProbcutSettings {
        ProbcutSettings { positions: 3_000, depth: 10, solved_empties: Empties::new(20).unwrap(), seed: 1 }
    }
}

/// The deviation of one class of positions and searches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Deviation {
    /// Empty squares, the middle of the class.
    pub empties: Empties,
    /// Plies of the deep search; as many as there are empty squares if it saw the end.
    pub deep: u8,
    /// Plies of the shallow search.
    pub shallow: u8,
    /// Positions.
    pub count: u32,
    /// Mean of deep minus shallow value, in discs.
    pub mean: f64,
    /// Standard deviation around that mean, in discs.
    pub deviation: f64,
    /// What the fitted model says, in discs.
    pub fitted: f64,
}

/// A model with what it was fitted to.
#[derive(Clone, PartialEq, Debug)]
pub struct ProbcutFit {
    /// The model.
    pub model: ErrorModel,
    /// Deep searches that end in static evaluations.
    pub midgame: Vec<Deviation>,
    /// Deep searches that see the end.
    pub endgame: Vec<Deviation>,
    /// Values of one ply more less those of a depth, with the evaluator as it was before the fit.
    pub changes: Vec<Change>,
}

/// The mean change of values from a depth to the next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    /// Empty squares, the middle of the class.
    pub empties: Empties,
    /// Plies of the shallower search.
    pub depth: u8,
    /// Positions.
    pub count: u32,
    /// Mean change in discs.
    pub mean: f64,
}

/// The span of empty squares of one class of positions.
const CLASS: u8 = 4;
/// Fewer positions than this say nothing about a deviation.
const LEAST_COUNT: u32 = 12;
/// The fewest and the most empty squares of the positions.
const EMPTIES: std::ops::RangeInclusive<u8> = 10..=52;
/// Depth in plies from which on values count for the tempo. It is less in shallower searches, whose leaves are less well chosen.
const TEMPO_FROM: u8 = 5;
/// Depth in plies of the searches that play a position out.
const PLAYOUT_DEPTH: u8 = 6;
/// Pulls the coefficients a little towards zero, where the data leave them open.
const RIDGE: f64 = 1e-3;

/// Searches and fits. `progress` is called after every position, from several threads.
///
/// `None` if there is too little data to fit a surface.
pub fn fit_probcut(
    settings: &ProbcutSettings,
    evaluator: &Arc<dyn Evaluator<Position>>,
    progress: &(dyn Fn() + Sync),
) -> Option<ProbcutFit> {
    let values: Vec<Values> = (0..settings.positions)
        .into_par_iter()
        .filter_map(|number| {
            let values = Values::of(settings, number, evaluator);
            progress();
            values
        })
        .collect();
    let mut midgame = BTreeMap::new();
    let mut endgame = BTreeMap::new();
    for position in &values {
        let class = position.class();
        for deep in 3..position.by_depth.len() as u8 {
            for shallow in (1..deep - 1).filter(|shallow| shallow % 2 == deep % 2) {
                if let (Some(far), Some(near)) = (position.at(deep), position.at(shallow)) {
                    midgame.entry((class, deep, shallow)).or_insert_with(Sums::default).add(far - near);
                }
            }
        }
        if position.is_solved {
            for shallow in 1..position.by_depth.len() as u8 {
                if let Some(near) = position.at(shallow).filter(|_| shallow % 2 == position.empties.count() % 2) {
                    let key = (position.empties, position.empties.count(), shallow);
                    endgame.entry(key).or_insert_with(Sums::default).add(position.result - near);
                }
            }
        }
    }
    let mut midgame = deviations(midgame);
    let mut endgame = deviations(endgame);
    let surfaces = [fit(&midgame)?, fit(&endgame)?];
    for (classes, surface_of_classes) in [&mut midgame, &mut endgame].into_iter().zip(&surfaces) {
        for deviation in classes {
            deviation.fitted = surface(surface_of_classes, deviation);
        }
    }
    let old = evaluator.error_model().map(ErrorModel::coefficients);
    let old = old.map_or(vec![0.0; TEMPO_TERMS], |old| old[ErrorModel::OF_DEVIATIONS..].to_vec());
    let tempo = old.iter().zip(fit_tempo(&values)?).map(|(old, missing)| old + missing).collect();
    let model = ErrorModel::new(&[surfaces.concat(), tempo].concat())?;
    Some(ProbcutFit { model, midgame, endgame, changes: changes(&values) })
}

/// Coefficients of the tempo in [`ErrorModel`].
const TEMPO_TERMS: usize = ErrorModel::COEFFICIENTS - ErrorModel::OF_DEVIATIONS;

/// The coefficients of what the tempo lacks: least squares on result less value. Two terms more, constant and linear in the
/// empty squares of the leaves, stand for what the values of all depths err alike.
fn fit_tempo(values: &[Values]) -> Option<Vec<f64>> {
    let terms = TEMPO_TERMS + 2;
    let mut normal = DMatrix::identity(terms, terms) * RIDGE;
    let mut target = DVector::zeros(terms);
    for position in values {
        for depth in TEMPO_FROM.min(position.by_depth.len() as u8 - 2)..position.by_depth.len() as u8 {
            let Some(value) = position.at(depth) else { continue };
            let leaf = position.empties.after(depth);
            let sign = if depth.is_multiple_of(2) { 1.0 } else { -1.0 };
            let own = tempo_terms(leaf).map(|term| sign * term);
            let row = DVector::from_iterator(terms, own.into_iter().chain([1.0, f64::from(leaf.count()) / 60.0]));
            target += &row * (position.result - value);
            normal += &row * row.transpose();
        }
    }
    let solution = normal.cholesky()?.solve(&target);
    log::info!("all depths alike: {:+.2} {:+.2} e/60 discs", solution[TEMPO_TERMS], solution[TEMPO_TERMS + 1]);
    Some(solution.iter().take(TEMPO_TERMS).copied().collect())
}

fn changes(values: &[Values]) -> Vec<Change> {
    let mut sums: BTreeMap<(Empties, u8), Sums> = BTreeMap::new();
    for position in values {
        let class = position.class();
        for depth in 1..position.by_depth.len() as u8 - 1 {
            if let (Some(value), Some(next)) = (position.at(depth), position.at(depth + 1)) {
                sums.entry((class, depth)).or_default().add(next - value);
            }
        }
    }
    let enough = sums.into_iter().filter(|(_, sums)| sums.count >= LEAST_COUNT);
    let change =
        |((empties, depth), Sums { count, sum, .. })| Change { empties, depth, count, mean: sum / f64::from(count) };
    enough.map(change).collect()
}

/// The values of one position, in discs.
struct Values {
    empties: Empties,
    by_depth: Vec<Option<f64>>,
    /// The result under perfect play if the position is solved, else that of a game from there.
    result: f64,
    is_solved: bool,
}

impl Values {
    fn of(settings: &ProbcutSettings, number: u32, evaluator: &Arc<dyn Evaluator<Position>>) -> Option<Values> {
        let position = sample(settings.seed, number, evaluator)?;
        let empties = position.empty_count();
        let mut search =
            AlphaBeta::new(AlphaBetaSettings { table_bytes: 8 << 20, threads: 1, selectivity: Selectivity::NONE });
        let task = Task::new(position, evaluator.clone());
        let mut by_depth = vec![None; usize::from(settings.depth) + 1];
        let mut limited = |depth: u8| {
            let limits = Limits { depth: Depth::new(depth), ..Limits::default() };
            let report = search.think(&task, &Control::with_limits(limits), &mut |_| {});
            if report.depth == SearchDepth::Plies(depth) {
                by_depth[usize::from(depth)] = Some(report.lines[0].score.discs());
            }
        };
        // One by one and from shallow to deep: a search that may go further solves earlier, and one that finds deeper
        // values in the table takes them.
        (1..=settings.depth).for_each(&mut limited);
        let is_solved = empties <= settings.solved_empties;
        let result = if is_solved {
            let report = search.think(&task, &Control::with_limits(Limits::default()), &mut |_| {});
            report.lines[0].score.discs()
        } else {
            played_out(position, evaluator, &mut search)
        };
        Some(Values { empties, by_depth, result, is_solved })
    }

    /// The middle of the class of the position.
    fn class(&self) -> Empties {
        Empties::new(self.empties.count() / CLASS * CLASS + CLASS / 2).expect("the most are 52")
    }

    /// The value of a search of this depth, if it ended in static evaluations.
    fn at(&self, depth: u8) -> Option<f64> {
        self.by_depth[usize::from(depth)].filter(|_| !self.empties.are_within(depth))
    }
}

/// The result for the side to move, in discs, of a game that goes on from here.
fn played_out(start: Position, evaluator: &Arc<dyn Evaluator<Position>>, search: &mut AlphaBeta) -> f64 {
    let limits = Limits { depth: Depth::new(PLAYOUT_DEPTH), ..Limits::default() };
    let mut position = start;
    while !position.is_over() {
        let task = Task::new(position, evaluator.clone());
        let turn = search.think(&task, &Control::with_limits(limits), &mut |_| {}).lines[0].turn;
        position = position.take(turn).expect("a search answers with a legal turn");
    }
    f64::from(if position.mover() == start.mover() { position.score() } else { -position.score() })
}

/// A position of a game that begins at random, goes on with good play, and in one case of five ends with a random move.
fn sample(seed: u64, number: u32, evaluator: &Arc<dyn Evaluator<Position>>) -> Option<Position> {
    let mut random = Random::of_pair(seed, number.into());
    let span = usize::from(EMPTIES.end() - EMPTIES.start()) + 1;
    let wanted = *EMPTIES.start() + random.below(span) as u8;
    let opening = 60 - (4 + random.below(12) as u8);
    let strays = random.below(5) == 0;
    let mut search =
        AlphaBeta::new(AlphaBetaSettings { table_bytes: 1 << 16, threads: 1, selectivity: Selectivity::NONE });
    let mut position = Position::START;
    loop {
        let empties = position.empty_count().count();
        if position.moves().is_empty() {
            position = position.pass();
            if position.moves().is_empty() {
                return None;
            }
            continue;
        }
        if empties <= wanted {
            return Some(position);
        }
        let moves = position.moves();
        let square = if empties > opening || strays && empties == wanted + 1 {
            moves.into_iter().nth(random.below(moves.count() as usize))?
        } else {
            let limits = Limits { depth: Depth::new(2), ..Limits::default() };
            let task = Task::new(position, evaluator.clone());
            search.think(&task, &Control::with_limits(limits), &mut |_| {}).lines[0].turn.square()?
        };
        position = position.after(square);
    }
}

#[derive(Default)]
struct Sums {
    count: u32,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, difference: f64) {
        self.count += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }
}

fn deviations(sums: BTreeMap<(Empties, u8, u8), Sums>) -> Vec<Deviation> {
    let enough = sums.into_iter().filter(|(_, sums)| sums.count >= LEAST_COUNT);
    enough
        .map(|((empties, deep, shallow), Sums { count, sum, squares })| {
            let n = f64::from(count);
            let mean = sum / n;
            let deviation = (squares / n - mean * mean).max(0.0).sqrt();
            Deviation { empties, deep, shallow, count, mean, deviation, fitted: 0.0 }
        })
        .filter(|class| class.deviation > 0.0)
        .collect()
}

/// Weighted least squares on the logarithms.
fn fit(classes: &[Deviation]) -> Option<Vec<f64>> {
    let rows: Vec<([f64; 6], f64, f64)> = classes
        .iter()
        .map(|class| {
            // ProbCut asks at certain depths only; what it asks weighs more.
            let asked = if class.deep == class.empties.count() {
                class.shallow == shallow_depth_to_end(class.empties)
            } else {
                class.shallow == crate::eval::shallow_depth(class.deep)
            };
            let weight = f64::from(class.count) * if asked { 4.0 } else { 1.0 };
            (error_terms(class.empties, class.deep, class.shallow), class.deviation.ln(), weight)
        })
        .collect();
    let terms = ErrorModel::OF_DEVIATIONS / 2;
    if rows.len() < 2 * terms {
        return None;
    }
    let design = DMatrix::from_fn(rows.len(), terms, |row, term| rows[row].0[term] * rows[row].2.sqrt());
    let target = DVector::from_fn(rows.len(), |row, _| rows[row].1 * rows[row].2.sqrt());
    let normal = design.transpose() * &design + DMatrix::identity(terms, terms) * RIDGE;
    let solution = normal.cholesky()?.solve(&(design.transpose() * target));
    Some(solution.iter().copied().collect())
}

fn surface(coefficients: &[f64], class: &Deviation) -> f64 {
    let terms = error_terms(class.empties, class.deep, class.shallow);
    coefficients.iter().zip(terms).map(|(c, term)| c * term).sum::<f64>().exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;

    #[test]
    fn a_small_measurement_gives_a_model() {
        let settings = ProbcutSettings { positions: 900, depth: 6, solved_empties: Empties::new(16).unwrap(), seed: 3 };
        let evaluator = EvaluatorKind::Mobility.build();
        let count = std::sync::atomic::AtomicU32::new(0);
        let tick = || {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        };
        let fit = fit_probcut(&settings, &evaluator, &tick).unwrap();
        assert_eq!(count.into_inner(), settings.positions);
        // Shallower searches err more, and the fit is near what it was fitted to.
        for class in &fit.midgame {
            assert!((class.fitted / class.deviation).ln().abs() < 0.7, "{class:?}");
        }
        assert_eq!(fit, fit_probcut(&settings, &evaluator, &|| ()).unwrap(), "the same seed gives the same model");
    }
}
