//! With which evaluation and which commit the figures of the experiments' pages were run.
//!
//! A page has a section [`HEADING`], a table with a row for each part of its figures.

use super::{Experiment, ExperimentError};
use crate::eval::{EvaluatorKind, fingerprint};
use std::collections::HashMap;
use std::path::Path;

/// What the section begins with.
pub const HEADING: &str = "## Run with";
/// What stands where something is not known any more.
const NOT_RECORDED: &str = "not recorded";
/// What stands where there is no evaluation: random trees.
const NONE: &str = "none";
/// Cells of a row: the figures, the evaluation, its fingerprint, the commit.
const CELLS: usize = 4;

/// Where some figures of a page come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The experiment whose page it is.
    pub experiment: &'static str,
    /// Which figures of the page.
    pub figures: String,
    /// The evaluation; `None` where the game has its own.
    pub evaluation: Option<EvaluatorKind>,
    /// Its fingerprint as it was then; `None` if it is not recorded, or there is no evaluation.
    pub fingerprint: Option<u32>,
    /// The commit, as the page writes it.
    pub commit: String,
}

/// How figures stand to the evaluation of today.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// They were run with it, or need none.
    Today,
    /// They were run with another one, or the page does not know with which.
    Other,
}

impl Origin {
    /// Compares the evaluation with that of this program. `today` keeps fingerprints, which take milliseconds.
    pub fn standing(&self, today: &mut HashMap<&'static str, u32>) -> Standing {
        let Some(kind) = self.evaluation else { return Standing::Today };
        let now = *today.entry(kind.name()).or_insert_with(|| fingerprint(&*kind.build()));
        if self.fingerprint == Some(now) { Standing::Today } else { Standing::Other }
    }
}

/// What the page of an experiment says of its origin.
///
/// # Errors
/// [`ExperimentError::Page`] if there is no such section, no row in it, or a row that cannot be read.
pub fn of_page(experiment: &'static str, text: &str) -> Result<Vec<Origin>, ExperimentError> {
    let bad = |problem: String| ExperimentError::Page(experiment, problem);
    let mut section = text.lines().skip_while(|line| line.trim_end() != HEADING);
    if section.next().is_none() {
        return Err(bad(format!("expected a section '{HEADING}'")));
    }
    let section = section.take_while(|line| !line.starts_with("## "));
    let rows = section.filter(|line| line.starts_with('|')).skip(2);
    let origins: Vec<Origin> = rows.map(|row| of_row(experiment, row).map_err(bad)).collect::<Result<_, _>>()?;
    if origins.is_empty() { Err(bad(format!("expected rows below '{HEADING}'"))) } else { Ok(origins) }
}

fn of_row(experiment: &'static str, row: &str) -> Result<Origin, String> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [figures, evaluation, print, commit]: [&str; CELLS] =
        cells.try_into().map_err(|_| format!("'{row}': expected {CELLS} cells"))?;
    let evaluation = match evaluation.trim_matches('`') {
        NONE => None,
        name => Some(name.parse::<EvaluatorKind>().map_err(|error| format!("'{row}': {error}"))?),
    };
    let fingerprint = match (evaluation, print) {
        (None, "–") | (Some(_), NOT_RECORDED) => None,
        (Some(_), digits) if digits.len() == 8 => {
            Some(u32::from_str_radix(digits, 16).map_err(|_| format!("'{row}': expected eight hexadecimal digits"))?)
        }
        _ => {
            return Err(format!(
                "'{row}': expected eight hexadecimal digits, '{NOT_RECORDED}', or '–' without an evaluation"
            ));
        }
    };
    let is_commit = commit.len() >= 7 && commit.chars().all(|c| c.is_ascii_hexdigit());
    if !is_commit && commit != NOT_RECORDED {
        return Err(format!("'{row}': expected a commit or '{NOT_RECORDED}'"));
    }
    Ok(Origin { experiment, figures: figures.to_owned(), evaluation, fingerprint, commit: commit.to_owned() })
}

/// What all pages in this folder say, in the order of [`Experiment::ALL`].
///
/// # Errors
/// [`ExperimentError::File`] if a page cannot be read, [`ExperimentError::Page`] if one does not say it.
pub fn of_pages(folder: &Path) -> Result<Vec<Origin>, ExperimentError> {
    let mut origins = Vec::new();
    for experiment in Experiment::ALL {
        let path = folder.join(format!("{}.md", experiment.name));
        let text =
            std::fs::read_to_string(&path).map_err(|error| ExperimentError::File(path.display().to_string(), error))?;
        origins.extend(of_page(experiment.name, &text)?);
    }
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(row: &str) -> Result<Vec<Origin>, ExperimentError> {
        let head = "| figures | evaluation | fingerprint | commit |\n|---|---|---|---|";
        of_page("korf-tempo", &format!("# Title\n\n| a | table |\n\n{HEADING}\n\n{head}\n{row}\n\n## More\n\n| x |\n"))
    }

    #[test]
    fn a_page_says_with_what_it_was_run() {
        let origin = |row: &str| page(row).unwrap().remove(0);
        let one = origin("| all | `bill` | 00c0ffee | c8a13ca |");
        assert_eq!((one.evaluation, one.fingerprint), (Some(EvaluatorKind::Bill), Some(0x00c0_ffee)));
        assert_eq!((one.figures.as_str(), one.commit.as_str()), ("all", "c8a13ca"));
        assert_eq!(one.standing(&mut HashMap::new()), Standing::Other);
        let now = fingerprint(&*EvaluatorKind::Bill.build());
        let same = origin(&format!("| all | `bill` | {now:08x} | c8a13ca |"));
        assert_eq!(same.standing(&mut HashMap::new()), Standing::Today);
        let lost = origin("| all | `pattern` | not recorded | not recorded |");
        assert_eq!((lost.fingerprint, lost.standing(&mut HashMap::new())), (None, Standing::Other));
        let tree = origin("| all | none | – | c8a13ca |");
        assert_eq!((tree.evaluation, tree.standing(&mut HashMap::new())), (None, Standing::Today));
    }

    #[test]
    fn a_page_that_does_not_say_it_is_named() {
        let problem = |row: &str| page(row).unwrap_err().to_string();
        assert!(problem("").starts_with("the page of korf-tempo: expected rows"));
        assert!(problem("| all | `bill` | 00c0ffee |").contains("expected 4 cells"));
        assert!(problem("| all | `bill` | – | c8a13ca |").contains("eight hexadecimal digits"));
        assert!(problem("| all | none | 00c0ffee | c8a13ca |").contains("'–' without"));
        assert!(problem("| all | `bill` | 00c0ffee | yesterday |").contains("expected a commit"));
        assert!(problem("| all | `william` | 00c0ffee | c8a13ca |").contains("william"));
        assert!(of_page("korf-tempo", "# Title\n").unwrap_err().to_string().contains(HEADING));
    }

    #[test]
    fn every_page_says_with_what_it_was_run() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/experiments");
        let origins = of_pages(&folder).unwrap();
        for experiment in Experiment::ALL {
            assert!(origins.iter().any(|origin| origin.experiment == experiment.name), "{}", experiment.name);
        }
        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        for page in files.filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
            let name = page.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(name == "README" || Experiment::named(&name).is_ok(), "{name} is a page of no experiment");
        }
    }
}
