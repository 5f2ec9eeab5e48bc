//! A node of the search, and what was found there.

use crate::othello::{Position, Square};

/// A position with what the evaluation keeps beside it.
#[derive(Clone, Copy)]
pub(in crate::search) struct Node<S> {
    pub position: Position,
    pub state: S,
}

/// The best of the moves tried so far.
#[derive(Clone, Copy)]
pub(in crate::search) struct Found {
    pub value: i32,
    pub square: Option<Square>,
}
