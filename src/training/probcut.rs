//! Measuring how far shallow searches err, for ProbCut, and what their static values are too low by.
//!
//! Positions of Emilia's own play, some of them off the path of good play, are searched to every depth without any
//! selective cut, and near the end solved. The differences between the values of shallow and deep searches of the same
//! parity, by empty squares and both depths, give one standard deviation each; [`ErrorModel`]'s two surfaces are fitted to
//! their logarithms, each weighted by the number of positions behind it.
//!
//! The tempo is what makes the values of all depths agree with each other in the mean, and with the exact scores where there are any, by
//! least squares. That of the first plies is fitted after it (`first_plies`).

use super::first_plies::fit_first_plies;
use super::searcher::Searcher;
use crate::eval::{
    ERROR_TERMS, ErrorModel, Evaluator, MOST_EMPTIES_OF_FIT, MOST_EMPTIES_OF_LEAVES, STATIC_LIMIT, error_terms,
    shallow_depth, shallow_depth_to_end, tempo_terms,
};
use crate::game::DISC;
use crate::othello::{Empties, Position};
use crate::random::Random;
use crate::search::{Depth, SearchDepth, Selectivity};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbcutSettings {
    /// Positions to search, 100 or more.
    pub positions: u32,
    /// The deepest search, 6 to 16 plies.
    pub depth: u8,
    /// Positions with at most this many empty squares are solved too.
    pub solved_empties: Empties,
    /// Which positions.
    pub seed: u64,
}

impl ProbcutSettings {
    /// Positions of the first plies, which are searched beside [`positions`](ProbcutSettings::positions).
    pub fn of_first_plies(&self) -> u32 {
        self.positions / 2
    }
}

impl Default for ProbcutSettings {
    fn default() -> ProbcutSettings {
        ProbcutSettings { positions: 3_000, depth: 10, solved_empties: Empties::new(20).unwrap(), seed: 1 }
    }
}

/// The deviation of one class of positions and searches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Deviation {
    /// Empty squares. Where the deep search ends in static evaluations, 4k + 2 stands for 4k to 4k + 3, and 52 for itself alone.
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
    /// The model; `None` if there is too little data for one.
    pub model: Option<ErrorModel>,
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
    /// Empty squares, as [`Deviation::empties`] calls the class.
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
const EMPTIES: RangeInclusive<u8> = 10..=MOST_EMPTIES_OF_FIT;
/// Depth in plies from which on values count for the tempo. It is less in shallower searches, whose leaves are less well
/// chosen.
const TEMPO_FROM: u8 = MOST_EMPTIES_OF_FIT - MOST_EMPTIES_OF_LEAVES;
/// What is fitted of the tempo: the cubic, who has the last move, and two terms that all depths share.
const TEMPO_COEFFICIENTS: usize = ERROR_TERMS + 1;
/// The empty squares of a leaf, over 60, at which the last move is worth nothing. Only exact scores tell what it is worth, because it moves
/// the values of all depths alike, and solved positions have leaves close to the end alone. So its worth is a line that falls to nothing here.
const LAST_MOVE_VANISHES_AT: f64 = (MOST_EMPTIES_OF_LEAVES + 1) as f64 / 60.0;
/// Pulls the coefficients a little towards zero, where the data leave them open.
const RIDGE: f64 = 1e-3;

/// Searches and fits. `progress` is called after every position, from several threads.
pub fn fit_probcut(
    settings: &ProbcutSettings,
    evaluator: &Arc<dyn Evaluator<Position>>,
    progress: &(dyn Fn() + Sync),
) -> ProbcutFit {
    let values: Vec<Values> = (0..settings.positions)
        .into_par_iter()
        .filter_map(|number| {
            let values = Values::of(settings, number, evaluator);
            progress();
            values
        })
        .collect();
    let mut midgame = deviations(values.iter().flat_map(Values::midgame_errors));
    let mut endgame = deviations(values.iter().flat_map(Values::endgame_errors));
    // ProbCut asks at certain depths only.
    let surfaces = [
        fit(&mut midgame, |class| class.shallow == shallow_depth(class.deep)),
        fit(&mut endgame, |class| class.shallow == shallow_depth_to_end(class.empties)),
    ];
    let model = model(settings, evaluator, surfaces, &values, progress);
    ProbcutFit { model, midgame, endgame, changes: changes(&values) }
}

