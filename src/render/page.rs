//! A game as a page for a browser, which needs nothing else.

use super::board_svg::write_squares_for_script;
use super::curve_svg::{curve_svg, severity};
use super::diagram::turn_name;
use super::markup::{escape, page_head};
use crate::analysis::{Commentary, Judgement};
use crate::notation::game_file::{AnnotatedGame, PlayerInfo};
use crate::notation::opening;
use crate::othello::{Color, Move};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

const SCRIPT: &str = include_str!("page.js");

/// What the script of the page knows.
#[derive(Serialize)]
struct Script {
    boards: Vec<String>,
    movers: Vec<char>,
    moves: Vec<Vec<String>>,
    turns: Vec<String>,
    values: Vec<Option<f64>>,
    depths: Vec<String>,
    losses: Vec<Option<f64>>,
    pvs: Vec<Vec<String>>,
    comments: BTreeMap<usize, Vec<String>>,
    first: usize,
}

/// The pages that a game's page leads to, relative to it; empty names lead nowhere.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageLinks {
    /// The table of all games.
    pub index: String,
    /// The game before.
    pub previous: String,
    /// The next game.
    pub next: String,
}

/// The page: a board that is walked through with the arrow keys, the curve of the game's worth with the loss of each move below it, the
/// list of the moves, and the expected play, which shows itself on the board under the mouse. It opens after `first` turns.
pub fn page(commentary: &Commentary, first: usize, links: &PageLinks) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut out, commentary, first, links);
    out
}

/// A player's name, or the colour.
pub(super) fn shown_name(game: &AnnotatedGame, color: Color) -> &str {
    match game.player(color).name.trim() {
        "" => color.capital(),
        name => name,
    }
}

/// The players' names for a title.
pub(crate) fn title(game: &AnnotatedGame) -> String {
    format!("{} \u{2013} {}", shown_name(game, Color::Black), shown_name(game, Color::White))
}

/// The result: `40 : 24`; a dash for a game that is not finished.
pub(super) fn score(game: &AnnotatedGame) -> String {
    match game.score_for_black() {
        Some(score) => format!("{} : {}", half(64.0 + score), half(64.0 - score)),
        None => "\u{2013}".to_owned(),
    }
}

fn script(commentary: &Commentary, first: usize) -> Script {
    let game = &commentary.game;
    let names = |turns: &[Move]| turns.iter().map(Move::to_string).collect::<Vec<_>>();
    let positions = game.record.positions();
    let judged = |i: usize| commentary.judgements.get(i).and_then(Option::as_ref);
    let mut comments: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    comments.entry(0).or_default().extend(game.comments.iter().cloned());
    for (turns, text) in &game.turn_comments {
        comments.entry(*turns).or_default().push(text.clone());
    }
    let hundredths = |value: f64| (value * 100.0).round() / 100.0;
    Script {
        boards: positions.iter().map(|position| position.to_string()[..64].to_owned()).collect(),
        movers: positions.iter().map(|position| if position.mover() == Color::Black { 'X' } else { 'O' }).collect(),
        moves: positions.iter().map(|position| position.moves().into_iter().map(|s| s.to_string()).collect()).collect(),
        turns: names(game.record.turns()),
        values: (0..positions.len()).map(|i| judged(i).map(|judgement| hundredths(judgement.value))).collect(),
        depths: (0..positions.len()).map(|i| judged(i).map_or_else(String::new, |j| j.depth.clone())).collect(),
        losses: commentary.losses.iter().map(|loss| loss.map(hundredths)).collect(),
        pvs: (0..positions.len()).map(|i| judged(i).map_or_else(Vec::new, |j: &Judgement| names(&j.pv))).collect(),
        comments,
        first: first.min(game.record.turns().len()),
    }
}

