//! The pages of judged games, in a folder.

use super::output::{cannot_write, write_file};
use crate::analysis::by_player::{ByPlayer, page_of_game};
use crate::analysis::review_text::ReviewedGame;
use crate::analysis::{AnalysisSettings, Commentary};
use crate::render::{IndexPage, PageLinks, page};
use std::path::{Path, PathBuf};

/// The folder, and what its first page will show.
pub(super) struct Pages {
    folder: PathBuf,
    settings: AnalysisSettings,
    index: IndexPage,
    /// The page that waits to know whether another one follows, and its name.
    last: Option<(String, Commentary, PageLinks)>,
}

const INDEX: &str = "index.html";

impl Pages {
    /// Makes the folder, if it is not there. The games are judged with these settings.
    pub(super) fn begin(folder: &Path, settings: &AnalysisSettings) -> Result<Pages, String> {
        std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        Ok(Pages { folder: folder.to_owned(), settings: settings.clone(), index: IndexPage::default(), last: None })
    }

    /// Where the pages are.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes a game, and writes the page of the one before.
    pub(super) fn add(&mut self, game: &ReviewedGame) -> Result<(), String> {
        let commentary = Commentary::of_review(game.found.game.clone(), &game.review, &self.settings);
        self.index.add(game);
        let name = page_of_game(game.found.place.number);
        let previous = self.last.as_ref().map(|(name, ..)| name.clone()).unwrap_or_default();
        self.write_last(&name)?;
        self.last = Some((name, commentary, PageLinks { index: INDEX.to_owned(), previous, next: String::new() }));
        Ok(())
    }

    /// Writes the page that waits; this one follows it.
    fn write_last(&mut self, next: &str) -> Result<(), String> {
        let Some((name, commentary, links)) = self.last.take() else { return Ok(()) };
        let links = PageLinks { next: next.to_owned(), ..links };
        write_file(&self.folder.join(name), page(&commentary, 0, &links).as_bytes())
    }

    /// Writes the last game's page, and the first page.
    pub(super) fn finish(mut self, players: &ByPlayer, name: &str) -> Result<(), String> {
        self.write_last("")?;
        let page = self.index.page(players, name, &self.settings.to_string());
        write_file(&self.folder.join(INDEX), page.as_bytes())
    }
}
