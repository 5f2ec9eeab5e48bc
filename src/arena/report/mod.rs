//! What a match has shown: as text, as JSON, as a page for a browser.

mod chart;
mod html;
#[cfg(test)]
mod tests;
mod text;

pub use chart::score_plot;
pub use html::page;
pub use text::{progress, summary};

use super::opening::opening_text;
use super::record::End;
use super::sprt::{Sprt, Verdict};
use super::standings::{Failure, Pairing};
use super::statistics::{Estimate, Pentanomial, Tally};
use super::tournament::Tournament;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that the reports show.
#[derive(Clone, Debug, Serialize)]
pub struct MatchReport {
    /// The terms of the match; version and weights as in the first line of its log.
    pub terms: Value,
    /// Games finished.
    pub games: u64,
    /// Games in the schedule.
    pub scheduled: u64,
    /// The players, in the order in which they were given.
    pub players: Vec<PlayerReport>,
    /// Who met whom.
    pub pairings: Vec<PairingReport>,
    /// The sequential test.
    pub sprt: Option<SprtReport>,
    /// The first failures of programs.
    pub failures: Vec<Failure>,
}

/// One player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerReport {
    /// Its name.
    pub name: String,
    /// What bounds its thinking.
    pub limits: String,
    /// Whether it is known to think on the opponent's time.
    pub ponders: bool,
    /// All its games.
    pub total: Counts,
    /// Its moves; passes and the moves of the opening are not counted.
    pub moves: u64,
    /// Mean seconds a move, by the referee's clock.
    pub seconds: Option<f64>,
    /// Mean depth, as far as it says; exact endgames have none.
    pub depth: Option<f64>,
    /// Mean nodes a move, as far as it says.
    pub nodes: Option<f64>,
    /// Games given up or lost by failures, by how.
    pub forfeits: BTreeMap<End, u64>,
}

/// Numbers of games.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Points per game, 0 to 1.
    pub score: Option<f64>,
}

impl From<&Tally> for Counts {
    fn from(tally: &Tally) -> Counts {
        let Tally { wins, draws, losses, .. } = *tally;
        Counts { games: tally.games(), wins, draws, losses, score: tally.score() }
    }
}

/// Two players, seen by the first.
#[derive(Clone, Debug, Serialize)]
pub struct PairingReport {
    /// The first player.
    pub first: String,
    /// The second player.
    pub second: String,
    /// The games.
    pub counts: Counts,
    /// Share of drawn games.
    pub draw_rate: Option<f64>,
    /// Pairs that gave the first player 0, ½, 1, 1½, 2 points.
    pub pentanomial: Pentanomial,
    /// What they say about its strength.
    pub estimate: Option<Estimate>,
    /// Mean disc difference, for pairs decided on the board.
    pub discs: Option<f64>,
    /// Its error.
    pub discs_error: Option<f64>,
    /// Games that differ, up to the symmetries of the board.
    pub different_games: usize,
    /// The same with equal pairs counted once, if they are enough to make the plain figures mislead.
    pub corrected: Option<Corrected>,
    /// The pairs in order: the opening and the first player's half points.
    pub pairs: Vec<PairReport>,
}

impl PairingReport {
    /// Games without the other one of their pair.
    fn unpaired(&self) -> u64 {
        self.counts.games - 2 * self.pentanomial.pairs()
    }
}

/// What the pairs say with equal ones counted once.
#[derive(Clone, Debug, Serialize)]
pub struct Corrected {
    /// About the first player's strength.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Mean disc difference, for pairs decided on the board.
    pub discs: Option<f64>,
    /// Its error.
    pub discs_error: Option<f64>,
}

/// One pair.
#[derive(Clone, Debug, Serialize)]
pub struct PairReport {
    /// The opening.
    pub opening: String,
    /// The first player's half points, 0 to 4.
    pub half_points: u8,
}

/// The sequential test.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SprtReport {
    /// The hypotheses and error rates.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio.
    pub ratio: f64,
    /// Where `elo0` is accepted.
    pub lower: f64,
    /// Where `elo1` is accepted.
    pub upper: f64,
    /// What it says.
    pub verdict: Verdict,
    /// Whether there are pairs that repeat others, and so do not count.
    pub counts_equal_pairs_once: bool,
}

