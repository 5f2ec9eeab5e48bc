//! Pictures in files: SVG, or PNG drawn from it.

use super::output::{cannot_write, write_file};
use crate::render::png;
use crate::whole_file;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The form of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PictureForm {
    Svg,
    Png,
}

impl PictureForm {
    /// The form that a file of this name has, if its ending is that of a picture.
    pub(super) fn of(path: &Path) -> Option<PictureForm> {
        match ending(path)?.as_str() {
            "svg" => Some(PictureForm::Svg),
            "png" => Some(PictureForm::Png),
            _ => None,
        }
    }

    /// The picture in this form.
    pub(super) fn draw(self, svg: String) -> Result<Vec<u8>, String> {
        match self {
            PictureForm::Svg => Ok(svg.into_bytes()),
            PictureForm::Png => png(&svg).map_err(|error| error.to_string()),
        }
    }
}

/// The ending of a file's name, in small letters.
pub(super) fn ending(path: &Path) -> Option<String> {
    path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase)
}

/// A file for a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PictureFile {
    path: PathBuf,
    form: PictureForm,
}

impl FromStr for PictureFile {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<PictureFile, &'static str> {
        let path = PathBuf::from(name);
        let form = PictureForm::of(&path).ok_or("expected a name that ends in .svg or .png")?;
        Ok(PictureFile { path, form })
    }
}

impl PictureFile {
    /// Finds out early that the file cannot be written, if its folder is not there.
    pub(super) fn expect_folder(&self) -> Result<(), String> {
        whole_file::expect_folder(&self.path).map_err(|error| cannot_write(&self.path, error))
    }

    /// Draws a picture into the file.
    pub(super) fn write(&self, svg: String) -> Result<(), String> {
        write_file(&self.path, &self.form.draw(svg)?)
    }
}