/// The model with these coefficients of the deviations. `None` if some are missing, or if there is too little data for the others.
fn model(
    settings: &ProbcutSettings,
    evaluator: &Arc<dyn Evaluator<Position>>,
    surfaces: [Option<Vec<f64>>; 2],
    values: &[Values],
    progress: &(dyn Fn() + Sync),
) -> Option<ErrorModel> {
    let [midgame, endgame] = surfaces;
    let deviations = [midgame?, endgame?].concat();
    let old = evaluator.error_model().map(ErrorModel::coefficients);
    let old = old.map_or(vec![0.0; ERROR_TERMS], |old| old[ErrorModel::OF_DEVIATIONS..][..ERROR_TERMS].to_vec());
    let tempo = old.iter().zip(fit_tempo(values)?).map(|(old, missing)| old + missing).collect();
    let model = ErrorModel::new(&[deviations, tempo].concat())?;
    let first_plies = fit_first_plies(settings.of_first_plies(), settings.seed, evaluator, &model, progress)?;
    model.with_first_plies(&first_plies)
}

/// The coefficients of what the tempo lacks: least squares on exact score less value. Two terms more, constant and linear in the
/// empty squares of the leaves, stand for what the values of all depths err alike.
///
/// The score of a position differs from its values of all depths by about the same, so a share of the mean error of a position is taken away
/// first, as in a fit with random effects; of a position that is not solved the whole, which leaves the differences between its depths.
fn fit_tempo(values: &[Values]) -> Option<Vec<f64>> {
    let mut normal = DMatrix::identity(TEMPO_COEFFICIENTS, TEMPO_COEFFICIENTS) * RIDGE;
    let mut target = DVector::zeros(TEMPO_COEFFICIENTS);
    let share_of_solved = share_of_mean(values.iter().filter(|position| position.score.is_some()));
    for position in values {
        let errors = position.tempo_errors();
        let share = position.score.map_or(1.0, |_| share_of_solved) / errors.len() as f64;
        let rows: Vec<_> =
            errors.into_iter().map(|(depth, error)| (tempo_row(position.empties.after(depth), depth), error)).collect();
        let mean_row = rows.iter().fold(DVector::zeros(TEMPO_COEFFICIENTS), |sum, (row, _)| sum + row) * share;
        let mean_error = rows.iter().map(|(_, error)| error).sum::<f64>() * share;
        for (row, error) in rows {
            let row = row - &mean_row;
            target += &row * (error - mean_error);
            normal += &row * row.transpose();
        }
    }
    let solution = normal.cholesky()?.solve(&target);
    let [t0, t1, t2, t3, last_move, alike, alike_by_empties] = *solution.as_slice() else { return None };
    log::info!(
        "all depths alike: {alike:+.2} {alike_by_empties:+.2} e/60 discs; of a mean {share_of_solved:.2} is taken away"
    );
    Some(vec![t0, t1, t2, t3, last_move, -last_move / LAST_MOVE_VANISHES_AT])
}

/// What each coefficient weighs in the value of a search of this depth whose leaves have this many empty squares.
fn tempo_row(leaf: Empties, depth: u8) -> DVector<f64> {
    let sign = if depth.is_multiple_of(2) { 1.0 } else { -1.0 };
    let [t0, t1, t2, t3, t4, t5] = tempo_terms(leaf).map(|term| sign * term);
    let row: [f64; TEMPO_COEFFICIENTS] =
        [t0, t1, t2, t3, t4 - t5 / LAST_MOVE_VANISHES_AT, 1.0, f64::from(leaf.count()) / 60.0];
    DVector::from_row_slice(&row)
}

