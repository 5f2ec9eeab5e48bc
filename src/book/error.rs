//! What can be wrong with a book.

use crate::whole_file::why;
use std::io;

/// Why a book could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The system refused.
    #[error("{}", why(.0))]
    Io(#[from] io::Error),
    /// Another program has it open, or is writing it.
    #[error("another program is using the book")]
    InUse,
    /// A program that was changing it died, and nobody has mended it.
    #[error("the program that was changing the book has died")]
    LeftOpen,
    /// The format is the one before this program's.
    #[error("the book is of the former format")]
    FormerFormat {
        /// The fingerprint of the evaluation that the costs count with.
        weights: u32,
    },
    /// The file is there already.
    #[error("the file is there already")]
    Exists,
    /// A file of another kind is there, and may be a book that grows.
    #[error("a file that is no {expected} is there already, and is not replaced")]
    OtherFile {
        /// What would be replaced.
        expected: &'static str,
    },
    /// The user has ended the work. Nothing was changed.
    #[error("interrupted; nothing was changed")]
    Interrupted,
    /// The file is not a book.
    #[error("no book: {0}")]
    NotABook(String),
    /// The format is none that this program reads.
    #[error("a book of format {found}; this program reads formats up to {expected}")]
    Version {
        /// The file's.
        found: u64,
        /// The program's own.
        expected: u64,
    },
    /// The contents contradict themselves.
    #[error("the book is damaged: {0}")]
    Damaged(String),
    /// A book of another program is not what it says.
    #[error("byte {offset}: {problem}")]
    Foreign {
        /// Where in the file, from 0.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// The book of the program is to be changed.
    #[error("the book of the program does not change; expected a file, such as `emilia book new` makes")]
    Builtin,
    /// A packed book is to be changed.
    #[error("a packed book does not change; grow the book that it was packed from")]
    Packed,
}
