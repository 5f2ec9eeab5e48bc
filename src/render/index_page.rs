//! The first page of a folder of game pages: who played, what cost them most, and every game.

use super::curve_svg::severity;
use super::markup::{escape, page_head};
use super::page::{score, shown_name};
use crate::analysis::by_player::{ByPlayer, Mistake, PlayerSummary, page_of_game, page_of_turn, phase_names};
use crate::analysis::review_text::ReviewedGame;
use crate::notation::opening;
use crate::othello::Color;
use std::fmt::{self, Write};
use std::iter;

/// What the page has beyond the style of all pages.
const STYLE: &str = "main{max-width:1360px}h1{font-size:20px;margin:0 0 14px;overflow-wrap:anywhere}th{vertical-align:bottom}.group{text-align:center}a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}\
    td small{color:var(--soft)}";

/// Collects the games of the page.
#[derive(Clone, Debug, Default)]
pub struct IndexPage {
    /// The rows of the table of games.
    games: String,
    count: usize,
}

impl IndexPage {
    /// Adds a game. Its page is [`page_of_game`], beside this one.
    pub fn add(&mut self, game: &ReviewedGame) {
        self.count += 1;
        // Writing to a string cannot fail.
        let _ = self.write_game(game);
    }

    fn write_game(&mut self, reviewed: &ReviewedGame) -> fmt::Result {
        let (game, number) = (&reviewed.found.game, reviewed.found.place.number);
        let name = |color| escape(shown_name(game, color));
        let (black, white) = (name(Color::Black), name(Color::White));
        let decided = reviewed.turning_point().and_then(|point| {
            let turn = reviewed.review.turns.iter().find(|turn| turn.turn == point.turn)?;
            let (page, played) = (page_of_turn(number, point.turn), turn.played.as_ref()?.turn);
            let who = if point.mover == Color::Black { &black } else { &white };
            Some(format!("<a href=\"{page}\">{played}</a>, move {} of {who}: {point}", point.turn + 1))
        });
        writeln!(
            self.games,
            "<tr><td><a href=\"{}\">{number}</a></td><td class=\"l\">{black}</td><td class=\"l\">{white}</td><td>{}</td>\
             <td class=\"l\">{}</td><td class=\"l\">{}</td></tr>",
            page_of_game(number),
            score(game),
            opening(game.record.positions()).unwrap_or_default(),
            decided.unwrap_or_default()
        )
    }

    /// The page. `name` says where the games are from, `source` whose judgements they have.
    pub fn page(&self, players: &ByPlayer, name: &str, source: &str) -> String {
        let mut out = String::new();
        let _ = self.write_page(&mut out, players, name, source);
        out
    }

    fn write_page(&self, out: &mut String, players: &ByPlayer, name: &str, source: &str) -> fmt::Result {
        let (title, source) = (escape(name), escape(source));
        writeln!(out, "{}<h1>{title}</h1>", page_head(&title, STYLE))?;
        let games = if self.count == 1 { "1 game".to_owned() } else { format!("{} games", self.count) };
        writeln!(out, "<p>{games} \u{b7} values by {source}</p>")?;
        write!(out, "<div class=\"card\"><h2>Players</h2><div class=\"scroll\"><table><tr>")?;
        let single = |(class, name): (&str, &str)| format!("<th{class} rowspan=\"2\">{name}</th>");
        let left = " class=\"l\"";
        let counts = [(left, "player"), ("", "games"), ("", "won"), ("", "drawn"), ("", "lost"), ("", "accuracy")];
        write!(out, "{}", counts.map(single).concat())?;
        write!(out, "<th class=\"group\" colspan=\"{}\">discs lost a move</th>", 1 + phase_names().count())?;
        write!(out, "{}</tr><tr>", [(left, "openings"), (left, "worst moves")].map(single).concat())?;
        for part in iter::once("in all").chain(phase_names()) {
            write!(out, "<th>{part}</th>")?;
        }
        writeln!(out, "</tr>")?;
        for player in players.summaries() {
            write_player(out, &player)?;
        }
        writeln!(out, "</table></div></div>")?;
        write!(out, "<div class=\"card\"><h2>Games</h2><div class=\"scroll\"><table><tr><th>game</th>")?;
        write!(out, "<th class=\"l\">black</th><th class=\"l\">white</th><th>result</th><th class=\"l\">opening</th>")?;
        writeln!(out, "<th class=\"l\">decided by</th></tr>\n{}</table></div></div>", self.games)?;
        writeln!(out, "</main></body></html>")
    }
}

fn write_player(out: &mut String, player: &PlayerSummary<'_>) -> fmt::Result {
    let PlayerSummary { player: name, games, won, drawn, lost, accuracy, mean_loss, .. } = player;
    write!(
        out,
        "<tr><td class=\"l\">{}</td><td>{games}</td><td>{won}</td><td>{drawn}</td><td>{lost}</td>",
        escape(name)
    )?;
    let accuracy = accuracy.map_or_else(String::new, |accuracy| format!("{accuracy:.1}"));
    write!(out, "<td>{accuracy}</td>")?;
    for mean in iter::once(*mean_loss).chain(phase_names().map(|phase| player.phases[phase].mean())) {
        write!(out, "<td>{}</td>", mean.map_or_else(String::new, |mean| format!("{mean:.2}")))?;
    }
    // Several beginnings have one name.
    let openings = player.openings.iter().map(|opening| {
        let name = opening.name.map_or_else(|| opening.moves.clone(), escape);
        format!("<span title=\"{}\">{name}</span> <small>{}</small>", opening.moves, opening.games)
    });
    let worst = player.worst.iter().map(|Mistake { game, turn, played, best, loss, .. }| {
        let page = page_of_turn(*game, *turn);
        let (class, title) = (severity(*loss), format!("{best} was better"));
        format!(
            "<a href=\"{page}\" title=\"{title}\">{played}</a> <span class=\"lost {class}\">\u{2212}{loss:.2}</span>"
        )
    });
    let lines = |items: Vec<String>| items.join("<br>");
    writeln!(
        out,
        "<td class=\"l\">{}</td><td class=\"l\">{}</td></tr>",
        lines(openings.collect()),
        lines(worst.collect())
    )
}
