//! Matches against engines that behave, and against ones that do not.

use crate::games::games_of;
use crate::mock_engine::mock;
use emilia::arena::log::{GAMES, GGF, read_folder};
use emilia::arena::player::PlayerText;
use emilia::arena::record::{End, PlayedGame};
use emilia::arena::report::{self, MatchReport};
use emilia::arena::settings::{MatchText, Settings};
use emilia::arena::sprt::{self, Sprt};
use emilia::arena::tournament::{Conclusion, Tournament};
use emilia::othello::Color;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arena").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn player(words: &str) -> PlayerText {
    PlayerText::parse(words).unwrap()
}

/// The mock engine as a player `M`, which is not told of the limits.
fn mock_player(arguments: &str) -> PlayerText {
    PlayerText { cmd: Some(mock(arguments)), ..player("name=M tell-limits=false") }
}

/// Emilia without a process, quick and deterministic.
fn quick(name: &str) -> PlayerText {
    player(&format!("name={name} depth=1 option.threads=1"))
}

fn text(players: impl IntoIterator<Item = PlayerText>, pairs: u64) -> MatchText {
    MatchText {
        player: players.into_iter().collect(),
        openings: Some("classes".to_owned()),
        pairs: Some(pairs),
        ..MatchText::default()
    }
}

fn prepare(text: MatchText, resume: bool) -> Tournament {
    let settings = Settings::new(text).unwrap_or_else(|error| panic!("{error}"));
    Tournament::prepare(settings, resume).unwrap_or_else(|error| panic!("{error}"))
}

