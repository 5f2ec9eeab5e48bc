//! Which openings games have, and how they went.

use crate::notation::transcript::Transcript;
use crate::notation::{AnnotatedGame, opening};
use crate::othello::Position;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The openings of games, by their names. What turns or mirrors into each other has one name.
#[derive(Default)]
pub(super) struct OpeningCounts(HashMap<Option<&'static str>, Opening>);

/// The games of an opening.
struct Opening {
    /// Its moves, as the first of the games has them.
    moves: String,
    order: usize,
    games: u64,
    /// The games with a result, the points of Black in half games, and their discs.
    ended: u64,
    half_points: u64,
    discs: f64,
}

const HEADER: &str = "   games    score   discs  opening                             moves\n";

impl OpeningCounts {
    /// Counts a game. A position without moves is none.
    pub(super) fn add(&mut self, game: &AnnotatedGame) {
        if game.is_position() {
            return;
        }
        let named = last_named(game.record.positions());
        let order = self.0.len();
        let found = self.0.entry(named.map(|(_, name)| name)).or_insert_with(|| Opening {
            moves: named.map_or_else(String::new, |(turns, _)| Transcript(&game.record.first(turns)).to_string()),
            order,
            games: 0,
            ended: 0,
            half_points: 0,
            discs: 0.0,
        });
        found.games += 1;
        if let Some(score) = game.score_for_black() {
            found.ended += 1;
            found.half_points += if score > 0.0 { 2 } else { u64::from(score == 0.0) };
            found.discs += score;
        }
    }

    /// A table of those that at least this number of games have, the commonest first.
    pub(super) fn table(self, least: u64) -> String {
        let mut openings: Vec<_> = self.0.into_iter().filter(|(_, found)| found.games >= least).collect();
        openings.sort_unstable_by_key(|(_, found)| (Reverse(found.games), found.order));
        let row = |(name, Opening { moves, games, ended, half_points, discs, .. }): (Option<&str>, Opening)| {
            let ended = ended as f64;
            let (score, discs) = match ended > 0.0 {
                true => (format!("{:.1} %", 50.0 * half_points as f64 / ended), format!("{:+.2}", discs / ended)),
                false => ("-".to_owned(), "-".to_owned()),
            };
            let row = format!("{games:>8} {score:>8} {discs:>7}  {:<34}  {moves}", name.unwrap_or("(no name)"));
            format!("{}\n", row.trim_end())
        };
        openings.into_iter().map(row).fold(HEADER.to_owned(), |table, row| table + &row)
    }
}

/// After how many turns the last position stands that has a name, and the name.
fn last_named(positions: &[Position]) -> Option<(usize, &'static str)> {
    (0..positions.len()).rev().find_map(|turns| Some((turns, opening(&positions[turns..=turns])?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::ggf::GgfResult;
    use crate::notation::transcript;

    #[test]
    fn openings_are_counted_by_name() {
        let mut counts = OpeningCounts::default();
        for (moves, score) in [("f5d6c3d3c4f4", 10), ("c4e3f6e6f5c5", -4), ("f5d6c3d3c4", 0), ("f5f6", 2), ("e6", 2)] {
            let result = Some(GgfResult::of_score(score));
            counts.add(&AnnotatedGame { result, ..AnnotatedGame::new(transcript::parse(moves).unwrap()) });
        }
        counts.add(&AnnotatedGame::new(transcript::parse("f5f6e6").unwrap()));
        counts.add(&AnnotatedGame::default());
        let rows: Vec<Vec<String>> =
            counts.table(2).lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
        assert_eq!(rows.len(), 3, "{rows:?}");
        assert_eq!(rows[1], ["3", "50.0", "%", "+2.00", "Tiger", "f5d6c3d3c4"]);
        assert_eq!(rows[2], ["2", "100.0", "%", "+2.00", "Diagonal", "f5f6"]);
    }
}
