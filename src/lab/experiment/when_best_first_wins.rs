//! When does best-first search win? Its score over games and evaluations, beside what can be measured of these without a game.

use super::contest::Contest;
use super::duel::PairScore;
use super::findings::Measured;
use super::player::{BestFirstPlayer, FixedDepth, Limit};
use super::series::{CALIBRATION_UNITS, calibrate, openings, series};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::eval::{Evaluator, EvaluatorKind, STATIC_LIMIT};
use crate::game::DISC;
use crate::lab::breakthrough::{Breakthrough, Pieces};
use crate::lab::random_tree::{PathCost, RandomTree};
use crate::lab::small_board::{Differences, SixBySix};
use crate::random::Random;
use crate::render::{Curve, Plot, Point, Stroke};
use crate::search::{Contempt, EndValues, KorfSettings, MinimaxKind, after, plain_minimax, turns};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "when-best-first-wins",
    about: "best-first against alpha-beta over games and evaluations, and what predicts it; rows are branching factors of random trees",
    seconds: 600,
    reads: &["seed", "levels", "pairs"],
    run,
};

/// Plies of the search that says what a static value should have been.
const DEEP: u32 = 4;

/// What is measured of a game with an evaluation, at the nodes of random walks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Traits {
    /// Children of a node.
    children: f64,
    /// By how much a node looks worse to its parent after its expansion, in standard deviations of siblings' static values.
    tempo: f64,
    /// The correlation of two siblings' errors.
    correlation: f64,
    /// The standard deviation of siblings' errors, in that of their static values.
    error: f64,
}

/// A game with an evaluation.
struct Setting<G: Contest> {
    game: &'static str,
    eval: String,
    evaluator: Arc<dyn Evaluator<G>>,
    /// Plies of alpha-beta: some hundred to some thousand evaluations a move.
    depth: u32,
    ends: EndValues,
    starts: Vec<G>,
}

/// What came of it.
struct Observed {
    game: &'static str,
    eval: String,
    traits: Traits,
    evaluations: f64,
    /// Pairs won of those that were decided, in percent.
    won: Measured,
}

/// Empty squares of the usual board from which both sides play perfectly.
const SOLVE_FROM: u32 = 10;

fn run(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let pairs = lab.count(6, 200);
    let branchings = lab.levels(&[3], &[2, 3, 5, 10, 20], "largest branching factors", 2..=255)?;
    let tempos: &[i32] = if lab.setup().quick { &[0, 1] } else { &[-1, 0, 1] };
    let kinds: &[EvaluatorKind] = if lab.setup().quick {
        &[EvaluatorKind::Mobility]
    } else {
        use EvaluatorKind::{Bill, DiscCount, Edge, Iago, Mobility, Pattern, WeightedSquares};
        &[Pattern, Bill, Iago, Edge, Mobility, WeightedSquares, DiscCount]
    };
    let settings = (branchings.len() * tempos.len() + kinds.len() + 6) as u64;
    lab.plan(settings * (pairs + CALIBRATION_UNITS + 1));
    let mut observed = Vec::new();
    for &branching in &branchings {
        for &tempo in tempos {
            observed.push(observe(lab, &on_random_trees(lab, branching, tempo, pairs), 0)?);
        }
    }
    let starts = openings(lab, "random:8", pairs)?;
    for &kind in kinds {
        let (ends, starts) = (KorfSettings::korf().ends, starts.clone());
        let (game, eval, evaluator) = ("Othello", kind.name().to_owned(), lab.built(kind)?);
        observed.push(observe(lab, &Setting { game, eval, evaluator, depth: 4, ends, starts }, SOLVE_FROM)?);
    }
    for (eval, discs, moves, corners) in [("discs", 1, 0, 0), ("moves", 0, 1, 0), ("moves and corners", 0, 1, 6)] {
        let evaluator = Arc::new(Differences { discs: discs * DISC, moves: moves * DISC, corners: corners * DISC });
        let starts = walks(lab, SixBySix::start(), 4, pairs);
        let (game, eval, ends) = ("Othello 6x6", eval.to_owned(), KorfSettings::korf().ends);
        observed.push(observe(lab, &Setting { game, eval, evaluator, depth: 5, ends, starts }, 0)?);
    }
    for row in [0, 1, 16] {
        let (evaluator, starts) = (Arc::new(Pieces { row }), walks(lab, Breakthrough::START, 6, pairs));
        let (game, eval, ends) =
            ("Breakthrough", format!("pieces, {row}/128 for a row squared"), KorfSettings::korf().ends);
        observed.push(observe(lab, &Setting { game, eval, evaluator, depth: 3, ends, starts }, 0)?);
    }
    Ok(findings(&observed))
}

