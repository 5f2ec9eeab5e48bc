//! The report for a browser: one page that needs nothing else.

use super::chart::{COLORED, score_plot};
use super::{Corrected, MatchReport, PairingReport, joined, number, percent, plus_minus};
use crate::arena::record::End;
use crate::arena::sprt::Verdict;
use crate::arena::statistics::Estimate;
use crate::render::{COLORS, Plot, escape, page_head};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What the page has beyond the style of all pages.
const STYLE: &str = "
:root{--r0:#f3b184;--r1:#f8dcc7;--r2:#ecece7;--r3:#cfe0f6;--r4:#97bdf0;--warn:#fff3d6;--warnline:#c98a00}
@media(prefers-color-scheme:dark){:root{--r0:#8a4413;--r1:#5a3a25;--r2:#333336;--r3:#25405f;--r4:#1d5298;--warn:#3a2f12;--warnline:#d9a526}
.c0{--c:#7db1f5}.c1{--c:#ef8f97}.c2{--c:#63c998}.c3{--c:#cf94e6}.c4{--c:#f0a061}.c5{--c:#5cc7d1}}
main{max-width:960px}h1{font-size:26px;line-height:1.25;margin:0 0 4px}main>h2{margin:32px 0 8px}h3{margin:0 0 8px;font-size:16px}.soft,figcaption{color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(175px,max-content));gap:12px 30px;margin:12px 0 4px}
.figures div{display:flex;flex-direction:column}.figures b{font-size:18px;font-weight:600;white-space:nowrap}.figures span{color:var(--soft);font-size:13px}
.warning{background:var(--warn);border-left:4px solid var(--warnline);padding:9px 12px;margin:12px 0 2px}
.bar{display:flex;height:22px;border-radius:4px;overflow:hidden;font-size:12px;margin-top:4px}
.bar i{font-style:normal;text-align:center;white-space:nowrap;overflow:hidden;line-height:22px}
.tall{max-height:460px;padding-top:0}.tall th{position:sticky;top:0;background:var(--card)}th:first-child,td:first-child{text-align:left}
td.mono{font-family:ui-monospace,monospace;font-size:13px}td.l{white-space:normal}
.r0{background:var(--r0)}.r1{background:var(--r1)}.r2{background:var(--r2)}.r3{background:var(--r3)}.r4{background:var(--r4)}
figure{overflow:auto}figure svg{min-width:640px}figure text{fill:var(--soft)}.faint{stroke:var(--soft);opacity:.6}svg [class^=c]{stroke:var(--c);fill:var(--c)}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin-top:8px}.legend span::before{content:'';display:inline-block;width:16px;height:3px;margin-right:6px;vertical-align:middle;background:var(--c)}
details summary{cursor:pointer;color:var(--soft);margin-top:30px}pre{overflow:auto;white-space:pre-wrap}";

/// The page.
pub fn page(report: &MatchReport) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut out, report);
    out
}

fn write_page(out: &mut String, report: &MatchReport) -> std::fmt::Result {
    let names: Vec<String> = report.players.iter().map(|player| escape(&player.name)).collect();
    let title = names.join(" – ");
    let colors: String =
        COLORS[..COLORED].iter().enumerate().map(|(i, color)| format!(".c{i}{{--c:{color}}}")).collect();
    writeln!(out, "{}<h1>{title}</h1>", page_head(&title, &format!("{colors}{STYLE}")))?;
    let decided = report.sprt.is_some_and(|sprt| sprt.verdict != Verdict::Undecided);
    let unfinished = match report.games < report.scheduled {
        true if decided => ", ended by the sequential test",
        true => ", not finished",
        false => "",
    };
    writeln!(
        out,
        "<p class=\"soft\">{} of {} games{unfinished} · openings: {}</p>",
        report.games,
        report.scheduled,
        escape(report.terms["openings"].as_str().unwrap_or("?"))
    )?;
    for pairing in &report.pairings {
        write_pairing(out, pairing)?;
    }
    write_sprt(out, report)?;
    if report.players.len() > 2 {
        write_cross_table(out, report)?;
    }
    if let Some(plot) = score_plot(report) {
        write_plot(out, &plot)?;
    }
    write_players(out, report)?;
    write_failures(out, report)?;
    write_openings(out, report)?;
    let terms = serde_json::to_string_pretty(&report.terms).unwrap_or_default();
    writeln!(out, "<details><summary>Terms of the match</summary><pre>{}</pre></details>", escape(&terms))?;
    writeln!(out, "</main></body></html>")
}

fn signed(value: f64, decimals: usize) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+∞".to_owned() } else { "−∞".to_owned() };
    }
    format!("{value:+.decimals$}").replace('-', "−")
}

fn figure(out: &mut String, value: &str, label: &str) -> std::fmt::Result {
    write!(out, "<div><b>{value}</b><span>{label}</span></div>")
}

