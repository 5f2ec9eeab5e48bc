//! Replays a conversation written down in a file against a session in memory.
//!
//! A transcript is a text file:
//!
//! ```text
//! # A comment, like every line that begins with a number sign. Empty lines are ignored.
//! > a line that the client says
//! < a line that the engine must say next
//! <
//! <...
//! => a command of GTP whose response has no text
//! close
//! ```
//!
//! `<` alone is an empty line. `<...` stands for any lines up to one that fits the next `<`. `=> LINE` is `> LINE`, `< =` and `<`.
//! `close` ends the client's input, and so does the end of the file; after that the session must end without another line.
//!
//! What the client says may contain `\r`, `\t`, `\\` and bytes as `\xff`. What the engine says may contain wildcards:
//! `{move}` for a square or a pass, `{int}` for a whole number, `{number}` for a decimal number with or without a sign,
//! `{word}` for anything without a blank, `{any}` for anything at all.

use crate::conversation::Conversation;
use std::path::Path;
use std::time::{Duration, Instant};

/// A session that says nothing for so long has got stuck.
const PATIENCE: Duration = Duration::from_secs(5);

/// Replays a transcript; panics where the session departs from it.
pub fn replay(path: &Path, client: Conversation) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = Reader { client, rest: String::new() };
    let mut skipping = false;
    for (number, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), number + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        } else if line == "close" {
            reader.client.close();
        } else if line == "<..." {
            skipping = true;
        } else if let Some(said) = line.strip_prefix('>').or_else(|| line.strip_prefix("=>")) {
            assert!(!skipping, "{place}: '<...' wants a '<' after it");
            reader.client.send(unescape(said.strip_prefix(' ').unwrap_or(said)));
            if line.starts_with('=') {
                let response = [reader.line(), reader.line()].map(Option::unwrap_or_default);
                assert_eq!(response, ["=", ""], "{place}: expected an empty response");
            }
        } else if let Some(expected) = line.strip_prefix('<') {
            let expected = expected.strip_prefix(' ').unwrap_or(expected);
            let started = Instant::now();
            loop {
                let said =
                    reader.line().unwrap_or_else(|| panic!("{place}: expected '{expected}', but the session ended"));
                if fits(expected, &said) {
                    break;
                }
                // A session can talk for ever without coming to the point.
                assert!(skipping && started.elapsed() < PATIENCE, "{place}: expected '{expected}', got '{said}'");
            }
            skipping = false;
        } else {
            panic!("{place}: a line of a transcript begins with '>', '=>', '<' or '#'");
        }
    }
    reader.client.close();
    let more = reader.line();
    assert_eq!(more, None, "{}: the session says more than the transcript", path.display());
}

/// Takes what the engine sends line by line.
struct Reader {
    client: Conversation,
    rest: String,
}

impl Reader {
    /// The next line; `None` when the session has ended.
    fn line(&mut self) -> Option<String> {
        loop {
            if let Some((line, rest)) = self.rest.split_once('\n') {
                let line = line.to_owned();
                self.rest = rest.to_owned();
                return Some(line);
            }
            match self.client.output().recv_timeout(PATIENCE) {
                Ok(text) => self.rest += &text,
                Err(error) if error.is_timeout() => panic!("the session says nothing"),
                Err(_) => {
                    assert_eq!(self.rest, "", "the last line has no line feed");
                    return None;
                }
            }
        }
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'r', after @ ..]) => (b'\r', after),
            (b'\\', [b't', after @ ..]) => (b'\t', after),
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16).expect("two hexadecimal digits after \\x") as u8;
                (digit(*high) * 16 + digit(*low), after)
            }
            (b'\\', _) => panic!("an escape in '{text}' is not known"),
            (byte, after) => (*byte, after),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes
}

/// Whether a line is what a pattern describes.
fn fits(pattern: &str, line: &str) -> bool {
    let Some((literal, after)) = pattern.split_once('{') else { return pattern == line };
    let Some(rest) = line.strip_prefix(literal) else { return false };
    let (wildcard, after) = after.split_once('}').unwrap_or_else(|| panic!("'{pattern}' wants a closing brace"));
    let ends = (0..=rest.len()).filter(|&end| rest.is_char_boundary(end));
    ends.rev().any(|end| is_a(wildcard, &rest[..end]) && fits(after, &rest[end..]))
}

fn is_a(wildcard: &str, text: &str) -> bool {
    match wildcard {
        "move" => text.eq_ignore_ascii_case("pass") || text == "PA" || text.parse::<emilia::othello::Square>().is_ok(),
        "int" => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
        "number" => !text.contains(['e', 'E', 'n', 'N']) && text.parse::<f64>().is_ok(),
        "word" => !text.is_empty() && !text.contains(' '),
        "any" => true,
        _ => panic!("the wildcard {{{wildcard}}} is not known"),
    }
}

#[test]
fn patterns_fit_what_they_describe() {
    for (pattern, line) in [
        ("= {move}", "= F5"),
        ("= {move}", "= pass"),
        ("=== {move}/{number}/{number}", "=== F5/-1.25/0.01"),
        ("nodes {int}", "nodes 12"),
        ("{any}", ""),
        ("a{any}b{word}", "a b bx"),
    ] {
        assert!(fits(pattern, line), "{pattern} {line}");
    }
    for (pattern, line) in
        [("= {move}", "= F9"), ("= {move}", "= F5 "), ("{int}", ""), ("{int}", "-1"), ("{number}", "1e5")]
    {
        assert!(!fits(pattern, line), "{pattern} {line}");
    }
    assert_eq!(unescape(r"a\tb\\\x00\r"), b"a\tb\\\x00\r");
}
