//! A whole game, position by position: what it was worth, what would have been best, and what each move lost.

use super::{AnalysisSettings, MoveValue, Review};
use crate::notation::game_file::AnnotatedGame;
use crate::othello::{Color, Move, Position};
use std::fmt;

/// A game with a judgement of each of its positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Commentary {
    /// The game.
    pub game: AnnotatedGame,
    /// What each position is worth, the start first; `None` where that is not known.
    pub judgements: Vec<Option<Judgement>>,
    /// What each turn lost against the best one, in discs, not negative; `None` where it is not known, or the turn was nobody's choice.
    pub losses: Vec<Option<f64>>,
    /// Whose judgements they are, in words.
    pub source: String,
    /// How well both sides played, in words, a line each; empty if that is not known.
    pub summary: Vec<String>,
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

impl fmt::Display for Judgement {
    /// Discs for Black with a sign and two decimals, never `-0.00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:+.2}", (self.value * 100.0).round() / 100.0 + 0.0))
    }
}

impl Judgement {
    fn of_end(position: &Position) -> Judgement {
        Judgement { value: f64::from(position.score_for_black()), depth: "100%".to_owned(), pv: Vec::new() }
    }
}

impl Commentary {
    /// Whether any position has a value.
    pub fn is_judged(&self) -> bool {
        self.judgements.iter().any(Option::is_some)
    }

    /// A game of which nothing is judged.
    pub fn unjudged(game: AnnotatedGame) -> Commentary {
        let (positions, turns) = (game.record.positions().len(), game.record.turns().len());
        Commentary {
            game,
            judgements: vec![None; positions],
            losses: vec![None; turns],
            source: String::new(),
            summary: Vec::new(),
        }
    }

    /// The judgements of the file: the value of each move for its player is that of the position behind it, and the best value of a move of the
    /// start is that of the start. The loss of a move is how much worse the next judgement is than the one before, which may be the other player's.
    pub fn of_annotations(game: AnnotatedGame) -> Commentary {
        let mut commentary = Commentary::unjudged(game);
        let AnnotatedGame { record, scores, score, .. } = &commentary.game;
        // Of equal values the first counts.
        let best = scores.iter().rev().max_by_key(|(_, score)| *score);
        commentary.judgements[0] = best.map(|(_, score)| *score).or(*score).map(|score| Judgement {
            value: f64::from(record.start().mover().signed(score)),
            depth: String::new(),
            pv: best.map(|(turn, _)| *turn).into_iter().collect(),
        });
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
        commentary.source = if commentary.game.is_position() { "the file" } else { "the players" }.to_owned();
        commentary
    }

    /// What a review of the game has found with these settings.
    pub fn of_review(game: AnnotatedGame, review: &Review, settings: &AnalysisSettings) -> Commentary {
        let mut commentary = Commentary::unjudged(game);
        let positions = commentary.game.record.positions();
        for (judgement, position) in commentary.judgements.iter_mut().zip(positions) {
            *judgement = position.is_over().then(|| Judgement::of_end(position));
        }
        for reviewed in &review.turns {
            let mover = reviewed.position.mover();
            let judge = |found: &MoveValue, behind: usize| Judgement {
                value: mover.signed(found.score.discs()),
                depth: found.depth.to_string(),
                pv: found.pv.get(behind..).unwrap_or_default().to_vec(),
            };
            commentary.judgements[reviewed.turn] = Some(judge(&reviewed.best, 0));
            let Some(played) = &reviewed.played else { continue };
            commentary.losses[reviewed.turn] = (reviewed.turn >= review.given).then(|| reviewed.loss());
            // The next turn, if there is one, knows it better.
            commentary.judgements[reviewed.turn + 1].get_or_insert_with(|| judge(played, 1));
        }
        commentary.source = settings.to_string();
        if !commentary.game.is_position() {
            commentary.summary = review.summary(&commentary.game);
        }
        commentary
    }

