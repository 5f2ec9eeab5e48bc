//! The searches that a book needs next, as queries for `emilia analyze`, and their answers as leaves of the book.

use super::fields::problem_of_json;
use crate::book::{
    BookError, Database, Entry, Finding, Key, Snapshot, Step, Work, learned_work, moves, needs_no_search, next_work,
};
use crate::game::DISC;
use crate::notation::read_position;
use crate::notation::transcript::parse_turn;
use crate::othello::{Bitboard, Move, Position};
use crate::search::{Limits, Score, SearchDepth, Selectivity};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;

/// A query that `emilia analyze` answers.
#[derive(Serialize)]
struct Task {
    id: usize,
    board: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    except: Vec<Move>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    selectivity: Selectivity,
}

/// The searches of units of work.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tasks {
    /// The units that these are the searches of.
    pub units: usize,
    /// The searches as queries, a line each.
    pub queries: Vec<String>,
}

/// The searches of the units of work that are next, at most this number of units. Positions that need no search are added to the book
/// first.
///
/// # Errors
/// If the book cannot be read, the disk does not take what is added, or there was an interrupt.
pub fn tasks(
    book: &Database,
    root: &Key,
    units: usize,
    (limits, selectivity): (&Limits, Selectivity),
    interrupt: &AtomicBool,
) -> Result<Tasks, BookError> {
    let mut learned = learned_work(&book.read()?, root, interrupt)?;
    learned.truncate(units);
    let learned_keys: HashSet<Key> = learned.iter().map(|work| *work.key()).collect();
    let (now, others) = loop {
        let now = book.read()?;
        let units = next_work(&now, root, now.weights, learned_keys.clone(), units - learned.len())?;
        let without_search = without_search(&now, &units)?;
        if without_search.is_empty() {
            break (now, units);
        }
        book.update(now.weights, |positions| {
            for key in &without_search {
                positions.put(key, &Entry::ADDED)?;
            }
            Ok(without_search)
        })?;
    };
    let mut tasks = Tasks::default();
    for work in learned.into_iter().chain(others) {
        let before = tasks.queries.len();
        for (key, mut except) in work.searches(&now)? {
            // These positions will have a value when the answers are taken.
            let to_learned =
                moves(&key.position()).filter(|(_, next)| next.key().is_some_and(|key| learned_keys.contains(&key)));
            except |= to_learned.map(|(square, _)| square).collect::<Bitboard>();
            if except == key.position().moves() {
                continue;
            }
            let task = Task {
                id: tasks.queries.len() + 1,
                board: key.position().to_string(),
                except: except.into_iter().map(Move::Place).collect(),
                depth: limits.depth.map(|depth| depth.plies()),
                nodes: limits.nodes,
                selectivity,
            };
            tasks.queries.push(super::answer::line(&task));
        }
        tasks.units += usize::from(tasks.queries.len() > before);
    }
    Ok(tasks)
}

/// The positions that these units add and that need no search.
fn without_search(book: &Snapshot, units: &[Work]) -> Result<BTreeSet<Key>, BookError> {
    let mut found = BTreeSet::new();
    for unit in units {
        if let Step::Extend(_, added) = unit.step
            && needs_no_search(book, &added)?
        {
            found.insert(added);
        }
    }
    Ok(found)
}

/// A line that is no answer to a task.
#[derive(Clone, PartialEq, Debug)]
pub struct UnusableLine {
    /// Where in the line, in bytes from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    weights: Option<String>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    partial: bool,
    #[serde(default)]
    terminated: bool,
    #[serde(default)]
    shard: Option<de::IgnoredAny>,
    #[serde(default, deserialize_with = "board")]
    board: Option<Position>,
    #[serde(default)]
    except: Vec<Square>,
    #[serde(default)]
    value: Option<f64>,
    #[serde(default)]
    moves: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    #[serde(rename = "move")]
    turn: Square,
    value: f64,
    depth: u8,
    selectivity: i64,
    exact: bool,
    /// What is proven, where that is less than the score: the answer to the question who wins.
    lower: Option<de::IgnoredAny>,
    upper: Option<de::IgnoredAny>,
}

