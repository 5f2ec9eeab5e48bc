//! Pictures as PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use thiserror::Error;

/// Fonts without serifs that systems have, the first one that is there draws the letters.
const FONTS: [&str; 6] = ["Helvetica Neue", "Arial", "DejaVu Sans", "Liberation Sans", "Noto Sans", "Segoe UI"];

/// Pixels for each unit of a picture: sharp on the screens of today, and small enough for a forum.
const PIXELS: f32 = 2.0;

/// Why a picture was not drawn.
#[derive(Debug, Error)]
pub enum PictureError {
    /// Letters and numbers cannot be drawn.
    #[error("no font is installed on this machine, so letters cannot be drawn; an SVG picture needs none")]
    NoFont,
    /// The text is no picture, or too large a one.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
}

/// Draws an SVG picture, with two pixels for each of its units.
///
/// # Errors
/// If the text is no SVG, or has letters that no font of the system can draw.
///
/// ```
/// use emilia::othello::Position;
/// use emilia::render::{BoardPicture, PictureError, png};
/// match png(&BoardPicture::new(&Position::START).to_string()) {
///     Ok(bytes) => assert!(bytes.starts_with(b"\x89PNG\r\n")),
///     Err(error) => assert!(matches!(error, PictureError::NoFont)),
/// }
/// ```
pub fn png(svg: &str) -> Result<Vec<u8>, PictureError> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let family = |face: &resvg::usvg::fontdb::FaceInfo| face.families.first().map(|(name, _)| name.clone());
    let is_known = |name: &str| fonts.faces().any(|face| family(face).is_some_and(|family| family == name));
    let found = FONTS.iter().find(|name| is_known(name)).map(|name| (*name).to_owned());
    let Some(found) = found.or_else(|| fonts.faces().find_map(family)) else {
        if svg.contains("<text") {
            return Err(PictureError::NoFont);
        }
        return draw(svg, &options);
    };
    fonts.set_sans_serif_family(&found);
    options.font_family = found;
    draw(svg, &options)
}

fn draw(svg: &str, options: &Options<'_>) -> Result<Vec<u8>, PictureError> {
    let failed = |problem: String| PictureError::Drawing(problem);
    let tree = Tree::from_str(svg, options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size();
    let pixels = |length: f32| (length * PIXELS).ceil() as u32;
    let mut canvas = Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| failed(format!("{} by {} is too large", size.width(), size.height())))?;
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut canvas.as_mut());
    canvas.encode_png().map_err(|error| failed(error.to_string()))
}
