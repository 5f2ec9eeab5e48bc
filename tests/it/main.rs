//! The integration tests: one binary, so that they link once, and one module for each subject.

mod best_first;
mod best_first_measures;
mod games;
mod gtp;
mod nboard;
mod notation;
mod reference;
mod rules;
mod serve;
mod transcript;
