//! Analyses that stream: what is asked for, and the response in the making.

use super::reply::{Failure, Head, Reply, Response, analysis_line, info_line};
use crate::engine::SearchEntry;
use crate::othello::{Bitboard, Color, Empties, Position};
use crate::protocol::stdio::Connection;
use crate::search::Report;
use crossbeam::channel::{Receiver, never, tick};
use std::time::{Duration, Instant};

/// The format of a stream of reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamFormat {
    /// `emilia-analyze`: a line for each move.
    Emilia,
    /// `lz-analyze`: all moves in one line, with chances from 0 to 10,000.
    LeelaZero,
    /// `kata-analyze`: all moves in one line, with chances from 0 to 1, and scores.
    KataGo,
    /// `analyze`, as Sabaki asks: all moves in one line, with chances from 0 to 10,000, and scores.
    Sabaki,
}

/// What an analysis is asked for with.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The format of the reports.
    pub format: StreamFormat,
    /// The side to move; the side whose turn it is if it is left out.
    pub color: Option<Color>,
    /// How many moves are to be valued; more than there are mean all.
    pub lines: usize,
    /// The time between two reports; `None` for each as it comes.
    pub interval: Option<Duration>,
    /// The moves that are to be left out, or looked at alone.
    pub restrictions: Vec<Restriction>,
}

/// `avoid` or `allow` and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restriction {
    /// Whether the squares are those that are looked at, and not those that are left out.
    pub allows: bool,
    /// Whose moves.
    pub color: Color,
    /// The squares. Passes are forced and have no place here.
    pub squares: Bitboard,
    /// For how many moves from the position on.
    pub depth: u32,
}

impl Analysis {
    /// The moves of the position that are not to be looked at.
    ///
    /// # Errors
    /// If a restriction is not for the next move alone, no move is left, or there is one that this search does not heed.
    pub fn except(&self, position: &Position, search: &SearchEntry) -> Result<Bitboard, Failure> {
        if self.restrictions.iter().any(|restriction| restriction.depth != 1) {
            return Err(Failure::RestrictionTooDeep);
        }
        let moves = position.moves();
        let (mut allowed, mut avoided) = (None, Bitboard::EMPTY);
        for restriction in self.restrictions.iter().filter(|restriction| restriction.color == position.mover()) {
            match restriction.allows {
                true => allowed = Some(allowed.unwrap_or(Bitboard::EMPTY) | restriction.squares),
                false => avoided |= restriction.squares,
            }
        }
        let left = moves & allowed.unwrap_or(moves) & !avoided;
        match left {
            _ if left == moves => Ok(Bitboard::EMPTY),
            Bitboard::EMPTY => Err(Failure::NoMoveLeft),
            _ if !search.leaves_moves_out => Err(Failure::LooksAtAllMoves(search.name)),
            _ => Ok(moves & !left),
        }
    }
}

/// Number of texts that the client has not read from which on nothing is said again: one that does not read would fill the memory.
const MOST_UNREAD: usize = 64;

/// The response to an analysis in the making.
pub(super) struct Stream<'a> {
    connection: &'a Connection,
    id: Option<u32>,
    format: StreamFormat,
    /// Empty squares of the position.
    empties: Empties,
    interval: Option<Duration>,
    ticks: Receiver<Instant>,
    /// The last report, and whether it was shown.
    last: Option<(Report, bool)>,
    has_begun: bool,
}