fn write_page(out: &mut String, commentary: &Commentary, first: usize, links: &PageLinks) -> fmt::Result {
    let game = &commentary.game;
    out.push_str(&page_head(&escape(&title(game)), ""));
    write_links(out, links)?;
    write_header(out, commentary)?;
    writeln!(out, "<div class=\"grid2\"><section><figure>")?;
    write_squares_for_script(out, game.record.position())?;
    // One position has nothing to walk through.
    let hidden = if game.is_position() { " style=\"display:none\"" } else { "" };
    writeln!(
        out,
        "</figure><div class=\"controls\"{hidden}><button id=\"first\" title=\"first position\">\u{ab}</button>\
         <button id=\"back\" title=\"one move back\">\u{2039}</button><span class=\"where\" id=\"where\"></span>\
         <button id=\"on\" title=\"one move on\">\u{203a}</button><button id=\"last\" title=\"last position\">\u{bb}</button>\
         <button id=\"numbers\" title=\"numbers of the moves\" aria-pressed=\"false\">numbers</button></div>\
         <div class=\"keys\"{hidden}><kbd>\u{2190}</kbd> <kbd>\u{2192}</kbd> move \u{b7} <kbd>\u{2191}</kbd> <kbd>\u{2193}</kbd> mistake \u{b7} \
         <kbd>n</kbd> numbers</div></section>\n<section>"
    )?;
    let curve = curve_svg(commentary);
    // One position alone has no course.
    if !curve.is_empty() && !game.is_position() {
        writeln!(out, "<figure class=\"card\"><h2>Value for Black, loss of each move</h2>{curve}</figure>")?;
    }
    writeln!(out, "<div class=\"card\" id=\"said\"></div>")?;
    if !game.scores.is_empty() {
        let score = |(turn, score): &(Move, i32)| format!("{} {score:+}", turn_name(*turn));
        let scores: Vec<String> = game.scores.iter().map(score).collect();
        let (mover, scores) = (game.record.start().mover().capital(), scores.join(" \u{b7} ").replace('-', "\u{2212}"));
        writeln!(out, "<div class=\"card\"><h2>Moves and their values for {mover}</h2>{scores}</div>")?;
    }
    if !commentary.summary.is_empty() {
        let lines: Vec<String> = commentary.summary.iter().map(|line| escape(line)).collect();
        writeln!(out, "<div class=\"card\"><h2>Summary</h2>{}</div>", lines.join("<br>"))?;
    }
    if !game.is_position() {
        write_moves(out, commentary)?;
    }
    writeln!(out, "</section></div></main>")?;
    // A script ends at the first "</", whatever stands before it.
    let data = serde_json::to_string(&script(commentary, first)).map_err(|_| fmt::Error)?.replace('<', "\\u003c");
    writeln!(
        out,
        "<script type=\"application/json\" id=\"game\">{data}</script>\n<script>{SCRIPT}</script>\n</body></html>"
    )
}

fn write_links(out: &mut String, links: &PageLinks) -> fmt::Result {
    let all = [(&links.index, "all games"), (&links.previous, "previous game"), (&links.next, "next game")];
    let there = all.iter().filter(|(name, _)| !name.is_empty());
    let links: Vec<String> = there.map(|(name, text)| format!("<a href=\"{}\">{text}</a>", escape(name))).collect();
    if links.is_empty() {
        return Ok(());
    }
    writeln!(out, "<p class=\"about\">{}</p>", links.join(" \u{b7} "))
}

fn write_header(out: &mut String, commentary: &Commentary) -> fmt::Result {
    let game = &commentary.game;
    let score = score(game);
    let player = |out: &mut String, color: Color, player: &PlayerInfo| {
        let name = shown_name(game, color);
        let mut facts: Vec<String> = player.rating.map(|rating| format!("rated {rating:.0}")).into_iter().collect();
        if let Some((mean, _)) = commentary.mean_loss(color) {
            facts.push(format!("loses {mean:.2} discs a move"));
        }
        let class = color.to_string();
        let (name, facts) = (escape(name), facts.join(" \u{b7} "));
        write!(
            out,
            "<div class=\"side\"><span class=\"chip {class}\"></span><span>{name}<small>{facts}</small></span></div>"
        )
    };
    write!(out, "<header>")?;
    player(out, Color::Black, &game.black)?;
    write!(out, "<span class=\"score\">{score}</span>")?;
    player(out, Color::White, &game.white)?;
    let judged = match commentary.source.as_str() {
        "" => String::new(),
        source => format!("values by {source}"),
    };
    let discs = |color| game.record.position().discs(color).count();
    let state = match game.score_for_black() {
        Some(_) => game.ending().map_or_else(String::new, |how| how.to_string()),
        None => {
            let state = if game.is_position() { "" } else { "not finished, " };
            format!("{state}{} black and {} white discs", discs(Color::Black), discs(Color::White))
        }
    };
    let opening = opening(game.record.positions()).unwrap_or_default();
    let about = [game.place.trim(), game.date.trim(), opening, &state, judged.as_str()];
    let about: Vec<String> = about.iter().filter(|text| !text.is_empty()).map(|text| escape(text)).collect();
    writeln!(out, "</header>\n<p class=\"about\">{}</p>", about.join(" \u{b7} "))
}

