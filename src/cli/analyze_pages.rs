//! The pages of judged games, in a folder.

use super::output::{cannot_write, write_file};
use crate::analysis::by_player::{ByPlayer, page_of_game};
use crate::analysis::review_text::ReviewedGame;
use crate::analysis::{AnalysisSettings, Commentary};
use crate::render::{IndexPage, page};
use std::path::{Path, PathBuf};

/// The folder, and what its first page will show.
pub(super) struct Pages {
    folder: PathBuf,
    settings: AnalysisSettings,
    index: IndexPage,
}

impl Pages {
    /// Makes the folder, if it is not there. The games are judged with these settings.
    pub(super) fn begin(folder: &Path, settings: &AnalysisSettings) -> Result<Pages, String> {
        std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        Ok(Pages { folder: folder.to_owned(), settings: settings.clone(), index: IndexPage::default() })
    }

    /// Where the pages are.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the page of a game.
    pub(super) fn add(&mut self, game: &ReviewedGame) -> Result<(), String> {
        let commentary = Commentary::of_review(game.found.game.clone(), &game.review, &self.settings);
        self.index.add(game);
        let path = self.folder.join(page_of_game(game.found.place.number));
        write_file(&path, page(&commentary, 0).as_bytes())
    }

    /// Writes the first page.
    pub(super) fn finish(self, players: &ByPlayer, name: &str) -> Result<(), String> {
        let page = self.index.page(players, name, &self.settings.to_string());
        write_file(&self.folder.join("index.html"), page.as_bytes())
    }
}