fn write_pairing(out: &mut String, pairing: &PairingReport) -> std::fmt::Result {
    let counts = &pairing.counts;
    write!(out, "<section class=\"card\"><h3>{} against {}</h3>", escape(&pairing.first), escape(&pairing.second))?;
    let total = counts.games.max(1) as f64;
    write!(out, "<div class=\"bar\">")?;
    for (class, number, what) in
        [("r4", counts.wins, "won"), ("r2", counts.draws, "drawn"), ("r0", counts.losses, "lost")]
    {
        if number > 0 {
            let share = percent(number as f64 / total);
            let label = if share >= 9.0 { format!("{number} {what}") } else { String::new() };
            write!(out, "<i class=\"{class}\" style=\"width:{share:.2}%\" title=\"{number} {what}\">{label}</i>")?;
        }
    }
    write!(out, "</div><div class=\"figures\">")?;
    if let Some(estimate) = &pairing.estimate {
        write_estimate(out, estimate)?;
    }
    let discs_text = |discs, error| format!("{}{}", signed(discs, 2), plus_minus("±", error, 2));
    if let Some(discs) = pairing.discs {
        figure(out, &discs_text(discs, pairing.discs_error), "discs a game")?;
    }
    figure(out, &format!("{:.1} %", percent(pairing.draw_rate.unwrap_or(0.0))), "of the games drawn")?;
    let games = format!("+{} ={} −{}", counts.wins, counts.draws, counts.losses);
    figure(out, &games, "games")?;
    let pairs: Vec<String> = pairing.pentanomial.0.iter().map(u64::to_string).collect();
    figure(out, &pairs.join(" · "), "pairs with 0, ½, 1, 1½, 2 points")?;
    if pairing.estimate.is_some() && pairing.unpaired() > 0 {
        figure(out, &pairing.unpaired().to_string(), "games without the other one of their pair")?;
    }
    write!(out, "</div>")?;
    if let Some(Corrected { estimate, discs, discs_error }) = &pairing.corrected {
        let discs =
            discs.map_or_else(String::new, |discs| format!(" Discs a game: {}.", discs_text(discs, *discs_error)));
        write!(
            out,
            "<p class=\"warning\">Only {} of {} games differ; games that are images of each other under a symmetry of the board \
             are the same game. With equal pairs counted once, the score is {:.2}{} % and Elo {}{}.{discs}</p>",
            pairing.different_games,
            counts.games,
            percent(estimate.score),
            plus_minus("±", estimate.score_error.map(percent), 2),
            signed(estimate.elo, 1),
            plus_minus("±", estimate.elo_error, 1)
        )?;
    }
    writeln!(out, "</section>")
}

fn write_estimate(out: &mut String, estimate: &Estimate) -> std::fmt::Result {
    let score_error = plus_minus("±", estimate.score_error.map(percent), 2);
    figure(out, &format!("{:.2}{score_error} %", percent(estimate.score)), "score, 95 % by pairs")?;
    figure(out, &format!("{}{}", signed(estimate.elo, 1), plus_minus("±", estimate.elo_error, 1)), "Elo")?;
    if let Some(normalized) = estimate.normalized_elo {
        let error = plus_minus("±", estimate.normalized_elo_error, 1);
        figure(out, &format!("{}{error}", signed(normalized, 1)), "normalised Elo")?;
    }
    if let Some(superiority) = estimate.superiority {
        figure(out, &format!("{:.2} %", percent(superiority)), "likelihood of superiority")?;
    }
    Ok(())
}

fn write_sprt(out: &mut String, report: &MatchReport) -> std::fmt::Result {
    let Some(sprt) = &report.sprt else { return Ok(()) };
    write!(out, "<section class=\"card\"><h3>Sequential test</h3><div class=\"figures\">")?;
    figure(out, &sprt.decision(), &format!("{} against {} Elo", sprt.test.elo0, sprt.test.elo1))?;
    let bounds = format!("log-likelihood ratio, from {} to {}", signed(sprt.lower, 2), signed(sprt.upper, 2));
    figure(out, &signed(sprt.ratio, 2), &bounds)?;
    writeln!(out, "</div></section>")
}

fn write_cross_table(out: &mut String, report: &MatchReport) -> std::fmt::Result {
    let order = report.ranking();
    write!(out, "<h2>Cross table</h2><div class=\"card scroll\"><table><tr><th>player</th>")?;
    for i in &order {
        write!(out, "<th>{}</th>", escape(&report.players[*i].name))?;
    }
    write!(out, "<th>won</th><th>drawn</th><th>lost</th><th>score</th></tr>")?;
    for &i in &order {
        let player = &report.players[i];
        write!(out, "<tr><td>{}</td>", escape(&player.name))?;
        for &j in &order {
            match score_against(report, i, j) {
                Some(score) => {
                    let class = ((score * 5.0) as usize).min(4);
                    write!(out, "<td class=\"r{class}\">{:.1} %</td>", percent(score))?;
                }
                None => write!(out, "<td class=\"soft\">{}</td>", if i == j { "·" } else { "" })?,
            }
        }
        let total = &player.total;
        let score = total.score.map_or_else(|| "–".to_owned(), |score| format!("{:.2} %", percent(score)));
        writeln!(out, "<td>{}</td><td>{}</td><td>{}</td><td>{score}</td></tr>", total.wins, total.draws, total.losses)?;
    }
    writeln!(out, "</table></div>")
}

