//! What programs are told, word for word: shell scripts that write it down and answer as they are asked to.

use super::*;
use crate::clock::time_control::{SideClock, Terms};
use crate::notation::ggf::Timing;
use crate::notation::transcript::parse_turn;
use crate::othello::{GameRecord, Move, Position};
use crate::testing::random_position;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A GTP engine that knows what Quarry asks for, and no game of the name `Othello`.
const PLAIN: &str =
    "list_commands) echo '= play genmove boardsize set_game set_level time_settings time_left setboard';;
    'set_game Othello') echo '? unknown';; genmove*) echo '= D6';; *) echo =;; esac; echo; case $line in";
/// A GTP engine that knows the commands of Emilia.
const EMILIA: &str = "list_commands) echo '= emilia-set emilia-stats emilia-setboard time_settings time_left';;
    genmove*) echo '= D6';; emilia-stats) printf '= score -1.5\\nnodes 77\\ndepth 12@73%%\\n';; *) echo =;; esac; echo; case $line in";
/// An NBoard engine of this name.
const NBOARD: &str = "'set depth'*) echo set myname NAME;; ping*) echo \"pong ${line#ping }\";;
    go) echo 'search D6-C3 1 0 14'; echo 'nodestats 99 0.1'; echo '=== D6/1.5/0.2';;";

/// A program that answers like this and writes down here what it is told, as a player that is described by these words.
fn scripted(answers: &str, words: &str, log: &Path) -> PlayerSpec {
    let script = format!(
        "while read -r line; do printf '%s\\n' \"$line\" >> '{}'; case $line in {answers} quit) exit;; esac; done",
        log.display()
    );
    let cmd = Some(shell_words::join(["sh", "-c", &script]));
    PlayerText { cmd, ..PlayerText::parse(words).unwrap() }.validate().unwrap()
}

/// A conversation with such a player in a match with this clock, from the beginning of a game on, of which this is the record: it is to
/// answer the last turn, and has thought for 1.7 seconds before. Returns the player's answer and what it was told, without greeting and
/// farewell.
fn converse(answers: &str, words: &str, clock: &str, record: &GameRecord) -> Result<(Answer, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("told");
    let protocol = if answers.contains("ping") { "nboard" } else { "gtp" };
    let spec = scripted(answers, &format!("{words} protocol={protocol}"), &log);
    let of_the_match = Terms { time: clock.parse().ok(), ..Terms::default() };
    let mut player =
        super::start(&spec, &of_the_match, Timeouts::default(), &Arc::default()).map_err(|error| error.to_string())?;
    let mut clocks = [SideClock::new(spec.terms(&of_the_match).time); 2];
    let (names, color) = (["A", "B"].map(str::to_owned), record.position().mover());
    let setup = GameSetup { game: 3, start: *record.start(), names, clock: clocks[0] };
    let begun = player.begin(&setup);
    assert!(*record.start() == Position::START || player.takes_positions() == begun.is_ok());
    begun.map_err(|fault| fault.to_string())?;
    clocks[color as usize].charge(Duration::from_millis(1700), Duration::from_secs(60));
    let timing = vec![Timing { eval: None, seconds: None }; record.turns().len()];
    let turn = Turn { record, timing: &timing, clocks: &clocks, grace: Duration::ZERO };
    let answer = player.play(&turn).map_err(|fault| fault.to_string())?;
    player.end();
    drop(player);
    let told = std::fs::read_to_string(log).unwrap();
    let told = told.lines().filter(|line| !["list_commands", "name", "version", "nboard 2", "quit"].contains(line));
    Ok((answer, told.map(str::to_owned).collect()))
}

/// The game of these turns.
fn game_of(start: Position, turns: &[&str]) -> GameRecord {
    let mut record = GameRecord::from_position(start);
    turns.iter().for_each(|turn| record.take(parse_turn(turn).unwrap()).unwrap());
    record
}

/// A game that has begun with F5.
fn begun() -> GameRecord {
    game_of(Position::START, &["f5"])
}

/// What a program is told in such a conversation.
fn told(answers: &str, words: &str, clock: &str) -> Vec<String> {
    converse(answers, words, clock, &begun()).unwrap().1
}

