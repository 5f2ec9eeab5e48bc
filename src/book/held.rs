//! Files of the book's library, whose panics are errors of the book.

use super::BookError;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread;

/// A file of the library. After a panic that was caught, its end panics too.
#[derive(Debug)]
pub(super) struct Held<T>(Option<T>);

impl<T> Held<T> {
    pub(super) fn new(file: T) -> Held<T> {
        Held(Some(file))
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is held to the end")
    }
}

impl<T> DerefMut for Held<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is held to the end")
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        let file = self.0.take();
        let _ = caught(|| drop(file));
    }
}

/// The library may panic where a file has other bytes than the library wrote. Such a panic is not printed, but becomes an error. The error has the
/// panic's text, because a fault of the program itself comes here too.
pub(super) fn unless_damaged<T>(work: impl FnOnce() -> Result<T, BookError>) -> Result<T, BookError> {
    caught(work).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = text.and_then(|text| text.lines().next()).map_or_else(String::new, |text| format!(" ({text})"));
        Err(BookError::Damaged(format!("it contradicts itself{text}")))
    })
}

/// What work of the library comes to; its panic is not printed.
fn caught<T>(work: impl FnOnce() -> T) -> thread::Result<T> {
    thread_local! {
        static IS_READING: Cell<bool> = const { Cell::new(false) };
    }
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let hook = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_READING.get() {
                hook(panic);
            }
        }));
    });
    let was_reading = IS_READING.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_READING.set(was_reading);
    done
}

#[cfg(test)]
mod tests {
    use crate::book::overlay::{FLAGS, LEFT_OPEN};
    use crate::book::{BookError, Database, Entry, Key, Positions, Snapshot};
    use crate::othello::GameRecord;
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    /// Bytes of a page of the library.
    const PAGE: usize = 4096;

    fn contents(path: &Path) -> Result<Vec<(Key, Entry)>, BookError> {
        let mut all = Vec::new();
        Snapshot::open(path)?.each(&mut |key, entry| {
            all.push((key, entry));
            Ok(())
        })?;
        Ok(all)
    }

    /// A book, and for each of its pages the same without what was on it.
    fn damaged_books(path: &Path) -> Vec<Vec<u8>> {
        let book = Database::create(path, 5).unwrap();
        for seed in 0..20 {
            book.learn(&[GameRecord::from_position(crate::testing::random_position(seed, 40))], 60).unwrap();
        }
        drop(book);
        without_a_page(path)
    }

    /// For each page of a book the same book without what is on it.
    fn without_a_page(path: &Path) -> Vec<Vec<u8>> {
        let bytes = fs::read(path).unwrap();
        let pages = (1..bytes.len() / PAGE).map(|page| page * PAGE..(page + 1) * PAGE);
        let used = pages.filter(|page| bytes[page.clone()].iter().any(|byte| *byte != 0));
        used.map(|page| [&bytes[..page.start], &[0; PAGE], &bytes[page.end..]].concat()).collect()
    }

    #[test]
    fn a_damaged_book_is_not_opened_for_changes_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let mut refused = 0;
        for damaged in damaged_books(&path) {
            fs::write(&path, &damaged).unwrap();
            let Ok(before) = contents(&path) else { continue };
            match Database::open(&path) {
                Err(BookError::Damaged(why)) => {
                    assert!(why.contains("another checksum") && why.contains("emilia book merge"), "{why}");
                    assert!(fs::read(&path).unwrap() == damaged);
                    refused += 1;
                }
                opened => drop(opened.unwrap()),
            }
            assert_eq!(contents(&path).unwrap(), before);
        }
        assert!(refused > 0);
    }

    #[test]
    fn all_is_read_but_what_a_damaged_page_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let book = Database::create(&path, 5).unwrap();
        // The rows of 600 positions fill several pages.
        let games: Vec<_> =
            (0..600).map(|seed| GameRecord::from_position(crate::testing::random_position(seed, 40))).collect();
        book.learn(&games, 60).unwrap();
        drop(book);
        let whole = contents(&path).unwrap();
        let mut most = 0;
        for damaged in without_a_page(&path) {
            fs::write(&path, &damaged).unwrap();
            let Ok(book) = Snapshot::open(&path) else { continue };
            let (read, lost) = book.readable(&AtomicBool::new(false)).unwrap();
            assert!(read.iter().all(|(key, entry)| whole.contains(&(*key, *entry))));
            drop(book);
            if contents(&path).is_err() {
                assert_eq!(read.len() as u64 + lost, whole.len() as u64);
                most = most.max(read.len());
            }
        }
        assert!(most > whole.len() / 2 && most < whole.len(), "{most} of {}", whole.len());
    }

    #[test]
    fn a_panic_of_the_program_says_what_it_is() {
        let error = super::unless_damaged(|| -> Result<(), BookError> { panic!("of {}", "mine") }).unwrap_err();
        assert!(error.to_string().ends_with("it contradicts itself (of mine)"), "{error}");
    }

    #[test]
    fn a_damaged_book_that_was_left_open_is_read_as_far_as_it_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let mut in_memory = 0;
        for mut damaged in damaged_books(&path) {
            fs::write(&path, &damaged).unwrap();
            let Ok(before) = contents(&path) else { continue };
            damaged[FLAGS as usize] |= LEFT_OPEN;
            fs::write(&path, &damaged).unwrap();
            let snapshot = Snapshot::open(&path).unwrap();
            assert_eq!(snapshot.count().unwrap(), before.len() as u64);
            assert!(matches!(Database::open(&path), Err(BookError::InUse)), "nobody changes what is read");
            drop(snapshot);
            assert_eq!(contents(&path).unwrap(), before);
            in_memory += u32::from(fs::read(&path).unwrap()[FLAGS as usize] & LEFT_OPEN != 0);
        }
        assert!(in_memory > 0);
    }
}