/// Random trees whose static value counts having the move as `tempo` standard deviations of an edge.
fn on_random_trees(lab: &Lab<'_>, branching: u32, tempo: i32, pairs: u64) -> Setting<RandomTree> {
    let seed = lab.setup().seed;
    let of_edge = f64::from(1 << 15) / 3f64.sqrt();
    Setting {
        game: "random trees",
        eval: format!("{branching} children, move {tempo:+}"),
        evaluator: Arc::new(WithTempo((f64::from(tempo) * of_edge) as i32)),
        depth: match branching {
            ..=2 => 14,
            3 => 10,
            4..=5 => 7,
            6..=10 => 5,
            _ => 4,
        },
        ends: EndValues::Sum,
        starts: (0..pairs).map(|number| RandomTree::of_the_paper(branching as u8, seed, number)).collect(),
    }
}

/// The sum of the edges, and something for the side to move.
struct WithTempo(i32);

impl Evaluator<RandomTree> for WithTempo {
    fn evaluate(&self, position: &RandomTree) -> i32 {
        PathCost.evaluate(position) + self.0
    }
}

/// `count` positions, each `plies` random turns from the start.
fn walks<G: Contest>(lab: &Lab<'_>, start: G, plies: u32, count: u64) -> Vec<G> {
    let seed = lab.setup().seed;
    (0..count).map(|number| walk(&start, plies, &mut Random::of_pair(seed, number))).collect()
}

fn walk<G: Contest>(start: &G, plies: u32, random: &mut Random) -> G {
    let mut position = start.clone();
    for _ in 0..plies {
        let turns: Vec<_> = turns(&position).collect();
        let next = after(&position, turns[random.below(turns.len())]);
        if next.is_over() {
            break;
        }
        position = next;
    }
    position
}

fn observe<G: Contest>(lab: &mut Lab<'_>, setting: &Setting<G>, solve_from: u32) -> Result<Observed, ExperimentError> {
    let Setting { game, eval, evaluator, depth, ends, starts } = setting;
    let key = format!("{game}/{eval}");
    let seed = lab.setup().seed;
    let traits = lab.unit(&format!("{key}/traits"), || traits_of(starts, &**evaluator, *ends, seed))?;
    let fixed = || FixedDepth::new(*depth, evaluator.clone());
    let settings = KorfSettings { ends: *ends, ..KorfSettings::korf() };
    let best_first = |budgets| BestFirstPlayer::new(settings, Limit::Budgets(budgets), evaluator.clone());
    let budgets = calibrate(lab, &key, starts, fixed, best_first, solve_from)?;
    let played = series(lab, &key, starts, &mut best_first(budgets), &mut fixed(), solve_from)?;
    let score = PairScore::of(&played);
    let (evaluations, won) = (score.second.per_move(), score.percent_of_pairs());
    Ok(Observed { game, eval: eval.clone(), traits, evaluations, won })
}

