//! `emilia show`: a board or a game as text, as a picture, or as a page.

use super::game_choice::EVERY_GAME;
use super::game_input::{GameFiles, NamedGame};
use super::options::EngineArguments;
use super::output::{Output, Reader, counted, is_for_terminal, warn};
use super::picture::{PictureForm, ending};
use super::progress::StepBar;
use crate::analysis::{AnalysisSettings, Commentary, Reviewer};
use crate::notation::game_file::AnnotatedGame;
use crate::notation::{opening, printable};
use crate::othello::{Color, GameRecord, Move};
use crate::render::{
    BoardPicture, Diagram, PageLinks, Palette, curve_picture, game_table, mover_and_discs, page, turn_name,
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Show a board or a game: as text, as a picture, as a page.
///
/// Pictures are SVG or PNG. A page for a browser has the board, the curve of the game's worth, the loss of each move and the
/// expected play; the arrow keys go through the game. It is one file that needs nothing else.
#[derive(Args, Clone, Debug)]
pub(super) struct ShowArguments {
    #[command(flatten)]
    input: GameFiles,
    /// Which game of the files, from 1
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::at_least_one)]
    game: u64,
    /// The board after N moves, passes counted; without it, the last one, and the first one of a page
    #[arg(long = "move", value_name = "N")]
    turns: Option<usize>,
    /// The form; without it, the ending of --out decides, else it is text
    #[arg(long = "as", value_name = "FORM")]
    form: Option<OutputForm>,
    /// Whose values: the engine's, those in the file, or none; without it, the engine's for a page and a curve, none for others
    #[arg(long, value_name = "WHOSE")]
    values: Option<Values>,
    /// Write the numbers of the moves on the discs (text and pictures)
    #[arg(long)]
    numbers: bool,
    /// Mark the squares where the side to move may play (pictures)
    #[arg(long)]
    moves: bool,
    /// The curve of the game's worth, and the loss of each move, in place of the board (pictures); --move marks a place in it
    #[arg(long, conflicts_with_all = ["numbers", "moves"])]
    curve: bool,
    /// The file to write, instead of the standard output: .svg or .png for a picture, .html for a page, .txt for text
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    thinking: EngineArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum OutputForm {
    /// Text for a terminal
    Text,
    /// A picture of the board
    Svg,
    /// A picture of the board in pixels, for a forum
    Png,
    /// A page for a browser
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Values {
    /// Emilia's, within --depth, --time and --nodes, or to depth 12, as `emilia analyze`
    Engine,
    /// The players', as the file has them
    File,
    /// None
    None,
}

/// Shows one game.
pub(super) fn run(arguments: &ShowArguments) -> Result<(), String> {
    let form = arguments.form();
    match form {
        OutputForm::Html if arguments.numbers => super::refuse("--numbers: a page has a button for them"),
        OutputForm::Html | OutputForm::Text if arguments.moves => {
            super::refuse("--moves: expected a picture, --as svg or --as png")
        }
        _ => {}
    }
    let game = arguments.find()?;
    let all = game.record.turns().len();
    let turns = arguments.turns.unwrap_or(all);
    if turns > all {
        return Err(format!("--move {turns}: the game has {all} moves, passes counted"));
    }
    let values = arguments.values.unwrap_or(if form == OutputForm::Html || arguments.curve {
        Values::Engine
    } else {
        Values::None
    });
    if values != Values::Engine {
        for name in arguments.thinking.given() {
            warn(format_args!("--{name}: nothing is searched without --values engine"));
        }
    }
    arguments.input.expect_another(arguments.out.as_deref())?;
    let mut output = Output::open(arguments.out.as_deref())?;
    let commentary = match values {
        Values::None => Commentary::unjudged(game),
        Values::File => Commentary::of_annotations(game),
        Values::Engine => arguments.judge(game)?,
    };
    if values == Values::File && form != OutputForm::Text && !commentary.is_judged() {
        warn("the file has no values");
    }
    let bytes = match form {
        OutputForm::Html => page(&commentary, arguments.turns.unwrap_or(0), &PageLinks::default()).into_bytes(),
        OutputForm::Svg => PictureForm::Svg.draw(arguments.picture(&commentary, turns)?)?,
        OutputForm::Png => PictureForm::Png.draw(arguments.picture(&commentary, turns)?)?,
        OutputForm::Text => arguments.text(&commentary, turns).into_bytes(),
    };
    match output.write(&bytes)? {
        Reader::IsGone => Ok(()),
        Reader::Reads => output.finish(),
    }
}

impl ShowArguments {
    fn form(&self) -> OutputForm {
        let form = match (self.form, self.out.as_deref().and_then(ending).as_deref()) {
            (Some(form), _) => form,
            (None, Some("svg")) => OutputForm::Svg,
            (None, Some("png")) => OutputForm::Png,
            (None, Some("html" | "htm")) => OutputForm::Html,
            (None, None | Some("txt" | "text")) => OutputForm::Text,
            (None, Some(other)) => super::refuse(format_args!(
                "--out: unknown ending .{other}; expected .svg, .png, .html or .txt, or --as"
            )),
        };
        if self.curve && !matches!(form, OutputForm::Svg | OutputForm::Png) {
            super::refuse("--curve: a curve is a picture; expected --out FILE.png or FILE.svg");
        }
        if form == OutputForm::Png && is_for_terminal(self.out.as_deref()) {
            super::refuse("a PNG picture is no text for a terminal; give --out FILE.png");
        }
        form
    }

    /// The game that is asked for.
    fn find(&self) -> Result<AnnotatedGame, String> {
        let mut seen = 0;
        for item in self.input.unchecked(&EVERY_GAME) {
            seen += 1;
            if seen == self.game {
                return item.inspect(NamedGame::warn).map(|game| game.found.game).map_err(|error| error.to_string());
            }
            // A file that is not there is more worth saying than that it has no such game.
            if let Err(error) = item
                && error.is_final()
            {
                return Err(error.to_string());
            }
        }
        let are = if seen == 1 { "is" } else { "are" };
        Err(format!("--game {}: there {are} {}", self.game, counted(seen, "game")))
    }

    fn judge(&self, game: AnnotatedGame) -> Result<Commentary, String> {
        let engine = self.thinking.engine_of_questions(&[]).map_err(|error| error.to_string())?;
        let settings = AnalysisSettings::new(engine.options().clone());
        let progress = StepBar::new("positions", game.record.turns().len() as u64, 0);
        let mut reviewer = Reviewer::new(settings.clone());
        let review = reviewer.review_game(&game, &mut |done| {
            progress.show(done as u64, String::new);
            true
        });
        progress.finish();
        Ok(Commentary::of_review(game, &review, &settings))
    }

    fn picture(&self, commentary: &Commentary, turns: usize) -> Result<String, String> {
        if self.curve {
            return match curve_picture(commentary, self.turns) {
                picture if picture.is_empty() => Err("--curve: nothing says what the positions are worth".to_owned()),
                picture => Ok(picture),
            };
        }
        let record = &commentary.game.record;
        let mut picture = BoardPicture::of_game(record, turns);
        if self.numbers {
            picture = picture.numbered(record, turns);
        }
        if self.moves {
            picture = picture.with_moves();
        }
        let scores = if self.values == Some(Values::File) { scores_of_file(commentary, turns) } else { &[] };
        picture =
            picture.labelled(scores.iter().filter_map(|(turn, score)| Some((turn.square()?, format!("{score:+}")))));
        if let Some(judgement) = &commentary.judgements[turns] {
            let best = judgement.pv.first().map_or_else(String::new, |best| format!(", best {}", turn_name(*best)));
            let labels = match (scores.is_empty(), record.start().mover()) {
                (true, _) => "",
                (false, Color::Black) => "; on the squares for Black",
                (false, Color::White) => "; on the squares for White",
            };
            picture = picture.with_caption(format!("{judgement} for Black{best}{labels}"));
        }
        Ok(picture.to_string())
    }

    fn text(&self, commentary: &Commentary, turns: usize) -> String {
        let palette = palette(is_for_terminal(self.out.as_deref()));
        let game = &commentary.game;
        let mut text = heading(game, palette);
        text += &board(&game.record, turns, self.numbers, palette);
        if let Some(judgement) = &commentary.judgements[turns] {
            let line: Vec<String> = judgement.pv.iter().take(12).copied().map(turn_name).collect();
            let line = if line.is_empty() { String::new() } else { format!(": {}", line.join(" ")) };
            text += &format!("{judgement} for black{line}\n");
        }
        if self.values == Some(Values::File) {
            text += &values_of_file(commentary, turns);
        }
        if commentary.is_judged() && !commentary.source.is_empty() && !game.is_position() {
            text += &format!(
                "\n{}\n{}",
                palette.faint(&format!("values for black, by {}", commentary.source)),
                game_table(commentary, palette)
            );
            for (color, name) in [(Color::Black, "black"), (Color::White, "white")] {
                if let Some((mean, count)) = commentary.mean_loss(color) {
                    text += &format!("{name} loses {mean:.2} discs a move on average, over {count} choices\n");
                }
            }
        }
        text
    }
}

/// The board behind these turns, with the last disc marked or with the numbers of all, who is to move, and the opening.
pub(super) fn board(record: &GameRecord, turns: usize, is_numbered: bool, palette: Palette) -> String {
    let position = &record.positions()[turns];
    let last_disc = record.turns()[..turns].iter().rev().copied().find(|turn| *turn != Move::Pass);
    let diagram = Diagram::new(position, palette).after(last_disc);
    let diagram = if is_numbered { diagram.numbered(record, turns) } else { diagram };
    let opening = opening(&record.positions()[..=turns]).map_or_else(String::new, |name| format!("; {name}"));
    format!("{diagram}{}{opening}\n", mover_and_discs(position))
}

/// The scores that the file has of the moves of the position behind these turns, for its mover.
fn scores_of_file(commentary: &Commentary, turns: usize) -> &[(Move, i32)] {
    if turns == 0 { &commentary.game.scores } else { &[] }
}

/// What the file says of the moves of the position behind these turns, for its mover; or that it says nothing at all.
fn values_of_file(commentary: &Commentary, turns: usize) -> String {
    if !commentary.is_judged() {
        return "the file has no values\n".to_owned();
    }
    let scores = scores_of_file(commentary, turns).iter();
    let scores: Vec<String> = scores.map(|(turn, score)| format!("{} {score:+}", turn_name(*turn))).collect();
    match scores.is_empty() {
        true => String::new(),
        false => format!("for {}: {}\n", commentary.game.record.start().mover(), scores.join(", ")),
    }
}

/// Colours for a terminal, unless the environment says not to: <https://no-color.org>.
pub(super) fn palette(is_for_terminal: bool) -> Palette {
    let is_said = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if !is_for_terminal || is_said("NO_COLOR") || is_dumb { Palette::Plain } else { Palette::Colored }
}

/// Who plays, and how it ended.
fn heading(game: &AnnotatedGame, palette: Palette) -> String {
    let facts: Vec<&str> = [game.place.trim(), game.date.trim()].into_iter().filter(|text| !text.is_empty()).collect();
    let has_names = !game.black.name.is_empty() || !game.white.name.is_empty();
    // Place and date can be read again only below the line of the players; a board alone has no line above it.
    if !has_names && game.result.is_none() && facts.is_empty() {
        return String::new();
    }
    let score = game.score_for_black().map_or_else(String::new, |score| format!(", {:+} for black", score + 0.0));
    let how = game.ending().map_or_else(String::new, |how| format!(", {how}"));
    let [black, white] =
        [&game.black, &game.white].map(|player| if player.name.is_empty() { "?" } else { &player.name });
    let players = format!("{black} (black) - {white} (white){score}{how}");
    let mut heading = format!("{}\n", palette.strong(&printable(&players)));
    if !facts.is_empty() {
        heading += &format!("{}\n", palette.faint(&printable(&facts.join(", "))));
    }
    heading
}