/// Plays a match to its end and returns its games.
fn play(name: &str, mut text: MatchText) -> Vec<PlayedGame> {
    let folder = folder(name);
    text.out = Some(folder.clone());
    let mut tournament = prepare(text, false);
    let conclusion = tournament.run(&AtomicBool::new(false), &mut |_| ()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(conclusion, Conclusion::Complete);
    let (_, games) = read_folder(&folder).unwrap();
    assert_eq!(games.len() as u64, tournament.schedule().games());
    games
}

/// Plays two games of a failing mock engine against Emilia: both must be lost for it in this way.
fn fails(name: &str, arguments: &str, end: End, detail: &str) {
    let mut text = text([mock_player(arguments), quick("E")], 1);
    text.move_timeout = Some(0.5);
    for game in play(name, text) {
        assert_eq!(game.end, end, "{arguments}: {game:?}");
        let mock_is_black = game.black == "M";
        assert_eq!(game.loser, Some(if mock_is_black { Color::Black } else { Color::White }), "{arguments}");
        assert_eq!(game.score, if mock_is_black { -64 } else { 64 }, "{arguments}");
        let found = game.detail.as_deref().unwrap_or_default();
        assert!(found.contains(detail), "{arguments}: expected '{detail}' in '{found}'");
    }
}

#[test]
fn every_failure_is_scored_and_the_match_goes_on() {
    for protocol in ["gtp", "nboard"] {
        let fails = |arguments: &str, end, detail| {
            fails(&format!("failure-{protocol}"), &format!("{protocol} {arguments}"), end, detail);
        };
        fails("crash@3", End::Crash, "out of cheese");
        fails("die-mid-line@2", End::Crash, "in the middle of the line '=");
        fails("close@3", End::Crash, "the program ended (exit");
        fails("hang@2", End::Silence, "no answer to 'g");
        fails("slow@2", End::Silence, "within 0.5 s");
        fails("flood@2", End::Silence, "within 0.5 s");
        fails("lie@1", End::IllegalMove, "d4: d4 is occupied");
        fails("lie-pass@1", End::IllegalMove, "may not pass");
        fails("garbage@4", End::Protocol, "got '");
        fails("refuse@4", End::Protocol, "");
    }
    fails("failure-resign", "gtp resign@4", End::Resigned, "");
    fails("failure-endless", "gtp endless@2", End::Protocol, "the response to 'genmove ");
}

#[test]
fn an_engine_that_failed_is_started_anew() {
    // It crashes in the first game since its start only; each start is followed by one lost game.
    for protocol in ["gtp", "nboard"] {
        let games =
            play(&format!("anew-{protocol}"), text([mock_player(&format!("{protocol} crash@3+2")), quick("E")], 3));
        let ends: Vec<End> = games.iter().map(|game| game.end).collect();
        assert_eq!(ends, [End::Played, End::Crash, End::Played, End::Crash, End::Played, End::Crash], "{protocol}");
    }
}

#[test]
fn an_engine_that_ends_between_games_loses_none() {
    for protocol in ["gtp", "nboard"] {
        let games =
            play(&format!("between-{protocol}"), text([mock_player(&format!("{protocol} one-game")), quick("E")], 2));
        assert!(games.iter().all(|game| game.end == End::Played), "{protocol}: {games:?}");
    }
}

#[test]
fn time_is_kept_by_the_referee() {
    for protocol in ["gtp", "nboard"] {
        let mut text = text([mock_player(&format!("{protocol} slow@2")), quick("E")], 1);
        text.clock = Some("move:1".parse().unwrap());
        text.grace = Some(0.0);
        for game in play(&format!("time-{protocol}"), text) {
            let detail = game.detail.unwrap_or_default();
            assert_eq!(game.end, End::Time, "{protocol}: {detail}");
            assert_eq!(game.loser, Some(if game.black == "M" { Color::Black } else { Color::White }));
            assert!(detail.contains("within the 1 s"), "{detail}");
        }
    }
}

#[test]
fn every_deviation_is_lived_with() {
    let mock_games = |arguments: &str| {
        let games = play("deviation", text([mock_player(arguments), quick("E")], 4));
        let summary = |game: PlayedGame| (game.end, game.score, game.moves, game.detail);
        games.into_iter().map(summary).collect::<Vec<_>>()
    };
    for (protocol, deviations) in [
        (
            "gtp",
            &[
                "chatter",
                "stale-id",
                "no-empty-line",
                "blank-lines",
                "explicit-passes",
                "no-list",
                "immortal",
                "spam@5",
                "binary@5",
            ][..],
        ),
        ("nboard", &["chatter", "immortal", "spam@5", "binary@5"][..]),
    ] {
        let plain = mock_games(protocol);
        assert!(plain.iter().all(|(end, ..)| *end == End::Played), "{plain:?}");
        for deviation in deviations {
            assert_eq!(mock_games(&format!("{protocol} {deviation}")), plain, "{protocol} {deviation}");
        }
    }
}

#[test]
fn both_protocols_and_no_process_play_the_same_games() {
    // Players inside the match manager have no book, so these have none either.
    let emilia = |words: &str| PlayerText {
        cmd: Some(format!("'{}' {words} --book none", env!("CARGO_BIN_EXE_emilia"))),
        ..player("name=A depth=2 option.hash=4 option.threads=1")
    };
    let games = |name: &str, first: PlayerText| {
        let games = play(name, text([first, player("name=B depth=1 option.threads=1")], 6));
        games.into_iter().map(|game| (game.black, game.moves, game.score, game.end)).collect::<Vec<_>>()
    };
    let inside = games("same-inside", player("name=A depth=2 option.hash=4 option.threads=1"));
    assert!(inside.iter().all(|game| game.3 == End::Played), "{inside:?}");
    assert_eq!(games("same-gtp", emilia("gtp")), inside);
    assert_eq!(games("same-nboard", emilia("nboard")), inside);
    assert_eq!(games("same-detected", emilia("")), inside);
}

#[test]
fn the_log_does_not_depend_on_interruptions_or_concurrency() {
    let terms = |folder: &Path, concurrency| MatchText {
        out: Some(folder.to_owned()),
        concurrency: Some(concurrency),
        reproducible: Some(true),
        openings: Some("random:6".to_owned()),
        seed: Some(3),
        // None that crashes: when depends on how many games a process has played, which is not the same for three workers.
        ..text([mock_player("gtp"), player("name=E depth=2"), quick("F")], 8)
    };
    let read = |folder: &Path| {
        (fs::read_to_string(folder.join(GAMES)).unwrap(), fs::read_to_string(folder.join(GGF)).unwrap())
    };

    let whole = folder("log-whole");
    prepare(terms(&whole, 1), false).run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    let expected = read(&whole);
    assert_eq!(expected.0.lines().count(), 1 + 48);

    let parallel = folder("log-parallel");
    prepare(terms(&parallel, 3), false).run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    assert!(read(&parallel) == expected, "three games at a time");

    let broken = folder("log-broken");
    let mut resumed = Vec::new();
    for stop_after in [5, 1, 7, 48] {
        let interrupt = AtomicBool::new(false);
        let mut tournament = prepare(terms(&broken, 2), true);
        resumed.push(tournament.resumed());
        let mut counted = 0;
        let conclusion = tournament.run(&interrupt, &mut |_| {
            counted += 1;
            interrupt.store(counted >= stop_after, Ordering::Relaxed);
        });
        drop(tournament);
        if conclusion.unwrap() == Conclusion::Interrupted {
            // What a kill in the middle of a write leaves behind.
            let path = broken.join(GAMES);
            let mut log = fs::read_to_string(&path).unwrap();
            log.push_str("{\"game\":9,\"pai");
            fs::write(&path, log).unwrap();
        }
    }
    assert!(resumed.windows(2).all(|pair| pair[0] < pair[1]), "{resumed:?}");
    assert!(read(&broken) == expected, "interrupted and resumed");
}

#[test]
fn a_log_is_not_mixed_with_another_match() {
    let folder = folder("log-other");
    let terms = |openings: &str| MatchText {
        out: Some(folder.clone()),
        openings: Some(openings.to_owned()),
        ..text([quick("A"), quick("B")], 2)
    };
    prepare(terms("classes"), false).run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    let error = |text, resume| Tournament::prepare(Settings::new(text).unwrap(), resume).unwrap_err().to_string();
    assert!(error(terms("classes"), false).contains("--resume"));
    let other = error(terms("four-ply"), true);
    assert!(other.contains("openings was \"classes\", and is now \"four-ply\""), "{other}");
    // More games than before are no other match.
    let mut more = terms("classes");
    more.pairs = Some(3);
    let mut tournament = prepare(more, true);
    assert_eq!(tournament.resumed(), 4);
    assert_eq!(tournament.run(&AtomicBool::new(false), &mut |_| ()).unwrap(), Conclusion::Complete);
    drop(tournament);
    // A whole line that is no game was not left by a kill.
    let path = folder.join(GAMES);
    let mut log = fs::read_to_string(&path).unwrap();
    log.push_str("{\"game\":9}\n");
    fs::write(&path, log).unwrap();
    let error = error(terms("classes"), true);
    assert!(error.contains("line 8: expected a game"), "{error}");
}

#[test]
fn games_are_kept_as_ggf_with_what_the_players_thought() {
    let folder = folder("ggf");
    let mut text = text([mock_player("nboard chatter"), quick("E")], 2);
    text.out = Some(folder.clone());
    prepare(text, false).run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    let games = games_of(&fs::read_to_string(folder.join(GGF)).unwrap());
    assert_eq!(games.len(), 4);
    for game in &games {
        assert!(game.record.position().is_over());
        assert_eq!(game.result.unwrap().score, f64::from(game.record.position().score_for_black()));
        let by_mock =
            |(i, _): &(usize, _)| (game.record.positions()[*i].mover() as usize == 0) == (game.black.name == "M");
        let thought: Vec<_> = game.timing.iter().enumerate().filter(by_mock).collect();
        assert!(thought.iter().any(|(_, timing)| timing.eval == Some(-1.25) && timing.seconds.is_some()));
    }
    let (_, played) = read_folder(&folder).unwrap();
    assert!(played.iter().all(|game| game.nodes.contains(&Some(4711)) && game.depths.contains(&Some(24))));
}

#[test]
fn games_are_kept_as_ggf_with_clocks_and_times_where_nobody_says_values() {
    let folder = folder("ggf-times");
    let silent = |name: &str| PlayerText { name: Some(name.to_owned()), ..mock_player("gtp") };
    let mut text = text([silent("A"), PlayerText { clock: "90".parse().ok(), ..silent("B") }], 1);
    text.clock = Some("60.5+1".parse().unwrap());
    text.out = Some(folder.clone());
    prepare(text, false).run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    let games = games_of(&fs::read_to_string(folder.join(GGF)).unwrap());
    let (_, played) = read_folder(&folder).unwrap();
    assert_eq!(games.len(), 2);
    for (game, played) in games.iter().zip(&played) {
        assert!(played.evals.is_empty());
        let timed = game.timing.iter().filter(|timing| timing.seconds.is_some()).count();
        assert_eq!(timed, played.seconds.len());
        let clock = |name: &str| if game.black.name == name { game.black.clock } else { game.white.clock };
        assert_eq!(clock("A").unwrap().to_string(), "1:00.5/1/0");
        assert_eq!(clock("B").unwrap().to_string(), "1:30//0");
    }
}

/// An Emilia whose conversation goes to a file of this name, which comes with it.
fn logged_emilia(name: &str, words: &str, player_words: &str) -> (PlayerText, PathBuf) {
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.log"));
    let _ = fs::remove_file(&log);
    let cmd = format!("'{}' {words} --threads 1 --log-file '{}'", env!("CARGO_BIN_EXE_emilia"), log.display());
    (PlayerText { cmd: Some(cmd), ..player(player_words) }, log)
}

#[test]
fn emilia_is_told_fractions_of_her_clock_over_gtp() {
    let (emilia, log) = logged_emilia("fractions", "gtp --depth 1", "name=A clock=59.9+0.5");
    assert!(play("fractions", text([emilia, quick("E")], 1)).iter().all(|game| game.end == End::Played));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("> time_settings 59.9 0.5 0\n"), "{log}");
    let left = log.lines().filter_map(|line| line.split_once("> time_left ")).map(|(_, left)| left);
    assert!(left.clone().count() > 20 && left.clone().all(|left| left.contains('.')), "{:?}", left.collect::<Vec<_>>());
}

