//! What `--help` shows at its end: lines that can be typed. A test parses each of them.

use clap::Command;

/// For each command, lines with what they do behind two blanks.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "",
        "emilia                                     serve NBoard, GTP or UGI, as the client speaks
emilia play                                play against it in the terminal
emilia show game.ggf --out game.html       look at a game in a browser
emilia solve positions.obf                 find exact results",
    ),
    ("nboard", "emilia nboard --ponder on                  what to give NBoard, as ./emilia"),
    ("gtp", "emilia gtp --ponder on                     what to give GoGui or Quarry"),
    ("ugi", "emilia ugi --threads 1                      what to give cutegames"),
    ("perft", "emilia perft 10                            24571284 games of ten plies"),
    (
        "match",
        "emilia match --player \"name=A cmd='emilia gtp'\" --player \"name=B cmd='emilia gtp --eval bill'\" --depth 6 --pairs 50
emilia match check 'emilia gtp'            does an engine keep to its protocol?",
    ),
    ("match check", "emilia match check 'emilia nboard'"),
    (
        "bench",
        "emilia bench
emilia bench --part endgame --json",
    ),
    (
        "solve",
        "emilia solve positions.obf
emilia solve positions.obf --wld --threads 2
emilia solve --position 'XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X'
head -n 5 positions.obf | emilia solve - --json",
    ),
    (
        "analyze",
        "echo '{\"id\":1,\"moves\":\"f5d6\",\"depth\":12}' | emilia analyze
emilia analyze games.ggf --json --depth 10
emilia analyze games.ggf --game 3                      one game, or those of one --player
emilia analyze games.ggf --by player                   how well does each player play?
emilia analyze games.ggf --pages site --by player      and pages that show it
emilia analyze --moves f5d6c3 --depth 16 --multipv 3   what are these moves worth?",
    ),
    ("merge", "emilia merge part-0.jsonl part-1.jsonl --out all.jsonl"),
    ("experiment", "emilia experiment korf-random-trees --quick"),
    (
        "play",
        "emilia play                                you have black, at level 4
emilia play --color white --level 8        full strength, two seconds a move
emilia play --clock 300+5                  five minutes each, and five seconds a move
emilia play --load game.ggf                go on with a game
emilia play < script.txt                   without a terminal",
    ),
    (
        "show",
        "emilia show games.ggf --game 3 --out game.html    a page, every position searched to depth 12
emilia show games.ggf --move 20 --out board.png   a picture for a post
emilia show games.ggf --curve --out curve.png     how the game went
emilia show games.ggf --numbers                   in the terminal, with the numbers of the moves
emilia show games.ggf --values engine --depth 14  with the value and the loss of each move",
    ),
    (
        "convert",
        "emilia convert WTH_2024.wtb --out games.ggf    tournament games, with the names beside them
emilia convert games.ggf.zst --to transcript   the moves alone, on the standard output
emilia convert games.sgf --to ggf --strict     or nothing, if anything would be lost
emilia convert WTH_2024.wtb --player urano --to ggf    the games of one player
emilia convert games.ggf --game 3,7-9 --out some.sgf   these games alone",
    ),
    (
        "positions",
        "emilia positions WTH_2024.wtb --empties 20 > twenty.obf
emilia positions games.ggf --empties 50-56 --count --least 2  positions reached more than once
emilia positions WTH_2024.wtb --openings    the openings by name, and how they went",
    ),
    (
        "completions",
        "emilia completions bash > ~/.local/share/bash-completion/completions/emilia
emilia completions fish > ~/.config/fish/completions/emilia.fish
emilia completions zsh > _emilia           in a folder of $fpath",
    ),
    (
        "man",
        "emilia man | man -l -                      read it at once
emilia man play > emilia-play.1            the page of a command
emilia man --out man1                      the pages of all of them",
    ),
    (
        "book",
        "emilia book new my.book
emilia book grow my.book --time 8h         the same command goes on
emilia book show f5d6                      the book that is part of the program
emilia book pack my.book --out small.book  to play from by --book small.book",
    ),
    ("book new", "emilia book new my.book"),
    (
        "book grow",
        "emilia book grow my.book --time 8h
emilia book grow my.book --positions 100000 --depth 18
emilia book grow my.book --from f5d6c3d3c4 --time 1h   for one opening",
    ),
    ("book learn", "emilia book learn my.book WTH_2024.wtb"),
    (
        "book show",
        "emilia book show f5d6                      what the book of the program knows
emilia book show my.book f5d6 --json",
    ),
    ("book stat", "emilia book stat my.book"),
    ("book check", "emilia book check my.book"),
    ("book pack", "emilia book pack my.book --out small.book"),
    ("book merge", "emilia book merge my.book another.book --out both.book"),
    (
        "book prune",
        "emilia book prune my.book --loss 6 --out good.book
emilia book prune my.book --positions 100000 --out small.book",
    ),
    ("book tasks", "emilia book tasks my.book 1000 --depth 20 > tasks.jsonl"),
    ("book take", "emilia book take my.book results.jsonl"),
    (
        "book export",
        "emilia book export my.book --out book.dat            for Edax
emilia book export builtin --out book.egbk3          for Egaroucid",
    ),
    ("book import", "emilia book import book.dat --out my.book"),
    ("train", "emilia train selfplay --out games --games 1000"),
    ("train selfplay", "emilia train selfplay --out games --games 1000"),
    ("train probcut", "emilia train probcut --positions 3000"),
    ("train label", "emilia train label --games games --out labels"),
    ("train fit", "emilia train fit --data games --out fit"),
    ("train move-order", "emilia train move-order --games games --out move-order.weights"),
    ("train pack", "emilia train pack --weights fit/weights.fit --out pattern.weights"),
    ("train bill", "emilia train bill --samples games"),
    ("train report", "emilia train report positions.obf --eval bill"),
    ("train testset", "emilia train testset draw WTH_2024.wtb --out positions.obf"),
    ("train testset draw", "emilia train testset draw WTH_2024.wtb --out positions.obf"),
    ("train testset label", "emilia train testset label positions.obf --depth 20"),
];

