//! The program `emilia`.

fn main() -> std::process::ExitCode {
    emilia::cli::run()
}
