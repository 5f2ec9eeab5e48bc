//! Every search against every other one, with the same evaluation: how strong each is beside the others.

use super::against_engine::{BUDGETS, SOLVE_FROM, own_budget, series_in_equal_time};
use super::duel::{Pair, PairScore};
use super::equal_evaluations::contestants;
use super::player::{EnginePlayer, Limit};
use super::series::{openings, series};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::arena::statistics::score_of_elo;
use crate::engine::EngineOptions;
use crate::othello::{Outcome, Position};
use crate::random::Random;
use crate::render::{Curve, Plot, Point, Scale};

pub(super) const EQUAL_TIME: Experiment = Experiment {
    name: "league",
    about: "every search against every other one in the same time; rows are evaluations a move of the first",
    seconds: 3600,
    reads: READS,
    run: |lab| league(lab, true),
};

pub(super) const EQUAL_EVALUATIONS: Experiment = Experiment {
    name: "league-evaluations",
    about: "every search against every other one with as many evaluations; rows are evaluations a move",
    seconds: 3600,
    reads: READS,
    run: |lab| league(lab, false),
};

const READS: &[&str] = &["seed", "levels", "pairs", "openings", "eval", "player"];

/// The searches; the first one's time is that of all.
const PLAYERS: &[&str] = &[
    "name='PVS + ProbCut' engine=alpha-beta",
    "name='MTD(f) + ProbCut' engine=mtdf",
    "engine=best-first",
    "engine=baum-smith",
    "name='conspiracy numbers' engine=conspiracy",
    "engine=korf-best-first",
    "engine=ubfm",
    "engine=uct",
    "name='implicit minimax' engine=uct option.backup=implicit",
    "name='MCTS, means' engine=uct option.backup=average",
];

/// Samples of the openings that show how much the Elo of a player depends on them.
const RESAMPLES: usize = 400;

/// Two players, by their places, and their pairs of games, one from each opening.
struct Meeting {
    first: usize,
    second: usize,
    pairs: Vec<Pair>,
}

fn league(lab: &mut Lab<'_>, in_equal_time: bool) -> Result<Findings, ExperimentError> {
    let players = contestants(lab, PLAYERS)?;
    let budgets = lab.levels(&[100], &[10_000, 100_000], "evaluations", BUDGETS)?;
    let starts = openings(lab, "random:8", lab.count(1, 200))?;
    let meetings = players.len() * (players.len() - 1) / 2;
    lab.plan((budgets.len() * meetings * starts.len()) as u64);
    let mut tables = Vec::new();
    let mut curves: Vec<Curve> = players.iter().map(|(name, _)| Curve::new(name, Vec::new())).collect();
    for &budget in &budgets {
        let mut played = Vec::new();
        for first in 0..players.len() {
            for second in first + 1..players.len() {
                let two = [&players[first], &players[second]];
                let pairs = if in_equal_time {
                    meet_in_equal_time(lab, &players[0].1, two, budget, &starts)?
                } else {
                    meet(lab, two, budget, &starts)?
                };
                played.push(Meeting { first, second, pairs });
            }
        }
        let elo = elo_with_errors(&played, players.len(), starts.len());
        for (curve, &(elo, error)) in curves.iter_mut().zip(&elo) {
            curve.points.push(Point { x: budget.into(), y: elo, error });
        }
        let how = if in_equal_time { "in the same time" } else { "with as many evaluations" };
        tables.push(table(&format!("{budget} evaluations a move, {how}"), &players, &played, &elo));
    }
    let note = "Elo by logistic regression over all games, its mean 0; a drawn game counts half; errors are 95 % intervals by openings. In the columns of the \
                others: the score in percent against them. \"time\": processor time for each of the opponents'; \"evaluations\" likewise.";
    let how = if in_equal_time { "same time" } else { "as many evaluations" };
    let (x, y) = ("evaluations for a move", "Elo");
    let plot =
        Plot { x_scale: Scale::Logarithmic, mark: Some(0.0), ..Plot::new(format!("League, {how}"), x, y, curves) };
    Ok(Findings::new(tables, vec![plot], note))
}

/// Pairs of two players that may make as many evaluations.
fn meet(
    lab: &mut Lab<'_>,
    [first, second]: [&(String, EngineOptions); 2],
    budget: u32,
    starts: &[Position],
) -> Result<Vec<Pair>, ExperimentError> {
    let player = |options| EnginePlayer::new(options, Limit::Evaluations(budget.into()));
    let key = format!("{} - {}/{budget}", first.0, second.0);
    series(lab, &key, starts, &mut player(&first.1), &mut player(&second.1), SOLVE_FROM)
}

/// Pairs of two players that have the time that `reference` takes for a number of evaluations.
fn meet_in_equal_time(
    lab: &mut Lab<'_>,
    reference: &EngineOptions,
    [first, second]: [&(String, EngineOptions); 2],
    budget: u32,
    starts: &[Position],
) -> Result<Vec<Pair>, ExperimentError> {
    let mut own = |(name, options): &(String, EngineOptions)| {
        let work =
            || if options == reference { budget.into() } else { own_budget(options, reference, budget.into(), starts) };
        lab.unit(&format!("{name}/{budget}/timing"), work)
    };
    let (of_first, of_second) = (own(first)?, own(second)?);
    let key = format!("{} - {}/{budget}", first.0, second.0);
    series_in_equal_time(lab, &key, starts, (&first.1, of_first), (&second.1, of_second))
}

