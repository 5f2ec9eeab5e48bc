//! `emilia positions`: what positions a collection of games has, each once.

use super::game_choice::GameChoice;
use super::game_input::GameFiles;
use super::opening_counts::OpeningCounts;
use super::output::{Failures, Output, Reader, counted, warn};
use crate::notation::obf::ObfEntry;
use crate::othello::{Bitboard, Empties, Position, canonical};
use clap::Args;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// List the positions of games, each once, as OBF.
///
/// Positions that a rotation or reflection of the board makes equal count as one, as do those that differ only in the colours of the side
/// to move and the other side; the first one is listed. Only positions with a move are. Positions of OBF files keep the values of
/// their moves.
#[derive(Args, Clone, Debug)]
pub(super) struct PositionsArguments {
    #[command(flatten)]
    input: GameFiles,
    #[command(flatten)]
    choice: GameChoice,
    /// Only positions with this number of empty squares: N, or FROM-TO with both ends
    #[arg(long, value_name = "N|FROM-TO", default_value = "0-60", value_parser = empties)]
    empties: RangeInclusive<Empties>,
    /// Positions that only look alike when turned or mirrored count as different ones
    #[arg(long)]
    no_symmetry: bool,
    /// Say of each position how many games have it, the commonest first
    #[arg(long, group = "counted")]
    count: bool,
    /// In place of positions, a table of the openings by their names: how many games have each, Black's score and discs
    /// in them, and its moves
    #[arg(long, group = "counted", conflicts_with_all = ["empties", "no_symmetry"])]
    openings: bool,
    /// Only what at least this number of games have; with --count or --openings
    #[arg(long, value_name = "N", requires = "counted", default_value = "1", value_parser = super::at_least_one)]
    least: u64,
    /// The file to write, instead of the standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn empties(text: &str) -> Result<RangeInclusive<Empties>, &'static str> {
    super::range(text).ok_or("expected a number from 0 to 60, or two such as 10-20")
}

/// Lists the positions.
pub(super) fn run(arguments: &PositionsArguments) -> Result<(), String> {
    arguments.input.expect_another(arguments.out.as_deref())?;
    let mut output = Output::open(arguments.out.as_deref())?;
    let mut seen: HashMap<(Bitboard, Bitboard), Seen> = HashMap::new();
    let (mut openings, mut failures) = (OpeningCounts::default(), Failures::default());
    let (mut found, mut read, mut left_out) = (0, 0, 0);
    for item in arguments.input.chosen(&arguments.choice) {
        found += 1;
        let game = match item {
            Ok(game) => game.found.game,
            Err(error) => {
                failures.unread(&error);
                continue;
            }
        };
        read += 1;
        if arguments.openings {
            openings.add(&game);
            continue;
        }
        for position in game.record.positions().iter().filter(|position| arguments.wants(position)) {
            let name = arguments.name(position);
            let next = seen.len();
            let new = Seen { games: 0, order: next, position: None, said: None, has_values: false };
            let entry = seen.entry(name).or_insert(new);
            entry.games += 1;
            let is_valued = !game.scores.is_empty() || game.score.is_some();
            if entry.games == 1 && arguments.count {
                entry.position = Some(*position);
                entry.said = game.is_position().then(|| ObfEntry::of_end(&game).into());
            } else if entry.games == 1 {
                // What a file says of a position, it says of the only one.
                let entry = ObfEntry { position: *position, ..ObfEntry::of_end(&game) };
                let line = format!("{entry}\n");
                if output.write(line.as_bytes())? == Reader::IsGone {
                    return Ok(());
                }
            } else if is_valued && !entry.has_values {
                left_out += 1;
            }
            entry.has_values |= is_valued;
        }
    }
    if arguments.count {
        let mut counted: Vec<Seen> = seen.into_values().filter(|seen| seen.games >= arguments.least).collect();
        counted.sort_unstable_by_key(|seen| (std::cmp::Reverse(seen.games), seen.order));
        for line in counted.iter().filter_map(Seen::line) {
            if output.write(line.as_bytes())? == Reader::IsGone {
                return Ok(());
            }
        }
    }
    if left_out > 0 {
        let positions = counted(left_out, "position");
        warn(format_args!(
            "the values of {positions} are left out, which came first without values; name the file with values first"
        ));
    }
    arguments.choice.check(found)?;
    if read == 0 && !failures.is_empty() {
        return failures.end("read");
    }
    if arguments.openings {
        output.write(openings.table(arguments.least).as_bytes())?;
    }
    output.finish()?;
    failures.end("read")
}

/// What is known of a position.
struct Seen {
    games: u64,
    order: usize,
    /// The first image of it; only kept where it is needed at the end.
    position: Option<Position>,
    /// What its file says of it, if it was no position of a game.
    said: Option<Box<ObfEntry>>,
    /// Whether a file had values for it.
    has_values: bool,
}

impl Seen {
    /// The position with the number of games, before the comment that it has.
    fn line(&self) -> Option<String> {
        let (position, games) = (self.position?, self.games);
        let Some(said) = &self.said else { return Some(format!("{position}; % {games}\n")) };
        let comment = said.comment.as_ref().map_or_else(|| games.to_string(), |text| format!("{games}: {text}"));
        Some(format!("{}\n", ObfEntry { comment: Some(comment), ..(**said).clone() }))
    }
}

impl PositionsArguments {
    fn wants(&self, position: &Position) -> bool {
        self.empties.contains(&position.empty_count()) && !position.moves().is_empty()
    }

    /// What equal positions have in common.
    fn name(&self, position: &Position) -> (Bitboard, Bitboard) {
        if self.no_symmetry { position.boards() } else { canonical(position).0.boards() }
    }
}
