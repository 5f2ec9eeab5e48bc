//! The players of the experiments: searches with their limits.

use super::contest::Contest;
use crate::engine::EngineOptions;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::lab::KorfAlphaBeta;
use crate::othello::Position;
use crate::search::{
    AlphaBetaStart, Contempt, Control, Explorer, KorfSettings, Limits, Precision, Progress, Search, Start, Task, Work,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A move and what it cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chosen<M> {
    /// The turn; `None` is a pass.
    pub turn: Option<M>,
    /// Static evaluations.
    pub evaluations: u64,
    /// Plies of the expected play.
    pub plies: u32,
    /// The reply that is expected, if the player tells one.
    pub expected: Option<Option<M>>,
}

/// One side of a game.
pub trait Contender<G: Game> {
    /// A new game begins: forgets everything, if there is anything.
    fn begin(&mut self) {}

    /// Chooses a turn; the position has one.
    fn choose(&mut self, position: &G) -> Chosen<G::Move>;

    /// How many nodes the player's tree has below a position; 0 if it does not hold the position, or there is no tree.
    fn nodes_below(&self, _: &G) -> u64 {
        0
    }
}

/// Evaluations by the stage of the game: their sum and the number of moves.
pub type ByStage = BTreeMap<u32, (u64, u64)>;

/// Evaluations for a move at each stage of a game: the means of what was spent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budgets(pub ByStage);

impl Budgets {
    /// The budget of a stage: of the nearest one that is known, at least 1.
    pub fn of(&self, stage: u32) -> u64 {
        let nearest = self.0.iter().min_by_key(|(known, _)| known.abs_diff(stage));
        nearest.map_or(1, |(_, &(evaluations, moves))| (evaluations / moves.max(1)).max(1))
    }
}

/// How long a player may think about a move.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// Until the principal leaf has a depth in plies, or a number of evaluations is made.
    Plies(u32, u64),
    /// Evaluations by the stage of the game; what one move takes too much, the next ones lack.
    Budgets(Budgets),
    /// Evaluations for each move.
    Evaluations(u64),
}

impl Limit {
    /// Evaluations for a move at a stage of the game.
    fn budget(&self, stage: u32) -> u64 {
        match self {
            Limit::Plies(_, most) => *most,
            Limit::Budgets(budgets) => budgets.of(stage),
            Limit::Evaluations(evaluations) => *evaluations,
        }
    }

    /// Evaluations for a move after moves that took too many by `debt`.
    fn evaluations(&self, stage: u32, debt: u64) -> u64 {
        self.budget(stage).saturating_sub(debt).max(1)
    }

    /// The debt after a move that took `spent` evaluations.
    fn debt(&self, stage: u32, debt: u64, spent: u64) -> u64 {
        if matches!(self, Limit::Plies(..)) { 0 } else { (debt + spent).saturating_sub(self.budget(stage)) }
    }
}

/// The paper's alpha-beta.
pub struct FixedDepth<G: Game> {
    search: Option<KorfAlphaBeta<G>>,
    depth: u32,
    evaluator: Arc<dyn Evaluator<G>>,
    /// Whether the tree is kept from move to move.
    pub keeps_tree: bool,
}

/// Memory for a tree of any experiment, in bytes; taken as it fills.
const MEMORY: usize = 1 << 30;

impl<G: Contest> FixedDepth<G> {
    /// A player that looks `depth` plies ahead.
    pub fn new(depth: u32, evaluator: Arc<dyn Evaluator<G>>) -> FixedDepth<G> {
        FixedDepth { search: None, depth, evaluator, keeps_tree: true }
    }
}

impl<G: Contest> Contender<G> for FixedDepth<G> {
    fn begin(&mut self) {
        self.search = None;
    }

    fn choose(&mut self, position: &G) -> Chosen<G::Move> {
        if !self.keeps_tree {
            self.search = None;
        }
        let search = self.search.get_or_insert_with(|| KorfAlphaBeta::new(position, G::ENDS, MEMORY));
        search.search(position, Contempt::NONE, self.depth, (1, None), &*self.evaluator, &mut |_| false);
        let best = search.root_moves().swap_remove(0);
        let expected = best.line.get(1).copied();
        Chosen { turn: best.line[0], evaluations: search.work().evaluations, plies: self.depth, expected }
    }

    fn nodes_below(&self, position: &G) -> u64 {
        self.search.as_ref().and_then(|search| search.nodes_below(position)).unwrap_or(0)
    }
}

