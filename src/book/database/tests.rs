use super::super::Leaf;
use super::super::graph::tests::{first_move, found, searched};
use super::super::key::{Next, moves};
use super::*;
use crate::othello::{GameRecord, Move};
use crate::search::SearchDepth;

/// A book that has learned some games.
fn book(path: &Path) -> Database {
    let book = Database::create(path, 5).unwrap();
    for seed in 0..30u64 {
        let mut game = GameRecord::default();
        let end = crate::testing::random_position(seed, 40);
        // The way to a position is not known: a game that begins at it is one too.
        game.take(Move::Place("f5".parse().unwrap())).unwrap();
        book.learn(&[game, GameRecord::from_position(end)], 60).unwrap();
    }
    book
}

#[test]
fn what_failed_left_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let book = book(&folder.path().join("book"));
    let before = book.read().unwrap().count().unwrap();
    let failed = book.update(5, |positions| {
        positions.put(&Key::of(&crate::testing::random_position(99, 30)).0, &Entry::UNSEARCHED)?;
        Err(BookError::InUse)
    });
    assert!(failed.is_err());
    assert_eq!(book.read().unwrap().count().unwrap(), before);
    assert_eq!(book.read().unwrap().check(&mut |fault| panic!("{fault}")).unwrap(), 0);
}

#[test]
fn one_program_at_a_time_changes_a_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    let book = book(&path);
    assert!(matches!(Database::open(&path), Err(BookError::InUse)));
    assert!(matches!(Snapshot::open(&path).err(), Some(BookError::InUse)));
    assert!(matches!(Database::create(&path, 5), Err(BookError::Exists)));
    drop(book);
    let (one, other) = (Snapshot::open(&path).unwrap(), Snapshot::open(&path).unwrap());
    assert_eq!(one.count().unwrap(), other.count().unwrap());
    assert!(matches!(Database::open(&path), Err(BookError::InUse)));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(3 * AGAIN);
            drop((one, other));
        });
        Database::open_when_free(&path, Duration::from_secs(2)).unwrap();
    });
}

#[test]
fn a_book_of_the_former_format_is_brought_to_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    let grown = book(&path);
    let key = grown.read().unwrap().keys().unwrap().pop_first().unwrap();
    let put = |positions: &mut dyn PositionsMut| {
        positions.put(&key, &searched(found(first_move(&key), 0, SearchDepth::Exact)))?;
        Ok(BTreeSet::from([key]))
    };
    grown.update(5, put).unwrap();
    let draws = |path: &Path| Snapshot::open(path).unwrap().get(&key).unwrap().unwrap().draws;
    grown
        .change(|changes| {
            changes.delete_table(DRAWS).map_err(storage)?;
            set_about(changes, FORMAT, WITHOUT_DRAWS)
        })
        .unwrap();
    drop(grown);
    assert_eq!(draws(&path), Some(Draws::DRAW));
    let found = Snapshot::open(&path).unwrap().check(&mut |fault| panic!("{fault}")).unwrap();
    assert_eq!(found, 0);
}

#[test]
fn other_formats_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    let future = book(&path);
    future.change(|changes| set_about(changes, FORMAT, VERSION + 1)).unwrap();
    drop(future);
    assert!(matches!(Database::open(&path), Err(BookError::Version { found: 3, expected: 2 })));
    assert!(matches!(Snapshot::open(&path).err(), Some(BookError::Version { .. })));
    let other = folder.path().join("other");
    for bytes in [&b""[..], b"a book", &[0; 100_000]] {
        fs::write(&other, bytes).unwrap();
        for error in [Database::open(&other).err(), Snapshot::open(&other).err()] {
            assert!(
                matches!(error, Some(BookError::NotABook(_) | BookError::Damaged(_) | BookError::Io(_))),
                "{error:?}"
            );
        }
        assert_eq!(fs::read(&other).unwrap(), bytes, "what is no book stays as it is");
    }
}

#[test]
fn damaged_pages_are_seen_by_who_only_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    drop(book(&path));
    let bytes = fs::read(&path).unwrap();
    assert!(Snapshot::open_and_check_pages(&path).is_ok());
    // In the middle of a page there is an entry.
    let (mut seen, mut damaged) = (0, bytes.clone());
    for page in (0..bytes.len() / 4096).step_by(7) {
        let at = page * 4096 + 600;
        damaged[at] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let checked = Snapshot::open_and_check_pages(&path);
        seen += u32::from(checked.is_err());
        drop(checked);
        assert!(fs::read(&path).unwrap() == damaged, "it stays as it is");
        damaged[at] ^= 1;
    }
    assert!(seen > 0);
}

