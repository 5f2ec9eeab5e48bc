//! A whole game, position by position: what it was worth, what would have been best, and what each move lost.

use crate::engine::{Engine, Request};
use crate::notation::game_file::AnnotatedGame;
use crate::othello::{Color, Move, Position};
use crate::search::{Bound, Depth, Limits};

/// A game with a judgement of each of its positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Commentary {
    /// The game.
    pub game: AnnotatedGame,
    /// What each position is worth, the start first; `None` where that is not known.
    pub judgements: Vec<Option<Judgement>>,
    /// What each turn lost against the best one, in discs, not negative; `None` where it is not known.
    pub losses: Vec<Option<f64>>,
    /// Whose judgements they are, in words.
    pub source: String,
}

/// What a position is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Discs for Black.
    pub value: f64,
    /// How far the search saw, as [`SearchDepth`](crate::search::SearchDepth) prints it; empty if it is not known.
    pub depth: String,
    /// The expected play; may be empty.
    pub pv: Vec<Move>,
}

impl Judgement {
    fn of_end(position: &Position) -> Judgement {
        Judgement { value: f64::from(position.score_for_black()), depth: "100%".to_owned(), pv: Vec::new() }
    }
}

impl Commentary {
    /// A game of which nothing is judged.
    pub fn unjudged(game: AnnotatedGame) -> Commentary {
        let (positions, turns) = (game.record.positions().len(), game.record.turns().len());
        Commentary { game, judgements: vec![None; positions], losses: vec![None; turns], source: String::new() }
    }

    /// The judgements that the players have left in the file: what each thought of a move is the worth of the position behind it.
    /// A loss is what the other player's last judgement and this one differ by.
    pub fn of_annotations(game: AnnotatedGame) -> Commentary {
        let mut commentary = Commentary::unjudged(game);
        let record = &commentary.game.record;
        for (i, timing) in commentary.game.timing.iter().enumerate() {
            commentary.judgements[i + 1] = timing.eval.map(|eval| Judgement {
                value: record.positions()[i].mover().signed(eval),
                depth: String::new(),
                pv: Vec::new(),
            });
        }
        for i in 0..commentary.losses.len() {
            let mover = record.positions()[i].mover();
            if let [Some(before), Some(after)] = &commentary.judgements[i..=i + 1] {
                commentary.losses[i] = Some(mover.signed(before.value - after.value).max(0.0));
            }
        }
        commentary.source = "the players".to_owned();
        commentary
    }

    /// Judges every position with an engine, within the limits of its options; `progress` hears how many positions are done.
    /// The end comes first, so that what is learnt there serves for the moves before it.
    pub fn by_engine(game: AnnotatedGame, engine: &mut Engine, progress: &mut dyn FnMut(usize)) -> Commentary {
        let mut commentary = Commentary::unjudged(game);
        let positions = commentary.game.record.positions().to_vec();
        for (i, position) in positions.iter().enumerate().rev() {
            let judgement = if position.is_over() {
                Judgement::of_end(position)
            } else {
                let played = commentary.game.record.turns().get(i).copied();
                let (judgement, loss) =
                    judge(engine, position, played, commentary.judgements.get(i + 1).cloned().flatten());
                if let Some(known) = commentary.losses.get_mut(i) {
                    *known = Some(loss);
                }
                judgement
            };
            commentary.judgements[i] = Some(judgement);
            progress(positions.len() - i);
        }
        let options = engine.options();
        let limit = [
            options.depth.map(|depth| format!("depth {depth}")),
            options.time.map(|time| format!("{} s a position", time.as_secs_f64())),
            options.nodes.map(|nodes| format!("{nodes} nodes a position")),
        ];
        let limit: Vec<String> = limit.into_iter().flatten().collect();
        commentary.source = format!(
            "Emilia {}, {} on {}, {}",
            env!("CARGO_PKG_VERSION"),
            options.engine,
            options.eval,
            limit.join(", ")
        );
        commentary
    }

    /// The turn that lost most, if any lost `at_least` discs.
    pub fn worst_turn(&self, at_least: f64) -> Option<usize> {
        let lost = |turn: &usize| self.losses[*turn].filter(|loss| *loss >= at_least);
        (0..self.losses.len()).filter(|turn| lost(turn).is_some()).max_by(|a, b| {
            // The earlier one of two equals.
            self.losses[*a].partial_cmp(&self.losses[*b]).unwrap_or(std::cmp::Ordering::Equal).then(b.cmp(a))
        })
    }

