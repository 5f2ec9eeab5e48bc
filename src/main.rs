//! The program `emilia`.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod processor;

fn main() -> std::process::ExitCode {
    emilia::cli::run()
}
