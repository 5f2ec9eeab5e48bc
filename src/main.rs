//! The program `emilia`.

/// Pieces of memory from this size on, such as the chunks of trees, go back to the system as soon as they are free. Otherwise they would stay in
/// a heap of the thread that freed them, where no other thread finds them. There are 65,536 of them at most, which is 5 GiB of chunks.
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
