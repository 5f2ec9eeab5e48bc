//! The report for a terminal.

use super::{MatchReport, PairingReport, PlayerReport, SprtReport, joined, number, percent, plus_minus, ranking};
use crate::arena::standings::Standings;
use crate::arena::statistics::Estimate;
use std::fmt::Write;

/// The whole report.
pub fn summary(report: &MatchReport) -> String {
    let mut text = String::new();
    for pairing in &report.pairings {
        // Writing to a string cannot fail.
        let _ = pairing_text(&mut text, pairing);
        text.push('\n');
    }
    if let Some(sprt) = &report.sprt {
        let _ = writeln!(text, "{}\n", sprt_line(sprt));
    }
    if report.players.len() > 2 {
        let _ = table(&mut text, report);
    }
    let _ = efforts(&mut text, &report.players);
    for player in report.players.iter().filter(|player| player.ponders) {
        let _ = writeln!(text, "{} ponders: it thinks on the opponent's time", player.name);
    }
    if !report.failures.is_empty() {
        text.push_str("\nfailures (the first ones)\n");
    }
    for failure in &report.failures {
        let _ = writeln!(text, "  game {}: {}: {}: {}", failure.game, failure.player, failure.end, failure.detail);
    }
    text
}

fn pairing_text(out: &mut String, pairing: &PairingReport) -> std::fmt::Result {
    let counts = &pairing.counts;
    let PairingReport { first, second, .. } = pairing;
    writeln!(
        out,
        "{first} against {second}: {} games, +{} ={} -{}",
        counts.games, counts.wins, counts.draws, counts.losses
    )?;
    let Some(estimate) = &pairing.estimate else {
        return writeln!(out, "  no pair of games is finished");
    };
    let [a, b, c, d, e] = pairing.pentanomial.0;
    let unpaired = pairing.unpaired();
    if unpaired > 0 {
        writeln!(out, "  games without the other one of their pair, in no figure below but 'drawn': {unpaired}")?;
    }
    writeln!(out, "  score    {}", score(estimate))?;
    writeln!(out, "  Elo      {}", elo(estimate))?;
    writeln!(out, "  pairs    0: {a}, 1/2: {b}, 1: {c}, 1 1/2: {d}, 2: {e}")?;
    writeln!(out, "  drawn    {:.2} %", percent(pairing.draw_rate.unwrap_or(0.0)))?;
    if let Some(discs) = pairing.discs {
        writeln!(out, "  discs    {}", discs_text(discs, pairing.discs_error))?;
    }
    if let Some(corrected) = &pairing.corrected {
        writeln!(
            out,
            "  WARNING: only {} of {} games differ (symmetric ones are the same game). With equal pairs counted once:",
            pairing.different_games, counts.games
        )?;
        writeln!(out, "           score {}, Elo {}", score(&corrected.estimate), elo(&corrected.estimate))?;
        if let Some(discs) = corrected.discs {
            writeln!(out, "           discs {}", discs_text(discs, corrected.discs_error))?;
        }
    }
    Ok(())
}

fn discs_text(discs: f64, error: Option<f64>) -> String {
    format!("{discs:+.2}{}", plus_minus("+-", error, 2))
}

fn score(estimate: &Estimate) -> String {
    format!("{:.2}{} %", percent(estimate.score), plus_minus("+-", estimate.score_error.map(percent), 2))
}

/// Elo, normalised Elo and likelihood of superiority.
fn elo(estimate: &Estimate) -> String {
    let mut text = format!("{:+.2}{}", estimate.elo, plus_minus("+-", estimate.elo_error, 2));
    if let Some(normalized) = estimate.normalized_elo {
        let _ = write!(text, ", normalised {normalized:+.2}{}", plus_minus("+-", estimate.normalized_elo_error, 2));
    }
    if let Some(superiority) = estimate.superiority {
        let _ = write!(text, ", LOS {:.2} %", percent(superiority));
    }
    text
}

fn sprt_line(sprt: &SprtReport) -> String {
    let SprtReport { test, ratio, lower, upper, .. } = sprt;
    let (tested, decision) = (format!("{} against {} Elo", test.elo0, test.elo1), sprt.decision());
    format!("SPRT {tested}: LLR {ratio:+.2} ({lower:.2} to {upper:.2}), {decision}")
}

/// Everybody's total, best first.
fn table(out: &mut String, report: &MatchReport) -> std::fmt::Result {
    writeln!(out, "{:<20} {:>7} {:>7} {:>7} {:>7} {:>8}", "player", "games", "won", "drawn", "lost", "score")?;
    for i in report.ranking() {
        let PlayerReport { name, total, .. } = &report.players[i];
        let games = total.games;
        let score = total.score.map_or_else(|| "-".to_owned(), |score| format!("{:.2} %", percent(score)));
        writeln!(out, "{name:<20} {games:>7} {:>7} {:>7} {:>7} {score:>8}", total.wins, total.draws, total.losses)?;
    }
    out.push('\n');
    Ok(())
}

fn efforts(out: &mut String, players: &[PlayerReport]) -> std::fmt::Result {
    writeln!(
        out,
        "{:<20} {:>10} {:>10} {:>8} {:>12}  games lost otherwise than on the board",
        "player", "moves", "s/move", "depth", "nodes/move"
    )?;
    for player in players {
        let forfeits = joined(player.forfeits.iter());
        writeln!(
            out,
            "{:<20} {:>10} {:>10} {:>8} {:>12}  {forfeits}",
            player.name,
            player.moves,
            number(player.seconds, 4, "-"),
            number(player.depth, 2, "-"),
            number(player.nodes, 0, "-")
        )?;
    }
    Ok(())
}

/// One line about where a match stands.
pub fn progress(standings: &Standings, ratio: Option<f64>) -> String {
    let mut parts = Vec::new();
    if let [pairing] = standings.pairings.as_slice() {
        let tally = &pairing.tally;
        parts.push(format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses));
        if let Some(estimate) = pairing.estimate() {
            parts.push(format!("Elo {:+.1}{}", estimate.elo, plus_minus("+-", estimate.elo_error, 1)));
        }
    } else {
        let score = |i: usize| standings.total(i).score();
        let best = ranking(standings.names.len(), score).into_iter().take(4);
        parts.extend(best.map(|i| format!("{} {:.1} %", standings.names[i], percent(score(i).unwrap_or(0.0)))));
    }
    parts.extend(ratio.map(|ratio| format!("LLR {ratio:+.2}")));
    parts.join(", ")
}
