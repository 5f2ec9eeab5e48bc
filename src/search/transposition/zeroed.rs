//! The memory of the table, which is zero at first.

use std::io;

#[cfg(not(target_family = "wasm"))]
pub(super) use pages::Zeroed;
#[cfg(target_family = "wasm")]
pub(super) use words::Zeroed;

/// Pages of the operating system.
#[cfg(not(target_family = "wasm"))]
mod pages {
    use super::io;
    use memmap2::MmapRaw;

    pub(in super::super) struct Zeroed(MmapRaw);

    impl Zeroed {
        /// `bytes` bytes of zeros, aligned to a page.
        ///
        /// # Errors
        /// If the system has no more memory.
        pub fn new(bytes: usize) -> io::Result<Zeroed> {
            Ok(Zeroed(crate::pages::zeroed(bytes)?.into()))
        }

        pub fn as_mut_ptr(&self) -> *mut u8 {
            self.0.as_mut_ptr()
        }
    }
}

/// The program's own memory, for a system without pages, as a browser is one.
#[cfg(target_family = "wasm")]
mod words {
    use super::io;
    use std::sync::atomic::AtomicU64;

    #[repr(C, align(128))]
    #[derive(Default)]
    struct Line([AtomicU64; 16]);

    pub(in super::super) struct Zeroed(Box<[Line]>);

    impl Zeroed {
        /// `bytes` bytes of zeros, aligned to 128.
        ///
        /// # Errors
        /// If the program can get no more memory.
        pub fn new(bytes: usize) -> io::Result<Zeroed> {
            let count = bytes.div_ceil(size_of::<Line>());
            let mut lines = Vec::new();
            lines.try_reserve_exact(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
            lines.resize_with(count, Line::default);
            Ok(Zeroed(lines.into_boxed_slice()))
        }

        pub fn as_mut_ptr(&self) -> *mut u8 {
            self.0.as_ptr().cast_mut().cast()
        }
    }
}
