//! `emilia book grow`.

use super::{PATIENCE, at, warn_of_other_weights};
use crate::analysis::book_growth::{Growth, GrowthEnd, GrowthSettings, grow};
use crate::book::{COST_UNIT, Database, Entry, GrowthRule, Key, Positions, Work};
use crate::cli::names;
use crate::cli::options::WeightsArguments;
use crate::cli::output::say;
use crate::cli::progress::StepBar;
use crate::eval::{EvaluatorKind, fingerprint};
use crate::notation::read_position;
use crate::othello::Position;
use crate::search::{Depth, Limits, Score, Selectivity};
use clap::Args;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use strum::VariantArray;

/// Which book grows, where, how long and by which searches.
#[derive(Args, Clone, Debug)]
pub(super) struct GrowArguments {
    /// The book
    book: PathBuf,
    /// How long it grows: seconds, or such as 90s, 10m or 8h [default: until it is interrupted]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// The number of positions in the book with which it is large enough
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// The most that a position may cost to be searched: by drop-out plies from the root, and two more for each disc that a move on the way
    /// loses, less where learned games have played it
    #[arg(long, value_name = "COST", value_parser = cost, allow_negative_numbers = true)]
    cost: Option<u32>,
    /// How costs are counted; the cheapest position is searched next. docs/book.md says what each rule counts [default: drop-out in a new book,
    /// else that of the last growth]
    #[arg(long, value_name = "RULE", value_parser = names(GrowthRule::VARIANTS).try_map(|rule| rule.parse::<GrowthRule>()))]
    rule: Option<GrowthRule>,
    #[command(flatten)]
    searches: SearchArguments,
    /// Positions that are searched at a time, by one thread each [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Size of each thread's transposition table in MB
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    #[command(flatten)]
    weights: WeightsArguments,
}

/// Reads a time; a number alone is seconds, as everywhere.
fn duration(text: &str) -> Result<Duration, &'static str> {
    let time = match text.parse().map(Duration::try_from_secs_f64) {
        Ok(seconds) => seconds.ok(),
        Err(_) => humantime::parse_duration(text).ok(),
    };
    time.ok_or("expected seconds from 0 on, or a time such as 90m or 8h")
}

/// Reads a cost, and gives it in units of 1/128 disc.
fn cost(text: &str) -> Result<u32, String> {
    let cost: Option<f64> = text.parse().ok().filter(|cost| (0.0..=1000.0).contains(cost));
    let cost = cost.ok_or("expected a cost from 0 to 1000; by drop-out it is in plies")?;
    Ok((cost * f64::from(COST_UNIT)) as u32)
}

/// What a book searches, and how.
#[derive(Args, Clone, Debug)]
pub(super) struct SearchArguments {
    /// Plies of each search [default: 20, without --nodes]
    #[arg(long, value_name = "PLIES")]
    depth: Option<Depth>,
    /// Positions that each search visits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How sure cuts by shallower searches are, in percent; 100 for neither cuts nor extensions
    #[arg(long, value_name = "PERCENT", default_value_t = Selectivity::BOLDEST)]
    pub(super) selectivity: Selectivity,
    /// The moves to the position that the book grows for, or its board [default: the start]
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    from: Option<String>,
}

impl SearchArguments {
    pub(super) fn limits(&self) -> Limits {
        let depth = self.depth.or(self.nodes.is_none().then_some(GrowthSettings::DEFAULT_DEPTH));
        Limits { depth, nodes: self.nodes, ..Limits::default() }
    }

    /// The position that was asked for.
    fn asked(&self) -> Result<Position, String> {
        match &self.from {
            None => Ok(Position::START),
            Some(text) => Ok(*read_position(text).map_err(|error| format!("--from: {error}"))?.position()),
        }
    }

    /// The position that the book grows for, if it is there: behind the pass, where the side to move must pass.
    pub(super) fn root(&self, book: &impl Positions) -> Result<Position, String> {
        let asked = self.asked()?;
        let root = if asked.must_pass() { asked.pass() } else { asked };
        if root.is_over() {
            return Err("--from: the game is over there".to_owned());
        }
        match book.get(&Key::of(&root).0).map_err(|error| error.to_string())? {
            Some(_) => Ok(root),
            None => Err("--from: the position is not in the book; `emilia book learn` adds it".to_owned()),
        }
    }
}

impl GrowArguments {
    fn settings(&self, book: &impl Positions) -> Result<GrowthSettings, String> {
        Ok(GrowthSettings {
            root: self.searches.root(book)?,
            rule: self.rule.unwrap_or(book.rule()),
            evaluator: self.weights.evaluator(EvaluatorKind::default())?,
            limits: self.searches.limits(),
            selectivity: self.searches.selectivity,
            threads: crate::cli::threads(self.threads),
            table_bytes: (self.hash as usize) << 20,
            time: self.time,
            positions: self.positions,
            most_cost: self.cost,
        })
    }
}

