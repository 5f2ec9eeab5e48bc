//! What saving the tree between moves is worth (Korf and Chickering, AAAI-94, "Saving the Tree").

use super::contest::Contest;
use super::duel::PairScore;
use super::player::{BestFirstPlayer, Contender, FixedDepth, Limit};
use super::series::{openings, series};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::eval::{Evaluator, EvaluatorKind};
use crate::othello::{Color, Position, Square};
use crate::search::{ByValue, EndValues, FinalMove, KorfSettings, after};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "korf-tree-reuse",
    about: "how much of the tree outlives a move and a reply, and what that is worth in games; rows are evaluations a move",
    seconds: 70,
    reads: &["seed", "levels", "pairs", "openings", "eval"],
    run,
};

/// Empty squares from which both sides play perfectly.
const SOLVE_FROM: u32 = 8;

/// Of the nodes that a search held when it chose its move, the share that lies below that move and the reply.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Survival {
    searches: u64,
    share: f64,
    as_expected: u64,
    share_as_expected: f64,
}

fn run(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let budgets = lab.levels(&[200], &[300, 1000, 3000, 10000], "evaluations", 1..=10_000_000)?;
    let (kind, evaluator) = lab.evaluator(EvaluatorKind::Bill)?;
    let starts = openings(lab, "random:8", lab.count(2, 100))?;
    let games = starts.len().min(if lab.setup().quick { 1 } else { 10 });
    let depths: &[u32] = if lab.setup().quick { &[2, 3] } else { &[3, 4, 5, 6] };
    // Values at the end are results, and C is two discs: what selection by value is like at its best.
    let most_visits = KorfSettings {
        ends: EndValues::Outcome,
        policy: ByValue { exploration: 256.0, final_move: FinalMove::MostVisits },
        ..KorfSettings::korf()
    };
    let forms = [("best value", KorfSettings::korf()), ("most visits", most_visits)];
    lab.plan((budgets.len() * 2 * (starts.len() + 1) + depths.len()) as u64);

    let columns = "search | size | moves | tree left % | reply expected % | tree left then %";
    let mut outliving = Table::new(format!("What is left of the tree after a move and the reply, {kind}"), columns);
    let mut show = |name: &str, size: String, s: Survival| {
        let of = |part: f64, whole: u64| Cell::Number(100.0 * part / whole.max(1) as f64, 1);
        outliving.row(vec![
            Cell::from(name),
            Cell::Text(size),
            Cell::from(s.searches),
            of(s.share, s.searches),
            of(s.as_expected as f64, s.searches),
            of(s.share_as_expected, s.as_expected),
        ]);
    };
    for (name, settings) in forms {
        for &budget in &budgets {
            let player = || BestFirstPlayer::new(settings, Limit::Evaluations(budget.into()), evaluator.clone());
            let key = format!("{name}/{budget}/survival");
            let survived = lab.unit(&key, || Survival::in_games(&starts[..games], player))?;
            show(name, format!("{budget} evaluations"), survived);
        }
    }
    for &depth in depths {
        let player = || FixedDepth::new(depth, evaluator.clone());
        let key = format!("alpha-beta/{depth}/survival");
        let survived = lab.unit(&key, || Survival::in_games(&starts[..games], player))?;
        show("alpha-beta", format!("depth {depth}"), survived);
    }

    let columns = "final move | evaluations/move | score % | won of decided % | discs";
    let mut worth = Table::new("With the tree saved against without, equal evaluations", columns);
    for (name, settings) in forms {
        for &budget in &budgets {
            let player = || BestFirstPlayer::new(settings, Limit::Evaluations(budget.into()), evaluator.clone());
            let mut forgets = player();
            forgets.keeps_tree = false;
            let played = series(lab, &format!("{name}/{budget}"), &starts, &mut player(), &mut forgets, SOLVE_FROM)?;
            let score = PairScore::of(&played);
            let [percent, won, discs] = score.cells();
            worth.row(vec![Cell::from(name), Cell::from(budget), percent, won, discs]);
        }
    }
    let saved = saved_by_alpha_beta(lab, depths, &starts[..games], &evaluator)?;
    let notes = vec![
        "Alpha-beta with and without its tree plays the same moves but for ties. Errors are 95 % intervals by pairs."
            .to_owned(),
        "The paper: at best 1/b of alpha-beta's tree is of use again.".to_owned(),
    ];
    Ok(Findings { tables: vec![outliving, worth, saved], notes, ..Findings::default() })
}

fn saved_by_alpha_beta(
    lab: &mut Lab<'_>,
    depths: &[u32],
    starts: &[Position],
    evaluator: &Arc<dyn Evaluator<Position>>,
) -> Result<Table, ExperimentError> {
    let columns = "depth | evaluations/move, tree saved | forgotten | saved %";
    let mut saved = Table::new("What alpha-beta saves by its tree, against itself", columns);
    lab.plan((depths.len() * starts.len()) as u64);
    for &depth in depths {
        let [mut keeps, mut forgets] = [(); 2].map(|()| FixedDepth::new(depth, evaluator.clone()));
        forgets.keeps_tree = false;
        let played = series(lab, &format!("saved/{depth}"), starts, &mut keeps, &mut forgets, SOLVE_FROM)?;
        let score = PairScore::of(&played);
        let (with, without) = (score.first.per_move(), score.second.per_move());
        saved.row(vec![
            Cell::from(depth),
            Cell::Number(with, 0),
            Cell::Number(without, 0),
            Cell::Number(100.0 * (1.0 - with / without), 1),
        ]);
    }
    Ok(saved)
}

impl Survival {
    /// What survives in games of two such players with trees of their own.
    fn in_games<C: Contender<Position>>(starts: &[Position], player: impl Fn() -> C) -> Survival {
        let mut survival = Survival::default();
        for start in starts {
            survival.add_game(*start, &mut [player(), player()]);
        }
        survival
    }

    /// Plays a game, and looks how much of each tree outlives a move and the reply.
    fn add_game(&mut self, mut position: Position, players: &mut [impl Contender<Position>; 2]) {
        // What each player's tree held, and the reply that it expected, `None` being a pass.
        let mut held: [Option<(u64, Option<Option<Square>>)>; 2] = [None, None];
        let mut last = None;
        while position.verdict(SOLVE_FROM).is_none() {
            if position.must_pass() {
                // Who moves again has no reply to look at.
                (position, held) = (position.pass(), [None, None]);
                continue;
            }
            let side = usize::from(position.mover() == Color::White);
            let player = &mut players[side];
            if let Some((before, expected)) = held[side].filter(|(before, _)| *before > 0) {
                let share = player.nodes_below(&position) as f64 / before as f64;
                self.searches += 1;
                self.share += share;
                if expected == Some(last) {
                    self.as_expected += 1;
                    self.share_as_expected += share;
                }
            }
            let chosen = player.choose(&position);
            held[side] = Some((player.nodes_below(&position), chosen.expected));
            last = chosen.turn;
            position = after(&position, chosen.turn);
        }
    }
}
