//! Moves that are one move by a symmetry of the position get one value.

use crate::othello::{Bitboard, Position, Symmetry};
use crate::search::{Line, Report};

/// Moves that a symmetry of the position exchanges get one value, that of the most visited one among them, or of the first. They are put
/// next to each other. One that the search left out is added if it is not in `except`, as long as there are fewer than `most` lines, the
/// number that was asked for.
pub(super) fn unite_symmetric_moves(report: &mut Report, position: &Position, except: Bitboard, most: usize) {
    let symmetries: Vec<Symmetry> = Symmetry::of(position).collect();
    if symmetries.len() == 1 || report.lines.is_empty() {
        return;
    }
    let mut united: Vec<Line> = Vec::new();
    for line in &report.lines {
        if united.iter().any(|known| known.turn == line.turn) {
            continue;
        }
        let is_image = |other: &&Line| symmetries.iter().any(|symmetry| symmetry.turn(line.turn) == other.turn);
        // Of equal ones the first.
        let Some(known) = report.lines.iter().filter(is_image).rev().max_by_key(|line| line.visits) else { continue };
        let first = united.len();
        for &symmetry in &symmetries {
            let turn = symmetry.turn(known.turn);
            let is_left_out = turn.square().is_some_and(|square| except.contains(square));
            if !is_left_out && united[first..].iter().all(|line| line.turn != turn) {
                let pv = known.pv.iter().map(|&turn| symmetry.turn(turn)).collect();
                united.push(Line { turn, pv, ..known.clone() });
            }
        }
        // What the search put first stays first.
        let place = united[first..].iter().position(|known| known.turn == line.turn).unwrap_or(0);
        united[first..=first + place].rotate_right(1);
    }
    united.truncate(most.max(report.lines.len()));
    report.lines = united;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Color, Move, Square};
    use crate::search::{Score, SearchDepth};

    fn line(name: &str, discs: i32, visits: u64) -> Line {
        let turn = Move::Place(name.parse().unwrap());
        let score = Score::from_discs(discs);
        Line { visits, ..Line::new(vec![turn], score, SearchDepth::Plies(9)) }
    }

    fn united(lines: Vec<Line>, most: usize) -> Vec<(String, f64)> {
        let mut report = Report { lines, ..Report::default() };
        unite_symmetric_moves(&mut report, &Position::START, Bitboard::EMPTY, most);
        for line in &report.lines {
            assert_eq!(line.pv, [line.turn]);
        }
        report.lines.iter().map(|line| (line.turn.to_string(), line.score.discs())).collect()
    }

    #[test]
    fn the_first_moves_have_one_value() {
        let two = united(vec![line("e6", 1, 3), line("c4", 2, 5)], 2);
        assert_eq!(two, [("e6".to_owned(), 2.0), ("c4".to_owned(), 2.0)]);
        let all = united(vec![line("d3", 1, 0)], 9);
        assert_eq!(all.len(), 4);
        assert_eq!(all[0].0, "d3");
        assert!(all.iter().all(|(_, value)| *value == 1.0));
        assert_eq!(united(vec![line("f5", 1, 0)], 1), [("f5".to_owned(), 1.0)]);
        let mut report = Report { lines: vec![line("d3", 1, 0)], ..Report::default() };
        unite_symmetric_moves(&mut report, &Position::START, "f5".parse::<Square>().unwrap().bit(), 9);
        assert!(report.lines.len() == 3 && report.lines.iter().all(|line| line.turn.to_string() != "f5"));
    }

    #[test]
    fn other_positions_stay_as_they_are() {
        let position = Position::START.after("f5".parse().unwrap()).after("d6".parse().unwrap());
        let lines = vec![line("c3", 1, 0), line("c6", 2, 7)];
        let mut report = Report { lines: lines.clone(), ..Report::default() };
        unite_symmetric_moves(&mut report, &position, Bitboard::EMPTY, 5);
        assert_eq!(report.lines, lines);
    }

    #[test]
    fn moves_that_are_not_each_others_image_keep_their_values() {
        // A disc on c3 leaves one symmetry: d3 and c4 are one move, and f5 and e6.
        let [black, white] = [Color::Black, Color::White].map(|color| Position::START.discs(color));
        let corner = "c3".parse::<Square>().unwrap().bit();
        let position = Position::new(black, white | corner, Color::Black).unwrap();
        let mut report = Report { lines: vec![line("f5", 2, 0), line("d3", 1, 0)], ..Report::default() };
        unite_symmetric_moves(&mut report, &position, Bitboard::EMPTY, 4);
        let values = report.lines.iter().map(|line| (line.turn.to_string(), line.score.discs()));
        let expected =
            [("f5", 2.0), ("e6", 2.0), ("d3", 1.0), ("c4", 1.0)].map(|(name, discs)| (name.to_owned(), discs));
        assert_eq!(values.collect::<Vec<_>>(), expected);
    }
}
