//! Memory in pages of the operating system, which are zero at first: large pages if it has them, so that what is read here and there in a
//! table needs few entries of the TLB, and one fault of 2 MB stands for 512.

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

/// The bytes of a large page, from which on such pages are asked for.
#[cfg(not(target_family = "wasm"))]
const LARGE: usize = 2 << 20;

#[cfg(not(target_family = "wasm"))]
type Memory = memmap2::MmapRaw;
/// A browser has no pages: the program's own memory stands for them.
#[cfg(target_family = "wasm")]
type Memory = Box<[Line]>;

/// What memory without pages is aligned to, in pieces that may be written through a shared reference.
#[cfg(target_family = "wasm")]
#[repr(C, align(128))]
#[derive(Default, Debug)]
struct Line([std::sync::atomic::AtomicU64; 16]);

/// Bytes that are zero at first, aligned to 128 at least. They take memory as they are written to.
#[derive(Debug)]
pub struct Pages {
    memory: Memory,
    bytes: usize,
}

/// `bytes` bytes of zeros.
///
/// # Errors
/// If the system has no more memory.
#[cfg(not(target_family = "wasm"))]
pub fn zeroed(bytes: usize) -> io::Result<Pages> {
    // Linux aligns to large pages what is a whole number of them.
    let whole =
        if bytes < LARGE || cfg!(not(target_os = "linux")) { bytes.max(1) } else { bytes.next_multiple_of(LARGE) };
    mapped(whole, bytes)
}

/// `bytes` bytes of zeros in a mapping that is as long or longer.
#[cfg(not(target_family = "wasm"))]
fn mapped(whole: usize, bytes: usize) -> io::Result<Pages> {
    let memory = memmap2::MmapMut::map_anon(whole)?;
    #[cfg(target_os = "linux")]
    if whole >= LARGE {
        // Only advice: without it the memory is as right and a little slower.
        let _ = memory.advise(memmap2::Advice::HugePage);
    }
    Ok(Pages { memory: memory.into(), bytes })
}

/// `bytes` bytes of zeros.
#[cfg(target_family = "wasm")]
fn mapped(_: usize, bytes: usize) -> io::Result<Pages> {
    zeroed(bytes)
}

/// `bytes` bytes of zeros.
///
/// # Errors
/// If the program can get no more memory.
#[cfg(target_family = "wasm")]
pub fn zeroed(bytes: usize) -> io::Result<Pages> {
    let mut lines = Vec::new();
    let count = bytes.div_ceil(size_of::<Line>());
    lines.try_reserve_exact(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
    lines.resize_with(count, Line::default);
    Ok(Pages { memory: lines.into_boxed_slice(), bytes })
}

impl Pages {
    /// The first byte. Who writes to it must be the only one to use the bytes meanwhile, or use them as atomic numbers.
    pub fn as_mut_ptr(&self) -> *mut u8 {
        #[cfg(not(target_family = "wasm"))]
        return self.memory.as_mut_ptr();
        #[cfg(target_family = "wasm")]
        return self.memory.as_ptr().cast_mut().cast();
    }
}

impl Deref for Pages {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the memory lives as long as `self`, has at least `self.bytes` bytes, and is initialised: zero, or as written.
        unsafe { std::slice::from_raw_parts(self.as_mut_ptr(), self.bytes) }
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else has a reference to it.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.bytes) }
    }
}

/// Pages that are given out in pieces of `N` values, one after the other. They go back to the system when the slab and all of its pieces are gone.
#[derive(Debug)]
pub struct Slab<T, const N: usize> {
    pages: Arc<Pages>,
    given: usize,
    of: PhantomData<T>,
}

impl<T: Copy, const N: usize> Slab<T, N> {
    /// Memory for `count` pieces, at least one, and no more than that.
    ///
    /// # Errors
    /// If the system has no more memory.
    pub fn new(count: usize) -> io::Result<Slab<T, N>> {
        const { assert!(align_of::<T>() <= 128) };
        let bytes = count * size_of::<[T; N]>();
        Ok(Slab { pages: Arc::new(mapped(bytes, bytes)?), given: 0, of: PhantomData })
    }

    /// The next piece, all of whose values are this; `None` if all have been given out.
    pub fn take(&mut self, value: T) -> Option<Piece<T, N>> {
        let bytes = self.given * size_of::<[T; N]>()..(self.given + 1) * size_of::<[T; N]>();
        // The length is not asked of the slice, to which other pieces belong.
        if bytes.end > self.pages.bytes {
            return None;
        }
        self.given += 1;
        // SAFETY: the bytes are within the pages, and given out only now; they are aligned for a `T`, as its size is a multiple of its alignment.
        let place = unsafe {
            let first = NonNull::new_unchecked(self.pages.as_mut_ptr().add(bytes.start)).cast::<T>();
            (0..N).for_each(|i| first.add(i).write(value));
            first.cast()
        };
        Some(Piece { place, _pages: self.pages.clone() })
    }
}

/// `N` values in the pages of a [`Slab`].
pub struct Piece<T, const N: usize> {
    place: NonNull<[T; N]>,
    _pages: Arc<Pages>,
}

impl<T, const N: usize> Deref for Piece<T, N> {
    type Target = [T; N];
    #[inline]
    fn deref(&self) -> &[T; N] {
        // SAFETY: the values were written when the piece was made, no other piece has them, and the pages are kept.
        unsafe { self.place.as_ref() }
    }
}

impl<T, const N: usize> DerefMut for Piece<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T; N] {
        // SAFETY: as above.
        unsafe { self.place.as_mut() }
    }
}

// SAFETY: a piece owns its values, as a box does; the pages behind them are only kept.
unsafe impl<T: Send, const N: usize> Send for Piece<T, N> {}
// SAFETY: as above.
unsafe impl<T: Sync, const N: usize> Sync for Piece<T, N> {}

impl<T: std::fmt::Debug, const N: usize> std::fmt::Debug for Piece<T, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_and_as_long_as_was_asked() {
        for bytes in [0, 1, 4097, LARGE - 1, LARGE, LARGE + 1] {
            let mut pages = zeroed(bytes).unwrap();
            assert!(pages.len() == bytes && pages.iter().all(|&byte| byte == 0));
            pages.fill(1);
            assert!(pages.iter().all(|&byte| byte == 1));
        }
    }

    #[test]
    fn pieces_are_apart_and_outlive_their_slab() {
        let mut slab: Slab<u64, 100> = Slab::new(3).unwrap();
        let mut pieces: Vec<_> = std::iter::from_fn(|| slab.take(7)).collect();
        assert!(pieces.len() == 3 && pieces.iter().all(|piece| piece.iter().all(|&value| value == 7)));
        pieces[1].fill(8);
        drop(slab);
        assert_eq!(pieces.iter().map(|piece| piece.iter().sum()).collect::<Vec<u64>>(), [700, 800, 700]);
    }
}
