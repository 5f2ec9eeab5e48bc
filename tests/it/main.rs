//! The integration tests: one binary, one module for each subject.

mod best_first;
mod gtp;
mod transcript;
