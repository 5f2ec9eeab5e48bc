//! A line of `emilia analyze`: whatever the bytes, it is a query about positions that are there, an action, or an error
//! that says something.
#![no_main]

use emilia::analysis::AnalysisSettings;
use emilia::analysis::query::{ClientLine, parse};
use emilia::engine::EngineOptions;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static DEFAULTS: LazyLock<AnalysisSettings> =
    LazyLock::new(|| AnalysisSettings::new(EngineOptions { threads: 1, ..EngineOptions::default() }));

fuzz_target!(|line: &[u8]| {
    match parse(line, &DEFAULTS, 4) {
        Ok(ClientLine::Query(query)) => {
            assert!(!query.turns.is_empty() && query.id != serde_json::Value::Null);
            for &turn in &query.turns {
                let request = query.settings.request(query.position(turn));
                assert_eq!(request.position, query.game.positions()[turn]);
            }
            assert!((1..=4).contains(&query.settings.options.threads));
        }
        Ok(ClientLine::Action { .. }) => {}
        Err(error) => assert!(!error.problem.is_empty()),
    }
});