#[test]
fn a_program_is_told_over_gtp_what_it_can_be_told() {
    let turn = ["play black F5"].as_slice();
    let asked = ["genmove white"].as_slice();
    let game = ["set_game Othello", "set_game Reversi", "boardsize 8"].as_slice();
    for (words, clock, limits, of_the_game, before_the_move) in [
        ("depth=5", "", &["set_level 5"][..], &[][..], &[][..]),
        ("name=A", "60", &[], &["time_settings 60 0 0"], &["time_left white 58 0"]),
        // Rounded down, and the increment is in what is left.
        ("name=A", "60.9+0.5", &[], &["time_settings 60 0 0"], &["time_left white 59 0"]),
        ("clock=move:2.5", "60", &[], &["time_settings 0 2 1"], &["time_left white 2 1"]),
        ("tell-limits=false", "60", &[], &[], &[]),
        ("tell-limits=false init='level 3' init=black", "60", &["level 3", "black"], &[], &[]),
    ] {
        let expected = [game, limits, &["clear_board"], of_the_game, turn, before_the_move, asked].concat();
        assert_eq!(told(PLAIN, words, clock), expected, "{words} {clock}");
    }
    for (without, words, clock, problem) in [
        ("nothing", "nodes=5", "", "the number of nodes"),
        ("set_level", "depth=5", "", "the depth"),
        ("time_settings", "name=A", "60", "the time: it does not know time_settings"),
        ("nothing", "name=A", "0.9", "less than a second"),
        ("nothing", "name=A", "move:0.9", "less than a second"),
        ("time_left", "name=A", "60+1", "the increment: it does not know time_left"),
    ] {
        let error = converse(&PLAIN.replace(without, "x"), words, clock, &begun()).unwrap_err();
        assert!(error.starts_with(&format!("over GTP it cannot be told {problem}; ")), "{words} {clock}: {error}");
    }
    let error = converse(PLAIN, "option.hash=3", "60", &begun()).unwrap_err();
    assert!(error.contains("emilia-set") && error.contains("init="), "{error}");
    assert_eq!(told(&PLAIN.replace("time_left", "x"), "name=A", "60").len(), game.len() + 4);
}

#[test]
fn emilia_is_told_over_gtp_all_there_is() {
    let game = ["clear_board"].as_slice();
    let asked = ["genmove white", "emilia-stats"].as_slice();
    for (words, clock, limits, of_the_game, before_the_move) in [
        ("depth=5 nodes=100", "", &["emilia-set depth 5"][..], &[][..], &[][..]),
        ("name=A", "60.5+0.25", &[], &["time_settings 60.5 0.25 0"], &["time_left white 59.05 0"]),
        ("name=A", "move:0.5", &["emilia-set time 0.5"], &[], &[]),
        // The number of the game is added to the seed, so that no two are alike.
        (
            "depth=5 option.variety=2 option.seed=7",
            "",
            &["emilia-set seed 7", "emilia-set variety 2", "emilia-set depth 5"],
            &["emilia-set seed 10"],
            &[],
        ),
        ("depth=5 option.level=2", "", &["emilia-set level 2", "emilia-set depth 5"], &["emilia-set seed 3"], &[]),
    ] {
        let nodes = if words.contains("nodes") { &["emilia-set nodes 100"][..] } else { &[] };
        let turn = ["play black F5"].as_slice();
        let expected = [limits, nodes, game, of_the_game, turn, before_the_move, asked].concat();
        assert_eq!(told(EMILIA, words, clock), expected, "{words} {clock}");
    }
    // One that ponders is interrupted when the game is over.
    let told = told(EMILIA, "option.ponder=on depth=5", "");
    assert_eq!(told[told.len() - 2..], ["emilia-stats", "clear_board"]);
    // A move in time counts, even if nothing more is heard.
    let ends = EMILIA.replace("emilia-stats) printf", "emilia-stats) exit; printf");
    let (answer, _) = converse(&ends, "depth=5", "", &begun()).unwrap();
    assert_eq!((answer.action, answer.nodes), (Action::Take(Move::Place("d6".parse().unwrap())), None));
}

#[test]
fn what_a_program_says_of_its_move_is_taken_down() {
    let said = |answers: &str| {
        let Answer { action, eval, depth, nodes, .. } = converse(answers, "depth=5", "", &begun()).unwrap().0;
        assert_eq!(action, Action::Take(parse_turn("d6").unwrap()));
        (eval, depth, nodes)
    };
    assert_eq!(said(PLAIN), (None, None, None));
    assert_eq!(said(EMILIA), (Some(-1.5), Some(12), Some(77)));
    assert_eq!(said(NBOARD), (Some(1.5), Some(14), Some(99)));
}

