//! A real terminal for the program to talk to.

use crate::serve::{PATIENCE, wait_for};
use std::process::Command;

/// A tmux server of its own; killed when the test is over.
pub struct Terminal {
    socket: String,
}

impl Terminal {
    /// A terminal of 80 columns that runs a command line; `None`, with a message, where there is no tmux.
    pub fn start(socket: String, line: &str) -> Option<Terminal> {
        if !Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: no tmux to play in");
            return None;
        }
        let terminal = Terminal { socket };
        let size = ["new-session", "-d", "-x", "80", "-y", "50"];
        let output = terminal.tmux(&[&size[..], &[line]].concat());
        assert!(output.status.success(), "{output:?}");
        Some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = Command::new("tmux");
        command
            .args(["-S", &self.socket, "-f", "/dev/null"])
            .args(arguments)
            .env_remove("TMUX")
            .env("SHELL", "/bin/sh")
            .output()
            .unwrap()
    }

    /// Types a line, letter by letter: tmux would take f5 for a key.
    pub fn say(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Presses a key by its name: Up, C-c.
    pub fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// The screen, with its colours as codes.
    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-e"]).stdout).into_owned()
    }

    /// Waits until the screen has a text.
    pub fn wait_for(&self, text: &str) -> String {
        let screen = wait_for(PATIENCE, || Some(self.screen()).filter(|screen| screen.contains(text)));
        screen.unwrap_or_else(|| panic!("no '{text}':\n{}", self.screen()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
