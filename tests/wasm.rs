//! The library alone where there is neither a clock nor a thread of the standard library, as in a browser.
#![cfg(target_arch = "wasm32")]

use emilia::analysis::{Question, Solver, Value};
use emilia::engine::{ALPHA_BETA, BEST_FIRST, EMILIA, Engine, EngineOptions, Request};
use emilia::notation::read_position;
use emilia::othello::Position;
use emilia::search::{Limits, TimeBudget};
use std::time::Duration;
use wasm_bindgen_test::wasm_bindgen_test;

const ENDGAME: &str = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X";

#[wasm_bindgen_test]
fn an_endgame_is_solved() {
    let game = read_position(ENDGAME).unwrap();
    let mut solver = Solver::new(Engine::new(EngineOptions::default()), Question::Score);
    for _ in 0..2 {
        let solution = solver.solve(game.position(), &mut |_, _| {});
        assert_eq!(solution.value, Value::Score(6));
    }
}

#[wasm_bindgen_test]
fn each_search_keeps_to_its_limits() {
    for engine in [&EMILIA, &ALPHA_BETA, &BEST_FIRST] {
        let options = EngineOptions { engine, book: None, ponder: true, ..EngineOptions::default() };
        let mut engine = Engine::new(options);
        let time = Limits { time: Some(TimeBudget::all_of(Duration::from_millis(200))), ..Limits::default() };
        let decision = engine.start(Request { limits: time, ..Request::best_move(Position::START) }).wait();
        assert!(Position::START.take(decision.turn.unwrap()).is_ok());
        let nodes =
            Limits { nodes: Some(5000), time: Some(TimeBudget::all_of(Duration::from_secs(60))), ..Limits::default() };
        let request = Request { limits: nodes, ..Request::best_move(Position::START) };
        engine.clear();
        let decision = engine.start(request.clone()).wait();
        let turn = decision.turn.unwrap();
        assert!(Position::START.take(turn).is_ok());
        assert!(decision.report.nodes > 1000, "{} positions", decision.report.nodes);
        engine.ponder(&request, turn);
        engine.clear();
    }
}

#[wasm_bindgen_test]
fn the_book_of_the_program_answers() {
    let mut engine = Engine::new(EngineOptions::default());
    let decision = engine.start(Request::best_move(Position::START)).wait();
    assert_eq!((decision.report.nodes, decision.report.lines.len() > 0), (0, true));
}
