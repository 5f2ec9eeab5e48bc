//! Files of other programs, where they are beside the project.

use crate::games::{games_of, shared_data, shared_path};
use emilia::notation::game_file::GameFile;
use emilia::notation::ggf::{self, Ggf, GgfResult};
use emilia::notation::obf::ObfEntry;
use emilia::notation::transcript::Transcript;
use emilia::notation::{AnnotatedGame, read_position};
use emilia::othello::{Color, Square};

#[test]
fn the_ffo_positions_list_exactly_the_legal_moves() {
    for (name, count) in [("ffo-1-19.obf", 19), ("ffo-20-39.obf", 20), ("ffo-40-59.obf", 20)] {
        let Some(text) = shared_data(name) else { return };
        let entry = |line| ObfEntry::parse(line).unwrap_or_else(|error| panic!("{name}: {error}"));
        let entries: Vec<ObfEntry> = text.lines().map(entry).collect();
        assert_eq!(entries.len(), count, "{name}");
        for (entry, line) in entries.iter().zip(text.lines()) {
            let mut listed: Vec<Square> = entry.moves.iter().filter_map(|(turn, _)| turn.square()).collect();
            listed.sort();
            assert_eq!(listed, entry.position.moves().into_iter().collect::<Vec<_>>(), "{line}");
            assert_eq!(read_position(line).unwrap().position(), &entry.position);
        }
        let of_file = GameFile::open(&shared_path(name).unwrap()).unwrap().map(Result::unwrap);
        assert!(of_file.map(|found| *found.game.record.position()).eq(entries.iter().map(|entry| entry.position)));
    }
}

#[test]
fn the_xot_openings_are_games_of_eight_plies() {
    let Some(text) = shared_data("openings-xot-large.txt") else { return };
    let mut count = 0;
    for line in text.lines() {
        let game = read_position(line).unwrap();
        assert_eq!((game.turns().len(), game.position().mover()), (8, Color::Black), "{line}");
        assert_eq!(Transcript(&game).to_string(), line);
        count += 1;
    }
    assert_eq!(count, 10_784);
}

#[test]
fn the_games_of_ggs_are_read_wholly() {
    let Some(text) = shared_data("games/ggs-sample.ggf") else { return };
    let games = games_of(&text);
    assert_eq!(games.len(), text.matches("(;GM[").count());
    for game in &games {
        assert!(game.black.clock.is_some() && game.black.rating.is_some() && game.result.is_some());
        assert!(game.unread.is_empty(), "{:?}", game.unread);
        assert_eq!(&ggf::parse(&Ggf(game).to_string()).unwrap(), game);
        if let Some(GgfResult { score, ending: None }) = game.result
            && game.record.position().is_over()
        {
            assert_eq!(f64::from(game.record.position().score_for_black()), score, "{}", Ggf(game));
        }
    }
}

#[test]
fn the_tournament_games_of_a_year_are_legal_and_end_as_they_say() {
    let Some(path) = shared_path("games/WTH_2024.wtb") else { return };
    let games: Vec<AnnotatedGame> = GameFile::open(&path).unwrap().map(|item| item.unwrap().game).collect();
    assert_eq!(games.len(), 2_891);
    let (mut ended, mut agreed) = (0, 0);
    for game in &games {
        assert!(game.date == "2024" && game.theory.is_none_or(|theory| theory.empties == 24), "{game:?}");
        assert!(![&game.black.name, &game.white.name].into_iter().any(|name| name.starts_with("player ")), "{game:?}");
        assert!(!game.place.starts_with("tournament "), "{game:?}");
        let end = game.record.position();
        if end.is_over() {
            ended += 1;
            agreed += usize::from(game.result == Some(GgfResult::of_score(end.score_for_black())));
        }
    }
    assert!(ended > 2_800 && agreed * 1_000 >= ended * 995, "{agreed} of {ended} finished games end as recorded");
    let names = GameFile::open(&path.with_file_name("WTH.JOU")).unwrap_err();
    assert!(names.to_string().ends_with("a WTHOR file of names, not of games"), "{names}");
}
