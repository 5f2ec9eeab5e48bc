//! The program `emilia-launch`: starts the build of Emilia that suits this processor best.
//!
//! A distribution holds one build for each level of x86-64 (`emilia-v1` to `emilia-v4`) and this program under the name
//! `emilia`, built for the lowest level, so that it runs everywhere. Arguments, standard streams and exit code are those of the build
//! that it starts. On Unix that build takes its place; on Windows it ends with the launcher.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match launch() {
        Ok(code) => code,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "emilia: {message}");
            ExitCode::FAILURE
        }
    }
}

fn launch() -> Result<ExitCode, String> {
    let this = std::env::current_exe().map_err(|error| format!("cannot find out where it is: {error}"))?;
    let folder = this.parent().unwrap_or(Path::new("."));
    let build = choose(folder, level(), |path| path.is_file()).ok_or_else(|| {
        format!("no build for this processor (emilia-v1 to emilia-v{}) in {}", level(), folder.display())
    })?;
    let mut command = Command::new(&build);
    command.args(std::env::args_os().skip(1));
    replace(command).map_err(|error| format!("cannot start {}: {error}", build.display()))
}

/// The best build in a folder for a processor of this level. A distribution may leave builds out.
fn choose(folder: &Path, level: u32, exists: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    (1..=level)
        .rev()
        .map(|level| folder.join(format!("emilia-v{level}{}", std::env::consts::EXE_SUFFIX)))
        .find(|path| exists(path))
}

/// The highest level of x86-64 whose instructions this processor and its operating system support, by the definition in
/// the System V ABI.
fn level() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! all {
            ($($feature:tt)*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
        }
        let v2 = all!("cmpxchg16b" "popcnt" "sse3" "ssse3" "sse4.1" "sse4.2");
        let v3 = v2 && all!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe");
        let v4 = v3 && all!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
        1 + u32::from(v2) + u32::from(v3) + u32::from(v4)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        1
    }
}

/// Becomes the other program; returns only if that failed.
#[cfg(unix)]
fn replace(mut command: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs the other program and ends as it ends.
#[cfg(not(unix))]
fn replace(mut command: Command) -> std::io::Result<ExitCode> {
    #[cfg(windows)]
    windows::share_fate();
    let status = command.status()?;
    // A code of Windows has 32 bits.
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(windows)]
mod windows {
    use std::mem::forget;
    use win32job::{ExtendedLimitInfo, Job};

    /// From here on programs that this one starts are killed if it is. Ctrl-C is theirs: the console tells them too. Where the
    /// system refuses either, the program still runs.
    pub(super) fn share_fate() {
        let _ = ctrlc::set_handler(|| {});
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        if let Ok(job) = Job::create_with_limit_info(&limits)
            && job.assign_current_process().is_ok()
        {
            // Closing it would end this program.
            forget(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_build_that_the_processor_can_run_is_chosen() {
        let folder = Path::new("somewhere");
        let chosen = |level, builds: &[&str]| {
            choose(folder, level, |path| builds.contains(&path.file_stem().unwrap().to_str().unwrap()))
                .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        };
        let all = ["emilia-v1", "emilia-v2", "emilia-v3", "emilia-v4"];
        assert_eq!(chosen(4, &all).as_deref(), Some("emilia-v4"));
        assert_eq!(chosen(3, &all).as_deref(), Some("emilia-v3"));
        assert_eq!(chosen(1, &all).as_deref(), Some("emilia-v1"));
        assert_eq!(chosen(4, &["emilia-v1", "emilia-v3"]).as_deref(), Some("emilia-v3"));
        assert_eq!(chosen(2, &["emilia-v3", "emilia-v4"]), None);
    }

    #[test]
    fn every_processor_has_a_level() {
        assert!((1..=4).contains(&level()));
    }
}