    /// What one side's discs lost on average, and how many of them are known.
    pub fn mean_loss(&self, color: Color) -> Option<(f64, usize)> {
        let turns = self.game.record.positions().iter().zip(self.game.record.turns()).zip(&self.losses);
        let own = turns.filter(|((position, turn), _)| position.mover() == color && **turn != Move::Pass);
        let losses: Vec<f64> = own.filter_map(|(_, loss)| *loss).collect();
        (!losses.is_empty()).then(|| (losses.iter().sum::<f64>() / losses.len() as f64, losses.len()))
    }
}

/// Judges a position that is not over, and what the turn played there lost.
fn judge(engine: &mut Engine, position: &Position, played: Option<Move>, after: Option<Judgement>) -> (Judgement, f64) {
    let report = engine.start(Request::hint(*position, 1)).wait().report;
    let Some(best) = report.lines.first() else { return (Judgement::of_end(position), 0.0) };
    let mover = position.mover();
    let judgement =
        Judgement { value: mover.signed(best.score.discs()), depth: best.depth.to_string(), pv: best.pv.clone() };
    let Some(played) = played.filter(|played| *played != best.turn) else { return (judgement, 0.0) };
    let Ok(next) = position.take(played) else { return (judgement, 0.0) };
    // The move is worth what its answer leaves, seen as far as the best move was seen: a ply less from there.
    let worth = match (next.is_over(), engine.options().depth) {
        (true, _) => Some(mover.signed(f64::from(next.score_for_black()))),
        (false, Some(depth)) if depth > Depth::LEAST && !best.depth.is_exact() => {
            let limits = Limits { depth: Some(depth.shallower()), ..Limits::default() };
            let report = engine.start(Request { limits, ..Request::hint(next, 1) }).wait().report;
            let answer = report.lines.first().filter(|line| line.bound == Bound::Exact);
            answer.map(|line| mover.signed(next.mover().signed(line.score.discs())))
        }
        (false, _) => after.map(|after| mover.signed(after.value)),
    };
    let loss = worth.map_or(0.0, |worth| best.score.discs() - worth);
    (judgement, loss.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::notation::ggf::Timing;
    use crate::notation::transcript;

    #[test]
    fn a_blunder_is_found_and_costs_what_it_costs() {
        let game = transcript::parse("f5d6c3d3c4f4f6g5e3f3g6e2h5c5g4g3").unwrap();
        let mut engine =
            Engine::new(EngineOptions { depth: Depth::new(6), threads: 1, hash_mb: 8, ..EngineOptions::default() });
        let lines = engine.start(Request::hint(*game.position(), usize::MAX)).wait().report.lines;
        let mut heard = 0;
        let mut bad = game.clone();
        bad.take(lines.last().unwrap().turn).unwrap();
        let commentary = Commentary::by_engine(AnnotatedGame::new(bad), &mut engine, &mut |done| heard = done);
        assert_eq!(heard, commentary.game.record.positions().len());
        assert!(commentary.judgements.iter().all(Option::is_some));
        assert_eq!(commentary.worst_turn(3.0), Some(game.turns().len()), "{:?}", commentary.losses);
        assert!(commentary.losses.iter().all(|loss| loss.is_some_and(|loss| loss >= 0.0)));
        let (mean, count) = commentary.mean_loss(Color::Black).unwrap();
        assert!(count == 9 && mean > 0.0, "{mean} {count}");
    }

    #[test]
    fn players_values_are_seen_by_black() {
        let mut game = AnnotatedGame::new(transcript::parse("f5d6c3").unwrap());
        game.timing = [Some(1.0), Some(2.0), None].map(|eval| Timing { eval, seconds: None }).to_vec();
        let commentary = Commentary::of_annotations(game);
        let values: Vec<Option<f64>> = commentary.judgements.iter().map(|j| j.as_ref().map(|j| j.value)).collect();
        assert_eq!(values, [None, Some(1.0), Some(-2.0), None]);
        // White thinks more of the position than Black did: nothing is lost.
        assert_eq!(commentary.losses, [None, Some(0.0), None]);
        assert_eq!(commentary.worst_turn(0.5), None);
    }
}