fn score_against(report: &MatchReport, player: usize, opponent: usize) -> Option<f64> {
    let (a, b) = (&report.players[player].name, &report.players[opponent].name);
    report.pairings.iter().find_map(|pairing| match (&pairing.first, &pairing.second) {
        (first, second) if (first, second) == (a, b) => pairing.counts.score,
        (first, second) if (first, second) == (b, a) => pairing.counts.score.map(|score| 1.0 - score),
        _ => None,
    })
}

fn write_plot(out: &mut String, plot: &Plot) -> std::fmt::Result {
    let (figure, caption) = (plot.figure(), escape(&plot.title));
    write!(out, "<h2>Score over time</h2>\n<figure class=\"card\">{figure}<figcaption>{caption}.</figcaption>")?;
    write!(out, "<div class=\"legend\">")?;
    for (color, curve) in plot.legend().filter(|_| plot.curves.len() > 1) {
        write!(out, "<span class=\"c{color}\">{}</span>", escape(&curve.name))?;
    }
    writeln!(out, "</div></figure>")
}

fn write_players(out: &mut String, report: &MatchReport) -> std::fmt::Result {
    write!(
        out,
        "<h2>Players</h2><div class=\"card scroll\"><table><tr><th>player</th><th class=\"l\">limits</th><th>moves</th><th>seconds a move</th>"
    )?;
    write!(out, "<th>depth</th><th>nodes a move</th><th>lost on time</th><th class=\"l\">other forfeits</th></tr>")?;
    for player in &report.players {
        let on_time = player.forfeits.get(&End::Time).copied().unwrap_or(0);
        let others = player.forfeits.iter().filter(|(end, _)| **end != End::Time);
        writeln!(
            out,
            "<tr><td>{}</td><td class=\"l\">{}{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{on_time}</td><td class=\"l\">{}</td></tr>",
            escape(&player.name),
            escape(&player.limits),
            if player.ponders { ", ponders" } else { "" },
            player.moves,
            number(player.seconds, 4, "–"),
            number(player.depth, 2, "–"),
            number(player.nodes, 0, "–"),
            joined(others)
        )?;
    }
    writeln!(out, "</table></div>")
}

fn write_failures(out: &mut String, report: &MatchReport) -> std::fmt::Result {
    if report.failures.is_empty() {
        return Ok(());
    }
    write!(
        out,
        "<h2>First failures</h2><div class=\"card scroll\"><table><tr><th>game</th><th class=\"l\">player</th>"
    )?;
    write!(out, "<th class=\"l\">kind</th><th class=\"l\">what was wrong</th></tr>")?;
    for failure in &report.failures {
        let (player, detail) = (escape(&failure.player), escape(&failure.detail));
        let (game, kind) = (failure.game, failure.end);
        writeln!(
            out,
            "<tr><td>{game}</td><td class=\"l\">{player}</td><td class=\"l\">{kind}</td><td class=\"l\">{detail}</td></tr>"
        )?;
    }
    writeln!(out, "</table></div>")
}

/// For each opening the points of each pairing's first player, summed over the times that it was played.
fn write_openings(out: &mut String, report: &MatchReport) -> std::fmt::Result {
    let mut openings: Vec<&str> = Vec::new();
    let mut points: BTreeMap<(&str, usize), (u64, u64)> = BTreeMap::new();
    for (i, pairing) in report.pairings.iter().enumerate() {
        for pair in &pairing.pairs {
            let opening = pair.opening.as_str();
            if !(0..=i).any(|earlier| points.contains_key(&(opening, earlier))) {
                openings.push(opening);
            }
            let sum = points.entry((opening, i)).or_default();
            sum.0 += u64::from(pair.half_points);
            sum.1 += 1;
        }
    }
    if openings.is_empty() {
        return Ok(());
    }
    write!(out, "<h2>Openings</h2><p class=\"soft\">Points of the player named first, from both colours.</p>")?;
    write!(out, "<div class=\"card scroll tall\"><table><tr><th>opening</th>")?;
    for pairing in &report.pairings {
        write!(out, "<th>{} – {}</th>", escape(&pairing.first), escape(&pairing.second))?;
    }
    writeln!(out, "</tr>")?;
    for opening in openings {
        write!(out, "<tr><td class=\"mono\">{}</td>", escape(opening))?;
        for i in 0..report.pairings.len() {
            match points.get(&(opening, i)) {
                Some((half_points, pairs)) => {
                    let class = (half_points + pairs / 2) / pairs;
                    write!(out, "<td class=\"r{class}\">{} of {}</td>", *half_points as f64 / 2.0, 2 * pairs)?;
                }
                None => write!(out, "<td class=\"soft\">–</td>")?,
            }
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</table></div>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_with_a_real_minus() {
        let infinite = f64::INFINITY;
        assert_eq!([signed(-1.25, 1), signed(3.0, 2)], ["−1.2", "+3.00"]);
        assert_eq!([signed(-infinite, 0), signed(infinite, 0)], ["−∞", "+∞"]);
    }
}