/// Best-first search in any form, for any game.
pub struct BestFirstPlayer<G: Game> {
    settings: KorfSettings,
    explorer: Option<Explorer<G>>,
    limit: Limit,
    debt: u64,
    evaluator: Arc<dyn Evaluator<G>>,
    /// Whether the tree is kept from move to move.
    pub keeps_tree: bool,
    /// Evaluations made by the alpha-beta that the search begins with, since the player was made.
    pub by_alpha_beta: u64,
}

impl<G: Contest> BestFirstPlayer<G> {
    /// A player with these settings and limits.
    pub fn new(settings: KorfSettings, limit: Limit, evaluator: Arc<dyn Evaluator<G>>) -> BestFirstPlayer<G> {
        let depth = match limit {
            Limit::Plies(plies, _) => Some(plies),
            _ => settings.depth,
        };
        let settings = KorfSettings { depth, memory: MEMORY, ..settings };
        BestFirstPlayer { settings, explorer: None, limit, debt: 0, evaluator, keeps_tree: true, by_alpha_beta: 0 }
    }

    /// These settings beginning with `alpha_beta` plies of alpha-beta; none if that is 0.
    pub fn extension_of(settings: KorfSettings, alpha_beta: u32) -> KorfSettings {
        let start = if alpha_beta == 0 { AlphaBetaStart::None } else { AlphaBetaStart::Depth(alpha_beta) };
        KorfSettings { start, ..settings }
    }
}

impl<G: Contest> Contender<G> for BestFirstPlayer<G> {
    fn begin(&mut self) {
        self.explorer = None;
        self.debt = 0;
    }

    fn choose(&mut self, position: &G) -> Chosen<G::Move> {
        if !self.keeps_tree {
            self.explorer = None;
        }
        let settings = self.settings;
        let explorer = self.explorer.get_or_insert_with(|| Explorer::new(settings, position));
        explorer.begin(position, Contempt::NONE);
        let stage = position.stage();
        let limit = self.limit.evaluations(stage, self.debt);
        let mut is_spent = |work: &Work| work.evaluations >= limit;
        explorer.expand_root(&*self.evaluator);
        let mut start = Start::new(settings.start);
        loop {
            let before = explorer.work().evaluations;
            start.advance(explorer, Some(limit), &*self.evaluator, &mut is_spent);
            self.by_alpha_beta += explorer.work().evaluations - before;
            if is_spent(explorer.work()) || explorer.step(&*self.evaluator, &mut is_spent) != Progress::Grown {
                break;
            }
        }
        let evaluations = explorer.work().evaluations;
        self.debt = self.limit.debt(stage, self.debt, evaluations);
        let best = explorer.root_moves().swap_remove(0);
        let (turn, expected) = (best.line[0], best.line.get(1).copied());
        Chosen { turn, evaluations, plies: best.line.iter().flatten().count() as u32, expected }
    }

    fn nodes_below(&self, position: &G) -> u64 {
        self.explorer.as_ref().and_then(|explorer| explorer.nodes_below(position)).unwrap_or(0)
    }
}

/// Any engine of Emilia, by its options. Near the end alpha-beta asks first who wins, and then for the score among the moves that keep the
/// outcome, as the best-first searches do: what counts in a series is won games.
pub struct EnginePlayer {
    search: Box<dyn Search>,
    evaluator: Arc<dyn Evaluator<Position>>,
    limit: Limit,
    debt: u64,
}

impl EnginePlayer {
    /// The engine that the options ask for.
    pub fn new(options: &EngineOptions, limit: Limit) -> EnginePlayer {
        EnginePlayer { search: (options.engine.build)(options), evaluator: options.evaluator(), limit, debt: 0 }
    }
}

impl Contender<Position> for EnginePlayer {
    fn begin(&mut self) {
        self.search.clear();
        self.debt = 0;
    }

    fn choose(&mut self, position: &Position) -> Chosen<<Position as Game>::Move> {
        let evaluations = Some(self.limit.evaluations(position.stage(), self.debt));
        let limits = Limits { evaluations, ..Limits::default() };
        let task = Task { precision: Precision::OutcomeFirst, ..Task::new(*position, self.evaluator.clone()) };
        let report = self.search.think(&task, &Control::with_limits(limits), &mut |_| {});
        self.debt = self.limit.debt(position.stage(), self.debt, report.evaluations);
        let best = &report.lines[0];
        let plies = best.pv.iter().filter(|turn| turn.square().is_some()).count() as u32;
        Chosen { turn: best.turn.square(), evaluations: report.evaluations, plies, expected: None }
    }
}
