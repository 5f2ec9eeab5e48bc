//! Boards, games and curves as pictures: terminal text, SVG, a page for a browser.

mod axes;
mod board_svg;
mod book_table;
mod curve_svg;
mod diagram;
mod index_page;
mod markup;
mod page;
mod plot;
#[cfg(feature = "program")]
mod png;

pub use axes::Scale;
pub use board_svg::BoardPicture;
pub use book_table::book_table;
pub use curve_svg::{curve_picture, curve_svg};
#[cfg(feature = "program")]
pub(crate) use diagram::turn_name;
pub use diagram::{Diagram, Palette, game_table, mover_and_discs};
pub use index_page::IndexPage;
pub use markup::escape;
#[cfg(feature = "program")]
pub(crate) use markup::{GENERATOR, page_head};
pub use page::{PageLinks, page};
#[cfg(feature = "program")]
pub(crate) use plot::COLORS;
pub use plot::{Curve, Plot, Point, Stroke};
#[cfg(feature = "program")]
pub use png::{PictureError, png};

/// The columns of a terminal, as most are at first.
pub(crate) const COLUMNS: usize = 80;