/// The share of the mean of a position's errors that is its own and not one of its depths. With a variance of `w` among `n` errors of a position,
/// and `u` of the error that all of them share, it is 1 − √(w / (w + n u)). The mean of the `n` errors, squared and times `n`, is w + n u on
/// average.
fn share_of_mean<'a>(positions: impl Iterator<Item = &'a Values>) -> f64 {
    let (mut within, mut of_means, mut degrees, mut counted) = (0.0, 0.0, 0.0, 0.0);
    for errors in positions.map(Values::tempo_errors).filter(|errors| errors.len() > 1) {
        let count = errors.len() as f64;
        let mean = errors.iter().map(|(_, error)| error).sum::<f64>() / count;
        within += errors.iter().map(|(_, error)| (error - mean).powi(2)).sum::<f64>();
        of_means += count * mean * mean;
        degrees += count - 1.0;
        counted += 1.0;
    }
    let (within, of_means) = (within / f64::max(degrees, 1.0), of_means / f64::max(counted, 1.0));
    1.0 - (within / of_means.max(within).max(f64::MIN_POSITIVE)).sqrt()
}

fn changes(values: &[Values]) -> Vec<Change> {
    let change = |((empties, depth), sums): ((Empties, u8), Sums)| {
        let (count, mean) = (sums.count, sums.mean());
        Change { empties, depth, count, mean }
    };
    by_class(values.iter().flat_map(Values::changes)).map(change).collect()
}

/// A class of positions, by its empty squares, and the depths of a deep and of a shallow search of them.
type Searches = (Empties, u8, u8);

/// The values of one position, in discs.
struct Values {
    empties: Empties,
    /// First the static value.
    by_depth: Vec<Option<f64>>,
    /// The score under perfect play, if the position was solved.
    score: Option<f64>,
}

impl Values {
    fn of(settings: &ProbcutSettings, number: u32, evaluator: &Arc<dyn Evaluator<Position>>) -> Option<Values> {
        let position = sample(settings.seed, number, evaluator)?;
        let empties = position.empty_count();
        let mut search = Searcher::new(8 << 20, Selectivity::NONE, evaluator.clone());
        let mut by_depth = vec![None; usize::from(settings.depth) + 1];
        let tempo = evaluator.error_model().map_or(0, |errors| errors.tempo(empties));
        by_depth[0] = Some(
            f64::from((evaluator.evaluate(&position) + tempo).clamp(-STATIC_LIMIT, STATIC_LIMIT)) / f64::from(DISC),
        );
        // One by one and from shallow to deep: a search that may go further solves earlier, and one that finds deeper
        // values in the table takes them.
        for depth in 1..=settings.depth {
            let report = search.think(position, Depth::new(depth));
            if report.depth == SearchDepth::Plies(depth) {
                by_depth[usize::from(depth)] = Some(report.lines[0].score.discs());
            }
        }
        let is_solved = empties <= settings.solved_empties;
        let score = is_solved.then(|| search.think(position, None).lines[0].score.discs());
        Some(Values { empties, by_depth, score })
    }

    /// What the class of the position is called, see [`Deviation::empties`].
    fn class(&self) -> Empties {
        let class = self.empties.count() / CLASS * CLASS + CLASS / 2;
        Empties::new(class.min(*EMPTIES.end())).expect("the most are 52")
    }

    /// The value of a search of this depth, if it ended in static evaluations.
    fn at(&self, depth: u8) -> Option<f64> {
        self.by_depth[usize::from(depth)].filter(|_| !self.empties.are_within(depth))
    }

    /// The depths of the searches.
    fn depths(&self) -> RangeInclusive<u8> {
        1..=self.by_depth.len() as u8 - 1
    }

    /// Values of deep searches less those of shallower ones of the same parity.
    fn midgame_errors(&self) -> impl Iterator<Item = (Searches, f64)> {
        let pairs = self.depths().skip(1).flat_map(|deep| {
            (0..deep - 1).filter(move |shallow| shallow % 2 == deep % 2).map(move |shallow| (deep, shallow))
        });
        pairs.filter_map(move |(deep, shallow)| {
            Some(((self.class(), deep, shallow), self.at(deep)? - self.at(shallow)?))
        })
    }

    /// The score, if the position is solved, less the values of searches of the same parity.
    fn endgame_errors(&self) -> impl Iterator<Item = (Searches, f64)> {
        let deep = self.empties.count();
        let depths = self.depths().filter(move |shallow| shallow % 2 == deep % 2);
        depths.filter_map(move |shallow| Some(((self.empties, deep, shallow), self.score? - self.at(shallow)?)))
    }