struct Square(crate::othello::Square);

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Square, D::Error> {
        let text = String::deserialize(deserializer)?;
        let square = parse_turn(&text).and_then(Move::square);
        square.map(Square).ok_or_else(|| de::Error::custom(format_args!("'{text}' is no square")))
    }
}

fn board<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Position>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let game = read_position(&text).map_err(|error| de::Error::custom(format_args!("no board: {error}")))?;
    Ok(Some(*game.position()))
}

/// Reads a line of answers; `None` for one that has nothing to say: the first and the last one of a part, and reports of a search that
/// goes on. `weights` is the fingerprint of the evaluation that the book grows with.
///
/// # Errors
/// If it is no answer, contradicts itself, or is not by this evaluation.
pub fn finding(line: &[u8], weights: u32) -> Result<Option<Finding>, UnusableLine> {
    let begins = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    if line.get(begins) != Some(&b'{') {
        return Err(UnusableLine { column: begins + 1, problem: "expected a JSON object".to_owned() });
    }
    let answer: Answer = serde_json::from_slice(line)
        .map_err(|error| UnusableLine { column: error.column().max(1), problem: problem_of_json(&error) })?;
    if answer.shard.is_some() || answer.partial {
        return Ok(None);
    }
    let unusable = |field: &str, problem: String| {
        let name = format!("\"{field}\"");
        let found = line.windows(name.len()).position(|window| window == name.as_bytes());
        Err(UnusableLine { column: found.map_or(1, |at| at + 1), problem })
    };
    if let Some(error) = answer.error {
        return unusable("error", format!("not searched: {error}"));
    }
    let of_book = format!("{weights:08x}");
    match answer.weights {
        Some(found) if found == of_book => {}
        Some(found) => {
            return unusable("weights", format!("searched with the evaluation {found}; the book's is {of_book}"));
        }
        None => return unusable("weights", "it does not say with which evaluation it was searched".to_owned()),
    }
    if answer.terminated {
        return unusable("terminated", "the search was called off".to_owned());
    }
    let (Some(position), Some(found)) = (answer.board, answer.moves.first()) else {
        return unusable("moves", "expected a board and the best of its moves".to_owned());
    };
    if answer.value.is_some_and(|value| value != found.value) {
        return unusable("value", format!("expected the value of the first move, {}", found.value));
    }
    let legal = position.moves();
    let except: Bitboard = answer.except.iter().map(|square| square.0).collect();
    if !(legal & !except).contains(found.turn.0) || except & !legal != Bitboard::EMPTY {
        return unusable("moves", "the moves are not those of the board".to_owned());
    }
    let Some((value, depth)) = found.value_and_depth() else {
        return unusable("value", "not the value of a search".to_owned());
    };
    let (key, symmetry) = Key::of(&position);
    let square = symmetry.square(found.turn.0);
    Ok(Some(Finding { key, except: symmetry.board(except), square, value, depth }))
}