/// The examples before the options, which are many.
const EXAMPLES_FIRST: &str = "{before-help}{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}";

/// Gives the command of this path, and every one below it, its examples.
pub(super) fn add_examples(mut command: Command, path: &str) -> Command {
    if let Some((_, lines)) = EXAMPLES.iter().find(|(name, _)| *name == path) {
        let lines: Vec<String> = lines.lines().map(|line| format!("  {line}")).collect();
        let examples = format!("Examples:\n{}", lines.join("\n"));
        command = command.after_help(examples).help_template(EXAMPLES_FIRST);
    }
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |sub| add_examples(sub, path.trim_start()));
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command below this one, by its path.
    fn paths(command: &Command, path: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|sub| sub.get_name() != "help");
        let mut all = vec![path.to_owned()];
        for sub in below {
            all.extend(paths(sub, format!("{path} {}", sub.get_name()).trim_start()));
        }
        all
    }

    #[test]
    fn every_command_has_examples_and_all_of_them_parse() {
        let command = super::super::command();
        for path in paths(&command, "") {
            let found = EXAMPLES.iter().find(|(name, _)| *name == path);
            let (_, lines) = found.unwrap_or_else(|| panic!("'emilia {path}' has no example in its help"));
            for line in lines.lines() {
                // What the line does stands behind two blanks; other programs behind or before a pipe.
                let typed = line.split("  ").next().unwrap_or_default();
                let own =
                    typed.split(" | ").find(|part| part.starts_with("emilia")).unwrap_or_else(|| panic!("{line}"));
                let own = own.split([' ']).take_while(|word| !matches!(*word, ">" | "<")).collect::<Vec<_>>().join(" ");
                let words = shell_words::split(&own).unwrap();
                let parsed = super::super::command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
