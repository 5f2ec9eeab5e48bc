//! The page and the schema that repeat the engine's table of options say the same as the table.

use crate::serve::{emilia, run};
use emilia::engine::{EngineOption, Values, searches};
use serde_json::{Value, json};
use std::path::PathBuf;

const BEGINNING: &str = "\
# Options

Made from the engine's table of options (`src/engine/option_table.rs`); `EMILIA_WRITE_DOCS=1 cargo test --test it -- options` writes this page.

The same names serve on the command line (`--hash 64`), over GTP (`emilia-set hash 64`), over NBoard (`set emilia.hash 64`), over UGI
(`setoption name hash value 64`), and for the players of a match (`option.hash=64`). Queries of `emilia analyze` have fields of their own for some of them: [analysis.md](analysis.md).

Not every search reads every option. Who sets one that the chosen search does not read is told so: by a warning on the command line, in the answer to
`emilia-set`, in an `info string` over UGI, and in a `status` over NBoard.

";

const FOR_EXPERIMENTS: &str = "
## For experiments

On the command line, `--help-all` shows these too.

";

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn row(option: &EngineOption) -> String {
    let values = match option.values {
        Values::Names(names) => listed(&names()),
        values => values.to_string(),
    };
    let or_none = if option.takes_none { ", or `none`" } else { "" };
    let default = option.default_in_words.map_or_else(|| format!("`{}`", option.default()), str::to_owned);
    let (readers, others): (Vec<_>, Vec<_>) = searches().into_iter().partition(|engine| option.is_read_by(engine));
    let readers: Vec<String> = readers.into_iter().map(ToString::to_string).collect();
    let readers = if others.is_empty() { "every search".to_owned() } else { listed(&readers) };
    let detail = if option.detail.is_empty() { String::new() } else { format!(" {}", option.detail) };
    format!("| `{}` | {values}{or_none} | {default} | {}.{detail} | {readers} |\n", option.name, option.help)
}

fn page() -> String {
    emilia::lab::register();
    let table = |for_experiments| {
        let rows = EngineOption::all().filter(|option| option.is_for_experiments == for_experiments).map(row);
        "| option | values | default | what it does | read by |\n|---|---|---|---|---|\n".to_owned()
            + &rows.collect::<String>()
    };
    format!("{BEGINNING}{}{FOR_EXPERIMENTS}{}", table(false), table(true))
}

#[test]
fn the_page_of_options_is_what_the_table_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/options.md");
    if std::env::var_os("EMILIA_WRITE_DOCS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/options.md is not what the table of options says; write it anew by EMILIA_WRITE_DOCS=1 cargo test --test it -- options"
    );
}

#[test]
fn the_schema_of_queries_has_the_ranges_of_the_table() {
    let schema: Value = serde_json::from_str(include_str!("../../docs/analysis.schema.json")).unwrap();
    let fields = &schema["$defs"]["query"]["properties"];
    for name in ["engine", "eval", "selectivity", "threads", "depth", "time"] {
        let values = EngineOption::find(name).unwrap().values;
        let expected = match values {
            Values::Names(names) => json!({ "enum": names().into_iter().map(Some).chain([None]).collect::<Vec<_>>() }),
            Values::Whole(least, most) => json!({ "type": ["integer", "null"], "minimum": least, "maximum": most }),
            Values::Seconds => json!({ "type": ["number", "null"], "minimum": 0.001, "maximum": 1_000_000 }),
            _ => {
                let percents = values.to_string().replace("one of: ", "");
                let percents = percents.split(", ").map(|percent| percent.parse::<u8>().ok());
                json!({ "enum": percents.chain([None]).collect::<Vec<_>>() })
            }
        };
        assert_eq!(fields[name], expected, "{name}");
    }
}

#[test]
fn an_option_that_is_not_read_is_warned_about() {
    let errors = |arguments: &[&str], input: &str| String::from_utf8(run(emilia(arguments), input).stderr).unwrap();
    let unread = ["--engine", "alpha-beta", "--memory", "5"];
    let warning = "emilia: warning: --memory is not read by alpha-beta\n";
    assert_eq!(errors(&[&["gtp"], &unread[..]].concat(), "quit\n"), warning);
    assert_eq!(errors(&unread, "version\nquit\n"), warning);
    assert_eq!(errors(&[&["play"], &unread[..]].concat(), "quit\n"), warning);
    assert_eq!(errors(&[&["nboard"], &unread[..]].concat(), "nboard 2\nquit\n"), "");
    assert_eq!(errors(&unread, "nboard 2\nquit\n"), "");
    let said = run(emilia(&[&["nboard"], &unread[..]].concat()), "nboard 2\nping 1\nquit\n").stdout;
    let said = String::from_utf8(said).unwrap();
    assert!(said.ends_with("\nstatus memory is not read by alpha-beta\npong 1\n"), "{said}");
    assert_eq!(errors(&["analyze", "--engine", "minimax", "--threads", "1"], ""), "");
    let answer = run(emilia(&["gtp", "--engine", "uct"]), "emilia-set hash 5\nemilia-set c 1\nquit\n").stdout;
    assert_eq!(String::from_utf8(answer).unwrap(), "= hash is not read by uct\n\n= \n\n= \n\n".replace("= \n", "=\n"));
}
