//! Memory in pages of the operating system, which are zero at first: large pages if it has them, so that what is read here and there in a
//! table needs few entries of the TLB.

use std::io;

/// The bytes of such memory.
#[cfg(not(target_family = "wasm"))]
pub type Pages = memmap2::MmapMut;
/// A browser has no pages: the program's own memory stands for them.
#[cfg(target_family = "wasm")]
pub type Pages = Box<[u8]>;

/// Size in bytes from which on large pages are asked for: less is not worth the whole of one.
#[cfg(target_os = "linux")]
const LARGE_FROM: usize = 8 << 20;

/// `bytes` bytes of zeros, aligned to a page where there are pages. They take memory as they are written to.
///
/// # Errors
/// If the system has no more memory.
#[cfg(not(target_family = "wasm"))]
pub fn zeroed(bytes: usize) -> io::Result<Pages> {
    let pages = Pages::map_anon(bytes)?;
    #[cfg(target_os = "linux")]
    if bytes >= LARGE_FROM {
        // Only advice: without it the memory is as right and a little slower.
        let _ = pages.advise(memmap2::Advice::HugePage);
    }
    Ok(pages)
}

/// `bytes` bytes of zeros.
///
/// # Errors
/// If the program can get no more memory.
#[cfg(target_family = "wasm")]
pub fn zeroed(bytes: usize) -> io::Result<Pages> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
    zeros.resize(bytes, 0);
    Ok(zeros.into_boxed_slice())
}