#[test]
fn options_of_emilia_are_set_over_nboard_without_limits_too() {
    let place = folder("nboard-place");
    fs::create_dir_all(&place).unwrap();
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/opening.book"), place.join("my.book")).unwrap();
    let words = format!("name=A option.hash=3 option.book=my.book 'dir={}' tell-limits=false", place.display());
    let (emilia, log) = logged_emilia("nboard-options", "nboard --depth 1", &words);
    assert!(play("nboard-options", text([emilia.clone(), quick("E")], 1)).iter().all(|game| game.end == End::Played));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("> set emilia.hash 3\n") && !log.contains("> set depth"), "{log}");
    // A file is looked for where the program runs.
    assert!(log.contains(&format!("> set emilia.book {}\n", place.join("my.book").display())), "{log}");
    fs::remove_file(place.join("my.book")).unwrap();
    let settings = Settings::new(text([emilia, quick("E")], 1)).unwrap();
    let error = Tournament::prepare(settings, false).unwrap_err().to_string();
    assert!(error.starts_with("player A: book: ") && error.contains("nboard-place"), "{error}");
}

#[test]
fn emilia_is_told_no_times_of_the_opening_over_nboard() {
    let (emilia, log) = logged_emilia("opening-times", "nboard --depth 1", "name=A clock=60+70");
    let mut text = text([emilia, quick("E")], 1);
    text.openings = Some("four-ply".to_owned());
    play("opening-times", text);
    let log = fs::read_to_string(log).unwrap();
    let first = log.lines().find_map(|line| line.split_once("> set game ")).expect("a game").1;
    let (clock, opening) = (first.contains("TI[1:00/1:10/"), first.split_once("*]").expect("a board").1);
    assert!(clock && opening.contains("B[") && !opening.contains('/'), "{first}");
}