#[test]
fn a_game_from_another_position_is_set_up() {
    let start = *game_of(Position::START, &["c4", "e3"]).position();
    let record = game_of(start, &["f5"]);
    for (answers, command) in [(PLAIN, "setboard"), (EMILIA, "emilia-setboard")] {
        let told = converse(answers, "depth=5", "", &record).unwrap().1;
        assert!(told.contains(&format!("{command} {start}")), "{told:?}");
    }
    let error = converse(&PLAIN.replace("setboard", "x"), "depth=5", "", &record).unwrap_err();
    assert!(error.contains("no command to set up the position"), "{error}");
    converse(NBOARD, "depth=5", "", &record).unwrap();
}

/// A game of three turns, of which the second is a pass.
fn with_a_pass() -> GameRecord {
    let after = |position: Position| {
        let mut record = GameRecord::from_position(position);
        for _ in 0..3 {
            let turn = record.position().moves().into_iter().next().map_or(Move::Pass, Move::Place);
            record.take(turn).ok()?;
        }
        (record.turns()[1] == Move::Pass && !record.position().moves().is_empty()).then_some(record)
    };
    (0..).find_map(|seed| after(random_position(seed, 12))).unwrap()
}

#[test]
fn passes_are_mentioned_over_gtp_to_programs_that_want_to_hear_of_them() {
    let record = with_a_pass();
    let [first, pass, last] = [0, 1, 2].map(|i| {
        let color = record.positions()[i].mover();
        record.turns()[i]
            .square()
            .map_or_else(|| format!("play {color} pass"), |square| format!("play {color} {}", square.to_upper()))
    });
    let [first, pass, last] = [&first, &pass, &last].map(String::as_str);
    let ask = format!("genmove {}", record.position().mover());
    let told = |answers: &str, words: &str| {
        let (_, told) = converse(answers, words, "", &record).unwrap();
        let plays = |line: &String| line.starts_with("play ") || line.starts_with("genmove ");
        told.into_iter().filter(plays).collect::<Vec<_>>()
    };
    assert_eq!(told(PLAIN, "depth=5"), [first, last, &ask]);
    assert_eq!(told(PLAIN, "depth=5 passes=implicit"), [first, last, &ask]);
    assert_eq!(told(PLAIN, "depth=5 passes=explicit"), [first, pass, last, &ask]);
    // It refuses the move behind the pass, until it has heard of that.
    let refusing = format!(
        "'{pass}') passed=1; echo =;; '{last}') if [ \"$passed\" ]; then echo =; else echo '? no'; fi;; {PLAIN}"
    );
    assert_eq!(told(&refusing, "depth=5"), [first, last, pass, last, &ask]);
    let error = converse(&refusing, "depth=5 passes=implicit", "", &record).unwrap_err();
    assert_eq!(error, format!("'{last}' was refused: no"));
    // A refusal that no pass explains.
    let error = converse(&format!("'{first}') echo '? no';; {PLAIN}"), "depth=5", "", &record).unwrap_err();
    assert_eq!(error, format!("'{first}' was refused: no"));
}

#[test]
fn a_program_that_does_not_know_of_a_pass_is_told_and_asked_again() {
    let mut record = GameRecord::from_position(*with_a_pass().start());
    with_a_pass().turns()[..2].iter().for_each(|&turn| record.take(turn).unwrap());
    let (color, passed) = (record.position().mover(), record.positions()[1].mover());
    for answer in ["= pass", "? not your turn"] {
        let answers =
            format!("genmove*) if [ \"$asked\" ]; then echo '= D6'; else asked=1; echo '{answer}'; fi;; {PLAIN}");
        let (found, told) = converse(&answers, "depth=5", "", &record).unwrap();
        assert_eq!(found.action, Action::Take(parse_turn("d6").unwrap()));
        let end = [format!("genmove {color}"), format!("play {passed} pass"), format!("genmove {color}")];
        assert_eq!(told[told.len() - 3..], end, "{answer}");
        // Where nobody has passed, that is its answer.
        let found = converse(&answers, "depth=5", "", &begun()).map(|(found, _)| found.action);
        let refused = "'genmove white' was refused: not your turn".to_owned();
        assert_eq!(found, if answer == "= pass" { Ok(Action::Take(Move::Pass)) } else { Err(refused) });
    }
}

