//! Jobs over positions from files and pipes: solving them, and checking what is said of them.

mod commentary;
mod solution;
mod solver;

pub use commentary::{Commentary, Judgement};
pub use solution::{Contradiction, Outcome, Solution, Totals, Value};
pub use solver::{Question, Solver};