#[test]
fn a_book_that_was_cut_is_refused_or_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (path, cut) = (folder.path().join("book"), folder.path().join("cut"));
    drop(book(&path));
    let bytes = fs::read(&path).unwrap();
    let last_page = bytes.len() - 4096..bytes.len();
    for length in (0..bytes.len()).step_by(997).chain(last_page) {
        fs::write(&cut, &bytes[..length]).unwrap();
        let checked = Snapshot::open(&cut).and_then(|book| book.check(&mut |_| {}));
        assert!(!matches!(checked, Ok(1..)), "{length}: {checked:?}");
        // To open it for changes may repair it, but a part must not pass for the whole.
        let opened = Database::open(&cut).and_then(|book| book.read()?.check(&mut |_| {}));
        assert!(!matches!(opened, Ok(1..)), "{length}: {opened:?}");
    }
}

#[test]
fn other_weights_make_every_cost_right_or_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    let book = book(&path);
    let mut game = GameRecord::default();
    for square in ["f5", "d6"] {
        game.take(Move::Place(square.parse().unwrap())).unwrap();
    }
    book.learn(&[game], 60).unwrap();
    let keys = book.read().unwrap().keys().unwrap();
    let search = |positions: &mut dyn PositionsMut| {
        for key in &keys {
            let is_open = |next: &Next| next.key().is_none_or(|next| !keys.contains(&next));
            // At f5 the leaf is worse than the move in the book, so it costs something.
            let discs = if key.empties() == 59 { -20 } else { 1 };
            let open = moves(&key.position()).find(|(_, next)| is_open(next));
            let leaf = open.map_or(Leaf::NoneLeft, |(square, _)| found(square, discs, SearchDepth::Plies(8)));
            positions.put(key, &Entry { weights: 5, ..searched(leaf) })?;
        }
        Ok(keys.clone())
    };
    book.update(5, search).unwrap();
    let entries = |book: &Database| {
        let mut entries = Vec::new();
        let mut add = |key, entry| {
            entries.push((key, entry));
            Ok(())
        };
        book.read().unwrap().each(&mut add).unwrap();
        entries
    };
    let before = entries(&book);
    assert!(matches!(book.grow_with(6, GrowthRule::DropOut, &AtomicBool::new(true)), Err(BookError::Interrupted)));
    assert!(book.read().unwrap().weights == 5 && entries(&book) == before);
    book.grow_with(6, GrowthRule::DropOut, &AtomicBool::new(false)).unwrap();
    let now = book.read().unwrap();
    assert!(now.weights == 6 && entries(&book) != before);
    assert_eq!(now.check(&mut |fault| panic!("{fault}")).unwrap(), 0);
    drop(now);
    // So does another rule, which is there when the book is opened again.
    book.grow_with(5, GrowthRule::Deviate, &AtomicBool::new(false)).unwrap();
    let deviating = entries(&book);
    assert_ne!(deviating, before);
    drop(book);
    let book = Database::open(&path).unwrap();
    assert_eq!(book.read().unwrap().rule(), GrowthRule::Deviate);
    assert_eq!(book.read().unwrap().check(&mut |fault| panic!("{fault}")).unwrap(), 0);
    book.update(5, |_| Ok(keys.clone())).unwrap();
    assert_eq!(entries(&book), deviating);
    book.grow_with(5, GrowthRule::DropOut, &AtomicBool::new(false)).unwrap();
    assert_eq!(entries(&book), before);
    book.change(|changes| set_about(changes, RULE, 9)).unwrap();
    drop(book);
    let error = Database::open(&path).unwrap_err().to_string();
    assert!(error.contains("it grows by rule 9, which is none"), "{error}");
}

#[test]
fn a_file_that_is_there_is_never_made_a_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book");
    fs::write(&path, "").unwrap();
    assert!(matches!(Database::create(&path, 5), Err(BookError::Exists)));
    assert_eq!(fs::read(&path).unwrap(), b"");
}