/// The Elo of each player and half the width of its 95 % interval, which one opening does not tell.
fn elo_with_errors(played: &[Meeting], players: usize, openings: usize) -> Vec<(f64, Option<f64>)> {
    let once: Vec<usize> = (0..openings).collect();
    let elo = elo_of(played, players, &once);
    let mut random = Random::new(0);
    let samples: Vec<Vec<f64>> = (0..RESAMPLES)
        .map(|_| {
            let drawn: Vec<usize> = (0..openings).map(|_| random.below(openings)).collect();
            elo_of(played, players, &drawn)
        })
        .collect();
    let error = |player: usize| {
        let mut of_player: Vec<f64> = samples.iter().map(|sample| sample[player]).collect();
        of_player.sort_by(f64::total_cmp);
        (of_player[RESAMPLES * 39 / 40 - 1] - of_player[RESAMPLES / 40]) / 2.0
    };
    elo.iter().enumerate().map(|(player, &elo)| (elo, (openings > 1).then(|| error(player)))).collect()
}

/// The Elo of each player by these openings: the expected score of each is the one that it has, one half of a game against the others added,
/// so that nobody's is infinite.
fn elo_of(played: &[Meeting], players: usize, openings: &[usize]) -> Vec<f64> {
    let mut points = vec![vec![0.25; players]; players];
    for Meeting { first, second, pairs } in played {
        for &opening in openings {
            let half_points: usize = pairs[opening].results.iter().map(|&r| Outcome::of_score(r).half_points()).sum();
            points[*first][*second] += half_points as f64 / 2.0;
            points[*second][*first] += 2.0 - half_points as f64 / 2.0;
        }
    }
    let mut elo = vec![0.0; players];
    for _ in 0..200 {
        for player in 0..players {
            let others = || (0..players).filter(|&other| other != player);
            let (mut excess, mut slope) = (0.0, 0.0);
            for other in others() {
                let games = points[player][other] + points[other][player];
                let expected = score_of_elo(elo[player] - elo[other]);
                excess += points[player][other] - games * expected;
                slope += games * expected * (1.0 - expected) * std::f64::consts::LN_10 / 400.0;
            }
            elo[player] += (excess / slope).clamp(-200.0, 200.0);
        }
        let mean = elo.iter().sum::<f64>() / players as f64;
        elo.iter_mut().for_each(|elo| *elo -= mean);
    }
    elo
}

fn table(title: &str, players: &[(String, EngineOptions)], played: &[Meeting], elo: &[(f64, Option<f64>)]) -> Table {
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by(|&a, &b| elo[b].0.total_cmp(&elo[a].0));
    let numbers: Vec<String> = (1..=players.len()).map(|number| number.to_string()).collect();
    let mut table = Table::new(title, &format!("  | player | Elo | {} | evaluations | time", numbers.join(" | ")));
    for (place, &player) in order.iter().enumerate() {
        let mut row = vec![Cell::from(place as u64 + 1), Cell::Text(players[player].0.clone())];
        row.push(Cell::Measured(elo[player].0, elo[player].1, 0));
        let (mut own, mut theirs) = (super::duel::Spent::default(), super::duel::Spent::default());
        for &other in &order {
            let Some(meeting) =
                played.iter().find(|m| [(m.first, m.second), (m.second, m.first)].contains(&(player, other)))
            else {
                row.push(Cell::Empty);
                continue;
            };
            let score = PairScore::of(&meeting.pairs);
            let is_first = meeting.first == player;
            let percent = score.percent().0;
            row.push(Cell::Number(if is_first { percent } else { 100.0 - percent }, 1));
            let (mine, other) = if is_first { (score.first, score.second) } else { (score.second, score.first) };
            own.add(&mine);
            theirs.add(&other);
        }
        row.push(Cell::Number(own.per_move(), 0));
        let time = |spent: &super::duel::Spent| spent.nanos as f64 / spent.moves.max(1) as f64;
        row.push(Cell::Number(time(&own) / time(&theirs), 2));
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::statistics::elo_of_score;

    #[test]
    fn elo_is_what_the_scores_say() {
        let meeting =
            |first, second, results| Meeting { first, second, pairs: vec![Pair { results, ..Pair::default() }; 1000] };
        // A win and a draw each against the next one: three quarters of the points.
        let played = [meeting(0, 1, [2, 0]), meeting(1, 2, [2, 0])];
        let elo = elo_with_errors(&played, 3, 1000);
        for (i, expected) in [elo_of_score(0.75), 0.0, -elo_of_score(0.75)].into_iter().enumerate() {
            assert!((elo[i].0 - expected).abs() < 1.0 && elo[i].1.unwrap() < 1e-9, "{elo:?}");
        }
        assert!(elo_with_errors(&played, 3, 1).iter().all(|(_, error)| error.is_none()));
    }
}