/// Lets a book grow.
pub(super) fn run(arguments: &GrowArguments) -> Result<(), String> {
    let path = &arguments.book;
    let book = Database::open_when_free(path, PATIENCE).map_err(at(path))?;
    let before = book.read().map_err(at(path))?;
    let settings = arguments.settings(&before)?;
    // The value is that of the root for its side to move, which is the other one where a pass was asked for.
    let of_asked = match arguments.searches.asked()?.must_pass() {
        true => |value: Score| -value,
        false => |value: Score| value,
    };
    let at_first = before.count().map_err(at(path))?;
    let evaluation = ("those it grows with now", fingerprint(&*settings.evaluator));
    warn_of_other_weights(path, before.weights, evaluation, "its values are searched again as it grows");
    drop(before);
    let interrupt = crate::cli::on_interrupt()?;
    let begun_at = settings.positions.map_or(at_first, |wanted| wanted.min(at_first));
    let bar = StepBar::new("positions", settings.positions, begun_at);
    let started = Instant::now();
    let grown = grow(&book, &settings, &interrupt, &mut |growth| {
        bar.show(growth.positions, || progress(growth, growth.value.map(of_asked), &settings, started));
    });
    bar.finish();
    let grown = grown.map_err(at(path))?;
    let seconds = started.elapsed().as_secs_f64();
    let root = if settings.root == Position::START { "the start position" } else { "the position of --from" };
    let value = grown.value.map(of_asked);
    let value = value.map_or_else(|| "not searched yet".to_owned(), |value| format!("worth {value}"));
    let next = match grown {
        Growth { learned: 1.., .. } => format!("; {} learned positions wait to be searched", grown.learned),
        Growth { next_cost: Entry::NOTHING_TO_DO, .. } => String::new(),
        _ => format!("; the next position costs {}", cost_text(grown.next_cost, settings.rule)),
    };
    say(format_args!(
        "{} positions, {} of them new; {} searches in {seconds:.0} s ({:.1} a second); {root} is {value}{}",
        grown.positions,
        grown.positions - at_first,
        grown.searches,
        grown.searches as f64 / seconds.max(1e-9),
        next,
    ));
    match grown.end {
        GrowthEnd::Interrupted => Err("interrupted; the same command goes on".to_owned()),
        GrowthEnd::NothingToDo => {
            say("nothing is left to be searched");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// What is shown of the growth beside its number of positions.
fn progress(growth: &Growth, value: Option<Score>, settings: &GrowthSettings, started: Instant) -> String {
    let rate = growth.searches as f64 / started.elapsed().as_secs_f64().max(1e-9);
    let value = value.map_or_else(String::new, |value| format!(", the root is worth {value}"));
    let doing = match &growth.last {
        _ if growth.learned > 0 => format!(", {} learned positions wait", growth.learned),
        Some(work) => what(work, &settings.root, settings.rule).map_or_else(String::new, |what| format!(", {what}")),
        None => String::new(),
    };
    format!("{rate:.1} searches/s{value}{doing}")
}

/// What was extended and why: the moves that lead there, and what that costs. Of a learned position neither is known.
fn what(work: &Work, root: &Position, rule: GrowthRule) -> Option<String> {
    if work.path[0] != Key::of(root).0 {
        return None;
    }
    let mut position = *root;
    let mut moves = String::new();
    for wanted in &work.path[1..] {
        let leads = |(_, next): &(_, crate::book::Next)| next.key() == Some(*wanted);
        let Some((square, _)) = crate::book::moves(&position).find(leads) else { break };
        moves.push_str(&square.to_string());
        position = position.after(square);
        if position.must_pass() {
            position = position.pass();
        }
    }
    let place = if moves.is_empty() { "the root" } else { moves.as_str() };
    Some(format!("at {place}, which costs {}", cost_text(work.cost, rule)))
}

/// A cost as people read it, rounded up: with that as a bound there is something to do.
fn cost_text(cost: u32, rule: GrowthRule) -> String {
    format!("{:.1} {}", (f64::from(cost) / f64::from(COST_UNIT) * 10.0).ceil() / 10.0, rule.unit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Step;

    #[test]
    fn it_says_where_the_book_grows_if_that_is_known() {
        let f5 = Position::START.after("f5".parse().unwrap());
        let (start, d6) = (Position::START, f5.after("d6".parse().unwrap()));
        let what = |path: &[Position], root: &Position| {
            let path = path.iter().map(|position| Key::of(position).0).collect();
            what(&Work { path, step: Step::Search, cost: 2 * COST_UNIT }, root, GrowthRule::DropOut)
        };
        assert_eq!(what(&[start], &start).as_deref(), Some("at the root, which costs 2.0 plies"));
        assert!(what(&[start, f5, d6], &start).unwrap().ends_with(", which costs 2.0 plies"));
        assert_eq!(what(&[f5, d6], &f5).as_deref(), Some("at d6, which costs 2.0 plies"));
        assert_eq!(what(&[d6], &start), None, "a learned position");
    }
}