/// Measures a game with an evaluation at one node of a random walk from each start. Nodes from which a search sees a result, which is on
/// another scale, are left out.
fn traits_of<G: Contest>(starts: &[G], evaluator: &dyn Evaluator<G>, ends: EndValues, seed: u64) -> Traits {
    let (mut families, mut losses, mut children) = (Vec::new(), 0.0, 0.0);
    for (number, start) in starts.iter().enumerate() {
        let mut random = Random::of_pair(!seed, number as u64);
        let node = walk(start, random.below(start.plies_left() as usize / 2 + 1) as u32, &mut random);
        let kids: Vec<G> = node.moves().map(|mv| node.after(mv)).collect();
        if kids.len() < 2 || kids.iter().any(G::is_over) {
            continue;
        }
        let family: Vec<(f64, f64)> = kids
            .iter()
            .map(|kid| {
                let deep =
                    plain_minimax(MinimaxKind::Ordered, kid, DEEP, evaluator, Contempt::NONE, &mut |_| false).value;
                (-f64::from(evaluator.evaluate(kid)), -f64::from(deep))
            })
            .collect();
        if ends != EndValues::Sum && family.iter().any(|&(_, deep)| deep.abs() > f64::from(STATIC_LIMIT)) {
            continue;
        }
        let best = family.iter().map(|&(value, _)| value).fold(f64::NEG_INFINITY, f64::max);
        losses += best - f64::from(evaluator.evaluate(&node));
        children += kids.len() as f64;
        families.push(family);
    }
    let nodes = families.len().max(1) as f64;
    // Of a family as one: the variance within it. Of all errors: the mean product of two siblings', for each square.
    let within = |numbers: &dyn Fn(&(f64, f64)) -> f64| {
        let of_family = |family: &Vec<(f64, f64)>| {
            let mean = family.iter().map(numbers).sum::<f64>() / family.len() as f64;
            family.iter().map(|kid| (numbers(kid) - mean).powi(2)).sum::<f64>() / (family.len() - 1) as f64
        };
        (families.iter().map(of_family).sum::<f64>() / nodes).sqrt().max(1e-9)
    };
    let error = |&(value, deep): &(f64, f64)| deep - value;
    let mean =
        families.iter().map(|family| family.iter().map(error).sum::<f64>() / family.len() as f64).sum::<f64>() / nodes;
    let (mut products, mut squares) = (0.0, 1e-9);
    for family in &families {
        let n = family.len() as f64;
        let sum: f64 = family.iter().map(|kid| error(kid) - mean).sum();
        let of_squares: f64 = family.iter().map(|kid| (error(kid) - mean).powi(2)).sum();
        products += (sum * sum - of_squares) / (n * (n - 1.0));
        squares += of_squares / n;
    }
    let spread = within(&|&(value, _)| value);
    Traits {
        children: children / nodes,
        tempo: losses / nodes / spread,
        correlation: products / squares,
        error: within(&error) / spread,
    }
}

/// A linear model of the logarithm of the odds: what it explains of their variance, and what it explains of points that it was not fitted to.
struct Model {
    coefficients: DVector<f64>,
    explained: f64,
    explained_left_out: f64,
}

/// What a model is linear in.
type Terms = fn(&Traits) -> Vec<f64>;

/// The terms of each model, after a constant. The last one was found in the data of the first run.
const MODELS: [(&str, Terms); 5] = [
    ("tempo", |t| vec![t.tempo]),
    ("tempo, correlation", |t| vec![t.tempo, t.correlation]),
    ("tempo, its square, correlation", |t| vec![t.tempo, t.tempo * t.tempo, t.correlation]),
    ("tempo, correlation, error, ln children", |t| vec![t.tempo, t.correlation, t.error, t.children.max(1.0).ln()]),
    ("min(tempo, 0) * children * (1 - correlation)", |t| vec![t.tempo.min(0.0) * t.children * (1.0 - t.correlation)]),
];

/// The logarithm of the odds that a score stands for; a score of all or nothing stands for half a percent less or more.
fn log_odds(percent: f64) -> f64 {
    let share = (percent / 100.0).clamp(0.005, 0.995);
    (share / (1.0 - share)).ln()
}

fn fit(observed: &[&Observed], terms: Terms) -> Option<Model> {
    let row = |o: &&Observed| std::iter::once(1.0).chain(terms(&o.traits)).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = observed.iter().map(row).collect();
    let x = DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
    let y = DVector::from_iterator(rows.len(), observed.iter().map(|o| log_odds(o.won.0)));
    let inverse = (x.transpose() * &x).try_inverse()?;
    let coefficients = &inverse * x.transpose() * &y;
    let residuals = &y - &x * &coefficients;
    let leverage = (&x * &inverse * x.transpose()).diagonal();
    let left_out: f64 = residuals.iter().zip(&leverage).map(|(r, h)| (r / (1.0 - h).max(1e-9)).powi(2)).sum();
    let (n, mean) = (rows.len() as f64, y.mean());
    let squares: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
    // The mean of the others is n / (n − 1) times as far.
    let squares_left_out = squares * (n / (n - 1.0)).powi(2);
    let explained = 1.0 - residuals.norm_squared() / squares;
    // Points that are all alike, or too few, fit no model.
    let explained_left_out = 1.0 - left_out / squares_left_out;
    explained_left_out.is_finite().then_some(Model { coefficients, explained, explained_left_out })
}