impl Found {
    fn value_and_depth(&self) -> Option<(Score, SearchDepth)> {
        let units = (self.value * f64::from(DISC)).round();
        let value = (units.abs() <= f64::from(64 * DISC)).then(|| Score::from_units(units as i32))?;
        let depth = match (self.exact, Selectivity::try_from(self.selectivity).ok()?) {
            (true, _) => SearchDepth::Exact,
            (false, Selectivity::NONE) => SearchDepth::Plies(self.depth),
            (false, selectivity) => SearchDepth::Selective { plies: self.depth, selectivity },
        };
        let is_bound = !self.exact && (self.lower.is_some() || self.upper.is_some());
        // A result is of whole discs, and no search has a depth of 0.
        let is_possible = if self.exact { value.units() % DISC == 0 } else { self.depth > 0 && !is_bound };
        (self.depth <= 60 && is_possible).then_some((value, depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Leaf, Positions, moves};

    #[test]
    fn who_wins_is_no_value() {
        let answer = |more: &str| {
            let board = "OX-XOOOOOOXO-XO-XOOXOOX-OOOOOOXX-OOOXXOX--OOXXXX--X-XXO--X-XX--- X";
            let found = format!(r#"{{"move":"c1","value":-1,"depth":16,"selectivity":100,"exact":false{more}}}"#);
            format!(r#"{{"id":1,"board":"{board}","weights":"00000005","moves":[{found}]}}"#)
        };
        assert!(finding(answer("").as_bytes(), 5).is_ok_and(|found| found.is_some()));
        let error = finding(answer(r#","lower":-64,"upper":-1"#).as_bytes(), 5).unwrap_err();
        assert_eq!(error.problem, "not the value of a search");
    }

    #[test]
    fn a_result_has_whole_discs_and_a_search_has_a_depth() {
        let answer = |value: f64, depth: u8, exact: bool| {
            let board = "OX-XOOOOOOXO-XO-XOOXOOX-OOOOOOXX-OOOXXOX--OOXXXX--X-XXO--X-XX--- X";
            let found = format!(r#"{{"move":"c1","value":{value},"depth":{depth},"selectivity":100,"exact":{exact}}}"#);
            finding(format!(r#"{{"id":1,"board":"{board}","weights":"00000005","moves":[{found}]}}"#).as_bytes(), 5)
        };
        for (value, depth, exact) in [(-1.0, 16, true), (0.578125, 16, false), (0.578125, 1, false)] {
            assert!(answer(value, depth, exact).is_ok_and(|found| found.is_some()), "{value} {depth} {exact}");
        }
        for (value, depth, exact) in
            [(0.578125, 16, true), (-1.0, 61, true), (0.578125, 0, false), (0.578125, 61, false)]
        {
            let problem = answer(value, depth, exact).unwrap_err().problem;
            assert_eq!(problem, "not the value of a search", "{value} {depth} {exact}");
        }
    }

    #[test]
    fn a_line_that_is_no_object_says_what_was_expected() {
        for (line, column) in [("nonsense", 1), ("  12", 3), ("[{}]", 1)] {
            let error = finding(line.as_bytes(), 5).unwrap_err();
            assert_eq!((error.column, &*error.problem), (column, "expected a JSON object"), "{line}");
        }
    }

    #[test]
    fn an_answer_that_contradicts_itself_is_not_taken() {
        let answer = |value: &str| {
            let moves = r#"[{"move":"d6","value":0.5,"depth":8,"selectivity":73,"exact":false}]"#;
            let board = Position::START.after("f5".parse().unwrap());
            finding(
                format!(r#"{{"id":1,"board":"{board}","value":{value},"weights":"00000005","moves":{moves}}}"#)
                    .as_bytes(),
                5,
            )
        };
        assert!(answer("0.5").is_ok_and(|found| found.is_some()));
        let error = answer("63.5").unwrap_err();
        assert_eq!((error.column, &*error.problem), (86, "expected the value of the first move, 0.5"));
    }

    #[test]
    fn a_position_that_needs_no_search_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let book = Database::create(&folder.path().join("book"), 5).unwrap();
        let root = Key::of(&Position::START).0;
        let (square, next) = moves(&Position::START).next().unwrap();
        let behind = next.key().unwrap();
        let found = |square| Leaf::Found { square, value: Score::ZERO, depth: SearchDepth::Plies(8) };
        book.update(5, |positions| {
            let later = moves(&behind.position()).filter_map(|(_, next)| next.key());
            let mut changed: BTreeSet<Key> = later.collect();
            for key in &changed {
                let first = key.position().moves().into_iter().next().unwrap();
                positions.put(key, &Entry { leaf: found(first), weights: 5, ..Entry::UNSEARCHED })?;
            }
            let square = Key::of(&Position::START).1.square(square);
            positions.put(&root, &Entry { leaf: found(square), weights: 5, ..Entry::UNSEARCHED })?;
            changed.insert(root);
            Ok(changed)
        })
        .unwrap();
        // The four first moves are one, so neither the start nor what is behind it is to be searched.
        let how = (&Limits::default(), Selectivity::BOLDEST);
        let found = tasks(&book, &root, 1, how, &AtomicBool::new(false)).unwrap();
        assert!(found.units == 1 && !found.queries.is_empty(), "{found:?}");
        let now = book.read().unwrap();
        assert_eq!(now.get(&behind).unwrap().unwrap().leaf, Leaf::NoneLeft);
        assert_eq!(now.check(&mut |fault| panic!("{fault}")).unwrap(), 0);
    }
}