#[test]
fn the_protocol_of_a_program_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let find =
        |answers: &str| find_protocol(&scripted(answers, "depth=5", &folder.path().join("told")), Timeouts::default());
    assert_eq!(find(PLAIN).unwrap(), PlayerProtocol::Gtp);
    // What looks like an answer over GTP is none.
    assert_eq!(find(&format!("nboard*) echo '=== ready';; {NBOARD}")).unwrap(), PlayerProtocol::NBoard);
    assert!(matches!(find("ping*) exit 3;;").unwrap_err(), StartError::Greeted(Fault::Crashed(_))));
}

#[test]
fn a_crash_is_told_with_its_status_and_the_last_words() {
    let said = |script: &str| {
        let mut process = Process::start("crashing", &["sh", "-c", script].map(str::to_owned), None).unwrap();
        process.whole_line(Instant::now() + Duration::from_secs(60)).unwrap_err().to_string()
    };
    let script = "for i in 1 2 3 4 5; do echo $i >&2; done; exit 3";
    assert_eq!(said(script), "the program ended (exit status: 3); last on its standard error: 3 | 4 | 5");
    assert_eq!(said("exit 4"), "the program ended (exit status: 4)");
    let fault = said("printf half; exit 5");
    assert_eq!(fault, "the program ended (exit status: 5) in the middle of the line 'half'");
}

#[test]
fn a_program_is_told_over_nboard_what_it_can_be_told() {
    for (name, words, clock, options, of_the_game, times) in [
        ("Mock", "depth=5", "", &[][..], &[][..], None),
        ("Mock", "name=A", "60.5+1", &[], &[], Some("TI[1:00.5/1]")),
        ("Mock", "clock=70", "60", &[], &[], Some("TI[1:10]")),
        ("Mock", "tell-limits=false", "60", &[], &[], None),
        ("Emilia", "depth=5 nodes=100", "", &["set emilia.nodes 100"], &[], None),
        ("Emilia", "name=A", "move:0.5", &["set emilia.time 0.5"], &[], None),
        ("Emilia", "name=A", "60.5+1", &[], &[], Some("TI[1:00.5/1/0]")),
        (
            "Emilia",
            "depth=5 option.variety=2 option.seed=7",
            "",
            &["set emilia.seed 7", "set emilia.variety 2"],
            &["set emilia.seed 10"],
            None,
        ),
        ("Emilia", "depth=5 option.level=2", "", &["set emilia.level 2"], &["set emilia.seed 3"], None),
    ] {
        let depth = if words.contains("depth") { "set depth 5" } else { "set depth 60" };
        let depth = if words.contains("tell") { &[][..] } else { &[depth] };
        let told = told(&NBOARD.replace("NAME", name), words, clock);
        let (game, rest): (Vec<&str>, Vec<&str>) =
            told.iter().map(String::as_str).partition(|line| line.starts_with("set game "));
        let expected = [depth, &["ping 1"], options, &["clear"], of_the_game, &["ping 2", "ping 3", "go"]].concat();
        assert_eq!(rest, expected, "{name} {words} {clock}");
        assert!(game.len() == 1 && game[0].contains("PB[A]PW[B]"), "{game:?}");
        assert!(times.map_or(!game[0].contains("TI["), |times| game[0].contains(times)), "{times:?} {game:?}");
        // Others count on an increment for each move, also for one of the opening.
        let is_charged = name == "Mock" && clock.contains('+');
        assert!(game[0].contains(if is_charged { "]B[F5//1.00];)" } else { "]B[F5];)" }), "{game:?}");
    }
    for (words, clock, problem) in [("nodes=5", "", "the number of nodes"), ("name=A", "move:2", "the time for a move")]
    {
        let error = converse(NBOARD, words, clock, &begun()).unwrap_err();
        assert!(error.starts_with(&format!("over NBoard it cannot be told {problem}; ")), "{error}");
    }
    let error = converse(NBOARD, "option.hash=3", "60", &begun()).unwrap_err();
    assert!(error.contains("does not call itself Emilia"), "{error}");
    // One that ponders is interrupted when the game is over.
    let told = told(&NBOARD.replace("NAME", "Emilia"), "depth=5 option.ponder=on", "");
    assert_eq!(told[told.len() - 2..], ["go", "ping 4"]);
}
