//! The match manager: players, referee, schedule, statistics, record.

pub mod conformance;
pub mod likeness;
pub mod log;
pub mod merge;
pub mod opening;
pub mod opening_source;
pub mod player;
pub mod record;
pub mod referee;
pub mod report;
pub mod schedule;
pub mod settings;
pub mod sprt;
pub mod standings;
pub mod statistics;
pub mod tournament;
