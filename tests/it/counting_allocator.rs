//! Counts the memory that a thread takes from the allocator, for tests of what a search needs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that is ending has no counters any more, and nobody asks for them.
    let _ = IN_USE.try_with(|in_use| {
        in_use.set(in_use.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(in_use.get())));
    });
}

// SAFETY: every call is handed on to the system's allocator as it is; counting touches no allocated memory and does not
// allocate, since the counters are constants of the thread without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are the ones that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the pointer came from `alloc`, which had it from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The most bytes that this thread had more than at the beginning, while it did this.
pub fn peak_bytes_while(work: impl FnOnce()) -> usize {
    let before = IN_USE.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    work();
    PEAK.with(|peak| peak.get() - before) as usize
}