    /// The score, or 0 if the position is not solved, less the values of the depths that count for the tempo.
    fn tempo_errors(&self) -> Vec<(u8, f64)> {
        let depths = TEMPO_FROM..=*self.depths().end();
        depths.filter_map(|depth| Some((depth, self.score.unwrap_or(0.0) - self.at(depth)?))).collect()
    }

    /// Values of one ply more less those of each depth.
    fn changes(&self) -> impl Iterator<Item = ((Empties, u8), f64)> {
        let change = move |depth| Some(((self.class(), depth), self.at(depth + 1)? - self.at(depth)?));
        (1..*self.depths().end()).filter_map(change)
    }
}

/// A position of a game that begins at random, goes on with good play, and in one case of five ends with a random move.
fn sample(seed: u64, number: u32, evaluator: &Arc<dyn Evaluator<Position>>) -> Option<Position> {
    let mut random = Random::of_pair(seed, number.into());
    let span = usize::from(EMPTIES.end() - EMPTIES.start()) + 1;
    let wanted = *EMPTIES.start() + random.below(span) as u8;
    let opening = 60 - (4 + random.below(12) as u8);
    let strays = random.below(5) == 0;
    play(&mut random, evaluator, wanted, |empties| empties > opening || strays && empties == wanted + 1)
}

