//! Which protocol a client speaks.

use super::stdio::Connection;
use super::{nboard, ugi};
use crate::input_line::InputLine;

/// The protocols of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
pub enum Protocol {
    /// NBoard, version 1 or 2.
    NBoard,
    /// Go text protocol, version 2, as Othello clients use it.
    #[strum(to_string = "GTP")]
    Gtp,
    /// Universal game interface.
    #[strum(to_string = "UGI")]
    Ugi,
}

/// The protocol that a client's first lines belong to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Detected {
    /// The protocol.
    pub protocol: Protocol,
    /// The lines read to find it out. The session still has to answer them.
    pub first: Vec<InputLine>,
}

/// Waits for the client's first line that is neither blank nor a comment: a word of NBoard's means NBoard, `ugi`
/// UGI, anything else GTP. No protocol answers the lines before it, so they are dropped. `None` if the input or the reader of the output is gone
/// before that.
pub fn detect(connection: &Connection) -> Option<Detected> {
    loop {
        let input = crossbeam::select! {
            recv(connection.input()) -> input => input.ok()?,
            recv(connection.closed()) -> _ => return None,
        };
        if let Some(protocol) = protocol_of(&input) {
            return Some(Detected { protocol, first: vec![input] });
        }
    }
}

/// The protocol that a line belongs to; `None` if it is blank or a comment.
fn protocol_of(input: &InputLine) -> Option<Protocol> {
    let InputLine::Bytes(line) = input else {
        return Some(Protocol::Gtp);
    };
    let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    // GTP has all control characters dropped, so a line of nothing else is blank.
    let mut words = text.split(|byte| *byte == b' ' || byte.is_ascii_control()).filter(|word| !word.is_empty());
    let word = words.next()?;
    let is_among = |known: &[&str]| known.iter().any(|known| known.as_bytes() == word);
    Some(match () {
        () if is_among(nboard::OPENING_WORDS) => Protocol::NBoard,
        () if is_among(ugi::OPENING_WORDS) => Protocol::Ugi,
        () => Protocol::Gtp,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(line: &str) -> Option<Protocol> {
        protocol_of(&InputLine::Bytes(line.as_bytes().to_vec()))
    }

    #[test]
    fn the_first_word_decides() {
        for line in ["nboard 2", "  ping 1\r", "set depth 3", "move F5", "hint 4", "go", "learn", "analyze", "\tgo"] {
            assert_eq!(decided(line), Some(Protocol::NBoard), "{line}");
        }
        for line in ["quit", "name", "1 go", "set_game Othello", "NBOARD 2", "nboards", "genmove b # go", "\u{fffd}"] {
            assert_eq!(decided(line), Some(Protocol::Gtp), "{line}");
        }
        for line in ["ugi", " ugi\r"] {
            assert_eq!(decided(line), Some(Protocol::Ugi), "{line}");
        }
        for line in ["", "   ", "\r", "# nboard 2", "  #go", "\u{1}\t"] {
            assert_eq!(decided(line), None, "{line}");
        }
        assert_eq!(protocol_of(&InputLine::TooLong), Some(Protocol::Gtp));
    }

    #[test]
    fn only_what_nobody_answers_is_dropped() {
        let (connection, mut client) = Connection::in_memory();
        for line in ["", "# hello", "ping 3", "ping 4"] {
            client.send(line);
        }
        let detected = detect(&connection).unwrap();
        assert_eq!(detected.protocol, Protocol::NBoard);
        assert_eq!(detected.first, [InputLine::Bytes(b"ping 3".to_vec())]);
        client.close();
        assert_eq!(connection.input().len(), 1);
    }

    #[test]
    fn a_client_that_leaves_at_once_speaks_nothing() {
        let (connection, mut client) = Connection::in_memory();
        client.send("# only a comment");
        client.close();
        assert_eq!(detect(&connection), None);
    }
}