impl SprtReport {
    /// The verdict in words.
    fn decision(&self) -> String {
        let once = if self.counts_equal_pairs_once { ", with equal pairs counted once" } else { "" };
        match self.verdict {
            Verdict::Accepted => format!("{} Elo accepted{once}", self.test.elo1),
            Verdict::Rejected => format!("{} Elo accepted{once}", self.test.elo0),
            Verdict::Undecided => format!("undecided{once}"),
        }
    }
}

/// A share in percent.
fn percent(share: f64) -> f64 {
    100.0 * share
}

/// A number, or what stands where it is not known.
fn number(value: Option<f64>, decimals: usize, unknown: &str) -> String {
    value.map_or_else(|| unknown.to_owned(), |value| format!("{value:.decimals$}"))
}

/// How many games were lost in which way.
fn joined<'a>(forfeits: impl Iterator<Item = (&'a End, &'a u64)>) -> String {
    let parts: Vec<String> = forfeits.map(|(end, count)| format!("{end} {count}")).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// An error behind its sign.
fn plus_minus(sign: &str, error: Option<f64>, decimals: usize) -> String {
    format!(" {sign} {}", number(error, decimals, "?"))
}

/// The places of this many players, the one with the best score first.
fn ranking(players: usize, score: impl Fn(usize) -> Option<f64>) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..players).collect();
    ranking.sort_by(|&a, &b| score(b).unwrap_or(0.0).total_cmp(&score(a).unwrap_or(0.0)));
    ranking
}

impl MatchReport {
    /// The players with the best one first, by their places in [`MatchReport::players`].
    fn ranking(&self) -> Vec<usize> {
        ranking(self.players.len(), |i| self.players[i].total.score)
    }

    /// Collects what a match says so far.
    pub fn new(tournament: &Tournament) -> MatchReport {
        let (standings, settings) = (tournament.standings(), tournament.settings());
        let openings = tournament.openings();
        let player = |(i, name): (usize, &String)| {
            let effort = &standings.efforts[i];
            let spec = &settings.players[i];
            let note = if spec.tell_limits { "" } else { ", not told" };
            PlayerReport {
                name: name.clone(),
                limits: format!("{}{note}", spec.terms(&settings.terms)),
                ponders: spec.ponders(),
                total: Counts::from(&standings.total(i)),
                moves: effort.moves,
                seconds: effort.seconds.mean(),
                depth: effort.depth.mean(),
                nodes: effort.nodes.mean(),
                forfeits: effort.forfeits.clone(),
            }
        };
        let pair = |&(opening, half_points): &(usize, u8)| PairReport {
            opening: opening_text(&openings[opening]),
            half_points,
        };
        let pairing = |pairing: &Pairing| PairingReport {
            first: standings.names[pairing.first].clone(),
            second: standings.names[pairing.second].clone(),
            counts: Counts::from(&pairing.tally),
            draw_rate: pairing.tally.draw_rate(),
            pentanomial: pairing.tally.pentanomial,
            estimate: pairing.estimate(),
            discs: pairing.tally.discs.mean(),
            discs_error: pairing.tally.discs.error(),
            different_games: pairing.different_games(),
            corrected: pairing.different_pairs.estimate().filter(|_| pairing.is_alike()).map(|estimate| Corrected {
                estimate,
                discs: pairing.different_discs.mean(),
                discs_error: pairing.different_discs.error(),
            }),
            pairs: pairing.pairs.iter().map(pair).collect(),
        };
        let sprt = tournament.sprt().map(|(test, ratio, verdict)| {
            let (lower, upper) = test.bounds();
            let has_equal = |pairing: &Pairing| pairing.different_pairs.0 != pairing.tally.pentanomial.0;
            let counts_equal_pairs_once = standings.pairings.first().is_some_and(has_equal);
            SprtReport { test, ratio, lower, upper, verdict, counts_equal_pairs_once }
        });
        MatchReport {
            terms: tournament.terms(),
            games: standings.games,
            scheduled: tournament.schedule().games(),
            players: standings.names.iter().enumerate().map(player).collect(),
            pairings: standings.pairings.iter().map(pairing).collect(),
            sprt,
            failures: standings.failures.clone(),
        }
    }
}