#[test]
fn an_engine_inside_the_match_is_not_told_limits_that_are_not_to_be_told() {
    let words = "name=A engine=alpha-beta eval=mobility depth=1 tell-limits=false option.depth=3";
    let games = play("not-told", text([player(words), quick("E")], 1));
    assert!(games.iter().all(|game| game.depths.contains(&Some(3))), "{games:?}");
    let error = Settings::new(text([player("name=A depth=1 tell-limits=false"), quick("E")], 1)).unwrap_err();
    assert!(error.to_string().contains("the player 'A' has no limit"), "{error}");
    assert!(error.to_string().contains("expected option.depth, option.nodes or option.time"), "{error}");
}

#[test]
fn adjudication_gives_the_result_of_perfect_play() {
    let adjudicated = |empties| {
        let mut text = text([player("name=A depth=3"), player("name=B depth=2")], 2);
        text.adjudicate = empties;
        play("adjudication", text)
    };
    // At an odd number of empty squares it is mostly White who is to move.
    for (empties, game) in
        [7, 8].into_iter().flat_map(|most| adjudicated(Some(most)).into_iter().map(move |game| (most, game)))
    {
        assert_eq!(game.end, End::Adjudicated);
        let record = game.record().unwrap();
        assert!(record.position().empties().count() <= empties);
        // The value of the last position by plain minimax, in which a pass costs no depth.
        let value = emilia::search::plain_minimax(
            emilia::search::MinimaxKind::AlphaBeta,
            record.position(),
            60,
            &emilia::eval::Mobility,
            emilia::search::Contempt::NONE,
            &mut |_| false,
        );
        let mover = if record.position().mover() as usize == 0 { 1 } else { -1 };
        assert_eq!(game.score, mover * value.value / emilia::game::DISC);
    }
    assert!(adjudicated(None).iter().all(|game| game.end == End::Played));
}

