//! Where the mock engine is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The command line of the mock engine with these arguments, quoted for a player's `cmd`.
pub fn mock(arguments: &str) -> String {
    format!("'{}' {arguments}", path().display())
}

/// The program. `cargo test` builds it with the other examples; a run of this test alone may find none or an old one, so
/// cargo is asked once more, which costs nothing if there is nothing to do.
fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let test = std::env::current_exe().expect("the test knows its own path");
        let profile = test.ancestors().nth(2).expect("tests are in target/PROFILE/deps").to_owned();
        let program = profile.join("examples").join(format!("mock-engine{}", std::env::consts::EXE_SUFFIX));
        if let Some(cargo) = std::env::var_os("CARGO") {
            let mut build = Command::new(cargo);
            build.args(["build", "--quiet", "--example", "mock-engine"]);
            build.arg("--target-dir").arg(profile.parent().expect("a target folder"));
            if profile.ends_with("release") {
                build.arg("--release");
            }
            let built = build.status().is_ok_and(|status| status.success());
            assert!(built || program.exists(), "the mock engine cannot be built");
        }
        assert!(program.exists(), "{} is missing: cargo build --example mock-engine", program.display());
        program
    })
}
