use super::super::{ALPHA_BETA, Engine};
use super::*;
use crate::othello::{Color, Square};
use crate::search::{Depth, Selectivity};
use crate::testing::random_position;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::time::Duration;

fn at_depth(depth: u8) -> EngineOptions {
    EngineOptions { depth: Depth::new(depth), threads: 1, ..EngineOptions::default() }
}

#[test]
fn the_last_report_is_the_decision() {
    let mut engine = Engine::new(at_depth(5));
    let thinking = engine.start(Request::hint(Position::START, 3));
    let events: Vec<Event> = thinking.events().iter().collect();
    let [.., Event::Report(last), Event::Finished(decision)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(
        (&last.lines, last.depth),
        (&decision.report.lines, SearchDepth::Selective { plies: 5, selectivity: Selectivity::BOLDEST })
    );
    assert_eq!(last.lines.len(), 3);
    assert_eq!(decision.turn, Some(last.lines[0].turn));
}

#[test]
fn the_last_report_of_a_varied_move_is_of_that_move() {
    let position = Position::START.after("f5".parse().unwrap()).after("d6".parse().unwrap());
    for seed in 0..4 {
        let mut engine = Engine::new(EngineOptions { seed, variety: Score::from_discs(4), book: None, ..at_depth(6) });
        let thinking = engine.start(Request::best_move(position));
        let events: Vec<Event> = thinking.events().iter().collect();
        let [.., Event::Report(last), Event::Finished(decision)] = &events[..] else { panic!("{events:?}") };
        assert_eq!((&last.lines, last.lines.len()), (&decision.report.lines, 1));
        assert_eq!(decision.turn, Some(last.lines[0].turn));
        assert!(last.lines[0].score.discs().abs() < 10.0, "{last:?}");
    }
}

#[test]
fn a_search_that_begins_late_sees_an_end_that_is_near() {
    let options = EngineOptions { time: Some(Duration::from_millis(20)), threads: 1, ..EngineOptions::default() };
    let mut worker = Worker::new(options.clone(), |options| (options.engine.build)(options));
    let mut is_solved = |position| {
        let (events, received) = crossbeam::channel::unbounded();
        let listener = std::sync::Arc::new(());
        let job = SearchJob {
            request: Request::hint(position, 1),
            options: options.clone(),
            reports: false,
            signal: StopSignal::default(),
            listener: std::sync::Arc::downgrade(&listener),
            asked: Instant::now().checked_sub(Duration::from_secs(3)).unwrap(),
            events,
        };
        worker.work(WorkerMessage::Think(Box::new(job)));
        let Ok(Event::Finished(decision)) = received.recv() else { panic!("{position}") };
        decision.report.depth.is_exact()
    };
    for position in
        (0..20).map(|seed| random_position(seed, 1 + seed as u32 % 4)).filter(|position| !position.is_over())
    {
        // Another program may have the processor for this millisecond.
        assert!((0..20).any(|_| is_solved(position)), "{position}");
    }
}

#[test]
fn the_end_and_a_forced_pass_are_answered() {
    let mut engine = Engine::new(at_depth(3));
    let over = (0..).map(|seed| random_position(seed, 0)).find(Position::is_over).unwrap();
    assert_eq!(engine.start(Request::best_move(over)).wait().turn, None);
    let passes = (0..).map(|seed| random_position(seed, 8)).find(Position::must_pass).unwrap();
    assert_eq!(engine.start(Request::best_move(passes)).wait().turn, Some(Move::Pass));
    let hint = engine.start(Request::hint(passes, 4)).wait();
    assert_eq!(hint.report.lines.len(), 1);
    assert!(hint.report.lines[0].pv.len() > 1);
}

#[test]
fn a_new_question_ends_the_old_one() {
    let mut engine = Engine::new(EngineOptions::default());
    let endless = engine.start(Request::hint(Position::START, 1));
    let second = engine.start(Request {
        limits: Limits { depth: Depth::new(1), ..Limits::default() },
        ..Request::best_move(Position::START)
    });
    assert!(second.wait().turn.is_some());
    assert!(endless.wait().turn.is_some(), "the stopped search still says what it found");
}

#[test]
fn the_book_does_not_play_what_is_left_out() {
    let mut engine = Engine::new(at_depth(1));
    let played = engine.start(Request::best_move(Position::START)).wait();
    assert_eq!(played.report.nodes, 0, "the book knows the start");
    let except = Position::START.moves();
    let except = except & !except.into_iter().next().unwrap().bit();
    let played = engine.start(Request { except, ..Request::best_move(Position::START) }).wait();
    assert!(played.report.nodes > 0);
}

#[test]
fn options_and_request_limit_together() {
    let limit = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
    let mut request = Request { limits: limit(10), ..Request::best_move(Position::START) };
    let options = EngineOptions { nodes: Some(20), ..EngineOptions::default() };
    assert_eq!(limits(&request, &options), limit(10));
    request.limits = Limits::default();
    assert_eq!(limits(&request, &options), limit(20));
    let by_default = limits(&request, &EngineOptions::default());
    assert!(by_default.time.is_some_and(|time| time.hard <= DEFAULT_MOVE_TIME));
    let endless = Request { is_endless: true, ..request.clone() };
    assert_eq!(limits(&endless, &EngineOptions::default()), Limits::default());
    let hint = Request::hint(Position::START, 1);
    assert_eq!(limits(&hint, &EngineOptions::default()), Limits::default());
    let timed = EngineOptions { time: Some(Duration::from_secs(1)), ..EngineOptions::default() };
    assert!(limits(&hint, &timed).time.is_some());
    // On a clock with less left than the time of a move, what a move may leave to later ones stays.
    for (soft, is_left) in [(Duration::from_millis(200), true), (Duration::from_secs(5), false)] {
        let early = Some(soft / 2);
        request.limits = Limits { time: Some(TimeBudget { early, soft, hard: soft }), ..Limits::default() };
        let time = limits(&request, &timed).time.unwrap();
        assert_eq!(time.early, early.filter(|_| is_left), "{soft:?}");
    }
}

#[test]
fn a_move_without_a_choice_is_not_thought_about_but_its_value_may_be() {
    let single = (0..).map(|seed| random_position(seed, 30)).find(|position| position.moves().count() == 1).unwrap();
    let options = at_depth(9);
    let bounds = |request: &Request| (limits(request, &options).depth, limits(request, &options).nodes);
    assert_eq!(bounds(&Request::best_move(single)), (Depth::new(9), FORCED_NODES));
    assert_eq!(bounds(&Request::best_move(Position::START)), (Depth::new(9), None));
    assert_eq!(bounds(&Request::hint(single, 1)), (Depth::new(9), None));
}

#[test]
fn the_only_move_near_the_end_has_the_result_as_its_value() {
    let forced = (0..).map(|seed| random_position(seed, 8)).filter(|position| position.moves().count() == 1);
    for position in forced.take(20) {
        let played = Engine::new(at_depth(12)).start(Request::best_move(position)).wait();
        assert_eq!(played.report.lines[0].depth, SearchDepth::Exact, "{position}");
    }
}

#[test]
fn only_options_that_matter_to_a_search_replace_it() {
    let mut engine = Engine::new(EngineOptions { engine: &ALPHA_BETA, ..at_depth(6) });
    let nodes = |engine: &mut Engine| engine.start(Request::best_move(Position::START)).wait().report.nodes;
    let first = nodes(&mut engine);
    engine.set("memory", "100").unwrap();
    assert!(nodes(&mut engine) < first, "the table is still there");
    engine.set("hash", "32").unwrap();
    assert_eq!(nodes(&mut engine), first);
    let mut engine = Engine::new(EngineOptions { book: None, ..at_depth(6) });
    let value = |engine: &mut Engine| engine.start(Request::hint(Position::START, 1)).wait().report.nodes;
    let first = value(&mut engine);
    engine.set("book", "builtin").unwrap();
    assert!(value(&mut engine) < first, "the book is no part of the search");
}

/// Counts in its nodes how often it was asked since it was cleared, and reports that once.
struct Counts(u64);

impl Search for Counts {
    fn think(&mut self, task: &Task, _: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.0 += 1;
        let report = Report { nodes: self.0, ..any_legal_move(&task.position) };
        sink(&report);
        report
    }

    fn clear(&mut self) {
        self.0 = 0;
    }
}

/// The last question of a [`Diary`], with the limits of its search.
static ASKED: Mutex<Option<(Task, Limits)>> = Mutex::new(None);

/// Writes down what it is asked.
struct Diary;

impl Search for Diary {
    fn think(&mut self, task: &Task, control: &Control, _: &mut dyn FnMut(&Report)) -> Report {
        *ASKED.lock() = Some((task.clone(), *control.limits()));
        any_legal_move(&task.position)
    }
}

#[test]
fn a_question_reaches_the_search_as_it_was_asked() {
    let variety = Score::from_discs(2);
    let options = EngineOptions { variety, ponder: true, book: None, ..EngineOptions::default() };
    let mut engine = Engine::with_searches(options, |_| Box::new(Diary));
    let (contempt, except) = (Contempt::new(7).unwrap(), "e6".parse::<Square>().unwrap().bit());
    let bounds = Limits { evaluations: Some(9), ..Limits::default() };
    let asked = |engine: &mut Engine, request: Request| {
        engine.start(Request { contempt, except, limits: bounds, ..request }).wait();
        ASKED.lock().take().unwrap()
    };
    let start = Position::START;
    for (request, lines, is_analysis, precision, margin) in [
        (Request::hint(start, 3), 3, true, Precision::Score, None),
        (Request::win_loss_draw(start), 1, false, Precision::WinLossDraw, None),
        (Request::best_move(start), 1, false, Precision::Score, Some(variety)),
        (Request::best_move(random_position(1, 41)), 1, false, Precision::Score, Some(variety)),
        (Request::best_move(random_position(1, 40)), 1, false, Precision::Score, None),
    ] {
        let (task, limits) = asked(&mut engine, request.clone());
        assert_eq!((task.position, task.contempt, task.except), (request.position, contempt, except));
        assert_eq!((task.lines, task.is_analysis), (lines, is_analysis), "{request:?}");
        assert_eq!((task.precision, task.margin), (precision, margin), "{request:?}");
        assert_eq!(limits, bounds);
    }
    let d3 = Move::Place("d3".parse().unwrap());
    engine.ponder(&Request { contempt, ..Request::best_move(start) }, d3);
    let since = Instant::now();
    let (task, limits) = loop {
        if let Some(asked) = ASKED.lock().take() {
            break asked;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "it does not ponder");
        std::thread::yield_now();
    };
    assert_eq!((task.position, task.contempt), (start.take(d3).unwrap(), contempt));
    assert_eq!(limits, Limits { time: Some(TimeBudget::all_of(MOST_PONDERING)), ..Limits::default() });
}

#[test]
fn what_was_learned_is_dropped_when_it_would_mean_something_else() {
    let mut engine = Engine::with_searches(EngineOptions { book: None, ..at_depth(3) }, |_| Box::new(Counts(0)));
    let mut asked = |prepare: &dyn Fn(&mut Engine), discs| {
        prepare(&mut engine);
        let contempt = Contempt::new(discs).unwrap();
        engine.start(Request { contempt, ..Request::best_move(Position::START) }).wait().report.nodes
    };
    let nothing = |_: &mut Engine| {};
    let set = |name: &'static str, value: &'static str| move |engine: &mut Engine| engine.set(name, value).unwrap();
    assert_eq!([asked(&nothing, 0), asked(&nothing, 0)], [1, 2]);
    assert_eq!([asked(&nothing, 5), asked(&nothing, 5)], [1, 2], "another worth of a draw");
    assert_eq!([asked(&set("eval", "mobility"), 5), asked(&nothing, 5)], [1, 2], "another evaluation");
    assert_eq!([asked(&Engine::clear, 5), asked(&nothing, 5)], [1, 2], "a tournament's next game");
    assert_eq!(asked(&set("depth", "4"), 5), 3, "the depth matters to no value");
}

#[test]
fn a_report_is_sent_once_and_to_nobody_who_wants_none() {
    let options = EngineOptions { book: None, ..EngineOptions::default() };
    let mut engine = Engine::with_searches(options, |_| Box::new(Counts(0)));
    let start = Request::hint(Position::START, 60);
    assert_eq!(engine.start(start.clone()).events().iter().count(), 2);
    assert_eq!(engine.start_quietly(start).events().iter().count(), 1);
}

#[test]
fn variety_plays_several_moves_and_the_seed_repeats_them() {
    let play = |seed, variety| {
        let mut engine = Engine::new(EngineOptions { seed, variety: Score::from_discs(variety), ..at_depth(3) });
        (0..24).map(|_| engine.start(Request::best_move(Position::START)).wait().turn.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(play(1, 4), play(1, 4));
    assert_ne!(play(1, 4), play(2, 4));
    let plain = play(1, 0);
    assert!(plain.iter().all(|turn| *turn == plain[0]));
}

#[test]
fn variety_is_for_moves_that_are_played() {
    let position = Position::START.after("f5".parse().unwrap()).after("d6".parse().unwrap());
    let mut engine = Engine::new(EngineOptions { variety: Score::from_discs(8), ..at_depth(3) });
    let mut turns_of = |is_endless| {
        let ask = |_| engine.start(Request { is_endless, ..Request::best_move(position) }).wait().turn.unwrap();
        (0..24).map(ask).collect::<HashSet<_>>().len()
    };
    assert!(turns_of(false) > 1);
    assert_eq!(turns_of(true), 1);
}

/// Values a good move, one within two discs of it, one that is worth that at most, and a bad one.
struct Choice;

impl Search for Choice {
    fn think(&mut self, task: &Task, _: &Control, _: &mut dyn FnMut(&Report)) -> Report {
        let values = [(640, Bound::Exact), (448, Bound::Exact), (447, Bound::Upper), (128, Bound::Exact)];
        let line = |(square, (units, bound))| {
            let turn = Move::Place(square);
            let score = Score::from_units(units);
            Line { bound, ..Line::new(vec![turn], score, SearchDepth::Plies(1)) }
        };
        let lines = task.position.moves().into_iter().zip(values).map(line).collect();
        Report { lines, ..Report::default() }
    }
}

#[test]
fn variety_plays_no_move_that_is_worse_than_it_allows() {
    let position = Position::START.after("f5".parse().unwrap()).after("d6".parse().unwrap());
    let places: Vec<Move> = position.moves().into_iter().map(Move::Place).collect();
    let played = |discs| {
        let options = EngineOptions { variety: Score::from_discs(discs), book: None, ..EngineOptions::default() };
        let mut engine = Engine::with_searches(options, |_| Box::new(Choice));
        let turns = (0..60).map(|_| engine.start(Request::best_move(position)).wait().turn.unwrap());
        let played: HashSet<Move> = turns.collect();
        places.iter().map(|turn| played.contains(turn)).collect::<Vec<_>>()
    };
    assert_eq!(played(0)[..4], [true, false, false, false]);
    assert_eq!(played(1)[..4], [true, false, false, false]);
    assert_eq!(played(2)[..4], [true, true, false, false]);
    assert_eq!(played(9)[..4], [true, true, false, false], "what is worth something at most may be worth nothing");
}

#[test]
fn contempt_moves_a_drawn_position_to_one_side() {
    let value = |position: Position, discs| {
        let mut engine = Engine::new(EngineOptions::default());
        let contempt = Contempt::new(discs).unwrap();
        engine
            .start(Request { contempt, ..Request::hint(position, 1) })
            .wait()
            .report
            .lines
            .first()
            .map(|line| line.score)
    };
    let drawn = |position: &Position| position.mover() == Color::Black && value(*position, 0) == Some(Score::ZERO);
    let position = (0..).map(|seed| random_position(seed, 9)).find(drawn).unwrap();
    assert!(value(position, 100) > Some(Score::ZERO));
    assert!(value(position, -100) < Some(Score::ZERO));
}