#[test]
fn the_sequential_test_ends_a_match_early() {
    let folder = folder("sprt");
    let mut text = text([player("name=A depth=3"), mock_player("gtp")], 60);
    text.sprt = Some(Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 });
    text.out = Some(folder.clone());
    text.concurrency = Some(3);
    let mut tournament = prepare(text.clone(), false);
    let conclusion = tournament.run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    assert_eq!(conclusion, Conclusion::Decided(sprt::Verdict::Accepted));
    let games = tournament.standings().games;
    assert!(games < 120 && games.is_multiple_of(2), "{games}");
    assert_eq!(read_folder(&folder).unwrap().1.len() as u64, games);
    drop(tournament);
    // Taken up again, it is as decided as before.
    let mut again = prepare(text, true);
    assert_eq!(again.run(&AtomicBool::new(false), &mut |_| ()).unwrap(), conclusion);
    assert_eq!(again.standings().games, games);
}

#[test]
fn copies_of_games_decide_no_sequential_test() {
    // Three openings are all that two plies have.
    let mut copies = text(["name=A depth=1", "name=B depth=1 eval=mobility"].map(player), 80);
    copies.openings = Some("random:2".to_owned());
    let test = Sprt { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 };
    copies.sprt = Some(test);
    let mut tournament = prepare(copies, false);
    assert_eq!(tournament.run(&AtomicBool::new(false), &mut |_| ()).unwrap(), Conclusion::Complete);
    let pairing = &tournament.standings().pairings[0];
    assert_eq!(test.verdict(&pairing.tally.pentanomial), sprt::Verdict::Accepted);
    assert_eq!(test.verdict(&pairing.different_pairs), sprt::Verdict::Undecided);
    assert!(report::summary(&MatchReport::new(&tournament)).contains("undecided, with equal pairs counted once"));
}

#[test]
fn repeated_games_are_noticed() {
    // From all 244 sequences deterministic players repeat themselves four times over.
    let players = ["name=A engine=alpha-beta depth=1", "name=B engine=alpha-beta depth=2"].map(player);
    let mut all = text(players, 244);
    all.openings = Some("four-ply".to_owned());
    let mut tournament = prepare(all, false);
    tournament.run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    let report = MatchReport::new(&tournament);
    let pairing = &report.pairings[0];
    assert_eq!(pairing.counts.games, 488);
    assert!(pairing.different_games < 244, "{}", pairing.different_games);
    let (plain, corrected) = (pairing.estimate.unwrap(), pairing.corrected.as_ref().unwrap().estimate);
    assert!((plain.score - corrected.score).abs() < 0.1, "{} {}", plain.score, corrected.score);
    assert!(corrected.score_error.unwrap() > 1.2 * plain.score_error.unwrap());
    assert!(report::summary(&report).contains("WARNING: only"));
    // Random openings are all different, and so are the games.
    let mut random = text([quick("A"), player("name=B depth=2")], 20);
    random.openings = Some("random:8".to_owned());
    let mut tournament = prepare(random, false);
    tournament.run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    assert!(MatchReport::new(&tournament).pairings[0].corrected.is_none());
}