    /// The turn that lost most, if any lost `at_least` discs.
    pub fn worst_turn(&self, at_least: f64) -> Option<usize> {
        let losses = self.losses.iter().enumerate();
        let lost = losses.filter_map(|(turn, loss)| Some((turn, loss.filter(|loss| *loss >= at_least)?)));
        // The earlier one of two equals.
        lost.rev().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(turn, _)| turn)
    }

    /// How many discs one side lost on average where it had a choice, and over how many known losses.
    pub fn mean_loss(&self, color: Color) -> Option<(f64, usize)> {
        let turns = self.game.record.positions().iter().zip(self.game.record.turns()).zip(&self.losses);
        let own = turns.filter(|((position, _), _)| position.mover() == color && position.moves().count() > 1);
        let losses: Vec<f64> = own.filter_map(|(_, loss)| *loss).collect();
        (!losses.is_empty()).then(|| (losses.iter().sum::<f64>() / losses.len() as f64, losses.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Reviewer;
    use crate::engine::EngineOptions;
    use crate::notation::ggf::Timing;
    use crate::notation::obf::ObfEntry;
    use crate::notation::{MATCH_PLACE, transcript};
    use crate::othello::GameRecord;
    use crate::search::Depth;

    #[test]
    fn the_opening_of_a_match_is_nobodys_choice() {
        // The parallel opening is a mistake; here the players began behind it.
        let mut game = AnnotatedGame::new(transcript::parse("f5f4e3f6d3").unwrap());
        let options = EngineOptions { threads: 1, hash_mb: 8, ..EngineOptions::default() };
        let settings = AnalysisSettings { depth: Depth::new(6), ..AnalysisSettings::new(options) };
        let judged = |game: &AnnotatedGame| {
            let mut reviewer = Reviewer::new(settings.clone());
            let review = reviewer.review_game(game, &mut |_| true);
            let commentary = Commentary::of_review(game.clone(), &review, &settings);
            assert_eq!(review.turns.len(), 5);
            (review.worst, review.white.choices, commentary.losses.iter().flatten().count(), commentary.worst_turn(1.0))
        };
        assert_eq!(judged(&game), (Some(1), 2, 5, Some(1)));
        game.place = MATCH_PLACE.to_owned();
        game.timing = vec![Timing::default(); 5];
        game.timing[2].seconds = Some(0.1);
        let (worst, choices, losses, worst_turn) = judged(&game);
        assert_eq!((choices, losses), (1, 3));
        assert!(worst.is_none_or(|turn| turn >= 2) && worst_turn.is_none_or(|turn| turn >= 2));
    }

    #[test]
    fn a_blunder_is_found_and_costs_what_it_costs() {
        let mut game = transcript::parse("f5d6c3d3c4f4f6g5e3f3g6e2h5c5g4g3").unwrap();
        let options = EngineOptions { threads: 1, hash_mb: 8, ..EngineOptions::default() };
        let settings = AnalysisSettings { depth: Depth::new(6), ..AnalysisSettings::new(options.clone()) };
        let position = GameRecord::from_position(*game.position());
        let lines = usize::MAX;
        let all = Reviewer::new(AnalysisSettings { lines, ..settings.clone() }).review(&position);
        let turns = game.turns().len();
        game.take(all.turns[0].lines.last().unwrap().turn).unwrap();
        let mut heard = 0;
        let review = Reviewer::new(settings.clone()).review_game(&AnnotatedGame::new(game.clone()), &mut |done| {
            heard = done;
            true
        });
        assert_eq!(heard, turns + 1);
        let commentary = Commentary::of_review(AnnotatedGame::new(game), &review, &settings);
        assert!(commentary.judgements.iter().all(Option::is_some) && commentary.source.ends_with(", depth 6"));
        assert_eq!(commentary.worst_turn(3.0), Some(turns), "{:?}", commentary.losses);
        assert!(commentary.losses.iter().all(|loss| loss.is_some_and(|loss| loss >= 0.0)));
        let (mean, count) = commentary.mean_loss(Color::Black).unwrap();
        assert!(count == 9 && mean > 0.0, "{mean} {count}");
    }

    #[test]
    fn the_mean_loss_is_that_of_the_review() {
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        let settings = AnalysisSettings { depth: Depth::new(1), ..AnalysisSettings::new(options) };
        // The only move is taken where there is one, else the last.
        let mut record = GameRecord::default();
        while !record.position().is_over() {
            record.take(record.position().moves().into_iter().last().map_or(Move::Pass, Move::Place)).unwrap();
        }
        let forced = record.positions().iter().filter(|position| position.moves().count() == 1).count();
        let game = AnnotatedGame::new(record);
        let review = Reviewer::new(settings.clone()).review_game(&game, &mut |_| true);
        let commentary = Commentary::of_review(game, &review, &settings);
        for color in [Color::Black, Color::White] {
            let (mean, count) = commentary.mean_loss(color).unwrap();
            let player = review.player(color);
            assert_eq!((count, (mean * count as f64 - player.loss).abs() < 1e-6), (player.choices as usize, true));
        }
        assert!(forced > 0);
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

    #[test]
    fn values_of_a_position_s_moves_are_seen_by_black() {
        let line = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- O; A4:-2; B6:+3;";
        let commentary = Commentary::of_annotations(ObfEntry::parse(line).unwrap().into());
        let judgement = commentary.judgements[0].as_ref().unwrap();
        assert_eq!((judgement.value, judgement.pv[0].to_string().as_str()), (-3.0, "b6"));
    }

    #[test]
    fn nothing_is_less_than_nothing() {
        for (value, text) in [(-0.004, "+0.00"), (-0.0, "+0.00"), (-0.006, "-0.01"), (12.5, "+12.50")] {
            assert_eq!(Judgement { value, depth: String::new(), pv: Vec::new() }.to_string(), text);
        }
    }
}