/// Half of a number to the thousandth, without decimals where it has none.
fn half(number: f64) -> String {
    ((number * 500.0).round() / 1e3 + 0.0).to_string()
}

fn write_moves(out: &mut String, commentary: &Commentary) -> fmt::Result {
    let record = &commentary.game.record;
    writeln!(out, "<div class=\"card\"><h2>Moves</h2><div class=\"list\">")?;
    // Where White begins, the first place is empty.
    let empty = usize::from(record.start().mover() == Color::White);
    for (i, turn) in record.turns().iter().enumerate() {
        let place = i + empty;
        if i == 0 || place.is_multiple_of(2) {
            write!(out, "<span>{}</span>", i + 1)?;
        }
        if i < empty {
            out.push_str("<em></em>");
        }
        let name = turn_name(*turn);
        let loss = commentary.losses[i].filter(|loss| *loss >= 0.05);
        let badge =
            loss.map_or_else(String::new, |loss| format!("<i class=\"{}\">\u{2212}{loss:.1}</i>", severity(loss)));
        writeln!(out, "<button data-turns=\"{}\">{name}{badge}</button>", i + 1)?;
    }
    writeln!(out, "</div></div>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::transcript;
    use crate::othello::{GameRecord, Position, Square};

    #[test]
    fn a_page_carries_what_it_shows_and_nothing_that_breaks_it() {
        let mut game = AnnotatedGame::new(transcript::parse("f5d6c3d3c4").unwrap());
        game.black.name = "</script><b>ada".to_owned();
        game.turn_comments.push((2, "</script> & so on".to_owned()));
        let mut commentary = Commentary::unjudged(game);
        commentary.summary = vec!["</script>'s worst: f5".to_owned()];
        let links = PageLinks { index: "index.html".to_owned(), next: "game-2.html".to_owned(), ..Default::default() };
        let page = page(&commentary, 2, &links);
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("class=\"sq").count(), 64);
        assert!(
            page.contains("<span class=\"score\">\u{2013}</span>")
                && page.contains("Tiger \u{b7} not finished, 6 black and 3 white discs"),
            "{page}"
        );
        assert!(page.contains("<a href=\"index.html\">all games</a> \u{b7} <a href=\"game-2.html\">next game</a></p>"));
        assert!(page.contains("&lt;b&gt;ada") && page.contains("\"first\":2") && !page.contains("id=\"cursor\""));
        assert!(
            !page.contains("http://")
                || page.matches("http").count() == page.matches("http://www.w3.org/2000/svg").count()
        );
    }

    #[test]
    fn a_position_shows_the_values_of_its_moves_and_nothing_to_walk_through() {
        let mut game = AnnotatedGame::new(GameRecord::default());
        game.scores = vec![(Move::Place("f5".parse().unwrap()), 3), (Move::Place("d3".parse().unwrap()), -2)];
        let page = page(&Commentary::unjudged(game), 0, &PageLinks::default());
        assert!(page.contains("values for Black</h2>f5 +3 \u{b7} d3 \u{2212}2</div>"), "{page}");
        assert_eq!(page.matches("style=\"display:none\"").count(), 2);
    }

    #[test]
    fn rows_of_moves_have_black_on_the_left() {
        // White begins, and Black's answer stands in the next row.
        let start = Position::START.pass();
        let mut record = crate::othello::GameRecord::from_position(start);
        for _ in 0..3 {
            let square: Square = record.position().moves().into_iter().next().unwrap();
            record.take(Move::Place(square)).unwrap();
        }
        let record_of_black = transcript::parse("f5d6c3").unwrap();
        let of_black = page(&Commentary::unjudged(AnnotatedGame::new(record_of_black)), 0, &PageLinks::default());
        assert!(of_black.contains("<span>3</span><button data-turns=\"3\">c3"), "{of_black}");
        let page = page(&Commentary::unjudged(AnnotatedGame::new(record)), 0, &PageLinks::default());
        assert!(!page.contains("<a href") && !page.contains("Summary"));
        assert!(page.contains("<span>1</span><em></em><button data-turns=\"1\""), "{page}");
        assert!(page.contains("<span>2</span><button data-turns=\"2\""), "{page}");
    }
}