#[test]
fn reports_agree_with_the_games() {
    let mut tournament =
        prepare(text([mock_player("gtp crash@9+2"), quick("<E>"), player("name=F depth=2")], 4), false);
    tournament.run(&AtomicBool::new(false), &mut |_| ()).unwrap();
    let report = MatchReport::new(&tournament);
    let games: u64 = report.pairings.iter().map(|pairing| pairing.counts.games).sum();
    assert_eq!((games, report.games), (24, 24));
    let crashes = report.players[0].forfeits[&End::Crash];
    assert_eq!(crashes, 8, "every second game after a start, of 16");
    assert_eq!(report.failures.len() as u64, crashes);
    let json: serde_json::Value = serde_json::to_value(&report).unwrap();
    assert_eq!(json["players"][0]["forfeits"]["crash"], 8);
    let page = report::page(&report);
    assert!(page.contains("&lt;E&gt;") && !page.contains("<E>"));
    assert!(!page.contains("http:") && !page.contains("https:"), "the page needs nothing else");
    assert!(page.contains("<polyline") && page.contains("out of cheese"));
}

#[test]
fn bad_settings_are_found_before_the_first_game() {
    let settings = |text: MatchText| -> String {
        match Settings::new(text) {
            Err(error) => error.to_string(),
            Ok(settings) => Tournament::prepare(settings, false).unwrap_err().to_string(),
        }
    };
    let with = |change: &dyn Fn(&mut MatchText)| {
        let mut text = text([quick("A"), quick("B")], 1);
        change(&mut text);
        settings(text)
    };
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("illegal-opening.txt");
    fs::write(&list, "f5d6c3\nf5f6\n\nf5a1\n").unwrap();
    let silent = |protocol: &'static str| {
        move |text: &mut MatchText| (text.player[0], text.start_timeout) = (mock_player(protocol), Some(0.3))
    };
    let missing = |text: &mut MatchText| text.player[0] = player("name=A cmd=/no/such/engine depth=1");
    for (error, parts) in [
        (with(&|t| t.player.truncate(1)), &["at least two players, found 1"][..]),
        (with(&|t| t.player[1] = quick("A")), &["two players are called 'A'"]),
        (with(&|t| t.openings = Some("random:99".into())), &["random:99", "from 1 to 40"]),
        (
            with(&|t| t.openings = Some(list.display().to_string())),
            &["illegal-opening.txt: line 4, column 3: game 3, move 2: a1 turns no disc"],
        ),
        (with(&|t| (t.pairs, t.games) = (None, Some(5))), &["games: 5", "an even number"]),
        (with(&|t| t.pairs = Some(1 << 33)), &["pairs: 8589934592", "from 1 to 4294967296"]),
        (with(&|t| t.reply_timeout = Some(0.0)), &["reply-timeout: 0 is not valid; expected seconds from 0.01"]),
        (with(&|t| t.concurrency = Some(0)), &["concurrency: 0"]),
        (with(&|t| t.adjudicate = Some(40)), &["adjudicate: 40", "from 1 to 20"]),
        (
            with(&|t| t.player[0] = player("name=A")),
            &["the player 'A' has no limit", "a clock, a depth or a number of nodes"],
        ),
        (with(&missing), &["player A: cannot start '/no/such/engine'"]),
        (with(&|t| t.player[0] = mock_player("gtp no-start")), &["player M", "no licence found"]),
        (
            with(&|t| {
                t.player[0] = PlayerText { protocol: Some("gtp".into()), ..mock_player("nboard") };
                t.start_timeout = Some(0.3);
            }),
            &["player M: not ready: no answer to 'list_commands'"],
        ),
        (
            with(&|t| t.player[0] = mock_player("gtp strict")),
            &["player M: not ready: the program ended", "protocol=gtp"],
        ),
        (with(&silent("mute")), &["answered neither NBoard's 'ping' nor a GTP command"]),
        (with(&silent("babble")), &["answered neither NBoard's 'ping' nor a GTP command"]),
        (
            with(&|t| t.player[0] = PlayerText { cmd: Some(mock("gtp")), ..player("name=M depth=3") }),
            &["player M: over GTP it cannot be told the depth", "tell-limits=false"],
        ),
        (
            with(&|t| t.player[0] = PlayerText { cmd: Some(mock("nboard")), ..player("name=M nodes=3") }),
            &["over NBoard it cannot be told the number of nodes"],
        ),
        (
            with(&|t| t.player[0] = PlayerText { cmd: Some(mock("gtp")), ..player("name=M option.hash=3 clock=9") }),
            &["emilia-set", "init="],
        ),
        (with(&|t| t.player[0].cmd = Some(format!("'{}' gtp --dept", env!("CARGO_BIN_EXE_emilia")))), &["player A"]),
    ] {
        for part in parts {
            assert!(error.contains(part), "expected '{part}' in '{error}'");
        }
    }
}

