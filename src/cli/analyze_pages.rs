//! The pages of judged games, in a folder.

use super::output::{cannot_read, cannot_write, write_file};
use crate::analysis::by_player::{ByPlayer, page_of_game};
use crate::analysis::review_text::ReviewedGame;
use crate::analysis::{AnalysisSettings, Commentary};
use crate::render::{GENERATOR, IndexPage, PageLinks, page};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder, and what its first page will show.
pub(super) struct Pages {
    folder: PathBuf,
    settings: AnalysisSettings,
    index: IndexPage,
    /// The numbers of the games that have a page by now.
    games: HashSet<usize>,
    /// The page that waits to know whether another one follows, and its name.
    last: Option<(String, Commentary, PageLinks)>,
}

const INDEX: &str = "index.html";

/// What a page of this folder has, and no other file.
const LINK: &str = "<a href=\"index.html\">all games</a>";

impl Pages {
    /// Makes the folder, if it is not there. The games are judged with these settings.
    pub(super) fn begin(folder: &Path, settings: &AnalysisSettings) -> Result<Pages, String> {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        expect_page(&folder.join(INDEX))?;
        Ok(Pages {
            folder: folder.to_owned(),
            settings: settings.clone(),
            index: IndexPage::default(),
            games: HashSet::new(),
            last: None,
        })
    }

    /// Where the pages are.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes a game, and writes the page of the one before.
    pub(super) fn add(&mut self, game: &ReviewedGame) -> Result<(), String> {
        let commentary = Commentary::of_review(game.found.game.clone(), &game.review, &self.settings);
        self.index.add(game);
        let number = game.found.place.number;
        self.games.insert(number);
        let name = page_of_game(number);
        let previous = self.last.as_ref().map(|(name, ..)| name.clone()).unwrap_or_default();
        self.write_last(&name)?;
        self.last = Some((name, commentary, PageLinks { index: INDEX.to_owned(), previous, next: String::new() }));
        Ok(())
    }

    /// Writes the page that waits; this one follows it.
    fn write_last(&mut self, next: &str) -> Result<(), String> {
        let Some((name, commentary, links)) = self.last.take() else { return Ok(()) };
        let links = PageLinks { next: next.to_owned(), ..links };
        let path = self.folder.join(name);
        expect_page(&path)?;
        write_file(&path, page(&commentary, 0, &links).as_bytes())
    }

    /// Writes the last game's page, and the first page.
    pub(super) fn finish(&mut self, players: &ByPlayer, name: &str) -> Result<(), String> {
        self.write_last("")?;
        let page = self.index.page(players, name, &self.settings.to_string());
        write_file(&self.folder.join(INDEX), page.as_bytes())
    }

    /// Removes the pages of games that only an earlier run had.
    pub(super) fn remove_others(&self) -> Result<(), String> {
        let unread = |error| cannot_read(&self.folder, error);
        for entry in fs::read_dir(&self.folder).map_err(unread)? {
            let path = entry.map_err(unread)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let digits = name.trim_matches(|c: char| !c.is_ascii_digit());
            let is_other = digits.parse().is_ok_and(|game| name == page_of_game(game) && !self.games.contains(&game));
            if is_other && fs::read_to_string(&path).is_ok_and(|page| page.contains(LINK)) {
                fs::remove_file(&path).map_err(|error| format!("cannot remove '{}': {error}", path.display()))?;
            }
        }
        Ok(())
    }
}

/// An error if a file that is to be replaced is no page of Emilia's.
fn expect_page(path: &Path) -> Result<(), String> {
    match fs::read(path) {
        Ok(there) if !String::from_utf8_lossy(&there).contains(GENERATOR) => {
            Err(format!("'{}' is there, and no page of Emilia's; expected another folder", path.display()))
        }
        _ => Ok(()),
    }
}
