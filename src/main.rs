//! The program `emilia`.

/// Lets pieces of memory of this size go back to the system as soon as they are free, in place of to a heap of the thread that freed them,
/// where no other thread finds them: that of the trees' chunks. The memory cap holds for what is in use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LEAST_TO_GIVE_BACK: std::ffi::c_int = 64 << 10;

fn main() -> std::process::ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number of the allocator, and no other thread is there yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LEAST_TO_GIVE_BACK);
    }
    emilia::cli::run()
}