/// Plays to `wanted` empty squares, with random moves where `is_random` says so of the empty squares, and with good ones elsewhere. `None` if the
/// game ends before.
pub(super) fn play(
    random: &mut Random,
    evaluator: &Arc<dyn Evaluator<Position>>,
    wanted: u8,
    is_random: impl Fn(u8) -> bool,
) -> Option<Position> {
    let mut search = Searcher::new(1 << 16, Selectivity::NONE, evaluator.clone());
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
        let square = if is_random(empties) {
            random.choose(position.moves())?
        } else {
            search.think(position, Depth::new(2)).lines[0].turn.square()?
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

    fn mean(&self) -> f64 {
        self.sum / f64::from(self.count)
    }
}

/// The sums of each class that has enough positions.
fn by_class<K: Ord>(differences: impl Iterator<Item = (K, f64)>) -> impl Iterator<Item = (K, Sums)> {
    let mut classes = BTreeMap::new();
    for (class, difference) in differences {
        classes.entry(class).or_insert_with(Sums::default).add(difference);
    }
    classes.into_iter().filter(|(_, sums)| sums.count >= LEAST_COUNT)
}

fn deviations(errors: impl Iterator<Item = (Searches, f64)>) -> Vec<Deviation> {
    let deviation = |((empties, deep, shallow), sums): (Searches, Sums)| {
        let mean = sums.mean();
        let deviation = (sums.squares / f64::from(sums.count) - mean * mean).max(0.0).sqrt();
        Deviation { empties, deep, shallow, count: sums.count, mean, deviation, fitted: 0.0 }
    };
    by_class(errors).map(deviation).filter(|class| class.deviation > 0.0).collect()
}

/// The coefficients of a surface, by weighted least squares on the logarithms; sets [`Deviation::fitted`]. What is asked
/// weighs more.
fn fit(classes: &mut [Deviation], is_asked: impl Fn(&Deviation) -> bool) -> Option<Vec<f64>> {
    if classes.len() < 2 * ERROR_TERMS {
        return None;
    }
    let terms_of = |class: &Deviation| error_terms(class.empties, class.deep, class.shallow);
    let root = |class: &Deviation| (f64::from(class.count) * if is_asked(class) { 4.0 } else { 1.0 }).sqrt();
    let design =
        DMatrix::from_fn(classes.len(), ERROR_TERMS, |row, term| terms_of(&classes[row])[term] * root(&classes[row]));
    let target = DVector::from_fn(classes.len(), |row, _| classes[row].deviation.ln() * root(&classes[row]));
    let normal = design.transpose() * &design + DMatrix::identity(ERROR_TERMS, ERROR_TERMS) * RIDGE;
    let solution = normal.cholesky()?.solve(&(design.transpose() * target));
    for class in classes {
        class.fitted = solution.iter().zip(terms_of(class)).map(|(c, term)| c * term).sum::<f64>().exp();
    }
    Some(solution.iter().copied().collect())
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
        let fit = fit_probcut(&settings, &evaluator, &tick);
        assert!(fit.model.is_some());
        assert_eq!(count.into_inner(), settings.positions + settings.of_first_plies());
        // Shallower searches err more, and the fit is near what it was fitted to.
        for class in &fit.midgame {
            assert!((class.fitted / class.deviation).ln().abs() < 0.7, "{class:?}");
        }
        assert_eq!(fit, fit_probcut(&settings, &evaluator, &|| ()), "the same seed gives the same model");
    }

    #[test]
    fn what_is_too_little_for_a_model_is_measured() {
        let settings = ProbcutSettings { positions: 400, depth: 6, solved_empties: Empties::new(10).unwrap(), seed: 3 };
        let fit = fit_probcut(&settings, &EvaluatorKind::Mobility.build(), &|| ());
        assert!(fit.model.is_none() && !fit.midgame.is_empty() && !fit.changes.is_empty());
    }

    #[test]
    fn classes_have_four_numbers_of_empty_squares_and_the_last_has_one() {
        let class = |empties| {
            let empties = Empties::new(empties).unwrap();
            Values { empties, by_depth: vec![None], score: None }.class().count()
        };
        assert_eq!([10, 11, 12, 15, 48, 51, 52].map(class), [10, 10, 14, 14, 50, 50, 52]);
    }

    #[test]
    fn the_share_of_a_mean_is_what_lies_beyond_the_chance_of_the_depths() {
        // Two errors each: of depths 5 and 6.
        let share = |errors: [f64; 2]| {
            let by_depth = [None; 5].into_iter().chain(errors.map(|error| Some(-error))).collect();
            let values = Values { empties: Empties::new(20).unwrap(), by_depth, score: Some(0.0) };
            share_of_mean([values].iter())
        };
        // The variance within is 2, and twice the square of the mean 2, 8 and 0.
        for (errors, expected) in [([2.0, 0.0], 0.0), ([3.0, 1.0], 0.5), ([1.0, -1.0], 0.0), ([1.0, 1.0], 1.0)] {
            assert!((share(errors) - expected).abs() < 1e-12, "{errors:?}: {}", share(errors));
        }
    }

    #[test]
    fn a_tempo_is_found_behind_the_noise_of_scores() {
        let smooth = |e: f64| 0.6 - 1.5 * e / 60.0;
        let tempo = |leaf: Empties| {
            let e = f64::from(leaf.count());
            smooth(e) + if leaf.count().is_multiple_of(2) { -0.9 } else { 0.9 } * (1.0 - e / 48.0)
        };
        let mut random = Random::new(5);
        let mut position = || {
            let empties = Empties::new(12 + random.below(39) as u8).unwrap();
            let (noise, level) = (12.0 * (random.fraction() - 0.5), 40.0 * (random.fraction() - 0.5));
            let value = |depth: u8| {
                let sign = if depth.is_multiple_of(2) { 1.0 } else { -1.0 };
                Some(level - sign * tempo(empties.after(depth)))
            };
            let score = (empties.count() <= 22).then_some(level + noise);
            Values { empties, by_depth: (0..=10).map(value).collect(), score }
        };
        let values: Vec<Values> = (0..2000).map(|_| position()).collect();
        let found = fit_tempo(&values).unwrap();
        for leaf in (12..=45).map(|leaf| Empties::new(leaf).unwrap()) {
            let terms = tempo_terms(leaf);
            let sum = |terms: &[f64]| found.iter().zip(terms).map(|(c, term)| c * term).sum::<f64>();
            assert!((sum(&terms) - tempo(leaf)).abs() < 0.3, "{leaf}: {:.2} for {:.2}", sum(&terms), tempo(leaf));
            // The differences between depths tell of the rest, and have no noise.
            let rest = smooth(f64::from(leaf.count()));
            assert!((sum(&terms[..4]) - rest).abs() < 0.02, "{leaf}: {:.2} for {rest:.2}", sum(&terms[..4]));
        }
    }
}