impl<'a> Stream<'a> {
    /// The beginning of a response.
    pub fn new(connection: &'a Connection, id: Option<u32>, analysis: &Analysis, empties: Empties) -> Stream<'a> {
        let Analysis { format, interval, .. } = *analysis;
        let ticks = interval.map_or_else(never, tick);
        Stream { connection, id, format, empties, interval, ticks, last: None, has_begun: false }
    }

    /// Sends what stands before the first report, in the formats where it is a line of its own.
    pub fn begin(&mut self) {
        if self.format != StreamFormat::Emilia {
            self.send("");
        }
    }

    /// The times at which [`Stream::repeat`] is due.
    pub fn ticks(&self) -> &Receiver<Instant> {
        &self.ticks
    }

    /// Takes a report, and shows it if it is the first or each is to be shown.
    pub fn take(&mut self, report: Report) {
        if report.lines.is_empty() {
            return;
        }
        let (is_news, was_shown) = match &self.last {
            Some((last, was_shown)) => (last.lines != report.lines, *was_shown),
            None => (true, false),
        };
        let is_due = is_news && (self.interval.is_none() || self.last.is_none());
        if is_due {
            self.show(&report);
        }
        self.last = Some((report, is_due || !is_news && was_shown));
    }

    /// Shows the last report once more, if the client reads.
    pub fn repeat(&mut self) {
        if self.connection.unread() < MOST_UNREAD {
            self.show_last();
        }
    }

    /// Shows the last report if it was not shown.
    pub fn flush(&mut self) {
        if let Some((_, false)) = self.last {
            self.show_last();
        }
    }

    fn show_last(&mut self) {
        if let Some((report, _)) = self.last.take() {
            self.show(&report);
            self.last = Some((report, true));
        }
    }

    /// Ends the response, with what was not shown and a last line.
    pub fn end(mut self, last_line: Option<String>) {
        self.flush();
        if let Some(line) = last_line {
            self.send(&format!("{line}\n"));
        }
        match self.has_begun {
            false => self.connection.send(Response { id: self.id, outcome: Ok(Reply::Done) }.to_string()),
            true => self.connection.send("\n"),
        }
    }

    fn show(&mut self, report: &Report) {
        let text = match self.format {
            StreamFormat::Emilia => {
                let lines = report.lines.iter().zip(1..);
                lines.map(|(line, rank)| format!("{}\n", analysis_line(rank, line, report, self.empties))).collect()
            }
            format => format!("{}\n", info_line(format, report)),
        };
        self.send(&text);
    }

    /// Sends whole lines. Clients of other engines look for lines that begin with `info`, so the first of these stands alone.
    fn send(&mut self, text: &str) {
        let head = Head { mark: '=', id: self.id };
        self.connection.send(match (self.has_begun, self.format) {
            (true, _) => text.to_owned(),
            (false, StreamFormat::Emilia) => format!("{head} {text}"),
            (false, _) => format!("{head}\n{text}"),
        });
        self.has_begun = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Move;
    use crate::search::{Line, Score, SearchDepth};

    fn report(discs: i32) -> Report {
        let turn = Move::Place("d3".parse().unwrap());
        let (score, depth) = (Score::from_discs(discs), SearchDepth::Plies(1));
        let lines = vec![Line::new(vec![turn], score, depth)];
        Report { lines, ..Report::default() }
    }

    fn stream(connection: &Connection, interval: Option<Duration>) -> Stream<'_> {
        let analysis =
            Analysis { format: StreamFormat::Emilia, color: None, lines: 1, interval, restrictions: Vec::new() };
        Stream::new(connection, None, &analysis, Empties::MOST)
    }

    #[test]
    fn a_client_that_does_not_read_is_not_sent_the_same_for_ever() {
        let (connection, client) = Connection::in_memory();
        let mut stream = stream(&connection, Some(Duration::from_secs(3600)));
        stream.take(report(1));
        (0..1000).for_each(|_| stream.repeat());
        stream.take(report(2));
        stream.flush();
        let said: Vec<String> = client.output().try_iter().collect();
        assert_eq!(said.len(), MOST_UNREAD + 1);
        assert!(said.last().unwrap().contains(" score +2.00 "), "what is new is said all the same");
        stream.repeat();
        assert_eq!(client.output().try_iter().count(), 1, "it reads again");
    }

    #[test]
    fn a_stream_shows_the_first_report_what_is_due_and_the_last() {
        let hour = Some(Duration::from_secs(3600));
        let all: &[&[i32]] = &[&[1], &[2], &[], &[], &[3], &[]];
        let due: &[&[i32]] = &[&[1], &[], &[2], &[], &[], &[3]];
        for (interval, shown) in [(None, all), (hour, due)] {
            let (connection, client) = Connection::in_memory();
            let mut stream = stream(&connection, interval);
            for (step, expected) in shown.iter().enumerate() {
                match step {
                    0 => stream.take(report(1)),
                    1 => stream.take(report(2)),
                    2 if interval.is_some() => stream.repeat(),
                    3 => stream.take(report(2)),
                    4 => stream.take(report(3)),
                    _ => stream.flush(),
                }
                let said: String = client.output().try_iter().collect();
                let scores = said.matches(" score ").count();
                assert_eq!(scores, expected.len(), "step {step} of {interval:?}: {said}");
                assert!(expected.iter().all(|discs| said.contains(&format!(" score +{discs}.00 "))), "{said}");
            }
        }
    }
}
