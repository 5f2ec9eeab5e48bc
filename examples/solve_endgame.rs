//! Solves an endgame: the library alone, without the program (`--no-default-features`).

use emilia::analysis::{Question, Solver};
use emilia::engine::{Engine, EngineOptions};
use emilia::notation::read_position;

fn main() {
    let board = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X";
    let game = read_position(board).expect("a board with the side to move");
    let mut solver = Solver::new(Engine::new(EngineOptions::default()), Question::Score);
    let solution = solver.solve(game.position(), &mut |_, _| {});
    println!("{} by {}", solution.value, solution.turn.expect("the game is not over"));
}