#[test]
fn a_toml_file_is_read_strictly() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("match.toml");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        MatchText::read(&path).map_err(|error| error.to_string())
    };
    let good = "openings = 'four-ply'\nclock = '60+1'\nsprt = { elo0 = 0, elo1 = 5 }\n\n[[player]]\nname = 'A'\ncmd = 'x -y'\n\
                option = { hash = 16 }\ninit = ['foo']\n\n[[player]]\nname = 'B'\ndepth = 4\n";
    let text = read(good).unwrap();
    assert_eq!((text.player.len(), text.sprt.unwrap().beta), (2, 0.05));
    let settings = Settings::new(text).unwrap();
    assert_eq!(settings.players[0].options, [("hash".to_owned(), "16".to_owned())]);
    assert_eq!(read("sprt = '-5, 0'").unwrap().sprt.map(|sprt| (sprt.elo0, sprt.beta)), Some((-5.0, 0.05)));
    for (bad, parts) in [
        ("openings = 'four-ply\n", &["match.toml", "line 1"][..]),
        ("[[player]]\nnam = 'A'\n", &["line 2", "unknown field `nam`"]),
        ("pairs = 'many'\n", &["line 1", "pairs = 'many'"]),
        ("clock = 'soon'\n", &["line 1", "expected seconds"]),
        ("format = 'cup'\n", &["line 1", "round-robin"]),
        ("sprt = 5\n", &["line 1", "expected 'ELO0,ELO1[,ALPHA,BETA]' or { elo0 = 0, elo1 = 10 }"]),
        ("sprt = '5,0'\n", &["line 1", "elo0 (5) must be less than elo1 (0)"]),
    ] {
        let error = read(bad).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "expected '{part}' in '{error}'");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_hanging_engine_behind_a_shell_is_killed_with_it() {
    let lock = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hanging.lock");
    let script = format!("{}; true", mock(&format!("gtp hang@1 immortal 'lock={}'", lock.display())));
    let shell = PlayerText { cmd: Some(shell_words::join(["sh", "-c", &script])), ..mock_player("") };
    let mut text = text([shell, quick("E")], 1);
    text.move_timeout = Some(0.3);
    assert!(play("shell", text).iter().all(|game| game.end == End::Silence));
    // Waits for ever if the engine has outlived its shell.
    fs::File::open(&lock).unwrap().lock().unwrap();
}

#[cfg(unix)]
#[test]
fn what_an_engine_has_started_ends_with_it() {
    let lock = Path::new(env!("CARGO_TARGET_TMPDIR")).join("helper.lock");
    let _ = fs::remove_file(&lock);
    let helper = mock(&format!("mute immortal 'lock={}'", lock.display()));
    let script = format!("{helper} & while [ ! -e '{}' ]; do sleep 0.01; done; exec {}", lock.display(), mock("gtp"));
    let shell = PlayerText {
        cmd: Some(shell_words::join(["sh", "-c", &script])),
        protocol: Some("gtp".into()),
        ..mock_player("")
    };
    assert!(play("helper", text([shell, quick("E")], 1)).iter().all(|game| game.end == End::Played));
    // Waits for ever if the helper has outlived the engine.
    fs::File::open(&lock).unwrap().lock().unwrap();
}
