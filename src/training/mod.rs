//! How Emilia teaches herself: games against herself become [samples](Sample), the samples become weights.
//!
//! Everything here depends on its settings and seeds alone: the same command makes the same bytes, whatever the number of
//! threads and however often it was interrupted. `docs/training.md` has the commands and what they made.

pub mod bill;
mod chunk;
mod fingerprint;
mod production;
mod sample;
mod selfplay;

pub use chunk::{Chunk, ChunkError, ChunkHeader, Origin};
pub use fingerprint::fingerprint;
pub use production::{ChunkMaker, Production, ProductionError, Progress, Shard, ShardError};
pub use sample::{LabelKind, Sample, is_held_out};
pub use selfplay::{PlyRange, PlyRangeError, SelfPlay, SelfPlaySettings, SettingsError};