fn findings(observed: &[Observed]) -> Findings {
    let mut models = Table::new(
        "Linear models of the logarithm of the odds",
        "terms | coefficients, the constant first | R² | R², each point predicted from the others",
    );
    // With few pairs all may be level.
    let decided: Vec<&Observed> = observed.iter().filter(|o| o.won.0.is_finite()).collect();
    let fits: Vec<Option<Model>> = MODELS.iter().map(|(_, terms)| fit(&decided, *terms)).collect();
    for ((name, _), model) in MODELS.iter().zip(&fits) {
        let Some(model) = model else { continue };
        let numbers: Vec<String> = model.coefficients.iter().map(|c| format!("{c:+.2}")).collect();
        let (explained, left_out) = (Cell::Number(model.explained, 2), Cell::Number(model.explained_left_out, 2));
        models.row(vec![Cell::from(*name), Cell::Text(numbers.join(" ")), explained, left_out]);
    }
    let columns =
        "game | evaluation | children | tempo | correlation | error | evaluations/move | pairs won % | predicted %";
    let mut table = Table::new("Best-first against alpha-beta at equal evaluations", columns);
    let (predicts, terms) = MODELS[MODELS.len() - 1];
    let mut curves: Vec<Curve> = Vec::new();
    for o in observed {
        let Traits { children, tempo, correlation, error } = o.traits;
        let predicted = fits[MODELS.len() - 1].as_ref().map(|model| {
            let terms = std::iter::once(1.0).chain(terms(&o.traits));
            let log_odds: f64 = terms.zip(&model.coefficients).map(|(term, c)| term * c).sum();
            100.0 / (1.0 + (-log_odds).exp())
        });
        table.row(vec![
            Cell::from(o.game),
            Cell::Text(o.eval.clone()),
            Cell::Number(children, 1),
            Cell::Number(tempo, 2),
            Cell::Number(correlation, 2),
            Cell::Number(error, 2),
            Cell::Number(o.evaluations, 0),
            if o.won.0.is_finite() { o.won.into() } else { Cell::Empty },
            Cell::maybe(predicted, 1),
        ]);
        if curves.last().is_none_or(|curve| curve.name != o.game) {
            curves.push(Curve { stroke: Stroke::Scattered, ..Curve::new(o.game, Vec::new()) });
        }
        if o.won.0.is_finite() {
            let curve = curves.last_mut().expect("one was just added");
            curve.points.push(Point { x: tempo, y: o.won.0, error: o.won.1 });
        }
    }
    curves.iter_mut().for_each(|curve| curve.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    let note = format!(
        "\"tempo\": by how much a node looks worse to its parent after its expansion; \"error\": the deviation of siblings' errors; both in standard deviations of \
         siblings' static values. An error is the value after 4 plies more less the static value; \"correlation\": of two siblings' errors. \"predicted\" by the model of \
         {predicts}. A pair is won by who had the larger result with the same colour; errors are 95 % intervals."
    );
    let (x, y) = ("tempo, standard deviations of siblings' values", "pairs won against alpha-beta, %");
    let plot = Plot { mark: Some(50.0), ..Plot::new("When best-first search wins", x, y, curves) };
    Findings::new(vec![table, models], vec![plot], note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_explains_everything() {
        let observed: Vec<Observed> = (0..6)
            .map(|i| {
                let traits = Traits { children: 2.0, tempo: f64::from(i), correlation: f64::from(i * i), error: 1.0 };
                let won = 100.0 / (1.0 + (-(0.5 - 0.25 * traits.tempo)).exp());
                Observed { game: "x", eval: String::new(), traits, evaluations: 1.0, won: (won, None) }
            })
            .collect();
        let model = fit(&observed.iter().collect::<Vec<_>>(), MODELS[1].1).unwrap();
        for (found, expected) in model.coefficients.iter().zip([0.5, -0.25, 0.0]) {
            assert!((found - expected).abs() < 1e-9, "{}", model.coefficients);
        }
        assert!(model.explained > 0.999 && model.explained_left_out > 0.999);
    }

    #[test]
    fn a_tempo_that_is_built_in_is_measured() {
        let starts: Vec<RandomTree> = (0..400).map(|i| RandomTree::of_the_paper(5, 1, i)).collect();
        let of_edge = f64::from(1 << 15) / 3f64.sqrt();
        let [without, with] =
            [0.0, -of_edge].map(|tempo| traits_of(&starts, &WithTempo(tempo as i32), EndValues::Sum, 1));
        // The children are valued lower, and the node too: twice. Siblings' values differ by one edge each.
        assert!((with.tempo - without.tempo - 2.0).abs() < 0.1, "{without:?} {with:?}");
        assert!(without.tempo > 0.5 && without.correlation.abs() < 0.15, "{without:?}");
    }
}
